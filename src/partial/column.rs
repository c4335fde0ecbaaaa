//! Filling columns with the values at the end of a path.

use super::ValuePath;
use crate::message::{MessageView, ValueRef};
use alloc::{string::String, vec::Vec};
use core::fmt;
use core::ops::ControlFlow;

/// Why values could not be added to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnError {
    /// A value is not of the column's type, nor of one that this type holds without loss.
    WrongType,
    /// A value has not been decoded: a projection left its field out, or it is in a lazy field.
    NotDecoded,
    /// The allocator has no memory.
    OutOfMemory,
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WrongType => "a value is not of the type of the column",
            Self::NotDecoded => "a value has not been decoded",
            Self::OutOfMemory => "the allocator has no memory",
        })
    }
}

impl core::error::Error for ColumnError {}

mod sealed {
    pub trait SealedColumn {}
}

/// A type that columns of values are made of: `bool`, `i32`, `i64`, `u32`, `u64`, `f32`, `f64`, `&str`, `&[u8]`, `String` and
/// `Vec<u8>`; an `i64` also holds an `i32` and a `u32`, a `u64` a `u32`, an `f64` an `f32`, an `i32` and a `u32`. Enums are `i32`.
///
/// This trait is sealed.
pub trait ColumnValue<'v>: Sized + sealed::SealedColumn {
    /// The value as this type, if it holds it.
    fn from_value(value: ValueRef<'_, 'v>) -> Option<Self>;
}

macro_rules! columns {
    ($($type:ty: $($variant:ident($value:ident) => $made:expr),*;)*) => {
        $(impl sealed::SealedColumn for $type {}

        impl<'v> ColumnValue<'v> for $type {
            #[inline]
            fn from_value(value: ValueRef<'_, 'v>) -> Option<Self> {
                match value {
                    $(ValueRef::$variant($value) => Some($made),)*
                    _ => None,
                }
            }
        })*
    };
}

columns! {
    bool: Bool(v) => v;
    i32: I32(v) => v, EnumNumber(v) => v;
    i64: I64(v) => v, I32(v) => v.into(), U32(v) => v.into(), EnumNumber(v) => v.into();
    u32: U32(v) => v;
    u64: U64(v) => v, U32(v) => v.into();
    f32: F32(v) => v;
    f64: F64(v) => v, F32(v) => v.into(), I32(v) => v.into(), U32(v) => v.into();
    String: String(v) => v.into();
    Vec<u8>: Bytes(v) => v.into(), String(v) => v.as_bytes().into();
}

impl sealed::SealedColumn for &str {}

impl<'v> ColumnValue<'v> for &'v str {
    #[inline]
    fn from_value(value: ValueRef<'_, 'v>) -> Option<Self> {
        value.as_str()
    }
}

impl sealed::SealedColumn for &[u8] {}

impl<'v> ColumnValue<'v> for &'v [u8] {
    #[inline]
    fn from_value(value: ValueRef<'_, 'v>) -> Option<Self> {
        match value {
            ValueRef::Bytes(bytes) => Some(bytes),
            ValueRef::String(text) => Some(text.as_bytes()),
            _ => None,
        }
    }
}

impl<'i> MessageView<'_, 'i> {
    /// Appends every value at the end of a path to a column, and says how many there were. See [`values`](Self::values) for which
    /// values there are.
    ///
    /// Strings and bytes are borrowed from the decoder's input, or from the path if they are defaults: a column of them outlives the
    /// decoder's next message.
    ///
    /// # Errors
    /// The column keeps its length.
    ///
    /// # Panics
    /// As [`values`](Self::values).
    ///
    /// ```
    /// use tablepb::{Decoder, DescriptorPool, FieldTable, Kind, MessageTable, ValuePath};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32)],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let (line, level) = (ValuePath::new(&log, "line")?, ValuePath::new(&log, "level")?);
    ///
    /// let mut decoder = Decoder::new(&log);
    /// let (mut lines, mut levels): (Vec<&str>, Vec<i64>) = (Vec::new(), Vec::new());
    /// for input in [&b"\x0a\x02hi\x10\x03"[..], b"\x0a\x03you"] {
    ///     let view = decoder.decode(input)?;
    ///     view.append_values(&line, &mut lines)?;
    ///     view.append_values(&level, &mut levels)?;
    /// }
    /// assert_eq!((lines, levels), (vec!["hi", "you"], vec![3, 0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn append_values<'v, T: ColumnValue<'v>>(
        &self,
        path: &'v ValuePath,
        column: &mut Vec<T>,
    ) -> Result<usize, ColumnError>
    where
        'i: 'v,
    {
        let len = column.len();
        let appended = self.values(path).try_each(|value| {
            let error = match T::from_value(value) {
                Some(value) if column.len() < column.capacity() || column.try_reserve(1).is_ok() => {
                    column.push(value);
                    return ControlFlow::Continue(());
                }
                Some(_) => ColumnError::OutOfMemory,
                None if matches!(value, ValueRef::Unselected | ValueRef::Raw(_)) => ColumnError::NotDecoded,
                None => ColumnError::WrongType,
            };
            ControlFlow::Break(error)
        });
        if let ControlFlow::Break(error) = appended {
            column.truncate(len);
            return Err(error);
        }
        Ok(column.len() - len)
    }
}

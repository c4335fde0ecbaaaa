//! Filling columns with the values at the end of a path.

use super::ValuePath;
use crate::message::{CopyError, MessageView, ValueRef, owned_bytes, owned_str};
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

impl From<CopyError> for ColumnError {
    /// A copy fails only without memory.
    fn from(_: CopyError) -> Self {
        Self::OutOfMemory
    }
}

mod sealed {
    pub trait SealedColumn {}
}

/// A type that columns of values are made of: `bool`, `i32`, `i64`, `u32`, `u64`, `f32`, `f64`, `&str`, `&[u8]`, `String` and
/// `Vec<u8>`; an `i64` also holds an `i32` and a `u32`, a `u64` a `u32`, an `f64` an `f32`, an `i32` and a `u32`. Enums are `i32`.
///
/// This trait is sealed.
pub trait ColumnValue<'v>: Sized + sealed::SealedColumn {
    /// The value as this type. Copies strings and bytes to `String` and `Vec<u8>`.
    ///
    /// # Errors
    /// `WrongType` or `NotDecoded` if this type does not hold the value; `OutOfMemory`.
    fn from_value(value: ValueRef<'_, 'v>) -> Result<Self, ColumnError>;
}

macro_rules! columns {
    ($($type:ty: $($variant:ident($value:ident) => $made:expr),*;)*) => {
        $(impl sealed::SealedColumn for $type {}

        impl<'v> ColumnValue<'v> for $type {
            #[inline]
            fn from_value(value: ValueRef<'_, 'v>) -> Result<Self, ColumnError> {
                match value {
                    $(ValueRef::$variant($value) => Ok($made),)*
                    other => Err(unfit(other)),
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
    String: String(v) => owned_str(v)?;
    Vec<u8>: Bytes(v) => owned_bytes(v)?, String(v) => owned_bytes(v.as_bytes())?;
}

impl sealed::SealedColumn for &str {}

impl<'v> ColumnValue<'v> for &'v str {
    #[inline]
    fn from_value(value: ValueRef<'_, 'v>) -> Result<Self, ColumnError> {
        value.as_str().ok_or_else(|| unfit(value))
    }
}

impl sealed::SealedColumn for &[u8] {}

impl<'v> ColumnValue<'v> for &'v [u8] {
    #[inline]
    fn from_value(value: ValueRef<'_, 'v>) -> Result<Self, ColumnError> {
        match value {
            ValueRef::Bytes(bytes) => Ok(bytes),
            ValueRef::String(text) => Ok(text.as_bytes()),
            other => Err(unfit(other)),
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
            match T::from_value(value).and_then(|value| push(column, value)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            }
        });
        if let ControlFlow::Break(error) = appended {
            column.truncate(len);
            return Err(error);
        }
        Ok(column.len() - len)
    }

    /// Appends one element to a column: the first value at the end of a path, or `None` if there is none, because a message on the way is
    /// not set or a list is empty. So columns of several paths stay in step.
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
    /// static USER: MessageTable = MessageTable::new("pkg.User", &[FieldTable::new("name", 1, Kind::String)]);
    /// static POST: MessageTable = MessageTable::new(
    ///     "pkg.Post",
    ///     &[FieldTable::new("id", 1, Kind::Uint64), FieldTable::new("author", 2, Kind::Message(|| &USER))],
    /// );
    /// let post = DescriptorPool::from_tables(&[&POST])?.get_message_by_name("pkg.Post").unwrap();
    /// let (id, name) = (ValuePath::new(&post, "id")?, ValuePath::new(&post, "author.name")?);
    ///
    /// let mut decoder = Decoder::new(&post);
    /// let (mut ids, mut names): (Vec<Option<u64>>, Vec<Option<&str>>) = (Vec::new(), Vec::new());
    /// for input in [&b"\x08\x01\x12\x05\x0a\x03Ada"[..], b"\x08\x02"] {
    ///     let view = decoder.decode(input)?;
    ///     view.append_value(&id, &mut ids)?;
    ///     view.append_value(&name, &mut names)?;
    /// }
    /// assert_eq!((ids, names), (vec![Some(1), Some(2)], vec![Some("Ada"), None]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn append_value<'v, T: ColumnValue<'v>>(
        &self,
        path: &'v ValuePath,
        column: &mut Vec<Option<T>>,
    ) -> Result<(), ColumnError>
    where
        'i: 'v,
    {
        let first = match self.values(path).next() {
            Some(value) => Some(T::from_value(value)?),
            None => None,
        };
        push(column, first)
    }
}

/// Why a value is none of a column.
#[cold]
fn unfit(value: ValueRef<'_, '_>) -> ColumnError {
    match value {
        ValueRef::Unselected | ValueRef::Raw(_) => ColumnError::NotDecoded,
        _ => ColumnError::WrongType,
    }
}

#[inline]
fn push<T>(column: &mut Vec<T>, value: T) -> Result<(), ColumnError> {
    if column.len() == column.capacity() && column.try_reserve(1).is_err() {
        return Err(ColumnError::OutOfMemory);
    }
    column.push(value);
    Ok(())
}

//! Arrow arrays as what the writer reads from them.

use super::WriteErrorKind;
use crate::texts::Texts;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use std::collections::HashMap;
use std::ops::Range;

/// Integers of any width.
pub(super) enum Integers<'a> {
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> Integers<'a> {
    /// `None` if the array holds something else.
    pub(super) fn new(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int8 => Self::I8(array.as_primitive::<Int8Type>().values()),
            DataType::Int16 => Self::I16(array.as_primitive::<Int16Type>().values()),
            DataType::Int32 => Self::I32(array.as_primitive::<Int32Type>().values()),
            DataType::Int64 => Self::I64(array.as_primitive::<Int64Type>().values()),
            DataType::UInt8 => Self::U8(array.as_primitive::<UInt8Type>().values()),
            DataType::UInt16 => Self::U16(array.as_primitive::<UInt16Type>().values()),
            DataType::UInt32 => Self::U32(array.as_primitive::<UInt32Type>().values()),
            DataType::UInt64 => Self::U64(array.as_primitive::<UInt64Type>().values()),
            _ => return None,
        })
    }

    pub(super) fn get(&self, i: usize) -> i128 {
        match self {
            Self::I8(values) => values[i].into(),
            Self::I16(values) => values[i].into(),
            Self::I32(values) => values[i].into(),
            Self::I64(values) => values[i].into(),
            Self::U8(values) => values[i].into(),
            Self::U16(values) => values[i].into(),
            Self::U32(values) => values[i].into(),
            Self::U64(values) => values[i].into(),
        }
    }
}

/// Numbers of a field.
pub(super) enum Numbers<'a> {
    Bool(&'a BooleanBuffer),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    /// Floats for a field of doubles.
    Widened(&'a [f32]),
    /// Integers of another width, and the range of the field.
    Ranged(Integers<'a>, Range<i128>),
    /// Names of enum values.
    Named(Texts<'a>, &'a HashMap<String, i32>),
    /// The same where each name was looked up already.
    Looked(Vec<Option<i32>>),
}

impl Numbers<'_> {
    /// A value: signed ones extended to 64 bits, floats as their bits.
    #[inline(always)]
    pub(super) fn bits(&self, i: usize) -> Result<u64, WriteErrorKind> {
        Ok(match self {
            Self::Bool(values) => values.value(i).into(),
            Self::I32(values) => i64::from(values[i]) as u64,
            Self::I64(values) => values[i] as u64,
            Self::U32(values) => values[i].into(),
            Self::U64(values) => values[i],
            Self::F32(values) => values[i].to_bits().into(),
            Self::F64(values) => values[i].to_bits(),
            Self::Widened(values) => f64::from(values[i]).to_bits(),
            Self::Ranged(values, range) => {
                let value = values.get(i);
                if !range.contains(&value) {
                    return Err(WriteErrorKind::OutOfRange);
                }
                value as u64
            }
            Self::Named(values, names) => {
                let number = look_up(values.get(i), names).ok_or(WriteErrorKind::NoSuchValue)?;
                i64::from(number) as u64
            }
            Self::Looked(numbers) => i64::from(numbers[i].ok_or(WriteErrorKind::NoSuchValue)?) as u64,
        })
    }
}

/// The number of an enum value by its name, or an unlisted number as text.
pub(super) fn look_up(name: &[u8], names: &HashMap<String, i32>) -> Option<i32> {
    let name = std::str::from_utf8(name).ok()?;
    names.get(name).copied().or_else(|| name.parse().ok())
}

/// Where the elements of lists are.
pub(super) enum Spans<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
    /// As many in each list.
    Fixed(usize),
}

impl Spans<'_> {
    #[inline]
    pub(super) fn get(&self, i: usize) -> Range<usize> {
        match self {
            Self::Small(offsets) => offsets[i] as usize..offsets[i + 1] as usize,
            Self::Large(offsets) => offsets[i] as usize..offsets[i + 1] as usize,
            Self::Fixed(size) => i * size..(i + 1) * size,
        }
    }
}

/// Floats of a column.
pub(super) fn floats(array: &dyn Array, double: bool) -> Option<Numbers<'_>> {
    match array.data_type() {
        DataType::Float64 => Some(Numbers::F64(array.as_primitive::<Float64Type>().values())),
        DataType::Float32 if double => Some(Numbers::Widened(array.as_primitive::<Float32Type>().values())),
        DataType::Float32 => Some(Numbers::F32(array.as_primitive::<Float32Type>().values())),
        _ => None,
    }
}

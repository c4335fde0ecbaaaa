//! [`Texts`]: the arrays of strings and bytes that Arrow has.

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray,
    StringArray, StringViewArray,
};
use arrow_buffer::Buffer;
use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};
use arrow_schema::DataType;

/// Strings or bytes.
#[derive(Debug)]
pub(crate) enum Texts<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    Fixed(&'a FixedSizeBinaryArray),
}

impl<'a> Texts<'a> {
    /// `None` if the array holds something else.
    pub(crate) fn new(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view()),
            DataType::Binary => Self::Binary(array.as_binary()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view()),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary()),
            _ => return None,
        })
    }

    #[inline]
    pub(crate) fn get(&self, i: usize) -> &'a [u8] {
        match self {
            Self::Utf8(values) => values.value(i).as_bytes(),
            Self::LargeUtf8(values) => values.value(i).as_bytes(),
            Self::Utf8View(values) => values.value(i).as_bytes(),
            Self::Binary(values) => values.value(i),
            Self::LargeBinary(values) => values.value(i),
            Self::BinaryView(values) => values.value(i),
            Self::Fixed(values) => values.value(i),
        }
    }
    /// The buffer that the value is in; `None` if it is in none of its own.
    #[inline]
    pub(crate) fn buffer(&self, i: usize) -> Option<&'a Buffer> {
        let of_view = |view: u128, buffers: &'a [Buffer]| {
            let view = ByteView::from(view);
            (view.length > MAX_INLINE_VIEW_LEN).then(|| buffers.get(view.buffer_index as usize)).flatten()
        };
        match self {
            Self::Utf8(values) => Some(values.values()),
            Self::LargeUtf8(values) => Some(values.values()),
            Self::Utf8View(values) => of_view(values.views()[i], values.data_buffers()),
            Self::Binary(values) => Some(values.values()),
            Self::LargeBinary(values) => Some(values.values()),
            Self::BinaryView(values) => of_view(values.views()[i], values.data_buffers()),
            Self::Fixed(_) => None,
        }
    }
}

//! Arrays of strings and bytes: what was checked when it was read is not checked again.

use arrow_array::{BinaryViewArray, StringArray, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

/// An array of views of strings.
///
/// # Safety
/// Views of more than twelve bytes have their first four bytes, the number of a buffer, and a range in it; the bytes of every view are
/// UTF-8; `nulls`, if there are any, are as many as the views.
///
/// # Errors
/// None, but the twin's.
pub(crate) unsafe fn string_views(
    views: ScalarBuffer<u128>,
    buffers: Vec<Buffer>,
    nulls: Option<NullBuffer>,
) -> Result<StringViewArray, ArrowError> {
    #[cfg(tablepb_safe)]
    return StringViewArray::try_new(views, buffers, nulls);
    // SAFETY: the caller's promise is what Arrow asks for.
    #[cfg(not(tablepb_safe))]
    return Ok(unsafe {
        StringViewArray::new_unchecked(views, std::sync::Arc::<[Buffer]>::from(buffers), nulls)
    });
}

/// An array of views of bytes.
///
/// # Safety
/// As [`string_views`], but that bytes need not be UTF-8.
///
/// # Errors
/// None, but the twin's.
pub(crate) unsafe fn binary_views(
    views: ScalarBuffer<u128>,
    buffers: Vec<Buffer>,
    nulls: Option<NullBuffer>,
) -> Result<BinaryViewArray, ArrowError> {
    #[cfg(tablepb_safe)]
    return BinaryViewArray::try_new(views, buffers, nulls);
    // SAFETY: the caller's promise is what Arrow asks for.
    #[cfg(not(tablepb_safe))]
    return Ok(unsafe {
        BinaryViewArray::new_unchecked(views, std::sync::Arc::<[Buffer]>::from(buffers), nulls)
    });
}

/// An array of strings that follow each other.
///
/// # Safety
/// The offsets are in the buffer; the bytes between two of them are UTF-8; `nulls`, if there are any, are one fewer than the offsets.
///
/// # Errors
/// None, but the twin's.
pub(crate) unsafe fn strings(
    offsets: OffsetBuffer<i32>,
    data: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<StringArray, ArrowError> {
    #[cfg(tablepb_safe)]
    return StringArray::try_new(offsets, data, nulls);
    // SAFETY: the caller's promise is what Arrow asks for.
    #[cfg(not(tablepb_safe))]
    return Ok(unsafe { StringArray::new_unchecked(offsets, data, nulls) });
}

//! The fence around strings: those of validated fields were checked when they entered the slab.

#![allow(unsafe_code)]

/// The string of a field with UTF-8 validation.
///
/// Such a field gets its (offset, length) in two places only: the decode loop and the setters, and both store it
/// after they have validated just these bytes; the byte store is never changed, only appended to. Checking again
/// costs as much as decoding the string did. A reader that has just found a string of another field to be UTF-8 may
/// take it from here as well.
#[cfg(not(any(debug_assertions, tablepb_safe)))]
#[inline]
pub(crate) fn checked_str(bytes: &[u8]) -> &str {
    // SAFETY: the bytes are UTF-8, as the invariant above says.
    unsafe { core::str::from_utf8_unchecked(bytes) }
}

/// The safe twin: checks again.
#[cfg(any(debug_assertions, tablepb_safe))]
pub(crate) fn checked_str(bytes: &[u8]) -> &str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => {
            debug_assert!(false, "a string was not validated: {}", bytes.escape_ascii());
            ""
        }
    }
}

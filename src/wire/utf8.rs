//! UTF-8 validation, tuned for the strings of messages: short and mostly ASCII.

#![allow(unsafe_code)]

/// Eight, four or one byte with a high bit are not ASCII.
const HIGH: u64 = super::varint::CONTINUATION;

/// Strings up to this length are checked word by word, which beats the start-up of a vector loop.
const SHORT: usize = 32;

/// The string that `bytes` are, or `None` if they are not UTF-8.
///
/// The same answer as [`core::str::from_utf8`], two to three times faster for ASCII.
///
/// ```
/// use tablepb::wire::utf8;
///
/// assert_eq!(utf8::from_utf8(b"plain"), Some("plain"));
/// assert_eq!(utf8::from_utf8(&[0xc3, 0x28]), None);
/// ```
#[inline]
pub fn from_utf8(bytes: &[u8]) -> Option<&str> {
    if !is_ascii(bytes) {
        return core::str::from_utf8(bytes).ok();
    }
    ascii_str(bytes)
}

/// Whether `bytes` are UTF-8; see [`from_utf8`].
#[inline]
pub fn is_valid(bytes: &[u8]) -> bool {
    is_ascii(bytes) || core::str::from_utf8(bytes).is_ok()
}

/// The string of `len` bytes at the start of `rest`, or `None` if they are not there or not UTF-8.
///
/// Faster than [`from_utf8`] for short strings in a longer input: it looks at [`SHORT`] bytes whatever `len` is, so
/// that no branch depends on it (3 instead of 9 ns where lengths vary).
#[inline]
pub(crate) fn from_prefix(rest: &[u8], len: usize) -> Option<&str> {
    let bytes = rest.get(..len)?;
    match rest.first_chunk::<SHORT>() {
        Some(window) if len <= SHORT && is_ascii_window(window, len) => ascii_str(bytes),
        _ => from_utf8(bytes),
    }
}

/// Whether the first `len` bytes of `window` are below 0x80; `len` is at most [`SHORT`].
#[inline(always)]
fn is_ascii_window(window: &[u8; SHORT], len: usize) -> bool {
    /// From [`SHORT`]` - len` on: `len` high bits, and zeros.
    const MASKS: [u8; 2 * SHORT] = {
        let mut masks = [0; 2 * SHORT];
        let mut i = 0;
        while i < SHORT {
            masks[i] = 0x80;
            i += 1;
        }
        masks
    };
    let Some(mask) = MASKS.get(SHORT.wrapping_sub(len)..).and_then(|masks| masks.first_chunk::<SHORT>())
    else {
        return false;
    };
    window.iter().zip(mask).fold(0, |bits, (byte, mask)| bits | byte & mask) == 0
}

/// Whether all bytes are below 0x80.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    if bytes.len() > SHORT {
        return bytes.is_ascii();
    }
    let word = |chunk: &[u8; 8]| u64::from_le_bytes(*chunk);
    let half = |chunk: &[u8; 4]| u64::from(u32::from_le_bytes(*chunk));
    let bits = if let Some(last) = bytes.last_chunk() {
        bytes.chunks_exact(8).fold(word(last), |bits, chunk| match chunk.first_chunk() {
            Some(chunk) => bits | word(chunk),
            None => bits,
        })
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        half(first) | half(last)
    } else {
        bytes.iter().fold(0, |bits, &byte| bits | u64::from(byte))
    };
    bits & HIGH == 0
}

#[cfg(not(tablepb_safe))]
#[inline]
fn ascii_str(bytes: &[u8]) -> Option<&str> {
    // SAFETY: the only caller has seen that every byte is below 0x80, and ASCII is UTF-8.
    Some(unsafe { core::str::from_utf8_unchecked(bytes) })
}

/// The safe twin.
#[cfg(tablepb_safe)]
fn ascii_str(bytes: &[u8]) -> Option<&str> {
    core::str::from_utf8(bytes).ok()
}

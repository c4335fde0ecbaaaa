//! UTF-8 validation, tuned for the strings of messages: short and mostly ASCII.
//!
//! ```text
//! from_utf8(bytes):
//!     if no byte has its high bit set: bytes are ASCII, which is UTF-8
//!     else: core::str::from_utf8(bytes)
//! ```

// Where at least 32 bytes follow in the input, `from_prefix` tests a block of 32 under a mask of the string's length, so no
// branch depends on the length: 3 instead of 9 ns per string where lengths vary.

#![allow(unsafe_code)]

/// The high bits of eight bytes: ASCII has none.
const HIGH: u64 = super::varint::CONTINUATION;

/// Strings up to this length are checked word by word: a vector loop would take longer to start.
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
#[must_use]
pub fn from_utf8(bytes: &[u8]) -> Option<&str> {
    if !is_ascii(bytes) {
        return core::str::from_utf8(bytes).ok();
    }
    // SAFETY: every byte is below 0x80.
    unsafe { ascii_str(bytes) }
}

/// Whether `bytes` are UTF-8; see [`from_utf8`].
#[inline]
#[must_use]
pub fn is_valid(bytes: &[u8]) -> bool {
    is_ascii(bytes) || core::str::from_utf8(bytes).is_ok()
}

/// The string of `len` bytes at the start of `rest`, or `None` if they are not there or not UTF-8.
///
/// Faster than [`from_utf8`] for short strings in a longer input: where at least 32 bytes are there, no branch depends on `len`.
///
/// ```
/// use tablepb::wire::utf8;
///
/// assert_eq!(utf8::from_prefix(b"hello\xff", 5), Some("hello"));
/// assert_eq!(utf8::from_prefix(b"hello\xff", 6), None);
/// assert_eq!(utf8::from_prefix(b"hello", 6), None);
/// ```
#[inline(always)]
#[must_use]
pub fn from_prefix(rest: &[u8], len: usize) -> Option<&str> {
    let bytes = rest.get(..len)?;
    match rest.first_chunk::<SHORT>() {
        // SAFETY: `bytes` and the first `len` bytes of `window` are both the first `len` bytes of `rest`, and all of them are
        // below 0x80.
        Some(window) if is_ascii_window(window, len) => unsafe { ascii_str(bytes) },
        _ => from_utf8_apart(bytes),
    }
}

#[inline(never)]
fn from_utf8_apart(bytes: &[u8]) -> Option<&str> {
    from_utf8(bytes)
}

/// Whether `len` is at most [`SHORT`] and the first `len` bytes of `window` are below 0x80.
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

/// The string that `bytes` are.
///
/// # Safety
///
/// Every byte is below 0x80.
#[cfg(not(tablepb_safe))]
#[inline]
unsafe fn ascii_str(bytes: &[u8]) -> Option<&str> {
    debug_assert!(bytes.is_ascii());
    // SAFETY: the caller guarantees ASCII, which is UTF-8.
    Some(unsafe { core::str::from_utf8_unchecked(bytes) })
}

/// The safe twin: an `unsafe fn` for the same signature, without unsafe code.
#[cfg(tablepb_safe)]
unsafe fn ascii_str(bytes: &[u8]) -> Option<&str> {
    core::str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{vec, vec::Vec};

    /// All ways to check agree with the standard library, with nothing, ASCII and non-ASCII after the string.
    fn agrees(bytes: &[u8]) {
        let expected = core::str::from_utf8(bytes).ok();
        assert_eq!(from_utf8(bytes), expected, "{bytes:02x?}");
        assert_eq!(is_valid(bytes), expected.is_some(), "{bytes:02x?}");
        assert_eq!(from_prefix(bytes, bytes.len()), expected, "{bytes:02x?}");
        for after in [0, b'a', 0x80, 0xff] {
            let mut longer = bytes.to_vec();
            longer.resize(bytes.len() + SHORT, after);
            assert_eq!(from_prefix(&longer, bytes.len()), expected, "{bytes:02x?} then {after:02x}");
        }
    }

    #[test]
    fn one_byte_anywhere_decides() {
        for len in (0..=2 * SHORT + 1).step_by(if cfg!(miri) { 16 } else { 1 }) {
            agrees(&vec![b'x'; len]);
            for at in (0..len).step_by(if cfg!(miri) { 31 } else { 1 }) {
                for byte in [0, 0x7f, 0x80, 0xc3, 0xff] {
                    let mut bytes = vec![b'x'; len];
                    bytes[at] = byte;
                    agrees(&bytes);
                }
            }
        }
    }

    #[test]
    fn sequences_anywhere_decide() {
        let sequences: [&[u8]; 12] = [
            "\u{80}".as_bytes(),
            "\u{7ff}".as_bytes(),
            "\u{800}".as_bytes(),
            "\u{ffff}".as_bytes(),
            "\u{10ffff}".as_bytes(),
            &[0xc3, 0x28],
            &[0xc0, 0x80],
            &[0xed, 0xa0, 0x80],
            &[0xe0, 0x9f, 0xbf],
            &[0xf0, 0x8f, 0xbf, 0xbf],
            &[0xf4, 0x90, 0x80, 0x80],
            &[0xf8, 0x88, 0x80, 0x80, 0x80],
        ];
        let lengths: &[usize] = if cfg!(miri) { &[0, SHORT] } else { &[0, 1, 7, SHORT] };
        for sequence in sequences {
            for before in (0..SHORT + 2).step_by(if cfg!(miri) { 33 } else { 1 }) {
                for &after in lengths {
                    let bytes = [&vec![b'a'; before][..], sequence, &vec![b'z'; after]].concat();
                    agrees(&bytes);
                    agrees(&bytes[..bytes.len() - 1]);
                }
            }
        }
    }

    #[test]
    fn every_pair_of_bytes_agrees() {
        for pair in (0..=u16::MAX).step_by(if cfg!(miri) { 251 } else { 1 }) {
            let bytes = pair.to_be_bytes();
            assert_eq!(from_utf8(&bytes), core::str::from_utf8(&bytes).ok());
        }
    }

    #[test]
    fn a_prefix_that_is_not_there_is_no_string() {
        let text: Vec<u8> = vec![b'a'; SHORT];
        assert_eq!(from_prefix(&text, SHORT + 1), None);
        assert_eq!(from_prefix(&text, usize::MAX), None);
        assert_eq!(from_prefix(&[], 1), None);
        assert_eq!(from_prefix(&text, 2), Some("aa"));
    }
}

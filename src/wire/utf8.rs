//! UTF-8 validation, tuned for the strings of messages: short and mostly ASCII.
//!
//! ```text
//! is_valid(bytes):
//!     skip blocks without a high bit: they are ASCII, which is UTF-8
//!     the last bytes are a block that overlaps the one before, so that no byte is looked at by itself
//!     hand what is left, from the first other block on, to core::str::from_utf8
//! ```

// Where at least 32 bytes follow in the input, `from_prefix` tests a block of 32 under a mask of the string's length, so no
// branch depends on the length: 3 instead of 9 ns per string where lengths vary.
//
// `<[u8]>::is_ascii` of the standard library walks the bytes after its last block one by one: 24 ns for 127 bytes, 2 for 128.

#![allow(unsafe_code)]

#[cfg(not(tablepb_no_alloc))]
use alloc::{string::String, vec::Vec};

/// The high bits of eight bytes: ASCII has none.
const HIGH: u64 = super::varint::CONTINUATION;

/// Strings up to this length are checked word by word: a vector loop would take longer to start.
const SHORT: usize = 32;

/// Bytes between two branches in longer strings: with 32 a string of 1 000 bytes takes 25 instead of 19 ns.
const BLOCK: usize = 2 * SHORT;

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
    if super::SMALL_CODE {
        return core::str::from_utf8(bytes).ok();
    }
    if !is_valid(bytes) {
        return None;
    }
    // SAFETY: the bytes were just found to be UTF-8.
    unsafe { valid_str(bytes) }
}

/// Whether `bytes` are UTF-8; see [`from_utf8`].
#[inline]
#[must_use]
pub fn is_valid(bytes: &[u8]) -> bool {
    let rest = after_ascii(bytes);
    rest.is_empty() || core::str::from_utf8(rest).is_ok()
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
    if super::SMALL_CODE {
        return core::str::from_utf8(bytes).ok();
    }
    let mixed = match (rest.first_chunk(), mask(len)) {
        (Some(window), Some(mask)) if is_ascii_under(window, mask) => {
            // SAFETY: `bytes` and the first `len` bytes of `window` are both the first `len` bytes of `rest`, and all of them
            // are below 0x80.
            return unsafe { valid_str(bytes) };
        }
        (window, mask) => window.is_some() & mask.is_some(),
    };
    from_utf8_apart(bytes, mixed)
}

/// As [`from_utf8`]; `mixed` if there is a byte that is not ASCII.
#[inline(never)]
fn from_utf8_apart(bytes: &[u8], mixed: bool) -> Option<&str> {
    if mixed { core::str::from_utf8(bytes).ok() } else { from_utf8(bytes) }
}

/// The high bits of `len` bytes, and zeros; `None` for more than [`SHORT`].
#[inline(always)]
fn mask(len: usize) -> Option<&'static [u8; SHORT]> {
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
    MASKS.get(SHORT.wrapping_sub(len)..)?.first_chunk()
}

/// Whether the bytes of which `mask` has the high bits are below 0x80.
#[inline(always)]
fn is_ascii_under(window: &[u8; SHORT], mask: &[u8; SHORT]) -> bool {
    window.iter().zip(mask).fold(0, |bits, (byte, mask)| bits | byte & mask) == 0
}

/// The bytes from the first block on that is not ASCII; empty if all are ASCII. What comes before ends a character, so
/// `bytes` are UTF-8 if the result is.
#[inline]
fn after_ascii(bytes: &[u8]) -> &[u8] {
    let Some(last) = bytes.last_chunk::<BLOCK>() else {
        return if is_short_ascii(bytes) { &[] } else { bytes };
    };
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    match blocks.iter().position(|block| !is_ascii_block(block)) {
        None if is_ascii_block(last) => &[],
        at => bytes.get(at.unwrap_or(blocks.len()) * BLOCK..).unwrap_or_default(),
    }
}

/// Whether all bytes, fewer than [`BLOCK`], are below 0x80.
#[inline]
fn is_short_ascii(bytes: &[u8]) -> bool {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<SHORT>(), bytes.last_chunk::<SHORT>()) {
        return is_ascii_block(first) & is_ascii_block(last);
    }
    let half = |chunk: &[u8; 4]| u64::from(u32::from_le_bytes(*chunk));
    let bits = if let Some(last) = bytes.last_chunk() {
        high_bits(bytes) | u64::from_le_bytes(*last)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        half(first) | half(last)
    } else {
        bytes.iter().fold(0, |bits, &byte| bits | u64::from(byte))
    };
    bits & HIGH == 0
}

/// Whether all bytes are below 0x80. `N` is a multiple of eight.
#[inline(always)]
fn is_ascii_block<const N: usize>(block: &[u8; N]) -> bool {
    high_bits(block) & HIGH == 0
}

/// All words of eight bytes in `bytes` together, without what is left at the end.
#[inline(always)]
fn high_bits(bytes: &[u8]) -> u64 {
    bytes.as_chunks::<8>().0.iter().fold(0, |bits, word| bits | u64::from_le_bytes(*word))
}

/// The string that `bytes` are.
///
/// # Safety
///
/// `bytes` are UTF-8.
#[cfg(not(tablepb_safe))]
#[inline]
unsafe fn valid_str(bytes: &[u8]) -> Option<&str> {
    debug_assert!(core::str::from_utf8(bytes).is_ok());
    // SAFETY: the caller guarantees UTF-8.
    Some(unsafe { core::str::from_utf8_unchecked(bytes) })
}

/// The safe twin: an `unsafe fn` for the same signature, without unsafe code.
#[cfg(tablepb_safe)]
unsafe fn valid_str(bytes: &[u8]) -> Option<&str> {
    core::str::from_utf8(bytes).ok()
}

/// A new string with this text, in a block of just its length; `None` without memory.
#[cfg(not(tablepb_no_alloc))]
#[inline]
pub(crate) fn owned(text: &str) -> Option<String> {
    let bytes = owned_bytes(text.as_bytes())?;
    // SAFETY: equal to the bytes of `text`, which are UTF-8.
    Some(unsafe { String::from_utf8_unchecked(bytes) })
}

/// A new list with these bytes, in a block of just their length; `None` without memory.
///
/// Up to 32 are copied as two blocks of constant length, of which the second ends with the last byte: calls of `memcpy` with lengths that
/// vary made strings below 33 bytes in structs 1.05 to 1.12 times slower to decode.
#[cfg(not(tablepb_no_alloc))]
#[inline]
pub(crate) fn owned_bytes(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut list = Vec::new();
    list.try_reserve_exact(bytes.len()).ok()?;
    macro_rules! two_blocks {
        ($len:literal) => {
            if let (Some(first), Some(last)) = (bytes.first_chunk::<$len>(), bytes.last_chunk::<$len>())
                && bytes.len() <= 2 * $len
                && bytes.len() <= list.capacity()
            {
                list.extend_from_slice(first);
                list.truncate(bytes.len() - $len);
                list.extend_from_slice(last);
                return Some(list);
            }
        };
    }
    if !super::SMALL_CODE {
        two_blocks!(16);
        two_blocks!(8);
        two_blocks!(4);
    }
    list.extend_from_slice(bytes);
    Some(list)
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
    fn copies_of_every_length_are_equal() {
        let text: String = (0..100_u8).map(|i| char::from(b'!' + i % 90)).collect();
        for len in 0..=text.len() {
            let part = &text[..len];
            let copy = owned(part).unwrap();
            assert_eq!((copy.as_str(), copy.capacity()), (part, len));
        }
        assert_eq!(owned("\u{1f600} \u{20ac}").unwrap(), "\u{1f600} \u{20ac}");
    }

    #[test]
    fn one_byte_anywhere_decides() {
        for len in (0..=3 * BLOCK + 1).step_by(if cfg!(miri) { 48 } else { 1 }) {
            agrees(&vec![b'x'; len]);
            // Around the ends of all blocks, and of the string.
            let near = |at: &usize| (at + 3) % SHORT < 6 || at + 3 > len;
            for at in (0..len).filter(near).step_by(if cfg!(miri) { 31 } else { 1 }) {
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
        let lengths: &[usize] = if cfg!(miri) { &[0, SHORT] } else { &[0, 1, 7, SHORT, BLOCK, 2 * BLOCK] };
        for sequence in sequences {
            for before in (0..BLOCK + 6).step_by(if cfg!(miri) { 33 } else { 1 }) {
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

    /// All four bytes, at the start of a string of ASCII, at its end, and across the end of its first block.
    fn four_bytes_agree(words: impl Iterator<Item = u32>) {
        let mut texts = [0, BLOCK, BLOCK - 2].map(|at| (at, [b'a'; BLOCK + 4]));
        for word in words {
            let bytes = word.to_be_bytes();
            let expected = core::str::from_utf8(&bytes).is_ok();
            assert_eq!(is_valid(&bytes), expected, "{bytes:02x?}");
            for (at, text) in &mut texts {
                text[*at..*at + 4].copy_from_slice(&bytes);
                assert_eq!(is_valid(&text[..]), expected, "{bytes:02x?} at {at}");
                assert_eq!(from_prefix(&text[*at..], 4).is_some(), expected, "{bytes:02x?} at {at}");
            }
        }
    }

    #[test]
    fn a_sample_of_all_four_bytes_agrees() {
        // A prime, so that all bytes meet.
        four_bytes_agree((0..=u32::MAX).step_by(if cfg!(miri) { 99_999_989 } else { 40_009 }));
    }

    #[test]
    #[ignore = "takes minutes in a release build; .ci/full runs it"]
    fn all_four_bytes_agree() {
        four_bytes_agree(0..=u32::MAX);
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

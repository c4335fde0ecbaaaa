//! Numbers as decimal text.
//!
//! Eight digits are one word: three multiplications split a number below 10^8 into them, and a shift drops the zeros in front, so
//! the only branches are on 8 and 16 digits. Two digits at a time from a table, with a branch per length, take 2.4 to 3.2 times as long
//! where lengths vary.

use super::TextOut;

/// The longest number: 20 digits.
const LONGEST: usize = 20;

/// 10^8: as many digits as a word has.
pub(super) const WORD: u64 = 100_000_000;

/// Room for a number of any length with sign and quotes.
const ROOM: usize = 32;

/// A digit in each byte of a word.
pub(super) const ZEROS: u64 = u64::MAX / 0xff * b'0' as u64;

/// The eight digits of a number below 10^8, the first one in the lowest byte; as values, not as characters.
#[inline(always)]
pub(super) fn eight_digits(value: u64) -> u64 {
    // Halves of four digits, then pairs, then digits; each multiplication divides all parts at once.
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = fours.wrapping_mul(5243) >> 19 & 0x7f_0000_007f;
    let pairs = hundreds | (fours - 100 * hundreds) << 16;
    let tens = pairs.wrapping_mul(103) >> 10 & 0xf_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

/// Writes eight bytes at `at`, which is inside the window.
#[inline(always)]
pub(super) fn put_word<const N: usize>(window: &mut [u8; N], at: usize, word: u64) {
    if let Some(place) = window.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *place = word.to_le_bytes();
    }
}

/// Writes a number at `at`, with garbage after it, and returns its end. At least 24 bytes follow `at`.
#[inline(always)]
fn write_u64(window: &mut [u8; ROOM], at: usize, value: u64) -> usize {
    if value < WORD {
        return write_first(window, at, value);
    }
    write_long(window, at, value)
}

/// The first digits of a number, without zeros in front.
#[inline(always)]
fn write_first(window: &mut [u8; ROOM], at: usize, value: u64) -> usize {
    let digits = eight_digits(value);
    // The last digit stays, even if it is zero.
    let skipped = (digits | 1 << 56).trailing_zeros() / 8;
    put_word(window, at, (digits | ZEROS) >> (8 * skipped));
    at + 8 - skipped as usize
}

#[inline(never)]
fn write_long(window: &mut [u8; ROOM], at: usize, value: u64) -> usize {
    let (upper, lower) = (value / WORD, value % WORD);
    let middle = if upper < WORD {
        write_first(window, at, upper)
    } else {
        let at = write_first(window, at, upper / WORD);
        put_word(window, at, eight_digits(upper % WORD) | ZEROS);
        at + 8
    };
    put_word(window, middle, eight_digits(lower) | ZEROS);
    middle + 8
}

/// Prints a number.
#[inline]
pub(crate) fn put_u64(out: &mut TextOut<'_>, value: u64) {
    let len = write_u64(out.window(), 0, value);
    out.advance(len);
}

/// Prints a number with a sign, if it is negative.
#[inline]
pub(crate) fn put_i64(out: &mut TextOut<'_>, value: i64) {
    let window = out.window::<ROOM>();
    // Overwritten if there is no sign.
    put_word(window, 0, b'-'.into());
    let len = write_u64(window, usize::from(value < 0), value.unsigned_abs());
    out.advance(len);
}

/// Prints a number in quotes.
#[cfg(feature = "json")]
#[inline]
pub(crate) fn put_quoted_u64(out: &mut TextOut<'_>, value: u64) {
    put_quoted(out, false, value);
}

/// Prints a number with a sign in quotes.
#[cfg(feature = "json")]
#[inline]
pub(crate) fn put_quoted_i64(out: &mut TextOut<'_>, value: i64) {
    put_quoted(out, value < 0, value.unsigned_abs());
}

/// A whole number of any type.
#[cfg(feature = "json")]
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    negative: bool,
    size: u64,
}

#[cfg(feature = "json")]
impl From<i64> for Whole {
    #[inline(always)]
    fn from(value: i64) -> Self {
        Self { negative: value < 0, size: value.unsigned_abs() }
    }
}

#[cfg(feature = "json")]
impl From<i32> for Whole {
    #[inline(always)]
    fn from(value: i32) -> Self {
        Self { negative: value < 0, size: value.unsigned_abs().into() }
    }
}

#[cfg(feature = "json")]
impl From<u64> for Whole {
    #[inline(always)]
    fn from(size: u64) -> Self {
        Self { negative: false, size }
    }
}

#[cfg(feature = "json")]
impl From<u32> for Whole {
    #[inline(always)]
    fn from(size: u32) -> Self {
        Self { negative: false, size: size.into() }
    }
}

/// Prints an element of a list, perhaps in quotes, after the byte that comes before it.
#[cfg(feature = "json")]
#[inline(always)]
pub(crate) fn put_element<const QUOTED: bool>(out: &mut TextOut<'_>, before: u8, value: Whole) {
    let window = out.window::<ROOM>();
    let start = if QUOTED { [before, b'"', b'-'] } else { [before, b'-', b'-'] };
    if let Some(place) = window.first_chunk_mut() {
        *place = start;
    }
    let at = 1 + usize::from(QUOTED) + usize::from(value.negative);
    let end = write_u64(window, at, value.size);
    if let Some(quote) = window.get_mut(end).filter(|_| QUOTED) {
        *quote = b'"';
    }
    out.advance(end + usize::from(QUOTED));
}

#[cfg(feature = "json")]
#[inline(always)]
fn put_quoted(out: &mut TextOut<'_>, negative: bool, size: u64) {
    let window = out.window::<ROOM>();
    put_word(window, 0, u64::from_le_bytes(*b"\"-\0\0\0\0\0\0"));
    let end = write_u64(window, 1 + usize::from(negative), size);
    if let Some(quote) = window.get_mut(end) {
        *quote = b'"';
    }
    out.advance(end + 1);
}

/// Prints exactly `width` digits, at most 20, with zeros in front.
pub(crate) fn put_padded(out: &mut TextOut<'_>, mut value: u64, width: u32) {
    let width = (width as usize).min(LONGEST);
    let window = out.window::<LONGEST>();
    for digit in window.iter_mut().take(width).rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.advance(width);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    fn printed(print: impl Fn(&mut TextOut<'_>)) -> String {
        let mut buffer = Vec::new();
        let mut out = TextOut::new(&mut buffer);
        print(&mut out);
        out.finish().unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn integers_of_every_length() {
        let mut value = 1u64;
        for _ in 0..64 {
            for near in [value - 1, value, value + 1, value.wrapping_mul(9) / 7] {
                assert_eq!(printed(|out| put_u64(out, near)), near.to_string());
                assert_eq!(printed(|out| put_i64(out, near as i64)), (near as i64).to_string());
            }
            value = value.wrapping_mul(2).max(1);
        }
        for power in 0..20 {
            let value = 10u64.pow(power);
            for near in [value - 1, value, value + 1] {
                assert_eq!(printed(|out| put_u64(out, near)), near.to_string());
            }
        }
        assert_eq!(printed(|out| put_i64(out, i64::MIN)), i64::MIN.to_string());
        assert_eq!(printed(|out| put_padded(out, 7, 3)), "007");
    }

    #[cfg(feature = "json")]
    #[test]
    fn quotes_and_what_comes_before() {
        for value in [0, 7, 99_999_999, 100_000_000, i64::MAX, i64::MIN, -1, -12_345_678_901] {
            assert_eq!(printed(|out| put_quoted_i64(out, value)), alloc::format!("\"{value}\""));
            assert_eq!(
                printed(|out| put_element::<true>(out, b',', value.into())),
                alloc::format!(",\"{value}\"")
            );
            assert_eq!(
                printed(|out| put_element::<false>(out, b'[', value.into())),
                alloc::format!("[{value}")
            );
            let size = value.unsigned_abs();
            assert_eq!(printed(|out| put_quoted_u64(out, size)), alloc::format!("\"{size}\""));
        }
    }
}

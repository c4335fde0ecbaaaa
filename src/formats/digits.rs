//! Numbers as decimal text.
//!
//! Eight digits are one word: three multiplications split a number below 10^8 into them, and a shift drops the zeros in front, so
//! the only branches are on 8 and 16 digits. Two digits at a time from a table, with a branch per length, take 2.4 to 3.2 times as long
//! where lengths vary.

use super::TextOut;
use super::shortest::{shortest32, shortest64};

/// The longest number: 20 digits.
const LONGEST: usize = 20;

/// 10^8: as many digits as a word has.
const WORD: u64 = 100_000_000;

/// Room for a number of any length with sign and quotes.
const ROOM: usize = 32;

/// A digit in each byte of a word.
const ZEROS: u64 = u64::MAX / 0xff * b'0' as u64;

/// The eight digits of a number below 10^8, the first one in the lowest byte; as values, not as characters.
#[inline(always)]
fn eight_digits(value: u64) -> u64 {
    // Halves of four digits, then pairs, then digits; each multiplication divides all parts at once.
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = fours.wrapping_mul(5243) >> 19 & 0x7f_0000_007f;
    let pairs = hundreds | (fours - 100 * hundreds) << 16;
    let tens = pairs.wrapping_mul(103) >> 10 & 0xf_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

/// Writes eight bytes at `at`, which is inside the window.
#[inline(always)]
fn put_word<const N: usize>(window: &mut [u8; N], at: usize, word: u64) {
    if let Some(place) = window.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *place = word.to_le_bytes();
    }
}

/// Writes a number at `at`, with garbage after it, and gives its end. At least 24 bytes follow `at`.
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
#[inline]
pub(crate) fn put_quoted_u64(out: &mut TextOut<'_>, value: u64) {
    put_quoted(out, false, value);
}

/// Prints a number with a sign in quotes.
#[inline]
pub(crate) fn put_quoted_i64(out: &mut TextOut<'_>, value: i64) {
    put_quoted(out, value < 0, value.unsigned_abs());
}

/// A whole number of any type.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    negative: bool,
    size: u64,
}

impl From<i64> for Whole {
    #[inline(always)]
    fn from(value: i64) -> Self {
        Self { negative: value < 0, size: value.unsigned_abs() }
    }
}

impl From<i32> for Whole {
    #[inline(always)]
    fn from(value: i32) -> Self {
        Self { negative: value < 0, size: value.unsigned_abs().into() }
    }
}

impl From<u64> for Whole {
    #[inline(always)]
    fn from(size: u64) -> Self {
        Self { negative: false, size }
    }
}

impl From<u32> for Whole {
    #[inline(always)]
    fn from(size: u32) -> Self {
        Self { negative: false, size: size.into() }
    }
}

/// Prints an element of a list, perhaps in quotes, after the byte that comes before it.
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

/// Prints a finite number with the fewest digits that give it back.
#[inline]
pub(crate) fn put_f64(out: &mut TextOut<'_>, value: f64) {
    put_decimal(out, value.is_sign_negative(), shortest64(value));
}

/// The same of a 32-bit number, whose shortest form is another one than that of the 64-bit number of this value.
#[inline]
pub(crate) fn put_f32(out: &mut TextOut<'_>, value: f32) {
    put_decimal(out, value.is_sign_negative(), shortest32(value));
}

/// The digits of a decimal, at most 17, without zeros in front.
struct Digits {
    /// The first 16, then zeros.
    first: u128,
    /// The one after them.
    last: u8,
    /// How many there are.
    all: i32,
    /// How many of them come before zeros at the end.
    shortest: usize,
}

impl Digits {
    /// Of a number that is not zero. The digits stay in registers, because bytes that were stored in pieces are slow to load as a
    /// whole; and there is no branch on their number, which cannot be foretold.
    #[inline(always)]
    fn new(digits: u64) -> Self {
        const MOST: u64 = WORD * WORD;
        let longest = digits >= MOST;
        let (upper, last) = if longest { (digits / 10, digits % 10) } else { (digits, 0) };
        let text = u128::from(eight_digits(upper / WORD)) | u128::from(eight_digits(upper % WORD)) << 64;
        let (skipped, zeros) = (text.trailing_zeros() / 8, text.leading_zeros() / 8);
        let ascii = u128::from(ZEROS) | u128::from(ZEROS) << 64;
        Self {
            first: text >> (8 * skipped) | ascii,
            last: b'0' + last as u8,
            all: 16 - skipped as i32 + i32::from(longest),
            shortest: if last != 0 { 17 } else { 16 - (skipped + zeros) as usize },
        }
    }
}

/// Room for a decimal without an exponent: `0.000`, 17 digits, and what is written beyond.
const DECIMAL: usize = 40;

/// Prints `digits`, at most 17, times a power of ten as the standard library does: with an exponent from 10^16 on, and below 10^-4.
#[inline(never)]
fn put_decimal(out: &mut TextOut<'_>, negative: bool, (digits, exponent): (u64, i32)) {
    out.sign(negative);
    if digits == 0 {
        return out.byte(b'0');
    }
    let digits = Digits::new(digits);
    // Where the point is, counted from the first digit.
    let point = digits.all + exponent;
    match point {
        1..=16 => {
            let window = out.window::<DECIMAL>();
            let before = point as usize;
            // All digits from the start; then the point, and those after it again.
            put_bytes(window, 0, digits.first);
            let after = digits.first.checked_shr(8 * before as u32).unwrap_or(0) << 8;
            put_bytes(window, before, after | u128::from(b'.'));
            if let Some(place) = window.get_mut(17) {
                *place = digits.last;
            }
            out.advance(if digits.shortest > before { digits.shortest + 1 } else { before });
        }
        -3..=0 => {
            let window = out.window::<DECIMAL>();
            let zeros = point.unsigned_abs() as usize;
            put_bytes(window, 0, u128::from_le_bytes(*b"0.00000000000000"));
            put_bytes(window, 2 + zeros, digits.first);
            if let Some(place) = window.get_mut(18 + zeros) {
                *place = digits.last;
            }
            out.advance(2 + zeros + digits.shortest);
        }
        _ => put_scientific(out, &digits, point - 1),
    }
}

/// Writes 16 bytes at `at`, which is inside the window.
#[inline(always)]
fn put_bytes(window: &mut [u8; DECIMAL], at: usize, bytes: u128) {
    if let Some(place) = window.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *place = bytes.to_le_bytes();
    }
}

#[cold]
#[inline(never)]
fn put_scientific(out: &mut TextOut<'_>, digits: &Digits, exponent: i32) {
    let window = out.window::<DECIMAL>();
    put_bytes(window, 0, digits.first & 0xff | u128::from(b'.') << 8);
    put_bytes(window, 2, digits.first >> 8);
    if let Some(place) = window.get_mut(17) {
        *place = digits.last;
    }
    out.advance(if digits.shortest > 1 { digits.shortest + 1 } else { 1 });
    out.byte(b'e');
    put_i64(out, exponent.into());
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

    /// What the fast path prints is what the standard library prints, digit for digit.
    fn same_f64(value: f64) {
        let expected = alloc::format!("{value:?}");
        let expected = expected.strip_suffix(".0").unwrap_or(&expected);
        let got = printed(|out| put_f64(out, value));
        assert_eq!(got.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{expected} {got}");
        assert_eq!(got, expected);
    }

    fn same_f32(value: f32) {
        let expected = alloc::format!("{value:?}");
        let expected = expected.strip_suffix(".0").unwrap_or(&expected);
        let got = printed(|out| put_f32(out, value));
        assert_eq!(got.parse::<f32>().unwrap().to_bits(), value.to_bits(), "{expected} {got}");
        assert_eq!(got, expected);
    }

    #[test]
    fn floats_are_printed_with_the_fewest_digits() {
        let fixed =
            [0.0, -0.0, 1.0, -1.0, 0.1, 0.3, 1.5, 123.456, 1e15, 1e16, 1e17, 0.001, 1e-4, 1e-7, 1e300];
        for value in fixed {
            same_f64(value);
            same_f64(-value);
            if (value as f32).is_finite() {
                same_f32(value as f32);
            }
        }
        for value in [f64::MAX, f64::MIN_POSITIVE, 5e-324, 9007199254740993.0, 999999999999999.9] {
            same_f64(value);
        }
        for value in [f32::MAX, f32::MIN_POSITIVE, 1e-45, 16777217.0, 8388608.5, 99.9999, 3.4e38, 1e16, 1e-4]
        {
            same_f32(value);
        }
        // All exponents, with the significands that are special: none, the first and the last.
        for exponent in 0..255u32 {
            for stored in [0, 1, 2, 0x40_0000, 0x7f_fffe, 0x7f_ffff] {
                same_f32(f32::from_bits(exponent << 23 | stored));
            }
        }
        let mut state = 1u64;
        for i in 0..if cfg!(miri) { 100 } else { 100_000u64 } {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state ^ state >> 29;
            let (double, single) = (f64::from_bits(bits), f32::from_bits(bits as u32));
            if double.is_finite() {
                same_f64(double);
            }
            if single.is_finite() {
                same_f32(single);
            }
            same_f64((bits >> 40) as f64 / [10.0, 100.0, 1000.0, 10000.0, 3.0][i as usize % 5]);
            same_f32((bits >> 45) as f32 / [10.0, 100.0, 1000.0, 10000.0, 3.0][i as usize % 5]);
        }
    }

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

    #[test]
    #[ignore = "seconds, in release"]
    fn ten_million_random_floats_are_printed_and_read_as_the_standard_library_does() {
        let mut state = 3u64;
        for i in 0..10_000_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state ^ state >> 29;
            // All bits, and decimals of few digits.
            let double = match i % 3 {
                0 => f64::from_bits(bits),
                1 => (bits >> 34) as f64 / 1e4,
                _ => (bits >> 11) as f64 * 10f64.powi((bits % 64) as i32 - 32),
            };
            let single = if i % 2 == 0 { f32::from_bits(bits as u32) } else { (bits >> 44) as f32 / 1e3 };
            if double.is_finite() {
                same_f64(double);
                let text = alloc::format!("{double:e}");
                let number = crate::formats::JsonNumber::whole(text.as_bytes()).unwrap();
                assert_eq!(number.f64().map(f64::to_bits), Some(double.to_bits()), "{text}");
            }
            if single.is_finite() {
                same_f32(single);
                let text = alloc::format!("{single}");
                let number = crate::formats::JsonNumber::whole(text.as_bytes()).unwrap();
                assert_eq!(number.f32().map(f32::to_bits), Some(single.to_bits()), "{text}");
            }
        }
    }
}

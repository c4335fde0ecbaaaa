//! Numbers as decimal text.

use super::TextOut;
use super::shortest::shortest;
use core::fmt::Write;

/// `00`, `01`, up to `99`.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

/// The longest number: 20 digits.
const LONGEST: usize = 20;

fn pair(value: u64) -> [u8; 2] {
    PAIRS.get(value as usize).copied().unwrap_or_default()
}

/// Prints a number.
#[inline]
pub(crate) fn put_u64(out: &mut TextOut<'_>, value: u64) {
    match value {
        0..10 => out.byte(b'0' + value as u8),
        10..100 => out.array(&pair(value)),
        _ => put_long(out, value),
    }
}

/// Two digits at a time, from the last to the first.
fn put_long(out: &mut TextOut<'_>, mut value: u64) {
    let count = value.checked_ilog10().unwrap_or(0) as usize + 1;
    let digits = out.window::<LONGEST>();
    let mut at = count;
    while value >= 100 {
        at = at.saturating_sub(2);
        put_pair(digits, at, value % 100);
        value /= 100;
    }
    if value >= 10 {
        put_pair(digits, 0, value);
    } else if let Some(first) = digits.first_mut() {
        *first = b'0' + value as u8;
    }
    out.advance(count);
}

#[inline(always)]
fn put_pair(digits: &mut [u8; LONGEST], at: usize, value: u64) {
    if let Some(place) = digits.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *place = pair(value);
    }
}

/// Prints a number with a sign, if it is negative.
#[inline]
pub(crate) fn put_i64(out: &mut TextOut<'_>, value: i64) {
    if value < 0 {
        out.byte(b'-');
    }
    put_u64(out, value.unsigned_abs());
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

/// Numbers with up to this many decimals are tried before the general way, as most numbers that people write have few.
const DECIMALS: [(f64, u32); 2] = [(1.0, 0), (10_000.0, 4)];

/// Numbers below this one have at most 15 digits.
const MOST: f64 = 1e15;

/// Prints a finite number with the fewest digits that give it back.
pub(crate) fn put_f64(out: &mut TextOut<'_>, value: f64) {
    // Two numbers of at most 15 digits are different doubles, so the one of them that gives the value back is the shortest.
    if !put_short(out, value) {
        put_shortest(out, format_args!("{value:?}"));
    }
}

/// The same of a 32-bit number, whose shortest form is another one than that of the 64-bit number of this value.
pub(crate) fn put_f32(out: &mut TextOut<'_>, value: f32) {
    if value.is_sign_negative() {
        out.byte(b'-');
    }
    if value == 0.0 {
        return out.byte(b'0');
    }
    let (mut digits, mut exponent) = shortest(value);
    while digits.is_multiple_of(10) {
        digits /= 10;
        exponent += 1;
    }
    put_decimal(out, digits, exponent);
}

/// Prints `digits` times a power of ten as the standard library does: with an exponent from 10^16 on, and below 10^-4.
fn put_decimal(out: &mut TextOut<'_>, digits: u32, exponent: i32) {
    let count = digits.checked_ilog10().unwrap_or(0) as i32 + 1;
    // Where the point is, counted from the first digit.
    let point = count + exponent;
    let power = |exponent: i32| 10u64.pow(exponent.unsigned_abs().min(19));
    let digits = u64::from(digits);
    match point {
        ..=-4 | 17.. => {
            put_u64(out, digits / power(count - 1));
            if count > 1 {
                out.byte(b'.');
                put_padded(out, digits % power(count - 1), count.unsigned_abs() - 1);
            }
            out.byte(b'e');
            put_i64(out, i64::from(point) - 1);
        }
        -3..=0 => {
            out.array(b"0.");
            put_padded(out, digits, (count - point).unsigned_abs());
        }
        _ if exponent >= 0 => put_u64(out, digits * power(exponent)),
        _ => {
            put_u64(out, digits / power(exponent));
            out.byte(b'.');
            put_padded(out, digits % power(exponent), exponent.unsigned_abs());
        }
    }
}

/// Prints a number that is a few decimals long; false if it is not.
#[inline(always)]
fn put_short(out: &mut TextOut<'_>, value: f64) -> bool {
    let size = f64::from_bits(value.to_bits() & !(1 << 63));
    if value.to_bits() == 0 {
        out.byte(b'0');
        return true;
    }
    // Smaller ones are written with an exponent, and have too many decimals in any case.
    if size < 1e-3 {
        return false;
    }
    for (scale, decimals) in DECIMALS {
        let scaled = size * scale;
        if scaled >= MOST {
            return false;
        }
        // To the nearest whole number, without `round`, which is not in `core`.
        let whole = (scaled + 0.5) as u64;
        let signed = if value < 0.0 { -(whole as f64) } else { whole as f64 };
        if whole as f64 <= MOST && signed / scale == value {
            if value < 0.0 {
                out.byte(b'-');
            }
            put_decimals(out, whole, scale as u64, decimals);
            return true;
        }
    }
    false
}

/// `whole / scale`, without zeros at the end.
fn put_decimals(out: &mut TextOut<'_>, whole: u64, scale: u64, mut decimals: u32) {
    put_u64(out, whole / scale);
    let mut rest = whole % scale;
    if rest == 0 {
        return;
    }
    while rest.is_multiple_of(10) {
        rest /= 10;
        decimals -= 1;
    }
    out.byte(b'.');
    put_padded(out, rest, decimals);
}

/// What the standard library prints, without the `.0` of whole numbers.
#[cold]
#[inline(never)]
fn put_shortest(out: &mut TextOut<'_>, text: core::fmt::Arguments<'_>) {
    let mut short = Short { text: [0; 32], len: 0 };
    // Neither has more than 25 bytes.
    let _ = short.write_fmt(text);
    let text = short.text.get(..short.len).unwrap_or_default();
    out.slice(text.strip_suffix(b".0").unwrap_or(text));
}

/// Text of at most 32 bytes.
struct Short {
    text: [u8; 32],
    len: usize,
}

impl Write for Short {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let end = self.len + text.len();
        self.text.get_mut(self.len..end).ok_or(core::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
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
        let plain = (1e-3..1e15).contains(&value.abs());
        assert!(got == expected || (plain && got == value.to_string()), "{expected} {got}");
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
}

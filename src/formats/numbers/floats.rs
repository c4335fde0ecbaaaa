//! Floats as decimal text: the fewest digits that give them back, in the form of the standard library.

use super::TextOut;
use super::digits::{WORD, ZEROS, eight_digits, put_i64, put_word};
use super::shortest::{Tens, power, shortest32, shortest64};

/// Prints a finite number with the fewest digits that give it back.
#[inline]
pub(crate) fn put_f64(out: &mut TextOut<'_>, value: f64) {
    put_decimal(out, value.is_sign_negative(), shortest64(value));
}

/// The same of a 32-bit number, whose shortest form is another one than that of the 64-bit number of this value.
#[inline]
pub(crate) fn put_f32(out: &mut TextOut<'_>, value: f32) {
    if !put_short_f32(out, value) {
        put_decimal(out, value.is_sign_negative(), shortest32(value));
    }
}

/// As [`put_f32`], of most numbers; prints nothing and returns false for the others, those that are not finite among them.
#[inline(always)]
pub(crate) fn put_short_f32(out: &mut TextOut<'_>, value: f32) -> bool {
    Tens::new(value.to_bits()).is_some_and(|digits| put_tens(out, value.is_sign_negative(), digits))
}

/// As `put_decimal`, of at most nine digits, less than half of them instructions. False if an exponent is needed; then nothing is
/// printed. What comes before or after the point is stored without a branch, since signs and sizes cannot be foretold.
#[inline(always)]
fn put_tens(out: &mut TextOut<'_>, negative: bool, Tens { tens, last, decimal }: Tens) -> bool {
    let word = eight_digits(tens);
    let (skipped, zeros) = (word.trailing_zeros() / 8, word.leading_zeros() / 8);
    let count = 8 - skipped as i32;
    let point = count + decimal;
    if point < -3 {
        return false;
    }
    let text = (word | ZEROS) >> (8 * skipped);
    let digits = if last == 0 { count - zeros as i32 } else { count + 1 };
    let small = point <= 0;
    // Below 1, a zero, the point and zeros come first, and no digit comes before the point.
    let (from, before) = if small { (2 - point, count) } else { (0, point) };
    let len = from + if small | (digits <= before) { digits.max(point) } else { digits + 1 };
    let window = out.window::<32>();
    put_word(window, 0, b'-'.into());
    let start = i32::from(negative);
    // All digits, then the point and those after it again, or, below 1, garbage; then the last one.
    let at = |place: i32| (start + place) as usize & 15;
    put_word(window, at(0), u64::from_le_bytes(*b"0.000000"));
    put_word(window, at(from), text);
    let half = 4 * before as u32;
    let after = text.wrapping_shr(half).wrapping_shr(half) << 8;
    put_word(window, at(from + before), after | u64::from(b'.'));
    if let Some(place) = window.get_mut(at(from + count + i32::from(!small))) {
        *place = b'0' + last as u8;
    }
    out.advance((start + len) as usize);
    true
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

// The float nearest to a decimal number of at most 19 digits.
//
// Eisel-Lemire, as in the standard library, on the digits that the scanner has already: the digits times 128 bits of the power of
// ten are exact enough for all but very few numbers. Those, and what is no normal number, are left to the standard library, which
// begins again with the text.
//
// ```text
// product = digits, shifted up to 64 bits, times the upper 64 bits of the power; if the bits to round by are all ones, the lower
//           64 bits of the power count too
// significand = upper bits of the product, and one to round by
// ```

/// Whole powers of ten that a double holds exactly.
static POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A number of at most 20 digits, as 64 bits, times a power of ten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    pub(super) negative: bool,
    pub(super) digits: u64,
    pub(super) power: i32,
}

impl Decimal {
    /// The nearest double, if it is cheap to find.
    #[inline]
    pub(crate) fn f64(self) -> Option<f64> {
        let Self { negative, digits, power } = self;
        let size = match power_of(power) {
            // Both are exact, so one operation rounds once.
            Some(scale) if digits <= 1 << 53 && power < 0 => digits as f64 / scale,
            Some(scale) if digits <= 1 << 53 => digits as f64 * scale,
            _ => nearest64(digits, power)?,
        };
        Some(if negative { -size } else { size })
    }

    /// As [`f64`](Self::f64), of 32 bits.
    #[inline]
    pub(crate) fn f32(self) -> Option<f32> {
        let Self { negative, digits, power } = self;
        let size = match power_of(power).filter(|&&scale| scale <= 1e10) {
            Some(&scale) if digits <= 1 << 24 && power < 0 => digits as f32 / scale as f32,
            Some(&scale) if digits <= 1 << 24 => digits as f32 * scale as f32,
            _ => nearest32(digits, power)?,
        };
        Some(if negative { -size } else { size })
    }
}

/// A power of ten, if a double holds it exactly.
#[inline]
fn power_of(exponent: i32) -> Option<&'static f64> {
    POWERS.get(exponent.unsigned_abs() as usize)
}

/// What of a format of floats matters here.
struct Format {
    /// Stored bits of the significand.
    stored: u32,
    bias: i32,
    /// Powers of ten with which a product can lie halfway between two floats.
    halves: core::ops::RangeInclusive<i32>,
}

/// Powers whose products are not exact in 128 bits, but never need more.
const SAFE: core::ops::RangeInclusive<i32> = -27..=55;

/// The bits of the float nearest to `digits` times a power of ten, if that is a normal number and not too close to call.
#[inline(always)]
fn nearest(digits: u64, exponent: i32, format: Format) -> Option<u64> {
    let Format { stored, bias, halves } = format;
    if digits == 0 {
        return Some(0);
    }
    let shift = digits.leading_zeros();
    let [upper, lower] = power(exponent);
    if upper == 0 {
        return None;
    }
    // Negative powers are rounded up: then a number halfway between two floats gives a product that is just that, and a little more.
    let lower = lower + u64::from(exponent < 0);
    let number = digits << shift;
    let product = u128::from(number) * u128::from(upper);
    let (mut high, mut low) = ((product >> 64) as u64, product as u64);
    // Bits below those that are kept, with one to round by and the two that may be lost.
    let mask = u64::MAX >> (stored + 3);
    if high & mask == mask {
        let more = ((u128::from(number) * u128::from(lower)) >> 64) as u64;
        let (sum, carry) = low.overflowing_add(more);
        (low, high) = (sum, high + u64::from(carry));
    }
    if low == u64::MAX && !SAFE.contains(&exponent) {
        return None;
    }
    let top = (high >> 63) as u32;
    let dropped = top + 64 - stored - 3;
    let mut significand = high >> dropped;
    // The exponent of the lowest bit that is stored, plus the bias.
    let mut scale = ((exponent * 217_706) >> 16) + 63 + top as i32 - shift as i32 + bias;
    if scale <= 0 {
        return None;
    }
    if low <= 1 && halves.contains(&exponent) && significand & 3 == 1 && significand << dropped == high {
        // Exactly halfway: to the even one.
        significand &= !1;
    }
    significand = (significand + (significand & 1)) >> 1;
    if significand >= 2 << stored {
        significand = 1 << stored;
        scale += 1;
    }
    (scale <= 2 * bias).then_some((scale as u64) << stored | significand & !(1 << stored))
}

/// The double nearest to `digits` times a power of ten, if it is cheap to find.
#[inline]
fn nearest64(digits: u64, exponent: i32) -> Option<f64> {
    nearest(digits, exponent, Format { stored: 52, bias: 1023, halves: -4..=23 }).map(f64::from_bits)
}

/// As [`nearest64`], of 32 bits.
#[inline]
fn nearest32(digits: u64, exponent: i32) -> Option<f32> {
    let bits = nearest(digits, exponent, Format { stored: 23, bias: 127, halves: -17..=10 })?;
    Some(f32::from_bits(bits as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn printed(print: impl Fn(&mut TextOut<'_>)) -> String {
        let mut buffer = Vec::new();
        let mut out = TextOut::new(&mut buffer);
        print(&mut out);
        out.finish().unwrap();
        String::from_utf8(buffer).unwrap()
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
                let number = crate::formats::numbers::JsonNumber::whole(text.as_bytes()).unwrap();
                assert_eq!(number.f64().map(f64::to_bits), Some(double.to_bits()), "{text}");
            }
            if single.is_finite() {
                same_f32(single);
                let text = alloc::format!("{single}");
                let number = crate::formats::numbers::JsonNumber::whole(text.as_bytes()).unwrap();
                assert_eq!(number.f32().map(f32::to_bits), Some(single.to_bits()), "{text}");
            }
        }
    }
}

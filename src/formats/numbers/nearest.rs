//! The float nearest to a decimal number of at most 19 digits.
//!
//! Eisel-Lemire, as in the standard library, on the digits that the scanner has already: the digits times 128 bits of the power of
//! ten are exact enough for all but very few numbers. Those, and what is no normal number, are left to the standard library, which
//! begins again with the text.
//!
//! ```text
//! product = digits, shifted up to 64 bits, times the upper 64 bits of the power; if the bits to round by are all ones, the lower
//!           64 bits of the power count too
//! significand = upper bits of the product, and one to round by
//! ```

use super::powers::power;

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

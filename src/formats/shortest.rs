//! The shortest decimal number that gives a float back.
//!
//! Schubfach, by Raffaello Giulietti: the numbers that round to the float are an interval around it. Scaled by a power of ten so that it
//! is between 2 and 20 wide, the interval holds a multiple of ten, or else a whole number, and that is the shortest. Scaling is one
//! multiplication by the leading bits of the power, rounded up: 64 of them for an `f32`, 128 for an `f64`. That is exact enough to
//! compare with the ends of the interval.
//!
//! ```text
//! power = so that the interval is 2 to 20 wide
//! low, value, high = interval, times power, four times as large so that halves are whole
//! if one of the two multiples of ten around value is inside: that
//! else if one of the two whole numbers around it is inside: that
//! else the nearer one
//! ```

use super::powers::{EXACT, power};

/// Significand and exponent of the size of a finite float.
struct Binary {
    significand: u64,
    exponent: i32,
    /// The next lower float is half as far away as the next higher one: the float is a power of two.
    closer: bool,
}

impl Binary {
    /// Of a float with so many stored bits of significand.
    #[inline(always)]
    fn new(bits: u64, stored: u32, bias: i32) -> Self {
        let (fraction, exponent) = (bits & ((1 << stored) - 1), (bits >> stored) as i32);
        let (significand, scale) = match exponent {
            0 => (fraction, 1),
            _ => (1 << stored | fraction, exponent),
        };
        let closer = fraction == 0 && exponent > 1;
        Self { significand, exponent: scale - bias - stored as i32, closer }
    }

    /// Digits and exponent of the shortest number; `scaled` multiplies by a power of ten, given the power and four times the
    /// number, shifted.
    #[inline(always)]
    fn shortest(&self, scaled: impl Fn(i32, u64) -> u64) -> (u64, i32) {
        let &Self { significand, exponent, closer } = self;
        // Zero, and whole numbers: many are.
        if significand == 0 {
            return (0, 0);
        }
        if exponent <= 0 && exponent > -64 && significand.trailing_zeros() as i32 >= -exponent {
            return (significand >> -exponent, 0);
        }
        let decimal = (exponent * 1_262_611 - if closer { 524_031 } else { 0 }) >> 22;
        let shift = exponent + log2_pow10(-decimal) + 1;
        let at = |quarters: u64| scaled(-decimal, quarters << shift);
        // The ends of the interval round to the float if its significand is even.
        let odd = significand & 1;
        let low = at(4 * significand - 2 + u64::from(closer)) + odd;
        let middle = at(4 * significand);
        let high = at(4 * significand + 2) - odd;
        let (whole, tens) = (middle / 4, middle / 40);
        // Which of the two is taken cannot be foretold, so both are made: a branch takes 4 % more.
        let (below, above) = (low <= 40 * tens, 40 * tens + 40 <= high);
        let shorter = below != above && whole >= 10;
        let short = tens + u64::from(above);
        let (below, above) = (low <= 4 * whole, 4 * whole + 4 <= high);
        // Halves go up, as in the standard library.
        let up = if below != above { above } else { middle >= 4 * whole + 2 };
        (if shorter { short } else { whole + u64::from(up) }, decimal + i32::from(shorter))
    }
}

/// The binary logarithm of a power of ten, rounded down.
const fn log2_pow10(exponent: i32) -> i32 {
    (exponent * 1_741_647) >> 19
}

/// Digits and exponent of the shortest number; of the size of a finite float. There may be zeros at the end.
#[inline]
pub(super) fn shortest32(value: f32) -> (u64, i32) {
    Binary::new((value.to_bits() & 0x7fff_ffff).into(), 23, 127).shortest(|exponent, number| {
        let [high, low] = power(exponent);
        // Lower bits that are not zero set the last one.
        let product = u128::from(high + u64::from(low != 0)) * u128::from(number);
        let (high, low) = ((product >> 64) as u64, product as u64 >> 32);
        high | u64::from(low > 1)
    })
}

/// As [`shortest32`], of a double.
#[inline]
pub(super) fn shortest64(value: f64) -> (u64, i32) {
    Binary::new(value.to_bits() & (u64::MAX >> 1), 52, 1023).shortest(|exponent, number| {
        let [high, low] = power(exponent);
        let low = low + u64::from(!EXACT.contains(&exponent));
        let (high, low) = (u128::from(high) * u128::from(number), u128::from(low) * u128::from(number));
        let middle = (high as u64).overflowing_add((low >> 64) as u64);
        ((high >> 64) as u64 + u64::from(middle.1)) | u64::from(middle.0 > 1)
    })
}

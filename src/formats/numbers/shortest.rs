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
//!
//! Most 32-bit floats take less: where 2^exponent over the power of ten fits in 64 bits exactly, one product with the significand
//! has the digits before the last one as its integer part, and its fraction tells the rest (`Tens`).

/// Significand and exponent of the size of a finite float.
struct Binary {
    significand: u64,
    exponent: i32,
    /// The next lower float is half as far away as the next higher one: the float is a power of two.
    closer: bool,
}

impl Binary {
    /// For a float with this many significand bits.
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

/// Stored bits of the significand of an `f32`.
const STORED: u32 = 23;

/// Two to an exponent over ten to another one: a number from 0.1 to 1, times 2^64.
#[derive(Clone, Copy)]
struct Scale {
    /// 0 if 64 bits do not hold it exactly.
    factor: u64,
    /// The exponent of ten.
    decimal: i32,
}

/// By the stored exponent of an `f32`. 4 KB.
static SCALES: [Scale; 256] = {
    let mut scales = [Scale { factor: 0, decimal: 0 }; 256];
    let mut stored = 1;
    // From 2^23 on, floats are whole numbers.
    while stored < 150 {
        let exponent = stored - 150;
        // So that a unit in the last place is at least 0.1.
        let decimal = ((exponent * 1_262_611) >> 22) + 1;
        let [high, low] = constant(-decimal);
        let shift = -(exponent + log2_pow10(-decimal) + 1);
        let exact = low == 0 && high.trailing_zeros() as i32 >= shift;
        scales[stored as usize] = Scale { factor: if exact { high >> shift } else { 0 }, decimal };
        stored += 1;
    }
    scales
};

/// The shortest number that gives an `f32` back, without its sign: `tens` and, unless it is 0, the digit `last` after them. The
/// digits of `tens` are at most eight, and times ten to the power of `decimal` they are the number without that digit.
#[derive(Clone, Copy)]
pub(super) struct Tens {
    pub(super) tens: u64,
    pub(super) last: u64,
    pub(super) decimal: i32,
}

impl Tens {
    /// Of floats from about 10^-20 to 2^23 that are no power of two.
    ///
    /// All products are exact. In this range no end of the interval around the float is a multiple of ten units, so it does not
    /// matter to which float the ends round.
    #[inline(always)]
    pub(super) fn new(bits: u32) -> Option<Self> {
        let &Scale { factor, decimal } = SCALES.get((bits >> STORED & 0xff) as usize)?;
        let fraction = bits & ((1 << STORED) - 1);
        if factor == 0 || fraction == 0 {
            return None;
        }
        let product = u128::from(factor) * u128::from(fraction | 1 << STORED);
        let (tens, rest) = ((product >> 64) as u64, product as u64);
        // Half a unit in the last place; if it is odd, the half that is lost makes `<=` of `<`.
        let half = factor / 2;
        let (below, above) = (rest <= half, rest > !half);
        let nearest = (u128::from(rest) * 10 + (1 << 63)) >> 64;
        let last = if below | above { 0 } else { nearest as u64 };
        Some(Self { tens: tens + u64::from(above), last, decimal })
    }
}

/// Digits and exponent of the shortest number; of the size of a finite float. There may be zeros at the end.
#[inline]
pub(super) fn shortest32(value: f32) -> (u64, i32) {
    Binary::new((value.to_bits() & 0x7fff_ffff).into(), STORED, 127).shortest(|exponent, number| {
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

// 128 bits of every power of ten that doubles need, computed by the compiler.
//
// ```text
// 10^q = 5^q * 2^q, so the significant bits are those of 5^q
// q >= 0: multiply by 5 in a large integer; keep the upper 128 bits
// q < 0:  divide 2^1023 by 5, again and again; the quotients are rounded down exactly, as is every quotient of quotients
// ```

/// The least power: with 19 digits in front, 10^-342 rounds to zero.
pub(super) const FIRST: i32 = -342;
/// The greatest power: the least double times 10^324 has a digit before the point.
pub(super) const LAST: i32 = 324;
const COUNT: usize = (LAST - FIRST + 1) as usize;

/// The powers whose 128 bits are all of them.
pub(super) const EXACT: core::ops::RangeInclusive<i32> = 0..=55;

/// Upper 128 bits of the powers, the highest bit set, rounded down; upper half first. 10.7 KB.
static POWERS: [[u64; 2]; COUNT] = ALL;

const ALL: [[u64; 2]; COUNT] = {
    let mut powers = [[0; 2]; COUNT];
    let zero = -FIRST as usize;
    let mut large = [0; LIMBS];
    large[0] = 1;
    let mut at = zero;
    while at < COUNT {
        powers[at] = upper(&large);
        large = times_5(large);
        at += 1;
    }
    large = [0; LIMBS];
    large[LIMBS - 1] = 1 << 63;
    at = zero;
    while at > 0 {
        at -= 1;
        large = over_5(large);
        powers[at] = upper(&large);
    }
    powers
};

/// Words of a large integer, the least significant one first.
const LIMBS: usize = 16;

const fn times_5(mut large: [u64; LIMBS]) -> [u64; LIMBS] {
    let (mut i, mut carry) = (0, 0);
    while i < LIMBS {
        let product = large[i] as u128 * 5 + carry;
        (large[i], carry) = (product as u64, product >> 64);
        i += 1;
    }
    large
}

const fn over_5(mut large: [u64; LIMBS]) -> [u64; LIMBS] {
    let (mut i, mut rest) = (LIMBS, 0);
    while i > 0 {
        i -= 1;
        let part = rest << 64 | large[i] as u128;
        (large[i], rest) = ((part / 5) as u64, part % 5);
    }
    large
}

/// The upper 128 bits, from the highest one that is set.
const fn upper(large: &[u64; LIMBS]) -> [u64; 2] {
    let mut top = LIMBS - 1;
    while large[top] == 0 {
        top -= 1;
    }
    let second = if top >= 1 { large[top - 1] } else { 0 };
    let third = if top >= 2 { large[top - 2] } else { 0 };
    let shift = large[top].leading_zeros();
    if shift == 0 {
        return [large[top], second];
    }
    [large[top] << shift | second >> (64 - shift), second << shift | third >> (64 - shift)]
}

/// The same of a power in the table, for the compiler.
pub(super) const fn constant(exponent: i32) -> [u64; 2] {
    ALL[(exponent - FIRST) as usize]
}

/// The upper 128 bits of a power, rounded down; zeros if it is not in the table.
#[inline(always)]
pub(super) fn power(exponent: i32) -> [u64; 2] {
    POWERS.get(exponent.wrapping_sub(FIRST) as usize).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without zeros at the end.
    fn short((mut digits, mut exponent): (u64, i32)) -> (u64, i32) {
        while digits % 10 == 0 {
            (digits, exponent) = (digits / 10, exponent + 1);
        }
        (digits, exponent)
    }

    fn same(bits: u32) -> bool {
        let Some(Tens { tens, last, decimal }) = Tens::new(bits) else { return false };
        assert!(tens < 100_000_000 && last < 10);
        let made = if last == 0 { (tens, decimal) } else { (10 * tens + last, decimal - 1) };
        assert_eq!(short(made), short(shortest32(f32::from_bits(bits))), "{bits:#x}");
        true
    }

    #[test]
    fn tens_are_the_shortest_digits() {
        let fractions = [1, 2, 3, 0x40_0000, 0x33_3333, 0x4c_cccd, 0x7f_fffe, 0x7f_ffff];
        let quick =
            (0..=255).filter(|exponent| fractions.iter().all(|f| same(exponent << STORED | f))).count();
        assert_eq!(quick, 91);
        assert!(same(0.1f32.to_bits()) && same(8_388_607.5f32.to_bits()) && same(123.456f32.to_bits()));
        assert!(!same(0) && !same(0.5f32.to_bits()) && !same(8_388_609f32.to_bits()));
    }

    #[test]
    #[ignore = "seconds, in release"]
    fn tens_are_the_shortest_digits_of_every_float() {
        assert_eq!((0..=0x7fff_ffff).filter(|&bits| same(bits)).count(), 91 * ((1 << STORED) - 1));
    }
}

#[cfg(test)]
mod powers_tests {
    use super::*;

    #[test]
    fn known_powers() {
        assert_eq!(power(0), [1 << 63, 0]);
        assert_eq!(power(1), [0xa << 60, 0]);
        assert_eq!(power(-1), [0xcccc_cccc_cccc_cccc, 0xcccc_cccc_cccc_cccc]);
        assert_eq!(power(55), [0xd0cf_4b50_cfe2_0765, 0xfff4_b4e3_f741_cf6d]);
        assert_eq!(power(-342), [0xeef4_53d6_923b_d65a, 0x113f_aa29_06a1_3b3f]);
        assert_eq!(power(308), [0x8e67_9c2f_5e44_ff8f, 0x570f_09ea_a7ea_7648]);
        assert_eq!((power(FIRST - 1), power(LAST + 1)), ([0; 2], [0; 2]));
    }
}

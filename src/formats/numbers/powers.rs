//! 128 bits of every power of ten that doubles need, computed by the compiler.
//!
//! ```text
//! 10^q = 5^q * 2^q, so the significant bits are those of 5^q
//! q >= 0: multiply by 5 in a large integer; keep the upper 128 bits
//! q < 0:  divide 2^1023 by 5, again and again; the quotients are rounded down exactly, as is every quotient of quotients
//! ```

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

//! The shortest decimal number that gives a 32-bit float back.
//!
//! Schubfach, by Raffaello Giulietti: the numbers that round to the float are an interval around it. Scaled by a power of ten so that it
//! is between 2 and 20 wide, the interval holds a multiple of ten, or else a whole number, and that is the shortest. Scaling is one
//! multiplication by 64 bits of the power, rounded up, which is exact enough to compare with the ends of the interval.
//!
//! ```text
//! power = so that the interval is 2 to 20 wide
//! low, value, high = interval, times power, four times as large so that halves are whole
//! if one of the two multiples of ten around value is inside: that
//! else if one of the two whole numbers around it is inside: that
//! else the nearer one
//! ```

/// Bits of the significand that are stored.
const STORED: u32 = 23;
/// The exponent of a float whose significand counts as a whole number.
const BIAS: i32 = 127 + STORED as i32;
/// The first power in the table.
const FIRST: i32 = -31;

/// 64 bits of the powers of ten from 10^-31 to 10^45, the highest one set, rounded up.
static POWERS: [u64; 77] = [
    0x81ceb32c_4b43fcf5,
    0xa2425ff7_5e14fc32,
    0xcad2f7f5_359a3b3f,
    0xfd87b5f2_8300ca0e,
    0x9e74d1b7_91e07e49,
    0xc6120625_76589ddb,
    0xf79687ae_d3eec552,
    0x9abe14cd_44753b53,
    0xc16d9a00_95928a28,
    0xf1c90080_baf72cb2,
    0x971da050_74da7bef,
    0xbce50864_92111aeb,
    0xec1e4a7d_b69561a6,
    0x9392ee8e_921d5d08,
    0xb877aa32_36a4b44a,
    0xe69594be_c44de15c,
    0x901d7cf7_3ab0acda,
    0xb424dc35_095cd810,
    0xe12e1342_4bb40e14,
    0x8cbccc09_6f5088cc,
    0xafebff0b_cb24aaff,
    0xdbe6fece_bdedd5bf,
    0x89705f41_36b4a598,
    0xabcc7711_8461cefd,
    0xd6bf94d5_e57a42bd,
    0x8637bd05_af6c69b6,
    0xa7c5ac47_1b478424,
    0xd1b71758_e219652c,
    0x83126e97_8d4fdf3c,
    0xa3d70a3d_70a3d70b,
    0xcccccccc_cccccccd,
    0x80000000_00000000,
    0xa0000000_00000000,
    0xc8000000_00000000,
    0xfa000000_00000000,
    0x9c400000_00000000,
    0xc3500000_00000000,
    0xf4240000_00000000,
    0x98968000_00000000,
    0xbebc2000_00000000,
    0xee6b2800_00000000,
    0x9502f900_00000000,
    0xba43b740_00000000,
    0xe8d4a510_00000000,
    0x9184e72a_00000000,
    0xb5e620f4_80000000,
    0xe35fa931_a0000000,
    0x8e1bc9bf_04000000,
    0xb1a2bc2e_c5000000,
    0xde0b6b3a_76400000,
    0x8ac72304_89e80000,
    0xad78ebc5_ac620000,
    0xd8d726b7_177a8000,
    0x87867832_6eac9000,
    0xa968163f_0a57b400,
    0xd3c21bce_cceda100,
    0x84595161_401484a0,
    0xa56fa5b9_9019a5c8,
    0xcecb8f27_f4200f3a,
    0x813f3978_f8940985,
    0xa18f07d7_36b90be6,
    0xc9f2c9cd_04674edf,
    0xfc6f7c40_45812297,
    0x9dc5ada8_2b70b59e,
    0xc5371912_364ce306,
    0xf684df56_c3e01bc7,
    0x9a130b96_3a6c115d,
    0xc097ce7b_c90715b4,
    0xf0bdc21a_bb48db21,
    0x96769950_b50d88f5,
    0xbc143fa4_e250eb32,
    0xeb194f8e_1ae525fe,
    0x92efd1b8_d0cf37bf,
    0xb7abc627_050305ae,
    0xe596b7b0_c643c71a,
    0x8f7e32ce_7bea5c70,
    0xb35dbf82_1ae4f38c,
];

/// The binary logarithm of a power of ten, rounded down.
const fn log2_pow10(exponent: i32) -> i32 {
    (exponent * 1_741_647) >> 19
}

/// A number times a power of ten, without its lower bits; if those are not zero, the last one is set.
fn scaled(power: u64, number: u32) -> u32 {
    let product = u128::from(power) * u128::from(number);
    let (high, low) = ((product >> 64) as u32, (product >> 32) as u32);
    high | u32::from(low > 1)
}

/// Digits and exponent of the shortest number; of a float that is positive and finite. There may be zeros at the end.
pub(super) fn shortest(value: f32) -> (u32, i32) {
    let bits = value.to_bits() & 0x7fff_ffff;
    let (stored, exponent) = (bits & ((1 << STORED) - 1), (bits >> STORED) as i32);
    let (significand, scale) = match exponent {
        0 => (stored, 1 - BIAS),
        _ => (1 << STORED | stored, exponent - BIAS),
    };
    // Whole numbers are known already.
    if (-(STORED as i32)..=0).contains(&scale) && significand.trailing_zeros() as i32 >= -scale {
        return (significand >> -scale, 0);
    }
    // Below a power of two the floats are twice as dense.
    let closer = stored == 0 && exponent > 1;
    let power = (scale * 1_262_611 - if closer { 524_031 } else { 0 }) >> 22;
    let shift = scale + log2_pow10(-power) + 1;
    let ten = POWERS.get((-power - FIRST) as usize).copied().unwrap_or_default();
    let at = |quarters: u32| scaled(ten, quarters << shift);
    // The ends of the interval round to the float if its significand is even.
    let odd = significand & 1;
    let low = at(4 * significand - 2 + u32::from(closer)) + odd;
    let middle = at(4 * significand);
    let high = at(4 * significand + 2) - odd;
    let whole = middle / 4;
    if whole >= 10 {
        let tens = whole / 10;
        let (below, above) = (low <= 40 * tens, 40 * tens + 40 <= high);
        if below != above {
            return (tens + u32::from(above), power + 1);
        }
    }
    let (below, above) = (low <= 4 * whole, 4 * whole + 4 <= high);
    let up = if below != above {
        above
    } else {
        // Halves go up, as in the standard library.
        middle >= 4 * whole + 2
    };
    (whole + u32::from(up), power)
}

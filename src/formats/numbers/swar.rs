//! Digits in text, eight at a time in a word.

use super::digits::ZEROS;

/// How many of the bytes of a word, from the lowest one on, are digits.
#[inline(always)]
pub(crate) fn count_digits(word: u64) -> u32 {
    let values = word ^ ZEROS;
    // A byte above 9 gets a bit among its upper four: its own, or by the addition. A carry only reaches bytes after one that has
    // such a bit.
    let others = (values | values.wrapping_add(u64::MAX / 0xff * 6)) & (u64::MAX / 0xff * 0xf0);
    others.trailing_zeros() / 8
}

/// The number that the first `count` bytes of a word are, all of them digits; `count` is at most 8.
#[inline(always)]
pub(crate) fn number_of(word: u64, count: u32) -> u64 {
    // Zeros in front, which are the lower bytes.
    let digits = (word ^ ZEROS).checked_shl(64 - 8 * count).unwrap_or(0);
    // Pairs, fours, and all eight.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// Powers of ten up to 10^8.
static POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Ten to this power, which is at most 8.
#[inline(always)]
pub(crate) fn power_of_ten(exponent: u32) -> u64 {
    POWERS.get(exponent as usize).copied().unwrap_or_default()
}

/// Reads digits from `at` on: appends them to `value`, which wraps around if they are too many, and returns the position after them.
#[inline(always)]
pub(crate) fn read_digits(text: &[u8], mut at: usize, value: &mut u64) -> usize {
    while let Some(chunk) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(*chunk);
        let count = count_digits(word);
        if count < 8 {
            *value = value.wrapping_mul(power_of_ten(count)).wrapping_add(number_of(word, count));
            return at + count as usize;
        }
        *value = value.wrapping_mul(POWERS[8]).wrapping_add(number_of(word, 8));
        at += 8;
    }
    read_last_digits(text, at, value)
}

/// The same near the end of the text.
#[inline(never)]
fn read_last_digits(text: &[u8], mut at: usize, value: &mut u64) -> usize {
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        *value = value.wrapping_mul(10).wrapping_add(digit.into());
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::String};

    #[test]
    fn every_byte_after_every_count_of_digits() {
        for count in 0..9usize {
            for byte in 0..=255u8 {
                let mut text = *b"9081726354";
                text[count] = byte;
                let word = u64::from_le_bytes(*text.first_chunk().unwrap());
                let digits = text.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
                assert_eq!(count_digits(word) as usize, digits, "{byte} at {count}");
                let expected: u64 = text[..digits].iter().fold(0, |n, byte| n * 10 + u64::from(byte - b'0'));
                assert_eq!(number_of(word, digits as u32), expected);
            }
        }
    }

    #[test]
    fn digits_at_every_distance_from_the_end() {
        for len in 0..40usize {
            for after in ["", ",", "x9999999999", "\u{e9}"] {
                let digits: String = (0..len).map(|i| char::from(b'1' + (i * 7 % 9) as u8)).collect();
                let mut value = 3;
                let text = format!("{digits}{after}");
                let expected =
                    digits.bytes().fold(3u64, |n, b| n.wrapping_mul(10).wrapping_add(u64::from(b - b'0')));
                assert_eq!(read_digits(text.as_bytes(), 0, &mut value), len);
                assert_eq!(value, expected, "{text}");
            }
        }
    }
}

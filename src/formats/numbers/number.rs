//! Decimal numbers as JSON writes them, exact whatever their length or exponent.
//!
//! [`JsonNumber::scan`] follows the grammar and collects up to 19 digits; most numbers have no more, and are known then. The others
//! are looked at again as text: integers by moving the point, fractions by the standard library, which rounds correctly.

use super::floats::Decimal;
use super::swar::read_digits;
use core::str;

/// Digits that fit 64 bits, whatever they are.
const DIGITS: usize = 19;
/// The least number of twenty digits. Those above 2^64 that begin with a one wrap around to less.
pub(crate) const TWENTY_DIGITS: u64 = 10_000_000_000_000_000_000;

/// A whole number, as far as it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integer {
    /// Sign and size.
    Whole { negative: bool, size: u64 },
    /// It has a fraction that is not zero.
    Fraction,
    /// It is larger than any integer type.
    Huge,
}

/// A number that follows the grammar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonNumber<'t> {
    /// The text of the number, sign included.
    text: &'t [u8],
    negative: bool,
    /// The digits, without point, if there are few enough.
    digits: Option<u64>,
    /// How many of them follow the point.
    decimals: usize,
    /// There is neither a point nor an exponent.
    plain: bool,
    /// The exponent, clamped to ±2^40: no input is long enough for more to matter.
    exponent: i64,
}

impl<'t> JsonNumber<'t> {
    /// The number at the start of `rest`, and its length; `None` if there is none.
    #[inline]
    pub(crate) fn scan(rest: &'t [u8]) -> Option<(Self, usize)> {
        let negative = rest.first() == Some(&b'-');
        let start = usize::from(negative);
        let mut value = 0;
        let at = read_digits(rest, start, &mut value);
        let whole = at - start;
        if whole == 0 || (whole > 1 && rest.get(start) == Some(&b'0')) {
            return None;
        }
        if !matches!(rest.get(at), Some(b'.' | b'e' | b'E')) {
            // The largest numbers of 64 bits have twenty digits, the first of them a one.
            let fits = whole <= DIGITS
                || (whole == DIGITS + 1 && rest.get(start) == Some(&b'1') && value >= TWENTY_DIGITS);
            let digits = fits.then_some(value);
            let text = rest.get(..at)?;
            return Some((Self { text, negative, digits, decimals: 0, plain: true, exponent: 0 }, at));
        }
        Self::scan_rest(rest, at, negative, value)
    }

    /// The same, of a number with a point or an exponent at `at`.
    fn scan_rest(rest: &'t [u8], mut at: usize, negative: bool, mut value: u64) -> Option<(Self, usize)> {
        let mut digits = at - usize::from(negative);
        let mut decimals = 0;
        if rest.get(at) == Some(&b'.') {
            at += 1;
            let start = at;
            at = read_digits(rest, start, &mut value);
            decimals = at - start;
            digits += decimals;
            if decimals == 0 {
                return None;
            }
        }
        let mut exponent = 0i64;
        if matches!(rest.get(at), Some(b'e' | b'E')) {
            at += 1;
            let minus = rest.get(at) == Some(&b'-');
            at += usize::from(matches!(rest.get(at), Some(b'-' | b'+')));
            let start = at;
            while let Some(digit) = digit_at(rest, at) {
                exponent = exponent.saturating_mul(10).saturating_add(digit as i64);
                at += 1;
            }
            if at == start {
                return None;
            }
            exponent = exponent.min(1 << 40);
            exponent = if minus { -exponent } else { exponent };
        }
        let text = rest.get(..at)?;
        let digits = (digits <= DIGITS || significant(text) <= DIGITS).then_some(value);
        Some((Self { text, negative, digits, decimals, plain: false, exponent }, at))
    }

    /// The number that all of `text` is.
    pub(crate) fn whole(text: &'t [u8]) -> Option<Self> {
        let (number, len) = Self::scan(text)?;
        (len == text.len()).then_some(number)
    }

    /// Whether there is neither a point nor an exponent.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// As an integer: `1.0` and `1e2` are, `1.5` is not.
    #[inline]
    pub(crate) fn integer(&self) -> Integer {
        match self.digits {
            Some(size) if self.plain => Integer::Whole { negative: self.negative, size },
            _ => self.moved(),
        }
    }

    /// The digits of the text that are not zeros in front or at the end, and how many of them stand in front of the point; more
    /// than there are, if zeros follow, and less than none, if zeros precede.
    #[cold]
    fn moved(&self) -> Integer {
        let text = self.text.strip_prefix(b"-").unwrap_or(self.text);
        let end = text.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(text.len());
        let digits = text.get(..end).unwrap_or_default();
        let point = digits.iter().position(|&byte| byte == b'.').unwrap_or(end) as i64 + self.exponent;
        let mut size = 0u64;
        let mut fits = true;
        let all = digits.iter().filter(|&&byte| byte != b'.').map(|byte| u64::from(byte - b'0'));
        for (place, digit) in (0..).zip(all) {
            if digit == 0 {
                continue;
            }
            // How many zeros follow the digit.
            let zeros = point - place - 1;
            if zeros < 0 {
                return Integer::Fraction;
            }
            let value = u32::try_from(zeros).ok().and_then(|zeros| 10u64.checked_pow(zeros));
            match value.and_then(|value| value.checked_mul(digit)).and_then(|value| size.checked_add(value)) {
                Some(sum) => size = sum,
                None => fits = false,
            }
        }
        if fits { Integer::Whole { negative: self.negative, size } } else { Integer::Huge }
    }

    /// The digits and the power of ten, if the digits fit.
    #[inline]
    fn decimal(&self) -> Option<Decimal> {
        let power = i32::try_from(self.exponent - self.decimals as i64).ok()?;
        Some(Decimal { negative: self.negative, digits: self.digits?, power })
    }

    /// To the nearest double; `None` beyond the largest one.
    #[inline]
    pub(crate) fn f64(&self) -> Option<f64> {
        self.decimal().and_then(Decimal::f64).or_else(|| self.parsed())
    }

    /// To the nearest 32-bit number, in one step from the text.
    #[inline]
    pub(crate) fn f32(&self) -> Option<f32> {
        self.decimal().and_then(Decimal::f32).or_else(|| self.parsed32())
    }

    #[cold]
    fn parsed(&self) -> Option<f64> {
        let text = str::from_utf8(self.text).ok()?;
        text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    #[cold]
    fn parsed32(&self) -> Option<f32> {
        let text = str::from_utf8(self.text).ok()?;
        text.parse().ok().filter(|value: &f32| value.is_finite())
    }
}

#[cfg(feature = "json")]
impl Decimal {
    /// The number at `at`, if it is one of at most 19 digits after zeros in front, without an exponent, as most are; and the position after it. It ends
    /// where no number goes on.
    #[inline(always)]
    pub(crate) fn short(text: &[u8], mut at: usize) -> Option<(Self, usize)> {
        let negative = text.get(at) == Some(&b'-');
        at += usize::from(negative);
        let first = *text.get(at)?;
        let mut digits = 0;
        let point = read_digits(text, at, &mut digits);
        let whole = point - at;
        if whole == 0 || (whole > 1 && first == b'0') {
            return None;
        }
        let (mut end, mut decimals) = (point, 0);
        if text.get(point) == Some(&b'.') {
            end = read_digits(text, point + 1, &mut digits);
            decimals = end - point - 1;
            if decimals == 0 {
                return None;
            }
        }
        // The power of ten is an `i32`: a number with more decimals is left to the slow way.
        let many = whole + decimals > DIGITS
            && (decimals > i32::MAX as usize || significant(text.get(at..end)?) > DIGITS);
        if many || matches!(text.get(end), Some(b'e' | b'E')) {
            return None;
        }
        Some((Self { negative, digits, power: -(decimals as i32) }, end))
    }
}

/// How many digits a number has before its exponent, without the zeros in front.
#[cold]
fn significant(text: &[u8]) -> usize {
    let digits = text.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
    digits.skip_while(|byte| matches!(byte, b'-' | b'0' | b'.')).filter(|byte| byte.is_ascii_digit()).count()
}

#[inline(always)]
fn digit_at(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(digit.into())
}

impl Integer {
    /// As a signed number, if it is between these.
    #[inline]
    pub(crate) fn signed(self, least: i64, most: i64) -> Option<i64> {
        let Self::Whole { negative, size } = self else { return None };
        let value = match negative {
            false => i64::try_from(size).ok()?,
            true if size <= 1 << 63 => (size as i64).wrapping_neg(),
            true => return None,
        };
        (least..=most).contains(&value).then_some(value)
    }

    /// As an unsigned number, if it is not above this one; `-0` is 0.
    #[inline]
    pub(crate) fn unsigned(self, most: u64) -> Option<u64> {
        match self {
            Self::Whole { negative, size } if size <= most && (!negative || size == 0) => Some(size),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::ToString};

    fn integer(text: &str) -> Integer {
        JsonNumber::whole(text.as_bytes()).expect(text).integer()
    }

    fn whole(value: i128) -> Integer {
        Integer::Whole { negative: value < 0, size: value.unsigned_abs() as u64 }
    }

    #[test]
    fn whole_numbers_in_any_form() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("17", 17),
            ("-17", -17),
            ("1e2", 100),
            ("1.0", 1),
            ("1.50e1", 15),
            ("100e-2", 1),
            ("0.00001e5", 1),
            ("0e99999999999999999999", 0),
            ("0.000e-99999999999999999999", 0),
            ("18446744073709551615", u64::MAX as i128),
            ("10000000000000000000", 10_000_000_000_000_000_000),
            ("1.8446744073709551615e19", u64::MAX as i128),
            ("184467440737095516150e-1", u64::MAX as i128),
            ("-9223372036854775808", i64::MIN as i128),
        ] {
            let expected = match (whole(value), text.starts_with('-')) {
                (Integer::Whole { size: 0, .. }, negative) => Integer::Whole { negative, size: 0 },
                (other, _) => other,
            };
            assert_eq!(integer(text), expected, "{text}");
        }
        for text in ["1.5", "0.1", "1e-1", "10e-2", "1e-99999999999999999999", "18446744073709551615.5"] {
            assert_eq!(integer(text), Integer::Fraction, "{text}");
        }
        for text in [
            "18446744073709551616",
            "19999999999999999999",
            "20000000000000000000",
            "99999999999999999999",
            "1e20",
            "1e99999999999999999999",
            "99999999999999999999999.0",
        ] {
            assert_eq!(integer(text), Integer::Huge, "{text}");
        }
        let long = format!("{}{}e-300", 7, "0".repeat(300));
        assert_eq!(integer(&long), whole(7));
        assert_eq!(integer("-9223372036854775808").signed(i64::MIN, i64::MAX), Some(i64::MIN));
        assert_eq!(integer("-9223372036854775809").signed(i64::MIN, i64::MAX), None);
        assert_eq!(integer("128").signed(-128, 127), None);
        assert_eq!((integer("-1").unsigned(9), integer("-0").unsigned(9)), (None, Some(0)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e5", " 1", "1 ", "0x1", "1_0", "Inf",
            "--1", "1.5.5",
        ] {
            assert!(JsonNumber::whole(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn floats_are_rounded_as_the_standard_library_does() {
        let mut state = 7u64;
        for i in 0..if cfg!(miri) { 100 } else { 50_000 } {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let digits = state >> (i % 61);
            let power = (state >> 20) as i64 % 40;
            let text = format!("{digits}e{power}");
            same(&text);
            same(&format!("-{}.{}", digits, state >> 50));
            same(&f64::from_bits(state).abs().to_string());
        }
        for text in [
            "0",
            "-0",
            "0.00012345678901234567",
            "-0.0001e3",
            "16777217",
            "9007199254740993",
            "3.4028235e38",
            "3.4028236e38",
            "1e-400",
            "2.5",
        ] {
            same(text);
        }
        assert_eq!(JsonNumber::whole(b"1e400").unwrap().f64(), None);
        assert_eq!(JsonNumber::whole(b"3.5e38").unwrap().f32(), None);
    }

    fn same(text: &str) {
        #[cfg(feature = "json")]
        if let Some((decimal, end)) = Decimal::short(text.as_bytes(), 0) {
            assert_eq!(end, text.len(), "{text}");
            let expected: f64 = text.parse().unwrap();
            assert!(decimal.f64().is_none_or(|value| value.to_bits() == expected.to_bits()), "{text}");
            let expected: f32 = text.parse().unwrap();
            assert!(decimal.f32().is_none_or(|value| value.to_bits() == expected.to_bits()), "{text}");
        }
        let Some(number) = JsonNumber::whole(text.as_bytes()) else { return };
        let double: f64 = text.parse().unwrap();
        assert_eq!(number.f64().map(f64::to_bits), double.is_finite().then_some(double.to_bits()), "{text}");
        let single: f32 = text.parse().unwrap();
        assert_eq!(number.f32().map(f32::to_bits), single.is_finite().then_some(single.to_bits()), "{text}");
    }

    /// With zeros after the point, such numbers went to the lower float: 193477400.0 to 193477392.
    #[test]
    fn numbers_halfway_between_floats_go_to_the_even_one() {
        let texts = |half: u64| {
            let (whole, last) = (half / 10, half % 10);
            [
                format!("{half}"),
                format!("{half}.0"),
                format!("{half}.00000"),
                format!("{half}00e-2"),
                format!("{whole}.{last}e1"),
                format!("{whole}.{last}00e+1"),
                format!("{half}e0"),
                format!("0.{half}e{}", format!("{half}").len()),
            ]
        };
        let mut state = 7u64;
        for i in 0..4_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state >> 20;
            let single = (1 << 24 | bits & 0xff_ffff) * 2 + 1;
            let double = (1 << 52 | ((bits * 0x1001) & ((1 << 52) - 1))) * 2 + 1;
            for text in texts(single << (i % 8)).into_iter().chain(texts(double << (i % 8))) {
                let number = JsonNumber::whole(text.as_bytes()).unwrap();
                assert_eq!(number.f32(), text.parse().ok(), "{text}");
                assert_eq!(number.f64(), text.parse().ok(), "{text}");
            }
        }
        let half = JsonNumber::whole(b"193477400.0").unwrap();
        assert_eq!(half.f32(), Some(193_477_408.0));
        let half = JsonNumber::whole(b"9007199254740995.0").unwrap();
        assert_eq!(half.f64(), Some(9_007_199_254_740_996.0));
    }
}

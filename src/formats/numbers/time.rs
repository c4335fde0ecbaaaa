//! Points in time and durations as JSON has them: `1972-01-01T10:00:20.021Z` and `1.000340012s`.
//!
//! Days are counted in the proleptic Gregorian calendar, from March on, so that the leap day is the last of its year.

use super::TextOut;
use super::digits::{put_padded, put_u64};

/// 0001-01-01T00:00:00Z in seconds since 1970.
pub(crate) const MIN_SECONDS: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z in seconds since 1970.
pub(crate) const MAX_SECONDS: i64 = 253_402_300_799;
/// Ten thousand years, in seconds. A fraction may come on top.
pub(crate) const MAX_DURATION: i64 = 315_576_000_000;

const DAY: i64 = 86_400;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;
/// Days of 400 years.
const CYCLE: i64 = 146_097;

const NANOS: i64 = 1_000_000_000;

/// Whether seconds and nanoseconds are a `google.protobuf.Timestamp` that JSON has.
pub(crate) const fn is_timestamp(seconds: i64, nanos: i64) -> bool {
    MIN_SECONDS <= seconds && seconds <= MAX_SECONDS && 0 <= nanos && nanos < NANOS
}

/// Whether seconds and nanoseconds are a `google.protobuf.Duration` that JSON has: their signs agree.
pub(crate) const fn is_duration(seconds: i64, nanos: i64) -> bool {
    -MAX_DURATION <= seconds
        && seconds <= MAX_DURATION
        && -NANOS < nanos
        && nanos < NANOS
        && !(seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0)
}

/// Prints a time; false, and nothing is printed, if it is out of range.
pub(crate) fn put_timestamp(out: &mut TextOut<'_>, seconds: i64, nanos: i64) -> bool {
    if !is_timestamp(seconds, nanos) {
        return false;
    }
    let (days, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = date(days);
    for (value, width, after) in
        [(year, 4, b'-'), (month, 2, b'-'), (day, 2, b'T'), (time / 3600, 2, b':'), (time / 60 % 60, 2, b':')]
    {
        put_padded(out, value.unsigned_abs(), width);
        out.byte(after);
    }
    put_padded(out, (time % 60).unsigned_abs(), 2);
    put_fraction(out, nanos.unsigned_abs() as u32);
    out.byte(b'Z');
    true
}

/// Prints a duration; false, and nothing is printed, if it is out of range.
pub(crate) fn put_duration(out: &mut TextOut<'_>, seconds: i64, nanos: i64) -> bool {
    if !is_duration(seconds, nanos) {
        return false;
    }
    if seconds < 0 || nanos < 0 {
        out.byte(b'-');
    }
    put_u64(out, seconds.unsigned_abs());
    put_fraction(out, nanos.unsigned_abs() as u32);
    out.byte(b's');
    true
}

/// Nothing, or a point and three, six or nine digits.
fn put_fraction(out: &mut TextOut<'_>, nanos: u32) {
    let (value, width) = match nanos {
        0 => return,
        nanos if nanos % 1_000_000 == 0 => (nanos / 1_000_000, 3),
        nanos if nanos % 1000 == 0 => (nanos / 1000, 6),
        nanos => (nanos, 9),
    };
    out.byte(b'.');
    put_padded(out, value.into(), width);
}

/// Year, month and day of a day since 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let (cycle, day) = (days.div_euclid(CYCLE), days.rem_euclid(CYCLE));
    let year = (day - day / 1460 + day / 36_524 - day / (CYCLE - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (cycle * 400 + year + i64::from(month <= 2), month, day)
}

/// Days since 1970-01-01 of a date that there is.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (cycle, year) = (year.div_euclid(400), year.rem_euclid(400));
    let month = if month > 2 { month - 3 } else { month + 9 };
    cycle * CYCLE + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 + day - 1 - EPOCH
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// What is left of a text that is being taken apart.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    /// A number of just so many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number
            .iter()
            .try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
    }

    /// Whether this byte came next, and has been taken.
    fn takes(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((&first, rest)) if first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn then(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    /// Nanoseconds of one to nine digits after a point, 0 if there is none.
    fn fraction(&mut self) -> Option<u32> {
        if !self.takes(b'.') {
            return Some(0);
        }
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        let value = self.number(digits)?;
        Some(value as u32 * 10u32.pow(9 - digits as u32))
    }
}

/// Seconds and nanoseconds of a time in RFC 3339, of any offset.
pub(crate) fn parse_timestamp(text: &[u8]) -> Option<(i64, u32)> {
    let mut rest = Rest(text);
    let year = rest.number(4)?;
    rest.then(b'-')?;
    let month = rest.number(2)?;
    rest.then(b'-')?;
    let day = rest.number(2)?;
    rest.then(b'T')?;
    let hour = rest.number(2)?;
    rest.then(b':')?;
    let minute = rest.number(2)?;
    rest.then(b':')?;
    let second = rest.number(2)?;
    let nanos = rest.fraction()?;
    let offset = match rest.0 {
        [b'Z'] => 0,
        [sign @ (b'+' | b'-'), offset @ ..] => {
            let mut offset = Rest(offset);
            let hours = offset.number(2)?;
            offset.then(b':')?;
            let minutes = offset.number(2)?;
            if !offset.0.is_empty() || hours > 23 || minutes > 59 {
                return None;
            }
            let seconds = hours * 3600 + minutes * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let exists = year >= 1
        && (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour <= 23
        && minute <= 59
        && second <= 59;
    if !exists {
        return None;
    }
    let seconds = days(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset;
    (MIN_SECONDS..=MAX_SECONDS).contains(&seconds).then_some((seconds, nanos))
}

/// Seconds and nanoseconds of a duration, both with its sign.
pub(crate) fn parse_duration(text: &[u8]) -> Option<(i64, i32)> {
    let mut rest = Rest(text);
    let negative = rest.takes(b'-');
    let digits = rest.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=12).contains(&digits) {
        return None;
    }
    let seconds = rest.number(digits)?;
    let nanos = rest.fraction()? as i32;
    if rest.0 != b"s" || seconds > MAX_DURATION {
        return None;
    }
    Some(if negative { (-seconds, -nanos) } else { (seconds, nanos) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::String, vec::Vec};

    fn printed(print: impl Fn(&mut TextOut<'_>) -> bool) -> String {
        let mut buffer = Vec::new();
        let mut out = TextOut::new(&mut buffer);
        assert!(print(&mut out));
        out.finish().unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn times_both_ways() {
        let cases: [(&str, i64, u32); 9] = [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("1969-12-31T23:59:59.500Z", -1, 500_000_000),
            ("0001-01-01T00:00:00Z", MIN_SECONDS, 0),
            ("9999-12-31T23:59:59.999999999Z", MAX_SECONDS, 999_999_999),
            ("2000-02-29T12:34:56.000001Z", 951_827_696, 1000),
            ("2024-12-31T00:00:00Z", 1_735_603_200, 0),
            ("1900-03-01T00:00:00Z", -2_203_891_200, 0),
            ("1972-01-01T10:00:20.021Z", 63_108_020, 21_000_000),
            ("2038-01-19T03:14:08.000000001Z", 1 << 31, 1),
        ];
        for (text, seconds, nanos) in cases {
            assert_eq!(parse_timestamp(text.as_bytes()), Some((seconds, nanos)), "{text}");
            assert_eq!(printed(|out| put_timestamp(out, seconds, nanos.into())), text);
        }
        assert_eq!(parse_timestamp(b"1970-01-01T01:30:00.5+01:30"), Some((0, 500_000_000)));
        assert_eq!(parse_timestamp(b"1969-12-31T16:00:00-08:00"), Some((0, 0)));
        for day in (MIN_SECONDS / DAY..=MAX_SECONDS / DAY).step_by(if cfg!(miri) { 40_009 } else { 7 }) {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year, month, of_month), day);
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01t00:00:00Z",
            "1970-01-01T00:00:00z",
            "1970-01-01 00:00:00Z",
            "1970-1-01T00:00:00Z",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00.0123456789Z",
            "1970-02-29T00:00:00Z",
            "1970-04-31T00:00:00Z",
            "1970-00-01T00:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-01-00T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:60:00Z",
            "1970-01-01T00:00:60Z",
            "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "10000-01-01T00:00:00Z",
            "1970-01-01T00:00:00+0000",
            "1970-01-01T00:00:00+24:00",
            "1970-01-01T00:00:00Z ",
            " 1970-01-01T00:00:00Z",
            "+970-01-01T00:00:00Z",
        ] {
            assert_eq!(parse_timestamp(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn durations_both_ways() {
        for (text, seconds, nanos) in [
            ("0s", 0, 0),
            ("1.500s", 1, 500_000_000),
            ("-0.500s", 0, -500_000_000),
            ("-3.000000001s", -3, -1),
            ("1.000340012s", 1, 340_012),
            ("315576000000s", MAX_DURATION, 0),
            ("-315576000000.999999999s", -MAX_DURATION, -999_999_999),
        ] {
            assert_eq!(parse_duration(text.as_bytes()), Some((seconds, nanos)), "{text}");
            assert_eq!(printed(|out| put_duration(out, seconds, nanos.into())), text);
        }
        for text in
            ["", "s", "1", "1S", "1.s", ".5s", "1.0000000000s", "+1s", "- 1s", "1 s", "315576000001s", "--1s"]
        {
            assert_eq!(parse_duration(text.as_bytes()), None, "{text}");
        }
    }
}

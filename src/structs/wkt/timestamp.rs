//! [`Timestamp`].

use super::ConvertError;
use crate::formats::numbers::{
    MAX_SECONDS, MIN_SECONDS, is_duration, is_timestamp, parse_duration, parse_timestamp,
};
#[cfg(not(tablepb_no_alloc))]
use crate::formats::numbers::{TextOut, put_duration, put_timestamp};
#[cfg(not(tablepb_no_alloc))]
use alloc::vec::Vec;
use core::{fmt, str, time};

pub(super) const NANOS: i32 = 1_000_000_000;

/// `google.protobuf.Timestamp`: a point in time from the year 1 to the year 9999, in UTC, without leap seconds.
///
/// Converts to and from `std::time::SystemTime` (feature `std`), `jiff::Timestamp` (feature `jiff`) and
/// `chrono::DateTime<Utc>` (feature `chrono`). `Display` and `FromStr` have the form of ProtoJSON.
///
/// ```
/// use tablepb::wkt::{ConvertError, Timestamp};
///
/// let time: Timestamp = "1972-01-01T10:00:20.021Z".parse()?;
/// assert_eq!(time, Timestamp { seconds: 63_108_020, nanos: 21_000_000 });
/// assert_eq!(time.to_string(), "1972-01-01T10:00:20.021Z");
/// # #[cfg(feature = "std")]
/// assert_eq!(Timestamp::try_from(std::time::UNIX_EPOCH)?, Timestamp::default());
/// # #[cfg(feature = "std")]
/// assert_eq!(
///     std::time::SystemTime::try_from(Timestamp { seconds: i64::MAX, nanos: 0 }),
///     Err(ConvertError::TimestampOutOfRange),
/// );
/// # Ok::<(), ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z; negative before.
    pub seconds: i64,
    /// Nanoseconds after that second, from 0 to 999 999 999, also for times before 1970.
    pub nanos: i32,
}

crate::message! {
    Timestamp as "google.protobuf.Timestamp" { seconds: int64 = 1, nanos: int32 = 2 }
}

impl Timestamp {
    /// 0001-01-01T00:00:00Z, the first point in time that is valid.
    pub const MIN: Self = Self { seconds: MIN_SECONDS, nanos: 0 };
    /// 9999-12-31T23:59:59.999999999Z, the last point in time that is valid.
    pub const MAX: Self = Self { seconds: MAX_SECONDS, nanos: NANOS - 1 };

    /// The time now, by the clock of the system.
    ///
    /// A clock that is set to a year after 9999 gives [`MAX`](Self::MAX), one before the year 1 [`MIN`](Self::MIN).
    #[cfg(feature = "std")]
    #[must_use]
    pub fn now() -> Self {
        let now = std::time::SystemTime::now();
        let limit = if now < std::time::UNIX_EPOCH { Self::MIN } else { Self::MAX };
        now.try_into().unwrap_or(limit)
    }

    /// Whether seconds and nanoseconds are in range.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        is_timestamp(self.seconds, self.nanos as i64)
    }

    /// The same point in time with nanoseconds from 0 to 999 999 999.
    ///
    /// # Errors
    /// [`TimestampOutOfRange`](ConvertError::TimestampOutOfRange) if the year is not from 1 to 9999.
    pub fn normalized(self) -> Result<Self, ConvertError> {
        let carry = i64::from(self.nanos.div_euclid(NANOS));
        let (seconds, nanos) = (self.seconds.checked_add(carry), self.nanos.rem_euclid(NANOS));
        let time = seconds.map(|seconds| Self { seconds, nanos });
        time.filter(|time| time.is_valid()).ok_or(ConvertError::TimestampOutOfRange)
    }
}

/// As ProtoJSON prints it. A value out of range, which JSON does not have, is shown as its two numbers.
#[cfg(not(tablepb_no_alloc))]
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_valid() {
            true => printed(f, |out| put_timestamp(out, self.seconds, self.nanos.into())),
            false => write!(f, "{}s{:+}ns after 1970", self.seconds, self.nanos),
        }
    }
}

/// Writes what `print` prints.
#[cfg(not(tablepb_no_alloc))]
pub(super) fn printed(
    f: &mut fmt::Formatter<'_>,
    print: impl FnOnce(&mut TextOut<'_>) -> bool,
) -> fmt::Result {
    let mut buffer = Vec::new();
    let mut out = TextOut::new(&mut buffer);
    print(&mut out);
    out.finish().map_err(|_| fmt::Error)?;
    f.pad(str::from_utf8(&buffer).unwrap_or_default())
}

/// As ProtoJSON parses it: RFC 3339 with any offset, `T` and `Z` in upper case, up to nine digits of a second.
impl str::FromStr for Timestamp {
    type Err = ConvertError;

    fn from_str(text: &str) -> Result<Self, ConvertError> {
        let (seconds, nanos) = parse_timestamp(text.as_bytes()).ok_or(ConvertError::InvalidTimestamp)?;
        Ok(Self { seconds, nanos: nanos as i32 })
    }
}

#[cfg(feature = "std")]
mod system {
    use super::{ConvertError, Timestamp};
    use crate::structs::CustomValue;
    use core::time::Duration;
    use std::time::{SystemTime, UNIX_EPOCH};

    /// Listed as `custom message Timestamp`. A time before the year 1 or after 9999 is encoded as [`Timestamp::MIN`] or
    /// [`Timestamp::MAX`]; decoding refuses seconds and nanoseconds that are out of range.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime, UNIX_EPOCH};
    /// use tablepb::{Message, wkt::Timestamp};
    ///
    /// #[derive(Debug, Default, PartialEq)]
    /// struct Event { at: Option<SystemTime> }
    /// tablepb::message! { Event as "example.Event" { at: custom message Timestamp = 1 } }
    ///
    /// let event = Event { at: Some(UNIX_EPOCH + Duration::from_secs(7)) };
    /// let bytes = event.encode_to_vec()?;
    /// assert_eq!(bytes, [0x0a, 0x02, 0x08, 0x07]);
    /// assert_eq!(Event::decode(&bytes)?, event);
    /// assert!(Event::decode(b"\x0a\x02\x10\x7f\x0a\x06\x10\xff\xff\xff\xff\x07").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    impl CustomValue for SystemTime {
        type Encoded<'a> = Timestamp;

        fn to_encoded(&self) -> Timestamp {
            let limit = if *self < UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
            Timestamp::try_from(*self).unwrap_or(limit)
        }

        fn from_encoded(encoded: Timestamp) -> Option<Self> {
            encoded.is_valid().then_some(encoded)?.try_into().ok()
        }

        fn unset() -> Self {
            UNIX_EPOCH
        }
    }

    impl TryFrom<SystemTime> for Timestamp {
        type Error = ConvertError;

        fn try_from(time: SystemTime) -> Result<Self, ConvertError> {
            let (sign, distance) = match time.duration_since(UNIX_EPOCH) {
                Ok(after) => (1, after),
                Err(before) => (-1, before.duration()),
            };
            let seconds = i64::try_from(distance.as_secs()).map_err(|_| ConvertError::TimestampOutOfRange)?;
            Self { seconds: sign * seconds, nanos: sign as i32 * distance.subsec_nanos() as i32 }.normalized()
        }
    }

    impl TryFrom<Timestamp> for SystemTime {
        type Error = ConvertError;

        fn try_from(time: Timestamp) -> Result<Self, ConvertError> {
            let Timestamp { seconds, nanos } = time.normalized()?;
            let (whole, part) =
                (Duration::from_secs(seconds.unsigned_abs()), Duration::from_nanos(nanos as u64));
            let at = match seconds >= 0 {
                true => UNIX_EPOCH.checked_add(whole),
                false => UNIX_EPOCH.checked_sub(whole),
            };
            at.and_then(|at| at.checked_add(part)).ok_or(ConvertError::TimestampOutOfRange)
        }
    }
}

/// `google.protobuf.Duration`: a span of time, perhaps negative, of at most ten thousand years.
///
/// Converts to and from `core::time::Duration`, `jiff::SignedDuration` (feature `jiff`) and `chrono::TimeDelta` (feature
/// `chrono`). `Display` and `FromStr` have the form of ProtoJSON.
///
/// ```
/// use tablepb::wkt::{ConvertError, Duration};
///
/// let pause: Duration = core::time::Duration::from_millis(1500).try_into()?;
/// assert_eq!((pause.seconds, pause.nanos, pause.to_string().as_str()), (1, 500_000_000, "1.500s"));
/// let back: Duration = "-0.5s".parse()?;
/// assert_eq!(back, Duration { seconds: 0, nanos: -500_000_000 });
/// assert_eq!(core::time::Duration::try_from(back), Err(ConvertError::NegativeDuration));
/// # Ok::<(), ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration {
    /// Whole seconds.
    pub seconds: i64,
    /// Nanoseconds on top, from -999 999 999 to 999 999 999, with the sign of the seconds.
    pub nanos: i32,
}

crate::message! {
    Duration as "google.protobuf.Duration" { seconds: int64 = 1, nanos: int32 = 2 }
}

impl Duration {
    /// Whether seconds and nanoseconds are in range and their signs agree.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        is_duration(self.seconds, self.nanos as i64)
    }

    /// The same duration with less than a second of nanoseconds, of the same sign as the seconds.
    ///
    /// # Errors
    /// [`DurationOutOfRange`](ConvertError::DurationOutOfRange) if it is more than 315 576 000 000 seconds, up or down.
    pub fn normalized(self) -> Result<Self, ConvertError> {
        // At most 2^63 seconds and 2^31 nanoseconds.
        let total = i128::from(self.seconds) * i128::from(NANOS) + i128::from(self.nanos);
        let seconds =
            i64::try_from(total / i128::from(NANOS)).map_err(|_| ConvertError::DurationOutOfRange)?;
        let duration = Self { seconds, nanos: (total % i128::from(NANOS)) as i32 };
        Some(duration).filter(|duration| duration.is_valid()).ok_or(ConvertError::DurationOutOfRange)
    }
}

/// As ProtoJSON prints it. A value out of range, which JSON does not have, is shown as its two numbers.
#[cfg(not(tablepb_no_alloc))]
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_valid() {
            true => printed(f, |out| put_duration(out, self.seconds, self.nanos.into())),
            false => write!(f, "{}s{:+}ns", self.seconds, self.nanos),
        }
    }
}

/// As ProtoJSON parses it: seconds with up to nine digits after the point, and `s`.
impl str::FromStr for Duration {
    type Err = ConvertError;

    fn from_str(text: &str) -> Result<Self, ConvertError> {
        let (seconds, nanos) = parse_duration(text.as_bytes()).ok_or(ConvertError::InvalidDuration)?;
        Ok(Self { seconds, nanos })
    }
}

impl TryFrom<time::Duration> for Duration {
    type Error = ConvertError;

    fn try_from(duration: time::Duration) -> Result<Self, ConvertError> {
        let seconds = i64::try_from(duration.as_secs()).map_err(|_| ConvertError::DurationOutOfRange)?;
        Self { seconds, nanos: duration.subsec_nanos() as i32 }.normalized()
    }
}

impl TryFrom<Duration> for time::Duration {
    type Error = ConvertError;

    fn try_from(duration: Duration) -> Result<Self, ConvertError> {
        let Duration { seconds, nanos } = duration.normalized()?;
        match (u64::try_from(seconds), u32::try_from(nanos)) {
            (Ok(seconds), Ok(nanos)) => Ok(Self::new(seconds, nanos)),
            _ => Err(ConvertError::NegativeDuration),
        }
    }
}

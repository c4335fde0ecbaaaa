//! [`Duration`].

use super::ConvertError;
use super::timestamp::{NANOS, printed};
use crate::formats::numbers::{MAX_DURATION, parse_duration, put_duration};
use core::{fmt, str, time};

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
        -MAX_DURATION <= self.seconds
            && self.seconds <= MAX_DURATION
            && -NANOS < self.nanos
            && self.nanos < NANOS
            && !(self.seconds > 0 && self.nanos < 0 || self.seconds < 0 && self.nanos > 0)
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
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_valid() {
            true => printed(f, |out| put_duration(out, self.seconds, self.nanos)),
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

//! [`Timestamp`] and [`Duration`] to and from `chrono`.

use super::{ConvertError, Duration, Timestamp};
use ::chrono::{DateTime, TimeDelta, TimeZone, Utc};

impl<Z: TimeZone> TryFrom<DateTime<Z>> for Timestamp {
    type Error = ConvertError;

    /// A leap second becomes the first second of the next minute.
    ///
    /// # Errors
    /// [`TimestampOutOfRange`](ConvertError::TimestampOutOfRange).
    fn try_from(time: DateTime<Z>) -> Result<Self, ConvertError> {
        let nanos = time.timestamp_subsec_nanos() as i32;
        Self { seconds: time.timestamp(), nanos }.normalized()
    }
}

impl TryFrom<Timestamp> for DateTime<Utc> {
    type Error = ConvertError;

    /// # Errors
    /// [`TimestampOutOfRange`](ConvertError::TimestampOutOfRange).
    fn try_from(time: Timestamp) -> Result<Self, ConvertError> {
        let Timestamp { seconds, nanos } = time.normalized()?;
        Self::from_timestamp(seconds, nanos as u32).ok_or(ConvertError::TimestampOutOfRange)
    }
}

impl TryFrom<TimeDelta> for Duration {
    type Error = ConvertError;

    /// # Errors
    /// [`DurationOutOfRange`](ConvertError::DurationOutOfRange).
    fn try_from(duration: TimeDelta) -> Result<Self, ConvertError> {
        Self { seconds: duration.num_seconds(), nanos: duration.subsec_nanos() }.normalized()
    }
}

impl TryFrom<Duration> for TimeDelta {
    type Error = ConvertError;

    /// # Errors
    /// [`DurationOutOfRange`](ConvertError::DurationOutOfRange).
    fn try_from(duration: Duration) -> Result<Self, ConvertError> {
        let Duration { seconds, nanos } = duration.normalized()?;
        // Of a negative duration, chrono counts the nanoseconds upwards from the second below.
        let below = i64::from(nanos < 0);
        let nanos = if nanos < 0 { nanos + 1_000_000_000 } else { nanos };
        Self::new(seconds - below, nanos as u32).ok_or(ConvertError::DurationOutOfRange)
    }
}

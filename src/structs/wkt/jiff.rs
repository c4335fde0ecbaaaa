//! [`Timestamp`] and [`Duration`] to and from `jiff`.

use super::{ConvertError, Duration, Timestamp};

impl TryFrom<jiff::Timestamp> for Timestamp {
    type Error = ConvertError;

    /// # Errors
    /// [`TimestampOutOfRange`](ConvertError::TimestampOutOfRange) before the year 1.
    fn try_from(time: jiff::Timestamp) -> Result<Self, ConvertError> {
        Self { seconds: time.as_second(), nanos: time.subsec_nanosecond() }.normalized()
    }
}

impl TryFrom<Timestamp> for jiff::Timestamp {
    type Error = ConvertError;

    /// # Errors
    /// [`TimestampOutOfRange`](ConvertError::TimestampOutOfRange); `jiff` ends a day before the year 9999 does.
    fn try_from(time: Timestamp) -> Result<Self, ConvertError> {
        let Timestamp { seconds, nanos } = time.normalized()?;
        Self::new(seconds, nanos).map_err(|_| ConvertError::TimestampOutOfRange)
    }
}

impl TryFrom<jiff::SignedDuration> for Duration {
    type Error = ConvertError;

    /// # Errors
    /// [`DurationOutOfRange`](ConvertError::DurationOutOfRange).
    fn try_from(duration: jiff::SignedDuration) -> Result<Self, ConvertError> {
        Self { seconds: duration.as_secs(), nanos: duration.subsec_nanos() }.normalized()
    }
}

impl TryFrom<Duration> for jiff::SignedDuration {
    type Error = ConvertError;

    /// # Errors
    /// [`DurationOutOfRange`](ConvertError::DurationOutOfRange).
    fn try_from(duration: Duration) -> Result<Self, ConvertError> {
        let Duration { seconds, nanos } = duration.normalized()?;
        Ok(Self::new(seconds, nanos))
    }
}

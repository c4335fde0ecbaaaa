//! [`Timestamp`](super::Timestamp) and [`Duration`](super::Duration) to and from the types of `chrono` and `jiff`.

#[cfg(feature = "chrono")]
mod of_chrono {
    use super::super::{ConvertError, Duration, Timestamp};
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
}

#[cfg(feature = "jiff")]
mod of_jiff {
    use super::super::{ConvertError, Duration, Timestamp};

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
}

//! Well-known types to and from jiff, chrono and serde_json.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value as Json, json};
use tablepb::wkt::{ConvertError, Duration, ListValue, Struct, Timestamp, Value};
use tablepb::{DescriptorPool, Message, MessageDescriptor};

const TIMES: [(i64, i32, &str); 5] = [
    (0, 0, "1970-01-01T00:00:00Z"),
    (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
    (63_108_020, 21_000_000, "1972-01-01T10:00:20.021Z"),
    (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
    (253_402_200_000, 1, "9999-12-30T20:00:00.000000001Z"),
];

#[test]
fn times_of_jiff() {
    for (seconds, nanos, text) in TIMES {
        let ours = Timestamp { seconds, nanos };
        let theirs: jiff::Timestamp = text.parse().unwrap();
        assert_eq!((jiff::Timestamp::try_from(ours), Timestamp::try_from(theirs)), (Ok(theirs), Ok(ours)));
    }
    let early: jiff::Timestamp = "-000001-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(Timestamp::try_from(early), Err(ConvertError::TimestampOutOfRange));
    assert_eq!(Timestamp::try_from(jiff::Timestamp::MIN), Err(ConvertError::TimestampOutOfRange));
    assert!(Timestamp::try_from(jiff::Timestamp::MAX).is_ok());
    assert_eq!(jiff::Timestamp::try_from(Timestamp::MAX), Err(ConvertError::TimestampOutOfRange));
    assert_eq!(
        jiff::Timestamp::try_from(Timestamp { seconds: i64::MIN, nanos: 0 }),
        Err(ConvertError::TimestampOutOfRange)
    );
    for (seconds, nanos) in [(0, 0), (1, 500_000_000), (-1, -500_000_000), (0, -1), (315_576_000_000, 7)] {
        let (ours, theirs) = (Duration { seconds, nanos }, jiff::SignedDuration::new(seconds, nanos));
        assert_eq!(
            (Duration::try_from(theirs), jiff::SignedDuration::try_from(ours)),
            (Ok(ours), Ok(theirs))
        );
    }
    assert_eq!(Duration::try_from(jiff::SignedDuration::MAX), Err(ConvertError::DurationOutOfRange));
    let bad = Duration { seconds: i64::MIN, nanos: -1 };
    assert_eq!(jiff::SignedDuration::try_from(bad), Err(ConvertError::DurationOutOfRange));
}

#[test]
fn times_of_chrono() {
    for (seconds, nanos, text) in TIMES {
        let ours = Timestamp { seconds, nanos };
        let theirs: DateTime<Utc> = text.parse().unwrap();
        assert_eq!((DateTime::try_from(ours), Timestamp::try_from(theirs)), (Ok(theirs), Ok(ours)));
        let offset = theirs.with_timezone(&chrono::FixedOffset::east_opt(3600).unwrap());
        assert_eq!(Timestamp::try_from(offset), Ok(ours));
    }
    assert_eq!(Timestamp::try_from(DateTime::<Utc>::MIN_UTC), Err(ConvertError::TimestampOutOfRange));
    assert_eq!(Timestamp::try_from(DateTime::<Utc>::MAX_UTC), Err(ConvertError::TimestampOutOfRange));
    assert!(DateTime::<Utc>::try_from(Timestamp::MAX).is_ok());
    let leap: DateTime<Utc> = "2016-12-31T23:59:60.5Z".parse().unwrap();
    assert_eq!(Timestamp::try_from(leap).unwrap().to_string(), "2017-01-01T00:00:00.500Z");
    for (seconds, nanos) in [(0, 0), (1, 500_000_000), (-1, -500_000_000), (0, -1), (-315_576_000_000, -7)] {
        let ours = Duration { seconds, nanos };
        let theirs = TimeDelta::seconds(seconds) + TimeDelta::nanoseconds(nanos.into());
        assert_eq!((Duration::try_from(theirs), TimeDelta::try_from(ours)), (Ok(ours), Ok(theirs)));
    }
    assert_eq!(Duration::try_from(TimeDelta::MAX), Err(ConvertError::DurationOutOfRange));
    let bad = Duration { seconds: i64::MAX, nanos: 1 };
    assert_eq!(TimeDelta::try_from(bad), Err(ConvertError::DurationOutOfRange));
}

#[test]
fn values_of_serde_json() {
    let json = json!({
        "null": null, "bool": true, "int": -3, "large": 9_007_199_254_740_992u64, "part": 0.5,
        "text": "a\"b", "list": [1, [2], {}], "object": { "x": [null] },
    });
    let value = Value::try_from(json.clone()).unwrap();
    assert_eq!(Json::try_from(value.clone()), Ok(json.clone()));
    // As ProtoJSON has it.
    assert_eq!(serde_json::from_str::<Json>(&tablepb::json::to_string(&value).unwrap()).unwrap(), json);
    assert_eq!(tablepb::json::from_slice::<Value>(json.to_string().as_bytes()).unwrap(), value);
    let object = Struct::try_from(json.as_object().unwrap().clone()).unwrap();
    assert_eq!(value.as_struct(), Some(&object));
    assert_eq!(Map::try_from(object), Ok(json.as_object().unwrap().clone()));
    let list = ListValue::try_from(json["list"].as_array().unwrap().clone()).unwrap();
    assert_eq!(Vec::<Json>::try_from(list), Ok(json["list"].as_array().unwrap().clone()));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Json::try_from(Value::from(vec![bad])), Err(ConvertError::NotFinite));
    }
    assert_eq!(Json::try_from(Value::default()), Ok(Json::Null));
    assert_eq!(Json::try_from(Value::from(-0.0)).unwrap().to_string(), "-0.0");
    assert_eq!(Json::try_from(Value::from(1e300)).unwrap().to_string(), "1e+300");
}

/// A list is two levels of messages, an object three.
#[test]
fn a_value_that_converts_from_serde_json_encodes_and_one_that_does_not_is_too_deep() {
    for (first, of_lists) in [(0, 0), (40, 100), (17, 50), (33, 0), (0, 100)] {
        for levels in 0..60 {
            let json = (0..levels).fold(json!(1), |inner, level| match (level + first) % 100 < of_lists {
                true => json!([inner, []]),
                false => json!({ "a": inner, "b": {} }),
            });
            // What encodes it without asking how deep it goes.
            let direct = tablepb::json::message_from_slice(&value_descriptor(), json.to_string().as_bytes());
            match Value::try_from(json.clone()) {
                Ok(value) => {
                    let bytes = value.encode_to_vec().unwrap();
                    assert_eq!(Value::decode(&bytes).as_ref(), Ok(&value));
                    assert_eq!(direct.unwrap().encode_to_vec().unwrap().len(), bytes.len());
                    assert_eq!(Json::try_from(value), Ok(json));
                }
                Err(error) => {
                    assert_eq!(error, ConvertError::TooDeep);
                    assert!(direct.is_err(), "{levels}");
                }
            }
        }
    }
    let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert!(Value::try_from(nested(50)).is_ok());
    assert_eq!(Value::try_from(nested(51)), Err(ConvertError::TooDeep));
    let deep = (0..51).fold(Value::null(), |inner, _| vec![inner].into());
    assert_eq!(Json::try_from(deep), Err(ConvertError::TooDeep));
}

fn value_descriptor() -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[Value::TABLE]).unwrap();
    pool.message("google.protobuf.Value").unwrap()
}

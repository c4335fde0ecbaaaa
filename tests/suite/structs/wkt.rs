//! The structs of the well-known types: conversions, JSON, and pools with and without protobuf's own files.

use crate::common::data::Data;
use crate::common::wire::Wire;
use std::time::{Duration as StdDuration, SystemTime, UNIX_EPOCH};
use tablepb::EncodeErrorKind;
use tablepb::ParseErrorKind as Bad;
use tablepb::schema::DescriptorErrorKind;
use tablepb::wkt::value::Kind;
use tablepb::wkt::*;
use tablepb::{DescriptorPool, Message};

#[derive(Clone, Debug, Default, PartialEq)]
struct All {
    any: Option<Any>,
    timestamp: Option<Timestamp>,
    duration: Option<Duration>,
    mask: Option<FieldMask>,
    object: Option<Struct>,
    value: Option<Value>,
    list: Option<ListValue>,
    null: NullValue,
    empty: Option<Empty>,
    double: Option<DoubleValue>,
    float: Option<FloatValue>,
    int64: Option<Int64Value>,
    uint64: Option<UInt64Value>,
    int32: Option<Int32Value>,
    uint32: Option<UInt32Value>,
    boolean: Option<BoolValue>,
    string: Option<StringValue>,
    bytes: Option<BytesValue>,
}

tablepb::message! {
    All as "t.All" {
        any: message Any = 1,
        timestamp: message Timestamp = 2,
        duration: message Duration = 3,
        mask: message FieldMask = 4,
        object: message Struct = 5,
        value: message Value = 6,
        list: message ListValue = 7,
        null: enum NullValue = 8,
        empty: message Empty = 9,
        double: message DoubleValue = 10,
        float: message FloatValue = 11,
        int64: message Int64Value = 12,
        uint64: message UInt64Value = 13,
        int32: message Int32Value = 14,
        uint32: message UInt32Value = 15,
        boolean: message BoolValue = 16,
        string: message StringValue = 17,
        bytes: message BytesValue = 18,
    }
}

fn all() -> All {
    All {
        any: Some(Any::pack(&Timestamp { seconds: 1, nanos: 0 }).unwrap()),
        timestamp: Some(Timestamp { seconds: -1, nanos: 500_000_000 }),
        duration: Some(Duration { seconds: 0, nanos: -1 }),
        mask: Some(FieldMask { paths: vec!["a_b.c".into(), "d".into()] }),
        object: Some([("k", Value::from(vec![1.5])), ("n", Value::null())].into_iter().collect()),
        value: Some("v".into()),
        list: Some([true, false].into_iter().collect()),
        null: NullValue::NullValue,
        empty: Some(Empty {}),
        double: Some(0.1.into()),
        float: Some(0.1f32.into()),
        int64: Some(i64::MIN.into()),
        uint64: Some(u64::MAX.into()),
        int32: Some(i32::MIN.into()),
        uint32: Some(u32::MAX.into()),
        boolean: Some(true.into()),
        string: Some(String::from("s").into()),
        bytes: Some(vec![0xff, 0].into()),
    }
}

#[test]
fn json_has_the_forms_of_the_well_known_types() {
    let text = r#"{"any":{"@type":"type.googleapis.com/google.protobuf.Timestamp","value":"1970-01-01T00:00:01Z"},
        "timestamp":"1969-12-31T23:59:59.500Z","duration":"-0.000000001s","mask":"aB.c,d",
        "object":{"k":[1.5],"n":null},"value":"v","list":[true,false],"empty":{},"double":0.1,"float":0.1,
        "int64":"-9223372036854775808","uint64":"18446744073709551615","int32":-2147483648,
        "uint32":4294967295,"boolean":true,"string":"s","bytes":"/wA="}"#;
    let text: String = text.split('\n').map(str::trim).collect();
    let message = all();
    assert_eq!(tablepb::json::to_string(&message).unwrap(), text);
    assert_eq!(tablepb::json::from_slice::<All>(text.as_bytes()).unwrap(), message);
    let bytes = message.encode_to_vec().unwrap();
    assert_eq!(All::decode(&bytes).unwrap(), message);
    // The types alone, and null.
    assert_eq!(
        tablepb::json::to_string(&message.timestamp.unwrap()).unwrap(),
        "\"1969-12-31T23:59:59.500Z\""
    );
    assert_eq!(tablepb::json::from_slice::<Value>(b"null").unwrap(), Value::null());
    assert_eq!(tablepb::json::from_slice::<UInt64Value>(b"\"7\"").unwrap().value, 7);
    let bad = Timestamp { seconds: 0, nanos: -1 };
    assert_eq!(tablepb::json::to_string(&bad).unwrap_err().kind(), EncodeErrorKind::OutOfRange);
    assert_eq!(tablepb::json::from_slice::<Duration>(b"\"1\"").unwrap_err().kind(), Bad::InvalidDuration);
    let nan = Value::from(f64::NAN);
    assert_eq!(tablepb::json::to_string(&nan).unwrap_err().kind(), EncodeErrorKind::NotFinite);
}

#[test]
fn times_of_the_standard_library() {
    let part = StdDuration::from_nanos(1);
    for (time, seconds, nanos) in [
        (UNIX_EPOCH, 0, 0),
        (UNIX_EPOCH + part, 0, 1),
        (UNIX_EPOCH - part, -1, 999_999_999),
        (UNIX_EPOCH - StdDuration::from_millis(1500), -2, 500_000_000),
        (UNIX_EPOCH + StdDuration::from_secs(253_402_300_800) - part, 253_402_300_799, 999_999_999),
        (UNIX_EPOCH - StdDuration::from_secs(62_135_596_800), -62_135_596_800, 0),
    ] {
        let timestamp = Timestamp { seconds, nanos };
        assert_eq!(Timestamp::try_from(time), Ok(timestamp));
        assert_eq!(SystemTime::try_from(timestamp), Ok(time));
        assert_eq!(timestamp.to_string().parse(), Ok(timestamp));
        // Nanoseconds out of range are carried.
        let odd = Timestamp { seconds: seconds + 2, nanos: nanos - 2_000_000_000 };
        assert_eq!(odd.normalized(), Ok(timestamp));
        assert_eq!((odd.is_valid(), SystemTime::try_from(odd)), (false, Ok(time)));
    }
    let late = UNIX_EPOCH + StdDuration::from_secs(253_402_300_800);
    let early = UNIX_EPOCH - StdDuration::from_secs(62_135_596_800) - part;
    for time in [late, early] {
        assert_eq!(Timestamp::try_from(time), Err(ConvertError::TimestampOutOfRange));
    }
    for (seconds, nanos) in [(i64::MAX, i32::MAX), (i64::MIN, i32::MIN), (253_402_300_799, 1_000_000_000)] {
        let timestamp = Timestamp { seconds, nanos };
        assert_eq!(timestamp.normalized(), Err(ConvertError::TimestampOutOfRange));
        assert_eq!(SystemTime::try_from(timestamp), Err(ConvertError::TimestampOutOfRange));
        assert_eq!(timestamp.to_string(), format!("{seconds}s{nanos:+}ns after 1970"));
    }
    assert!(Timestamp::MIN < Timestamp::now() && Timestamp::now() < Timestamp::MAX);
    assert_eq!("1970-01-01".parse::<Timestamp>(), Err(ConvertError::InvalidTimestamp));
    assert_eq!(format!("[{:>22}]", Timestamp::default()), "[  1970-01-01T00:00:00Z]");
}

#[test]
fn durations_of_the_standard_library() {
    for (text, seconds, nanos) in
        [("0s", 0, 0), ("1.500s", 1, 500_000_000), ("315576000000.999999999s", 315_576_000_000, 999_999_999)]
    {
        let duration = Duration { seconds, nanos };
        let std = StdDuration::new(seconds as u64, nanos as u32);
        assert_eq!((Duration::try_from(std), StdDuration::try_from(duration)), (Ok(duration), Ok(std)));
        assert_eq!((duration.to_string().as_str(), text.parse()), (text, Ok(duration)));
        let negative = Duration { seconds: -seconds, nanos: -nanos };
        if negative != duration {
            assert_eq!(StdDuration::try_from(negative), Err(ConvertError::NegativeDuration));
            assert_eq!(
                (negative.to_string(), format!("-{text}").parse()),
                (format!("-{text}"), Ok(negative))
            );
        }
    }
    // Signs that disagree, and nanoseconds of more than a second.
    for (odd, seconds, nanos) in [
        ((1, -1), 0, 999_999_999),
        ((-1, 1), 0, -999_999_999),
        ((0, 2_000_000_001), 2, 1),
        ((315_576_000_001, -1), 315_576_000_000, 999_999_999),
    ] {
        let odd = Duration { seconds: odd.0, nanos: odd.1 };
        assert_eq!((odd.is_valid(), odd.normalized()), (false, Ok(Duration { seconds, nanos })));
    }
    for (seconds, nanos) in
        [(315_576_000_001, 0), (-315_576_000_001, 0), (i64::MAX, i32::MAX), (i64::MIN, -1)]
    {
        let duration = Duration { seconds, nanos };
        assert_eq!(duration.normalized(), Err(ConvertError::DurationOutOfRange));
        assert_eq!(StdDuration::try_from(duration), Err(ConvertError::DurationOutOfRange));
        assert_eq!(duration.to_string(), format!("{seconds}s{nanos:+}ns"));
    }
    assert_eq!(Duration::try_from(StdDuration::MAX), Err(ConvertError::DurationOutOfRange));
    assert_eq!("1.5".parse::<Duration>(), Err(ConvertError::InvalidDuration));
}

#[test]
fn any_holds_what_was_packed() {
    let time = Timestamp { seconds: 7, nanos: 8 };
    let any = Any::pack(&time).unwrap();
    assert_eq!(any.type_name(), Some("google.protobuf.Timestamp"));
    assert!(any.is::<Timestamp>() && !any.is::<Duration>());
    assert_eq!(any.to_msg::<Timestamp>(), Ok(time));
    let error = any.to_msg::<Duration>().unwrap_err();
    let (expected, found) = ("google.protobuf.Duration", "google.protobuf.Timestamp".into());
    assert_eq!(error, ConvertError::WrongType { expected, found });
    let text = "the google.protobuf.Any holds a google.protobuf.Timestamp, not a google.protobuf.Duration";
    assert_eq!(error.to_string(), text);
    let pool = DescriptorPool::from_tables(TABLES).unwrap();
    let message = any.unpack(&pool).unwrap();
    assert_eq!(tablepb::json::to_string(&message).unwrap(), "\"1970-01-01T00:00:07.000000008Z\"");
    assert_eq!(Any::pack(&message).unwrap(), any);
    assert_eq!(any.unpack(&DescriptorPool::new()).unwrap_err(), ConvertError::UnknownType);
    for url in ["", "google.protobuf.Timestamp", "type.googleapis.com/", "/"] {
        let any = Any { type_url: url.into(), value: Vec::new() };
        assert_eq!(any.type_name(), None, "{url}");
        assert_eq!(any.unpack(&pool).unwrap_err(), ConvertError::InvalidUrl);
        assert_eq!(any.to_msg::<Timestamp>(), Err(ConvertError::InvalidUrl));
    }
    for url in ["example.org/a/google.protobuf.Timestamp", "/google.protobuf.Timestamp"] {
        let other = Any { type_url: url.into(), ..any.clone() };
        assert_eq!(other.to_msg::<Timestamp>(), Ok(time));
    }
    let cut = Any { value: any.value[..1].into(), ..any };
    let (typed, dynamic) = (cut.to_msg::<Timestamp>().unwrap_err(), cut.unpack(&pool).unwrap_err());
    for error in [typed, dynamic] {
        let ConvertError::Invalid(inner) = &error else { panic!("{error}") };
        assert_eq!(error.to_string(), format!("the content of a google.protobuf.Any: {inner}"));
        assert_eq!(inner.path().to_string(), "seconds");
    }
}

#[test]
fn values_of_rust() {
    assert_eq!(Value::from(1u32), Value { kind: Some(Kind::NumberValue(1.0)) });
    assert_eq!(Value::from(Some("a")).as_str(), Some("a"));
    assert!(
        Value::from(None::<bool>).is_null() && Value::default().is_null() && !Value::from(false).is_null()
    );
    assert_eq!(
        (bool::try_from(Value::from(true)), f64::try_from(Value::from(true))),
        (Ok(true), Err(ConvertError::WrongKind))
    );
    let list = Value::from(vec!["a", "b"]);
    assert_eq!(ListValue::try_from(list.clone()).unwrap().values[1].as_str(), Some("b"));
    let object: Struct = [("list", list)].into_iter().collect();
    assert_eq!(Struct::try_from(Value::from(object.clone())), Ok(object));
    // Another number of the enum is null as well.
    let odd = Value::decode(&Wire::new().int(1, 5).0).unwrap();
    assert!(odd.is_null());
}

/// A file with a message `t.A` that has a timestamp, and imports its file.
fn needs_timestamp() -> Vec<u8> {
    let field =
        Wire::new().bytes(1, "at").int(3, 1).int(4, 1).int(5, 11).bytes(6, ".google.protobuf.Timestamp");
    let file = Wire::new().bytes(1, "a.proto").bytes(2, "t").bytes(3, "google/protobuf/timestamp.proto");
    let message = Wire::new().bytes(1, "A").message(2, field);
    Wire::new().message(1, file.message(4, message).bytes(12, "proto3")).0
}

/// A file of this name with a `google.protobuf.Timestamp` of these fields.
fn own_timestamp(fields: &[&str]) -> Vec<u8> {
    let mut message = Wire::new().bytes(1, "Timestamp");
    for (number, name) in (1..).zip(fields) {
        let kind = if number == 1 { 3 } else { 5 };
        message = message.message(2, Wire::new().bytes(1, name).int(3, number).int(4, 1).int(5, kind));
    }
    let file = Wire::new().bytes(1, "google/protobuf/timestamp.proto").bytes(2, "google.protobuf");
    let options = Wire::new().bytes(37, "Google.Protobuf.WellKnownTypes");
    Wire::new().message(1, file.message(4, message).message(8, options).bytes(12, "proto3")).0
}

#[test]
fn sets_may_lack_the_files_of_protobuf_or_have_their_own() {
    let (set, own) = (needs_timestamp(), own_timestamp(&["seconds", "nanos"]));
    assert_eq!(DescriptorPool::decode(&set).unwrap_err().kind(), DescriptorErrorKind::MissingImport);
    let tables = DescriptorPool::from_tables(TABLES).unwrap();
    let typed = DescriptorPool::from_tables(&[All::TABLE]).unwrap();
    let both = [set.clone(), own.clone()].concat();
    for (pool, of_set) in [
        (DescriptorPool::decode(&both), true),
        (tables.add_file_descriptor_set(&set), false),
        (tables.add_file_descriptor_set(&both), true),
        (typed.add_file_descriptor_set(&both), true),
        (typed.add_file_descriptor_set(&set).and_then(|pool| pool.add_file_descriptor_set(&own)), true),
    ] {
        let pool = pool.unwrap();
        let file = pool.file("google/protobuf/timestamp.proto").unwrap();
        assert_eq!(file.options_bytes().is_empty(), !of_set);
        assert_eq!(pool.files().filter(|f| f.name() == file.name()).count(), 1);
        let a = pool.message("t.A").unwrap();
        let message = tablepb::json::message_from_slice(&a, br#"{"at":"1970-01-01T00:00:01Z"}"#).unwrap();
        assert_eq!(message.encode_to_vec().unwrap(), b"\x0a\x02\x08\x01");
        if let Ok(all) = pool.message("t.All") {
            tablepb::json::message_from_slice(&all, br#"{"timestamp":"1970-01-01T00:00:01Z"}"#).unwrap();
        }
    }
    // Two sets cannot both have the file, and another file is not replaced.
    let other = own_timestamp(&["seconds"]);
    let pool = tables.add_file_descriptor_set(&own).unwrap();
    assert_eq!(pool.add_file_descriptor_set(&other).unwrap_err().kind(), DescriptorErrorKind::DuplicateName);
    let file = Wire::new().message(1, Wire::new().bytes(1, "t.proto").bytes(2, "t"));
    assert_eq!(
        typed.add_file_descriptor_set(&file.0).unwrap_err().kind(),
        DescriptorErrorKind::DuplicateName
    );
    // The tables are used again afterwards.
    tables.add_file_descriptor_set(&set).unwrap();
}

/// The tables say what protobuf's own files say.
#[test]
#[ignore = "needs recorded data"]
fn tables_are_those_of_protobuf_needs_data() {
    let names = ["any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"];
    let set: Vec<u8> = names
        .iter()
        .flat_map(|name| Data::Recorded.read(&format!("protos/google/protobuf/{name}.binpb")))
        .collect();
    let (own, theirs) = (DescriptorPool::from_tables(TABLES).unwrap(), DescriptorPool::decode(&set).unwrap());
    assert_eq!(own.all_messages().len(), theirs.all_messages().len());
    for message in theirs.all_messages() {
        let ours = own.message(message.full_name()).unwrap();
        assert_eq!(ours.parent_file().name(), message.parent_file().name());
        let facts = |m: &tablepb::MessageDescriptor| -> Vec<String> {
            let fact = |f: tablepb::FieldDescriptor| {
                format!(
                    "{} {} {} {:?} {:?} {:?}",
                    f.name(),
                    f.json_name(),
                    f.number(),
                    f.kind(),
                    f.cardinality(),
                    f.containing_oneof().map(|o| o.name().to_string())
                )
            };
            m.fields().map(fact).collect()
        };
        assert_eq!(facts(&ours), facts(&message), "{}", message.full_name());
    }
    assert_eq!(own.all_enums().len(), theirs.all_enums().len());
}

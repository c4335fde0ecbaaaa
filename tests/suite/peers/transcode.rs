//! Between dynamic messages, structs and messages of prost.

use prost::Message as _;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{DescriptorPool, DynamicMessage, UnknownFieldSet};

#[derive(Clone, Debug, Default, PartialEq)]
struct Log {
    line: String,
    sizes: Vec<u32>,
    rest: UnknownFieldSet,
}

tablepb::message! {
    Log as "t.Log" { line: string = 1, sizes: repeated uint32 = 2, rest: unknown_fields }
}

#[derive(Clone, PartialEq, prost::Message)]
struct OfProst {
    #[prost(string, tag = "1")]
    line: String,
    #[prost(uint32, repeated, tag = "2")]
    sizes: Vec<u32>,
}

#[test]
fn messages_go_from_one_kind_to_the_other() {
    static TABLE: MessageTable = MessageTable::new(
        "t.Log",
        &[FieldTable::new("line", 1, Kind::String), FieldTable::new("sizes", 2, Kind::Uint32).repeated()],
    );
    let schema = || DescriptorPool::from_tables(&[&TABLE]).unwrap().message("t.Log").unwrap();
    let mut message = DynamicMessage::new(&schema());
    let log = Log { line: "hi".into(), sizes: vec![1, 2], ..Default::default() };
    message.transcode_from(&log).unwrap();
    assert_eq!(message.transcode_to::<Log>().unwrap(), log);
    // It merges, also from dynamic messages of other pools.
    let mut other = DynamicMessage::new(&schema());
    other.set_field("sizes", [3]).unwrap();
    message.transcode_from(&other).unwrap();
    assert_eq!(tablepb::text::to_string(&message).unwrap(), r#"line:"hi",sizes:[1,2,3]"#);
    // Messages of prost go as bytes.
    let of_prost = OfProst::decode(&*message.encode_to_vec().unwrap()).unwrap();
    assert_eq!(of_prost, OfProst { line: "hi".into(), sizes: vec![1, 2, 3] });
    let mut again = DynamicMessage::new(message.descriptor());
    again.merge(&of_prost.encode_to_vec()).unwrap();
    assert_eq!(again, message);
    // What does not fit is an error, and what is not listed stays.
    static ODD: MessageTable = MessageTable::new("t.Odd", &[FieldTable::new("line", 1, Kind::Bytes)]);
    let odd = DescriptorPool::from_tables(&[&ODD]).unwrap().message("t.Odd").unwrap();
    let mut odd = DynamicMessage::decode(&odd, b"\x0a\x01\xff\x1d\x01\x00\x00\x00").unwrap();
    let error = odd.transcode_to::<Log>().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (tablepb::DecodeErrorKind::InvalidUtf8, 2));
    odd.set_field("line", "ok").unwrap();
    let log: Log = odd.transcode_to().unwrap();
    assert_eq!((log.line.as_str(), log.rest.as_bytes()), ("ok", &b"\x1d\x01\x00\x00\x00"[..]));
}

#[test]
fn unknown_fields_are_shown_one_by_one() {
    let mut set = UnknownFieldSet::new();
    assert_eq!(format!("{set:?}"), "UnknownFieldSet {}");
    set.append(
        b"\x08\x96\x01\x12\x02a\x01\x1d\x01\x00\x00\x00\x21\x02\x00\x00\x00\x00\x00\x00\x00\x2b\x08\x01\x2c",
    )
    .unwrap();
    let shown =
        r#"UnknownFieldSet {1: 150, 2: b"a\x01", 3: 0x00000001, 4: 0x0000000000000002, 5: {b"\x08\x01,"}}"#;
    assert_eq!(format!("{set:?}"), shown);
}

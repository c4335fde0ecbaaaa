//! Every kind of member, beside prost: a struct that prost derives gets a listing, and both write the same bytes:
//! `cargo run --example every_kind`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use tablepb::raw::RawFields;
use tablepb::{EnumValue, Lazy, Message, SmallMap, UnknownFieldSet};

include!("common/say.rs");

#[derive(Clone, PartialEq, prost::Message)]
#[rustfmt::skip]
struct Event {
    #[prost(double, tag = "1")] ratio: f64,
    #[prost(float, tag = "2")] share: f32,
    #[prost(int32, tag = "3")] delta: i32,
    #[prost(int64, tag = "4")] balance: i64,
    #[prost(uint32, tag = "5")] port: u32,
    #[prost(uint64, tag = "6")] bytes: u64,
    #[prost(sint32, tag = "7")] east: i32,
    #[prost(sint64, tag = "8")] north: i64,
    #[prost(fixed32, tag = "9")] hash: u32,
    #[prost(fixed64, tag = "10")] time: u64,
    #[prost(sfixed32, tag = "11")] low: i32,
    #[prost(sfixed64, tag = "12")] high: i64,
    #[prost(bool, tag = "13")] sampled: bool,
    #[prost(string, tag = "14")] name: String,
    #[prost(bytes = "vec", tag = "15")] trace: Vec<u8>,
    #[prost(enumeration = "Level", tag = "16")] level: i32,
    #[prost(string, optional, tag = "17")] comment: Option<String>,
    #[prost(sint32, repeated, tag = "18")] counts: Vec<i32>,
    #[prost(string, repeated, tag = "19")] tags: Vec<String>,
    #[prost(btree_map = "string, uint64", tag = "20")] sizes: BTreeMap<String, u64>,
    #[prost(message, optional, boxed, tag = "21")] cause: Option<Box<Event>>,
    #[prost(message, repeated, tag = "22")] children: Vec<Event>,
    #[prost(group, optional, boxed, tag = "23")] legacy: Option<Box<Event>>,
    #[prost(oneof = "Source", tags = "24, 25")] source: Option<Source>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
#[rustfmt::skip]
enum Source { #[prost(string, tag = "24")] Host(String), #[prost(fixed32, tag = "25")] Address(u32) }

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[rustfmt::skip]
enum Level { Info = 0, Warn = 1 }

/// The same message again, by types that borrow, wait, or are the program's own.
#[derive(Default)]
struct Borrowed<'a> {
    name: &'a str,
    trace: [u8; 16],
    level: EnumValue<Level>,
    comment: Option<Cow<'a, str>>,
    sizes: SmallMap<&'a str, u64>,
    cause: Lazy<Event>,
    rest: UnknownFieldSet,
    _cache: Option<String>,
}

tablepb::enumeration! { Level as "example.Level" without TryFrom { Info as "INFO" = 0, Warn as "WARN" = 1 } }

tablepb::message! {
    Event as "example.Event" {
        ratio: double = 1, share: float = 2, delta: int32 = 3, balance: int64 = 4, port: uint32 = 5,
        bytes: uint64 = 6, east: sint32 = 7, north: sint64 = 8, hash: fixed32 = 9, time: fixed64 = 10,
        low: sfixed32 = 11, high: sfixed64 = 12, sampled: bool = 13, name: string = 14, trace: bytes = 15,
        level: enum Level = 16, comment: optional string = 17, counts: repeated sint32 = 18, tags: repeated string = 19,
        sizes: map<string, uint64> = 20, cause: message Event = 21, children: repeated message Event = 22,
        legacy: group Event = 23, source: oneof Source { Host: string = 24, Address: fixed32 = 25 },
    }
    Borrowed<'a> as "example.Event" {
        name: string = 14, trace: custom bytes = 15, level: enum Level = 16, comment: optional string = 17,
        sizes: map<string, uint64> = 20, cause: message Event = 21, rest: unknown_fields, _cache: skip,
    }
}

/// A value in every field.
const EVENT: &str = r#"
    ratio: 0.5 share: -1.5 delta: -3 balance: -9223372036854775808 port: 443 bytes: 1099511627776 east: -7 north: 8 hash: 9
    time: 10 low: -11 high: -12 sampled: true name: "request" trace: "0123456789abcdef" level: WARN comment: ""
    counts: [-1, 0, 300] tags: ["web", ""] sizes { key: "in" value: 3 } sizes { key: "out" value: 5 } cause { name: "leaf" }
    children { Host: "a1" } children {} legacy { port: 80 } Address: 0
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let event = tablepb::text::from_str::<Event>(EVENT)?;
    let bytes = event.encode_to_vec()?;
    assert_eq!(bytes, prost::Message::encode_to_vec(&event), "both write the same bytes");
    assert_eq!(Event::decode(&bytes)?, event);
    assert_eq!(<Event as prost::Message>::decode(&bytes[..])?, event);
    say!("{} fields, {} bytes, the same as prost's", Event::TABLE.fields().len(), bytes.len());
    let borrowed = Borrowed::decode(&bytes)?;
    assert_eq!((borrowed.name, borrowed.level.known()), ("request", Some(Level::Warn)));
    assert_eq!((&borrowed.trace, borrowed.cause.get()?.name.as_str()), (b"0123456789abcdef", "leaf"));
    let rest = RawFields::new(borrowed.rest.as_bytes()).count();
    say!("{} sizes, comment {:?}, {rest} fields kept", borrowed.sizes.len(), borrowed.comment);
    assert_eq!(Event::decode(&borrowed.encode_to_vec()?)?, event, "what has no member is kept");
    Ok(())
}

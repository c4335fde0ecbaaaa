//! Structs of `message!` with optional features: serde's traits, and strings that share the input.

use bytes::Bytes;
use bytestring::ByteString;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tablepb::{DecodeErrorKind, Message, UnknownFieldSet, json, wkt};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Low = 0,
    High = 1,
}

#[derive(Debug, Default, PartialEq)]
struct Job {
    id: i64,
    name: String,
    level: Option<Level>,
    data: Vec<u8>,
    counts: BTreeMap<u32, u64>,
    children: Vec<Job>,
    started: Option<wkt::Timestamp>,
    unknown: UnknownFieldSet,
}

#[derive(Default)]
struct Line<'a> {
    text: &'a str,
}

/// It has serde's own derives, and a listing without `#[serde]`.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Plain {
    id: i64,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Config {
    job: Job,
    plain: Plain,
}

tablepb::enumeration! { Level as "pkg.Level" { Low as "LEVEL_LOW" = 0, High as "LEVEL_HIGH" = 1 } }

tablepb::message! {
    /// A job.
    #[serde]
    Job as "pkg.Job" {
        id: int64 = 1,
        name: string = 2,
        level: enum Level = 3,
        data: bytes = 4,
        counts: map<uint32, uint64> = 5,
        children: repeated message Job = 6,
        started: message wkt::Timestamp = 7,
        unknown: unknown_fields,
    }
    #[serde]
    Line<'a> as "pkg.Line" { text: string = 1 }
    /// Nothing but a comment.
    Plain as "pkg.Plain" { id: int64 = 1 }
}

fn job() -> Job {
    Job {
        id: -(1 << 60),
        name: "a\n".into(),
        level: Some(Level::High),
        data: vec![1, 2],
        counts: BTreeMap::from([(7, u64::MAX)]),
        children: vec![Job { name: "b".into(), ..Job::default() }, Job::default()],
        started: Some("2026-11-27T10:00:00Z".parse().unwrap()),
        unknown: UnknownFieldSet::new(),
    }
}

#[test]
fn a_struct_goes_through_serde_as_through_json() {
    let config = Config { job: job(), plain: Plain { id: 5 } };
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(text, format!(r#"{{"job":{},"plain":{{"id":5}}}}"#, json::to_string(&job()).unwrap()));
    assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
    let yaml = serde_norway::to_string(&config).unwrap();
    assert_eq!(serde_norway::from_str::<Config>(&yaml).unwrap(), config);
    assert_eq!(serde_json::to_string(&Line { text: "x" }).unwrap(), r#"{"text":"x"}"#);
}

#[test]
fn formats_that_are_not_for_people_have_numbers() {
    let packed = rmp_serde::to_vec_named(&job()).unwrap();
    assert_eq!(rmp_serde::from_slice::<Job>(&packed).unwrap(), job());
    let mut cbor = Vec::new();
    ciborium::into_writer(&job(), &mut cbor).unwrap();
    assert_eq!(ciborium::from_reader::<Job, _>(&cbor[..]).unwrap(), job());
    let value: ciborium::Value = ciborium::from_reader(&cbor[..]).unwrap();
    let id = value.as_map().unwrap().iter().find(|entry| entry.0.as_text() == Some("id")).unwrap();
    assert_eq!(i128::from(id.1.as_integer().unwrap()), -(1 << 60));
}

#[test]
fn what_is_no_such_struct_is_an_error_with_a_path() {
    let error = serde_json::from_str::<Job>(r#"{"children":[{},{"id":"x"}]}"#).unwrap_err().to_string();
    assert!(error.contains("children[1].id"), "{error}");
    assert!(serde_json::from_str::<Job>("[]").is_err());
}

#[derive(Debug, PartialEq)]
enum Either {
    Text(ByteString),
    Number(i32),
}

#[derive(Debug, Default, PartialEq)]
struct Shared {
    plain: ByteString,
    given: Option<ByteString>,
    list: Vec<ByteString>,
    by_name: BTreeMap<ByteString, Bytes>,
    either: Option<Either>,
    parts: Vec<Bytes>,
}

tablepb::message! {
    Shared as "pkg.Shared" syntax "proto2" {
        plain: string = 1 [default = "none"],
        given: string = 2,
        list: repeated string = 3,
        by_name: map<string, bytes> = 4,
        either: oneof Either { Text as "text": string = 5, Number as "number": int32 = 6 },
        parts: repeated bytes = 7,
    }
}

fn shared() -> Shared {
    Shared {
        plain: "plain".into(),
        given: Some("".into()),
        list: vec!["one".into(), "zwölf".into()],
        by_name: BTreeMap::from([("key".into(), Bytes::from_static(b"value"))]),
        either: Some(Either::Text("text".into())),
        parts: vec![Bytes::from_static(b"\xff"), Bytes::new()],
    }
}

#[test]
fn strings_share_the_input() {
    let input = Bytes::from(shared().encode_to_vec().unwrap());
    let within = |part: &[u8]| input.as_ptr_range().contains(&part.as_ptr());
    let decoded = Shared::decode_shared(&input).unwrap();
    assert_eq!(decoded, shared());
    assert!(
        within(decoded.plain.as_bytes()) && within(decoded.list[1].as_bytes()) && within(&decoded.parts[0])
    );
    let (key, value) = decoded.by_name.iter().next().unwrap();
    assert!(within(key.as_bytes()) && within(value));
    assert!(matches!(&decoded.either, Some(Either::Text(text)) if within(text.as_bytes())));
    // Nothing to share: copies.
    let copied = Shared::decode(&input).unwrap();
    assert_eq!(copied, shared());
    assert!(!within(copied.plain.as_bytes()));
}

#[test]
fn strings_that_share_behave_as_strings() {
    assert_eq!(Shared::decode(b"").unwrap().plain, "none");
    let mut message = shared();
    message.clear();
    assert_eq!((&*message.plain, message.list.len()), ("none", 0));
    let error = Shared::decode_shared(&Bytes::from_static(b"\x1a\x02a\xff")).unwrap_err();
    assert_eq!((error.kind(), error.path().to_string().as_str()), (DecodeErrorKind::InvalidUtf8, "list[0]"));
    let text = json::to_string(&shared()).unwrap();
    assert_eq!(json::from_str::<Shared>(&text).unwrap(), shared());
    assert_eq!(json::from_str::<Shared>(r#"{"given":"a\u0041"}"#).unwrap().given.as_deref(), Some("aA"));
}

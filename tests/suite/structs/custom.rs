//! Members of types of one's own: the same bytes, JSON and text as members of the types that are encoded, and errors with a path
//! for what the types refuse.

use std::collections::{BTreeMap, HashMap};
use std::num::{NonZeroI64, NonZeroU32};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tablepb::wkt::Timestamp;
use tablepb::{CustomValue, DecodeErrorKind, DecodeOptions, EncodeOptions, EnumValue, Message};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Uuid([u8; 16]);

impl CustomValue for Uuid {
    type Encoded<'a> = &'a [u8];

    fn to_encoded(&self) -> &[u8] {
        &self.0
    }

    fn from_encoded(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    fn unset() -> Self {
        Self::default()
    }
}

/// An even number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Even(i64);

impl CustomValue for Even {
    type Encoded<'a> = i64;

    fn to_encoded(&self) -> i64 {
        self.0
    }

    fn from_encoded(number: i64) -> Option<Self> {
        (number % 2 == 0).then_some(Self(number))
    }

    fn unset() -> Self {
        Self(0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Low = 0,
    High = 1,
}

tablepb::enumeration! { Level as "custom.Level" { Low as "LOW" = 0, High as "HIGH" = 1 } }

/// A level of one's own, encoded as the enum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct IsHigh(bool);

impl CustomValue for IsHigh {
    type Encoded<'a> = EnumValue<Level>;

    fn to_encoded(&self) -> EnumValue<Level> {
        if self.0 { Level::High.into() } else { Level::Low.into() }
    }

    fn from_encoded(level: EnumValue<Level>) -> Option<Self> {
        level.known().map(|level| Self(level == Level::High))
    }

    fn unset() -> Self {
        Self(false)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Money {
    units: i64,
    cents: i32,
}

tablepb::message! { Money as "custom.Money" { units: int64 = 1, cents: int32 = 2 } }

/// An amount in cents, encoded as a message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cents(i64);

impl CustomValue for Cents {
    type Encoded<'a> = Money;

    fn to_encoded(&self) -> Money {
        Money { units: self.0 / 100, cents: (self.0 % 100) as i32 }
    }

    fn from_encoded(money: Money) -> Option<Self> {
        money.units.checked_mul(100)?.checked_add(money.cents.into()).map(Self)
    }

    fn unset() -> Self {
        Self(0)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Choice {
    Id(Uuid),
    Amount(Cents),
    Small(u8),
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Own {
    id: Uuid,
    parent: Option<Uuid>,
    links: Vec<Uuid>,
    name: Arc<str>,
    names: Vec<Box<str>>,
    level: u8,
    levels: Vec<u16>,
    steps: Vec<Even>,
    count: Option<NonZeroU32>,
    zigzag: Option<NonZeroI64>,
    high: IsHigh,
    highs: Vec<IsHigh>,
    at: Option<SystemTime>,
    price: Cents,
    prices: Vec<Cents>,
    by_size: BTreeMap<u8, Uuid>,
    by_name: HashMap<String, Cents>,
    choice: Option<Choice>,
    hash: [u8; 4],
    group: Option<Cents>,
}

tablepb::message! {
    Own as "custom.Own" {
        id: custom bytes = 1,
        parent: custom bytes = 2,
        links: repeated custom bytes = 3,
        name: custom string = 4,
        names: repeated custom string = 5,
        level: custom uint32 = 6,
        levels: repeated custom fixed32 = 7,
        steps: repeated custom sint64 = 8,
        count: optional custom uint32 = 9,
        zigzag: custom sint64 = 10,
        high: custom enum Level = 11,
        highs: repeated custom enum Level = 12 [packed = false],
        at: custom message Timestamp = 13,
        price: custom message Money = 14,
        prices: repeated custom message Money = 15,
        by_size: map<custom uint32, custom bytes> = 16,
        by_name: map<string, custom message Money> = 17,
        choice: oneof Choice { Id: custom bytes = 18, Amount: custom message Money = 19, Small: custom uint32 = 20 },
        hash: custom bytes = 21,
        group: custom group Money = 22,
    }
}

/// The same message with members of the types that are encoded.
#[derive(Clone, Debug, Default, PartialEq)]
struct Plain {
    id: Vec<u8>,
    parent: Option<Vec<u8>>,
    links: Vec<Vec<u8>>,
    name: String,
    names: Vec<String>,
    level: u32,
    levels: Vec<u32>,
    steps: Vec<i64>,
    count: Option<u32>,
    zigzag: Option<i64>,
    high: EnumValue<Level>,
    highs: Vec<EnumValue<Level>>,
    at: Option<Timestamp>,
    price: Money,
    prices: Vec<Money>,
    by_size: BTreeMap<u32, Vec<u8>>,
    by_name: HashMap<String, Money>,
    choice: Option<PlainChoice>,
    hash: Vec<u8>,
    group: Option<Money>,
}

#[derive(Clone, Debug, PartialEq)]
enum PlainChoice {
    Id(Vec<u8>),
    Amount(Money),
    Small(u32),
}

tablepb::message! {
    Plain as "custom.Own" {
        id: bytes = 1,
        parent: bytes = 2,
        links: repeated bytes = 3,
        name: string = 4,
        names: repeated string = 5,
        level: uint32 = 6,
        levels: repeated fixed32 = 7,
        steps: repeated sint64 = 8,
        count: optional uint32 = 9,
        zigzag: sint64 = 10,
        high: enum Level = 11,
        highs: repeated enum Level = 12 [packed = false],
        at: message Timestamp = 13,
        price: message Money = 14,
        prices: repeated message Money = 15,
        by_size: map<uint32, bytes> = 16,
        by_name: map<string, message Money> = 17,
        choice: oneof PlainChoice { Id: bytes = 18, Amount: message Money = 19, Small: uint32 = 20 },
        hash: bytes = 21,
        group: group Money = 22,
    }
}

fn own() -> Own {
    Own {
        id: Uuid([1; 16]),
        parent: Some(Uuid([2; 16])),
        links: vec![Uuid([3; 16]), Uuid([4; 16])],
        name: "one \"name\"".into(),
        names: vec!["".into(), "two".into()],
        level: 255,
        levels: vec![0, 7, u16::MAX],
        steps: vec![-2, 0, 1 << 40].into_iter().map(Even).collect(),
        count: NonZeroU32::new(9),
        zigzag: NonZeroI64::new(-5),
        high: IsHigh(true),
        highs: vec![IsHigh(false), IsHigh(true)],
        at: Some(UNIX_EPOCH + Duration::new(1_700_000_000, 250_000_000)),
        price: Cents(1_234),
        prices: vec![Cents(0), Cents(-150)],
        by_size: [(3, Uuid([5; 16])), (200, Uuid([6; 16]))].into(),
        by_name: [("a".to_string(), Cents(99))].into(),
        choice: Some(Choice::Amount(Cents(7))),
        hash: [1, 2, 3, 4],
        group: Some(Cents(5)),
    }
}

#[test]
fn they_are_encoded_as_what_they_give() {
    for choice in [Choice::Id(Uuid([9; 16])), Choice::Amount(Cents(100)), Choice::Small(200)] {
        let own = Own { choice: Some(choice), ..own() };
        let options = EncodeOptions::new().deterministic(true);
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        options.encode(&own, &mut bytes).unwrap();
        assert_eq!(own.encoded_len(), bytes.len());
        let plain = Plain::decode(&bytes).unwrap();
        options.encode(&plain, &mut again).unwrap();
        assert_eq!(bytes, again);
        assert_eq!(Own::decode(&bytes).unwrap(), own);
        assert_eq!(Own::TABLE.fields().len(), Plain::TABLE.fields().len());
        for (own, plain) in Own::TABLE.fields().iter().zip(Plain::TABLE.fields()) {
            assert_eq!(
                (own.name(), own.number(), own.is_optional(), own.cardinality()),
                (plain.name(), plain.number(), plain.is_optional(), plain.cardinality())
            );
        }
    }
}

#[test]
fn json_and_text_show_what_is_encoded() {
    for own in [own(), Own::decode(b"").unwrap(), Own { choice: Some(Choice::Id(Uuid([1; 16]))), ..own() }] {
        let plain = Plain::decode(&own.encode_to_vec().unwrap()).unwrap();
        let (json, text) = (tablepb::json::to_string(&own).unwrap(), tablepb::text::to_string(&own).unwrap());
        assert_eq!(json, tablepb::json::to_string(&plain).unwrap());
        assert_eq!(text, tablepb::text::to_string(&plain).unwrap());
        assert_eq!(tablepb::json::from_slice::<Own>(json.as_bytes()).unwrap(), own);
        assert_eq!(tablepb::text::from_str::<Own>(&text).unwrap(), own);
        let mut merged = Own::decode(b"").unwrap();
        tablepb::json::merge_from_slice(&mut merged, json.as_bytes()).unwrap();
        assert_eq!(merged, own);
    }
    for (json, path) in [
        (r#"{"level": 256}"#, "level"),
        (r#"{"steps": ["2", "3"]}"#, "steps"),
        (r#"{"hash": "AAAA"}"#, "hash"),
        (r#"{"bySize": {"300": ""}}"#, "by_size"),
        (r#"{"count": 0}"#, "count"),
    ] {
        let error = tablepb::json::from_slice::<Own>(json.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(path), "{json}: {error}");
    }
}

#[test]
fn unset_members_are_what_zero_is() {
    let unset = Own::decode(b"").unwrap();
    assert_eq!((&*unset.name, unset.level, unset.high, unset.price), ("", 0, IsHigh(false), Cents(0)));
    // No bytes are no hash, so it is what `unset` gives.
    assert_eq!((unset.hash, unset.id), ([0; 4], Uuid([0; 16])));
    // Which is not empty, and so written.
    assert_eq!(unset.encode_to_vec().unwrap().len(), 18 + 7);
    let mut cleared = own();
    cleared.clear();
    assert_eq!(cleared, unset);
    let mut merged = own();
    merged.merge(b"\x30\x07").unwrap();
    assert_eq!(merged, Own { level: 7, ..own() });
}

/// Occurrences of a message field merge, also where the member is of one's own.
#[test]
fn occurrences_of_messages_merge() {
    let bytes = [0x72, 2, 0x08, 3, 0x72, 2, 0x10, 5];
    assert_eq!(Own::decode(&bytes).unwrap().price, Cents(305));
    let group = [0xb3, 0x01, 0x08, 3, 0xb4, 0x01, 0xb3, 0x01, 0x10, 5, 0xb4, 0x01];
    assert_eq!(Own::decode(&group).unwrap().group, Some(Cents(305)));
    let oneof = [0x9a, 0x01, 2, 0x08, 3, 0x9a, 0x01, 2, 0x10, 5];
    assert_eq!(Own::decode(&oneof).unwrap().choice, Some(Choice::Amount(Cents(305))));
}

/// An element that is cut is named by its place in the list, not in the run that it came with.
#[test]
fn broken_elements_have_their_place_in_the_whole_list() {
    // Two fixed numbers, and the first bytes of the third; packed and not.
    for input in
        [b"\x3d\x01\0\0\0\x3d\x02\0\0\0\x3d\0".as_slice(), b"\x3d\x01\0\0\0\x3d\x02\0\0\0\x3a\x02\0\0"]
    {
        assert_eq!(Own::decode(input).unwrap_err().path().to_string(), "levels[2]", "{input:?}");
    }
}

#[test]
fn what_a_type_refuses_is_an_error_with_a_path() {
    let cases: [(&[u8], &str, usize); 13] = [
        (b"\x0a\x03abc", "id", 5),
        (b"\x12\x03abc", "parent", 5),
        (b"\x1a\x10aaaaaaaaaaaaaaaa\x1a\x01a", "links[1]", 21),
        (b"\x30\x80\x02", "level", 3),
        (b"\x3a\x08\x01\0\0\0\0\0\x01\0", "levels[1]", 6),
        (b"\x3d\x01\0\0\0\x3d\0\0\x01\0", "levels[1]", 6),
        (b"\x42\x03\x04\x08\x02", "steps[2]", 4),
        (b"\x48\x00", "count", 2),
        (b"\x58\x07", "high", 2),
        (b"\x6a\x02\x10\x7f\x6a\x06\x10\xff\xff\xff\xff\x07", "at", 12),
        (b"\x72\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "price", 12),
        (b"\x82\x01\x03\x08\x80\x02", "by_size.key", 6),
        (b"\xa0\x01\xac\x02", "Small", 4),
    ];
    for (input, path, offset) in cases {
        let error = Own::decode(input).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::InvalidValue, "{input:?}");
        assert_eq!((error.path().to_string().as_str(), error.offset()), (path, offset), "{input:?}");
        let mut message = own();
        assert!(message.merge(input).is_err());
        // The object is valid, and holds what came before the fault.
        let again = Own::decode(&message.encode_to_vec().unwrap()).unwrap();
        assert_eq!(again, message);
        message.merge(b"\x30\x01").unwrap();
        assert_eq!(message.level, 1);
    }
}

/// Text says so too, with the path.
#[cfg(feature = "json")]
#[test]
fn what_a_type_refuses_is_an_error_in_json_and_text() {
    use tablepb::ParseErrorKind;
    let errors = [
        tablepb::json::from_str::<Own>(r#"{"level": 256}"#).unwrap_err(),
        tablepb::text::from_str::<Own>("level: 256").unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.kind(), error.path().to_string()), (ParseErrorKind::InvalidValue, "level".into()));
    }
    let mut message = own();
    assert!(tablepb::json::merge_from_slice(&mut message, br#"{"level": 256}"#).is_err());
    assert_eq!(message, own());
}

/// At every budget and every length of the input, a decode fails or gives the message, and a merge leaves a message that can be used.
#[test]
fn failures_at_every_step_leave_a_usable_message() {
    let expected = own();
    let bytes = expected.encode_to_vec().unwrap();
    let mut taken = 0;
    for budget in (0..8_000).step_by(61) {
        let options = DecodeOptions::new().budget(budget);
        let mut message = own();
        let merged = options.merge(&mut message, &bytes).is_ok();
        message.encode_to_vec().unwrap();
        taken += usize::from(merged);
        if let Ok(decoded) = options.decode::<Own>(&bytes) {
            assert_eq!(decoded, expected);
        }
    }
    assert!(taken > 0 && DecodeOptions::new().budget(0).decode::<Own>(&bytes).is_err());
    for end in 0..bytes.len() {
        let mut message = own();
        let _ = message.merge(&bytes[..end]);
        assert_eq!(Own::decode(&message.encode_to_vec().unwrap()).unwrap(), message);
    }
    assert!(DecodeOptions::new().max_depth(0).decode::<Own>(&bytes).is_err());
}

#[derive(Debug, Default, PartialEq)]
struct Skipping<'a> {
    name: &'a str,
    cache: Vec<u64>,
    note: Option<String>,
}

tablepb::message! {
    Skipping<'a> as "custom.Skipping" { name: string = 1, cache: skip, note: skip }
}

/// `skip`: not encoded, the default after decoding, kept by merging and clearing.
#[test]
fn skipped_members_are_left_alone() {
    let mut message = Skipping { name: "a", cache: vec![1, 2], note: Some("b".into()) };
    let bytes = message.encode_to_vec().unwrap();
    assert_eq!(bytes, b"\x0a\x01a");
    assert_eq!(Skipping::decode(&bytes).unwrap(), Skipping { name: "a", ..Skipping::default() });
    assert_eq!(Skipping::TABLE.fields().len(), 1);
    message.merge(b"\x0a\x01c").unwrap();
    assert_eq!((message.name, message.cache.len(), message.note.is_some()), ("c", 2, true));
    assert!(message.merge(b"\x0a\x05c").is_err());
    message.clear();
    assert_eq!(message, Skipping { name: "", cache: vec![1, 2], note: Some("b".into()) });
}

/// Numbers in a message of their own.
#[derive(Debug, Default, PartialEq)]
struct Numbers(Vec<u32>);

#[derive(Debug, Default, PartialEq)]
struct NumbersMessage {
    numbers: Vec<u32>,
}

#[derive(Debug, Default, PartialEq)]
struct HasNumbers {
    numbers: Numbers,
}

tablepb::message! {
    NumbersMessage as "own.Numbers" { numbers: repeated uint32 = 1 }
    HasNumbers as "own.HasNumbers" { numbers: custom message NumbersMessage = 1 }
}

impl CustomValue for Numbers {
    type Encoded<'a> = NumbersMessage;

    fn to_encoded(&self) -> NumbersMessage {
        NumbersMessage { numbers: self.0.clone() }
    }

    fn from_encoded(message: NumbersMessage) -> Option<Self> {
        Some(Self(message.numbers))
    }

    fn unset() -> Self {
        Self::default()
    }
}

/// Each occurrence copies what the earlier ones made: 100 000 copies of 100 KB, if the budget did not pay for them.
#[test]
fn many_occurrences_of_a_custom_message_end_with_the_budget() {
    let numbers = HasNumbers { numbers: Numbers(vec![1; 100_000]) };
    let mut input = numbers.encode_to_vec().unwrap();
    for occurrences in [0, 10] {
        let more = [&input[..], &[0x0a, 0].repeat(occurrences)].concat();
        assert_eq!(HasNumbers::decode(&more).unwrap(), numbers, "{occurrences}");
    }
    input.extend([0x0a, 0].repeat(100_000));
    let error = HasNumbers::decode(&input).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded);
}

/// As those of numbers: decoding and clearing begin at the default, which is not written.
#[test]
fn custom_members_have_defaults() {
    #[derive(Default)]
    struct Old {
        even: Even,
        high: IsHigh,
        id: Uuid,
    }
    tablepb::message! {
        Old as "custom.Old" syntax "proto2" {
            even: custom int64 = 1 [default = 8],
            high: custom enum Level = 2 [default = HIGH],
            id: custom bytes = 3 [default = b"0123456789abcdef"],
        }
    }
    let id = Uuid(*b"0123456789abcdef");
    let mut old = Old::decode(b"").unwrap();
    assert_eq!((old.even, old.high, old.id), (Even(8), IsHigh(true), id));
    assert_eq!((old.encoded_len(), old.encode_to_vec().unwrap()), (0, vec![]));
    let zeros = [&b"\x08\x00\x10\x00\x1a\x10"[..], &[0; 16]].concat();
    assert_eq!(Old::default().encode_to_vec().unwrap(), zeros);
    old.merge(&zeros).unwrap();
    assert_eq!((old.even, old.high, old.id), (Even(0), IsHigh(false), Uuid([0; 16])));
    old.clear();
    assert_eq!((old.even, old.high, old.id), (Even(8), IsHigh(true), id));
}

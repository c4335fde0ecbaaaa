//! Bugs of structs that were there once, each by the name of what it broke.

#![cfg(feature = "std")]

use std::collections::{BTreeMap, HashMap};
use tablepb::{
    DecodeErrorKind, DecodeOptions, EncodeErrorKind, EncodeOptions, EnumValue, Lazy, Message, Prepared,
    SmallMap,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Color {
    Blue = 2,
    Red = 1,
}

/// A message whose fields that are not set are not zero.
#[derive(Clone, Debug, Default, PartialEq)]
struct Paint {
    layers: i32,
    name: String,
    color: i32,
    other: Option<EnumValue<Color>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Wall {
    paint: Paint,
    height: i32,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Strict {
    must: Option<u32>,
    may: i32,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Chain {
    id: i32,
    next: Lazy<Chain>,
}

tablepb::enumeration! { Color as "typed.Color" syntax "proto2" { Blue = 2, Red = 1 } }

tablepb::message! {
    Paint as "typed.Paint" syntax "proto2" {
        layers: int32 = 1 [default = 3],
        name: string = 2 [default = "white"],
        color: enum Color = 3,
        other: enum Color = 4,
    }
    Wall as "typed.Wall" syntax "proto2" { paint: message Paint = 1, height: int32 = 2 }
    Strict as "typed.Strict" syntax "proto2" { must: required uint32 = 1, may: int32 = 2 }
    Chain as "typed.Chain" { id: int32 = 1, next: message Chain = 2 }
}

/// Comparing decoded absent members, which have absent members.
#[test]
fn structs_with_a_lazy_member_of_their_own_type_are_compared() {
    assert_eq!(Chain::default(), Chain::default());
    let chain = Chain::decode(b"\x08\x01\x12\x04\x08\x02\x12\x00").unwrap();
    assert_eq!(chain, chain.clone());
    let decoded = Chain::decode(b"\x08\x01\x12\x04\x08\x02\x12\x00").unwrap();
    assert_eq!(decoded.next.get().unwrap().id, 2);
    assert_eq!(chain, decoded);
    // One that is absent is equal to one that is empty, as before.
    let empty = Chain::decode(b"\x12\x02\x12\x00").unwrap();
    assert_eq!(empty, Chain::default());
    assert_ne!(chain, Chain { id: 1, ..Chain::default() });
    assert_eq!(Chain { id: 0, next: Lazy::from(Chain::default()) }, Chain::default());
}

mod read {
    use super::*;

    #[derive(Debug, Default)]
    pub struct Holder {
        pub strict: Lazy<Strict>,
        pub group: Lazy<Strict>,
        pub next: Option<Box<Holder>>,
    }

    tablepb::message! {
        Holder as "typed.Holder" syntax "proto2" {
            strict: message Strict = 1,
            group: group Strict = 2,
            next: message Holder = 3,
        }
    }
}

/// The value that was made for the caller was written from then on, and was missing a field.
#[test]
fn reading_an_absent_lazy_member_does_not_change_what_is_encoded() {
    let deep = (0..100).fold(read::Holder::default(), |inner, _| read::Holder {
        next: Some(Box::new(inner)),
        ..Default::default()
    });
    let before = deep.encode_to_vec().unwrap();
    let mut at = Some(&deep);
    while let Some(holder) = at {
        assert_eq!(holder.strict.get().unwrap(), &Strict::default());
        holder.strict.validate().unwrap();
        holder.group.validate().unwrap();
        assert!(holder.strict == holder.group);
        assert_eq!((holder.strict.is_decoded(), holder.strict.as_bytes()), (true, Some(&b""[..])));
        at = holder.next.as_deref();
    }
    assert_eq!(deep.encode_to_vec().unwrap(), before);
    assert_eq!(deep.encoded_len(), before.len());
    // To be changed it is the value that counts.
    let mut holder = read::Holder::default();
    holder.strict.get().unwrap();
    holder.strict.get_mut().unwrap().may = 1;
    assert_eq!(holder.strict.as_bytes(), None);
    assert_eq!(holder.encode_to_vec().unwrap_err().kind(), EncodeErrorKind::MissingRequired);
    let copy = holder.strict.clone();
    assert_eq!(copy.into_inner().unwrap().may, 1);
    // What was read while it was absent gives way to what is merged.
    let mut holder = read::Holder::default();
    holder.strict.get().unwrap();
    holder.merge(b"\x0a\x02\x08\x07").unwrap();
    assert_eq!(holder.strict.get().unwrap().must, Some(7));
}

/// The member was what its `Default` gives, and not what `clear` makes of it.
#[test]
fn an_absent_message_member_has_the_defaults_of_its_fields() {
    let unset = Paint { layers: 3, name: "white".into(), color: 2, other: None };
    let wall = Wall::decode(b"\x10\x01").unwrap();
    assert_eq!((&wall.paint, wall.height), (&unset, 1));
    let mut cleared = Wall::default();
    cleared.clear();
    assert_eq!(cleared.paint, unset);
    assert_eq!(wall.encode_to_vec().unwrap(), b"\x10\x01");
    assert_eq!(Wall::decode(b"\x0a\x02\x18\x01").unwrap().paint, Paint { color: 1, ..unset });
}

mod hand_written {
    use super::*;

    #[derive(Debug, PartialEq)]
    pub enum Choice {
        Number(i32),
    }

    #[derive(Debug, PartialEq)]
    pub struct Settings {
        pub name: String,
        pub level: i32,
        pub flag: Option<bool>,
        pub list: Vec<i32>,
        pub map: HashMap<i32, i32>,
        pub choice: Option<Choice>,
        pub inner: Option<Box<Settings>>,
        pub lazy: Lazy<Strict>,
        pub unknown: Vec<u8>,
        pub cached: u8,
    }

    impl Default for Settings {
        fn default() -> Self {
            Self {
                name: "unnamed".into(),
                level: 9,
                flag: Some(true),
                list: vec![1],
                map: HashMap::from([(1, 1)]),
                choice: Some(Choice::Number(4)),
                inner: None,
                lazy: Strict { must: Some(3), may: 0 }.into(),
                unknown: vec![0xa0, 0x06, 0x01],
                cached: 7,
            }
        }
    }

    tablepb::message! {
        Settings as "typed.Settings" {
            cached: skip,
            name: string = 1,
            level: int32 = 2,
            flag: optional bool = 3,
            list: repeated int32 = 4,
            map: map<int32, int32> = 5,
            choice: oneof Choice { Number as "number": int32 = 6 },
            inner: message Settings = 7,
            lazy: message Strict = 8,
            unknown: unknown_fields,
        }
    }
}

/// Fields that are not on the wire had the values of `Default`, and were written with them.
#[test]
fn a_default_written_by_hand_is_not_what_absent_fields_are() {
    use hand_written::Settings;
    for input in [&b""[..], b"\x3a\x00", b"\x3a\x02\x3a\x00", b"\x22\x01\x05"] {
        let settings = Settings::decode(input).unwrap();
        assert_eq!(settings.encode_to_vec().unwrap(), input, "{input:?}");
        assert_eq!(settings.cached, 7);
    }
    let mut cleared = Settings::default();
    cleared.clear();
    assert_eq!(Settings::decode(b"").unwrap(), cleared);
}

mod values {
    use super::*;

    #[derive(Debug, Default)]
    pub struct Hash {
        pub map: HashMap<i32, Strict>,
    }
    #[derive(Debug, Default)]
    pub struct Tree {
        pub map: BTreeMap<i32, Strict>,
    }
    #[derive(Debug, Default)]
    pub struct Small {
        pub map: SmallMap<i32, Strict>,
    }
    #[derive(Debug, Default)]
    pub struct Ready {
        pub map: HashMap<i32, Prepared<Strict>>,
    }
    #[derive(Debug, Default)]
    pub struct Later {
        pub map: HashMap<i32, Lazy<Strict>>,
    }

    tablepb::message! {
        Hash as "typed.Hash" syntax "proto2" { map: map<int32, message Strict> = 1 }
        Tree as "typed.Tree" syntax "proto2" { map: map<int32, message Strict> = 1 }
        Small as "typed.Small" syntax "proto2" { map: map<int32, message Strict> = 1 }
        Ready as "typed.Ready" syntax "proto2" { map: map<int32, message Strict> = 1 }
        Later as "typed.Later" syntax "proto2" { map: map<int32, message Strict> = 1 }
    }
}

/// What decodes can be encoded: an entry without a value, or with an empty one, lacks its required field.
fn lacks_its_field<M: tablepb::DecodeOwned + std::fmt::Debug>() {
    for input in [&b"\x0a\x02\x08\x01"[..], b"\x0a\x00", b"\x0a\x04\x08\x01\x12\x00"] {
        let error = M::decode(input).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::MissingRequired, "{input:?}");
        let partial = DecodeOptions::new().allow_partial(true).decode::<M>(input).unwrap();
        assert_eq!(partial.encode_to_vec().unwrap_err().kind(), EncodeErrorKind::MissingRequired);
        EncodeOptions::new().allow_partial(true).encode(&partial, &mut Vec::new()).unwrap();
    }
    M::decode(b"\x0a\x04\x12\x02\x08\x01").unwrap().encode_to_vec().unwrap();
}

#[test]
fn a_map_value_without_its_required_field_does_not_decode() {
    lacks_its_field::<values::Hash>();
    lacks_its_field::<values::Tree>();
    lacks_its_field::<values::Small>();
    lacks_its_field::<values::Ready>();
    // One that is decoded later is checked then.
    let later = values::Later::decode(b"\x0a\x02\x08\x01").unwrap();
    assert_eq!(later.encode_to_vec().unwrap(), b"\x0a\x04\x08\x01\x12\x00");
}

mod plain {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    pub struct Outer {
        pub strict: Strict,
        pub group: Strict,
        pub middle: Middle,
        pub next: Option<Box<Outer>>,
        pub must: Option<i32>,
    }
    #[derive(Debug, Default, PartialEq)]
    pub struct Middle {
        pub must: Option<i32>,
        pub strict: Strict,
        pub list: Vec<Strict>,
    }

    tablepb::message! {
        Outer as "typed.Outer" syntax "proto2" {
            strict: message Strict = 1,
            group: group Strict = 2,
            middle: message Middle = 3,
            next: message Outer = 4,
            must: required int32 = 5,
        }
        Middle as "typed.Middle" syntax "proto2" {
            must: required int32 = 1,
            strict: message Strict = 2,
            list: repeated message Strict = 3,
        }
    }
}

/// A member that is there always was said to lack its fields when its message is not there.
#[test]
fn a_message_member_that_is_absent_lacks_no_field() {
    use plain::Outer;
    let outer = Outer::decode(b"\x28\x01").unwrap();
    assert_eq!(outer.encode_to_vec().unwrap(), b"\x28\x01");
    let error = |input: &[u8]| {
        let error = Outer::decode(input).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::MissingRequired);
        let partial = DecodeOptions::new().allow_partial(true).decode::<Outer>(input).unwrap();
        let encode = partial.encode_to_vec().unwrap_err();
        assert_eq!((encode.kind(), encode.path()), (EncodeErrorKind::MissingRequired, error.path()));
        let mut buffer = Vec::new();
        EncodeOptions::new().allow_partial(true).encode(&partial, &mut buffer).unwrap();
        assert_eq!(buffer.len(), partial.encoded_len());
        error.path().to_string()
    };
    assert_eq!(error(b""), "must");
    assert_eq!(error(b"\x28\x01\x0a\x02\x10\x01"), "strict.must");
    assert_eq!(error(b"\x28\x01\x13\x10\x01\x14"), "group.must");
    // What is in it may be all that it has.
    assert_eq!(error(b"\x28\x01\x1a\x04\x12\x02\x08\x01"), "middle.must");
    assert_eq!(error(b"\x28\x01\x1a\x06\x08\x01\x12\x02\x10\x01"), "middle.strict.must");
    assert_eq!(error(b"\x28\x01\x1a\x04\x1a\x02\x08\x01"), "middle.must");
    assert_eq!(error(b"\x28\x01\x1a\x02\x1a\x00"), "middle.list[0].must");
    assert_eq!(error(b"\x28\x01\x22\x00"), "next.must");
}

/// A member that is there always was entered, below all levels, to find that it is empty.
#[test]
fn an_absent_message_member_is_not_too_deep() {
    use plain::Outer;
    let nested = |levels: usize, innermost: Outer| {
        (0..levels).fold(innermost, |inner, _| Outer {
            next: Some(Box::new(inner)),
            must: Some(1),
            ..Outer::default()
        })
    };
    let plain = || Outer { must: Some(1), ..Outer::default() };
    let deep = nested(100, plain());
    let bytes = deep.encode_to_vec().unwrap();
    assert_eq!(bytes.len(), deep.encoded_len());
    assert_eq!(Outer::decode(&bytes).unwrap(), deep);
    assert_eq!(nested(101, plain()).encode_to_vec().unwrap_err().kind(), EncodeErrorKind::DepthExceeded);
    // With something in it, it is.
    let whole = |must| Strict { must, may: 0 };
    for innermost in [
        Outer { strict: whole(Some(1)), ..plain() },
        Outer { group: whole(Some(1)), ..plain() },
        Outer { middle: plain::Middle { must: Some(1), ..Default::default() }, ..plain() },
        Outer { middle: plain::Middle { strict: whole(Some(1)), ..Default::default() }, ..plain() },
        Outer { middle: plain::Middle { list: vec![whole(None)], ..Default::default() }, ..plain() },
    ] {
        let error = nested(100, innermost).encode_to_vec().unwrap_err();
        assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
        assert_eq!(error.path().steps().len(), 101, "{error}");
    }
    let fits = nested(99, Outer { strict: whole(Some(1)), ..plain() });
    assert_eq!(Outer::decode(&fits.encode_to_vec().unwrap()).unwrap(), fits);
}

mod nest {
    use super::*;

    #[derive(Debug, Default)]
    pub struct Node {
        pub next: Option<Box<Node>>,
        pub map: HashMap<i32, Node>,
        pub ready: HashMap<i32, Prepared<Node>>,
        pub later: HashMap<i32, Lazy<Node>>,
        pub numbers: HashMap<i32, i32>,
    }

    tablepb::message! {
        Node as "typed.Node" {
            next: message Node = 1,
            map: map<int32, message Node> = 2,
            ready: map<int32, message Node> = 3,
            later: map<int32, message Node> = 4,
            numbers: map<int32, int32> = 5,
        }
    }
}

/// As in C++, a value that is not in the input is no level of it. An encoder writes one, so what it would write too deep is an error then.
#[test]
fn an_entry_without_its_message_is_one_level_and_is_written_as_two() {
    for (entry, messages) in [([0x12, 0], true), ([0x1a, 0], true), ([0x22, 0], true), ([0x2a, 0], false)] {
        for levels in [97, 98, 99, 100] {
            let mut input = entry.to_vec();
            for _ in 0..levels {
                let mut outer = vec![0x0a];
                tablepb::wire::Writer::new(&mut outer).write_varint(input.len() as u64);
                outer.append(&mut input);
                input = outer;
            }
            let node = match nest::Node::decode(&input) {
                Ok(node) => node,
                Err(error) => {
                    assert_eq!((levels, error.kind()), (100, DecodeErrorKind::DepthExceeded), "{entry:?}");
                    continue;
                }
            };
            assert!(levels < 100, "{entry:?}");
            match node.encode_to_vec() {
                Ok(bytes) => {
                    assert!(levels + if messages { 2 } else { 1 } <= 100, "{entry:?} at {levels}");
                    assert!(nest::Node::decode(&bytes).is_ok());
                }
                Err(error) => {
                    assert_eq!((levels, messages), (99, true), "{entry:?}");
                    assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
                }
            }
        }
    }
}

mod lists {
    use super::*;

    #[derive(Clone, Debug, Default)]
    pub struct Maps {
        pub maps: HashMap<String, Maps>,
    }
    #[derive(Debug, Default)]
    pub struct Rows {
        pub rows: Vec<Lazy<Maps>>,
        pub one: Lazy<Maps>,
        pub nested: Lazy<Rows>,
    }

    tablepb::message! {
        Maps as "typed.Maps" { maps: map<string, message Maps> = 1 }
        Rows as "typed.Rows" { rows: repeated message Maps = 1, one: message Maps = 2, nested: message Rows = 3 }
    }
}

/// Each message that was decoded later had a budget of its own.
#[test]
fn messages_decoded_later_share_the_budget_of_their_input() {
    use lists::Rows;
    let input = [0x0a, 2, 0x0a, 0].repeat(200);
    let options = DecodeOptions::new().budget(7_500 * size_of::<usize>());
    let decoded = |rows: &Rows| rows.rows.iter().filter(|row| row.get().is_ok()).count();
    let rows = options.decode::<Rows>(&input).unwrap();
    let fit = decoded(&rows);
    // A map of one entry takes some 40 words.
    assert!((20..150).contains(&fit), "{fit}");
    let error = rows.rows.iter().find_map(|row| row.get().err()).unwrap();
    assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded);
    assert_eq!(decoded(&rows), fit);
    // In messages that are themselves decoded later, too.
    let mut outer = vec![0x1a];
    tablepb::wire::Writer::new(&mut outer).write_length_delimited(&input).unwrap();
    let outer = options.decode::<Rows>(&outer).unwrap();
    let inner = decoded(outer.nested.get().unwrap());
    assert!((1..=fit).contains(&inner), "{inner} of {fit}");
    // By default there is enough for all.
    let rows = Rows::decode(&input).unwrap();
    assert_eq!(decoded(&rows), 200);
}

/// What decoding has taken is given back when more bytes come and it is done again.
#[test]
fn merging_and_reading_in_turn_does_not_use_up_the_budget() {
    use lists::Rows;
    let mut rows = Rows::default();
    let large: Vec<u8> = (0..100_u8).flat_map(|key| [0x0a, 3, 0x0a, 1, key & 0x7f]).collect();
    let mut input = vec![0x12];
    tablepb::wire::Writer::new(&mut input).write_length_delimited(&large).unwrap();
    let options = DecodeOptions::new().budget(100_000);
    options.merge(&mut rows, &input).unwrap();
    for i in 0..200 {
        assert_eq!(rows.one.get().unwrap().maps.len(), 100, "{i}");
        options.merge(&mut rows, &[0x12, 5, 0x0a, 3, 0x0a, 1, i % 100]).unwrap();
    }
    assert_eq!(rows.one.clone().into_inner().unwrap().maps.len(), 100);
}

mod paths {
    use super::*;

    #[derive(Debug, Default)]
    pub struct Root {
        pub map: HashMap<i32, Strict>,
        pub list: Vec<Strict>,
        pub option: Option<Strict>,
        pub group: Option<Strict>,
        pub deep: BTreeMap<String, Root>,
        pub small: SmallMap<bool, Box<Root>>,
    }

    tablepb::message! {
        Root as "typed.Root" syntax "proto2" {
            map: map<int32, message Strict> = 1,
            list: repeated message Strict = 2,
            option: message Strict = 3,
            group: group Strict = 4,
            deep: map<string, message Root> = 5,
            small: map<bool, message Root> = 6,
        }
    }
}

/// What is missing in the value of a map was found in a field `value` of the entry.
#[test]
fn errors_have_the_paths_that_dynamic_messages_have() {
    let pool = tablepb::DescriptorPool::from_tables(&[paths::Root::TABLE]).unwrap();
    let root = pool.message("typed.Root").unwrap();
    let missing: &[&[u8]] = &[
        b"\x0a\x02\x08\x01",
        b"\x0a\x04\x08\x01\x12\x00",
        b"\x12\x02\x08\x01\x12\x00",
        b"\x1a\x00",
        b"\x23\x24",
        b"\x2a\x06\x12\x04\x0a\x02\x08\x01",
        b"\x2a\x05\x0a\x01a\x12\x00\x2a\x09\x0a\x01b\x12\x04\x12\x00\x1a\x00",
        b"\x32\x04\x12\x02\x1a\x00",
        b"\x0a\x04\x08\x01\x12\x02",
        b"\x0a\x06\x08\x01\x12\x02\x08\xff",
    ];
    for input in missing {
        let typed = paths::Root::decode(input).map(drop).unwrap_err();
        let dynamic = tablepb::DynamicMessage::decode(&root, input).unwrap_err();
        assert_eq!(typed.to_string(), dynamic.to_string(), "{input:02x?}");
        let options = DecodeOptions::new().allow_partial(true);
        let Ok(typed) = options.decode::<paths::Root>(input) else { continue };
        let dynamic = options.decode_dynamic(&root, input).unwrap();
        let (typed, dynamic) = (typed.encode_to_vec(), dynamic.encode_to_vec());
        assert_eq!(typed.unwrap_err().to_string(), dynamic.unwrap_err().to_string(), "{input:02x?}");
    }
}

#[derive(Debug, Default)]
struct Unpacked {
    numbers: Vec<i64>,
    bytes: Vec<u8>,
    names: Vec<String>,
}

tablepb::message! {
    Unpacked as "typed.Unpacked" {
        numbers: repeated int64 = 1,
        bytes: repeated custom uint32 = 2,
        names: repeated string = 3,
    }
}

/// A list that grows beyond the budget says at which element, in whatever form its elements come.
#[test]
fn lists_beyond_the_budget_have_the_index_in_their_paths() {
    // The length is 60 000.
    let packed = |tag: u8| [&[tag, 0xe0, 0xd4, 0x03][..], &[1; 60_000]].concat();
    for (name, input) in [
        ("numbers", [8, 1].repeat(60_000)),
        ("numbers", packed(0x0a)),
        ("bytes", [16, 1].repeat(60_000)),
        ("bytes", packed(0x12)),
        ("names", b"\x1a\x01x".repeat(60_000)),
    ] {
        let error = DecodeOptions::new().budget(30_000).decode::<Unpacked>(&input).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded, "{error}");
        let [step] = error.path().steps() else { panic!("{error}") };
        assert!(step.name() == Some(name) && step.index().is_some(), "{error}");
    }
}

//! `Prepared` messages: what is spliced is what would have been encoded, and what a struct with prepared members
//! accepts, refuses and writes is what one with decoded members does.

use crate::common::choices::{Choices, choices};
use crate::common::family::{family, schema};
use crate::common::payload::{TAME, WILD, mutate, payload};
use crate::common::samples::wrapped;
use crate::common::schema_gen::{self, ALL};
use crate::common::wire::Wire;
use proptest::prelude::*;
use std::collections::BTreeMap;
use tablepb::record::RecordPlan;
use tablepb::{
    DecodeError, DecodeErrorKind, DecodeOptions, DescriptorPool, DynamicMessage, EncodeError,
    EncodeErrorKind, EncodeOptions, Message, Prepared, Value,
};

family!(eager, Box);
family!(prepared, tablepb::Prepared);

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const LOOSE: EncodeOptions = EncodeOptions::new().allow_partial(true);

fn encoded(message: &impl Message, options: EncodeOptions) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    options.encode(message, &mut bytes).map(|()| bytes)
}

/// The path of an error. Each occurrence of a prepared member is checked on its own, so elements of lists in it count from
/// its beginning; those of a decoded member count from the first occurrence on.
fn without_indices(error: &DecodeError) -> String {
    let path = error.path().to_string();
    let names = path.split('[').enumerate();
    names
        .map(|(i, part)| if i == 0 { part } else { part.split_once(']').map_or(part, |(_, rest)| rest) })
        .collect()
}

/// Prepared and decoded members must agree about this input, to the last field of an error.
fn check(input: &[u8], options: DecodeOptions) {
    let (eager, prepared) = (options.decode::<eager::Root>(input), options.decode::<prepared::Root>(input));
    let (eager, prepared) = match (eager, prepared) {
        (Ok(eager), Ok(prepared)) => (eager, prepared),
        (Err(eager), Err(prepared)) => {
            assert_eq!((eager.kind(), eager.offset()), (prepared.kind(), prepared.offset()));
            if eager.kind() != DecodeErrorKind::MissingRequired {
                assert_eq!(without_indices(&eager), without_indices(&prepared));
            }
            return;
        }
        (eager, prepared) => panic!("{eager:?} but {prepared:?}"),
    };
    let plain = encoded(&eager, LOOSE).unwrap();
    // Members keep their bytes; as the encoder writes them, all is the same.
    let again = encoded(&prepared, LOOSE).unwrap();
    assert_eq!(PARTIAL.decode::<eager::Root>(&again).as_ref(), Ok(&eager));
    let canonical = PARTIAL.decode::<prepared::Root>(&plain).unwrap();
    assert_eq!(encoded(&canonical, LOOSE).unwrap(), plain);
    assert_eq!(canonical.encoded_len(), plain.len());
    assert_eq!(
        encoded(&eager, EncodeOptions::new()).is_ok(),
        encoded(&prepared, EncodeOptions::new()).is_ok()
    );
    // The limit that the whole needs is that of the parts.
    for depth in 0..7 {
        let (one, other) = (LOOSE.max_depth(depth), LOOSE.max_depth(depth));
        let (one, other) = (encoded(&eager, one), encoded(&canonical, other));
        assert_eq!(one.map_err(|error| error.kind()), other.map_err(|error| error.kind()));
    }
}

/// Sets every message field to the same message prepared.
fn prepare_fields(message: &DynamicMessage) -> DynamicMessage {
    let mut changed = message.clone();
    let prepare = |value: Value| match value {
        Value::Message(inner) => {
            let mut bytes = Vec::new();
            LOOSE.encode(&inner, &mut bytes).unwrap();
            // Some lack required fields, and cannot be prepared.
            Prepared::new(&inner).map_or(Value::Message(inner), |prepared| {
                assert_eq!(prepared.as_bytes(), bytes);
                Value::from(&prepared)
            })
        }
        other => other,
    };
    let fields: Vec<_> =
        message.fields().map(|(field, value)| (field.to_owned(), value.to_owned())).collect();
    for (field, value) in fields {
        let value = match value {
            Value::List(list) => Value::List(list.into_iter().map(prepare).collect()),
            Value::Map(map) => {
                Value::Map(map.into_iter().map(|(key, value)| (key, prepare(value))).collect())
            }
            value => prepare(value),
        };
        changed.set_field(&field, value).unwrap();
    }
    changed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn prepared_members_are_those_of_eager(mut choices in choices(200)) {
        let style = if choices.once_in(2) { WILD } else { TAME };
        let input = payload(&schema(), 0, &mut choices, style);
        check(&input, PARTIAL);
        check(&input, DecodeOptions::new());
        check(&input, PARTIAL.max_depth(choices.below(4) as u32));
    }

    #[test]
    fn faults_are_those_of_eager(mut choices in choices(200)) {
        let mut input = payload(&schema(), 0, &mut choices, TAME);
        mutate(&mut input, &mut choices);
        check(&input, PARTIAL);
    }

    #[test]
    fn merging_is_that_of_eager(mut choices in choices(200)) {
        let schema = schema();
        let (mut eager, mut prepared) = (eager::Root::default(), prepared::Root::default());
        for _ in 0..3 {
            let part = payload(&schema, 0, &mut choices, TAME);
            eager.merge(&part).unwrap();
            prepared.merge(&part).unwrap();
        }
        let again = encoded(&prepared, LOOSE).unwrap();
        let mut merged = eager::Root::default();
        merged.merge(&again).unwrap();
        prop_assert_eq!(&merged, &eager);
        let (one, other) = (encoded(&eager, EncodeOptions::new()), encoded(&prepared, EncodeOptions::new()));
        prop_assert_eq!(one.map(|_| ()).map_err(|e| e.kind()), other.map(|_| ()).map_err(|e| e.kind()));
    }

    #[test]
    fn dynamic_messages_with_prepared_ones_are_encoded_the_same(mut choices in choices(200)) {
        let schema = schema_gen::schema(&mut choices, ALL);
        let pool = schema.pool();
        let descriptor = crate::common::bridge::descriptor(&schema, &pool, 0);
        let input = payload(&schema, 0, &mut choices, TAME);
        let message = PARTIAL.decode_dynamic(&descriptor, &input).unwrap();
        // With maps in key order, in which the setters put their entries.
        let mut sorted = Vec::new();
        LOOSE.deterministic(true).encode(&message, &mut sorted).unwrap();
        let message = PARTIAL.decode_dynamic(&descriptor, &sorted).unwrap();
        let changed = prepare_fields(&message);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        LOOSE.encode(&message, &mut one).unwrap();
        LOOSE.encode(&changed, &mut other).unwrap();
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(changed.encoded_len(), one.len());
        // As deep as the one that is decoded, a copy too.
        for depth in 0..7 {
            let limit = LOOSE.max_depth(depth);
            let encode = |message: &DynamicMessage| {
                limit.encode(message, &mut Vec::new()).map_err(|error| error.kind())
            };
            prop_assert_eq!(encode(&message), encode(&changed));
            prop_assert_eq!(encode(&message), encode(&changed.as_view().to_owned()));
        }
    }
}

fn inner(name: &str) -> prepared::Inner {
    prepared::Inner { id: Some(1), name: Some(name.into()), ..Default::default() }
}

#[test]
fn one_message_goes_into_all_kinds_of_members() {
    let one = Prepared::new(&inner("a")).unwrap();
    assert_eq!((one.full_name(), one.depth(), one.as_bytes()), ("pkg.Inner", 0, &b"\x08\x01\x12\x01a"[..]));
    let root = prepared::Root {
        one: Some(one.clone()),
        list: vec![one.clone(), Prepared::new(&inner("b")).unwrap()],
        map: BTreeMap::from([(7, one.clone())]),
        group: Some(one.clone()),
        choice: Some(prepared::Choice::Inner(one.clone())),
        root: Some(Prepared::new(&prepared::Root { one: Some(one.clone()), ..Default::default() }).unwrap()),
        ..Default::default()
    };
    let whole =
        |name: &str| Box::new(eager::Inner { id: Some(1), name: Some(name.into()), ..Default::default() });
    let expected = eager::Root {
        one: Some(whole("a")),
        list: vec![whole("a"), whole("b")],
        map: BTreeMap::from([(7, whole("a"))]),
        group: Some(whole("a")),
        choice: Some(eager::Choice::Inner(whole("a"))),
        root: Some(Box::new(eager::Root { one: Some(whole("a")), ..Default::default() })),
        ..Default::default()
    };
    assert_eq!(root.encode_to_vec(), expected.encode_to_vec());
    assert_eq!(prepared::Root::decode(&root.encode_to_vec().unwrap()).unwrap(), root);
    // A clone shares the bytes.
    assert_eq!(one.as_bytes().as_ptr(), root.one.unwrap().as_bytes().as_ptr());
}

#[test]
fn required_fields_are_checked_before() {
    let error = Prepared::new(&prepared::Strict::default()).unwrap_err();
    assert_eq!(error.to_string(), "a required field is not set, in pkg.Strict: must");
    let error = Prepared::<prepared::Strict>::from_bytes(b"").unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::MissingRequired);
    // A struct that was merged may have one that lacks something, as it may lack something itself.
    let mut inner = prepared::Inner::default();
    inner.merge(b"\x2b\x2c").unwrap();
    let error = inner.encode_to_vec().unwrap_err();
    assert_eq!(
        (error.kind(), error.path().to_string()),
        (EncodeErrorKind::MissingRequired, "groups[0]".into())
    );
    assert_eq!(encoded(&inner, LOOSE).unwrap(), b"\x2b\x2c");
    assert_eq!(prepared::Inner::decode(b"\x2b\x2c").unwrap_err().kind(), DecodeErrorKind::MissingRequired);
}

#[test]
fn the_depth_of_the_whole_is_checked() {
    let nested = |levels| wrapped(levels, Wire::new().int(1, 1), |inner| Wire::new().message(4, inner)).0;
    for levels in [0, 1, 2, 3, 50, 99, 100] {
        let prepared = Prepared::<prepared::Inner>::from_bytes(&nested(levels)).unwrap();
        assert_eq!(prepared.depth() as usize, levels);
        let root = prepared::Root { list: vec![prepared], ..Default::default() };
        let error = root.encode_to_vec().err();
        assert_eq!(error.is_none(), levels < 100);
        if let Some(error) = error {
            assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
            assert_eq!(error.path().to_string(), "list[0]");
        }
        let eager = eager::Inner::decode(&nested(levels)).unwrap();
        assert_eq!(Prepared::new(&eager).unwrap().depth() as usize, levels);
    }
    assert!(Prepared::<prepared::Inner>::from_bytes(&nested(101)).is_err());

    // In dynamic messages, by every setter.
    let pool = DescriptorPool::from_tables(&[eager::Root::TABLE]).unwrap();
    let root = pool.message("pkg.Root").unwrap();
    let field = |name| root.field(name).unwrap();
    let prepared = Prepared::<eager::Inner>::from_bytes(&nested(3)).unwrap();
    for way in 0..4 {
        let mut message = DynamicMessage::new(&root);
        match way {
            0 => message.set_field(&field("one"), &prepared).unwrap(),
            1 => message.push(&field("list"), &prepared).unwrap(),
            2 => message.insert(&field("map"), 7, &prepared).unwrap(),
            _ => message.set_field(&field("group"), &prepared).unwrap(),
        }
        // An entry of a map is a level of its own.
        let needs = if way == 2 { 5 } else { 4 };
        let limits = |depth| EncodeOptions::new().max_depth(depth).encode(&message, &mut Vec::new());
        assert_eq!(limits(needs - 1).unwrap_err().kind(), EncodeErrorKind::DepthExceeded, "{way}");
        assert_eq!(limits(needs), Ok(()), "{way}");
    }
}

#[test]
fn records_take_structs_and_check_type_and_depth() {
    let pool = DescriptorPool::from_tables(&[eager::Root::TABLE]).unwrap();
    let plan = RecordPlan::new(&pool.message("pkg.Root").unwrap());
    let (one, list, group) = (plan.message("one"), plan.message("list"), plan.message("group"));
    let (one, list, group) = (one.unwrap(), list.unwrap(), group.unwrap());
    let a = Prepared::new(&eager::Inner { id: Some(1), ..Default::default() }).unwrap();
    let mut buf = Vec::new();
    let mut rec = plan.record(&mut buf);
    rec.prepared(one, &a);
    rec.prepared(list, &a.clone().erase());
    rec.prepared(group, &a);
    assert_eq!(rec.finish().unwrap(), b"\x0c\x12\x02\x08\x01\x1a\x02\x08\x01\x2b\x08\x01\x2c");

    let wrong = Prepared::new(&eager::Root::default()).unwrap();
    let mut rec = plan.record(&mut buf);
    rec.prepared(one, &wrong);
    assert_eq!(rec.finish().unwrap_err().kind(), EncodeErrorKind::WrongMessage);

    let nested = |levels| wrapped(levels, Wire::new().int(1, 1), |inner| Wire::new().message(4, inner)).0;
    for (levels, fits) in [(99, true), (100, false)] {
        let deep = Prepared::<eager::Inner>::from_bytes(&nested(levels)).unwrap();
        let mut rec = plan.record(&mut buf);
        rec.prepared(one, &deep);
        assert_eq!(
            rec.finish().map(|_| ()).map_err(|error| error.kind()),
            match fits {
                true => Ok(()),
                false => Err(EncodeErrorKind::DepthExceeded),
            }
        );
    }
}

#[test]
fn bytes_are_checked_against_a_descriptor() {
    let pool = DescriptorPool::from_tables(&[eager::Root::TABLE]).unwrap();
    let inner = pool.message("pkg.Inner").unwrap();
    // Kept byte for byte, as no encoder writes them.
    let bytes = Wire::new().bytes(2, "a").tag(1, 0).overlong(1, 3).int(99, 1).0;
    let prepared = Prepared::decode(&inner, &bytes).unwrap();
    assert_eq!((prepared.as_bytes(), prepared.depth()), (&bytes[..], 0));
    assert_eq!(Prepared::decode(&inner, b"\x12\x01\xff").unwrap_err().kind(), DecodeErrorKind::InvalidUtf8);
    assert_eq!(Prepared::decode(&inner, b"\x2b\x2c").unwrap_err().kind(), DecodeErrorKind::MissingRequired);
    let deep = Prepared::decode(&inner, b"\x22\x02\x22\x00").unwrap();
    assert_eq!((deep.depth(), format!("{deep:?}")), (2, "Prepared(pkg.Inner, 4 bytes)".into()));
    assert_ne!(deep, prepared);
}

#[test]
fn a_field_split_in_many_does_not_take_time_without_bound() {
    let part = Wire::new().message(2, Wire::new().bytes(2, "x".repeat(100)));
    let input = Wire::repeat(part, if cfg!(debug_assertions) { 3000 } else { 20_000 }).0;
    let error = prepared::Root::decode(&input).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded);
    assert!(eager::Root::decode(&input).is_ok());
}

#[test]
fn a_merge_into_members_pays_for_each_of_them_once() {
    // Four members of 20 KB, each made anew by a part of two bytes.
    let held = Wire::new().bytes(2, "x".repeat(20_000));
    let member = |part: Wire| {
        let members = Wire::new().message(2, part.clone()).group(5, part.clone()).message(6, part.clone());
        members.message(9, Wire::new().message(2, part)).0
    };
    let before = prepared::Root::decode(&member(held)).unwrap();
    let parts = member(Wire::new().int(1, 7));
    let merged = |budget| {
        let mut root = before.clone();
        DecodeOptions::new().budget(budget).merge(&mut root, &parts).map(|()| root)
    };
    let least = (0..1000).map(|step| step << 10).find(|&budget| merged(budget).is_ok()).unwrap();
    let bytes = before.encode_to_vec().unwrap();
    // What all of them take, and while the last one is joined its bytes once more.
    assert!(least >= bytes.len() && least <= bytes.len() + bytes.len() / 2, "{least} for {}", bytes.len());
    let (merged, joined) = (merged(least).unwrap().encode_to_vec().unwrap(), [bytes, parts].concat());
    assert_eq!(eager::Root::decode(&merged).unwrap(), eager::Root::decode(&joined).unwrap());
}

#[test]
fn the_generator_makes_prepared_fields() {
    let mut changed = 0;
    for seed in 0..100 {
        let mut choices = Choices::seeded(seed);
        let input = payload(&schema(), 0, &mut choices, TAME);
        let root = PARTIAL.decode::<prepared::Root>(&input).unwrap();
        changed += usize::from(root.one.is_some_and(|one| one.depth() > 0));
    }
    assert!(changed > 5, "{changed}");
}

mod incomplete {
    use super::*;

    #[derive(Default)]
    struct Strict {
        must: Option<u32>,
    }

    #[derive(Default)]
    struct Holder {
        part: Option<Prepared<Strict>>,
    }

    tablepb::message! {
        Strict as "incomplete.Strict" syntax "proto2" { must: required uint32 = 1 }
        Holder as "incomplete.Holder" syntax "proto2" { part: message Strict = 1 }
    }

    /// A message that lacks a required field can only come from a decode that allows it.
    #[test]
    fn a_record_refuses_what_lacks_a_required_field() {
        let pool = DescriptorPool::from_tables(&[Holder::TABLE]).unwrap();
        let plan = RecordPlan::new(&pool.message("incomplete.Holder").unwrap());
        let part = plan.message("part").unwrap();
        for (input, kind) in
            [(&[0x0a, 0][..], Some(EncodeErrorKind::MissingRequired)), (&[0x0a, 2, 8, 1], None)]
        {
            let prepared = PARTIAL.decode::<Holder>(input).unwrap().part.unwrap();
            let mut buf = Vec::new();
            let mut rec = plan.record(&mut buf);
            rec.prepared(part, &prepared);
            assert_eq!(rec.finish().map(drop).map_err(|error| error.kind()).err(), kind);
            assert_eq!(buf.is_empty(), kind.is_some());
        }
    }
}

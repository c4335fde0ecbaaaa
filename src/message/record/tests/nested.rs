//! Messages in records: nested ones, groups, entries of maps, prepared ones.

use super::*;
use alloc::vec;

#[test]
fn nested_messages_have_fields_of_their_own() {
    let plan = flow();
    let (inner, inners) = (plan.message("inner").unwrap(), plan.message("inners").unwrap());
    let (id, ids, deep) = (
        plan.uint64("inner.id").unwrap(),
        plan.uint32("inners.ids").unwrap(),
        plan.message("inner.deep").unwrap(),
    );
    assert_eq!(plan.uint64("inners.id").unwrap(), id, "a handle is of the type, not of the path");
    let mut calls = 0;
    let body = body_of(&plan, |rec| {
        rec.message(inner, |rec| {
            rec.set(id, 1);
            rec.message(deep, |rec| {
                rec.set(id, 2);
                rec.set(ids, 5);
            });
            rec.message(deep, |_| calls += 1);
            rec.set(id, 3);
            rec.set(ids, 6);
            rec.set(ids, 7);
        });
        rec.message(inner, |_| calls += 1);
        rec.message(inners, |_| ());
        rec.message(inners, |rec| rec.set(id, 4));
    });
    let expected = [
        &[0xca, 1, 13, 8, 1, 0x22, 5, 8, 2, 0x1a, 1, 5, 0x1a, 2, 6, 7][..],
        &[0xd2, 1, 0],
        &[0xd2, 1, 2, 8, 4],
    ];
    assert_eq!((body, calls), (expected.concat(), 0));
}

#[test]
fn lengths_of_every_width_come_out_minimal() {
    let plan = flow();
    let (bytes, inner, name) =
        (plan.bytes("bytes").unwrap(), plan.message("inner").unwrap(), plan.string("inner.name").unwrap());
    let big = String::from_utf8(vec![b'x'; 3 << 20]).unwrap();
    // The reserved width is that of the length before, so each change of width moves the body.
    for len in [0, 3 << 20, 5, 20_000, 120, 130, 16_300, 1, 1, 200, 2 << 20, 124, 125, 126, 127] {
        if cfg!(miri) && len > 200 {
            continue;
        }
        let body = body_of(&plan, |rec| rec.set(bytes, &big.as_bytes()[..len]));
        assert!(body.ends_with(&big.as_bytes()[..len]));
        let message = decoded(&plan, |rec| rec.message(inner, |rec| rec.set(name, &big[..len])));
        let inner = message.get_field("inner").unwrap();
        let name = inner.as_message().unwrap().get_field("name").unwrap();
        assert_eq!(name.as_str().map(str::len), Some(len));
    }
}

#[test]
fn groups_stand_between_tags() {
    let plan = RecordPlan::new(&message(&OLD));
    let (id, body, bodies) =
        (plan.int32("id").unwrap(), plan.message("body").unwrap(), plan.message("bodies").unwrap());
    let key = plan.string("bodies.key").unwrap();
    let bytes = body_of(&plan, |rec| {
        rec.set(id, 1);
        rec.message(body, |rec| rec.set(key, "a"));
        rec.message(bodies, |rec| rec.set(key, "b"));
    });
    assert_eq!(bytes, b"\x08\x01\x1b\x0a\x01a\x1c\x83\x19\x0a\x01b\x84\x19");
}

#[test]
fn maps_have_both_parts_of_every_entry() {
    let plan = flow();
    let counts = plan.map::<kind::Str, kind::Sint64>("counts").unwrap();
    let by_port = plan.map::<kind::Fixed32, kind::Submessage>("by_port").unwrap();
    let colors = plan.map::<kind::Bool, kind::Enum>("colors").unwrap();
    let (id, name) = (plan.uint64("by_port.value.id").unwrap(), plan.string("by_port.value.name").unwrap());
    let long = String::from_utf8(vec![b'y'; 300]).unwrap();
    let body = body_of(&plan, |rec| {
        rec.insert(counts, "", 0);
        rec.insert(counts, "a", -1);
        rec.insert(colors, true, 9);
        rec.insert_message(by_port, 80, |rec| rec.set(id, 1));
        rec.insert_message(by_port, 81, |rec| rec.set(name, &long));
    });
    let start = [
        &[0xda, 1, 4, 0x0a, 0, 0x10, 0][..],
        &[0xda, 1, 5, 0x0a, 1, b'a', 0x10, 1],
        &[0xea, 1, 4, 8, 1, 0x10, 9],
        &[0xe2, 1, 9, 0x0d, 80, 0, 0, 0, 0x12, 2, 8, 1],
        &[0xe2, 1, 0xb7, 2, 0x0d, 81, 0, 0, 0, 0x12, 0xaf, 2, 0x12, 0xac, 2, b'y'],
    ];
    assert!(body.starts_with(&start.concat()));
    let message = DynamicMessage::decode(plan.descriptor(), &body).unwrap();
    assert!(debug(&message).contains(&long));
}

#[test]
fn prepared_messages_are_spliced() {
    let plan = flow();
    let inner = message(&INNER);
    let mut message = DynamicMessage::new(&inner);
    message.set_field("id", 7u64).unwrap();
    let prepared = crate::message::Prepared::new(&message).unwrap();
    let (field, list) = (plan.message("inner").unwrap(), plan.message("inners").unwrap());
    let body = body_of(&plan, |rec| {
        rec.prepared(field, &prepared);
        rec.prepared(field, &prepared);
        rec.message(field, |_| panic!("written already"));
        rec.prepared(list, &prepared);
        rec.prepared(list, &prepared);
    });
    assert_eq!(body, [0xca, 1, 2, 8, 7, 0xd2, 1, 2, 8, 7, 0xd2, 1, 2, 8, 7]);

    let old = RecordPlan::new(&super::message(&OLD));
    let mut group = DynamicMessage::new(&super::message(&BODY));
    group.set_field("key", "k").unwrap();
    let prepared = crate::message::Prepared::new(&group).unwrap();
    let (id, field) = (old.int32("id").unwrap(), old.message("body").unwrap());
    let body = body_of(&old, |rec| {
        rec.set(id, 1);
        rec.prepared(field, &prepared);
    });
    assert_eq!(body, b"\x08\x01\x1b\x0a\x01k\x1c");
}

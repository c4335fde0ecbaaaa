//! Which calls write a field, and which do not.

use super::*;
use crate::wire::{Tag, WireType, Writer};
use alloc::vec;

#[test]
fn every_kind_is_written_as_itself() {
    let plan = flow();
    let message = decoded(&plan, |rec| {
        rec.set(plan.double("double").unwrap(), -0.0);
        rec.set(plan.float("float").unwrap(), 1.5);
        rec.set(plan.int32("int32").unwrap(), -1);
        rec.set(plan.int64("int64").unwrap(), i64::MIN);
        rec.set(plan.uint32("uint32").unwrap(), u32::MAX);
        rec.set(plan.uint64("uint64").unwrap(), u64::MAX);
        rec.set(plan.sint32("sint32").unwrap(), i32::MIN);
        rec.set(plan.sint64("sint64").unwrap(), -2);
        rec.set(plan.fixed32("fixed32").unwrap(), 1);
        rec.set(plan.fixed64("fixed64").unwrap(), 2);
        rec.set(plan.sfixed32("sfixed32").unwrap(), -3);
        rec.set(plan.sfixed64("sfixed64").unwrap(), -4);
        rec.set(plan.bool("bool").unwrap(), true);
        rec.set(plan.string("string").unwrap(), "é");
        rec.set(plan.bytes("bytes").unwrap(), &[0xff; 16]);
        rec.set(plan.enumeration("color").unwrap(), 7);
        rec.set(plan.bool("far").unwrap(), true);
    });
    let mut expected = DynamicMessage::new(plan.descriptor());
    expected.set_field("double", -0.0).unwrap();
    expected.set_field("float", 1.5f32).unwrap();
    expected.set_field("int32", -1).unwrap();
    expected.set_field("int64", i64::MIN).unwrap();
    expected.set_field("uint32", u32::MAX).unwrap();
    expected.set_field("uint64", u64::MAX).unwrap();
    expected.set_field("sint32", i32::MIN).unwrap();
    expected.set_field("sint64", -2i64).unwrap();
    expected.set_field("fixed32", 1u32).unwrap();
    expected.set_field("fixed64", 2u64).unwrap();
    expected.set_field("sfixed32", -3).unwrap();
    expected.set_field("sfixed64", -4i64).unwrap();
    expected.set_field("bool", true).unwrap();
    expected.set_field("string", "é").unwrap();
    expected.set_field("bytes", &[0xff; 16][..]).unwrap();
    expected.set_field("color", crate::message::Value::EnumNumber(7)).unwrap();
    expected.set_field("far", true).unwrap();
    assert_eq!(message, expected);
}

#[test]
fn the_first_value_wins() {
    let plan = flow();
    let (id, maybe) = (plan.uint32("uint32").unwrap(), plan.uint32("maybe").unwrap());
    let body = body_of(&plan, |rec| {
        assert!(rec.wants(id));
        rec.set(id, 1);
        assert!(!rec.wants(id));
        rec.set(id, 2);
        rec.force_set(id, 3);
        rec.set(maybe, 0);
        rec.set(maybe, 4);
        rec.extend(maybe, [5, 6]);
    });
    assert_eq!(body, [5 << 3, 1, 0x88, 1, 0]);
}

#[test]
fn zeros_without_presence_do_not_count() {
    let plan = flow();
    let (id, text, real) =
        (plan.uint32("uint32").unwrap(), plan.string("string").unwrap(), plan.double("double").unwrap());
    let body = body_of(&plan, |rec| {
        rec.set(id, 0);
        rec.set(text, "");
        rec.set(real, 0.0);
        rec.set(id, 9);
        rec.force_set(text, "");
        rec.set(text, "late");
        rec.force_set(real, 0.0);
    });
    assert_eq!(body, [5 << 3, 9, 14 << 3 | 2, 0, 1 << 3 | 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    let old = RecordPlan::new(&message(&OLD));
    let (id, zero) = (old.int32("id").unwrap(), old.int32("zero").unwrap());
    let body = body_of(&old, |rec| {
        rec.set(id, 0);
        rec.set(zero, 0);
        rec.set(zero, 1);
    });
    assert_eq!(body, [8, 0, 16, 0], "a zero with presence is a value");
}

#[test]
fn of_a_oneof_the_first_member_wins() {
    let plan = flow();
    let (number, text, nested) = (
        plan.uint32("one_number").unwrap(),
        plan.string("one_string").unwrap(),
        plan.message("one_flow").unwrap(),
    );
    let body = body_of(&plan, |rec| {
        rec.set(text, "");
        assert!(!rec.wants(number) && !rec.wants(nested));
        rec.set(number, 1);
        rec.message(nested, |_| panic!("not to be called"));
    });
    assert_eq!(body, [0x9a, 1, 0]);
    // A disabled member does not count as the first member of its oneof.
    let plan = plan.disable("one_string").unwrap();
    let body = body_of(&plan, |rec| {
        rec.set(text, "a");
        rec.message(nested, |rec| rec.set(text, "b"));
        rec.set(number, 1);
    });
    assert_eq!(body, [0xa2, 1, 0]);
}

#[test]
fn repeated_fields_append() {
    let plan = flow();
    let (packed, loose, strings) =
        (plan.sint32("packed").unwrap(), plan.uint32("loose").unwrap(), plan.string("strings").unwrap());
    let body = body_of(&plan, |rec| {
        rec.set(loose, 0);
        rec.set(loose, 300);
        rec.extend(loose, vec![1, 2]);
        rec.set(strings, "");
        rec.extend(strings, ["a", "b"]);
        rec.set(packed, -1);
        rec.set(packed, 100);
        rec.extend(packed, [0, 1]);
        rec.extend(packed, []);
        rec.set(packed, 3);
    });
    let expected = [
        &[0xb0, 1, 0, 0xb0, 1, 0xac, 2, 0xb0, 1, 1, 0xb0, 1, 2][..],
        &[0xba, 1, 0, 0xba, 1, 1, b'a', 0xba, 1, 1, b'b'],
        &[0xaa, 1, 3, 1, 200, 1, 0xaa, 1, 2, 0, 2, 0xaa, 1, 1, 6],
    ];
    assert_eq!(body, expected.concat());
}

#[test]
fn packed_elements_join_the_run_before_them_up_to_127_bytes() {
    let plan = flow();
    let (packed, fixed, id) =
        (plan.sint32("packed").unwrap(), plan.fixed64("fixed").unwrap(), plan.uint32("uint32").unwrap());
    let body = body_of(&plan, |rec| {
        (0..40).for_each(|_| rec.set(packed, i32::MIN));
        rec.set(id, 1);
        rec.set(packed, 1);
        rec.set(fixed, 1);
        rec.set(fixed, 2);
    });
    let runs: Vec<usize> = vec![25 * 5, 15 * 5, 1, 16];
    let mut reader = crate::wire::Reader::new(&body);
    let mut seen = Vec::new();
    while !reader.is_empty() {
        let tag = reader.read_tag().unwrap();
        match tag.wire_type() {
            WireType::LengthDelimited => seen.push(reader.read_length_delimited().unwrap().len()),
            _ => reader.skip_field(tag).unwrap(),
        }
    }
    assert_eq!(seen, runs);
}

#[test]
fn long_packed_runs_get_a_longer_length() {
    let plan = flow();
    let packed = plan.sint32("packed").unwrap();
    for count in [1, 63, 64, 127, 128, 9000] {
        // The size hint of an iterator may be wrong.
        for hidden in [false, true] {
            let body = body_of(&plan, |rec| match hidden {
                true => rec.extend(packed, (0..count * 2).filter(|n| n % 2 == 0)),
                false => rec.extend(packed, (0..count).map(|n| n * 2)),
            });
            let mut expected = Vec::new();
            let mut out = Writer::new(&mut expected);
            out.write_tag(Tag::new(21, WireType::LengthDelimited));
            out.write_packed_varints((0..count).map(|n| (n * 4) as u64)).unwrap();
            assert_eq!(body, expected);
        }
    }
}

#[test]
fn disabled_fields_are_skipped_in_every_way() {
    let plan = flow();
    let (id, strings, inner, inners) = (
        plan.uint32("uint32").unwrap(),
        plan.string("strings").unwrap(),
        plan.message("inner").unwrap(),
        plan.message("inners").unwrap(),
    );
    let (inner_id, inner_name) = (plan.uint64("inner.id").unwrap(), plan.string("inner.name").unwrap());
    let counts = plan.map::<kind::Str, kind::Sint64>("counts").unwrap();
    let by_port = plan.map::<kind::Fixed32, kind::Submessage>("by_port").unwrap();
    let prepared = crate::message::Prepared::new(&DynamicMessage::new(&message(&INNER))).unwrap();
    let write = |rec: &mut RecordWriter<'_>| {
        rec.set(id, 1);
        rec.force_set(id, 0);
        rec.set(strings, "a");
        rec.extend(strings, ["b"]);
        rec.message(inner, |_| panic!("disabled"));
        rec.prepared(inner, &prepared);
        rec.insert(counts, "a", 1);
        rec.insert_message(by_port, 1, |_| panic!("disabled"));
        assert!(!rec.wants(id) && !rec.wants(strings) && !rec.wants(inner));
        rec.message(inners, |rec| {
            rec.set(inner_id, 5);
            rec.set(inner_name, "n");
        });
    };
    let names = ["uint32", "strings", "inner", "counts", "by_port", "inners.id"];
    let off = names.into_iter().try_fold(plan.clone(), RecordPlan::disable).unwrap();
    assert_eq!(body_of(&off, write), b"\xd2\x01\x03\x12\x01n");
    // The same by a group, which can be enabled again.
    let plan = plan.group("all", names).unwrap();
    let off = plan.disable("all").unwrap();
    assert_eq!(body_of(&off, write), b"\xd2\x01\x03\x12\x01n");
    assert!(!off.is_enabled("all") && !off.is_enabled("inner.id") && off.is_enabled("inner.name"));
    let on = off.enable("all").unwrap();
    assert!(on.is_enabled("all") && on.is_enabled("uint32"));
    assert_eq!(body_of(&on, |rec| rec.set(id, 1)), [5 << 3, 1]);
}

#[test]
fn enable_only_leaves_nothing_else() {
    let plan = flow().group("pair", ["uint32", "string"]).unwrap();
    let plan = plan.enable_only(["pair", "inners.name"]).unwrap();
    let on = ["uint32", "string", "inners", "inners.name"];
    let off = ["uint64", "inners.id", "inner", "counts", "far"];
    assert!(on.iter().all(|name| plan.is_enabled(name)) && !off.iter().any(|name| plan.is_enabled(name)));
    let all = plan.enable_only(["inner"]).unwrap();
    assert!(all.is_enabled("inner") && all.is_enabled("inner.name") && !all.is_enabled("inners"));
    assert!(!all.is_enabled("inner.id"), "what was off in the nested message stays off");
}

#[test]
fn wide_messages_work_as_small_ones() {
    let count = 1_000;
    let mut set = Vec::new();
    let mut file = Writer::new(&mut set);
    file.write_message(Tag::new(1, WireType::LengthDelimited), |file| {
        for (number, text) in [(1, "wide.proto"), (12, "proto3")] {
            file.write_tag(Tag::new(number, WireType::LengthDelimited));
            file.write_length_delimited(text.as_bytes())?;
        }
        file.write_message(Tag::new(4, WireType::LengthDelimited), |message| {
            message.write_tag(Tag::new(1, WireType::LengthDelimited));
            message.write_length_delimited(b"Wide")?;
            for number in 1..=count {
                message.write_message(Tag::new(2, WireType::LengthDelimited), |field| {
                    let name = alloc::format!("f{number}");
                    field.write_tag(Tag::new(1, WireType::LengthDelimited));
                    field.write_length_delimited(name.as_bytes())?;
                    for (tag, value) in [(3, number), (4, 1), (5, 13)] {
                        field.write_tag(Tag::new(tag, WireType::Varint));
                        field.write_varint(value);
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })
    })
    .unwrap();
    let pool = DescriptorPool::decode(&set).unwrap();
    let plan = RecordPlan::new(&pool.find_message("Wide").unwrap()).disable("f700").unwrap();
    let body = body_of(&plan, |rec| {
        for round in 1..=2 {
            for number in [1, 64, 256, 257, 700, 1000] {
                rec.set(plan.uint32(&alloc::format!("f{number}")).unwrap(), round);
            }
        }
    });
    assert_eq!(body, [8, 1, 0x80, 4, 1, 0x80, 16, 1, 0x88, 16, 1, 0xc0, 62, 1]);
}

#[cfg(feature = "bytes")]
#[test]
fn both_buffers_take_records() {
    let plan = flow();
    let text = plan.string("string").unwrap();
    let mut vec = Vec::new();
    let mut bytes = crate::bytes::BytesMut::new();
    for len in 0..300 {
        let value = String::from_utf8(vec![b'z'; len]).unwrap();
        let mut rec = plan.record(&mut vec);
        rec.force_set(text, &value);
        let first = rec.finish().unwrap().to_vec();
        let mut rec = plan.record(&mut bytes);
        rec.force_set(text, &value);
        assert_eq!(rec.finish().unwrap(), first);
    }
    assert_eq!(vec, bytes);
    assert_eq!(crate::stream::frames(&vec).filter_map(Result::ok).count(), 300);
}

//! Names that a plan refuses, errors that `finish` returns, and buffers that keep their content.

use super::*;
use crate::message::Prepared;
use crate::partial::{PathError, PathErrorKind};
use crate::wire::error::EncodeError;
use crate::wire::error::EncodeErrorKind;
use crate::wire::varint_len;
use alloc::format;
use alloc::string::ToString;

/// The error of a record; checks that the buffer has its old content and nothing else.
fn error_of(plan: &RecordPlan, write: impl FnOnce(&mut RecordWriter<'_>)) -> EncodeError {
    let mut buf = b"before".to_vec();
    let mut rec = plan.record(&mut buf);
    write(&mut rec);
    let error = rec.finish().unwrap_err();
    assert_eq!(buf, b"before");
    error
}

#[test]
fn a_path_resolves_the_fields_of_a_nested_message() {
    let plan = flow();
    for (path, found) in [
        ("inner", "inner"),
        ("inner.deep.deep", "inner.deep.deep"),
        ("one_flow.inners", "one_flow.inners"),
        ("by_port", "by_port.value"),
        ("by_port.value", "by_port.value"),
        ("by_port.value.deep", "by_port.value.deep"),
    ] {
        let at = plan.at(path).unwrap();
        assert_eq!(at.path(), found);
        assert_eq!(at.string("name").unwrap(), plan.string(&format!("{found}.name")).unwrap());
        assert_eq!(at.at("deep").unwrap().path(), format!("{found}.deep"));
        assert!(core::ptr::eq(at.plan(), &plan));
    }
    let outer = plan.at("one_flow").unwrap();
    let counts = outer.map::<kind::Str, kind::Sint64>("counts").unwrap();
    assert_eq!(counts, plan.map("one_flow.counts").unwrap());
    let kind_at = |path: &str| plan.at(path).unwrap_err().kind();
    for path in
        ["", "nope", "inner.nope", "inner.", ".inner", "inner.value", "by_port.key", "by_port.value.value"]
    {
        assert_eq!(kind_at(path), PathErrorKind::NoSuchField, "{path:?}");
    }
    for path in ["uint32", "inner.ids", "counts", "counts.value", "strings"] {
        assert_eq!(kind_at(path), PathErrorKind::WrongKind, "{path:?}");
    }
    let error = plan.at("inner").unwrap().uint32("nmae").unwrap_err();
    assert_eq!(error.to_string(), "no such field: inner.nmae in pkg.Flow");
    let error = plan.at("inner").unwrap().uint32("name").unwrap_err();
    assert_eq!(error.to_string(), "the field is of another kind: inner.name in pkg.Flow (it is string)");
}

#[test]
fn an_unframed_record_is_the_message_alone() {
    let plan = flow();
    let (string, inner) = (plan.string("string").unwrap(), plan.message("inner").unwrap());
    let name = plan.string("inner.name").unwrap();
    // Framed and unframed in turn, short and long: the room that is guessed for the length is right and wrong.
    for len in [0, 1, 100, 126, 127, 128, 300, 16_383, 16_384, 20_000] {
        let text = "x".repeat(len);
        let fill = |rec: &mut RecordWriter<'_>| {
            rec.force_set(string, &text);
            rec.message(inner, |rec| rec.set(name, &text));
        };
        let body = body_of(&plan, fill);
        for framed in [false, false, true, true, false] {
            let mut buf = b"before".to_vec();
            let mut rec = plan.record(&mut buf);
            fill(&mut rec);
            let end = match framed {
                true => crate::stream::read_frame(&mut rec.finish().unwrap()).unwrap().unwrap().to_vec(),
                false => rec.finish_unframed().unwrap().to_vec(),
            };
            assert_eq!(end, body);
            assert_eq!(buf.len(), 6 + body.len() + if framed { varint_len(body.len() as u64) } else { 0 });
            assert!(buf.starts_with(b"before") && buf.ends_with(&body));
        }
    }
    let mut buf = b"before".to_vec();
    assert_eq!(plan.record(&mut buf).finish_unframed().unwrap(), b"");
    assert_eq!(plan.record(&mut buf).finish().unwrap(), b"\0");
    assert_eq!(plan.record(&mut buf).finish_unframed().unwrap(), b"");
    assert_eq!(buf, b"before\0");
}

/// Found by the fuzz target `records`: no run was told from a run by its end at 0, where a record without a prefix starts.
#[test]
fn an_unframed_record_may_start_with_a_packed_value() {
    static LIST: MessageTable =
        MessageTable::new("pkg.List", &[FieldTable::new("ids", 1, Kind::Uint32).repeated()]);
    let pool = DescriptorPool::from_tables(&[&LIST]).unwrap();
    let plan = RecordPlan::new(&pool.find_message("pkg.List").unwrap());
    let ids = plan.uint32("ids").unwrap();
    for values in [&[1][..], &[300, 7, 0], &[5; 40]] {
        // The second record reserves no room for a length, because the first one had none.
        for _ in 0..2 {
            let (mut buf, mut one) = (Vec::new(), Vec::new());
            let mut rec = plan.record(&mut buf);
            values.iter().for_each(|&value| rec.set(ids, value));
            rec.finish_unframed().unwrap();
            let mut rec = plan.record(&mut one);
            rec.extend(ids, values.iter().copied());
            assert_eq!(rec.finish_unframed().unwrap(), buf);
        }
    }
}

#[test]
fn an_unframed_record_that_fails_leaves_the_buffer() {
    let (plan, other) = (flow(), flow());
    let foreign = other.uint32("uint32").unwrap();
    for framed_before in [false, true] {
        let mut buf = b"before".to_vec();
        let rec = plan.record(&mut buf);
        if framed_before { rec.finish().map(drop) } else { rec.finish_unframed().map(drop) }.unwrap();
        buf.truncate(6);
        let mut rec = plan.record(&mut buf);
        rec.set(foreign, 1);
        assert_eq!(rec.finish_unframed().unwrap_err().kind(), EncodeErrorKind::ForeignField);
        assert_eq!(buf, b"before");
    }
    let old = RecordPlan::new(&message(&OLD));
    let error = old.record(&mut Vec::new()).finish_unframed().unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::MissingRequired);
}

#[test]
fn names_are_checked() {
    let plan = flow();
    let kind = |result: Result<(), PathError>| result.unwrap_err().kind();
    for name in ["", "nope", "inner.", "inner.nope", "uint32.id", ".uint32", "inner..id", "counts.value"] {
        assert_eq!(kind(plan.field::<kind::Uint32>(name).map(drop)), PathErrorKind::NoSuchField, "{name:?}");
        assert_eq!(kind(plan.clone().disable(name).map(drop)), PathErrorKind::NoSuchField, "{name:?}");
        assert!(!plan.is_enabled(name));
    }
    for name in ["by_port.key", "by_port.id", "by_port.value.nope", "[pkg.Flow]", "counts.value.x"] {
        assert_eq!(kind(plan.clone().enable(name).map(drop)), PathErrorKind::NoSuchField, "{name:?}");
    }
    assert_eq!(kind(plan.uint32("uint64").map(drop)), PathErrorKind::WrongKind);
    assert_eq!(kind(plan.int32("sint32").map(drop)), PathErrorKind::WrongKind);
    assert_eq!(kind(plan.message("counts").map(drop)), PathErrorKind::WrongKind);
    assert_eq!(kind(plan.map::<kind::Str, kind::Int64>("counts").map(drop)), PathErrorKind::WrongKind);
    assert_eq!(kind(plan.clone().group("uint32", ["uint64"]).map(drop)), PathErrorKind::DuplicateName);
    assert_eq!(kind(plan.clone().group("g", ["nope"]).map(drop)), PathErrorKind::NoSuchField);
    assert_eq!(kind(plan.clone().enable_only(["uint32", "g"]).map(drop)), PathErrorKind::NoSuchField);
    let error = plan.uint32("counts").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the field is of another kind: counts in pkg.Flow (it is map<string, sint64>)"
    );
    assert_eq!((error.segment(), error.message_name()), ("counts", "pkg.Flow"));
}

#[test]
fn handles_of_other_plans_are_errors() {
    let (plan, other) = (flow(), flow());
    let (own, foreign) = (plan.uint32("uint32").unwrap(), other.uint32("uint32").unwrap());
    assert_ne!(own, foreign);
    let error = error_of(&plan, |rec| {
        rec.set(own, 1);
        assert!(!rec.wants(foreign));
        rec.set(foreign, 2);
        rec.set(own, 3);
    });
    assert_eq!((error.kind(), error.message_name()), (EncodeErrorKind::ForeignField, Some("pkg.Flow")));
    // Handles are valid for clones, whichever fields these enable.
    let clone = plan.clone().disable("string").unwrap();
    assert_eq!(body_of(&clone, |rec| rec.set(own, 1)), [5 << 3, 1]);
}

#[test]
fn handles_of_other_messages_are_errors() {
    let plan = flow();
    let (inner, id, outer) =
        (plan.message("inner").unwrap(), plan.uint64("inner.id").unwrap(), plan.uint32("uint32").unwrap());
    assert_eq!(error_of(&plan, |rec| rec.set(id, 1)).kind(), EncodeErrorKind::ForeignField);
    let error = error_of(&plan, |rec| {
        rec.message(inner, |rec| rec.set(outer, 1));
        rec.set(outer, 1);
    });
    assert_eq!((error.kind(), error.path().to_string().as_str()), (EncodeErrorKind::ForeignField, "inner"));
}

#[test]
fn nothing_is_called_after_an_error() {
    let plan = flow();
    let foreign = flow().uint32("uint32").unwrap();
    let (inner, strings) = (plan.message("inner").unwrap(), plan.string("strings").unwrap());
    let by_port = plan.map::<kind::Fixed32, kind::Submessage>("by_port").unwrap();
    let error = error_of(&plan, |rec| {
        rec.set(foreign, 1);
        rec.message(inner, |_| panic!("called"));
        rec.insert_message(by_port, 1, |_| panic!("called"));
        rec.extend(strings, core::iter::from_fn(|| panic!("called")));
    });
    assert_eq!(error.kind(), EncodeErrorKind::ForeignField);
}

#[test]
fn required_fields_are_required() {
    let plan = RecordPlan::new(&message(&OLD));
    let (id, bodies, key) =
        (plan.int32("id").unwrap(), plan.message("bodies").unwrap(), plan.string("body.key").unwrap());
    let error = error_of(&plan, |_| ());
    assert_eq!((error.kind(), error.path().to_string().as_str()), (EncodeErrorKind::MissingRequired, "id"));
    let error = error_of(&plan, |rec| {
        rec.set(id, 0);
        rec.message(bodies, |rec| rec.set(key, ""));
        rec.message(bodies, |_| ());
    });
    assert_eq!(error.path().to_string(), "bodies.key");
    assert_eq!(error.to_string(), "a required field is not set, in pkg.old.Old: bodies.key");
    let lax = plan.clone().disable("id").unwrap();
    assert!(body_of(&lax, |_| ()).is_empty(), "a disabled field is not required");
}

#[test]
fn closed_enums_take_what_they_list() {
    let plan = RecordPlan::new(&message(&OLD));
    let (id, shade, shades) =
        (plan.int32("id").unwrap(), plan.enumeration("shade").unwrap(), plan.enumeration("shades").unwrap());
    let by_name = plan.map::<kind::Str, kind::Enum>("by_name").unwrap();
    let body = body_of(&plan, |rec| {
        rec.set(id, 0);
        rec.set(shade, -2);
        rec.extend(shades, [1, -2]);
        rec.set(shades, 1);
        rec.insert(by_name, "a", 1);
    });
    assert_eq!(body.len(), 2 + 11 + 13 + 3 + 7);
    type Write = fn(&mut RecordWriter<'_>);
    let bad: [(&str, Write); 4] = [
        ("shade", |rec| rec.set(rec.plan().enumeration("shade").unwrap(), 2)),
        ("shades", |rec| rec.set(rec.plan().enumeration("shades").unwrap(), -1)),
        ("shades", |rec| rec.extend(rec.plan().enumeration("shades").unwrap(), [1, 5])),
        ("by_name", |rec| rec.insert(rec.plan().map::<kind::Str, kind::Enum>("by_name").unwrap(), "a", 3)),
    ];
    for (path, write) in bad {
        let error = error_of(&plan, |rec| {
            rec.set(id, 0);
            write(rec);
        });
        assert_eq!((error.kind(), &*error.path().to_string()), (EncodeErrorKind::UnknownEnumNumber, path));
    }
}

#[test]
fn prepared_messages_of_other_types_are_errors() {
    let plan = flow();
    let prepared = crate::message::Prepared::new(&DynamicMessage::new(&message(&FLOW))).unwrap();
    let inner = plan.message("inner").unwrap();
    let error = error_of(&plan, |rec| rec.prepared(inner, &prepared));
    assert_eq!((error.kind(), error.path().to_string().as_str()), (EncodeErrorKind::WrongMessage, "inner"));
}

/// A record takes a prepared message as deep as decoders take it there, and no deeper.
#[test]
fn the_depth_of_prepared_messages_is_limited() {
    fn nest(rec: &mut RecordWriter<'_>, deep: Field<kind::Submessage>, depth: u32, last: &Prepared) {
        match depth {
            0 => rec.prepared(deep, last),
            _ => rec.message(deep, |rec| nest(rec, deep, depth - 1, last)),
        }
    }
    let plan = flow();
    let deep = plan.message("one_flow").unwrap();
    for levels in [0, 1, 50, 99] {
        let mut prepared = DynamicMessage::new(plan.descriptor());
        for _ in 0..levels {
            let mut outer = DynamicMessage::new(plan.descriptor());
            outer.set_field("one_flow", prepared).unwrap();
            prepared = outer;
        }
        let prepared = Prepared::new(&prepared).unwrap();
        // A hundred messages may be nested in a record: `outer` ones, the prepared one, and `levels` in that.
        for outer in 98 - levels.min(98)..101 - levels {
            let mut buf = Vec::new();
            let mut rec = plan.record(&mut buf);
            nest(&mut rec, deep, outer, &prepared);
            match rec.finish_unframed() {
                Ok(body) => {
                    assert!(DynamicMessage::decode(plan.descriptor(), body).is_ok(), "{levels} {outer}");
                    assert!(outer + levels < 100, "{levels} {outer}");
                }
                Err(error) => {
                    assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
                    assert!(outer + levels >= 100, "{levels} {outer}");
                }
            }
        }
    }
}

#[test]
fn depth_is_limited() {
    fn nest(rec: &mut RecordWriter<'_>, deep: Field<kind::Submessage>, depth: u32) {
        if depth > 0 {
            rec.message(deep, |rec| nest(rec, deep, depth - 1));
        }
    }
    let plan = RecordPlan::new(&message(&INNER));
    let deep = plan.message("deep").unwrap();
    let at_limit = decoded(&plan, |rec| nest(rec, deep, 100));
    assert!(at_limit.has_field("deep"));
    let error = error_of(&plan, |rec| nest(rec, deep, 101));
    assert_eq!((error.kind(), error.path().steps().len()), (EncodeErrorKind::DepthExceeded, 101));
}

#[test]
fn what_is_not_finished_leaves_the_buffer_as_it_was() {
    let plan = flow();
    let (text, inner, id) =
        (plan.string("string").unwrap(), plan.message("inner").unwrap(), plan.uint64("inner.id").unwrap());
    let mut buf = b"before".to_vec();
    let write = |rec: &mut RecordWriter<'_>| {
        rec.set(text, &"long".repeat(1000));
        rec.message(inner, |rec| rec.set(id, 1));
    };
    let mut dropped = plan.record(&mut buf);
    write(&mut dropped);
    drop(dropped);
    assert_eq!(buf, b"before");
    let mut leaked = plan.record(&mut buf);
    write(&mut leaked);
    core::mem::forget(leaked);
    assert_eq!(buf, b"before");
    let mut rec = plan.record(&mut buf);
    rec.set(text, "after");
    rec.finish().unwrap();
    assert_eq!(buf, b"before\x07\x72\x05after");
}

#[test]
fn a_panic_inside_of_a_message_fails_the_record() {
    extern crate std;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let plan = flow();
    let (inner, inners, packed, id) = (
        plan.message("inner").unwrap(),
        plan.message("inners").unwrap(),
        plan.sint32("packed").unwrap(),
        plan.uint32("uint32").unwrap(),
    );
    let error = error_of(&plan, |rec| {
        rec.set(id, 1);
        let caught = catch_unwind(AssertUnwindSafe(|| rec.message(inner, |_| panic!("on purpose"))));
        assert!(caught.is_err());
    });
    assert_eq!(error.kind(), EncodeErrorKind::Interrupted);
    let error = error_of(&plan, |rec| {
        let values = core::iter::once(1).chain(core::iter::from_fn(|| panic!("on purpose")));
        let caught = catch_unwind(AssertUnwindSafe(|| rec.extend(packed, values)));
        assert!(caught.is_err());
        rec.message(inners, |_| ());
    });
    assert_eq!(error.kind(), EncodeErrorKind::Interrupted);
}

#[test]
fn writers_that_are_swapped_inside_of_a_message_do_no_harm() {
    let plan = flow();
    let (inner, id, text) =
        (plan.message("inner").unwrap(), plan.uint64("inner.id").unwrap(), plan.string("string").unwrap());
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut a = plan.record(&mut first);
    let mut b = plan.record(&mut second);
    a.set(text, &"a".repeat(500));
    a.message(inner, |rec| {
        rec.set(id, 1);
        core::mem::swap(rec, &mut b);
    });
    b.set(text, "x");
    let (a, b) = (a.finish().map(<[u8]>::to_vec), b.finish().map(<[u8]>::to_vec));
    assert!(b.is_err() && a.is_err(), "{a:?} {b:?}");
}

#[test]
fn plans_and_handles_cross_threads() {
    extern crate std;
    fn check<T: Send + Sync>() {}
    check::<RecordPlan>();
    check::<Field<kind::MapOf<kind::Str, kind::Submessage>>>();
    check::<RecordWriter<'_>>();
    check::<PathError>();

    let plan = flow();
    let (bytes, inner, name) =
        (plan.bytes("bytes").unwrap(), plan.message("inner").unwrap(), plan.string("inner.name").unwrap());
    let work = |seed: usize| {
        let mut buf = Vec::new();
        for round in 0..500 {
            let len = (seed * 97 + round * 31) % 400;
            let mut rec = plan.record(&mut buf);
            rec.set(bytes, &[seed as u8; 400][..len]);
            rec.message(inner, |rec| rec.set(name, &"n".repeat(400 - len)));
            rec.finish().unwrap();
        }
        buf
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|seed| scope.spawn(move || (seed, work(seed)))).collect();
        for thread in threads {
            let (seed, buf) = thread.join().unwrap();
            assert_eq!(buf, work(seed), "what another thread writes changes nothing");
            let whole = crate::stream::frames(&buf).map(|frame| frame.unwrap());
            let messages = whole.map(|body| DynamicMessage::decode(plan.descriptor(), body).unwrap());
            assert_eq!(messages.count(), 500);
        }
    });
}

#[test]
fn fields_of_a_message_set_are_not_written_one_by_one() {
    static SET: MessageTable =
        MessageTable::new("pkg.Set", &[]).syntax(Syntax::Proto2).extensions(&[(4, 100)]).message_set();
    static HOLDER: MessageTable =
        MessageTable::new("pkg.Holder", &[FieldTable::new("set", 1, Kind::Message(|| &SET))])
            .syntax(Syntax::Proto2);
    let plan = RecordPlan::new(&message(&HOLDER));
    let set = plan.message("set").unwrap();
    assert_eq!(body_of(&plan, |rec| rec.message(set, |_| ())), [0x0a, 0]);
}

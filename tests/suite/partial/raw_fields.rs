//! Fields without a schema: `RawFields` agrees with the decoders and with `Reader` on random messages and on their
//! broken neighbours, and an edit is what a plain recursive rebuild makes.

use crate::common::bridge::descriptor;
use crate::common::choices::{Choices, choices};
use crate::common::heap::measure;
use crate::common::payload::{WILD, mutate, noise, payload};
use crate::common::reference::{Msg, Reference, Val};
use crate::common::samples::nested_groups;
use crate::common::schema::{Card, Kind, Schema};
use crate::common::schema_gen::{ALL, schema};
use crate::common::wire::Wire;
use proptest::prelude::*;
use tablepb::raw::{RawField, RawFields, RawStep, RawValue};
use tablepb::wire::{self, WireType, Writer};
use tablepb::{DecodeError, DecodeErrorKind, DynamicMessage};

fn random_message(choices: &mut Choices) -> (Schema, Vec<u8>) {
    let schema = schema(choices, ALL);
    let bytes = payload(&schema, 0, choices, WILD);
    (schema, bytes)
}

/// All that can be said about one field, and about those in it if it may be a message.
fn check_field(field: &RawField<'_>, input: &[u8]) {
    let span = &input[field.offset()..][..field.span().len()];
    assert_eq!(span, field.span());
    let bytes = &input[field.value_offset()..][..field.bytes().len()];
    assert_eq!(bytes, field.bytes());
    let mut again = RawFields::new(span);
    let same = again.next().unwrap().unwrap();
    assert_eq!((same.tag(), same.value(), again.next().is_none()), (field.tag(), field.value(), true));
    match field.value() {
        RawValue::Varint(value) => assert_eq!(wire::Reader::new(bytes).read_varint().unwrap(), value),
        RawValue::Fixed32(value) => assert_eq!(bytes, value.to_le_bytes()),
        RawValue::Fixed64(value) => assert_eq!(bytes, value.to_le_bytes()),
        RawValue::LengthDelimited(value) | RawValue::Group(value) => assert_eq!(bytes, value),
    }
    assert_eq!(field.as_message().unwrap().is_some(), matches!(span[0] & 7, 2 | 3));
    if let Some(fields) = field.as_message().unwrap() {
        // A string is no message as a rule; a group always is.
        let whole =
            fields.map(|inner| inner.map(|inner| check_field(&inner, input))).all(|inner| inner.is_ok());
        assert!(whole || field.wire_type() == WireType::LengthDelimited);
    }
}

/// Fields in order until the first fault, which is that of `Reader`.
fn check_walk(input: &[u8]) -> Result<(), DecodeError> {
    let mut end = 0;
    let mut fault = None;
    for field in RawFields::new(input) {
        match field {
            Ok(field) => {
                assert_eq!(field.offset(), end);
                end += field.span().len();
                check_field(&field, input);
            }
            Err(error) => fault = Some(error),
        }
    }
    let expected = wire::Reader::new(input).skip_message();
    match &fault {
        None => assert_eq!((end, &expected), (input.len(), &Ok(()))),
        Some(fault) => assert_eq!(fault, expected.as_ref().unwrap_err()),
    }
    expected
}

/// The fields of a number that have the wire type of the schema.
fn occurrences<'i>(input: &'i [u8], number: u32, wire_type: WireType) -> Vec<RawField<'i>> {
    let fields = RawFields::new(input).map(|field| field.unwrap());
    fields.filter(|field| (field.number(), field.wire_type()) == (number, wire_type)).collect()
}

/// Singular fields have the value that a decoder, which knows the schema, finds.
fn check_values(schema: &Schema, message: usize, input: &[u8], msg: &Msg) {
    if schema.messages[message].message_set {
        return;
    }
    for field in schema.messages[message].fields.iter().filter(|f| !f.is_list() && f.oneof.is_none()) {
        let wire_type = match (field.kind, field.delimited) {
            (Kind::Message(_), true) => WireType::StartGroup,
            _ => WireType::from_bits(field.kind.wire_type()).unwrap(),
        };
        let found = occurrences(input, field.number, wire_type);
        let value = msg.fields.get(&field.number);
        let Some(last) = found.last() else {
            assert_eq!(value, None);
            continue;
        };
        match field.kind {
            Kind::Enum(_) => {}
            Kind::Message(inner) => {
                let [only] = found[..] else { continue };
                let Some(Val::Msg(msg)) = value else { panic!("{value:?}") };
                check_values(schema, inner, only.bytes(), msg);
            }
            Kind::String | Kind::Bytes => {
                let bytes = last.as_bytes().unwrap();
                assert!(
                    matches!(value, Some(Val::Bytes(v)) if v == bytes)
                        || (value.is_none() && bytes.is_empty())
                );
                assert_eq!(last.as_str().ok().flatten(), std::str::from_utf8(bytes).ok());
            }
            kind => {
                let number = number(kind, last);
                let implicit = field.card == Card::Implicit && number == 0;
                assert_eq!(value, Some(&Val::Num(number)).filter(|_| !implicit), "{kind:?}");
            }
        }
    }
}

/// A number as the reference has it, by the accessor for its kind.
fn number(kind: Kind, field: &RawField<'_>) -> u64 {
    let bits = match kind {
        Kind::Double => field.as_f64().map(f64::to_bits),
        Kind::Float => field.as_f32().map(|value| value.to_bits().into()),
        Kind::Fixed32 | Kind::Sfixed32 => field.as_fixed32().map(u64::from),
        Kind::Fixed64 | Kind::Sfixed64 => field.as_fixed64(),
        Kind::Int64 => field.as_i64().map(|value| value as u64),
        Kind::Int32 => field.as_i64().map(|value| u64::from(value as u32)),
        Kind::Sint32 => field.as_sint32().map(|value| u64::from(value as u32)),
        Kind::Sint64 => field.as_sint64().map(|value| value as u64),
        Kind::Bool => field.as_bool().map(u64::from),
        Kind::Uint32 => field.as_u64().map(|value| u64::from(value as u32)),
        _ => field.as_u64(),
    };
    bits.unwrap_or_else(|| panic!("{field:?} as {kind:?}"))
}

/// What an edit does to the last message of its path.
#[derive(Clone, Copy, Debug)]
enum Op<'v> {
    Replace(RawValue<'v>),
    Remove,
    Append(u32, RawValue<'v>),
}

fn write_field(buf: &mut Vec<u8>, number: u32, value: RawValue<'_>) {
    let wire = std::mem::take(buf);
    let wire = Wire(wire).tag(number, value.wire_type() as u32);
    *buf = match value {
        RawValue::Varint(value) => wire.varint(value),
        RawValue::Fixed64(value) => wire.raw(&value.to_le_bytes()),
        RawValue::Fixed32(value) => wire.raw(&value.to_le_bytes()),
        RawValue::LengthDelimited(bytes) => wire.varint(bytes.len() as u64).raw(bytes),
        RawValue::Group(fields) => wire.raw(fields).tag(number, WireType::EndGroup as u32),
    }
    .0;
}

/// The plain way: field after field into a new message, inner messages first. `None` if the path leads nowhere.
fn rebuild(message: &[u8], path: &[RawStep], op: Op<'_>) -> Option<Vec<u8>> {
    let (step, inner) = match (path, op) {
        ([], Op::Append(number, value)) => {
            let mut out = message.to_vec();
            write_field(&mut out, number, value);
            return Some(out);
        }
        ([], _) => return None,
        ([step, inner @ ..], _) => (*step, inner),
    };
    let fields: Vec<_> = RawFields::new(message).map(|field| field.unwrap()).collect();
    let of_number: Vec<_> = (0..fields.len()).filter(|&i| fields[i].number() == step.number()).collect();
    let chosen = match step.index() {
        Some(index) => *of_number.get(index)?,
        None => *of_number.last()?,
    };
    let last = inner.is_empty();
    let mut out = Vec::new();
    for (i, field) in fields.iter().enumerate() {
        match op {
            Op::Remove if last && step.index().is_none() && of_number.contains(&i) => {}
            _ if i != chosen => out.extend_from_slice(field.span()),
            Op::Remove if last => {}
            Op::Replace(value) if last => write_field(&mut out, field.number(), value),
            _ => {
                field.as_message().unwrap()?;
                let content = rebuild(field.bytes(), inner, op)?;
                let head = field.value_offset() - field.offset();
                let tail = &field.span()[head + field.bytes().len()..];
                if content.len() == field.bytes().len() || !tail.is_empty() {
                    out.extend_from_slice(&field.span()[..head]);
                    out.extend_from_slice(&content);
                    out.extend_from_slice(tail);
                } else {
                    let tag_len = field.span().iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
                    out.extend_from_slice(&field.span()[..tag_len]);
                    out = Wire(out).varint(content.len() as u64).raw(&content).0;
                }
            }
        }
    }
    Some(out)
}

/// A path that exists more often than not.
fn random_path(message: &[u8], choices: &mut Choices) -> Vec<RawStep> {
    let mut path = Vec::new();
    let mut fields = RawFields::new(message);
    loop {
        let list: Vec<_> = fields.clone().filter_map(Result::ok).collect();
        if list.is_empty() || choices.once_in(5) {
            return path;
        }
        let number = if choices.once_in(12) { 77 } else { choices.pick(&list).number() };
        let step = if choices.once_in(3) { RawStep::nth(number, choices.below(3)) } else { number.into() };
        path.push(step);
        let next = fields.follow(&[step]).ok().flatten().and_then(|field| field.as_message().unwrap());
        match next {
            // A string that is no message ends the path, unless faults are wanted.
            Some(inner) if inner.clone().all(|field| field.is_ok()) => fields = inner,
            _ => return path,
        }
    }
}

fn random_value<'v>(choices: &mut Choices, bytes: &'v [u8]) -> RawValue<'v> {
    match choices.below(5) {
        0 => RawValue::Varint(choices.bits()),
        1 => RawValue::Fixed32(choices.bits() as u32),
        2 => RawValue::Fixed64(choices.bits()),
        3 => RawValue::Group(b"\x08\x01\x13\x14"),
        _ => RawValue::LengthDelimited(bytes),
    }
}

fn check_edit(message: &[u8], path: &[RawStep], op: Op<'_>) {
    let fields = RawFields::new(message);
    let mut out = b"before".to_vec();
    let done = match op {
        Op::Replace(value) => fields.replace(path, value, &mut out),
        Op::Remove => fields.remove(path, &mut out),
        Op::Append(number, value) => fields.append(path, number, value, &mut out),
    };
    let expected = rebuild(message, path, op);
    assert_eq!(done, Ok(expected.is_some()), "{path:?} {op:?}");
    assert_eq!(out[6..], expected.as_deref().unwrap_or(message)[..], "{path:?} {op:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn fields_are_those_of_the_decoder(mut choices in choices(200)) {
        let (schema, input) = random_message(&mut choices);
        check_walk(&input).unwrap();
        let msg = Reference::new(&schema).decode(0, &input).unwrap();
        check_values(&schema, 0, &input, &msg);
    }

    #[test]
    fn faults_are_those_of_the_reader(mut choices in choices(200)) {
        let (schema, mut input) = random_message(&mut choices);
        mutate(&mut input, &mut choices);
        let walked = check_walk(&input);
        let _ = check_walk(&noise(&mut choices, 60));
        // What cannot be walked over cannot be decoded.
        let decoded = DynamicMessage::decode(&descriptor(&schema, &schema.pool(), 0), &input);
        prop_assert!(walked.is_ok() || decoded.is_err());
    }

    #[test]
    fn edits_are_what_a_rebuild_makes(mut choices in choices(300)) {
        let (_, input) = random_message(&mut choices);
        for _ in 0..4 {
            let path = random_path(&input, &mut choices);
            let most = if choices.once_in(4) { 20_000 } else { 200 };
            let bytes = vec![7; choices.below(most)];
            let value = random_value(&mut choices, &bytes);
            check_edit(&input, &path, Op::Replace(value));
            check_edit(&input, &path, Op::Remove);
            let into_message = !path.is_empty()
                && RawFields::new(&input).follow(&path).ok().flatten().is_some_and(|field| {
                    field.as_message().unwrap().is_some_and(|mut fields| !fields.all(|field| field.is_ok()))
                });
            if !into_message {
                check_edit(&input, &path, Op::Append(1 + choices.below(3000) as u32, value));
            }
        }
    }

    #[test]
    fn edits_of_broken_messages_leave_the_buffer(mut choices in choices(200)) {
        let (_, mut input) = random_message(&mut choices);
        let path = random_path(&input, &mut choices);
        mutate(&mut input, &mut choices);
        let mut out = b"before".to_vec();
        if RawFields::new(&input).replace(&path, RawValue::Varint(7), &mut out).is_err() {
            prop_assert_eq!(&out, b"before");
        }
        let mut out = b"before".to_vec();
        if RawFields::new(&input).append(&path, 3, RawValue::Fixed32(7), &mut out).is_err() {
            prop_assert_eq!(&out, b"before");
        }
    }
}

#[test]
fn the_last_occurrence_counts_unless_an_index_is_given() {
    let inner = |value| Wire::new().int(3, value);
    let message = Wire::new().message(2, inner(1)).int(1, 5).message(2, inner(2)).message(2, inner(3)).0;
    let fields = RawFields::new(&message);
    let value = |path: &[RawStep]| fields.follow(path).unwrap().and_then(|field| field.as_u64());
    assert_eq!(value(&[2.into(), 3.into()]), Some(3));
    assert_eq!(value(&[(2, 0).into(), 3.into()]), Some(1));
    assert_eq!(value(&[RawStep::nth(2, 1), RawStep::last(3)]), Some(2));
    assert_eq!(value(&[RawStep::nth(2, 3), RawStep::last(3)]), None);
    assert_eq!(value(&[]), None);
    // Through a number, and to a field that is not there.
    assert!(fields.follow(&[1, 3]).unwrap().is_none());
    assert!(fields.follow(&[2, 4]).unwrap().is_none());
    assert_eq!(fields.find_last(2).unwrap().unwrap().offset(), message.len() - 4);
}

#[test]
fn parts_of_a_split_message_are_not_merged() {
    let message = Wire::new().message(2, Wire::new().int(3, 1)).message(2, Wire::new().int(4, 2)).0;
    assert!(RawFields::new(&message).follow(&[2, 3]).unwrap().is_none());
    assert!(RawFields::new(&message).follow(&[2, 4]).unwrap().is_some());
}

#[test]
fn errors_have_the_offset_in_the_input_and_the_way_to_it() {
    let broken = Wire::new().int(1, 1).raw(b"\x12\x05ab");
    let message = Wire::new().int(1, 5).message(2, Wire::new().message(4, broken)).0;
    let error = RawFields::new(&message).follow(&[2, 4, 2]).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::Overrun, 9));
    assert_eq!(error.path().to_string(), "#2.#4");
    let mut buf = Vec::new();
    let path = [RawStep::nth(2, 0), RawStep::last(4)];
    let error = RawFields::new(&message).append(&path, 1, RawValue::Varint(1), &mut buf).unwrap_err();
    assert_eq!((error.offset(), error.path().to_string().as_str(), buf.len()), (9, "#2[0].#4", 0));
    // The faults of values come with the same offsets.
    let message = Wire::new().int(1, 5).message(2, Wire::new().bytes(3, b"\xff\xff\xff")).0;
    let field = RawFields::new(&message).follow(&[2, 3]).unwrap().unwrap();
    assert_eq!(field.as_str().unwrap_err().offset(), 6);
    assert_eq!(field.as_packed_fixed32().unwrap_err().kind(), DecodeErrorKind::InvalidPacked);
    assert_eq!(field.as_packed_fixed64().unwrap_err().offset(), 6);
    assert_eq!(field.as_packed_varints().unwrap().next().unwrap().unwrap_err().offset(), 6);
}

#[test]
fn an_edit_by_index_checks_its_levels_to_the_end() {
    // Field 2, whose part is field 3; then a wire type that does not exist, on one level or the other.
    let inner_broken = Wire::new().message(2, Wire::new().int(3, 1).raw(b"\x0f")).0;
    let outer_broken = Wire::new().message(2, Wire::new().int(3, 1)).raw(b"\x0f").0;
    for (message, depth) in [(inner_broken, 1), (outer_broken, 0)] {
        let fields = RawFields::new(&message);
        let path = [RawStep::nth(2, 0), RawStep::nth(3, 0)];
        assert!(fields.follow(&path).unwrap().is_some(), "reading stops at the field");
        let mut buf = b"before".to_vec();
        let value = RawValue::Varint(2);
        let edits = [
            fields.replace(&path, value, &mut buf),
            fields.remove(&path, &mut buf),
            fields.append(&path[..1], 4, value, &mut buf),
        ];
        for edit in edits {
            let error = edit.unwrap_err();
            assert_eq!((error.kind(), error.path().steps().len()), (DecodeErrorKind::InvalidWireType, depth));
            assert_eq!(error.offset(), 4);
        }
        assert_eq!(buf, b"before");
    }
    // Groups are entered by index as well.
    let mut buf = Vec::new();
    let message = Wire::new().raw(b"\x13\x18\x01\x14").raw(b"\x13\x18\x02\x14").raw(b"\x0f").0;
    assert!(RawFields::new(&message).remove(&[RawStep::nth(2, 0), RawStep::last(3)], &mut buf).is_err());
}

/// What an edit reads after a field that was found by its index ends where the message does: at the end of the input it is
/// incomplete, and with more bytes it may go on. It was taken for cut off by a length.
#[test]
fn an_edit_by_index_tells_the_end_of_the_input_from_that_of_a_message() {
    let value = RawValue::Varint(2);
    for (input, kind) in [
        (&b"\x08\x01\x10"[..], DecodeErrorKind::Incomplete),
        (b"\x12\x03\x08\x01\x10", DecodeErrorKind::Overrun),
    ] {
        let by_index = [RawStep::nth(2, 0), RawStep::nth(1, 0)];
        let by_last = [RawStep::last(2), RawStep::last(1)];
        let skip = usize::from(kind == DecodeErrorKind::Incomplete);
        let fields = RawFields::new(input);
        let mut buf = Vec::new();
        let edits = [
            fields.replace(&by_last[skip..], value, &mut buf).unwrap_err(),
            fields.replace(&by_index[skip..], value, &mut buf).unwrap_err(),
        ];
        assert_eq!(edits.each_ref().map(|error| (error.kind(), error.offset())), [(kind, input.len()); 2]);
    }
}

#[test]
fn packed_runs_are_read() {
    let message =
        Wire::new().bytes(1, b"\x01\x96\x01").bytes(2, [1, 0, 0, 0]).bytes(3, [2, 0, 0, 0, 0, 0, 0, 0]).0;
    let mut fields = RawFields::new(&message).map(|field| field.unwrap());
    let varints: Result<Vec<_>, _> = fields.next().unwrap().as_packed_varints().unwrap().collect();
    assert_eq!(varints.unwrap(), [1, 150]);
    assert!(fields.next().unwrap().as_packed_fixed32().unwrap().unwrap().eq([1]));
    assert!(fields.next().unwrap().as_packed_fixed64().unwrap().unwrap().eq([2]));
}

#[test]
fn depth_is_counted() {
    // A group is skipped before it is opened, so that one too deep is found at the root.
    let groups = nested_groups(100).0;
    assert!(RawFields::with_depth(&groups, 100).all(|field| field.is_ok()));
    let error = RawFields::with_depth(&groups, 99).next().unwrap().unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
    let mut fields = RawFields::new(&groups);
    for _ in 0..99 {
        fields = fields.next().unwrap().unwrap().as_message().unwrap().unwrap();
    }
    assert_eq!(fields.next().unwrap().unwrap().as_message().unwrap().unwrap().count(), 0);
    let mut message = Wire::new();
    for _ in 0..3 {
        message = Wire::new().message(1, message);
    }
    let root = RawFields::with_depth(&message.0, 2);
    let field = root.follow(&[1, 1, 1]).unwrap().unwrap();
    assert_eq!(field.as_message().unwrap_err().kind(), DecodeErrorKind::DepthExceeded);
    assert_eq!(field.as_message().unwrap_err().offset(), 4);
}

#[test]
fn walking_allocates_nothing() {
    let rich = crate::common::samples::rich_payload();
    let groups = nested_groups(100).0;
    let (fields, used) = measure(|| {
        let mut count = 0;
        for message in [&rich, &groups] {
            for field in RawFields::new(message) {
                let field = field.unwrap();
                count += 1;
                if field.wire_type() == WireType::StartGroup {
                    count +=
                        field.as_message().unwrap().unwrap().fold(0, |n, inner| n + inner.map_or(0, |_| 1));
                }
            }
        }
        count + usize::from(RawFields::new(&groups).follow(&[255, 255, 255]).unwrap().is_some())
    });
    assert!(fields > 20, "{fields}");
    assert_eq!(used.count, 0);
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let mut out = Vec::new();
    let root: [RawStep; 0] = [];
    for number in [0, 1 << 29] {
        let error = RawFields::new(b"").append(&root, number, RawValue::Varint(1), &mut out).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::InvalidFieldNumber);
    }
    let group = RawValue::Group(b"\x08");
    assert!(RawFields::new(b"\x08\x01").replace(&[1], group, &mut out).is_err());
    let group = RawValue::Group(b"\x0c");
    let error = RawFields::new(b"").append(&root, 1, group, &mut out).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::UnexpectedEndGroup);
    assert!(out.is_empty());
}

#[test]
fn overlong_lengths_stay_unless_they_change() {
    let inner = Wire::new().int(1, 5);
    let message = Wire::new().tag(2, 2).overlong(2, 3).raw(&inner.0).0;
    let edit = |value| {
        let mut out = Vec::new();
        assert!(RawFields::new(&message).replace(&[2, 1], RawValue::Varint(value), &mut out).unwrap());
        out
    };
    assert_eq!(edit(9), b"\x12\x82\x80\x00\x08\x09");
    assert_eq!(edit(300), b"\x12\x03\x08\xac\x02");
    let mut buf = Vec::new();
    Writer::new(&mut buf).write_raw(&message);
    assert_eq!(buf, message);
}

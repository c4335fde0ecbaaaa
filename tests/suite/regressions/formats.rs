//! Bugs that were there once, each by the name of what it broke.

use crate::common::bridge::descriptor;
use crate::common::samples;
use crate::common::schema::{Card, Kind, Schema, Syntax};
use crate::common::wire::{END, START, Wire};
use tablepb::table::{FieldTable, Kind as TableKind, MessageTable};
use tablepb::{DecodeErrorKind, Decoder, DescriptorPool, DynamicMessage, EncodeOptions, MessageDescriptor};

fn message(schema: &Schema, index: usize) -> MessageDescriptor {
    descriptor(schema, &schema.pool(), index)
}

/// The empty message that a map entry without a value stands for was not checked for required fields.
#[test]
fn a_map_value_that_is_missing_lacks_its_required_fields() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let (holder, value) = (schema.message(file, "Holder"), schema.message(file, "Value"));
    schema.add(value, 1, Kind::Int32, Card::Required);
    schema.add_map(holder, 1, Kind::Int32, Kind::Message(value));
    let entry = Wire::new().message(1, Wire::new().int(1, 5));
    let error = DynamicMessage::decode(&message(&schema, holder), &entry.0).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::MissingRequired);
}

/// A length that ends where the input ends was taken for the end of the input: no further byte can complete it.
#[test]
fn a_field_that_its_message_cuts_off_is_an_overrun_also_at_the_end_of_the_input() {
    let t = message(&samples::t(), 0);
    for input in [&[0x1a, 1, 0x08][..], &[0x1a, 2, 0x12, 1], &[0x1a, 1, 0xfb], &[0x1a, 2, 0xfb, 0x0f]] {
        let error = DynamicMessage::decode(&t, input).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::Overrun, "{input:02x?}");
    }
    let group = [0xfb, 0x0f, 0x08];
    assert_eq!(DynamicMessage::decode(&t, &group).unwrap_err().kind(), DecodeErrorKind::Incomplete);
}

/// A group one level too deep was reported behind its tag.
#[test]
fn a_group_that_is_too_deep_is_found_at_its_tag() {
    let t = message(&samples::t(), 0);
    let inner = samples::nested(99).0.len();
    for groups in 2..4 {
        let input = samples::wrapped(99, samples::nested_groups(groups), |w| Wire::new().message(3, w));
        let error = DynamicMessage::decode(&t, &input.0).unwrap_err();
        let start = input.0.len() - 4 * groups;
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::DepthExceeded, start + 2));
        assert!(start > inner - 2);
    }
    let input = samples::wrapped(100, samples::nested_groups(1), |w| Wire::new().message(3, w));
    let error = DynamicMessage::decode(&t, &input.0).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::DepthExceeded, input.0.len() - 4));
}

/// An end-group tag inside of a MessageSet item was reported behind the tag.
#[test]
fn a_wrong_end_in_a_message_set_item_is_found_at_its_tag() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let set = schema.message(file, "Set");
    schema.messages[set].message_set = true;
    schema.messages[set].extensions = Some((4, 100));
    let input = Wire::new().tag(1, START).int(2, 4).tag(9, END);
    let error = DynamicMessage::decode(&message(&schema, set), &input.0).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::UnexpectedEndGroup, 3));
}

/// A varint of more than ten bytes at the end of a packed run was called an overrun.
#[test]
fn a_varint_that_never_ends_in_a_packed_run_overflows() {
    let t = message(&samples::t(), 0);
    for (len, kind) in [(9, DecodeErrorKind::Overrun), (10, DecodeErrorKind::VarintOverflow)] {
        let run = [&[1, 2][..], &[0xff; 12][..len]].concat();
        let error = DynamicMessage::decode(&t, &Wire::new().bytes(4, run).0).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, 4));
    }
}

/// A schema with `Point { float x = 1; }`, message 0, and a holder with a singular one, 1, and a MessageSet, 2, that
/// is extended by one.
fn points() -> Schema {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let (point, holder, set) =
        (schema.message(file, "Point"), schema.message(file, "Holder"), schema.message(file, "Set"));
    schema.add(point, 1, Kind::Float, Card::Optional);
    schema.add(holder, 1, Kind::Message(point), Card::Optional);
    schema.messages[set].message_set = true;
    schema.messages[set].extensions = Some((4, 100));
    schema.add(set, 4, Kind::Message(point), Card::Optional).extension = true;
    schema
}

/// A message of fixed shape was written over what was there, unknown fields included.
#[test]
fn unknown_fields_survive_a_message_of_fixed_shape_merged_into_theirs() {
    let holder = message(&points(), 1);
    let (unknown, point) = (Wire::new().int(9, 1), Wire::new().fixed32(1, 1));
    let input = Wire::new().message(1, unknown.clone()).message(1, point.clone()).raw(&[0x10; 32]);
    let decoded = DynamicMessage::decode(&holder, &input.0).unwrap();
    let expected = Wire::new().message(1, point.raw(&unknown.0)).raw(&[0x10; 32]);
    assert_eq!(decoded.encode_to_vec().unwrap(), expected.0);
}

/// A message of fixed shape in a MessageSet item ended the item.
#[test]
fn a_message_of_fixed_shape_in_a_message_set_is_followed_by_the_end_of_its_item() {
    let set = message(&points(), 2);
    let input = Wire::new().group(1, Wire::new().int(2, 4).message(3, Wire::new().fixed32(1, 1)));
    let decoded = DynamicMessage::decode(&set, &input.0).unwrap();
    assert_eq!(decoded.encode_to_vec().unwrap(), input.0);
}

/// A closed enum that its message cuts off was reported behind itself.
#[test]
fn a_closed_enum_that_is_cut_off_is_found_where_it_starts() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let holder = schema.message(file, "Holder");
    let closed = schema.enumeration(file, "E", true, &[0, 1]);
    schema.add(holder, 1, Kind::Enum(closed), Card::Optional);
    for input in [&[0x08, 0x80][..], &[0x08], &[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]] {
        let error = DynamicMessage::decode(&message(&schema, holder), input).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::Incomplete, 1));
    }
}

/// The last value of a packed run of a closed enum was read beyond the end of the run.
#[test]
fn a_packed_closed_enum_ends_where_its_run_ends() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let holder = schema.message(file, "Holder");
    let closed = schema.enumeration(file, "E", true, &[0, 1, 128]);
    schema.add(holder, 1, Kind::Enum(closed), Card::Repeated);
    let input = Wire::new().bytes(1, [1, 0x80]).int(1, 0);
    let error = DynamicMessage::decode(&message(&schema, holder), &input.0).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::Overrun, 3));
}

/// What follows a message decided how a field that the message cuts off was called, and where it was found.
#[test]
fn bytes_behind_a_message_do_not_matter_for_what_is_wrong_in_it() {
    let t = message(&samples::t(), 0);
    let overrun = |inner: &[u8], at: usize| {
        for behind in [&[0xff; 20][..], &[0x80; 20], &[0; 20], &[0x20; 20], &[]] {
            let input = Wire::new().bytes(3, inner).raw(behind);
            let error = DynamicMessage::decode(&t, &input.0).unwrap_err();
            let found = (error.kind(), error.offset());
            assert_eq!(found, (DecodeErrorKind::Overrun, 2 + at), "{:02x?}", input.0);
        }
    };
    overrun(&[0x08], 1);
    overrun(&[0x08, 0xff, 0xff], 1);
    overrun(&[0x88, 0x80], 0);
    overrun(&[0x12], 1);
    overrun(&[0x12, 0x80, 0x80], 1);
    overrun(&[0x12, 0x03, 0x61], 1);
    overrun(&[0x20, 1, 0x20], 3);
    overrun(&[0x20, 1, 0x20, 0x80], 3);
    overrun(&[0x20, 1, 0xa0], 2);
    overrun(&[0x22, 1], 1);
    overrun(&[0x1a, 0x80], 1);
    overrun(&[0x2a], 1);
    overrun(&[0x2a, 1, 0x08], 3);
    overrun(&[0xfd, 0x0f, 1, 2, 3], 2);
    overrun(&[0xfb, 0x0f, 0x08, 0x80], 3);
}

/// The index of a map that had become small was not kept up when an entry was replaced by a merge.
#[test]
fn a_map_that_has_become_small_finds_its_keys_after_a_merge() {
    let t = message(&samples::t(), 0);
    let map = t.get_field(5).unwrap();
    let entry = |key: u64, value: u64| Wire::new().message(5, Wire::new().int(1, key).int(2, value));
    let input = (0..12).fold(Wire::new(), |w, key| w.raw(&entry(key, key + 1).0));
    for removed in 3..12 {
        let mut decoded = DynamicMessage::decode(&t, &input.0).unwrap();
        for key in 0..removed {
            assert!(decoded.remove(&map, key).unwrap());
        }
        for merged in removed..12 {
            decoded.merge(&entry(merged as u64, 50).0).unwrap();
            let value = decoded.get_field(&map).unwrap();
            let value = value.as_map().unwrap();
            assert_eq!(value.len(), 12 - removed as usize);
            for key in 0..12 {
                let expected = if key <= merged { 50 } else { key + 1 };
                let expected = (key >= removed).then_some(expected);
                assert_eq!(value.get(key).and_then(|v| v.as_i32()), expected, "{key} of {value:?}");
            }
        }
    }
}

/// The key order of the map around was dropped with that of a map in it that was set and empty.
#[test]
fn maps_around_an_empty_map_are_written_in_key_order() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let root = schema.message(file, "Root");
    let closed = schema.enumeration(file, "Closed", true, &[0, 1]);
    schema.add_map(root, 1, Kind::Int32, Kind::Message(root));
    schema.add_map(root, 2, Kind::Int32, Kind::Enum(closed));
    let entry = |key: u64, value: Wire| Wire::new().message(1, Wire::new().int(1, key).message(2, value));
    // An entry whose value is not listed is unknown, and its map, which it has made, is empty.
    let unlisted = || Wire::new().message(2, Wire::new().int(1, 1).int(2, 9));
    let input = entry(2, unlisted()).raw(&entry(1, unlisted()).0).raw(&entry(3, unlisted()).0).0;
    let expected = entry(1, unlisted()).raw(&entry(2, unlisted()).0).raw(&entry(3, unlisted()).0).0;
    let decoded = DynamicMessage::decode(&message(&schema, root), &input).unwrap();
    let mut bytes = Vec::new();
    EncodeOptions::new().deterministic(true).encode(&decoded, &mut bytes).unwrap();
    assert_eq!(bytes, expected);
}

/// The last bytes of an input are read from a copy; a message of fixed shape there was taken from the same place at the
/// beginning of the input.
#[test]
fn a_message_of_fixed_shape_at_the_end_is_not_one_at_the_beginning() {
    static POINT: MessageTable = MessageTable::new(
        "t.Point",
        &[FieldTable::new("x", 1, TableKind::Fixed32), FieldTable::new("y", 2, TableKind::Fixed32)],
    );
    static MOVE: MessageTable = MessageTable::new(
        "t.Move",
        &[
            FieldTable::new("note", 1, TableKind::Bytes),
            FieldTable::new("to", 2, TableKind::Message(|| &POINT)).oneof("what"),
            FieldTable::new("stop", 3, TableKind::Bool).oneof("what"),
        ],
    );
    static MOVES: MessageTable =
        MessageTable::new("t.Moves", &[FieldTable::new("moves", 1, TableKind::Message(|| &MOVE)).repeated()]);
    let pool = DescriptorPool::from_tables(&[&MOVES]).unwrap();
    let moves = pool.message("t.Moves").unwrap();
    let point = |x: u8| [0x12, 10, 0x0d, x, 0, 0, 0, 0x15, x + 1, 0, 0, 0];
    for pad in 1..60u8 {
        let note = [&[0x0a, pad][..], &vec![0; pad.into()]].concat();
        let first = [&note[..], &point(10)].concat();
        let mut input = [&[0x0a, first.len() as u8][..], &first].concat();
        input.extend_from_slice(&[0x0a, 12]);
        input.extend_from_slice(&point(20));
        let message = DynamicMessage::decode(&moves, &input).unwrap();
        assert_eq!(message.encode_to_vec().unwrap(), input, "{pad}");
    }
}

/// A type with the name and the fields of a well-known one, of which only one can be set at a time, lost the others.
#[test]
fn a_well_known_type_whose_fields_exclude_each_other_is_a_message_like_any() {
    static TIME: MessageTable = MessageTable::new(
        "google.protobuf.Timestamp",
        &[
            FieldTable::new("seconds", 1, TableKind::Int64).oneof("either"),
            FieldTable::new("nanos", 2, TableKind::Int32).oneof("either"),
        ],
    );
    let time = DescriptorPool::from_tables(&[&TIME]).unwrap().message("google.protobuf.Timestamp").ok();
    let time = time.unwrap();
    assert!(tablepb::json::message_from_slice(&time, br#""1970-01-01T00:00:01.500Z""#).is_err());
    let json = r#"{"seconds":"1"}"#;
    assert_eq!(
        tablepb::json::to_string(&tablepb::json::message_from_slice(&time, json.as_bytes()).unwrap())
            .unwrap(),
        json
    );
}

/// Where the first byte of a longer tag was the tag as a number (fields 16 to 31), it was taken for a tag of one byte: the second message
/// of a list was refused.
#[test]
fn lists_of_small_messages_have_tags_of_any_length() {
    for number in [1, 15, 16, 17, 31, 32, 2047, 2048, 100_000] {
        let mut schema = Schema::default();
        let file = schema.file(Syntax::Proto3);
        let (holder, value) = (schema.message(file, "Holder"), schema.message(file, "Value"));
        schema.add(holder, number, Kind::Message(value), Card::Repeated);
        for field in 1..5 {
            schema.add(value, field, Kind::String, Card::Implicit);
        }
        let holder = message(&schema, holder);
        let element = || Wire::new().message(number, Wire::new().bytes(1, b"a"));
        let input = element().0.repeat(6);
        let mut decoder = Decoder::new(&holder);
        for _ in 0..3 {
            assert_eq!(decoder.decode(&input).unwrap().encode_to_vec().unwrap(), input);
        }
    }
}

/// A closure that panicked left the place of a header, which says that the message is empty, and what it had written.
#[test]
fn a_frame_whose_writer_panics_leaves_nothing() {
    let mut buf = vec![9];
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        tablepb::stream::grpc::append_frame_with(&mut buf, false, |buf: &mut Vec<u8>| {
            buf.push(1);
            if buf.len() > 2 {
                std::panic::resume_unwind(Box::new(()))
            } else {
                Ok::<(), tablepb::EncodeError>(())
            }
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(buf, [9]);
}

/// A message with one field of a type of 60 000 took 15 KB, so a list of a hundred, 600 bytes, was more than the default budget.
#[test]
fn lists_of_messages_of_wide_types_fit_the_default_budget() {
    for (fields, count) in [(70, 20_000), (300, 20_000), (600, 100_000), (2_000, 20_000), (50_000, 20_000)] {
        let mut schema = Schema::default();
        let file = schema.file(Syntax::Proto3);
        let (holder, value) = (schema.message(file, "Holder"), schema.message(file, "Value"));
        schema.messages[value].oneofs = 1;
        let number = |n: u32| if n < 19_000 { n } else { n + 1_000 };
        for n in 1..=fields {
            let oneof = (n == fields / 2).then_some(0);
            schema.add(value, number(n), Kind::Int32, Card::Optional).oneof = oneof;
        }
        schema.add(holder, 1, Kind::Message(value), Card::Repeated);
        let holder = message(&schema, holder);
        for set in [&[1][..], &[fields / 2], &[fields], &[1, fields / 2, fields]] {
            let element = set.iter().fold(Wire::new(), |wire, &n| wire.int(number(n), 1));
            let input = Wire::new().message(1, element).0.repeat(count);
            let decoded = DynamicMessage::decode(&holder, &input).map_err(|error| error.kind());
            let decoded = decoded.unwrap_or_else(|kind| panic!("{fields} fields, {set:?}: {kind:?}"));
            assert!(decoded.encode_to_vec().unwrap() == input);
        }
    }
}

/// A closure that panicked left a tag and a part of the content. An iterator that gave other values the second time made a run that its
/// length does not fit.
#[test]
fn a_writer_leaves_nothing_of_a_field_that_is_not_whole() {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use tablepb::wire::{Tag, WireType, Writer};
    let mut buf = vec![9];
    let tag = Tag::new(1, WireType::LengthDelimited);
    fn stops(writer: &mut Writer<'_, Vec<u8>>) -> Result<(), tablepb::EncodeError> {
        writer.write_varint(300);
        resume_unwind(Box::new(()))
    }
    assert!(catch_unwind(AssertUnwindSafe(|| Writer::new(&mut buf).write_message(tag, stops))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| Writer::new(&mut buf).write_group(1, stops))).is_err());
    let calls = std::cell::Cell::new(0);
    let other = (0..5).map(|_| {
        calls.set(calls.get() + 1);
        calls.get()
    });
    assert!(Writer::new(&mut buf).write_packed_varints(other.clone()).is_ok());
    assert_eq!(buf.split_off(1), [5, 6, 7, 8, 9, 10]);
    calls.set(125);
    let error = Writer::new(&mut buf).write_packed_varints(other.clone()).unwrap_err();
    assert_eq!(error.kind(), tablepb::EncodeErrorKind::SizeMismatch);
    calls.set(0);
    let endless = (0..).map_while(|_| {
        calls.set(calls.get() + 1);
        // The first run ends, the second does not.
        (calls.get() != 6).then_some(1)
    });
    let error = Writer::new(&mut buf).write_packed_varints(endless).unwrap_err();
    assert_eq!((error.kind(), &buf[..]), (tablepb::EncodeErrorKind::SizeMismatch, &[9][..]));
    calls.set(135);
    let stops = other.inspect(|&value| {
        if value > 140 {
            resume_unwind(Box::new(()))
        }
    });
    let panicked = catch_unwind(AssertUnwindSafe(|| Writer::new(&mut buf).write_packed_varints(stops)));
    assert!(panicked.is_err());
    assert_eq!(buf, [9]);
}

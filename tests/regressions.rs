//! Bugs that were there once, each by the name of what it broke.

mod common;

use common::bridge::descriptor;
use common::samples;
use common::schema::{Card, Kind, Schema, Syntax};
use common::wire::{END, START, Wire};
use tablepb::{DecodeErrorKind, DynamicMessage, MessageDescriptor};

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

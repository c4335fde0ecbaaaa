//! Copies of messages: what they take, and that they are what they were made of.

use crate::common::heap::measure;
use crate::common::wire::Wire;
use tablepb::{
    Decoder, DescriptorPool, FieldTable, Kind, MessageDescriptor, MessageTable, Projection, Value,
};

static NODE: MessageTable = MessageTable::new(
    "t.Node",
    &[
        FieldTable::new("a", 1, Kind::Int32),
        FieldTable::new("s", 2, Kind::Bytes),
        FieldTable::new("m", 3, Kind::Message(|| &NODE)),
        FieldTable::new("t", 4, Kind::String),
        FieldTable::new("list", 5, Kind::Message(|| &NODE)).repeated(),
    ],
);

const KIB: usize = 1 << 10;

fn node() -> MessageDescriptor {
    DescriptorPool::from_tables(&[&NODE]).unwrap().get_message_by_name("t.Node").unwrap()
}

/// `m` twice at every level: one that holds everything below, and a small one before or behind it.
fn twice(levels: usize, small_first: bool) -> Vec<u8> {
    let innermost = Wire::new().bytes(4, "deep").bytes(2, vec![7; 64 * KIB]);
    let small = || Wire::new().int(1, 1);
    let nested = (0..levels).fold(innermost, |inner, _| match small_first {
        true => Wire::new().message(3, small()).message(3, inner),
        false => Wire::new().message(3, inner).message(3, small()),
    });
    nested.0
}

fn passing(node: &MessageDescriptor, levels: usize) -> Projection {
    let path = ["m"].repeat(levels).join(".") + ".t";
    Projection::new(node, [path.as_str(), "m.a", "list.t"]).unwrap().pass_through()
}

/// Of the bytes that were copied only one span was remembered: a message of two occurrences at every level was copied once
/// per level.
#[test]
fn bytes_that_are_passed_through_are_copied_once() {
    let node = node();
    for (levels, small_first) in [(10, false), (10, true), (60, false), (60, true)] {
        let input = twice(levels, small_first);
        let most = input.len() + input.len() / 4 + 64 * levels * 8;
        let projection = passing(&node, levels);
        let mut decoder = Decoder::new(&node).with_projection(&projection);
        let view = decoder.decode(&input).unwrap();
        let (copy, heap) = measure(|| view.try_to_owned().unwrap());
        assert!(heap.peak <= most, "{heap:?} for {} bytes in {levels} levels", input.len());
        assert!(copy.capacity() <= most);
        assert_eq!((copy.as_view(), &copy.encode_to_vec().unwrap()), (view, &input));
        // The same when the message is fields and its parts are bytes.
        let mut message = projection.decode(&input).unwrap();
        message.set_field_by_name("a", 1).unwrap();
        let (copy, heap) = measure(|| message.as_view().to_owned());
        assert!(heap.peak <= most, "{heap:?} for {} bytes in {levels} levels, changed", input.len());
        assert_eq!((&copy, copy.encode_to_vec()), (&message, message.encode_to_vec()));
    }
}

/// The bytes of every level were taken for live, so that what setters left behind was never given back.
#[test]
fn what_setters_leave_behind_is_given_back_where_bytes_are_passed_through() {
    let node = node();
    let input = twice(60, false);
    let mut message = passing(&node, 60).decode(&input).unwrap();
    message.set_field_by_name("a", 1).unwrap();
    let s = node.get_field_by_name("s").unwrap();
    for i in 0..200 {
        message.set_field(&s, Value::Bytes(vec![i; 64 * KIB])).unwrap();
        message.clear_field(&s);
    }
    assert!(message.capacity() <= 8 * input.len(), "{} for {} bytes", message.capacity(), input.len());
}

/// Spans of messages side by side, some of them with many.
#[test]
fn copies_of_messages_of_many_occurrences_are_equal() {
    let node = node();
    let part = |i: u64| Wire::new().bytes(4, format!("t{i}")).int(1, i).int(77, i).bytes(2, [9; 40]);
    let mut wire = Wire::new();
    for i in 0..50 {
        wire = wire
            .message(3, part(i))
            .message(5, Wire::new().message(3, part(i)).message(3, part(i + 1)))
            .int(70, i);
    }
    for paths in [&["m.t"][..], &["m.t", "list.m.t", "list.m.a"], &["list.*"], &["m.m", "a"]] {
        let mut message = Projection::new(&node, paths).unwrap().pass_through().decode(&wire.0).unwrap();
        for _ in 0..3 {
            let copy = message.as_view().to_owned();
            assert_eq!((&copy, copy.encode_to_vec()), (&message, message.encode_to_vec()), "{paths:?}");
            assert!(copy.capacity() <= message.capacity() + wire.0.len());
            let again = copy.as_view().to_owned();
            assert_eq!((again.capacity() <= copy.capacity(), again), (true, copy));
            message
                .message_mut(&node.get_field_by_name("m").unwrap())
                .unwrap()
                .set_field_by_name("a", 5)
                .unwrap();
        }
    }
}

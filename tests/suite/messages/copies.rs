//! Copies of messages: what they take, and that they are what they were made of.

use crate::common::bridge::descriptor;
use crate::common::heap::measure;
use crate::common::schema::{Card, Kind as SchemaKind, Schema, Syntax};
use crate::common::wire::Wire;
use tablepb::partial::Projection;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{Decoder, DescriptorPool, DynamicMessage, MessageDescriptor, Value};

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
    DescriptorPool::from_tables(&[&NODE]).unwrap().message("t.Node").unwrap()
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
        message.set_field("a", 1).unwrap();
        let (copy, heap) = measure(|| message.as_view().to_owned());
        assert!(heap.peak <= most, "{heap:?} for {} bytes in {levels} levels, changed", input.len());
        assert_eq!((&copy, copy.encode_to_vec()), (&message, message.encode_to_vec()));
    }
}

/// The bytes of every level were taken for live, so that what setters left was never given back.
#[test]
fn what_setters_leave_is_given_back_where_bytes_are_passed_through() {
    let node = node();
    let input = twice(60, false);
    let mut message = passing(&node, 60).decode(&input).unwrap();
    message.set_field("a", 1).unwrap();
    let s = node.field("s").unwrap();
    for i in 0..200 {
        message.set_field(&s, Value::Bytes(vec![i; 64 * KIB])).unwrap();
        message.clear_field(&s).unwrap();
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
            message.message_mut(&node.field("m").unwrap()).unwrap().set_field("a", 5).unwrap();
        }
    }
}

/// A type of large bodies, with a list and a map of itself, and some messages in both without anything in them.
fn with_empty_messages(count: u64) -> (MessageDescriptor, Vec<u8>) {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let large = schema.message(file, "Large");
    schema.add(large, 1, SchemaKind::Message(large), Card::Repeated);
    schema.add_map(large, 2, SchemaKind::Int32, SchemaKind::Message(large));
    schema.add(large, 3, SchemaKind::String, Card::Optional);
    schema.add(large, 4, SchemaKind::Message(large), Card::Optional);
    for number in 5..40 {
        schema.add(large, number, SchemaKind::Int64, Card::Optional);
    }
    let list = Wire::repeat(Wire::new().message(1, Wire::new()), count as usize);
    let input = (0..count).fold(list, |w, key| w.message(2, Wire::new().int(1, key)));
    (descriptor(&schema, &schema.pool(), large), input.message(4, Wire::new()).0)
}

/// Each message without anything in it got a body of its own, which took up to a hundred times the memory.
#[test]
fn copies_of_empty_messages_take_no_bodies() {
    let (large, input) = with_empty_messages(10_000);
    let source = DynamicMessage::decode(&large, &input).unwrap();
    let (mut copy, heap) = measure(|| source.as_view().to_owned());
    assert!(heap.peak <= 2 * source.capacity(), "{heap:?} of {}", source.capacity());
    assert_eq!((&copy, copy.encode_to_vec()), (&source, source.encode_to_vec()));
    // Those that are changed get bodies of their own.
    copy.element_mut(1, 7).unwrap().set_field(5, 70).unwrap();
    copy.entry_mut(2, 9).unwrap().set_field(5, 90).unwrap();
    copy.message_mut(4).unwrap().set_field(5, 40).unwrap();
    let value = |bytes: &[u8]| DynamicMessage::decode(&large, bytes).unwrap();
    let set = value(&copy.encode_to_vec().unwrap());
    assert_eq!((&set, set.encoded_len()), (&copy, source.encoded_len() + 6));
    for message in [&set, &copy] {
        let list = message.get_field(1).unwrap();
        let filled =
            list.as_list().unwrap().iter().filter(|value| value.as_message().unwrap().encoded_len() > 0);
        assert_eq!(filled.count(), 1);
    }
}

/// Empty messages were taken for large ones, so that what setters left was not given back.
#[test]
fn what_setters_leave_is_given_back_where_messages_are_empty() {
    let (large, input) = with_empty_messages(5_000);
    let mut message = DynamicMessage::decode(&large, &input).unwrap();
    let before = message.capacity();
    for i in 0..1_000 {
        message.set_field(3, format!("{i}").repeat(1_000)).unwrap();
    }
    assert!(message.capacity() <= 4 * before, "{} of {before}", message.capacity());
}

/// How many of these steps allocate as if they copied the message.
fn copying(message: &mut DynamicMessage, steps: usize, step: impl Fn(&mut DynamicMessage, usize)) -> usize {
    let of = |at| {
        let peak = measure(|| step(message, at)).1.peak;
        // The length takes a pass over the message: asked for at each step, it took nine tenths of the time of the test.
        peak > 4 * KIB && peak > 4 * KIB + message.encoded_len() / 2
    };
    (0..steps).map(of).filter(|copies| *copies).count()
}

/// Compacted lists had room for what they held. The next element moved the list to a block of twice its size, which left more garbage than there
/// was in the message, so that it was compacted again: 16 000 merges of five bytes took 5 s, and a map of 8 192 keys took 2 ms for a key that it had.
#[test]
fn a_message_that_was_compacted_is_not_compacted_again_after_a_few_elements() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let lists = schema.message(file, "Lists");
    schema.add(lists, 1, SchemaKind::Int32, Card::Repeated);
    schema.add(lists, 2, SchemaKind::String, Card::Repeated);
    schema.add_map(lists, 3, SchemaKind::Int32, SchemaKind::Int32);
    schema.add(lists, 4, SchemaKind::Message(lists), Card::Repeated);
    schema.add(lists, 5, SchemaKind::String, Card::Optional);
    let lists = descriptor(&schema, &schema.pool(), lists);
    let entry = |key: usize| Wire::new().message(3, Wire::new().int(1, key as u64).int(2, 1)).0;
    let pieces: [&dyn Fn(usize) -> Vec<u8>; 4] = [
        &|at| Wire::new().int(1, at as u64).bytes(2, "a").0,
        &|at| Wire::new().bytes(2, "a").message(4, Wire::new().int(1, at as u64)).0,
        &|at| [entry(at), Wire::new().int(1, 1).0].concat(),
        &|at| [entry(at), Wire::new().message(4, Wire::new()).int(1, 1).bytes(2, "b").0].concat(),
    ];
    for (which, piece) in pieces.iter().enumerate() {
        let mut message = DynamicMessage::new(&lists);
        let most = copying(&mut message, 5_000, |message, at| message.merge(&piece(at)).unwrap());
        assert!(most < 100, "{which}: {most} merges copy");
        // What was compacted, as one that holds nothing but what was read.
        let mut message = message.as_view().to_owned();
        let most = copying(&mut message, 1_000, |message, at| message.merge(&piece(at)).unwrap());
        assert!(most < 30, "{which}: {most} merges into a copy copy it");
        let most = copying(&mut message, 1_000, |message, at| {
            message.push(1_u32, at as i32).unwrap();
            message.push(2_u32, "c").unwrap();
        });
        assert!(most < 30, "{which}: {most} setters copy");
    }
    for keys in [512, 1024, 2048, 4096] {
        let mut message = DynamicMessage::new(&lists);
        (0..keys).for_each(|key| message.merge(&entry(key)).unwrap());
        let most = copying(&mut message, 300, |message, at| message.merge(&entry(at)).unwrap());
        assert!(most < 8, "{keys} keys: {most} merges of keys that are there copy");
        let cut = |at| [entry(at), vec![8]].concat();
        let most = copying(&mut message, 300, |message, at| drop(message.merge(&cut(at)).unwrap_err()));
        assert!(most < 8, "{keys} keys: {most} merges that fail copy");
        assert_eq!(message.encoded_len(), (0..keys).map(|key| entry(key).len()).sum::<usize>());
    }
}

/// Garbage is still given back, whatever it is made of.
#[test]
fn a_message_whose_values_are_set_again_and_again_takes_a_few_times_what_it_holds() {
    let node = node();
    let mut message = DynamicMessage::new(&node);
    message.set_field("t", "x".repeat(10 * KIB)).unwrap();
    message.set_field("list", vec![Value::Message(DynamicMessage::new(&node)); 1_000]).unwrap();
    let held = message.as_view().to_owned().capacity();
    for round in 0..2_000 {
        message.set_field("s", Value::Bytes(vec![7; round % 100])).unwrap();
        message.set_field("t", "y".repeat(10 * KIB)).unwrap();
        message.set_field("list", vec![Value::Message(DynamicMessage::new(&node)); 1_000]).unwrap();
        assert!(message.capacity() <= 10 * held, "{round}: {} of {held}", message.capacity());
    }
}

//! Nesting: 100 levels are accepted and 101 are not, whatever nests; with the limit raised, 10 000 levels need no
//! more stack than one.

use crate::common::bridge::{descriptor, field};
use crate::common::samples;
use crate::common::wire::{BYTES, END, START, Wire};
use tablepb::wire::Reader;
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DynamicMessage, EncodeErrorKind, EncodeOptions,
    MessageDescriptor,
};

/// One way to nest: what stands before and behind the inner bytes, and how many levels that is.
#[derive(Clone, Copy, Debug)]
enum Nest {
    /// A message field of this number.
    Message(u32),
    /// A group field, or an unknown group.
    Group(u32),
    /// A map entry of field 12 with the inner message as its value.
    MapEntry,
    /// A message in a message of the wide type of field 19.
    Wide,
}

use Nest::*;

const WAYS: [(&str, &[Nest]); 10] = [
    ("messages", &[Message(3)]),
    ("groups", &[Group(8)]),
    ("unknown groups", &[Group(1000)]),
    ("lists of messages", &[Message(9)]),
    ("lists of groups", &[Group(20)]),
    ("members of a oneof", &[Message(15)]),
    ("map entries", &[MapEntry]),
    ("wide messages", &[Wide]),
    ("messages and groups", &[Message(3), Group(8), Message(9), Group(20)]),
    ("everything", &[Message(3), Group(8), MapEntry, Message(15), Wide, Group(20)]),
];

impl Nest {
    const fn levels(self) -> usize {
        match self {
            Message(_) | Group(_) => 1,
            MapEntry | Wide => 2,
        }
    }
}

/// Nests in linear time, from the inside out: everything is put down backwards.
struct Backwards(Vec<u8>);

impl Backwards {
    fn put(&mut self, wire: Wire) {
        self.0.extend(wire.0.iter().rev());
    }

    fn message(&mut self, number: u32) {
        let len = self.0.len() as u64;
        self.put(Wire::new().tag(number, BYTES).varint(len));
    }

    fn wrap(&mut self, nest: Nest) {
        match nest {
            Message(number) => self.message(number),
            Group(number) => {
                let inner = std::mem::take(&mut self.0);
                self.put(Wire::new().tag(number, END));
                self.0.extend(inner);
                self.put(Wire::new().tag(number, START));
            }
            MapEntry => {
                self.message(2);
                self.put(Wire::new().bytes(1, "k"));
                self.message(12);
            }
            Wide => {
                self.message(121);
                self.message(19);
            }
        }
    }
}

/// Just this many levels; the innermost ways are groups or messages if the last way would be too much.
fn nested(ways: &[Nest], levels: usize) -> Vec<u8> {
    let mut chosen = Vec::new();
    let mut left = levels;
    for way in ways.iter().cycle() {
        if left == 0 {
            break;
        }
        let way = if way.levels() <= left { *way } else { Message(3) };
        left -= way.levels();
        chosen.push(way);
    }
    let mut bytes = Backwards(Vec::new());
    // Groups that follow each other are put down in one go, or their ends would be moved again and again.
    let groups = chosen.iter().all(|way| matches!(way, Group(_)));
    if groups {
        let starts = chosen.iter().fold(Wire::new(), |w, way| match way {
            Group(number) => w.tag(*number, START),
            _ => w,
        });
        return chosen
            .iter()
            .rev()
            .fold(starts, |w, way| match way {
                Group(number) => w.tag(*number, END),
                _ => w,
            })
            .0;
    }
    for way in chosen.iter().rev() {
        bytes.wrap(*way);
    }
    bytes.0.reverse();
    bytes.0
}

fn rich() -> MessageDescriptor {
    let schema = samples::rich();
    descriptor(&schema, &schema.pool(), 0)
}

#[test]
fn one_hundred_levels_are_accepted_and_one_more_is_not() {
    let rich = rich();
    let mut decoder = Decoder::new(&rich);
    for (name, ways) in WAYS {
        for limit in [1, 2, 10, 99, 100, 101, 150] {
            let options = DecodeOptions::new().max_depth(limit);
            decoder = decoder.with_options(options);
            for levels in [limit - 1, limit, limit + 1, limit + 2, 2 * limit + 5] {
                let input = nested(ways, levels as usize);
                let fits = levels <= limit;
                let check = |error: Option<tablepb::DecodeError>| match error {
                    None => assert!(fits, "{name}: {levels} levels, {limit} allowed"),
                    Some(error) => {
                        assert!(!fits, "{name}: {levels} levels, {limit} allowed: {error}");
                        assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
                    }
                };
                check(decoder.decode(&input).err());
                check(options.decode_dynamic(&rich, &input).err());
                let mut merged = DynamicMessage::decode(&rich, &samples::rich_payload()).unwrap();
                check(options.merge(&mut merged, &input).err());
                if ways.iter().all(|way| matches!(way, Group(_))) {
                    check(Reader::with_depth(&input, limit).skip_message().err());
                }
            }
        }
        assert!(DynamicMessage::decode(&rich, &nested(ways, 100)).is_ok(), "{name}");
        let error = DynamicMessage::decode(&rich, &nested(ways, 101)).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded, "{name}");
    }
}

#[test]
fn what_is_too_deep_is_not_encoded_either() {
    let rich = rich();
    for (name, ways) in WAYS {
        // Unknown groups are bytes to the encoder; whoever decoded them has counted.
        if name == "unknown groups" {
            continue;
        }
        for levels in [99, 100, 101, 150] {
            let raised = DecodeOptions::new().max_depth(1000);
            let message = raised.decode_dynamic(&rich, &nested(ways, levels)).unwrap();
            let encoded = message.encode_to_vec();
            assert_eq!(encoded.is_ok(), levels <= 100, "{name}: {levels}");
            if let Err(error) = encoded {
                assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
            }
            let limit = levels as u32;
            for (limit, fits) in [(limit, true), (limit - 1, false)] {
                let mut buffer = vec![1, 2];
                let encoded = EncodeOptions::new().max_depth(limit).encode(&message, &mut buffer);
                assert_eq!(encoded.is_ok(), fits, "{name}");
                assert_eq!(buffer.len() > 2, fits);
            }
            // The length does not depend on the limit.
            let mut buffer = Vec::new();
            EncodeOptions::new().max_depth(u32::MAX).encode(&message, &mut buffer).unwrap();
            assert_eq!(buffer.len(), message.encoded_len());
        }
    }
}

#[test]
fn setters_nest_without_limit() {
    let rich = rich();
    let (m, a) = (field(&rich, 3), field(&rich, 1));
    let mut message = DynamicMessage::new(&rich);
    let mut at = message.as_mut();
    for _ in 0..10_000 {
        at = deeper(at, &m);
    }
    at.set_field(&a, 5).unwrap();
    let error = message.encode_to_vec().unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
    let mut buffer = Vec::new();
    EncodeOptions::new().max_depth(10_000).encode(&message, &mut buffer).unwrap();
    let raised = DecodeOptions::new().max_depth(10_000).budget(ROOM);
    assert_eq!(raised.decode_dynamic(&rich, &buffer).unwrap(), message);
}

/// A sub-message of a message that is not needed any more: by value, as the loop above goes down.
fn deeper<'m>(at: tablepb::MessageMut<'m>, field: &tablepb::FieldDescriptor) -> tablepb::MessageMut<'m> {
    at.into_message_mut(field).unwrap()
}

/// Runs everything on a thread with a small stack.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK);
    thread.spawn(work).unwrap().join().unwrap();
}

/// 16 KiB are enough for each of the things done here; without optimisation everything that is inlined has room of its
/// own for every temporary.
const STACK: usize = if cfg!(debug_assertions) { 96 << 10 } else { 32 << 10 };

/// The bodies of the rich type are large next to the two or three bytes that a level takes on the wire.
const ROOM: usize = 64 << 20;

#[test]
fn ten_thousand_levels_need_no_more_stack_than_one() {
    const LEVELS: usize = 10_000;
    for (name, ways) in WAYS {
        let input = nested(ways, LEVELS);
        let rich = rich();
        on_small_stack(move || {
            let options = DecodeOptions::new().max_depth(LEVELS as u32).budget(ROOM);
            let deep = EncodeOptions::new().max_depth(LEVELS as u32).deterministic(true);
            let mut decoder = Decoder::new(&rich).with_options(options);
            let view = decoder.decode(&input).unwrap();
            let message = options.decode_dynamic(&rich, &input).unwrap();
            assert!(message.as_view() == view);
            let copy = view.to_owned();
            assert!(copy == message && message.clone() == copy);
            let mut buffer = Vec::new();
            deep.encode(&message, &mut buffer).unwrap();
            assert_eq!(buffer.len(), message.encoded_len());
            let mut merged = copy;
            options.merge(&mut merged, &buffer).unwrap();
            assert!(merged.is_initialized());
            let text = format!("{message:?}");
            assert!(text.len() >= LEVELS || name == "unknown groups", "{name}");
            // It goes the same way, and is 400 MB of indents.
            if !cfg!(debug_assertions) {
                let pretty = format!("{message:#?}");
                assert!(pretty.len() >= text.len());
            }
            let unknown = message.unknown_fields().map(|field| field.value().len()).sum::<usize>();
            assert_eq!(unknown > 0, name == "unknown groups");
            let a = field(&rich, 1);
            merged.set_field(&a, 1).unwrap();
            merged.clear();
            drop(message);
            // And what is one level too deep is found.
            let less = options.max_depth(LEVELS as u32 - 1);
            let error = less.decode_dynamic(&rich, &input).unwrap_err();
            assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
            assert!(error.to_string().len() > 20);
        });
    }
}

/// What a message ends with: how many levels the input has below that message, or is it an error in any case.
const ENDS: [(&str, &[u8], usize); 11] = [
    ("nothing", b"", 0),
    ("an empty message", b"\x12\0", 1),
    ("an entry without key and value", b"\x0a\0", 1),
    ("an entry without its value", b"\x0a\x02\x08\x01", 1),
    ("an entry with an empty value", b"\x0a\x02\x12\0", 2),
    ("an entry with a number for its value", b"\x0a\x02\x10\x01", 1),
    ("an entry with an unknown group", b"\x0a\x04\x08\x01\x1b\x1c", 2),
    ("an entry with a group for its value", b"\x0a\x02\x13\x14", 2),
    ("an unknown group", b"\x23\x24", 1),
    ("a group in place of a message", b"\x13\x14", 1),
    ("a group in place of an entry", b"\x0b\x0c", 1),
];

#[derive(Debug, Default, PartialEq)]
struct Tree {
    entries: std::collections::BTreeMap<i32, Tree>,
    child: Option<Box<Tree>>,
    items: Vec<Tree>,
}

tablepb::message! {
    Tree as "depth.Tree" { entries: map<int32, message Tree> = 1, child: message Tree = 2, items: repeated message Tree = 3 }
}

struct Nothing;
impl tablepb::visit::Sink<'_> for Nothing {}

/// The value of an entry is a level where it is in the input, as in C++ and upb, and only there.
#[test]
fn all_decoders_count_the_same_levels_with_and_without_the_value_of_an_entry() {
    use tablepb::partial::Projection;
    use tablepb::{DescriptorPool, Message};
    let pool = DescriptorPool::from_tables(&[Tree::TABLE]).unwrap();
    let tree = pool.message("depth.Tree").unwrap();
    let lazy = Projection::all(&tree).lazy(["entries", "items"]).unwrap();
    for (name, end, below) in ENDS {
        for limit in [1, 2, 30, 99, 100, 101, 130] {
            for levels in (limit as usize).saturating_sub(3)..=limit as usize + 1 {
                let mut bytes = Backwards(end.iter().rev().copied().collect());
                (0..levels).for_each(|_| bytes.message(2));
                bytes.0.reverse();
                let (input, options) = (bytes.0, DecodeOptions::new().max_depth(limit));
                let fits = levels + below <= limit as usize;
                let check = |how: &str, result: Result<(), tablepb::DecodeError>| match result {
                    Ok(()) => assert!(fits, "{how}: {name} below {levels} levels, {limit} allowed"),
                    Err(error) => {
                        assert!(!fits, "{how}: {name} below {levels} levels, {limit} allowed: {error}");
                        assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
                    }
                };
                let message = options.decode_dynamic(&tree, &input);
                let mut merged = DynamicMessage::decode(&tree, b"\x0a\x02\x12\0").unwrap();
                check("merge", options.merge(&mut merged, &input));
                EncodeOptions::new().max_depth(limit + 1).encode(&merged, &mut Vec::new()).unwrap();
                let mut decoder = Decoder::new(&tree).with_options(options);
                check("decoder", decoder.decode(&input).map(drop));
                check("visit", decoder.visit(&input, &mut Nothing).map(drop));
                if limit <= 100 {
                    let decoded = options.decode::<Tree>(&input);
                    let mut merged = Tree::default();
                    check("merge of a struct", options.merge(&mut merged, &input));
                    assert!(decoded.as_ref().is_ok_and(|tree| *tree == merged) || decoded.is_err());
                    check("struct", decoded.map(drop));
                }
                let raw =
                    options.decode_selected(&lazy, &input).and_then(|mut message| message.materialize());
                if fits {
                    raw.unwrap();
                }
                check("message", message.map(drop));
            }
        }
    }
}

/// An encoder writes the value of each entry, and nothing that a decoder with the same limit refuses.
#[test]
fn what_is_encoded_within_a_limit_is_decoded_within_it() {
    use tablepb::{DescriptorPool, Message};
    let pool = DescriptorPool::from_tables(&[Tree::TABLE]).unwrap();
    let tree = pool.message("depth.Tree").unwrap();
    for (name, end, _) in ENDS {
        for levels in 95..=100 {
            let mut bytes = Backwards(end.iter().rev().copied().collect());
            (0..levels).for_each(|_| bytes.message(2));
            bytes.0.reverse();
            let Ok(message) = DynamicMessage::decode(&tree, &bytes.0) else { continue };
            let json = tablepb::json::to_string(&message);
            let fits = json.is_ok();
            if let Ok(json) = json {
                assert!(
                    tablepb::json::message_from_slice(&tree, json.as_bytes()).is_ok(),
                    "{name} at {levels}"
                );
                assert_eq!(tablepb::json::to_string(&Tree::decode(&bytes.0).unwrap()).unwrap(), json);
            }
            assert_eq!(tablepb::json::to_string(&Tree::decode(&bytes.0).unwrap()).is_ok(), fits);
            match message.encode_to_vec() {
                Ok(bytes) => assert!(DynamicMessage::decode(&tree, &bytes).is_ok(), "{name} at {levels}"),
                Err(error) => assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded),
            }
        }
    }
}

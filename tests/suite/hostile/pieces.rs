//! Dynamic messages that are large and merged in small pieces: of every kind of list, map and field that is kept as bytes, as bytes, JSON and text. Each piece fits,
//! however large the message is, also when it is a copy, whose lists are full.

use crate::common::wire::Wire;
use tablepb::partial::Projection;
use tablepb::table::{FieldTable, Kind, MessageTable, Syntax};
use tablepb::{DecodeOptions, Decoder, DescriptorPool, DynamicMessage, MessageDescriptor, json, text};

static LEAF: MessageTable = MessageTable::new(
    "p.Leaf",
    &[
        FieldTable::new("number", 1, Kind::Int32).optional(),
        FieldTable::new("text", 2, Kind::String).optional(),
    ],
)
.syntax(Syntax::Proto2);
static ALL: MessageTable = MessageTable::new(
    "p.All",
    &[
        FieldTable::new("numbers", 1, Kind::Uint64).repeated(),
        FieldTable::new("flags", 2, Kind::Bool).repeated(),
        FieldTable::new("texts", 3, Kind::String).repeated(),
        FieldTable::new("blobs", 4, Kind::Bytes).repeated(),
        FieldTable::new("leaves", 5, Kind::Message(|| &LEAF)).repeated(),
        FieldTable::new("groups", 6, Kind::Message(|| &LEAF)).repeated().delimited(),
        FieldTable::new("deep", 7, Kind::Message(|| &ALL)).repeated(),
        FieldTable::map("by_number", 8, Kind::Uint64, Kind::Bool),
        FieldTable::map("by_text", 9, Kind::String, Kind::String),
        FieldTable::map("leaf_of", 10, Kind::Sint32, Kind::Message(|| &LEAF)),
        FieldTable::new("one", 11, Kind::Message(|| &ALL)),
    ],
)
.syntax(Syntax::Proto2);

fn all() -> MessageDescriptor {
    DescriptorPool::from_tables(&[&ALL]).unwrap().message("p.All").unwrap()
}

fn leaf(n: u64) -> Wire {
    Wire::new().int(1, n % 100).bytes(2, "ab")
}

type Make = fn(u64) -> Wire;

/// One element, of every kind; another key for each number.
const EACH: [(&str, Make); 13] = [
    ("numbers", |n| Wire::new().int(1, n)),
    ("flags", |n| Wire::new().int(2, n % 2)),
    ("texts", |n| Wire::new().bytes(3, format!("{n}"))),
    ("blobs", |n| Wire::new().bytes(4, n.to_le_bytes())),
    ("leaves", |n| Wire::new().message(5, leaf(n))),
    ("empty leaves", |_| Wire::new().message(5, Wire::new())),
    ("groups", |n| Wire::new().group(6, leaf(n))),
    ("deep messages", |n| Wire::new().message(7, Wire::new().int(1, n).message(5, leaf(n)))),
    ("a map of numbers", |n| {
        Wire::new().message(8, Wire::new().int(1, n.wrapping_mul(0x9e37_79b9)).int(2, 1))
    }),
    ("a map of texts", |n| {
        Wire::new().message(9, Wire::new().bytes(1, format!("{:x}", n * 77)).bytes(2, "v"))
    }),
    ("a map of messages", |n| Wire::new().message(10, Wire::new().int(1, n).message(2, leaf(n)))),
    ("unknown fields", |n| Wire::new().int(100, n).bytes(101, "xyz")),
    ("lists of a message", |n| {
        Wire::new().message(11, Wire::new().int(1, n).bytes(3, "t").message(5, leaf(n)))
    }),
];

/// Each of them, and all of them in turn.
fn kinds() -> impl Iterator<Item = (&'static str, Make)> {
    EACH.into_iter().chain([("all in turn", (|n| EACH[n as usize % EACH.len()].1(n)) as Make)])
}

/// Elements from one number on, as bytes.
fn piece(make: Make, from: u64, count: u64) -> Vec<u8> {
    (from..from + count).fold(Wire::new(), |all, n| all.raw(&make(n).0)).0
}

const TOTAL: u64 = if cfg!(debug_assertions) { 30_000 } else { 200_000 };

#[test]
fn a_message_of_every_kind_takes_small_merges_however_large_it_is() {
    let all = all();
    let rich = DecodeOptions::new().budget(1 << 31);
    for (kind, make) in kinds() {
        let mut message = DynamicMessage::new(&all);
        let (mut from, mut n) = (0, 0);
        while from < TOTAL {
            let count = [1, 7, 40, 200, 1_000][n % 5];
            message
                .merge(&piece(make, from, count))
                .unwrap_or_else(|error| panic!("{kind}, {from}: {error}"));
            (from, n) = (from + count, n + 1);
            // The lists of a copy are full.
            if n % 40 == 0 {
                message = message.clone();
            }
        }
        let whole = rich.decode_dynamic(&all, &piece(make, 0, from)).unwrap();
        assert!(message == whole, "{kind}");
        assert!(
            message.capacity() <= 12 * whole.capacity(),
            "{kind}: {} {}",
            message.capacity(),
            whole.capacity()
        );
    }
}

/// The same as JSON and text, which have no unknown fields.
#[test]
fn a_message_of_every_kind_takes_small_texts_however_large_it_is() {
    let all = all();
    let rich = DecodeOptions::new().budget(1 << 31);
    let of = |make, from, count| {
        let mut message = DynamicMessage::decode(&all, &piece(make, from, count)).unwrap();
        message.as_mut().clear_unknown_fields().unwrap();
        message
    };
    for (kind, make) in kinds().filter(|(kind, _)| *kind != "unknown fields") {
        let start = rich.decode_dynamic(&all, &piece(make, 0, TOTAL / 2)).unwrap();
        for in_json in [true, false] {
            let mut message = start.clone();
            let mut from = TOTAL / 2;
            for n in 0..60 {
                let count = [1, 7, 40, 200, 1_000][n % 5];
                let more = of(make, from, count);
                let merged = match in_json {
                    true => json::merge_from_slice(&mut message, json::to_string(&more).unwrap().as_bytes()),
                    false => text::merge_from_str(&mut message, &text::to_string(&more).unwrap()),
                };
                merged.unwrap_or_else(|error| panic!("{kind}, {from}, {in_json}: {error}"));
                from += count;
                if n % 20 == 19 {
                    message = message.clone();
                }
            }
            let mut whole = rich.decode_dynamic(&all, &piece(make, 0, from)).unwrap();
            whole.as_mut().clear_unknown_fields().unwrap();
            message.as_mut().clear_unknown_fields().unwrap();
            assert!(message == whole, "{kind} {in_json}");
        }
    }
}

/// With members that are kept as bytes, by a lazy projection and by one that passes through what it does not decode.
#[test]
fn a_message_that_keeps_bytes_takes_small_merges_however_large_it_is() {
    let all = all();
    let lazy = Projection::all(&all).lazy(["deep", "leaves", "one", "leaf_of"]).unwrap();
    let through = Projection::new(&all, ["numbers", "one.texts"]).unwrap().pass_through();
    for projection in [lazy, through] {
        for (kind, make) in kinds() {
            let start = piece(make, 0, TOTAL / 4);
            let mut decoder = Decoder::new(&all)
                .with_projection(&projection)
                .with_options(DecodeOptions::new().budget(1 << 31));
            let mut message = decoder.decode(&start).unwrap().to_owned();
            let mut from = TOTAL / 4;
            for n in 0..60 {
                let count = [1, 7, 40, 200, 1_000][n % 5];
                message
                    .merge(&piece(make, from, count))
                    .unwrap_or_else(|error| panic!("{kind}, {from}: {error}"));
                from += count;
            }
            let rich = DecodeOptions::new().budget(1 << 31);
            let whole = rich.decode_dynamic(&all, &piece(make, 0, from)).unwrap();
            assert!(rich.decode_dynamic(&all, &message.encode_to_vec().unwrap()).unwrap() == whole, "{kind}");
        }
    }
}

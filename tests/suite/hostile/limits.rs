//! Hostile inputs, all their truncations and all bit flips of these: no panic, no wrong answer.
//!
//! Every input goes through a decoder and, if it is accepted, through the encoder; what is right says the naive
//! codec of `common::reference`. Every 17th, in release builds every one, also goes through a fresh dynamic message,
//! a merge into a message that is not empty, and the schemaless reader.

use crate::common::bridge::descriptor;
use crate::common::reference::{Fault, Reference, encode};
use crate::common::samples::{self, hostile, rich_payload};
use crate::common::schema::Schema;
use tablepb::wire::Reader;
use tablepb::{Decoder, DynamicMessage, EncodeOptions};

/// No multiple of the bits of a byte.
const BATTERY_EVERY: usize = if cfg!(debug_assertions) { 17 } else { 1 };
const SORTED: EncodeOptions = EncodeOptions::new().deterministic(true);

/// One schema and what is used again for all inputs.
struct Bench {
    schema: Schema,
    decoder: Decoder,
    merged: DynamicMessage,
    before: Vec<u8>,
    buffer: Vec<u8>,
    inputs: usize,
    accepted: usize,
}

impl Bench {
    fn new(schema: Schema, before: Vec<u8>) -> Self {
        let descriptor = descriptor(&schema, &schema.pool(), 0);
        Self {
            decoder: Decoder::new(&descriptor),
            merged: DynamicMessage::new(&descriptor),
            schema,
            before,
            buffer: Vec::new(),
            inputs: 0,
            accepted: 0,
        }
    }

    fn check(&mut self, input: &[u8]) {
        self.inputs += 1;
        let mut reference = Reference::new(&self.schema);
        let expected = reference.decode(0, input);
        match (self.decoder.decode(input), &expected) {
            (Ok(view), Ok(expected)) => {
                self.accepted += 1;
                self.buffer.clear();
                SORTED.encode(&view, &mut self.buffer).unwrap();
                assert_eq!(self.buffer, encode(&self.schema, 0, expected), "{input:02x?}");
                assert_eq!(view.encoded_len(), self.buffer.len());
            }
            (Err(error), Err(fault)) => {
                let found = Fault { kind: error.kind(), offset: error.offset() };
                assert_eq!(found, *fault, "{error} in {input:02x?}");
            }
            (got, expected) => panic!("{got:?}, not {expected:?}: {input:02x?}"),
        }
        if self.inputs.is_multiple_of(BATTERY_EVERY) {
            self.battery(input, expected.err());
        }
    }

    fn battery(&mut self, input: &[u8], fault: Option<Fault>) {
        let dynamic = DynamicMessage::decode(self.decoder.descriptor(), input);
        assert_eq!(dynamic.as_ref().err().map(|e| (e.kind(), e.offset())), fault.map(|f| (f.kind, f.offset)));
        // What the schema says is only about what is inside of length-delimited fields.
        let skipped = Reader::new(input).skip_message();
        assert!(skipped.is_ok() || fault.is_some(), "{input:02x?}");

        self.merged.clear();
        self.merged.merge(&self.before).unwrap();
        let failed = self.merged.merge(input).is_err();
        assert_eq!(failed, fault.is_some());
        self.buffer.clear();
        self.merged.encode(&mut self.buffer).unwrap();
        assert_eq!(self.merged.encoded_len(), self.buffer.len());
        // Valid whatever was merged: what is written can be read, and is the same.
        let len = self.buffer.len();
        let view = self.decoder.decode(&self.buffer).unwrap();
        assert!(view == self.merged.as_view(), "{input:02x?}");
        let again = view.encoded_len();
        assert_eq!(again, len);
    }

    /// The input, its truncations, and each of them with each bit flipped; every so many of them.
    fn neighbours(&mut self, bytes: &[u8], every: usize) {
        let mut number = 0;
        let mut check = |input: &[u8]| {
            if number % every == 0 {
                self.check(input);
            }
            number += 1;
        };
        let mut input = bytes.to_vec();
        for len in (0..=bytes.len()).rev() {
            input.truncate(len);
            check(&input);
            for at in 0..len {
                for bit in 0..8 {
                    input[at] ^= 1 << bit;
                    check(&input);
                    input[at] ^= 1 << bit;
                }
            }
        }
    }
}

fn run(name: &str, schema: Schema, before: Vec<u8>, every: usize) {
    let mut bench = Bench::new(schema, before);
    for row in hostile() {
        let got = DynamicMessage::decode(bench.decoder.descriptor(), &row.bytes);
        assert_eq!(got.err().map(|e| e.kind()), row.fault, "{}", row.name);
        bench.neighbours(&row.bytes, every);
    }
    bench.neighbours(&rich_payload(), every);
    println!("{name}: {} inputs, {} accepted", bench.inputs, bench.accepted);
    assert!(bench.inputs > 500_000 / every);
}

fn simple(every: usize) {
    let before = crate::common::wire::Wire::new().int(1, 7).bytes(2, "before").bytes(4, [1, 2, 3]);
    run("T", samples::t(), before.0, every);
}

fn rich(every: usize) {
    run("Rich", samples::rich(), rich_payload(), every);
}

/// A sample; no multiple of the bits of a byte.
#[test]
fn some_neighbours_of_hostile_inputs() {
    let every = if cfg!(debug_assertions) { 101 } else { 31 };
    simple(every);
    rich(every);
}

#[test]
#[ignore = "long: over half a million inputs"]
fn neighbours_of_hostile_inputs_on_a_simple_schema() {
    simple(1);
}

#[test]
#[ignore = "long: over half a million inputs"]
fn neighbours_of_hostile_inputs_on_a_rich_schema() {
    rich(1);
}

//! Hostile inputs, their truncations and bit flips, through every way in: decoders, dynamic messages, merges, structs
//! with eager, lazy and prepared members, projections, what passes through, prepared messages, raw fields, records.
//! What one way accepts the others accept; what it refuses they refuse for the same reason; none panics, and what was
//! worked on can be used again.
//!
//! The default is a sample; `every_neighbour` is all of them, more than a million, for release builds.

use crate::common::bridge::descriptor;
use crate::common::samples::{self, hostile, nested, nested_groups};
use crate::common::wire::{END, START, Wire};
use std::collections::BTreeMap;
use tablepb::partial::Projection;
use tablepb::raw::{RawFields, RawValue};
use tablepb::record::RecordPlan;
use tablepb::record::{Field, kind};
use tablepb::wire::Reader;
use tablepb::{
    DecodeError, DecodeErrorKind, DecodeOptions, Decoder, DynamicMessage, Lazy, Message, MessageDescriptor,
    Prepared, UnknownFieldSet, stream,
};

/// How many times what is small is there in large inputs.
const MANY: usize = if cfg!(debug_assertions) { 4_000 } else { 100_000 };

/// The type `T` of the samples.
#[derive(Clone, Debug, Default, PartialEq)]
struct Eager {
    a: i32,
    s: String,
    m: Option<Box<Eager>>,
    p: Vec<i32>,
    mp: BTreeMap<i32, i32>,
    unknown: UnknownFieldSet,
}

#[derive(Debug, Default)]
struct Later {
    a: i32,
    s: String,
    m: Option<Lazy<Eager>>,
    p: Vec<i32>,
    mp: BTreeMap<i32, i32>,
    unknown: UnknownFieldSet,
}

#[derive(Debug, Default)]
struct Kept {
    a: i32,
    m: Option<Prepared<Eager>>,
    unknown: UnknownFieldSet,
}

tablepb::message! {
    Eager as "p0.T" {
        a: int32 = 1, s: string = 2, m: message Eager = 3, p: repeated int32 = 4, mp: map<int32, int32> = 5,
        unknown: unknown_fields,
    }
    Later as "p0.T" {
        a: int32 = 1, s: string = 2, m: message Eager = 3, p: repeated int32 = 4, mp: map<int32, int32> = 5,
        unknown: unknown_fields,
    }
    Kept as "p0.T" { a: int32 = 1, m: message Eager = 3, unknown: unknown_fields }
}

/// All ways, with what they use again.
struct Paths {
    t: MessageDescriptor,
    decoder: Decoder,
    projections: Vec<(Projection, Decoder, bool)>,
    merged: DynamicMessage,
    eager: Eager,
    plan: RecordPlan,
    member: Field<kind::Submessage>,
    inputs: usize,
    accepted: usize,
}

type Verdict = Option<(DecodeErrorKind, usize)>;

fn verdict<T>(result: Result<T, DecodeError>) -> Verdict {
    result.err().map(|error| (error.kind(), error.offset()))
}

impl Paths {
    fn new() -> Self {
        let schema = samples::t();
        let t = descriptor(&schema, &schema.pool(), 0);
        let some = Projection::new(&t, ["f1", "f3.f2", "f5"]).expect("paths");
        let lazy = Projection::all(&t).lazy(["*"]).expect("paths");
        let projections = [(some.clone(), false), (some.pass_through(), true), (lazy, true)];
        let projections = projections.map(|(projection, keeps)| {
            let decoder = Decoder::new(&t).with_projection(&projection);
            (projection, decoder, keeps)
        });
        let plan = RecordPlan::new(&t);
        Self {
            decoder: Decoder::new(&t),
            projections: projections.into(),
            merged: DynamicMessage::new(&t),
            eager: Eager::default(),
            member: plan.message("f3").expect("a message"),
            plan,
            t,
            inputs: 0,
            accepted: 0,
        }
    }

    fn check(&mut self, input: &[u8]) {
        self.inputs += 1;
        let expected = verdict(self.decoder.decode(input));
        let full = DynamicMessage::decode(&self.t, input);
        assert_eq!(verdict(full.as_ref().map_err(Clone::clone)), expected, "{input:02x?}");
        let shared = bytes::Bytes::copy_from_slice(input);
        assert_eq!(verdict(DynamicMessage::decode_shared(&self.t, &shared)), expected, "{input:02x?}");
        assert_eq!(verdict(Prepared::decode(&self.t, input)), expected, "{input:02x?}");
        self.accepted += usize::from(expected.is_none());
        self.merges(input, expected);
        self.structs(input, expected);
        self.projected(input, full.as_ref().ok());
        self.raw(input, expected);
        if let Ok(full) = &full {
            self.record(input, full);
        }
    }

    /// Into a message that holds something, which can be used again whatever happens.
    fn merges(&mut self, input: &[u8], expected: Verdict) {
        assert_eq!(verdict(self.merged.merge(input)).is_some(), expected.is_some(), "{input:02x?}");
        let bytes = self.merged.encode_to_vec().expect("a message");
        assert_eq!(self.merged.encoded_len(), bytes.len());
        assert!(
            self.decoder.decode(&bytes).expect("it was encoded") == self.merged.as_view(),
            "{input:02x?}"
        );
        if bytes.len() > 256 {
            self.merged.clear();
        }
    }

    fn structs(&mut self, input: &[u8], expected: Verdict) {
        let eager = Eager::decode(input);
        assert_eq!(verdict(eager.as_ref().map_err(Clone::clone)), expected, "{input:02x?}");
        assert_eq!(self.eager.merge(input).is_err(), expected.is_some(), "{input:02x?}");
        if expected.is_some_and(|fault| fault.0 == DecodeErrorKind::DepthExceeded) {
            self.eager.clear();
        }
        let bytes = self.eager.encode_to_vec().expect("a message");
        assert!(Eager::decode(&bytes).expect("it was encoded") == self.eager, "{input:02x?}");
        if bytes.len() > 256 {
            self.eager.clear();
        }
        let later = Later::decode(input).and_then(|later| {
            later.m.iter().try_for_each(|inner| inner.get().map(drop))?;
            Ok(later)
        });
        assert_eq!(later.is_err(), expected.is_some(), "{input:02x?}");
        // A prepared member that occurs again is checked again as a whole, and the budget pays for it.
        let kept = verdict(Kept::decode(input)).map(|fault| fault.0);
        if kept != Some(DecodeErrorKind::BudgetExceeded) {
            assert_eq!(kept.is_some(), self.without_other_fields(input, expected), "{kept:?}: {input:02x?}");
        }
        if let (Ok(later), Ok(eager)) = (later, eager) {
            assert_eq!(later.encoded_len(), later.encode_to_vec().expect("a message").len());
            assert!(
                later.m.as_ref().map(|m| m.get().expect("as before")) == eager.m.as_deref(),
                "{input:02x?}"
            );
        }
    }

    /// Whether a struct that has but two of the fields refuses the input: the others are unknown to it.
    fn without_other_fields(&self, input: &[u8], expected: Verdict) -> bool {
        if expected.is_none() {
            return false;
        }
        // One level less is left for it, and each occurrence is a message of its own.
        let options = DecodeOptions::new().max_depth(99);
        let mut reader = Reader::new(input);
        while let Ok(Some(tag)) = reader.next_tag() {
            match (tag.number(), tag.wire_type() as u32) {
                (3, 2) => match reader.read_length_delimited() {
                    Ok(bytes) if options.decode_dynamic(&self.t, bytes).is_ok() => {}
                    _ => return true,
                },
                _ => {
                    if reader.skip_field(tag).is_err() {
                        return true;
                    }
                }
            }
        }
        reader.remaining() > 0
    }

    fn projected(&mut self, input: &[u8], full: Option<&DynamicMessage>) {
        for (projection, decoder, keeps) in &mut self.projections {
            let view = decoder.decode(input);
            let owned = projection.decode(input);
            assert_eq!(view.is_ok(), owned.is_ok(), "{input:02x?}");
            let (Ok(view), Ok(mut owned)) = (view, owned) else {
                assert!(full.is_none(), "{input:02x?}");
                continue;
            };
            assert!(view == owned.as_view(), "{input:02x?}");
            let materialized = owned.materialize();
            if let Some(full) = full {
                assert!(materialized.is_ok(), "{input:02x?}");
                assert!(!*keeps || owned == *full, "{input:02x?}");
            }
        }
    }

    fn raw(&mut self, input: &[u8], expected: Verdict) {
        let walked = RawFields::new(input).all(|field| field.is_ok());
        assert_eq!(walked, Reader::new(input).skip_message().is_ok(), "{input:02x?}");
        assert!(walked || expected.is_some(), "{input:02x?}");
        let mut out = vec![7];
        match RawFields::new(input).replace(&[3, 1], RawValue::Varint(1 << 40), &mut out) {
            Ok(_) => assert!(expected.is_some() || self.decoder.decode(&out[1..]).is_ok(), "{input:02x?}"),
            Err(_) => assert!(expected.is_some() && out == [7], "{input:02x?}"),
        }
    }

    /// What was accepted can be a part of a record, unless it is as deep as can be already.
    fn record(&mut self, input: &[u8], full: &DynamicMessage) {
        let prepared = Prepared::decode(&self.t, input).expect("accepted before");
        let mut buf = Vec::new();
        let mut rec = self.plan.record(&mut buf);
        rec.prepared(self.member, &prepared);
        let Ok(record) = rec.finish() else {
            assert!(prepared.depth() >= 100, "{input:02x?}");
            return;
        };
        let body = stream::read_frame(&mut &record[..]).expect("a frame").expect("a frame").to_vec();
        let view = self.decoder.decode(&body).expect("our own record");
        let member = view.get_field(3).ok().and_then(|value| value.as_message()).expect("it is set");
        assert!(member == full.as_view(), "{input:02x?}");
    }

    /// The input, its truncations, and each of them with each bit flipped; every `every`th of these.
    fn neighbours(&mut self, bytes: &[u8], every: usize) {
        let mut input = bytes.to_vec();
        let mut count = 0;
        let mut due = || {
            count += 1;
            count % every == 1 % every
        };
        for len in (0..=bytes.len()).rev() {
            input.truncate(len);
            if due() {
                self.check(&input);
            }
            for at in 0..len {
                for bit in 0..8 {
                    if due() {
                        input[at] ^= 1 << bit;
                        self.check(&input);
                        input[at] ^= 1 << bit;
                    }
                }
            }
        }
    }
}

/// Further classes, of sizes that leave too many neighbours for all of them to be tried.
fn large() -> Vec<(&'static str, Wire)> {
    let w = Wire::new;
    let unit = |unit: Wire, times| Wire::repeat(unit, times);
    vec![
        ("nested to the limit", nested(100)),
        ("nested beyond it", nested(101)),
        ("nested far beyond it", nested(10_000)),
        ("groups to the limit", nested_groups(100)),
        ("groups beyond it", nested_groups(101)),
        ("a million groups begin", unit(w().raw(&[0x43]), 1 << 20)),
        ("many groups begin and end", nested_groups(MANY)),
        ("a map entry with many groups", w().message(5, nested_groups(5_000))),
        ("starts and ends of a known field", w().raw(&[0x0b; 200]).raw(&[0x0c; 200])),
        ("groups in a message in a group", w().group(99, w().message(3, nested_groups(98)))),
        ("empty messages", unit(w().message(3, w()), MANY)),
        ("messages that are merged", unit(w().message(3, w().int(1, 1)), MANY)),
        ("unknown fields", unit(w().int(127, 0), MANY)),
        ("two unknown fields in turn", unit(w().int(126, 0).int(1, 1).int(127, 0), MANY / 2)),
        ("fields of another wire type", unit(w().bytes(1, b"a").int(2, 5), MANY / 2)),
        ("empty packed runs", unit(w().bytes(4, []), MANY)),
        ("runs of one", unit(w().bytes(4, [1]), MANY)),
        (
            "long varints",
            w().bytes(4, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1].repeat(MANY / 5)),
        ),
        ("a fault at the end of a run", w().bytes(4, [vec![1; MANY], vec![0x80]].concat())),
        ("one key many times", unit(w().message(5, w().int(1, 7).int(2, 1)), MANY / 2)),
        ("empty entries", unit(w().message(5, w()), MANY)),
        (
            "keys that are powers of two apart",
            (0..MANY as u64 / 5)
                .fold(w(), |w, k| w.message(5, Wire::new().int(1, (k << 20) & 0x7fff_ffff).int(2, 1))),
        ),
        (
            "keys that fall",
            (0..MANY as u64 / 5).fold(w(), |w, k| w.message(5, Wire::new().int(1, MANY as u64 / 5 - k))),
        ),
        ("one string", w().bytes(2, "é".repeat(MANY))),
        ("a fault at the end of a string", w().bytes(2, [vec![b'a'; MANY], vec![0xc3]].concat())),
        (
            "a length that lies at the end",
            unit(w().int(1, 1), MANY / 2).raw(&[0x12, 0xff, 0xff, 0xff, 0xff, 0x07]),
        ),
        ("a group that another one ends", unit(w().tag(99, START), 50).raw(&w().tag(98, END).0)),
    ]
}

fn all(every: usize) -> Paths {
    let mut paths = Paths::new();
    for row in hostile() {
        paths.check(&row.bytes);
        assert_eq!(verdict(paths.decoder.decode(&row.bytes)).map(|fault| fault.0), row.fault, "{}", row.name);
        paths.neighbours(&row.bytes, every);
        // The same when something was read before.
        paths.neighbours(&[b"\x08\x01\x1a\x04\x1a\x02\x08\x02", &row.bytes[..]].concat(), every);
    }
    let valid = Wire::new()
        .int(1, 5)
        .bytes(2, "hé")
        .message(3, Wire::new().int(1, 1).message(3, Wire::new().bytes(2, "x").bytes(4, [1, 2])))
        .bytes(4, [1, 2, 0x96, 1])
        .int(4, 7)
        .message(5, Wire::new().int(1, 1).int(2, 2))
        .message(5, Wire::new().int(2, 9))
        .group(20, Wire::new().int(1, 1).fixed64(2, 9))
        .fixed32(21, 7);
    paths.neighbours(&valid.0, every);
    println!("{} inputs, {} accepted", paths.inputs, paths.accepted);
    paths
}

#[test]
fn a_sample_of_neighbours_through_every_path() {
    let paths = all(if cfg!(debug_assertions) { 397 } else { 13 });
    assert!(paths.inputs > 1_500 && paths.accepted > 80);
}

#[test]
#[ignore = "long: a million inputs through all paths"]
fn every_neighbour() {
    let paths = all(1);
    assert!(paths.inputs >= 1_000_000, "{}", paths.inputs);
}

#[test]
fn large_hostile_inputs_through_every_path() {
    let mut paths = Paths::new();
    for (name, input) in large() {
        let start = std::time::Instant::now();
        paths.merged.clear();
        paths.eager.clear();
        paths.check(&input.0);
        paths.check(&input.0[..input.0.len() / 2]);
        paths.check(&input.0[..input.0.len() - 1]);
        // The next input finds everything as it was.
        paths.check(b"\x08\x01\x1a\x02\x08\x02");
        println!("{name}: {:.1?}", start.elapsed());
    }
}

#[test]
fn a_struct_that_a_merge_left_for_its_depth_can_be_encoded() {
    let mut eager = Eager::default();
    assert_eq!(
        verdict(eager.merge(&nested(101).0)).map(|fault| fault.0),
        Some(DecodeErrorKind::DepthExceeded)
    );
    assert_eq!(eager.encode_to_vec().map(drop), Ok(()));
}

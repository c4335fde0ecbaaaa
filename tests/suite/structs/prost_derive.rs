//! Dynamic messages against prost structs written by hand, one of proto2 and one of proto3, both ways and merged:
//! what `tests/suite/agreement.rs` leaves out is here, closed enums, required fields, unchecked strings and floats
//! without presence.

use crate::common::bridge::{descriptor, read};
use crate::common::choices::Choices;
use crate::common::disagreements::{Effect, Explained};
use crate::common::payload::{Style, WILD, mutate, noise, payload};
use crate::common::reference::{self, Event, Msg, Reference, Val};
use crate::common::samples::wrapped;
use crate::common::schema::{Card, Kind, SCALARS, Schema, Syntax};
use crate::common::wire::Wire;
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use tablepb::{DecodeOptions, DynamicMessage, EncodeOptions, MessageDescriptor};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
enum E {
    Zero = 0,
    One = 1,
    Less = -1,
    Far = 100,
}

#[derive(Clone, PartialEq, Message)]
struct Rich3 {
    #[prost(int32, tag = "1")]
    f1: i32,
    #[prost(string, tag = "2")]
    f2: String,
    #[prost(bool, tag = "3")]
    f3: bool,
    #[prost(int64, tag = "4")]
    f4: i64,
    #[prost(uint32, tag = "5")]
    f5: u32,
    #[prost(uint64, tag = "6")]
    f6: u64,
    #[prost(bytes = "vec", tag = "7")]
    f7: Vec<u8>,
    #[prost(double, tag = "8")]
    f8: f64,
    #[prost(float, tag = "9")]
    f9: f32,
    #[prost(fixed32, tag = "10")]
    f10: u32,
    #[prost(fixed64, tag = "11")]
    f11: u64,
    #[prost(sfixed32, tag = "12")]
    f12: i32,
    #[prost(sfixed64, tag = "13")]
    f13: i64,
    #[prost(sint32, tag = "14")]
    f14: i32,
    #[prost(sint64, tag = "15")]
    f15: i64,
    #[prost(enumeration = "E", tag = "16")]
    f16: i32,
    #[prost(message, optional, boxed, tag = "17")]
    f17: Option<Box<Rich3>>,
    #[prost(message, repeated, tag = "18")]
    f18: Vec<Rich3>,
    #[prost(int32, optional, tag = "19")]
    f19: Option<i32>,
    #[prost(double, optional, tag = "20")]
    f20: Option<f64>,
    #[prost(int32, repeated, tag = "21")]
    f21: Vec<i32>,
    #[prost(double, repeated, packed = "false", tag = "22")]
    f22: Vec<f64>,
    #[prost(string, repeated, tag = "23")]
    f23: Vec<String>,
    #[prost(btree_map = "string, double", tag = "24")]
    f24: BTreeMap<String, f64>,
    #[prost(btree_map = "sint64, message", tag = "25")]
    f25: BTreeMap<i64, Rich3>,
    #[prost(oneof = "Arm", tags = "26, 27, 28, 2000")]
    arm: Option<Arm>,
    #[prost(enumeration = "E", repeated, tag = "29")]
    f29: Vec<i32>,
    #[prost(sint32, repeated, tag = "536870911")]
    last: Vec<i32>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Arm {
    #[prost(int64, tag = "26")]
    Int(i64),
    #[prost(message, tag = "27")]
    Rich(Box<Rich3>),
    #[prost(string, tag = "28")]
    Text(String),
    #[prost(float, tag = "2000")]
    Float(f32),
}

/// The schema of `Rich3`.
fn rich3() -> Schema {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let rich = schema.message(file, "Rich3");
    let open = schema.enumeration(file, "E", false, &[0, 1, -1, 100]);
    for (number, kind) in (1..).zip(SCALARS) {
        schema.add(rich, number, kind, Card::Implicit);
    }
    schema.add(rich, 16, Kind::Enum(open), Card::Implicit);
    schema.add(rich, 17, Kind::Message(rich), Card::Optional);
    schema.add(rich, 18, Kind::Message(rich), Card::Repeated);
    schema.add(rich, 19, Kind::Int32, Card::Optional);
    schema.add(rich, 20, Kind::Double, Card::Optional);
    schema.add(rich, 21, Kind::Int32, Card::Repeated);
    schema.add(rich, 22, Kind::Double, Card::Repeated).packed = false;
    schema.add(rich, 23, Kind::String, Card::Repeated);
    schema.add_map(rich, 24, Kind::String, Kind::Double);
    schema.add_map(rich, 25, Kind::Sint64, Kind::Message(rich));
    schema.messages[rich].oneofs = 1;
    for (number, kind) in
        [(26, Kind::Int64), (27, Kind::Message(rich)), (28, Kind::String), (2000, Kind::Float)]
    {
        schema.add(rich, number, kind, Card::Optional).oneof = Some(0);
    }
    schema.add(rich, 29, Kind::Enum(open), Card::Repeated);
    schema.add(rich, 536_870_911, Kind::Sint32, Card::Repeated);
    schema
}

#[derive(Clone, PartialEq, Message)]
struct Rich2 {
    #[prost(int32, required, tag = "1")]
    f1: i32,
    #[prost(string, optional, tag = "2")]
    f2: Option<String>,
    #[prost(enumeration = "E", optional, tag = "3")]
    f3: Option<i32>,
    #[prost(enumeration = "E", repeated, packed = "false", tag = "4")]
    f4: Vec<i32>,
    #[prost(enumeration = "E", repeated, packed = "true", tag = "5")]
    f5: Vec<i32>,
    #[prost(group, optional, boxed, tag = "6")]
    f6: Option<Box<Rich2>>,
    #[prost(group, repeated, tag = "7")]
    f7: Vec<Rich2>,
    #[prost(message, required, tag = "8")]
    f8: Point2,
    #[prost(message, repeated, tag = "9")]
    f9: Vec<Rich2>,
    #[prost(btree_map = "uint32, enumeration(E)", tag = "10")]
    f10: BTreeMap<u32, i32>,
    #[prost(btree_map = "bool, message", tag = "11")]
    f11: BTreeMap<bool, Rich2>,
    #[prost(float, optional, tag = "12")]
    f12: Option<f32>,
    #[prost(bytes = "vec", repeated, tag = "13")]
    f13: Vec<Vec<u8>>,
    #[prost(uint64, repeated, packed = "false", tag = "14")]
    f14: Vec<u64>,
    #[prost(bool, optional, tag = "15")]
    f15: Option<bool>,
    #[prost(oneof = "Arm2", tags = "16, 17, 18")]
    arm: Option<Arm2>,
    #[prost(sfixed64, repeated, packed = "true", tag = "19")]
    f19: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Point2 {
    #[prost(double, optional, tag = "1")]
    f1: Option<f64>,
    #[prost(sint32, required, tag = "2")]
    f2: i32,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Arm2 {
    #[prost(enumeration = "E", tag = "16")]
    Enum(i32),
    #[prost(message, tag = "17")]
    Point(Point2),
    #[prost(fixed64, tag = "18")]
    Fixed(u64),
}

/// The schema of `Rich2`.
fn rich2() -> Schema {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let (rich, point) = (schema.message(file, "Rich2"), schema.message(file, "Point2"));
    let closed = Kind::Enum(schema.enumeration(file, "E", true, &[0, 1, -1, 100]));
    schema.add(point, 1, Kind::Double, Card::Optional);
    schema.add(point, 2, Kind::Sint32, Card::Required);
    schema.add(rich, 1, Kind::Int32, Card::Required);
    schema.add(rich, 2, Kind::String, Card::Optional);
    schema.add(rich, 3, closed, Card::Optional);
    schema.add(rich, 4, closed, Card::Repeated);
    schema.add(rich, 5, closed, Card::Repeated).packed = true;
    schema.add(rich, 6, Kind::Message(rich), Card::Optional).delimited = true;
    schema.add(rich, 7, Kind::Message(rich), Card::Repeated).delimited = true;
    schema.add(rich, 8, Kind::Message(point), Card::Required);
    schema.add(rich, 9, Kind::Message(rich), Card::Repeated);
    schema.add_map(rich, 10, Kind::Uint32, closed);
    schema.add_map(rich, 11, Kind::Bool, Kind::Message(rich));
    schema.add(rich, 12, Kind::Float, Card::Optional);
    schema.add(rich, 13, Kind::Bytes, Card::Repeated);
    schema.add(rich, 14, Kind::Uint64, Card::Repeated);
    schema.add(rich, 15, Kind::Bool, Card::Optional);
    schema.messages[rich].oneofs = 1;
    for (number, kind) in [(16, closed), (17, Kind::Message(point)), (18, Kind::Fixed64)] {
        schema.add(rich, number, kind, Card::Optional).oneof = Some(0);
    }
    schema.add(rich, 19, Kind::Sfixed64, Card::Repeated).packed = true;
    schema
}

struct Pair {
    schema: Schema,
    ours: MessageDescriptor,
    explained: Explained,
    inputs: usize,
    agreed: usize,
}

impl Pair {
    fn new(schema: Schema) -> Self {
        let ours = descriptor(&schema, &schema.pool(), 0);
        Self { ours, schema, explained: Explained::default(), inputs: 0, agreed: 0 }
    }

    fn events(&self, inputs: &[&[u8]]) -> BTreeSet<Event> {
        let (mut reference, mut msg) = (Reference::new(&self.schema), Msg::default());
        let fault = inputs.iter().try_for_each(|input| reference.merge(0, &mut msg, input)).err();
        let mut events = reference.events;
        if fault.is_none() && !reference::is_initialized(&self.schema, 0, &msg) {
            events.insert(Event::MissingRequired);
        }
        events
    }

    /// Merges the inputs one after the other, on both sides.
    fn compare<T: Message + Default + Debug>(&mut self, inputs: &[&[u8]]) {
        self.inputs += 1;
        let (mut ours, mut theirs) = (DynamicMessage::new(&self.ours), T::default());
        let our_error = inputs.iter().try_for_each(|input| PARTIAL.merge(&mut ours, input)).err();
        let their_error = inputs.iter().try_for_each(|input| theirs.merge(*input)).err();
        let effect = match (&our_error, &their_error) {
            (Some(_), Some(_)) => return,
            (None, Some(_)) => Effect::Refuses,
            (Some(_), None) => Effect::Accepts,
            (None, None) if self.same(&ours, &theirs) => {
                self.agreed += 1;
                let missing = BTreeSet::from([Event::MissingRequired]);
                assert!(ours.is_initialized() || self.explained.explain(&missing, Effect::Differs));
                return;
            }
            (None, None) => Effect::Differs,
        };
        let events = self.events(inputs);
        assert!(
            self.explained.explain(&events, effect),
            "{effect:?}, {events:?}: {our_error:?}, {their_error:?} for {inputs:02x?}\n{ours:?}\n{theirs:?}",
        );
    }

    /// Whether each reads what the other writes as what it has, the defaults of required fields added to ours.
    fn same<T: Message + Default + Debug>(&self, ours: &DynamicMessage, theirs: &T) -> bool {
        let written = theirs.encode_to_vec();
        let theirs_read = PARTIAL.decode_dynamic(&self.ours, &written).unwrap();
        let mut bytes = Vec::new();
        EncodeOptions::new().allow_partial(true).encode(ours, &mut bytes).unwrap();
        // Compared as bytes, because a NaN is not equal to itself.
        let ours_read = T::decode(&bytes[..]).map(|message| message.encode_to_vec());
        let mut ours = read(ours.as_view()).without_unknown();
        complete(&self.schema, 0, &mut ours);
        read(theirs_read.as_view()) == ours && ours_read == Ok(written)
    }

    fn run<T: Message + Default + Debug>(&mut self) {
        let seeds = std::env::var("TABLEPB_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
        let calm = Style { wrong_types: false, unlisted: false, raw_strings: false, ..WILD };
        for seed in 0..seeds {
            let mut choices = Choices::seeded(seed);
            for style in [calm, WILD] {
                let mut input = || payload(&self.schema, 0, &mut choices, style);
                let (a, b) = (input(), input());
                let mut broken = a.clone();
                mutate(&mut broken, &mut choices);
                let noise = noise(&mut choices, 30);
                for inputs in [&[&a[..]][..], &[&a, &b], &[&broken], &[&b, &broken], &[&noise]] {
                    self.compare::<T>(inputs);
                }
            }
        }
        println!("{} inputs, {} agreed", self.inputs, self.agreed);
    }
}

/// Adds required fields that are missing.
fn complete(schema: &Schema, message: usize, msg: &mut Msg) {
    for field in schema.messages[message].fields.iter().filter(|f| f.card == Card::Required) {
        let default = if let Kind::Message(_) = field.kind { Val::Msg(Msg::default()) } else { Val::Num(0) };
        msg.fields.entry(field.number).or_insert(default);
    }
    for (number, value) in &mut msg.fields {
        let field = schema.messages[message].field(*number).unwrap();
        match (value, field.kind) {
            (Val::Msg(inner), Kind::Message(sub)) => complete(schema, sub, inner),
            (Val::List(list), Kind::Message(sub)) => {
                for value in list {
                    let Val::Msg(inner) = value else { unreachable!() };
                    complete(schema, sub, inner);
                }
            }
            (Val::Map(map), Kind::Message(entry)) => {
                for value in map.values_mut() {
                    if let (Val::Msg(inner), Kind::Message(sub)) =
                        (value, schema.messages[entry].fields[1].kind)
                    {
                        complete(schema, sub, inner);
                    }
                }
            }
            _ => {}
        }
    }
}

#[test]
fn proto3_structs() {
    let mut pair = Pair::new(rich3());
    pair.run::<Rich3>();
    // What random payloads rarely do: something unknown as deep as it goes, and varints that are too long.
    let deep = wrapped(100, Wire::new().int(999, 1), |inner| Wire::new().message(17, inner));
    pair.compare::<Rich3>(&[&deep.0]);
    pair.compare::<Rich3>(&[&Wire::new().overlong(8, 6).varint(1).0]);
    pair.compare::<Rich3>(&[&Wire::new().tag(2, 2).overlong(1, 6).raw(b"a").0]);
    pair.compare::<Rich3>(&[&Wire::new().message(24, Wire::new().fixed64(2, 1 << 63)).0]);
    assert!(pair.agreed > pair.inputs / 3);
    pair.explained.finish(&[
        Event::WrongWireType,
        Event::MapWireType,
        Event::OverlongTag,
        Event::OverlongLength,
        Event::UnknownAtLimit,
        Event::NegativeZero,
    ]);
}

#[test]
fn proto2_structs() {
    let mut pair = Pair::new(rich2());
    pair.run::<Rich2>();
    assert!(pair.agreed > pair.inputs / 5);
    pair.explained.finish(&[
        Event::WrongWireType,
        Event::MapWireType,
        Event::UnlistedEnum,
        Event::UncheckedString,
        Event::MissingRequired,
    ]);
}

/// Complete proto2 messages, which random payloads are too rarely.
#[test]
fn complete_proto2_structs() {
    let point = |f2| Point2 { f1: Some(1.5), f2 };
    let leaf = |f1| Rich2 { f1, f8: point(-f1), f15: Some(true), ..Rich2::default() };
    let whole = Rich2 {
        f2: Some("text".into()),
        f3: Some(E::Less as i32),
        f4: vec![0, 100],
        f5: vec![-1, 1],
        f6: Some(Box::new(leaf(3))),
        f7: vec![leaf(4), leaf(0)],
        f9: vec![leaf(5)],
        f10: BTreeMap::from([(1, 1), (2, 100), (3, 0)]),
        f11: BTreeMap::from([(true, leaf(6)), (false, leaf(7))]),
        f12: Some(-0.0),
        f13: vec![vec![], vec![255]],
        f14: vec![0, u64::MAX],
        f19: vec![i64::MIN],
        arm: Some(Arm2::Point(point(8))),
        ..leaf(1)
    };
    let mut pair = Pair::new(rich2());
    for arm in [Arm2::Enum(-1), Arm2::Point(point(9)), Arm2::Fixed(0)] {
        let other = Rich2 { arm: Some(arm), ..leaf(2) };
        let (a, b) = (whole.encode_to_vec(), other.encode_to_vec());
        for inputs in [&[&a[..]][..], &[&b], &[&a, &b], &[&b, &a], &[&a, &a]] {
            pair.compare::<Rich2>(inputs);
            assert!(pair.events(inputs).is_empty());
        }
    }
    assert_eq!(pair.agreed, pair.inputs);
}

//! Random proto2 and proto3 schemas with random payloads, valid, broken and none at all, against prost-reflect: the
//! only other implementation here that reads schemas at run time.

use crate::common::bridge::{descriptor, read};
use crate::common::choices::Choices;
use crate::common::disagreements::{Effect, Explained};
use crate::common::payload::{Style, WILD, mutate, noise, payload};
use crate::common::reference::{Event, Key, Msg, Reference, Val};
use crate::common::schema::{Kind, Schema, Syntax};
use crate::common::schema_gen::{ALL, Limits, schema};
use crate::common::wire::Wire;
use prost_reflect::prost::Message as _;
use prost_reflect::{DynamicMessage as Theirs, MapKey, Value};
use std::collections::BTreeSet;
use tablepb::{DecodeOptions, DynamicMessage, MessageDescriptor};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const LIMITS: Limits = Limits { syntaxes: &[Syntax::Proto3, Syntax::Proto2], message_sets: false, ..ALL };

struct Case {
    schema: Schema,
    message: usize,
    ours: MessageDescriptor,
    theirs: prost_reflect::MessageDescriptor,
}

impl Case {
    fn new(choices: &mut Choices) -> Self {
        let schema = schema(choices, LIMITS);
        let set = schema.descriptor_set();
        let pool = prost_reflect::DescriptorPool::decode(&set[..]).unwrap();
        let message = choices.below(schema.messages.len());
        let message = if schema.messages[message].entry_of.is_some() { 0 } else { message };
        let theirs = pool.get_message_by_name(&schema.full_name(message)).unwrap();
        Self { ours: descriptor(&schema, &schema.pool(), message), theirs, message, schema }
    }

    fn events(&self, inputs: &[&[u8]]) -> BTreeSet<Event> {
        let mut reference = Reference::new(&self.schema);
        let mut msg = Msg::default();
        for input in inputs {
            let _ = reference.merge(self.message, &mut msg, input);
        }
        reference.events
    }

    /// The message without unknown fields, which are kept in another order there.
    fn read(&self, message: usize, theirs: &Theirs) -> Msg {
        let mut msg = Msg::default();
        let mut add = |number, value: &Value| {
            let field = self.schema.messages[message].field(number).unwrap();
            msg.fields.insert(number, self.value(field.kind, value));
        };
        theirs.fields().for_each(|(field, value)| add(field.number(), value));
        theirs.extensions().for_each(|(field, value)| add(field.number(), value));
        msg
    }

    fn value(&self, kind: Kind, value: &Value) -> Val {
        match value {
            Value::Bool(v) => Val::Num((*v).into()),
            Value::I32(v) | Value::EnumNumber(v) => Val::Num(*v as u32 as u64),
            Value::I64(v) => Val::Num(*v as u64),
            Value::U32(v) => Val::Num((*v).into()),
            Value::U64(v) => Val::Num(*v),
            Value::F32(v) => Val::Num(v.to_bits().into()),
            Value::F64(v) => Val::Num(v.to_bits()),
            Value::String(v) => Val::Bytes(v.clone().into()),
            Value::Bytes(v) => Val::Bytes(v.to_vec()),
            Value::Message(v) => {
                let Kind::Message(sub) = kind else { panic!("{kind:?} with {v:?}") };
                Val::Msg(self.read(sub, v))
            }
            Value::List(v) => Val::List(v.iter().map(|v| self.value(kind, v)).collect()),
            Value::Map(v) => {
                let Kind::Message(entry) = kind else { panic!("{kind:?} with {v:?}") };
                let kind = self.schema.messages[entry].fields[1].kind;
                Val::Map(v.iter().map(|(k, v)| (key(k), self.value(kind, v))).collect())
            }
        }
    }

    /// Compares what becomes of an input, or of two of which one is merged into the other.
    fn compare(&self, inputs: &[&[u8]], explained: &mut Explained) -> bool {
        let mut ours = DynamicMessage::new(&self.ours);
        let mut theirs = Theirs::new(self.theirs.clone());
        let merge = |input: &&[u8]| PARTIAL.merge(&mut ours, input);
        let our_error = inputs.iter().try_for_each(merge).err();
        let their_error = inputs.iter().try_for_each(|input| theirs.merge(*input)).err();
        let events = self.events(inputs);
        let effect = match (&our_error, &their_error) {
            (Some(_), Some(_)) => return false,
            (None, Some(_)) => Effect::Refuses,
            (Some(_), None) => Effect::Accepts,
            (None, None) => {
                let read = read(ours.as_view()).without_unknown();
                if read == self.read(self.message, &theirs) {
                    self.both_ways(&ours, &theirs, &events);
                    return true;
                }
                Effect::Differs
            }
        };
        let unexplained =
            format!("{effect:?}, {events:?}: {our_error:?} and {their_error:?} for {inputs:02x?}");
        assert!(explained.explain(&events, effect), "{unexplained}\n{ours:?}\n{theirs:?}");
        our_error.is_none()
    }

    /// What one writes, the other reads as the same.
    fn both_ways(&self, ours: &DynamicMessage, theirs: &Theirs, events: &BTreeSet<Event>) {
        let mut bytes = Vec::new();
        tablepb::EncodeOptions::new().allow_partial(true).encode(ours, &mut bytes).unwrap();
        // Unknown fields may be known ones of another wire type.
        if events.is_empty() {
            let again = Theirs::decode(self.theirs.clone(), &bytes[..]).unwrap();
            assert_eq!(self.read(self.message, &again), self.read(self.message, theirs));
        }
        let again = PARTIAL.decode_dynamic(&self.ours, &theirs.encode_to_vec()).unwrap();
        if !events.contains(&Event::NegativeZero) {
            assert_eq!(read(again.as_view()).without_unknown(), read(ours.as_view()).without_unknown());
        }
    }
}

fn key(key: &MapKey) -> Key {
    match key {
        MapKey::Bool(v) => Key::Int((*v).into()),
        MapKey::I32(v) => Key::Int((*v).into()),
        MapKey::I64(v) => Key::Int((*v).into()),
        MapKey::U32(v) => Key::Int((*v).into()),
        MapKey::U64(v) => Key::Int((*v).into()),
        MapKey::String(v) => Key::Text(v.clone().into()),
    }
}

#[test]
fn random_schemas_agree_with_prost_reflect() {
    let seeds = std::env::var("TABLEPB_SEEDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(u64::from(crate::common::rounds(250)));
    let mut explained = Explained::default();
    let (mut inputs, mut accepted) = (0, 0);
    for seed in 0..seeds {
        let mut choices = Choices::seeded(seed);
        let case = Case::new(&mut choices);
        let calm = Style { wrong_types: false, unlisted: false, raw_strings: false, ..WILD };
        for style in [calm, WILD, calm, WILD, calm] {
            let a = payload(&case.schema, case.message, &mut choices, style);
            let b = payload(&case.schema, case.message, &mut choices, style);
            let mut broken = a.clone();
            mutate(&mut broken, &mut choices);
            let noise = noise(&mut choices, 30);
            for input in [&[&a[..]][..], &[&a, &b], &[&broken], &[&b, &broken], &[&noise]] {
                inputs += 1;
                accepted += usize::from(case.compare(input, &mut explained));
            }
        }
    }
    // What random payloads rarely do.
    let case = Case::new(&mut Choices::seeded(0));
    let unknown = |tag: Wire| tag.overlong(1, 6).raw(b"a").0;
    assert!(!case.compare(&[&Wire::new().overlong(9_999 << 3, 6).varint(1).0], &mut explained));
    assert!(!case.compare(&[&unknown(Wire::new().tag(9_999, 2))], &mut explained));
    println!("{inputs} inputs, {accepted} accepted");
    assert!(accepted > inputs / 3);
    explained.finish(&[
        Event::WrongWireType,
        Event::MapWireType,
        Event::UnlistedEnum,
        Event::UncheckedString,
        Event::NegativeZero,
        Event::OverlongTag,
        Event::OverlongLength,
    ]);
}

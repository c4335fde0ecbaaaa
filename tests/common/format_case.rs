//! Random schemas and messages as JSON and text format see them.

use super::bridge::{descriptor, read};
use super::choices::Choices;
use super::payload::{Style, TAME};
use super::reference::{Msg, Val};
use super::schema::{Kind, Schema, Syntax};
use super::schema_gen::{ALL, Limits, schema};
use tablepb::{DecodeOptions, DynamicMessage, MessageDescriptor};

/// What JSON has.
pub const LIMITS: Limits = Limits { message_sets: false, ..ALL };
/// What prost-reflect reads.
pub const SHARED: Limits = Limits { syntaxes: &[Syntax::Proto3, Syntax::Proto2], ..LIMITS };
/// Without what JSON and text format do not keep.
pub const STYLE: Style = Style { unknown: false, ..TAME };

pub struct FormatCase {
    pub schema: Schema,
    pub message: usize,
    pub ours: MessageDescriptor,
}

impl FormatCase {
    pub fn new(choices: &mut Choices, limits: Limits) -> Self {
        let schema = schema(choices, limits);
        let message = choices.below(schema.messages.len());
        let message = if schema.messages[message].entry_of.is_some() { 0 } else { message };
        Self { ours: descriptor(&schema, &schema.pool(), message), schema, message }
    }

    pub fn decode(&self, payload: &[u8]) -> DynamicMessage {
        DecodeOptions::new().allow_partial(true).decode_dynamic(&self.ours, payload).unwrap()
    }

    /// The values, with all NaN alike: JSON and text format have one.
    pub fn values(&self, message: &DynamicMessage) -> Msg {
        self.same_nan(self.message, read(message.as_view()).without_unknown())
    }

    fn same_nan(&self, message: usize, mut msg: Msg) -> Msg {
        for (number, value) in &mut msg.fields {
            let kind = self.schema.messages[message].field(*number).unwrap().kind;
            let old = std::mem::replace(value, Val::Num(0));
            *value = self.value(kind, old);
        }
        msg
    }

    fn value(&self, kind: Kind, value: Val) -> Val {
        match (kind, value) {
            (Kind::Float, Val::Num(v)) if f32::from_bits(v as u32).is_nan() => {
                Val::Num(f32::NAN.to_bits().into())
            }
            (Kind::Double, Val::Num(v)) if f64::from_bits(v).is_nan() => Val::Num(f64::NAN.to_bits()),
            (Kind::Message(sub), Val::Msg(msg)) => Val::Msg(self.same_nan(sub, msg)),
            (kind, Val::List(list)) => Val::List(list.into_iter().map(|v| self.value(kind, v)).collect()),
            (Kind::Message(entry), Val::Map(map)) => {
                let kind = self.schema.messages[entry].fields[1].kind;
                Val::Map(map.into_iter().map(|(k, v)| (k, self.value(kind, v))).collect())
            }
            (_, value) => value,
        }
    }
}

/// Without fields that are -0, which prost-reflect takes for unset.
pub fn without_negative_zeros(case: &FormatCase, message: usize, msg: &Msg) -> Msg {
    let mut msg = msg.clone();
    let kind = |number| case.schema.messages[message].field(number).unwrap().kind;
    msg.fields.retain(|number, value| match (kind(*number), &*value) {
        (Kind::Float, Val::Num(bits)) => *bits != u64::from((-0f32).to_bits()),
        (Kind::Double, Val::Num(bits)) => *bits != (-0f64).to_bits(),
        _ => true,
    });
    for (number, value) in &mut msg.fields {
        inside(case, kind(*number), value);
    }
    msg
}

fn inside(case: &FormatCase, kind: Kind, value: &mut Val) {
    match (kind, value) {
        (Kind::Message(sub), Val::Msg(msg)) => *msg = without_negative_zeros(case, sub, msg),
        (kind, Val::List(list)) => list.iter_mut().for_each(|value| inside(case, kind, value)),
        (Kind::Message(entry), Val::Map(map)) => {
            let kind = case.schema.messages[entry].fields[1].kind;
            map.values_mut().for_each(|value| inside(case, kind, value));
        }
        _ => {}
    }
}

//! Random calls, and the message that they are expected to write.

use super::calls::{insert, insert_message, is_zero, map_key, scalars, value};
use crate::common::bridge::descriptor;
use crate::common::choices::Choices;
use crate::common::schema_gen::{ALL, Limits, schema};
use std::collections::BTreeSet;
use tablepb::record::{RecordPlan, RecordWriter};
use tablepb::table::Kind;
use tablepb::{DynamicMessage, FieldDescriptor, MessageDescriptor, Prepared, Value};

/// Plans have no handles for the fields of a MessageSet.
const LIMITS: Limits = Limits { message_sets: false, ..ALL };
const MAX_DEPTH: usize = 4;

pub fn fields(message: &MessageDescriptor) -> Vec<FieldDescriptor> {
    message.fields().chain(message.extensions().map(|extension| extension.as_field())).collect()
}

/// The last component of a field's name in a plan.
pub fn name_of(message: &MessageDescriptor, field: &FieldDescriptor) -> String {
    match message.field(field.name()).ok() {
        Some(own) if own == *field => field.name().into(),
        _ => format!("[{}]", field.full_name()),
    }
}

/// A plan, and its disabled fields: message type and number.
pub struct Case {
    pub plan: RecordPlan,
    disabled: BTreeSet<(String, u32)>,
    pub files: usize,
}

impl Case {
    pub fn new(choices: &mut Choices) -> Self {
        let schema = schema(choices, LIMITS);
        let pool = schema.pool();
        let mut plan = RecordPlan::new(&descriptor(&schema, &pool, 0));
        let mut disabled = BTreeSet::new();
        let root = plan.descriptor().clone();
        for _ in 0..choices.below(6) {
            plan = Self::disable(plan, &root, "", choices, &mut disabled);
        }
        Self { plan, disabled, files: schema.files.len() }
    }

    /// Disables a random field of the message, or of a message in it.
    fn disable(
        plan: RecordPlan,
        message: &MessageDescriptor,
        path: &str,
        choices: &mut Choices,
        disabled: &mut BTreeSet<(String, u32)>,
    ) -> RecordPlan {
        let fields = fields(message);
        if fields.is_empty() {
            return plan;
        }
        let field = choices.pick(&fields);
        let name = format!("{path}{}", name_of(message, field));
        match field.kind() {
            Kind::Message(inner) if !field.is_map() && path.len() < 40 && choices.once_in(2) => {
                Self::disable(plan, &inner, &format!("{name}."), choices, disabled)
            }
            _ => {
                disabled.insert((message.full_name().into(), field.number()));
                plan.disable(&name).unwrap()
            }
        }
    }

    fn is_enabled(&self, message: &MessageDescriptor, field: &FieldDescriptor) -> bool {
        !self.disabled.contains(&(message.full_name().to_string(), field.number()))
    }
}

/// Makes calls, and builds the message that they are expected to write.
pub struct Model<'c> {
    pub case: &'c Case,
    pub choices: &'c mut Choices,
    /// Some required field has not been written.
    pub is_partial: bool,
}

impl Model<'_> {
    /// Makes random calls for a message, whose fields have this prefix in the plan; returns the expected message.
    pub fn write(
        &mut self,
        rec: &mut RecordWriter<'_>,
        message: &MessageDescriptor,
        path: &str,
        depth: usize,
    ) -> DynamicMessage {
        let mut expected = DynamicMessage::new(message);
        let (mut written, mut oneofs) = (BTreeSet::new(), BTreeSet::new());
        let fields = fields(message);
        for _ in 0..self.choices.below(12).min(fields.len() * 4) {
            let field = self.choices.pick(&fields).clone();
            let name = format!("{path}{}", name_of(message, &field));
            let oneof = field.containing_oneof().filter(|oneof| !oneof.is_synthetic());
            let oneof = oneof.map(|oneof| oneof.name().to_string());
            let singular = !field.is_list() && !field.is_map();
            let taken = singular
                && (written.contains(&field.number())
                    || oneof.as_ref().is_some_and(|name| oneofs.contains(name)));
            let open = self.case.is_enabled(message, &field) && !taken;
            if self.one(rec, &field, &name, open, depth, &mut expected) && singular {
                written.insert(field.number());
                oneofs.extend(oneof);
            }
        }
        let missing = |field: &FieldDescriptor| field.is_required() && !written.contains(&field.number());
        self.is_partial |= fields.iter().any(|field| self.case.is_enabled(message, field) && missing(field));
        expected
    }

    /// Makes a call for a field; `open` is whether it has an effect. Returns whether a value was written.
    fn one(
        &mut self,
        rec: &mut RecordWriter<'_>,
        field: &FieldDescriptor,
        name: &str,
        open: bool,
        depth: usize,
        expected: &mut DynamicMessage,
    ) -> bool {
        match field.kind() {
            _ if field.is_map() => self.entry(rec, field, name, open, depth, expected),
            Kind::Message(inner) if depth < MAX_DEPTH => {
                let Some(message) = self.message(rec, &inner, name, open, depth) else { return false };
                match field.is_list() {
                    true => expected.push(field, Value::Message(message)).unwrap(),
                    false => expected.set_field(field, Value::Message(message)).unwrap(),
                }
                true
            }
            Kind::Message(_) => false,
            kind => {
                let many = if field.is_list() { self.choices.below(4) } else { 1 };
                let values: Vec<Value> = (0..many).map(|_| value(&kind, self.choices)).collect();
                let how = if many == 1 { self.choices.below(3) } else { 2 };
                let is_zero = values.iter().all(is_zero);
                scalars(rec, &self.case.plan, name, &kind, &values, how);
                let implicit = !field.is_list() && !field.supports_presence();
                if !open || values.is_empty() || implicit && is_zero && how != 1 {
                    return false;
                }
                for value in values {
                    match field.is_list() {
                        true => expected.push(field, value).unwrap(),
                        false => expected.set_field(field, value).unwrap(),
                    }
                }
                true
            }
        }
    }

    /// Writes a nested message, by closure or prepared.
    fn message(
        &mut self,
        rec: &mut RecordWriter<'_>,
        inner: &MessageDescriptor,
        name: &str,
        open: bool,
        depth: usize,
    ) -> Option<DynamicMessage> {
        let handle = self.case.plan.message(name).unwrap();
        if self.choices.once_in(4) {
            let message = DynamicMessage::new(inner);
            if let Ok(prepared) = Prepared::new(&message) {
                rec.prepared(handle, &prepared);
                return open.then_some(message);
            }
        }
        let (mut result, path) = (None, format!("{name}."));
        rec.message(handle, |rec| result = Some(self.write(rec, inner, &path, depth + 1)));
        // After an error, closures are not called.
        assert!(self.is_partial || result.is_some() == open, "{name}");
        result
    }

    fn entry(
        &mut self,
        rec: &mut RecordWriter<'_>,
        field: &FieldDescriptor,
        name: &str,
        open: bool,
        depth: usize,
        expected: &mut DynamicMessage,
    ) -> bool {
        let Kind::Message(entry) = field.kind() else { unreachable!() };
        let (key, of) = (entry.get_field(1).unwrap().kind(), entry.get_field(2).unwrap().kind());
        let Some(key) = map_key(&key, self.choices) else { return false };
        let value = match &of {
            Kind::Message(inner) => {
                if depth >= MAX_DEPTH {
                    return false;
                }
                let (mut result, path) = (None, format!("{name}.value."));
                insert_message(rec, &self.case.plan, name, &key, |rec| {
                    result = Some(self.write(rec, inner, &path, depth + 1));
                });
                assert!(self.is_partial || result.is_some() == open, "{name}");
                result.map(Value::Message)
            }
            kind => {
                let value = value(kind, self.choices);
                insert(rec, &self.case.plan, name, &key, kind, &value);
                open.then_some(value)
            }
        };
        if let Some(value) = value {
            expected.insert(field, key, value).unwrap();
        }
        open
    }
}

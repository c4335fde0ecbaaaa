//! Records of random schemas, plans and values: what is in the buffer is the message that setters build when they are
//! called by the rules of records; the printed definition reads it, and the hash is that of the definition.

mod common;

use common::bridge::descriptor;
use common::choices::{Choices, choices};
use common::protoc::{Dir, Protoc};
use common::schema_gen::{ALL, Limits, schema};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tablepb::record::kind;
use tablepb::{
    DecodeOptions, DescriptorPool, DynamicMessage, EncodeErrorKind, EncodeOptions, FieldDescriptor, Kind,
    MapKey, MessageDescriptor, Prepared, RecordPlan, RecordWriter, Value, stream,
};

/// Fields of a MessageSet are not written one by one.
const LIMITS: Limits = Limits { message_sets: false, ..ALL };
const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const SORTED: EncodeOptions = EncodeOptions::new().allow_partial(true).deterministic(true);
const MAX_DEPTH: usize = 4;

fn fields(message: &MessageDescriptor) -> Vec<FieldDescriptor> {
    message.fields().chain(message.extensions().map(|extension| extension.as_field())).collect()
}

/// The last component of a name for a plan.
fn name_of(message: &MessageDescriptor, field: &FieldDescriptor) -> String {
    match message.get_field_by_name(field.name()) {
        Some(own) if own == *field => field.name().into(),
        _ => format!("[{}]", field.full_name()),
    }
}

/// A plan, and the fields that it leaves out: message type and number.
struct Case {
    plan: RecordPlan,
    disabled: BTreeSet<(String, u32)>,
    files: usize,
}

impl Case {
    fn new(choices: &mut Choices) -> Self {
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

    /// Leaves out a field of the message, or of one in it.
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

/// What was called, by the rules of records.
struct Model<'c> {
    case: &'c Case,
    choices: &'c mut Choices,
    /// A required field has not been written somewhere.
    is_partial: bool,
}

impl Model<'_> {
    /// Random calls on a message, whose type has this path from the root; gives what must come of them.
    fn write(
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

    /// A call for a field; `open` says whether it has an effect. Gives whether something was written.
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

    /// A nested message, by closure or prepared.
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
        // After an error nothing is called.
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

fn value<M, E: Listed>(kind: &Kind<M, E>, choices: &mut Choices) -> Value {
    let bits = if choices.once_in(3) { 0 } else { choices.bits() };
    match kind {
        Kind::Double => Value::F64(f64::from_bits(bits)),
        Kind::Float => Value::F32(f32::from_bits(bits as u32)),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(bits as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(bits as i64),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(bits as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(bits),
        Kind::Bool => Value::Bool(bits & 1 != 0),
        Kind::String => Value::String(if bits == 0 { String::new() } else { choices.text(200) }),
        Kind::Bytes => Value::Bytes(if bits == 0 { Vec::new() } else { choices.bytes(200) }),
        Kind::Enum(of) => Value::EnumNumber(*choices.pick(&of.numbers())),
        Kind::Message(_) => unreachable!("messages are made elsewhere"),
    }
}

/// An enum with its numbers.
trait Listed {
    fn numbers(&self) -> Vec<i32>;
}

impl Listed for tablepb::EnumDescriptor {
    fn numbers(&self) -> Vec<i32> {
        self.values().map(|value| value.number()).collect()
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(v) => !v,
        Value::I32(v) => *v == 0,
        Value::I64(v) => *v == 0,
        Value::U32(v) => *v == 0,
        Value::U64(v) => *v == 0,
        Value::F32(v) => v.to_bits() == 0,
        Value::F64(v) => v.to_bits() == 0,
        Value::String(v) => v.is_empty(),
        Value::Bytes(v) => v.is_empty(),
        Value::EnumNumber(v) => *v == 0,
        other => panic!("{other:?}"),
    }
}

/// Runs a macro with the kind as a type, and the pattern and expression that take a value out.
macro_rules! by_kind {
    ($kind:expr, $run:ident $($more:tt)*) => {
        match $kind {
            Kind::Double => $run!($($more)* Double, Value::F64(v), *v),
            Kind::Float => $run!($($more)* Float, Value::F32(v), *v),
            Kind::Int32 => $run!($($more)* Int32, Value::I32(v), *v),
            Kind::Int64 => $run!($($more)* Int64, Value::I64(v), *v),
            Kind::Uint32 => $run!($($more)* Uint32, Value::U32(v), *v),
            Kind::Uint64 => $run!($($more)* Uint64, Value::U64(v), *v),
            Kind::Sint32 => $run!($($more)* Sint32, Value::I32(v), *v),
            Kind::Sint64 => $run!($($more)* Sint64, Value::I64(v), *v),
            Kind::Fixed32 => $run!($($more)* Fixed32, Value::U32(v), *v),
            Kind::Fixed64 => $run!($($more)* Fixed64, Value::U64(v), *v),
            Kind::Sfixed32 => $run!($($more)* Sfixed32, Value::I32(v), *v),
            Kind::Sfixed64 => $run!($($more)* Sfixed64, Value::I64(v), *v),
            Kind::Bool => $run!($($more)* Bool, Value::Bool(v), *v),
            Kind::String => $run!($($more)* String, Value::String(v), v.as_str()),
            Kind::Bytes => $run!($($more)* Bytes, Value::Bytes(v), v.as_slice()),
            Kind::Enum(_) => $run!($($more)* Enum, Value::EnumNumber(v), *v),
            Kind::Message(_) => unreachable!("messages are written elsewhere"),
        }
    };
}

/// One of the calls that write numbers, strings and bytes.
fn scalars<M, E>(
    rec: &mut RecordWriter<'_>,
    plan: &RecordPlan,
    name: &str,
    of: &Kind<M, E>,
    values: &[Value],
    how: usize,
) {
    macro_rules! call {
        ($type:ident, $pattern:pat, $get:expr) => {{
            let handle = plan.field::<kind::$type>(name).unwrap();
            let mut values = values.iter().map(|value| match value {
                $pattern => $get,
                other => panic!("{other:?}"),
            });
            match how {
                0 => values.for_each(|value| rec.set(handle, value)),
                1 => values.for_each(|value| rec.force_set(handle, value)),
                _ => rec.extend(handle, values.by_ref()),
            }
        }};
    }
    by_kind!(of, call)
}

/// A key of one of the kinds that are tried; others differ in nothing.
fn map_key<M, E>(of: &Kind<M, E>, choices: &mut Choices) -> Option<MapKey> {
    Some(match of {
        Kind::String => MapKey::String(choices.text(3)),
        Kind::Uint64 => MapKey::U64(choices.bits()),
        Kind::Int32 => MapKey::I32(choices.bits() as i32),
        Kind::Bool => MapKey::Bool(choices.once_in(2)),
        _ => return None,
    })
}

/// Inserts into a map with keys of such a kind.
macro_rules! by_key {
    ($key:expr, $run:ident $($more:tt)*) => {
        match $key {
            MapKey::String(key) => $run!($($more)* String, key.as_str()),
            MapKey::U64(key) => $run!($($more)* Uint64, *key),
            MapKey::I32(key) => $run!($($more)* Int32, *key),
            MapKey::Bool(key) => $run!($($more)* Bool, *key),
            other => panic!("{other:?}"),
        }
    };
}

fn insert<M, E>(
    rec: &mut RecordWriter<'_>,
    plan: &RecordPlan,
    name: &str,
    key: &MapKey,
    of: &Kind<M, E>,
    value: &Value,
) {
    macro_rules! with_value {
        ($key_type:ident, $key:expr, $type:ident, $pattern:pat, $get:expr) => {{
            let $pattern = value else { panic!("{value:?}") };
            rec.insert(plan.map::<kind::$key_type, kind::$type>(name).unwrap(), $key, $get)
        }};
    }
    macro_rules! with_key {
        ($key_type:ident, $key:expr) => {{
            let key = $key;
            by_kind!(of, with_value $key_type, key,)
        }};
    }
    by_key!(key, with_key)
}

fn insert_message(
    rec: &mut RecordWriter<'_>,
    plan: &RecordPlan,
    name: &str,
    key: &MapKey,
    write: impl FnOnce(&mut RecordWriter<'_>),
) {
    macro_rules! with_key {
        ($key_type:ident, $key:expr) => {
            rec.insert_message(plan.map::<kind::$key_type, kind::Message>(name).unwrap(), $key, |rec| {
                write(rec)
            })
        };
    }
    by_key!(key, with_key)
}

fn sorted(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.encode_with(&mut bytes, SORTED).unwrap();
    bytes
}

/// Writes records behind each other and compares each.
fn check(choices: &mut Choices) -> (Case, Vec<Vec<u8>>) {
    let case = Case::new(choices);
    let root = case.plan.descriptor().clone();
    let (mut buf, mut bodies) = (b"before".to_vec(), Vec::new());
    for _ in 0..3 {
        let before = buf.clone();
        let mut model = Model { case: &case, choices, is_partial: false };
        let mut rec = case.plan.record(&mut buf);
        let expected = model.write(&mut rec, &root, "", 0);
        let is_partial = model.is_partial;
        match rec.finish() {
            Ok(record) => {
                assert!(!is_partial, "a required field is missing");
                let mut rest = record;
                let body = stream::read_frame(&mut rest).unwrap().unwrap().to_vec();
                assert!(rest.is_empty());
                assert_eq!(record.len(), body.len() + stream::length_delimiter_len(body.len()));
                let decoded = DynamicMessage::decode_with(&root, &body, PARTIAL).unwrap();
                assert_eq!(decoded.unknown_fields().count(), 0);
                assert_eq!(sorted(&decoded), sorted(&expected), "{decoded:?} is not {expected:?}");
                assert!(buf.starts_with(&before));
                bodies.push(body);
            }
            Err(error) => {
                assert_eq!(error.kind(), EncodeErrorKind::MissingRequired);
                assert!(is_partial, "{error}");
                assert_eq!(buf, before);
            }
        }
    }
    (case, bodies)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 400 } else { 20_000 }))]

    #[test]
    fn records_are_what_setters_build(mut choices in choices(800)) {
        check(&mut choices);
    }
}

#[test]
fn records_of_long_runs() {
    let mut records = 0;
    for seed in 0..if cfg!(debug_assertions) { 600 } else { 20_000 } {
        records += check(&mut Choices::seeded(seed)).1.len();
    }
    assert!(records > 500, "{records}");
}

/// The hash that a plan for the whole of this definition has.
fn hash_of(set: &[u8], name: &str) -> u64 {
    let pool = DescriptorPool::decode(set).unwrap();
    RecordPlan::new(&pool.get_message_by_name(name).unwrap()).schema_hash()
}

#[test]
fn printed_definitions_read_the_records_and_have_their_hash() {
    let Some(protoc) = Protoc::find() else { return };
    let (mut compiled, mut read) = (0, 0);
    for seed in 0..400 {
        let (case, bodies) = check(&mut Choices::seeded(seed));
        let file = case.plan.descriptor().parent_file();
        // Definitions in other files are imported, and not cut down.
        if case.files > 1 || compiled >= 25 || !protoc.knows(file.edition()) {
            continue;
        }
        let dir = Dir::new(&format!("records-{seed}"));
        dir.write("record.proto", &case.plan.to_proto());
        let set = protoc.compile(&dir.0, &["record.proto".into()]);
        let set = set.unwrap_or_else(|error| panic!("{error}\n{}", case.plan.to_proto()));
        let name = case.plan.descriptor().full_name();
        assert_eq!(hash_of(&set, name), case.plan.schema_hash(), "{}", case.plan.to_proto());
        let pool = DescriptorPool::decode(&set).unwrap();
        let cut = pool.get_message_by_name(name).unwrap();
        for body in &bodies {
            let message = DynamicMessage::decode(&cut, body).unwrap();
            assert!(!has_unknown(message.as_view()), "{message:?}");
            read += 1;
        }
        compiled += 1;
    }
    assert!(compiled > 10 && read > 20, "{compiled} definitions, {read} records");
}

/// Whether there is an unknown field, at any depth.
fn has_unknown(message: tablepb::MessageView<'_, '_>) -> bool {
    use tablepb::ValueRef;
    let mut inner = Vec::new();
    for (_, value) in message.fields() {
        match value {
            ValueRef::Message(message) => inner.push(message),
            ValueRef::List(list) => inner.extend(list.iter().filter_map(|element| element.as_message())),
            ValueRef::Map(map) => inner.extend(map.iter().filter_map(|(_, value)| value.as_message())),
            _ => {}
        }
    }
    message.unknown_fields().next().is_some() || inner.into_iter().any(has_unknown)
}

#[test]
fn hashes_tell_definitions_apart() {
    for seed in 0..200 {
        let case = Case::new(&mut Choices::seeded(seed));
        let root = case.plan.descriptor();
        let again = RecordPlan::new(root);
        let whole = again.schema_hash();
        for field in fields(root) {
            let name = name_of(root, &field);
            let less = again.clone().disable(&name).unwrap();
            assert_ne!(less.schema_hash(), whole, "without {name}");
            assert_eq!(less.enable(&name).unwrap().schema_hash(), whole);
        }
    }
}

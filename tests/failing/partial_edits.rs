//! Edits of messages that were decoded in part, with allocations that fail: an edit does what it does to a message that was
//! decoded as a whole, or it is an error and the message is as before.

use crate::common::bridge::{descriptor, read};
use crate::common::choices::Choices;
use crate::common::payload::{WILD, payload};
use crate::common::projections::{all_fields, paths};
use crate::common::scarce::sweep;
use crate::common::schema_gen::{ALL, schema};
use tablepb::partial::Projection;
use tablepb::table::Kind;
use tablepb::{
    DecodeOptions, DynamicMessage, EncodeOptions, FieldDescriptor, MapKey, MessageMut, MessageView,
    SetFieldError, Value, ValueRef,
};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const LOOSE: EncodeOptions = EncodeOptions::new().allow_partial(true);

/// A way down.
#[derive(Clone, Debug)]
enum Step {
    Field(FieldDescriptor),
    Element(FieldDescriptor, usize),
    NewElement(FieldDescriptor),
    Entry(FieldDescriptor, MapKey),
}

impl Step {
    fn go<'m>(
        &self,
        message: MessageMut<'m>,
        key: &mut Option<MapKey>,
    ) -> Result<MessageMut<'m>, SetFieldError> {
        match self {
            Self::Field(field) => message.into_message_mut(field),
            Self::Element(field, index) => message.into_element_mut(field, *index),
            Self::NewElement(field) => message.into_push_message(field),
            Self::Entry(field, _) => message.into_entry_mut(field, key.take().unwrap()),
        }
    }

    fn key(&self) -> Option<MapKey> {
        match self {
            Self::Entry(_, key) => Some(key.clone()),
            _ => None,
        }
    }
}

/// What is done there.
#[derive(Clone, Debug)]
enum Op {
    Nothing,
    Set(FieldDescriptor, Value),
    Clear(FieldDescriptor),
    Push(FieldDescriptor, Value),
    SetElement(FieldDescriptor, usize, Value),
    RemoveElement(FieldDescriptor, usize),
    Insert(FieldDescriptor, MapKey, Value),
    Remove(FieldDescriptor, MapKey),
    Extend(FieldDescriptor, Vec<Value>),
    Swap(FieldDescriptor, usize, usize),
    Truncate(FieldDescriptor, usize),
    /// Every second element or entry, beginning with this one.
    Retain(FieldDescriptor, usize),
    Take(FieldDescriptor),
    ClearUnknown,
}

impl Op {
    fn go(self, mut message: MessageMut<'_>) -> Result<bool, String> {
        let done = match self {
            Self::Nothing => Ok(()),
            Self::Set(field, value) => message.set_field(&field, value),
            Self::Clear(field) => message.clear_field(&field),
            Self::Push(field, value) => message.push(&field, value),
            Self::SetElement(field, index, value) => message.set_element(&field, index, value),
            Self::RemoveElement(field, index) => message.remove_element(&field, index),
            Self::Insert(field, key, value) => message.insert(&field, key, value),
            Self::Remove(field, key) => match message.remove(&field, key) {
                Ok(removed) => return Ok(removed),
                Err(error) => Err(error),
            },
            Self::Extend(field, values) => message.extend(&field, values),
            Self::Swap(field, a, b) => message.swap_elements(&field, a, b),
            Self::Truncate(field, len) => message.truncate(&field, len),
            Self::Retain(field, mut seen) => {
                let mut keep = || {
                    seen += 1;
                    seen % 2 == 0
                };
                match field.is_map() {
                    true => message.retain_entries(&field, |_, _| keep()),
                    false => message.retain(&field, |_| keep()),
                }
            }
            Self::Take(field) => match message.take_field(&field) {
                Ok(taken) => return Ok(taken.is_some()),
                Err(error) => Err(error),
            },
            Self::ClearUnknown => {
                return match message.clear_unknown_fields() {
                    Ok(()) => Ok(true),
                    // Its text is there: making some needs memory that may be missing.
                    Err(_) => Err(String::new()),
                };
            }
        };
        match done {
            Ok(()) => Ok(true),
            Err(_) => Err(String::new()),
        }
    }
}

#[derive(Clone, Debug)]
struct Edit {
    steps: Vec<Step>,
    op: Op,
}

/// How far an edit came: the steps that were taken, and the result of the rest.
type Outcome = (usize, Result<bool, String>);

impl Edit {
    fn go(self, mut keys: Vec<Option<MapKey>>, message: &mut DynamicMessage) -> Outcome {
        let mut here = message.as_mut();
        for (i, (step, key)) in self.steps.iter().zip(&mut keys).enumerate() {
            match step.go(here, key) {
                Ok(next) => here = next,
                Err(_) => return (i, Err(String::new())),
            }
        }
        (self.steps.len(), self.op.go(here))
    }

    fn keys(&self) -> Vec<Option<MapKey>> {
        self.steps.iter().map(Step::key).collect()
    }

    /// The first steps alone.
    fn cut(&self, steps: usize) -> Self {
        Self { steps: self.steps[..steps].to_vec(), op: Op::Nothing }
    }

    fn applied(&self, message: &DynamicMessage) -> (DynamicMessage, Outcome) {
        let mut changed = message.clone();
        let outcome = self.clone().go(self.keys(), &mut changed);
        (changed, outcome)
    }
}

/// Of the fields of a message, more often than not one that is set, and of these one with closed enums in a list.
fn pick(
    fields: &[FieldDescriptor],
    view: Option<MessageView<'_, '_>>,
    choices: &mut Choices,
) -> FieldDescriptor {
    let set: Vec<_> = fields.iter().filter(|f| view.is_some_and(|view| view.has_field(f))).cloned().collect();
    let enums: Vec<_> =
        set.iter().filter(|f| f.is_list() && matches!(f.kind(), Kind::Enum(_))).cloned().collect();
    let fields = match choices.below(4) {
        0 if !enums.is_empty() => &enums,
        1 | 2 if !set.is_empty() => &set,
        _ => fields,
    };
    choices.pick(fields).clone()
}

/// A random edit of a message that was decoded as a whole.
fn edit(message: &DynamicMessage, choices: &mut Choices) -> Edit {
    let (mut message, mut view, mut steps) =
        (message.descriptor().clone(), Some(message.as_view()), Vec::new());
    loop {
        let fields = all_fields(&message);
        if fields.is_empty() {
            return Edit { steps, op: Op::ClearUnknown };
        }
        let field = pick(&fields, view, choices);
        let Kind::Message(next) = field.kind() else { return Edit { steps, op: op(field, choices) } };
        if steps.len() > 3 || choices.once_in(3) {
            return Edit { steps, op: op(field, choices) };
        }
        let value = view.map(|view| view.get_field(&field));
        if field.is_map() {
            let Kind::Message(of) = next.map_entry_value_field().unwrap().kind() else {
                return Edit { steps, op: op(field, choices) };
            };
            let key = key(&next.map_entry_key_field().unwrap(), choices);
            view = value.and_then(|value| value.unwrap().as_map()?.get(&key)?.as_message());
            steps.push(Step::Entry(field, key));
            message = of;
            continue;
        }
        let index = choices.below(2);
        (view, message) = match value {
            Some(Ok(ValueRef::List(list))) => (list.get(index).and_then(|value| value.as_message()), next),
            value => (value.and_then(|value| value.unwrap().as_message()), next),
        };
        steps.push(match () {
            () if !field.is_list() => Step::Field(field),
            () if choices.once_in(4) => Step::NewElement(field),
            () => Step::Element(field, index),
        });
    }
}

fn op(field: FieldDescriptor, choices: &mut Choices) -> Op {
    let roll = choices.below(6);
    if roll == 0 {
        return Op::ClearUnknown;
    }
    // Copies of maps and of messages that are kept as bytes abort without memory.
    if roll == 5 && !field.is_map() && !matches!(field.kind(), Kind::Message(_)) && choices.below(2) == 0 {
        return Op::Take(field);
    }
    if roll == 1 {
        return Op::Clear(field);
    }
    if field.is_map() {
        let Kind::Message(entry) = field.kind() else { unreachable!() };
        let key = key(&entry.map_entry_key_field().unwrap(), choices);
        let value = one(&entry.map_entry_value_field().unwrap(), choices);
        return match roll {
            2 if choices.below(2) == 0 => Op::Retain(field, choices.below(2)),
            2 => Op::Remove(field, key),
            3 => Op::Set(field, Value::Map([(key, value)].into())),
            _ => Op::Insert(field, key, value),
        };
    }
    let value = one(&field, choices);
    if field.is_list() && choices.below(2) == 0 {
        return match roll {
            2 => Op::Swap(field, choices.below(2), choices.below(3)),
            3 => Op::Truncate(field, choices.below(3)),
            4 => Op::Retain(field, choices.below(2)),
            _ => Op::Extend(field, (0..choices.below(4)).map(|_| value.clone()).collect()),
        };
    }
    match roll {
        2 if field.is_list() => Op::SetElement(field, choices.below(2), value),
        3 if field.is_list() => Op::RemoveElement(field, choices.below(2)),
        4 if field.is_list() => Op::Set(field, Value::List(vec![value])),
        _ if field.is_list() => Op::Push(field, value),
        _ => Op::Set(field, value),
    }
}

fn key(field: &FieldDescriptor, choices: &mut Choices) -> MapKey {
    match one(field, choices) {
        Value::Bool(v) => v.into(),
        Value::I32(v) => v.into(),
        Value::I64(v) => v.into(),
        Value::U32(v) => v.into(),
        Value::U64(v) => v.into(),
        Value::String(v) => v.into(),
        Value::Bytes(v) => v.into(),
        value => panic!("{value:?}"),
    }
}

fn one(field: &FieldDescriptor, choices: &mut Choices) -> Value {
    let n = choices.below(3);
    match field.kind() {
        Kind::Bool => Value::Bool(n != 0),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(n as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(n as i64),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(n as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(n as u64),
        Kind::Float => Value::F32(n as f32),
        Kind::Double => Value::F64(n as f64),
        Kind::String if n == 1 && !field.validates_utf8() => Value::Bytes(b"\xff".into()),
        Kind::String => Value::String("a long text, longer than what is there to spare".repeat(n)),
        Kind::Bytes => Value::Bytes(vec![7; 30 * n]),
        Kind::Enum(e) => Value::EnumNumber(e.values().next().unwrap().number()),
        Kind::Message(message) => Value::Message(DynamicMessage::new(&message)),
    }
}

fn encoded(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    LOOSE.encode(message, &mut bytes).unwrap();
    assert_eq!(message.encoded_len(), bytes.len());
    bytes
}

/// What a full decode of the encoded message gives.
fn meaning(message: &DynamicMessage) -> crate::common::reference::Msg {
    let options = PARTIAL.budget(1 << 24);
    read(options.decode_dynamic(message.descriptor(), &encoded(message)).unwrap().as_view())
}

/// Every allocation of an edit fails once. Gives how many did.
fn failing(message: &DynamicMessage, edit: &Edit) -> usize {
    let (before, (changed, outcome)) = (encoded(message), edit.applied(message));
    let expected = meaning(&changed);
    sweep(
        || (message.clone(), Some((edit.clone(), edit.keys()))),
        |(message, edit)| {
            let (edit, keys) = edit.take().unwrap();
            edit.go(keys, message)
        },
        |(mut after, _), (steps, result), failed| {
            if result.is_ok() || !failed {
                assert_eq!((steps, result), outcome, "{edit:?}");
                assert_eq!(meaning(&after), expected, "{edit:?}");
                return;
            }
            // What was opened on the way down is there, and nothing else has changed.
            let (opened, _) = edit.cut(steps).applied(message);
            assert_eq!(meaning(&after), meaning(&opened));
            if steps == 0 {
                assert_eq!(encoded(&after), before);
            }
            let (again, expected) = edit.applied(&opened);
            assert_eq!(edit.clone().go(edit.keys(), &mut after), expected, "{edit:?}");
            assert_eq!(meaning(&after), meaning(&again), "{edit:?}");
        },
    )
}

/// How a message is decoded in part.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// What is not selected stays bytes.
    Passing,
    /// What is not selected is gone.
    Dropping,
    /// Some message fields stay bytes until they are looked at.
    Lazy,
}

fn check(choices: &mut Choices, how: How) -> usize {
    let schema = schema(choices, ALL);
    let descriptor = descriptor(&schema, &schema.pool(), 0);
    let projection = Projection::new(&descriptor, paths(&descriptor, choices, 4)).unwrap();
    let projection = match how {
        How::Passing => projection.pass_through(),
        How::Dropping => projection,
        How::Lazy => {
            let mut lazy = paths(&descriptor, choices, 3);
            lazy.push("*".into());
            lazy.retain(|path| Projection::all(&descriptor).lazy([path]).is_ok());
            Projection::all(&descriptor).lazy(lazy).unwrap()
        }
    };
    let input = payload(&schema, 0, choices, WILD);
    let mut part = PARTIAL.decode_selected(&projection, &input).unwrap();
    let whole = if how == How::Dropping { encoded(&part) } else { input };
    let mut full = PARTIAL.decode_dynamic(&descriptor, &whole).unwrap();
    let mut failures = 0;
    for _ in 0..3 {
        let edit = edit(&full, choices);
        failures += failing(&part, &edit) + failing(&full, &edit);
        let (bytes, unchanged) = (encoded(&part), meaning(&full));
        let outcome = edit.clone().go(edit.keys(), &mut full);
        assert_eq!(edit.clone().go(edit.keys(), &mut part), outcome, "{how:?}: {edit:?}");
        assert_eq!(meaning(&part), meaning(&full), "{how:?}: {edit:?}");
        if edit.steps.is_empty() && meaning(&full) == unchanged && !matches!(outcome, (_, Ok(true))) {
            assert_eq!(encoded(&part), bytes, "nothing has changed: {edit:?}");
        }
    }
    failures
}

/// Ten times as many in release, a quarter without optimisation.
fn check_all(how: How, seeds: u64) {
    let seeds = if cfg!(debug_assertions) { seeds / 4 } else { 10 * seeds };
    let failures: usize = (0..seeds).map(|seed| check(&mut Choices::seeded(seed), how)).sum();
    assert!(failures > 4 * seeds as usize, "only {failures} allocations failed");
}

#[test]
fn edits_of_what_is_passed_through_are_those_of_a_whole_message_or_errors_that_change_nothing() {
    check_all(How::Passing, 400);
}

#[test]
fn edits_of_a_selection_are_those_of_a_message_that_has_nothing_else() {
    check_all(How::Dropping, 120);
}

#[test]
fn edits_of_lazy_fields_are_those_of_decoded_ones() {
    check_all(How::Lazy, 120);
}

//! From the slots of a batch to steps.

use super::super::batch::{Batch, How, NONE, Slot, SlotKind};
use super::{Closed, NodeSteps, Op, Rule, Run, SLOT, STAYS, Step, Steps, window};
use std::collections::HashMap;
use tablepb::table::Kind;
use tablepb::{EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// What a node stands for.
#[derive(Clone, Debug)]
pub(in crate::read) struct NodeType {
    pub(in crate::read) descriptor: MessageDescriptor,
    /// Everything in it is read, also what has no column.
    pub(in crate::read) whole: bool,
}

/// The steps of a batch, whose nodes have these types; `None` for types that steps are not for.
pub(in crate::read) fn steps(batch: &Batch, types: &[NodeType], partial: bool) -> Option<Steps> {
    let mut builder = Builder { steps: Steps::default(), closed: HashMap::new() };
    // The end tags of groups, by node: each node stands for the messages of one field.
    let mut ends = HashMap::new();
    let fields: Vec<_> = types.iter().map(|of| fields_of(&of.descriptor)).collect();
    for (node, fields) in batch.nodes.iter().zip(&fields) {
        for (position, field) in fields.iter().enumerate().filter(|(_, field)| field.is_group()) {
            let slot = batch.table.get(node.base + position).copied().unwrap_or(Slot::ABSENT);
            ends.extend(step(field, END_GROUP, Op::EndGroup).map(|end| (slot.column, end)));
        }
    }
    for (at, ((node, of), fields)) in batch.nodes.iter().zip(types).zip(&fields).enumerate() {
        if of.descriptor.is_message_set() {
            return None;
        }
        let (mut likely, mut others, mut required) = (Vec::new(), Vec::new(), 0);
        for (position, field) in fields.iter().enumerate() {
            let at = node.base + position;
            let slot = batch.table.get(at).copied().unwrap_or(Slot::ABSENT);
            let mut rule = Rule { closed: builder.closed(field), ..Rule::NONE };
            // What is not selected is not asked for.
            if !partial && is_required(field) && (of.whole || slot.how != How::Absent) {
                // The lowest bit that is free; none is left after 64 fields.
                let free: u64 = !required;
                rule.required = free & free.wrapping_neg();
                required |= rule.required;
                if rule.required == 0 {
                    return None;
                }
            }
            let forms = forms(field, slot, (at as u32, rule.closed), of.whole, &mut builder.steps.runs);
            likely.extend(forms.0.map(|step| (step, rule)));
            others.extend(forms.1.map(|step| (step, rule)));
        }
        likely.extend(ends.get(&(at as u32)).map(|end| (*end, Rule::NONE)));
        let numbers = fields.iter().map(FieldDescriptor::number).collect();
        builder.node(likely.into_iter().chain(others), numbers, required);
    }
    let mut steps = builder.steps;
    if !steps.requires && steps.enums.is_empty() {
        steps.rules.clear();
    }
    Some(steps)
}

struct Builder {
    steps: Steps,
    /// The places of closed enums.
    closed: HashMap<EnumDescriptor, u32>,
}

impl Builder {
    /// The place of the enum of a field, if it is closed.
    fn closed(&mut self, field: &FieldDescriptor) -> u32 {
        let Kind::Enum(descriptor) = field.kind() else { return NONE };
        if !descriptor.is_closed() {
            return NONE;
        }
        let enums = &mut self.steps.enums;
        *self.closed.entry(descriptor.clone()).or_insert_with(|| {
            enums.push(numbers_of(&descriptor));
            enums.len() as u32 - 1
        })
    }

    /// Adds a node.
    fn node(&mut self, steps: impl Iterator<Item = (Step, Rule)>, numbers: Vec<u32>, required: u64) {
        let to = &mut self.steps;
        let first = to.steps.len();
        for (step, rule) in steps.chain([(Step::END, Rule::NONE)]) {
            to.steps.push(step);
            to.rules.push(rule);
        }
        let node = node_steps(to.steps.get(first..).unwrap_or_default(), first, numbers, required);
        to.nodes.push(node);
        to.requires |= required != 0;
    }
}

/// Whether a message without the field lacks something that is required: the field itself, or of a map entry what is required in its value.
fn is_required(field: &FieldDescriptor) -> bool {
    let is_value = field.number() == 2 && field.parent_message().is_map_entry();
    let requires = |message: &MessageDescriptor| message.fields().any(|field| field.is_required());
    field.is_required() || is_value && matches!(field.kind(), Kind::Message(message) if requires(&message))
}

/// The numbers of an enum.
fn numbers_of(descriptor: &EnumDescriptor) -> Closed {
    let mut numbers: Vec<i32> = descriptor.values().map(|value| value.number()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    // Most enums have no gap after their first number.
    let first = numbers.first().copied().unwrap_or(0);
    let follows = |(at, number): &(usize, &i32)| i64::from(**number) == i64::from(first) + *at as i64;
    let count = numbers.iter().enumerate().take_while(follows).count();
    Closed { first, count: count as u32, others: numbers.split_off(count) }
}

/// The fields and extensions of a message, by number.
fn fields_of(descriptor: &MessageDescriptor) -> Vec<FieldDescriptor> {
    let extensions = descriptor.extensions().map(|extension| extension.as_field());
    let mut fields: Vec<_> = descriptor.fields().chain(extensions).collect();
    fields.sort_by_key(FieldDescriptor::number);
    fields
}

fn node_steps(steps: &[Step], first: usize, numbers: Vec<u32>, required: u64) -> NodeSteps {
    let last = numbers.last().map_or(0, |&last| last as usize);
    let mut short = vec![0; last.saturating_add(1).min(SHORT)];
    let mut tags = Vec::new();
    // Of two forms of a list the likely one, which comes first, is found at once; so the others go before it.
    for (at, step) in steps.iter().enumerate().rev().filter(|(_, step)| step.mask != 0) {
        if let (Some(to), Ok(at)) = (short.get_mut(window::short_number(step.tag)), u16::try_from(at))
            && step.past <= 3
        {
            *to = at;
        }
        tags.push((step.tag, (first + at) as u32));
    }
    tags.sort_unstable();
    NodeSteps { first: first as u32, short, tags, numbers, required }
}

/// The wire types.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;
const START_GROUP: u32 = 3;
const END_GROUP: u32 = 4;
const FIXED32: u32 = 5;

/// Field numbers whose tags have one byte or two, and so many of them that a table of their steps is small.
const SHORT: usize = 1024;

/// A step without a place; `None` for tags of more than four bytes, which have none.
fn step(field: &FieldDescriptor, wire_type: u32, op: Op) -> Option<Step> {
    let (mut left, mut tag, mut len) = (field.number() << 3 | wire_type, 0u32, 0u8);
    loop {
        let more = left > 0x7f;
        tag |= (left & 0x7f | if more { 0x80 } else { 0 }) << (8 * len);
        (left, len) = (left >> 7, len + 1);
        if !more {
            break;
        }
        if len == 4 {
            return None;
        }
    }
    let mask = u32::MAX >> (32 - 8 * u32::from(len));
    Some(Step { tag, mask, to: NONE, rare: 0, op, past: len + 1 })
}

/// The op for one value of a kind, and its wire type.
fn scalar(field: &FieldDescriptor) -> (Op, u32) {
    match field.kind() {
        Kind::Bool => (Op::Bool, VARINT),
        Kind::Int32 => (Op::Int32, VARINT),
        Kind::Int64 => (Op::Int64, VARINT),
        Kind::Uint32 => (Op::Uint32, VARINT),
        Kind::Uint64 => (Op::Uint64, VARINT),
        Kind::Sint32 => (Op::Sint32, VARINT),
        Kind::Sint64 => (Op::Sint64, VARINT),
        Kind::Fixed32 => (Op::Fixed32, FIXED32),
        Kind::Sfixed32 => (Op::Sfixed32, FIXED32),
        Kind::Float => (Op::Float, FIXED32),
        Kind::Fixed64 => (Op::Fixed64, FIXED64),
        Kind::Sfixed64 => (Op::Sfixed64, FIXED64),
        Kind::Double => (Op::Double, FIXED64),
        Kind::Enum(descriptor) if descriptor.is_closed() => (Op::ClosedEnum, VARINT),
        Kind::Enum(_) => (Op::Enum, VARINT),
        Kind::String if field.validates_utf8() => (Op::String, LENGTH),
        // A string that need not be UTF-8 is a column of bytes.
        Kind::String | Kind::Bytes => (Op::Bytes, LENGTH),
        Kind::Message(_) => (Op::Message, LENGTH),
    }
}

/// The steps of a field: the likely one, and the other form of a list of numbers.
fn forms(
    field: &FieldDescriptor,
    slot: Slot,
    (at, closed): (u32, u32),
    whole: bool,
    runs: &mut Vec<Run>,
) -> (Option<Step>, Option<Step>) {
    let (op, wire_type) = scalar(field);
    if field.is_group() {
        let one = step(field, START_GROUP, op).filter(|_| slot.how != How::Absent);
        let one = one.map(|one| placed(one, slot, at, field.is_list()));
        let is_open = |step: &Step| matches!(step.op, Op::Struct | Op::Element);
        return (one.filter(is_open).map(|one| Step { op: Op::Group, ..one }), None);
    }
    let packable = field.is_list() && wire_type != LENGTH;
    let one = step(field, wire_type, op);
    if slot.how == How::Absent && !whole {
        let skips = |step: Step| Step { op: skip_of(step.tag & 7), ..step };
        let (one, run) = (one.map(skips), step(field, LENGTH, Op::SkipLength).filter(|_| packable));
        return if field.is_packed() { (run, one) } else { (one, run) };
    }
    let one = one.map(|one| placed(one, slot, at, field.is_list() || field.is_map()));
    let run = step(field, LENGTH, Op::Packed).filter(|_| packable).map(|run| {
        if slot.kind != SlotKind::Value || slot.how != How::List {
            return Step { op: Op::GiveUp, ..run };
        }
        runs.push(Run { at, op, closed });
        Step { to: runs.len() as u32 - 1, ..run }
    });
    if field.is_packed() { (run, one) } else { (one, run) }
}

/// The op that skips a wire type.
fn skip_of(wire_type: u32) -> Op {
    match wire_type {
        VARINT => Op::SkipVarint,
        FIXED64 => Op::SkipFixed64,
        LENGTH => Op::SkipLength,
        FIXED32 => Op::SkipFixed32,
        _ => Op::GiveUp,
    }
}

/// A step and where its values go.
fn placed(step: Step, slot: Slot, at: u32, repeated: bool) -> Step {
    let is_message = step.op == Op::Message;
    let plain = |to: u32, op: Op| Step { to, op, ..step };
    // Counted from 1; a oneof whose number is too large is left to the slot.
    let oneof = u16::try_from(slot.oneof).map_or(0, |oneof| if oneof < STAYS - 1 { oneof + 1 } else { 0 });
    let mut placed = match (slot.kind, slot.how) {
        (_, How::Absent) => plain(NONE, Op::GiveUp),
        (_, How::AbsentMember) if is_message => plain(NONE, Op::GiveUp),
        (SlotKind::Value, How::Plain) => plain(slot.column, step.op),
        (SlotKind::Struct, How::Plain) => plain(slot.column, Op::Struct),
        (SlotKind::Struct, How::List) => plain(at | SLOT, Op::Element),
        (SlotKind::Map, _) => plain(at | SLOT, Op::Entry),
        (SlotKind::Value, How::Oneof) if oneof > 0 => Step { rare: oneof, ..plain(slot.column, step.op) },
        (SlotKind::Struct, How::Oneof) if oneof > 0 => Step { rare: oneof, ..plain(slot.column, Op::Struct) },
        _ => plain(at | SLOT, step.op),
    };
    if repeated {
        placed.rare |= STAYS;
    }
    placed
}

//! From the slots of a batch to steps.

use super::super::batch::{Batch, How, NONE, Slot, SlotKind};
use super::{NO_STEP, NodeSteps, Op, SLOT, STAYS, Step, Steps};
use tablepb::{FieldDescriptor, Kind, MessageDescriptor};

/// What a node stands for.
#[derive(Clone, Debug)]
pub(in crate::read) struct NodeType {
    pub(in crate::read) descriptor: MessageDescriptor,
    /// Everything in it is read, also what has no column.
    pub(in crate::read) whole: bool,
}

/// The steps of a batch, whose nodes have these types; `None` for types that steps are not for.
pub(in crate::read) fn steps(batch: &Batch, types: &[NodeType]) -> Option<Steps> {
    let (steps, nodes, runs) = (Vec::new(), Vec::new(), Vec::new());
    let mut steps = Steps { steps, nodes, runs };
    for (node, of) in batch.nodes.iter().zip(types) {
        let fields = fields_of(&of.descriptor);
        if of.descriptor.is_message_set() || fields.iter().any(|field| field.is_required()) {
            return None;
        }
        let first = steps.steps.len();
        let (mut likely, mut others) = (Vec::new(), Vec::new());
        for (position, field) in fields.iter().enumerate() {
            let at = node.base + position;
            let slot = batch.table.get(at).copied().unwrap_or(Slot::ABSENT);
            let forms = forms(field, slot, at as u32, of.whole, &mut steps.runs);
            likely.extend(forms.0);
            others.extend(forms.1);
        }
        steps.steps.extend(likely.iter().chain(&others).chain(&[Step::END]));
        let numbers = fields.iter().map(FieldDescriptor::number).collect();
        let node = node_steps(steps.steps.get(first..)?, first, numbers);
        steps.nodes.push(node);
    }
    Some(steps)
}

/// The fields and extensions of a message, by number.
fn fields_of(descriptor: &MessageDescriptor) -> Vec<FieldDescriptor> {
    let extensions = descriptor.extensions().map(|extension| extension.as_field());
    let mut fields: Vec<_> = descriptor.fields().chain(extensions).collect();
    fields.sort_by_key(FieldDescriptor::number);
    fields
}

fn node_steps(steps: &[Step], first: usize, numbers: Vec<u32>) -> NodeSteps {
    let mut short = Box::new([NO_STEP; 128]);
    let mut tags = Vec::new();
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.mask != 0) {
        if let (2, Some(to), Ok(at)) = (step.past, short.get_mut(step.tag as usize), u16::try_from(at)) {
            *to = at;
        }
        tags.push((step.tag, (first + at) as u32));
    }
    tags.sort_unstable();
    NodeSteps { first: first as u32, short, tags, numbers }
}

/// The wire types.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;
const FIXED32: u32 = 5;

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
        Kind::Enum(descriptor) if descriptor.is_closed() => (Op::GiveUp, VARINT),
        Kind::Enum(_) => (Op::Enum, VARINT),
        Kind::String if !field.validates_utf8() => (Op::GiveUp, LENGTH),
        Kind::String => (Op::String, LENGTH),
        Kind::Bytes => (Op::Bytes, LENGTH),
        Kind::Message(_) => (Op::Message, LENGTH),
    }
}

/// The steps of a field: the likely one, and the other form of a list of numbers.
fn forms(
    field: &FieldDescriptor,
    slot: Slot,
    at: u32,
    whole: bool,
    runs: &mut Vec<(u32, Op)>,
) -> (Option<Step>, Option<Step>) {
    let (op, wire_type) = scalar(field);
    if field.is_group() {
        return (None, None);
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
        if op == Op::GiveUp || slot.kind != SlotKind::Value || slot.how != How::List {
            return Step { op: Op::GiveUp, ..run };
        }
        runs.push((at, op));
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

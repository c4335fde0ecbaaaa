//! [`PlanNode`]: a message type of a plan, as the writer sees it.

use super::field::{Flags, NodeId, Prefix};
use super::field_set::{FieldSet, INLINE_BITS};
use crate::schema::pool::{EnumDescriptor, FieldDescriptor, FieldKind, FieldRef, MessageDescriptor};
use crate::schema::table::{Cardinality, Kind};
use crate::wire::sync::{AtomicU8, Ordering};
use crate::wire::{Tag, WireType};
use alloc::{collections::BTreeMap, vec::Vec};

/// The field has no child node, or is in no oneof.
const NONE: u32 = u32::MAX;

/// A message type of a plan.
///
/// The bits of its field sets are field indices, extensions included, followed by oneof indices.
#[derive(Debug)]
pub(super) struct PlanNode {
    /// Set by the plan once it knows how many nodes it has.
    pub(super) id: NodeId,
    pub(super) message: MessageDescriptor,
    /// The fields that no record has: where the skip set of each message starts.
    pub(super) disabled: FieldSet,
    /// The required fields, if there are any.
    pub(super) required: Option<FieldSet>,
    /// By field index, the node of message fields and of maps to messages; empty without any.
    children: Vec<u32>,
    /// By field index, the bit that a member of a oneof shares with the other members; empty without oneofs.
    oneof_bits: Vec<u32>,
    width: LastWidth,
}

/// The width of the length prefix of the last message of a type, shared by all threads: a guess at the next one's.
#[derive(Debug)]
struct LastWidth(AtomicU8);

impl PlanNode {
    fn new(message: &MessageDescriptor) -> Self {
        let count = message.fields().len() + message.extensions().len();
        let bits = count + message.oneofs().len();
        let mut required = None;
        for (i, _) in message.fields().enumerate().filter(|(_, f)| f.is_required()) {
            required.get_or_insert_with(|| FieldSet::new(bits)).insert(i as u32);
        }
        let mut oneof_bits = Vec::new();
        for (i, oneof) in message.oneofs().enumerate().filter(|(_, oneof)| !oneof.is_synthetic()) {
            oneof_bits.resize(count, NONE);
            for field in oneof.fields() {
                if let Some(bit) = oneof_bits.get_mut(field.as_ref().index() as usize) {
                    *bit = (count + i) as u32;
                }
            }
        }
        Self {
            id: NodeId::NONE,
            message: message.clone(),
            disabled: FieldSet::new(bits),
            required,
            children: Vec::new(),
            oneof_bits,
            width: LastWidth(AtomicU8::new(1)),
        }
    }

    /// The number of fields, extensions included.
    pub(super) fn field_count(&self) -> u32 {
        (self.message.fields().len() + self.message.extensions().len()) as u32
    }

    /// The field at this index, extensions included.
    pub(super) fn field(&self, index: u32) -> Option<FieldRef<'_>> {
        self.message.field_at(index as usize)
    }

    /// The index of the node of the messages in a field.
    #[inline]
    pub(super) fn child(&self, field: u32) -> Option<u32> {
        self.children.get(field as usize).copied().filter(|&child| child != NONE)
    }

    /// Whether the enum of a field has a value with this number.
    pub(super) fn enum_has(&self, field: u32, number: i32) -> bool {
        self.field(field).and_then(enum_of).is_some_and(|e| e.get_value(number).is_some())
    }

    /// The width to reserve for the length prefix of a message of this type, at most 5; 0 after a record without one.
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.width.0.load(Ordering::Relaxed).into()
    }

    /// Remembers the width that a message needed.
    #[inline(always)]
    pub(super) fn set_width(&self, width: usize) {
        // Stored only when it changes: otherwise threads that share a plan would pass its cache line around with
        // every message.
        if self.width() != width {
            self.width.0.store(width as u8, Ordering::Relaxed);
        }
    }

    /// The bit that a member of a oneof shares with the other members.
    pub(super) fn oneof_bit(&self, field: u32) -> Option<u32> {
        self.oneof_bits.get(field as usize).copied().filter(|&bit| bit != NONE)
    }
}

impl Clone for PlanNode {
    fn clone(&self) -> Self {
        Self {
            id: self.id,
            message: self.message.clone(),
            disabled: self.disabled.clone(),
            required: self.required.clone(),
            children: self.children.clone(),
            oneof_bits: self.oneof_bits.clone(),
            width: LastWidth(AtomicU8::new(self.width() as u8)),
        }
    }
}

/// The tag and the properties of a field.
pub(super) fn prefix(field: FieldRef<'_>) -> Prefix {
    let mut flags = Flags::default();
    let mut set = |flag, on| flags.0 |= if on { flag } else { 0 };
    let singular = field.cardinality() != Cardinality::Repeated;
    set(Flags::REPEATED, !singular);
    set(Flags::IMPLICIT, singular && !field.supports_presence());
    set(Flags::PACKED, field.is_packed());
    set(Flags::GROUP, field.is_group() && !field.is_map());
    set(Flags::ONEOF, field.containing_oneof().is_some_and(|o| !o.is_synthetic()));
    set(Flags::HEAP_BIT, field.index() >= INLINE_BITS);
    set(Flags::CLOSED, enum_of(field).is_some_and(|e| e.is_closed()));
    let wire_type = match field.raw_kind().wire_type() {
        _ if field.is_packed() => WireType::LengthDelimited,
        _ if field.is_group() && !field.is_map() => WireType::StartGroup,
        wire_type => WireType::from_bits(wire_type.into()).unwrap_or(WireType::Varint),
    };
    debug_assert!(Tag::try_new(field.number(), wire_type).is_some());
    Prefix::new(field.number(), wire_type, flags)
}

/// The key (1) or value (2) of a map field.
pub(super) fn map_part(map: FieldRef<'_>, number: u32) -> Option<FieldDescriptor> {
    match map.kind() {
        Kind::Message(entry) => entry.get_field(number),
        _ => None,
    }
}

/// The kind of a field's values; for a map, that of the values and not that of the entries.
fn value_kind(field: FieldRef<'_>) -> FieldKind {
    let value = if field.is_map() { map_part(field, 2) } else { None };
    value.map_or_else(|| field.kind(), |value| value.kind())
}

fn message_of(field: FieldRef<'_>) -> Option<MessageDescriptor> {
    match value_kind(field) {
        Kind::Message(message) => Some(message),
        _ => None,
    }
}

/// The enum type of a field's values.
pub(super) fn enum_of(field: FieldRef<'_>) -> Option<EnumDescriptor> {
    match value_kind(field) {
        Kind::Enum(enumeration) => Some(enumeration),
        _ => None,
    }
}

/// The nodes of a message type and of all message types that its fields lead to; the root comes first.
pub(super) fn reachable(root: &MessageDescriptor) -> Vec<PlanNode> {
    let mut nodes = Vec::from([PlanNode::new(root)]);
    let mut known = BTreeMap::new();
    known.insert(root.index(), 0_u32);
    let mut at = 0;
    // `nodes` is the queue of a breadth-first search: types may contain themselves, and nothing recurses.
    while let Some(node) = nodes.get(at) {
        let message = node.message.clone();
        let fields = (0..node.field_count()).filter_map(|i| message.field_at(i as usize));
        let mut children = Vec::new();
        for field in fields {
            if let Some(child) = message_of(field) {
                let next = nodes.len() as u32;
                let index = *known.entry(child.index()).or_insert(next);
                if index == next {
                    nodes.push(PlanNode::new(&child));
                }
                children.resize(field.index() as usize, NONE);
                children.push(index);
            }
        }
        if let Some(node) = nodes.get_mut(at) {
            node.children = children;
        }
        at += 1;
    }
    nodes
}

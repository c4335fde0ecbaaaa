//! [`Node`]: a message type as the writer sees it.

use super::bits::Bits;
use super::field::{Flags, Prefix};
use crate::schema::{EnumDescriptor, FieldDescriptor, FieldKind, FieldRef, MessageDescriptor};
use crate::table::{Cardinality, Kind};
use crate::wire::{Tag, WireType};
use alloc::{collections::BTreeMap, vec::Vec};
use core::sync::atomic::{AtomicU8, Ordering};

/// No node.
const NONE: u32 = u32::MAX;

/// A message type of a plan. Bits are field indices, and behind them oneof indices.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) message: MessageDescriptor,
    /// Fields that are not written at all: what a record starts with.
    pub(super) disabled: Bits,
    /// Required fields, if there are any.
    pub(super) required: Option<Bits>,
    /// The nodes of message fields, and of the values of maps to messages, by field index; empty if there are none.
    children: Vec<u32>,
    /// The bit that a field shares with the others of its oneof, by field index; empty if there are no oneofs.
    shared: Vec<u32>,
    width: Width,
}

/// The bytes that the length of the last message of a type took: a guess at the next one's, shared by all threads.
#[derive(Debug)]
struct Width(AtomicU8);

impl Node {
    pub(super) fn new(message: &MessageDescriptor) -> Self {
        let count = message.fields().len() + message.extensions().len();
        let bits = count + message.oneofs().len();
        let mut required = None;
        for (i, _) in message.fields().enumerate().filter(|(_, f)| f.is_required()) {
            required.get_or_insert_with(|| Bits::new(bits)).insert(i as u32);
        }
        let mut shared = Vec::new();
        for (i, oneof) in message.oneofs().enumerate().filter(|(_, oneof)| !oneof.is_synthetic()) {
            shared.resize(count, NONE);
            for field in oneof.fields() {
                if let Some(bit) = shared.get_mut(field.as_ref().index() as usize) {
                    *bit = (count + i) as u32;
                }
            }
        }
        Self {
            message: message.clone(),
            disabled: Bits::new(bits),
            required,
            children: Vec::new(),
            shared,
            width: Width(AtomicU8::new(1)),
        }
    }

    /// How many fields there are, extensions included.
    pub(super) fn field_count(&self) -> u32 {
        (self.message.fields().len() + self.message.extensions().len()) as u32
    }

    /// The field at this index, extensions included.
    pub(super) fn field(&self, index: u32) -> Option<FieldRef<'_>> {
        self.message.field_at(index as usize)
    }

    /// The node of the messages in a field.
    #[inline]
    pub(super) fn child(&self, field: u32) -> Option<u32> {
        self.children.get(field as usize).copied().filter(|&child| child != NONE)
    }

    /// Whether the enum of a field lists a number.
    pub(super) fn lists(&self, field: u32, number: i32) -> bool {
        self.field(field).and_then(enum_of).is_some_and(|e| e.get_value(number).is_some())
    }

    /// How many bytes to keep free for the length of a message of this type, 1 to 5.
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.width.0.load(Ordering::Relaxed).into()
    }

    /// Takes note of how many it took. Nothing is stored while that does not change, so that threads that share a
    /// plan do not wait for each other's cache line.
    #[inline(always)]
    pub(super) fn set_width(&self, width: usize) {
        if self.width() != width {
            self.width.0.store(width as u8, Ordering::Relaxed);
        }
    }

    /// The bit that a member of a oneof shares with the others.
    pub(super) fn shared_bit(&self, field: u32) -> Option<u32> {
        self.shared.get(field as usize).copied().filter(|&bit| bit != NONE)
    }
}

impl Clone for Node {
    fn clone(&self) -> Self {
        Self {
            message: self.message.clone(),
            disabled: self.disabled.clone(),
            required: self.required.clone(),
            children: self.children.clone(),
            shared: self.shared.clone(),
            width: Width(AtomicU8::new(self.width() as u8)),
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
    set(Flags::FAR, field.index() >= Bits::NEAR);
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

/// The kind of a field's values: of a map, that of the values and not of the entries.
pub(super) fn value_kind(field: FieldRef<'_>) -> FieldKind {
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

/// A message type and all that can be reached from it; the root comes first.
pub(super) fn reachable(root: &MessageDescriptor) -> Vec<Node> {
    let mut nodes = Vec::from([Node::new(root)]);
    let mut known = BTreeMap::from([(root.index(), 0)]);
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        let message = node.message.clone();
        let fields = (0..node.field_count()).filter_map(|i| message.field_at(i as usize));
        let mut children = Vec::new();
        for field in fields {
            if let Some(child) = message_of(field) {
                let next = nodes.len() as u32;
                let number = *known.entry(child.index()).or_insert(next);
                if number == next {
                    nodes.push(Node::new(&child));
                }
                let at = field.index() as usize;
                children.resize(at, NONE);
                children.push(number);
            }
        }
        if let Some(node) = nodes.get_mut(at) {
            node.children = children;
        }
        at += 1;
    }
    nodes
}

//! The definition of the records of a plan: as .proto source, and as a hash.

use super::RecordPlan;
use super::field::{FieldSet, Flags, INLINE_BITS, NodeId, Prefix};
use crate::schema::pool::{EnumDescriptor, FieldDescriptor, FieldKind, FieldRef, MessageDescriptor};
use crate::schema::program::sort_indices;
use crate::schema::table::{Cardinality, DefaultValue, Kind};
use crate::wire::sync::{AtomicU8, Ordering};
use crate::wire::{Tag, WireType};
use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

impl RecordPlan {
    /// A .proto file that declares the message type with its enabled fields only, and the types that these need.
    ///
    /// Like [`MessageDescriptor::to_proto`], it imports what other files define; types in those files keep their
    /// disabled fields. Enabled extensions are included if the same file declares them.
    ///
    /// ```
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static FLOW: MessageTable = MessageTable::new(
    ///     "pkg.Flow",
    ///     &[FieldTable::new("bytes", 1, Kind::Uint64), FieldTable::new("mac", 2, Kind::Uint64)],
    /// );
    /// let pool = DescriptorPool::from_tables(&[&FLOW])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Flow")?).disable("mac")?;
    /// assert!(plan.to_proto().contains("uint64 bytes = 1;") && !plan.to_proto().contains("mac"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_proto(&self) -> String {
        let mut by_message: BTreeMap<u32, u32> = BTreeMap::new();
        for (at, node) in (0..).zip(&self.nodes) {
            by_message.insert(node.message.index(), at);
        }
        let keep = |message: u32, field: u32| {
            let node = by_message.get(&message).and_then(|&at| self.nodes.get(at as usize));
            node.is_none_or(|node| !node.disabled.has(field))
        };
        self.descriptor().to_proto_of(&keep, &self.name_suffix())
    }

    /// Whether the message's name ends with an underscore and the [hash](Self::schema_hash) of the definition, in 16 hexadecimal digits; by
    /// default it does not. So each set of enabled fields has a name of its own, as readers that keep definitions by name need it.
    ///
    /// [`to_proto`](Self::to_proto) and [`message_name`](Self::message_name) have the name; records have no names in them.
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    ///
    /// static FLOW: MessageTable = MessageTable::new(
    ///     "pkg.Flow",
    ///     &[FieldTable::new("bytes", 1, Kind::Uint64), FieldTable::new("mac", 2, Kind::Uint64)],
    /// );
    /// let pool = DescriptorPool::from_tables(&[&FLOW])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Flow")?).disable("mac")?.hash_in_name(true);
    /// assert_eq!(plan.message_name(), format!("pkg.Flow_{:016x}", plan.schema_hash()));
    /// assert!(plan.to_proto().contains(&format!("message Flow_{:016x} {{", plan.schema_hash())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hash_in_name(mut self, yes: bool) -> Self {
        self.hash_in_name = yes;
        self
    }

    /// The full name of the message in [`to_proto`](Self::to_proto). With [`hash_in_name`](Self::hash_in_name) it costs a hash.
    #[must_use]
    pub fn message_name(&self) -> String {
        format!("{}{}", self.descriptor().full_name(), self.name_suffix())
    }

    fn name_suffix(&self) -> String {
        if self.hash_in_name { format!("_{:016x}", self.schema_hash()) } else { String::new() }
    }

    /// A hash of the definition, by which a stream can name the schema of its records.
    ///
    /// The same message type with the same enabled fields has the same hash, on every platform and in every release.
    /// Order of declaration, options, comments and reserved ranges do not change it. It is the 64-bit FNV-1a hash
    /// (offset basis 0xcbf29ce484222325, prime 0x100000001b3) of the following text in UTF-8, each line terminated by
    /// a line feed:
    ///
    /// - The message type of the plan comes first, then all message types and enums that its enabled fields lead to,
    ///   by full name in byte order.
    /// - A message type is the line `message` *full name*, then one line for each enabled field, by number: *number*
    ///   *label* *type* *name*, separated by single spaces.
    /// - The label is `implicit`, `explicit` (with presence), `required`, `repeated` or `packed`.
    /// - The type is the keyword of a scalar; `message`, `group` or `enum` and the full name; or `map` *key type*
    ///   *value type*.
    /// - The line of a field ends with ` oneof ` and the name of its oneof, if it is in one, and then with ` default `
    ///   and its default value, if it declares one: an integer in decimal, a bool as 0 or 1, a floating-point number
    ///   as the 16 hexadecimal digits of its binary64 bits, a string or bytes in hexadecimal, an enum value by name.
    /// - An enum is the line `enum` *full name* or `closed enum` *full name*, then one line for each value, by number,
    ///   then name: *number* *name*.
    ///
    /// ```
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static FLOW: MessageTable = MessageTable::new(
    ///     "pkg.Flow",
    ///     &[FieldTable::new("bytes", 1, Kind::Uint64), FieldTable::new("mac", 2, Kind::Uint64)],
    /// );
    /// let pool = DescriptorPool::from_tables(&[&FLOW])?;
    /// let all = RecordPlan::new(&pool.message("pkg.Flow")?);
    /// let fewer = all.clone().disable("mac")?;
    /// assert_ne!(all.schema_hash(), fewer.schema_hash());
    /// assert_eq!(all.schema_hash(), fewer.enable("mac")?.schema_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn schema_hash(&self) -> u64 {
        fnv1a(canonical(self).as_bytes())
    }
}

/// FNV-1a, 64 bit, <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv-17>.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The text that [`RecordPlan::schema_hash`] describes.
pub(super) fn canonical(plan: &RecordPlan) -> String {
    let mut enums: BTreeMap<u32, u32> = BTreeMap::new();
    let mut definitions: Vec<(String, String)> = Vec::new();
    let mut done: Vec<bool> = plan.nodes.iter().map(|_| false).collect();
    let mut todo = Vec::from([0_u32]);
    let mut root = String::new();
    while let Some(at) = todo.pop() {
        let (Some(node), Some(done)) = (plan.nodes.get(at as usize), done.get_mut(at as usize)) else {
            continue;
        };
        if core::mem::replace(done, true) {
            continue;
        }
        let number = |i: u32| node.field(i).map(|field| field.number());
        let mut fields: Vec<u32> = (0..node.field_count()).filter(|&i| !node.disabled.has(i)).collect();
        sort_indices(&mut fields, &mut |a, b| number(a).cmp(&number(b)));
        let mut text = format!("message {}\n", node.message.full_name());
        for field in fields.into_iter().filter_map(|i| node.field(i)) {
            line(&mut text, field);
            todo.extend(node.child(field.index()));
            if let Some(enumeration) = enum_of(field) {
                let next = enums.len() as u32;
                if *enums.entry(enumeration.index()).or_insert(next) == next {
                    definitions.push((enumeration.full_name().to_string(), enum_text(&enumeration)));
                }
            }
        }
        match at {
            0 => root = text,
            _ => definitions.push((node.message.full_name().to_string(), text)),
        }
    }
    let mut order: Vec<u32> = (0..definitions.len() as u32).collect();
    let definition = |i: u32| definitions.get(i as usize);
    sort_indices(&mut order, &mut |a, b| definition(a).cmp(&definition(b)));
    for (_, text) in order.into_iter().filter_map(definition) {
        root.push_str(text);
    }
    root
}

fn line(text: &mut String, field: FieldRef<'_>) {
    let label = match field.cardinality() {
        Cardinality::Required => "required",
        Cardinality::Repeated if field.is_packed() => "packed",
        Cardinality::Repeated => "repeated",
        Cardinality::Optional if field.supports_presence() => "explicit",
        Cardinality::Optional => "implicit",
    };
    *text += &format!("{} {label} {} {}", field.number(), type_of(field), field.name());
    if let Some(oneof) = field.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
        *text += &format!(" oneof {}", oneof.name());
    }
    if let Some(default) = field.explicit_default() {
        *text += &format!(" default {}", default_text(default));
    }
    text.push('\n');
}

fn type_of(field: FieldRef<'_>) -> String {
    let name = |kind: Kind<MessageDescriptor, EnumDescriptor>, group| match kind {
        Kind::Message(message) if group => format!("group {}", message.full_name()),
        Kind::Message(message) => format!("message {}", message.full_name()),
        Kind::Enum(enumeration) => format!("enum {}", enumeration.full_name()),
        scalar => scalar.name().to_string(),
    };
    match (map_part(field, 1), map_part(field, 2)) {
        (Some(key), Some(value)) if field.is_map() => {
            format!("map {} {}", name(key.kind(), false), name(value.kind(), value.is_group()))
        }
        _ => name(field.kind(), field.is_group()),
    }
}

fn default_text(value: DefaultValue<'_>) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    match value {
        DefaultValue::Bool(value) => u8::from(value).to_string(),
        DefaultValue::Int(value) => value.to_string(),
        DefaultValue::Uint(value) => value.to_string(),
        DefaultValue::Float(value) if value.is_nan() => "7ff8000000000000".to_string(),
        DefaultValue::Float(value) => format!("{:016x}", value.to_bits()),
        DefaultValue::String(value) => hex(value.as_bytes()),
        DefaultValue::Bytes(value) => hex(value),
        DefaultValue::Enum(name) => name.to_string(),
    }
}

fn enum_text(enumeration: &EnumDescriptor) -> String {
    let closed = if enumeration.is_closed() { "closed " } else { "" };
    let values: Vec<(i32, String)> =
        enumeration.values().map(|v| (v.number(), v.name().to_string())).collect();
    let value = |i: u32| values.get(i as usize);
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    sort_indices(&mut order, &mut |a, b| value(a).cmp(&value(b)));
    let mut text = format!("{closed}enum {}\n", enumeration.full_name());
    for (number, name) in order.into_iter().filter_map(value) {
        text.push_str(&format!("{number} {name}\n"));
    }
    text
}

// `PlanNode`: a message type of a plan, as the writer sees it.

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

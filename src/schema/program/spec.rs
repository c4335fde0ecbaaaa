//! The input of lowering: message and enum types as plain data that refer to each other by index.

use super::{Room, RoomFull};
use crate::schema::table::Kind;
use alloc::vec::Vec;

/// One message type; its index in the list given to `ProgramSet::new` is its program index.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageSpec {
    /// The fields, in any order; the position of a field in this list is its field index.
    pub fields: Vec<FieldSpec>,
    /// MessageSet wire format.
    pub message_set: bool,
    /// A map entry: field 1 is the key, field 2 the value.
    pub map_entry: bool,
}

/// One field.
#[derive(Clone, Debug)]
pub(crate) struct FieldSpec {
    /// 1 to 2^29-1, unique in its message.
    pub number: u32,
    /// The kind, with program and enum indices; of a map field, `Message` with the index of the entry type.
    pub kind: Kind<u32, u32>,
    /// Presence and cardinality.
    pub presence: Presence,
    /// Encoded packed (repeated scalars only).
    pub packed: bool,
    /// A group on the wire (message fields only).
    pub delimited: bool,
    /// Strings must be UTF-8.
    pub utf8: bool,
    /// Index of the oneof, if the field is a member of one that is not synthetic.
    pub oneof: Option<u32>,
}

#[cfg(test)]
impl FieldSpec {
    /// A field of this number, kind and shape; packed if repeated and packable, UTF-8 checked, no oneof.
    pub(crate) fn new(number: u32, kind: Kind<u32, u32>, presence: Presence) -> Self {
        let packed = matches!(presence, Presence::Repeated) && kind.is_packable();
        Self { number, kind, presence, packed, delimited: false, utf8: true, oneof: None }
    }
}

/// Presence and cardinality of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Singular, set when its value is not zero or empty.
    Implicit,
    /// Singular, set when it was written; all message fields and oneof members.
    Explicit,
    /// As `Explicit`, and an error when it is not set.
    Required,
    /// A list.
    Repeated,
    /// A list of map entries with unique keys.
    Map,
}

/// One enum type.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnumSpec {
    /// Numbers that are not listed become unknown fields.
    pub closed: bool,
    /// All numbers; the first one is the default.
    pub numbers: Vec<i32>,
}

/// A schema to lower: messages and enums by index.
pub(crate) trait SpecSource {
    /// How many messages there are.
    fn messages(&self) -> usize;
    /// Overwrites `spec` with the description of a message.
    fn message(&self, index: u32, spec: &mut MessageSpec, room: &mut Room) -> Result<(), RoomFull>;
    /// How many enums there are.
    fn enums(&self) -> usize;
    /// Whether the enum is closed: numbers that it does not list become unknown fields.
    fn is_closed(&self, index: u32) -> bool;
    /// How many numbers an enum lists.
    fn enum_numbers(&self, index: u32) -> usize;
    /// The number at this place of the list.
    fn enum_number(&self, index: u32, at: usize) -> Option<i32>;
}

impl SpecSource for (&[MessageSpec], &[EnumSpec]) {
    fn messages(&self) -> usize {
        self.0.len()
    }

    fn message(&self, index: u32, spec: &mut MessageSpec, room: &mut Room) -> Result<(), RoomFull> {
        let Some(message) = self.0.get(index as usize) else { return Ok(()) };
        (spec.message_set, spec.map_entry) = (message.message_set, message.map_entry);
        spec.fields.clear();
        room.reserve(&mut spec.fields, message.fields.len())?;
        spec.fields.extend_from_slice(&message.fields);
        Ok(())
    }

    fn enums(&self) -> usize {
        self.1.len()
    }

    fn is_closed(&self, index: u32) -> bool {
        self.1.get(index as usize).is_some_and(|e| e.closed)
    }

    fn enum_numbers(&self, index: u32) -> usize {
        self.1.get(index as usize).map_or(0, |e| e.numbers.len())
    }

    fn enum_number(&self, index: u32, at: usize) -> Option<i32> {
        self.1.get(index as usize)?.numbers.get(at).copied()
    }
}

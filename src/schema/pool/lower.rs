//! Lowers a pool to programs: one per message, with the same index.
//!
//! A field has the same position in the list of its message and in the program, extensions included, so a program
//! entry leads to the descriptor without a lookup.

use super::model::{FieldData, FieldFlags, PoolData};
use crate::schema::program::{
    FieldSpec, LowerError, MessageSpec, Presence, ProgramSet, Room, RoomFull, SpecSource,
};
use crate::schema::table::Cardinality;
use crate::wire::error::DescriptorError;

/// Lowers all messages and enums of a pool.
pub(super) fn programs(data: &PoolData, room: &mut Room) -> Result<ProgramSet, DescriptorError> {
    ProgramSet::of(data, room).map_err(|(fault, index)| match fault {
        LowerError::RoomFull(full) => full.into(),
        LowerError::Schema(kind) => {
            let name = data.messages.get(index).map_or("", |m| data.text(m.name.full()));
            DescriptorError::new(kind, name, "")
        }
    })
}

impl SpecSource for PoolData {
    fn messages(&self) -> usize {
        self.messages.len()
    }

    fn message(&self, index: u32, spec: &mut MessageSpec, room: &mut Room) -> Result<(), RoomFull> {
        let Some(message) = self.messages.get(index as usize) else { return Ok(()) };
        (spec.message_set, spec.map_entry) = (message.message_set, message.map_entry);
        spec.fields.clear();
        room.reserve(&mut spec.fields, message.fields.len())?;
        let oneofs = self.oneofs(message);
        spec.fields.extend(message.fields.iter().map(|f| {
            let oneof = oneofs.get(f.oneof as usize).filter(|o| !o.synthetic);
            field(f, oneof.map(|_| f.oneof))
        }));
        Ok(())
    }

    fn enums(&self) -> usize {
        self.enums.len()
    }

    fn is_closed(&self, index: u32) -> bool {
        self.enums.get(index as usize).is_some_and(|e| e.closed)
    }

    fn enum_numbers(&self, index: u32) -> usize {
        self.values(index).len()
    }

    fn enum_number(&self, index: u32, at: usize) -> Option<i32> {
        self.values(index).get(at).map(|v| v.number)
    }
}

fn field(data: &FieldData, oneof: Option<u32>) -> FieldSpec {
    let presence = match data.cardinality {
        Cardinality::Repeated if data.flags.has(FieldFlags::MAP) => Presence::Map,
        Cardinality::Repeated => Presence::Repeated,
        Cardinality::Required => Presence::Required,
        Cardinality::Optional if data.flags.has(FieldFlags::PRESENCE) => Presence::Explicit,
        Cardinality::Optional => Presence::Implicit,
    };
    FieldSpec {
        number: data.number,
        kind: data.kind,
        presence,
        packed: data.flags.has(FieldFlags::PACKED),
        delimited: data.flags.has(FieldFlags::DELIMITED),
        utf8: data.flags.has(FieldFlags::UTF8),
        oneof,
    }
}

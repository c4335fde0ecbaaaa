//! The pool as the loops want it: one program per message, same index.
//!
//! The position of a field in its message's list is its field index in the program, extensions included, so a
//! program entry leads straight to the descriptor.

use super::model::{FieldData, FieldFlags, MessageData, PoolData};
use crate::error::DescriptorError;
use crate::program::{EnumSpec, FieldSpec, MessageSpec, ProgramSet, Shape};
use crate::table::Cardinality;
use alloc::vec::Vec;

/// Lowers all messages and enums of a pool.
pub(super) fn programs(data: &PoolData) -> Result<ProgramSet, DescriptorError> {
    let messages: Vec<MessageSpec> = data.messages.iter().map(message).collect();
    let enums: Vec<EnumSpec> = data
        .enums
        .iter()
        .map(|e| EnumSpec { closed: e.closed, numbers: e.values.iter().map(|v| v.number).collect() })
        .collect();
    ProgramSet::new(&messages, &enums).map_err(|(kind, index)| {
        let name = data.messages.get(index).map_or("", |m| data.text(m.name.full()));
        DescriptorError::new(kind, name, "")
    })
}

fn message(data: &MessageData) -> MessageSpec {
    MessageSpec {
        fields: data.fields.iter().map(|f| field(data, f)).collect(),
        message_set: data.message_set,
        map_entry: data.map_entry,
    }
}

fn field(message: &MessageData, data: &FieldData) -> FieldSpec {
    let shape = match data.cardinality {
        Cardinality::Repeated if data.flags.has(FieldFlags::MAP) => Shape::Map,
        Cardinality::Repeated => Shape::Repeated,
        Cardinality::Required => Shape::Required,
        Cardinality::Optional if data.flags.has(FieldFlags::PRESENCE) => Shape::Explicit,
        Cardinality::Optional => Shape::Implicit,
    };
    let oneof = message.oneofs.get(data.oneof as usize);
    FieldSpec {
        number: data.number,
        kind: data.kind,
        shape,
        packed: data.flags.has(FieldFlags::PACKED),
        delimited: data.flags.has(FieldFlags::DELIMITED),
        utf8: data.flags.has(FieldFlags::UTF8),
        oneof: oneof.filter(|o| !o.synthetic).map(|_| data.oneof),
    }
}

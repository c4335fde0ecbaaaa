//! Shorthand for the tables of descriptor.proto, which is proto2.

use crate::table::{DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax};

pub(super) const fn message(name: &'static str, fields: &'static [FieldTable]) -> MessageTable {
    MessageTable::new(name, fields).syntax(Syntax::Proto2)
}

pub(super) const fn string(name: &'static str, number: u32) -> FieldTable {
    FieldTable::new(name, number, Kind::String)
}

pub(super) const fn int32(name: &'static str, number: u32) -> FieldTable {
    FieldTable::new(name, number, Kind::Int32)
}

pub(super) const fn boolean(name: &'static str, number: u32) -> FieldTable {
    FieldTable::new(name, number, Kind::Bool)
}

/// A `bool` with an explicit default.
pub(super) const fn flag(name: &'static str, number: u32, default: bool) -> FieldTable {
    boolean(name, number).default_value(DefaultValue::Bool(default))
}

pub(super) const fn sub(name: &'static str, number: u32, table: fn() -> &'static MessageTable) -> FieldTable {
    FieldTable::new(name, number, Kind::Message(table))
}

pub(super) const fn choice(name: &'static str, number: u32, table: fn() -> &'static EnumTable) -> FieldTable {
    FieldTable::new(name, number, Kind::Enum(table))
}

pub(super) const fn enumeration(name: &'static str, values: &'static [(&'static str, i32)]) -> EnumTable {
    EnumTable::new(name, values).closed()
}

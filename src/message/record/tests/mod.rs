//! Records compared with their expected bytes, and checks that a failed record leaves its buffer alone.

mod definition;
mod errors;
mod misuse;
mod nested;
mod semantics;

use super::*;
use crate::message::DynamicMessage;
use crate::schema::pool::{DescriptorPool, MessageDescriptor};
use crate::schema::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};
use alloc::{collections::BTreeMap, string::String, vec::Vec};
use std::sync::Mutex;

static COLOR: EnumTable = EnumTable::new("pkg.Color", &[("RED", 0), ("GREEN", 1)]);
static SHADE: EnumTable =
    EnumTable::new("pkg.old.Shade", &[("NONE", 0), ("DARK", 1), ("LIGHT", -2)]).closed();

/// Every kind of field that proto3 has; recursive.
static FLOW: MessageTable = MessageTable::new(
    "pkg.Flow",
    &[
        FieldTable::new("double", 1, Kind::Double),
        FieldTable::new("float", 2, Kind::Float),
        FieldTable::new("int32", 3, Kind::Int32),
        FieldTable::new("int64", 4, Kind::Int64),
        FieldTable::new("uint32", 5, Kind::Uint32),
        FieldTable::new("uint64", 6, Kind::Uint64),
        FieldTable::new("sint32", 7, Kind::Sint32),
        FieldTable::new("sint64", 8, Kind::Sint64),
        FieldTable::new("fixed32", 9, Kind::Fixed32),
        FieldTable::new("fixed64", 10, Kind::Fixed64),
        FieldTable::new("sfixed32", 11, Kind::Sfixed32),
        FieldTable::new("sfixed64", 12, Kind::Sfixed64),
        FieldTable::new("bool", 13, Kind::Bool),
        FieldTable::new("string", 14, Kind::String),
        FieldTable::new("bytes", 15, Kind::Bytes),
        FieldTable::new("color", 16, Kind::Enum(|| &COLOR)),
        FieldTable::new("maybe", 17, Kind::Uint32).optional(),
        FieldTable::new("one_number", 18, Kind::Uint32).oneof("one"),
        FieldTable::new("one_string", 19, Kind::String).oneof("one"),
        FieldTable::new("one_flow", 20, Kind::Message(|| &FLOW)).oneof("one"),
        FieldTable::new("packed", 21, Kind::Sint32).repeated(),
        FieldTable::new("loose", 22, Kind::Uint32).repeated().packed(false),
        FieldTable::new("strings", 23, Kind::String).repeated(),
        FieldTable::new("fixed", 24, Kind::Fixed64).repeated(),
        FieldTable::new("inner", 25, Kind::Message(|| &INNER)),
        FieldTable::new("inners", 26, Kind::Message(|| &INNER)).repeated(),
        FieldTable::map("counts", 27, Kind::String, Kind::Sint64),
        FieldTable::map("by_port", 28, Kind::Fixed32, Kind::Message(|| &INNER)),
        FieldTable::map("colors", 29, Kind::Bool, Kind::Enum(|| &COLOR)),
        FieldTable::new("far", 536_870_911, Kind::Bool),
    ],
);
static INNER: MessageTable = MessageTable::new(
    "pkg.Inner",
    &[
        FieldTable::new("id", 1, Kind::Uint64),
        FieldTable::new("name", 2, Kind::String),
        FieldTable::new("ids", 3, Kind::Uint32).repeated(),
        FieldTable::new("deep", 4, Kind::Message(|| &INNER)),
    ],
);
/// The kinds of fields that only proto2 has.
static OLD: MessageTable = MessageTable::new(
    "pkg.old.Old",
    &[
        FieldTable::new("id", 1, Kind::Int32).required(),
        FieldTable::new("zero", 2, Kind::Int32),
        FieldTable::new("body", 3, Kind::Message(|| &BODY)).delimited(),
        FieldTable::new("bodies", 400, Kind::Message(|| &BODY)).repeated().delimited(),
        FieldTable::new("shade", 5, Kind::Enum(|| &SHADE)),
        FieldTable::new("shades", 6, Kind::Enum(|| &SHADE)).repeated().packed(true),
        FieldTable::map("by_name", 7, Kind::String, Kind::Enum(|| &SHADE)),
    ],
)
.syntax(Syntax::Proto2);
static BODY: MessageTable = MessageTable::new(
    "pkg.old.Old.Body",
    &[FieldTable::new("key", 1, Kind::String).required(), FieldTable::new("value", 2, Kind::Int32)],
)
.syntax(Syntax::Proto2);

/// One pool for each table, because Miri takes seconds to make one.
fn message(table: &'static MessageTable) -> MessageDescriptor {
    static MADE: Mutex<BTreeMap<usize, MessageDescriptor>> = Mutex::new(BTreeMap::new());
    let make = || DescriptorPool::from_tables(&[table]).unwrap().find_message(table.full_name()).unwrap();
    MADE.lock().unwrap().entry(core::ptr::from_ref(table).addr()).or_insert_with(make).clone()
}

fn flow() -> RecordPlan {
    RecordPlan::new(&message(&FLOW))
}

/// The record that `write` makes, without its length prefix.
fn body_of(plan: &RecordPlan, write: impl FnOnce(&mut RecordWriter<'_>)) -> Vec<u8> {
    let mut buf = b"before".to_vec();
    let mut rec = plan.record(&mut buf);
    write(&mut rec);
    let record = rec.finish().unwrap().to_vec();
    assert_eq!(buf.strip_prefix(b"before"), Some(&record[..]));
    let mut rest = &record[..];
    let body = crate::stream::read_frame(&mut rest).unwrap().unwrap();
    assert!(rest.is_empty());
    assert_eq!(record.len() - body.len(), crate::stream::length_delimiter_len(body.len()));
    body.to_vec()
}

/// The message decoded from the record that `write` makes.
fn decoded(plan: &RecordPlan, write: impl FnOnce(&mut RecordWriter<'_>)) -> DynamicMessage {
    DynamicMessage::decode(plan.descriptor(), &body_of(plan, write)).unwrap()
}

fn debug(message: &DynamicMessage) -> String {
    alloc::format!("{message:?}")
}

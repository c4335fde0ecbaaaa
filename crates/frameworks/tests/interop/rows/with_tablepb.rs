//! Rows of a table out of protobuf messages whose schema is known at run time, as streaming databases make them.

use tablepb::DecodeError;
use tablepb::schema::FieldKind;
use tablepb::{DynamicMessage, FieldDescriptor, MapKeyRef as MapKey, MessageDescriptor};
use tablepb::{MessageView, ValueRef as Value};

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Struct(Vec<(u32, Datum)>),
    List(Vec<Datum>),
    Map(Vec<(Datum, Datum)>),
}

/// The columns of a table, as fields of a message type.
pub struct Table {
    message: MessageDescriptor,
    columns: Vec<FieldDescriptor>,
}

impl Table {
    pub fn new(message: MessageDescriptor, columns: &[&str]) -> Option<Self> {
        let columns = columns.iter().map(|name| message.field(name).ok()).collect::<Option<_>>()?;
        Some(Self { message, columns })
    }

    pub fn parse(&self, payload: &[u8]) -> Result<Vec<Datum>, DecodeError> {
        let message = DynamicMessage::decode(&self.message, payload)?;
        Ok(self.columns.iter().map(|field| column(&message.as_view(), field)).collect())
    }
}

fn column(message: &MessageView<'_, '_>, field: &FieldDescriptor) -> Datum {
    if field.supports_presence() && !message.has_field(field) {
        return Datum::Null;
    }
    datum(&message.get_field(field).expect("a field of the message"), field.kind())
}

fn datum(value: &Value<'_, '_>, kind: FieldKind) -> Datum {
    match value {
        Value::Bool(v) => Datum::Bool(*v),
        Value::I32(v) => Datum::Int(i64::from(*v)),
        Value::I64(v) => Datum::Int(*v),
        Value::U32(v) => Datum::UInt(u64::from(*v)),
        Value::U64(v) => Datum::UInt(*v),
        Value::F32(v) => Datum::Float(f64::from(*v)),
        Value::F64(v) => Datum::Float(*v),
        Value::String(v) => Datum::Text(v.to_string()),
        Value::Bytes(v) => Datum::Bytes(v.to_vec()),
        Value::EnumNumber(v) => match kind.as_enum().and_then(|kind| kind.get_value(*v)) {
            Some(value) => Datum::Text(value.name().to_string()),
            None => Datum::Int(i64::from(*v)),
        },
        Value::Message(v) => {
            let fields = v.descriptor();
            let mut fields: Vec<_> =
                fields.fields().map(|field| (field.number(), column(v, &field))).collect();
            fields.sort_by_key(|(number, _)| *number);
            Datum::Struct(fields)
        }
        Value::List(list) => Datum::List(list.iter().map(|v| datum(&v, kind.clone())).collect()),
        Value::Map(map) => {
            let entry = kind.as_message().unwrap().map_entry_value_field().unwrap().kind();
            let mut entries: Vec<_> = map.iter().map(|(k, v)| (key(&k), datum(&v, entry.clone()))).collect();
            entries.sort_by(|(a, _), (b, _)| order(a).cmp(&order(b)));
            Datum::Map(entries)
        }
        Value::Raw(_) | Value::Unselected => Datum::Null,
    }
}

fn key(key: &MapKey<'_>) -> Datum {
    match key {
        MapKey::Bool(v) => Datum::Bool(*v),
        MapKey::I32(v) => Datum::Int(i64::from(*v)),
        MapKey::I64(v) => Datum::Int(*v),
        MapKey::U32(v) => Datum::UInt(u64::from(*v)),
        MapKey::U64(v) => Datum::UInt(*v),
        MapKey::String(v) => Datum::Text(v.to_string()),
        MapKey::Bytes(v) => Datum::Bytes(v.to_vec()),
    }
}

fn order(key: &Datum) -> (i128, &str) {
    match key {
        Datum::Bool(v) => (i128::from(*v), ""),
        Datum::Int(v) => (i128::from(*v), ""),
        Datum::UInt(v) => (i128::from(*v), ""),
        Datum::Text(v) => (0, v),
        _ => (0, ""),
    }
}

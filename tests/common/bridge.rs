//! Between messages of the reference and of the crate under test, by public interfaces only.

use super::reference::{Key, Msg, Val};
use super::schema::{Field, Kind, Schema};
use tablepb::wire::Reader;
use tablepb::{
    DecodeOptions, Decoder, DescriptorPool, DynamicMessage, FieldDescriptor, MapKey, MapKeyRef,
    MessageDescriptor, MessageMut, MessageView, Value, ValueRef,
};

/// The descriptor of a message of the schema.
pub fn descriptor(schema: &Schema, pool: &DescriptorPool, message: usize) -> MessageDescriptor {
    let name = schema.full_name(message);
    pool.message(&name).ok().unwrap_or_else(|| panic!("no {name}"))
}

/// A field or an extension.
pub fn field(descriptor: &MessageDescriptor, number: u32) -> FieldDescriptor {
    let extension = || descriptor.get_extension(number).map(|e| e.as_field());
    descriptor.get_field(number).or_else(extension).unwrap_or_else(|| panic!("no field {number}"))
}

/// What a view holds, as a message of the reference.
pub fn read(view: MessageView<'_, '_>) -> Msg {
    let mut msg = Msg::default();
    for (field, value) in view.fields() {
        let old = msg.fields.insert(field.number(), read_value(value));
        assert!(old.is_none(), "{} twice", field.full_name());
    }
    for unknown in view.unknown_fields() {
        let tag = super::wire::Wire::new().varint(unknown.tag().get().into());
        msg.unknown.extend(tag.raw(unknown.value()).0);
    }
    msg
}

/// The same with unknown fields behind tags of the usual length, as [`read`] gives them.
pub fn canonical(msg: &Msg) -> Msg {
    msg.map_messages(&|msg| {
        let mut reader = Reader::new(&msg.unknown);
        let mut unknown = super::wire::Wire::new();
        while let Some(tag) = reader.next_tag().unwrap() {
            let start = reader.position();
            reader.skip_field(tag).unwrap();
            unknown = unknown.varint(tag.get().into()).raw(&msg.unknown[start..reader.position()]);
        }
        Msg { unknown: unknown.0, ..msg }
    })
}

fn read_value(value: ValueRef<'_, '_>) -> Val {
    match value {
        ValueRef::Bool(v) => Val::Num(v.into()),
        ValueRef::I32(v) | ValueRef::EnumNumber(v) => Val::Num(v as u32 as u64),
        ValueRef::U32(v) => Val::Num(v.into()),
        ValueRef::F32(v) => Val::Num(v.to_bits().into()),
        ValueRef::I64(v) => Val::Num(v as u64),
        ValueRef::U64(v) => Val::Num(v),
        ValueRef::F64(v) => Val::Num(v.to_bits()),
        ValueRef::String(v) => Val::Bytes(v.as_bytes().to_vec()),
        ValueRef::Bytes(v) => Val::Bytes(v.to_vec()),
        ValueRef::Message(v) => Val::Msg(read(v)),
        ValueRef::Raw(v) => {
            let options = DecodeOptions::new().allow_partial(true);
            let mut decoder = Decoder::new(&v.descriptor()).with_options(options);
            Val::Msg(read(v.decode(&mut decoder).expect("a raw message that is valid")))
        }
        ValueRef::List(v) => Val::List(v.iter().map(read_value).collect()),
        ValueRef::Unselected => panic!("fields that are set have a value"),
        ValueRef::Map(v) => {
            let entries: Vec<(Key, Val)> = v.iter().map(|(k, v)| (read_key(k), read_value(v))).collect();
            for ((key, _), (_, expected)) in v.iter().zip(&entries) {
                assert_eq!(v.get(key).map(read_value).as_ref(), Some(expected), "the value of {key:?}");
            }
            let len = entries.len();
            let map: std::collections::BTreeMap<_, _> = entries.into_iter().collect();
            assert_eq!(map.len(), len, "a key twice");
            Val::Map(map)
        }
    }
}

fn read_key(key: MapKeyRef<'_>) -> Key {
    match key {
        MapKeyRef::Bool(v) => Key::Int(v.into()),
        MapKeyRef::I32(v) => Key::Int(v.into()),
        MapKeyRef::I64(v) => Key::Int(v.into()),
        MapKeyRef::U32(v) => Key::Int(v.into()),
        MapKeyRef::U64(v) => Key::Int(v.into()),
        MapKeyRef::String(v) => Key::Text(v.into()),
        MapKeyRef::Bytes(v) => Key::Text(v.into()),
    }
}

/// Builds a message by setters. Unknown fields have none and are left out; so are strings that are not UTF-8.
pub fn build(schema: &Schema, pool: &DescriptorPool, message: usize, msg: &Msg) -> DynamicMessage {
    let mut built = DynamicMessage::new(&descriptor(schema, pool, message));
    fill(schema, message, msg, &mut built.as_mut(), 0);
    built
}

/// Sets all fields of a message; `way` picks one of the ways there are.
pub fn fill(schema: &Schema, message: usize, msg: &Msg, target: &mut MessageMut<'_>, way: usize) {
    let pool = target.descriptor().parent_pool().clone();
    let order: Vec<_> = match way % 2 {
        0 => msg.fields.iter().collect(),
        _ => msg.fields.iter().rev().collect(),
    };
    for (&number, value) in order {
        let own = schema.messages[message].field(number).expect("a field of the message");
        let field = field(&target.descriptor(), number);
        let whole = way.is_multiple_of(3);
        match value {
            _ if whole => target.set_field(&field, to_value(schema, &pool, own, value)).unwrap(),
            Val::Msg(inner) => {
                let Kind::Message(sub) = own.kind else { unreachable!() };
                fill(schema, sub, inner, &mut target.message_mut(&field).unwrap(), way / 2);
            }
            Val::List(list) => {
                for element in list {
                    match (element, own.kind) {
                        (Val::Msg(inner), Kind::Message(sub)) => {
                            fill(schema, sub, inner, &mut target.push_message(&field).unwrap(), way / 2);
                        }
                        _ => target.push(&field, one(schema, &pool, own, element)).unwrap(),
                    }
                }
            }
            Val::Map(map) => {
                let Kind::Message(entry) = own.kind else { unreachable!() };
                let parts = &schema.messages[entry].fields;
                for (key, value) in map {
                    let key = to_key(parts[0].kind, key);
                    match (value, parts[1].kind) {
                        (Val::Msg(inner), Kind::Message(sub)) => {
                            fill(schema, sub, inner, &mut target.entry_mut(&field, key).unwrap(), way / 2);
                        }
                        _ => target.insert(&field, key, one(schema, &pool, &parts[1], value)).unwrap(),
                    }
                }
            }
            value => target.set_field(&field, one(schema, &pool, own, value)).unwrap(),
        }
    }
}

/// The value of a field, lists and maps as a whole.
pub fn to_value(schema: &Schema, pool: &DescriptorPool, field: &Field, value: &Val) -> Value {
    match (value, field.kind) {
        (Val::List(list), _) => Value::List(list.iter().map(|v| one(schema, pool, field, v)).collect()),
        (Val::Map(map), Kind::Message(entry)) => {
            let parts = &schema.messages[entry].fields;
            let pairs = map.iter().map(|(k, v)| (to_key(parts[0].kind, k), one(schema, pool, &parts[1], v)));
            Value::Map(pairs.collect())
        }
        _ => one(schema, pool, field, value),
    }
}

fn one(schema: &Schema, pool: &DescriptorPool, field: &Field, value: &Val) -> Value {
    use Kind::*;
    match (value, field.kind) {
        (Val::Msg(inner), Message(sub)) => Value::Message(build(schema, pool, sub, inner)),
        (Val::Bytes(bytes), String) => {
            Value::String(std::string::String::from_utf8_lossy(bytes).into_owned())
        }
        (Val::Bytes(bytes), _) => Value::Bytes(bytes.clone()),
        (&Val::Num(v), Bool) => Value::Bool(v != 0),
        (&Val::Num(v), Int32 | Sint32 | Sfixed32) => Value::I32(v as i32),
        (&Val::Num(v), Uint32 | Fixed32) => Value::U32(v as u32),
        (&Val::Num(v), Int64 | Sint64 | Sfixed64) => Value::I64(v as i64),
        (&Val::Num(v), Uint64 | Fixed64) => Value::U64(v),
        (&Val::Num(v), Float) => Value::F32(f32::from_bits(v as u32)),
        (&Val::Num(v), Double) => Value::F64(f64::from_bits(v)),
        (&Val::Num(v), Enum(_)) => Value::EnumNumber(v as i32),
        (value, kind) => panic!("{value:?} of {kind:?}"),
    }
}

pub fn to_key(kind: Kind, key: &Key) -> MapKey {
    use Kind::*;
    match (key, kind) {
        (&Key::Int(v), Bool) => MapKey::Bool(v != 0),
        (&Key::Int(v), Int32 | Sint32 | Sfixed32) => MapKey::I32(v as i32),
        (&Key::Int(v), Uint32 | Fixed32) => MapKey::U32(v as u32),
        (&Key::Int(v), Int64 | Sint64 | Sfixed64) => MapKey::I64(v as i64),
        (&Key::Int(v), _) => MapKey::U64(v as u64),
        (Key::Text(v), _) => match std::str::from_utf8(v) {
            Ok(text) => text.into(),
            Err(_) => MapKey::Bytes(v.clone()),
        },
    }
}

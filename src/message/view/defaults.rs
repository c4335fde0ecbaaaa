//! The values that unset fields read as.

use super::NONE;
use crate::engine::slab::NIL;
use crate::message::edit::field_key::resolve;
use crate::message::{ListRef, MapRef, MessageView, ValueRef};
use crate::schema::pool::FieldRef;
use crate::schema::program::{Access, ReadKind};
use crate::schema::table::{DefaultValue, Kind};

impl<'a, 'i> MessageView<'a, 'i> {
    /// The value that an unset field reads as.
    #[inline(never)]
    pub(in crate::message) fn default(&self, field: FieldRef<'_>) -> ValueRef<'a, 'a>
    where
        'i: 'a,
    {
        let known = field.message_index() == self.message() && field.pool() == self.pool;
        let position = if known { Some(field.position()) } else { self.foreign_position(field) };
        let Some(position) = position else {
            // A field of another message: its type may be of another pool.
            let empty = self.at(&NONE, NIL, 0);
            return match field.raw_kind() {
                _ if field.is_map() => ValueRef::Map(MapRef::new(empty, 0, 0)),
                _ if field.is_list() => ValueRef::List(ListRef::new(empty, 0, Access::NONE.elements)),
                Kind::Message(_) => ValueRef::Message(self.at(self.layout, NIL, 0)),
                _ => zero(field),
            };
        };
        let access = self.access(position as u16);
        if self.is_left_out(access.position) {
            return ValueRef::Unselected;
        }
        let field = self.own(access);
        let empty = self.at(self.sub(access.sub).unwrap_or(self.layout), NIL, 0);
        match field.explicit_default() {
            Some(default) => explicit_default(field, default),
            None => match access.form {
                ReadKind::List => ValueRef::List(ListRef::new(empty, 0, access.elements)),
                ReadKind::Map => ValueRef::Map(MapRef::new(empty, 0, 0)),
                ReadKind::Message | ReadKind::Body => ValueRef::Message(empty),
                _ => zero(field),
            },
        }
    }
}

impl<'a, 'i> MessageView<'a, 'i> {
    /// The value that the singular field at a position reads as when it is not set.
    pub(crate) fn default_at<'f>(&self, position: u16, field: FieldRef<'f>) -> ValueRef<'a, 'f>
    where
        'i: 'f,
    {
        match field.explicit_default() {
            Some(default) => explicit_default(field, default),
            None => match self.sub(self.access(position).sub) {
                Some(layout) if matches!(field.raw_kind(), Kind::Message(_)) => {
                    ValueRef::Message(self.at(layout, NIL, 0))
                }
                _ => zero(field),
            },
        }
    }

    /// The position of the field that a descriptor of another pool means.
    #[cold]
    fn foreign_position(&self, field: FieldRef<'_>) -> Option<u32> {
        resolve(self.pool, self.message(), field).map(|own| own.position())
    }
}

fn explicit_default<'a, 'f>(field: FieldRef<'f>, default: DefaultValue<'f>) -> ValueRef<'a, 'f> {
    match (field.raw_kind(), default) {
        (_, DefaultValue::Bool(v)) => ValueRef::Bool(v),
        (Kind::Int64 | Kind::Sint64 | Kind::Sfixed64, DefaultValue::Int(v)) => ValueRef::I64(v),
        (_, DefaultValue::Int(v)) => ValueRef::I32(v as i32),
        (Kind::Uint64 | Kind::Fixed64, DefaultValue::Uint(v)) => ValueRef::U64(v),
        (_, DefaultValue::Uint(v)) => ValueRef::U32(v as u32),
        (Kind::Float, DefaultValue::Float(v)) => ValueRef::F32(v as f32),
        (_, DefaultValue::Float(v)) => ValueRef::F64(v),
        (_, DefaultValue::String(v)) => ValueRef::String(v),
        (_, DefaultValue::Bytes(v)) => ValueRef::Bytes(v),
        (_, DefaultValue::Enum(_)) => ValueRef::EnumNumber(field.default_number()),
    }
}

fn zero<'a, 'i>(field: FieldRef<'_>) -> ValueRef<'a, 'i> {
    match field.raw_kind() {
        Kind::Bool => ValueRef::Bool(false),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => ValueRef::I32(0),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => ValueRef::I64(0),
        Kind::Uint32 | Kind::Fixed32 => ValueRef::U32(0),
        Kind::Uint64 | Kind::Fixed64 => ValueRef::U64(0),
        Kind::Float => ValueRef::F32(0.0),
        Kind::Double => ValueRef::F64(0.0),
        Kind::String => ValueRef::String(""),
        Kind::Bytes | Kind::Message(_) => ValueRef::Bytes(&[]),
        Kind::Enum(_) => ValueRef::EnumNumber(field.default_number()),
    }
}

//! Calls of a writer with values whose kinds are known at run time.

use crate::common::choices::Choices;
use tablepb::record::kind;
use tablepb::record::{RecordPlan, RecordWriter};
use tablepb::table::Kind;
use tablepb::{MapKey, Value};

pub fn value<M, E: Listed>(kind: &Kind<M, E>, choices: &mut Choices) -> Value {
    let bits = if choices.once_in(3) { 0 } else { choices.bits() };
    match kind {
        Kind::Double => Value::F64(f64::from_bits(bits)),
        Kind::Float => Value::F32(f32::from_bits(bits as u32)),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(bits as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(bits as i64),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(bits as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(bits),
        Kind::Bool => Value::Bool(bits & 1 != 0),
        Kind::String => Value::String(if bits == 0 { String::new() } else { choices.text(200) }),
        Kind::Bytes => Value::Bytes(if bits == 0 { Vec::new() } else { choices.bytes(200) }),
        Kind::Enum(of) => Value::EnumNumber(*choices.pick(&of.numbers())),
        Kind::Message(_) => unreachable!("messages are made elsewhere"),
    }
}

/// An enum type, with the numbers of its values.
pub trait Listed {
    fn numbers(&self) -> Vec<i32>;
}

impl Listed for tablepb::EnumDescriptor {
    fn numbers(&self) -> Vec<i32> {
        self.values().map(|value| value.number()).collect()
    }
}

pub fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(v) => !v,
        Value::I32(v) => *v == 0,
        Value::I64(v) => *v == 0,
        Value::U32(v) => *v == 0,
        Value::U64(v) => *v == 0,
        Value::F32(v) => v.to_bits() == 0,
        Value::F64(v) => v.to_bits() == 0,
        Value::String(v) => v.is_empty(),
        Value::Bytes(v) => v.is_empty(),
        Value::EnumNumber(v) => *v == 0,
        other => panic!("{other:?}"),
    }
}

/// Runs a macro with the kind as a type, and the pattern and expression that extract a value of it.
macro_rules! by_kind {
    ($kind:expr, $run:ident $($more:tt)*) => {
        match $kind {
            Kind::Double => $run!($($more)* Double, Value::F64(v), *v),
            Kind::Float => $run!($($more)* Float, Value::F32(v), *v),
            Kind::Int32 => $run!($($more)* Int32, Value::I32(v), *v),
            Kind::Int64 => $run!($($more)* Int64, Value::I64(v), *v),
            Kind::Uint32 => $run!($($more)* Uint32, Value::U32(v), *v),
            Kind::Uint64 => $run!($($more)* Uint64, Value::U64(v), *v),
            Kind::Sint32 => $run!($($more)* Sint32, Value::I32(v), *v),
            Kind::Sint64 => $run!($($more)* Sint64, Value::I64(v), *v),
            Kind::Fixed32 => $run!($($more)* Fixed32, Value::U32(v), *v),
            Kind::Fixed64 => $run!($($more)* Fixed64, Value::U64(v), *v),
            Kind::Sfixed32 => $run!($($more)* Sfixed32, Value::I32(v), *v),
            Kind::Sfixed64 => $run!($($more)* Sfixed64, Value::I64(v), *v),
            Kind::Bool => $run!($($more)* Bool, Value::Bool(v), *v),
            Kind::String => $run!($($more)* Str, Value::String(v), v.as_str()),
            Kind::Bytes => $run!($($more)* Bytes, Value::Bytes(v), v.as_slice()),
            Kind::Enum(_) => $run!($($more)* Enum, Value::EnumNumber(v), *v),
            Kind::Message(_) => unreachable!("messages are written elsewhere"),
        }
    };
}

/// Writes values with one of the calls `set`, `force_set` and `extend`.
pub fn scalars<M, E>(
    rec: &mut RecordWriter<'_>,
    plan: &RecordPlan,
    name: &str,
    of: &Kind<M, E>,
    values: &[Value],
    how: usize,
) {
    macro_rules! call {
        ($type:ident, $pattern:pat, $get:expr) => {{
            let handle = plan.field::<kind::$type>(name).unwrap();
            let mut values = values.iter().map(|value| match value {
                $pattern => $get,
                other => panic!("{other:?}"),
            });
            match how {
                0 => values.for_each(|value| rec.set(handle, value)),
                1 => values.for_each(|value| rec.force_set(handle, value)),
                _ => rec.extend(handle, values.by_ref()),
            }
        }};
    }
    by_kind!(of, call)
}

/// A key of one of four kinds; the others behave the same.
pub fn map_key<M, E>(of: &Kind<M, E>, choices: &mut Choices) -> Option<MapKey> {
    Some(match of {
        Kind::String => MapKey::String(choices.text(3)),
        Kind::Uint64 => MapKey::U64(choices.bits()),
        Kind::Int32 => MapKey::I32(choices.bits() as i32),
        Kind::Bool => MapKey::Bool(choices.once_in(2)),
        _ => return None,
    })
}

/// Runs a macro with the kind of a key as a type, and its value.
macro_rules! by_key {
    ($key:expr, $run:ident $($more:tt)*) => {
        match $key {
            MapKey::String(key) => $run!($($more)* Str, key.as_str()),
            MapKey::U64(key) => $run!($($more)* Uint64, *key),
            MapKey::I32(key) => $run!($($more)* Int32, *key),
            MapKey::Bool(key) => $run!($($more)* Bool, *key),
            other => panic!("{other:?}"),
        }
    };
}

pub fn insert<M, E>(
    rec: &mut RecordWriter<'_>,
    plan: &RecordPlan,
    name: &str,
    key: &MapKey,
    of: &Kind<M, E>,
    value: &Value,
) {
    macro_rules! with_value {
        ($key_type:ident, $key:expr, $type:ident, $pattern:pat, $get:expr) => {{
            let $pattern = value else { panic!("{value:?}") };
            rec.insert(plan.map::<kind::$key_type, kind::$type>(name).unwrap(), $key, $get)
        }};
    }
    macro_rules! with_key {
        ($key_type:ident, $key:expr) => {{
            let key = $key;
            by_kind!(of, with_value $key_type, key,)
        }};
    }
    by_key!(key, with_key)
}

pub fn insert_message(
    rec: &mut RecordWriter<'_>,
    plan: &RecordPlan,
    name: &str,
    key: &MapKey,
    write: impl FnOnce(&mut RecordWriter<'_>),
) {
    macro_rules! with_key {
        ($key_type:ident, $key:expr) => {
            rec.insert_message(plan.map::<kind::$key_type, kind::Submessage>(name).unwrap(), $key, |rec| {
                write(rec)
            })
        };
    }
    by_key!(key, with_key)
}

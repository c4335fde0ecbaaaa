//! [`Value`], [`Struct`] and [`ListValue`]: what JSON can say.

use super::ConvertError;
use alloc::collections::BTreeMap;
use alloc::{string::String, vec::Vec};

/// `google.protobuf.NullValue`: the `null` of JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NullValue {
    /// The only value.
    #[default]
    NullValue = 0,
}

/// `google.protobuf.Struct`: an object of JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct {
    /// The members, by their names.
    pub fields: BTreeMap<String, Value>,
}

/// `google.protobuf.Value`: any value of JSON.
///
/// ```
/// use tablepb::wkt::{ListValue, Struct, Value};
///
/// let list: ListValue = [Value::from(1), "two".into(), Value::null()].into_iter().collect();
/// let object: Struct = [("name", Value::from("x")), ("list", list.into())].into_iter().collect();
/// let value = Value::from(object);
/// assert_eq!(value.as_struct().unwrap().fields["list"].as_list().unwrap().values[0].as_f64(), Some(1.0));
/// # #[cfg(feature = "json")]
/// assert_eq!(tablepb::json::to_string(&value)?, r#"{"list":[1,"two",null],"name":"x"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Value {
    /// The value; `None`, which ProtoJSON prints as `null`, is no valid value.
    pub kind: Option<Kind>,
}

/// What a [`Value`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`.
    NullValue(NullValue),
    /// A number, which has to be finite to have a form in JSON.
    NumberValue(f64),
    /// A string.
    StringValue(String),
    /// `true` or `false`.
    BoolValue(bool),
    /// An object.
    StructValue(Struct),
    /// A list.
    ListValue(ListValue),
}

/// `google.protobuf.ListValue`: a list of JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListValue {
    /// The elements.
    pub values: Vec<Value>,
}

crate::enumeration! {
    NullValue as "google.protobuf.NullValue" { NullValue as "NULL_VALUE" = 0 }
}

crate::message! {
    Struct as "google.protobuf.Struct" { fields: map<string, message Value> = 1 }
    Value as "google.protobuf.Value" {
        kind: oneof Kind {
            NullValue as "null_value": enum NullValue = 1,
            NumberValue as "number_value": double = 2,
            StringValue as "string_value": string = 3,
            BoolValue as "bool_value": bool = 4,
            StructValue as "struct_value": message Struct = 5,
            ListValue as "list_value": message ListValue = 6,
        },
    }
    ListValue as "google.protobuf.ListValue" { values: repeated message Value = 1 }
}

impl Value {
    /// `null`.
    #[must_use]
    pub const fn null() -> Self {
        Self { kind: Some(Kind::NullValue(NullValue::NullValue)) }
    }

    /// Whether the value is `null`, or not set.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self.kind, None | Some(Kind::NullValue(_)))
    }

    /// The value, if it is `true` or `false`.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self.kind {
            Some(Kind::BoolValue(value)) => Some(value),
            _ => None,
        }
    }

    /// The value, if it is a number.
    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        match self.kind {
            Some(Kind::NumberValue(value)) => Some(value),
            _ => None,
        }
    }

    /// The value, if it is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Some(Kind::StringValue(value)) => Some(value),
            _ => None,
        }
    }

    /// The value, if it is an object.
    #[must_use]
    pub const fn as_struct(&self) -> Option<&Struct> {
        match &self.kind {
            Some(Kind::StructValue(value)) => Some(value),
            _ => None,
        }
    }

    /// The value, if it is a list.
    #[must_use]
    pub const fn as_list(&self) -> Option<&ListValue> {
        match &self.kind {
            Some(Kind::ListValue(value)) => Some(value),
            _ => None,
        }
    }
}

/// `From` a type for `Value`, and `TryFrom` a value for the type.
macro_rules! both_ways {
    ($($type:ty: $kind:ident;)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self { kind: Some(Kind::$kind(value)) }
            }
        }

        impl TryFrom<Value> for $type {
            type Error = ConvertError;

            /// # Errors
            /// [`WrongKind`](ConvertError::WrongKind).
            fn try_from(value: Value) -> Result<Self, ConvertError> {
                match value.kind {
                    Some(Kind::$kind(value)) => Ok(value),
                    _ => Err(ConvertError::WrongKind),
                }
            }
        }
    )*};
}

both_ways! {
    bool: BoolValue;
    f64: NumberValue;
    String: StringValue;
    Struct: StructValue;
    ListValue: ListValue;
}

/// `From` the numbers that an `f64` holds exactly.
macro_rules! from_numbers {
    ($($type:ty)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                f64::from(value).into()
            }
        }
    )*};
}

from_numbers! { f32 i8 i16 i32 u8 u16 u32 }

impl From<Kind> for Value {
    fn from(kind: Kind) -> Self {
        Self { kind: Some(kind) }
    }
}

impl From<NullValue> for Value {
    fn from(value: NullValue) -> Self {
        Kind::NullValue(value).into()
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        String::from(value).into()
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        ListValue::from_iter(values).into()
    }
}

/// `None` becomes `null`.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::null(), Into::into)
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Struct {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self { fields: members.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }
}

impl<V: Into<Value>> FromIterator<V> for ListValue {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self { values: values.into_iter().map(Into::into).collect() }
    }
}

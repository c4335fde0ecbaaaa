//! [`Value`], [`Struct`] and [`ListValue`] to and from `serde_json`.

use super::ConvertError;
use super::value::{Kind, ListValue, NullValue, Struct, Value};
use ::serde_json::{Map, Number, Value as Json};
use alloc::{string::String, vec::Vec};

/// The levels of messages that the outermost one may have in it, as in encoding: a list in a value is two, itself and its elements;
/// an object is three, since the entries of its map are messages too.
const LEVELS: u32 = 100;

/// What is left of so many levels in a message that is some levels deeper.
fn deeper(levels: u32, by: u32) -> Result<u32, ConvertError> {
    levels.checked_sub(by).ok_or(ConvertError::TooDeep)
}

impl TryFrom<Json> for Value {
    type Error = ConvertError;

    /// A number becomes the nearest `f64`.
    ///
    /// # Errors
    /// [`NotFinite`](ConvertError::NotFinite) for a number beyond the range of `f64`, [`TooDeep`](ConvertError::TooDeep).
    fn try_from(json: Json) -> Result<Self, ConvertError> {
        value(json, LEVELS)
    }
}

impl TryFrom<Map<String, Json>> for Struct {
    type Error = ConvertError;

    /// # Errors
    /// As for a value.
    fn try_from(members: Map<String, Json>) -> Result<Self, ConvertError> {
        object(members, LEVELS)
    }
}

impl TryFrom<Vec<Json>> for ListValue {
    type Error = ConvertError;

    /// # Errors
    /// As for a value.
    fn try_from(values: Vec<Json>) -> Result<Self, ConvertError> {
        list(values, LEVELS)
    }
}

fn value(json: Json, levels: u32) -> Result<Value, ConvertError> {
    Ok(match json {
        Json::Null => NullValue::NullValue.into(),
        Json::Bool(value) => value.into(),
        Json::Number(number) => number
            .as_f64()
            .filter(|number| number.is_finite())
            .map(Value::from)
            .ok_or(ConvertError::NotFinite)?,
        Json::String(text) => text.into(),
        Json::Array(values) => list(values, deeper(levels, 1)?)?.into(),
        Json::Object(members) => object(members, deeper(levels, 1)?)?.into(),
    })
}

fn object(members: Map<String, Json>, levels: u32) -> Result<Struct, ConvertError> {
    let members = members.into_iter().map(|(name, json)| Ok((name, value(json, deeper(levels, 2)?)?)));
    Ok(Struct { fields: members.collect::<Result<_, ConvertError>>()? })
}

fn list(values: Vec<Json>, levels: u32) -> Result<ListValue, ConvertError> {
    let values = values.into_iter().map(|json| value(json, deeper(levels, 1)?));
    Ok(ListValue { values: values.collect::<Result<_, ConvertError>>()? })
}

impl TryFrom<Value> for Json {
    type Error = ConvertError;

    /// Whole numbers up to 2^53 become integers, as ProtoJSON prints them; a value that is not set becomes `null`.
    ///
    /// # Errors
    /// [`NotFinite`](ConvertError::NotFinite), [`TooDeep`](ConvertError::TooDeep).
    fn try_from(value: Value) -> Result<Self, ConvertError> {
        json(value, LEVELS)
    }
}

impl TryFrom<Struct> for Map<String, Json> {
    type Error = ConvertError;

    /// # Errors
    /// As for a value.
    fn try_from(object: Struct) -> Result<Self, ConvertError> {
        members(object, LEVELS)
    }
}

impl TryFrom<ListValue> for Vec<Json> {
    type Error = ConvertError;

    /// # Errors
    /// As for a value.
    fn try_from(list: ListValue) -> Result<Self, ConvertError> {
        elements(list, LEVELS)
    }
}

fn json(value: Value, levels: u32) -> Result<Json, ConvertError> {
    Ok(match value.kind {
        None | Some(Kind::NullValue(_)) => Json::Null,
        Some(Kind::BoolValue(value)) => Json::Bool(value),
        Some(Kind::NumberValue(value)) => Json::Number(number(value)?),
        Some(Kind::StringValue(text)) => Json::String(text),
        Some(Kind::ListValue(list)) => Json::Array(elements(list, deeper(levels, 1)?)?),
        Some(Kind::StructValue(object)) => Json::Object(members(object, deeper(levels, 1)?)?),
    })
}

fn number(value: f64) -> Result<Number, ConvertError> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = value as i64;
    // -0 is no integer.
    if value.abs() <= EXACT && (whole as f64).to_bits() == value.to_bits() {
        return Ok(whole.into());
    }
    Number::from_f64(value).ok_or(ConvertError::NotFinite)
}

fn members(object: Struct, levels: u32) -> Result<Map<String, Json>, ConvertError> {
    object.fields.into_iter().map(|(name, value)| Ok((name, json(value, deeper(levels, 2)?)?))).collect()
}

fn elements(list: ListValue, levels: u32) -> Result<Vec<Json>, ConvertError> {
    list.values.into_iter().map(|value| json(value, deeper(levels, 1)?)).collect()
}

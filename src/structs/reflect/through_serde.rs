//! Structs through serde: by way of a dynamic message of their table, in the JSON mapping.

use super::by_schema::viewed;
use super::schema::schema;
use crate::formats::json::{Parser, Printer};
use crate::structs::{DecodeOwned, Message};
use ::serde::{Deserializer, Serializer, de, ser};

/// Serializes a struct.
pub fn serialize<M: Message, S: Serializer>(message: &M, serializer: S) -> Result<S::Ok, S::Error> {
    // JSON numbers are `f64` to many readers; other formats have integers.
    let printer = Printer::new().stringify_64_bit_integers(serializer.is_human_readable());
    viewed(message, |view| printer.serialize(&view, serializer)).map_err(ser::Error::custom)?
}

/// Deserializes a struct.
pub fn deserialize<'de, M: DecodeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<M, D::Error> {
    let descriptor = schema::<M>().map_err(de::Error::custom)?;
    let message = Parser::new().deserialize(&descriptor, deserializer)?;
    message.transcode_to().map_err(de::Error::custom)
}

//! Messages through `serde`, in the JSON mapping: other formats than JSON, and programs written for prost-reflect.
//!
//! Names and behaviour are those of prost-reflect. JSON itself is faster and says more of a fault by `json/`, which knows
//! offsets; here a fault has its kind and the path of its field.
//!
//! | file | |
//! |---|---|
//! | `print.rs` | messages into a serializer, with path and position of the value that is printed |
//! | `scalar.rs` | values, and what all visitors share: the message being made, the path, the budget |
//! | `parse.rs` | messages, lists, maps and messages that are one value out of a deserializer |
//! | `any.rs` | `Any`, and what comes before its `@type` |
//!
//! A visitor recurses, as serde has it; the depth of messages is bounded, as in JSON.

mod any;
mod parse;
mod print;
mod scalar;

// A message has values, and some values are messages: what is needed both ways is imported from here, so that no two files import
// each other.
use parse::{MemberReader, MessageSeed};

use crate::formats::json::{Parser, Printer};
use crate::message::{DynamicMessage, MessageView};
use crate::schema::pool::MessageDescriptor;
use ::serde::{Deserializer, Serialize, Serializer, de::DeserializeSeed};

/// The JSON mapping with [`Printer::new`], whatever the format.
impl Serialize for DynamicMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Printer::new().serialize(&self.as_view(), serializer)
    }
}

/// The JSON mapping with [`Printer::new`], whatever the format.
impl Serialize for MessageView<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Printer::new().serialize(self, serializer)
    }
}

/// Deserializes a message of this type, with [`Parser::new`].
///
/// ```
/// use serde::de::DeserializeSeed;
/// use tablepb::DescriptorPool;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let message = log.deserialize(serde_json::json!({ "line": "hi" }))?;
/// assert_eq!(message.get("line").unwrap().as_str(), Some("hi"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<'de> DeserializeSeed<'de> for MessageDescriptor {
    type Value = DynamicMessage;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DynamicMessage, D::Error> {
        DynamicMessage::deserialize(self, deserializer)
    }
}

impl Printer {
    /// Serializes the message in the JSON mapping, with these options.
    ///
    /// All formats get what JSON gets: 64-bit integers and bytes are strings, and so are NaN and the infinities. The option
    /// `pretty` is the serializer's business.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage, json};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("id", 1, Kind::Uint64)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let message = DynamicMessage::deserialize(log, serde_json::json!({ "id": "7" }))?;
    /// assert_eq!(serde_json::to_value(&message)?, serde_json::json!({ "id": "7" }));
    /// let numbers = json::Printer::new().stringify_64_bit_integers(false);
    /// let value = numbers.serialize(&message.as_view(), serde_json::value::Serializer)?;
    /// assert_eq!(value, serde_json::json!({ "id": 7 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of the serializer, and those of [`append`](crate::json::append) as its custom errors, with the path of the field.
    pub fn serialize<S: Serializer>(
        &self,
        message: &MessageView<'_, '_>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        print::message(*message, serializer, self)
    }
}

impl DynamicMessage {
    /// Makes a message of what a deserializer has, in the JSON mapping.
    ///
    /// The format has to say what comes (JSON, CBOR, MessagePack, YAML). Accepted is what
    /// [`json::from_slice`](crate::json::from_slice) accepts, and `bytes` fields take raw bytes from formats that have them. A format that
    /// turns numbers into `f64` on its own loses the digits of large ones.
    ///
    /// # Errors
    /// Those of the deserializer, and those of [`json::from_slice`](crate::json::from_slice) as its custom errors, with the path of the
    /// field.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        desc: MessageDescriptor,
        deserializer: D,
    ) -> Result<Self, D::Error> {
        Parser::new().deserialize(&desc, deserializer)
    }
}

impl Parser {
    /// As [`DynamicMessage::deserialize`], with these options.
    ///
    /// The length of the input is not known: unless [`budget`](Self::budget) is set, the memory budget is 1 MiB, plus 64
    /// bytes for each value that the deserializer hands over and 32 for each byte of its text. What comes before the `@type` of a
    /// `google.protobuf.Any` counts twice, because it is kept until the type is known.
    ///
    /// # Errors
    /// As [`DynamicMessage::deserialize`].
    pub fn deserialize<'de, D: Deserializer<'de>>(
        &self,
        descriptor: &MessageDescriptor,
        deserializer: D,
    ) -> Result<DynamicMessage, D::Error> {
        parse::message(descriptor, deserializer, self)
    }
}

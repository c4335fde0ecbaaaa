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

use crate::formats::json::{DeserializeOptions, SerializeOptions};
use crate::message::{DynamicMessage, MessageView};
use crate::schema::pool::MessageDescriptor;
use ::serde::{Deserializer, Serialize, Serializer, de::DeserializeSeed};

/// The JSON mapping with [`SerializeOptions::new`], whatever the format.
impl Serialize for DynamicMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_with_options(serializer, &SerializeOptions::new())
    }
}

/// The JSON mapping with [`SerializeOptions::new`], whatever the format.
impl Serialize for MessageView<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_with_options(serializer, &SerializeOptions::new())
    }
}

/// Deserializes a message of this type, with [`DeserializeOptions::new`].
///
/// ```
/// use serde::de::DeserializeSeed;
/// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
/// let message = log.deserialize(serde_json::json!({ "line": "hi" }))?;
/// assert_eq!(message.get_field_by_name("line").unwrap().as_str(), Some("hi"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<'de> DeserializeSeed<'de> for MessageDescriptor {
    type Value = DynamicMessage;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DynamicMessage, D::Error> {
        DynamicMessage::deserialize(self, deserializer)
    }
}

impl MessageView<'_, '_> {
    /// Serializes the message in the JSON mapping, by options.
    ///
    /// All formats get what JSON gets: 64-bit integers and bytes are strings, and so are NaN and the infinities. The option
    /// `pretty` is the serializer's business.
    ///
    /// # Errors
    /// Those of the serializer, and those of [`to_json`](Self::to_json) as its custom errors, with the path of the field.
    pub fn serialize_with_options<S: Serializer>(
        &self,
        serializer: S,
        options: &SerializeOptions,
    ) -> Result<S::Ok, S::Error> {
        print::message(*self, serializer, options)
    }
}

impl DynamicMessage {
    /// Serializes the message in the JSON mapping, by options; see [`MessageView::serialize_with_options`].
    ///
    /// ```
    /// use tablepb::json::SerializeOptions;
    /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("id", 1, Kind::Uint64)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let message = DynamicMessage::deserialize(log, serde_json::json!({ "id": "7" }))?;
    /// assert_eq!(serde_json::to_value(&message)?, serde_json::json!({ "id": "7" }));
    /// let numbers = SerializeOptions::new().stringify_64_bit_integers(false);
    /// let value = message.serialize_with_options(serde_json::value::Serializer, &numbers)?;
    /// assert_eq!(value, serde_json::json!({ "id": 7 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`MessageView::serialize_with_options`].
    pub fn serialize_with_options<S: Serializer>(
        &self,
        serializer: S,
        options: &SerializeOptions,
    ) -> Result<S::Ok, S::Error> {
        self.as_view().serialize_with_options(serializer, options)
    }

    /// Makes a message of what a deserializer has, in the JSON mapping.
    ///
    /// The format has to say what comes (JSON, CBOR, MessagePack, YAML). Accepted is what
    /// [`from_json`](Self::from_json) accepts, and `bytes` fields take raw bytes from formats that have them. A format that
    /// turns numbers into `f64` on its own loses the digits of large ones.
    ///
    /// # Errors
    /// Those of the deserializer, and those of [`from_json`](Self::from_json) as its custom errors, with the path of the
    /// field.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        desc: MessageDescriptor,
        deserializer: D,
    ) -> Result<Self, D::Error> {
        Self::deserialize_with_options(desc, deserializer, &DeserializeOptions::new())
    }

    /// As [`deserialize`](Self::deserialize), with options.
    ///
    /// The length of the input is not known: unless [`DeserializeOptions::budget`] is set, the memory budget is 1 MiB, plus 64
    /// bytes for each value that the deserializer hands over and 32 for each byte of its text. What comes before the `@type` of a
    /// `google.protobuf.Any` counts twice, because it is kept until the type is known.
    ///
    /// # Errors
    /// As [`deserialize`](Self::deserialize).
    pub fn deserialize_with_options<'de, D: Deserializer<'de>>(
        desc: MessageDescriptor,
        deserializer: D,
        options: &DeserializeOptions,
    ) -> Result<Self, D::Error> {
        parse::message(&desc, deserializer, options)
    }
}

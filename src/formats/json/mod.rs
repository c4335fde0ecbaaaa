//! ProtoJSON: messages as JSON and back, <https://protobuf.dev/programming-guides/json/>.
//!
//! [`MessageView::to_json`] appends a message to a buffer, [`DynamicMessage::from_json`] makes one of text. Both go straight between
//! text and message: there is no document in between and no recursion, so nesting is bounded by an option and not by the stack. The
//! well-known types (`Any`, `Timestamp`, `Duration`, `FieldMask`, `Struct`, `Value`, `ListValue`, the wrappers) have their forms of their own; the
//! content of an `Any` is looked up in the pool of the message.
//!
//! What is accepted is what C++ protobuf and the conformance suite accept: field names in JSON or in the schema, extensions in brackets,
//! integers in quotes or as `1e2`, base64 of either alphabet, enum values by name or number (in quotes too), `null` for what is not set.
//! One thing is stricter: a number in quotes, also one that is a key, is one of JSON, so `"01"`, `"+1"`, `".5"` and `"inf"` are errors. Keys of
//! integers have neither a point nor an exponent. The `@type` of an `Any` has something before its last slash. Parsing has
//! the bounds of decoding: depth 100, and memory in proportion to the input ([`DeserializeOptions::budget`]).
//!
//! ```
//! use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
//!
//! static USER: MessageTable = MessageTable::new(
//!     "pkg.User",
//!     &[
//!         FieldTable::new("user_id", 1, Kind::Uint64),
//!         FieldTable::new("emails", 2, Kind::String).repeated(),
//!         FieldTable::map("logins", 3, Kind::String, Kind::Int32),
//!     ],
//! );
//! let pool = DescriptorPool::from_tables(&[&USER])?;
//! let user = pool.get_message_by_name("pkg.User").unwrap();
//!
//! let text = br#"{"userId": "7", "emails": ["a@example.com"], "logins": {"web": 3}}"#;
//! let message = DynamicMessage::from_json(&user, text)?;
//! assert_eq!(message.get_field_by_name("user_id").and_then(|v| v.as_u64()), Some(7));
//! assert_eq!(message.to_json_string()?, r#"{"userId":"7","emails":["a@example.com"],"logins":{"web":3}}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Unknown fields have no form in JSON and are left out, and so are fields that a projection did not select.

mod calls;
mod error;
pub(crate) mod known;
mod parse;
mod print;
mod strings;

pub use error::{
    DeserializeError, DeserializeErrorKind, DeserializeOptions, SerializeError, SerializeErrorKind,
    SerializeOptions,
};

// What `typed/` builds its own printing and parsing of.
#[cfg(feature = "serde")]
pub(crate) use error::step as path_step;
pub(crate) use parse::scan::{JsonScanner, integer_word, key_word, word_of};
pub(crate) use parse::{AHEAD, Follow, MemberKey};
pub(crate) use print::JsonStyle;
pub(crate) use strings::put_whole;

#[allow(unused_imports, reason = "for the documentation")]
use crate::message::{DynamicMessage, MessageView};

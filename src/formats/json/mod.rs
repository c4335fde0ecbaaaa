//! ProtoJSON: messages as JSON and back, <https://protobuf.dev/programming-guides/json/>.
//!
//! | | print | parse |
//! |---|---|---|
//! | structs | [`to_string`], [`to_string_pretty`], [`to_vec`], [`append`], [`to_writer`] | [`from_slice`], [`from_str`], [`from_reader`] |
//! | dynamic messages | the same | [`message_from_slice`], [`message_from_str`] |
//! | into a message that is there | | [`merge_from_slice`], [`merge_from_str`] |
//! | with options | [`Printer`] | [`Parser`] |
//!
//! ```
//! use tablepb::table::{FieldTable, Kind, MessageTable};
//! use tablepb::{DescriptorPool, json};
//!
//! static USER: MessageTable = MessageTable::new(
//!     "pkg.User",
//!     &[
//!         FieldTable::new("user_id", 1, Kind::Uint64),
//!         FieldTable::new("emails", 2, Kind::String).repeated(),
//!         FieldTable::map("logins", 3, Kind::String, Kind::Int32),
//!     ],
//! );
//! let user = DescriptorPool::from_tables(&[&USER])?.message("pkg.User")?;
//!
//! let text = r#"{"userId": "7", "emails": ["a@example.com"], "logins": {"web": 3}}"#;
//! let message = json::message_from_str(&user, text)?;
//! assert_eq!(message.get("user_id").and_then(|id| id.as_u64()), Some(7));
//! assert_eq!(json::to_string(&message)?, r#"{"userId":"7","emails":["a@example.com"],"logins":{"web":3}}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Both go straight between text and message: there is no document in between and no recursion, so nesting is bounded by an option and not by
//! the stack. The well-known types (`Any`, `Timestamp`, `Duration`, `FieldMask`, `Struct`, `Value`, `ListValue`, the wrappers) have their
//! forms of their own; the content of an `Any` is looked up in the pool of the message. Unknown fields have no form in JSON and are left
//! out, and so are fields that a projection did not select. `null` leaves a field as it is.
//!
//! What is accepted is what C++ protobuf and the conformance suite accept: field names in JSON or in the schema, extensions in brackets,
//! integers in quotes or as `1e2`, base64 of either alphabet, enum values by name or number (in quotes too), `null` for what is not set.
//! One thing is stricter: a number in quotes, also one that is a key, is one of JSON, so `"01"`, `"+1"`, `".5"` and `"inf"` are errors. Keys of
//! integers have neither a point nor an exponent. The `@type` of an `Any` has something before its last slash. Parsing has
//! the bounds of decoding: depth 100, and memory in proportion to the input ([`Parser::budget`]).

pub(crate) mod known;
pub(super) mod options;
mod parse;
pub(super) mod print;
mod strings;

pub use options::{Parser, Printer};

// What `structs/json/` and `formats/serde/` build their own printing and parsing of.
pub(crate) use parse::scan::{JsonScanner, integer_word, key_word, word_of};
pub(crate) use parse::{AHEAD, Follow, MemberKey};
#[cfg(feature = "serde")]
pub(crate) use print::of_bytes;
pub(crate) use print::{JsonStyle, print};
pub(crate) use strings::put_whole;

use super::calls::calls;

calls! {
    "JSON", "json",
    compact r#"{"line":"a","level":7}"#, pretty "{\n  \"line\": \"a\",\n  \"level\": 7\n}", value r#"{"line": "a", "level": 7}"#,
    __print_json, __merge_json, __from_json
}

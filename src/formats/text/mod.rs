//! Text format: messages as text for people, and back, <https://protobuf.dev/reference/protobuf/textformat-spec/>.
//!
//! | | print | parse |
//! |---|---|---|
//! | structs | [`to_string`], [`to_string_pretty`], [`to_vec`], [`append`], [`to_writer`] | [`from_str`], [`from_slice`], [`from_reader`] |
//! | dynamic messages | the same | [`message_from_str`], [`message_from_slice`] |
//! | into a message that is there | | [`merge_from_str`], [`merge_from_slice`] |
//! | with options | [`Printer`] | [`Parser`] |
//!
//! `Display` prints what [`to_string`] returns, and `Debug` puts the name of the type before it. Both ways go straight between text and
//! message: there is no document in between and no recursion. Parsing has the bounds of decoding: depth 100, and memory in proportion to
//! the input ([`Parser::budget`]).
//!
//! ```
//! use tablepb::table::{FieldTable, Kind, MessageTable};
//! use tablepb::{DescriptorPool, text};
//!
//! static USER: MessageTable = MessageTable::new(
//!     "pkg.User",
//!     &[
//!         FieldTable::new("id", 1, Kind::Uint64),
//!         FieldTable::new("emails", 2, Kind::String).repeated(),
//!         FieldTable::new("manager", 3, Kind::Message(|| &USER)),
//!     ],
//! );
//! let user = DescriptorPool::from_tables(&[&USER])?.message("pkg.User")?;
//!
//! let message = text::message_from_str(&user, "id: 7  emails: 'a@example.com'  manager { id: 1 }")?;
//! assert_eq!(text::to_string(&message)?, r#"id:7,emails:["a@example.com"],manager{id:1}"#);
//! assert_eq!(
//!     text::to_string_pretty(&message)?,
//!     "id: 7\nemails: [\"a@example.com\"]\nmanager {\n  id: 1\n}"
//! );
//! assert_eq!(format!("{message:?}"), r#"pkg.User{id:7,emails:["a@example.com"],manager{id:1}}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is accepted is what the specification, C++ protobuf and the conformance suite accept: comments, `{}` and `<>`, lists in brackets,
//! octal and hexadecimal integers, strings in several parts, extensions as `[pkg.name]`, `Any` as `[type.googleapis.com/pkg.Type]`, groups
//! by the names of their types. Fields whose names a message reserves are skipped. What the specification leaves open is refused: escaped
//! surrogates, octal escapes above 377.
//!
//! Map entries are printed in the order of their keys. There is no limit to the depth of what is printed. A message that is kept as bytes, such as
//! a lazy field, is decoded for printing; if it is not valid, or takes too much memory, its fields are printed by number.

pub(super) mod options;
mod parse;
pub(super) mod print;
mod strings;

pub use options::{Parser, Printer};
pub(crate) use print::print;

use super::calls::calls;

calls! {
    "text format", "text",
    compact r#"line:"a",level:7"#, pretty "line: \"a\"\nlevel: 7", value "line: 'a'  level: 7",
    __print_text, __merge_text, __from_text
}

//! Text format: messages as text for people, and back, <https://protobuf.dev/reference/protobuf/textformat-spec/>.
//!
//! [`MessageView::to_text_format`] prints a message, [`DynamicMessage::parse_text_format`] makes one of text. `Display` prints the same,
//! and `Debug` does with the name of the type. Both ways go straight between text and message: there is no document in between and no
//! recursion. Parsing has the bounds of decoding: depth 100, and memory in proportion to the input ([`ParseOptions::budget`]).
//!
//! What is accepted is what the specification, C++ protobuf and the conformance suite accept: comments, `{}` and `<>`, lists in brackets,
//! octal and hexadecimal integers, strings in several parts, extensions as `[pkg.name]`, `Any` as `[type.googleapis.com/pkg.Type]`, groups
//! by the names of their types. Fields whose names a message reserves are skipped. What the specification leaves open is refused: escaped
//! surrogates, octal escapes above 377.
//!
//! ```
//! use tablepb::text::FormatOptions;
//! use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
//!
//! static USER: MessageTable = MessageTable::new(
//!     "pkg.User",
//!     &[
//!         FieldTable::new("id", 1, Kind::Uint64),
//!         FieldTable::new("emails", 2, Kind::String).repeated(),
//!         FieldTable::new("manager", 3, Kind::Message(|| &USER)),
//!     ],
//! );
//! let user = DescriptorPool::from_tables(&[&USER])?.get_message_by_name("pkg.User").unwrap();
//!
//! let message = DynamicMessage::parse_text_format(&user, "id: 7  emails: 'a@example.com'  manager { id: 1 }")?;
//! assert_eq!(message.to_text_format(), r#"id:7,emails:["a@example.com"],manager{id:1}"#);
//! assert_eq!(
//!     message.to_text_format_with_options(&FormatOptions::new().pretty(true)),
//!     "id: 7\nemails: [\"a@example.com\"]\nmanager {\n  id: 1\n}"
//! );
//! assert_eq!(format!("{:?}", message), r#"pkg.User{id:7,emails:["a@example.com"],manager{id:1}}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calls;
mod error;
mod parse;
mod print;
mod strings;

pub use error::{FormatOptions, ParseError, ParseErrorKind, ParseOptions};

#[allow(unused_imports, reason = "for the documentation")]
use crate::message::{DynamicMessage, MessageView};

//! Schemas as data: tables built by `const fn`, in `&'static` memory.
//!
//! A [`MessageTable`] lists [`FieldTable`]s; a field of message or enum type names its table by a function, so
//! that messages may be recursive. Tables cost nothing until they are used, and are checked when a
//! [`DescriptorPool`](crate::DescriptorPool) is made from them.
//!
//! ```
//! use tablepb::{EnumTable, FieldTable, Kind, MessageTable};
//!
//! static COLOR: EnumTable = EnumTable::new("example.Color", &[("RED", 0), ("GREEN", 1)]);
//! static NODE: MessageTable = MessageTable::new(
//!     "example.Node",
//!     &[
//!         FieldTable::new("name", 1, Kind::String),
//!         FieldTable::new("color", 2, Kind::Enum(|| &COLOR)),
//!         FieldTable::new("children", 3, Kind::Message(|| &NODE)).repeated(),
//!         FieldTable::map("weights", 4, Kind::String, Kind::Double),
//!     ],
//! );
//! assert_eq!(NODE.fields()[2].name(), "children");
//! ```

mod kind;
mod message;

pub use kind::{Cardinality, Kind};
pub use message::{DefaultValue, EnumTable, FieldTable, MessageTable, Syntax, TableKind};

//! Schemas as data: tables built by `const fn`, in `&'static` memory; `tablepb::table`.

mod kind;
mod message;

pub use kind::{Cardinality, Kind};
pub use message::{DefaultValue, EnumTable, FieldTable, MessageTable, Syntax, TableKind};

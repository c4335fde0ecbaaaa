//! Messages of run-time schemas: [`MessageView`] (borrowed, `Copy`) and [`DynamicMessage`] (owned, mutable).
//!
//! Both consist of a program, a slab and a store; they differ in who owns them. Reading never decodes, allocates or
//! locks. The rooms below know no descriptors: this room turns entries and slots into fields and values.
//!
//! Invariant: a slot always holds a value of its field's kind, so readers do not check it.

pub(crate) mod edit;

pub(crate) mod partial;
#[cfg(feature = "reflect")]
pub mod record;

#[cfg_attr(not(feature = "json"), allow(dead_code, reason = "maps aside are for JSON"))]
mod build;
mod decoder;
mod dynamic;
mod error;
mod prepared;
mod view;

pub(crate) use build::detached::{Detached, DetachedStack};
#[cfg(feature = "json")]
pub(crate) use build::map_aside::MapAside;
pub(crate) use build::{FieldAt, MessageBuilder};
pub use decoder::Decoder;
pub use dynamic::DynamicMessage;
pub use edit::field_key::FieldKey;
pub use edit::mutate::{FieldMut, FieldsMut, MessageMut};
pub use edit::value::{MapKey, Value};
pub use error::{SetFieldError, SetFieldErrorKind};
pub(crate) use prepared::Type;
pub use prepared::{Prepare, Prepared};
pub use view::MessageView;
pub use view::list_ref::{ListIter, ListRef, Number, Numbers};
pub use view::map_ref::{MapIter, MapKeyRef, MapRef};
pub use view::raw::{RawMessage, UnknownField, UnknownFields};
pub use view::read::Fields;
pub use view::value_ref::ValueRef;

#[cfg(test)]
mod tests;

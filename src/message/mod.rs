//! Messages of run-time schemas: [`MessageView`] (borrowed, `Copy`) and [`DynamicMessage`] (owned, mutable).
//!
//! Both consist of a program, a slab and a store; they differ in who owns them. Reading never decodes, allocates or
//! locks. The rooms below know no descriptors: this room turns entries and slots into fields and values.
//!
//! Invariant: a slot always holds a value of its field's kind, so readers do not check it.

pub(crate) mod partial;
#[cfg(feature = "reflect")]
pub mod record;

mod accept;
#[cfg_attr(not(feature = "json"), allow(dead_code, reason = "maps aside are for JSON"))]
mod build;
mod copied_spans;
mod copy;
mod decoder;
mod defaults;
mod detached;
mod dynamic;
mod dynamic_edits;
mod dynamic_fields;
mod elements;
mod entries;
mod equal;
mod error;
mod field_key;
mod fields;
mod fit;
mod hash;
mod list_edits;
mod list_ref;
mod live_size;
#[cfg(feature = "json")]
mod map_aside;
mod map_builder;
mod map_ref;
mod mutate;
mod numbers;
mod options;
mod passthrough;
mod prepared;
mod raw;
mod read;
mod resolved_field;
mod slab_writer;
mod store;
mod take;
mod unknown;
mod value;
mod value_from;
mod value_kinds;
mod value_ref;
mod view;

pub(crate) use build::{FieldAt, MessageBuilder, NoRoom};
pub use decoder::Decoder;
pub(crate) use detached::{Detached, DetachedStack, Encoded};
pub use dynamic::DynamicMessage;
pub use error::{CopyError, SetFieldError, SetFieldErrorKind};
pub use field_key::FieldKey;
pub use fields::Fields;
pub use list_ref::{ListIter, ListRef};
#[cfg(feature = "json")]
pub(crate) use map_aside::MapAside;
pub use map_ref::{MapIter, MapKeyRef, MapRef};
pub use mutate::MessageMut;
pub use numbers::{Number, Numbers};
pub(crate) use prepared::Type;
pub use prepared::{Prepare, Prepared};
pub use raw::RawMessage;
pub use take::{FieldMut, FieldsMut};
pub use unknown::{UnknownField, UnknownFields};
pub use value::{MapKey, Value};
pub use value_ref::ValueRef;
pub(crate) use value_ref::{owned_bytes, owned_str};
pub use view::MessageView;

#[cfg(test)]
mod tests;

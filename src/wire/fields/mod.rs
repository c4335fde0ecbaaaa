//! Fields without a schema: reading them one by one, and editing them on the wire.

#[cfg(not(tablepb_no_alloc))]
mod edit;
mod field;

pub use field::{RawField, RawFields, RawStep, RawValue};

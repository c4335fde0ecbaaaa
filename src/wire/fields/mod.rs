//! Fields without a schema: reading them one by one, and editing them on the wire.

mod edit;
mod field;
mod list;
mod step;

pub use field::{RawField, RawValue};
pub use list::RawFields;
pub use step::RawStep;

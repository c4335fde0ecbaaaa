//! Why a plan refused a name.

use crate::wire::error::{Opaque, error_kind, opaque_error, text};
use alloc::string::String;
use core::fmt;

error_kind! {
    /// The kind of a [`PlanError`](crate::message::record::PlanError).
    pub enum PlanErrorKind, without memory OutOfMemory {
        /// There is no field, and no group of fields, of this name.
        NotFound = "no such field or group",
        /// The field is of another kind.
        WrongKind = "the field is of another kind",
        /// A field or a group already has the name.
        DuplicateName = "a field or group has this name already",
        /// The field is in a MessageSet, which a plan does not write.
        Unsupported = "fields of a MessageSet cannot be written one by one",
        /// The allocator has no memory for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

/// Why a [`RecordPlan`](super::RecordPlan) refused a name: kind, name, message type, and a detail.
///
/// One pointer wide.
#[derive(Clone, PartialEq, Eq)]
pub struct PlanError(Opaque<PlanErrorKind, PlanDetail>);

opaque_error!(PlanError, PlanErrorKind);

#[derive(Clone, PartialEq, Eq)]
struct PlanDetail {
    name: String,
    message: String,
    detail: String,
}

impl PlanError {
    #[cold]
    pub(super) fn new(kind: PlanErrorKind, name: &str, message: &str, detail: String) -> Self {
        Self(Opaque::new(kind, PlanDetail { name: text(name), message: text(message), detail }))
    }

    /// The name that was given.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.name)
    }

    /// The full name of the plan's message type.
    #[must_use]
    pub fn message_name(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.message)
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(PlanDetail { name, message, detail }) = self.0.get() else { return self.kind().fmt(f) };
        write!(f, "{}: {name} in {message}", self.kind())?;
        if detail.is_empty() { Ok(()) } else { write!(f, " ({detail})") }
    }
}

impl core::error::Error for PlanError {}

//! Why a plan refused a name.

use alloc::{boxed::Box, string::String};
use core::fmt;

/// What is wrong with a name given to a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// There is no field, and no group of fields, of this name.
    NotFound,
    /// The field is of another kind.
    WrongKind,
    /// The name is that of a field or a group already.
    DuplicateName,
    /// The field is in a MessageSet, which a plan does not write.
    Unsupported,
}

impl PlanErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::NotFound => "no such field or group",
            Self::WrongKind => "the field is of another kind",
            Self::DuplicateName => "a field or group has this name already",
            Self::Unsupported => "fields of a MessageSet cannot be written one by one",
        }
    }
}

impl fmt::Display for PlanErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Why a [`RecordPlan`](super::RecordPlan) refused a name: kind, name, message type, and a detail.
///
/// One pointer wide.
#[derive(Clone, PartialEq, Eq)]
pub struct PlanError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: PlanErrorKind,
    name: String,
    message: String,
    detail: String,
}

impl PlanError {
    #[cold]
    pub(super) fn new(kind: PlanErrorKind, name: &str, message: &str, detail: String) -> Self {
        Self(Box::new(Inner { kind, name: name.into(), message: message.into(), detail }))
    }

    /// The kind of fault.
    pub fn kind(&self) -> PlanErrorKind {
        self.0.kind
    }

    /// The name that was given.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The full name of the plan's message type.
    pub fn message_name(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} in {}", self.0.kind, self.0.name, self.0.message)?;
        if self.0.detail.is_empty() { Ok(()) } else { write!(f, " ({})", self.0.detail) }
    }
}

impl fmt::Debug for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlanError({self})")
    }
}

impl core::error::Error for PlanError {}

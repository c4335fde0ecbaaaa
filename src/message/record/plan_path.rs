//! [`PlanPath`]: a nested message of a plan, from which the handles of its fields are resolved.

use super::error::PlanError;
use super::field::Field;
use super::kind::{self, HandleKind, KeyKind};
use super::plan::{RecordPlan, handles};
use alloc::{format, string::String};
use core::fmt;

/// A nested message of a [`RecordPlan`], by its path: resolves the handles of its fields by their names in that message.
///
/// [`RecordPlan::at`] makes one. Names are looked up as the plan looks up the path, a dot and the name; errors show them
/// in full. Resolving a handle is a lookup by name and joins two strings.
///
/// ```
/// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, RecordPlan};
///
/// static NAT: MessageTable = MessageTable::new("pkg.Nat", &[FieldTable::new("port", 1, Kind::Uint32)]);
/// static FLOW: MessageTable =
///     MessageTable::new("pkg.Flow", &[FieldTable::new("nat", 1, Kind::Message(|| &NAT))]);
/// let pool = DescriptorPool::from_tables(&[&FLOW])?;
/// let plan = RecordPlan::new(&pool.get_message_by_name("pkg.Flow").unwrap());
/// let nat = plan.at("nat")?;
/// assert_eq!(nat.uint32("port")?, plan.uint32("nat.port")?);
/// assert_eq!(nat.uint32("prot").unwrap_err().name(), "nat.prot");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PlanPath<'p> {
    plan: &'p RecordPlan,
    path: String,
}

impl RecordPlan {
    /// The message that a path of field names leads to, to resolve the handles of its fields from.
    ///
    /// The path is that of a message field, or of a map of messages, whose values may be named by `.value` after it; all but the
    /// last name must be those of such fields, too. [`PlanPath`] has an example.
    ///
    /// # Errors
    /// `NotFound` if there is no such field, `WrongKind` if it holds no messages.
    pub fn at(&self, path: &str) -> Result<PlanPath<'_>, PlanError> {
        Ok(PlanPath { plan: self, path: self.path_of_messages(path)? })
    }
}

impl<'p> PlanPath<'p> {
    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &'p RecordPlan {
        self.plan
    }

    /// The path of the message, as names in this message are looked up: `map.value` for the values of a map.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A message nested in this one.
    ///
    /// # Errors
    /// As [`RecordPlan::at`].
    pub fn at(&self, path: &str) -> Result<Self, PlanError> {
        self.plan.at(&self.full(path))
    }

    handles!();

    /// The handle of a map field.
    ///
    /// # Errors
    /// As [`RecordPlan::field`].
    pub fn map<K: KeyKind, V: HandleKind>(&self, name: &str) -> Result<Field<kind::MapOf<K, V>>, PlanError> {
        self.field(name)
    }

    /// The handle of a field of kind `K`.
    ///
    /// # Errors
    /// As [`RecordPlan::field`].
    pub fn field<K: HandleKind>(&self, name: &str) -> Result<Field<K>, PlanError> {
        self.plan.field(&self.full(name))
    }

    fn full(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }
}

impl fmt::Debug for PlanPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlanPath({}.{})", self.plan.descriptor().full_name(), self.path)
    }
}

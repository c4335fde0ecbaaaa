//! Where in a message an error is.

use alloc::{borrow::Cow, vec::Vec};
use core::fmt;

/// One step of a [`FieldPath`]: a field number, its name where a schema is known, and the element of a
/// repeated field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    number: u32,
    name: Option<Cow<'static, str>>,
    index: Option<u32>,
}

impl PathStep {
    pub(crate) fn new(number: u32, name: Option<Cow<'static, str>>, index: Option<u32>) -> Self {
        Self { number, name, index }
    }

    /// Gives the field a name.
    pub(crate) fn set_name(&mut self, name: impl Into<Cow<'static, str>>) {
        self.name = Some(name.into());
    }

    /// The field number, 1 to 2^29-1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The field name, or `None` where only the wire is known.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The zero-based element of a repeated field, or `None` for a singular field.
    pub fn index(&self) -> Option<u32> {
        self.index
    }
}

/// The way from the root message to the field at fault; printed as `resource.attributes[3].key`.
///
/// A field whose name is not known prints as `#7`, its number; of more than 100 steps, the first and the last 50 are
/// printed. An empty path means the root message itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath {
    pub(super) steps: Vec<PathStep>,
}

impl FieldPath {
    pub(crate) const EMPTY: Self = Self { steps: Vec::new() };

    /// The steps, outermost first.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// True when the error is about the root message itself.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn steps_mut(&mut self) -> &mut [PathStep] {
        &mut self.steps
    }

    pub(crate) fn push_outer(&mut self, step: PathStep) {
        self.steps.insert(0, step);
    }

    pub(crate) fn push_inner(&mut self, step: PathStep) {
        self.steps.push(step);
    }
}

/// Steps printed at either end of a path; more than fit are left out in the middle.
const PRINTED: usize = 50;

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.steps.len().saturating_sub(PRINTED);
        for (i, step) in self.steps.iter().enumerate() {
            if (PRINTED..last).contains(&i) {
                if i == PRINTED {
                    f.write_str("...")?;
                }
                continue;
            }
            if i > 0 {
                f.write_str(".")?;
            }
            match &step.name {
                Some(name) => f.write_str(name)?,
                None => write!(f, "#{}", step.number)?,
            }
            if let Some(index) = step.index {
                write!(f, "[{index}]")?;
            }
        }
        Ok(())
    }
}

pub(super) fn in_place(f: &mut fmt::Formatter<'_>, message: Option<&str>, path: &FieldPath) -> fmt::Result {
    match (message, path.is_empty()) {
        (Some(m), true) => write!(f, ", in {m}"),
        (Some(m), false) => write!(f, ", in {m}: {path}"),
        (None, false) => write!(f, ", in {path}"),
        (None, true) => Ok(()),
    }
}

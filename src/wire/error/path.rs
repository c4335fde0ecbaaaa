//! The location of an error in a message.

#[cfg(not(tablepb_no_alloc))]
use super::copy_of;
use crate::wire::heap::Cow;
#[cfg(not(tablepb_no_alloc))]
use alloc::vec::Vec as Steps;
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
    #[inline]
    pub(crate) fn new(number: u32, name: Option<Cow<'static, str>>, index: Option<u32>) -> Self {
        Self { number, name, index }
    }

    /// A step with a copy of the field's name, if there is memory for it.
    #[cfg(feature = "reflect")]
    pub(crate) fn named(number: u32, name: &str, index: Option<u32>) -> Self {
        Self::new(number, copy_of(name), index)
    }

    /// Gives the field a copy of a name, if there is memory for it.
    #[cfg(not(tablepb_no_alloc))]
    #[inline]
    pub(crate) fn copy_name(&mut self, name: &str) {
        self.name = copy_of(name);
    }

    /// Gives the field a name.
    #[inline]
    pub(crate) fn set_name(&mut self, name: &'static str) {
        self.name = Some(name.into());
    }

    /// Gives the field the index of an element.
    #[inline]
    pub(crate) fn set_index(&mut self, index: Option<u32>) {
        self.index = index;
    }

    /// The field number, 1 to 2^29-1.
    #[inline]
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The field name, or `None` where only the wire is known.
    #[inline]
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The zero-based element of a repeated field, or `None` for a singular field.
    #[inline]
    #[must_use]
    pub fn index(&self) -> Option<u32> {
        self.index
    }
}

/// The path from the root message to the field at fault, printed as `resource.attributes[3].key`.
///
/// A field without a known name is printed as `#7`, its number. Of more than 100 steps, the first and the last 50 are
/// printed. The path is empty for the root message itself, or if there was no memory for it: without the feature `alloc`, for more than
/// four steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath {
    pub(super) steps: Steps<PathStep>,
    /// There was no memory for a step: the path stays empty, whatever steps follow.
    pub(super) lost: bool,
}

/// The path of an error for which there is no memory.
pub(crate) static NOWHERE: FieldPath = FieldPath::EMPTY;

impl FieldPath {
    pub(crate) const EMPTY: Self = Self { steps: Steps::new(), lost: false };

    /// The steps, outermost first.
    #[inline]
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// True when the error is about the root message itself.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    #[inline]
    pub(crate) fn steps_mut(&mut self) -> &mut [PathStep] {
        &mut self.steps
    }

    #[inline]
    pub(crate) fn push_outer(&mut self, step: PathStep) {
        if self.has_room() {
            self.steps.insert(0, step);
        }
    }

    #[inline]
    pub(crate) fn push_inner(&mut self, step: PathStep) {
        if self.has_room() {
            self.steps.push(step);
        }
    }

    /// Adds the steps of a path that goes on where this one ends.
    #[cfg(feature = "reflect")]
    pub(crate) fn append(&mut self, inner: Self) {
        inner.steps.into_iter().for_each(|step| self.push_inner(step));
        self.lost |= inner.lost;
        if self.lost {
            self.steps.clear();
        }
    }

    /// A copy, as far as there is memory for it.
    #[cfg(feature = "reflect")]
    pub(crate) fn try_copy(&self) -> Self {
        let mut copy = Self::EMPTY;
        for from in self.steps() {
            copy.push_inner(PathStep::named(from.number(), from.name().unwrap_or_default(), from.index()));
        }
        copy
    }

    /// Reserves memory for one more step, without aborting: a path is part of an error report.
    #[inline]
    fn has_room(&mut self) -> bool {
        if !self.lost && self.steps.try_reserve(1).is_err() {
            self.steps.clear();
            self.lost = true;
        }
        // There is room if nothing is lost; the comparison tells the compiler, which then has no code for growing.
        !self.lost && self.steps.len() < self.steps.capacity()
    }
}

/// Steps printed at each end of a long path.
const PRINTED: usize = 50;

impl fmt::Display for FieldPath {
    #[inline]
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

#[inline]
pub(crate) fn in_place(f: &mut fmt::Formatter<'_>, message: Option<&str>, path: &FieldPath) -> fmt::Result {
    match (message, path.is_empty()) {
        (Some(m), true) => write!(f, ", in {m}"),
        (Some(m), false) => write!(f, ", in {m}: {path}"),
        (None, false) => write!(f, ", in {path}"),
        (None, true) => Ok(()),
    }
}

/// The steps of a path in a program without an allocator.
#[cfg(tablepb_no_alloc)]
use few::Steps;

#[cfg(tablepb_no_alloc)]
mod few {
    use super::PathStep;
    use core::ops::{Deref, DerefMut};

    /// The most steps. An error holds them in place, so each makes it larger: 20 bytes on processors of 32 bits.
    const MOST: usize = 4;

    /// A list of at most [`MOST`] steps.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Steps<T> {
        len: usize,
        items: [T; MOST],
    }

    impl Steps<PathStep> {
        pub(super) const fn new() -> Self {
            Self { len: 0, items: [const { PathStep { number: 0, name: None, index: None } }; MOST] }
        }

        pub(super) fn capacity(&self) -> usize {
            MOST
        }

        pub(super) fn try_reserve(&mut self, additional: usize) -> Result<(), ()> {
            if MOST - self.len >= additional { Ok(()) } else { Err(()) }
        }

        pub(super) fn push(&mut self, step: PathStep) {
            if let Some(place) = self.items.get_mut(self.len) {
                *place = step;
                self.len += 1;
            }
        }

        pub(super) fn insert(&mut self, at: usize, step: PathStep) {
            self.push(step);
            if let Some(moved) = self.get_mut(at..) {
                moved.rotate_right(1);
            }
        }

        pub(super) fn clear(&mut self) {
            self.len = 0;
        }
    }

    impl Default for Steps<PathStep> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl Deref for Steps<PathStep> {
        type Target = [PathStep];

        fn deref(&self) -> &[PathStep] {
            self.items.get(..self.len).unwrap_or_default()
        }
    }

    impl DerefMut for Steps<PathStep> {
        fn deref_mut(&mut self) -> &mut [PathStep] {
            self.items.get_mut(..self.len).unwrap_or_default()
        }
    }
}

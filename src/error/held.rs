//! [`Held`]: a box that does without memory.

use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

/// What an error holds, in one pointer; nothing if there was no memory for it, which is reported as such.
///
/// `Box::new` aborts where the allocator has nothing left, and an error is what a program needs then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held<T>(Option<Box<[T; 1]>>);

impl<T> Held<T> {
    /// There was no memory.
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn new(value: T) -> Self {
        Self(boxed(value))
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref().map(|[value]| value)
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut().map(|[value]| value)
    }

    pub(crate) fn into_inner(self) -> Option<T> {
        self.0.map(|one| {
            let [value] = *one;
            value
        })
    }
}

/// A value in a box, or `None` if there is no memory for it.
pub(crate) fn boxed<T>(value: T) -> Option<Box<[T; 1]>> {
    let mut one = Vec::new();
    one.try_reserve_exact(1).ok()?;
    one.push(value);
    // Of just this capacity, so that nothing is allocated again.
    one.try_into().ok()
}

/// A copy of a name, or `None` if there is no memory for it.
#[cold]
pub(crate) fn copy_of(name: &str) -> Option<Cow<'static, str>> {
    let mut copy = String::new();
    copy.try_reserve_exact(name.len()).ok()?;
    copy.push_str(name);
    Some(copy.into())
}

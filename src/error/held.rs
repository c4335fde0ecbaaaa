//! [`Held`]: a box that does without memory.

use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

/// What an error holds, in one pointer; nothing if there was no memory for it, which is reported as such.
///
/// `Box::new` aborts where the allocator has nothing left, and an error is what a program needs then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held<T>(Option<Box<[T; 1]>>);

impl<T> Held<T> {
    pub(super) fn new(value: T) -> Self {
        let mut one = Vec::new();
        if one.try_reserve_exact(1).is_err() {
            return Self(None);
        }
        one.push(value);
        // Of just this capacity, so that nothing is allocated again.
        Self(one.try_into().ok())
    }

    pub(super) fn get(&self) -> Option<&T> {
        self.0.as_deref().map(|[value]| value)
    }

    pub(super) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut().map(|[value]| value)
    }
}

/// A copy of a name, or `None` if there is no memory for it.
#[cold]
pub(crate) fn copy_of(name: &str) -> Option<Cow<'static, str>> {
    let mut copy = String::new();
    copy.try_reserve_exact(name.len()).ok()?;
    copy.push_str(name);
    Some(copy.into())
}

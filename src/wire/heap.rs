//! `Vec` and `Cow`, or what stands for them in a program without an allocator.
//!
//! Rooms that structs alone need import them from here, so that `--cfg tablepb_no_alloc` is a matter of this file where they only keep what is
//! rare: unlisted numbers of closed enums, lengths that do not fit the stack, groups nested deeper than 100 levels. Without an
//! allocator that is as if there were no memory, which each of them handles anyway. Members that own memory, and what they need, are not
//! there at all.

#[cfg(not(tablepb_no_alloc))]
pub use alloc::{borrow::Cow, vec::Vec};

#[cfg(tablepb_no_alloc)]
pub use without::{Cow, Vec};

#[cfg(tablepb_no_alloc)]
mod without {
    use core::marker::PhantomData;
    use core::ops::{Deref, DerefMut};

    /// Borrowed always.
    pub type Cow<'a, B> = &'a B;

    /// A list without room for any element.
    pub struct Vec<T>(PhantomData<T>);

    /// Why it cannot grow.
    pub struct NoAllocator;

    impl<T> Vec<T> {
        pub(crate) const fn new() -> Self {
            Self(PhantomData)
        }

        pub(crate) fn capacity(&self) -> usize {
            0
        }

        pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), NoAllocator> {
            if additional == 0 { Ok(()) } else { Err(NoAllocator) }
        }

        pub(crate) fn try_reserve_exact(&mut self, additional: usize) -> Result<(), NoAllocator> {
            self.try_reserve(additional)
        }

        pub(crate) fn pop(&mut self) -> Option<T> {
            None
        }

        pub(crate) fn push(&mut self, _: T) {
            debug_assert!(false, "room was not reserved");
        }

        pub(crate) fn extend_from_slice(&mut self, items: &[T]) {
            debug_assert!(items.is_empty(), "room was not reserved");
        }
    }

    impl<T> Default for Vec<T> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<T> Extend<T> for Vec<T> {
        fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
            debug_assert!(items.into_iter().next().is_none(), "room was not reserved");
        }
    }

    impl<T> Deref for Vec<T> {
        type Target = [T];

        fn deref(&self) -> &[T] {
            &[]
        }
    }

    impl<T> DerefMut for Vec<T> {
        fn deref_mut(&mut self) -> &mut [T] {
            &mut []
        }
    }
}

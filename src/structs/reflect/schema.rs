//! The run-time schema of a struct, made on first use and kept for its type.
//!
//! With `std` it is kept in a `OnceLock`. `core` has no such cell that is `Sync`: without `std` it is an atomic pointer. The first thread
//! sets the pointer, and nothing frees what it points to. This file is the fence of that pointer; the `OnceLock` is its safe twin.

#![allow(unsafe_code)]

use crate::schema::pool::{DescriptorPool, MessageDescriptor};
use crate::structs::Message;
use crate::wire::error::DescriptorError;

#[cfg(not(any(feature = "std", tablepb_safe)))]
use forever::Forever as Kept;
#[cfg(any(feature = "std", tablepb_safe))]
use std::sync::OnceLock as Kept;

/// A place for the message type of a struct, one for each listing.
pub struct SchemaCell(Kept<MessageDescriptor>);

impl SchemaCell {
    /// An empty place.
    #[allow(clippy::new_without_default, reason = "made by a macro, in a const")]
    pub const fn new() -> Self {
        Self(Kept::new())
    }
}

/// The message type of a struct, in a pool of its table and those that it refers to.
///
/// # Errors
/// What is wrong with the table, or no memory for a pool. The place for it is allocated infallibly without `std`.
pub(in crate::structs) fn schema<M: Message>() -> Result<MessageDescriptor, DescriptorError> {
    let cell: Option<&SchemaCell> = M::__schema();
    if let Some(known) = cell.and_then(|cell| cell.0.get()) {
        return Ok(known.clone());
    }
    let pool = DescriptorPool::from_tables(&[M::TABLE])?;
    let made = pool.find_message(M::TABLE.full_name()).unwrap_or(MessageDescriptor::new(&pool, 0));
    let Some(cell) = cell else { return Ok(made) };
    Ok(cell.0.get_or_init(|| made).clone())
}

#[cfg(any(not(any(feature = "std", tablepb_safe)), test))]
mod forever {
    use crate::wire::sync::{AtomicPtr, Ordering};
    use alloc::boxed::Box;
    use core::ptr::null_mut;

    /// A value or none, for a `static`. Threads that race all make a value; the first one is kept.
    ///
    /// Invariant: the pointer is null, or comes from `Box::into_raw` in [`get_or_init`](Self::get_or_init); then it never changes again, and
    /// nothing frees it or makes a `&mut` of it.
    pub(super) struct Forever<T>(AtomicPtr<T>);

    impl<T: Send + Sync> Forever<T> {
        pub(super) const fn new() -> Self {
            Self(AtomicPtr::new(null_mut()))
        }

        pub(super) fn get(&self) -> Option<&T> {
            // SAFETY: a pointer that is not null comes from a box that nothing frees or changes (invariant). The acquire load pairs with
            // the release store, so the content of the box is visible; `T` is `Sync`.
            unsafe { self.0.load(Ordering::Acquire).as_ref() }
        }

        #[cold]
        pub(super) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
            let new = Box::into_raw(Box::new(make()));
            if self.0.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: `new` is from `Box::into_raw`, and was not stored: nothing else knows it.
                drop(unsafe { Box::from_raw(new) });
            }
            match self.get() {
                Some(kept) => kept,
                None => unreachable!("this thread or another one has stored a value"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::forever::Forever;
    use alloc::{string::String, vec::Vec};
    use std::{sync::Barrier, thread};

    #[test]
    fn the_first_value_stays() {
        static PLACE: Forever<String> = Forever::new();
        assert_eq!(PLACE.get(), None);
        assert_eq!(PLACE.get_or_init(|| "first".into()), "first");
        assert_eq!(PLACE.get_or_init(|| "second".into()), "first");
        assert_eq!(PLACE.get().unwrap(), "first");
    }

    #[test]
    fn threads_that_race_see_one_value() {
        static PLACE: Forever<String> = Forever::new();
        let start = Barrier::new(4);
        let seen: Vec<usize> = thread::scope(|scope| {
            let place = |at: usize| {
                start.wait();
                core::ptr::from_ref(PLACE.get_or_init(|| String::from("value ") + &"!".repeat(at))).addr()
            };
            let threads: Vec<_> = (0..4).map(|at| scope.spawn(move || place(at))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seen.iter().all(|place| *place == seen[0]));
        assert!(PLACE.get().unwrap().starts_with("value "));
    }

    #[test]
    #[ignore = "long: 100 million accesses of four threads"]
    fn threads_that_race_for_many_places_see_the_same() {
        let places: Vec<_> = (0..1_000_000).map(|_| Forever::new()).collect();
        let walk = |thread: usize| {
            let mut seen = 0_usize;
            for at in 0..25 * places.len() {
                // Two threads go forwards, two backwards.
                let at =
                    if thread.is_multiple_of(2) { at } else { 25 * places.len() - 1 - at } % places.len();
                let place: &Forever<usize> = &places[at];
                let value = *place.get().unwrap_or_else(|| place.get_or_init(|| at * 4 + thread));
                assert_eq!(value / 4, at);
                seen = seen.wrapping_add(value);
            }
            seen
        };
        let seen: Vec<usize> = thread::scope(|scope| {
            let walk = &walk;
            let threads: Vec<_> = (0..4).map(|at| scope.spawn(move || walk(at))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
    }
}

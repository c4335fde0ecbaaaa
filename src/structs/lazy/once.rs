//! [`OnceBox`]: a boxed value that is set once, through `&self`.
//!
//! With `std` threads share it. `core` has no such cell that is `Sync`: without `std` a [`Lazy`](super::Lazy) stays on one thread. The box
//! holds an array of one value, because a `Vec` can be allocated fallibly and converted to it.

use crate::structs::decode::memory::{One, put, room_for_one};
use alloc::boxed::Box;
#[cfg(not(feature = "std"))]
use core::cell::OnceCell as Once;
#[cfg(feature = "std")]
use std::sync::OnceLock as Once;

/// A boxed value or none. With `std`, one thread makes the value while others wait.
pub struct OnceBox<T>(Once<One<T>>);

impl<T> OnceBox<T> {
    /// No value.
    pub const fn new() -> Self {
        Self(Once::new())
    }

    /// A box with this value. Aborts if the allocator fails.
    pub fn with(value: T) -> Self {
        Self(Once::from(Box::new([value])))
    }

    /// The value, if there is one.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.0.get().map(|one| &one[0])
    }

    /// The value. Without one, calls `make`. `None` if the box cannot be allocated; `make` is not called then.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> Option<&T> {
        if let Some(value) = self.get() {
            return Some(value);
        }
        let room = room_for_one()?;
        Some(&self.0.get_or_init(|| put(room, make()))[0])
    }

    /// The value, if there is one.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.get_mut().map(|one| &mut one[0])
    }

    /// Takes the value.
    pub fn into_inner(self) -> Option<T> {
        self.0.into_inner().map(|one| {
            let [value] = *one;
            value
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn is_filled_once() {
        let mut once = OnceBox::new();
        assert_eq!(once.get(), None);
        assert_eq!(once.get_or_init(|| String::from("first")).unwrap(), "first");
        assert_eq!(once.get_or_init(|| String::from("second")).unwrap(), "first");
        once.get_mut().unwrap().push('!');
        assert_eq!(once.get().unwrap(), "first!");
        assert_eq!(once.into_inner().unwrap(), "first!");
        assert_eq!(OnceBox::with(7).into_inner(), Some(7));
        assert_eq!(OnceBox::<u8>::new().into_inner(), None);
        assert_eq!(OnceBox::<u8>::new().get_mut(), None);
    }

    #[test]
    #[cfg(feature = "std")]
    fn threads_see_one_value() {
        use alloc::{sync::Arc, vec::Vec};
        use core::sync::atomic::{AtomicUsize, Ordering};
        use std::{sync::Barrier, thread};

        for _ in 0..if cfg!(miri) { 3 } else { 200 } {
            let (made, start) = (Arc::new(AtomicUsize::new(0)), Barrier::new(4));
            let once = OnceBox::new();
            thread::scope(|scope| {
                let seen: Vec<_> = (0..4)
                    .map(|_| {
                        scope.spawn(|| {
                            start.wait();
                            let value = once
                                .get_or_init(|| {
                                    made.fetch_add(1, Ordering::Relaxed);
                                    made.clone()
                                })
                                .unwrap();
                            core::ptr::from_ref(value).addr()
                        })
                    })
                    .collect();
                let mut seen = seen.into_iter().map(|thread| thread.join().unwrap());
                let first = seen.next().unwrap();
                assert!(seen.all(|place| place == first));
            });
            assert!((1..=4).contains(&made.load(Ordering::Relaxed)));
            assert_eq!(Arc::strong_count(&made), 2);
            drop(once);
            assert_eq!(Arc::strong_count(&made), 1);
        }
    }
}

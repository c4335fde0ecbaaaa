//! [`OnceBox`]: a boxed value that is set once, through `&self`, and shared between threads.
//!
//! With `std` it is a `OnceLock`. `core` has no such cell that is `Sync`, so without `std` it is an atomic pointer that the
//! first thread sets. This file is the fence of that pointer; the `OnceLock` is its safe twin. The box holds an array of one
//! value, because a `Vec` can be allocated fallibly and converted to it.

#![allow(unsafe_code)]

#[cfg(not(any(feature = "std", tablepb_safe)))]
pub(in crate::structs) use atomic::AtomicOnce as OnceBox;
#[cfg(any(feature = "std", tablepb_safe))]
pub(in crate::structs) use locked::LockedOnce as OnceBox;

#[cfg(any(feature = "std", tablepb_safe, test))]
mod locked {
    use crate::structs::decode::place::{One, put, room_for_one};
    use alloc::boxed::Box;
    use std::sync::OnceLock;

    /// A boxed value or none. One thread makes the value while others wait.
    pub struct LockedOnce<T>(OnceLock<One<T>>);

    impl<T> LockedOnce<T> {
        /// No value.
        pub const fn new() -> Self {
            Self(OnceLock::new())
        }

        /// A box with this value. Aborts if the allocator fails.
        pub fn with(value: T) -> Self {
            Self(OnceLock::from(Box::new([value])))
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
}

#[cfg(any(not(any(feature = "std", tablepb_safe)), test))]
mod atomic {
    use crate::structs::decode::place::{put, room_for_one};
    use crate::wire::sync::{AtomicPtr, Ordering};
    use alloc::boxed::Box;
    use core::marker::PhantomData;
    use core::ptr::null_mut;

    /// A boxed value or none. Threads that race all make a value; the first one is kept.
    ///
    /// Invariant: the pointer is null, or comes from `Box::into_raw` and is owned by this value. Once it is not null,
    /// only `&mut self` changes it.
    pub struct AtomicOnce<T> {
        place: AtomicPtr<[T; 1]>,
        owned: PhantomData<*mut T>,
    }

    // SAFETY: sending it sends the `T` that it owns, as sending a `Box<T>` does.
    unsafe impl<T: Send> Send for AtomicOnce<T> {}
    // SAFETY: `&AtomicOnce<T>` gives `&T`, which needs `T: Sync`; one thread may set the value and another drop it, which
    // needs `T: Send`.
    unsafe impl<T: Send + Sync> Sync for AtomicOnce<T> {}

    impl<T> AtomicOnce<T> {
        /// No value.
        pub const fn new() -> Self {
            Self { place: AtomicPtr::new(null_mut()), owned: PhantomData }
        }

        /// A box with this value. Aborts if the allocator fails.
        pub fn with(value: T) -> Self {
            Self { place: AtomicPtr::new(Box::into_raw(Box::new([value]))), owned: PhantomData }
        }

        /// The value, if there is one.
        #[inline]
        pub fn get(&self) -> Option<&T> {
            let value = self.place.load(Ordering::Acquire);
            // SAFETY: a pointer that is not null is a live box (invariant), which lives as long as `&self`. The acquire
            // load pairs with the release store, so the content is visible.
            let one = unsafe { value.as_ref() };
            one.map(|[value]| value)
        }

        /// The value. Without one, calls `make`. `None` if the box cannot be allocated; `make` is not called then.
        #[inline]
        pub fn get_or_init(&self, make: impl FnOnce() -> T) -> Option<&T> {
            match self.get() {
                Some(value) => Some(value),
                None => {
                    let room = room_for_one()?;
                    let [value] = self.fill(Box::into_raw(put(room, make())));
                    Some(value)
                }
            }
        }

        #[cold]
        fn fill(&self, new: *mut [T; 1]) -> &[T; 1] {
            let won = self.place.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
            match won {
                // SAFETY: `new` is from `Box::into_raw`, and `self` owns it now.
                Ok(_) => unsafe { &*new },
                Err(first) => {
                    // SAFETY: `new` is from `Box::into_raw`; it was not stored and is dropped only here.
                    drop(unsafe { Box::from_raw(new) });
                    // SAFETY: the exchange failed, so `first` is not null; otherwise as in `get`.
                    unsafe { &*first }
                }
            }
        }

        /// The value, if there is one.
        #[inline]
        pub fn get_mut(&mut self) -> Option<&mut T> {
            // SAFETY: a pointer that is not null is a live box, and `&mut self` is the only access to it.
            let one = unsafe { self.place.get_mut().as_mut() };
            one.map(|[value]| value)
        }

        /// Takes the value.
        pub fn into_inner(mut self) -> Option<T> {
            let value = core::mem::replace(self.place.get_mut(), null_mut());
            (!value.is_null()).then(|| {
                // SAFETY: a pointer that is not null is from `Box::into_raw`; `place` is null now, so nothing drops it again.
                let [value] = *unsafe { Box::from_raw(value) };
                value
            })
        }
    }

    impl<T> Drop for AtomicOnce<T> {
        fn drop(&mut self) {
            let value = *self.place.get_mut();
            if !value.is_null() {
                // SAFETY: it is from `Box::into_raw`, and nothing uses `place` after this.
                drop(unsafe { Box::from_raw(value) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::{string::String, sync::Arc};
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::{sync::Barrier, thread};

    macro_rules! twins {
        ($($name:ident: $module:ident::$type:ident;)*) => {$(
            mod $name {
                use super::*;
                use super::super::$module::$type as OnceBox;

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
                fn threads_see_one_value_and_drop_the_rest() {
                    for _ in 0..if cfg!(miri) { 3 } else { 200 } {
                        let (made, start) = (Arc::new(AtomicUsize::new(0)), Barrier::new(4));
                        let once = OnceBox::new();
                        thread::scope(|scope| {
                            let seen: Vec<_> = (0..4).map(|_| scope.spawn(|| {
                                start.wait();
                                let value = once.get_or_init(|| {
                                    made.fetch_add(1, Ordering::Relaxed);
                                    made.clone()
                                }).unwrap();
                                core::ptr::from_ref(value).addr()
                            })).collect();
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
        )*};
    }

    use alloc::vec::Vec;

    twins! {
        with_a_lock: locked::LockedOnce;
        with_an_atomic_pointer: atomic::AtomicOnce;
    }
}

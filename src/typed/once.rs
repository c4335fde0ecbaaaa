//! [`OnceBox`]: a place that is filled once, through `&self`, and shared between threads.
//!
//! The box is an array of one, because a list can say that there is no memory, and become that. With `std` it is a `OnceLock`. `no_std` has nothing of the kind: its cells are not `Sync`, so there an atomic
//! pointer takes the box of whoever comes first. This is the fence of that pointer; the `OnceLock` is its safe twin.

#![allow(unsafe_code)]

#[cfg(not(any(feature = "std", tablepb_safe)))]
pub(super) use atomic::AtomicOnce as OnceBox;
#[cfg(any(feature = "std", tablepb_safe))]
pub(super) use locked::LockedOnce as OnceBox;

#[cfg(any(feature = "std", tablepb_safe, test))]
mod locked {
    use crate::typed::place::{One, put, room_for_one};
    use alloc::boxed::Box;
    use std::sync::OnceLock;

    /// A value in a box, or none yet; one thread fills it while others wait.
    pub struct LockedOnce<T>(OnceLock<One<T>>);

    impl<T> LockedOnce<T> {
        /// Without a value.
        pub const fn new() -> Self {
            Self(OnceLock::new())
        }

        /// With a value.
        pub fn with(value: T) -> Self {
            Self(OnceLock::from(Box::new([value])))
        }

        /// The value, if there is one.
        #[inline]
        pub fn get(&self) -> Option<&T> {
            self.0.get().map(|one| &one[0])
        }

        /// The value, which is made if there is none; `None` without memory for it.
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

        /// The value, if there is one.
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
    use crate::typed::place::{put, room_for_one};
    use alloc::boxed::Box;
    use core::marker::PhantomData;
    use core::ptr::null_mut;
    use core::sync::atomic::{AtomicPtr, Ordering};

    /// A value in a box, or none yet. Threads that come at the same time all make a value; one of them is kept.
    ///
    /// Invariant: the pointer is null or comes from `Box::into_raw`, is owned by this, and once it is not null
    /// it changes through `&mut self` only.
    pub struct AtomicOnce<T> {
        place: AtomicPtr<[T; 1]>,
        owned: PhantomData<*mut T>,
    }

    // SAFETY: an owned `T` goes along, as a `Box<T>` would.
    unsafe impl<T: Send> Send for AtomicOnce<T> {}
    // SAFETY: `&AtomicOnce<T>` gives out `&T` (so `T: Sync`) and lets one thread put in what another drops (so
    // `T: Send`).
    unsafe impl<T: Send + Sync> Sync for AtomicOnce<T> {}

    impl<T> AtomicOnce<T> {
        /// Without a value.
        pub const fn new() -> Self {
            Self { place: AtomicPtr::new(null_mut()), owned: PhantomData }
        }

        /// With a value.
        pub fn with(value: T) -> Self {
            Self { place: AtomicPtr::new(Box::into_raw(Box::new([value]))), owned: PhantomData }
        }

        /// The value, if there is one.
        #[inline]
        pub fn get(&self) -> Option<&T> {
            let value = self.place.load(Ordering::Acquire);
            // SAFETY: not null, it is a live box (see the invariant), which stays as long as `&self` does; the
            // acquire load makes what was written before the release store visible.
            let one = unsafe { value.as_ref() };
            one.map(|[value]| value)
        }

        /// The value, which is made if there is none; `None` without memory for it.
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
                // SAFETY: `new` is from `Box::into_raw` and owned by this from now on.
                Ok(_) => unsafe { &*new },
                Err(first) => {
                    // SAFETY: `new` is from `Box::into_raw`, was not put anywhere, and is dropped this once.
                    drop(unsafe { Box::from_raw(new) });
                    // SAFETY: the exchange failed, so `first` is not null; as in `get`.
                    unsafe { &*first }
                }
            }
        }

        /// The value, if there is one.
        #[inline]
        pub fn get_mut(&mut self) -> Option<&mut T> {
            // SAFETY: not null, it is a live box, and `&mut self` is the only way to it.
            let one = unsafe { self.place.get_mut().as_mut() };
            one.map(|[value]| value)
        }

        /// The value, if there is one.
        pub fn into_inner(mut self) -> Option<T> {
            let value = core::mem::replace(self.place.get_mut(), null_mut());
            (!value.is_null()).then(|| {
                // SAFETY: not null, it is from `Box::into_raw`; the place is null now, so nothing drops it again.
                let [value] = *unsafe { Box::from_raw(value) };
                value
            })
        }
    }

    impl<T> Drop for AtomicOnce<T> {
        fn drop(&mut self) {
            let value = *self.place.get_mut();
            if !value.is_null() {
                // SAFETY: from `Box::into_raw`, and nothing uses the place after this.
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

//! `Arc` and atomics: those of the standard library, or those of `portable-atomic` for processors without compare-and-swap.
//!
//! Rooms import them from here and nowhere else, so that the feature `portable-atomic` is a matter of this file. Kernels are
//! the exception: they exist for processors that have compare-and-swap.

pub(crate) use core::sync::atomic::Ordering;

#[cfg(not(feature = "portable-atomic"))]
#[allow(unused_imports, reason = "structs alone need fewer")]
pub(crate) use {
    alloc::sync::{Arc, Weak},
    core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize},
};
#[cfg(feature = "portable-atomic")]
#[allow(unused_imports, reason = "structs alone need fewer")]
pub(crate) use {
    portable_atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize},
    portable_atomic_util::{Arc, Weak},
};

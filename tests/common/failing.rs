//! A global allocator that fails the k-th allocation of a thread, and every one after it if it is told to.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

/// Goes through to the system's allocator until its time has come.
pub struct Failing;

#[derive(Clone, Copy)]
struct Plan {
    /// Allocations that succeed before the first that fails; none fails without.
    left: Option<usize>,
    /// All that follow fail too.
    for_good: bool,
    failed: usize,
}

const NONE: Plan = Plan { left: None, for_good: false, failed: 0 };

thread_local! {
    static PLAN: Cell<Plan> = const { Cell::new(NONE) };
}

fn fails() -> bool {
    let step = |cell: &Cell<Plan>| {
        let mut plan = cell.get();
        let fails = match plan.left {
            None => false,
            Some(0) => {
                plan.failed += 1;
                plan.left = plan.for_good.then_some(0);
                true
            }
            Some(left) => {
                plan.left = Some(left - 1);
                false
            }
        };
        cell.set(plan);
        fails
    };
    // A thread that ends may allocate when its plan is gone already.
    PLAN.try_with(step).unwrap_or(false)
}

// SAFETY: every method hands its arguments to `System`, whose contract is the same, or returns null, which says that
// there is no memory; deciding does not allocate, because the plan is in a const-initialised cell without a destructor.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's duty says.
        if fails() { null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's duty says.
        if fails() { null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller's duty says.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller's duty says.
        if fails() { null_mut() } else { unsafe { System.realloc(block, layout, size) } }
    }
}

/// Does the work with the allocation of number `k` failing, and all after it if `for_good`; says whether one did.
pub fn with_failure<T>(k: usize, for_good: bool, work: impl FnOnce() -> T) -> (T, bool) {
    PLAN.with(|cell| cell.set(Plan { left: Some(k), for_good, failed: 0 }));
    let result = work();
    let failed = PLAN.with(|cell| cell.replace(NONE)).failed;
    (result, failed > 0)
}

//! A global allocator that fails where a test wants it to. A test binary installs it with `#[global_allocator]`.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use super::heap::Counting;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

/// Fails on the threads that ask for it, and otherwise counts (`heap.rs`) what goes to the system's allocator.
pub struct Scarce;

/// Which allocations of this thread fail.
#[derive(Clone, Copy)]
enum Plan {
    None,
    /// So many succeed, one fails, and then all succeed.
    One(usize),
    /// So many succeed, and then all fail.
    Rest(usize),
}

thread_local! {
    static PLAN: Cell<Plan> = const { Cell::new(Plan::None) };
    static FAILED: Cell<bool> = const { Cell::new(false) };
    /// A size that never fails, for blocks whose owner cannot say so.
    static SPARED: Cell<Option<usize>> = const { Cell::new(None) };
}

fn fails(bytes: usize) -> bool {
    // A thread that ends may allocate when its cells are gone already.
    PLAN.try_with(|plan| {
        if SPARED.get() == Some(bytes) {
            return false;
        }
        let (next, fails) = match plan.get() {
            Plan::None => (Plan::None, false),
            Plan::One(0) => (Plan::None, true),
            Plan::Rest(0) => (Plan::Rest(0), true),
            Plan::One(left) => (Plan::One(left - 1), false),
            Plan::Rest(left) => (Plan::Rest(left - 1), false),
        };
        plan.set(next);
        if fails {
            FAILED.set(true);
        }
        fails
    })
    .unwrap_or(false)
}

// SAFETY: every method hands its arguments to `Counting`, whose contract is the same, and returns what it returns, or
// null, which says that there is no memory; a block that does not grow stays as it was.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's duty says.
        if fails(layout.size()) { std::ptr::null_mut() } else { unsafe { Counting.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's duty says.
        if fails(layout.size()) { std::ptr::null_mut() } else { unsafe { Counting.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller's duty says.
        unsafe { Counting.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && fails(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller's duty says.
        unsafe { Counting.realloc(block, layout, size) }
    }
}

/// Does the work with the allocation of number `k` failing, and all after it if `for_good`; says whether one did.
pub fn with_failure<T>(k: usize, for_good: bool, work: impl FnOnce() -> T) -> (T, bool) {
    FAILED.set(false);
    PLAN.set(if for_good { Plan::Rest(k) } else { Plan::One(k) });
    let result = work();
    PLAN.set(Plan::None);
    (result, FAILED.get())
}

/// Ends what [`with_failure`] has begun: no allocation fails any more. Panics allocate, and abort if they cannot.
pub fn no_more_failures() {
    PLAN.set(Plan::None);
}

/// The same, once, where blocks of one size never fail and do not count.
pub fn with_failure_sparing<T>(k: usize, size: usize, work: impl FnOnce() -> T) -> (T, bool) {
    SPARED.set(Some(size));
    let result = with_failure(k, false, work);
    SPARED.set(None);
    result
}

/// Does the work once for every allocation in it, which fails: alone, and with all that come after it. Each time `start` makes what the work is done
/// on, and `check` is given that, the result, and whether an allocation failed. Gives the number of allocations that
/// failed.
///
/// What aborts on a failed allocation ends the process, and so the test.
pub fn sweep<S, R>(
    mut start: impl FnMut() -> S,
    mut work: impl FnMut(&mut S) -> R,
    mut check: impl FnMut(S, R, bool),
) -> usize {
    let mut failures = 0;
    for for_good in [false, true] {
        for succeed in 0.. {
            let mut state = start();
            let (result, failed) = with_failure(succeed, for_good, || work(&mut state));
            check(state, result, failed);
            if !failed {
                break;
            }
            failures += 1;
        }
    }
    failures
}

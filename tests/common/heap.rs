//! A global allocator that counts, per thread: how much is held now and was held at most, and how many allocations
//! there were. A test binary installs it with `#[global_allocator]`.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what goes through to the system's allocator. A block that moves counts twice while it does.
pub struct Counting;

#[derive(Clone, Copy)]
struct Counters {
    held: usize,
    most: usize,
    count: usize,
}

thread_local! {
    static COUNTERS: Cell<Counters> = const { Cell::new(Counters { held: 0, most: 0, count: 0 }) };
}

/// An allocation that is to fail.
#[derive(Clone, Copy)]
struct Failure {
    /// How many come before it.
    after: usize,
    /// Sizes that never fail, for blocks whose owner cannot say so.
    spared: [usize; 2],
    happened: bool,
}

thread_local! {
    static FAILURE: Cell<Option<Failure>> = const { Cell::new(None) };
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// Whether this allocation fails.
fn fails(bytes: usize) -> bool {
    let fails = FAILURE.try_with(|cell| {
        let Some(mut failure) = cell.get() else { return false };
        let now = failure.after == 0 && !failure.happened && !failure.spared.contains(&bytes);
        failure.happened |= now;
        failure.after = failure.after.wrapping_sub(1);
        cell.set(Some(failure));
        now
    });
    fails.unwrap_or(false)
}

/// Does the work with one allocation failing, the first after this many; `None` if it was one of a size that is spared.
#[allow(dead_code, reason = "not every test fails")]
pub fn fail_after<T>(after: usize, spared: [usize; 2], work: impl FnOnce() -> T) -> Option<T> {
    FAILURE.with(|cell| cell.set(Some(Failure { after, spared, happened: false })));
    let result = work();
    let failure = FAILURE.with(Cell::take);
    failure.is_some_and(|failure| failure.happened).then_some(result)
}

/// The size of the last allocation of this thread.
#[allow(dead_code, reason = "not every test fails")]
pub fn last_size() -> usize {
    LAST.with(Cell::get)
}

fn taken(bytes: usize) {
    let _ = LAST.try_with(|last| last.set(bytes));
    // A thread that ends may allocate when its counters are gone already.
    let _ = COUNTERS.try_with(|cell| {
        let mut counters = cell.get();
        counters.held += bytes;
        counters.most = counters.most.max(counters.held);
        counters.count += 1;
        cell.set(counters);
    });
}

fn given_back(bytes: usize) {
    let _ = COUNTERS.try_with(|cell| {
        let mut counters = cell.get();
        counters.held = counters.held.saturating_sub(bytes);
        cell.set(counters);
    });
}

// SAFETY: every method hands its arguments to `System`, whose contract is the same, and returns what it returns, or
// null, which stands for a failure;
// counting does not allocate, because the counters are in a const-initialised cell without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return core::ptr::null_mut();
        }
        taken(layout.size());
        // SAFETY: as the caller's duty says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return core::ptr::null_mut();
        }
        taken(layout.size());
        // SAFETY: as the caller's duty says.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: as the caller's duty says.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if fails(size) {
            return core::ptr::null_mut();
        }
        taken(size);
        given_back(layout.size());
        // SAFETY: as the caller's duty says.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// What a piece of work took from the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Most bytes held at any moment, beyond those held before.
    pub peak: usize,
    /// Bytes still held afterwards, by the result for example.
    pub kept: usize,
    /// Number of allocations, growing ones included.
    pub count: usize,
}

/// Does the work and measures it.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Use) {
    let before = COUNTERS.with(|cell| {
        let counters = cell.get();
        cell.set(Counters { most: counters.held, ..counters });
        counters
    });
    let result = work();
    let after = COUNTERS.with(Cell::get);
    let peak = after.most - before.held;
    let kept = after.held.saturating_sub(before.held);
    (result, Use { peak, kept, count: after.count - before.count })
}

/// The bytes that this thread holds now.
#[allow(dead_code, reason = "not every test asks")]
pub fn held() -> usize {
    COUNTERS.with(|cell| cell.get().held)
}

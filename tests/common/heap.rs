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

fn taken(bytes: usize) {
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

// SAFETY: every method hands its arguments to `System`, whose contract is the same, and returns what it returns;
// counting does not allocate, because the counters are in a const-initialised cell without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: as the caller's duty says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
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

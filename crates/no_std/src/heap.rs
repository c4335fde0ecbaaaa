//! An allocator that never frees: enough for one round, on a processor with one core. A real program has a better one.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

const SIZE: usize = 8192;

struct Bump {
    memory: UnsafeCell<[u8; SIZE]>,
    used: UnsafeCell<usize>,
}

// SAFETY: the program has one thread, and no interrupt allocates.
unsafe impl Sync for Bump {}

// SAFETY: each block is in `memory`, aligned as asked, and overlaps no other, for `used` only grows.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = self.memory.get().cast::<u8>();
        // SAFETY: one thread, so this is the only reference.
        let used = unsafe { &mut *self.used.get() };
        let padding = start.wrapping_add(*used).align_offset(layout.align());
        let end = used.saturating_add(padding).saturating_add(layout.size());
        if end > SIZE {
            return null_mut();
        }
        *used = end;
        start.wrapping_add(end - layout.size())
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static HEAP: Bump = Bump { memory: UnsafeCell::new([0; SIZE]), used: UnsafeCell::new(0) };

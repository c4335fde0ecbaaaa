//! A global allocator that keeps what is freed, in lists by size, and gives nothing back to the system: what it costs
//! to touch new memory does not show in times.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::Mutex;

/// The first free block of each power of two; a free block begins with the address of the next one.
pub struct Keeping(Mutex<[usize; 48]>);

/// Blocks of at least this size and of this alignment.
const LEAST: usize = 16;

impl Keeping {
    pub const fn new() -> Self {
        Self(Mutex::new([0; 48]))
    }
}

/// The list of the layout and the size of its blocks, if it is one that is kept.
fn class(layout: Layout) -> Option<(usize, Layout)> {
    let size = layout.size().max(LEAST).checked_next_power_of_two()?;
    let class = size.trailing_zeros() as usize;
    let block = Layout::from_size_align(size, LEAST).ok()?;
    (layout.align() <= LEAST && class < 48).then_some((class, block))
}

// SAFETY: a block that is handed out is one of `System`, of the size of its class, which is at least that of the layout, and
// aligned to `LEAST`, which is enough for the layout; while it is in a list no caller has it, and a lock guards
// the lists. Layouts without a class go through to `System` both ways.
unsafe impl GlobalAlloc for Keeping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((class, block)) = class(layout) else {
            // SAFETY: as the caller's duty says.
            return unsafe { System.alloc(layout) };
        };
        let Ok(mut lists) = self.0.lock() else { return null_mut() };
        match lists[class] {
            // SAFETY: the block is not of size 0.
            0 => unsafe { System.alloc(block) },
            first => {
                let first = first as *mut usize;
                // SAFETY: a free block of this list, which holds the address of the next one.
                lists[class] = unsafe { first.read() };
                first.cast()
            }
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        let Some((class, _)) = class(layout) else {
            // SAFETY: as the caller's duty says.
            return unsafe { System.dealloc(start, layout) };
        };
        if let Ok(mut lists) = self.0.lock() {
            // SAFETY: the block is given back, is `LEAST` bytes long or more, and aligned to that.
            unsafe { start.cast::<usize>().write(lists[class]) };
            lists[class] = start as usize;
        }
    }
}

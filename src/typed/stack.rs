//! How much of the stack a decode has used.
//!
//! Structs recurse. That they do so at most 100 levels says nothing about bytes: a frame is as large as what its message
//! has. So the bytes are bounded too, by the addresses of locals; what would need more is refused as too deep.

use core::ptr;

/// Most stack that a decode of structs uses, in bytes. Optimised, 100 levels of structs of 16 bytes to 11 KB take up to
/// 138 KB, so this refuses none of these, and leaves room on stacks of 512 KB. Without optimisation they take up to 366 KB.
///
/// It is no option: callers cannot know how large frames are. It measures addresses and does not estimate from the sizes of
/// types, since an estimate that is too low would be an overflow, and a measure is right whatever the compiler does. The
/// price is that a struct may be refused where locals are not on the stack of their thread.
pub(super) const LIMIT: usize = if cfg!(debug_assertions) { 1 << 20 } else { 1 << 18 };

/// Where the stack was when a decode began.
#[derive(Clone, Copy)]
pub(super) struct StackBound(usize);

impl StackBound {
    #[inline(always)]
    pub(super) fn here() -> Self {
        let local = 0_u8;
        Self(ptr::from_ref(&local).addr())
    }

    /// Whether less than [`LIMIT`] has been used since; stacks grow downwards nearly everywhere, and upwards is as well.
    #[inline(always)]
    pub(super) fn has_room(self) -> bool {
        self.0.abs_diff(Self::here().0) < LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn down(start: StackBound, levels: usize) -> usize {
        let frame = core::hint::black_box([levels as u8; 1024]);
        if start.has_room() && levels < 10_000 {
            down(start, levels + 1) + usize::from(frame[3] & 1)
        } else {
            levels
        }
    }

    #[test]
    fn frames_of_a_kilobyte_are_counted() {
        let thread = std::thread::Builder::new().stack_size(4 << 20);
        let levels = thread.spawn(|| down(StackBound::here(), 0)).unwrap().join().unwrap();
        // Compilers may make two levels one frame; without the bound the thread would overflow.
        assert!((60..4 * LIMIT / 1024).contains(&levels), "{levels}");
    }
}

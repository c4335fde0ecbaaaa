//! A bound on the bytes of stack that a decode uses.
//!
//! Decoding structs recurses, at most 100 levels. The frame of a level depends on its message, so the bytes are bounded too,
//! by comparing the addresses of local variables. An input that needs more is too deep.

use core::ptr;

/// The most stack that a decode uses, in bytes.
///
/// With optimization, 100 levels of structs of 16 bytes to 11 KB take up to 138 KB, without it up to 366 KB. Both
/// bounds accept these: 256 KiB in release builds, 1 MiB with debug assertions.
///
/// It is not an option, because callers cannot know the size of frames. Addresses are measured, since an estimate from the
/// sizes of types could be too low, and then the stack overflows. Where locals are not on the stack of the thread, as with
/// some sanitizers, a valid input may be refused.
pub(in crate::structs) const LIMIT: usize = if cfg!(debug_assertions) { 1 << 20 } else { 1 << 18 };

/// The position of the stack at the start of a decode.
#[derive(Clone, Copy)]
pub(in crate::structs) struct StackBound(usize);

impl StackBound {
    #[inline(always)]
    pub(in crate::structs) fn here() -> Self {
        let local = 0_u8;
        Self(ptr::from_ref(&local).addr())
    }

    /// Whether less than [`LIMIT`] has been used since. The direction in which the stack grows does not matter.
    #[inline(always)]
    pub(in crate::structs) fn has_room(self) -> bool {
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
        // Compilers may merge two levels into one frame. Without the bound the stack of 4 MiB overflows.
        assert!((60..4 * LIMIT / 1024).contains(&levels), "{levels}");
    }
}

//! Prefetching: asks for memory before it is needed.
//!
//! An encoder that goes through many messages finds most of them outside the near caches, and each of its reads waits for the
//! one before: presence bits, then slots, then the strings that they refer to. Prefetched together, they arrive together: flat
//! messages 256 to 106 ns each.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Prefetches so many lines from the start of a slice on, whether it is that long or not: without a loop that ends with the slice,
/// this takes a few instructions.
#[inline(always)]
pub(crate) fn prefetch<const LINES: usize, T>(slice: &[T]) {
    for line in 0..LINES {
        prefetch_line(slice.as_ptr().wrapping_byte_add(line * LINE));
    }
}

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[inline(always)]
fn prefetch_line<T>(at: *const T) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch is a hint that cannot fault, whatever the address; SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}

/// Does nothing: no such instruction, or the safe twin.
#[cfg(any(not(target_arch = "x86_64"), tablepb_safe))]
#[inline(always)]
fn prefetch_line<T>(_: *const T) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changes() {
        let bytes = [7_u8; 200];
        for len in 0..200 {
            prefetch::<4, _>(&bytes[..len]);
        }
        prefetch::<8, _>(&[1_u32; 50]);
        prefetch::<1, [u8; 100]>(&[]);
        assert!(bytes.iter().all(|&byte| byte == 7));
    }
}

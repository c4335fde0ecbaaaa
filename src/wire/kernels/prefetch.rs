//! Asking for memory before it is needed.
//!
//! An encoder that goes through many messages finds most of them in no cache that is near, and its reads come one behind
//! the other: presence bits, then slots, then the strings that they refer to. Asked for together, they arrive together.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Asks for all of a slice; whoever calls keeps it short.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T]) {
    for line in slice.chunks(LINE / size_of::<T>().clamp(1, LINE)) {
        prefetch_line(line.as_ptr());
    }
}

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[inline(always)]
fn prefetch_line<T>(at: *const T) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing, whatever the address, and SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}

/// Where there is no such instruction, and in the safe twin.
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
            prefetch(&bytes[..len]);
        }
        prefetch(&[1_u32; 50]);
        prefetch::<[u8; 100]>(&[]);
        assert!(bytes.iter().all(|&byte| byte == 7));
    }
}

//! The windows of `portable`, with the bits of a value put together by one instruction.

use super::element::{Progress, VarintForm};
use super::portable;
use core::arch::x86_64::{_mm256_loadu_si256, _mm256_movemask_epi8, _pext_u64};

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn decode<const N: usize, F: VarintForm>(
    buf: &[u8],
    end: usize,
    at: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    portable::windows::<N, F>(
        buf,
        end,
        at,
        out,
        |window| continuation(window),
        |word, keep| _pext_u64(word, keep),
    )
}

#[target_feature(enable = "avx2")]
#[inline]
fn continuation(window: &[u8; 64]) -> u64 {
    let (halves, _) = window.as_chunks::<32>();
    halves.iter().enumerate().fold(0, |mask, (i, half)| {
        // SAFETY: 32 bytes are read from an array of 32; the load needs no alignment.
        let half = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
        mask | u64::from(_mm256_movemask_epi8(half) as u32) << (32 * i)
    })
}

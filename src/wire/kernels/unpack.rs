//! Packed runs of varints, decoded: counted, then decoded by the best kernel.

use super::dispatch::{self, Kernel};
use super::element::{Progress, VarintForm, element};
use super::portable;
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
use super::{avx2, avx512};
use crate::wire::read::raw::count_varints;
use crate::wire::varint::{CONTINUATION, gather};

/// A run of one to eight bytes that ends with a whole varint: its bytes as one word, zeros after them, and the number of
/// values. A register holds all of it, so such a run needs no kernel.
#[inline(always)]
pub(crate) fn short(buf: &[u8], pos: usize, end: usize) -> Option<(u64, usize)> {
    let bytes = *buf.get(pos..)?.first_chunk::<8>()?;
    let len = end.wrapping_sub(pos);
    if !(1..=8).contains(&len) {
        return None;
    }
    let unused = 64 - 8 * len as u32;
    let run = u64::from_le_bytes(bytes) << unused >> unused;
    let ends = !run & CONTINUATION & (u64::MAX >> unused);
    (ends >> (63 - unused) != 0).then_some((run, ends.count_ones() as usize))
}

/// Decodes a run of [`short`] into as many elements.
#[inline(always)]
pub(crate) fn decode_short<const N: usize, F: VarintForm>(run: u64, out: &mut [[u32; N]]) {
    if run & CONTINUATION == 0 {
        for (words, byte) in out.iter_mut().zip(run.to_le_bytes()) {
            *words = element::<N, F>(byte.into());
        }
        return;
    }
    let mut rest = run;
    for words in out {
        let ends = !rest & CONTINUATION;
        // Every element has a byte that ends it, so `ends` is not 0.
        let upto = ends ^ ends.wrapping_sub(1);
        *words = element::<N, F>(gather(rest & upto));
        rest = rest >> 7 >> ((upto.count_ones() - 7) & 63);
    }
}

/// The number of varints that end in `buf[pos..end]`: the bytes without continuation bit.
///
/// Reads may go beyond `end`, which is at most the length of `buf`.
#[inline]
pub(crate) fn count(buf: &[u8], pos: usize, end: usize) -> usize {
    let kernel = dispatch::kernel();
    if end.saturating_sub(pos) < kernel.min_len() {
        portable::count(buf, pos, end)
    } else {
        count_long(kernel, buf, pos, end)
    }
}

#[inline(never)]
pub(super) fn count_long(kernel: Kernel, buf: &[u8], pos: usize, end: usize) -> usize {
    match kernel {
        // SAFETY: the proof in the kernel says that the processor has AVX-512 F and BW and POPCNT.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx512(_) => unsafe { avx512::count(buf.get(pos..end).unwrap_or_default()) },
        _ if end - pos < 128 => portable::count(buf, pos, end),
        _ => count_varints(buf.get(pos..end).unwrap_or_default()),
    }
}

/// Decodes varints from `pos` on until `out` is full, or up to one that is at fault or does not end before `end`.
///
/// Reads may go beyond `end`, which is at most the length of `buf`. Elements have one or two words.
#[inline]
pub(crate) fn decode<const N: usize, F: VarintForm>(
    buf: &[u8],
    pos: usize,
    end: usize,
    out: &mut [[u32; N]],
) -> Progress {
    let (kernel, start) = (dispatch::kernel(), Progress { done: 0, pos });
    if end.saturating_sub(pos) < kernel.min_len() {
        portable::one_by_one::<N, F>(buf, end, start, out)
    } else {
        long::<N, F>(kernel, buf, end, start, out)
    }
}

/// As [`decode`], but stops wherever the kernel does, if it has decoded anything: one needs room for a whole window of values,
/// and the last of the room would be filled value by value.
#[inline(never)]
pub(crate) fn decode_some<const N: usize, F: VarintForm>(
    buf: &[u8],
    pos: usize,
    end: usize,
    out: &mut [[u32; N]],
) -> Progress {
    let (kernel, start) = (dispatch::kernel(), Progress { done: 0, pos });
    if end.saturating_sub(pos) >= kernel.min_len() {
        let at = many::<N, F>(kernel, buf, end, start, out);
        if at.done != 0 {
            return at;
        }
    }
    portable::one_by_one::<N, F>(buf, end, start, out)
}

#[inline(never)]
pub(super) fn long<const N: usize, F: VarintForm>(
    kernel: Kernel,
    buf: &[u8],
    end: usize,
    start: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    let at = many::<N, F>(kernel, buf, end, start, out);
    portable::one_by_one::<N, F>(buf, end, at, out)
}

/// Runs the kernel, which may leave values to `one_by_one`.
pub(super) fn many<const N: usize, F: VarintForm>(
    kernel: Kernel,
    buf: &[u8],
    end: usize,
    start: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    #[cfg(test)]
    dispatch::last::RAN.set(Some(kernel));
    match kernel {
        // SAFETY: the proof in the kernel says that the processor has its instructions.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx512(_) => unsafe { avx512::decode::<N, F>(buf, end, start, out) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx2(_) => unsafe { avx2::decode::<N, F>(buf, end, start, out) },
        Kernel::Portable => portable::decode::<N, F>(buf, end, start, out),
    }
}

/// Whether the best kernel was called on this thread, since the last time that was asked.
#[cfg(test)]
pub(crate) fn best_has_run() -> bool {
    dispatch::last::RAN.take() == Some(dispatch::kernel())
}

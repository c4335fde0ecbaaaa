//! Packed runs of varints, many values at a time.
//!
//! [`decode`] looks at 64 bytes at once: one bit per byte tells where values end, and the values between are taken
//! out without a branch that depends on their lengths, which is what makes decoding one by one slow when they vary.
//!
//! | kernel | needs | a window of 64 bytes |
//! |---|---|---|
//! | `avx512` | AVX-512 VBMI2 | 16 (or 8) values per step, by byte permutation and two multiplications |
//! | `avx2` | AVX2 and a fast BMI2 | as `portable`, bits put together by one instruction |
//! | `neon` | aarch64 | 16 values of one byte, 8 of two, 4 (or 2) longer ones per step, by byte permutations and shifts |
//! | `portable` | nothing | one value per step, bits put together by shifts |
//!
//! The other way, `pack` encodes runs; only AVX-512 has a kernel for that (`pack512`).
//!
//! Very short runs are decoded one by one ([`Kernel::least`]). Kernels are free to stop early, in front of anything that they
//! do not like; what they leave is decoded one by one too, so there is one place that finds faults.
//!
//! Invariant: whatever the bytes, nothing outside of the slices given is touched, and all kernels stop at the same
//! value with the same words written. Called by `decode`.

#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
mod avx512;
mod bits;
mod choice;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little", not(tablepb_safe)))]
mod neon;
mod pack;
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
mod pack512;
mod portable;
mod prefetch;
#[cfg(test)]
mod tests;

pub(crate) use bits::{AnyBits, Bits, Work, with_bits};
pub(crate) use pack::{LEAST, Packs, Signed, pack, packed_len};
pub(crate) use prefetch::prefetch;

use super::varint::{CONTINUATION, gather, unzigzag32, unzigzag64};
use choice::Kernel;

/// Where a kernel stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Number of values decoded.
    pub(crate) done: usize,
    /// The position behind them.
    pub(crate) pos: usize,
}

/// What a varint stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Plain,
    Zigzag,
    Bool,
}

/// The type of the elements, as far as it matters here.
pub(crate) trait Form {
    #[doc(hidden)]
    const MEANING: Meaning;
}

macro_rules! forms {
    ($(#[$doc:meta] $form:ident;)*) => {$(
        #[$doc]
        pub(crate) enum $form {}

        impl Form for $form {
            const MEANING: Meaning = Meaning::$form;
        }
    )*};
}

forms! {
    /// The low bits as they are.
    Plain;
    /// Zigzag, of 32 or 64 bits as the element has words.
    Zigzag;
    /// 0 or 1.
    Bool;
}

/// An element as it is kept: in one word, truncated to 32 bits, or in two, low word first.
#[inline(always)]
fn element<const N: usize, F: Form>(varint: u64) -> [u32; N] {
    let value = match F::MEANING {
        Meaning::Plain => varint,
        Meaning::Zigzag if N == 1 => unzigzag32(varint as u32) as u64,
        Meaning::Zigzag => unzigzag64(varint) as u64,
        Meaning::Bool => u64::from(varint != 0),
    };
    core::array::from_fn(|word| (value >> (32 * word)) as u32)
}

/// A run of at most eight bytes that ends with a whole varint, in one word with zeros behind it, and how many values it
/// has.
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
pub(crate) fn decode_short<const N: usize, F: Form>(run: u64, out: &mut [[u32; N]]) {
    if run & CONTINUATION == 0 {
        for (words, byte) in out.iter_mut().zip(run.to_le_bytes()) {
            *words = element::<N, F>(byte.into());
        }
        return;
    }
    let mut rest = run;
    for words in out {
        let ends = !rest & CONTINUATION;
        // There is one for each element, the last one in the highest byte at the latest.
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
    let kernel = choice::kernel();
    if end.saturating_sub(pos) < kernel.least() {
        portable::count(buf, pos, end)
    } else {
        count_long(kernel, buf, pos, end)
    }
}

#[inline(never)]
fn count_long(kernel: Kernel, buf: &[u8], pos: usize, end: usize) -> usize {
    match kernel {
        // SAFETY: what the kernel holds proves that the processor has its instructions; those of `count` are among
        // them.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx512(_) => unsafe { avx512::count(buf.get(pos..end).unwrap_or_default()) },
        #[cfg(all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little",
            not(tablepb_safe)
        ))]
        // SAFETY: as above.
        Kernel::Neon(_) if end - pos >= 64 => unsafe { neon::count(buf.get(pos..end).unwrap_or_default()) },
        _ if end - pos < 128 => portable::count(buf, pos, end),
        _ => super::count_varints(buf.get(pos..end).unwrap_or_default()),
    }
}

/// Decodes varints from `pos` on until `out` is full, or up to one that is at fault or does not end before `end`.
///
/// Reads may go beyond `end`, which is at most the length of `buf`. Elements have one or two words.
#[inline]
pub(crate) fn decode<const N: usize, F: Form>(
    buf: &[u8],
    pos: usize,
    end: usize,
    out: &mut [[u32; N]],
) -> Progress {
    let (kernel, start) = (choice::kernel(), Progress { done: 0, pos });
    if end.saturating_sub(pos) < kernel.least() {
        portable::one_by_one::<N, F>(buf, end, start, out)
    } else {
        long::<N, F>(kernel, buf, end, start, out)
    }
}

#[inline(never)]
fn long<const N: usize, F: Form>(
    kernel: Kernel,
    buf: &[u8],
    end: usize,
    start: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    let at = many::<N, F>(kernel, buf, end, start, out);
    portable::one_by_one::<N, F>(buf, end, at, out)
}

/// What a kernel does, without the values that it leaves.
fn many<const N: usize, F: Form>(
    kernel: Kernel,
    buf: &[u8],
    end: usize,
    start: Progress,
    out: &mut [[u32; N]],
) -> Progress {
    #[cfg(test)]
    tests::RAN.set(Some(kernel));
    match kernel {
        // SAFETY: what the kernel holds proves that the processor has its instructions.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx512(_) => unsafe { avx512::decode::<N, F>(buf, end, start, out) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx2(_) => unsafe { avx2::decode::<N, F>(buf, end, start, out) },
        #[cfg(all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little",
            not(tablepb_safe)
        ))]
        // SAFETY: as above.
        Kernel::Neon(_) => unsafe { neon::decode::<N, F>(buf, end, start, out) },
        Kernel::Portable => portable::decode::<N, F>(buf, end, start, out),
    }
}

/// Whether the best kernel was called on this thread, since the last time that was asked.
#[cfg(test)]
pub(crate) fn best_has_run() -> bool {
    tests::RAN.take() == Some(choice::kernel())
}

//! Packed runs of varints, many values at a time.
//!
//! [`decode`] looks at 64 bytes at once. One bit per byte tells where values end, and the kernel extracts the values without a branch
//! on their lengths. That branch makes decoding one by one slow where lengths vary.
//!
//! | kernel | needs | a window of 64 bytes |
//! |---|---|---|
//! | `avx512` | AVX-512 VBMI2 | 16 (or 8) values per step, by byte permutation and two multiplications |
//! | `avx2` | AVX2 and a fast BMI2 | as `portable`, bits put together by one instruction |
//! | `portable` | nothing | one value per step, bits put together by shifts |
//!
//! The other way, `pack` encodes runs; only AVX-512 has a kernel for that (`pack512`).
//!
//! Very short runs are decoded one by one (`Kernel::min_len`). A kernel may stop before any value
//! that it does not handle; the rest is decoded one by one too, so one place finds faults.
//!
//! Invariant: whatever the bytes, a kernel touches nothing outside its slices, and all kernels end at the same value with the
//! same words written.
//!
//! A new kernel: a file here with its `decode`, a proof and a variant of `Kernel` in `dispatch.rs`, an arm in `unpack.rs`, and a
//! row in `docs/unsafe.md`. `tests.rs` compares every kernel that the processor has with the definition.

#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
mod avx512;
mod dispatch;
mod element;
mod pack;
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
mod pack512;
mod portable;
mod prefetch;
mod task;
#[cfg(test)]
mod tests;
mod unpack;

pub use dispatch::has_fast_pext;
pub(crate) use element::{Bool, Packs, Plain, Progress, Signed, VarintForm, Zigzag};
pub(crate) use pack::{MIN_PACK_LEN, pack, packed_len};
pub(crate) use prefetch::prefetch;
pub(crate) use task::{BestBits, Bits, CpuCall, CpuTask, with_best_cpu};
#[cfg(test)]
pub(crate) use unpack::best_has_run;
pub(crate) use unpack::{count, decode, decode_short, decode_some, short};

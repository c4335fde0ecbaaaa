//! Packed runs of varints, encoded: their length, and their bytes.
//!
//! With AVX-512 VBMI2, sixteen values (or eight of 64 bits) are spread to four (or eight) bytes each, and one instruction
//! compresses the bytes that count: no branch depends on the lengths. Elsewhere blocks of values of one byte each are written together, and
//! all others one value at a time, with the same result.

use super::dispatch;
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
use super::dispatch::Kernel;
use super::element::{Packing, Packs, one_by_one, varint};
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
use super::pack512;
use crate::wire::{Cursor, varint_len, zigzag32};

/// Runs with fewer elements are encoded one value at a time.
pub(crate) const MIN_PACK_LEN: usize = 8;

/// Values that are looked at together, without AVX-512. Runs with fewer are encoded one value at a time, inlined.
const BLOCK: usize = 16;

/// The length of a run in bytes.
#[inline]
pub(crate) fn packed_len<const N: usize, P: Packs>(run: &[[u32; N]]) -> u64 {
    match dispatch::kernel() {
        // SAFETY: the proof in the kernel says that the processor has these instructions.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx512(_) if run.len() >= MIN_PACK_LEN => unsafe { pack512::packed_len::<N, P>(run) },
        _ if run.len() >= BLOCK => len_of_blocks::<N, P>(run),
        _ => len_one_by_one::<N, P>(run),
    }
}

#[inline(always)]
fn len_one_by_one<const N: usize, P: Packs>(run: &[[u32; N]]) -> u64 {
    run.iter().map(|words| varint_len(varint::<N, P>(words)) as u64).sum()
}

#[inline(never)]
fn len_of_blocks<const N: usize, P: Packs>(run: &[[u32; N]]) -> u64 {
    let (blocks, rest) = run.as_chunks::<BLOCK>();
    let blocks = blocks.iter().map(|block| match bytes::<N, P>(block) {
        Some(bytes) => bytes.len() as u64,
        // Comparisons have no branch and are done in registers of several words; counting leading zeros is not.
        None if N == 1 => block.iter().map(len_of_word::<N, P>).sum::<u32>().into(),
        None => len_one_by_one::<N, P>(block),
    });
    blocks.sum::<u64>() + len_one_by_one::<N, P>(rest)
}

#[inline(always)]
fn len_of_word<const N: usize, P: Packs>(words: &[u32; N]) -> u32 {
    let value = one_word::<N, P>(words);
    let more = [7, 14, 21, 28].map(|bits| u32::from(value >= 1 << bits));
    let negative = P::PACKING == Packing::Signed && (value as i32) < 0;
    // Ten bytes rather than five.
    1 + more.iter().sum::<u32>() + if negative { 5 } else { 0 }
}

/// The value of an element of one word; of a signed one, the low half.
#[inline(always)]
fn one_word<const N: usize, P: Packs>(words: &[u32; N]) -> u32 {
    match P::PACKING {
        Packing::Zigzag => zigzag32(words[0] as i32),
        Packing::Plain | Packing::Signed => words[0],
    }
}

/// The bytes of values that have one each, if all of them do.
#[inline(always)]
fn bytes<const N: usize, P: Packs>(block: &[[u32; N]; BLOCK]) -> Option<[u8; BLOCK]> {
    // Plain loops: arrays that are mapped took seven nanoseconds for each value without LTO.
    let mut bytes = [0; BLOCK];
    if N == 1 {
        let all = block.iter().fold(0, |all, words| all | one_word::<N, P>(words));
        bytes.iter_mut().zip(block).for_each(|(byte, words)| *byte = one_word::<N, P>(words) as u8);
        return (all < 0x80).then_some(bytes);
    }
    let all = block.iter().fold(0, |all, words| all | varint::<N, P>(words));
    bytes.iter_mut().zip(block).for_each(|(byte, words)| *byte = varint::<N, P>(words) as u8);
    (all < 0x80).then_some(bytes)
}

/// Writes a run.
#[inline]
pub(crate) fn pack<const N: usize, P: Packs>(run: &[[u32; N]], out: &mut Cursor<'_>) {
    #[cfg(test)]
    dispatch::last::RAN.set(Some(dispatch::kernel()));
    match dispatch::kernel() {
        // SAFETY: the proof in the kernel says that the processor has these instructions.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx512(_) if run.len() >= MIN_PACK_LEN => unsafe { pack512::pack::<N, P>(run, out) },
        _ if run.len() >= BLOCK => pack_blocks::<N, P>(run, out),
        _ => one_by_one::<N, P>(run, out),
    }
}

/// Writes a run by blocks: sixteen bytes at once, or value by value.
#[inline(never)]
fn pack_blocks<const N: usize, P: Packs>(run: &[[u32; N]], out: &mut Cursor<'_>) {
    // In registers: it comes by reference.
    let mut cursor = out.take();
    let (blocks, rest) = run.as_chunks::<BLOCK>();
    let mut blocks = blocks.iter();
    while let Some(block) = blocks.next() {
        match bytes::<N, P>(block) {
            // False if there is no room for it, and nothing else will have room either.
            Some(bytes) if cursor.put_first(bytes, BLOCK) => {}
            Some(_) => cursor.fail(),
            None => {
                one_by_one::<N, P>(block, &mut cursor);
                // The next one is likely to be of the same kind.
                if let Some(next) = blocks.next() {
                    one_by_one::<N, P>(next, &mut cursor);
                }
            }
        }
    }
    one_by_one::<N, P>(rest, &mut cursor);
    *out = cursor;
}

#[cfg(test)]
mod tests {
    use super::super::{Plain, Signed, Zigzag};
    use super::*;
    use crate::wire::varint::tests::{edges, reference};
    use alloc::{vec, vec::Vec};

    fn check<const N: usize, P: Packs>(run: &[[u32; N]]) {
        let expected: Vec<u8> = run.iter().flat_map(|words| reference(varint::<N, P>(words))).collect();
        assert_eq!(packed_len::<N, P>(run), expected.len() as u64, "{run:?}");
        // What machines without AVX-512 use.
        assert_eq!(len_of_blocks::<N, P>(run), expected.len() as u64, "{run:?}");
        // Exactly the room, more, and less.
        for room in [expected.len(), expected.len() + 100, expected.len().saturating_sub(1)] {
            for write in [pack::<N, P>, pack_blocks::<N, P>] {
                let mut memory = vec![0xee; room];
                let mut cursor = Cursor::over(&mut memory);
                write(run, &mut cursor);
                match cursor.finish() {
                    Ok(written) => assert_eq!(written.as_slice(), expected),
                    Err(_) => assert!(room < expected.len()),
                }
            }
        }
    }

    fn check_all(values: &[u64]) {
        let words: Vec<[u32; 1]> = values.iter().map(|&value| [value as u32]).collect();
        let pairs: Vec<[u32; 2]> = values.iter().map(|&value| [value as u32, (value >> 32) as u32]).collect();
        check::<1, Plain>(&words);
        check::<1, Signed>(&words);
        check::<1, Zigzag>(&words);
        check::<2, Plain>(&pairs);
        check::<2, Zigzag>(&pairs);
    }

    #[test]
    fn every_length_of_run_and_of_value() {
        let edges: Vec<u64> = edges().collect();
        for len in (0..70).chain([255, 256, 257]).step_by(if cfg!(miri) { 23 } else { 1 }) {
            if cfg!(miri) && len > 70 {
                continue;
            }
            for shift in [0, 7, 31] {
                check_all(&edges.iter().cycle().skip(shift * len).take(len).copied().collect::<Vec<_>>());
            }
        }
        // Runs of values that are alike, with another one at every place.
        let steps = if cfg!(miri) { 15 } else { 1 };
        for bits in [0, 6, 7, 13, 14, 20, 21, 27, 28, 31, 35, 48, 55, 56, 62, 63].into_iter().step_by(steps) {
            for place in (0..33).step_by(if cfg!(miri) { 32 } else { 1 }) {
                let mut values = [(1_u64 << bits) - 1; 33];
                check_all(&values);
                values[place] = 1 << bits;
                check_all(&values);
                values[place] = u64::MAX;
                check_all(&values);
            }
        }
    }

    /// Eight values, the least that a kernel takes, each of every length; then among others.
    #[test]
    fn every_combination_of_lengths_in_eight_values() {
        let step = match (cfg!(miri), cfg!(debug_assertions)) {
            (true, _) => 80_021,
            (false, true) => 1_009,
            (false, false) => 1,
        };
        for combination in (0..5_u32.pow(8)).step_by(step) {
            let bits = |i: u32| 7 * (combination / 5_u32.pow(i) % 5 + 1);
            // The largest of its length: in 32 bits one to five bytes, and in 64 bits, shifted, six to ten.
            let values: Vec<u64> = (0..8).map(|i| (1_u64 << bits(i)) - 1).collect();
            let words: Vec<[u32; 1]> = values.iter().map(|&value| [value as u32]).collect();
            check::<1, Plain>(&words);
            check::<1, Zigzag>(&words);
            let long = |i: usize, value: u64| if i.is_multiple_of(2) { value } else { value << 28 | 1 << 35 };
            let pairs = values.iter().enumerate().map(|(i, &value)| long(i, value));
            let pairs: Vec<[u32; 2]> = pairs.map(|value| [value as u32, (value >> 32) as u32]).collect();
            check::<2, Plain>(&pairs);
            let more: Vec<[u32; 1]> = words.iter().chain(&words).chain(&words[..5]).copied().collect();
            check::<1, Signed>(&more);
        }
    }

    #[test]
    fn the_best_kernel_runs() {
        pack::<1, Plain>(&[[1]; 20], &mut Cursor::over(&mut [0; 20]));
        assert!(super::super::best_has_run());
    }
}

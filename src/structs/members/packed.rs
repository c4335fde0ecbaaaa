//! Packed runs of numbers, `bool` and enums.
//!
//! The kernels of `wire` read and write words of 32 bits. Values are converted through a buffer of 256 words, which the
//! compiler vectorizes.

use super::field::ScalarValue;
use crate::schema::table::TableKind;
use crate::structs::decode::input::Input;
use crate::structs::grammar::kinds::ScalarKind;
use crate::wire::error::DecodeErrorKind;
use crate::wire::read::raw;
use crate::wire::{Cursor, WireType, kernels, varint_len};
use alloc::vec::Vec;

/// The values decoded at once, in long runs and in short ones. Short runs clear a smaller buffer.
const STEP: usize = 256;
const SHORT: usize = 16;

/// Appends a packed run. Varints are counted first, so the list grows once and only for values that are present.
#[inline]
pub(in crate::structs) fn merge_packed<'i, K: ScalarKind, T: ScalarValue<K>>(
    list: &mut Vec<T>,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    let Some((run, end)) = input.bytes(pos) else { return input.at_index(list.len()) };
    input.pos = end;
    let start = end - run.len();
    match K::WIRE {
        WireType::Fixed32 => {
            fixed::<4, K, T>(list, run, end, input, |bytes| u32::from_le_bytes(bytes).into())
        }
        WireType::Fixed64 => fixed::<8, K, T>(list, run, end, input, u64::from_le_bytes),
        _ => varints(list, bits >> 3, start, end, input),
    }
}

fn fixed<const N: usize, K: ScalarKind, T: ScalarValue<K>>(
    list: &mut Vec<T>,
    run: &[u8],
    end: usize,
    input: &mut Input<'_>,
    bits: fn([u8; N]) -> u64,
) -> usize {
    let (values, rest) = run.as_chunks::<N>();
    if !rest.is_empty() {
        return input.fault_in(list.len(), DecodeErrorKind::InvalidPacked, end - run.len());
    }
    if let Err(kind) = input.reserve(list, values.len()) {
        return input.fault_in(list.len(), kind, end);
    }
    // Every bit pattern is a valid fixed-width number, and the iterator has an exact length, so this compiles to a copy.
    list.extend(values.iter().map(|&bytes| T::from_raw(bits(bytes)).unwrap_or_else(T::zero)));
    end
}

/// Appends the varints from `start` to `end`.
fn varints<K: ScalarKind, T: ScalarValue<K>>(
    list: &mut Vec<T>,
    number: u32,
    start: usize,
    end: usize,
    input: &mut Input<'_>,
) -> usize {
    let count = kernels::count(input.buf, start, end);
    if let Err(kind) = input.reserve(list, count) {
        return input.fault_in(list.len(), kind, end);
    }
    let pos = if count <= SHORT {
        many::<SHORT, K, T>(list, input.buf, start, end, count)
    } else {
        many::<STEP, K, T>(list, input.buf, start, end, count)
    };
    if pos == end { end } else { one_by_one(list, number, pos, end, input) }
}

/// Decodes up to a fault or an unlisted enum number. Returns the position.
fn many<const STEP: usize, K: ScalarKind, T: ScalarValue<K>>(
    list: &mut Vec<T>,
    buf: &[u8],
    pos: usize,
    end: usize,
    count: usize,
) -> usize {
    match const { K::VALUE } {
        TableKind::Int64 | TableKind::Uint64 | TableKind::Sint64 => {
            many_of::<STEP, 2, kernels::Plain, K, T>(list, buf, pos, end, count)
        }
        TableKind::Bool => many_of::<STEP, 1, kernels::Bool, K, T>(list, buf, pos, end, count),
        _ => many_of::<STEP, 1, kernels::Plain, K, T>(list, buf, pos, end, count),
    }
}

fn many_of<const STEP: usize, const N: usize, F: kernels::VarintForm, K: ScalarKind, T: ScalarValue<K>>(
    list: &mut Vec<T>,
    buf: &[u8],
    mut pos: usize,
    end: usize,
    mut count: usize,
) -> usize {
    let mut words = [[0; N]; STEP];
    while count > 0 {
        let Some(room) = words.get_mut(..count.min(STEP)) else { break };
        let step = kernels::decode::<N, F>(buf, pos, end, room);
        let value = |word: &[u32; N]| {
            let high = word.get(1).copied().unwrap_or(0);
            T::from_raw(u64::from(word[0]) | u64::from(high) << 32)
        };
        let Some(values) = room.get(..step.done) else { break };
        if !values.iter().all(|word| value(word).is_some()) {
            break;
        }
        list.extend(values.iter().map(|word| value(word).unwrap_or_else(T::zero)));
        (pos, count) = (step.pos, count - step.done);
        if step.done < room.len() {
            break;
        }
    }
    pos
}

/// Decodes what `many` has left: reports a fault, and stores unlisted enum numbers for the unknown fields.
#[cold]
fn one_by_one<K: ScalarKind, T: ScalarValue<K>>(
    list: &mut Vec<T>,
    number: u32,
    mut pos: usize,
    end: usize,
    input: &mut Input<'_>,
) -> usize {
    let run = input.buf.get(..end).unwrap_or_default();
    let mut strays = false;
    while pos < end {
        let (raw, next) = match raw::varint(run, pos) {
            Ok(read) => read,
            Err(kind) => return input.fault_in(list.len(), raw::within(true, kind), pos),
        };
        match T::from_raw(raw) {
            Some(value) => list.push(value),
            None => {
                if let Err(kind) = input.stray(number, run.get(pos..next).unwrap_or_default()) {
                    return input.fault_in(list.len(), kind, end);
                }
                strays = true;
            }
        }
        pos = next;
    }
    if strays { input.with_strays(end) } else { end }
}

/// The length of a run, without its prefix.
#[inline]
pub(in crate::structs) fn run_len<K: ScalarKind, T: ScalarValue<K>>(list: &[T]) -> u64 {
    match (K::WIRE, const { K::VALUE }) {
        (WireType::Fixed32, _) => 4 * list.len() as u64,
        (WireType::Fixed64, _) => 8 * list.len() as u64,
        (_, TableKind::Bool) => list.len() as u64,
        _ if list.len() < kernels::MIN_PACK_LEN => {
            list.iter().map(|value| varint_len(value.to_raw()) as u64).sum()
        }
        (_, TableKind::Int64 | TableKind::Uint64 | TableKind::Sint64) => {
            len_of::<2, kernels::Plain, K, T>(list)
        }
        (_, TableKind::Int32 | TableKind::Enum(_)) => len_of::<1, kernels::Signed, K, T>(list),
        _ => len_of::<1, kernels::Plain, K, T>(list),
    }
}

fn len_of<const N: usize, P: kernels::Packs, K: ScalarKind, T: ScalarValue<K>>(list: &[T]) -> u64 {
    let mut total = 0;
    in_words::<N, K, T>(list, |run| total += kernels::packed_len::<N, P>(run));
    total
}

/// Writes a run, without its length prefix.
#[inline]
pub(in crate::structs) fn write_run<K: ScalarKind, T: ScalarValue<K>>(list: &[T], cursor: &mut Cursor<'_>) {
    match (K::WIRE, const { K::VALUE }) {
        (WireType::Fixed32, _) => in_words::<1, K, T>(list, |run| cursor.put_words(run.as_flattened())),
        (WireType::Fixed64, _) => in_words::<2, K, T>(list, |run| cursor.put_words(run.as_flattened())),
        _ if list.len() < kernels::MIN_PACK_LEN => {
            list.iter().for_each(|value| cursor.write_varint(value.to_raw()))
        }
        (_, TableKind::Int64 | TableKind::Uint64 | TableKind::Sint64) => {
            in_words::<2, K, T>(list, |run| kernels::pack::<2, kernels::Plain>(run, cursor));
        }
        (_, TableKind::Int32 | TableKind::Enum(_)) => {
            in_words::<1, K, T>(list, |run| kernels::pack::<1, kernels::Signed>(run, cursor));
        }
        _ => in_words::<1, K, T>(list, |run| kernels::pack::<1, kernels::Plain>(run, cursor)),
    }
}

/// Calls `each` with the values as words, [`STEP`] values at a time.
#[inline]
fn in_words<const N: usize, K: ScalarKind, T: ScalarValue<K>>(list: &[T], mut each: impl FnMut(&[[u32; N]])) {
    let mut words = [[0; N]; STEP];
    for part in list.chunks(STEP) {
        for (words, value) in words.iter_mut().zip(part) {
            let raw = value.to_raw();
            *words = core::array::from_fn(|word| (raw >> (32 * word)) as u32);
        }
        each(words.get(..part.len()).unwrap_or_default());
    }
}

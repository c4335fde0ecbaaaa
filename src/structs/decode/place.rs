//! Keeps large values out of recursive stack frames.
//!
//! Decoding recurses, so a value in the frame of a recursive function takes its size once per level. A function that returns
//! before the recursion therefore moves a large value to its list, box or variant first; the recursive frame holds a
//! reference to it.

use super::end::{UNKNOWN, is_position};
use super::input::Input;
use crate::structs::grammar::kinds::KindMarker;
use crate::structs::{DecodeFrom, DecodeValue};
use crate::wire::error::DecodeErrorKind;
use alloc::{boxed::Box, vec::Vec};

/// The largest value that is created in a recursive frame, in bytes.
pub(in crate::structs) const SMALL: usize = 64;

/// Calls the out-of-line function if the value is large. Both are functions because unoptimized builds keep the temporaries
/// of inlined code in the frame, even those of a branch that is never taken.
macro_rules! by_size {
    ($size:ty, $small:ident($($argument:expr),*), $large:ident) => {
        if const { size_of::<$size>() <= SMALL } { $small($($argument),*) } else { $large($($argument),*) }
    };
}

/// Appends a new value.
#[inline(always)]
pub(in crate::structs) fn push_fresh<'i, K: KindMarker, T: DecodeValue<'i, K>>(
    list: &mut Vec<T>,
    input: &mut Input<'i>,
) -> Result<(), DecodeErrorKind> {
    by_size!(T, push(list, input), push_large)
}

#[inline]
fn push<'i, K: KindMarker, T: DecodeValue<'i, K>>(
    list: &mut Vec<T>,
    input: &mut Input<'i>,
) -> Result<(), DecodeErrorKind> {
    input.reserve(list, 1)?;
    let value = T::fresh(input)?;
    // There is room; the comparison is that of `push`, which then has no code for growing.
    if list.len() < list.capacity() {
        list.push(value);
    }
    Ok(())
}

#[inline(never)]
fn push_large<'i, K: KindMarker, T: DecodeValue<'i, K>>(
    list: &mut Vec<T>,
    input: &mut Input<'i>,
) -> Result<(), DecodeErrorKind> {
    push(list, input)
}

/// Sets `member` to a new value.
#[inline(always)]
pub(in crate::structs) fn insert_fresh<'m, 'i, K: KindMarker, T: DecodeValue<'i, K>>(
    member: &'m mut Option<T>,
    input: &mut Input<'i>,
) -> Result<&'m mut T, DecodeErrorKind> {
    by_size!(T, insert(member, input), insert_large)
}

#[inline]
fn insert<'m, 'i, K: KindMarker, T: DecodeValue<'i, K>>(
    member: &'m mut Option<T>,
    input: &mut Input<'i>,
) -> Result<&'m mut T, DecodeErrorKind> {
    Ok(member.insert(T::fresh(input)?))
}

#[inline(never)]
fn insert_large<'m, 'i, K: KindMarker, T: DecodeValue<'i, K>>(
    member: &'m mut Option<T>,
    input: &mut Input<'i>,
) -> Result<&'m mut T, DecodeErrorKind> {
    insert(member, input)
}

/// An empty message in a box. Aborts if the allocator fails: stable Rust has no fallible `Box::new`.
#[inline(never)]
pub(in crate::structs) fn boxed<'i, M: DecodeFrom<'i>>(
    input: &mut Input<'i>,
) -> Result<Box<M>, DecodeErrorKind> {
    input.charge(size_of::<M>())?;
    Ok(Box::new(M::unset()))
}

/// A box that can be allocated fallibly, by conversion from a `Vec` of one element.
pub(in crate::structs) type One<T> = Box<[T; 1]>;

/// Room for one value.
#[inline]
pub(in crate::structs) fn room_for_one<T>() -> Option<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(1).ok()?;
    Some(room)
}

/// Charges and allocates room for one value.
#[inline]
pub(in crate::structs) fn charged_room<T>(input: &mut Input<'_>) -> Result<Vec<T>, DecodeErrorKind> {
    input.charge(size_of::<T>())?;
    room_for_one().ok_or(DecodeErrorKind::OutOfMemory)
}

/// Moves a value into its room, without allocating.
#[inline(always)]
pub(in crate::structs) fn put<T>(mut room: Vec<T>, value: T) -> One<T> {
    room.push(value);
    match room.try_into() {
        Ok(one) => one,
        Err(_) => unreachable!("the room holds one value"),
    }
}

/// The largest value that [`merge_aside`] keeps in its frame, in bytes. Up to this size, an allocation per value costs more
/// than the stack is worth. Unoptimized builds hold several copies of the value, so their bound is lower.
const IN_FRAME: usize = if cfg!(debug_assertions) { SMALL } else { 256 };

/// Makes a value, merges into it and passes it to `finish` with the result. During the merge, a large value is on the heap. Fails only
/// where the value cannot be made.
#[inline(always)]
pub(in crate::structs) fn merge_aside<'i, T, X, R>(
    input: &mut Input<'i>,
    make: impl FnOnce(&mut Input<'i>) -> Result<T, DecodeErrorKind>,
    merge: impl FnOnce(&mut T, &mut Input<'i>) -> X,
    finish: impl FnOnce(T, X, &mut Input<'i>) -> R,
) -> Result<R, DecodeErrorKind> {
    if const { size_of::<T>() <= IN_FRAME } {
        let mut value = make(input)?;
        let merged = merge(&mut value, input);
        Ok(finish(value, merged, input))
    } else {
        let mut room = make_on_heap(input, make)?;
        // `room` always holds one value, so this error does not occur.
        let merged = merge(room.last_mut().ok_or(DecodeErrorKind::BudgetExceeded)?, input);
        take_from_heap(room, merged, input, finish)
    }
}

#[inline(never)]
pub(in crate::structs) fn make_on_heap<'i, T>(
    input: &mut Input<'i>,
    make: impl FnOnce(&mut Input<'i>) -> Result<T, DecodeErrorKind>,
) -> Result<Vec<T>, DecodeErrorKind> {
    let mut room = charged_room(input)?;
    room.push(make(input)?);
    Ok(room)
}

#[inline(never)]
fn take_from_heap<'i, T, X, R>(
    mut room: Vec<T>,
    merged: X,
    input: &mut Input<'i>,
    finish: impl FnOnce(T, X, &mut Input<'i>) -> R,
) -> Result<R, DecodeErrorKind> {
    let value = room.pop().ok_or(DecodeErrorKind::BudgetExceeded)?;
    let result = finish(value, merged, input);
    input.refund(size_of::<T>());
    Ok(result)
}

/// Merges a field into a new value of a oneof member, and calls `set` with the value unless the field is unknown or at fault.
#[inline(never)]
pub(in crate::structs) fn new_arm<'i, K: KindMarker, T: DecodeValue<'i, K>>(
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
    set: impl FnOnce(T),
) -> usize {
    if bits & 7 != K::WIRE as u32 {
        return UNKNOWN;
    }
    let merged = merge_aside(
        input,
        |input| T::fresh(input),
        |value, input| value.merge(pos, bits, input),
        |value, end, _| {
            if is_position(end) {
                set(value);
            }
            end
        },
    );
    merged.unwrap_or_else(|kind| input.fault(kind, pos))
}

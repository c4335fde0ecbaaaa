//! Values made where they stay.
//!
//! Structs recurse, and what is in the frame of a recursive function is there once per level. So a value that is larger
//! than a few words is put into its list, box, arm or scratch by a function that has returned before the value is
//! merged into: what remains in the frames is a reference.

use super::{
    DecodeFrom, DecodeValue,
    input::Input,
    kinds::KindMarker,
    spec::{Merged, Outcome, WireSpec},
};
use crate::error::DecodeErrorKind;
use alloc::{boxed::Box, vec::Vec};

/// The largest value that may be in a recursive frame while it is made, in bytes.
pub(super) const SMALL: usize = 64;

/// Makes a value where it stays: out of line if it is large. Without optimisation what is inlined leaves its temporaries
/// in the frame, even those of a branch that is never taken; hence a function for each.
macro_rules! by_size {
    ($size:ty, $small:ident($($argument:expr),*), $large:ident) => {
        if const { size_of::<$size>() <= SMALL } { $small($($argument),*) } else { $large($($argument),*) }
    };
}

/// Appends a fresh value.
#[inline(always)]
pub(super) fn push_fresh<'i, K: KindMarker, T: DecodeValue<'i, K>>(
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
    list.push(T::fresh(input)?);
    Ok(())
}

#[inline(never)]
fn push_large<'i, K: KindMarker, T: DecodeValue<'i, K>>(
    list: &mut Vec<T>,
    input: &mut Input<'i>,
) -> Result<(), DecodeErrorKind> {
    push(list, input)
}

/// Makes `member` hold a fresh value.
#[inline(always)]
pub(super) fn insert_fresh<'m, 'i, K: KindMarker, T: DecodeValue<'i, K>>(
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

/// A message without fields in a box. `Box` cannot say that there is no memory.
#[inline(never)]
pub(super) fn boxed<'i, M: DecodeFrom<'i>>(input: &mut Input<'i>) -> Result<Box<M>, DecodeErrorKind> {
    input.charge(size_of::<M>())?;
    Ok(Box::new(M::unset()))
}

/// A box that can say that there is no memory, which `Box::new` cannot: a list of one is made into it.
pub(super) type One<T> = Box<[T; 1]>;

/// Room for one value.
#[inline]
pub(super) fn room_for_one<T>() -> Option<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(1).ok()?;
    Some(room)
}

/// Charges and takes room for one value.
#[inline]
pub(super) fn charged_room<T>(input: &mut Input<'_>) -> Result<Vec<T>, DecodeErrorKind> {
    input.charge(size_of::<T>())?;
    room_for_one().ok_or(DecodeErrorKind::OutOfMemory)
}

/// Puts the one value into its room, which takes no memory.
#[inline(always)]
pub(super) fn put<T>(mut room: Vec<T>, value: T) -> One<T> {
    room.push(value);
    match room.try_into() {
        Ok(one) => one,
        Err(_) => unreachable!("it holds one value"),
    }
}

/// The largest value that is made in the frame of the function that merges it to put it somewhere else, in bytes: taking
/// memory for each costs more than it saves up to about this size. Without optimisation there are several copies of it.
const IN_FRAME: usize = if cfg!(debug_assertions) { SMALL } else { 256 };

/// Makes a value, merges into it, and hands it on; what is large waits on the heap while values in it are merged.
#[inline(always)]
pub(super) fn merge_aside<'i, T, X, R>(
    input: &mut Input<'i>,
    make: impl FnOnce(&mut Input<'i>) -> Result<T, DecodeErrorKind>,
    merge: impl FnOnce(&mut T, &mut Input<'i>) -> Result<X, DecodeErrorKind>,
    finish: impl FnOnce(T, X, &mut Input<'i>) -> Result<R, DecodeErrorKind>,
) -> Result<R, DecodeErrorKind> {
    if const { size_of::<T>() <= IN_FRAME } {
        merge_in_frame(input, make, merge, finish)
    } else {
        let mut room = make_on_heap(input, make)?;
        // There is one value from the beginning to the end.
        let merged = merge(room.last_mut().ok_or(DecodeErrorKind::BudgetExceeded)?, input)?;
        take_from_heap(room, merged, input, finish)
    }
}

#[inline]
fn merge_in_frame<'i, T, X, R>(
    input: &mut Input<'i>,
    make: impl FnOnce(&mut Input<'i>) -> Result<T, DecodeErrorKind>,
    merge: impl FnOnce(&mut T, &mut Input<'i>) -> Result<X, DecodeErrorKind>,
    finish: impl FnOnce(T, X, &mut Input<'i>) -> Result<R, DecodeErrorKind>,
) -> Result<R, DecodeErrorKind> {
    let mut value = make(input)?;
    let merged = merge(&mut value, input)?;
    finish(value, merged, input)
}

#[inline(never)]
fn make_on_heap<'i, T>(
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
    finish: impl FnOnce(T, X, &mut Input<'i>) -> Result<R, DecodeErrorKind>,
) -> Result<R, DecodeErrorKind> {
    let value = room.pop().ok_or(DecodeErrorKind::BudgetExceeded)?;
    let result = finish(value, merged, input);
    input.refund(size_of::<T>());
    result
}

/// Merges the field of an arm that is not set, and sets it if the field is one of the arm.
#[inline]
pub(super) fn new_arm<'i, K: KindMarker, T: DecodeValue<'i, K>>(
    input: &mut Input<'i>,
    bits: u32,
    spec: WireSpec,
    set: impl FnOnce(T),
) -> Merged {
    if bits & 7 != K::WIRE as u32 {
        return Ok(Outcome::Unknown);
    }
    merge_aside(
        input,
        |input| T::fresh(input),
        |value, input| value.merge(bits, spec, input),
        |value, outcome, _| {
            if outcome == Outcome::Done {
                set(value);
            }
            Ok(outcome)
        },
    )
}

//! The memory of members: lists and strings that grow within the budget.

use super::input::Input;
use super::{UNKNOWN, is_position};
use crate::structs::grammar::kinds::KindMarker;
use crate::structs::{DecodeFrom, DecodeValue, List};
use crate::wire::SMALL_CODE;
use crate::wire::error::DecodeErrorKind;
use crate::wire::heap::Vec;
#[cfg(not(tablepb_no_alloc))]
use crate::wire::utf8;
#[cfg(not(tablepb_no_alloc))]
use alloc::{boxed::Box, string::String};
use core::mem::replace;

/// The first capacity of a list of small elements, while the budget is ahead of the input.
const FIRST: usize = 4;

/// The largest small element, in bytes: most structs with a few strings.
const SMALL: usize = 256;

/// How far the budget may fall short of the input before lists start with one element, in bytes.
const LAG: usize = 1 << 19;

impl Input<'_> {
    /// Makes room for `additional` elements.
    ///
    /// A decode charges the capacity of lists. A merge charges each new element instead: the message may hold a list larger
    /// than the budget, which a single element makes grow. Lists at most double, so with `held` bytes in the message before
    /// and `paid` bytes of new elements, all capacities together stay below `2 * (held + paid)`.
    #[inline(always)]
    pub(in crate::structs) fn reserve<T>(
        &mut self,
        list: &mut Vec<T>,
        additional: usize,
    ) -> Result<(), DecodeErrorKind> {
        if self.merging {
            self.charge(additional.saturating_mul(size_of::<T>()))?;
        }
        if list.capacity() - list.len() >= additional { Ok(()) } else { self.grow(list, additional) }
    }

    /// Makes room for one element in a list without memory, if the element whose length prefix is at `pos` has no other after it.
    ///
    /// Most lists of one element would otherwise have room for four: the larger blocks cost memory, and the allocator more time.
    /// A tag of two bytes is not looked for, and a list of one in two places moves; the room is a guess, whatever the input says.
    #[inline(always)]
    pub(in crate::structs) fn reserve_only<T>(
        &mut self,
        list: &mut Vec<T>,
        pos: usize,
        bits: u32,
    ) -> Result<(), DecodeErrorKind> {
        if list.capacity() == 0 && size_of::<T>() <= SMALL && !self.another_follows(pos, bits) {
            self.charge_only(list)?;
        }
        Ok(())
    }

    /// Whether a field with the same tag comes after the one whose length prefix is at `pos`. Also where that cannot be said.
    #[inline(always)]
    fn another_follows(&self, pos: usize, bits: u32) -> bool {
        match self.buf.get(pos) {
            Some(&len @ 0..0x80) => {
                self.buf.get(pos + 1 + usize::from(len)).is_some_and(|&tag| u32::from(tag) == bits)
            }
            _ => true,
        }
    }

    #[inline(never)]
    fn charge_only<T>(&mut self, list: &mut Vec<T>) -> Result<(), DecodeErrorKind> {
        self.charge(size_of::<T>())?;
        list.try_reserve_exact(1).map_err(|_| DecodeErrorKind::OutOfMemory)
    }

    /// Doubles the capacity, starting with four small elements.
    ///
    /// The old block is returned to the budget after the elements have moved, because until then both blocks exist.
    #[inline(never)]
    fn grow<T>(&mut self, list: &mut Vec<T>, additional: usize) -> Result<(), DecodeErrorKind> {
        let (len, old) = (list.len(), list.capacity());
        let need = len.saturating_add(additional);
        let capacity = match self.charge_double(old, need, size_of::<T>()) {
            Some(capacity) => capacity,
            None => self.charge_little(len, old, need, size_of::<T>())?,
        };
        list.try_reserve_exact(capacity - len).map_err(|_| DecodeErrorKind::OutOfMemory)?;
        if !self.merging {
            self.refund(old * size_of::<T>());
        }
        Ok(())
    }

    /// The double capacity, if the budget covers it. Inlined, because it is frequent and cheap where the size is known; the rest is in
    /// functions that all types of elements share.
    #[inline(always)]
    fn charge_double(&mut self, old: usize, need: usize, size: usize) -> Option<usize> {
        if self.merging {
            return None;
        }
        let mut capacity = old.saturating_mul(2).max(need);
        if capacity < FIRST && size <= SMALL && self.is_ahead(FIRST * size) {
            capacity = FIRST;
        }
        self.charge(capacity.saturating_mul(size)).ok().map(|()| capacity)
    }

    /// The capacity for a list of `need` elements of some size, paid for, where the double is not.
    #[cold]
    #[inline(never)]
    fn charge_little(
        &mut self,
        len: usize,
        old: usize,
        need: usize,
        size: usize,
    ) -> Result<usize, DecodeErrorKind> {
        if self.merging {
            return self.next_capacity_held(len, old, need, size);
        }
        self.charge_less((old + old / 8).max(need), need, size)
    }

    /// Charges a capacity for a budget that does not cover the double: an eighth more, or the exact need.
    #[cold]
    #[inline]
    fn charge_less(&mut self, more: usize, need: usize, size: usize) -> Result<usize, DecodeErrorKind> {
        if self.charge(more.saturating_mul(size)).is_ok() {
            return Ok(more);
        }
        self.charge(need.saturating_mul(size)).map(|()| need)
    }

    /// The capacity for a list whose elements are charged: the double, or an eighth more if the budget could not pay for the
    /// double.
    #[cold]
    #[inline]
    fn next_capacity_held(
        &mut self,
        len: usize,
        old: usize,
        need: usize,
        size: usize,
    ) -> Result<usize, DecodeErrorKind> {
        let double = old.max(usize::from(need - len == 1)).saturating_mul(2).max(need);
        let affords = self.budget.affords(double.saturating_mul(size));
        let capacity = if affords { double } else { (old + old / 8).max(need) };
        self.may_move(old * size)?;
        Ok(capacity)
    }

    /// Checks the budget for a block that exists twice while its elements move. What this input cannot have allocated, by
    /// what it has spent, does not count.
    #[inline]
    pub(in crate::structs) fn may_move(&mut self, block: usize) -> Result<(), DecodeErrorKind> {
        let made = block.min(self.budget.spent());
        if self.budget.affords(made) { Ok(()) } else { Err(DecodeErrorKind::BudgetExceeded) }
    }

    /// Whether the budget, after `bytes` more, still covers the rest of the input up to [`LAG`].
    #[inline]
    fn is_ahead(&self, bytes: usize) -> bool {
        let rest = self.options.budget_for(self.whole.len().saturating_sub(self.pos));
        self.budget.left().saturating_add(LAG) >= rest.saturating_add(bytes)
    }
}

/// Methods that copy a value into a string or byte list, whose memory they reuse if it is large enough.
#[cfg(not(tablepb_no_alloc))]
macro_rules! assign {
    ($assign:ident, $renew:ident, $member:ty, $value:ty, $append:ident, $fresh:path) => {
        impl Input<'_> {
            #[doc = concat!("Makes a `", stringify!($member), "` member a copy of `value`.")]
            #[inline]
            pub(in crate::structs) fn $assign(
                &mut self,
                member: &mut $member,
                value: &$value,
            ) -> Result<(), DecodeErrorKind> {
                let old = member.capacity();
                if old < value.len() {
                    self.charge(value.len())?;
                    if old == 0 && !SMALL_CODE {
                        // The common case.
                        *member = $fresh(value).ok_or(DecodeErrorKind::OutOfMemory)?;
                        return Ok(());
                    }
                    self.$renew(member, value.len())?;
                }
                member.clear();
                // There is room; the comparison tells the compiler, which then has no code for growing.
                if value.len() <= member.capacity() {
                    member.$append(value);
                }
                Ok(())
            }

            /// Replaces the block by a larger one, without copying its content. On failure the member is unchanged.
            #[cold]
            fn $renew(&mut self, member: &mut $member, len: usize) -> Result<(), DecodeErrorKind> {
                let mut larger = <$member>::new();
                larger.try_reserve_exact(len).map_err(|_| DecodeErrorKind::OutOfMemory)?;
                self.refund(replace(member, larger).capacity());
                Ok(())
            }
        }
    };
}

#[cfg(not(tablepb_no_alloc))]
assign!(assign, renew, String, str, push_str, utf8::owned);
#[cfg(not(tablepb_no_alloc))]
assign!(assign_bytes, renew_bytes, Vec<u8>, [u8], extend_from_slice, utf8::owned_bytes);

// Keeps large values out of recursive stack frames.
//
// Decoding recurses, so a value in the frame of a recursive function takes its size once per level. A function that returns
// before the recursion therefore moves a large value to its list, box or variant first; the recursive frame holds a
// reference to it.

/// The largest value that is created in a recursive frame, in bytes.
pub(in crate::structs) const SMALL_VALUE: usize = 64;

/// Calls the out-of-line function if the value is large. Both are functions because unoptimized builds keep the temporaries
/// of inlined code in the frame, even those of a branch that is never taken.
macro_rules! by_size {
    ($size:ty, $small:ident($($argument:expr),*), $large:ident) => {
        if const { size_of::<$size>() <= SMALL_VALUE } { $small($($argument),*) } else { $large($($argument),*) }
    };
}

/// Appends a new value.
#[inline(always)]
pub(in crate::structs) fn push_fresh<'i, K: KindMarker, T: DecodeValue<'i, K>, L: List<T>>(
    list: &mut L,
    input: &mut Input<'i>,
) -> Result<(), DecodeErrorKind> {
    by_size!(T, push(list, input), push_large)
}

#[inline]
fn push<'i, K: KindMarker, T: DecodeValue<'i, K>, L: List<T>>(
    list: &mut L,
    input: &mut Input<'i>,
) -> Result<(), DecodeErrorKind> {
    list.make_room(1, input)?;
    let value = T::fresh(input)?;
    list.put(value)
}

#[inline(never)]
fn push_large<'i, K: KindMarker, T: DecodeValue<'i, K>, L: List<T>>(
    list: &mut L,
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
#[cfg(not(tablepb_no_alloc))]
#[inline(never)]
pub(in crate::structs) fn boxed<'i, M: DecodeFrom<'i>>(
    input: &mut Input<'i>,
) -> Result<Box<M>, DecodeErrorKind> {
    input.charge(size_of::<M>())?;
    Ok(Box::new(M::unset()))
}

/// A box that can be allocated fallibly, by conversion from a `Vec` of one element.
#[cfg(not(tablepb_no_alloc))]
pub(in crate::structs) type One<T> = Box<[T; 1]>;

/// Room for one value.
#[cfg(not(tablepb_no_alloc))]
#[inline]
pub(in crate::structs) fn room_for_one<T>() -> Option<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(1).ok()?;
    Some(room)
}

/// Charges and allocates room for one value.
#[cfg(not(tablepb_no_alloc))]
#[inline]
pub(in crate::structs) fn charged_room<T>(input: &mut Input<'_>) -> Result<Vec<T>, DecodeErrorKind> {
    input.charge(size_of::<T>())?;
    room_for_one().ok_or(DecodeErrorKind::OutOfMemory)
}

/// Moves a value into its room, without allocating.
#[cfg(not(tablepb_no_alloc))]
#[inline(always)]
pub(in crate::structs) fn put<T>(mut room: Vec<T>, value: T) -> One<T> {
    room.push(value);
    match room.try_into() {
        Ok(one) => one,
        Err(_) => unreachable!("the room holds one value"),
    }
}

/// The largest value that [`merge_aside`] keeps in its frame, in bytes, if there is an allocator. Up to this size, an allocation per value costs more
/// than the stack is worth. Unoptimized builds hold several copies of the value, so their bound is lower.
#[cfg(not(tablepb_no_alloc))]
const IN_FRAME: usize = if cfg!(debug_assertions) { SMALL_VALUE } else { 256 };

/// Makes a value, merges into it and passes it to `finish` with the result. During the merge, a large value is on the heap. Fails only
/// where the value cannot be made.
#[inline(always)]
pub(in crate::structs) fn merge_aside<'i, T, X, R>(
    input: &mut Input<'i>,
    make: impl FnOnce(&mut Input<'i>) -> Result<T, DecodeErrorKind>,
    merge: impl FnOnce(&mut T, &mut Input<'i>) -> X,
    finish: impl FnOnce(T, X, &mut Input<'i>) -> R,
) -> Result<R, DecodeErrorKind> {
    #[cfg(not(tablepb_no_alloc))]
    if const { size_of::<T>() > IN_FRAME } {
        let mut room = make_on_heap(input, make)?;
        // `room` always holds one value, so this error does not occur.
        let merged = merge(room.last_mut().ok_or(DecodeErrorKind::BudgetExceeded)?, input);
        return take_from_heap(room, merged, input, finish);
    }
    let mut value = make(input)?;
    let merged = merge(&mut value, input);
    Ok(finish(value, merged, input))
}

#[cfg(not(tablepb_no_alloc))]
#[inline(never)]
pub(in crate::structs) fn make_on_heap<'i, T>(
    input: &mut Input<'i>,
    make: impl FnOnce(&mut Input<'i>) -> Result<T, DecodeErrorKind>,
) -> Result<Vec<T>, DecodeErrorKind> {
    let mut room = charged_room(input)?;
    room.push(make(input)?);
    Ok(room)
}

#[cfg(not(tablepb_no_alloc))]
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

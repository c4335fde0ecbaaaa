//! The memory of members: lists and strings that grow within the budget.

use super::input::Input;
use crate::wire::error::DecodeErrorKind;
use alloc::{string::String, vec::Vec};
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
macro_rules! assign {
    ($assign:ident, $renew:ident, $member:ty, $value:ty, $append:ident) => {
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
                    if old == 0 {
                        // The common case. In place, there is no old block to drop and no new value to move.
                        member.try_reserve_exact(value.len()).map_err(|_| DecodeErrorKind::OutOfMemory)?;
                    } else {
                        self.$renew(member, value.len())?;
                    }
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

assign!(assign, renew, String, str, push_str);
assign!(assign_bytes, renew_bytes, Vec<u8>, [u8], extend_from_slice);

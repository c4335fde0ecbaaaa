//! The decoding pass: a position in the input, how deep it may go and how much memory it may take.
//!
//! Invariant: `pos` is within the whole input and never passes the end of `buf`, the innermost bound; when a
//! merge fails it is at the item at fault, which is where the error points.

use super::{
    DecodeFrom,
    budget::Budget,
    kinds::has_messages,
    path_trace::PathTrace,
    spec::{Merged, Outcome, WireSpec},
    stack::StackBound,
};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::options::DecodeOptions;
use crate::table::MessageTable;
use crate::wire::{self, DEFAULT_DEPTH, MAX_LEN, Tag, WireType, raw};
use alloc::{string::String, vec::Vec};
use core::mem::{replace, take};

/// Small elements that the first memory of a list is for, if the budget is ahead of the input.
const FIRST: usize = 4;

/// Largest of these elements, in bytes.
const SMALL: usize = 64;

/// How far the budget may lag the input before lists start with one element, in bytes.
const LAG: usize = 1 << 19;

/// What the error of a decode may take beside the message, at 100 levels, in bytes; of small budgets a part of them.
const ERROR: usize = 10 << 10;
const ERROR_PART: usize = 32;

/// Bytes of the longest varint field.
const STRAY: usize = 20;

/// State of one decode.
pub struct Input<'i> {
    /// The input up to the innermost bound.
    pub(super) buf: &'i [u8],
    pub(super) pos: usize,
    /// The offset of `buf` in the whole input.
    pub(super) base: usize,
    /// How many bounds there are beside the end of the input.
    pub(super) bounds: u32,
    pub(super) depth_left: u32,
    /// The least that `depth_left` has been.
    pub(super) lowest: u32,
    /// Where the last end-group tag starts.
    pub(super) group_end: usize,
    /// The fault is that the field at hand is one level too deep.
    too_deep: bool,
    /// The bytes that may still be allocated.
    pub(super) budget: Budget<'i>,
    /// Whether the message had fields before: then elements are charged, and not the room of lists.
    pub(super) merging: bool,
    /// Where the stack was in the beginning.
    pub(super) stack: StackBound,
    /// The length of the input.
    whole: usize,
    /// What was asked for, for messages that are decoded later.
    pub(super) options: DecodeOptions,
    /// Whether a message with required fields was seen.
    pub(super) required: bool,
    /// Where the fault is, innermost field first.
    trail: PathTrace,
    /// The element that the fault is in, until its field is added to the trail.
    index: Option<usize>,
    /// Values of closed enums that are not in the enum, as fields.
    strays: Vec<u8>,
    #[cfg(feature = "bytes")]
    shared: Option<&'i bytes::Bytes>,
}

impl<'i> Input<'i> {
    pub(super) fn new(buf: &'i [u8], options: &DecodeOptions) -> Self {
        let depth_left = options.depth_limit().min(DEFAULT_DEPTH);
        let budget = options.budget_for(buf.len());
        Self {
            buf,
            pos: 0,
            base: 0,
            bounds: 0,
            depth_left,
            lowest: depth_left,
            group_end: 0,
            too_deep: false,
            budget: Budget::new(budget - ERROR.min(budget / ERROR_PART)),
            merging: false,
            stack: StackBound::here(),
            whole: buf.len(),
            options: *options,
            required: false,
            trail: PathTrace::new(),
            index: None,
            strays: Vec::new(),
            #[cfg(feature = "bytes")]
            shared: None,
        }
    }

    /// The input after a length prefix, which is a bound of its own.
    pub(super) fn after_length(buf: &'i [u8], pos: usize, options: &DecodeOptions) -> Self {
        let mut input = Self::new(buf, options);
        (input.pos, input.bounds) = (pos, 1);
        input
    }

    /// The input is merged into a message that may have fields.
    pub(super) fn merging(mut self) -> Self {
        self.merging = true;
        self
    }

    /// Lets `Bytes` members share the memory of the input.
    #[cfg(feature = "bytes")]
    pub(super) fn sharing(mut self, owner: &'i bytes::Bytes) -> Self {
        self.shared = Some(owner);
        self
    }

    #[cfg(feature = "bytes")]
    pub(super) fn shared(&self) -> Option<&'i bytes::Bytes> {
        self.shared
    }

    /// Merges the whole input into the root message; whether required fields are to be checked.
    pub(super) fn root<M: DecodeFrom<'i>>(&mut self, message: &mut M) -> Result<bool, DecodeError> {
        if self.buf.len() > MAX_LEN {
            return Err(DecodeError::new(DecodeErrorKind::TooLarge, MAX_LEN));
        }
        match message.merge_message(self, 0) {
            Ok(()) => Ok(self.required),
            Err(kind) => Err(self.error(kind, M::TABLE)),
        }
    }

    #[cold]
    fn error(&mut self, kind: DecodeErrorKind, table: &'static MessageTable) -> DecodeError {
        DecodeError::new(raw::within(self.bounds > 0, kind), self.base + self.pos)
            .with_path(take(&mut self.trail).named(table))
            .in_message(table.full_name())
    }

    /// The position of the next field, or `None` at the end of the message.
    #[inline(always)]
    pub fn next(&self) -> Option<usize> {
        if self.pos < self.buf.len() { Some(self.pos) } else { None }
    }

    /// Takes the tag of another element of a run, if that is next.
    #[inline(always)]
    pub(super) fn same_tag(&mut self, bits: u32) -> bool {
        let same = bits < 0x80 && self.buf.get(self.pos) == Some(&(bits as u8));
        self.pos += usize::from(same);
        same
    }

    /// Takes a tag of one byte and `N` bytes of value, if that tag is next.
    #[inline(always)]
    pub(super) fn tagged<const N: usize>(&mut self, tag: u8) -> Option<[u8; N]> {
        let (&first, rest) = self.buf.get(self.pos..)?.split_first()?;
        let value = *rest.first_chunk()?;
        if first != tag {
            return None;
        }
        self.pos += 1 + N;
        Some(value)
    }

    /// A tag; its number and wire type are checked by the field it belongs to, or by [`settle`](Self::settle).
    #[inline(always)]
    pub fn tag(&mut self) -> Result<u32, DecodeErrorKind> {
        let (bits, pos) = raw::tag_bits(self.buf, self.pos)?;
        self.pos = pos;
        Ok(bits)
    }

    /// The cold path of every message: unknown fields, end-group tags and faults. True at the end of the group `group`.
    #[cold]
    #[inline(never)]
    pub fn settle(
        &mut self,
        outcome: Merged,
        bits: u32,
        start: usize,
        group: u32,
        unknown: Option<&mut Vec<u8>>,
    ) -> Result<bool, DecodeErrorKind> {
        match outcome {
            Ok(Outcome::Done) => Ok(false),
            Ok(Outcome::Unknown) => self.unknown(bits, start, group, unknown),
            Ok(Outcome::Strays) => {
                let strays = take(&mut self.strays);
                self.keep(&strays, unknown)?;
                Ok(false)
            }
            Err(kind) => {
                if take(&mut self.too_deep) {
                    // Where a group that is not known would be at fault too.
                    self.pos = start;
                }
                let index = self.index.take();
                self.trail.push(bits >> 3, index);
                Err(kind)
            }
        }
    }

    fn unknown(
        &mut self,
        bits: u32,
        start: usize,
        group: u32,
        unknown: Option<&mut Vec<u8>>,
    ) -> Result<bool, DecodeErrorKind> {
        let value = replace(&mut self.pos, start);
        let tag = Tag::from_bits(bits)?;
        if tag.wire_type() == WireType::EndGroup {
            if tag.number() != group {
                return Err(DecodeErrorKind::UnexpectedEndGroup);
            }
            self.group_end = start;
            self.pos = value;
            return Ok(true);
        }
        self.pos = match raw::skip_value(self.buf, value, self.buf.len(), tag, self.depth_left) {
            Ok(pos) => pos,
            // A group that is itself too deep is at fault at its tag, where the position is.
            Err(fault) if tag.wire_type() == WireType::StartGroup && self.depth_left == 0 => {
                return Err(fault.kind);
            }
            Err(fault) => {
                self.pos = fault.offset;
                return Err(fault.kind);
            }
        };
        let span = self.buf.get(start..self.pos).unwrap_or_default();
        self.keep(span, unknown)?;
        Ok(false)
    }

    fn keep(&mut self, fields: &[u8], unknown: Option<&mut Vec<u8>>) -> Result<(), DecodeErrorKind> {
        match unknown {
            Some(unknown) if !self.options.discards_unknown() => {
                self.reserve(unknown, fields.len())?;
                unknown.extend_from_slice(fields);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends a message at its bound. An open group there is truncated input.
    #[inline(always)]
    pub fn end(&self, group: u32) -> Result<(), DecodeErrorKind> {
        if group == 0 { Ok(()) } else { Err(DecodeErrorKind::Incomplete) }
    }

    /// Notes that a message has required fields.
    #[inline(always)]
    pub fn require(&mut self) {
        self.required = true;
    }

    /// Notes which element of a repeated field the fault is in.
    #[cold]
    pub(super) fn at_index(&mut self, index: usize, kind: DecodeErrorKind) -> DecodeErrorKind {
        self.index = Some(index);
        kind
    }

    /// A length, and `body` over the bytes it announces, one level deeper. `body` stops at their end.
    #[inline]
    pub(super) fn prefixed<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<T, DecodeErrorKind>,
    ) -> Result<T, DecodeErrorKind> {
        let depth = self.deeper()?;
        let (len, start) = raw::length(self.buf, self.pos)?;
        let inner = start.checked_add(len).and_then(|end| self.buf.get(..end));
        let outer = replace(&mut self.buf, inner.ok_or(DecodeErrorKind::Incomplete)?);
        self.pos = start;
        self.bounds += 1;
        self.descend(depth);
        let result = body(self)?;
        self.buf = outer;
        self.bounds -= 1;
        self.depth_left = depth + 1;
        Ok(result)
    }

    /// The levels that are left one level deeper.
    #[inline(always)]
    fn deeper(&mut self) -> Result<u32, DecodeErrorKind> {
        match self.depth_left.checked_sub(1) {
            Some(depth) => Ok(depth),
            None => Err(self.too_deep()),
        }
    }

    /// Checks that there is stack for a message of this type; one that holds no messages is the last level anyway.
    #[inline(always)]
    pub(super) fn look_at_stack<M: DecodeFrom<'i>>(&mut self) -> Result<(), DecodeErrorKind> {
        if const { has_messages(M::TABLE) } && !self.stack.has_room() { Err(self.too_deep()) } else { Ok(()) }
    }

    #[inline(always)]
    fn descend(&mut self, depth: u32) {
        self.depth_left = depth;
        self.lowest = self.lowest.min(depth);
    }

    #[cold]
    pub(super) fn too_deep(&mut self) -> DecodeErrorKind {
        self.too_deep = true;
        DecodeErrorKind::DepthExceeded
    }

    /// Merges a group up to its end tag, one level deeper.
    #[inline]
    pub(super) fn group<M: DecodeFrom<'i>>(
        &mut self,
        spec: WireSpec,
        message: &mut M,
    ) -> Result<(), DecodeErrorKind> {
        self.look_at_stack::<M>()?;
        let depth = self.deeper()?;
        self.descend(depth);
        message.merge_message(self, spec.number)?;
        self.depth_left = depth + 1;
        Ok(())
    }

    /// A length and the bytes it announces.
    #[inline(always)]
    pub(super) fn bytes(&mut self) -> Result<&'i [u8], DecodeErrorKind> {
        let (bytes, pos) = raw::length_delimited(self.buf, self.pos)?;
        self.pos = pos;
        Ok(bytes)
    }

    /// A length and the string it announces.
    #[inline(always)]
    pub(super) fn str(&mut self) -> Result<&'i str, DecodeErrorKind> {
        let bytes = self.bytes()?;
        match wire::utf8::from_utf8(bytes) {
            Some(string) => Ok(string),
            None => {
                self.pos -= bytes.len();
                Err(DecodeErrorKind::InvalidUtf8)
            }
        }
    }

    /// Keeps a value, a varint, that is no number of its closed enum for the unknown fields.
    #[cold]
    pub(super) fn stray(&mut self, spec: WireSpec, value: &[u8]) -> Result<(), DecodeErrorKind> {
        let mut strays = take(&mut self.strays);
        self.reserve(&mut strays, STRAY)?;
        let mut writer = wire::Writer::new(&mut strays);
        writer.write_varint(u64::from(spec.number) << 3);
        writer.write_raw(value);
        self.strays = strays;
        Ok(())
    }

    /// Takes memory from the budget.
    #[inline(always)]
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), DecodeErrorKind> {
        self.budget.charge(bytes)
    }

    /// Gives memory back to the budget.
    #[inline(always)]
    pub(super) fn refund(&mut self, bytes: usize) {
        self.budget.refund(bytes);
    }

    /// A map entry without its message value has an empty one, which may lack required fields and is one level deeper.
    #[cold]
    pub(super) fn empty_value(&mut self, required: bool) -> Result<(), DecodeErrorKind> {
        self.required |= required;
        self.may_nest()
    }

    /// Checks the depth before a message is made, so that a failed merge leaves no struct that is too deep to encode.
    #[inline(always)]
    pub(super) fn may_nest(&mut self) -> Result<(), DecodeErrorKind> {
        if self.depth_left == 0 { Err(self.too_deep()) } else { Ok(()) }
    }

    /// Makes room for `additional` elements.
    ///
    /// In a fresh message the capacity of lists is charged. A message that is merged into may hold lists that are larger
    /// than the budget, which one more element would make grow; so there each element is charged, and capacity is not. Lists
    /// at most double, so with `held` bytes in the message before and `paid` bytes of elements, all capacities are at most
    /// `2 * (held + paid)`, and the list that moves is there once more: the merge stays within twice its budget and twice
    /// what the message held.
    #[inline(always)]
    pub(super) fn reserve<T>(&mut self, list: &mut Vec<T>, additional: usize) -> Result<(), DecodeErrorKind> {
        if self.merging {
            self.charge(additional.saturating_mul(size_of::<T>()))?;
        }
        if list.capacity() - list.len() >= additional { Ok(()) } else { self.grow(list, additional) }
    }

    /// Doubles the capacity, from four small elements on; by an eighth, then to what is needed, where the budget ends.
    ///
    /// While the elements move, the old memory and the new are both there, so the old is given back afterwards.
    #[inline(never)]
    fn grow<T>(&mut self, list: &mut Vec<T>, additional: usize) -> Result<(), DecodeErrorKind> {
        let (len, old) = (list.len(), list.capacity());
        if self.merging {
            return self.grow_held(list, additional);
        }
        let need = len.saturating_add(additional);
        let few = size_of::<T>() <= SMALL && self.is_ahead(FIRST * size_of::<T>());
        let least = if few { need.max(FIRST) } else { need };
        let candidates = [old.saturating_mul(2).max(least), (old + old / 8).max(need), need];
        for capacity in candidates {
            let bytes = capacity.saturating_mul(size_of::<T>());
            if self.charge(bytes).is_ok() {
                list.try_reserve_exact(capacity - len).map_err(|_| DecodeErrorKind::OutOfMemory)?;
                self.refund(old * size_of::<T>());
                return Ok(());
            }
        }
        Err(DecodeErrorKind::BudgetExceeded)
    }

    /// Doubles a list whose elements are charged; by an eighth where the budget could not pay for all of it.
    #[cold]
    fn grow_held<T>(&mut self, list: &mut Vec<T>, additional: usize) -> Result<(), DecodeErrorKind> {
        let (len, old) = (list.len(), list.capacity());
        let need = len.saturating_add(additional);
        let double = old.max(usize::from(additional == 1)).saturating_mul(2).max(need);
        let affords = self.budget.affords(double.saturating_mul(size_of::<T>()));
        let capacity = if affords { double } else { (old + old / 8).max(need) };
        self.may_move(old * size_of::<T>())?;
        list.try_reserve_exact(capacity - len).map_err(|_| DecodeErrorKind::OutOfMemory)
    }

    /// Looks whether the budget pays for a block that is there twice while its elements move, as far as this input may have
    /// made it.
    pub(super) fn may_move(&mut self, block: usize) -> Result<(), DecodeErrorKind> {
        let made = block.min(self.budget.spent());
        if self.budget.affords(made) { Ok(()) } else { Err(DecodeErrorKind::BudgetExceeded) }
    }

    /// Whether what would be left of the budget is about what the rest of the input has a right to.
    fn is_ahead(&self, bytes: usize) -> bool {
        let rest = self.options.budget_for(self.whole.saturating_sub(self.pos));
        self.budget.left().saturating_add(LAG) >= rest.saturating_add(bytes)
    }

    /// Makes the string a copy of `value`, in its own memory if that is large enough.
    #[inline]
    pub(super) fn assign(&mut self, string: &mut String, value: &str) -> Result<(), DecodeErrorKind> {
        assign!(self, string, value, String::new(), push_str)
    }

    /// The same for bytes.
    #[inline]
    pub(super) fn assign_bytes(&mut self, bytes: &mut Vec<u8>, value: &[u8]) -> Result<(), DecodeErrorKind> {
        assign!(self, bytes, value, Vec::new(), extend_from_slice)
    }
}

/// Copies a value into the memory of a string or list of bytes, or into new memory.
macro_rules! assign {
    ($input:ident, $member:ident, $value:ident, $empty:expr, $append:ident) => {{
        let old = $member.capacity();
        if old < $value.len() {
            $input.charge($value.len())?;
            let mut copy = $empty;
            copy.try_reserve_exact($value.len()).map_err(|_| DecodeErrorKind::OutOfMemory)?;
            copy.$append($value);
            *$member = copy;
            $input.refund(old);
        } else {
            $member.clear();
            $member.$append($value);
        }
        Ok(())
    }};
}
use assign;

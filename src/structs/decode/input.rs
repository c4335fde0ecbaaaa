//! The decoding pass: the input, the remaining depth and the remaining budget.
//!
//! Positions are offsets in all of the input. They are passed from function to function, so that they stay in registers.

use super::budget::Budget;
use super::path_trace::PathTrace;
use super::stack::StackBound;
use super::{FAULT, STRAYS, UNKNOWN, is_position};
use crate::structs::grammar::kinds::{has_messages, has_required};
use crate::structs::grammar::names::MessageNames;
use crate::structs::{DecodeFrom, Message};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::heap::Vec;
use crate::wire::options::DecodeOptions;
use crate::wire::read::raw;
use crate::wire::{self, DEFAULT_DEPTH, MAX_LEN, Tag, WireType};
use core::mem::{replace, take};
use core::ops::ControlFlow::{self, Break, Continue};

/// The part of the budget reserved for an error with a path of 100 steps, in bytes; the divisor for small budgets.
const ERROR: usize = 10 << 10;
const ERROR_PART: usize = 32;

/// State of one decode.
pub struct Input<'i> {
    /// The input up to the end of the innermost message.
    pub(in crate::structs) buf: &'i [u8],
    /// A position left for others: where a decode starts, where a list grows, where a field with strays ends, where a fault is.
    pub(in crate::structs) pos: usize,
    /// The offset of `buf` in the input of the outermost decode.
    pub(in crate::structs) base: usize,
    /// Whether a length prefix encloses what is decoded, or enclosed the fault. A field cut off by one is a different fault.
    pub(in crate::structs) bounded: bool,
    pub(in crate::structs) depth_left: u32,
    /// The minimum of `depth_left` so far.
    pub(in crate::structs) lowest: u32,
    /// Where the last end-group tag starts.
    pub(in crate::structs) group_end: usize,
    /// The memory that may still be allocated.
    pub(in crate::structs) budget: Budget<'i>,
    /// Whether the message may have held fields before, so that elements are charged instead of capacity.
    pub(in crate::structs) merging: bool,
    /// The position of the stack at the start.
    pub(in crate::structs) stack: StackBound,
    /// All of the input. The check for ASCII reads blocks of 32 bytes, which may reach past the end of `buf`.
    pub(in crate::structs) whole: &'i [u8],
    /// The options, also for messages decoded later.
    pub(in crate::structs) options: DecodeOptions,
    /// Whether a message with required fields occurred.
    pub(in crate::structs) required: bool,
    #[cfg(feature = "bytes")]
    shared: Option<&'i bytes::Bytes>,
    /// Made when it is first needed: a decode of a small message takes as long as its state takes to set up.
    rare: Option<Rare>,
}

/// What faults and unlisted values of closed enums leave.
struct Rare {
    /// The kind of the fault, after [`FAULT`].
    fault: DecodeErrorKind,
    /// The current field is one level too deep.
    too_deep: bool,
    /// The path to the fault, innermost field first.
    trail: PathTrace,
    /// The index of the element at fault, until its field is added to the path.
    index: Option<usize>,
    /// Unlisted values of closed enums, as encoded fields.
    strays: Vec<u8>,
}

impl<'i> Input<'i> {
    #[inline]
    pub(in crate::structs) fn new(buf: &'i [u8], options: &DecodeOptions) -> Self {
        let depth_left = options.depth_limit().min(DEFAULT_DEPTH);
        let budget = options.budget_for(buf.len());
        Self {
            buf,
            pos: 0,
            base: 0,
            bounded: false,
            depth_left,
            lowest: depth_left,
            group_end: 0,
            budget: Budget::new(budget - ERROR.min(budget / ERROR_PART)),
            merging: false,
            stack: StackBound::here(),
            whole: buf,
            options: *options,
            required: false,
            #[cfg(feature = "bytes")]
            shared: None,
            rare: None,
        }
    }

    #[cold]
    #[inline(never)]
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_with(|| Rare {
            fault: DecodeErrorKind::Incomplete,
            too_deep: false,
            trail: PathTrace::new(),
            index: None,
            strays: Vec::new(),
        })
    }

    /// A decode that starts at `pos`, after a length prefix that ends with the input.
    #[inline]
    pub(in crate::structs) fn after_length(buf: &'i [u8], pos: usize, options: &DecodeOptions) -> Self {
        let mut input = Self::new(buf, options);
        (input.pos, input.bounded) = (pos, true);
        input
    }

    /// A decode into a message that may have fields.
    #[inline]
    pub(in crate::structs) fn merging(mut self) -> Self {
        self.merging = true;
        self
    }

    /// Lets `Bytes` members share the memory of the input.
    #[cfg(feature = "bytes")]
    #[inline]
    pub(in crate::structs) fn sharing(mut self, owner: &'i bytes::Bytes) -> Self {
        self.shared = Some(owner);
        self
    }

    #[cfg(feature = "bytes")]
    #[inline]
    pub(in crate::structs) fn shared(&self) -> Option<&'i bytes::Bytes> {
        self.shared
    }

    /// Merges the whole input into the root message. Returns whether to check required fields.
    #[inline]
    pub(in crate::structs) fn root<M: DecodeFrom<'i>>(
        &mut self,
        message: &mut M,
    ) -> Result<bool, DecodeError> {
        if self.buf.len() > MAX_LEN {
            return Err(DecodeError::new(DecodeErrorKind::TooLarge, MAX_LEN));
        }
        match message.merge_fields(self.pos, 0, self) {
            FAULT => Err(self.error(M::__NAMES)),
            _ => Ok(self.required),
        }
    }

    #[cold]
    #[inline(never)]
    fn error(&mut self, names: &'static MessageNames) -> DecodeError {
        let (bounded, pos) = (self.bounded, self.base + self.pos);
        let rare = self.rare();
        let (kind, path) = (raw::within(bounded, rare.fault), take(&mut rare.trail).named(names));
        DecodeError::at(kind, pos, path, names.full_name)
    }

    /// Records a fault.
    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn fault(&mut self, kind: DecodeErrorKind, pos: usize) -> usize {
        (self.rare().fault, self.pos) = (kind, pos);
        FAULT
    }

    /// Records a fault in an element.
    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn fault_in(&mut self, index: usize, kind: DecodeErrorKind, pos: usize) -> usize {
        self.rare().index = Some(index);
        self.fault(kind, pos)
    }

    /// Records the index of the element at fault.
    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn at_index(&mut self, index: usize) -> usize {
        self.rare().index = Some(index);
        FAULT
    }

    /// Records the end of a field with strays.
    #[cold]
    pub(in crate::structs) fn with_strays(&mut self, end: usize) -> usize {
        self.pos = end;
        STRAYS
    }

    /// The input up to the end of the innermost message.
    #[inline(always)]
    pub fn up_to_end(&self) -> &'i [u8] {
        self.buf
    }

    /// The position after the tag `bits`, if it has one byte and is at `pos`.
    #[inline(always)]
    pub(in crate::structs) fn after_tag(&self, pos: usize, bits: u32) -> Option<usize> {
        let same = bits < 0x80 && self.buf.get(pos) == Some(&(bits as u8));
        same.then_some(pos + 1)
    }

    /// The cold path of the field loop: what comes after the field that starts at `start` and was given the code `end`. Breaks with the
    /// end of the group, or with [`FAULT`].
    #[cold]
    #[inline(never)]
    pub fn settle(
        &mut self,
        end: usize,
        start: usize,
        group: u32,
        unknown: Option<&mut Vec<u8>>,
    ) -> ControlFlow<usize, usize> {
        let (bits, value) = match raw::tag_bits(self.buf, start) {
            Ok(tag) => tag,
            Err(kind) => return Break(self.fault(kind, start)),
        };
        match end {
            UNKNOWN => self.unknown(bits, start, value, group, unknown),
            STRAYS => {
                let (strays, end) = (take(&mut self.rare().strays), self.pos);
                match self.keep(&strays, unknown) {
                    Ok(()) => Continue(end),
                    Err(kind) => Break(self.fault(kind, end)),
                }
            }
            _ => {
                if take(&mut self.rare().too_deep) {
                    // At the tag, as for an unknown group that is too deep.
                    self.pos = start;
                }
                let rare = self.rare();
                let index = rare.index.take();
                rare.trail.push(bits >> 3, index);
                Break(FAULT)
            }
        }
    }

    #[inline]
    fn unknown(
        &mut self,
        bits: u32,
        start: usize,
        value: usize,
        group: u32,
        unknown: Option<&mut Vec<u8>>,
    ) -> ControlFlow<usize, usize> {
        let tag = match Tag::from_bits(bits) {
            Ok(tag) => tag,
            Err(kind) => return Break(self.fault(kind, start)),
        };
        if tag.wire_type() == WireType::EndGroup {
            if tag.number() != group {
                return Break(self.fault(DecodeErrorKind::UnexpectedEndGroup, start));
            }
            self.group_end = start;
            return Break(value);
        }
        let end = match raw::skip_value(self.buf, value, self.buf.len(), tag, self.depth_left) {
            Ok(end) => end,
            // `skip_value` points into the group, but a group that is itself too deep is at fault at its tag.
            Err(fault) if tag.wire_type() == WireType::StartGroup && self.depth_left == 0 => {
                return Break(self.fault(fault.kind, start));
            }
            Err(fault) => return Break(self.fault(fault.kind, fault.offset)),
        };
        self.pos = end;
        match self.keep(self.buf.get(start..end).unwrap_or_default(), unknown) {
            Ok(()) => Continue(end),
            Err(kind) => Break(self.fault(kind, end)),
        }
    }

    #[inline]
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

    /// Ends a message at its end. An open group there is truncated input.
    #[inline(always)]
    pub fn end(&mut self, group: u32, end: usize) -> usize {
        if group == 0 { end } else { self.fault(DecodeErrorKind::Incomplete, end) }
    }

    /// Begins a message. Records whether one with required fields occurs.
    #[inline(always)]
    pub fn begin<M: Message>(&mut self) {
        if const { has_required(M::TABLE) } {
            self.required = true;
        }
    }

    /// Reads a length prefix and runs `body` on that many bytes, one level deeper.
    #[inline(always)]
    pub(in crate::structs) fn prefixed(
        &mut self,
        pos: usize,
        body: impl FnOnce(&mut Self, usize) -> usize,
    ) -> usize {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            return self.fault_too_deep(pos);
        };
        let (len, start) = match raw::length(self.buf, pos) {
            Ok(length) => length,
            Err(kind) => return self.fault(kind, pos),
        };
        let Some(inner) = self.buf.get(..start + len) else {
            return self.fault(DecodeErrorKind::Incomplete, pos);
        };
        let outer = replace(&mut self.buf, inner);
        self.descend(depth);
        let end = body(self, start);
        if !is_position(end) {
            self.bounded = true;
            return end;
        }
        self.buf = outer;
        self.depth_left = depth + 1;
        end
    }

    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn fault_too_deep(&mut self, pos: usize) -> usize {
        let kind = self.too_deep();
        self.fault(kind, pos)
    }

    /// Checks the stack before a message of type `M`, unless `M` has no messages and so recurses no further.
    #[inline(always)]
    pub(in crate::structs) fn look_at_stack<M: DecodeFrom<'i>>(&mut self) -> Result<(), DecodeErrorKind> {
        if const { has_messages(M::TABLE) } && !self.stack.has_room() { Err(self.too_deep()) } else { Ok(()) }
    }

    #[inline(always)]
    fn descend(&mut self, depth: u32) {
        self.depth_left = depth;
        self.lowest = self.lowest.min(depth);
    }

    #[cold]
    #[inline]
    pub(in crate::structs) fn too_deep(&mut self) -> DecodeErrorKind {
        self.rare().too_deep = true;
        DecodeErrorKind::DepthExceeded
    }

    /// Merges a group up to its end tag, one level deeper.
    #[inline]
    pub(in crate::structs) fn group<M: DecodeFrom<'i>>(
        &mut self,
        pos: usize,
        number: u32,
        message: &mut M,
    ) -> usize {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            return self.fault_too_deep(pos);
        };
        self.descend(depth);
        let end = message.merge_fields(pos, number, self);
        self.depth_left = depth + 1;
        end
    }

    /// Reads a length prefix and its bytes. After `None` the fault is recorded.
    #[inline(always)]
    pub(in crate::structs) fn bytes(&mut self, pos: usize) -> Option<(&'i [u8], usize)> {
        match raw::length_delimited(self.buf, pos) {
            Ok(read) => Some(read),
            Err(kind) => {
                self.fault(kind, pos);
                None
            }
        }
    }

    /// Reads a length prefix and its string. After `None` the fault is recorded.
    ///
    /// `from_prefix` tests 32 bytes at once under a mask, without a branch on the length: 3 instead of 9 ns per string
    /// where lengths vary.
    #[inline(always)]
    pub(in crate::structs) fn str(&mut self, pos: usize) -> Option<(&'i str, usize)> {
        let (len, start) = match raw::length(self.buf, pos) {
            Ok(length) => length,
            Err(kind) => {
                self.fault(kind, pos);
                return None;
            }
        };
        let end = start + len;
        if end > self.buf.len() {
            self.fault(DecodeErrorKind::Incomplete, pos);
            return None;
        }
        match self.whole.get(start..).and_then(|rest| wire::utf8::from_prefix(rest, len)) {
            Some(string) => Some((string, end)),
            None => {
                self.fault(DecodeErrorKind::InvalidUtf8, start);
                None
            }
        }
    }

    /// Stores an unlisted varint `value` of a closed enum for the unknown fields.
    #[cfg(not(tablepb_no_alloc))]
    #[cold]
    #[inline]
    pub(in crate::structs) fn stray(&mut self, number: u32, value: &[u8]) -> Result<(), DecodeErrorKind> {
        let mut strays = take(&mut self.rare().strays);
        let tag = u64::from(number) << 3;
        self.reserve(&mut strays, wire::varint_len(tag) + value.len())?;
        let mut writer = wire::Writer::new(&mut strays);
        writer.write_varint(tag);
        writer.write_raw(value);
        self.rare().strays = strays;
        Ok(())
    }

    /// No member keeps unknown fields in a program without an allocator.
    #[cfg(tablepb_no_alloc)]
    pub(in crate::structs) fn stray(&mut self, _: u32, _: &[u8]) -> Result<(), DecodeErrorKind> {
        Ok(())
    }

    /// Charges the budget.
    #[inline(always)]
    pub(in crate::structs) fn charge(&mut self, bytes: usize) -> Result<(), DecodeErrorKind> {
        self.budget.charge(bytes)
    }

    /// Returns memory to the budget.
    #[inline(always)]
    pub(in crate::structs) fn refund(&mut self, bytes: usize) {
        self.budget.refund(bytes);
    }

    /// Checks the depth before a message is created, so that a failed merge never leaves a struct too deep to encode.
    #[inline(always)]
    pub(in crate::structs) fn may_nest(&mut self) -> Result<(), DecodeErrorKind> {
        if self.depth_left == 0 { Err(self.too_deep()) } else { Ok(()) }
    }
}

//! The occurrences of a message field as bytes, kept by [`Lazy`](crate::structs::Lazy).

use crate::structs::DecodeOwned;
use crate::structs::decode::budget::{Budget, Pot};
use crate::structs::decode::input::Input;
use crate::structs::decode::memory::{One, charged_room, put};
use crate::structs::message::check_required;
use crate::wire::error::{DecodeError, DecodeErrorKind, PathStep};
use crate::wire::options::DecodeOptions;
use crate::wire::read::raw;
use crate::wire::sync::AtomicUsize;
use crate::wire::sync::Ordering::Relaxed;
use alloc::{boxed::Box, vec::Vec};
use core::iter;
use core::mem::take;

/// The occurrences of a field. One occurrence allocates nothing but a copy of its bytes.
#[derive(Clone)]
pub(in crate::structs) struct Occurrences {
    content: Content,
    /// The offset of the first occurrence in its input, at most 2^31-1.
    offset: u32,
    /// How deep the last occurrence may nest.
    depth: u32,
    /// The budget of the input of the first occurrence.
    pot: Pot,
}

#[derive(Clone)]
enum Content {
    /// One occurrence, copied.
    Copied(Box<[u8]>),
    /// Several occurrences, or shared ones.
    Listed(One<Listed>),
}

/// The bytes of all occurrences, and what is to know about those after the first.
#[derive(Clone)]
struct Listed {
    bytes: Octets,
    /// The offsets of each one in `bytes` and in its input.
    starts: Vec<(usize, usize)>,
    /// The budgets of further inputs, each with the index of its first occurrence in `starts`.
    grants: Vec<(usize, Grant)>,
}

/// The budget for the occurrences of a further input.
struct Grant {
    pot: Pot,
    /// The part of it that decoding has used.
    spent: AtomicUsize,
}

/// A copy has used nothing yet.
impl Clone for Grant {
    fn clone(&self) -> Self {
        Self { pot: self.pot.clone(), spent: AtomicUsize::new(0) }
    }
}

#[derive(Clone)]
enum Octets {
    Owned(Vec<u8>),
    #[cfg(feature = "bytes")]
    Shared(bytes::Bytes),
}

/// The charge for an error without its path, in bytes.
const FAILED: usize = 128;

/// The error, without its path if the budget does not cover the path.
#[cold]
fn affordable<T: DecodeOwned>(error: DecodeError, input: &mut Input<'_>) -> DecodeError {
    // The list of steps grew by doubling, from four on.
    let steps = error.path().steps().len();
    let room = if steps == 0 { 0 } else { steps.next_power_of_two().max(4) };
    match input.charge(room * size_of::<PathStep>()) {
        Ok(()) => error,
        Err(_) => DecodeError::new(error.kind(), error.offset()).in_message(T::TABLE.full_name()),
    }
}

impl Octets {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            #[cfg(feature = "bytes")]
            Self::Shared(bytes) => bytes,
        }
    }

    fn append(&mut self, part: &[u8], input: &mut Input<'_>) -> Result<(), DecodeErrorKind> {
        match self {
            Self::Owned(bytes) => {
                input.reserve(bytes, part.len())?;
                bytes.extend_from_slice(part);
            }
            #[cfg(feature = "bytes")]
            Self::Shared(shared) => {
                let mut bytes = Vec::new();
                let len = shared.len() + part.len();
                // A merge does not charge what the message held before.
                input.charge(if input.merging { part.len() } else { len })?;
                bytes.try_reserve_exact(len).map_err(|_| DecodeErrorKind::OutOfMemory)?;
                bytes.extend_from_slice(shared);
                bytes.extend_from_slice(part);
                *self = Self::Owned(bytes);
            }
        }
        Ok(())
    }
}

impl Content {
    /// Shares the input if it is `Bytes`; copies otherwise.
    #[inline(always)]
    fn first(part: &[u8], input: &mut Input<'_>) -> Result<Self, DecodeErrorKind> {
        #[cfg(feature = "bytes")]
        if let Some(owner) = input.shared() {
            return Self::shared(owner.slice_ref(part), input);
        }
        let mut bytes = Vec::new();
        input.charge(part.len())?;
        bytes.try_reserve_exact(part.len()).map_err(|_| DecodeErrorKind::OutOfMemory)?;
        bytes.extend_from_slice(part);
        Ok(Self::Copied(bytes.into_boxed_slice()))
    }

    #[cfg(feature = "bytes")]
    fn shared(part: bytes::Bytes, input: &mut Input<'_>) -> Result<Self, DecodeErrorKind> {
        Ok(Self::Listed(put(charged_room(input)?, Listed::new(Octets::Shared(part)))))
    }

    /// The list of occurrences, made for the second one.
    fn listed(&mut self, input: &mut Input<'_>) -> Result<&mut Listed, DecodeErrorKind> {
        if let Self::Copied(bytes) = self {
            let room = charged_room(input)?;
            *self = Self::Listed(put(room, Listed::new(Octets::Owned(take(bytes).into_vec()))));
        }
        match self {
            Self::Listed(listed) => Ok(&mut listed[0]),
            Self::Copied(_) => unreachable!("it has just been replaced"),
        }
    }
}

impl Listed {
    fn new(bytes: Octets) -> Self {
        Self { bytes, starts: Vec::new(), grants: Vec::new() }
    }
}

impl Occurrences {
    /// The first occurrence.
    #[inline(always)]
    pub(in crate::structs) fn first(
        part: Deferred<'_>,
        input: &mut Input<'_>,
    ) -> Result<Self, DecodeErrorKind> {
        let content = Content::first(part.bytes, input)?;
        // Inputs have at most 2^31-1 bytes, so the offset fits.
        Ok(Self { content, offset: part.offset as u32, depth: part.depth, pot: part.pot })
    }

    pub(in crate::structs) fn append(
        &mut self,
        part: Deferred<'_>,
        input: &mut Input<'_>,
    ) -> Result<(), DecodeErrorKind> {
        let start = self.as_slice().len();
        let listed = self.content.listed(input)?;
        let granted = listed.grants.last().map_or(&self.pot, |(_, grant)| &grant.pot).is(&part.pot);
        input.reserve(&mut listed.starts, 1)?;
        input.reserve(&mut listed.grants, usize::from(!granted))?;
        listed.bytes.append(part.bytes, input)?;
        if !granted {
            let grant = Grant { pot: part.pot, spent: AtomicUsize::new(0) };
            listed.grants.push((listed.starts.len(), grant));
        }
        listed.starts.push((start, part.offset));
        self.depth = part.depth;
        Ok(())
    }

    /// Returns the memory of the decoded value, which is dropped: `spent` for the first input, and that of the others.
    pub(in crate::structs) fn refund(&mut self, spent: usize) {
        self.pot.give(spent);
        if let Content::Listed(listed) = &mut self.content {
            for (_, grant) in &mut listed[0].grants {
                grant.pot.give(take(grant.spent.get_mut()));
            }
        }
    }

    /// The options for all occurrences: those of the last input.
    fn options(&self) -> DecodeOptions {
        let pot = match &self.content {
            Content::Listed(listed) => listed[0].grants.last().map_or(&self.pot, |(_, grant)| &grant.pot),
            Content::Copied(_) => &self.pot,
        };
        pot.options().max_depth(self.depth)
    }

    /// The offset of the first occurrence in its input.
    pub(in crate::structs) fn offset(&self) -> usize {
        self.offset as usize
    }

    /// The bytes of all occurrences, in order.
    #[inline]
    pub(in crate::structs) fn as_slice(&self) -> &[u8] {
        match &self.content {
            Content::Copied(bytes) => bytes,
            Content::Listed(listed) => listed[0].bytes.as_slice(),
        }
    }

    /// A decode of one occurrence.
    fn input<'r>(&'r self, part: &'r [u8], offset: usize, options: &DecodeOptions) -> Input<'r> {
        let input = Input::part(part, offset, options);
        #[cfg(feature = "bytes")]
        if let Content::Listed(listed) = &self.content
            && let Octets::Shared(owner) = &listed[0].bytes
        {
            return input.sharing(owner);
        }
        input
    }

    /// Whether the budget covers a value of `size` bytes and an error. If not, nothing is stored.
    pub(in crate::structs) fn affords(&self, size: usize) -> bool {
        self.pot.has(size.saturating_add(FAILED))
    }

    /// Merges all occurrences into a message, in order.
    ///
    /// Charges the message, `size` bytes for the box around it, and an error if there is one. Adds the charges for the first
    /// input to `spent`.
    pub(in crate::structs) fn decode<T: DecodeOwned>(
        &self,
        size: usize,
        spent: &mut usize,
    ) -> Result<T, DecodeError> {
        let bytes = self.as_slice();
        let (starts, mut grants) = match &self.content {
            Content::Listed(listed) => (listed[0].starts.as_slice(), listed[0].grants.as_slice()),
            Content::Copied(_) => Default::default(),
        };
        let options = self.options();
        let mut message = T::unset();
        let (mut required, mut last, mut grant) = (false, 0, None);
        let ends = starts.iter().map(|&(start, _)| start).chain([bytes.len()]);
        let parts = iter::once((0, self.offset())).chain(starts.iter().copied());
        for (i, ((start, offset), end)) in parts.zip(ends).enumerate() {
            if let [(first, later), rest @ ..] = grants
                && i == first + 1
            {
                (grant, grants) = (Some(later), rest);
            }
            let part = bytes.get(start..end).unwrap_or_default();
            let mut input = self.input(part, offset, &options);
            input.budget = Budget::of(grant.map_or(&self.pot, |grant| &grant.pot));
            // The budgets of earlier inputs have paid for the message so far.
            input.merging = grant.is_some();
            let merged = match input.charge(FAILED + if i == 0 { size } else { 0 }) {
                Ok(()) => input.root(&mut message),
                Err(kind) => Err(DecodeError::new(kind, offset).in_message(T::TABLE.full_name())),
            };
            let merged = merged.map_err(|error| affordable::<T>(error, &mut input));
            input.refund(if merged.is_ok() { FAILED } else { 0 });
            match grant {
                Some(grant) => _ = grant.spent.fetch_add(input.budget.spent(), Relaxed),
                None => *spent += input.budget.spent(),
            }
            required |= merged?;
            last = offset + part.len();
        }
        if required && !options.allows_partial() {
            check_required(&message, last)?;
        }
        Ok(message)
    }
}

// The decoding pass for members that keep bytes: skips a message and decodes it later.
//
// The functions that return a `Deferred` are always inlined, so that it stays in registers. Through memory it is read in
// other widths than it was written, so loads wait for stores: lists of `Lazy` messages took 1.4 times as long to decode.

/// A message to decode later.
pub struct Deferred<'i> {
    pub(in crate::structs) bytes: &'i [u8],
    /// Its offset in the whole input.
    pub(in crate::structs) offset: usize,
    /// How deep it may nest.
    pub(in crate::structs) depth: u32,
    /// Its budget and its options.
    pub(in crate::structs) pot: Pot,
}

impl<'i> Input<'i> {
    /// A decode of a message from an earlier input, where it was at the offset `base`.
    #[inline]
    pub(in crate::structs) fn part(buf: &'i [u8], base: usize, options: &DecodeOptions) -> Self {
        let mut input = Self::new(buf, options);
        (input.base, input.bounded) = (base, true);
        input
    }

    /// Reads a length prefix and skips the message, one level deeper. After `None` the fault is recorded.
    #[inline(always)]
    pub(in crate::structs) fn deferred(&mut self, pos: usize, _: u32) -> Option<(Deferred<'i>, usize)> {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            self.fault_too_deep(pos);
            return None;
        };
        let (bytes, end) = self.bytes(pos)?;
        self.lowest = self.lowest.min(depth);
        self.later(bytes, end - bytes.len(), end, depth)
    }

    /// Skips the group `number` and its end tag, one level deeper. After `None` the fault is recorded.
    #[inline]
    pub(in crate::structs) fn deferred_group(
        &mut self,
        pos: usize,
        number: u32,
    ) -> Option<(Deferred<'i>, usize)> {
        let Some(depth) = self.depth_left.checked_sub(1) else {
            self.fault_too_deep(pos);
            return None;
        };
        match raw::group(self.buf, pos, number, self.depth_left) {
            Ok((last, end)) => {
                self.lowest = self.lowest.min(depth);
                self.later(self.buf.get(pos..last).unwrap_or_default(), pos, end, depth)
            }
            Err(fault) => {
                self.fault(fault.kind, fault.offset);
                None
            }
        }
    }

    #[inline(always)]
    fn later(
        &mut self,
        bytes: &'i [u8],
        start: usize,
        end: usize,
        depth: u32,
    ) -> Option<(Deferred<'i>, usize)> {
        match self.budget.pot(&self.options).cloned() {
            Ok(pot) => Some((Deferred { bytes, offset: self.base + start, depth, pot }, end)),
            Err(kind) => {
                self.fault(kind, end);
                None
            }
        }
    }
}

//! The occurrences of a message field, as they were read: what [`Lazy`](super::Lazy) keeps.

use super::{
    DecodeOwned,
    budget::{Budget, Pot},
    input::Input,
    later::Deferred,
    message::check_required,
    place::{One, charged_room, put},
};
use crate::error::PathStep;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::options::DecodeOptions;
use alloc::vec::Vec;
use core::{
    iter,
    mem::take,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The occurrences of a field, as read.
#[derive(Clone)]
pub(super) struct Occurrences {
    bytes: Octets,
    /// Where the first occurrence starts in the input.
    offset: usize,
    grant: Grant,
    later: Option<One<Later>>,
    options: DecodeOptions,
}

/// The occurrences after the first one.
#[derive(Clone, Default)]
struct Later {
    /// Where they start in the bytes of all and in their input.
    starts: Vec<(usize, usize)>,
    /// The grants of later inputs, and the first of `starts` that each is for.
    grants: Vec<(usize, Grant)>,
}

/// What the occurrences of one input may allocate.
struct Grant {
    pot: Pot,
    /// What they have taken.
    spent: AtomicUsize,
}

impl Grant {
    fn new(pot: Pot) -> Self {
        Self { pot, spent: AtomicUsize::new(0) }
    }
}

/// A copy has taken nothing yet.
impl Clone for Grant {
    fn clone(&self) -> Self {
        Self::new(self.pot.clone())
    }
}

#[derive(Clone)]
enum Octets {
    Owned(Vec<u8>),
    #[cfg(feature = "bytes")]
    Shared(bytes::Bytes),
}

/// An error without its path, in bytes.
const FAILED: usize = 128;

/// The error, without its path if that is too much for the budget.
#[cold]
fn affordable<T: DecodeOwned>(error: DecodeError, input: &mut Input<'_>) -> DecodeError {
    // The list has doubled, from four steps on.
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

    /// A copy, or a share of the input if that can be shared.
    fn read(part: &[u8], input: &mut Input<'_>) -> Result<Self, DecodeErrorKind> {
        #[cfg(feature = "bytes")]
        if let Some(owner) = input.shared() {
            return Ok(Self::Shared(owner.slice_ref(part)));
        }
        let mut bytes = Vec::new();
        input.charge(part.len())?;
        bytes.try_reserve_exact(part.len()).map_err(|_| DecodeErrorKind::OutOfMemory)?;
        bytes.extend_from_slice(part);
        Ok(Self::Owned(bytes))
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
                // What the message held before is not charged, wherever it is.
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

impl Occurrences {
    /// The first one; its box counts as well.
    #[inline(always)]
    pub(super) fn first(part: Deferred<'_>, input: &mut Input<'_>) -> Result<One<Self>, DecodeErrorKind> {
        let room = charged_room(input)?;
        let bytes = Octets::read(part.bytes, input)?;
        let grant = Grant::new(part.pot);
        Ok(put(room, Self { bytes, offset: part.offset, grant, later: None, options: part.options }))
    }

    pub(super) fn append(
        &mut self,
        part: Deferred<'_>,
        input: &mut Input<'_>,
    ) -> Result<(), DecodeErrorKind> {
        let start = self.as_slice().len();
        let later = match &mut self.later {
            Some(later) => later,
            none => none.insert(put(charged_room(input)?, Later::default())),
        };
        let [later] = &mut **later;
        let last = later.grants.last().map_or(&self.grant, |(_, grant)| grant);
        let granted = last.pot.is(&part.pot);
        input.reserve(&mut later.starts, 1)?;
        input.reserve(&mut later.grants, usize::from(!granted))?;
        self.bytes.append(part.bytes, input)?;
        if !granted {
            later.grants.push((later.starts.len(), Grant::new(part.pot)));
        }
        later.starts.push((start, part.offset));
        self.options = part.options;
        Ok(())
    }

    /// Gives back what decoding has taken, because the value is gone.
    pub(super) fn refund(&mut self) {
        let later = self.later.iter_mut().flat_map(|later| later.iter_mut());
        let grants = later.flat_map(|later| later.grants.iter_mut().map(|(_, grant)| grant));
        for grant in iter::once(&mut self.grant).chain(grants) {
            grant.pot.give(take(grant.spent.get_mut()));
        }
    }

    /// Where the first one starts in its input.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// The bytes of all of them, in order.
    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// A decode of one of them.
    fn input<'r>(&'r self, part: &'r [u8], offset: usize) -> Input<'r> {
        let input = Input::part(part, offset, &self.options);
        #[cfg(feature = "bytes")]
        if let Octets::Shared(owner) = &self.bytes {
            return input.sharing(owner);
        }
        input
    }

    /// Whether there is budget for a value of this size; if not, not even the error is kept.
    pub(super) fn affords(&self, size: usize) -> bool {
        self.grant.pot.has(size.saturating_add(FAILED))
    }

    /// Merges the occurrences into a message, one after the other, as if they had been merged when they were read. `size`
    /// bytes for what is made of it count as well, and so does an error, which is kept in its place.
    pub(super) fn decode<T: DecodeOwned>(&self, size: usize) -> Result<T, DecodeError> {
        let bytes = self.bytes.as_slice();
        let (starts, grants) = match self.later.as_deref() {
            Some([later]) => (later.starts.as_slice(), later.grants.as_slice()),
            None => Default::default(),
        };
        let mut message = T::unset();
        let (mut required, mut last, mut grant, mut grants) = (false, 0, &self.grant, grants);
        let mut merging = false;
        let ends = starts.iter().map(|&(start, _)| start).chain([bytes.len()]);
        for (i, (&(start, offset), end)) in iter::once(&(0, self.offset)).chain(starts).zip(ends).enumerate()
        {
            if let [(first, later), rest @ ..] = grants
                && i == first + 1
            {
                (grant, grants) = (later, rest);
                // What is there has been made by parts of other inputs, at the cost of these.
                merging = true;
            }
            let part = bytes.get(start..end).unwrap_or_default();
            let mut input = self.input(part, offset);
            input.budget = Budget::of(&grant.pot);
            input.merging = merging;
            let merged = match input.charge(FAILED + if i == 0 { size } else { 0 }) {
                Ok(()) => input.root(&mut message),
                Err(kind) => Err(DecodeError::new(kind, offset).in_message(T::TABLE.full_name())),
            };
            let merged = merged.map_err(|error| affordable::<T>(error, &mut input));
            input.refund(if merged.is_ok() { FAILED } else { 0 });
            grant.spent.fetch_add(input.budget.spent(), Relaxed);
            required |= merged?;
            last = offset + part.len();
        }
        if required && !self.options.allows_partial() {
            check_required(&message, last)?;
        }
        Ok(message)
    }
}

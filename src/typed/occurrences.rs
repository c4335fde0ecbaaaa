//! The occurrences of a message field, as they were read: what [`Lazy`](super::Lazy) keeps.

use super::{DecodeOwned, input::Input, later::Deferred, message::check_required};
use crate::{DecodeError, DecodeErrorKind, DecodeOptions};
use alloc::vec::Vec;
use core::iter;

/// The occurrences of a field, as read.
#[derive(Clone)]
pub(super) struct Occurrences {
    bytes: Octets,
    /// Where the first occurrence starts in the input.
    offset: usize,
    /// Where later occurrences start in `bytes` and in their input.
    later: Vec<(usize, usize)>,
    options: DecodeOptions,
}

#[derive(Clone)]
enum Octets {
    Owned(Vec<u8>),
    #[cfg(feature = "bytes")]
    Shared(bytes::Bytes),
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
        bytes.try_reserve_exact(part.len()).map_err(|_| DecodeErrorKind::BudgetExceeded)?;
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
                input.reserve(&mut bytes, shared.len() + part.len())?;
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
    pub(super) fn first(part: Deferred<'_>, input: &mut Input<'_>) -> Result<Self, DecodeErrorKind> {
        input.charge(size_of::<Self>())?;
        let bytes = Octets::read(part.bytes, input)?;
        Ok(Self { bytes, offset: part.offset, later: Vec::new(), options: part.options })
    }

    pub(super) fn append(
        &mut self,
        part: Deferred<'_>,
        input: &mut Input<'_>,
    ) -> Result<(), DecodeErrorKind> {
        input.reserve(&mut self.later, 1)?;
        let start = self.as_slice().len();
        self.bytes.append(part.bytes, input)?;
        self.later.push((start, part.offset));
        self.options = part.options;
        Ok(())
    }

    /// All of them, one behind the other.
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

    /// Merges the occurrences, one after the other, as if they had been merged when they were read.
    pub(super) fn decode<T: DecodeOwned>(&self) -> Result<T, DecodeError> {
        let bytes = self.bytes.as_slice();
        let mut message = T::unset();
        let (mut required, mut last) = (false, 0);
        let mut budget = self.options.budget_for(bytes.len());
        let starts = iter::once((0, self.offset)).chain(self.later.iter().copied());
        let ends = self.later.iter().map(|&(start, _)| start).chain([bytes.len()]);
        for ((start, offset), end) in starts.zip(ends) {
            let part = bytes.get(start..end).unwrap_or_default();
            let mut input = self.input(part, offset);
            input.budget = budget;
            required |= input.root(&mut message)?;
            budget = input.budget;
            last = offset + part.len();
        }
        if required && !self.options.allows_partial() {
            check_required(&message, last)?;
        }
        Ok(message)
    }
}

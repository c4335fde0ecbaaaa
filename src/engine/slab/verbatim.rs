//! Messages that are bytes of the store.
//!
//! A *verbatim* message is written as its spans, one after the other, whatever its hasbits say: its set fields are decoded
//! from some of the same bytes. A *raw* message is a verbatim one of which nothing has been decoded. Concatenated encodings
//! merge, so merging another occurrence into such a message adds one span.
//!
//! The spans and two flags are in the block of unknown fields; a verbatim message has no other unknown fields. A raw message
//! that is referred to by offset needs a body of only three words, the header: nothing reads its fields.

use super::{Full, NIL, Slab, Words};

const VERBATIM: u32 = 2;
const RAW: u32 = 4;
/// The upper flags of a raw message are its [`Nesting`].
const NESTING_SHIFT: u32 = 3;
/// Words of the body of a raw message.
pub(crate) const RAW_WORDS: u32 = 3;

/// The depth of nesting in a raw message: known, or bounded by what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nesting(u32);

impl Nesting {
    const KNOWN: u32 = 1 << 28;

    /// Unknown depth, bounded by `levels` (at most 2^28-1).
    pub(crate) const fn allowed(levels: u32) -> Self {
        Self(if levels < Self::KNOWN { levels } else { Self::KNOWN - 1 })
    }

    /// Known depth: the bytes have been checked.
    pub(crate) const fn known(levels: u32) -> Self {
        Self(levels | Self::KNOWN)
    }

    /// The depth that decoding may reach.
    const fn most(self) -> u32 {
        if self.0 & Self::KNOWN == 0 { self.0 } else { Self::KNOWN - 1 }
    }

    /// The depth that is known to be there, else 0.
    pub(super) const fn least(self) -> u32 {
        if self.0 & Self::KNOWN == 0 { 0 } else { self.0 & (Self::KNOWN - 1) }
    }
}

impl Words<'_> {
    fn flags(self, base: u32) -> u32 {
        match self.get(base + 1) {
            0 => 0,
            block => self.get(block + 2),
        }
    }

    /// Whether the spans of the message at `base` are the whole message.
    #[inline(always)]
    pub(crate) fn is_verbatim(self, base: u32) -> bool {
        self.get(base + 1) != 0 && self.flags(base) & VERBATIM != 0
    }

    /// The nesting of the message at `base`, if it is raw.
    #[inline(always)]
    pub(crate) fn nesting(self, base: u32) -> Option<Nesting> {
        if self.get(base + 1) == 0 {
            return None;
        }
        let flags = self.flags(base);
        (flags & RAW != 0).then_some(Nesting(flags >> NESTING_SHIFT))
    }

    /// The depth that decoding the message at `base` may reach, if it is raw.
    #[inline(always)]
    pub(crate) fn raw_depth(self, base: u32) -> Option<u32> {
        self.nesting(base).map(Nesting::most)
    }
}

impl Slab {
    /// Adds bytes to the message at `base`, which is empty or verbatim, and makes it verbatim.
    pub(crate) fn add_verbatim(&mut self, base: u32, offset: u32, len: u32) -> Result<(), Full> {
        if len == 0 {
            self.unknown_grow(base, 0, false)?;
        }
        self.add_unknown(base, offset, len)?;
        self.flag(base, VERBATIM);
        Ok(())
    }

    /// Makes an empty message raw, without bytes yet.
    pub(crate) fn make_raw(&mut self, base: u32, nesting: Nesting) -> Result<(), Full> {
        self.unknown_grow(base, 0, false)?;
        self.flag(base, VERBATIM | RAW | nesting.0 << NESTING_SHIFT);
        Ok(())
    }

    /// Allocates the body of a raw message that is referred to by offset.
    pub(crate) fn alloc_raw(&mut self, nesting: Nesting) -> Result<u32, Full> {
        let base = self.alloc(RAW_WORDS)?;
        self.run_mut(base, RAW_WORDS as usize).fill(0);
        self.make_raw(base, nesting)?;
        Ok(base)
    }

    fn flag(&mut self, base: u32, flags: u32) {
        let block = self.get(base + 1);
        if block != NIL {
            let old = self.get(block + 2);
            self.set(block + 2, old | flags);
            self.note_verbatim();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_known_or_allowed() {
        assert_eq!((Nesting::allowed(7).most(), Nesting::allowed(7).least()), (7, 0));
        assert_eq!(Nesting::allowed(u32::MAX).most(), (1 << 28) - 1);
        assert_eq!(Nesting::known(100).least(), 100);
        assert!(Nesting::known(100).most() > 1_000_000);
    }
}

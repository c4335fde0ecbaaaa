//! Messages that are bytes of the store.
//!
//! A *verbatim* message is written as its spans, one behind the other, whatever fields are set: they are a reading
//! of some of these bytes. A *raw* message is a verbatim one of which nothing has been read. Protobuf merges what is
//! concatenated, so an occurrence that is merged into such a message is one more span.
//!
//! The spans and two flags are in the block of the unknown fields, which a verbatim message does not have beside
//! them. A body of three words (header only) is enough for a raw message that is referred to by offset: nothing
//! looks at its fields.

use super::{Full, NIL, Slab, Words};

const VERBATIM: u32 = 2;
const RAW: u32 = 4;
/// The rest of the flags of a raw message: the levels that may nest in it.
const DEPTH_SHIFT: u32 = 3;
/// What a body of a raw message needs, in words.
pub(crate) const RAW_WORDS: u32 = 3;

impl Words<'_> {
    fn flags(self, base: u32) -> u32 {
        match self.get(base + 1) {
            0 => 0,
            block => self.get(block + 2),
        }
    }

    /// Whether the spans of the message at `base` are all of it.
    #[inline(always)]
    pub(crate) fn is_verbatim(self, base: u32) -> bool {
        self.get(base + 1) != 0 && self.flags(base) & VERBATIM != 0
    }

    /// How deep messages may be nested in the message at `base`, if that is raw.
    #[inline(always)]
    pub(crate) fn raw_depth(self, base: u32) -> Option<u32> {
        if self.get(base + 1) == 0 {
            return None;
        }
        let flags = self.flags(base);
        (flags & RAW != 0).then_some(flags >> DEPTH_SHIFT)
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

    /// Makes an empty message raw, without bytes yet; at most 2^29-1 levels may nest in it.
    pub(crate) fn make_raw(&mut self, base: u32, depth: u32) -> Result<(), Full> {
        self.unknown_grow(base, 0, false)?;
        self.flag(base, VERBATIM | RAW | depth.min(u32::MAX >> DEPTH_SHIFT) << DEPTH_SHIFT);
        Ok(())
    }

    /// Takes a body for a raw message that is referred to by offset.
    pub(crate) fn alloc_raw(&mut self, depth: u32) -> Result<u32, Full> {
        let base = self.alloc(RAW_WORDS)?;
        self.run_mut(base, RAW_WORDS as usize).fill(0);
        self.make_raw(base, depth)?;
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

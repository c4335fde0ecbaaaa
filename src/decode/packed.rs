//! Packed runs: the number of elements is known before the first one is decoded, so the list grows once.
//!
//! For varints that number is the number of bytes below 0x80 in the run, and counting them is nearly free next
//! to decoding; fixed-width values are copied as they are.

use super::input;
use super::lists::from_varint;
use super::run::Run;
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Coding, Entry};
use crate::slab::Slab;
use crate::wire::raw;

type At<T> = Result<T, (Kind, usize)>;

/// A packed run.
pub(super) struct Packed<'b, 'p> {
    pub(super) buf: &'b [u8],
    /// The end of the run.
    pub(super) end: usize,
    pub(super) entry: &'p Entry,
    pub(super) base: u32,
}

impl Packed<'_, '_> {
    /// Appends all elements of the run, which starts at `pos`, to the list at `slot`.
    pub(super) fn append(&self, run: &mut Run<'_, '_>, slot: u32, pos: usize) -> At<()> {
        match self.entry.coding {
            Coding::Fixed32 => self.fixed32(run.slab, slot, pos),
            Coding::Fixed64 => self.fixed64(run.slab, slot, pos),
            Coding::ClosedEnum => self.closed_enum(run, slot, pos),
            coding if coding.words() == 1 => self.varint32(run.slab, slot, coding, pos),
            coding => self.varint64(run.slab, slot, coding, pos),
        }
    }

    fn body(&self, pos: usize) -> &[u8] {
        self.buf.get(pos..self.end).unwrap_or(&[])
    }

    /// Makes room for `count` more elements and gives the offset of the first.
    fn grow(&self, slab: &mut Slab, slot: u32, width: u32, count: usize, pos: usize) -> At<u32> {
        slab.list_grow(slot, width, count as u32).map_err(|full| (full.into(), pos))
    }

    fn fixed32(&self, slab: &mut Slab, slot: u32, pos: usize) -> At<()> {
        let (values, rest) = self.body(pos).as_chunks::<4>();
        if !rest.is_empty() {
            return Err((Kind::InvalidPacked, pos));
        }
        let at = self.grow(slab, slot, 1, values.len(), pos)?;
        for (word, value) in slab.run_mut(at, values.len()).iter_mut().zip(values) {
            *word = u32::from_le_bytes(*value);
        }
        Ok(())
    }

    fn fixed64(&self, slab: &mut Slab, slot: u32, pos: usize) -> At<()> {
        let (values, rest) = self.body(pos).as_chunks::<4>();
        if !rest.is_empty() || values.len() % 2 != 0 {
            return Err((Kind::InvalidPacked, pos));
        }
        // The low word of a value comes first on the wire and in the slab.
        let at = self.grow(slab, slot, 2, values.len() / 2, pos)?;
        for (word, value) in slab.run_mut(at, values.len()).iter_mut().zip(values) {
            *word = u32::from_le_bytes(*value);
        }
        Ok(())
    }

    /// Number of varints that end in the run.
    fn count(&self, pos: usize) -> usize {
        self.body(pos).iter().filter(|&&byte| byte < 0x80).count()
    }

    fn varint32(&self, slab: &mut Slab, slot: u32, coding: Coding, mut pos: usize) -> At<()> {
        let count = self.count(pos);
        let at = self.grow(slab, slot, 1, count, pos)?;
        for (done, word) in slab.run_mut(at, count).iter_mut().enumerate() {
            match input::varint(self.buf, pos) {
                Ok((value, end)) => {
                    *word = from_varint(coding, value) as u32;
                    pos = end;
                }
                Err(kind) => return Err(self.cut(slab, slot, count - done, kind, pos)),
            }
        }
        self.whole(slab, slot, pos)
    }

    fn varint64(&self, slab: &mut Slab, slot: u32, coding: Coding, mut pos: usize) -> At<()> {
        let count = self.count(pos);
        let at = self.grow(slab, slot, 2, count, pos)?;
        for (done, words) in slab.run_mut(at, 2 * count).chunks_exact_mut(2).enumerate() {
            match input::varint(self.buf, pos) {
                Ok((value, end)) => {
                    let value = from_varint(coding, value);
                    words.copy_from_slice(&[value as u32, (value >> 32) as u32]);
                    pos = end;
                }
                Err(kind) => return Err(self.cut(slab, slot, count - done, kind, pos)),
            }
        }
        self.whole(slab, slot, pos)
    }

    /// All varints that end in the run are decoded; bytes behind them belong to one that does not.
    #[inline]
    fn whole(&self, slab: &mut Slab, slot: u32, pos: usize) -> At<()> {
        if pos == self.end {
            return Ok(());
        }
        let kind = raw::varint(self.buf.get(..self.end).unwrap_or(self.buf), pos).err();
        Err(self.cut(slab, slot, 0, kind.unwrap_or(Kind::Overrun), pos))
    }

    /// A fault inside of the run: takes back the elements that were not decoded.
    #[cold]
    fn cut(&self, slab: &mut Slab, slot: u32, missing: usize, kind: Kind, pos: usize) -> (Kind, usize) {
        let len = slab.words().list(slot).len;
        slab.list_truncate(slot, len - (missing as u32).min(len));
        (raw::within(true, kind), pos)
    }

    fn closed_enum(&self, run: &mut Run<'_, '_>, slot: u32, mut pos: usize) -> At<()> {
        let run_bytes = self.buf.get(..self.end).unwrap_or(self.buf);
        while pos < self.end {
            let (value, end) =
                input::varint(run_bytes, pos).map_err(|kind| (raw::within(true, kind), pos))?;
            if run.set.enum_contains(self.entry.sub, value as i32) {
                let at = run.slab.list_grow(slot, 1, 1).map_err(|full| (full.into(), pos))?;
                run.slab.set(at, value as u32);
            } else {
                run.unlisted_element(self.base, self.entry, pos, end).map_err(|full| (full.into(), pos))?;
            }
            pos = end;
        }
        Ok(())
    }
}

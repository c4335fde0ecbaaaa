//! Packed runs.
//!
//! ```text
//! append(slot, pos):
//!     count = bytes below 0x80 in the run        # each ends one varint; for fixed widths: length / width
//!     grow the list once by count
//!     decode all values by a kernel              # wire/kernels, chosen for the processor
//!     if the last varint was cut off: truncate the list to what was decoded; fault
//! ```
//!
//! Counting takes half an instruction per byte, decoding 2 to 50 per value, and a list that grows once is never
//! copied. Numbers of closed enums are decoded one by one, because those that the enum does not list leave the run.

use super::machine::input;
use super::machine::state::{Located, Machine};
use crate::engine::slab::Slab;
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::kernels::{self, Bool, Plain, Progress, VarintForm, Zigzag};
use crate::wire::read::raw;

/// A packed run in the store.
pub(super) struct Packed<'b, 'p> {
    pub(super) buf: &'b [u8],
    /// The end of the run.
    pub(super) end: usize,
    pub(super) entry: &'p FieldEntry,
    pub(super) base: u32,
}

impl Packed<'_, '_> {
    /// Appends all elements of the run, which starts at `pos`, to the list at `slot`.
    pub(super) fn append(&self, machine: &mut Machine<'_, '_>, slot: u32, pos: usize) -> Located<()> {
        match self.entry.coding {
            Coding::Fixed32 => self.fixed32(machine.slab, slot, pos),
            Coding::Fixed64 => self.fixed64(machine.slab, slot, pos),
            Coding::ClosedEnum => self.closed_enum(machine, slot, pos),
            Coding::Varint64 => self.varints::<2, Plain>(machine.slab, slot, pos),
            Coding::Sint64 => self.varints::<2, Zigzag>(machine.slab, slot, pos),
            Coding::Sint32 => self.varints::<1, Zigzag>(machine.slab, slot, pos),
            Coding::Bool => self.varints::<1, Bool>(machine.slab, slot, pos),
            _ => self.varints::<1, Plain>(machine.slab, slot, pos),
        }
    }

    fn body(&self, pos: usize) -> &[u8] {
        self.buf.get(pos..self.end).unwrap_or(&[])
    }

    /// Makes room for `count` more elements and gives the offset of the first.
    fn grow(&self, slab: &mut Slab, slot: u32, width: u32, count: usize, pos: usize) -> Located<u32> {
        slab.list_extend(slot, width, count as u32).map_err(|full| (full.into(), pos))
    }

    fn fixed32(&self, slab: &mut Slab, slot: u32, pos: usize) -> Located<()> {
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

    fn fixed64(&self, slab: &mut Slab, slot: u32, pos: usize) -> Located<()> {
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

    fn varints<const N: usize, F: VarintForm>(&self, slab: &mut Slab, slot: u32, pos: usize) -> Located<()> {
        // Up to eight bytes are one word, which is counted and decoded without a kernel: the call would cost more.
        if let Some((run, count)) = kernels::short(self.buf, pos, self.end) {
            let at = self.grow(slab, slot, N as u32, count, pos)?;
            let (room, _) = slab.run_mut(at, N * count).as_chunks_mut::<N>();
            kernels::decode_short::<N, F>(run, room);
            return Ok(());
        }
        let count = kernels::count(self.buf, pos, self.end);
        let at = self.grow(slab, slot, N as u32, count, pos)?;
        let (room, _) = slab.run_mut(at, N * count).as_chunks_mut::<N>();
        let stopped = kernels::decode::<N, F>(self.buf, pos, self.end, room);
        if stopped.pos == self.end { Ok(()) } else { Err(self.cut(slab, slot, count, stopped)) }
    }

    /// The fault at which a kernel stopped. Takes back the elements that were not decoded.
    #[cold]
    #[inline(never)]
    fn cut(&self, slab: &mut Slab, slot: u32, count: usize, stopped: Progress) -> (Kind, usize) {
        let len = slab.words().list(slot).len;
        let missing = (count - stopped.done.min(count)) as u32;
        slab.list_truncate(slot, len.saturating_sub(missing));
        let run = self.buf.get(..self.end).unwrap_or(self.buf);
        let kind = raw::varint(run, stopped.pos).err().unwrap_or(Kind::Incomplete);
        (raw::within(true, kind), stopped.pos)
    }

    fn closed_enum(&self, machine: &mut Machine<'_, '_>, slot: u32, mut pos: usize) -> Located<()> {
        let run_bytes = self.buf.get(..self.end).unwrap_or(self.buf);
        while pos < self.end {
            let (value, end) =
                input::varint(run_bytes, pos).map_err(|kind| (raw::within(true, kind), pos))?;
            if machine.set.enum_contains(self.entry.sub, value as i32) {
                let at = machine.slab.list_grow(slot, 1, 1).map_err(|full| (full.into(), pos))?;
                machine.slab.set(at, value as u32);
            } else {
                machine
                    .unlisted_element(self.base, self.entry, pos, end)
                    .map_err(|full| (full.into(), pos))?;
            }
            pos = end;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::decode::decode_raw;
    use crate::engine::encode::encode_raw;
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use crate::wire::options::DecodeOptions;
    use crate::wire::testing::Wire;
    use alloc::vec;

    #[test]
    fn runs_reach_the_kernels_and_short_ones_do_not() {
        for kind in [Kind::Int32, Kind::Uint64, Kind::Sint32, Kind::Sint64, Kind::Bool] {
            let field = FieldSpec { packed: true, ..FieldSpec::new(1, kind, Presence::Repeated) };
            let message = MessageSpec { fields: vec![field], ..Default::default() };
            let set = ProgramSet::new(&[message], &[]).unwrap();
            for (len, kernel) in [(40, true), (3, false), (7, false)] {
                // An unknown field follows, because short runs are read by words of eight bytes.
                let input = Wire::new().bytes(1, &vec![1; len]).bytes(2, &[0; 8]).done();
                let (mut slab, options) = (Slab::new(), DecodeOptions::new());
                let view = decode_raw(&set, 0, &input, &mut slab, &options).unwrap();
                assert_eq!((encode_raw(view), kernels::best_has_run()), (input, kernel), "{kind:?}");
            }
        }
    }
}

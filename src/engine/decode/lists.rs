//! Repeated fields with a tag before each element.
//!
//! ```text
//! append(slot, pos):                      # pos is after the first tag
//!     loop:
//!         decode one value at pos; append it to the list at slot
//!         if the same tag follows before the end of the message: pos = after it
//!         else: return the end of the value
//! ```
//!
//! All elements of a run are appended by one call, so that the field is looked up once. Positions are offsets in the
//! store, and reads are checked against its end (`input.rs`).

use super::machine::input;
use super::machine::state::{Located, MAP_ENTRY, Machine};
use crate::engine::slab::{ByteSpan, Full, RawKey, Slab, Text};
use crate::schema::program::{Coding, FieldEntry, Program};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::kernels::{Bool, Plain, Progress, VarintForm, Zigzag};
use crate::wire::read::raw;
use crate::wire::{kernels, unzigzag32, unzigzag64};

/// The offset after the tag at `pos`, if it is `tag` and ends before the end of the message.
#[inline(always)]
pub(crate) fn same_tag(buf: &[u8], pos: usize, end: usize, tag: u32) -> Option<usize> {
    if pos >= end {
        return None;
    }
    let first = *buf.get(pos)?;
    if first < 0x80 || tag < 0x80 {
        return (u32::from(first) == tag).then_some(pos + 1);
    }
    match input::long_tag(buf, pos) {
        Ok((next, tag_end)) if next == tag && tag_end <= end => Some(tag_end),
        _ => None,
    }
}

/// The (offset, length) of a string or bytes value; `None` if it must be UTF-8 and is not.
#[inline(always)]
pub(super) fn pair(buf: &[u8], start: usize, end: usize, utf8: bool) -> Option<u64> {
    if utf8 {
        return Text::check(buf, start, end - start).map(Text::pair);
    }
    Some(ByteSpan::new(start as u64, (end - start) as u64).word())
}

/// A run of strings or bytes values.
pub(super) struct SpanList<'b> {
    pub(super) buf: &'b [u8],
    /// The end of the message.
    pub(super) end: usize,
    pub(super) tag: u32,
    pub(super) utf8: bool,
}

impl SpanList<'_> {
    /// Appends the elements of the run, the first of which is at `pos`, after its tag. Gives the offset after the last.
    #[inline]
    pub(super) fn append(&self, slab: &mut Slab, slot: u32, mut pos: usize) -> Located<usize> {
        loop {
            let (start, end) = input::bounded(self.buf, pos, self.end).map_err(|kind| (kind, pos))?;
            let pair = pair(self.buf, start, end, self.utf8).ok_or((Kind::InvalidUtf8, start))?;
            let at = slab.list_grow(slot, 2, 1).map_err(|full| (full.into(), pos))?;
            slab.set64(at, pair);
            match same_tag(self.buf, end, self.end, self.tag) {
                Some(next) => pos = next,
                None => return Ok(end),
            }
        }
    }
}

/// A run of messages of fixed shape, or of messages that hold such messages only, as triangles hold vertices.
pub(super) struct FixedList<'b, 'p> {
    pub(super) buf: &'b [u8],
    pub(super) end: usize,
    pub(super) tag: u32,
    /// The program of an element.
    pub(super) sub: &'p Program,
}

impl FixedList<'_, '_> {
    /// Appends elements of at most `most` bytes, fewer than 128, while they have the shape: `load` fills an empty body from the bytes
    /// at an offset, of which as many as its last argument are the element. The first tag starts at `tag_start` and ends at
    /// `pos`. Gives the offset after the last element that was appended, which is `tag_start` if there was none.
    ///
    /// Stops also before an element for which there is no memory, and before an empty one that has no body.
    #[inline(always)]
    pub(super) fn append(
        &self,
        slab: &mut Slab,
        slot: u32,
        (mut tag_start, mut pos): (usize, usize),
        most: usize,
        load: impl Fn(&mut [u32], usize, usize) -> bool,
    ) -> usize {
        let (words, in_place) = (self.sub.words(), self.sub.is_contiguous());
        while let Some(&prefix) = self.buf.get(pos) {
            let (start, len) = (pos + 1, usize::from(prefix));
            if len > most || start + len > self.end || (len == 0 && !in_place) {
                break;
            }
            // The element is loaded in place, and taken back if it has another form. Bodies in the list itself need fewer looks at
            // their program: 9 instead of 10 ns for three floats.
            let base = if in_place {
                slab.list_grow(slot, words, 1).ok()
            } else {
                slab.list_push_body(slot, self.sub).or_else(|| slab.list_more(slot, self.sub).ok())
            };
            let Some(base) = base else { break };
            if !load(slab.run_mut(base, words as usize), start, len) {
                slab.list_pop_body(slot, self.sub);
                break;
            }
            tag_start = start + len;
            match same_tag(self.buf, tag_start, self.end, self.tag) {
                Some(next) => pos = next,
                None => break,
            }
        }
        tag_start
    }
}

/// A run of map entries in the form that encoders write: key, then value, neither of them a message.
pub(super) struct MapEntryList<'b, 'p> {
    pub(super) buf: &'b [u8],
    pub(super) end: usize,
    pub(super) tag: u32,
    /// The program of the entry.
    pub(super) sub: &'p Program,
}

impl MapEntryList<'_, '_> {
    /// Appends the entry at `pos`, after its tag, to the list at `slot`, and returns the offset after it and the words of its key. `None`: it
    /// has another form, or is wrong in some way that the general path reports.
    #[inline(always)]
    pub(super) fn append(
        &self,
        slab: &mut Slab,
        slot: u32,
        pos: usize,
    ) -> Option<Result<(usize, u64), Full>> {
        let &[key, value] = self.sub.entries() else { return None };
        let (start, end) = input::bounded(self.buf, pos, self.end).ok()?;
        let (first, first_end) = self.part(&key, start, end)?;
        let (second, second_end) = self.part(&value, first_end, end)?;
        if second_end != end {
            return None;
        }
        let at = match slab.list_grow(slot, self.sub.words(), 1) {
            Ok(at) => at,
            Err(full) => return Some(Err(full)),
        };
        slab.set64(at, MAP_ENTRY);
        for (entry, value) in [(key, first), (value, second)] {
            if entry.coding.words() == 2 {
                slab.set64(at + entry.slot as u32, value);
            } else {
                slab.set(at + entry.slot as u32, value as u32);
            }
        }
        Some(Ok((end, first)))
    }

    /// Reads the key or the value at `pos`.
    #[inline(always)]
    fn part(&self, entry: &FieldEntry, pos: usize, end: usize) -> Option<(u64, usize)> {
        // Field numbers 1 and 2 have tags of one byte.
        if pos >= end || u32::from(*self.buf.get(pos)?) != entry.tag {
            return None;
        }
        match entry.coding {
            Coding::String | Coding::Bytes => {
                let (start, end) = input::bounded(self.buf, pos + 1, end).ok()?;
                Some((pair(self.buf, start, end, entry.coding == Coding::String)?, end))
            }
            // A key that goes beyond the end of the entry leaves no room for a value, and a value must end with the entry.
            coding => number(coding, self.buf, pos + 1).ok(),
        }
    }

    /// The offset after the tag of the next entry, if one follows.
    pub(super) fn next(&self, pos: usize) -> Option<usize> {
        same_tag(self.buf, pos, self.end, self.tag)
    }

    /// The digest of a key, given its words.
    #[inline(always)]
    pub(super) fn digest(&self, key: u64) -> u32 {
        let key = match self.sub.entries().first().map(|key| key.coding) {
            Some(Coding::String | Coding::Bytes) => {
                RawKey::Bytes(ByteSpan::from_word(key).bytes(self.buf).unwrap_or_default())
            }
            _ => RawKey::Unsigned(key),
        };
        key.digest()
    }
}

/// A run of numbers, bools or enums that are not packed.
pub(super) struct NumberList<'b, 'p> {
    pub(super) buf: &'b [u8],
    pub(super) end: usize,
    pub(super) tag: u32,
    pub(super) entry: &'p FieldEntry,
}

impl NumberList<'_, '_> {
    /// As [`SpanList::append`].
    pub(super) fn append(&self, slab: &mut Slab, slot: u32, mut pos: usize) -> Located<usize> {
        let width = self.entry.coding.words();
        loop {
            let (value, value_end) = self.read(pos)?;
            let at = slab.list_grow(slot, width, 1).map_err(|full| (full.into(), pos))?;
            if width == 1 {
                slab.set(at, value as u32);
            } else {
                slab.set64(at, value);
            }
            match same_tag(self.buf, value_end, self.end, self.tag) {
                Some(next) => pos = next,
                None => return Ok(value_end),
            }
        }
    }

    /// As [`append`](Self::append), for a closed enum in the message at `base`; `tag_start` is the start of the first tag.
    pub(super) fn append_closed(
        &self,
        machine: &mut Machine<'_, '_>,
        (slot, base): (u32, u32),
        mut tag_start: usize,
        mut pos: usize,
    ) -> Located<usize> {
        loop {
            let (value, value_end) = self.read(pos)?;
            if machine.set.enum_contains(self.entry.sub, value as i32) {
                let at = machine.slab.list_grow(slot, 1, 1).map_err(|full| (full.into(), pos))?;
                machine.slab.set(at, value as u32);
            } else {
                machine.unlisted(base, tag_start, value_end).map_err(|full| (full.into(), tag_start))?;
            }
            tag_start = value_end;
            match same_tag(self.buf, value_end, self.end, self.tag) {
                Some(next) => pos = next,
                None => return Ok(value_end),
            }
        }
    }

    #[inline(always)]
    fn read(&self, pos: usize) -> Located<(u64, usize)> {
        match number(self.entry.coding, self.buf, pos) {
            Ok((_, value_end)) if value_end > self.end => Err((Kind::Incomplete, pos)),
            read => read.map_err(|kind| (kind, pos)),
        }
    }
}

/// Reads one number: its words in the slab, and the offset after it.
#[inline(always)]
pub(super) fn number(coding: Coding, buf: &[u8], pos: usize) -> Result<(u64, usize), Kind> {
    match coding {
        Coding::Fixed32 => input::fixed32(buf, pos).map(|(value, end)| (value as u64, end)),
        Coding::Fixed64 => input::fixed64(buf, pos),
        _ => {
            let (value, end) = input::varint(buf, pos)?;
            Ok((from_varint(coding, value), end))
        }
    }
}

/// The words in the slab of a varint of this coding.
#[inline(always)]
fn from_varint(coding: Coding, value: u64) -> u64 {
    match coding {
        Coding::Sint32 => unzigzag32(value as u32) as u32 as u64,
        Coding::Sint64 => unzigzag64(value) as u64,
        Coding::Bool => (value != 0) as u64,
        Coding::Varint64 => value,
        _ => value as u32 as u64,
    }
}

// Packed runs.
//
// ```text
// append(slot, pos):
//     count = bytes below 0x80 in the run        # each ends one varint; for fixed widths: length / width
//     grow the list once by count
//     decode all values by a kernel              # wire/kernels, chosen for the processor
//     if the last varint was cut off: truncate the list to what was decoded; fault
// ```
//
// Counting takes half an instruction per byte, decoding 2 to 50 per value, and a list that grows once is never
// copied. Numbers of closed enums are decoded one by one, because those that the enum does not list leave the run.

/// A packed run in the store.
pub(super) struct Packed<'b, 'p> {
    pub(super) buf: &'b [u8],
    /// The end of the run.
    pub(super) end: usize,
    pub(super) entry: &'p FieldEntry,
}

impl Packed<'_, '_> {
    /// Appends all elements of the run, which starts at `pos`, to the list at `slot`. Not for a closed enum.
    pub(super) fn append(&self, slab: &mut Slab, slot: u32, pos: usize) -> Located<()> {
        match self.entry.coding {
            Coding::Fixed32 => self.fixed32(slab, slot, pos),
            Coding::Fixed64 => self.fixed64(slab, slot, pos),
            Coding::Varint64 => self.varints::<2, Plain>(slab, slot, pos),
            Coding::Sint64 => self.varints::<2, Zigzag>(slab, slot, pos),
            Coding::Sint32 => self.varints::<1, Zigzag>(slab, slot, pos),
            Coding::Bool => self.varints::<1, Bool>(slab, slot, pos),
            _ => self.varints::<1, Plain>(slab, slot, pos),
        }
    }

    fn body(&self, pos: usize) -> &[u8] {
        self.buf.get(pos..self.end).unwrap_or(&[])
    }

    /// Makes room for `count` more elements and returns the offset of the first.
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

    /// As [`append`](Self::append), for a closed enum in the message at `base`.
    pub(super) fn append_closed(
        &self,
        machine: &mut Machine<'_, '_>,
        (slot, base): (u32, u32),
        mut pos: usize,
    ) -> Located<()> {
        let run_bytes = self.buf.get(..self.end).unwrap_or(self.buf);
        while pos < self.end {
            let (value, end) =
                input::varint(run_bytes, pos).map_err(|kind| (raw::within(true, kind), pos))?;
            if machine.set.enum_contains(self.entry.sub, value as i32) {
                let at = machine.slab.list_grow(slot, 1, 1).map_err(|full| (full.into(), pos))?;
                machine.slab.set(at, value as u32);
            } else {
                machine.unlisted_element(base, self.entry, pos, end).map_err(|full| (full.into(), pos))?;
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

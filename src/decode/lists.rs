//! Repeated fields with a tag before each element: the loop stays here while the same tag follows.

use super::state::{Located, MAP_ENTRY, Machine};
use super::{fixed, input};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Coding, Entry, FixedShape, MAX_PARTS_LEN, PartsShape, Program};
use crate::slab::{Full, Slab, Text};
use crate::wire::{unzigzag32, unzigzag64};

/// The position behind the tag, if it stands at `pos`, before the end of the message.
#[inline(always)]
fn same_tag(buf: &[u8], pos: usize, end: usize, tag: u32) -> Option<usize> {
    if pos >= end {
        return None;
    }
    let first = *buf.get(pos)?;
    if first < 0x80 || tag < 0x80 {
        return (u32::from(first) == tag).then_some(pos + 1);
    }
    match input::long_tag(buf, pos) {
        Ok((next, behind)) if next == tag && behind <= end => Some(behind),
        _ => None,
    }
}

/// What a slot holds for bytes of the store; nothing, if they must be UTF-8 and are not.
#[inline(always)]
pub(super) fn pair(buf: &[u8], start: usize, end: usize, utf8: bool) -> Option<u64> {
    if utf8 {
        return Text::check(buf, start, end - start).map(Text::pair);
    }
    Some(start as u64 | ((end - start) as u64) << 32)
}

/// Strings or bytes.
pub(super) struct SpanList<'b> {
    pub(super) buf: &'b [u8],
    /// The end of the message.
    pub(super) end: usize,
    pub(super) tag: u32,
    pub(super) utf8: bool,
}

impl SpanList<'_> {
    /// Appends elements from `pos` on, which is behind the first tag, and gives the position behind the last.
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

/// Messages of fixed shape, one behind the other.
pub(super) struct FixedList<'b, 'p> {
    pub(super) buf: &'b [u8],
    pub(super) end: usize,
    pub(super) tag: u32,
    pub(super) layout: &'p FixedShape,
    /// Words of an element.
    pub(super) words: u32,
}

impl FixedList<'_, '_> {
    /// Appends elements as long as they have the shape; `pos` is behind the tag at `item`. Gives the position of the
    /// first item that is something else.
    pub(super) fn append(
        &self,
        slab: &mut Slab,
        slot: u32,
        mut tag_start: usize,
        mut pos: usize,
    ) -> Located<usize> {
        // One byte of length, as a shape is at most 32 bytes long.
        let most = self.layout.len;
        while let Some(&prefix) = self.buf.get(pos) {
            let len = prefix as usize;
            if len > most || pos + 1 + len > self.end {
                break;
            }
            let at = slab.list_grow(slot, self.words, 1).map_err(|full| (full.into(), tag_start))?;
            if !fixed::load_fixed(self.layout, slab.run_mut(at, self.words as usize), self.buf, pos + 1, len)
            {
                let count = slab.words().list(slot).len;
                slab.list_truncate(slot, count - 1);
                break;
            }
            tag_start = pos + 1 + len;
            match same_tag(self.buf, tag_start, self.end, self.tag) {
                Some(next) => pos = next,
                None => break,
            }
        }
        Ok(tag_start)
    }
}

/// Messages of messages of fixed shape.
pub(super) struct NestedFixedList<'b, 'p> {
    pub(super) buf: &'b [u8],
    pub(super) end: usize,
    pub(super) tag: u32,
    pub(super) layout: &'p PartsShape,
    /// The program of an element.
    pub(super) sub: &'p Program,
}

impl NestedFixedList<'_, '_> {
    /// As [`FixedList::append`]; stops in front of elements for which there is no room, too.
    pub(super) fn append(&self, slab: &mut Slab, slot: u32, mut tag_start: usize, mut pos: usize) -> usize {
        // One byte of length, as such a message is at most 96 bytes long. Empty ones are no bodies.
        let most = self.layout.len;
        while let Some(&[prefix, ref bytes @ ..]) =
            self.buf.get(pos..).and_then(|rest| rest.first_chunk::<{ MAX_PARTS_LEN + 9 }>())
        {
            let len = prefix as usize;
            let fits = (1..=most).contains(&len) && pos + 1 + len <= self.end;
            let (Some(bytes), true) = (bytes.first_chunk(), fits) else { break };
            let base = slab.list_push_body(slot, self.sub);
            let Some(base) = base.or_else(|| slab.list_more(slot, self.sub).ok()) else { break };
            if !fixed::load_nested(self.layout, slab.run_mut(base, self.sub.words() as usize), bytes, len) {
                slab.list_pop_body(slot, self.sub);
                break;
            }
            tag_start = pos + 1 + len;
            match same_tag(self.buf, tag_start, self.end, self.tag) {
                Some(next) => pos = next,
                None => break,
            }
        }
        tag_start
    }
}

/// Map entries of a key and a value that are no messages, as encoders write them.
pub(super) struct MapEntries<'b, 'p> {
    pub(super) buf: &'b [u8],
    pub(super) end: usize,
    pub(super) tag: u32,
    /// The program of the entry.
    pub(super) sub: &'p Program,
}

impl MapEntries<'_, '_> {
    /// Appends one entry, behind its tag at `pos`, to the list at `slot`: the position behind it, or `None` if it has another
    /// form. Whatever is wrong with it is another form.
    #[inline(always)]
    pub(super) fn append(&self, slab: &mut Slab, slot: u32, pos: usize) -> Option<Result<usize, Full>> {
        let &[key, value] = self.sub.entries() else { return None };
        let (start, end) = input::bounded(self.buf, pos, self.end).ok()?;
        let (first, behind) = self.part(&key, start, end)?;
        let (second, behind) = self.part(&value, behind, end)?;
        if behind != end {
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
        Some(Ok(end))
    }

    /// The key or the value, which must be what comes next.
    #[inline(always)]
    fn part(&self, entry: &Entry, pos: usize, end: usize) -> Option<(u64, usize)> {
        // Field numbers 1 and 2: tags of one byte.
        if pos >= end || u32::from(*self.buf.get(pos)?) != entry.tag {
            return None;
        }
        match entry.coding {
            Coding::String | Coding::Bytes => {
                let (start, end) = input::bounded(self.buf, pos + 1, end).ok()?;
                Some((pair(self.buf, start, end, entry.coding == Coding::String)?, end))
            }
            coding => number(coding, self.buf, pos + 1).ok().filter(|(_, behind)| *behind <= end),
        }
    }

    /// The position behind the tag of the next entry, if one follows.
    pub(super) fn next(&self, pos: usize) -> Option<usize> {
        same_tag(self.buf, pos, self.end, self.tag)
    }
}

/// NumberList, bools and enums.
pub(super) struct NumberList<'b, 'p> {
    pub(super) buf: &'b [u8],
    pub(super) end: usize,
    pub(super) tag: u32,
    pub(super) entry: &'p Entry,
    pub(super) base: u32,
}

impl NumberList<'_, '_> {
    /// As [`SpanList::append`]; `item` is the start of the first tag.
    pub(super) fn append(
        &self,
        run: &mut Machine<'_, '_>,
        slot: u32,
        mut tag_start: usize,
        mut pos: usize,
    ) -> Located<usize> {
        let coding = self.entry.coding;
        let width = coding.words();
        loop {
            let (value, behind) = number(coding, self.buf, pos).map_err(|kind| (kind, pos))?;
            if behind > self.end {
                return Err((Kind::Incomplete, pos));
            }
            if coding == Coding::ClosedEnum && !run.set.enum_contains(self.entry.sub, value as i32) {
                run.unlisted(self.base, tag_start, behind).map_err(|full| (full.into(), tag_start))?;
            } else {
                let at = run.slab.list_grow(slot, width, 1).map_err(|full| (full.into(), pos))?;
                if width == 1 {
                    run.slab.set(at, value as u32);
                } else {
                    run.slab.set64(at, value);
                }
            }
            tag_start = behind;
            match same_tag(self.buf, behind, self.end, self.tag) {
                Some(next) => pos = next,
                None => return Ok(behind),
            }
        }
    }
}

/// One value as it is kept in the slab.
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

/// What a varint of this coding is kept as.
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

//! Repeated fields with a tag before each element: the loop stays here while the same tag follows.

use super::input;
use super::run::Run;
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Coding, Entry};
use crate::slab::Slab;
use crate::wire::{unzigzag32, unzigzag64, utf8};

type At<T> = Result<T, (Kind, usize)>;

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

/// Strings or bytes.
pub(super) struct Spans<'b> {
    pub(super) buf: &'b [u8],
    /// The end of the message.
    pub(super) end: usize,
    pub(super) tag: u32,
    pub(super) utf8: bool,
}

impl Spans<'_> {
    /// Appends elements from `pos` on, which is behind the first tag, and gives the position behind the last.
    #[inline]
    pub(super) fn append(&self, slab: &mut Slab, slot: u32, mut pos: usize) -> At<usize> {
        loop {
            let (start, end) = input::bounded(self.buf, pos, self.end).map_err(|kind| (kind, pos))?;
            let rest = self.buf.get(start..).unwrap_or_default();
            if self.utf8 && utf8::from_prefix(rest, end - start).is_none() {
                return Err((Kind::InvalidUtf8, start));
            }
            let at = slab.list_grow(slot, 2, 1).map_err(|full| (full.into(), pos))?;
            slab.set64(at, start as u64 | ((end - start) as u64) << 32);
            match same_tag(self.buf, end, self.end, self.tag) {
                Some(next) => pos = next,
                None => return Ok(end),
            }
        }
    }
}

/// Numbers, bools and enums.
pub(super) struct Numbers<'b, 'p> {
    pub(super) buf: &'b [u8],
    pub(super) end: usize,
    pub(super) tag: u32,
    pub(super) entry: &'p Entry,
    pub(super) base: u32,
}

impl Numbers<'_, '_> {
    /// As [`Spans::append`]; `item` is the start of the first tag.
    pub(super) fn append(
        &self,
        run: &mut Run<'_, '_>,
        slot: u32,
        mut item: usize,
        mut pos: usize,
    ) -> At<usize> {
        let coding = self.entry.coding;
        let width = coding.words();
        loop {
            let (value, behind) = number(coding, self.buf, pos).map_err(|kind| (kind, pos))?;
            if behind > self.end {
                return Err((Kind::Incomplete, pos));
            }
            if coding == Coding::ClosedEnum && !run.set.enum_contains(self.entry.sub, value as i32) {
                run.unlisted(self.base, item, behind).map_err(|full| (full.into(), item))?;
            } else {
                let at = run.slab.list_grow(slot, width, 1).map_err(|full| (full.into(), pos))?;
                if width == 1 {
                    run.slab.set(at, value as u32);
                } else {
                    run.slab.set64(at, value);
                }
            }
            item = behind;
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

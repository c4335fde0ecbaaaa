//! Repeated fields with a tag before each element: the loop stays here while the same tag follows.

use super::run::Run;
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Coding, Entry};
use crate::slab::Slab;
use crate::wire::{raw, unzigzag32, unzigzag64, utf8};

type At<T> = Result<T, (Kind, usize)>;

/// The position behind the tag, if it stands at `pos`.
#[inline(always)]
fn same_tag(limit: &[u8], pos: usize, tag: u32) -> Option<usize> {
    if tag < 0x80 {
        return (limit.get(pos) == Some(&(tag as u8))).then_some(pos + 1);
    }
    match raw::tag_bits(limit, pos) {
        Ok((next, end)) if next == tag => Some(end),
        _ => None,
    }
}

/// Strings or bytes.
pub(super) struct Spans<'i> {
    pub(super) limit: &'i [u8],
    pub(super) tag: u32,
    pub(super) utf8: bool,
}

impl Spans<'_> {
    /// Appends elements from `pos` on, which is behind the first tag, and gives the position behind the last.
    pub(super) fn append(&self, slab: &mut Slab, slot: u32, mut pos: usize) -> At<usize> {
        loop {
            let (bytes, end) = raw::length_delimited(self.limit, pos).map_err(|kind| (kind, pos))?;
            let start = end - bytes.len();
            if self.utf8 && !utf8::is_valid(bytes) {
                return Err((Kind::InvalidUtf8, start));
            }
            let at = slab.list_grow(slot, 2, 1).map_err(|full| (full.into(), pos))?;
            slab.set64(at, start as u64 | (bytes.len() as u64) << 32);
            match same_tag(self.limit, end, self.tag) {
                Some(next) => pos = next,
                None => return Ok(end),
            }
        }
    }
}

/// Numbers, bools and enums.
pub(super) struct Numbers<'i, 'p> {
    pub(super) limit: &'i [u8],
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
            let (value, end) = number(coding, self.limit, pos).map_err(|kind| (kind, pos))?;
            if coding == Coding::ClosedEnum && !run.set.enum_contains(self.entry.sub, value as i32) {
                run.unlisted(self.base, item, end).map_err(|full| (full.into(), item))?;
            } else {
                let at = run.slab.list_grow(slot, width, 1).map_err(|full| (full.into(), pos))?;
                if width == 1 {
                    run.slab.set(at, value as u32);
                } else {
                    run.slab.set64(at, value);
                }
            }
            item = end;
            match same_tag(self.limit, end, self.tag) {
                Some(next) => pos = next,
                None => return Ok(end),
            }
        }
    }
}

/// One value as it is kept in the slab.
#[inline(always)]
pub(super) fn number(coding: Coding, limit: &[u8], pos: usize) -> Result<(u64, usize), Kind> {
    match coding {
        Coding::Fixed32 => raw::fixed32(limit, pos).map(|(value, end)| (value as u64, end)),
        Coding::Fixed64 => raw::fixed64(limit, pos),
        _ => {
            let (value, end) = raw::varint(limit, pos)?;
            Ok((from_varint(coding, value), end))
        }
    }
}

/// What a varint of this coding is kept as.
#[inline(always)]
pub(super) fn from_varint(coding: Coding, value: u64) -> u64 {
    match coding {
        Coding::Sint32 => unzigzag32(value as u32) as u32 as u64,
        Coding::Sint64 => unzigzag64(value) as u64,
        Coding::Bool => (value != 0) as u64,
        Coding::Varint64 => value,
        _ => value as u32 as u64,
    }
}

//! Parts of a message that functions write that are not inlined.

use super::Cursor;
use crate::wire::{
    spare::{SpareFill, SpareRoom, Written},
    tag_word::TagWord,
};

/// The room of a [`Cursor`], for a function that is not inlined: it is passed, and [`Filled`] is returned, in registers. A cursor
/// that is passed and returned is copied as blocks right after its parts were stored, and such loads wait for the stores.
pub(crate) struct Room<'w>(pub(super) SpareRoom<'w>);

/// What was written into a [`Room`]; `None` if something did not fit.
pub(crate) type Filled<'w> = Option<Written<'w>>;

/// The call of a function that fills a [`Room`], with its arguments.
pub(crate) trait FillRoom {
    fn fill(self, room: Room<'_>) -> Filled<'_>;
}

/// Gives a task its room.
pub(super) struct Task<T>(pub(super) T);

impl<T: FillRoom> SpareFill for Task<T> {
    #[inline(always)]
    fn fill(self, room: SpareRoom<'_>) -> Filled<'_> {
        self.0.fill(Room(room))
    }
}

/// Calls [`tagged_long`].
pub(super) struct TaggedLong {
    pub(super) tag: TagWord,
    pub(super) value: u64,
}

impl FillRoom for TaggedLong {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        tagged_long(room, self.tag, self.value)
    }
}

/// Calls [`part`].
pub(super) struct Part<'s> {
    pub(super) tag: TagWord,
    pub(super) bytes: Option<&'s [u8]>,
}

impl FillRoom for Part<'_> {
    #[inline(always)]
    fn fill(self, room: Room<'_>) -> Filled<'_> {
        part(room, self.tag, self.bytes)
    }
}

/// A tag, then a varint of 9 or 10 bytes.
#[inline(never)]
fn tagged_long(room: Room<'_>, tag: TagWord, value: u64) -> Filled<'_> {
    let mut out = Cursor::of(room);
    out.put_tag_word(tag);
    out.put_varint(value);
    out.filled()
}

/// A tag, the length of a string, and the string, if there is one.
#[inline(never)]
fn part<'w>(room: Room<'w>, tag: TagWord, bytes: Option<&[u8]>) -> Filled<'w> {
    let (bytes, mut out) = (bytes?, Cursor::of(room));
    if bytes.len() < 0x80 {
        out.put_tag_word(tag.and(bytes.len() as u8));
    } else {
        out.put_tag_word(tag);
        out.put_varint(bytes.len() as u64);
    }
    if bytes.len() > 64 {
        out.put_slice(bytes);
    } else {
        out.put_short(bytes);
    }
    out.filled()
}

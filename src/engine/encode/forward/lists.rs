//! Lists of anything but messages.

use crate::engine::encode::list::{write_list, write_strings};
use crate::engine::slab::RawView;
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::output::cursor::{CursorRoom, Filled};
use crate::wire::{Cursor, TagWord};

/// Writes a list of anything but messages.
#[inline(always)]
pub(super) fn put_list<'w>(
    room: CursorRoom<'w>,
    view: &RawView<'_, '_>,
    entry: &FieldEntry,
    tag: TagWord,
    slot: u32,
) -> Filled<'w> {
    if matches!(entry.coding, Coding::String | Coding::Bytes) {
        return strings(room, view, tag, slot);
    }
    list(room, view, entry, tag, slot)
}

#[inline(never)]
fn strings<'w>(room: CursorRoom<'w>, view: &RawView<'_, '_>, tag: TagWord, slot: u32) -> Filled<'w> {
    let mut out = Cursor::of(room);
    write_strings(&mut out, view, tag, slot);
    out.filled()
}

#[inline(never)]
fn list<'w>(
    room: CursorRoom<'w>,
    view: &RawView<'_, '_>,
    entry: &FieldEntry,
    tag: TagWord,
    slot: u32,
) -> Filled<'w> {
    let mut out = Cursor::of(room);
    write_list(&mut out, view, entry, tag, slot);
    out.filled()
}

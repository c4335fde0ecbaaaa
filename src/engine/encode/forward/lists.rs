//! Lists of anything but messages.

use crate::engine::encode::list::{write_list, write_strings};
use crate::engine::slab::RawView;
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::output::cursor::{CursorRoom, FillRoom, Filled};
use crate::wire::{Cursor, TagWord};

/// A list of anything but messages.
pub(super) struct ListTask<'p, 'a, 'i> {
    pub(super) view: &'p RawView<'a, 'i>,
    pub(super) entry: &'p FieldEntry,
    pub(super) tag: TagWord,
    pub(super) slot: u32,
}

impl FillRoom for ListTask<'_, '_, '_> {
    #[inline(always)]
    fn fill(self, room: CursorRoom<'_>) -> Filled<'_> {
        if matches!(self.entry.coding, Coding::String | Coding::Bytes) {
            return strings(room, self.view, self.tag, self.slot);
        }
        list(room, self.view, self.entry, self.tag, self.slot)
    }
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

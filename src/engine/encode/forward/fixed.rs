//! Messages of fixed shape with all fields set.

use crate::engine::slab::Words;
use crate::schema::program::FixedLayout;
use crate::wire::output::cursor::{CursorRoom, Filled, Item};
use crate::wire::{Cursor, TagWord};

/// Writes a point of three or four numbers with one check for room; false if the message is another one.
#[inline(always)]
pub(super) fn put_point(
    item: Item<'_, '_>,
    words: Words<'_>,
    tag: TagWord,
    layout: &FixedLayout,
    base: u32,
) -> bool {
    if tag.len() != 1 {
        return false;
    }
    match (layout.all_u32, words.run(base + 2, layout.fields.len())) {
        (Some(3), &[x, y, z]) => put_numbers(item, tag, layout, [x, y, z]),
        (Some(4), &[x, y, z, w]) => put_numbers(item, tag, layout, [x, y, z, w]),
        _ => false,
    }
}

/// Writes a message of fixed shape with all fields set.
#[inline(never)]
pub(super) fn put_fixed<'w>(
    room: CursorRoom<'w>,
    words: Words<'_>,
    tag: TagWord,
    layout: &FixedLayout,
    base: u32,
) -> Filled<'w> {
    let mut out = Cursor::of(room);
    if !out.item().is_some_and(|item| put_point(item, words, tag, layout, base)) {
        put_each(&mut out, words.part(base + 2, 2 * layout.fields.len()), tag, layout);
    }
    out.filled()
}

#[inline(always)]
fn put_numbers<const N: usize>(
    item: Item<'_, '_>,
    tag: TagWord,
    layout: &FixedLayout,
    values: [u32; N],
) -> bool {
    let Some(fields) = layout.fields.first_chunk::<N>() else { return false };
    let [tag, ..] = tag.at_start();
    item.put_tagged_fixed32s::<N>(
        tag,
        layout.len as u8,
        core::array::from_fn(|i| (fields[i].tag, values[i])),
    );
    true
}

/// Writes the fields one by one, from the words after the header.
#[inline(always)]
fn put_each(out: &mut Cursor<'_>, values: &[u32], tag: TagWord, layout: &FixedLayout) {
    // The length is below 128, so tag and length are one word.
    out.put_tag_word(tag.and(layout.len as u8));
    for field in &layout.fields {
        out.put_byte(field.tag);
        let len = if field.eight { 2 } else { 1 };
        let from = usize::from(field.slot).wrapping_sub(2);
        out.put_words(values.get(from..from.wrapping_add(len)).unwrap_or_default());
    }
}

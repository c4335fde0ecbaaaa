//! Lists of anything but messages: their sizes and their bytes.

use crate::engine::slab::{ByteSpan, RawList, RawView};
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::kernels::{MIN_PACK_LEN, Packs, Plain, Signed, Zigzag, pack, packed_len};
use crate::wire::output::cursor::SHORT;
use crate::wire::{Cursor, TagWord, varint_len, zigzag32, zigzag64};

fn span_size(len: u64) -> u64 {
    varint_len(len) as u64 + len
}

/// The size of a list, tags included.
#[inline(never)]
pub(super) fn list_size(list: RawList<'_, '_>, tag: TagWord) -> u64 {
    let (count, tag) = (list.len() as u64, tag.len() as u64);
    match elements_size(list, list.entry.coding) {
        _ if count == 0 => 0,
        body if list.entry.flags.is_packed() => body + tag + varint_len(body) as u64,
        body => body + count * tag,
    }
}

/// The size of all elements without tags.
fn elements_size(list: RawList<'_, '_>, coding: Coding) -> u64 {
    let count = list.len() as u64;
    fn varints<const N: usize, P: Packs>(list: RawList<'_, '_>) -> u64 {
        packed_len::<N, P>(list.run().as_chunks::<N>().0)
    }
    match coding {
        Coding::Fixed32 => count * 4,
        Coding::Fixed64 => count * 8,
        Coding::Bool => count,
        Coding::String | Coding::Bytes => {
            pairs(list.run()).map(|span| span_size(ByteSpan::from_word(span).len())).sum()
        }
        Coding::Varint64 => varints::<2, Plain>(list),
        Coding::Sint64 => varints::<2, Zigzag>(list),
        Coding::Int32 | Coding::ClosedEnum => varints::<1, Signed>(list),
        Coding::Sint32 => varints::<1, Zigzag>(list),
        _ => varints::<1, Plain>(list),
    }
}

/// The elements of a list whose values have two words.
fn pairs(run: &[u32]) -> impl Iterator<Item = u64> + '_ {
    let (pairs, _) = run.as_chunks::<2>();
    pairs.iter().map(|&[low, high]| low as u64 | (high as u64) << 32)
}

/// Writes a list, tags included.
#[inline(always)]
pub(super) fn write_list(
    out: &mut Cursor<'_>,
    view: &RawView<'_, '_>,
    entry: &FieldEntry,
    tag: TagWord,
    slot: u32,
) {
    let (list, coding) = (view.words.list(slot), entry.coding);
    let run = view.words.run(list.ptr, list.len as usize * coding.words() as usize);
    if run.is_empty() {
        return;
    }
    if !entry.flags.is_packed() {
        write_elements(run, view.store, coding, Some(tag), out);
        return;
    }
    match coding {
        // The slab holds them as the wire does: four bytes per word, low word first.
        Coding::Fixed32 | Coding::Fixed64 => {
            out.put_tag_word(tag);
            out.put_varint(size_of_val(run) as u64);
            out.put_words(run);
        }
        // The call of a kernel pays from `MIN_PACK_LEN` elements on. Fewer take at most 70 bytes.
        _ if (list.len as usize) < MIN_PACK_LEN => {
            out.put_tag_word(tag.and(0));
            let content = out.written();
            write_elements(run, view.store, coding, None, out);
            out.close_short_length(out.written().wrapping_sub(content));
        }
        Coding::Varint64 => put_packed::<2, Plain>(out, tag, run.as_chunks().0),
        Coding::Sint64 => put_packed::<2, Zigzag>(out, tag, run.as_chunks().0),
        Coding::Sint32 => put_packed::<1, Zigzag>(out, tag, run.as_chunks().0),
        Coding::Int32 | Coding::ClosedEnum => put_packed::<1, Signed>(out, tag, run.as_chunks().0),
        _ => put_packed::<1, Plain>(out, tag, run.as_chunks().0),
    }
}

/// Writes all elements, each with its tag if there is one. One loop per coding, so that the only branch per element is the one
/// on the tag.
#[inline(always)]
fn write_elements(run: &[u32], store: &[u8], coding: Coding, tag: Option<TagWord>, out: &mut Cursor<'_>) {
    let words = run.iter();
    match coding {
        Coding::Fixed32 => put_numbers(out, words.map(|&word| word.into()), 4, tag),
        Coding::Fixed64 => put_numbers(out, pairs(run), 8, tag),
        Coding::String | Coding::Bytes => put_spans(out, store, pairs(run), tag.unwrap_or_default()),
        Coding::Varint64 => put_numbers(out, pairs(run), 0, tag),
        Coding::Sint64 => put_numbers(out, pairs(run).map(|value| zigzag64(value as i64)), 0, tag),
        Coding::Int32 | Coding::ClosedEnum => {
            put_numbers(out, words.map(|&word| word as i32 as i64 as u64), 0, tag);
        }
        Coding::Sint32 => put_numbers(out, words.map(|&word| zigzag32(word as i32).into()), 0, tag),
        _ => put_numbers(out, words.map(|&word| word.into()), 0, tag),
    }
}

/// Writes the strings of a list. What lists of strings need is a small part of [`write_list`].
#[inline(always)]
pub(super) fn write_strings(out: &mut Cursor<'_>, view: &RawView<'_, '_>, tag: TagWord, slot: u32) {
    let list = view.words.list(slot);
    put_spans(out, view.store, pairs(view.words.run(list.ptr, 2 * list.len as usize)), tag);
}

/// Writes a string of the store with its tag and length.
#[inline(always)]
pub(super) fn put_string(out: &mut Cursor<'_>, store: &[u8], tag: TagWord, span: ByteSpan) {
    let (offset, len) = (span.offset(), span.len() as usize);
    if len <= SHORT {
        if let Some(block) = block::<SHORT>(store, offset)
            && out.put_string(tag, block, len)
        {
            return;
        }
        if let (Some(bytes), Some(item)) = (store.get(offset..offset + len), out.item()) {
            return item.put_short(tag, bytes);
        }
    } else if len <= 2 * SHORT
        && let Some(block) = block::<{ 2 * SHORT }>(store, offset)
        && out.put_string(tag, block, len)
    {
        return;
    }
    out.put_tagged_part(tag, store, offset, len);
}

/// N bytes of the store.
#[inline(always)]
fn block<const N: usize>(store: &[u8], offset: usize) -> Option<&[u8; N]> {
    store.get(offset..offset.wrapping_add(N))?.first_chunk()
}

/// Writes numbers, each with its tag if there is one: fixed-width ones of 4 or 8 bytes, or varints if the width is 0.
#[inline(always)]
fn put_numbers(out: &mut Cursor<'_>, values: impl Iterator<Item = u64>, width: usize, tag: Option<TagWord>) {
    for value in values {
        // A value that is tried in vain takes several times as long as one that fits: a list into a new buffer took 11 to 24 times as long as into
        // one with room.
        if out.is_full() {
            return;
        }
        if let Some(tag) = tag {
            out.put_tag_word(tag);
        }
        match width {
            4 => out.put_fixed32(value as u32),
            8 => out.put_fixed64(value),
            _ => out.put_varint(value),
        }
    }
}

/// Writes strings of the store, each with its tag and length.
#[inline(always)]
fn put_spans(out: &mut Cursor<'_>, store: &[u8], spans: impl Iterator<Item = u64>, tag: TagWord) {
    for span in spans.map(ByteSpan::from_word) {
        if out.is_full() {
            return;
        }
        put_string(out, store, tag, span);
    }
}

/// Writes a packed run of varints by a kernel.
fn put_packed<const N: usize, P: Packs>(out: &mut Cursor<'_>, tag: TagWord, run: &[[u32; N]]) {
    let len = packed_len::<N, P>(run);
    out.put_tag_word(tag);
    out.put_varint(len);
    if out.takes(len) {
        pack::<N, P>(run, out);
    }
}

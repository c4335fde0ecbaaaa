//! One field that is not a message: its size, and its bytes.

use super::sizes::{Lengths, Sizes};
use crate::program::{Coding, Entry};
use crate::slab::{RawList, RawView};
use crate::wire::{Cursor, short_varint, varint_len, zigzag32, zigzag64};

/// Bytes of the tag.
#[inline(always)]
pub(super) fn tag_len(entry: &Entry) -> u64 {
    if entry.tag < 0x80 { 1 } else { varint_len(entry.tag as u64) as u64 }
}

/// Writes a tag.
#[inline(always)]
pub(super) fn put_tag(out: &mut Cursor<'_>, tag: u32) {
    if tag < 0x80 { out.put_byte(tag as u8) } else { out.put_varint(tag as u64) }
}

/// Writes a tag and a varint; most fields of both are two to eight bytes, one store.
#[inline(always)]
fn put_tagged(out: &mut Cursor<'_>, tag: u32, value: u64) {
    if tag < 0x80 && value < 1 << 49 {
        let (bytes, len) = short_varint(value);
        out.put_word((u64::from_le_bytes(bytes) << 8 | tag as u64).to_le_bytes(), len + 1);
    } else {
        put_tag(out, tag);
        out.put_varint(value);
    }
}

/// Writes a tag, a length prefix and a string of the store.
#[inline(always)]
fn put_span(view: RawView<'_, '_>, tag: Option<u32>, span: u64, out: &mut Cursor<'_>) {
    let (offset, len) = (span as u32 as usize, (span >> 32) as usize);
    match tag {
        Some(tag) if tag < 0x80 && len < 0x80 => out.put_word([tag as u8, len as u8, 0, 0, 0, 0, 0, 0], 2),
        Some(tag) => {
            put_tag(out, tag);
            out.put_varint(len as u64);
        }
        None => out.put_varint(len as u64),
    }
    out.put_prefix(view.store.get(offset..).unwrap_or(&[]), len);
}

/// The varint of a value kept in one word.
#[inline(always)]
fn varint_of_word(coding: Coding, word: u32) -> u64 {
    match coding {
        Coding::Int32 | Coding::ClosedEnum => word as i32 as i64 as u64,
        Coding::Sint32 => zigzag32(word as i32) as u64,
        _ => word as u64,
    }
}

/// The varint of a value kept in two words.
#[inline(always)]
fn varint_of_words(coding: Coding, value: u64) -> u64 {
    if coding == Coding::Sint64 { zigzag64(value as i64) } else { value }
}

/// The size of a field, tags included. The length of a packed run of varints goes to `sizes`.
#[inline(always)]
pub(super) fn value_size(view: RawView<'_, '_>, entry: &Entry, slot: u32, sizes: &mut Sizes<'_>) -> u64 {
    if entry.flags.is_list() {
        return list_size(view, entry, slot, sizes);
    }
    tag_len(entry)
        + match entry.coding {
            Coding::Fixed32 => 4,
            Coding::Fixed64 => 8,
            Coding::Bool => 1,
            Coding::String | Coding::Bytes => span_size(view.words.get(slot + 1)),
            Coding::Varint64 | Coding::Sint64 => {
                varint_len(varint_of_words(entry.coding, view.words.get64(slot))) as u64
            }
            coding => varint_len(varint_of_word(coding, view.words.get(slot))) as u64,
        }
}

fn span_size(len: u32) -> u64 {
    varint_len(len as u64) as u64 + len as u64
}

#[inline(never)]
fn list_size(view: RawView<'_, '_>, entry: &Entry, slot: u32, sizes: &mut Sizes<'_>) -> u64 {
    let list = view.list(entry, slot);
    let count = list.len() as u64;
    if count == 0 {
        return 0;
    }
    let body = elements_size(list, entry.coding);
    if !entry.flags.is_packed() {
        return body + count * tag_len(entry);
    }
    if keeps_length(entry.coding) {
        let place = sizes.begin();
        sizes.end(place, body);
    }
    body + tag_len(entry) + varint_len(body) as u64
}

/// Whether a packed run's length must be computed from its elements.
fn keeps_length(coding: Coding) -> bool {
    !matches!(coding, Coding::Fixed32 | Coding::Fixed64 | Coding::Bool)
}

/// Bytes of all elements without tags.
fn elements_size(list: RawList<'_, '_>, coding: Coding) -> u64 {
    let count = list.len() as u64;
    let words = |coding| list.run().iter().map(|&w| varint_len(varint_of_word(coding, w)) as u64).sum();
    match coding {
        Coding::Fixed32 => count * 4,
        Coding::Fixed64 => count * 8,
        Coding::Bool => count,
        Coding::String | Coding::Bytes => pairs(list).map(|span| span_size((span >> 32) as u32)).sum(),
        Coding::Varint64 => pairs(list).map(|v| varint_len(v) as u64).sum(),
        Coding::Sint64 => pairs(list).map(|v| varint_len(zigzag64(v as i64)) as u64).sum(),
        Coding::Int32 | Coding::ClosedEnum => words(Coding::Int32),
        Coding::Sint32 => words(Coding::Sint32),
        _ => words(Coding::Uint32),
    }
}

/// The elements of a list of two-word values.
fn pairs<'a>(list: RawList<'a, '_>) -> impl Iterator<Item = u64> + use<'a> {
    let (pairs, _) = list.run().as_chunks::<2>();
    pairs.iter().map(|&[low, high]| low as u64 | (high as u64) << 32)
}

/// Writes a field, tags included.
#[inline(always)]
pub(super) fn write_value(
    view: RawView<'_, '_>,
    entry: &Entry,
    slot: u32,
    lengths: &mut Lengths<'_>,
    out: &mut Cursor<'_>,
) {
    if entry.flags.is_list() {
        return write_list(view, entry, slot, lengths, out);
    }
    let tag = entry.tag;
    match entry.coding {
        Coding::Fixed32 if tag < 0x80 => {
            out.put_word(((view.words.get(slot) as u64) << 8 | tag as u64).to_le_bytes(), 5);
        }
        Coding::Fixed32 => {
            put_tag(out, tag);
            out.put_fixed32(view.words.get(slot));
        }
        Coding::Fixed64 => {
            put_tag(out, tag);
            out.put_fixed64(view.words.get64(slot));
        }
        Coding::String | Coding::Bytes => put_span(view, Some(tag), view.words.get64(slot), out),
        Coding::Varint64 | Coding::Sint64 => {
            put_tagged(out, tag, varint_of_words(entry.coding, view.words.get64(slot)));
        }
        coding => put_tagged(out, tag, varint_of_word(coding, view.words.get(slot))),
    }
}

#[inline(never)]
fn write_list(
    view: RawView<'_, '_>,
    entry: &Entry,
    slot: u32,
    lengths: &mut Lengths<'_>,
    out: &mut Cursor<'_>,
) {
    let list = view.list(entry, slot);
    if list.len() == 0 {
        return;
    }
    if !entry.flags.is_packed() {
        return write_elements(list, entry.coding, Some(entry.tag), out);
    }
    out.put_varint(entry.tag as u64);
    let len =
        if keeps_length(entry.coding) { lengths.take() as u64 } else { elements_size(list, entry.coding) };
    out.put_varint(len);
    write_elements(list, entry.coding, None, out);
}

/// Writes all elements, each behind the tag if there is one.
fn write_elements(list: RawList<'_, '_>, coding: Coding, tag: Option<u32>, out: &mut Cursor<'_>) {
    let words = list.run();
    // One loop per coding, so that nothing is decided per element but whether there is a tag.
    macro_rules! each {
        ($elements:expr, $element:pat => $put:expr) => {
            for $element in $elements {
                if let Some(tag) = tag {
                    put_tag(out, tag);
                }
                $put;
            }
        };
    }
    match coding {
        Coding::Fixed32 => each!(words, &word => out.put_fixed32(word)),
        Coding::Fixed64 => each!(pairs(list), value => out.put_fixed64(value)),
        Coding::String | Coding::Bytes => {
            for span in pairs(list) {
                put_span(list.view, tag, span, out);
            }
        }
        Coding::Varint64 => each!(pairs(list), value => out.put_varint(value)),
        Coding::Sint64 => each!(pairs(list), value => out.put_varint(zigzag64(value as i64))),
        Coding::Int32 | Coding::ClosedEnum => {
            each!(words, &word => out.put_varint(word as i32 as i64 as u64))
        }
        Coding::Sint32 => each!(words, &word => out.put_varint(zigzag32(word as i32) as u64)),
        _ => each!(words, &word => out.put_varint(word as u64)),
    }
}

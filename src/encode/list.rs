//! Strings, and lists of anything but messages: their sizes, and their bytes, last element first.

use crate::program::{Coding, FieldEntry};
use crate::slab::{ByteSpan, RawList, RawView};
use crate::wire::kernels::{MIN_PACK_LEN, Packs, Plain, Signed, Zigzag, pack, packed_len};
use crate::wire::{ReverseCursor, TagWord, varint_len, zigzag32, zigzag64};

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
            pairs(list).map(|span| span_size(ByteSpan::from_word(span).len())).sum()
        }
        Coding::Varint64 => varints::<2, Plain>(list),
        Coding::Sint64 => varints::<2, Zigzag>(list),
        Coding::Int32 | Coding::ClosedEnum => varints::<1, Signed>(list),
        Coding::Sint32 => varints::<1, Zigzag>(list),
        _ => varints::<1, Plain>(list),
    }
}

/// The elements of a list whose values have two words.
fn pairs<'a>(list: RawList<'a, '_>) -> impl DoubleEndedIterator<Item = u64> + use<'a> {
    let (pairs, _) = list.run().as_chunks::<2>();
    pairs.iter().map(|&[low, high]| low as u64 | (high as u64) << 32)
}

/// Writes a string of the store with its tag and length.
#[inline(always)]
pub(super) fn put_span(out: &mut ReverseCursor<'_>, view: RawView<'_, '_>, tag: TagWord, span: u64) {
    let span = ByteSpan::from_word(span);
    let (offset, len) = (span.offset(), span.len() as usize);
    match view.store.get(..offset + len) {
        Some(store) => out.put_suffix(store, len),
        None => out.fail(),
    }
    if len < 0x80 {
        out.put_tag(tag.and(len as u8));
    } else {
        out.put_tagged_varint(tag, len as u64);
    }
}

/// Writes a list, tags included.
#[inline(never)]
pub(super) fn write_list<'b>(
    mut out: ReverseCursor<'b>,
    view: RawView<'_, '_>,
    entry: &FieldEntry,
    tag: TagWord,
    slot: u32,
) -> ReverseCursor<'b> {
    let (list, coding) = (view.list(entry, slot), entry.coding);
    if list.len() == 0 {
        return out;
    }
    if !entry.flags.is_packed() {
        write_elements(list, coding, Some(tag), &mut out);
        return out;
    }
    let open = out.written();
    match coding {
        // The slab holds them as the wire does: four bytes per word, low word first.
        Coding::Fixed32 | Coding::Fixed64 => out.put_words(list.run()),
        // The call of a kernel pays from `MIN_PACK_LEN` elements on.
        _ if (list.len() as usize) < MIN_PACK_LEN => write_elements(list, coding, None, &mut out),
        Coding::Varint64 => put_packed::<2, Plain>(list, &mut out),
        Coding::Sint64 => put_packed::<2, Zigzag>(list, &mut out),
        Coding::Sint32 => put_packed::<1, Zigzag>(list, &mut out),
        Coding::Int32 | Coding::ClosedEnum => put_packed::<1, Signed>(list, &mut out),
        _ => put_packed::<1, Plain>(list, &mut out),
    }
    out.put_tagged_varint(tag, (out.written() - open) as u64);
    out
}

/// Writes a packed run of varints. Kernels write forwards, so the size is computed first.
fn put_packed<const N: usize, P: Packs>(list: RawList<'_, '_>, out: &mut ReverseCursor<'_>) {
    let (run, _) = list.run().as_chunks::<N>();
    out.put_forward(packed_len::<N, P>(run) as usize, |cursor| pack::<N, P>(run, cursor));
}

/// Writes all elements, each after the tag if there is one.
#[inline(always)]
fn write_elements(list: RawList<'_, '_>, coding: Coding, tag: Option<TagWord>, out: &mut ReverseCursor<'_>) {
    let words = list.run();
    // One loop per coding, so that the only branch per element is the one on the tag.
    macro_rules! each {
        ($elements:expr, $element:pat => $put:expr) => {
            for $element in $elements.rev() {
                $put;
                if let Some(tag) = tag {
                    out.put_tag(tag);
                }
            }
        };
    }
    match coding {
        Coding::Fixed32 => each!(words.iter(), &word => out.put_fixed32(word)),
        Coding::Fixed64 => each!(pairs(list), value => out.put_fixed64(value)),
        Coding::String | Coding::Bytes => {
            let tag = tag.unwrap_or_default();
            pairs(list).rev().for_each(|span| put_span(out, list.view, tag, span));
        }
        Coding::Varint64 => each!(pairs(list), value => out.put_varint(value)),
        Coding::Sint64 => each!(pairs(list), value => out.put_varint(zigzag64(value as i64))),
        Coding::Int32 | Coding::ClosedEnum => {
            each!(words.iter(), &word => out.put_varint(word as i32 as i64 as u64))
        }
        Coding::Sint32 => each!(words.iter(), &word => out.put_varint(zigzag32(word as i32) as u64)),
        _ => each!(words.iter(), &word => out.put_varint(word as u64)),
    }
}

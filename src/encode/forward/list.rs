//! Lists of anything but messages, first element first.

use crate::program::{Coding, FieldEntry};
use crate::slab::{ByteSpan, RawList, RawView};
use crate::wire::kernels::{MIN_PACK_LEN, Packs, Plain, Signed, Zigzag, pack, packed_len};
use crate::wire::{Cursor, TagWord, zigzag32, zigzag64};

/// Writes a list, tags included.
#[inline(never)]
pub(super) fn write_list<'b>(
    mut out: Cursor<'b>,
    view: RawView<'_, '_>,
    entry: &FieldEntry,
    tag: TagWord,
    slot: u32,
) -> Cursor<'b> {
    let (list, coding) = (view.list(entry, slot), entry.coding);
    if list.len() == 0 || out.is_full() {
        return out;
    }
    if !entry.flags.is_packed() {
        write_elements(list, coding, Some(tag), &mut out);
        return out;
    }
    match coding {
        // The slab holds them as the wire does: four bytes per word, low word first.
        Coding::Fixed32 | Coding::Fixed64 => {
            out.put_tag_word(tag);
            out.put_varint(size_of_val(list.run()) as u64);
            out.put_words(list.run());
        }
        // The call of a kernel pays from `MIN_PACK_LEN` elements on. Fewer take at most 70 bytes.
        _ if (list.len() as usize) < MIN_PACK_LEN => {
            out.put_tag_word(tag.and(0));
            let content = out.written();
            write_elements(list, coding, None, &mut out);
            out.close_short_length(content.wrapping_sub(1), out.written().wrapping_sub(content));
        }
        Coding::Varint64 => put_packed::<2, Plain>(list, tag, &mut out),
        Coding::Sint64 => put_packed::<2, Zigzag>(list, tag, &mut out),
        Coding::Sint32 => put_packed::<1, Zigzag>(list, tag, &mut out),
        Coding::Int32 | Coding::ClosedEnum => put_packed::<1, Signed>(list, tag, &mut out),
        _ => put_packed::<1, Plain>(list, tag, &mut out),
    }
    out
}

fn put_packed<const N: usize, P: Packs>(list: RawList<'_, '_>, tag: TagWord, out: &mut Cursor<'_>) {
    let (run, _) = list.run().as_chunks::<N>();
    out.put_tag_word(tag);
    out.put_varint(packed_len::<N, P>(run));
    pack::<N, P>(run, out);
}

/// Writes all elements, each after the tag if there is one.
#[inline(always)]
fn write_elements(list: RawList<'_, '_>, coding: Coding, tag: Option<TagWord>, out: &mut Cursor<'_>) {
    let words = list.run();
    let (pairs, _) = words.as_chunks::<2>();
    let pairs = pairs.iter().map(|&[low, high]| u64::from(low) | u64::from(high) << 32);
    // One loop per coding, so that the only branch per element is the one on the tag.
    macro_rules! each {
        ($elements:expr, $element:pat => $put:expr) => {
            for $element in $elements {
                if let Some(tag) = tag {
                    out.put_tag_word(tag);
                }
                $put;
            }
        };
    }
    match coding {
        Coding::Fixed32 => each!(words, &word => out.put_fixed32(word)),
        Coding::Fixed64 => each!(pairs, value => out.put_fixed64(value)),
        Coding::String | Coding::Bytes => {
            for span in pairs.map(ByteSpan::from_word) {
                let (store, offset, len) = (list.view.store, span.offset(), span.len() as usize);
                match (store.get(offset..).and_then(<[u8]>::first_chunk), out.item()) {
                    (Some(block), Some(item)) if len <= block.len() => {
                        item.put_block(tag.unwrap_or_default(), block, len)
                    }
                    _ => out.put_tagged_part(tag.unwrap_or_default(), store, offset, len),
                }
            }
        }
        Coding::Varint64 => each!(pairs, value => out.put_varint(value)),
        Coding::Sint64 => each!(pairs, value => out.put_varint(zigzag64(value as i64))),
        Coding::Int32 | Coding::ClosedEnum => {
            each!(words, &word => out.put_varint(word as i32 as i64 as u64))
        }
        Coding::Sint32 => each!(words, &word => out.put_varint(zigzag32(word as i32).into())),
        _ => each!(words, &word => out.put_varint(word.into())),
    }
}

//! Messages of numbers only, most of them set.

use super::pass::{Pass, last_field};
use crate::engine::encode::list::{write_list, write_strings};
use crate::engine::slab::{BodyWords, RawView, SetFields, Words};
use crate::schema::program::{Coding, FieldEntry, FixedLayout, Program, WriteEntry, WriteKind};
use crate::wire::output::cursor::{CursorRoom, Filled, Item};
use crate::wire::{Bits, CpuCall, Cursor, TagWord, zigzag32, zigzag64};

const INT32: u8 = WriteKind::Int32 as u8;
const UINT32: u8 = WriteKind::Uint32 as u8;
const VARINT64: u8 = WriteKind::Varint64 as u8;
const SINT32: u8 = WriteKind::Sint32 as u8;
const SINT64: u8 = WriteKind::Sint64 as u8;
const FIXED32: u8 = WriteKind::Fixed32 as u8;
const FIXED64: u8 = WriteKind::Fixed64 as u8;

// A program of numbers has no other kinds.
const _: () = assert!(FIXED64 == 7 && WriteKind::Varint as u8 == 0);

/// Whether [`Numbers`] is the better way for a message with these hasbits: at least three quarters of its fields are set.
#[inline(always)]
pub(super) fn most_are_set(program: &Program, set: u64) -> bool {
    set.count_ones() as usize * 4 >= program.writes().len() * 3
}

/// The fields of a message of numbers, given its hasbits. Goes through all fields, and keeps nothing of those that are not set: the jumps
/// are the same for each message, so that the processor foresees them. All arguments are in registers.
pub(super) struct Numbers;

impl<'a, 'i, 'w> CpuCall<&mut Pass<'a, 'i>, CursorRoom<'w>, &'a Program, u32, u64> for Numbers {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(
        bits: impl Bits,
        pass: &mut Pass<'a, 'i>,
        room: CursorRoom<'w>,
        program: &'a Program,
        base: u32,
        mut set: u64,
    ) -> Filled<'w> {
        let fields = program.writes();
        pass.missing |= program.required_mask() & !set;
        let (mut out, body) = (Cursor::of(room), pass.view.words.body(base));
        // Two jumps, so that the processor knows more of what was before each of them.
        let (twos, last) = fields.as_chunks::<2>();
        for [first, second] in twos {
            let fits = put(&mut out, pass, first, body, set & 1 != 0, bits)
                && put(&mut out, pass, second, body, set & 2 != 0, bits);
            if !fits {
                break;
            }
            set >>= 2;
        }
        if let [field] = last {
            put(&mut out, pass, field, body, set & 1 != 0, bits);
        }
        out.filled()
    }
}

/// Writes a number, or nothing if not `on`; false if it does not fit.
#[inline(always)]
fn put(
    out: &mut Cursor<'_>,
    pass: &Pass<'_, '_>,
    field: &WriteEntry,
    body: BodyWords<'_>,
    on: bool,
    bits: impl Bits,
) -> bool {
    let (tag, slot) = (field.tag, field.slot);
    let Some(item) = out.number_item() else {
        return !on || out.fill(|room| last_field(room, pass, field, body)).is_some();
    };
    // Three bits, so that this is a jump without a check.
    let varint = match field.kind as u8 & 7 {
        INT32 => body.get(slot) as i32 as i64 as u64,
        VARINT64 => body.get64(slot),
        SINT64 => zigzag64(body.get64(slot) as i64),
        UINT32 => {
            item.put_varint_if(bits, tag, body.get(slot).into(), on);
            return true;
        }
        SINT32 => {
            item.put_varint_if(bits, tag, zigzag32(body.get(slot) as i32).into(), on);
            return true;
        }
        FIXED32 => {
            item.put_word_if(tag, body.get(slot).into(), 4, on);
            return true;
        }
        FIXED64 => {
            item.put_word_if(tag, body.get64(slot), 8, on);
            return true;
        }
        _ => field.form.value(body.get64_or_32(slot)),
    };
    if varint < 1 << 56 {
        item.put_varint_if(bits, tag, varint, on);
    } else if on {
        out.put_tagged_long(tag, varint);
    }
    true
}

// Messages of fixed shape with all fields set.

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

// Lists of anything but messages.

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

// The fields of wide messages.

/// The set fields of a wide message.
pub(super) struct Wide;

impl<'a, 'i, 'w> CpuCall<&mut Pass<'a, 'i>, CursorRoom<'w>, &'a Program, u32, ()> for Wide {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(
        bits: impl Bits,
        pass: &mut Pass<'a, 'i>,
        room: CursorRoom<'w>,
        program: &'a Program,
        base: u32,
        (): (),
    ) -> Filled<'w> {
        let (words, mut out) = (pass.view.words, Cursor::of(room));
        let mut fields = SetFields::new(program, words, base);
        while let Some((position, _, slot)) = fields.next_of(program, words, base) {
            let (Some(write), Some(entries)) =
                (program.writes().get(position), program.entries().get(position..))
            else {
                break;
            };
            // One field at a time, as the first one of a body that begins at its slot.
            let write = WriteEntry { slot: 0, ..*write };
            pass.fields::<false>(&mut out, (&[write], entries), (slot, 1), bits);
        }
        out.filled()
    }
}

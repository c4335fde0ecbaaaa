//! Messages of numbers only, most of them set.

use super::pass::{Pass, last_field};
use crate::engine::slab::BodyWords;
use crate::schema::program::{Program, WriteEntry, WriteKind};
use crate::wire::output::cursor::{CursorRoom, Filled};
use crate::wire::{Bits, CpuCall, Cursor, zigzag32, zigzag64};

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

//! Messages of large strings and numbers, forwards.
//!
//! Where no length is in front of anything but a string, a message can be written where it stays in one pass, neither sized
//! before nor moved behind: for large strings, that is most of what there is to do.

use crate::program::How;
use crate::slab::RawView;
use crate::wire::Cursor;

/// Writes a message that is not wide, if its fields are singular numbers and strings alone; false if they are not.
pub(super) fn write_forward(view: RawView<'_, '_>, out: &mut Cursor<'_>) -> bool {
    let RawView { words, base, .. } = view;
    let program = view.program();
    let has_spans = words.get(base + 1) != 0;
    let mut bits = words.has_bits(program, base);
    // Before anything is written: what has lists is written backwards, and large strings must not be written twice.
    let others = program.is_parent() || program.is_wide() || bits & program.repeated_mask() != 0;
    if others || has_spans {
        return false;
    }
    while bits != 0 {
        let index = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let (Some(entry), Some(field)) = (program.entries().get(index), program.writes().get(index)) else {
            return false;
        };
        let slot = base + u32::from(field.slot);
        out.put_varint(entry.tag.into());
        match field.how {
            How::Varint => out.put_varint(field.form.value(words.get64_or_32(slot))),
            How::Fixed if field.form.width == 4 => out.put_fixed32(words.get(slot)),
            How::Fixed => out.put_fixed64(words.get64(slot)),
            How::Span => out.put_length_delimited(view.span(slot)),
            How::List | How::Inline | How::Message => return false,
        }
    }
    true
}

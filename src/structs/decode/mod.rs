//! The decoding pass of structs: input, memory, stack and error path.
//!
//! A function that merges a field or a message returns the position after it, or a code that is after every position. One number travels in a
//! register, and the loop over the fields of a message compares it with the end of the message anyway. So nothing is tested for an error until
//! there is one.

pub(super) mod budget;
pub(super) mod fields;
pub mod input;
pub(super) mod memory;
pub(super) mod path_trace;
pub(super) mod stack;

use crate::wire::read::raw;

/// There was a fault: [`Input::fault`](input::Input::fault) has recorded its kind and offset.
pub(in crate::structs) const FAULT: usize = usize::MAX;

/// The field is unknown: not listed, of another wire type, or an unlisted number of a closed enum. The member is unchanged.
pub const UNKNOWN: usize = usize::MAX - 1;

/// The field was merged, except for unlisted values of a closed enum, which the input has stored as unknown fields, with the
/// position after the field.
pub(in crate::structs) const STRAYS: usize = usize::MAX - 2;

/// Whether it is a position: inputs have at most 2^31-1 bytes.
#[inline(always)]
pub(in crate::structs) const fn is_position(end: usize) -> bool {
    end < STRAYS
}

/// The tag at `pos` and the position after it. A tag at fault reads as 0, whose field is unknown; so only
/// [`Input::settle`](input::Input::settle) looks for the fault.
#[inline(always)]
pub fn tag(buf: &[u8], pos: usize) -> (u32, usize) {
    match buf.get(pos) {
        Some(&byte) if byte < 0x80 => (byte.into(), pos + 1),
        _ => long_tag(buf, pos),
    }
}

/// Inlined only where the compiler prefers speed.
#[inline]
fn long_tag(buf: &[u8], pos: usize) -> (u32, usize) {
    match buf.get(pos..).and_then(|rest| rest.first_chunk()) {
        Some(&[first, second]) if second < 0x80 => {
            (u32::from(first & 0x7f) | u32::from(second) << 7, pos + 2)
        }
        _ => longer_tag(buf, pos),
    }
}

#[inline(never)]
fn longer_tag(buf: &[u8], pos: usize) -> (u32, usize) {
    raw::tag_bits(buf, pos).unwrap_or_default()
}

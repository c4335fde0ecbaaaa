//! Fixed-shape messages: all fields lifted at once; see `program/fixed.rs`.

use super::input;
use crate::program::FixedShape;

/// Fills an empty body from a message of the shape's length at `pos`, if it has the shape. Otherwise the body is
/// still empty.
#[inline(always)]
pub(super) fn lift(shape: &FixedShape, body: &mut [u32], buf: &[u8], pos: usize) -> bool {
    let Some(bytes) = buf.get(pos..) else { return false };
    if !shape.accepts(bytes) {
        return false;
    }
    let mut has = 0;
    for lift in &shape.lifts {
        let (from, slot) = (lift.from as usize, lift.slot as usize);
        let zero = if lift.eight {
            let Ok((value, _)) = input::fixed64(bytes, from) else { return false };
            if let Some(words) = body.get_mut(slot..).and_then(|w| w.first_chunk_mut::<2>()) {
                *words = [value as u32, (value >> 32) as u32];
            }
            value == 0
        } else {
            let Ok((value, _)) = input::fixed32(bytes, from) else { return false };
            if let Some(word) = body.get_mut(slot) {
                *word = value;
            }
            value == 0
        };
        has |= u32::from(!(zero && lift.implicit)) << (lift.bit & 31);
    }
    // Presence bits, and no unknown fields.
    if let Some(header) = body.first_chunk_mut::<2>() {
        *header = [has, 0];
    }
    true
}

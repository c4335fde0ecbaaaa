//! Fixed-shape messages: all fields lifted at once; see `program/fixed.rs`.

use super::input;
use crate::program::{FixedShape, Program};
use crate::slab::Slab;

/// Fills the empty body at `base` from a message of the shape's length at `pos`, if it has the shape. The body
/// stays empty if not.
#[inline(always)]
pub(super) fn lift(
    shape: &FixedShape,
    slab: &mut Slab,
    program: &Program,
    base: u32,
    buf: &[u8],
    pos: usize,
) -> bool {
    let Some(bytes) = buf.get(pos..) else { return false };
    if !shape.accepts(bytes) {
        return false;
    }
    let mut has = 0;
    for lift in &shape.lifts {
        let (from, slot) = (lift.from as usize, base + lift.slot as u32);
        let zero = if lift.eight {
            let Ok((value, _)) = input::fixed64(bytes, from) else { return false };
            slab.set64(slot, value);
            value == 0
        } else {
            let Ok((value, _)) = input::fixed32(bytes, from) else { return false };
            slab.set(slot, value);
            value == 0
        };
        has |= u64::from(!(zero && lift.implicit)) << (lift.bit & 63);
    }
    slab.set_has_bits(program, base, has);
    true
}

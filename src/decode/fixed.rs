//! Fixed-shape messages: all fields lifted at once; see `program/fixed.rs`.

use super::input;
use crate::program::{FixedShape, MAX_PARTS_LEN, PartsShape};

/// Fills an empty body from a message of the shape's length at `pos`, if it has the shape. Otherwise the body is
/// still empty.
#[inline(always)]
pub(super) fn lift(shape: &FixedShape, body: &mut [u32], buf: &[u8], pos: usize) -> bool {
    let Some(bytes) = buf.get(pos..) else { return false };
    match (shape.fours, bytes.first_chunk::<24>()) {
        (Some(2), Some(bytes)) => lift_fours::<2, 4>(shape, body, bytes),
        (Some(3), Some(bytes)) => lift_fours::<3, 5>(shape, body, bytes),
        (Some(4), Some(bytes)) => lift_fours::<4, 6>(shape, body, bytes),
        _ => lift_any(shape, body, bytes),
    }
}

/// As [`lift`], for a message of such messages.
#[inline(always)]
pub(super) fn lift_parts(shape: &PartsShape, body: &mut [u32], bytes: &[u8; MAX_PARTS_LEN + 8]) -> bool {
    let Some(whole) = bytes.first_chunk() else { return false };
    if !shape.accepts(whole) {
        return false;
    }
    for part in &shape.parts {
        let Some(bytes) = bytes.get(part.from..).and_then(|bytes| bytes.first_chunk::<24>()) else {
            return false;
        };
        let body = body.get_mut(part.slot as usize..).unwrap_or_default();
        let lifted = match part.shape.fours {
            Some(2) => lift_fours::<2, 4>(&part.shape, body, bytes),
            Some(3) => lift_fours::<3, 5>(&part.shape, body, bytes),
            _ => lift_fours::<4, 6>(&part.shape, body, bytes),
        };
        if !lifted {
            return false;
        }
    }
    if let Some(header) = body.first_chunk_mut::<2>() {
        *header = [shape.all, 0];
    }
    true
}

/// Two to four numbers of four bytes: one comparison, one store of `W = N + 2` words. Against the general form,
/// a message of three floats takes a third of the time.
#[inline(always)]
fn lift_fours<const N: usize, const W: usize>(
    shape: &FixedShape,
    body: &mut [u32],
    bytes: &[u8; 24],
) -> bool {
    if !shape.accepts_fours(bytes) {
        return false;
    }
    let mut words = [0; W];
    let mut zero = 0;
    for i in 0..N {
        // Five bytes a field: the tag, then the value.
        let value = match bytes.get(1 + 5 * i..).and_then(|rest| rest.first_chunk::<4>()) {
            Some(value) => u32::from_le_bytes(*value),
            None => 0,
        };
        words[2 + i] = value;
        zero |= u32::from(value == 0) << i;
    }
    words[0] = shape.all as u32 & !(zero & shape.implicit);
    match body.first_chunk_mut::<W>() {
        Some(body) => *body = words,
        None => return false,
    }
    true
}

/// Any shape.
#[inline(never)]
fn lift_any(shape: &FixedShape, body: &mut [u32], bytes: &[u8]) -> bool {
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

#[cfg(test)]
mod tests {
    use crate::decode::{DecodeOptions, decode_raw};
    use crate::encode::encode_raw;
    use crate::program::{FieldSpec, MessageSpec, ProgramSet, Shape};
    use crate::slab::Slab;
    use crate::table::Kind;
    use alloc::{vec, vec::Vec};

    /// A holder with a singular and a repeated message of one to five `kind`s.
    fn schema(kind: Kind<u32, u32>, fields: u32, shape: Shape) -> ProgramSet {
        let holder = vec![
            FieldSpec::new(1, Kind::Message(1), Shape::Explicit),
            FieldSpec::new(2, Kind::Message(1), Shape::Repeated),
        ];
        let point = (1..=fields).map(|number| FieldSpec::new(number, kind, shape)).collect();
        let message = |fields| MessageSpec { fields, ..Default::default() };
        ProgramSet::new(&[message(holder), message(point)], &[]).unwrap()
    }

    /// The point as it is written: a zero is left out if `skip`.
    fn point(width: usize, values: &[u8], skip: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (i, &value) in values.iter().enumerate().filter(|(_, value)| !(skip && **value == 0)) {
            bytes.push((i as u8 + 1) << 3 | if width == 8 { 1 } else { 5 });
            bytes.push(value);
            bytes.extend_from_slice(&[0; 7][..width - 1]);
        }
        bytes
    }

    #[test]
    fn shapes_and_everything_near_them_come_back() {
        for (kind, width) in [(Kind::Float, 4), (Kind::Sfixed64, 8)] {
            for fields in 1..=5u32 {
                for presence in [Shape::Implicit, Shape::Explicit] {
                    let set = schema(kind, fields, presence);
                    for zeros in 0..1u32 << fields {
                        let values: Vec<u8> =
                            (0..fields).map(|i| if zeros >> i & 1 == 1 { 0 } else { 7 }).collect();
                        let full = point(width, &values, false);
                        let kept = point(width, &values, presence == Shape::Implicit);
                        let message = |tag: u8, body: &[u8]| [&[tag, body.len() as u8], body].concat();
                        // Followed by others and at the very end; the second singular one merges into the first.
                        let input =
                            [message(0x0a, &full), message(0x12, &full), message(0x12, &full)].concat();
                        let expected =
                            [message(0x0a, &kept), message(0x12, &kept), message(0x12, &kept)].concat();
                        let mut slab = Slab::new();
                        let view = decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
                        assert_eq!(encode_raw(view), expected, "{kind:?} {values:?}");
                        let merged = [message(0x0a, &full), message(0x0a, &full)].concat();
                        let view = decode_raw(&set, 0, &merged, &mut slab, &DecodeOptions::new()).unwrap();
                        assert_eq!(encode_raw(view), message(0x0a, &kept));
                        // One byte off in a tag: an unknown field, or an error, but never the shape.
                        for at in (0..full.len()).step_by(width + 1) {
                            let mut other = full.clone();
                            other[at] += 0x50;
                            let input = message(0x0a, &other);
                            let view = decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
                            let bytes = encode_raw(view);
                            assert!(bytes.contains(&other[at]), "{kind:?} {other:x?} {bytes:x?}");
                        }
                    }
                }
            }
        }
    }
}

//! Messages of fixed shape: all fields are loaded at once. `schema/program/fixed/` says which types have one.
//!
//! ```text
//! load_fixed(layout, body, bytes):
//!     if up to four numbers of four bytes, the length is layout.len and the tags are where the layout has them:    # one masked comparison
//!         load every value from its known place; a zero with implicit presence gets no hasbit
//!     else:                                              # some may be missing: encoders leave out zeros
//!         load field by field, comparing one tag at a time
//!         if anything else is there: false, and the general path decodes the message
//! ```
//!
//! Precondition: the body is empty. Where a function returns false, it is still empty: slots may have been written,
//! but the hasbits have not.
//!
//! A message of three floats takes a third of the time of the general form (`load_some`).

use crate::schema::program::{FIXED_WINDOW, FixedLayout, MAX_NESTED_LEN, NestedFixedLayout};

/// Fills an empty body from the message of `len` bytes at `pos`, if all of its fields, or some of them in order, are
/// those of the layout.
#[inline(always)]
pub(super) fn load_fixed(layout: &FixedLayout, body: &mut [u32], buf: &[u8], pos: usize, len: usize) -> bool {
    let Some(bytes) = buf.get(pos..) else { return false };
    let whole = len == layout.len
        && match (layout.all_u32, bytes.first_chunk()) {
            (Some(2), Some(bytes)) => load_all_u32::<2, 4>(layout, body, bytes),
            (Some(3), Some(bytes)) => load_all_u32::<3, 5>(layout, body, bytes),
            (Some(4), Some(bytes)) => load_all_u32::<4, 6>(layout, body, bytes),
            _ => false,
        };
    whole || bytes.get(..len).is_some_and(|bytes| load_some(layout, body, bytes))
}

/// Stores hasbits, and that there are no unknown fields.
#[inline(always)]
fn set_header(body: &mut [u32], hasbits: u32) -> bool {
    if let Some(header) = body.first_chunk_mut::<2>() {
        *header = [hasbits, 0];
    }
    true
}

/// Loads all of the fields or some of them, in order. As fast as a comparison of all tags at once where all fields are set, and
/// a message without some of them stays in its list: entering it took four times as long.
#[inline(never)]
fn load_some(layout: &FixedLayout, body: &mut [u32], bytes: &[u8]) -> bool {
    if !layout.optional && bytes.len() != layout.len {
        return false;
    }
    let (mut rest, mut hasbits) = (bytes, 0);
    for field in &layout.fields {
        let Some((tag, value)) = rest.split_first() else { break };
        if *tag != field.tag {
            continue;
        }
        let to = body.get_mut(field.slot as usize..).unwrap_or_default();
        let zero;
        if field.eight {
            let (Some((value, next)), Some(words)) = (value.split_first_chunk(), to.first_chunk_mut::<2>())
            else {
                return false;
            };
            let value = u64::from_le_bytes(*value);
            *words = [value as u32, (value >> 32) as u32];
            (zero, rest) = (value == 0, next);
        } else {
            let (Some((value, next)), Some(word)) = (value.split_first_chunk(), to.first_mut()) else {
                return false;
            };
            *word = u32::from_le_bytes(*value);
            (zero, rest) = (*word == 0, next);
        }
        hasbits |= u32::from(!(zero & field.implicit)) << (field.bit & 31);
    }
    rest.is_empty() && set_header(body, hasbits)
}

/// Loads a message whose fields are all messages of one to four numbers of four bytes.
#[inline(always)]
pub(super) fn load_nested(
    layout: &NestedFixedLayout,
    body: &mut [u32],
    bytes: &[u8; MAX_NESTED_LEN + 8],
    len: usize,
) -> bool {
    let whole = bytes.first_chunk().is_some_and(|whole| len == layout.len && layout.accepts(whole));
    if !whole {
        return load_nested_partial(layout, body, bytes, len);
    }
    match layout.all_u32 {
        Some(2) => load_nested_equal::<2, 12, 4>(layout, body, bytes),
        Some(3) => load_nested_equal::<3, 17, 5>(layout, body, bytes),
        Some(4) => load_nested_equal::<4, 22, 6>(layout, body, bytes),
        _ => load_nested_any(layout, body, bytes),
    }
}

/// Loads messages of `N` numbers each, whose tags and lengths have been checked: `S = 5 N + 2` bytes of input become
/// `W = N + 2` words, one message after the other.
#[inline(always)]
fn load_nested_equal<const N: usize, const S: usize, const W: usize>(
    layout: &NestedFixedLayout,
    body: &mut [u32],
    bytes: &[u8; MAX_NESTED_LEN + 8],
) -> bool {
    let count = layout.parts.len();
    let Some((header, words)) = body.split_first_chunk_mut::<2>() else { return false };
    let parts = bytes.as_chunks::<S>().0.iter().zip(words.as_chunks_mut::<W>().0);
    let mut smallest = u32::MAX;
    for (bytes, words) in parts.take(count) {
        for i in 0..N {
            // Two bytes for tag and length of the message, then five per number: its tag and the value.
            let value = bytes[3 + 5 * i..].first_chunk().map_or(0, |value| u32::from_le_bytes(*value));
            words[2 + i] = value;
            smallest = smallest.min(value);
        }
        (words[0], words[1]) = (u32::MAX >> (32 - N), 0);
    }
    *header = [layout.all, 0];
    // Zeros with implicit presence are rare, because encoders leave them out: one test for all numbers.
    smallest != 0 || !layout.implicit || load_nested_any(layout, body, bytes)
}

/// Loads all messages, whose tags and lengths have been checked, one by one.
#[inline(never)]
fn load_nested_any(layout: &NestedFixedLayout, body: &mut [u32], bytes: &[u8; MAX_NESTED_LEN + 8]) -> bool {
    for part in &layout.parts {
        let body = body.get_mut(part.slot as usize..).unwrap_or_default();
        if !load_fixed(&part.shape, body, bytes, part.from, part.shape.len) {
            return false;
        }
    }
    set_header(body, layout.all)
}

/// Loads some of the messages, in order, each with some of its numbers.
#[inline(never)]
fn load_nested_partial(
    layout: &NestedFixedLayout,
    body: &mut [u32],
    bytes: &[u8; MAX_NESTED_LEN + 8],
    len: usize,
) -> bool {
    let (mut at, mut hasbits) = (0, 0);
    for (i, part) in layout.parts.iter().enumerate() {
        let Some(&[tag, part_len]) = bytes.get(at..at + 2) else { return false };
        // After the end of the message, a byte may look like the tag of a part.
        if at >= len || tag != part.tag {
            continue;
        }
        let (from, part_len) = (at + 2, part_len as usize);
        let body = body.get_mut(part.slot as usize..).unwrap_or_default();
        if !load_fixed(&part.shape, body, bytes, from, part_len) {
            return false;
        }
        hasbits |= 1u32 << (i & 31);
        at = from + part_len;
    }
    // A part that goes beyond the end leaves `at` after it.
    at == len && (hasbits == layout.all || layout.optional) && set_header(body, hasbits)
}

/// Loads `N` numbers of four bytes: one comparison, and one store of `W = N + 2` words.
#[inline(always)]
fn load_all_u32<const N: usize, const W: usize>(
    layout: &FixedLayout,
    body: &mut [u32],
    bytes: &[u8; FIXED_WINDOW],
) -> bool {
    if !layout.accepts_all_u32(bytes) {
        return false;
    }
    let mut words = [0; W];
    let mut zero = 0;
    for i in 0..N {
        // Five bytes per field: its tag and the value.
        let value = match bytes.get(1 + 5 * i..).and_then(|rest| rest.first_chunk::<4>()) {
            Some(value) => u32::from_le_bytes(*value),
            None => 0,
        };
        words[2 + i] = value;
        zero |= u32::from(value == 0) << i;
    }
    words[0] = layout.all as u32 & !(zero & layout.implicit);
    match body.first_chunk_mut::<W>() {
        Some(body) => *body = words,
        None => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::engine::decode::decode_raw;
    use crate::engine::encode::encode_raw;
    use crate::engine::slab::Slab;
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use crate::wire::error::DecodeErrorKind;
    use crate::wire::options::DecodeOptions;
    use alloc::{vec, vec::Vec};

    /// `fields` kinds of the same width, or of four and eight bytes in turns.
    fn kinds(width: usize, fields: usize) -> Vec<Kind<u32, u32>> {
        let four_and_eight = [Kind::Float, Kind::Sfixed64, Kind::Fixed32, Kind::Double];
        let kind = |i: usize| match width {
            4 => Kind::Float,
            8 => Kind::Sfixed64,
            _ => four_and_eight[i % 4],
        };
        (0..fields).map(kind).collect()
    }

    fn width(kind: Kind<u32, u32>) -> usize {
        if matches!(kind, Kind::Float | Kind::Fixed32) { 4 } else { 8 }
    }

    /// A holder with a singular and a repeated message of these kinds.
    fn schema(kinds: &[Kind<u32, u32>], layout: Presence) -> ProgramSet {
        let holder = vec![
            FieldSpec::new(1, Kind::Message(1), Presence::Explicit),
            FieldSpec::new(2, Kind::Message(1), Presence::Repeated),
        ];
        let point = (1..).zip(kinds).map(|(number, kind)| FieldSpec::new(number, *kind, layout)).collect();
        let message = |fields| MessageSpec { fields, ..Default::default() };
        ProgramSet::new(&[message(holder), message(point)], &[]).unwrap()
    }

    /// The bytes of a point; zeros are left out if `skip`.
    fn point(kinds: &[Kind<u32, u32>], values: &[u8], skip: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (i, &value) in values.iter().enumerate().filter(|(_, value)| !(skip && **value == 0)) {
            let width = width(kinds[i]);
            bytes.push((i as u8 + 1) << 3 | if width == 8 { 1 } else { 5 });
            bytes.push(value);
            bytes.extend_from_slice(&[0; 7][..width - 1]);
        }
        bytes
    }

    /// Regression: a list of messages of eight-byte numbers was left and entered again for each element without one of them.
    #[test]
    fn a_message_without_some_of_its_fields_keeps_its_shape() {
        for (fields, each) in [4, 8, 12].into_iter().flat_map(|each| (1..=8usize).map(move |n| (n, each))) {
            let kinds = kinds(each, fields);
            let set = schema(&kinds, Presence::Implicit);
            let program = set.program(1);
            let layout = program.fixed().unwrap();
            for there in (0..1u32 << fields).step_by(if cfg!(miri) { 15 } else { 1 }) {
                let values: Vec<u8> = (0..fields).map(|i| (there >> i & 1) as u8).collect();
                let bytes = point(&kinds, &values, true);
                for after in [0, 40] {
                    let buf = [&[0x55][..], &bytes, &vec![0xff; after]].concat();
                    let mut body = vec![u32::MAX; program.words() as usize];
                    assert!(
                        super::load_fixed(layout, &mut body, &buf, 1, bytes.len()),
                        "{kinds:?} {there:b}"
                    );
                    assert_eq!(body[..2], [there, 0], "{kinds:?}");
                }
            }
        }
    }

    /// A shape that asks for all of its fields, in lists and not, and one in such shapes.
    #[test]
    fn a_shape_without_a_required_field_is_an_error() {
        let message = |fields| MessageSpec { fields, ..Default::default() };
        let of = |number, index, presence| FieldSpec::new(number, Kind::Message(index), presence);
        let holder =
            |index| message(vec![of(1, index, Presence::Explicit), of(2, index, Presence::Repeated)]);
        for each in [4, 8, 12] {
            let kinds = kinds(each, 3);
            let field =
                |(number, kind): (u32, &Kind<u32, u32>)| FieldSpec::new(number, *kind, Presence::Required);
            let shape = message((1..).zip(&kinds).map(field).collect());
            let parts = message(vec![of(1, 2, Presence::Required), of(2, 2, Presence::Required)]);
            let optional = |number| FieldSpec::new(number, Kind::Float, Presence::Explicit);
            let vertex = message((1..3).map(optional).collect());
            let set = ProgramSet::new(&[holder(3), holder(4), vertex, shape, parts], &[]).unwrap();
            assert!(set.program(3).fixed().is_some() && set.program(4).nested_fixed().is_some());
            let decoded = |root, tag: u8, body: &[u8]| {
                let input = [&[tag, body.len() as u8], body, &[0x1a, 120], &[7; 120]].concat();
                let mut slab = Slab::new();
                let decoded = decode_raw(&set, root, &input, &mut slab, &DecodeOptions::new());
                decoded.map(drop).map_err(|error| error.kind())
            };
            for (there, tag) in (0..8).flat_map(|there| [(there, 0x0a), (there, 0x12)]) {
                let values: Vec<u8> = (0..3).map(|i| (there >> i & 1) as u8).collect();
                let expected = if there == 7 { Ok(()) } else { Err(DecodeErrorKind::MissingRequired) };
                assert_eq!(decoded(0, tag, &point(&kinds, &values, true)), expected, "{kinds:?} {there:b}");
                // Two parts, each with two numbers, with one, or without any.
                let floats = [&[0x0d, 0, 0, 0, 1, 0x15, 0, 0, 0, 2][..], &[0x15, 0, 0, 0, 2], &[]];
                for part in floats {
                    let whole = |number: u8| [&[number << 3 | 2, part.len() as u8], part].concat();
                    let body: Vec<u8> =
                        (0..2).filter(|i| there >> i & 1 == 1).flat_map(|i| whole(i + 1)).collect();
                    let expected =
                        if there & 3 == 3 { Ok(()) } else { Err(DecodeErrorKind::MissingRequired) };
                    assert_eq!(decoded(1, tag, &body), expected, "{part:?} {there:b}");
                }
            }
        }
    }

    /// A mesh with a list of edges and one singular edge, which is decoded field by field.
    #[test]
    fn parts_with_whatever_is_left_out_are_what_the_loop_makes_of_them() {
        // Equal counts take `load_nested_equal`, different ones `load_nested_any`.
        let cases = [[2, 2], [3, 3], [4, 4], [3, 2]]
            .map(|counts| [Presence::Implicit, Presence::Explicit].map(|presence| (counts, presence)));
        let cases = cases.into_iter().flatten().step_by(if cfg!(miri) { 3 } else { 1 });
        for (counts, presence) in cases {
            let number = |n| FieldSpec::new(n, Kind::Float, presence);
            let message = |fields| MessageSpec { fields, ..Default::default() };
            let vertex = |part: usize| message((1..=counts[part]).map(number).collect());
            let part = |n, index| FieldSpec::new(n, Kind::Message(index), Presence::Explicit);
            let edge = vec![part(1, 0), part(2, 3)];
            let mesh = vec![
                FieldSpec::new(1, Kind::Message(1), Presence::Repeated),
                FieldSpec::new(2, Kind::Message(1), Presence::Explicit),
                FieldSpec::new(3, Kind::Bytes, Presence::Implicit),
            ];
            let set = ProgramSet::new(&[vertex(0), message(edge), message(mesh), vertex(1)], &[]).unwrap();
            let alike = set.program(1).nested_fixed().unwrap().all_u32;
            assert_eq!(alike, (counts[0] == counts[1]).then_some(counts[0] as usize));
            let decode = |input: &[u8]| {
                let (mut slab, options) = (Slab::new(), DecodeOptions::new());
                decode_raw(&set, 2, input, &mut slab, &options).map(encode_raw).map_err(|e| e.kind())
            };
            let room = [&[0x1a, 120][..], &[7; 120]].concat();
            let all = (4 << (counts[0] + counts[1])) - 1;
            // All combinations, or a sample where there are too many.
            let step = if cfg!(miri) { all } else { if all < 1 << 8 { 1 } else { 7 } };
            for there in (0..all).step_by(step).chain([all]) {
                let mut edge = Vec::new();
                for part in 0..2 {
                    let values =
                        (0..counts[part]).filter(|i| there >> (2 + counts[0] * part as u32 + i) & 1 == 1);
                    let vertex: Vec<u8> =
                        values.flat_map(|i| [(i as u8 + 1) << 3 | 5, i as u8, 0, 0, part as u8]).collect();
                    if there >> part & 1 == 1 {
                        edge.extend_from_slice(&[(part as u8 + 1) << 3 | 2, vertex.len() as u8]);
                        edge.extend_from_slice(&vertex);
                    }
                }
                let places = (0..edge.len()).step_by(if cfg!(miri) { 17 } else { 1 });
                for (at, by) in places.map(|at| (at, 1)).chain([(0, 0)]) {
                    let mut edge = edge.clone();
                    if let Some(byte) = edge.get_mut(at) {
                        *byte = byte.wrapping_add(by);
                    }
                    let tagged = |tag: u8| [&[tag, edge.len() as u8][..], &edge].concat();
                    let list = decode(&[tagged(0x0a), tagged(0x0a), room.clone()].concat());
                    let single = decode(&[tagged(0x12), room.clone()].concat());
                    match (list, single) {
                        (Ok(list), Ok(single)) => {
                            let body = &single[1..single.len() - room.len()];
                            let element = [&[0x0a], body].concat();
                            assert_eq!(list, [&element[..], &element, &room].concat(), "{edge:02x?}");
                        }
                        (list, single) => assert_eq!(list, single, "{edge:02x?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn shapes_and_everything_near_them_come_back() {
        for each in [4, 8, 12] {
            for fields in (1..=7u32).step_by(if cfg!(miri) { 3 } else { 1 }) {
                let kinds = kinds(each, fields as usize);
                for presence in [Presence::Implicit, Presence::Explicit] {
                    let set = schema(&kinds, presence);
                    for zeros in (0..1u32 << fields).step_by(if cfg!(miri) { 15 } else { 1 }) {
                        let values: Vec<u8> =
                            (0..fields).map(|i| if zeros >> i & 1 == 1 { 0 } else { 7 }).collect();
                        let full = point(&kinds, &values, false);
                        let kept = point(&kinds, &values, presence == Presence::Implicit);
                        let message = |tag: u8, body: &[u8]| [&[tag, body.len() as u8], body].concat();
                        // Followed by others and at the very end; the second singular one merges into the first.
                        let input =
                            [message(0x0a, &full), message(0x12, &full), message(0x12, &full)].concat();
                        let expected =
                            [message(0x0a, &kept), message(0x12, &kept), message(0x12, &kept)].concat();
                        let mut slab = Slab::new();
                        let view = decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
                        assert_eq!(encode_raw(view), expected, "{kinds:?} {values:?}");
                        let merged = [message(0x0a, &full), message(0x0a, &full)].concat();
                        let view = decode_raw(&set, 0, &merged, &mut slab, &DecodeOptions::new()).unwrap();
                        assert_eq!(encode_raw(view), message(0x0a, &kept));
                        // One byte off in a tag: an unknown field, or an error, but never the shape.
                        let ends = kinds.iter().scan(0, |end, kind| {
                            *end += width(*kind) + 1;
                            Some(*end)
                        });
                        for at in [0].into_iter().chain(ends).filter(|at| *at < full.len()) {
                            let mut other = full.clone();
                            other[at] += 0x40;
                            let input = message(0x0a, &other);
                            let view = decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
                            let bytes = encode_raw(view);
                            assert!(bytes.contains(&other[at]), "{kinds:?} {other:x?} {bytes:x?}");
                        }
                    }
                }
            }
        }
    }
}

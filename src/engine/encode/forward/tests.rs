//! Writing with guesses, writing with sizes and the size agree, whatever is written and however little room there is.

use super::pass::{LEVELS, LOOKS_LARGE};
use super::*;
use crate::engine::decode::decode_raw;
use crate::engine::encode::RawEncoder;
use crate::engine::encode::write::Sized;
use crate::engine::slab::{RawView, Slab};
use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
use crate::schema::table::Kind;
use crate::wire::options::{DecodeOptions, EncodeOptions};
use crate::wire::testing::Wire;
use crate::wire::{Cursor, WireType};
use alloc::{vec, vec::Vec};
use std::sync::LazyLock;

/// What the two passes with sizes write.
fn sized(view: RawView<'_, '_>) -> Vec<u8> {
    let (options, mut memory) = (EncodeOptions::new(), vec![0_u8; 1 << 17]);
    let sized = Sized::new(view, &options).unwrap();
    let out = sized.write(view, &options, Cursor::over(&mut memory)).unwrap();
    assert_eq!(out.written() as u64, sized.len);
    out.finish().unwrap().as_slice().to_vec()
}

/// A message after its length.
fn delimited(message: &[u8]) -> Vec<u8> {
    let mut bytes = Wire::new().bytes(1, message).done();
    bytes.remove(0);
    bytes
}

/// What a pass over `room` bytes writes, and whether it gave up.
fn forwards(view: RawView<'_, '_>, room: usize) -> (Option<Vec<u8>>, bool) {
    let mut memory = vec![0xee_u8; room];
    let (mut pass, mut out) = (Pass::new(view, EncodeOptions::new()), Cursor::over(&mut memory));
    pass.begin(room);
    out.fill(|room| write_whole(&mut pass, room));
    (out.finish().ok().map(|written| written.as_slice().to_vec()), pass.gave_up)
}

/// Kinds of numbers, of each way to write one.
const NUMBERS: [Kind<u32, u32>; 10] = [
    Kind::Int32,
    Kind::Uint32,
    Kind::Int64,
    Kind::Uint64,
    Kind::Sint32,
    Kind::Sint64,
    Kind::Bool,
    Kind::Fixed32,
    Kind::Sfixed64,
    Kind::Double,
];

/// Every kind of field: singular, repeated, packed, in a oneof, in a map, as message, group and itself.
fn schema() -> &'static ProgramSet {
    // Miri takes longer for making it than for some tests.
    static SET: LazyLock<ProgramSet> = LazyLock::new(made_schema);
    &SET
}

fn made_schema() -> ProgramSet {
    let others = [Kind::String, Kind::Bytes, Kind::Message(0), Kind::Message(1), Kind::Message(2)];
    let kinds = NUMBERS.into_iter().chain(others);
    let mut fields = Vec::new();
    for (i, kind) in (1..).zip(kinds) {
        fields.push(FieldSpec::new(i, kind, Presence::Explicit));
        fields.push(FieldSpec { packed: true, ..FieldSpec::new(20 + i, kind, Presence::Repeated) });
        fields.push(FieldSpec::new(2000 + i, kind, Presence::Repeated));
    }
    fields.push(FieldSpec { delimited: true, ..FieldSpec::new(60, Kind::Message(0), Presence::Explicit) });
    fields.push(FieldSpec { delimited: true, ..FieldSpec::new(61, Kind::Message(1), Presence::Repeated) });
    fields.push(FieldSpec::new(1 << 28, Kind::Message(3), Presence::Map));
    let point = [1, 2, 3].map(|i| FieldSpec::new(i, Kind::Float, Presence::Explicit));
    let wide = (1..=150).map(|i| {
        let kind = if i % 3 == 0 { Kind::String } else { Kind::Message(1) };
        FieldSpec::new(i, if i % 5 == 0 { Kind::Sint32 } else { kind }, Presence::Explicit)
    });
    let entry = vec![
        FieldSpec::new(1, Kind::String, Presence::Explicit),
        FieldSpec::new(2, Kind::Message(0), Presence::Explicit),
    ];
    let specs = [
        MessageSpec { fields, ..Default::default() },
        MessageSpec { fields: point.to_vec(), ..Default::default() },
        MessageSpec { fields: wide.collect(), ..Default::default() },
        MessageSpec { fields: entry, map_entry: true, ..Default::default() },
    ];
    ProgramSet::new(&specs, &[]).unwrap()
}

/// Random numbers from a state.
fn next(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// A random message of the schema: values of all wire types after all its numbers, so that there are unknown fields too.
fn random(state: &mut u64, depth: u32) -> Wire {
    let mut wire = Wire::new();
    for _ in 0..next(state, 7) {
        let number = match next(state, 4) {
            0 => next(state, 15) + 1,
            1 => next(state, 15) + 21,
            2 => next(state, 15) + 2001,
            _ => [60, 61, 1 << 28, 70][next(state, 4) as usize],
        };
        let most = if next(state, 5) == 0 { 300 } else { 40 };
        wire = match next(state, 5) {
            0 => wire.int(number, u64::MAX >> next(state, 64)),
            1 => wire.bytes(number, &vec![b'a'; next(state, most) as usize]),
            2 if depth < 4 => wire.group(number, random(state, depth + 1)),
            3 | 4 if depth < 4 => wire.message(number, random(state, depth + 1)),
            _ => wire.int(number, next(state, 3)),
        };
    }
    wire
}

#[test]
fn guesses_and_sizes_write_the_same() {
    let (set, options) = (schema(), DecodeOptions::new().allow_partial(true));
    let (mut state, mut passes) = (7, 0);
    for _ in 0..if cfg!(miri) { 4 } else { 6_000 } {
        let input = random(&mut state, 0).done();
        let mut slab = Slab::new();
        let Ok(view) = decode_raw(set, 0, &input, &mut slab, &options) else { continue };
        let expected = sized(view);
        let room = expected.len() + (state >> 40) as usize % 60;
        for (room, fits) in [(room, true), (expected.len(), true), (expected.len().wrapping_sub(1), false)] {
            if room > expected.len() + 60 {
                continue;
            }
            let (written, gave_up) = forwards(view, room);
            // Where there is room for the message and not for a guess that is too large, it does not fit either.
            let guesses = view.store.len() >= LOOKS_LARGE as usize && room < expected.len() + 64;
            assert!(gave_up || guesses || written.is_some() == fits, "{input:02x?} in {room}");
            if let (Some(written), false) = (written, gave_up) {
                assert_eq!(written, expected, "{input:02x?}");
                passes += 1;
            }
        }
        let encoder = RawEncoder::new(view, EncodeOptions::new().allow_partial(true));
        assert_eq!(encoder.encoded_len(), expected.len() as u64);
        // Appended to a byte, with room for all, some and none of it.
        for capacity in [0, expected.len() / 2, expected.len() + 1, expected.len() + 200] {
            let mut buffer = Vec::with_capacity(capacity);
            buffer.push(7);
            assert_eq!(encoder.append(&mut buffer, false).ok(), Some(expected.len()));
            assert!(buffer[0] == 7 && buffer[1..] == expected);
            let mut buffer = Vec::with_capacity(capacity);
            let total = encoder.append(&mut buffer, true).unwrap();
            assert_eq!(total, buffer.len());
            assert_eq!(buffer, delimited(&expected));
        }
    }
    assert!(passes > if cfg!(miri) { 1 } else { 5_000 }, "{passes}");
}

/// Message types of numbers only, and one that holds them: 8, 30, 33 and 60 fields of every kind and presence.
fn types_of_numbers() -> ProgramSet {
    let kinds: Vec<_> = NUMBERS.into_iter().chain([Kind::Float]).collect();
    let presences = [Presence::Implicit, Presence::Explicit, Presence::Implicit, Presence::Required];
    let mut specs: Vec<MessageSpec> = [8, 30, 33, 60]
        .map(|count| {
            // Numbers of tags of one, two and five bytes.
            let number = |i| if i == count { 1 << 28 } else { i };
            let field = |i: u32| {
                FieldSpec::new(number(i), kinds[i as usize % 11], presences[(i / 11 + i) as usize % 4])
            };
            MessageSpec { fields: (1..=count).map(field).collect(), ..Default::default() }
        })
        .into();
    let mut fields = Vec::new();
    for i in 0..4 {
        fields.push(FieldSpec::new(i + 1, Kind::Message(i), Presence::Explicit));
        fields.push(FieldSpec::new(i + 11, Kind::Message(i), Presence::Repeated));
    }
    specs.push(MessageSpec { fields, ..Default::default() });
    ProgramSet::new(&specs, &[]).unwrap()
}

#[test]
fn messages_of_numbers_are_written_whichever_are_set() {
    let (set, options) = (types_of_numbers(), DecodeOptions::new().allow_partial(true));
    let (mut state, mut dense) = (23, 0);
    for round in 0..if cfg!(miri) { 12 } else { 6_000 } {
        let program = (round % 4) as u32;
        let entries = set.program(program).entries();
        assert!(set.program(program).is_numbers());
        // One in `rare` is not set; below four that is more than a quarter of them.
        let rare = [2, 3, 4, 8, 1000][next(&mut state, 5) as usize];
        let (mut numbers, mut all) = (Wire::new(), Wire::new());
        let mut count = 0;
        for entry in entries {
            let (number, value) = (entry.number().into(), u64::MAX >> next(&mut state, 64));
            let put = |wire: Wire| match entry.coding.wire_type() {
                WireType::Fixed32 => wire.tag(number, 5).raw(&(value as u32).to_le_bytes()),
                WireType::Fixed64 => wire.tag(number, 1).raw(&value.to_le_bytes()),
                _ => wire.int(number, value),
            };
            all = put(all);
            if next(&mut state, rare) != 0 {
                numbers = put(numbers);
                count += 1;
            }
        }
        dense += u32::from(count * 4 >= entries.len() * 3);
        if round % 7 == 0 {
            numbers = numbers.int(1 << 27, 5);
        }
        let inner = numbers.done();
        let nested = Wire::new().bytes(u64::from(program) + 1, &inner).bytes(u64::from(program) + 11, &inner);
        for (program, input) in [(program, inner), (4, nested.done())] {
            let mut slab = Slab::new();
            if program < 4 {
                // Slots of unset fields keep what the message before had there.
                decode_raw(&set, program, &all.clone().done(), &mut slab, &options).unwrap();
                slab.clear();
            }
            let view = decode_raw(&set, program, &input, &mut slab, &options).unwrap();
            let expected = sized(view);
            for room in [expected.len(), expected.len() + next(&mut state, 60) as usize, 2000] {
                assert_eq!(forwards(view, room), (Some(expected.clone()), false), "{input:02x?} in {room}");
            }
            for room in [expected.len().wrapping_sub(1), expected.len() / 2] {
                assert!(room >= expected.len() || forwards(view, room).0.is_none(), "{input:02x?} in {room}");
            }
            let encoder = RawEncoder::new(view, EncodeOptions::new().allow_partial(true));
            assert_eq!(encoder.encoded_len(), expected.len() as u64);
            let complete = RawEncoder::new(view, EncodeOptions::new());
            let missing = crate::engine::slab::find_missing(view).unwrap().is_some();
            for capacity in [0, expected.len() / 2, expected.len() + 1, 2000] {
                let mut buffer = Vec::with_capacity(capacity);
                buffer.push(7);
                for delimited in [false, true] {
                    let result = complete.append(&mut buffer, delimited);
                    let kind = result.as_ref().err().map(|error| error.kind());
                    assert_eq!(kind, missing.then_some(crate::wire::error::EncodeErrorKind::MissingRequired));
                    assert!(!missing || buffer == [7]);
                    buffer.truncate(1);
                }
                assert_eq!(encoder.append(&mut buffer, false).ok(), Some(expected.len()));
                assert!(buffer[0] == 7 && buffer[1..] == expected);
            }
        }
    }
    assert!(dense > if cfg!(miri) { 1 } else { 2_000 }, "{dense}");
}

/// `levels` messages, each the only field of the one around it, around a string of `len` bytes.
fn chain(levels: usize, len: usize) -> Vec<u8> {
    (0..levels)
        .fold(Wire::new().bytes(11, &vec![b'x'; len]).done(), |child, _| Wire::new().bytes(13, &child).done())
}

#[test]
fn lengths_around_each_limit_are_written_whatever_was_guessed() {
    let (set, options) = (schema(), DecodeOptions::new());
    let lens =
        [0, 1, 100, 122, 123, 124, 125, 126, 127, 128, 129, 1000, 1023, 1024, 16_370, 16_380, 16_384, 16_390];
    for len in lens.into_iter().step_by(if cfg!(miri) { 9 } else { 1 }) {
        for levels in [1, 2, 3, 4, 5, 16, 17, 24, 25, 90].into_iter().step_by(if cfg!(miri) { 8 } else { 1 })
        {
            // With and without a string beside it, which makes the children look larger than they are.
            for beside in [0, if cfg!(miri) { 2000 } else { 40_000 }] {
                let input = [Wire::new().bytes(11, &vec![b'y'; beside]).done(), chain(levels, len)].concat();
                let mut slab = Slab::new();
                let view = decode_raw(set, 0, &input, &mut slab, &options).unwrap();
                let expected = sized(view);
                let (written, gave_up) = forwards(view, expected.len() + 64);
                assert!(gave_up || written.as_ref() == Some(&expected), "{len} in {levels}");
                assert!(!gave_up || levels > 3, "{len} in {levels}");
                let mut buffer = Vec::new();
                RawEncoder::new(view, EncodeOptions::new()).append(&mut buffer, false).unwrap();
                assert!(buffer == expected);
            }
        }
    }
}

#[test]
fn messages_below_the_last_level_of_recursion_are_written_too() {
    let (set, options) = (schema(), DecodeOptions::new().allow_partial(true));
    let (mut state, mut passes) = (11, 0);
    for _ in 0..if cfg!(miri) { 3 } else { 600 } {
        let mut wire = random(&mut state, 2);
        for level in 0..LEVELS + next(&mut state, 20) as u32 {
            wire = match next(&mut state, 4) {
                0 => Wire::new().int(1, level.into()).group(60, wire),
                1 => Wire::new().message(1 << 28, Wire::new().bytes(1, b"key").message(2, wire)),
                2 => Wire::new().message(2013, Wire::new()).message(2013, wire).message(2013, Wire::new()),
                _ => Wire::new().message(13, wire).int(70, 1),
            };
        }
        let input = wire.done();
        let mut slab = Slab::new();
        let Ok(view) = decode_raw(set, 0, &input, &mut slab, &options) else { continue };
        let expected = sized(view);
        let (written, gave_up) = forwards(view, expected.len() + 64);
        assert!(gave_up || written.as_ref() == Some(&expected), "{input:02x?}");
        passes += u32::from(!gave_up);
        for room in [0, 1, expected.len() / 2, expected.len() - 1] {
            assert!(forwards(view, room).0.is_none());
        }
        for deterministic in [false, true] {
            let mut buffer = vec![7];
            let options = EncodeOptions::new().allow_partial(true).deterministic(deterministic);
            let total = RawEncoder::new(view, options).append(&mut buffer, false).unwrap();
            assert!(total == expected.len() && buffer[1..] == expected);
        }
    }
    assert!(passes > if cfg!(miri) { 0 } else { 300 }, "{passes}");
}

#[test]
fn a_point_counts_as_a_level() {
    let (set, options) = (schema(), DecodeOptions::new());
    let point = b"\x0d\x07\0\0\0\x15\x08\0\0\0\x1d\x09\0\0\0";
    for (numbers, list) in [([14, 13], false), ([2014, 13], true)] {
        let [inner, outer] = numbers;
        let input = Wire::new().bytes(outer, &Wire::new().bytes(inner, point).done()).done();
        let mut slab = Slab::new();
        let view = decode_raw(set, 0, &input, &mut slab, &options).unwrap();
        for (depth, fits) in [(0, false), (1, false), (2, true), (3, true)] {
            let options = EncodeOptions::new().max_depth(depth);
            let mut buffer = Vec::with_capacity(100);
            let written = RawEncoder::new(view, options).append(&mut buffer, false);
            assert_eq!((written.is_ok(), buffer == input), (fits, fits), "{depth} {list}");
        }
    }
}

#[test]
fn a_buffer_keeps_its_content_if_encoding_fails() {
    let (set, options) = (schema(), DecodeOptions::new());
    let input = chain(50, if cfg!(miri) { 200 } else { 2000 });
    let mut slab = Slab::new();
    let view = decode_raw(set, 0, &input, &mut slab, &options).unwrap();
    for depth in [0, 1, 15, 16, 17, 31, 32, 33, 49].into_iter().step_by(if cfg!(miri) { 3 } else { 1 }) {
        for capacity in [0, 100, 5000] {
            let mut buffer = Vec::with_capacity(capacity);
            buffer.push(7);
            for delimited in [false, true] {
                let encoder = RawEncoder::new(view, EncodeOptions::new().max_depth(depth));
                let error = encoder.append(&mut buffer, delimited);
                assert_eq!(error.unwrap_err().kind(), crate::wire::error::EncodeErrorKind::DepthExceeded);
                assert_eq!(buffer, [7]);
            }
        }
    }
}

/// As they came, since neither list nor string of theirs goes through the code that both ways share.
#[test]
fn what_is_sized_is_what_was_decoded() {
    let field = |number| FieldSpec::new(number, Kind::Message(1), Presence::Explicit);
    let wide = (1..=150).map(field).collect();
    let set =
        MessageSpec { fields: (1000..1200).map(field).collect(), message_set: true, ..Default::default() };
    let item = FieldSpec::new(1, Kind::Uint32, Presence::Explicit);
    let specs = [
        MessageSpec { fields: wide, ..Default::default() },
        MessageSpec { fields: vec![item], ..Default::default() },
        set,
    ];
    let set = ProgramSet::new(&specs, &[]).unwrap();
    // More items than lengths that need no heap.
    let items = if cfg!(miri) { 125 } else { 200 };
    let items = (1000..1000 + items).flat_map(|type_id: u64| {
        let message = Wire::new().int(1, type_id);
        Wire::new().group(1, Wire::new().int(2, type_id).message(3, message)).done()
    });
    let messages = (1..=150).step_by(if cfg!(miri) { 40 } else { 1 });
    let wide: Vec<u8> = messages.flat_map(|n| Wire::new().message(n, Wire::new().int(1, n)).done()).collect();
    for (program, input) in [(2, items.collect::<Vec<u8>>()), (0, wide.clone())] {
        let mut slab = Slab::new();
        let view = decode_raw(&set, program, &input, &mut slab, &DecodeOptions::new()).unwrap();
        assert!(set.program(0).is_wide() && sized(view) == input);
        assert_eq!(RawEncoder::new(view, EncodeOptions::new()).to_vec().unwrap(), input);
    }
    // A wide message that is bytes, whatever fields are decoded of them.
    let mut slab = Slab::new();
    let body = decode_raw(&set, 0, &wide, &mut slab, &DecodeOptions::new()).unwrap().body;
    slab.add_verbatim(body.base, 0, wide.len() as u32).unwrap();
    let view = RawView { words: slab.words(), store: &wide, set: &set, body };
    assert!(view.is_verbatim() && view.set_fields().next(view).is_some());
    assert_eq!(sized(view), wide);
    assert_eq!(RawEncoder::new(view, EncodeOptions::new()).encoded_len(), wide.len() as u64);
}

//! The decoder on hand-made programs: hostile bytes, limits, and the message after an error.

mod exhaustive;

use super::*;
use crate::engine::encode::encode_raw;
use crate::schema::program::{EnumSpec, FieldSpec, MessageSpec, Presence};
use crate::schema::table::Kind;
use crate::wire::testing::Wire;
use alloc::{vec, vec::Vec};
use std::sync::LazyLock;

/// `int32 a=1; string s=2; T m=3; repeated int32 p=4; map<int32,int32> mp=5; E e=6 (closed); repeated E es=7;
/// T g=8 (group); repeated T r=9`, message 1 is the map entry.
fn schema() -> &'static ProgramSet {
    // Miri takes longer for making it than for most tests.
    static SET: LazyLock<ProgramSet> = LazyLock::new(made_schema);
    &SET
}

fn made_schema() -> ProgramSet {
    let mut closed_list = FieldSpec::new(7, Kind::Enum(0), Presence::Repeated);
    closed_list.packed = true;
    let mut group = FieldSpec::new(8, Kind::Message(0), Presence::Explicit);
    group.delimited = true;
    let t = MessageSpec {
        fields: vec![
            FieldSpec::new(1, Kind::Int32, Presence::Implicit),
            FieldSpec::new(2, Kind::String, Presence::Implicit),
            FieldSpec::new(3, Kind::Message(0), Presence::Explicit),
            FieldSpec::new(4, Kind::Int32, Presence::Repeated),
            FieldSpec::new(5, Kind::Message(1), Presence::Map),
            FieldSpec::new(6, Kind::Enum(0), Presence::Explicit),
            closed_list,
            group,
            FieldSpec::new(9, Kind::Message(0), Presence::Repeated),
        ],
        ..Default::default()
    };
    let entry = MessageSpec {
        fields: vec![
            FieldSpec::new(1, Kind::Int32, Presence::Explicit),
            FieldSpec::new(2, Kind::Int32, Presence::Explicit),
        ],
        map_entry: true,
        ..Default::default()
    };
    let numbers = EnumSpec { closed: true, numbers: vec![1, 2, -1] };
    ProgramSet::new(&[t, entry], &[numbers]).unwrap()
}

fn decode_with(input: &[u8], options: DecodeOptions) -> Result<Vec<u8>, DecodeError> {
    let set = schema();
    let mut slab = Slab::new();
    decode_raw(set, 0, input, &mut slab, &options).map(encode_raw)
}

/// Decodes and encodes again.
fn cycle(input: &[u8]) -> Result<Vec<u8>, DecodeError> {
    decode_with(input, DecodeOptions::new())
}

fn kind(input: &[u8]) -> DecodeErrorKind {
    cycle(input).unwrap_err().kind()
}

#[test]
fn fields_come_back_in_number_order() {
    let input = [0x12, 2, b'h', b'i', 0x08, 5, 0x22, 3, 1, 2, 3, 0x1a, 2, 0x08, 7];
    assert_eq!(cycle(&input).unwrap(), [0x08, 5, 0x12, 2, b'h', b'i', 0x1a, 2, 0x08, 7, 0x22, 3, 1, 2, 3]);
}

#[test]
fn sub_messages_merge() {
    let input = [0x1a, 2, 0x08, 1, 0x1a, 3, 0x12, 1, b'a', 0x1a, 2, 0x08, 2];
    assert_eq!(cycle(&input).unwrap(), [0x1a, 5, 0x08, 2, 0x12, 1, b'a']);
}

#[test]
fn an_implicit_zero_unsets_and_an_empty_packed_run_sets_nothing() {
    assert_eq!(cycle(&[0x08, 5, 0x08, 0, 0x22, 0]).unwrap(), [0; 0]);
}

#[test]
fn an_implicit_zero_unsets_in_wide_messages_too() {
    let kinds = [Kind::String, Kind::Bytes, Kind::Uint32, Kind::Fixed64, Kind::Bool, Kind::Sint64];
    let fields = (1..=90).map(|n| FieldSpec::new(n, kinds[n as usize % kinds.len()], Presence::Implicit));
    let set =
        ProgramSet::new(&[MessageSpec { fields: fields.collect(), ..Default::default() }], &[]).unwrap();
    for number in (1..=90_u64).step_by(if cfg!(miri) { 19 } else { 1 }) {
        let field = |one: u64| match number as usize % kinds.len() {
            0 | 1 => Wire::new().bytes(number, &b"a"[..one as usize]).done(),
            3 => Wire::new().tag(number, 1).raw(&one.to_le_bytes()).done(),
            _ => Wire::new().int(number, one).done(),
        };
        let mut slab = Slab::new();
        for (input, kept) in
            [(vec![field(1), field(0)], 0), (vec![field(0), field(1)], 1), (vec![field(0)], 0)]
        {
            let input = input.concat();
            let view = decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
            assert_eq!(encode_raw(view), [field(1), vec![]][1 - kept], "{number}");
        }
    }
}

#[test]
fn packed_and_unpacked_mix() {
    assert_eq!(cycle(&[0x20, 1, 0x22, 2, 2, 3, 0x20, 4]).unwrap(), [0x22, 4, 1, 2, 3, 4]);
}

#[test]
fn map_keys_are_unique_last_wins_and_missing_parts_are_zero() {
    let entry = |key: u8, value: u8| vec![0x2a, 4, 0x08, key, 0x10, value];
    let input = [entry(1, 1), entry(2, 2), entry(1, 3), vec![0x2a, 0]].concat();
    assert_eq!(cycle(&input).unwrap(), [entry(2, 2), entry(1, 3), entry(0, 0)].concat());
    let count = if cfg!(miri) { 12 } else { 100u8 };
    let many: Vec<u8> = (0..count).chain(0..count).flat_map(|k| entry(k, k / 2 + 1)).collect();
    let once: Vec<u8> = (0..count).flat_map(|k| entry(k, k / 2 + 1)).collect();
    assert_eq!(cycle(&many).unwrap(), once);
}

/// Keys of a small map that may have come before are searched for: string keys by length and bytes, others by value.
#[test]
fn a_key_that_comes_again_replaces_the_entry_for_all_kinds_of_keys() {
    type Key = fn(u8) -> Vec<u8>;
    let keys: [(Kind<u32, u32>, Key); 5] = [
        (Kind::String, |key| vec![0x0a, 1 + key % 2, b'a' + key, b'z'][..3 + key as usize % 2].to_vec()),
        (Kind::Uint32, |key| vec![0x08, key]),
        (Kind::Sint64, |key| vec![0x08, key]),
        (Kind::Fixed32, |key| vec![0x0d, 0, 0, 0, key]),
        (Kind::Fixed64, |key| vec![0x09, 0, 0, 0, 0, 0, 0, 0, key]),
    ];
    for (i, (kind, key)) in keys.into_iter().enumerate() {
        let values = [Kind::Uint32, Kind::Message(2)];
        // One of them is enough for Miri: the other one comes with the next kind of keys.
        for &value in if cfg!(miri) { &values[i % 2..=i % 2] } else { &values } {
            let map = FieldSpec::new(1, Kind::Message(1), Presence::Map);
            let entry = vec![
                FieldSpec::new(1, kind, Presence::Explicit),
                FieldSpec::new(2, value, Presence::Explicit),
            ];
            let number = FieldSpec::new(1, Kind::Uint32, Presence::Explicit);
            let message = |fields| MessageSpec { fields, ..Default::default() };
            let entry = MessageSpec { fields: entry, map_entry: true, ..Default::default() };
            let set = ProgramSet::new(&[message(vec![map]), entry, message(vec![number])], &[]).unwrap();
            let one = |number: u8, value_of: u8| {
                let value = match value {
                    Kind::Uint32 => vec![0x10, value_of],
                    _ => vec![0x12, 2, 0x08, value_of],
                };
                let bytes = [key(number), value].concat();
                [vec![0x0a, bytes.len() as u8], bytes].concat()
            };
            for again in (0..8u8).step_by(if cfg!(miri) { 7 } else { 1 }) {
                let input: Vec<u8> =
                    (0..8).map(|k| (k, k + 1)).chain([(again, 99)]).flat_map(|(k, v)| one(k, v)).collect();
                let rest = (0..8).filter(|k| *k != again).map(|k| (k, k + 1));
                let expected: Vec<u8> = rest.chain([(again, 99)]).flat_map(|(k, v)| one(k, v)).collect();
                // Once with all eight entries, and once without the first.
                for from in [0, one(0, 1).len()] {
                    let mut slab = Slab::new();
                    let view = decode_raw(&set, 0, &input[from..], &mut slab, &DecodeOptions::new()).unwrap();
                    let from = if again == 0 && from > 0 { 0 } else { from };
                    assert_eq!(encode_raw(view), expected[from..], "{kind:?} {value:?} {again}");
                }
            }
        }
    }
}

/// Regression: entries of fixed shape skipped the check for keys (found by the conformance suite).
#[test]
fn map_entries_of_fixed_shape_keep_keys_unique() {
    let fixed = |number| FieldSpec::new(number, Kind::Fixed32, Presence::Explicit);
    let map = MessageSpec {
        fields: vec![FieldSpec::new(1, Kind::Message(1), Presence::Map)],
        ..Default::default()
    };
    let entry = MessageSpec { fields: vec![fixed(1), fixed(2)], map_entry: true, ..Default::default() };
    let set = ProgramSet::new(&[map, entry], &[]).unwrap();
    let one = |value: u8| [0x0a, 10, 0x0d, 1, 0, 0, 0, 0x15, value, 0, 0, 0];
    let mut slab = Slab::new();
    let input = [one(0), one(1)].concat();
    let view = decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
    assert_eq!(encode_raw(view), one(1));
}

#[test]
fn closed_enums_keep_unlisted_numbers_as_unknown_fields() {
    assert_eq!(cycle(&[0x30, 99]).unwrap(), [0x30, 99]);
    assert_eq!(cycle(&[0x30, 99, 0x30, 2]).unwrap(), [0x30, 2, 0x30, 99]);
    assert_eq!(cycle(&[0x3a, 3, 1, 99, 2]).unwrap(), [0x3a, 2, 1, 2, 0x38, 99]);
    assert_eq!(cycle(&[0x3a, 1, 99]).unwrap(), [0x38, 99]);
}

#[test]
fn unknown_fields_and_wrong_wire_types_are_kept() {
    let input = [0xf8, 0x07, 1, 0x08, 3, 0x10, 5, 0xfb, 0x07, 0x08, 1, 0xfc, 0x07];
    let expected = [0x08, 3, 0xf8, 0x07, 1, 0x10, 5, 0xfb, 0x07, 0x08, 1, 0xfc, 0x07];
    assert_eq!(cycle(&input).unwrap(), expected);
    let discarded = decode_with(&input, DecodeOptions::new().discard_unknown(true)).unwrap();
    assert_eq!(discarded, [0x08, 3]);
}

#[test]
fn groups_nest_and_end() {
    assert_eq!(cycle(&[0x43, 0x08, 1, 0x43, 0x44, 0x44]).unwrap(), [0x43, 0x08, 1, 0x43, 0x44, 0x44]);
    assert_eq!(kind(&[0x43, 0x08, 1]), DecodeErrorKind::Incomplete);
    assert_eq!(kind(&[0x0c]), DecodeErrorKind::UnexpectedEndGroup);
    assert_eq!(kind(&[0x43, 0x4c]), DecodeErrorKind::UnexpectedEndGroup);
    assert_eq!(kind(&[0x1a, 1, 0x44]), DecodeErrorKind::UnexpectedEndGroup);
}

#[test]
fn bad_bytes_are_named() {
    use DecodeErrorKind::*;
    for (input, expected) in [
        (&[0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 5][..], InvalidTag),
        (&[0x88, 0x80, 0x80, 0x80, 0x40, 5], InvalidTag),
        (&[0x00, 1], InvalidFieldNumber),
        (&[0x0e, 0], InvalidWireType),
        (&[0x0f, 0], InvalidWireType),
        (&[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2], VarintOverflow),
        (&[0x12, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, b'a'], InvalidLength),
        (&[0x12, 2, 0xc3, 0x28], InvalidUtf8),
        (&[0x12, 5, b'a'], Incomplete),
        (&[0x1a, 2, 0x22, 8, 0, 0, 0, 0, 0, 0, 0, 0], Overrun),
        (&[0x1a, 2, 0xfb, 0x0f, 0], Overrun),
        (&[0x22, 1, 0x80, 1], Overrun),
    ] {
        assert_eq!(kind(input), expected, "{input:x?}");
    }
    assert_eq!(cycle(&[0x88, 0x80, 0x80, 0x80, 0x00, 5]).unwrap(), [0x08, 5]);
}

#[test]
fn errors_tell_offset_and_path() {
    let error = cycle(&[0x4a, 0, 0x4a, 6, 0x1a, 4, 0x12, 2, 0xc3, 0x28]).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, 8));
    assert_eq!(alloc::string::ToString::to_string(error.path()), "#9[1].#3.#2");
    let cut = cycle(&[0x4a, 0, 0x4a, 6, 0x1a]).unwrap_err();
    assert_eq!(alloc::string::ToString::to_string(cut.path()), "#9[1]", "the element with the bad length");
}

/// `levels` nested messages of field 3, or groups of field 8.
fn nested(levels: usize, group: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..levels {
        let mut outer = if group { vec![0x43] } else { vec![0x1a] };
        if !group {
            let mut len = bytes.len();
            while len >= 0x80 {
                outer.push(len as u8 | 0x80);
                len >>= 7;
            }
            outer.push(len as u8);
        }
        outer.extend_from_slice(&bytes);
        if group {
            outer.push(0x44);
        }
        bytes = outer;
    }
    bytes
}

#[test]
fn depth_one_hundred_is_the_limit_on_every_kind_of_nesting() {
    for group in [false, true] {
        assert_eq!(cycle(&nested(100, group)).unwrap(), nested(100, group));
        assert_eq!(kind(&nested(101, group)), DecodeErrorKind::DepthExceeded);
    }
    let unknown = |n: usize| [[0xfb, 0x0f].repeat(n), [0xfc, 0x0f].repeat(n)].concat();
    assert_eq!(cycle(&unknown(100)).unwrap(), unknown(100));
    assert_eq!(kind(&unknown(101)), DecodeErrorKind::DepthExceeded);
    let in_entry = |n: usize| {
        let inside = unknown(n);
        let mut bytes = vec![0x2a, (inside.len() & 0x7f) as u8 | 0x80, (inside.len() >> 7) as u8];
        bytes.extend_from_slice(&inside);
        bytes
    };
    assert!(cycle(&in_entry(99)).is_ok());
    assert_eq!(kind(&in_entry(100)), DecodeErrorKind::DepthExceeded);
}

#[test]
fn memory_follows_the_budget() {
    // Two bytes per element of a list of empty messages: four bytes each in the slab.
    let empties = [0x4a, 0].repeat(if cfg!(miri) { 1 << 9 } else { 1 << 20 });
    let set = schema();
    let mut slab = Slab::new();
    decode_raw(set, 0, &empties, &mut slab, &DecodeOptions::new()).unwrap();
    assert!(slab.capacity() <= (1 << 20) + 32 * empties.len());
    let tight = DecodeOptions::new().budget(if cfg!(miri) { 1 << 10 } else { 1 << 16 });
    assert_eq!(decode_with(&empties, tight).unwrap_err().kind(), DecodeErrorKind::BudgetExceeded);
}

/// Merges into an empty message with a limit of memory: whether that failed, and the message afterwards, encoded.
/// `None` if there is no memory for the message itself.
fn merged_within(set: &ProgramSet, input: &[u8], limit: usize) -> Option<(bool, Vec<u8>)> {
    let mut slab = Slab::new();
    slab.set_limit(limit);
    let base = slab.alloc_body(set.program(0)).ok()?;
    let (mut scratch, options) = (Scratch::new(), DecodeOptions::new());
    let job = Job::whole(set, input, &mut slab, &mut scratch, &options);
    let body = BodyRef { program: 0, base };
    let failed = merge(job, body).is_err();
    let view = RawView { words: slab.words(), store: input, set, body };
    Some((failed, encode_raw(view)))
}

/// Regression: a map entry was appended before its frame, and if there was no memory for the frame, it kept neither
/// key nor value.
#[test]
fn map_entries_have_keys_and_values_wherever_the_budget_ends() {
    let message = |fields| MessageSpec { fields, ..Default::default() };
    let field = |number, kind, shape| FieldSpec::new(number, kind, shape);
    let entry =
        vec![field(1, Kind::Uint32, Presence::Explicit), field(2, Kind::Message(0), Presence::Explicit)];
    let map = field(1, Kind::Message(1), Presence::Map);
    let entry = MessageSpec { fields: entry, map_entry: true, ..Default::default() };
    let set = ProgramSet::new(&[message(vec![map]), entry], &[]).unwrap();
    // Maps in maps, 40 levels deep: more frames than there are at first.
    let mut input = Vec::new();
    for _ in 0..40 {
        let entry = Wire::new().int(1, 7).bytes(2, &input).done();
        input = Wire::new().bytes(1, &entry).done();
    }
    let mut ends = 0;
    for words in (4..2_000).step_by(if cfg!(miri) { 499 } else { 1 }) {
        let Some((failed, bytes)) = merged_within(&set, &input, 4 * words) else { continue };
        ends += usize::from(failed);
        // Decoding adds a missing key or value, so equal bytes mean that none was missing.
        let mut again = Slab::new();
        let view = decode_raw(&set, 0, &bytes, &mut again, &DecodeOptions::new()).unwrap();
        assert_eq!(encode_raw(view), bytes, "{words}");
    }
    assert!(ends > if cfg!(miri) { 0 } else { 100 }, "{ends}");
}

#[test]
fn after_an_error_what_was_read_is_there_and_encodes() {
    let set = schema();
    let rich = [
        0x08, 5, 0x12, 2, b'h', b'i', 0x1a, 4, 0x4a, 2, 0x08, 1, 0x2a, 4, 0x08, 1, 0x10, 2, 0x22, 2, 1, 0x81,
        0x01, 0x2a, 2, 0x08, 1, 0x43, 0x30, 1, 0x44,
    ];
    for cut in (0..rich.len()).step_by(if cfg!(miri) { 3 } else { 1 }) {
        for flip in (0..=255u8).step_by(if cfg!(miri) { 255 } else { 1 }) {
            let mut input = rich[..cut].to_vec();
            input.push(rich[cut] ^ flip);
            let (failed, bytes) = merged_within(set, &input, 1 << 20).unwrap();
            assert_eq!(cycle(&bytes).as_deref(), Ok(&bytes[..]), "{input:x?} {failed}");
        }
    }
}

/// Unknown fields with the same tag are skipped in one go.
#[test]
fn of_unknown_fields_that_follow_each_other_those_before_a_fault_are_kept() {
    let set = schema();
    let w = Wire::new;
    let whole = [
        w().int(100, 300),
        w().tag(100, 5).raw(&[1, 0, 0, 0]),
        w().tag(100, 1).raw(&[1; 8]),
        w().bytes(100, b"abc"),
        w().group(100, w().int(1, 1)),
    ];
    for field in whole.map(Wire::done) {
        for count in 0..4 {
            let before = [w().int(1, 5).done(), field.repeat(count)].concat();
            for cut in 1..field.len() {
                let (failed, bytes) =
                    merged_within(set, &[&before, &field[..cut]].concat(), 1 << 20).unwrap();
                assert!(failed);
                assert_eq!(bytes, before, "{field:x?} {count} {cut}");
            }
            // Another tag, and the first one again.
            let all = [&before[..], &w().int(101, 1).done(), &field].concat();
            assert_eq!(merged_within(set, &all, 1 << 20), Some((false, all)));
        }
    }
}

/// The elements after a fault have room in the list by then, which holds anything.
#[test]
fn of_a_packed_run_that_fails_the_elements_before_the_fault_are_there() {
    let set = schema();
    for count in [0, 1, 3, 70] {
        let overlong = [&[0xff; 10][..], &[1]].concat();
        let run = [vec![7; count], overlong, vec![8; 40]].concat();
        let input = Wire::new().bytes(4, &run).done();
        let (failed, bytes) = merged_within(set, &input, 1 << 20).unwrap();
        assert!(failed);
        let packed = Wire::new().bytes(4, &vec![7; count]).done();
        assert_eq!(bytes, if count == 0 { Vec::new() } else { packed }, "{count}");
    }
}

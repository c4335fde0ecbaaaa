//! The raw reads against their definitions.

mod reader;
mod writer;

extern crate std;

use super::read::raw::{self, WireFault};
use super::testing::{BYTES, END, FIXED32, FIXED64, START, VARINT, Wire};
use super::*;
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use DecodeErrorKind as Kind;
use alloc::{vec, vec::Vec};

/// Bytes at which some rule changes: field number 0, wire types, group tags, the limits of the last byte.
const ALPHABET: [u8; 16] = [0, 1, 2, 5, 7, 8, 0x0b, 0x0c, 0x0e, 0x0f, 0x10, 0x13, 0x14, 0x7f, 0x80, 0xff];

/// All strings over the alphabet of up to `len` bytes, and runs of up to 12 continuation bytes before them.
fn strings(len: usize) -> impl Iterator<Item = Vec<u8>> {
    // Under Miri, which is hundreds of times slower, up to one byte.
    let len = if cfg!(miri) { len.min(1) } else { len };
    (0..=len).flat_map(move |len| {
        (0..16_usize.pow(len as u32)).map(move |n| (0..len).map(|i| ALPHABET[n >> (4 * i) & 15]).collect())
    })
}

fn long_runs() -> impl Iterator<Item = Vec<u8>> {
    let ends = strings(2).map(|end| [&end[..], &[0; 8]].concat()).chain(strings(2));
    ends.flat_map(|end| {
        (0..12).step_by(if cfg!(miri) { 3 } else { 1 }).flat_map(move |count| {
            let end = end.clone();
            [0x80, 0x81, 0xff].map(move |byte| [&vec![byte; count][..], &end].concat())
        })
    })
}

/// A varint by the definition, in 128 bits, with at most `max_len` bytes and a value of at most `max`.
fn reference(bytes: &[u8], max_len: usize, max: u64, excess: Kind) -> Result<(u64, usize), Kind> {
    let mut value = 0_u128;
    for i in 0..max_len {
        let byte = *bytes.get(i).ok_or(Kind::Incomplete)?;
        value |= u128::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return u64::try_from(value).ok().filter(|&v| v <= max).map(|v| (v, i + 1)).ok_or(excess);
        }
    }
    Err(excess)
}

#[test]
fn raw_varints_follow_the_definition() {
    for bytes in strings(3).chain(long_runs()) {
        let expected = reference(&bytes, 10, u64::MAX, Kind::VarintOverflow);
        assert_eq!(raw::varint(&bytes, 0), expected, "{bytes:02x?}");

        let shifted = [&[0xff, 1, 0x80][..], &bytes].concat();
        assert_eq!(raw::varint(&shifted, 3), expected.map(|(value, len)| (value, len + 3)));
    }
}

#[test]
fn raw_tags_and_lengths_follow_the_definition() {
    for bytes in strings(3).chain(long_runs()) {
        let tag = reference(&bytes, 5, u32::MAX.into(), Kind::InvalidTag);
        assert_eq!(raw::tag_bits(&bytes, 0).map(|(bits, pos)| (bits.into(), pos)), tag, "{bytes:02x?}");
        let checked = tag.and_then(|(bits, pos)| Ok((Tag::from_bits(bits as u32)?, pos)));
        assert_eq!(raw::tag(&bytes, 0), checked, "{bytes:02x?}");

        let length = reference(&bytes, 5, 0x7fff_ffff, Kind::InvalidLength);
        assert_eq!(raw::length(&bytes, 0).map(|(len, pos)| (len as u64, pos)), length, "{bytes:02x?}");
        let delimited = length.and_then(|(len, pos)| {
            let rest = &bytes[pos..];
            rest.get(..len as usize).map(|value| (value, pos + value.len())).ok_or(Kind::Incomplete)
        });
        assert_eq!(raw::length_delimited(&bytes, 0), delimited, "{bytes:02x?}");
    }
}

#[test]
fn positions_beyond_the_end_are_incomplete() {
    for pos in [3, 4, usize::MAX - 8, usize::MAX] {
        let buf = &[8, 8, 8][..];
        assert_eq!(raw::varint(buf, pos), Err(Kind::Incomplete));
        assert_eq!(raw::tag(buf, pos), Err(Kind::Incomplete));
        assert_eq!(raw::length(buf, pos), Err(Kind::Incomplete));
        assert_eq!(raw::length_delimited(buf, pos), Err(Kind::Incomplete));
        assert_eq!(raw::string(buf, pos), Err(Kind::Incomplete));
        assert_eq!(raw::fixed32(buf, pos), Err(Kind::Incomplete));
        assert_eq!(raw::fixed64(buf, pos), Err(Kind::Incomplete));
        for wire_type in [WireType::Varint, WireType::StartGroup, WireType::Fixed32] {
            let skipped = raw::skip_value(buf, pos, 3, Tag::new(1, wire_type), 9);
            assert_eq!(skipped, Err(WireFault { kind: Kind::Incomplete, offset: pos }));
        }
    }
}

/// Skips by the definition, recursively: the position after the value of `tag`, or kind and offset.
fn reference_skip(buf: &[u8], pos: usize, tag: (u64, u64), depth: u32) -> Result<usize, (Kind, usize)> {
    let at = |kind| (kind, pos);
    let bytes = &buf[pos..];
    match tag.1 {
        VARINT => reference(bytes, 10, u64::MAX, Kind::VarintOverflow).map(|(_, len)| pos + len).map_err(at),
        FIXED64 if bytes.len() >= 8 => Ok(pos + 8),
        FIXED32 if bytes.len() >= 4 => Ok(pos + 4),
        FIXED64 | FIXED32 => Err(at(Kind::Incomplete)),
        BYTES => {
            let (value, len) = reference(bytes, 5, 0x7fff_ffff, Kind::InvalidLength).map_err(at)?;
            let left = bytes.len() - len;
            if value as usize <= left { Ok(pos + len + value as usize) } else { Err(at(Kind::Incomplete)) }
        }
        START => {
            let mut pos = pos;
            loop {
                let at = |kind| (kind, pos);
                let (bits, len) = reference(&buf[pos..], 5, u32::MAX.into(), Kind::InvalidTag).map_err(at)?;
                let inner = (bits >> 3, bits & 7);
                if inner.0 == 0 {
                    return Err(at(Kind::InvalidFieldNumber));
                }
                pos = match inner.1 {
                    6 | 7 => return Err(at(Kind::InvalidWireType)),
                    END if inner.0 == tag.0 => return Ok(pos + len),
                    END => return Err(at(Kind::UnexpectedEndGroup)),
                    START if depth == 1 => return Err(at(Kind::DepthExceeded)),
                    _ => reference_skip(buf, pos + len, inner, depth - 1)?,
                };
            }
        }
        _ => Err(at(Kind::UnexpectedEndGroup)),
    }
}

#[test]
fn skipping_follows_the_definition() {
    let tags = [(1, VARINT), (1, FIXED64), (1, BYTES), (1, START), (2, START), (1, END), (1, FIXED32)];
    let groups = strings(3).map(|tail| [&[0x0b, 0x13], &tail[..], &[0x14, 0x0c]].concat());
    for bytes in strings(4).chain(long_runs()).chain(groups) {
        for (number, wire_type) in tags {
            let tag = Tag::from_bits((number << 3 | wire_type) as u32).unwrap();
            for depth in [1, 2, 3] {
                let skipped = raw::skip_value(&bytes, 0, bytes.len(), tag, depth);
                let expected = reference_skip(&bytes, 0, (number, wire_type), depth);
                let skipped = skipped.map_err(|fault| (fault.kind, fault.offset));
                assert_eq!(skipped, expected, "{tag:?}, {depth} levels, {bytes:02x?}");
            }
        }
    }
}

#[test]
fn skipping_ends_at_the_bound() {
    let tag = Tag::new(1, WireType::LengthDelimited);
    let buf = [3, b'a', b'b', b'c', 0];
    assert_eq!(raw::skip_value(&buf, 0, 4, tag, 0), Ok(4));
    assert_eq!(raw::skip_value(&buf, 0, 3, tag, 0), Err(WireFault { kind: Kind::Incomplete, offset: 0 }));
    assert_eq!(raw::skip_value(&buf, 0, 99, tag, 0), Ok(4));
}

#[test]
fn skipping_needs_no_stack() {
    let depth = if cfg!(miri) { 200 } else { 1 << 20 };
    let buf = Wire::nested_groups(255, depth).done();
    std::thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(move || {
            let skip = |levels| Reader::with_depth(&buf, levels).skip_message().map_err(|e| e.kind());
            assert_eq!(skip(u32::MAX), Ok(()));
            assert_eq!(skip(depth as u32), Ok(()));
            assert_eq!(skip(depth as u32 - 1), Err(Kind::DepthExceeded));
            assert_eq!(skip(0), Err(Kind::DepthExceeded));
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn a_hundred_levels_are_accepted() {
    for (depth, accepted) in [(100, true), (101, false)] {
        let groups = Wire::nested_groups(1, depth).done();
        assert_eq!(Reader::new(&groups).skip_message().is_ok(), accepted, "{depth} groups");

        let messages = Wire::nested(3, depth).done();
        let mut reader = Reader::new(&messages);
        let mut read = || {
            for _ in 0..depth {
                reader.read_tag()?;
                reader = reader.read_message()?;
            }
            reader.skip_message()
        };
        assert_eq!(read().is_ok(), accepted, "{depth} messages");
    }
    // Groups in the hundredth message are one level more.
    let mut reader = Reader::with_depth(&[0x0a, 2, 0x0b, 0x0c], 1);
    reader.read_tag().unwrap();
    let error = reader.read_message().unwrap().skip_message().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (Kind::DepthExceeded, 2));
}

/// The inputs on which decoders break, by what they do to a walk over the fields of the root message.
#[test]
fn hostile_messages_are_refused_at_the_right_byte() {
    let w = Wire::new;
    let ff9 = [0xff; 9];
    let cases: [(&str, Wire, Kind, usize); 27] = [
        ("length above 2^31-1", w().announced(2, 1 << 31, b""), Kind::InvalidLength, 1),
        ("length of 2^32-1", w().announced(2, u32::MAX.into(), b""), Kind::InvalidLength, 1),
        ("length of 2^64-1", w().announced(2, u64::MAX, b""), Kind::InvalidLength, 1),
        ("length of 2^32+1", w().announced(2, (1 << 32) + 1, b"a"), Kind::InvalidLength, 1),
        ("length far beyond the end", w().announced(4, 0x7fff_fff9, &[0]), Kind::Incomplete, 1),
        ("length one beyond the end", w().int(1, 1).announced(1, 2, b"a"), Kind::Incomplete, 3),
        ("length of six bytes", w().tag(2, BYTES).varint_of(1, 6).raw(b"a"), Kind::InvalidLength, 1),
        ("length cut", w().tag(2, BYTES).raw(&[0x80]), Kind::Incomplete, 1),
        ("tag of six bytes", w().varint_of(8, 6).raw(&[5]), Kind::InvalidTag, 0),
        ("tag above 2^32-1", w().int(1, 1).varint((1 << 34) + 8).raw(&[5]), Kind::InvalidTag, 2),
        ("tag cut", w().raw(&[0x88, 0x80]), Kind::Incomplete, 0),
        ("field number 0", w().raw(&[0, 1]), Kind::InvalidFieldNumber, 0),
        ("field number 0 as a group", w().raw(&[3, 4]), Kind::InvalidFieldNumber, 0),
        ("wire type 6", w().int(1, 1).tag(1, 6).raw(&[0]), Kind::InvalidWireType, 2),
        ("wire type 7", w().tag(1, 7).raw(&[0]), Kind::InvalidWireType, 0),
        ("varint above 64 bits", w().tag(1, VARINT).raw(&ff9).raw(&[2]), Kind::VarintOverflow, 1),
        ("varint of eleven bytes", w().tag(1, VARINT).varint_of(0, 11), Kind::VarintOverflow, 1),
        ("varint cut", w().tag(1, VARINT).raw(&ff9), Kind::Incomplete, 1),
        ("fixed32 cut", w().tag(1, FIXED32).raw(&[0; 3]), Kind::Incomplete, 1),
        ("fixed64 cut", w().tag(1, FIXED64).raw(&[0; 7]), Kind::Incomplete, 1),
        ("end without start", w().int(1, 1).tag(1, END), Kind::UnexpectedEndGroup, 2),
        ("start without end", w().tag(255, START), Kind::Incomplete, 2),
        ("end of another group", w().tag(255, START).tag(64, END), Kind::UnexpectedEndGroup, 2),
        (
            "groups that cross",
            w().tag(1, START).tag(2, START).tag(1, END).tag(2, END),
            Kind::UnexpectedEndGroup,
            2,
        ),
        ("field number 0 in a group", w().group(1, w().raw(&[0, 0])), Kind::InvalidFieldNumber, 1),
        ("wire type 6 in a group", w().group(1, w().int(1, 1).tag(1, 6)), Kind::InvalidWireType, 3),
        ("2^20 groups", w().int(1, 1).times(1 << 20, w().tag(8, START)), Kind::DepthExceeded, 102),
    ];
    for (name, wire, kind, offset) in cases {
        let buf = wire.done();
        let mut reader = Reader::new(&buf);
        let error = reader.skip_message().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{name}");
        // The reader stays at the field at fault: the first one, or the second one after two bytes.
        let start = reader.position();
        assert!(start == 0 || start == 2 && buf.starts_with(&[8, 1]), "{name} stays at {start}");
    }
}

#[test]
fn overlong_forms_within_the_limits_are_accepted() {
    let cases = [
        Wire::new().varint_of(8, 5).varint(5),
        Wire::new().tag(1, VARINT).varint_of(5, 10),
        Wire::new().tag(1, BYTES).varint_of(1, 5).raw(b"a"),
        Wire::new().tag(Tag::MAX_NUMBER.into(), VARINT).varint(0),
        Wire::new().tag(1, START).varint_of(12, 5),
    ];
    for wire in cases {
        let buf = wire.done();
        assert_eq!(Reader::new(&buf).skip_message(), Ok(()), "{buf:02x?}");
    }
}

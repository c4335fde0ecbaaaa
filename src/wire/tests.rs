//! The raw reads against their definitions, and readers and writers together.

extern crate std;

use super::{
    raw::{self, WireFault},
    testing::{BYTES, END, FIXED32, FIXED64, START, VARINT, Wire},
    *,
};
use crate::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
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

#[test]
fn a_child_that_reaches_beyond_its_parent_is_an_overrun() {
    let w = Wire::new;
    // In all of them the message of field 3 is two bytes long and more bytes follow.
    let bodies: [(&str, Wire); 7] = [
        ("length", w().tag(4, BYTES).varint(8).raw(&[0; 8])),
        ("group", w().tag(31, START).raw(&[0; 4])),
        ("fixed32", w().tag(1, FIXED32).raw(&[0; 4])),
        ("fixed64", w().tag(1, FIXED64).raw(&[0; 8])),
        ("varint", w().tag(1, VARINT).raw(&[0x80, 0])),
        ("tag", w().int(1, 1).raw(&[0x08])),
        ("length prefix", w().tag(1, BYTES).raw(&[0x80, 0])),
    ];
    for (name, body) in bodies {
        let body = body.done();
        let mut buf = Wire::new().int(1, 7).announced(3, 2, &body).done();
        buf.truncate(buf.len().max(6));
        let mut reader = Reader::new(&buf);
        let tag = reader.read_tag().unwrap();
        reader.skip_field(tag).unwrap();
        reader.read_tag().unwrap();
        let mut child = reader.read_message().unwrap();
        assert_eq!((child.position(), child.remaining(), reader.position()), (4, 2, 6), "{name}");
        let error = child.skip_message().err();
        let expected = match name {
            // Two whole bytes: the child ends before the third.
            "tag" => None,
            "group" => Some((Kind::Overrun, 6)),
            _ => Some((Kind::Overrun, 5)),
        };
        assert_eq!(error.map(|error| (error.kind(), error.offset())), expected, "{name}");
    }
}

#[test]
fn the_end_is_incomplete_outside_and_an_overrun_inside() {
    let mut reader = Reader::new(&[]);
    assert_eq!(reader.next_tag(), Ok(None));
    assert_eq!(reader.read_tag().unwrap_err().kind(), Kind::Incomplete);
    let mut child = Reader::new(&[0, 9]).read_message().unwrap();
    assert_eq!(child.next_tag(), Ok(None));
    assert_eq!(child.read_tag().unwrap_err().kind(), Kind::Overrun);
    assert_eq!(child.read_fixed64().unwrap_err().offset(), 1);
}

#[test]
fn a_reader_stays_where_it_failed() {
    fn failing<'i, T>(
        buf: &'i [u8],
        read: impl Fn(&mut Reader<'i>) -> Result<T, DecodeError>,
    ) -> (Kind, usize) {
        let mut reader = Reader::new(buf);
        reader.read_varint().unwrap();
        let error = read(&mut reader).map(|_| ()).unwrap_err();
        assert_eq!((reader.position(), reader.rest()), (1, &buf[1..]), "{error}");
        (error.kind(), error.offset())
    }
    let start = Tag::new(1, WireType::StartGroup);
    assert_eq!(failing(&[0, 0x80], |r| r.read_varint()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 6], |r| r.read_tag()), (Kind::InvalidFieldNumber, 1));
    assert_eq!(failing(&[0, 1, 2, 3], |r| r.read_fixed32()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 1, 2, 3], |r| r.read_fixed64()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 3, 2, 3], |r| r.read_length_delimited()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 3, 2, 3], |r| r.read_message()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 3, 2, 3], |r| r.read_str()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 0x82, 0, 0xc3, 0x28], |r| r.read_str()), (Kind::InvalidUtf8, 3));
    assert_eq!(failing(&[0, 3, 1, 2, 3], |r| r.read_packed_fixed32()), (Kind::InvalidPacked, 2));
    assert_eq!(failing(&[0, 4, 1, 2, 3, 4], |r| r.read_packed_fixed64()), (Kind::InvalidPacked, 2));
    assert_eq!(failing(&[0, 3, 1], |r| r.read_packed_varints()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 8, 1, 0x14], |r| r.read_group(start)), (Kind::UnexpectedEndGroup, 3));
    assert_eq!(failing(&[0, 8, 1, 0x14], |r| r.skip_field(start)), (Kind::UnexpectedEndGroup, 3));
    let varint = Tag::new(1, WireType::Varint);
    assert_eq!(failing(&[0, 8], |r| r.read_group(varint)).0, Kind::UnexpectedEndGroup);
}

#[test]
fn groups_are_read_as_messages() {
    let inner = Wire::new().int(1, 150).group(2, Wire::new().int(5, 1)).bytes(3, &[0x0c, 0x8c, 0x80]);
    let buf = Wire::new().int(9, 9).group(1, inner.clone()).int(4, 4).done();
    let mut reader = Reader::new(&buf);
    reader.skip_field_at(Tag::new(9, WireType::Varint), 0).unwrap();
    reader.read_varint().unwrap();
    let tag = reader.read_tag().unwrap();
    let mut group = reader.read_group(tag).unwrap();
    assert_eq!((group.position(), group.depth_left(), group.rest()), (3, 99, &inner.done()[..]));
    assert_eq!(group.skip_message(), Ok(()));
    assert_eq!(reader.read_tag(), Ok(Tag::new(4, WireType::Varint)));
}

#[test]
fn packed_runs_give_their_values() {
    let values = [0, 1, 127, 128, 300, u64::MAX, 1 << 35];
    let mut buf = Vec::new();
    let mut writer = Writer::new(&mut buf);
    writer.write_packed_varints(values).unwrap();
    writer.write_packed_fixed32(&[1, u32::MAX, 3]).unwrap();
    writer.write_packed_fixed64(&[1, u64::MAX]).unwrap();
    writer.write_packed_varints([]).unwrap();

    let mut reader = Reader::new(&buf);
    let run = reader.read_packed_varints().unwrap();
    assert_eq!(run.count_values(), values.len());
    let (low, high) = run.size_hint();
    assert!(low <= values.len() && high.is_some_and(|high| high >= values.len()));
    assert_eq!(run.collect::<Result<Vec<_>, _>>(), Ok(values.to_vec()));
    let run = reader.read_packed_fixed32().unwrap();
    assert_eq!((run.len(), run.collect()), (3, vec![1, u32::MAX, 3]));
    let run = reader.read_packed_fixed64().unwrap();
    assert_eq!((run.len(), run.collect()), (2, vec![1, u64::MAX]));
    assert_eq!(reader.read_packed_varints().unwrap().next(), None);
    assert!(reader.is_empty());
}

#[test]
fn packed_faults_name_the_value_and_end_the_run() {
    let overflow = Wire::new().varint_of(0, 11).done();
    for (body, kind) in [(&[0x80, 0x80][..], Kind::Overrun), (&overflow, Kind::VarintOverflow)] {
        let buf = Wire::new().int(1, 1).bytes(2, &[&[5, 6], body].concat()).raw(&[0; 20]).done();
        let mut reader = Reader::new(&buf);
        let first = reader.read_tag().unwrap();
        reader.skip_field(first).unwrap();
        reader.read_tag().unwrap();
        let mut run = reader.read_packed_varints().unwrap();
        assert_eq!((run.next(), run.next()), (Some(Ok(5)), Some(Ok(6))));
        let error = run.next().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, 6));
        assert_eq!((run.next(), run.size_hint(), run.rest()), (None, (0, Some(0)), &[][..]));
    }
}

#[test]
fn values_are_counted_without_decoding() {
    let mut run = Vec::new();
    for count in 0..if cfg!(miri) { 70 } else { 1200_usize } {
        assert_eq!(count_varints(&run), count);
        run = Wire::new().raw(&run).varint_of(0, 1 + count % 10).done();
    }
    assert_eq!(count_varints(&[0x7f; 1021]), 1021);
}

#[test]
fn lengths_of_messages_are_filled_in() {
    for len in [0, 1, 126, 127, 128, 129, 16_383, 16_384, 16_385, 70_000, (1 << 21) - 1, 1 << 21] {
        if cfg!(miri) && len > 200 {
            continue;
        }
        let body = vec![0xab; len];
        let tag = Tag::new(1, WireType::LengthDelimited);
        let mut buf = vec![0x7f];
        let mut writer = Writer::new(&mut buf);
        writer
            .write_message(tag, |outer| {
                outer.write_message(Tag::new(500, WireType::LengthDelimited), |inner| {
                    inner.write_raw(&body);
                    Ok(())
                })
            })
            .unwrap();
        let inner = Wire::new().bytes(500, &body);
        assert_eq!(buf, Wire::new().raw(&[0x7f]).message(1, inner).done(), "{len} bytes");
    }
}

#[test]
fn failed_writes_leave_the_buffer_as_it_was() {
    let fail = || EncodeError::new(EncodeErrorKind::MissingRequired);
    let mut buf = vec![1, 2];
    let mut writer = Writer::new(&mut buf);
    let result = writer.write_message(Tag::new(1, WireType::LengthDelimited), |child| {
        child.write_fixed64(5);
        child.write_group(3, |_| Err(fail()))
    });
    assert_eq!(result.unwrap_err().kind(), EncodeErrorKind::MissingRequired);
    let result = Writer::new(&mut buf).write_group(1, |group| {
        group.write_varint(1 << 40);
        Err(fail())
    });
    assert_eq!(result.unwrap_err().kind(), EncodeErrorKind::MissingRequired);
    let error = Writer::new(&mut buf).write_length(MAX_LEN + 1).unwrap_err();
    assert_eq!((error.kind(), &buf[..]), (EncodeErrorKind::TooLarge, &[1, 2][..]));
}

/// What every kind of buffer must hold after the same writes.
fn written(mut buf: impl Buffer) -> Vec<u8> {
    let mut writer = Writer::new(&mut buf);
    writer.write_tag(Tag::new(1, WireType::Fixed32));
    writer.write_fixed32(0x0403_0201);
    writer.write_tag(Tag::new(2, WireType::Fixed64));
    writer.write_fixed64(1);
    writer.write_tag(Tag::new(3, WireType::LengthDelimited));
    writer.write_length_delimited(b"abc").unwrap();
    writer
        .write_group(4, |group| {
            group.write_tag(Tag::new(5, WireType::Varint));
            group.write_varint(zigzag64(-3));
            Ok(())
        })
        .unwrap();
    buf.as_bytes().to_vec()
}

#[test]
fn buffers_agree() {
    let expected = Wire::new()
        .tag(1, FIXED32)
        .raw(&[1, 2, 3, 4])
        .tag(2, FIXED64)
        .raw(&1_u64.to_le_bytes())
        .bytes(3, b"abc")
        .group(4, Wire::new().int(5, 5))
        .done();
    assert_eq!(written(Vec::new()), expected);
    #[cfg(feature = "bytes")]
    assert_eq!(written(bytes::BytesMut::new()), expected);
    assert_eq!(Reader::new(&expected).skip_message(), Ok(()));
}

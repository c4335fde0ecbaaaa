//! Reads every varint and every tag of up to three bytes with every reader in the crate, and compares them with a plain
//! one. Builds without optimisation take a sample.

use crate::engine::decode::machine::input;
use crate::engine::decode::machine::window::{self, Source, Windows as _};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::read::raw;
use crate::wire::{PackedVarints, Reader, Tag, kernels};
use alloc::vec::Vec;

/// The distance between two cases: a prime, so that every byte takes all values.
const STEP: usize = match (cfg!(miri), cfg!(debug_assertions)) {
    (true, _) => 2_097_143,
    (false, true) => 1_021,
    (false, false) => 1,
};

/// What follows the three bytes: nothing, bytes that end a varint, or bytes that continue it.
const AFTER: [Option<u8>; 4] = [None, Some(0x00), Some(0x7f), Some(0xff)];

/// The plain reader: byte by byte, at most `max_len` bytes and a value of at most `max`.
fn plain(bytes: &[u8], max_len: usize, max: u64, excess: Kind) -> Result<(u64, usize), Kind> {
    let mut value: u128 = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        value += u128::from(byte % 128) * (1 << (7 * i));
        if byte < 128 {
            return if value > max.into() { Err(excess) } else { Ok((value as u64, i + 1)) };
        }
        if i + 1 == max_len {
            return Err(excess);
        }
    }
    Err(Kind::Incomplete)
}

fn plain_tag(bytes: &[u8]) -> Result<(u32, u32, usize), Kind> {
    let (bits, len) = plain(bytes, 5, u32::MAX.into(), Kind::InvalidTag)?;
    let (number, wire_type) = ((bits / 8) as u32, (bits % 8) as u32);
    match (number, wire_type) {
        (0, _) => Err(Kind::InvalidFieldNumber),
        (_, 6..) => Err(Kind::InvalidWireType),
        _ => Ok((number, wire_type, len)),
    }
}

/// Calls `check` for every three bytes with everything that may follow them.
fn each_case(mut check: impl FnMut(&[u8])) {
    for bits in (0..1 << 24).step_by(STEP) {
        let [a, b, c, _] = u32::to_le_bytes(bits as u32);
        for after in AFTER {
            let mut bytes = [after.unwrap_or(0); 40];
            bytes[..3].copy_from_slice(&[a, b, c]);
            match after {
                Some(_) => check(&bytes),
                None => (0..=3).for_each(|len| check(&bytes[..len])),
            }
        }
    }
}

#[test]
fn every_varint_of_up_to_three_bytes_by_every_reader() {
    each_case(|bytes| {
        let expected = plain(bytes, 10, u64::MAX, Kind::VarintOverflow);
        assert_eq!(raw::varint(bytes, 0), expected, "{bytes:02x?}");
        assert_eq!(input::varint(bytes, 0), expected, "{bytes:02x?}");
        if let Some(value) = bytes.first_chunk() {
            let value: &[u8; window::WINDOW] = value;
            assert_eq!(window::varint(value, 0), expected.ok(), "{bytes:02x?}");
        }
        // A varint that the end cuts off ends with the zero after it, and then the position is past the end.
        let end = Source::new(bytes).end(bytes.len()).at(0);
        if let Some(head) = end.filter(|_| expected.is_ok()) {
            assert_eq!(window::varint(head, 0), expected.ok(), "{bytes:02x?}");
        }
        let mut reader = Reader::new(bytes);
        assert_eq!(reader.read_varint().map_err(|e| e.kind()), expected.map(|(value, _)| value));
        assert_eq!(reader.position(), expected.map_or(0, |(_, len)| len));
        let first = PackedVarints::new(bytes, 0).next();
        let expected = expected.map(|(value, _)| value);
        // A packed run ends inside a message, so an incomplete varint is an overrun.
        let packed = expected.map_err(|kind| raw::within(true, kind));
        assert_eq!(first.map(|first| first.map_err(|e| e.kind())), (!bytes.is_empty()).then_some(packed));
        let expected = plain(bytes, 5, 0x7fff_ffff, Kind::InvalidLength);
        let len = expected.map(|(len, end)| (len as usize, end));
        assert_eq!(raw::length(bytes, 0), len, "{bytes:02x?}");
        let fits =
            |(len, start): (usize, usize)| (start + len <= bytes.len()).then_some((start, start + len));
        let bounded = len.and_then(|len| fits(len).ok_or(Kind::Incomplete));
        assert_eq!(input::bounded(bytes, 0, bytes.len()), bounded, "{bytes:02x?}");
        let announced = raw::length_delimited(bytes, 0).map(|(inner, end)| (end - inner.len(), end));
        assert_eq!(announced, bounded, "{bytes:02x?}");
    });
}

#[test]
fn every_tag_of_up_to_three_bytes_by_every_reader() {
    each_case(|bytes| {
        let bits = plain(bytes, 5, u32::MAX.into(), Kind::InvalidTag).map(|(bits, len)| (bits as u32, len));
        assert_eq!(raw::tag_bits(bytes, 0), bits, "{bytes:02x?}");
        if bytes.first().is_some_and(|&first| first >= 0x80) {
            assert_eq!(input::long_tag(bytes, 0), bits, "{bytes:02x?}");
        }
        let expected = plain_tag(bytes);
        let parts = |tag: Tag| (tag.number(), tag.wire_type() as u32);
        let tag = raw::tag(bytes, 0).map(|(tag, len)| (parts(tag).0, parts(tag).1, len));
        assert_eq!(tag, expected, "{bytes:02x?}");
        let read = Reader::new(bytes).read_tag().map_err(|e| e.kind()).map(parts);
        assert_eq!(read, expected.map(|(number, wire_type, _)| (number, wire_type)), "{bytes:02x?}");
    });
}

/// A run of three bytes, alone and after as many values as bring it to every place in the windows of the kernels.
#[test]
fn every_packed_run_of_three_bytes() {
    for bits in (0..1 << 24).step_by(STEP) {
        let [a, b, c, _] = u32::to_le_bytes(bits as u32);
        for before in [0, 5, 14, 61, 63] {
            let run = [&[1; 64][..before], &[a, b, c]].concat();
            let (mut expected, mut pos) = (Vec::new(), 0);
            while let Ok((value, len)) = plain(&run[pos..], 10, u64::MAX, Kind::VarintOverflow) {
                expected.push([value as u32, (value >> 32) as u32]);
                pos += len;
            }
            let mut out = [[0; 2]; 70];
            let progress = kernels::decode::<2, kernels::Plain>(&run, 0, run.len(), &mut out);
            assert_eq!((progress.done, progress.pos), (expected.len(), pos), "{run:02x?}");
            assert_eq!(out[..progress.done], expected);
            let ends = run.iter().filter(|&&byte| byte < 0x80).count();
            assert_eq!(kernels::count(&run, 0, run.len()), ends, "{run:02x?}");
        }
    }
}

//! Reads at an offset in the store, for fields that are not decoded in windows.
//!
//! These functions stay inside the store, but may cross the end of the message: callers compare the offset that they
//! return with that end. Varints are loaded eight bytes at a time where the store has so many.

use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::gather;

#[inline(always)]
fn load<const N: usize>(buf: &[u8], pos: usize) -> Option<&[u8; N]> {
    buf.get(pos..)?.first_chunk()
}

/// A varint of 1 to 10 bytes and the offset after it. One branch for one byte, none for two to eight.
#[inline(always)]
pub(in crate::engine::decode) fn varint(buf: &[u8], pos: usize) -> Result<(u64, usize), Kind> {
    match buf.get(pos) {
        Some(&byte) if byte < 0x80 => Ok((byte as u64, pos + 1)),
        _ => long_varint(buf, pos),
    }
}

#[inline(always)]
fn long_varint(buf: &[u8], pos: usize) -> Result<(u64, usize), Kind> {
    const CONTINUES: u64 = 0x8080_8080_8080_8080;
    if let Some(bytes) = load::<8>(buf, pos) {
        let word = u64::from_le_bytes(*bytes);
        let ends = !word & CONTINUES;
        if ends != 0 {
            // Keep the bits up to the end of the last byte, without the continuation bits.
            let value = word & (ends ^ (ends - 1)) & !CONTINUES;
            return Ok((gather(value), pos + (ends.trailing_zeros() as usize >> 3) + 1));
        }
    }
    cold_varint(buf, pos)
}

/// Nine or ten bytes, as negative numbers have, or fewer than eight bytes before the end of the store.
#[cold]
#[inline(never)]
fn cold_varint(buf: &[u8], pos: usize) -> Result<(u64, usize), Kind> {
    crate::wire::read::raw::varint(buf, pos)
}

/// A tag of two to five bytes, and the offset after it. Field number and wire type are not checked.
#[inline(always)]
pub(in crate::engine::decode) fn long_tag(buf: &[u8], pos: usize) -> Result<(u32, usize), Kind> {
    match load::<2>(buf, pos) {
        Some(&[low, high]) if high < 0x80 => Ok(((low & 0x7f) as u32 | (high as u32) << 7, pos + 2)),
        _ => cold_tag(buf, pos),
    }
}

#[cold]
#[inline(never)]
pub(in crate::engine::decode) fn cold_tag(buf: &[u8], pos: usize) -> Result<(u32, usize), Kind> {
    crate::wire::read::raw::tag_bits(buf, pos)
}

/// Start and end of the value whose length prefix is at `pos`. The value must not end after `end`.
#[inline(always)]
pub(in crate::engine::decode) fn bounded(buf: &[u8], pos: usize, end: usize) -> Result<(usize, usize), Kind> {
    let (len, start) = match buf.get(pos) {
        Some(&byte) if byte < 0x80 => (byte as usize, pos + 1),
        _ => long_length(buf, pos)?,
    };
    // Length and offset are below 2^31, so the sum cannot wrap.
    if start + len > end { Err(Kind::Incomplete) } else { Ok((start, start + len)) }
}

#[inline(always)]
fn long_length(buf: &[u8], pos: usize) -> Result<(usize, usize), Kind> {
    match load::<2>(buf, pos) {
        Some(&[low, high]) if high < 0x80 => Ok(((low & 0x7f) as usize | (high as usize) << 7, pos + 2)),
        _ => cold_length(buf, pos),
    }
}

#[cold]
#[inline(never)]
pub(in crate::engine::decode) fn cold_length(buf: &[u8], pos: usize) -> Result<(usize, usize), Kind> {
    crate::wire::read::raw::length(buf, pos)
}

/// Four bytes, little endian.
#[inline(always)]
pub(in crate::engine::decode) fn fixed32(buf: &[u8], pos: usize) -> Result<(u32, usize), Kind> {
    match load(buf, pos) {
        Some(bytes) => Ok((u32::from_le_bytes(*bytes), pos + 4)),
        None => Err(Kind::Incomplete),
    }
}

/// Eight bytes, little endian.
#[inline(always)]
pub(in crate::engine::decode) fn fixed64(buf: &[u8], pos: usize) -> Result<(u64, usize), Kind> {
    match load(buf, pos) {
        Some(bytes) => Ok((u64::from_le_bytes(*bytes), pos + 8)),
        None => Err(Kind::Incomplete),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::read::raw;
    use alloc::vec::Vec;

    #[test]
    fn varints_are_those_of_the_wire_layer_at_every_distance_from_the_end() {
        for bits in (0..64).step_by(if cfg!(miri) { 31 } else { 1 }) {
            for value in [1u64 << bits, (1u64 << bits) - 1, u64::MAX >> bits, !(1u64 << bits)] {
                let mut bytes = Vec::new();
                let mut rest = value;
                while rest >= 0x80 {
                    bytes.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                bytes.push(rest as u8);
                let len = bytes.len();
                for padding in 0..10 {
                    bytes.resize(len, 0);
                    bytes.resize(len + padding, 0x85);
                    assert_eq!(varint(&bytes, 0), Ok((value, len)));
                    assert_eq!(varint(&bytes, 0), raw::varint(&bytes, 0));
                }
                for cut in 0..len {
                    assert_eq!(varint(&bytes[..cut], 0), Err(Kind::Incomplete));
                }
            }
        }
        assert_eq!(varint(&[0xff; 12], 0), Err(Kind::VarintOverflow));
    }

    #[test]
    fn a_length_may_not_reach_beyond_the_end() {
        let bytes = [0x82, 0x01, 0, 0, 3, 1, 2];
        assert_eq!(bounded(&bytes, 4, 7), Err(Kind::Incomplete));
        assert_eq!(bounded(&bytes, 4, 8), Ok((5, 8)));
        assert_eq!(bounded(&bytes, 0, 131), Err(Kind::Incomplete));
        assert_eq!(bounded(&bytes, 0, 132), Ok((2, 132)));
    }
}

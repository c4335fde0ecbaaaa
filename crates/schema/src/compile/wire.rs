//! Writing descriptors: fields in the order of the calls, messages as they are closed.

use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;
use core::ops::Range;

/// Bytes on the wire, counted.
#[derive(Debug, Default)]
pub(super) struct Out {
    pub(super) bytes: Vec<u8>,
}

impl Out {
    pub(super) fn varint(&mut self, room: &mut Room, mut value: u64) -> Result<(), RoomFull> {
        while value >= 0x80 {
            room.push(&mut self.bytes, value as u8 | 0x80)?;
            value >>= 7;
        }
        room.push(&mut self.bytes, value as u8)
    }

    pub(super) fn tag(&mut self, room: &mut Room, number: i32, wire_type: u32) -> Result<(), RoomFull> {
        self.varint(room, ((number as u32) << 3 | wire_type).into())
    }

    /// An `int32`, `bool` or enum.
    pub(super) fn int(&mut self, room: &mut Room, number: i32, value: i32) -> Result<(), RoomFull> {
        self.tag(room, number, 0)?;
        self.varint(room, i64::from(value) as u64)
    }

    pub(super) fn string(&mut self, room: &mut Room, number: i32, value: &[u8]) -> Result<(), RoomFull> {
        self.tag(room, number, 2)?;
        self.varint(room, value.len() as u64)?;
        room.extend(&mut self.bytes, value)
    }

    /// Appends some of the bytes again.
    pub(super) fn repeat(&mut self, room: &mut Room, range: Range<usize>) -> Result<(), RoomFull> {
        room.repeat(&mut self.bytes, range)
    }

    /// Begins a value with a length in front; what [`end`](Self::end) needs.
    pub(super) fn begin(&mut self, room: &mut Room, number: i32) -> Result<usize, RoomFull> {
        self.tag(room, number, 2)?;
        room.push(&mut self.bytes, 0)?;
        Ok(self.bytes.len())
    }

    /// Ends it: if its length takes more than a byte, the value moves.
    pub(super) fn end(&mut self, room: &mut Room, start: usize) -> Result<(), RoomFull> {
        let len = self.bytes.len() - start;
        let mut more = 0;
        while len >> (7 * (more + 1)) != 0 {
            more += 1;
        }
        if more != 0 {
            room.extend(&mut self.bytes, [0; 5].get(..more).unwrap_or_default())?;
            self.bytes.copy_within(start..start + len, start + more);
        }
        for (i, byte) in self.bytes.iter_mut().skip(start - 1).take(more + 1).enumerate() {
            *byte = (len >> (7 * i)) as u8 & 0x7f | if i < more { 0x80 } else { 0 };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_any_width() {
        for len in [0, 1, 127, 128, 16_383, 16_384, 2_097_152] {
            let (mut out, room) = (Out::default(), &mut Room::new(usize::MAX));
            let start = out.begin(room, 3).unwrap();
            out.bytes.extend((0..len).map(|i| i as u8));
            out.end(room, start).unwrap();
            let mut expected = Out::default();
            expected.string(room, 3, &(0..len).map(|i| i as u8).collect::<Vec<u8>>()).unwrap();
            assert!(out.bytes == expected.bytes, "{len}");
        }
    }
}

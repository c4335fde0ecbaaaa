//! The items of a cursor that its caller holds by reference, as the code of structs does.
//!
//! The methods named `put_` give the cursor by value to what is rare, so that a cursor in registers stays there. Where it is in
//! memory anyway, that only copies it to and fro: 80 bytes of code for each item of each field. These methods pass the
//! reference on.

use super::{Cursor, long_varint, short_varint};
use crate::wire::SMALL_CODE;

impl Cursor<'_> {
    /// One byte.
    #[inline(always)]
    pub(crate) fn write_byte(&mut self, byte: u8) {
        if !self.spare.put([byte], 1) {
            self.overflowed();
        }
    }

    /// A varint of 1 to 10 bytes.
    #[inline(always)]
    pub(crate) fn write_varint(&mut self, value: u64) {
        if SMALL_CODE {
            return self.write_varint_by_bytes(value);
        }
        if value < 0x80 {
            self.write_byte(value as u8);
        } else if value < 1 << 56 {
            let (bytes, len) = short_varint(value);
            if !self.spare.put(bytes, len) {
                self.write_last(u64::from_le_bytes(bytes), len);
            }
        } else {
            let (first, last, len) = long_varint(value);
            if !self.spare.put(first, 8) {
                self.overflowed();
            } else if !self.spare.put(last, len) {
                self.write_last(u16::from_le_bytes(last).into(), len);
            }
        }
    }

    /// Four bytes, little endian.
    #[inline(always)]
    pub(crate) fn write_fixed32(&mut self, value: u32) {
        if !self.spare.put(value.to_le_bytes(), 4) {
            self.overflowed();
        }
    }

    /// Eight bytes, little endian.
    #[inline(always)]
    pub(crate) fn write_fixed64(&mut self, value: u64) {
        if !self.spare.put(value.to_le_bytes(), 8) {
            self.overflowed();
        }
    }

    /// Bytes as they are.
    #[inline(always)]
    pub(crate) fn write_slice(&mut self, bytes: &[u8]) {
        if !self.spare.put_slice(bytes) {
            self.overflowed();
        }
    }

    /// A tag and a varint: one item if each takes one byte, which most do.
    #[inline(always)]
    pub(crate) fn write_tagged_varint(&mut self, tag: u64, value: u64) {
        if SMALL_CODE || tag >= 0x80 || value >= 0x80 {
            self.write_varint(tag);
            self.write_varint(value);
        } else if !self.spare.put([tag as u8, value as u8], 2) {
            self.overflowed();
        }
    }

    /// A tag and four bytes, little endian: one item if the tag takes one byte.
    #[inline(always)]
    pub(crate) fn write_tagged_fixed32(&mut self, tag: u64, value: u32) {
        let [a, b, c, d] = value.to_le_bytes();
        if SMALL_CODE || tag >= 0x80 {
            self.write_varint(tag);
            self.write_fixed32(value);
        } else if !self.spare.put([tag as u8, a, b, c, d], 5) {
            self.overflowed();
        }
    }

    /// A tag and eight bytes, little endian: one item if the tag takes one byte.
    #[inline(always)]
    pub(crate) fn write_tagged_fixed64(&mut self, tag: u64, value: u64) {
        let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
        if SMALL_CODE || tag >= 0x80 {
            self.write_varint(tag);
            self.write_fixed64(value);
        } else if !self.spare.put([tag as u8, a, b, c, d, e, f, g, h], 9) {
            self.overflowed();
        }
    }

    /// A tag, a length prefix and the bytes, as [`write_length_delimited`](Self::write_length_delimited).
    #[inline(always)]
    pub(crate) fn write_tagged_bytes(&mut self, tag: u64, bytes: &[u8]) {
        self.write_tagged_varint(tag, u64::from(bytes.len() as u32));
        self.write_slice(bytes);
    }

    /// A length prefix and the bytes. The sizing pass has checked that they are at most 2^31-1.
    #[inline(always)]
    pub(crate) fn write_length_delimited(&mut self, bytes: &[u8]) {
        // As 32 bits, which saves the code for varints of nine and ten bytes in every string member.
        self.write_varint(u64::from(bytes.len() as u32));
        self.write_slice(bytes);
    }

    /// A varint, for small code.
    #[inline(never)]
    fn write_varint_by_bytes(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.write_byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.write_byte(value as u8);
    }

    /// The lowest `len` bytes of a word, which end within the last bytes of the window, or do not fit.
    #[cold]
    #[inline(never)]
    fn write_last(&mut self, word: u64, len: usize) {
        self.write_slice(word.to_le_bytes().get(..len).unwrap_or_default());
    }

    #[cold]
    #[inline(never)]
    fn overflowed(&mut self) {
        self.overflow = 1;
        self.spare.close();
    }
}

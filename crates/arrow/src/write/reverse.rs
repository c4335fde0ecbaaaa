//! A buffer that is written from its end to its start: when a length is due, its content is already in place.

use super::WriteErrorKind;
use super::wire::varint_word;
use crate::fence::cpu::{AnyBits, Bits};
use tablepb::wire::varint_len;

/// The longest message.
pub(super) const MAX_LEN: usize = i32::MAX as usize;
/// What the buffer is made with.
const FIRST: usize = 1024;

/// The bytes written are those from `start` on.
#[derive(Debug, Default)]
pub(super) struct Reverse<B = AnyBits> {
    bytes: Vec<u8>,
    start: usize,
    pub(super) bits: B,
}

impl<B: Bits> Reverse<B> {
    /// The same buffer, whose varints are written so.
    pub(super) fn with_bits<C>(self, bits: C) -> Reverse<C> {
        Reverse { bytes: self.bytes, start: self.start, bits }
    }

    /// Forgets what was written and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.start = self.bytes.len();
    }

    /// What was written.
    pub(super) fn written(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// How many bytes were written.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Room for so many bytes before all others.
    #[inline(always)]
    fn take(&mut self, count: usize) -> Result<&mut [u8], WriteErrorKind> {
        if self.start < count {
            self.grow(count)?;
        }
        self.start -= count;
        Ok(&mut self.bytes[self.start..self.start + count])
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, count: usize) -> Result<(), WriteErrorKind> {
        let (old, used) = (self.bytes.len(), self.len());
        let needed =
            used.checked_add(count).filter(|&needed| needed <= MAX_LEN).ok_or(WriteErrorKind::TooLarge)?;
        let size = needed.max(old.saturating_mul(2)).clamp(FIRST, MAX_LEN);
        self.bytes.try_reserve_exact(size - old).map_err(|_| WriteErrorKind::OutOfMemory)?;
        self.bytes.resize(size, 0);
        self.bytes.copy_within(self.start..old, size - used);
        self.start = size - used;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn put_byte(&mut self, byte: u8) -> Result<(), WriteErrorKind> {
        self.take(1)?[0] = byte;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), WriteErrorKind> {
        let to = self.take(bytes.len())?;
        // Two words that overlap: a call costs more than they do, and most strings are short.
        match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(first), Some(last)) if bytes.len() <= 16 => {
                if let Some(start) = to.first_chunk_mut() {
                    *start = *first;
                }
                if let Some(end) = to.last_chunk_mut() {
                    *end = *last;
                }
            }
            _ => to.copy_from_slice(bytes),
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn put_fixed32(&mut self, value: u32) -> Result<(), WriteErrorKind> {
        self.put(&value.to_le_bytes())
    }

    #[inline(always)]
    pub(super) fn put_fixed64(&mut self, value: u64) -> Result<(), WriteErrorKind> {
        self.put(&value.to_le_bytes())
    }

    #[inline(always)]
    pub(super) fn put_varint(&mut self, value: u64) -> Result<(), WriteErrorKind> {
        if value >> 56 != 0 {
            return self.put_long_varint(value);
        }
        let (word, len) = varint_word(self.bits, value);
        self.put_word(word, len)
    }

    /// The first `len` bytes of a word, 1 to 8.
    #[inline(always)]
    pub(super) fn put_word(&mut self, word: u64, len: usize) -> Result<(), WriteErrorKind> {
        if self.start < 8 {
            self.grow(8)?;
        }
        // All eight bytes are stored; those before the word are overwritten by what comes next.
        let word = word << (64 - 8 * len);
        self.bytes[self.start - 8..self.start].copy_from_slice(&word.to_le_bytes());
        self.start -= len;
        Ok(())
    }

    /// A varint of nine or ten bytes.
    #[cold]
    fn put_long_varint(&mut self, mut value: u64) -> Result<(), WriteErrorKind> {
        let bytes = self.take(varint_len(value))?;
        for byte in &mut *bytes {
            *byte = value as u8 | 0x80;
            value >>= 7;
        }
        if let Some(last) = bytes.last_mut() {
            *last &= 0x7f;
        }
        Ok(())
    }

    /// The length of what was written after the first `before` bytes.
    #[inline(always)]
    pub(super) fn put_length_since(&mut self, before: usize) -> Result<(), WriteErrorKind> {
        self.put_varint((self.len() - before) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_last_comes_first() {
        let mut out = Reverse::<AnyBits>::default();
        for length in [1, 2, 5, 10, 900, 3000] {
            out.clear();
            out.put(&vec![7; length]).unwrap();
            out.put_varint(300).unwrap();
            out.put_varint(u64::MAX).unwrap();
            out.put_fixed32(1).unwrap();
            let mut reader = tablepb::wire::Reader::new(out.written());
            assert_eq!(reader.read_fixed32().unwrap(), 1);
            assert_eq!(reader.read_varint().unwrap(), u64::MAX);
            assert_eq!(reader.read_varint().unwrap(), 300);
            assert_eq!(reader.rest(), vec![7; length]);
        }
    }

    #[test]
    fn varints_of_all_lengths() {
        let mut out = Reverse::<AnyBits>::default();
        for shift in 0..64 {
            for value in [1 << shift, (1 << shift) - 1, u64::MAX >> shift, 0xaaaa_aaaa_aaaa_aaaa >> shift] {
                out.clear();
                out.put_byte(9).unwrap();
                out.put_varint(value).unwrap();
                let mut expected = Vec::new();
                tablepb::wire::Writer::new(&mut expected).write_varint(value);
                expected.push(9);
                assert_eq!(out.written(), expected, "{value}");
            }
        }
    }

    #[test]
    fn a_message_of_more_than_2_gb_is_refused() {
        let mut out = Reverse::<AnyBits>::default();
        out.put_byte(1).unwrap();
        assert_eq!(out.grow(MAX_LEN), Err(WriteErrorKind::TooLarge));
        assert_eq!(out.written(), [1]);
    }
}

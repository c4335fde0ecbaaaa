//! [`Bits`]: a bitmap that grows when a bit is set.

use super::zeros::Zeros;
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};

/// A bitmap. What was never set is unset, so rows that are null cost nothing before the batch is finished.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Sets a bit.
    #[inline(always)]
    pub(crate) fn set(&mut self, at: usize) {
        match self.words.get_mut(at / 64) {
            Some(word) => *word |= 1 << (at % 64),
            None => self.grow(at),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, at: usize) {
        let words = at / 64 + 1;
        // Not one word at a time.
        self.words.reserve(words.saturating_sub(self.words.len()).max(self.words.len().min(128)));
        self.words.resize(words, 0);
        if let Some(word) = self.words.last_mut() {
            *word |= 1 << (at % 64);
        }
    }

    /// Unsets a bit.
    pub(crate) fn unset(&mut self, at: usize) {
        if let Some(word) = self.words.get_mut(at / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    /// Whether a bit is set.
    pub(crate) fn get(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
    }

    /// Unsets the bits from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.words.truncate(len.div_ceil(64));
        if !len.is_multiple_of(64)
            && let Some(word) = self.words.get_mut(len / 64)
        {
            *word &= (1 << (len % 64)) - 1;
        }
    }

    /// The bytes that it takes.
    pub(crate) fn size(&self) -> usize {
        self.words.capacity() * 8
    }

    /// The first `len` bits, and an empty bitmap stays.
    pub(crate) fn take(&mut self, len: usize, zeros: &mut Zeros) -> BooleanBuffer {
        if self.words.is_empty() {
            return zeros.bits(len);
        }
        let mut words = std::mem::take(&mut self.words);
        words.resize(len.div_ceil(64), 0);
        for word in &mut words {
            *word = word.to_le();
        }
        BooleanBuffer::new(Buffer::from_vec(words), 0, len)
    }

    /// As [`take`](Self::take), for validity: `None` if all bits are set.
    pub(crate) fn take_nulls(&mut self, len: usize, zeros: &mut Zeros) -> Option<NullBuffer> {
        Some(NullBuffer::new(self.take(len, zeros))).filter(|nulls| nulls.null_count() > 0)
    }
}

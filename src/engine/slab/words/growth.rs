//! Growth of a slab within its limit.

use super::{MAX_WORDS, RESERVED, Slab};
use crate::engine::slab::Full;
use crate::schema::program::Program;
use alloc::vec::Vec;

/// First growth of an empty slab, in words.
const FIRST_GROWTH: usize = 128;
/// First words of a slab that may need more: a kilobyte, which allocators keep at hand.
const START: usize = 256;
/// Up to this many expected words (4 KB) are allocated at once.
const LITTLE: usize = 1024;
/// Up to this many bytes of input, what is outside of the body is expected to take twice their length, or four times without strings:
/// bodies of messages and values of lists are larger than what they are decoded from, and a second block takes a tenth of the time of
/// such a decode or more.
const SMALL: usize = 512;
/// Words on top of that: a message of a single byte in another one has a body of three words or more. A new message of eight bytes in
/// three levels took half of its time for a second block.
const BODIES: usize = 12;
/// From this many words (16 MB) on, a slab grows by a quarter instead of doubling: memory from the system costs per page
/// touched, and many allocators move such blocks without copying.
const LARGE: usize = 4 << 20;
/// Zeroes this many words (16 KB) at a time, just before use: memory past the contents is never touched. Zeroing for the whole
/// input at once took 100 of 420 ns for messages with large blobs.
const STRIDE: usize = 4 << 10;

impl Slab {
    /// Number of words that make room up to an offset: even with the spare word, or odd if the slab is not trusted.
    pub(super) fn fitting(&self, end: usize) -> usize {
        let words = end.saturating_sub(RESERVED as usize);
        if self.distrusted { words | 1 } else { (words + 2) & !1 }
    }

    /// Frees memory above `bytes` that is not in use.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let kept = self.fitting((self.top as usize).max(bytes / 4 + 1));
        self.words.truncate(kept);
        self.words.shrink_to(kept);
        self.usable = self.usable.min(self.all_usable());
    }

    /// Sets the limit: at most so many bytes in use, and in the old and the new block together while the slab grows. Memory
    /// that the slab already has is free up to the limit, so earlier use of the slab changes nothing.
    pub(crate) fn set_limit(&mut self, bytes: usize) {
        self.limit = (bytes / 4).min(MAX_WORDS) as u32;
        self.held = self.words.capacity() as u32;
        (self.charged, self.whole) = (0, false);
        self.find_usable();
    }

    /// Raises the limit by so many bytes.
    #[cfg(feature = "serde")]
    pub(crate) fn raise_limit(&mut self, bytes: usize) {
        let words = u32::try_from(bytes / 4).unwrap_or(u32::MAX);
        self.limit = self.limit.saturating_add(words).min(MAX_WORDS as u32);
        self.find_usable();
    }

    /// Updates `usable` after a change of the words or the limit.
    pub(super) fn find_usable(&mut self) {
        self.usable = self.all_usable().min(self.limit);
    }

    /// The offset after the last word that may be used: the spare word may not.
    fn all_usable(&self) -> u32 {
        let words = match self.words.len() as u32 {
            0 => 0,
            len => (len - 1) | 1,
        };
        RESERVED + words
    }

    /// Charges memory that is allocated elsewhere to the limit.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Full> {
        let words = u32::try_from(bytes.div_ceil(4)).map_err(|_| Full::Limit)?;
        self.charged = self.charged.saturating_add(words);
        let allocated = self.words.capacity();
        let fits = |&limit: &u32| limit >= self.top && limit.max(self.held) as usize >= allocated;
        self.limit = self.limit.checked_sub(words).filter(fits).ok_or(Full::Limit)?;
        self.find_usable();
        Ok(())
    }

    /// Bytes up to the limit that are not allocated.
    pub(crate) fn left(&self) -> usize {
        // Where addresses have 32 bits, `raise_limit` goes beyond what they count.
        (self.limit as usize).saturating_sub(self.words.capacity()).saturating_mul(4)
    }

    /// Drops the contents, sets the limit anew, and allocates all memory up to it at once, but for what was charged until now: a decode
    /// that begins again charges that again. False if this gains nothing; then the contents stay.
    ///
    /// # Errors
    /// The allocator failed. The contents are gone, since the old block is freed before the new one is allocated.
    #[cold]
    pub(crate) fn start_over(&mut self, bytes: usize) -> Result<bool, Full> {
        let (capacity, charged) = (self.words.capacity(), self.charged as usize);
        let room = (bytes / 4).min(MAX_WORDS).saturating_sub(charged);
        // Gains room that the slab did not take, or room for a charge that did not fit beside what it took.
        let gains = capacity < room && !self.whole || room < capacity && capacity > self.held as usize;
        if !gains || room <= 2 {
            return Ok(false);
        }
        self.words = Vec::new();
        self.usable = 0;
        self.clear();
        self.expected = 0;
        self.set_limit(bytes);
        self.whole = true;
        self.grow_to(self.fitting(RESERVED as usize), room)?;
        Ok(true)
    }

    /// Prepares an empty slab for a message that may need so many words. Up to 4 KB are allocated at once; for more, the first
    /// kilobyte must fill up first, since a message of few large strings needs little.
    pub(crate) fn expect(&mut self, words: usize) {
        let end = self.top as usize + if words > LITTLE { START } else { words };
        self.expected = words.min(u32::MAX as usize) as u32;
        if self.words.capacity() == 0 && end <= self.limit as usize {
            // Only an optimisation: `alloc` reports what is refused.
            let _ = self.grow_to(self.fitting(end), end);
        }
    }

    /// As [`expect`](Self::expect), for a message that is decoded from `len` bytes: its body, and a word for one to four bytes of what is
    /// outside of it; at most `most` words.
    pub(crate) fn expect_message(&mut self, program: &Program, len: usize, most: usize) {
        let outside = match program.is_self_contained() {
            true => 0,
            false if len > SMALL => len / 4,
            false if program.has_spans() => len / 2 + BODIES,
            false => len + BODIES,
        };
        self.expect((program.words() as usize + outside).min(most));
    }

    /// Allocates the empty body of an outermost message. A slab without memory takes no more than a self-contained body needs.
    pub(crate) fn alloc_outermost(&mut self, program: &Program) -> Result<u32, Full> {
        if program.is_self_contained() {
            self.expect(program.words() as usize);
            self.expect_no_more();
        }
        self.alloc_body(program)
    }

    /// Call when the expected message is complete: later growth is for something else.
    pub(crate) fn expect_no_more(&mut self) {
        self.expected = 0;
    }

    /// Makes room up to the offset `end`.
    ///
    /// # Errors
    /// `end` is past the limit, or the allocator failed. The slab is not trusted from then on: what the caller was about to
    /// write is missing.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, end: u64) -> Result<(), Full> {
        let grown = self.try_grow(end);
        if grown.is_err() {
            self.distrust();
        }
        grown
    }

    fn try_grow(&mut self, end: u64) -> Result<(), Full> {
        if end > u64::from(self.limit) {
            return Err(Full::Limit);
        }
        let (end, limit) = (self.fitting(end as usize), self.limit as usize);
        let held = self.words.capacity();
        let mut room = held;
        if end > held {
            if self.whole {
                return Err(Full::Limit);
            }
            let more = if held < LARGE { held } else { held / 4 };
            // Near the limit, take what is left of it.
            let most = limit.saturating_sub(held);
            room = (held + more).max(self.expected as usize).max(FIRST_GROWTH).max(end).min(most);
            if room < end {
                return Err(Full::Limit);
            }
        }
        let stride = room.min(self.words.len() + STRIDE);
        // Keep the parity of `end`.
        let stride = stride - (stride + end) % 2;
        self.grow_to(end.max(stride), room)
    }

    /// Reserves memory for `room` words and zeroes the first `len`, which must have the right parity.
    fn grow_to(&mut self, len: usize, room: usize) -> Result<(), Full> {
        let more = room.max(len).saturating_sub(self.words.len());
        self.words.try_reserve_exact(more).map_err(|_| Full::NoMemory)?;
        self.words.resize(len.max(self.words.len()), 0);
        self.find_usable();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_stops_at_the_limit() {
        let mut slab = Slab::new();
        slab.set_limit(4096);
        let mut taken = 0;
        while slab.alloc(8).is_ok() {
            taken += 32;
        }
        assert!(taken > 1000 && slab.capacity() <= 4096, "{taken} {}", slab.capacity());
    }

    /// The third point of the fence, `text.rs`: what the caller was about to write is missing.
    #[test]
    fn no_mark_is_believed_after_a_slab_could_not_grow() {
        let mut slab = Slab::new();
        slab.set_limit(1 << 12);
        slab.alloc(100).unwrap();
        assert!(slab.is_trusted());
        assert_eq!(slab.alloc(1 << 12), Err(Full::Limit));
        assert!(!slab.is_trusted());
        slab.alloc(100).unwrap();
        assert!(!slab.is_trusted() && !slab.clone().is_trusted());
        slab.clear();
        assert!(slab.is_trusted());
    }

    #[test]
    fn a_slab_that_starts_over_leaves_room_for_what_is_charged_again() {
        let mut slab = Slab::new();
        slab.set_limit(1 << 16);
        // Charged memory that fits beside the words in use, but not beside those that are allocated.
        slab.alloc(1 << 13).unwrap();
        slab.charge(1 << 13).unwrap();
        assert_eq!(slab.charge(3 << 13), Err(Full::Limit));
        assert_eq!(slab.start_over(1 << 16), Ok(true));
        assert!(slab.capacity() + (4 << 13) <= 1 << 16, "{}", slab.capacity());
        slab.alloc((1 << 13) - 8).unwrap();
        slab.charge(4 << 13).unwrap();
        // There is nothing more to gain, and the slab does not grow beside what was charged.
        assert!(slab.alloc(16).is_err() && slab.start_over(1 << 16) == Ok(false));
    }

    #[test]
    fn what_is_expected_is_taken_when_more_than_a_little_is_needed() {
        let mut slab = Slab::new();
        slab.set_limit(1 << 20);
        let words = if cfg!(miri) { 10_000 } else { 100_000 };
        slab.expect(words);
        assert!(slab.alloc(100).is_ok() && slab.capacity() <= 4096, "{}", slab.capacity());
        assert!(slab.alloc(1000).is_ok() && slab.capacity() >= 4 * words, "{}", slab.capacity());
        // What is far from being used is not written to.
        assert!(slab.words.len() <= 100 + 1000 + RESERVED as usize + STRIDE);
        assert!(
            slab.alloc(words as u32 / 10 * 8).is_ok() && slab.capacity() < 9 * words / 2,
            "{}",
            slab.capacity()
        );

        let mut slab = Slab::new();
        slab.set_limit(1 << 20);
        slab.expect(LITTLE);
        let capacity = slab.capacity();
        assert!(slab.alloc(LITTLE as u32).is_ok() && capacity >= 4096 && slab.capacity() == capacity);
    }
}

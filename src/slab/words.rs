//! The slab itself: growth within a limit, and checked access to words.

use super::{Full, NIL};
use crate::program::Program;
use alloc::vec::Vec;

/// Offsets 0..3 are the header of the empty message, [`NIL`]. There are no words for them: they read as zero and cannot be
/// written to, with the one comparison that every access needs.
const RESERVED: u32 = 3;
/// Most words of a slab, so that no place of a word is one of those before the first.
const MAX_WORDS: usize = (u32::MAX - 2 * RESERVED) as usize;
/// The first growth of an empty slab, in words.
const FIRST_GROWTH: usize = 128;
/// What a slab that may need more starts with, in words: a kilobyte, which allocators keep at hand.
const START: usize = 256;
/// Up to this many expected words (4 KB) are taken at once.
const LITTLE: usize = 1024;
/// From this many words (16 MB) on, a slab grows by a quarter instead of doubling: memory from the system costs by the page
/// that is touched, and such blocks are moved without being copied where the allocator can.
const LARGE: usize = 4 << 20;
/// This many words (16 KB) are zeroed at a time, just before they are written to: memory that nobody comes to is
/// never touched.
const STRIDE: usize = 4 << 10;

/// Where the word at an offset is among the words; beyond all of them for the offsets in front of the first.
#[inline(always)]
const fn place(at: u32) -> usize {
    at.wrapping_sub(RESERVED) as usize
}

/// The words from the start of a dense body on. Writing outside of the slab is ignored; no slot of the body's program is
/// there.
#[derive(Debug)]
pub(crate) struct BodyMut<'s>(&'s mut [u32]);

impl BodyMut<'_> {
    /// Writes one word.
    #[inline(always)]
    pub(crate) fn set(&mut self, slot: u16, value: u32) {
        if let Some(word) = self.0.get_mut(slot as usize) {
            *word = value;
        }
    }

    /// Writes two words, low word first.
    #[inline(always)]
    pub(crate) fn set64(&mut self, slot: u16, value: u64) {
        if let Some([low, high]) = self.0.get_mut(slot as usize..slot as usize + 2) {
            (*low, *high) = (value as u32, (value >> 32) as u32);
        }
    }

    /// The words from a slot on.
    #[inline(always)]
    pub(crate) fn rest(&mut self, slot: u16) -> &mut [u32] {
        self.0.get_mut(slot as usize..).unwrap_or_default()
    }
}

/// Read access to the words of a slab. While the slab is trusted their number is even, otherwise it is odd: no write to a word
/// can change that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a>(&'a [u32]);

impl<'a> Words<'a> {
    /// How many words there are, unused ones included.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    /// The word at an offset, 0 if there is none.
    #[inline(always)]
    pub(crate) fn get(self, at: u32) -> u32 {
        self.0.get(place(at)).copied().unwrap_or(0)
    }

    /// The word at an offset, if it is there.
    #[inline(always)]
    pub(crate) fn find(self, at: u32) -> Option<u32> {
        self.0.get(place(at)).copied()
    }

    /// The two words at an offset, low word first, if they are there.
    #[inline(always)]
    pub(crate) fn find64(self, at: u32) -> Option<u64> {
        let at = place(at);
        // The last word first: one comparison is enough for both.
        match (self.0.get(at.wrapping_add(1)), self.0.get(at)) {
            (Some(&high), Some(&low)) => Some(low as u64 | (high as u64) << 32),
            _ => None,
        }
    }

    /// The two words at an offset, low word first.
    #[inline(always)]
    pub(crate) fn get64(self, at: u32) -> u64 {
        self.find64(at).unwrap_or(0)
    }

    /// The word at an offset in the low half, the one behind it, if there is one, in the other.
    #[inline(always)]
    pub(crate) fn get64_or_32(self, at: u32) -> u64 {
        let at = place(at);
        match self.0.get(at..at.wrapping_add(2)) {
            Some(&[low, high]) => low as u64 | (high as u64) << 32,
            _ => self.0.get(at).copied().unwrap_or(0).into(),
        }
    }

    /// Whether an (offset, length) is marked as a checked string, and marks can be trusted.
    #[inline(always)]
    pub(super) fn trusts(self, pair: u64) -> bool {
        pair >> 63 & !(self.0.len() as u64) & 1 != 0
    }

    /// Up to so many words, as far as they are there.
    #[inline(always)]
    pub(crate) fn part(self, at: u32, len: usize) -> &'a [u32] {
        let rest = self.0.get(place(at)..).unwrap_or(&[]);
        rest.get(..len).unwrap_or(rest)
    }

    /// A run of words, empty if it is not all there.
    #[inline]
    pub(crate) fn run(self, at: u32, len: usize) -> &'a [u32] {
        self.0.get(place(at)..place(at).wrapping_add(len)).unwrap_or(&[])
    }

    /// Presence bits 0..64 of a dense body.
    #[inline(always)]
    pub(crate) fn hasbits(self, program: &Program, base: u32) -> u64 {
        let low = self.get(base) as u64;
        if program.has_high_bits() { low | (self.get(base + 2) as u64) << 32 } else { low }
    }
}

/// A growable run of words with a bump allocator. Nothing in it has a destructor.
#[derive(Debug, Default)]
pub(crate) struct Slab {
    /// All initialised. There may be capacity that has not been touched. Their number is even while the slab is trusted, and
    /// one of them is spare then, so that it can become odd.
    words: Vec<u32>,
    /// The end of what is in use, an offset.
    top: u32,
    /// The end of what may be taken without a look at the limit: of all there is, or the limit.
    usable: u32,
    /// Where `top` may come to, and most that growth may have allocated at any moment.
    limit: u32,
    /// Words that were allocated when the limit was set.
    held: usize,
    /// How many words it will perhaps come to.
    expected: u32,
    /// Words below `top` that nothing refers to any more.
    garbage: u32,
    /// There are or were verbatim messages.
    verbatim: bool,
    /// Something has failed since the slab was empty; see `text.rs`.
    distrusted: bool,
}

impl Clone for Slab {
    fn clone(&self) -> Self {
        let words = self.words.get(..self.fitting(self.top as usize)).unwrap_or(&[]).to_vec();
        let mut slab = Self { words, ..*self };
        slab.find_usable();
        slab
    }
}

impl Slab {
    /// An empty slab without memory.
    pub(crate) const fn new() -> Self {
        Self {
            words: Vec::new(),
            top: RESERVED,
            usable: 0,
            limit: 0,
            held: 0,
            expected: 0,
            garbage: 0,
            verbatim: false,
            distrusted: false,
        }
    }

    /// Forgets the contents and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.top = RESERVED;
        self.garbage = 0;
        self.verbatim = false;
        if self.distrusted {
            self.distrusted = false;
            self.words.pop();
            self.find_usable();
        }
    }

    /// How many words make room up to an offset, with the spare one: odd if the slab is not trusted.
    fn fitting(&self, end: usize) -> usize {
        let words = end.saturating_sub(RESERVED as usize);
        if self.distrusted { words | 1 } else { (words + 2) & !1 }
    }

    /// An operation has failed: strings are checked when they are read, until the slab is cleared.
    #[cold]
    #[inline(never)]
    pub(crate) fn distrust(&mut self) {
        if !self.distrusted {
            self.distrusted = true;
            // The spare word.
            self.words.pop();
        }
    }

    /// Gives back memory above `bytes`, as far as it is not in use.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let kept = self.fitting((self.top as usize).max(bytes / 4 + 1));
        self.words.truncate(kept);
        self.words.shrink_to(kept);
        self.usable = self.usable.min(self.all_usable());
    }

    /// Allows so many bytes to be in use, and growth as long as the old and the new block together are no more. Memory that
    /// the slab has already may be used up to the limit, and counts no further: what a slab held before changes nothing.
    pub(crate) fn set_limit(&mut self, bytes: usize) {
        self.limit = (bytes / 4).min(MAX_WORDS) as u32;
        self.held = self.words.capacity();
        self.find_usable();
    }

    fn find_usable(&mut self) {
        self.usable = self.all_usable().min(self.limit);
    }

    /// The end of all words but the spare one.
    fn all_usable(&self) -> u32 {
        let words = match self.words.len() as u32 {
            0 => 0,
            len => (len - 1) | 1,
        };
        RESERVED + words
    }

    /// Takes memory that is used elsewhere from what is left of the limit.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Full> {
        let words = u32::try_from(bytes.div_ceil(4)).map_err(|_| Full)?;
        let allocated = self.words.capacity();
        let fits = |&limit: &u32| limit >= self.top && (limit as usize).max(self.held) >= allocated;
        self.limit = self.limit.checked_sub(words).filter(fits).ok_or(Full)?;
        self.find_usable();
        Ok(())
    }

    /// Bytes up to the limit that are not allocated.
    #[cfg(feature = "json")]
    pub(crate) fn left(&self) -> usize {
        4 * (self.limit as usize).saturating_sub(self.words.capacity())
    }

    /// Forgets the contents and takes all memory up to the limit at once.
    ///
    /// False if it has that already, and the contents are as they were. An error if there is not so much memory: the
    /// contents are gone as well, since the old block had to go before there could be a new one.
    #[cold]
    pub(crate) fn start_over(&mut self) -> Result<bool, Full> {
        if self.words.capacity() >= self.limit as usize {
            return Ok(false);
        }
        self.words = Vec::new();
        self.usable = 0;
        self.clear();
        self.expected = 0;
        self.grow_to(self.fitting(RESERVED as usize), self.limit as usize)?;
        // Memory that is used elsewhere takes from what may be used of it, not from what is allocated.
        self.held = self.words.capacity();
        Ok(true)
    }

    /// Prepares an empty slab for a message that will perhaps need so many words. Up to 4 KB are taken at once, more when
    /// it shows that they are needed: a message of few large strings needs little.
    pub(crate) fn expect(&mut self, words: usize) {
        let end = self.top as usize + if words > LITTLE { START } else { words };
        self.expected = words.min(u32::MAX as usize) as u32;
        if self.words.capacity() == 0 && end <= self.limit as usize {
            // Growing is an optimisation here; `alloc` reports what is refused.
            let _ = self.grow_to(self.fitting(end), end);
        }
    }

    /// The message that was expected is there: growth from now on is for what comes next.
    pub(crate) fn expect_no_more(&mut self) {
        self.expected = 0;
    }

    /// Bytes allocated.
    pub(crate) fn capacity(&self) -> usize {
        self.words.capacity() * 4
    }

    /// Bytes in use, garbage included.
    pub(crate) fn used(&self) -> usize {
        self.top as usize * 4
    }

    /// Bytes in use that nothing refers to, as far as lists and wide bodies know.
    #[cfg(test)]
    pub(crate) fn garbage(&self) -> usize {
        self.garbage as usize * 4
    }

    /// Counts words that nothing refers to any more.
    pub(crate) fn add_garbage(&mut self, words: usize) {
        self.garbage = self.garbage.saturating_add(words as u32);
    }

    pub(super) fn note_verbatim(&mut self) {
        self.verbatim = true;
    }

    /// Whether a message may be verbatim; false if none is.
    pub(crate) fn has_verbatim(&self) -> bool {
        self.verbatim
    }

    /// Read access.
    #[inline(always)]
    pub(crate) fn words(&self) -> Words<'_> {
        Words(&self.words)
    }

    /// The word at an offset, 0 if there is none.
    #[inline(always)]
    pub(crate) fn get(&self, at: u32) -> u32 {
        self.words().get(at)
    }

    /// Writes one word.
    #[inline(always)]
    pub(crate) fn set(&mut self, at: u32, value: u32) {
        if let Some(word) = self.words.get_mut(place(at)) {
            *word = value;
        }
    }

    /// Writes two words, low word first.
    #[inline(always)]
    pub(crate) fn set64(&mut self, at: u32, value: u64) {
        if let Some([low, high]) = self.words.get_mut(place(at)..place(at).wrapping_add(2)) {
            (*low, *high) = (value as u32, (value >> 32) as u32);
        }
    }

    /// Writes a value of one word or two.
    #[inline]
    pub(crate) fn set_words(&mut self, at: u32, words: u32, value: u64) {
        if words == 2 { self.set64(at, value) } else { self.set(at, value as u32) }
    }

    /// A run of words to write to, empty if it is not all there.
    #[inline]
    pub(crate) fn run_mut(&mut self, at: u32, len: usize) -> &mut [u32] {
        self.words.get_mut(place(at)..place(at).wrapping_add(len)).unwrap_or(&mut [])
    }

    /// The words of a dense body, and those behind it.
    #[inline(always)]
    pub(crate) fn body_mut(&mut self, at: u32) -> BodyMut<'_> {
        BodyMut(self.words.get_mut(place(at)..).unwrap_or_default())
    }

    pub(crate) fn copy_words(&mut self, from: u32, len: usize, to: u32) {
        let (from, to) = (place(from), place(to));
        let fits = |at: usize| at.checked_add(len).is_some_and(|end| end <= self.words.len());
        if fits(from) && fits(to) {
            self.words.copy_within(from..from + len, to);
        }
    }

    /// Takes `n` words. They keep whatever they held before.
    #[inline(always)]
    pub(crate) fn alloc(&mut self, n: u32) -> Result<u32, Full> {
        let at = self.top;
        let end = u64::from(at) + u64::from(n);
        if end > u64::from(self.usable) {
            self.grow(end)?;
        }
        self.top = end as u32;
        Ok(at)
    }

    /// As [`alloc`](Self::alloc), without growing.
    #[inline(always)]
    pub(super) fn try_alloc(&mut self, n: u32) -> Option<u32> {
        let at = self.top;
        let end = u64::from(at) + u64::from(n);
        if end > u64::from(self.usable) {
            return None;
        }
        self.top = end as u32;
        Some(at)
    }

    /// Undoes the last `try_alloc`.
    pub(super) fn give_back(&mut self, n: u32) {
        self.top -= n;
    }

    /// A body, which is yet to be cleared, for the message field at `slot`, if there is room without growing.
    #[inline(always)]
    pub(crate) fn try_body_at(&mut self, slot: u32, program: &Program) -> Option<u32> {
        let base = self.try_alloc(program.words())?;
        self.set(slot, base);
        Some(base)
    }

    /// The end of the words in use.
    #[inline]
    pub(super) fn top(&self) -> usize {
        self.top as usize
    }

    /// Makes room up to `end`.
    ///
    /// # Errors
    /// Beyond the limit, or there is no memory. The slab is not trusted from then on: what was to be written is not there.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: u64) -> Result<(), Full> {
        let grown = self.try_grow(end);
        if grown.is_err() {
            self.distrust();
        }
        grown
    }

    fn try_grow(&mut self, end: u64) -> Result<(), Full> {
        if end > u64::from(self.limit) {
            return Err(Full);
        }
        let (end, limit) = (self.fitting(end as usize), self.limit as usize);
        let held = self.words.capacity();
        let mut room = held;
        if end > held {
            let more = if held < LARGE { held } else { held / 4 };
            // Near the limit, take what is left of it rather than more of the old size.
            let most = limit.saturating_sub(held);
            room = (held + more).max(self.expected as usize).max(FIRST_GROWTH).max(end).min(most);
            if room < end {
                return Err(Full);
            }
        }
        let stride = room.min(self.words.len() + STRIDE);
        // Whether the number of words is even stays as it is.
        let stride = stride - (stride + end) % 2;
        self.grow_to(end.max(stride), room)
    }

    /// Takes memory for `room` words and makes the first `len` of them, of the right parity, usable.
    fn grow_to(&mut self, len: usize, room: usize) -> Result<(), Full> {
        let more = room.max(len).saturating_sub(self.words.len());
        self.words.try_reserve_exact(more).map_err(|_| Full)?;
        self.words.resize(len.max(self.words.len()), 0);
        self.find_usable();
        Ok(())
    }

    /// Takes a body and makes it empty.
    #[inline(always)]
    pub(crate) fn alloc_body(&mut self, program: &Program) -> Result<u32, Full> {
        let base = self.alloc(program.words())?;
        self.clear_body(program, base);
        Ok(base)
    }

    /// Makes a body empty: no field is set, and its slots of strings are zero. What it referred to becomes garbage that is not counted.
    #[inline(always)]
    pub(crate) fn clear_body(&mut self, program: &Program, base: u32) {
        match program.cleared() {
            2 => self.set64(base, 0),
            4 => self.clear_chunk::<4>(base),
            8 => self.clear_chunk::<8>(base),
            words => self.clear_words(base, words),
        }
    }

    #[inline(never)]
    fn clear_words(&mut self, base: u32, words: u16) {
        match words {
            16 => self.clear_chunk::<16>(base),
            24 => self.clear_chunk::<24>(base),
            _ => self.run_mut(base, words as usize).fill(0),
        }
    }

    #[inline(always)]
    fn clear_chunk<const N: usize>(&mut self, base: u32) {
        let rest = self.words.get_mut(place(base)..);
        if let Some(chunk) = rest.and_then(|rest| rest.first_chunk_mut::<N>()) {
            *chunk = [0; N];
        }
    }

    /// Writes the presence bits of a dense body.
    #[inline(always)]
    pub(crate) fn set_hasbits(&mut self, program: &Program, base: u32, has: u64) {
        self.set(base, has as u32);
        if program.has_high_bits() {
            self.set(base + 2, (has >> 32) as u32);
        }
    }

    /// The slot of a field to be written, and whether the field was unset. Marks the field as set and the other
    /// members of its oneof as unset.
    #[inline]
    pub(crate) fn mark_set(
        &mut self,
        program: &Program,
        base: u32,
        entry: usize,
    ) -> Result<(u32, bool), Full> {
        if base == NIL {
            // All empty messages are this one. Nobody asks; a slot of it would be in another message.
            return Err(Full);
        }
        if program.is_wide() {
            return self.wide_slot(program, base, entry);
        }
        let Some(e) = program.entries().get(entry) else { return Ok((NIL, true)) };
        let has = self.words().hasbits(program, base);
        let bit = 1u64 << (entry & 63);
        self.set_hasbits(program, base, (has & !program.oneof_mask(e.oneof)) | bit);
        Ok((base + e.slot as u32, has & bit == 0))
    }

    /// Marks a field as unset.
    pub(crate) fn mark_unset(&mut self, program: &Program, base: u32, entry: usize) {
        if program.is_wide() {
            return self.wide_remove(program, base, entry);
        }
        let has = self.words().hasbits(program, base);
        self.set_hasbits(program, base, has & !(1u64 << (entry & 63)));
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

    #[test]
    fn what_is_expected_is_taken_when_more_than_a_little_is_needed() {
        let mut slab = Slab::new();
        slab.set_limit(1 << 20);
        slab.expect(100_000);
        assert!(slab.alloc(100).is_ok() && slab.capacity() <= 4096, "{}", slab.capacity());
        assert!(slab.alloc(1000).is_ok() && slab.capacity() >= 400_000, "{}", slab.capacity());
        // What is far from being used is not written to.
        assert!(slab.words.len() <= 100 + 1000 + RESERVED as usize + STRIDE);
        assert!(slab.alloc(90_000).is_ok() && slab.capacity() < 450_000, "{}", slab.capacity());

        let mut slab = Slab::new();
        slab.set_limit(1 << 20);
        slab.expect(LITTLE);
        let capacity = slab.capacity();
        assert!(slab.alloc(LITTLE as u32).is_ok() && capacity >= 4096 && slab.capacity() == capacity);
    }

    #[test]
    fn the_empty_message_cannot_be_written_to() {
        let mut slab = Slab::new();
        slab.set_limit(1 << 10);
        let at = slab.alloc(4).unwrap();
        slab.set64(at, 0);
        for offset in 0..RESERVED {
            slab.set(offset, 7);
            slab.set64(offset, 7 | 7 << 32);
            slab.run_mut(offset, 1).fill(7);
            slab.body_mut(offset).set(0, 7);
            slab.copy_words(at, 1, offset);
            assert_eq!((slab.get(offset), slab.get(at)), (0, 0));
        }
    }

    #[test]
    fn a_slab_that_is_full_keeps_its_words_when_it_is_not_trusted_any_more() {
        const MARKED: u64 = 1 << 63;
        for taken in 1..300 {
            let mut slab = Slab::new();
            slab.set_limit(1 << 16);
            let mut at = Vec::new();
            while at.len() < taken {
                at.push(slab.alloc(1).unwrap());
            }
            // Every place that there is.
            while let Some(next) = slab.try_alloc(1) {
                at.push(next);
            }
            at.iter().for_each(|&at| slab.set(at, at));
            let holds = |slab: &Slab| at.iter().all(|&at| slab.words().find(at) == Some(at));
            assert!(slab.words().trusts(MARKED) && !slab.words().trusts(0) && holds(&slab.clone()));
            slab.distrust();
            slab.distrust();
            assert!(!slab.words().trusts(MARKED) && holds(&slab) && holds(&slab.clone()));
            assert!(!slab.clone().words().trusts(MARKED));
            let more = slab.alloc(100).unwrap();
            slab.set(more + 99, 7);
            slab.shrink_to(0);
            assert!(!slab.words().trusts(MARKED) && holds(&slab) && slab.get(more + 99) == 7);
            slab.clear();
            assert!(slab.words().trusts(MARKED) && slab.alloc(300).is_ok() && slab.words().trusts(MARKED));
        }
    }

    #[test]
    fn reading_nowhere_gives_zero_and_writing_nowhere_does_nothing() {
        let mut slab = Slab::new();
        slab.set(1 << 30, 7);
        slab.set64(u32::MAX, 7);
        assert_eq!((slab.get(1 << 30), slab.words().get64(u32::MAX)), (0, 0));
        assert!(slab.run_mut(5, 10).is_empty());
    }
}

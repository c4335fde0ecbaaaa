//! The slab itself: checked access to words, allocation, and hasbits. `growth.rs` grows it within its limit.

use super::{Full, NIL};
use crate::schema::program::Program;
use alloc::vec::Vec;

mod growth;
#[cfg(test)]
mod tests;

/// Offsets 0..3 are the header of the empty message, [`NIL`]. They have no words, so the bounds check that every access needs
/// makes them read as zero and ignores writes.
const RESERVED: u32 = 3;
/// Most words of a slab: indices of words stay below those that the reserved offsets wrap to.
const MAX_WORDS: usize = (u32::MAX - 2 * RESERVED) as usize;
/// The index of the word at an offset. Reserved offsets wrap to indices past all words.
#[inline(always)]
const fn place(at: u32) -> usize {
    at.wrapping_sub(RESERVED) as usize
}

/// Read access to the words of a slab. Their number is even while the slab is trusted and odd otherwise: no write to a word can
/// change that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a>(&'a [u32]);

impl<'a> Words<'a> {
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

    /// The two words at an offset, 0 if they are not both there.
    #[inline(always)]
    pub(crate) fn two(self, at: u32) -> (u32, u32) {
        let at = place(at);
        // The second word first: its bounds check covers both.
        match (self.0.get(at.wrapping_add(1)), self.0.get(at)) {
            (Some(&high), Some(&low)) => (low, high),
            _ => (0, 0),
        }
    }

    /// The two words at an offset, low word first, if they are there.
    #[inline(always)]
    pub(crate) fn find64(self, at: u32) -> Option<u64> {
        let at = place(at);
        // As in `two`.
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

    /// A value of one word or two.
    #[inline]
    pub(crate) fn get_words(self, at: u32, words: u32) -> u64 {
        if words == 2 { self.get64(at) } else { self.get(at).into() }
    }

    /// The word at an offset in the low half, and the word after it, if there is one, in the high half.
    #[inline(always)]
    pub(crate) fn get64_or_32(self, at: u32) -> u64 {
        let at = place(at);
        match self.0.get(at..at.wrapping_add(2)) {
            Some(&[low, high]) => low as u64 | (high as u64) << 32,
            _ => self.0.get(at).copied().unwrap_or(0).into(),
        }
    }

    /// Whether a span is marked as a checked string, and the slab is trusted.
    #[inline(always)]
    pub(super) fn trusts(self, pair: u64) -> bool {
        pair >> 63 & !(self.0.len() as u64) & 1 != 0
    }

    /// At most `len` words, fewer at the end of the slab.
    #[inline(always)]
    pub(crate) fn part(self, at: u32, len: usize) -> &'a [u32] {
        let rest = self.0.get(place(at)..).unwrap_or(&[]);
        rest.get(..len).unwrap_or(rest)
    }

    /// `len` words; empty if they are not all there.
    #[inline]
    pub(crate) fn run(self, at: u32, len: usize) -> &'a [u32] {
        self.0.get(place(at)..place(at).wrapping_add(len)).unwrap_or(&[])
    }

    /// The words of a body and all after it.
    #[inline(always)]
    pub(crate) fn body(self, base: u32) -> BodyWords<'a> {
        BodyWords(self.0.get(place(base)..).unwrap_or_default())
    }

    /// Hasbits 0..64 of a dense body.
    #[inline(always)]
    pub(crate) fn hasbits(self, program: &Program, base: u32) -> u64 {
        let low = self.get(base) as u64;
        if program.has_high_bits() { low | (self.get(base + 2) as u64) << 32 } else { low }
    }
}

/// A growable run of words with a bump allocator. Nothing in it has a destructor.
#[derive(Debug, Default)]
pub(crate) struct Slab {
    /// Initialised words; there may be more capacity. Their number is even while the slab is trusted. One of them is spare
    /// then, so that distrust can drop it without touching contents.
    words: Vec<u32>,
    /// The offset after the last word in use.
    top: u32,
    /// `alloc` grows the slab past this offset: the end of the words, or the limit.
    usable: u32,
    /// Bound on `top`, and on old and new block together while the slab grows.
    limit: u32,
    /// Capacity when the limit was set, which does not count against it.
    held: u32,
    /// Words charged since the limit was set, with a charge that failed.
    charged: u32,
    /// Words that the message is expected to need.
    expected: u32,
    /// All that the limit allows was allocated at once: the slab does not grow.
    whole: bool,
    /// Some message is or was verbatim.
    verbatim: bool,
    /// Some message has or had unknown fields.
    unknown: bool,
    /// An operation has failed since the slab was empty; see `text.rs`.
    distrusted: bool,
    /// The last note of a map that is to be settled, [`NIL`] if there is none.
    pub(super) noted: u32,
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
            charged: 0,
            expected: 0,
            whole: false,
            verbatim: false,
            unknown: false,
            distrusted: false,
            noted: NIL,
        }
    }

    /// Forgets the contents and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.top = RESERVED;
        (self.verbatim, self.unknown) = (false, false);
        self.noted = NIL;
        if self.distrusted {
            self.distrusted = false;
            self.words.pop();
            self.find_usable();
        }
    }

    /// Whether marks of strings are believed.
    #[cfg(test)]
    pub(crate) fn is_trusted(&self) -> bool {
        self.words().trusts(1 << 63)
    }

    /// Call after an operation fails: strings are checked when they are read, until the slab is cleared.
    #[cold]
    #[inline(never)]
    pub(crate) fn distrust(&mut self) {
        if !self.distrusted {
            self.distrusted = true;
            // The spare word.
            self.words.pop();
        }
    }

    /// Bytes allocated.
    pub(crate) fn capacity(&self) -> usize {
        self.words.capacity() * 4
    }

    /// Bytes in use, garbage included.
    pub(crate) fn used(&self) -> usize {
        self.top as usize * 4
    }

    /// Notes that a message is verbatim.
    pub(super) fn note_verbatim(&mut self) {
        self.verbatim = true;
    }

    /// Notes that a message has unknown fields.
    pub(super) fn note_unknown(&mut self) {
        self.unknown = true;
    }

    /// False if no message has unknown fields.
    pub(crate) fn has_unknown(&self) -> bool {
        self.unknown
    }

    /// False if no message is verbatim.
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

    /// `len` words to write to; empty if they are not all there.
    #[inline]
    pub(crate) fn run_mut(&mut self, at: u32, len: usize) -> &mut [u32] {
        self.words.get_mut(place(at)..place(at).wrapping_add(len)).unwrap_or(&mut [])
    }

    /// The words of a dense body and all after it.
    #[inline(always)]
    pub(crate) fn body_mut(&mut self, at: u32) -> BodyMut<'_> {
        BodyMut(self.words.get_mut(place(at)..).unwrap_or_default())
    }

    /// The words before an offset, to read, and `len` words from there on, to write; none if they are not all there. No mark before the
    /// offset is believed, and the last word before it may be missing: the number of words that are read is odd.
    pub(super) fn split(&mut self, at: u32, len: usize) -> (Words<'_>, &mut [u32]) {
        let Some(before) = place(at).checked_sub(1).filter(|&before| before < self.words.len()) else {
            return (Words(&[]), &mut []);
        };
        let (before, rest) = self.words.split_at_mut(before | 1);
        let skipped = place(at) - before.len();
        (Words(before), rest.get_mut(skipped..skipped.saturating_add(len)).unwrap_or(&mut []))
    }

    /// Copies words; does nothing if source or destination is not all in the slab.
    pub(crate) fn copy_words(&mut self, from: u32, len: usize, to: u32) {
        let (from, to) = (place(from), place(to));
        let fits = |at: usize| at.checked_add(len).is_some_and(|end| end <= self.words.len());
        if fits(from) && fits(to) {
            self.words.copy_within(from..from + len, to);
        }
    }

    /// Allocates `n` words. They hold anything.
    #[inline(always)]
    pub(crate) fn alloc(&mut self, n: u32) -> Result<u32, Full> {
        let at = self.top;
        let end = u64::from(at) + u64::from(n);
        if end > u64::from(self.usable) {
            self.grow(end)?;
        }
        self.top = end as u32;
        #[cfg(tablepb_poison)]
        self.poison(at, n);
        Ok(at)
    }

    /// As [`alloc`](Self::alloc); `None` if the slab would have to grow.
    #[inline(always)]
    pub(super) fn try_alloc(&mut self, n: u32) -> Option<u32> {
        let at = self.top;
        let end = u64::from(at) + u64::from(n);
        if end > u64::from(self.usable) {
            return None;
        }
        self.top = end as u32;
        #[cfg(tablepb_poison)]
        self.poison(at, n);
        Some(at)
    }

    /// Frees the last `n` words.
    pub(super) fn give_back(&mut self, n: u32) {
        self.top -= n;
    }

    /// Frees all words from an earlier [`top`](Self::top) on.
    pub(crate) fn free_from(&mut self, top: usize) {
        self.top = self.top.min(top as u32);
    }

    /// Allocates `n` words after one that [`split`](Self::split) may leave out.
    pub(super) fn alloc_apart(&mut self, n: u32) -> Result<u32, Full> {
        Ok(self.alloc(n.checked_add(1).ok_or(Full::Limit)?)? + 1)
    }

    /// Frees the last words, which are of [`alloc_apart`](Self::alloc_apart).
    pub(super) fn give_back_apart(&mut self, n: u32) {
        self.give_back(n + 1);
    }

    /// An empty body; `None` if the slab would have to grow.
    #[inline(always)]
    pub(crate) fn try_body(&mut self, program: &Program) -> Option<u32> {
        let base = self.try_alloc(program.words())?;
        self.clear_body(program, base);
        Some(base)
    }

    /// Allocates a body, which the caller clears, and stores its offset at `slot`. `None` if the slab would have to grow.
    #[inline(always)]
    pub(crate) fn try_body_at(&mut self, slot: u32, program: &Program) -> Option<u32> {
        let base = self.try_alloc(program.words())?;
        self.set(slot, base);
        Some(base)
    }

    /// The offset after the last word in use.
    #[inline]
    pub(crate) fn top(&self) -> usize {
        self.top as usize
    }

    /// Allocates an empty body.
    #[inline(always)]
    pub(crate) fn alloc_body(&mut self, program: &Program) -> Result<u32, Full> {
        let base = self.alloc(program.words())?;
        self.clear_body(program, base);
        Ok(base)
    }

    /// Empties a body: clears its hasbits and its slots of strings. What it referred to becomes garbage.
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

    /// Writes the hasbits of a dense body.
    #[inline(always)]
    pub(crate) fn set_hasbits(&mut self, program: &Program, base: u32, has: u64) {
        self.set(base, has as u32);
        if program.has_high_bits() {
            self.set(base + 2, (has >> 32) as u32);
        }
    }

    /// Marks a field as set and the other members of its oneof as unset. Gives its slot, and whether the field was unset.
    #[inline]
    pub(crate) fn mark_set(
        &mut self,
        program: &Program,
        base: u32,
        entry: usize,
    ) -> Result<(u32, bool), Full> {
        if base == NIL {
            // The shared empty message, which no caller passes: its slots would be words of other messages.
            return Err(Full::Limit);
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

// The words of one dense body, by slot.

/// Read access to the words of a dense body and all after it, by slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyWords<'a>(pub(super) &'a [u32]);

impl BodyWords<'_> {
    /// The word of a slot, 0 if there is none.
    #[inline(always)]
    pub(crate) fn get(self, slot: u16) -> u32 {
        self.0.get(usize::from(slot)).copied().unwrap_or(0)
    }

    /// The two words of a slot, low word first, 0 if they are not both there.
    #[inline(always)]
    pub(crate) fn get64(self, slot: u16) -> u64 {
        match self.0.get(usize::from(slot)..usize::from(slot) + 2) {
            Some(&[low, high]) => low as u64 | (high as u64) << 32,
            _ => 0,
        }
    }

    /// The word of a slot in the low half, and the word after it, if there is one, in the high half.
    #[inline(always)]
    pub(crate) fn get64_or_32(self, slot: u16) -> u64 {
        match self.0.get(usize::from(slot)..usize::from(slot) + 2) {
            Some(&[low, high]) => low as u64 | (high as u64) << 32,
            _ => self.get(slot).into(),
        }
    }
}

/// The words of a dense body and all after it. Writing outside the slab is ignored; no slot of the body's program is there.
#[derive(Debug)]
pub(crate) struct BodyMut<'s>(pub(super) &'s mut [u32]);

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

    /// Sets a hasbit and no more.
    #[cfg_attr(not(feature = "json"), allow(dead_code, reason = "for JSON"))]
    #[inline(always)]
    pub(crate) fn mark(&mut self, bit: u8) {
        let place = if bit < 32 { 0 } else { 2 };
        if let Some(word) = self.0.get_mut(place) {
            *word |= 1 << (bit & 31);
        }
    }

    /// The words from a slot on.
    #[inline(always)]
    pub(crate) fn rest(&mut self, slot: u16) -> &mut [u32] {
        self.0.get_mut(slot as usize..).unwrap_or_default()
    }
}

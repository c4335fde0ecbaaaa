//! Sets of bits, one per field and oneof of a message: [`FieldSet`] in a plan, [`SkipSet`] in a writer.
//!
//! A plan says with a [`FieldSet`] which fields of a message are disabled. Each message that is written starts from a
//! [`SkipSet`], a copy of it, and adds the singular fields that it has written: one bit then answers both "is the
//! field enabled?" and "is this the first value?". The copy is 32 bytes, made for every message; bits from 256 on are
//! copied only when one of them is added, because few messages have any.

use alloc::{vec, vec::Vec};

/// Words held inline.
const INLINE_WORDS: usize = 4;

/// Bits below this one are held inline, the others on the heap.
pub(super) const INLINE_BITS: u32 = 64 * INLINE_WORDS as u32;

/// A set of bits of a fixed size; the first 256 need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldSet {
    inline: [u64; INLINE_WORDS],
    heap: Vec<u64>,
}

impl FieldSet {
    /// An empty set for bits below `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { inline: [0; INLINE_WORDS], heap: vec![0; count.div_ceil(64).saturating_sub(INLINE_WORDS)] }
    }

    /// Whether the set holds `bit`; true for bits beyond its size, which belong to no field and are never written.
    pub(super) fn has(&self, bit: u32) -> bool {
        has(&self.inline, &self.heap, bit)
    }

    /// Adds `bit`.
    pub(super) fn insert(&mut self, bit: u32) {
        insert(&mut self.inline, &mut self.heap, bit);
    }

    /// Removes `bit`.
    pub(super) fn remove(&mut self, bit: u32) {
        if let Some(word) = word_mut(&mut self.inline, &mut self.heap, bit) {
            *word &= !(1 << (bit & 63));
        }
    }

    /// The first bit of this set that is not in `skip`, which started from `disabled`.
    pub(super) fn first_missing(&self, skip: &SkipSet, disabled: &Self) -> Option<u32> {
        let heap = if skip.heap.is_empty() { &disabled.heap } else { &skip.heap };
        let words = self.inline.iter().chain(&self.heap).zip(skip.inline.iter().chain(heap));
        let mut missing = words.enumerate().filter(|(_, (own, other))| *own & !*other != 0);
        missing.next().map(|(at, (own, other))| at as u32 * 64 + (own & !other).trailing_zeros())
    }
}

/// The fields of one message that are not to be written any more: disabled ones and singular ones already written.
///
/// Methods that may look beyond the inline bits take `disabled`, the set that this one started from.
pub(super) struct SkipSet {
    inline: [u64; INLINE_WORDS],
    /// Empty until one of these bits is added: until then `disabled` answers for them.
    heap: Vec<u64>,
}

impl SkipSet {
    /// The set at the start of a message.
    #[inline(always)]
    pub(super) fn new(disabled: &FieldSet) -> Self {
        Self { inline: disabled.inline, heap: Vec::new() }
    }

    /// Whether the set holds `bit`, which is below [`INLINE_BITS`].
    #[inline(always)]
    pub(super) fn has_inline(&self, bit: u32) -> bool {
        // The remainder lets the compiler drop the bounds check.
        self.inline[(bit >> 6) as usize % INLINE_WORDS] >> (bit & 63) & 1 != 0
    }

    /// Adds `bit`, which is below [`INLINE_BITS`].
    #[inline(always)]
    pub(super) fn insert_inline(&mut self, bit: u32) {
        self.inline[(bit >> 6) as usize % INLINE_WORDS] |= 1 << (bit & 63);
    }

    /// Whether the set holds `bit`.
    #[inline(always)]
    pub(super) fn has(&self, bit: u32, disabled: &FieldSet) -> bool {
        if bit < INLINE_BITS { self.has_inline(bit) } else { self.has_on_heap(bit, disabled) }
    }

    #[cold]
    #[inline(never)]
    fn has_on_heap(&self, bit: u32, disabled: &FieldSet) -> bool {
        if self.heap.is_empty() { disabled.has(bit) } else { has(&self.inline, &self.heap, bit) }
    }

    /// Adds `bit`; false if there is no memory for it.
    #[inline(always)]
    pub(super) fn insert(&mut self, bit: u32, disabled: &FieldSet) -> bool {
        if bit >= INLINE_BITS {
            return self.insert_on_heap(bit, disabled);
        }
        self.insert_inline(bit);
        true
    }

    #[cold]
    #[inline(never)]
    fn insert_on_heap(&mut self, bit: u32, disabled: &FieldSet) -> bool {
        if self.heap.is_empty() {
            if self.heap.try_reserve_exact(disabled.heap.len()).is_err() {
                return false;
            }
            self.heap.extend_from_slice(&disabled.heap);
        }
        insert(&mut self.inline, &mut self.heap, bit);
        true
    }
}

fn has(inline: &[u64; INLINE_WORDS], heap: &[u64], bit: u32) -> bool {
    let at = (bit >> 6) as usize;
    let word = if at < INLINE_WORDS { inline.get(at) } else { heap.get(at - INLINE_WORDS) };
    word.is_none_or(|word| word >> (bit & 63) & 1 != 0)
}

fn insert(inline: &mut [u64; INLINE_WORDS], heap: &mut [u64], bit: u32) {
    if let Some(word) = word_mut(inline, heap, bit) {
        *word |= 1 << (bit & 63);
    }
}

fn word_mut<'a>(inline: &'a mut [u64; INLINE_WORDS], heap: &'a mut [u64], bit: u32) -> Option<&'a mut u64> {
    let at = (bit >> 6) as usize;
    if at < INLINE_WORDS { inline.get_mut(at) } else { heap.get_mut(at - INLINE_WORDS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_on_the_heap_behave_like_inline_ones() {
        let mut bits = FieldSet::new(700);
        for bit in [0, 63, 64, 255, 256, 699] {
            assert!(!bits.has(bit));
            bits.insert(bit);
            assert!(bits.has(bit));
        }
        bits.remove(699);
        assert!(!bits.has(699) && bits.has(256));
        assert!(bits.has(5_000), "bits out of range are never written");
        assert!(FieldSet::new(256).heap.is_empty());
    }

    #[test]
    fn a_skip_set_starts_from_the_disabled_fields_and_leaves_them_alone() {
        let mut required = FieldSet::new(700);
        [0, 63, 64, 255, 256, 699].into_iter().for_each(|bit| required.insert(bit));
        let mut disabled = required.clone();
        disabled.remove(256);
        disabled.remove(699);

        let mut skip = SkipSet::new(&disabled);
        assert!(!skip.has(256, &disabled) && skip.has(64, &disabled) && skip.has(5_000, &disabled));
        assert_eq!(required.first_missing(&skip, &disabled), Some(256));
        assert!(skip.insert(256, &disabled) && skip.has(256, &disabled));
        assert_eq!(required.first_missing(&skip, &disabled), Some(699));
        assert!(skip.insert(699, &disabled) && skip.has(699, &disabled));
        assert_eq!(required.first_missing(&skip, &disabled), None);
        assert!(!disabled.has(256) && !disabled.has(699));

        assert!(!skip.has(100, &disabled) && !skip.has_inline(100));
        skip.insert_inline(100);
        assert!(skip.has_inline(100) && skip.has(100, &disabled) && !skip.has(101, &disabled));
        assert!(skip.insert(101, &disabled) && skip.has_inline(101));
    }
}

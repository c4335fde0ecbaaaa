//! [`Bits`]: one bit per field and oneof of a message.

use alloc::{vec, vec::Vec};

/// Words held in place: [`Bits::NEAR`].
const NEAR: usize = 4;

/// A set of small numbers, of which the first 256 need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    near: [u64; NEAR],
    far: Vec<u64>,
}

impl Bits {
    /// The numbers below this one are near.
    pub(super) const NEAR: u32 = 64 * NEAR as u32;

    /// An empty set for numbers below `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { near: [0; NEAR], far: vec![0; count.div_ceil(64).saturating_sub(NEAR)] }
    }

    /// A copy to write a message by. That of the far numbers is made when one of them is added, since few messages have any.
    #[inline(always)]
    pub(super) fn begin(&self) -> Self {
        Self { near: self.near, far: Vec::new() }
    }

    /// [`has`](Self::has) for what began as a copy of `start`.
    #[inline]
    pub(super) fn has_since(&self, bit: u32, start: &Self) -> bool {
        if bit >= Self::NEAR && self.far.is_empty() { start.has(bit) } else { self.has(bit) }
    }

    /// [`insert`](Self::insert) for what began as a copy of `start`; false if there is no memory for it.
    #[inline]
    pub(super) fn insert_since(&mut self, bit: u32, start: &Self) -> bool {
        if bit >= Self::NEAR && self.far.is_empty() && !self.copy_far(start) {
            return false;
        }
        self.insert(bit);
        true
    }

    #[cold]
    #[inline(never)]
    fn copy_far(&mut self, start: &Self) -> bool {
        let room = self.far.try_reserve_exact(start.far.len());
        if room.is_ok() {
            self.far.extend_from_slice(&start.far);
        }
        room.is_ok()
    }

    /// Whether the set holds a near number.
    #[inline(always)]
    pub(super) fn has_near(&self, bit: u32) -> bool {
        self.near[(bit >> 6) as usize % NEAR] >> (bit & 63) & 1 != 0
    }

    /// Adds a near number.
    #[inline(always)]
    pub(super) fn insert_near(&mut self, bit: u32) {
        self.near[(bit >> 6) as usize % NEAR] |= 1 << (bit & 63);
    }

    /// Whether the set holds `bit`; of numbers beyond its size, that it does.
    #[inline]
    pub(super) fn has(&self, bit: u32) -> bool {
        let word = (bit >> 6) as usize;
        let word = if word < NEAR { self.near[word] } else { self.far_word(word) };
        word >> (bit & 63) & 1 != 0
    }

    #[inline(never)]
    fn far_word(&self, word: usize) -> u64 {
        self.far.get(word - NEAR).copied().unwrap_or(u64::MAX)
    }

    /// Adds `bit`.
    #[inline]
    pub(super) fn insert(&mut self, bit: u32) {
        if let Some(word) = self.word(bit) {
            *word |= 1 << (bit & 63);
        }
    }

    /// Takes out `bit`.
    pub(super) fn remove(&mut self, bit: u32) {
        if let Some(word) = self.word(bit) {
            *word &= !(1 << (bit & 63));
        }
    }

    #[inline]
    fn word(&mut self, bit: u32) -> Option<&mut u64> {
        let word = (bit >> 6) as usize;
        if word < NEAR { Some(&mut self.near[word]) } else { self.far.get_mut(word - NEAR) }
    }

    /// The first number in the set that is not in `other`, which began as a copy of `start`.
    pub(super) fn first_missing(&self, other: &Self, start: &Self) -> Option<u32> {
        let far = if other.far.is_empty() { &start.far } else { &other.far };
        let words = self.near.iter().chain(&self.far).zip(other.near.iter().chain(far));
        let mut missing = words.enumerate().filter(|(_, (own, other))| *own & !*other != 0);
        missing.next().map(|(at, (own, other))| at as u32 * 64 + (own & !other).trailing_zeros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_bits_are_alike() {
        let mut bits = Bits::new(700);
        for bit in [0, 63, 64, 255, 256, 699] {
            assert!(!bits.has(bit));
            bits.insert(bit);
            assert!(bits.has(bit));
            assert!(bit >= Bits::NEAR || bits.has_near(bit));
        }
        let mut less = bits.clone();
        less.remove(256);
        less.remove(699);
        assert_eq!((bits.first_missing(&less, &less), less.first_missing(&bits, &bits)), (Some(256), None));
        // Begun from the one and the other.
        let (from_bits, mut from_less) = (bits.begin(), less.begin());
        assert_eq!((bits.first_missing(&from_bits, &bits), from_bits.has_since(699, &bits)), (None, true));
        assert_eq!(bits.first_missing(&from_less, &less), Some(256));
        assert!(!from_less.has_since(256, &less) && from_less.has_since(64, &less));
        assert!(from_less.insert_since(256, &less) && from_less.has_since(256, &less));
        assert_eq!(bits.first_missing(&from_less, &less), Some(699));
        assert!(!less.has(256), "what it began from stays");
        assert!(bits.has(5_000), "what is out of range is not to be written");
        assert!(Bits::new(256).far.is_empty());
        assert!(!bits.has(100) && !bits.has_near(100));
        bits.insert_near(100);
        assert!(bits.has(100) && bits.has_near(100) && !bits.has(101));
    }
}

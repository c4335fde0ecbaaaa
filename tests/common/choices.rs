//! Where randomness comes from: a list of numbers that decides everything, so that a smaller list of smaller
//! numbers is a smaller case. Proptest shrinks the list; long runs draw from a seed instead.

#[cfg(not(fuzzing))]
use proptest::prelude::{Strategy, any};
use std::fmt;

/// A source of decisions. When the list is used up, every further decision is 0, which is always the simplest;
/// a seeded source never ends.
#[derive(Clone)]
pub struct Choices {
    list: Vec<u32>,
    at: usize,
    seed: Option<u64>,
}

/// The list on one line, without the zeros at its end.
impl fmt::Debug for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.list.iter().rposition(|&n| n != 0).map_or(0, |last| last + 1);
        write!(f, "Choices::listed(vec!{:?})", &self.list[..len])
    }
}

impl Choices {
    /// Decisions of a list, then zeros.
    pub fn listed(list: Vec<u32>) -> Self {
        Self { list, at: 0, seed: None }
    }

    /// Decisions without end (splitmix64).
    pub fn seeded(seed: u64) -> Self {
        Self { list: Vec::new(), at: 0, seed: Some(seed) }
    }

    /// What a fuzzer decides: every byte is a decision; when they are used up, decisions follow from the first four.
    pub fn fuzzed(bytes: &[u8]) -> Self {
        let (seed, bytes) = bytes.split_at(bytes.len().min(4));
        let seed = seed.iter().fold(1, |seed, &byte| seed << 8 | u64::from(byte));
        let spread = |&byte: &u8| u32::from(byte) | u32::from(byte).wrapping_mul(0x9e37_79b1) & 0xffff_ff00;
        Self { list: bytes.iter().map(spread).collect(), at: 0, seed: Some(seed) }
    }

    pub fn next(&mut self) -> u32 {
        self.at += 1;
        if let Some(&listed) = self.list.get(self.at - 1) {
            return listed;
        }
        if let Some(state) = &mut self.seed {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            return (z ^ z >> 31) as u32;
        }
        0
    }

    /// A number below `end`; 0 is the simplest.
    pub fn below(&mut self, end: usize) -> usize {
        if end <= 1 { 0 } else { self.next() as usize % end }
    }

    /// True once in `n` times; false is the simpler.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    /// 64 bits, with a liking for the edges of the number types.
    pub fn bits(&mut self) -> u64 {
        const EDGES: [u64; 20] = [
            0,
            1,
            2,
            127,
            128,
            16_383,
            16_384,
            i32::MAX as u64,
            i32::MIN as u64,
            i32::MIN as u32 as u64,
            u32::MAX as u64,
            u32::MAX as u64 + 1,
            i64::MAX as u64,
            i64::MIN as u64,
            u64::MAX,
            (1 << 56) - 1,
            0x8000_0000,
            0x7fc0_0001,
            0x7ff8_0000_0000_0001,
            0xfff0_0000_0000_0000,
        ];
        match self.below(4) {
            0 => self.below(3) as u64,
            1 => *self.pick(&EDGES),
            2 => self.next() as u64 >> self.below(32),
            _ => ((self.next() as u64) << 32 | self.next() as u64) >> self.below(64),
        }
    }

    /// Up to `most` bytes of any sort.
    pub fn bytes(&mut self, most: usize) -> Vec<u8> {
        let len = self.below(most + 1);
        (0..len).map(|_| self.next() as u8).collect()
    }

    /// A string of up to about `most` bytes.
    pub fn text(&mut self, most: usize) -> String {
        const ALPHABET: [char; 8] = ['a', 'b', 'z', '\0', 'é', '\u{800}', '\u{ffff}', '\u{10ffff}'];
        let len = self.below(most + 1);
        (0..len).map(|_| *self.pick(&ALPHABET)).collect()
    }
}

/// Lists of at most `most` decisions.
#[cfg(not(fuzzing))]
pub fn choices(most: usize) -> impl Strategy<Value = Choices> {
    proptest::collection::vec(any::<u32>(), 0..=most).prop_map(Choices::listed)
}

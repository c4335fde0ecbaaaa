//! Maps: a list of entries in wire order with unique keys, and a sorted index from 33 entries on.
//!
//! Up to [`SMALL`] entries are searched one by one. Above that, the owner's word of the list is the offset of an index:
//!
//! ```text
//! | capacity | entries covered | first fresh | runs | length of run 0 | .. 11 | run 0 | run 1 | ..
//! run: | digest | position | digest | position | ..
//! ```
//!
//! Each run is sorted by the digests of keys, where they are equal by the keys themselves, and more than [`RATIO`] times as long as the
//! next. So a search is a few binary searches that look at one key or two, whatever the keys are, and an entry moves to a longer run a
//! few times at most (a log-structured merge). Entries after the covered ones are searched one by one, and become a run when there are
//! more than [`TAIL`] of them.
//!
//! Keys, searches and removals are here; `settle.rs` keeps keys unique, `write/` the index sorted.

use super::view::{RawList, RawView};
use super::{BodyRef, ByteSpan, Slab, Words};
use crate::schema::program::{Coding, FieldEntry, ProgramSet};
use alloc::vec::Vec;
use core::ops::Range;

pub(super) mod settle;
pub(super) mod write;

/// Maps of at most this many entries have no index: a decode sees at once whether a key is new, and sorting ten entries took half of its
/// time.
pub(crate) const SMALL: u32 = 32;
/// Stored instead of an index offset: no index yet; keys may repeat until the map is settled.
pub(super) const STALE: u32 = u32::MAX;
/// Word of an index: its capacity in positions.
pub(super) const CAPACITY: u32 = 0;
/// Word of an index: the number of entries it covers.
pub(super) const COVERED: u32 = 1;
/// Word of an index: the first entry that the current decode has appended and that may repeat a key, or 0.
pub(super) const FRESH: u32 = 2;
/// Word of an index: the number of runs. Their lengths follow.
pub(super) const RUNS: u32 = 3;
/// Most runs: with this ratio, enough for 2^30 entries.
pub(super) const MOST_RUNS: u32 = 12;
pub(super) const INDEX_HEADER: u32 = RUNS + 1 + MOST_RUNS;
/// A run is merged with what follows it if it is at most this many times as long.
pub(super) const RATIO: u32 = 4;
/// Most entries that no run covers.
pub(super) const TAIL: u32 = 32;

/// The words of a run for each of its entries.
pub(super) const PAIR: u32 = 2;

/// A map key, ordered as the deterministic encoding orders keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RawKey<'i> {
    Unsigned(u64),
    Signed(i64),
    Bytes(&'i [u8]),
}

impl RawKey<'_> {
    /// A number that equal keys have in common, and others seldom. Keys may be chosen so that all have the same: then what
    /// looks at digests first takes as long as what looks at keys alone.
    #[inline(always)]
    pub(crate) fn digest(self) -> u32 {
        // Fibonacci hashing: the upper half of the product depends on all bits.
        let mix = |word: u64| word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = match self {
            RawKey::Unsigned(value) => mix(value),
            RawKey::Signed(value) => mix(value as u64),
            RawKey::Bytes(bytes) => {
                let (words, rest) = bytes.as_chunks::<8>();
                let rest = rest.iter().fold(bytes.len() as u64, |word, byte| word << 8 | u64::from(*byte));
                words
                    .iter()
                    .fold(mix(rest), |mixed, word| mix(mixed.rotate_left(32) ^ u64::from_le_bytes(*word)))
            }
        };
        (mixed >> 32) as u32
    }
}

impl<'a, 'i> RawView<'a, 'i> {
    /// The key of a map entry; the zero or empty key if it has none.
    #[inline]
    pub(crate) fn map_key(&self) -> RawKey<'i> {
        let Some(entry) = self.program().entries().first() else { return RawKey::Unsigned(0) };
        let slot = self.slot(0, entry);
        let word = || slot.map_or(0, |at| self.words.get(at));
        match entry.coding {
            Coding::String | Coding::Bytes => RawKey::Bytes(slot.map_or(&[], |at| self.span(at))),
            Coding::Varint64 | Coding::Sint64 | Coding::Fixed64 => {
                let value = slot.map_or(0, |at| self.words.get64(at));
                if entry.flags.is_signed() { RawKey::Signed(value as i64) } else { RawKey::Unsigned(value) }
            }
            _ if entry.flags.is_signed() => RawKey::Signed(word() as i32 as i64),
            _ => RawKey::Unsigned(word() as u64),
        }
    }
}

impl<'i> RawList<'_, 'i> {
    #[inline]
    pub(super) fn key(&self, position: u32) -> RawKey<'i> {
        self.message(position).map_key()
    }

    /// The entry before `position` with the same key as the entry there.
    #[inline]
    pub(super) fn earlier_key(&self, position: u32) -> Option<u32> {
        self.search(0..position, self.key(position))
    }

    /// The last of these entries with this key, one by one.
    fn search(&self, entries: Range<u32>, key: RawKey<'_>) -> Option<u32> {
        let mut entries = entries.rev();
        let first = self.view.set.program(self.entry.sub).entries().first().filter(|_| self.contiguous);
        let Some(field) = first else { return entries.find(|&at| self.key(at) == key) };
        // Contiguous entries need no view each. A key that is not set is zero or empty.
        let (words, count) = (self.view.words, field.coding.words());
        let value = |at: u32| {
            let base = self.at(at);
            if words.get(base) & 1 != 0 { words.get_words(base + u32::from(field.slot), count) } else { 0 }
        };
        match key {
            // Lengths first, which mostly differ.
            RawKey::Bytes(bytes) => entries.find(|&at| {
                let span = value(at);
                ByteSpan::from_word(span).len() as usize == bytes.len() && self.view.pair(span) == bytes
            }),
            RawKey::Signed(key) if count == 1 => entries.find(|&at| i64::from(value(at) as i32) == key),
            RawKey::Signed(key) => entries.find(|&at| value(at) as i64 == key),
            RawKey::Unsigned(key) => entries.find(|&at| value(at) == key),
        }
    }

    /// Position of the entry with this key.
    pub(crate) fn map_find(&self, key: RawKey<'_>) -> Option<u32> {
        self.map_find_below(self.len(), key)
    }

    /// Position of the entry with this key in a run that begins with the first entry of this digest.
    #[cold]
    fn find_alike(&self, run: &[[u32; 2]], digest: u32, key: RawKey<'_>) -> Option<u32> {
        let at = run.partition_point(|&[other, position]| other == digest && self.key(position) < key);
        run.get(at).filter(|pair| self.indexed(pair) == (digest, key)).map(|[_, position]| *position)
    }

    /// As [`map_find`](Self::map_find), among the first `end` entries.
    pub(super) fn map_find_below(&self, end: u32, key: RawKey<'_>) -> Option<u32> {
        let words = self.view.words;
        let index = words.list_aux(self.list);
        let mut covered = 0;
        if index != 0 && index != STALE {
            let digest = key.digest();
            for run in 0..words.get(index + RUNS).min(MOST_RUNS) {
                let len = words.get(index + RUNS + 1 + run);
                let pairs = words.run(index + INDEX_HEADER + PAIR * covered, (PAIR * len) as usize);
                let (pairs, _) = pairs.as_chunks::<2>();
                covered += len;
                // Without a look at keys, so that no jump depends on what is found.
                let from = pairs.partition_point(|[other, _]| *other < digest);
                let Some(&[other, position]) = pairs.get(from) else { continue };
                if other != digest {
                    continue;
                }
                if self.key(position) == key {
                    return Some(position);
                }
                if let Some(position) = self.find_alike(pairs.get(from..)?, digest, key) {
                    return Some(position);
                }
            }
        }
        self.search(covered.min(end)..end, key)
    }

    /// Positions of all entries in key order; `None` if memory runs out.
    pub(crate) fn map_order(&self) -> Option<Vec<u32>> {
        let mut order = Vec::new();
        order.try_reserve_exact(self.len() as usize).ok()?;
        order.extend(0..self.len());
        self.sort_positions(&mut order);
        Some(order)
    }

    /// The key of an entry in a run, for comparison.
    #[inline]
    pub(super) fn indexed(&self, &[digest, position]: &[u32; 2]) -> (u32, RawKey<'i>) {
        (digest, self.key(position))
    }

    /// Sorts the entries of a run; equal keys stay in wire order. Allocates nothing.
    #[inline(never)]
    pub(super) fn sort_run(&self, pairs: &mut [[u32; 2]]) {
        // By digest, without a look at any key.
        pairs.sort_unstable_by_key(|&[digest, position]| u64::from(digest) << 32 | u64::from(position));
        for alike in pairs.chunk_by_mut(|a, b| a[0] == b[0]).filter(|alike| alike.len() > 1) {
            alike.sort_unstable_by_key(|&[_, position]| (self.key(position), position));
        }
    }

    /// Sorts positions by key; equal keys stay in wire order. Allocates nothing.
    #[inline(never)]
    pub(super) fn sort_positions(&self, positions: &mut [u32]) {
        positions.sort_unstable_by_key(|&position| (self.key(position), position));
    }
}

/// What a map operation needs besides the slab.
#[derive(Clone, Copy)]
pub(crate) struct MapContext<'i, 's> {
    pub(crate) store: &'i [u8],
    pub(crate) set: &'s ProgramSet,
}

impl<'i, 's> MapContext<'i, 's> {
    pub(super) fn list<'a>(&self, words: Words<'a>, entry: &FieldEntry, slot: u32) -> RawList<'a, 'i>
    where
        's: 'a,
    {
        RawView { words, store: self.store, set: self.set, body: BodyRef::NONE }.list(entry, slot)
    }
}

// Removing entries of maps, and their positions in the index.

impl Slab {
    /// Removes the entry at a position.
    pub(crate) fn map_remove(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        position: u32,
    ) {
        self.map_drop(context, entry, slot, &[position]);
    }

    /// Removes the entries at these ascending positions. The others keep their order.
    pub(crate) fn map_drop(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        positions: &[u32],
    ) {
        let index = self.words().list_aux(self.words().list(slot));
        let width = context.set.program(entry.sub).element_words();
        match positions {
            [one] => self.list_remove(slot, width, *one),
            several => self.list_drop(slot, width, |_, i| several.get(i as usize).copied()),
        }
        if index == 0 || index == STALE {
            return;
        }
        if self.words().list(slot).len <= SMALL {
            // Decoding into a small map does not maintain an index, so it must not have one.
            return self.set_list_aux(slot, 0);
        }
        let (mut from, mut to) = (index + INDEX_HEADER, index + INDEX_HEADER);
        for run in index + RUNS + 1..index + RUNS + 1 + self.get(index + RUNS).min(MOST_RUNS) {
            let (start, len) = (to, self.get(run));
            for _ in 0..len {
                let (digest, at) = (self.get(from), self.get(from + 1));
                from += PAIR;
                let before = positions.partition_point(|&position| position < at);
                if positions.get(before) != Some(&at) {
                    self.set(to, digest);
                    self.set(to + 1, at - before as u32);
                    to += PAIR;
                }
            }
            self.set(run, (to - start) / PAIR);
        }
        self.set(index + COVERED, (to - index - INDEX_HEADER) / PAIR);
    }
}

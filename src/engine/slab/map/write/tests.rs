//! The index of a map, as `map.rs` describes it, after entries came in every way and went.

use super::*;
use crate::engine::slab::RawKey;
use crate::engine::slab::map::{FRESH, SMALL, STALE};
use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
use crate::schema::table::Kind;
use alloc::{collections::BTreeMap, vec, vec::Vec};

/// `map<uint32, uint32>` as field 1.
fn set() -> ProgramSet {
    let field = |number, presence| FieldSpec::new(number, Kind::Uint32, presence);
    let map = FieldSpec::new(1, Kind::Message(1), Presence::Map);
    let entry = vec![field(1, Presence::Explicit), field(2, Presence::Explicit)];
    let entry = MessageSpec { fields: entry, map_entry: true, ..Default::default() };
    ProgramSet::new(&[MessageSpec { fields: vec![map], ..Default::default() }, entry], &[]).unwrap()
}

/// A map, and what should be in it.
struct Map<'s> {
    set: &'s ProgramSet,
    slab: Slab,
    slot: u32,
    model: BTreeMap<u32, u32>,
    /// A value for each entry that was ever added.
    next: u32,
}

impl<'s> Map<'s> {
    fn new(set: &'s ProgramSet) -> Self {
        let mut slab = Slab::new();
        slab.set_limit(1 << 24);
        // Words that are all ones are left of what came before.
        let before = slab.alloc(1 << 13).unwrap();
        slab.run_mut(before, 1 << 13).fill(u32::MAX);
        slab.clear();
        let base = slab.alloc_body(set.program(0)).unwrap();
        let (slot, _) = slab.mark_set(set.program(0), base, 0).unwrap();
        slab.set64(slot, 0);
        Self { set, slab, slot, model: BTreeMap::new(), next: 0 }
    }

    fn context(&self) -> MapContext<'static, 's> {
        MapContext { store: &[], set: self.set }
    }

    fn entry(&self) -> &'s FieldEntry {
        &self.set.program(0).entries()[0]
    }

    fn find(&self, key: u32) -> Option<u32> {
        self.context().list(self.slab.words(), self.entry(), self.slot).map_find(RawKey::Unsigned(key.into()))
    }

    fn append(&mut self, key: u32) {
        let program = self.set.program(1);
        let body = self.slab.list_grow(self.slot, program.element_words(), 1).unwrap();
        self.slab.clear_body(program, body);
        for (position, value) in [key, self.next].into_iter().enumerate() {
            let (slot, _) = self.slab.mark_set(program, body, position).unwrap();
            self.slab.set(slot, value);
        }
        self.model.insert(key, self.next);
        self.next += 1;
    }

    /// As a decode does: entries as they come, then what is left to settle.
    fn decode(&mut self, keys: impl IntoIterator<Item = u32>) {
        let mut fresh = None;
        for key in keys {
            self.append(key);
            let first = self.slab.map_entry_done(self.context(), self.entry(), self.slot);
            // The first entry that may repeat a key is given once.
            assert!(first.is_none() || fresh.is_none());
            fresh = fresh.or(first);
        }
        if let Some(fresh) = fresh {
            self.settle(fresh);
        }
    }

    fn settle(&mut self, fresh: u32) {
        let (context, entry) = (self.context(), self.entry());
        self.slab.map_settle(context, entry, self.slot, fresh).unwrap();
    }

    /// As a setter does.
    fn insert(&mut self, key: u32) {
        if self.find(key).is_none() {
            self.append(key);
            let (context, entry) = (self.context(), self.entry());
            self.slab.map_inserted(context, entry, self.slot).unwrap();
        }
    }

    fn remove(&mut self, key: u32) {
        if let Some(position) = self.find(key) {
            self.model.remove(&key);
            let (context, entry) = (self.context(), self.entry());
            self.slab.map_remove(context, entry, self.slot, position);
        }
    }

    /// Checks the entries, the search and the index; returns the lengths of its runs.
    fn check(&self) -> Vec<u32> {
        let list = self.context().list(self.slab.words(), self.entry(), self.slot);
        assert_eq!(list.len() as usize, self.model.len());
        let value = |position: u32| {
            let message = list.message(position);
            message.slot(1, &message.program().entries()[1]).map(|slot| message.words.get(slot))
        };
        for (&key, &expected) in &self.model {
            let position = self.find(key).unwrap_or_else(|| panic!("{key} is not found"));
            assert_eq!((list.key(position), value(position)), (RawKey::Unsigned(key.into()), Some(expected)));
        }
        assert_eq!(self.find(u32::MAX), None);
        let mut order = list.map_order().unwrap();
        assert!(order.windows(2).all(|pair| list.key(pair[0]) < list.key(pair[1])));
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..list.len()));
        self.index(&list)
    }

    /// The runs of the index are sorted, hold the first entries once each, and leave out no more than a few.
    fn index(&self, list: &RawList<'_, '_>) -> Vec<u32> {
        let (words, index) = (self.slab.words(), self.slab.words().list_aux(list.list));
        assert_ne!(index, STALE);
        if index == 0 {
            assert!(list.len() <= TAIL);
            return vec![];
        }
        assert!(list.len() > SMALL, "a small map has an index");
        let (covered, count) = (words.get(index + COVERED), words.get(index + RUNS));
        assert!(covered <= words.get(index + CAPACITY) && list.len() - covered <= TAIL);
        assert!(count <= MOST_RUNS && words.get(index + FRESH) == 0);
        let lengths = words.run(index + RUNS + 1, count as usize).to_vec();
        assert_eq!(lengths.iter().sum::<u32>(), covered);
        let pairs = words.run(index + INDEX_HEADER, (PAIR * covered) as usize).as_chunks::<2>().0;
        let mut rest = pairs;
        for &len in &lengths {
            let (run, after) = rest.split_at(len as usize);
            assert!(run.iter().all(|&[digest, at]| list.key(at).digest() == digest), "{run:?}");
            assert!(run.windows(2).all(|pair| list.indexed(&pair[0]) < list.indexed(&pair[1])), "{run:?}");
            rest = after;
        }
        let mut positions: Vec<u32> = pairs.iter().map(|[_, at]| *at).collect();
        positions.sort_unstable();
        assert!(positions.into_iter().eq(0..covered));
        lengths
    }
}

/// Keys in an order that is neither up nor down.
fn keys(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|i| i.wrapping_mul(2_654_435_761) >> 8)
}

#[test]
fn a_decoded_map_is_one_run_and_a_copy_of_the_list_becomes_one() {
    let set = set();
    let counts = [SMALL, SMALL + 1, 0, 1, SMALL - 1, SMALL + 2, TAIL, TAIL + 1, 200];
    for count in counts.into_iter().take(if cfg!(miri) { 2 } else { 9 }) {
        let mut map = Map::new(&set);
        map.decode(keys(count).chain(keys(count / 2)));
        let indexed = if count > SMALL { vec![count] } else { vec![] };
        assert_eq!(map.check(), indexed, "{count}");
        // A list that was copied has no index yet, and its keys are unique.
        let mut copy = Map::new(&set);
        keys(count).for_each(|key| copy.append(key));
        copy.settle(u32::MAX);
        assert_eq!(copy.check(), indexed, "{count}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes, and no unsafe code is near")]
fn runs_get_shorter_by_more_than_the_ratio_however_entries_come() {
    let set = set();
    let count = 3000;
    let mut most = 0;
    for inserted in [false, true] {
        let mut map = Map::new(&set);
        let all: Vec<u32> = keys(count).collect();
        for (step, part) in all.chunks(7).enumerate() {
            match inserted {
                true => part.iter().for_each(|&key| map.insert(key)),
                // Some of the keys are there already.
                false => map.decode(part.iter().chain(&all[..step.min(3)]).copied()),
            }
            if step.is_multiple_of(16) {
                let runs = map.check();
                assert!(runs.windows(2).all(|pair| pair[0] > RATIO * pair[1]), "{runs:?}");
                most = most.max(runs.len());
            }
        }
    }
    // Entries move to a longer run now and then, not each time that there are more.
    assert!(most > 1 && most <= 4, "{most}");
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes, and no unsafe code is near")]
fn an_index_follows_removals_down_to_a_small_map() {
    let set = set();
    let count = 400;
    for decoded in [false, true] {
        let mut map = Map::new(&set);
        match decoded {
            true => map.decode(keys(count)),
            false => keys(count).for_each(|key| map.insert(key)),
        }
        keys(20).for_each(|key| map.insert(key + 1));
        let mut left: Vec<u32> = map.model.keys().copied().collect();
        while !left.is_empty() {
            map.remove(left.swap_remove(left.len() * 2 / 3));
            if left.len() < 40 || left.len().is_multiple_of(16) {
                map.check();
            }
            // A decode and a setter find each key that is left, and none of the others.
            if left.len() == SMALL as usize + 1 || left.len() == SMALL as usize {
                let again: Vec<u32> = left.iter().copied().take(3).collect();
                map.decode(again);
                map.check();
            }
        }
    }
}

/// Pairs of keys that have a digest in common, and so stand next to each other in a run.
#[test]
#[cfg_attr(miri, ignore = "takes minutes, and no unsafe code is near")]
fn keys_of_one_digest_are_told_apart() {
    let digest = |key: u32| RawKey::Unsigned(key.into()).digest();
    // Digests of keys that are a large Fibonacci number apart differ by next to nothing.
    let pairs: Vec<[u32; 2]> = keys(60).map(|key| [key, key + 2_971_215_073]).collect();
    let alike = pairs.iter().filter(|pair| digest(pair[0]) == digest(pair[1]));
    assert!(alike.count() > 50);
    let set = set();
    // Of each pair, one key is there from the start; the other one is looked for, and then is there too.
    for inserted in [false, true] {
        for first in [0, 1] {
            let mut map = Map::new(&set);
            map.decode(pairs.iter().map(|pair| pair[first]).chain(1..41));
            assert!(pairs.iter().all(|pair| map.find(pair[1 - first]).is_none()));
            let second = pairs.iter().map(|pair| pair[1 - first]);
            match inserted {
                true => second.for_each(|key| map.insert(key)),
                false => map.decode(second),
            }
            map.check();
            map.decode(pairs.iter().flatten().copied());
            map.check();
            for pair in &pairs {
                map.remove(pair[first]);
                assert!(map.find(pair[first]).is_none() && map.find(pair[1 - first]).is_some());
            }
            map.check();
        }
    }
}

/// In a slab that is full, entries that a decode has added stay, and the last one of each key counts.
#[test]
fn keys_become_unique_without_memory() {
    let set = set();
    // Miri: with and without an index before, and one that is made.
    let cases = [(0, SMALL + 1), (SMALL + 12, 11), (0, 60), (SMALL + 12, 60), (100, 10)];
    for &(before, count) in &cases[..if cfg!(miri) { 2 } else { 5 }] {
        let mut map = Map::new(&set);
        map.decode(keys(before));
        let mut fresh = None;
        for key in keys(count).chain(keys(count / 2)).chain(keys(3)) {
            map.append(key);
            fresh = fresh.or(map.slab.map_entry_done(map.context(), map.entry(), map.slot));
        }
        map.slab.set_limit(0);
        let (context, entry, slot) = (map.context(), map.entry(), map.slot);
        let settled = map.slab.map_settle(context, entry, slot, fresh.unwrap());
        assert_eq!(settled, Err(Full::Limit), "{before} {count}");
        map.slab.set_limit(1 << 24);
        // There are all entries, and later ones are indexed with those before.
        let find = |map: &Map<'_>, key: u32| map.find(key).is_some();
        assert!(map.model.keys().all(|&key| find(&map, key)));
        (0..if cfg!(miri) { 10 } else { 60 }).for_each(|key| map.insert(7 * key + 1));
        map.check();
        map.decode(keys(SMALL + 1));
        map.check();
    }
}

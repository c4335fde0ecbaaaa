//! Unique keys: while a decode appends entries, keys may repeat; settling drops all but the last entry of each key. That takes
//! O(n log n) for n entries, whatever the keys are, in one merge or in many.
//!
//! What settling needs lies in the slab: the notes of the maps that are to be settled, and the entries as a run of an index, at the top,
//! which is given back or becomes the index. So it counts against the limit as all that the slab has.

use super::{COVERED, FRESH, INDEX_HEADER, MapContext, PAIR, RUNS, RawKey, SMALL, STALE};
use crate::engine::slab::view::{RawList, RawView};
use crate::engine::slab::{BodyRef, Full, List, NIL, Slab, Words};
use crate::schema::program::{FieldEntry, Sortable, heapsort, sort_indices};
use core::ops::Range;

/// Words of a note: the note before it, program and body of the message that has the map, the position of the field, and the first
/// entry that may repeat a key.
const NOTE: u32 = 5;

/// The keys that a decode appends to a map, by 256 bits of their digests: most keys of a small map are new at first glance, and looking for
/// each among the others is half of the time.
pub(crate) struct SeenKeys {
    bits: [u64; 4],
    /// How many more entries a small map may get.
    left: u32,
}

impl SeenKeys {
    /// For a map with this number of entries. Only for an empty map is it known which keys are new.
    pub(crate) fn of(entries: u32) -> Self {
        Self { bits: [0; 4], left: if entries == 0 { SMALL } else { 0 } }
    }

    /// Adds the key of the next entry. If it is not new for certain, [`map_entry_done`](Slab::map_entry_done) must be called.
    #[inline(always)]
    pub(crate) fn is_new(&mut self, digest: u32) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let (word, bit) = (&mut self.bits[(digest >> 30) as usize], 1 << (digest >> 24 & 63));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

impl Slab {
    /// Call after the last entry of the list is decoded: keeps keys unique. In larger maps it leaves that to `map_settle`, which
    /// must run before the map is read; then it gives the first entry that may repeat a key.
    #[inline]
    pub(crate) fn map_entry_done(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
    ) -> Option<u32> {
        let list = context.list(self.words(), entry, slot);
        let len = list.len();
        if len <= 1 {
            return None;
        }
        if len > SMALL {
            return self.map_needs_settling(slot, len);
        }
        if let Some(earlier) = list.earlier_key(len - 1) {
            let width = context.set.program(entry.sub).element_words();
            self.list_remove(slot, width, earlier);
        }
        None
    }

    /// Notes that a larger map got its first entry since it was settled, and returns that entry. `None` for the ones after it.
    fn map_needs_settling(&mut self, slot: u32, len: u32) -> Option<u32> {
        match self.words().list_aux(self.words().list(slot)) {
            STALE => None,
            0 => {
                self.set_list_aux(slot, STALE);
                Some(len - 1)
            }
            index if self.get(index + FRESH) == 0 => {
                self.set(index + FRESH, len - 1);
                Some(len - 1)
            }
            _ => None,
        }
    }

    /// Leaves a map to [`settle_maps`](Self::settle_maps): the field of a message, its slot, and the entry that `map_entry_done` gave.
    ///
    /// # Errors
    /// There is no room for the note. The entry is dropped, and keys are unique.
    #[cold]
    #[inline(never)]
    pub(crate) fn settle_later(
        &mut self,
        body: BodyRef,
        position: usize,
        slot: u32,
        fresh: u32,
    ) -> Result<(), Full> {
        let noted = self.alloc(NOTE);
        match noted {
            Ok(note) => {
                let words = [self.noted, body.program, body.base, position as u32, fresh];
                self.run_mut(note, NOTE as usize)
                    .iter_mut()
                    .zip(words)
                    .for_each(|(word, value)| *word = value);
                self.noted = note;
            }
            Err(_) => self.map_take_back(slot),
        }
        noted.map(|_| ())
    }

    /// Drops the last entry and what `map_entry_done` has just set for it.
    fn map_take_back(&mut self, slot: u32) {
        let list = self.words().list(slot);
        match self.words().list_aux(list) {
            STALE => self.set_list_aux(slot, 0),
            index => self.set(index + FRESH, 0),
        }
        self.list_truncate(slot, list.len - 1);
    }

    /// Whether maps are left to [`settle_maps`](Self::settle_maps).
    #[inline]
    pub(crate) fn has_maps_to_settle(&self) -> bool {
        self.noted != NIL
    }

    /// Makes the keys of all maps unique that were left to this.
    ///
    /// # Errors
    /// There was no memory to do that and keep all entries. Keys are unique in any case.
    #[inline(never)]
    pub(crate) fn settle_maps(&mut self, context: MapContext<'_, '_>) -> Result<(), Full> {
        let MapContext { store, set } = context;
        let mut all = Ok(());
        while let &[before, program, base, position, fresh] = self.words().run(self.noted, NOTE as usize) {
            self.noted = before;
            let (body, position) = (BodyRef { program, base }, position as usize);
            let Some(entry) = set.program(program).entries().get(position) else { continue };
            let view = RawView { words: self.words(), store, set, body };
            let Some(slot) = view.slot(position, entry) else { continue };
            all = all.and(self.map_settle(context, entry, slot, fresh));
        }
        all
    }

    /// Drops all but the last entry of each key and updates the index. Only entries from `fresh` on repeat keys.
    ///
    /// # Errors
    /// There is no memory for the index. Keys are unique; the map is searched one by one from then on: slow, but correct.
    pub(crate) fn map_settle(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        fresh: u32,
    ) -> Result<(), Full> {
        let list = self.words().list(slot);
        let index = self.words().list_aux(list);
        if index == 0 && list.len <= SMALL {
            return Ok(());
        }
        let indexed = index != 0 && index != STALE;
        if !indexed {
            self.set_list_aux(slot, 0);
        } else if self.get(index + FRESH) == 0 {
            return Ok(());
        } else {
            self.set(index + FRESH, 0);
        }
        let few = indexed && list.len - fresh <= fresh / 2;
        let unique = match few {
            true => self.map_settle_from(fresh, context, entry, slot),
            false => self.map_settle_all(context, entry, slot),
        };
        if unique.is_err() {
            self.map_settle_in_place(context, entry, slot, fresh);
            return unique;
        }
        if few { self.map_inserted(context, entry, slot) } else { Ok(()) }
    }

    /// Drops all but the last entry of each key, and makes the others the one run of the index.
    fn map_settle_all(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
    ) -> Result<(), Full> {
        // A slab that has grown for more entries mostly has the room for their positions then.
        let width = context.set.program(entry.sub).element_words();
        self.list_trim(slot, width);
        let len = self.words().list(slot).len;
        let room = pairs(len)?.checked_add(INDEX_HEADER).ok_or(Full::Limit)?;
        let index = self.alloc(room)?;
        let run = index + INDEX_HEADER;
        let (words, all) = self.map_sort(context, entry, slot, 0..len, run);
        let kept = last_of_each_key(&context.list(words, entry, slot), all) as u32;
        if kept < len {
            let (kept_pairs, dropped) = all.split_at_mut(kept as usize);
            dropped.sort_unstable_by_key(|&[_, position]| position);
            for [_, position] in kept_pairs {
                *position -= dropped.partition_point(|[_, drop]| drop < position) as u32;
            }
            let first = run + PAIR * kept + 1;
            self.list_drop(slot, width, |slab, i| (i < len - kept).then(|| slab.get(first + PAIR * i)));
        }
        self.map_take_index(slot, index, kept, room);
        Ok(())
    }

    /// Makes `kept` entries the one run of a map's index. They are in a block of `room` words at the top, after room for the words of
    /// an index: it becomes the index, if the map has none that is large enough.
    fn map_take_index(&mut self, slot: u32, block: u32, kept: u32, room: u32) {
        let old = self.words().list_aux(self.words().list(slot));
        let index = match kept {
            ..=SMALL => NIL,
            _ if old != 0 && kept <= self.map_capacity(old) => old,
            _ => block,
        };
        self.set_list_aux(slot, index);
        match index {
            NIL => self.give_back(room),
            _ if index == old => {
                self.copy_words(block + INDEX_HEADER, (PAIR * kept) as usize, index + INDEX_HEADER);
                self.give_back(room);
            }
            _ => {
                self.map_init_index(index, kept);
                self.give_back(room - INDEX_HEADER - PAIR * kept);
            }
        }
        if index != NIL {
            self.map_note_run(index, 0, 0, kept);
        }
    }

    /// Settles the entries from `fresh` on. Those before have unique keys and stay in place; a repeated key overwrites them.
    fn map_settle_from(
        &mut self,
        fresh: u32,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
    ) -> Result<(), Full> {
        let width = context.set.program(entry.sub).element_words();
        let added = self.words().list(slot).len.saturating_sub(fresh);
        let room = pairs(added)?;
        let order = self.alloc_apart(room)?;
        self.map_sort(context, entry, slot, fresh..fresh + added, order);
        // The positions of the dropped ones go to the front, which has been read by then.
        let mut dropped = 0;
        for at in (order..order + room).step_by(PAIR as usize) {
            let position = self.get(at + 1);
            let list = context.list(self.words(), entry, slot);
            let key = list.key(position);
            let repeats = at + PAIR < order + room
                && self.get(at + PAIR) == self.get(at)
                && list.key(self.get(at + PAIR + 1)) == key;
            if !repeats {
                let Some(earlier) = list.map_find_below(fresh, key) else { continue };
                let at = list.list.ptr;
                self.copy_words(at + position * width, width as usize, at + earlier * width);
            }
            self.set(order + dropped, position);
            dropped += 1;
        }
        sort_indices(self.run_mut(order, dropped as usize), &mut |a, b| a.cmp(&b));
        self.list_drop(slot, width, |slab, i| (i < dropped).then(|| slab.get(order + i)));
        self.give_back_apart(room);
        Ok(())
    }

    /// Drops all but the last entry of each key without memory, in three times the time. The positions in key order are in the entries
    /// themselves: in the second word of a body, its unknown fields, which an entry has none of.
    #[cold]
    #[inline(never)]
    fn map_settle_in_place(
        &mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        fresh: u32,
    ) {
        let program = context.set.program(entry.sub);
        if program.keeps_bytes() {
            // Of a projection: the word has the bytes of the entry.
            return self.list_truncate(slot, fresh);
        }
        let (list, width) = (self.words().list(slot), program.element_words());
        (0..list.len).for_each(|position| self.set(list.ptr + position * width + 1, position));
        let mut order = OrderInEntries { slab: self, context, entry, slot, list, width };
        heapsort(&mut order);
        for next in 1..list.len {
            let repeated = order.position(next - 1);
            if order.key(repeated) == order.key(order.position(next)) {
                let at = list.ptr + repeated * width;
                order.slab.set(at, order.slab.get(at) | DROPPED);
            }
        }
        let mut kept = 0;
        for at in (0..list.len).map(|position| list.ptr + position * width) {
            if self.get(at) & DROPPED == 0 {
                self.set(at + 1, 0);
                self.copy_words(at, width as usize, list.ptr + kept * width);
                kept += 1;
            }
        }
        self.list_truncate(slot, kept);
        // The positions of an index are others now; it covers none until entries are added.
        let index = self.words().list_aux(list);
        if index != NIL {
            self.set(index + COVERED, 0);
            self.set(index + RUNS, 0);
        }
        if kept <= SMALL {
            self.set_list_aux(slot, NIL);
        }
    }

    /// Writes these entries as a run to `at`, a place after the list, and returns the words before it and the run; equal keys stay in wire
    /// order.
    pub(in crate::engine::slab) fn map_sort<'a>(
        &'a mut self,
        context: MapContext<'_, '_>,
        entry: &FieldEntry,
        slot: u32,
        positions: Range<u32>,
        at: u32,
    ) -> (Words<'a>, &'a mut [[u32; 2]]) {
        let (words, run) = self.split(at, PAIR as usize * positions.len());
        let (list, (run, _)) = (context.list(words, entry, slot), run.as_chunks_mut::<2>());
        for (pair, position) in run.iter_mut().zip(positions) {
            *pair = [list.key(position).digest(), position];
        }
        list.sort_run(run);
        (words, run)
    }

    /// Removes the elements at ascending positions: `dropped` gives each of them by its number, and `None` after the last.
    pub(crate) fn list_drop(&mut self, slot: u32, width: u32, dropped: impl Fn(&Self, u32) -> Option<u32>) {
        let list = self.words().list(slot);
        let Some(first) = dropped(self, 0) else { return };
        let (mut to, mut next) = (first, 0);
        for from in first..list.len {
            if dropped(self, next) == Some(from) {
                next += 1;
                continue;
            }
            self.copy_words(list.ptr + from * width, width as usize, list.ptr + to * width);
            to += 1;
        }
        self.list_truncate(slot, to);
    }
}

/// In the hasbits of an entry, which has two fields: it is to be dropped.
const DROPPED: u32 = 1 << 31;

/// The entries of a map as a list of positions, each in the second word of an entry.
struct OrderInEntries<'a, 'i, 's> {
    slab: &'a mut Slab,
    context: MapContext<'i, 's>,
    entry: &'a FieldEntry,
    slot: u32,
    list: List,
    width: u32,
}

impl<'i> OrderInEntries<'_, 'i, '_> {
    fn word(&self, at: u32) -> u32 {
        self.list.ptr + at * self.width + 1
    }

    fn position(&self, at: u32) -> u32 {
        self.slab.get(self.word(at))
    }

    fn key(&self, position: u32) -> RawKey<'i> {
        self.context.list(self.slab.words(), self.entry, self.slot).key(position)
    }
}

impl Sortable for OrderInEntries<'_, '_, '_> {
    fn len(&self) -> usize {
        self.list.len as usize
    }

    fn less(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.position(a as u32), self.position(b as u32));
        (self.key(a), a) < (self.key(b), b)
    }

    fn swap(&mut self, a: usize, b: usize) {
        let (a, b) = (self.word(a as u32), self.word(b as u32));
        let (first, second) = (self.slab.get(a), self.slab.get(b));
        self.slab.set(a, second);
        self.slab.set(b, first);
    }
}

/// The words of a run of `len` entries.
fn pairs(len: u32) -> Result<u32, Full> {
    len.checked_mul(PAIR).ok_or(Full::Limit)
}

/// Of a sorted run, moves the last entry of each key to the front, in the order of the run, and returns their number. The others are after
/// them.
fn last_of_each_key(list: &RawList<'_, '_>, run: &mut [[u32; 2]]) -> usize {
    let mut kept = 0;
    for i in 0..run.len() {
        // Equal keys are in wire order: the last one stays.
        if run
            .get(i + 1)
            .is_none_or(|next| run[i][0] != next[0] || list.indexed(&run[i]) != list.indexed(next))
        {
            run.swap(kept, i);
            kept += 1;
        }
    }
    kept
}

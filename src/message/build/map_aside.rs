//! Maps that are made aside, with all their entries, as in JSON: when a map is whole, it becomes the value of its field or a part
//! of it. Whether a key was there twice is known then.

use super::{FieldAt, MessageBuilder};
use crate::engine::slab::{BodyRef, MapContext};
use crate::schema::program::FieldEntry;
use crate::wire::Full;

/// A map that is being made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MapAside {
    /// The header of its list.
    slot: u32,
    /// The first entry that may repeat a key, once there are many.
    fresh: Option<u32>,
    /// How many entries were added.
    added: u32,
}

impl MessageBuilder<'_> {
    /// Begins a map.
    pub(crate) fn map(&mut self) -> Result<MapAside, Full> {
        let slot = self.slab.alloc(2)?;
        self.slab.set64(slot, 0);
        Ok(MapAside { slot, fresh: None, added: 0 })
    }

    /// Appends an entry with this key, and returns its body. [`end_entry`](Self::end_entry) must follow before the next one.
    pub(crate) fn entry(&mut self, map: &mut MapAside, entry: &FieldEntry, key: u64) -> Result<u32, Full> {
        let body = self.push_body(map.slot, entry)?;
        map.added += 1;
        if let Some(first) = self.set.program(entry.sub).entries().first() {
            self.set(FieldAt { body: BodyRef::of(entry, body), position: 0 }, first.coding, key)?;
        }
        Ok(body)
    }

    /// The entry that was begun last is whole.
    pub(crate) fn end_entry(&mut self, map: &mut MapAside, entry: &FieldEntry) {
        let context = MapContext { store: &self.store, set: self.set };
        if let Some(fresh) = self.slab.map_entry_done(context, entry, map.slot) {
            map.fresh.get_or_insert(fresh);
        }
    }

    /// Makes a map the value of its field, or adds its entries to those that the field has. Of several with the same key the last
    /// one counts; if that is denied, the field is as it was, and the answer is false.
    pub(crate) fn end_map(
        &mut self,
        at: FieldAt,
        map: MapAside,
        entry: &FieldEntry,
        deny: bool,
    ) -> Result<bool, Full> {
        let context = MapContext { store: &self.store, set: self.set };
        if let Some(fresh) = map.fresh {
            self.slab.map_settle(context, entry, map.slot, fresh)?;
        }
        let list = self.slab.words().list(map.slot);
        if list.len < map.added && deny {
            return Ok(false);
        }
        if list.len == 0 {
            return Ok(true);
        }
        let (slot, fresh) =
            self.slab.mark_set(self.set.program(at.body.program), at.body.base, at.position)?;
        if fresh {
            self.slab.set64(slot, u64::from(list.ptr) | u64::from(list.len) << 32);
            return Ok(true);
        }
        let width = self.set.program(entry.sub).element_words();
        let mut may_repeat = None;
        let mut moved = Ok(());
        for element in 0..list.len {
            let to = match self.slab.list_grow(slot, width, 1) {
                Ok(to) => to,
                Err(full) => {
                    moved = Err(full);
                    break;
                }
            };
            self.slab.copy_words(list.ptr + element * width, width as usize, to);
            let context = MapContext { store: &self.store, set: self.set };
            if let Some(first) = self.slab.map_entry_done(context, entry, slot) {
                may_repeat.get_or_insert(first);
            }
        }
        let context = MapContext { store: &self.store, set: self.set };
        if let Some(first) = may_repeat {
            self.slab.map_settle(context, entry, slot, first)?;
        }
        moved?;
        Ok(true)
    }
}

//! Maps whose entries come one by one, with other fields in between, as in text format.
//!
//! An entry is appended to the map before its key is known. Keys become unique when the entry ends or, in larger maps, when the
//! whole text has been parsed (`settle_maps`), so that n entries take n log n, whatever their keys and their order.

use super::{FieldAt, MessageBuilder};
use crate::engine::slab::{BodyRef, MapContext, Text};
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::Full;

impl MessageBuilder<'_> {
    /// Appends an entry without key and value to a map, and gives its body. [`finish_entry`](Self::finish_entry) or
    /// [`drop_entry`](Self::drop_entry) must follow before the next entry.
    pub(crate) fn begin_entry(&mut self, at: FieldAt, entry: &FieldEntry) -> Result<u32, Full> {
        let slot = self.list(at)?;
        let body = self.push_body(slot, entry);
        if body.is_err() {
            self.drop_empty(at, slot);
        }
        body
    }

    /// The entry that was begun last is whole. It gets the key and the value that it lacks: zero, empty, or the first value of the
    /// enum. If there is no memory for that, the entry goes.
    pub(crate) fn finish_entry(&mut self, at: FieldAt, entry: &FieldEntry, body: u32) -> Result<(), Full> {
        let filled = self.fill_entry(entry, body);
        if filled.is_err() {
            self.drop_entry(at);
            return filled;
        }
        let Some(slot) = self.slot(at) else { return Ok(()) };
        let context = MapContext { store: &self.store, set: self.set };
        match self.slab.map_entry_done(context, entry, slot) {
            None => Ok(()),
            Some(fresh) => Ok(self.slab.settle_later(at.body, at.position, slot, fresh)?),
        }
    }

    fn fill_entry(&mut self, entry: &FieldEntry, body: u32) -> Result<(), Full> {
        for (position, part) in self.set.program(entry.sub).entries().iter().enumerate() {
            let at = FieldAt { body: BodyRef::of(entry, body), position };
            if self.slot(at).is_some() {
                continue;
            }
            match part.coding {
                coding if coding.is_message() => self.empty_message(at, part)?,
                Coding::ClosedEnum => {
                    let first = self.set.enum_default(part.sub) as u32;
                    self.set(at, part.coding, first.into())?;
                }
                Coding::String => self.set(at, part.coding, Text::EMPTY.pair())?,
                coding => self.set(at, coding, 0)?,
            }
        }
        Ok(())
    }

    /// Drops the entry that was begun last and not finished.
    pub(crate) fn drop_entry(&mut self, at: FieldAt) {
        let Some(slot) = self.slot(at) else { return };
        let len = self.slab.words().list(slot).len;
        self.slab.list_truncate(slot, len.saturating_sub(1));
        self.drop_empty(at, slot);
    }

    /// Makes all keys unique. If there is no memory to do that and keep all entries, keys are unique in any case.
    pub(crate) fn settle_maps(&mut self) -> Result<(), Full> {
        self.slab.settle_maps(MapContext { store: &self.store, set: self.set })
    }

    /// The length of a list or map.
    pub(crate) fn list_len(&self, at: FieldAt) -> u32 {
        self.slot(at).map_or(0, |slot| self.slab.words().list(slot).len)
    }
}

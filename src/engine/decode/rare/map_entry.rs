//! The end of map entries: missing parts are filled in, and the keys of the map become unique, now or at the end of the
//! decode.

use crate::engine::decode::ParentFrame;
use crate::engine::decode::machine::state::Machine;
use crate::engine::slab::{BodyRef, Full, MapContext, NIL, Nesting, RawView, Text};
use crate::schema::program::{Coding, FieldEntry, Program};

impl<'r> Machine<'r, '_> {
    /// Adds the key or value that the last entry of a map lacks: zero, the empty string or message, or the first
    /// number of the enum. `frame` is the parent of the entry.
    ///
    /// If there is no memory for that, the entry is dropped. A value that is not in the input is no level of it, as in C++.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn complete_entry(
        &mut self,
        frame: &ParentFrame,
        program: &Program,
        base: u32,
    ) -> Result<(), Full> {
        let completed = self.fill_entry(program, base);
        if completed.is_err()
            && let Some((_, slot)) = self.map_slot(frame)
        {
            self.drop_last(slot);
        }
        completed
    }

    fn fill_entry(&mut self, program: &Program, base: u32) -> Result<(), Full> {
        for (position, entry) in program.entries().iter().enumerate() {
            let (slot, fresh) = self.slab.mark_set(program, base, position)?;
            if !fresh {
                continue;
            }
            // A missing value is an empty message, which lacks all required fields of its type.
            let decoded = entry.coding.is_message() && !entry.op.is_lazy();
            self.may_miss |= decoded && self.set.program(entry.sub).has_required();
            match entry.coding {
                Coding::ClosedEnum => self.slab.set(slot, self.set.enum_default(entry.sub) as u32),
                _ if entry.op.is_lazy() => {
                    self.slab.set(slot, NIL);
                    // The entry has been popped from the stack; what is in its value is two levels below its parent.
                    let raw = self.slab.alloc_raw(Nesting::allowed(self.depth_left().saturating_sub(2)))?;
                    self.slab.set(slot, raw);
                }
                Coding::String => self.slab.set64(slot, Text::EMPTY.pair()),
                coding if coding.words() == 1 => self.slab.set(slot, 0),
                _ => self.slab.set64(slot, 0),
            }
        }
        Ok(())
    }

    /// After a fault: pops all frames and ends the map entries that were open, innermost first.
    #[cold]
    #[inline(never)]
    pub(in crate::engine::decode) fn close_maps(&mut self, end: usize) {
        self.entry_unknown = false;
        while let Some(&frame) = self.scratch.stack.pop() {
            if !frame.map {
                continue;
            }
            let Some((entry, slot)) = self.map_slot(&frame) else { continue };
            let view = RawView { words: self.slab.words(), store: self.buf, set: self.set, body: frame.body };
            let list = view.list(entry, slot);
            let last = list.message(list.len().saturating_sub(1));
            if last.body.base == NIL {
                continue;
            }
            let (program, base) = (self.set.program(last.body.program), last.body.base);
            // `complete_entry` drops the entry if it fails.
            if self.complete_entry(&frame, program, base).is_ok() {
                let _ = self.end_map_entry(&frame, end);
            }
        }
    }

    /// Ends the last entry of a map, which has a key and a value; `end` is the offset after it.
    #[inline]
    pub(in crate::engine::decode) fn end_map_entry(
        &mut self,
        frame: &ParentFrame,
        end: usize,
    ) -> Result<(), Full> {
        let Some((entry, slot)) = self.map_slot(frame) else { return Ok(()) };
        if self.entry_unknown {
            self.entry_unknown = false;
            self.drop_last(slot);
            return self.keep_unknown(frame.body.base, frame.tag_start as usize, end);
        }
        self.map_entry_done(entry, slot, frame.body, frame.entry.into())
    }

    /// The map field of an open entry, in the parent `frame`, and the slot of the map.
    #[inline]
    fn map_slot(&self, frame: &ParentFrame) -> Option<(&'r FieldEntry, u32)> {
        let program = self.set.program(frame.body.program);
        let position = frame.entry as usize;
        let entry = program.entries().get(position)?;
        let slot = match program.is_wide() {
            true => self.slab.words().wide_find(frame.body.base, position)?,
            false => frame.body.base + entry.slot as u32,
        };
        Some((entry, slot))
    }

    /// Drops the last entry of the map at `slot`.
    fn drop_last(&mut self, slot: u32) {
        let len = self.slab.words().list(slot).len;
        self.slab.list_truncate(slot, len.saturating_sub(1));
    }

    /// Makes keys unique after an entry was appended to the map at `slot`. Where that may take long, it is left to the
    /// end of the decode, so that hostile keys cost n log n.
    #[inline(always)]
    pub(in crate::engine::decode) fn map_entry_done(
        &mut self,
        entry: &FieldEntry,
        slot: u32,
        body: BodyRef,
        position: usize,
    ) -> Result<(), Full> {
        let context = MapContext { store: self.buf, set: self.set };
        match self.slab.map_entry_done(context, entry, slot) {
            None => Ok(()),
            Some(fresh) => self.slab.settle_later(body, position, slot, fresh),
        }
    }
}

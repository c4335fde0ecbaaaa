//! Deep copies: a message with everything below it into another slab and store. Does not recurse.

use super::store::{Store, StoreFull};
use crate::program::{Coding, Entry, Program, ProgramSet};
use crate::slab::{Full, MapContext, MapScratch, NIL, RawView, Slab, Step, Walk};

/// The copy would be too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

impl From<Full> for TooLarge {
    fn from(_: Full) -> Self {
        Self
    }
}

impl From<StoreFull> for TooLarge {
    fn from(_: StoreFull) -> Self {
        Self
    }
}

/// Where values go.
pub(super) struct Target<'t> {
    pub(super) set: &'t ProgramSet,
    pub(super) slab: &'t mut Slab,
    pub(super) store: &'t mut Store,
}

impl Target<'_> {
    /// Appends bytes to the store and gives their (offset, length).
    pub(super) fn span(&mut self, bytes: &[u8]) -> Result<u64, TooLarge> {
        let offset = self.store.append(bytes)?;
        Ok(offset as u64 | (bytes.len() as u64) << 32)
    }

    /// The body of a singular sub-message, made if the field is not set.
    pub(super) fn open(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &Entry,
    ) -> Result<u32, TooLarge> {
        let sub = self.set.program(entry.sub);
        let (slot, fresh) = self.slab.touch(program, base, position)?;
        if entry.flags.is_inline() {
            if fresh {
                self.slab.clear_body(sub, slot);
            }
            return Ok(slot);
        }
        let old = if fresh { NIL } else { self.slab.get(slot) };
        if old != NIL {
            return Ok(old);
        }
        self.slab.set(slot, NIL);
        let body = self.slab.alloc_body(sub)?;
        self.slab.set(slot, body);
        Ok(body)
    }

    /// The slot of a list, empty if the field was not set.
    pub(super) fn open_list(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
    ) -> Result<u32, TooLarge> {
        let (slot, fresh) = self.slab.touch(program, base, position)?;
        if fresh {
            self.slab.set64(slot, 0);
        }
        Ok(slot)
    }

    /// Appends an empty message to the list at `slot` and gives its body.
    pub(super) fn push(&mut self, entry: &Entry, slot: u32) -> Result<u32, TooLarge> {
        let sub = self.set.program(entry.sub);
        let at = self.slab.list_grow(slot, sub.element_words(), 1)?;
        if sub.is_contiguous() {
            self.slab.clear_body(sub, at);
            return Ok(at);
        }
        self.slab.set(at, NIL);
        let body = self.slab.alloc_body(sub)?;
        self.slab.set(at, body);
        Ok(body)
    }

    /// Copies `source` into the empty body at `base`.
    pub(super) fn copy(&mut self, source: RawView<'_, '_>, base: u32) -> Result<(), TooLarge> {
        let mut walk = Walk::new(source, false, base);
        let mut here = base;
        loop {
            match walk.next(NIL) {
                Step::Field(position, entry, slot) => {
                    self.copy_field(walk.view(), here, position, entry, slot)?
                }
                Step::Enter(position, entry) => {
                    let program = walk.parent_program();
                    here = if entry.flags.is_list() {
                        let slot = self.open_list(program, here, position)?;
                        self.push(entry, slot)?
                    } else {
                        self.open(program, here, position, entry)?
                    };
                    *walk.data() = here;
                }
                Step::End => {
                    self.copy_unknown(walk.view(), here)?;
                    self.settle_maps(walk.view().program(), walk.view().index, here)?;
                    if walk.leave().is_none() {
                        return Ok(());
                    }
                    here = *walk.data();
                }
            }
        }
    }

    fn copy_field(
        &mut self,
        view: RawView<'_, '_>,
        base: u32,
        position: usize,
        entry: &Entry,
        slot: u32,
    ) -> Result<(), TooLarge> {
        let spans = matches!(entry.coding, Coding::String | Coding::Bytes);
        if !entry.flags.is_list() {
            let value = match entry.coding {
                _ if spans => self.span(view.span(slot))?,
                coding if coding.words() == 2 => view.words.get64(slot),
                _ => view.words.get(slot) as u64,
            };
            let (to, _) = self.slab.touch(view.program(), base, position)?;
            if entry.coding.words() == 2 {
                self.slab.set64(to, value);
            } else {
                self.slab.set(to, value as u32);
            }
            return Ok(());
        }
        let list = view.list(entry, slot);
        let to = self.open_list(view.program(), base, position)?;
        let width = entry.coding.words();
        let at = self.slab.list_grow(to, width, list.len())?;
        if !spans {
            let words = list.run();
            for (word, &value) in self.slab.run_mut(at, words.len()).iter_mut().zip(words) {
                *word = value;
            }
            return Ok(());
        }
        for i in 0..list.len() {
            let span = self.span(list.span(i))?;
            self.slab.set64(at + 2 * i, span);
        }
        Ok(())
    }

    fn copy_unknown(&mut self, view: RawView<'_, '_>, base: u32) -> Result<(), TooLarge> {
        for span in view.unknown() {
            let bytes = view.bytes_at(span.offset, span.len);
            let offset = self.store.append(bytes)? as u32;
            match span.tag {
                None => self.slab.add_unknown(base, offset, span.len)?,
                Some(tag) => self.slab.add_unknown_value(base, tag, offset, span.len)?,
            }
        }
        Ok(())
    }

    /// Gives the maps of a message their indices.
    fn settle_maps(&mut self, program: &Program, index: u32, base: u32) -> Result<(), TooLarge> {
        for (position, entry) in program.entries().iter().enumerate().filter(|(_, e)| e.flags.is_map()) {
            let store = self.store.as_slice();
            let view = RawView { words: self.slab.words(), store, set: self.set, index, base };
            if let Some(slot) = view.slot(position, entry) {
                self.slab.map_settle(
                    MapContext { store, set: self.set },
                    entry,
                    slot,
                    &mut MapScratch::new(),
                )?;
            }
        }
        Ok(())
    }
}

/// Words and store bytes that a message takes, everything below it included.
pub(super) fn weigh(view: RawView<'_, '_>) -> (usize, usize) {
    let mut walk = Walk::new(view, false, ());
    let (mut words, mut bytes) = (view.program().words() as usize, 0);
    loop {
        match walk.next(()) {
            Step::Field(_, entry, slot) => {
                let (more_words, more_bytes) = weigh_values(walk.view(), entry, slot);
                words += more_words;
                bytes += more_bytes;
            }
            // One word for the offset in a list, or for what a wide body has beside its header.
            Step::Enter(..) => words += walk.view().program().words() as usize + 1,
            Step::End => {
                for span in walk.view().unknown() {
                    words += 2 + 2 * usize::from(span.tag.is_some());
                    bytes += span.len as usize;
                }
                if walk.leave().is_none() {
                    return (words, bytes);
                }
            }
        }
    }
}

fn weigh_values(view: RawView<'_, '_>, entry: &Entry, slot: u32) -> (usize, usize) {
    let spans = matches!(entry.coding, Coding::String | Coding::Bytes);
    if !entry.flags.is_list() {
        return (0, if spans { view.span(slot).len() } else { 0 });
    }
    let list = view.list(entry, slot);
    let bytes = if spans { (0..list.len()).map(|i| list.span(i).len()).sum() } else { 0 };
    (list.len() as usize * entry.coding.words() as usize, bytes)
}

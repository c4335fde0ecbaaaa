//! Deep copies: a message with everything below it into another slab and store. Does not recurse.

use super::moved::{Moved, MovedSpan};
use super::store::Store;
use super::{CopyError, Prepared};
use crate::program::{Coding, FieldEntry, Program, ProgramSet};
use crate::slab::{
    ByteSpan, Full, MapContext, MapScratch, NIL, Nesting, RawView, Slab, Text, Walk, WalkStep,
};

/// The copy would be too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

impl From<Full> for TooLarge {
    fn from(_: Full) -> Self {
        Self
    }
}

impl From<CopyError> for TooLarge {
    fn from(_: CopyError) -> Self {
        Self
    }
}

/// Where values go.
pub(super) struct Target<'t> {
    pub(super) set: &'t ProgramSet,
    pub(super) slab: &'t mut Slab,
    pub(super) store: &'t mut Store,
}

/// A message that is being copied: its program and body in the copy, and whether it is the outermost verbatim one.
#[derive(Clone, Copy)]
struct Copied {
    index: u32,
    base: u32,
    outermost: bool,
}

/// A copy with a slab and a store of its own, and where its body is.
pub(super) struct Owned {
    pub(super) slab: Slab,
    pub(super) store: Store,
    pub(super) base: u32,
}

impl Owned {
    /// A copy of a message alone.
    pub(super) fn of(source: RawView<'_, '_>) -> Result<Self, TooLarge> {
        let (mut slab, mut store) = (Slab::new(), Store::new());
        slab.set_limit(usize::MAX);
        let base = slab.alloc_body(source.program())?;
        Target { set: source.set, slab: &mut slab, store: &mut store }.copy(source, source.index, base)?;
        Ok(Self { slab, store, base })
    }
}

impl Target<'_> {
    /// Appends bytes to the store and gives their (offset, length).
    pub(super) fn span(&mut self, bytes: &[u8]) -> Result<u64, TooLarge> {
        match self.store.append(bytes) {
            Ok(offset) => Ok(ByteSpan::new(offset as u64, bytes.len() as u64).word()),
            Err(_) => {
                self.slab.distrust();
                Err(TooLarge)
            }
        }
    }

    /// Appends bytes to the store and gives what a slot of this coding holds for them.
    pub(super) fn value_span(&mut self, coding: Coding, bytes: &[u8]) -> Result<u64, TooLarge> {
        let span = self.span(bytes)?;
        Ok(self.marked(coding, span))
    }

    /// An (offset, length) in the store as a slot of this coding holds it: marked, if it is a string that has to be UTF-8. Such
    /// strings have been checked, so that is what they are here as well.
    fn marked(&self, coding: Coding, span: u64) -> u64 {
        let bytes = ByteSpan::from_word(span);
        let text = || Text::check(self.store.as_slice(), bytes.offset(), bytes.len() as usize);
        if coding == Coding::String { text().map_or(span, Text::pair) } else { span }
    }

    /// The body of a singular sub-message, made if the field is not set.
    pub(super) fn open(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &FieldEntry,
    ) -> Result<u32, TooLarge> {
        let sub = self.set.program(entry.sub);
        if entry.flags.is_inline() {
            let (slot, fresh) = self.slab.mark_set(program, base, position)?;
            if fresh {
                self.slab.clear_body(sub, slot);
            }
            return Ok(slot);
        }
        let slot = self.slab.words().slot(program, base, position, entry);
        let old = slot.map_or(NIL, |slot| self.slab.get(slot));
        if old != NIL {
            return Ok(old);
        }
        let body = self.slab.alloc_body(sub)?;
        self.attach(program, base, position, entry, body)?;
        Ok(body)
    }

    /// A body for a message that is made aside, and attached once it is whole.
    pub(super) fn aside(&mut self, entry: &FieldEntry) -> Result<u32, TooLarge> {
        Ok(self.slab.alloc_body(self.set.program(entry.sub))?)
    }

    /// As `aside`, of a message that is bytes.
    pub(super) fn aside_raw(&mut self, entry: &FieldEntry, prepared: &Prepared) -> Result<u32, TooLarge> {
        let nesting = Nesting::known(prepared.depth());
        let in_place = if entry.flags.is_list() {
            self.set.program(entry.sub).is_contiguous()
        } else {
            entry.flags.is_inline()
        };
        let bytes = self.span(prepared.as_bytes())?;
        let body = if in_place {
            let body = self.aside(entry)?;
            self.slab.make_raw(body, nesting)?;
            body
        } else {
            self.slab.alloc_raw(nesting)?
        };
        self.slab.add_verbatim(body, bytes as u32, (bytes >> 32) as u32)?;
        Ok(body)
    }

    /// Makes a message that was made aside the value of a singular field.
    pub(super) fn attach(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &FieldEntry,
        body: u32,
    ) -> Result<(), TooLarge> {
        let (slot, _) = self.slab.mark_set(program, base, position)?;
        self.place_body(entry, slot, entry.flags.is_inline(), body);
        Ok(())
    }

    /// Puts a message that was made aside at `at`, or has it referred to from there.
    pub(super) fn place_body(&mut self, entry: &FieldEntry, at: u32, in_place: bool, body: u32) {
        let sub = self.set.program(entry.sub);
        if in_place {
            self.slab.copy_words(body, sub.words() as usize, at);
            self.slab.add_garbage(sub.words() as usize);
        } else {
            self.slab.set(at, body);
        }
    }

    /// The slot of an empty list that is made aside.
    pub(super) fn list_aside(&mut self) -> Result<u32, TooLarge> {
        let slot = self.slab.alloc(2)?;
        self.slab.set64(slot, 0);
        Ok(slot)
    }

    /// Makes the list at `aside` the value of a field.
    pub(super) fn attach_list(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        aside: u32,
    ) -> Result<(), TooLarge> {
        let header = self.slab.words().get64(aside);
        let (slot, _) = self.slab.mark_set(program, base, position)?;
        self.slab.set64(slot, header);
        self.slab.add_garbage(2);
        Ok(())
    }

    /// The slot of a list, empty if the field was not set.
    pub(super) fn open_list(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
    ) -> Result<u32, TooLarge> {
        let (slot, fresh) = self.slab.mark_set(program, base, position)?;
        if fresh {
            self.slab.set64(slot, 0);
        }
        Ok(slot)
    }

    /// Appends an empty message to the list at `slot` and gives its body.
    pub(super) fn push(&mut self, entry: &FieldEntry, slot: u32) -> Result<u32, TooLarge> {
        let sub = self.set.program(entry.sub);
        if sub.is_contiguous() {
            let at = self.slab.list_grow(slot, sub.element_words(), 1)?;
            self.slab.clear_body(sub, at);
            return Ok(at);
        }
        let body = self.slab.alloc_body(sub)?;
        let at = self.slab.list_grow(slot, 1, 1)?;
        self.slab.set(at, body);
        Ok(body)
    }

    /// Appends a message that was made aside to the list at `slot`.
    pub(super) fn push_body(&mut self, entry: &FieldEntry, slot: u32, body: u32) -> Result<(), TooLarge> {
        let sub = self.set.program(entry.sub);
        let at = self.slab.list_grow(slot, sub.element_words(), 1)?;
        self.place_body(entry, at, sub.is_contiguous(), body);
        Ok(())
    }

    /// Makes the singular sub-message of an unset field raw, without bytes yet, and gives its body.
    pub(super) fn open_raw(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &FieldEntry,
        nesting: Nesting,
    ) -> Result<u32, TooLarge> {
        let (slot, _) = self.slab.mark_set(program, base, position)?;
        self.raw_at(entry, slot, entry.flags.is_inline(), nesting)
    }

    /// Appends a raw message to the list at `slot` and gives its body.
    pub(super) fn push_raw(
        &mut self,
        entry: &FieldEntry,
        slot: u32,
        nesting: Nesting,
    ) -> Result<u32, TooLarge> {
        let sub = self.set.program(entry.sub);
        let at = self.slab.list_grow(slot, sub.element_words(), 1)?;
        self.raw_at(entry, at, sub.is_contiguous(), nesting)
    }

    /// A raw message at `at`, or referred to from there.
    pub(super) fn raw_at(
        &mut self,
        entry: &FieldEntry,
        at: u32,
        in_place: bool,
        nesting: Nesting,
    ) -> Result<u32, TooLarge> {
        if in_place {
            self.slab.clear_body(self.set.program(entry.sub), at);
            self.slab.make_raw(at, nesting)?;
            return Ok(at);
        }
        self.slab.set(at, NIL);
        let body = self.slab.alloc_raw(nesting)?;
        self.slab.set(at, body);
        Ok(body)
    }

    /// Copies `source` into the empty body at `base`, of program `index`, which is of the same message type.
    pub(super) fn copy(&mut self, source: RawView<'_, '_>, index: u32, base: u32) -> Result<(), TooLarge> {
        let mut moved = Moved::default();
        let outermost = self.copy_verbatim(source, base, &mut moved)?;
        let none = Copied { index: 0, base: NIL, outermost: false };
        let mut walk = Walk::new(source, Copied { index, base, outermost });
        loop {
            walk.make_room()?;
            let Copied { index, base: here, outermost } = *walk.data();
            match walk.next(none) {
                WalkStep::Field(position, entry, slot) => {
                    self.copy_field(walk.view(), here, position, entry, slot, &moved)?;
                }
                WalkStep::Enter(position) => {
                    // What is fields in the source may be laid out by another program here, in the same slots.
                    let program = self.set.program(index);
                    let Some(entry) = program.entries().get(position) else { return Err(TooLarge) };
                    let child = walk.view();
                    let nesting = child.words.nesting(child.base);
                    let body = if entry.flags.is_list() {
                        let slot = self.open_list(program, here, position)?;
                        match nesting {
                            Some(nesting) => self.push_raw(entry, slot, nesting)?,
                            None => self.push(entry, slot)?,
                        }
                    } else {
                        match nesting {
                            Some(nesting) => self.open_raw(program, here, position, entry, nesting)?,
                            None => self.open(program, here, position, entry)?,
                        }
                    };
                    let outermost = self.copy_verbatim(child, body, &mut moved)?;
                    *walk.data() = Copied { index: entry.sub, base: body, outermost };
                }
                WalkStep::End => {
                    if !walk.view().is_verbatim() {
                        self.copy_unknown(walk.view(), here, &moved)?;
                    }
                    if outermost {
                        moved.spans.clear();
                    }
                    self.settle_maps(self.set.program(index), index, here)?;
                    if walk.leave().is_none() {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn copy_field(
        &mut self,
        view: RawView<'_, '_>,
        base: u32,
        position: usize,
        entry: &FieldEntry,
        slot: u32,
        moved: &Moved,
    ) -> Result<(), TooLarge> {
        let spans = matches!(entry.coding, Coding::String | Coding::Bytes);
        if !entry.flags.is_list() {
            let value = match entry.coding {
                coding if spans => self.copy_value(view, coding, view.words.get64(slot), moved)?,
                coding if coding.words() == 2 => view.words.get64(slot),
                _ => view.words.get(slot) as u64,
            };
            let (to, _) = self.slab.mark_set(view.program(), base, position)?;
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
            let copied = self.copy_value(view, entry.coding, list.word64(i), moved);
            let Ok(value) = copied else {
                // The rest of the list has not been written to.
                let before = self.slab.words().list(to).len - list.len();
                self.slab.list_truncate(to, before + i);
                return Err(TooLarge);
            };
            self.slab.set64(at + 2 * i, value);
        }
        Ok(())
    }

    /// What a slot of this coding holds for a string or bytes of the source.
    #[inline]
    fn copy_value(
        &mut self,
        view: RawView<'_, '_>,
        coding: Coding,
        pair: u64,
        moved: &Moved,
    ) -> Result<u64, TooLarge> {
        if coding == Coding::String && moved.spans.is_empty() {
            return match self.store.room(ByteSpan::from_word(pair).len() as usize) {
                Ok(room) => Ok(Text::copy(view.words, view.store, pair, room)),
                Err(_) => {
                    self.slab.distrust();
                    Err(TooLarge)
                }
            };
        }
        let span = self.copy_span(view, pair, moved)?;
        Ok(self.marked(coding, span))
    }

    /// The (offset, length) in this store of bytes of the source.
    fn copy_span(&mut self, view: RawView<'_, '_>, span: u64, moved: &Moved) -> Result<u64, TooLarge> {
        let span = ByteSpan::from_word(span);
        let (offset, len) = (span.offset() as u32, span.len() as u32);
        match moved.find(offset, len) {
            Some(offset) => Ok(ByteSpan::new(offset.into(), len.into()).word()),
            None => self.span(view.bytes_at(offset, len)),
        }
    }

    fn copy_unknown(&mut self, view: RawView<'_, '_>, base: u32, moved: &Moved) -> Result<(), TooLarge> {
        for span in view.spans() {
            let bytes = ByteSpan::new(span.offset.into(), span.len.into());
            let offset = self.copy_span(view, bytes.word(), moved)? as u32;
            match span.tag {
                None => self.slab.add_unknown(base, offset, span.len)?,
                Some(tag) => self.slab.add_unknown_value(base, tag, offset, span.len)?,
            }
        }
        Ok(())
    }

    /// Makes the copy of a verbatim message one. Its bytes are copied unless they are in those of a message around it;
    /// says whether there is none.
    fn copy_verbatim(
        &mut self,
        view: RawView<'_, '_>,
        base: u32,
        moved: &mut Moved,
    ) -> Result<bool, TooLarge> {
        if !view.is_verbatim() {
            return Ok(false);
        }
        let outermost = moved.spans.is_empty();
        self.slab.add_verbatim(base, 0, 0)?;
        for span in view.spans() {
            let to = match moved.find(span.offset, span.len) {
                Some(to) => to,
                None => {
                    let to = self.span(view.bytes_at(span.offset, span.len))? as u32;
                    moved.add(MovedSpan { from: span.offset, len: span.len, to })?;
                    to
                }
            };
            self.slab.add_verbatim(base, to, span.len)?;
        }
        Ok(outermost)
    }

    /// Gives the maps of a message their indices.
    fn settle_maps(&mut self, program: &Program, index: u32, base: u32) -> Result<(), TooLarge> {
        if !program.has_maps() {
            return Ok(());
        }
        let (store, set) = (self.store.as_slice(), self.set);
        let mut fields = RawView { words: self.slab.words(), store, set, index, base }.set_fields();
        // Settling moves no field.
        while let Some((_, entry, slot)) = fields.next_of(program, self.slab.words(), base) {
            if entry.flags.is_map() {
                let context = MapContext { store, set };
                self.slab.map_settle(context, entry, slot, u32::MAX, &mut MapScratch::new())?;
            }
        }
        Ok(())
    }
}

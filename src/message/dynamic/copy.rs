//! Deep copies: a message with its sub-messages, into another slab and store. Does not recurse.

use super::store::Store;
use crate::engine::slab::{BodyRef, ByteSpan, Full, MapContext, NIL, RawView, Slab, Text, Walk, WalkStep};
use crate::message::edit::slab_writer::{SlabWriter, TooLarge};
use crate::schema::program::{Coding, FieldEntry};
use alloc::vec::Vec;

/// A message being copied: where its copy is, and whether it is the outermost verbatim one.
#[derive(Clone, Copy)]
struct CopyFrame {
    body: BodyRef,
    outermost: bool,
}

/// A copy in a slab and a store of its own.
pub(in crate::message) struct Owned {
    pub(in crate::message) slab: Slab,
    pub(in crate::message) store: Store,
    pub(in crate::message) base: u32,
}

impl Owned {
    /// Copies a message. Garbage in its slab and unused bytes of its store are not copied.
    pub(in crate::message) fn of(source: RawView<'_, '_>) -> Result<Self, TooLarge> {
        let (mut slab, mut store) = (Slab::new(), Store::new());
        if source.body.base == NIL {
            return Ok(Self { slab, store, base: NIL });
        }
        slab.set_limit(usize::MAX);
        let base = slab.alloc_outermost(source.program())?;
        let body = BodyRef { base, ..source.body };
        SlabWriter { set: source.set, slab: &mut slab, store: &mut store }.copy(source, body)?;
        Ok(Self { slab, store, base })
    }
}

impl SlabWriter<'_> {
    /// Copies `source` into an empty body. The program of the body must be of the same message type.
    pub(in crate::message) fn copy(
        &mut self,
        source: RawView<'_, '_>,
        body: BodyRef,
    ) -> Result<(), TooLarge> {
        let mut copied = CopiedSpans::default();
        let outermost = self.copy_verbatim(source, body.base, &mut copied)?;
        let none = CopyFrame { body: BodyRef::NONE, outermost: false };
        let mut walk = Walk::new(source, CopyFrame { body, outermost });
        loop {
            walk.make_room()?;
            let CopyFrame { body: here, outermost } = *walk.data();
            match walk.next(none) {
                WalkStep::Field(position, entry, slot) => {
                    self.copy_field(walk.view(), here.base, position, entry, slot, &copied)?;
                }
                WalkStep::Enter(position) => {
                    // The copy may use another program of the same type: other operations, the same slots.
                    let program = self.set.program(here.program);
                    let Some(entry) = program.entries().get(position) else { return Err(TooLarge) };
                    let child = walk.view();
                    let nesting = child.words.nesting(child.body.base);
                    let empty = child.body.base == NIL;
                    let base = if entry.flags.is_list() {
                        let slot = self.open_list(program, here.base, position)?;
                        match nesting {
                            Some(nesting) => self.push_raw(entry, slot, nesting)?,
                            None if empty => self.push_empty(entry, slot)?,
                            None => self.push(entry, slot)?,
                        }
                    } else {
                        match nesting {
                            Some(nesting) => self.open_raw(program, here.base, position, entry, nesting)?,
                            None if empty => self.open_empty(program, here.base, position, entry)?,
                            None => self.open(program, here.base, position, entry)?,
                        }
                    };
                    let outermost = self.copy_verbatim(child, base, &mut copied)?;
                    *walk.data() = CopyFrame { body: BodyRef::of(entry, base), outermost };
                }
                WalkStep::End => {
                    if !walk.view().is_verbatim() {
                        self.copy_unknown(walk.view(), here.base, &copied)?;
                    }
                    if outermost {
                        copied.spans.clear();
                    }
                    self.settle_maps(here)?;
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
        copied: &CopiedSpans,
    ) -> Result<(), TooLarge> {
        let spans = matches!(entry.coding, Coding::String | Coding::Bytes);
        if !entry.flags.is_list() {
            let value = match entry.coding {
                coding if spans => self.copy_value(view, coding, view.words.get64(slot), copied)?,
                _ => view.scalar(entry, slot),
            };
            let (to, _) = self.slab.mark_set(view.program(), base, position)?;
            self.slab.set_words(to, entry.coding.words(), value);
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
            let copied = self.copy_value(view, entry.coding, list.word64(i), copied);
            let Ok(value) = copied else {
                // Drop the elements that were not written.
                let before = self.slab.words().list(to).len - list.len();
                self.slab.list_truncate(to, before + i);
                return Err(TooLarge);
            };
            self.slab.set64(at + 2 * i, value);
        }
        Ok(())
    }

    /// What a slot of this coding holds for a copy of the source's string or bytes.
    #[inline]
    fn copy_value(
        &mut self,
        view: RawView<'_, '_>,
        coding: Coding,
        pair: u64,
        copied: &CopiedSpans,
    ) -> Result<u64, TooLarge> {
        if coding == Coding::String && copied.spans.is_empty() {
            return match self.store.room(ByteSpan::from_word(pair).len() as usize) {
                Ok(room) => Ok(Text::copy(view.words, view.store, pair, room)),
                Err(_) => {
                    self.slab.distrust();
                    Err(TooLarge)
                }
            };
        }
        let span = self.copy_span(view, pair, copied)?;
        Ok(self.marked(coding, span))
    }

    /// The span in this store of bytes of the source.
    fn copy_span(&mut self, view: RawView<'_, '_>, span: u64, copied: &CopiedSpans) -> Result<u64, TooLarge> {
        let span = ByteSpan::from_word(span);
        let (offset, len) = (span.offset() as u32, span.len() as u32);
        match copied.find(offset, len) {
            Some(offset) => Ok(ByteSpan::new(offset.into(), len.into()).word()),
            None => self.span(view.bytes_at(offset, len)),
        }
    }

    fn copy_unknown(
        &mut self,
        view: RawView<'_, '_>,
        base: u32,
        copied: &CopiedSpans,
    ) -> Result<(), TooLarge> {
        for span in view.spans() {
            let bytes = ByteSpan::new(span.offset.into(), span.len.into());
            let offset = self.copy_span(view, bytes.word(), copied)? as u32;
            match span.tag {
                None => self.slab.add_unknown(base, offset, span.len)?,
                Some(tag) => self.slab.add_unknown_value(base, tag, offset, span.len)?,
            }
        }
        Ok(())
    }

    /// Makes the copy of a verbatim message verbatim. Copies its bytes, unless an enclosing verbatim message has done so
    /// already. Returns whether this is the outermost verbatim message.
    fn copy_verbatim(
        &mut self,
        view: RawView<'_, '_>,
        base: u32,
        copied: &mut CopiedSpans,
    ) -> Result<bool, TooLarge> {
        if !view.is_verbatim() {
            return Ok(false);
        }
        let outermost = copied.spans.is_empty();
        self.slab.add_verbatim(base, 0, 0)?;
        for span in view.spans() {
            let to = match copied.find(span.offset, span.len) {
                Some(to) => to,
                None => {
                    let to = self.span(view.bytes_at(span.offset, span.len))? as u32;
                    copied.add(CopiedSpan { from: span.offset, len: span.len, to })?;
                    to
                }
            };
            self.slab.add_verbatim(base, to, span.len)?;
        }
        Ok(outermost)
    }

    /// Builds the indices of a message's maps.
    fn settle_maps(&mut self, body: BodyRef) -> Result<(), TooLarge> {
        let program = self.set.program(body.program);
        if !program.has_maps() {
            return Ok(());
        }
        let (store, set) = (self.store.as_slice(), self.set);
        let mut fields = RawView { words: self.slab.words(), store, set, body }.set_fields();
        // Settling does not move slots.
        while let Some((_, entry, slot)) = fields.next_of(program, self.slab.words(), body.base) {
            if entry.flags.is_map() {
                let context = MapContext { store, set };
                self.slab.map_settle(context, entry, slot, u32::MAX)?;
            }
        }
        Ok(())
    }
}

// `CopiedSpans`: where a copy has put the bytes of a verbatim message.

/// The copied spans of the outermost verbatim message. The bytes of its sub-messages lie inside them and are not copied
/// again.
#[derive(Default)]
pub(in crate::message) struct CopiedSpans {
    /// Sorted by their offset in the source.
    pub(in crate::message) spans: Vec<CopiedSpan>,
}

#[derive(Clone, Copy)]
pub(in crate::message) struct CopiedSpan {
    pub(in crate::message) from: u32,
    pub(in crate::message) len: u32,
    pub(in crate::message) to: u32,
}

impl CopiedSpans {
    /// Adds a span.
    pub(in crate::message) fn add(&mut self, span: CopiedSpan) -> Result<(), Full> {
        self.spans.try_reserve(1).map_err(|_| Full::NoMemory)?;
        // Occurrences come in wire order, so this is usually the end.
        let at = self.spans.partition_point(|copied| copied.from <= span.from);
        self.spans.insert(at, span);
        Ok(())
    }

    /// The offset in the copy of bytes of the source, if they were copied.
    pub(in crate::message) fn find(&self, offset: u32, len: u32) -> Option<u32> {
        let at = self.spans.partition_point(|copied| copied.from <= offset).checked_sub(1)?;
        let copied = self.spans.get(at)?;
        let inside = u64::from(offset) + u64::from(len) <= u64::from(copied.from) + u64::from(copied.len);
        inside.then(|| copied.to + (offset - copied.from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use crate::wire::MAX_LEN;
    use alloc::vec;

    /// The copy of a string for which a store that is not empty has no room.
    #[test]
    fn no_mark_is_believed_after_a_copy_that_did_not_fit() {
        for presence in [Presence::Explicit, Presence::Repeated] {
            let fields = vec![FieldSpec::new(1, Kind::String, presence)];
            let set = ProgramSet::new(&[MessageSpec { fields, ..Default::default() }], &[]).unwrap();
            let slab = || {
                let mut slab = Slab::new();
                slab.set_limit(1 << 16);
                let base = slab.alloc_body(set.program(0)).unwrap();
                (slab, BodyRef { program: 0, base })
            };
            let (mut source, from) = slab();
            let long = (MAX_LEN as u64) << 32;
            match presence {
                Presence::Repeated => {
                    let slot = source.open_list(set.program(0), from.base, 0).unwrap();
                    let at = source.list_grow(slot, 2, 1).unwrap();
                    source.set64(at, long);
                }
                _ => {
                    let (slot, _) = source.mark_set(set.program(0), from.base, 0).unwrap();
                    source.set64(slot, long);
                }
            }
            let (mut copy, to) = slab();
            let mut store = Store::new();
            store.append(b"x").unwrap();
            let view = RawView { words: source.words(), store: b"", set: &set, body: from };
            let copied = SlabWriter { set: &set, slab: &mut copy, store: &mut store }.copy(view, to);
            assert!(copied.is_err() && !copy.is_trusted());
        }
    }
}

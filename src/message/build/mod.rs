//! [`MessageBuilder`]: what parsers of text write a message with, straight into slab and store.
//!
//! Fields are given by program, body and position. Presence is set before a value is written and the value is written at once, so
//! the message is valid whenever a parser gives up. Lists grow in their place. Maps are made aside where they come as a whole
//! (`map_aside.rs`), and in their place where their entries come one by one.

use super::DynamicMessage;
use super::dynamic::MERGE_FACTOR;
use super::dynamic::store::Store;
use crate::engine::decode;
use crate::engine::encode::{raw_len, try_encode_raw};
use crate::engine::slab::{BodyRef, MapContext, NIL, RawView, Slab, Text};
use crate::schema::pool::DescriptorPool;
use crate::schema::program::{Coding, FieldEntry, ProgramSet};
use crate::wire::error::{EncodeError, EncodeErrorKind};
use crate::wire::{Full, MAX_LEN};
use alloc::vec::Vec;

pub(super) mod detached;
#[cfg(feature = "json")]
pub(super) mod map_aside;

/// A field of a message that is being made: the message, and the position of the field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldAt {
    pub(crate) body: BodyRef,
    pub(crate) position: usize,
}

/// Slab and store of a message that is being made.
pub(crate) struct MessageBuilder<'p> {
    pub(crate) set: &'p ProgramSet,
    pub(super) slab: Slab,
    pub(super) store: Vec<u8>,
    /// What the store may take before it is charged to the slab.
    allowance: usize,
}

impl<'p> MessageBuilder<'p> {
    /// An empty slab and store, which may take what this one has left.
    pub(crate) fn inner(&self) -> Self {
        let mut slab = Slab::new();
        slab.set_limit(self.slab.left());
        Self::new(self.set, slab, Vec::new(), 0)
    }

    fn new(set: &'p ProgramSet, slab: Slab, store: Vec<u8>, allowance: usize) -> Self {
        Self { set, slab, store, allowance }
    }

    /// Empties slab and store, of which the first `start` bytes stay, and gives the slab at once what the store and the parser leave
    /// of its limit. False if it has that already; then the contents stay.
    ///
    /// # Errors
    /// The allocator failed. The contents are gone.
    #[cold]
    fn start_over(&mut self, limit: usize, start: usize) -> Result<bool, Full> {
        let begins = self.slab.start_over(limit);
        if begins != Ok(false) {
            self.store.truncate(start);
            self.store.shrink_to(start);
        }
        begins
    }

    /// An empty message of this program.
    pub(crate) fn root(&mut self, program: u32) -> Result<BodyRef, Full> {
        Ok(BodyRef { program, base: self.slab.alloc_body(self.set.program(program))? })
    }

    /// A message to read.
    pub(crate) fn view(&self, body: BodyRef) -> RawView<'_, '_> {
        RawView { words: self.slab.words(), store: &self.store, set: self.set, body }
    }

    /// The message as bytes, which are charged before they are made. Required fields are not checked.
    pub(crate) fn encoded(&mut self, body: BodyRef) -> Result<Vec<u8>, Full> {
        // Nothing else is checked.
        let failed = |error: EncodeError| match error.kind() {
            EncodeErrorKind::OutOfMemory => Full::NoMemory,
            _ => Full::TooLarge,
        };
        let len = raw_len(self.view(body)).map_err(failed)?;
        self.charge(len)?;
        try_encode_raw(self.view(body)).map_err(failed)
    }

    /// Makes room for `more` elements in a list of a parser. A list that has to grow gets room for at least `least` more, and for twice what
    /// it had. The budget pays for the room.
    #[inline]
    pub(crate) fn make_room<T>(&mut self, list: &mut Vec<T>, more: usize, least: usize) -> Result<(), Full> {
        match list.capacity() - list.len() < more {
            true => self.grow(list, more.max(least)),
            false => Ok(()),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), Full> {
        let more = more.max(list.capacity());
        self.charge(2 * more * size_of::<T>())?;
        list.try_reserve_exact(more).map_err(|_| Full::NoMemory)
    }

    /// Takes memory that is used elsewhere from what is left.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Full> {
        self.slab.charge(bytes)
    }

    /// Allows so many bytes more.
    #[cfg(feature = "serde")]
    pub(crate) fn allow(&mut self, bytes: usize) {
        self.slab.raise_limit(bytes);
    }

    /// The store, with room for so many bytes more. They may only be appended.
    #[inline]
    pub(crate) fn store(&mut self, more: usize) -> Result<&mut Vec<u8>, Full> {
        if self.store.capacity() - self.store.len() < more {
            self.grow_store(more)?;
        }
        Ok(&mut self.store)
    }

    #[cold]
    #[inline(never)]
    fn grow_store(&mut self, more: usize) -> Result<(), Full> {
        let grown = self.try_grow_store(more);
        if grown.is_err() {
            // As after every failure, marks are no longer trusted.
            self.slab.distrust();
        }
        grown
    }

    fn try_grow_store(&mut self, more: usize) -> Result<(), Full> {
        let least = self.store.len().checked_add(more).filter(|&len| len <= MAX_LEN).ok_or(Full::TooLarge)?;
        let capacity = least.max(self.store.capacity().saturating_mul(2)).clamp(64, MAX_LEN);
        let given = capacity.min(self.allowance);
        self.slab.charge(capacity - given)?;
        self.allowance -= given;
        self.store.try_reserve_exact(capacity - self.store.len()).map_err(|_| Full::NoMemory)
    }

    /// The offset of the next byte of the store.
    #[inline]
    pub(crate) fn mark(&self) -> usize {
        self.store.len()
    }

    /// What a slot of this coding holds for the bytes from `start` to the end of the store; `None` if they have to be UTF-8 and
    /// are not.
    #[inline]
    pub(crate) fn span(&self, coding: Coding, start: usize) -> Option<u64> {
        let len = self.store.len() - start;
        match coding {
            Coding::String => Text::check(&self.store, start, len).map(Text::pair),
            _ => Some(start as u64 | (len as u64) << 32),
        }
    }

    /// Appends the first `len` bytes of `rest` to the store, and returns what a slot of this coding holds for them. They are
    /// a `str`, so they are not checked again.
    #[cfg(feature = "json")]
    #[inline]
    pub(crate) fn text(&mut self, coding: Coding, rest: &str, len: usize) -> Result<u64, Full> {
        let (start, store) = (self.store.len(), self.store(len.max(Text::WINDOW))?);
        Ok(match Text::append(store, rest, len) {
            Some(text) if coding == Coding::String => text.pair(),
            Some(_) => start as u64 | (len as u64) << 32,
            None => start as u64,
        })
    }

    /// Sets a scalar to the word or two of its slot.
    #[inline]
    pub(crate) fn set(&mut self, at: FieldAt, coding: Coding, word: u64) -> Result<(), Full> {
        let (slot, _) = self.slab.mark_set(self.set.program(at.body.program), at.body.base, at.position)?;
        self.slab.set_words(slot, coding.words(), word);
        Ok(())
    }

    /// As [`set`](Self::set), for a field of a message that is not wide, in no oneof, which needs no memory.
    #[cfg(feature = "json")]
    #[inline(always)]
    pub(crate) fn set_plain(&mut self, base: u32, entry: &FieldEntry, word: u64) {
        let mut body = self.slab.body_mut(base);
        body.mark(entry.bit);
        if entry.coding.words() == 2 {
            body.set64(entry.slot, word);
        } else {
            body.set(entry.slot, word as u32);
        }
    }

    /// Sets the `value` of a `google.protobuf.Any` to its content, encoded; it is unset if that is empty.
    pub(crate) fn set_any_value(&mut self, any: BodyRef, content: &[u8]) -> Result<(), Full> {
        let at = FieldAt { body: any, position: 1 };
        if content.is_empty() {
            self.unset(at);
            return Ok(());
        }
        // The caller holds the content while it is copied.
        self.charge(content.len())?;
        let mark = self.mark();
        self.store(content.len())?.extend_from_slice(content);
        let span = self.span(Coding::Bytes, mark).ok_or(Full::TooLarge)?;
        self.set(at, Coding::Bytes, span)
    }

    /// Unsets a field.
    pub(crate) fn unset(&mut self, at: FieldAt) {
        self.slab.mark_unset(self.set.program(at.body.program), at.body.base, at.position);
    }

    /// The slot of a field, if it is set.
    pub(crate) fn slot(&self, at: FieldAt) -> Option<u32> {
        let program = self.set.program(at.body.program);
        let entry = program.entries().get(at.position)?;
        self.slab.words().slot(program, at.body.base, at.position, entry)
    }

    /// The body of a singular message, made if the field is not set.
    pub(crate) fn message(&mut self, at: FieldAt, entry: &FieldEntry) -> Result<u32, Full> {
        let (program, sub) = (self.set.program(at.body.program), self.set.program(entry.sub));
        self.slab.open_child((program, at.body.base), at.position, entry, sub)
    }

    /// Sets a singular message that stays empty, unless it is set.
    pub(crate) fn empty_message(&mut self, at: FieldAt, entry: &FieldEntry) -> Result<(), Full> {
        if entry.flags.is_inline() {
            self.message(at, entry)?;
        } else if self.slot(at).is_none() {
            let (slot, _) =
                self.slab.mark_set(self.set.program(at.body.program), at.body.base, at.position)?;
            self.slab.set(slot, NIL);
        }
        Ok(())
    }

    /// The header of a list, which is empty if the field was not set. An element must follow.
    #[inline]
    pub(crate) fn list(&mut self, at: FieldAt) -> Result<u32, Full> {
        self.slab.open_list(self.set.program(at.body.program), at.body.base, at.position)
    }

    /// Unsets a list that is empty because there was no room for its first element.
    pub(super) fn drop_empty(&mut self, at: FieldAt, slot: u32) {
        if self.slab.words().list(slot).len == 0 {
            self.unset(at);
        }
    }

    /// Appends scalars, given as the words of their slots, to the list of a field; `slot` is where it is, or `NIL` to begin with.
    #[cfg(feature = "json")]
    pub(crate) fn extend(
        &mut self,
        at: FieldAt,
        slot: &mut u32,
        coding: Coding,
        words: &[u32],
    ) -> Result<(), Full> {
        if words.is_empty() {
            return Ok(());
        }
        if *slot == NIL {
            *slot = self.list(at)?;
        }
        match self.slab.list_extend(*slot, coding.words(), words.len() as u32 / coding.words()) {
            Ok(element) => {
                let run = self.slab.run_mut(element, words.len());
                run.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
                Ok(())
            }
            Err(full) => {
                self.drop_empty(at, *slot);
                Err(full)
            }
        }
    }

    /// Appends a scalar to the list of a field; `slot` is where it is, or `NIL` to begin with.
    #[inline]
    pub(crate) fn push(
        &mut self,
        at: FieldAt,
        slot: &mut u32,
        coding: Coding,
        word: u64,
    ) -> Result<(), Full> {
        if *slot == NIL {
            *slot = self.list(at)?;
        }
        match self.slab.list_extend(*slot, coding.words(), 1) {
            Ok(element) => {
                self.slab.set_words(element, coding.words(), word);
                Ok(())
            }
            Err(full) => {
                self.drop_empty(at, *slot);
                Err(full)
            }
        }
    }

    /// Appends an empty message to the list of a field, and returns its body; `NIL` if it is to stay empty and can.
    pub(crate) fn push_message(
        &mut self,
        at: FieldAt,
        slot: &mut u32,
        entry: &FieldEntry,
        empty: bool,
    ) -> Result<u32, Full> {
        if *slot == NIL {
            *slot = self.list(at)?;
        }
        let sub = self.set.program(entry.sub);
        let pushed = if empty && !sub.is_contiguous() {
            self.slab.list_grow(*slot, 1, 1).map(|element| {
                self.slab.set(element, NIL);
                NIL
            })
        } else {
            self.push_body(*slot, entry)
        };
        if pushed.is_err() {
            self.drop_empty(at, *slot);
        }
        pushed
    }

    pub(super) fn push_body(&mut self, slot: u32, entry: &FieldEntry) -> Result<u32, Full> {
        let sub = self.set.program(entry.sub);
        match self.slab.list_push_body(slot, sub) {
            Some(body) => {
                self.slab.clear_body(sub, body);
                Ok(body)
            }
            None => self.slab.list_more(slot, sub),
        }
    }
}

/// How a builder gets a message, and gives it back.
impl DynamicMessage {
    /// Lends slab and store to a parser of `len` bytes of text, and puts them back when it is done. The message is made anew if it
    /// is empty and `budget` was used up because its slab had to move, as a decode does.
    ///
    /// `parse` gets the builder, the pool, the program and the body.
    pub(crate) fn built<E>(
        &mut self,
        len: usize,
        budget: usize,
        mut parse: impl for<'p> FnMut(&mut MessageBuilder<'p>, &'p DescriptorPool, BodyRef) -> Result<(), E>,
        is_budget: impl Fn(&E) -> bool,
        no_room: impl Fn(Full) -> E,
    ) -> Result<(), E> {
        let (descriptor, slab, store, base) = self.parts();
        let allowance = budget.min(len.saturating_mul(8)) / 4;
        let budget = budget - allowance;
        let share = decode::slab_share(budget);
        let (pool, index) = (descriptor.parent_pool(), descriptor.index());
        let set = pool.programs();
        let bytes = store.take().map_err(&no_room)?;
        let start = bytes.len();
        // Bytes that the message holds already may move to twice the room; that does not count against the budget of the text.
        let allowance = allowance.saturating_add(start.saturating_mul(2));
        let mut builder = MessageBuilder::new(set, core::mem::take(slab), bytes, allowance);
        // Without its slab there is no body either, should `parse` panic.
        let mut root = core::mem::replace(base, NIL);
        let held = builder.slab.capacity();
        let anew = root == NIL;
        if anew {
            builder.slab.clear();
        }
        // As in a decode, what an empty message has from before does not count.
        let moved = if anew { 0 } else { MERGE_FACTOR.saturating_mul(held) };
        builder.slab.set_limit(share.saturating_add(moved));
        if held == 0 {
            builder.slab.expect((set.program(index).words() as usize + len / 8).min(budget / 16));
        }
        let result = loop {
            if root == NIL {
                match builder.root(index) {
                    Ok(body) => root = body.base,
                    Err(full) => break Err(no_room(full)),
                }
            }
            match parse(&mut builder, pool, BodyRef { program: index, base: root }) {
                Err(error) if anew && is_budget(&error) => match builder.start_over(share, start) {
                    Ok(true) => (builder.allowance, root) = (allowance, NIL),
                    Ok(false) => break Err(error),
                    Err(_) => {
                        root = NIL;
                        break Err(error);
                    }
                },
                result => break result,
            }
        };
        if result.is_err() {
            builder.slab.distrust();
        }
        builder.slab.expect_no_more();
        (*slab, *store, *base) = (builder.slab, Store::from_vec(builder.store), root);
        if anew {
            self.compact_later();
        }
        result
    }
}

// Maps whose entries come one by one, with other fields in between, as in text format.
//
// An entry is appended to the map before its key is known. Keys become unique when the entry ends or, in larger maps, when the
// whole text has been parsed (`settle_maps`), so that n entries take n log n, whatever their keys and their order.

impl MessageBuilder<'_> {
    /// Appends an entry without key and value to a map, and returns its body. [`finish_entry`](Self::finish_entry) or
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::table::{FieldTable, Kind, MessageTable};

    static LOG: MessageTable = MessageTable::new("t.Log", &[FieldTable::new("line", 1, Kind::String)]);

    fn log() -> DynamicMessage {
        let pool = DescriptorPool::from_tables(&[&LOG]).unwrap();
        DynamicMessage::new(&pool.find_message("t.Log").unwrap())
    }

    /// Builds with this parser; returns whether marks are believed then.
    fn trusted(
        message: &mut DynamicMessage,
        budget: usize,
        parse: impl for<'p> FnMut(&mut MessageBuilder<'p>, &'p DescriptorPool, BodyRef) -> Result<(), Full>,
    ) -> (Result<(), Full>, bool) {
        let built = message.built(8, budget, parse, |_| false, |full| full);
        (built, message.parts().1.is_trusted())
    }

    #[test]
    fn no_mark_is_believed_after_a_parser_gave_up() {
        let mut message = log();
        assert_eq!(trusted(&mut message, 1 << 16, |_, _, _| Ok(())), (Ok(()), true));
        let failed = trusted(&mut message, 1 << 16, |_, _, _| Err(Full::NoMemory));
        assert_eq!(failed, (Err(Full::NoMemory), false));
        // Nor after a parse that does what it should.
        assert_eq!(trusted(&mut message, 1 << 16, |_, _, _| Ok(())), (Ok(()), false));
        message.clear();
        assert_eq!(trusted(&mut message, 1 << 16, |_, _, _| Ok(())), (Ok(()), true));
    }

    /// A parser may go on after a value for which there was no room.
    #[test]
    fn no_mark_is_believed_after_a_store_could_not_grow() {
        let full = trusted(&mut log(), 1 << 12, |builder, _, _| {
            assert_eq!(builder.store(1 << 20).err(), Some(Full::Limit));
            assert_eq!(builder.store(MAX_LEN + 1).err(), Some(Full::TooLarge));
            Ok(())
        });
        assert_eq!(full, (Ok(()), false));
    }
}

//! [`PrintView`]: a message as printers see it, wherever it is stored. Here that of a slab; `members.rs` has that of a struct.

use crate::engine::slab::{BodyRef, NIL, RawList, RawView, SetFields};
use crate::message::UnknownFields;
use crate::schema::program::{FieldEntry, Program};
use crate::wire::read::raw;
use crate::wire::{DEFAULT_DEPTH, Tag};
use alloc::vec::Vec;

/// Scalars that are passed at once.
pub(crate) const BLOCK: usize = 32;

/// What frames keep of the messages of a storage. It has no lifetime of a view: a slab of decoded bytes comes and goes while frames stay.
pub(crate) trait Stored {
    /// A message.
    type Body: Copy;
    /// A field that is set.
    type Slot: Copy;
    /// How far the fields of a message have been read.
    type Cursor: Copy;
    /// The entries of a map, in the order in which they are walked.
    type Entries;
    /// What cursors refer to.
    type Fields: Default;

    /// The innermost cursor is not used any more.
    fn end(cursor: &Self::Cursor, fields: &mut Self::Fields);
}

/// A message. `'i` is the lifetime of its strings.
pub(crate) trait PrintView<'a, 'i>: Copy {
    type Stored: Stored;
    /// A list, or the entries of a map.
    type List: Copy;

    /// Another message of the same storage.
    fn at(self, body: <Self::Stored as Stored>::Body) -> Self;
    fn body(self) -> <Self::Stored as Stored>::Body;
    fn program(self) -> &'a Program;
    /// Whether the message is to be decoded before it is read. `all`: also what a closed enum does not list is shown.
    fn is_encoded(self, all: bool) -> bool;

    /// Before the first field that is set; nothing without memory.
    fn cursor(
        self,
        fields: &mut <Self::Stored as Stored>::Fields,
    ) -> Option<<Self::Stored as Stored>::Cursor>;
    /// The next field that is set. `program` is that of the message.
    fn next(
        self,
        program: &'a Program,
        cursor: &mut <Self::Stored as Stored>::Cursor,
        fields: &<Self::Stored as Stored>::Fields,
    ) -> Option<(usize, &'a FieldEntry, <Self::Stored as Stored>::Slot)>;
    /// A field, if it is set.
    fn slot(self, position: usize, entry: &FieldEntry) -> Option<<Self::Stored as Stored>::Slot>;

    /// The bits of a number.
    fn word(self, entry: &FieldEntry, slot: <Self::Stored as Stored>::Slot) -> u64;
    /// A string, or bytes: what begins there, and its length.
    fn text(self, slot: <Self::Stored as Stored>::Slot) -> (&'i [u8], usize);
    /// The message of a singular field.
    fn child(self, entry: &FieldEntry, slot: <Self::Stored as Stored>::Slot) -> Self;
    /// An empty message of the field's type.
    fn empty(self, entry: &FieldEntry) -> Self;

    fn list(self, entry: &FieldEntry, slot: <Self::Stored as Stored>::Slot) -> Self::List;
    fn len(list: Self::List) -> usize;
    /// Numbers of a list from `from` on, which goes to after them.
    fn block(list: Self::List, from: &mut usize, block: &mut [u64; BLOCK]) -> usize;
    fn text_at(list: Self::List, index: usize) -> (&'i [u8], usize);
    fn message_at(self, list: Self::List, index: usize) -> Self;
    /// The entries of a map, by their keys if `sorted`; nothing without memory.
    fn entries(self, list: Self::List, sorted: bool) -> Option<<Self::Stored as Stored>::Entries>;
    fn pair(
        self,
        list: Self::List,
        entries: &<Self::Stored as Stored>::Entries,
        index: usize,
    ) -> Option<Self>;

    /// Tags and values of the unknown fields.
    fn unknown(self) -> impl Iterator<Item = (Tag, &'i [u8])>;

    /// The bytes of the field at a position; empty if it is not set.
    fn bytes_of(self, position: usize) -> &'i [u8] {
        let slot = self.program().entries().get(position).and_then(|entry| self.slot(position, entry));
        let (rest, len) = slot.map_or((&[][..], 0), |slot| self.text(slot));
        rest.get(..len).unwrap_or(rest)
    }

    /// The field at a position as a number; 0 if it is not set.
    fn number_of(self, position: usize) -> i64 {
        let Some(entry) = self.program().entries().get(position) else { return 0 };
        match self.slot(position, entry).map(|slot| self.word(entry, slot)) {
            Some(word) if entry.coding.words() == 2 => word as i64,
            Some(word) => i64::from(word as i32),
            None => 0,
        }
    }
}

/// Messages in a slab.
pub(crate) struct InSlab;

impl Stored for InSlab {
    type Body = BodyRef;
    type Slot = u32;
    type Cursor = SetFields;
    /// The positions of the entries; none where they stay as they are.
    type Entries = Vec<u32>;
    type Fields = ();

    #[inline(always)]
    fn end(_: &SetFields, _: &mut ()) {}
}

impl<'a, 'i> PrintView<'a, 'i> for RawView<'a, 'i> {
    type Stored = InSlab;
    type List = RawList<'a, 'i>;

    #[inline(always)]
    fn at(self, body: BodyRef) -> Self {
        Self { body, ..self }
    }

    #[inline(always)]
    fn body(self) -> BodyRef {
        self.body
    }

    #[inline(always)]
    fn program(self) -> &'a Program {
        self.set.program(self.body.program)
    }

    #[inline(always)]
    fn is_encoded(self, _: bool) -> bool {
        self.is_raw()
    }

    #[inline(always)]
    fn cursor(self, _: &mut ()) -> Option<SetFields> {
        Some(self.set_fields())
    }

    #[inline(always)]
    fn next(
        self,
        program: &'a Program,
        cursor: &mut SetFields,
        _: &(),
    ) -> Option<(usize, &'a FieldEntry, u32)> {
        loop {
            let (position, entry, slot) = cursor.next_of(program, self.words, self.body.base)?;
            // An empty packed run, or numbers that a closed enum does not list, leave a list without elements, which is not set.
            if !entry.flags.is_list() || self.words.list(slot).len != 0 {
                return Some((position, entry, slot));
            }
        }
    }

    #[inline]
    fn slot(self, position: usize, entry: &FieldEntry) -> Option<u32> {
        let slot = RawView::slot(&self, position, entry)?;
        (!entry.flags.is_list() || self.words.list(slot).len != 0).then_some(slot)
    }

    #[inline(always)]
    fn word(self, entry: &FieldEntry, slot: u32) -> u64 {
        self.scalar(entry, slot)
    }

    #[inline(always)]
    fn text(self, slot: u32) -> (&'i [u8], usize) {
        text_in(self.store, self.words.get64(slot))
    }

    #[inline(always)]
    fn child(self, entry: &FieldEntry, slot: u32) -> Self {
        RawView::child(&self, entry, slot)
    }

    fn empty(self, entry: &FieldEntry) -> Self {
        self.at(BodyRef::of(entry, NIL))
    }

    #[inline(always)]
    fn list(self, entry: &FieldEntry, slot: u32) -> RawList<'a, 'i> {
        RawView::list(&self, entry, slot)
    }

    #[inline(always)]
    fn len(list: RawList<'a, 'i>) -> usize {
        list.len() as usize
    }

    #[inline(always)]
    fn block(list: RawList<'a, 'i>, from: &mut usize, block: &mut [u64; BLOCK]) -> usize {
        let (run, words) = (list.run(), list.entry.coding.words() as usize);
        let rest = run.get(*from * words..).unwrap_or_default();
        let mut count = 0;
        if words == 1 {
            for (to, &word) in block.iter_mut().zip(rest) {
                *to = word.into();
                count += 1;
            }
        } else {
            for (to, [low, high]) in block.iter_mut().zip(rest.as_chunks::<2>().0) {
                *to = u64::from(*low) | u64::from(*high) << 32;
                count += 1;
            }
        }
        *from += count;
        count
    }

    #[inline]
    fn text_at(list: RawList<'a, 'i>, index: usize) -> (&'i [u8], usize) {
        text_in(list.view.store, list.word64(index as u32))
    }

    #[inline(always)]
    fn message_at(self, list: RawList<'a, 'i>, index: usize) -> Self {
        list.message(index as u32)
    }

    fn entries(self, list: RawList<'a, 'i>, sorted: bool) -> Option<Vec<u32>> {
        if sorted { list.map_order() } else { Some(Vec::new()) }
    }

    fn pair(self, list: RawList<'a, 'i>, entries: &Vec<u32>, index: usize) -> Option<Self> {
        let index = entries.get(index).copied().unwrap_or(index as u32);
        (index < list.len()).then(|| list.message(index))
    }

    fn unknown(self) -> impl Iterator<Item = (Tag, &'i [u8])> {
        UnknownFields::new(self).map(|field| (field.tag(), field.value()))
    }
}

/// What begins at a span of a store, and the length of the span. Bytes after it make it cheaper to copy.
#[inline(always)]
fn text_in(store: &[u8], span: u64) -> (&[u8], usize) {
    let (start, len) = (span as u32 as usize, crate::engine::slab::ByteSpan::from_word(span).len() as usize);
    let rest = store.get(start..).filter(|rest| rest.len() >= len).unwrap_or_default();
    (rest, len.min(rest.len()))
}

/// Tags and values of encoded fields, up to one that is not valid.
pub(crate) fn encoded_fields<'i>(mut rest: &'i [u8]) -> impl Iterator<Item = (Tag, &'i [u8])> {
    core::iter::from_fn(move || {
        let (tag, start) = raw::tag(rest, 0).ok()?;
        let end = raw::skip_value(rest, start, rest.len(), tag, DEFAULT_DEPTH).ok()?;
        let value = rest.get(start..end)?;
        rest = rest.get(end..)?;
        Some((tag, value))
    })
}

//! The schema-free view of a message that decode and encode use: it knows programs, not descriptors.

use super::ByteSpan;
use super::unknown::UnknownSpans;
use super::wide::WideGroup;
use super::{List, NIL, Nesting, Words};
use crate::schema::program::{FieldEntry, Program, ProgramSet, WIDE_GROUP, WriteEntry};

/// One message: its body, and the words, byte store and programs that belong to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawView<'a, 'i> {
    pub(crate) words: Words<'a>,
    pub(crate) store: &'i [u8],
    pub(crate) set: &'a ProgramSet,
    pub(crate) body: BodyRef,
}

impl Words<'_> {
    /// The slot of a field of the message at `base`, if it is set.
    #[inline]
    pub(crate) fn slot(
        self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &FieldEntry,
    ) -> Option<u32> {
        if program.is_wide() {
            return self.wide_find(base, position);
        }
        let has = self.hasbits(program, base);
        (has >> (position & 63) & 1 != 0).then(|| base + entry.slot as u32)
    }
}

impl<'a, 'i> RawView<'a, 'i> {
    /// The program of the message.
    #[inline(always)]
    pub(crate) fn program(&self) -> &'a Program {
        self.set.program(self.body.program)
    }

    /// The slot of a field, if it is set.
    #[inline]
    pub(crate) fn slot(&self, index: usize, entry: &FieldEntry) -> Option<u32> {
        self.words.slot(self.program(), self.body.base, index, entry)
    }

    /// The fields that are set, in field number order.
    #[inline]
    pub(crate) fn set_fields(&self) -> SetFields {
        SetFields::new(self.program(), self.words, self.body.base)
    }

    /// The word or two of the scalar at a slot.
    #[inline]
    pub(crate) fn scalar(&self, entry: &FieldEntry, slot: u32) -> u64 {
        self.words.get_words(slot, entry.coding.words())
    }

    /// The bytes of a string or bytes field; empty if it is not set.
    pub(crate) fn bytes_of(&self, position: usize) -> &'i [u8] {
        let entry = self.program().entries().get(position);
        entry.and_then(|entry| self.slot(position, entry)).map_or(&[], |slot| self.span(slot))
    }

    /// The bytes of the span at a slot.
    #[inline]
    pub(crate) fn span(&self, slot: u32) -> &'i [u8] {
        self.pair(self.words.get64(slot))
    }

    /// The bytes of a span; empty if they are not all inside the store.
    #[inline(always)]
    pub(crate) fn pair(&self, span: u64) -> &'i [u8] {
        ByteSpan::from_word(span).bytes(self.store).unwrap_or(&[])
    }

    /// Bytes of the store; empty if they are not all inside it.
    #[inline]
    pub(crate) fn bytes_at(&self, offset: u32, len: u32) -> &'i [u8] {
        self.pair(ByteSpan::new(offset.into(), len.into()).word())
    }

    /// The sub-message of a singular field at its slot.
    #[inline]
    pub(crate) fn child(&self, entry: &FieldEntry, slot: u32) -> Self {
        let base = if entry.flags.is_inline() { slot } else { self.words.get(slot) };
        self.at(BodyRef::of(entry, base))
    }

    /// The list of a repeated field at its slot.
    #[inline]
    pub(crate) fn list(&self, entry: &FieldEntry, slot: u32) -> RawList<'a, 'i> {
        let program = self.set.program(entry.sub);
        let message = entry.coding.is_message();
        let width = if message { program.element_words() } else { entry.coding.words() };
        let contiguous = message && program.is_contiguous();
        RawList { list: self.words.list(slot), width, contiguous, entry: *entry, view: *self }
    }

    /// Views a list of messages of this message's type.
    pub(crate) fn list_alike(&self, list: List) -> RawList<'a, 'i> {
        let program = self.program();
        let (width, contiguous) = (program.element_words(), program.is_contiguous());
        let entry = FieldEntry { sub: self.body.program, ..FieldEntry::none(0) };
        RawList { list, width, contiguous, entry, view: *self }
    }

    /// Another message of the same slab.
    #[inline]
    pub(crate) fn at(&self, body: BodyRef) -> Self {
        Self { body, ..*self }
    }

    /// The spans after the fields: unknown fields, or all of a verbatim message.
    #[inline]
    pub(crate) fn spans(&self) -> UnknownSpans<'a> {
        self.words.spans(self.body.base)
    }

    /// Whether the message is written as its spans.
    #[inline(always)]
    pub(crate) fn is_verbatim(&self) -> bool {
        self.words.is_verbatim(self.body.base)
    }

    /// The known depth of nesting in the message, if it is raw; else 0.
    pub(crate) fn raw_levels(&self) -> u32 {
        self.words.nesting(self.body.base).map_or(0, Nesting::least)
    }

    /// Whether nothing of the message has been decoded.
    #[inline(always)]
    pub(crate) fn is_raw(&self) -> bool {
        self.words.raw_depth(self.body.base).is_some()
    }
}

/// A list field: its elements by index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawList<'a, 'i> {
    pub(crate) list: List,
    width: u32,
    pub(super) contiguous: bool,
    pub(crate) entry: FieldEntry,
    pub(crate) view: RawView<'a, 'i>,
}

impl<'a, 'i> RawList<'a, 'i> {
    /// Number of elements.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.list.len
    }

    /// The offset of an element, [`NIL`] past the end.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> u32 {
        if index < self.list.len { self.list.ptr + index * self.width } else { NIL }
    }

    /// An element of two words.
    #[inline]
    pub(crate) fn word64(&self, index: u32) -> u64 {
        self.view.words.get64(self.at(index))
    }

    /// An element that is a string or bytes.
    #[inline]
    pub(crate) fn span(&self, index: u32) -> &'i [u8] {
        self.view.pair(self.word64(index))
    }

    /// An element that is a message (a map entry, for maps).
    #[inline]
    pub(crate) fn message(&self, index: u32) -> RawView<'a, 'i> {
        self.view.at(BodyRef::of(&self.entry, self.message_base(index)))
    }

    /// The offset of its body.
    #[inline(always)]
    pub(crate) fn message_base(&self, index: u32) -> u32 {
        let at = self.at(index);
        if self.contiguous { at } else { self.view.words.get(at) }
    }

    /// All elements as words, `width` words each.
    #[inline]
    pub(crate) fn run(&self) -> &'a [u32] {
        self.view.words.run(self.list.ptr, self.list.len as usize * self.width as usize)
    }
}

/// Iterates over the set fields in field number order. Holds no reference, so that a walk can keep one per level.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SetFields {
    /// Hasbits not yet visited. In a wide message those of one group, and the group's number in the upper half.
    bits: u64,
    /// The next slot in a wide group.
    block: u32,
    /// The rank of the next wide group.
    group: u32,
}

impl SetFields {
    /// No field, of a wide message either.
    pub(crate) const NONE: Self = Self { bits: 0, block: 0, group: u32::MAX };

    /// The set fields of a dense message, by hasbit.
    #[inline(always)]
    pub(crate) fn dense(bits: u64) -> Self {
        Self { bits, block: 0, group: 0 }
    }

    /// Takes the lowest set field of a dense message: its position.
    #[inline(always)]
    pub(crate) fn take_lowest(&mut self) -> Option<usize> {
        if self.bits == 0 {
            return None;
        }
        let index = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(index)
    }

    /// Hasbits of a dense message that are not yet visited.
    #[inline(always)]
    pub(crate) fn rest(self) -> u64 {
        self.bits
    }

    /// Lets `visit` handle fields of constant size together, by hasbit; it returns the hasbits that are left. Dense messages only.
    #[inline(always)]
    pub(crate) fn constant_sized(self, program: &Program, visit: impl FnOnce(u64) -> u64) -> Self {
        if program.is_wide() { self } else { Self::dense(visit(self.bits)) }
    }

    /// The next field that is not a singular number: position, entry and slot. Singular numbers before it go to `number`. In wide
    /// messages every field is returned.
    #[inline(always)]
    pub(crate) fn next_non_numeric<'a>(
        &mut self,
        program: &'a Program,
        words: Words<'_>,
        base: u32,
        mut number: impl FnMut(&'a WriteEntry, u32),
    ) -> Option<(usize, &'a WriteEntry, u32)> {
        if program.is_wide() {
            let (position, _, slot) = self.next_group(program, words, base)?;
            return Some((position, program.writes().get(position)?, slot));
        }
        loop {
            let index = self.take_lowest()?;
            let entry = program.writes().get(index)?;
            let slot = base + entry.slot as u32;
            if !entry.kind.is_number() {
                return Some((index, entry, slot));
            }
            number(entry, slot);
        }
    }

    /// The set fields of the message at `base`.
    #[inline]
    pub(crate) fn new(program: &Program, words: Words<'_>, base: u32) -> Self {
        Self::dense(if program.is_wide() { 0 } else { words.hasbits(program, base) })
    }

    /// The next field of `view`, the message that this was made from: (entry index, entry, slot).
    #[inline]
    pub(crate) fn next<'a>(&mut self, view: RawView<'a, '_>) -> Option<(usize, &'a FieldEntry, u32)> {
        self.next_of(view.program(), view.words, view.body.base)
    }

    /// As [`next`](Self::next), for loops that hold the parts of the view.
    #[inline(always)]
    pub(crate) fn next_of<'a>(
        &mut self,
        program: &'a Program,
        words: Words<'_>,
        base: u32,
    ) -> Option<(usize, &'a FieldEntry, u32)> {
        if program.is_wide() {
            return self.next_group(program, words, base);
        }
        let index = self.take_lowest()?;
        let entry = program.entries().get(index)?;
        Some((index, entry, base + entry.slot as u32))
    }

    /// The next field of a wide message.
    #[inline(never)]
    fn next_group<'a>(
        &mut self,
        program: &'a Program,
        words: Words<'_>,
        base: u32,
    ) -> Option<(usize, &'a FieldEntry, u32)> {
        while self.bits as u32 == 0 {
            let groups = program.entries().len().div_ceil(WIDE_GROUP);
            let WideGroup { number, hasbits, block } = words.wide_group(base, self.group, groups)?;
            (self.bits, self.block) = (u64::from(hasbits) | u64::from(number) << 32, block);
            self.group += 1;
        }
        let index = (self.bits >> 32) as usize * WIDE_GROUP + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        self.block += 2;
        Some((index, program.entries().get(index)?, self.block - 2))
    }
}

// Where a message stands in a slab.

/// A message in a slab: the offset of its body, and the program that describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyRef {
    /// Index of the program in its set.
    pub(crate) program: u32,
    /// Word offset of the body.
    pub(crate) base: u32,
}

impl BodyRef {
    /// No message: the empty body, with the first program of the set.
    pub(crate) const NONE: Self = Self { program: 0, base: NIL };

    /// The message at `base` that is the value, an element or an entry of this field.
    #[inline(always)]
    pub(crate) fn of(field: &FieldEntry, base: u32) -> Self {
        Self { program: field.sub, base }
    }
}

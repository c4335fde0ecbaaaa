//! The writing pass: writes fields forward, in the order of their numbers, with the lengths of the sizing pass.

use super::size::StructSizer;
use super::sizes::{Lengths, Sizes};
use crate::schema::table::DefaultValue;
use crate::structs::encode::visit_fields;
use crate::structs::grammar::kinds::{KindMarker, WireSpec};
use crate::structs::{EncodeField, EncodeValue, Message, VisitFields};
use crate::wire::options::EncodeOptions;
use crate::wire::{Cursor, WireType};

/// State of one writing pass.
pub struct StructWriter<'w, 'b, 's> {
    pub(in crate::structs) cursor: &'w mut Cursor<'b>,
    lengths: &'w mut Lengths<'s>,
    /// Whether maps are written in key order.
    pub(in crate::structs) sorted: bool,
}

impl<'w, 'b, 's> StructWriter<'w, 'b, 's> {
    #[inline]
    pub(in crate::structs) fn new(
        cursor: &'w mut Cursor<'b>,
        lengths: &'w mut Lengths<'s>,
        options: &EncodeOptions,
    ) -> Self {
        Self { cursor, lengths, sorted: options.is_deterministic() }
    }

    /// The fields of a message.
    #[inline(always)]
    pub(in crate::structs) fn body<M: Message>(&mut self, message: &M) {
        visit_fields(message, self);
    }

    #[inline(always)]
    pub(in crate::structs) fn tag<K: KindMarker>(&mut self, spec: WireSpec) {
        self.cursor.write_varint(spec.tag::<K>());
    }

    /// The tag of a length-delimited field of any kind.
    #[inline(always)]
    pub(in crate::structs) fn prefixed_tag(&mut self, spec: WireSpec) {
        self.cursor.write_varint(u64::from(spec.number) << 3 | WireType::LengthDelimited as u64);
    }

    #[inline(always)]
    pub(in crate::structs) fn end_group(&mut self, spec: WireSpec) {
        self.cursor.write_varint(u64::from(spec.number) << 3 | WireType::EndGroup as u64);
    }

    /// There is no memory to put the entries of a map in order: the message will not be written.
    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn no_memory(&mut self) {
        self.lengths.lose();
    }

    /// The next length of the sizing pass. Where the pass had no room for it, without an allocator, `again` computes it: a message then takes
    /// as many sizing passes as it has levels.
    #[inline(always)]
    pub(in crate::structs) fn take(&mut self, again: impl FnOnce(&mut StructSizer<'_, '_>) -> u64) -> u32 {
        if cfg!(tablepb_no_alloc) && self.lengths.remaining() == 0 {
            return again(&mut StructSizer::new(
                &mut Sizes::counting(),
                &EncodeOptions::new().allow_partial(true),
            )) as u32;
        }
        self.lengths.take()
    }

    /// The tag of a length-delimited field of any kind, and the next length, as [`take`](Self::take) returns it.
    #[inline(always)]
    pub(in crate::structs) fn tag_and_length(
        &mut self,
        spec: WireSpec,
        again: impl FnOnce(&mut StructSizer<'_, '_>) -> u64,
    ) {
        let len = self.take(again);
        self.put_tag_and_length(spec, len);
    }

    /// The tag of a packed run, and its length: the next one of the sizing pass, or `again` if there was none. False if there is no room for the
    /// run, whose values need not be written then.
    #[inline(always)]
    pub(in crate::structs) fn tag_and_run(&mut self, spec: WireSpec, again: impl FnOnce() -> u64) -> bool {
        let len = match self.lengths.remaining() {
            0 => again() as u32,
            _ => self.lengths.take(),
        };
        self.put_tag_and_length(spec, len);
        self.cursor.takes(len.into())
    }

    /// Writes the elements of a list, until there is no room.
    #[inline(always)]
    pub(in crate::structs) fn each<T>(&mut self, list: &[T], write: impl Fn(&T, &mut Self)) {
        for value in list {
            // What does not fit the spare capacity is written again, after a sizing pass. A value that is tried in vain takes several
            // times as long as one that fits.
            if self.cursor.is_full() {
                return;
            }
            write(value, self);
        }
    }

    #[inline(always)]
    fn put_tag_and_length(&mut self, spec: WireSpec, len: u32) {
        let tag = u64::from(spec.number) << 3 | WireType::LengthDelimited as u64;
        self.cursor.write_tagged_varint(tag, len.into());
    }
}

impl VisitFields for StructWriter<'_, '_, '_> {
    #[inline(always)]
    fn field<K: KindMarker, F: EncodeField<K>>(&mut self, spec: WireSpec, field: &F) {
        field.write(spec, self);
    }

    #[inline(always)]
    fn field_or<K: KindMarker, F: EncodeField<K>>(
        &mut self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        field: &F,
    ) {
        field.write_or(default, spec, self);
    }

    #[inline(always)]
    fn arm<K: KindMarker, T: EncodeValue<K>>(&mut self, spec: WireSpec, value: &T) {
        value.write(spec, self);
    }

    #[inline(always)]
    fn unknown(&mut self, fields: &[u8]) {
        self.cursor.write_slice(fields);
    }
}

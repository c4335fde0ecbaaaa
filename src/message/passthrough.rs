//! Changing messages of which a projection kept the bytes.
//!
//! Such a message is its bytes until a setter changes it or something in it. Then it becomes fields, those that were
//! selected, and spans, those that were not: one walk over its own level. Messages in it stay bytes. A field that was
//! not selected loses its spans when it is set, and is decoded from them when a part of it is changed.

use super::decoder::named;
use super::error::{SetFieldError, SetFieldErrorKind};
use super::raw::merge_spans;
use super::resolved_field::ResolvedField;
use super::slab_writer::TooLarge;
use super::{CopyError, DynamicMessage, MessageMut};
use crate::decode::{DecodeOptions, LeftOut, left_out};
use crate::error::{DecodeError, EncodeError};
use crate::program::{Coding, Entry, Program};
use crate::schema::MessageDescriptor;
use crate::slab::UnknownSpan;
use crate::wire::raw;
use alloc::vec::Vec;

/// What a setter is about to do with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Give it another value.
    Set,
    /// Unset it.
    Clear,
    /// Change a part of it.
    Modify,
}

/// The state of a message before a setter changes it, to go back to if the setter fails.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    /// The field to be changed was set.
    was_set: bool,
    /// What a projection passed through.
    kept: Option<KeptSpans>,
}

#[derive(Clone, Copy, Debug)]
struct KeptSpans {
    /// The block of its spans, which is not written to any more.
    block: u32,
    /// Some of the spans are not kept.
    dropped: bool,
}

impl MessageMut<'_> {
    /// Makes a field ready to be changed. After an error the message is as before.
    pub(super) fn prepare(
        &mut self,
        field: &ResolvedField<'_>,
        change: Change,
    ) -> Result<Undo, SetFieldError> {
        let was_set = self.raw().slot(field.position, &field.entry).is_some();
        if !self.program().keeps_bytes() {
            return Ok(Undo { was_set, kept: None });
        }
        let mut kept = KeptSpans { block: self.slab.unknown_block(self.base), dropped: false };
        let split = self.split_for(field, change, was_set, &mut kept);
        let before = Undo { was_set, kept: Some(kept) };
        if split.is_err() {
            self.undo(field, before);
        }
        split.map(|()| before)
    }

    /// Restores the message after a failed setter. A field that was set keeps its value, because setters replace a value
    /// only when nothing can fail any more; a list that was opened for its first element goes.
    pub(super) fn undo(&mut self, field: &ResolvedField<'_>, before: Undo) {
        if !before.was_set {
            self.unset(field);
        }
        if let Some(kept) = before.kept {
            self.slab.set_unknown_block(self.base, kept.block);
        }
    }

    /// Unsets a field.
    pub(super) fn clear_at(&mut self, field: &ResolvedField<'_>) -> Result<(), SetFieldError> {
        let before = self.prepare(field, Change::Clear)?;
        match before {
            Undo { was_set: false, kept: Some(KeptSpans { dropped: false, .. }) } => self.undo(field, before),
            _ => self.unset(field),
        }
        Ok(())
    }

    fn split_for(
        &mut self,
        field: &ResolvedField<'_>,
        change: Change,
        was_set: bool,
        kept: &mut KeptSpans,
    ) -> Result<(), SetFieldError> {
        let too_large = |_: TooLarge| field.error(SetFieldErrorKind::TooLarge, None);
        self.split_verbatim().map_err(too_large)?;
        let (entry, program) = (field.entry, self.program());
        let siblings = entry.oneof != 0 && change != Change::Clear;
        // A field that is set has no spans left: not looking saves a walk over all of them for each change.
        if was_set || !entry.op.is_skip() && !siblings {
            return Ok(());
        }
        let (mut own, mut rest) = (Vec::new(), Vec::new());
        for left in self.left_out().map_err(too_large)? {
            let other =
                || program.by_number(left.number).is_some_and(|(_, other)| other.oneof == entry.oneof);
            if left.is_field && left.number == entry.number() {
                push(&mut own, UnknownSpan { offset: left.offset, len: left.len, tag: None })
                    .map_err(too_large)?;
                // Numbers that a closed enum does not list are unknown fields, and stay where they are among them.
                self.unlisted(&entry, &left, &mut rest).map_err(too_large)?;
            } else if left.is_field && siblings && other() {
                kept.dropped = true;
            } else {
                push(&mut rest, left).map_err(too_large)?;
            }
        }
        kept.dropped |= !own.is_empty();
        if !kept.dropped {
            return Ok(());
        }
        if change == Change::Modify && !own.is_empty() {
            self.slab.clear_unknown(self.base);
            self.decode_kept(field, &own)?;
        }
        self.keep(&rest).map_err(too_large)
    }

    /// Makes a verbatim message fields and the spans that no field holds.
    fn split_verbatim(&mut self) -> Result<(), TooLarge> {
        if !self.raw().is_verbatim() {
            return Ok(());
        }
        let mut spans = self.left_out()?;
        self.mark_overruled(&mut spans)?;
        spans.retain(|left| !left.is_decoded);
        self.keep(&spans)
    }

    /// The spans of the message that its program does not decode.
    fn left_out(&self) -> Result<Vec<LeftOut>, TooLarge> {
        let (view, program) = (self.raw(), self.program());
        let mut spans = Vec::new();
        for span in view.spans() {
            match span.tag {
                None => self.left_out_of(program, span, &mut spans)?,
                Some(tag) => push(
                    &mut spans,
                    LeftOut {
                        number: tag >> 3,
                        offset: span.offset,
                        len: span.len,
                        tag: Some(tag),
                        is_field: false,
                        is_decoded: false,
                    },
                )?,
            }
        }
        Ok(spans)
    }

    /// What a program of the message does not decode of whole fields.
    fn left_out_of(
        &self,
        program: &Program,
        span: UnknownSpan,
        spans: &mut Vec<LeftOut>,
    ) -> Result<(), TooLarge> {
        let range = (span.offset as usize, (span.offset + span.len) as usize);
        let mut pushed = Ok(());
        left_out(self.set, program, self.store.as_slice(), range, &mut |left| {
            pushed = pushed.and_then(|()| push(spans, left));
        });
        pushed
    }

    /// The elements of a packed run that was not selected which its closed enum does not list.
    fn unlisted(&self, entry: &Entry, left: &LeftOut, spans: &mut Vec<LeftOut>) -> Result<(), TooLarge> {
        if entry.coding != Coding::ClosedEnum || !entry.flags.is_list() {
            return Ok(());
        }
        let span = UnknownSpan { offset: left.offset, len: left.len, tag: None };
        self.left_out_of(self.set.program(self.program().whole()), span, spans)
    }

    /// Makes these the spans of the message, in a new block: whoever fails goes back to the old one.
    fn keep(&mut self, spans: &[LeftOut]) -> Result<(), TooLarge> {
        self.slab.clear_unknown(self.base);
        for span in spans {
            match span.tag {
                None => self.slab.add_unknown(self.base, span.offset, span.len)?,
                Some(tag) => self.slab.add_unknown_value(self.base, tag, span.offset, span.len)?,
            }
        }
        Ok(())
    }

    /// Marks members of oneofs that a later member overruled, as those that are decoded are: in what is written, spans
    /// are behind the fields.
    fn mark_overruled(&self, spans: &mut [LeftOut]) -> Result<(), TooLarge> {
        let program = self.program();
        let oneof_of = |left: &LeftOut| match program.by_number(left.number) {
            Some((_, entry)) if left.is_field => entry.oneof,
            _ => 0,
        };
        // Of each oneof the member that came last, and whether another one came before what is looked at.
        let mut last = Vec::new();
        last.try_reserve_exact(program.oneofs() + 1).map_err(|_| TooLarge)?;
        last.resize(program.oneofs() + 1, (0, false));
        for left in spans.iter_mut().rev() {
            let oneof = oneof_of(left) as usize;
            let (number, overruled) = &mut last[oneof];
            if oneof == 0 {
                continue;
            }
            if *number == 0 {
                *number = left.number;
            }
            *overruled |= *number != left.number;
            left.is_decoded |= *overruled;
        }
        Ok(())
    }

    /// Decodes a field that was not selected from its spans, which are not among those of the message any more.
    fn decode_kept(&mut self, field: &ResolvedField<'_>, spans: &[UnknownSpan]) -> Result<(), SetFieldError> {
        let program = self.program();
        let len: usize = spans.iter().map(|span| span.len as usize).sum();
        let options = DecodeOptions::new().allow_partial(true);
        let held = self.slab.capacity();
        self.slab.set_limit(options.budget_for(len).saturating_add(2 * held));
        let store = self.store.as_slice();
        let merged = merge_spans(self.set, program.whole(), store, self.slab, self.base, spans, &options);
        self.slab.set_limit(usize::MAX);
        merged.map_err(|error: DecodeError| {
            let message = MessageDescriptor::new(self.pool, program.message());
            field.error(SetFieldErrorKind::InvalidMessage, None).with_cause(named(&message, error))
        })
    }

    /// Drops the unknown fields of this message, not those of its sub-messages.
    ///
    /// # Panics
    /// If there is not the memory, which only a message takes that a projection passed through; see
    /// [`try_clear_unknown_fields`](Self::try_clear_unknown_fields).
    pub fn clear_unknown_fields(&mut self) {
        self.try_clear_unknown_fields().unwrap_or_else(|error| panic!("{error}"));
    }

    /// Drops the unknown fields of this message, not those of its sub-messages.
    ///
    /// # Errors
    /// If there is not the memory, which only a message takes that a projection passed through. The message is as before.
    pub fn try_clear_unknown_fields(&mut self) -> Result<(), CopyError> {
        if !self.program().keeps_bytes() {
            self.slab.clear_unknown(self.base);
            return Ok(());
        }
        let block = self.slab.unknown_block(self.base);
        let cleared = self.drop_unknown();
        if !matches!(cleared, Ok(true)) {
            self.slab.set_unknown_block(self.base, block);
        }
        cleared.map(drop).map_err(|TooLarge| CopyError::new())
    }

    /// Keeps the spans of fields alone; false if there are no others.
    fn drop_unknown(&mut self) -> Result<bool, TooLarge> {
        self.split_verbatim()?;
        let (program, mut dropped) = (self.program(), false);
        let (mut fields, mut unlisted) = (Vec::new(), Vec::new());
        for left in self.left_out()? {
            let Some((_, entry)) = program.by_number(left.number).filter(|_| left.is_field) else {
                dropped = true;
                continue;
            };
            unlisted.clear();
            self.unlisted(entry, &left, &mut unlisted)?;
            dropped |= !unlisted.is_empty();
            match unlisted.is_empty() {
                true => push(&mut fields, left)?,
                false => self.listed(left, &unlisted)?.map_or(Ok(()), |run| push(&mut fields, run))?,
            }
        }
        self.keep(&fields)?;
        Ok(dropped)
    }

    /// A packed run without some of its elements; `None` if it has no others.
    fn listed(&mut self, run: LeftOut, without: &[LeftOut]) -> Result<Option<LeftOut>, TooLarge> {
        let store = self.store.as_slice();
        let whole = run.offset as usize..(run.offset + run.len) as usize;
        let values = raw::tag(store, whole.start).and_then(|(_, len)| Ok((len, raw::length(store, len)?.1)));
        let Ok((len_at, mut from)) = values else { return Ok(Some(run)) };
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(run.len as usize).map_err(|_| TooLarge)?;
        bytes.extend_from_slice(store.get(whole.start..len_at).unwrap_or(&[]));
        let dropped: usize = without.iter().map(|element| element.len as usize).sum();
        let mut len = (whole.end - from).saturating_sub(dropped);
        if len == 0 {
            return Ok(None);
        }
        while len >= 0x80 {
            bytes.push(len as u8 | 0x80);
            len >>= 7;
        }
        bytes.push(len as u8);
        for element in without {
            bytes.extend_from_slice(store.get(from..element.offset as usize).unwrap_or(&[]));
            from = (element.offset + element.len) as usize;
        }
        bytes.extend_from_slice(store.get(from..whole.end).unwrap_or(&[]));
        let span = self.writer().span(&bytes)?;
        Ok(Some(LeftOut { offset: span as u32, len: bytes.len() as u32, ..run }))
    }
}

/// Appends to a list, if there is the memory.
fn push<T>(list: &mut Vec<T>, value: T) -> Result<(), TooLarge> {
    list.try_reserve(1).map_err(|_| TooLarge)?;
    list.push(value);
    Ok(())
}

impl DynamicMessage {
    /// The message as bytes: as such one that a projection decoded goes into messages that know nothing of the projection.
    pub(super) fn as_prepared(&self) -> Result<super::Prepared, EncodeError> {
        let bytes = crate::encode::try_encode_raw(self.as_view().raw())?;
        Ok(super::Prepared::unchecked(self.descriptor().clone(), bytes))
    }
}

//! Changing messages that a pass-through projection kept as bytes.
//!
//! Such a message is verbatim until a setter changes it or a sub-message of it. Then it is split, in one walk over its own
//! level: selected fields become decoded fields, the others stay spans. Its sub-messages stay verbatim. Setting an unselected
//! field drops its spans; changing a part of one decodes it from its spans first.

use crate::engine::decode::{Undecoded, undecoded};
use crate::engine::slab::{BodyRef, UnknownSpan};
use crate::message::decoder::named;
use crate::message::edit::field_key::ResolvedField;
use crate::message::edit::slab_writer::TooLarge;
use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::prepared::levels_of;
use crate::message::view::raw::merge_spans;
use crate::message::{DynamicMessage, MessageMut};
use crate::schema::pool::MessageDescriptor;
use crate::schema::program::{Coding, FieldEntry, Program};
use crate::wire::error::{DecodeError, EncodeError};
use crate::wire::options::DecodeOptions;
use crate::wire::read::raw;
use crate::wire::{DEFAULT_DEPTH, push_varint};
use alloc::vec::Vec;

/// How a setter is about to change a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum Change {
    /// Replace its value.
    Set,
    /// Unset it.
    Clear,
    /// Change a part of its value.
    Modify,
}

/// What restores a message after a setter has failed.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct Undo {
    /// The field was set before.
    was_set: bool,
    /// The spans of a message that keeps bytes.
    kept: Option<KeptSpans>,
}

#[derive(Clone, Copy, Debug)]
struct KeptSpans {
    /// The block with the message's spans. Setters make a new one and leave this as it is.
    block: u32,
    /// The change drops spans.
    dropped: bool,
}

impl MessageMut<'_> {
    /// Makes a field ready to be changed. On failure the message does not change.
    pub(in crate::message) fn prepare(
        &mut self,
        field: &ResolvedField<'_>,
        change: Change,
    ) -> Result<Undo, SetFieldError> {
        let was_set = self.raw().slot(field.position, &field.entry).is_some();
        if !self.program().keeps_bytes() {
            return Ok(Undo { was_set, kept: None });
        }
        let mut kept = KeptSpans { block: self.slab.unknown_block(self.body.base), dropped: false };
        let split = self.split_for(field, change, was_set, &mut kept);
        let before = Undo { was_set, kept: Some(kept) };
        if split.is_err() {
            self.undo(field, before);
        }
        split.map(|()| before)
    }

    /// Restores the message after a failed setter. A field that was set keeps its value, because setters replace a value
    /// only when nothing can fail any more; a list that was opened for its first element goes.
    pub(in crate::message) fn undo(&mut self, field: &ResolvedField<'_>, before: Undo) {
        if !before.was_set {
            self.unset(field);
        }
        if let Some(kept) = before.kept {
            self.slab.set_unknown_block(self.body.base, kept.block);
        }
    }

    /// Unsets a field.
    pub(in crate::message) fn clear_at(&mut self, field: &ResolvedField<'_>) -> Result<(), SetFieldError> {
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
        // A set field has no spans. Returning here saves a walk over all spans for each change.
        if was_set || !entry.op.is_skip() && !siblings {
            return Ok(());
        }
        let (mut own, mut rest) = (Vec::new(), Vec::new());
        for left in self.undecoded().map_err(too_large)? {
            let other =
                || program.by_number(left.number).is_some_and(|(_, other)| other.oneof == entry.oneof);
            if left.is_field && left.number == entry.number() {
                push(&mut own, UnknownSpan { offset: left.offset, len: left.len, tag: None })
                    .map_err(too_large)?;
                // Numbers that a closed enum does not list are unknown fields and keep their place among them.
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
            self.slab.clear_unknown(self.body.base);
            self.decode_kept(field, &own)?;
        }
        self.keep(&rest).map_err(too_large)
    }

    /// Splits a verbatim message: its decoded fields stay, everything else becomes spans.
    fn split_verbatim(&mut self) -> Result<(), TooLarge> {
        if !self.raw().is_verbatim() {
            return Ok(());
        }
        let mut spans = self.undecoded()?;
        self.mark_overruled(&mut spans)?;
        spans.retain(|left| !left.is_decoded);
        self.keep(&spans)
    }

    /// The spans that the message's program does not decode.
    fn undecoded(&self) -> Result<Vec<Undecoded>, TooLarge> {
        let (view, program) = (self.raw(), self.program());
        let mut spans = Vec::new();
        for span in view.spans() {
            match span.tag {
                None => self.undecoded_of(program, span, &mut spans)?,
                Some(tag) => push(
                    &mut spans,
                    Undecoded {
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

    /// Collects the fields in a span that a program does not decode.
    fn undecoded_of(
        &self,
        program: &Program,
        span: UnknownSpan,
        spans: &mut Vec<Undecoded>,
    ) -> Result<(), TooLarge> {
        let range = (span.offset as usize, (span.offset + span.len) as usize);
        let mut pushed = Ok(());
        undecoded(self.set, program, self.store.as_slice(), range, &mut |left| {
            pushed = pushed.and_then(|()| push(spans, left));
        });
        pushed
    }

    /// Collects the elements of an unselected packed field that its closed enum does not list.
    fn unlisted(
        &self,
        entry: &FieldEntry,
        left: &Undecoded,
        spans: &mut Vec<Undecoded>,
    ) -> Result<(), TooLarge> {
        if entry.coding != Coding::ClosedEnum || !entry.flags.is_list() {
            return Ok(());
        }
        let span = UnknownSpan { offset: left.offset, len: left.len, tag: None };
        self.undecoded_of(self.set.program(self.program().whole()), span, spans)
    }

    /// Makes these the spans of the message, in a new block. The old block stays intact for `undo`.
    fn keep(&mut self, spans: &[Undecoded]) -> Result<(), TooLarge> {
        self.slab.clear_unknown(self.body.base);
        for span in spans {
            match span.tag {
                None => self.slab.add_unknown(self.body.base, span.offset, span.len)?,
                Some(tag) => self.slab.add_unknown_value(self.body.base, tag, span.offset, span.len)?,
            }
        }
        Ok(())
    }

    /// Marks oneof members that a later member overrules. Encoding writes spans after the decoded fields, so a kept span would
    /// overrule a decoded member that came after it on the wire.
    fn mark_overruled(&self, spans: &mut [Undecoded]) -> Result<(), TooLarge> {
        let program = self.program();
        let oneof_of = |left: &Undecoded| match program.by_number(left.number) {
            Some((_, entry)) if left.is_field => entry.oneof,
            _ => 0,
        };
        // Walking backwards: for each oneof its last member, and whether a different member has been seen.
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

    /// Decodes an unselected field from its spans, which the message has given up.
    fn decode_kept(&mut self, field: &ResolvedField<'_>, spans: &[UnknownSpan]) -> Result<(), SetFieldError> {
        let program = self.program();
        let len: usize = spans.iter().map(|span| span.len as usize).sum();
        let options = DecodeOptions::new().allow_partial(true);
        let held = self.slab.capacity();
        self.slab.set_limit(options.budget_for(len).saturating_add(held.saturating_mul(2)));
        let store = self.store.as_slice();
        let body = BodyRef { program: program.whole(), ..self.body };
        let merged = merge_spans(self.set, store, self.slab, body, spans, &options);
        self.slab.set_limit(usize::MAX);
        merged.map_err(|error: DecodeError| {
            let message = MessageDescriptor::new(self.pool, program.message());
            field.error(SetFieldErrorKind::InvalidMessage, None).with_cause(named(&message, error))
        })
    }

    /// Drops the unknown fields of this message; its sub-messages keep theirs.
    ///
    /// # Errors
    /// If the allocator fails, which only messages decoded by a pass-through projection need. The message does not change.
    pub fn clear_unknown_fields(&mut self) -> Result<(), SetFieldError> {
        if !self.program().keeps_bytes() {
            self.slab.clear_unknown(self.body.base);
            return Ok(());
        }
        let block = self.slab.unknown_block(self.body.base);
        let cleared = self.drop_unknown();
        if !matches!(cleared, Ok(true)) {
            self.slab.set_unknown_block(self.body.base, block);
        }
        cleared.map(drop).map_err(|TooLarge| SetFieldError::TOO_LARGE)
    }

    /// Keeps only the spans of known fields. Returns whether it dropped any.
    fn drop_unknown(&mut self) -> Result<bool, TooLarge> {
        self.split_verbatim()?;
        let (program, mut dropped) = (self.program(), false);
        let (mut fields, mut unlisted) = (Vec::new(), Vec::new());
        for left in self.undecoded()? {
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

    /// A copy of a packed field without some of its elements; `None` if no element is left.
    fn listed(&mut self, run: Undecoded, without: &[Undecoded]) -> Result<Option<Undecoded>, TooLarge> {
        let store = self.store.as_slice();
        let whole = run.offset as usize..(run.offset + run.len) as usize;
        let values = raw::tag(store, whole.start).and_then(|(_, len)| Ok((len, raw::length(store, len)?.1)));
        let Ok((len_at, mut from)) = values else { return Ok(Some(run)) };
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(run.len as usize).map_err(|_| TooLarge)?;
        bytes.extend_from_slice(store.get(whole.start..len_at).unwrap_or(&[]));
        let dropped: usize = without.iter().map(|element| element.len as usize).sum();
        let len = (whole.end - from).saturating_sub(dropped);
        if len == 0 {
            return Ok(None);
        }
        push_varint(&mut bytes, len as u64);
        for element in without {
            bytes.extend_from_slice(store.get(from..element.offset as usize).unwrap_or(&[]));
            from = (element.offset + element.len) as usize;
        }
        bytes.extend_from_slice(store.get(from..whole.end).unwrap_or(&[]));
        let span = self.writer().span(&bytes)?;
        Ok(Some(Undecoded { offset: span as u32, len: bytes.len() as u32, ..run }))
    }
}

/// Appends to a `Vec`, or fails without memory.
fn push<T>(list: &mut Vec<T>, value: T) -> Result<(), TooLarge> {
    list.try_reserve(1).map_err(|_| TooLarge)?;
    list.push(value);
    Ok(())
}

impl DynamicMessage {
    /// The encoded message, and its levels of sub-messages. A projected message goes into other messages in this form, because they lack
    /// its programs.
    pub(in crate::message) fn as_bytes(&self) -> Result<(Vec<u8>, u32), EncodeError> {
        let bytes = crate::engine::encode::try_encode_raw(self.as_view().raw())?;
        let levels = levels_of(self.descriptor(), &bytes, DEFAULT_DEPTH)?;
        Ok((bytes, levels))
    }
}

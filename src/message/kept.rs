//! Changing messages of which a projection kept the bytes.
//!
//! Such a message is its bytes until a setter changes it or something in it. Then it becomes fields, those that were
//! selected, and spans, those that were not: one walk over its own level. Messages in it stay bytes. A field that was
//! not selected loses its spans when it is set, and is decoded from them when a part of it is changed.

use super::assign::Place;
use super::copy::TooLarge;
use super::decoder::named;
use super::error::{SetFieldError, SetFieldErrorKind as Fault};
use super::raw::merge_spans;
use super::{CopyError, DynamicMessage, MessageMut};
use crate::decode::{Undecoded, undecoded};
use crate::error::{DecodeError, EncodeError};
use crate::options::DecodeOptions;
use crate::program::{Coding, FieldEntry, Program};
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

/// What a message was before a setter took it apart, to go back to if nothing comes of the change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before(Option<Kept>);

#[derive(Clone, Copy, Debug)]
struct Kept {
    /// The block of its spans, which is not written to any more.
    block: u32,
    /// The field to be changed was set.
    was_set: bool,
    /// Some of the spans are not kept.
    dropped: bool,
}

impl MessageMut<'_> {
    /// Makes a field ready to be changed. After an error the message is as before.
    pub(super) fn prepare(&mut self, place: &Place<'_>, change: Change) -> Result<Before, SetFieldError> {
        if !self.program().keeps_bytes() {
            return Ok(Before(None));
        }
        let was_set = self.raw().slot(place.position, &place.entry).is_some();
        let mut kept = Kept { block: self.slab.unknown_block(self.base), was_set, dropped: false };
        let taken_apart = self.take_apart(place, change, &mut kept);
        let before = Before(Some(kept));
        if taken_apart.is_err() {
            self.undo(place, before);
        }
        taken_apart.map(|()| before)
    }

    /// Goes back to what the message was, the value of the field aside if it had one.
    pub(super) fn undo(&mut self, place: &Place<'_>, before: Before) {
        if let Before(Some(kept)) = before {
            if !kept.was_set {
                self.unset(place);
            }
            self.slab.set_unknown_block(self.base, kept.block);
        }
    }

    /// Unsets a field.
    pub(super) fn clear_at(&mut self, place: &Place<'_>) -> Result<(), SetFieldError> {
        let before = self.prepare(place, Change::Clear)?;
        match before {
            Before(Some(Kept { was_set: false, dropped: false, .. })) => self.undo(place, before),
            _ => self.unset(place),
        }
        Ok(())
    }

    fn take_apart(
        &mut self,
        place: &Place<'_>,
        change: Change,
        kept: &mut Kept,
    ) -> Result<(), SetFieldError> {
        let too_large = |_: TooLarge| place.error(Fault::TooLarge, None);
        self.break_up().map_err(too_large)?;
        let (entry, program) = (place.entry, self.program());
        let siblings = entry.oneof != 0 && change != Change::Clear;
        // A field that is set has no spans left: not looking saves a walk over all of them for each change.
        if kept.was_set || !entry.op.is_skip() && !siblings {
            return Ok(());
        }
        let (mut own, mut rest) = (Vec::new(), Vec::new());
        for left in self.undecoded().map_err(too_large)? {
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
            self.decode_kept(place, &own)?;
        }
        self.keep(&rest).map_err(too_large)
    }

    /// Makes a verbatim message fields and the spans that no field holds.
    fn break_up(&mut self) -> Result<(), TooLarge> {
        if !self.raw().is_verbatim() {
            return Ok(());
        }
        let mut spans = self.undecoded()?;
        self.mark_overruled(&mut spans)?;
        spans.retain(|left| !left.is_decoded);
        self.keep(&spans)
    }

    /// The spans of the message that its program does not decode.
    fn undecoded(&self) -> Result<Vec<Undecoded>, TooLarge> {
        let (view, program) = (self.raw(), self.program());
        let mut spans = Vec::new();
        for span in view.spans() {
            match span.tag {
                None => self.left_out_of(program, span, &mut spans)?,
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

    /// What a program of the message does not decode of whole fields.
    fn left_out_of(
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

    /// The elements of a packed run that was not selected which its closed enum does not list.
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
        self.left_out_of(self.set.program(self.program().whole()), span, spans)
    }

    /// Makes these the spans of the message, in a new block: whoever fails goes back to the old one.
    fn keep(&mut self, spans: &[Undecoded]) -> Result<(), TooLarge> {
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
    fn mark_overruled(&self, spans: &mut [Undecoded]) -> Result<(), TooLarge> {
        let program = self.program();
        let oneof_of = |left: &Undecoded| match program.by_number(left.number) {
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
    fn decode_kept(&mut self, place: &Place<'_>, spans: &[UnknownSpan]) -> Result<(), SetFieldError> {
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
            place.error(Fault::InvalidMessage, None).with_cause(named(&message, error))
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
        self.break_up()?;
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

    /// A packed run without some of its elements; `None` if it has no others.
    fn listed(&mut self, run: Undecoded, without: &[Undecoded]) -> Result<Option<Undecoded>, TooLarge> {
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
        let span = self.target().span(&bytes)?;
        Ok(Some(Undecoded { offset: span as u32, len: bytes.len() as u32, ..run }))
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

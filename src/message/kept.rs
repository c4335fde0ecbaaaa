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
use super::{DynamicMessage, MessageMut};
use crate::decode::{DecodeOptions, LeftOut, left_out};
use crate::error::DecodeError;
use crate::program::Coding;
use crate::schema::MessageDescriptor;
use crate::slab::UnknownSpan;
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

impl MessageMut<'_> {
    /// Makes a field ready to be changed.
    pub(super) fn prepare(&mut self, place: &Place<'_>, change: Change) -> Result<(), SetFieldError> {
        if !self.program().keeps_bytes() {
            return Ok(());
        }
        let too_large = |_: TooLarge| place.error(Fault::TooLarge, None);
        self.break_up().map_err(too_large)?;
        let entry = place.entry;
        // A field that is set has no spans left: not looking saves a walk over all of them for each change.
        if self.raw().slot(place.position, &entry).is_some() {
            return Ok(());
        }
        // Of a packed run, the numbers that a closed enum does not list stay in any case.
        let enums = entry.coding == Coding::ClosedEnum && entry.flags.is_list();
        if entry.op.is_skip() && (change == Change::Modify || enums) {
            self.decode_kept(place)?;
        }
        let siblings = entry.oneof != 0 && change != Change::Clear;
        let program = self.program();
        let gone = |number: u32| {
            let other = || program.by_number(number).is_some_and(|(_, other)| other.oneof == entry.oneof);
            (entry.op.is_skip() && number == entry.number()) || (siblings && other())
        };
        if !entry.op.is_skip() && !siblings {
            return Ok(());
        }
        self.retain(|left| !(left.is_field && gone(left.number))).map_err(too_large)
    }

    /// Makes a verbatim message fields and the spans that no field holds.
    fn break_up(&mut self) -> Result<(), TooLarge> {
        if !self.raw().is_verbatim() {
            return Ok(());
        }
        let mut spans = self.left_out();
        self.mark_overruled(&mut spans);
        spans.retain(|left| !left.is_decoded);
        self.keep(&spans)
    }

    /// The spans of the message that its program does not decode.
    fn left_out(&self) -> Vec<LeftOut> {
        let (view, program) = (self.raw(), self.program());
        let mut spans = Vec::new();
        for span in view.spans() {
            match span.tag {
                None => {
                    let range = (span.offset as usize, (span.offset + span.len) as usize);
                    left_out(self.set, program, view.store, range, &mut |left| spans.push(left));
                }
                Some(tag) => spans.push(LeftOut {
                    number: tag >> 3,
                    offset: span.offset,
                    len: span.len,
                    tag: Some(tag),
                    is_field: false,
                    is_decoded: false,
                }),
            }
        }
        spans
    }

    /// Makes these the spans of the message.
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

    /// Drops some of the spans of a message that is not verbatim.
    fn retain(&mut self, wanted: impl Fn(&LeftOut) -> bool) -> Result<(), TooLarge> {
        let mut spans = self.left_out();
        let before = spans.len();
        spans.retain(wanted);
        if spans.len() < before { self.keep(&spans) } else { Ok(()) }
    }

    /// Marks members of oneofs that a later member overruled, as those that are decoded are: in what is written, spans
    /// are behind the fields.
    fn mark_overruled(&self, spans: &mut [LeftOut]) {
        let program = self.program();
        let oneof_of = |left: &LeftOut| match program.by_number(left.number) {
            Some((_, entry)) if left.is_field => entry.oneof,
            _ => 0,
        };
        // Of each oneof the member that came last, and whether another one came before what is looked at.
        let mut last = alloc::vec![(0, false); program.oneofs() + 1];
        for at in (0..spans.len()).rev() {
            let oneof = oneof_of(&spans[at]) as usize;
            let (number, overruled) = &mut last[oneof];
            if oneof == 0 {
                continue;
            }
            if *number == 0 {
                *number = spans[at].number;
            }
            *overruled |= *number != spans[at].number;
            spans[at].is_decoded |= *overruled;
        }
    }

    /// Decodes a field that was not selected from its spans, which are dropped.
    fn decode_kept(&mut self, place: &Place<'_>) -> Result<(), SetFieldError> {
        if self.raw().slot(place.position, &place.entry).is_some() {
            return Ok(());
        }
        let own = |left: &&LeftOut| left.is_field && left.number == place.entry.number();
        let before = self.left_out();
        let span = |left: &LeftOut| UnknownSpan { offset: left.offset, len: left.len, tag: None };
        let spans: Vec<UnknownSpan> = before.iter().filter(own).map(span).collect();
        let rest: Vec<LeftOut> = before.iter().filter(|left| !own(left)).copied().collect();
        if spans.is_empty() {
            return Ok(());
        }
        self.keep(&rest).map_err(|_| place.error(Fault::TooLarge, None))?;
        let program = self.program();
        let len: usize = spans.iter().map(|span| span.len as usize).sum();
        let options = DecodeOptions::new().allow_partial(true);
        let held = self.slab.capacity();
        self.slab.set_limit(options.budget_for(len).saturating_add(2 * held));
        let store = self.store.as_slice();
        let merged = merge_spans(self.set, program.whole(), store, self.slab, self.base, &spans, &options);
        self.slab.set_limit(usize::MAX);
        merged.map_err(|error: DecodeError| {
            self.slab.untouch(program, self.base, place.position);
            // There was room for as many.
            let _ = self.keep(&before);
            let message = MessageDescriptor::new(self.pool, program.message());
            place.error(Fault::InvalidMessage, None).with_cause(named(&message, error))
        })
    }

    /// Drops the unknown fields of this message, not those of its sub-messages.
    pub fn clear_unknown_fields(&mut self) {
        if !self.program().keeps_bytes() {
            return self.slab.clear_unknown(self.base);
        }
        // There is room for fewer spans than there are.
        let _ = self.break_up().and_then(|()| self.retain(|left| left.is_field));
    }
}

impl DynamicMessage {
    /// The message as bytes, if it is one that a projection decoded: as such it goes into messages that know nothing
    /// of the projection.
    pub(super) fn as_prepared(&self) -> Option<super::Prepared> {
        let bytes = || crate::encode::encode_raw(self.as_view().raw());
        self.is_projected().then(|| super::Prepared::unchecked(self.descriptor().clone(), bytes()))
    }
}

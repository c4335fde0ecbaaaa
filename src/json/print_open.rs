//! Where a message begins: which form its type has in JSON.

use super::error::SerializeErrorKind as Kind;
use super::print::{Bytes, JsonPrinter, Result, Source, StepResult, limit};
use super::strings;
use crate::schema::WellKnown;
use crate::slab::{NIL, RawView};

impl JsonPrinter<'_, '_> {
    /// A message begins, at this level.
    pub(super) fn open<'i>(&mut self, view: RawView<'_, 'i>, mut depth: u32) -> Result<StepResult<'i>> {
        let mut view = view;
        loop {
            if depth > limit() {
                return Err(Kind::DepthExceeded);
            }
            if view.is_raw() {
                let Err(raw) = empty(view) else { return self.open_plain(view, depth) };
                return Ok(StepResult::Decode(raw, depth));
            }
            match self.pool.well_known(view.program().message()) {
                WellKnown::None => return self.open_plain(view, depth),
                WellKnown::Any => return self.open_any(view, depth),
                WellKnown::Value => match self.value(view)? {
                    Some(inner) => (view, depth) = (inner, depth + 1),
                    None => return Ok(StepResult::GoOn),
                },
                WellKnown::Struct | WellKnown::ListValue => {
                    let Some(entry) = view.program().entries().first() else { return Ok(StepResult::GoOn) };
                    let over = if entry.flags.is_map() { Source::Map } else { Source::List };
                    let slot = view.slot(0, entry).unwrap_or(NIL);
                    self.push(over, view, depth, 0, slot)?;
                    return Ok(StepResult::GoOn);
                }
                known => {
                    self.well_known(view, known)?;
                    return Ok(StepResult::GoOn);
                }
            }
        }
    }

    fn open_plain<'i>(&mut self, view: RawView<'_, '_>, depth: u32) -> Result<StepResult<'i>> {
        let over = if self.options.skip_default_fields { Source::Fields } else { Source::AllFields };
        self.push(over, view, depth, u32::MAX, NIL)?;
        Ok(StepResult::GoOn)
    }

    /// `{"@type": url`, and then the fields of the content, or its value.
    fn open_any<'i>(&mut self, view: RawView<'_, 'i>, depth: u32) -> Result<StepResult<'i>> {
        let bytes = |at: usize| {
            let entry = view.program().entries().get(at);
            entry.and_then(|entry| view.slot(at, entry)).map_or(&[][..], |slot| view.span(slot))
        };
        let (url, value) = (bytes(0), bytes(1));
        if url.is_empty() && value.is_empty() {
            self.out.array(b"{}");
            return Ok(StepResult::GoOn);
        }
        let index = self.type_of(url).ok_or(Kind::UnknownType)?;
        let known = self.pool.well_known(index) != WellKnown::None;
        self.push(Source::Value, view, depth, u32::MAX, NIL)?;
        self.comma();
        self.out.array(b"\"@type\"");
        self.colon();
        strings::put(&mut self.out, url, url.len());
        if known {
            self.comma();
            self.out.array(b"\"value\"");
            self.colon();
        }
        Ok(StepResult::Decode(Bytes::Any(value, index), depth + 1))
    }

    /// The message type that a URL names.
    fn type_of(&self, url: &[u8]) -> Option<u32> {
        let name = url.rsplit(|&byte| byte == b'/').next().filter(|name| name.len() < url.len())?;
        let message = self.pool.get_message_by_name(core::str::from_utf8(name).ok()?)?;
        Some(message.index())
    }
}

/// What is to be decoded of a raw message, unless it has no bytes.
fn empty<'i>(view: RawView<'_, '_>) -> core::result::Result<(), Bytes<'i>> {
    match view.spans().next() {
        None => Ok(()),
        Some(_) => Err(Bytes::Raw { index: view.index, base: view.base }),
    }
}

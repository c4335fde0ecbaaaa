//! Where a message begins: which form its type has in JSON.

use super::error::SerializeErrorKind as Kind;
use super::print::{JsonPrinter, JsonSource, JsonStep, limit};
use super::strings;
use crate::message::Encoded;
use crate::schema::WellKnown;
use crate::slab::{NIL, RawView};

impl JsonPrinter<'_, '_> {
    /// A message begins, at this level.
    pub(super) fn open<'i>(&mut self, view: RawView<'_, 'i>, mut depth: u32) -> Result<JsonStep<'i>, Kind> {
        let mut view = view;
        loop {
            if depth > limit() {
                return Err(Kind::DepthExceeded);
            }
            if view.is_raw() {
                // Without bytes it has no fields.
                return match view.spans().next() {
                    None => self.open_plain(view, depth),
                    Some(_) => Ok(JsonStep::Decode(Encoded::Raw(view.body), depth)),
                };
            }
            match self.pool.well_known(view.program().message()) {
                WellKnown::None => return self.open_plain(view, depth),
                WellKnown::Any => return self.open_any(view, depth),
                WellKnown::Value => match self.value(view)? {
                    Some(inner) => (view, depth) = (inner, depth + 1),
                    None => return Ok(JsonStep::GoOn),
                },
                WellKnown::Struct | WellKnown::ListValue => {
                    let Some(entry) = view.program().entries().first() else { return Ok(JsonStep::GoOn) };
                    let over = if entry.flags.is_map() { JsonSource::Map } else { JsonSource::List };
                    let slot = view.slot(0, entry).unwrap_or(NIL);
                    self.push(over, view, depth, 0, slot)?;
                    return Ok(JsonStep::GoOn);
                }
                known => {
                    self.well_known(view, known)?;
                    return Ok(JsonStep::GoOn);
                }
            }
        }
    }

    fn open_plain<'i>(&mut self, view: RawView<'_, '_>, depth: u32) -> Result<JsonStep<'i>, Kind> {
        let over = if self.options.skip_default_fields { JsonSource::Fields } else { JsonSource::AllFields };
        self.push(over, view, depth, u32::MAX, NIL)?;
        Ok(JsonStep::GoOn)
    }

    /// `{"@type": url`, and then the fields of the content, or its value.
    fn open_any<'i>(&mut self, view: RawView<'_, 'i>, depth: u32) -> Result<JsonStep<'i>, Kind> {
        let (url, value) = (view.bytes_of(0), view.bytes_of(1));
        if url.is_empty() && value.is_empty() {
            self.out.array(b"{}");
            return Ok(JsonStep::GoOn);
        }
        let index = self.type_of(url).ok_or(Kind::UnknownType)?;
        let known = self.pool.well_known(index) != WellKnown::None;
        self.push(JsonSource::Value, view, depth, u32::MAX, NIL)?;
        self.comma();
        self.out.array(b"\"@type\"");
        self.colon();
        strings::put(&mut self.out, url, url.len());
        if known {
            self.comma();
            self.out.array(b"\"value\"");
            self.colon();
        }
        Ok(JsonStep::Decode(Encoded::Any { value, message: index }, depth + 1))
    }

    /// The message type that a URL names.
    fn type_of(&self, url: &[u8]) -> Option<u32> {
        let name = url.rsplit(|&byte| byte == b'/').next().filter(|name| name.len() < url.len())?;
        let message = self.pool.get_message_by_name(core::str::from_utf8(name).ok()?)?;
        Some(message.index())
    }
}

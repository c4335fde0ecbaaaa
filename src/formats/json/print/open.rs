//! Where a message begins: which form its type has in JSON.

use super::{JsonPrinter, JsonSource, JsonStep, limit};
use crate::engine::slab::{NIL, RawView};
use crate::formats::json::error::SerializeErrorKind as Kind;
use crate::formats::json::strings;
use crate::formats::numbers::type_in_url;
use crate::message::Encoded;
use crate::schema::pool::WellKnown;

impl JsonPrinter<'_, '_> {
    /// A message begins, at this level.
    pub(in crate::formats::json) fn open<'i>(
        &mut self,
        view: RawView<'_, 'i>,
        mut depth: u32,
    ) -> Result<JsonStep<'i>, Kind> {
        let mut view = view;
        loop {
            if depth > limit() {
                return Err(Kind::DepthExceeded);
            }
            if view.is_raw() {
                return Ok(JsonStep::Decode(Encoded::Raw(view.body), depth));
            }
            match self.pool.well_known(view.program().message()) {
                WellKnown::None => {
                    let set = self.options.skip_default_fields;
                    let over = if set { JsonSource::Fields } else { JsonSource::AllFields };
                    self.push(over, view, depth, u32::MAX, NIL)?;
                    return Ok(JsonStep::GoOn);
                }
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

    /// `{"@type": url`, and then the fields of the content, or its value.
    fn open_any<'i>(&mut self, view: RawView<'_, 'i>, depth: u32) -> Result<JsonStep<'i>, Kind> {
        let (url, value) = (view.bytes_of(0), view.bytes_of(1));
        if url.is_empty() && value.is_empty() {
            self.out.array(b"{}");
            return Ok(JsonStep::GoOn);
        }
        let message = type_in_url(url).and_then(|name| self.pool.get_message_by_name(name));
        let index = message.ok_or(Kind::UnknownType)?.index();
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
}

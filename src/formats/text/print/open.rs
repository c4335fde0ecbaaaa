//! Where a message begins.

use super::{TextPrinter, TextSource, TextStep};
use crate::engine::slab::{NIL, RawView};
use crate::formats::text::names::type_name;
use crate::message::Encoded;
use crate::schema::pool::WellKnown;
use crate::wire::Full;

impl TextPrinter<'_, '_> {
    /// A message begins.
    pub(in crate::formats::text) fn open<'i>(&mut self, view: RawView<'_, 'i>) -> Result<TextStep<'i>, Full> {
        if view.is_raw() {
            return Ok(TextStep::Decode(Encoded::Raw(view.body), view.body));
        }
        if self.options.expand_any
            && self.pool.well_known(view.program().message()) == WellKnown::Any
            && let Some(bytes) = self.content_of(view)
        {
            return Ok(TextStep::Decode(bytes, view.body));
        }
        self.open_fields(view)?;
        Ok(TextStep::GoOn)
    }

    pub(in crate::formats::text) fn open_fields(&mut self, view: RawView<'_, '_>) -> Result<(), Full> {
        let options = &self.options;
        let every = !options.skip_default_fields || options.print_message_fields_in_index_order;
        self.push(if every { TextSource::EveryField } else { TextSource::Fields }, view, 0, NIL)
    }

    /// What is to be decoded of an `Any`, if its URL can stand in brackets and the pool has its type.
    fn content_of<'i>(&self, view: RawView<'_, 'i>) -> Option<Encoded<'i>> {
        let (url, value) = (view.bytes_of(0), view.bytes_of(1));
        let message = self.pool.get_message_by_name(type_name(url)?)?.index();
        Some(Encoded::Any { value, message })
    }

    /// An `Any` whose content is opened next.
    pub(in crate::formats::text) fn begin_any(&mut self, view: RawView<'_, '_>) -> Result<(), Full> {
        self.push(TextSource::Any, view, 0, NIL)?;
        self.begin_field();
        self.out.byte(b'[');
        self.out.slice(view.bytes_of(0));
        self.out.byte(b']');
        self.pad();
        Ok(())
    }

    /// A message whose bytes are not valid.
    pub(in crate::formats::text) fn invalid(&mut self, view: RawView<'_, '_>) -> Result<(), Full> {
        let level = self.next_level();
        let mut first = true;
        self.open_brace(level);
        for span in view.spans() {
            first = self.unknown_bytes(view.bytes_at(span.offset, span.len), level, first)?;
        }
        self.close_brace(level, first);
        Ok(())
    }
}

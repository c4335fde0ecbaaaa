//! Frames: the messages, lists and maps that are open, and the punctuation between what is in them.

use super::{TextFrame, TextPrinter, TextSource, TextStep};
use crate::engine::slab::{RawView, SetFields};
use crate::schema::pool::{FieldFormats, TextName};
use crate::wire::Full;

/// How many levels are indented. Deeper messages would print mostly spaces.
const INDENTED: u32 = 64;

impl TextPrinter<'_, '_> {
    /// A message ends.
    pub(in crate::formats::text) fn end_message<'i>(
        &mut self,
        here: RawView<'_, 'i>,
    ) -> Result<TextStep<'i>, Full> {
        let Some(frame) = self.frames.pop() else { return Ok(TextStep::GoOn) };
        let mut first = frame.first;
        if !self.options.skip_unknown_fields && frame.over != TextSource::Any {
            first = self.unknown_fields(here, frame.level, first)?;
        }
        self.close_brace(frame.level, first);
        Ok(TextStep::GoOn)
    }

    pub(in crate::formats::text) fn push(
        &mut self,
        over: TextSource,
        view: RawView<'_, '_>,
        position: u32,
        slot: u32,
    ) -> Result<(), Full> {
        self.frames.try_reserve(1).map_err(|_| Full::NoMemory)?;
        let mut level = self.next_level();
        if matches!(over, TextSource::List | TextSource::Map) {
            level -= 1;
            self.out.byte(b'[');
        } else {
            self.open_brace(level);
        }
        let fields = if over == TextSource::Fields { view.set_fields() } else { SetFields::default() };
        let body = view.body;
        self.frames.push(TextFrame { over, first: true, level, fields, body, position, slot, element: 0 });
        Ok(())
    }

    /// The level of a message that is opened now.
    pub(in crate::formats::text) fn next_level(&self) -> u32 {
        self.frames.last().map_or(u32::from(self.named), |frame| frame.level + 1)
    }

    pub(in crate::formats::text) fn open_brace(&mut self, level: u32) {
        if level > 0 {
            self.out.byte(b'{');
        }
    }

    /// Ends the message of this level; `first` if nothing was written inside.
    pub(in crate::formats::text) fn close_brace(&mut self, level: u32, first: bool) {
        if level == 0 {
            return;
        }
        if self.options.pretty && !first {
            self.line(level - 1);
        }
        self.out.byte(b'}');
    }

    /// The name of the next field of the message whose frame is the last.
    pub(in crate::formats::text) fn name(
        &mut self,
        names: FieldFormats<'_>,
        position: usize,
        here: RawView<'_, '_>,
    ) {
        self.begin_field();
        match names.plain_text(position) {
            Some((rest, len)) => self.out.part(rest, len),
            None => self.odd_name(here, position),
        }
    }

    #[cold]
    fn odd_name(&mut self, here: RawView<'_, '_>, position: usize) {
        let program = here.program();
        match self.pool.text_name(program.message(), program.field_of(position) as u32) {
            Some(TextName::Plain(name)) => self.out.slice(name.as_bytes()),
            Some(TextName::Extension(name)) => {
                self.out.byte(b'[');
                self.out.slice(name.as_bytes());
                self.out.byte(b']');
            }
            None => {}
        }
    }

    pub(in crate::formats::text) fn begin_field(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (level, first) = (frame.level, core::mem::replace(&mut frame.first, false));
        self.separate(level, first);
    }

    /// Goes to the next field of a message of this level.
    pub(in crate::formats::text) fn separate(&mut self, level: u32, first: bool) {
        match self.options.pretty {
            true if level > 0 || !first => self.line(level),
            false if !first => self.out.byte(b','),
            _ => {}
        }
    }

    /// Goes to the next element of a list.
    pub(in crate::formats::text) fn comma(&mut self) {
        self.out.byte(b',');
        self.pad();
    }

    pub(in crate::formats::text) fn colon(&mut self) {
        self.out.byte(b':');
        self.pad();
    }

    pub(in crate::formats::text) fn pad(&mut self) {
        if self.options.pretty {
            self.out.byte(b' ');
        }
    }

    /// A new line.
    fn line(&mut self, level: u32) {
        self.out.byte(b'\n');
        for _ in 0..level.min(INDENTED) {
            self.out.array(b"  ");
        }
    }
}

//! Frames: the objects and lists that are open, and the punctuation between what is in them.

use super::{JsonFrame, JsonPrinter, JsonSource};
use crate::engine::slab::{RawView, SetFields};
use crate::formats::json::error::{SerializeErrorKind as Kind, step};
use crate::formats::json::strings;
use crate::schema::pool::{FieldFormats, FieldRef};
use crate::wire::error::FieldPath;

impl JsonPrinter<'_, '_> {
    /// Begins an object or list.
    pub(in crate::formats::json) fn push(
        &mut self,
        over: JsonSource,
        view: RawView<'_, '_>,
        depth: u32,
        position: u32,
        slot: u32,
    ) -> Result<(), Kind> {
        // The content of an Any goes on where the Any has begun.
        let object = matches!(over, JsonSource::Fields | JsonSource::AllFields);
        let inside = object && self.frames.last().is_some_and(|frame| frame.over == JsonSource::Value);
        if self.frames.len() == self.frames.capacity() {
            self.frames.try_reserve(1).map_err(|_| Kind::OutOfMemory)?;
        }
        let level = self.level() + u32::from(!inside);
        if !inside {
            self.out.byte(if over == JsonSource::List { b'[' } else { b'{' });
        }
        let fields = if over == JsonSource::Fields { view.set_fields() } else { SetFields::default() };
        self.frames.push(JsonFrame {
            over,
            first: !inside,
            inside,
            level,
            depth,
            message: view.program().message(),
            fields,
            body: view.body,
            position,
            slot,
            element: 0,
        });
        Ok(())
    }

    /// Ends what the last frame is about.
    pub(in crate::formats::json) fn close(&mut self, bracket: u8) {
        let Some(frame) = self.frames.pop().filter(|frame| !frame.inside) else { return };
        if self.options.pretty && !frame.first {
            self.line(frame.level - 1);
        }
        self.out.byte(bracket);
    }

    /// Goes to the next member or element.
    #[inline]
    pub(in crate::formats::json) fn comma(&mut self) {
        let level = self.level();
        if let Some(frame) = self.frames.last_mut()
            && !core::mem::replace(&mut frame.first, false)
        {
            self.out.byte(b',');
        }
        if self.options.pretty {
            self.line(level);
        }
    }

    #[inline]
    pub(crate) fn colon(&mut self) {
        self.out.byte(b':');
        if self.options.pretty {
            self.out.byte(b' ');
        }
    }

    /// How many objects and lists are open.
    pub(in crate::formats::json) fn level(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.level)
    }

    /// A new line.
    #[inline(never)]
    pub(crate) fn line(&mut self, level: u32) {
        self.out.byte(b'\n');
        for _ in 0..level {
            self.out.array(b"  ");
        }
    }

    /// The key of a member, with the comma before it unless it is the first one.
    #[inline(always)]
    pub(in crate::formats::json) fn name(&mut self, names: FieldFormats<'_>, position: usize, first: bool) {
        match names.label(position).filter(|_| self.plain) {
            // The comma is the first byte of the label.
            Some((label, len)) => {
                let skip = usize::from(first);
                self.out.part(label.get(skip..).unwrap_or_default(), len - skip);
            }
            None => self.odd_name(names, position, first, self.level()),
        }
    }

    /// A key that is no label, where so many objects and lists are open.
    #[inline(never)]
    pub(crate) fn odd_name(&mut self, names: FieldFormats<'_>, position: usize, first: bool, level: u32) {
        if !first {
            self.out.byte(b',');
        }
        if self.options.pretty {
            self.line(level);
        }
        let json = names.json(position).unwrap_or_default();
        // Extensions go by their full names in any case.
        let own = self.options.use_proto_field_name && !json.starts_with(b"[");
        let (rest, len) = names.own(position).filter(|_| own).unwrap_or((json, json.len()));
        strings::put(&mut self.out, rest, len);
        self.colon();
    }

    /// The fields that lead to where the printer is.
    #[cold]
    pub(in crate::formats::json) fn path(&self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        let set = self.pool.programs();
        for (at, frame) in self.frames.iter().enumerate() {
            let message = frame.message;
            let above = self.frames.get(at + 1);
            let list = matches!(frame.over, JsonSource::List | JsonSource::Map);
            // A list says more of its field than the message that has it.
            let said = above.is_some_and(|next| {
                matches!(next.over, JsonSource::List | JsonSource::Map)
                    && (next.body, next.position) == (frame.body, frame.position)
            });
            let program = set.program(message);
            let field = program.field_of(frame.position as usize);
            let known = frame.position != u32::MAX && field != usize::MAX;
            if said || !known {
                continue;
            }
            let field = FieldRef::new(self.pool, message, field as u32);
            let index = (list && frame.over == JsonSource::List).then(|| frame.element.saturating_sub(1));
            path.push_inner(step(field.number(), field.name(), index));
        }
        path
    }
}

//! The fields of a message, the messages of a list, the entries of a map.

use super::{JsonPrinter, JsonSource, JsonStep, limit};
use crate::engine::slab::{BodyRef, NIL, RawView, SetFields};
use crate::formats::json::error::SerializeErrorKind as Kind;
use crate::schema::pool::{FieldFormats, FieldRef, WellKnown};
use crate::schema::program::{FieldEntry, Scalar};

impl JsonPrinter<'_, '_> {
    /// The fields of a message, until one of them needs a frame.
    ///
    /// ```text
    /// for each hasbit that is left, from the lowest:
    ///     comma and name, prebuilt
    ///     a scalar or a list of scalars: all of it, and on
    ///     anything else: note in the frame where to go on, open it
    /// ```
    #[inline(never)]
    pub(in crate::formats::json) fn fields<'i>(
        &mut self,
        here: RawView<'_, 'i>,
    ) -> Result<JsonStep<'i>, Kind> {
        let program = here.program();
        let names = self.pool.field_formats(program.message());
        // The frame is worked on in its place: what was just stored field by field is slow to load as a whole.
        while let Some(frame) = self.frames.last_mut()
            && let Some((position, entry, slot)) = frame.fields.next_of(program, here.words, here.body.base)
        {
            // An empty packed run leaves a list without elements, which is not set.
            if entry.flags.is_list() && here.words.list(slot).len == 0 {
                continue;
            }
            frame.position = position as u32;
            let (first, depth) = (core::mem::replace(&mut frame.first, false), frame.depth + 1);
            self.name(names, position, first);
            if entry.coding.is_message() {
                if !entry.flags.is_list() && self.is_flat(names, position, depth) {
                    let child = here.child(entry, slot);
                    if !child.is_raw() {
                        self.flat(child);
                        continue;
                    }
                }
                return self.field(here, position, entry, slot);
            }
            if entry.flags.is_list() {
                self.scalars((names, position), entry, here, slot);
            } else {
                self.scalar_at((names, position), entry, here, slot);
            }
        }
        self.close(b'}');
        Ok(JsonStep::GoOn)
    }

    /// Whether the messages of a field are printed by [`flat`](Self::flat), at this depth.
    #[inline(always)]
    fn is_flat(&self, names: FieldFormats<'_>, position: usize, depth: u32) -> bool {
        self.compact && depth <= limit() && names.is_flat(position)
    }

    /// A message of scalars, without a frame: nothing in it can fail. With frames, meshes took 1.4 times as many instructions.
    fn flat(&mut self, view: RawView<'_, '_>) {
        let program = view.program();
        let names = self.pool.field_formats(program.message());
        let mut fields = SetFields::dense(view.words.hasbits(program, view.body.base));
        // In the place of the comma that labels begin with.
        let mut before = b'{';
        while let Some(position) = fields.take_lowest()
            && let Some(entry) = program.entries().get(position)
        {
            match names.short_label(position) {
                Some((label, len)) => self.out.window_from(before, label, len),
                None => self.long_name(names, position, before),
            }
            before = b',';
            let slot = view.body.base + u32::from(entry.slot);
            if entry.scalar() == Scalar::F32 {
                self.float(f32::from_bits(view.words.get(slot)));
            } else {
                self.scalar_at((names, position), entry, view, slot);
            }
        }
        if before == b'{' {
            self.out.byte(before);
        }
        self.out.byte(b'}');
    }

    /// The name of a member whose label is long, after this byte.
    #[inline(never)]
    fn long_name(&mut self, names: FieldFormats<'_>, position: usize, before: u8) {
        if before == b'{' {
            self.out.byte(before);
        }
        self.name(names, position, before == b'{');
    }

    /// All fields of a message but those with presence that are not set.
    pub(in crate::formats::json) fn all_fields<'i>(
        &mut self,
        here: RawView<'_, 'i>,
    ) -> Result<JsonStep<'i>, Kind> {
        let (program, message) = (here.program(), here.program().message());
        let names = self.pool.field_formats(message);
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(JsonStep::GoOn) };
            let position = frame.element as usize;
            let Some(entry) = program.entries().get(position) else {
                self.close(b'}');
                return Ok(JsonStep::GoOn);
            };
            frame.element += 1;
            let slot = here.slot(position, entry);
            let (list, implicit) = (entry.flags.is_list(), entry.flags.is_implicit());
            if slot.is_none() && !list && !implicit {
                continue;
            }
            let field = FieldRef::at(self.pool, message, program.field_of(position) as u16, position as u16);
            // An extension that is not set is no field of the message. Numbers that a closed enum does not list leave a list without
            // elements, which is not set.
            let set = slot.is_some_and(|slot| !list || here.words.list(slot).len != 0);
            if !set && field.is_extension() {
                continue;
            }
            let Some(frame) = self.frames.last_mut() else { return Ok(JsonStep::GoOn) };
            frame.position = position as u32;
            let first = core::mem::replace(&mut frame.first, false);
            self.name(names, position, first);
            match slot {
                Some(slot) if entry.coding.is_message() => return self.field(here, position, entry, slot),
                Some(slot) if list => self.scalars((names, position), entry, here, slot),
                Some(slot) => self.scalar_at((names, position), entry, here, slot),
                None if entry.flags.is_map() => self.out.array(b"{}"),
                None if list => self.out.array(b"[]"),
                None => self.default(field, entry),
            }
        }
    }

    /// The value of a field that is a message, a list of them, or a map.
    fn field<'i>(
        &mut self,
        here: RawView<'_, 'i>,
        position: usize,
        entry: &FieldEntry,
        slot: u32,
    ) -> Result<JsonStep<'i>, Kind> {
        let depth = self.frames.last().map_or(0, |frame| frame.depth);
        if !entry.flags.is_list() {
            return self.open(here.child(entry, slot), depth + 1);
        }
        let over = if entry.flags.is_map() { JsonSource::Map } else { JsonSource::List };
        self.push(over, here, depth, position as u32, slot)?;
        Ok(JsonStep::GoOn)
    }

    /// The messages of a list, until one of them needs more than one frame.
    pub(in crate::formats::json) fn list<'i>(&mut self, here: RawView<'_, 'i>) -> Result<JsonStep<'i>, Kind> {
        let Some(frame) = self.frames.last() else { return Ok(JsonStep::GoOn) };
        let Some(entry) = here.program().entries().get(frame.position as usize) else {
            return Ok(JsonStep::GoOn);
        };
        let (first, slot, depth) = (frame.element, frame.slot, frame.depth + 1);
        let list = here.list(entry, slot);
        let len = if slot == NIL { 0 } else { list.len() };
        let names = self.pool.field_formats(here.program().message());
        let flat = self.is_flat(names, frame.position as usize, depth);
        let plain = self.pool.well_known(here.set.program(entry.sub).message()) == WellKnown::None
            && self.options.skip_default_fields;
        let frames = self.frames.len();
        for element in first..len {
            if let Some(frame) = self.frames.last_mut() {
                frame.element = element + 1;
            }
            self.comma();
            let view = list.message(element);
            if flat && !view.is_raw() {
                self.flat(view);
                if self.out.has_failed() {
                    return Ok(JsonStep::GoOn);
                }
                continue;
            }
            let mut next = self.open(view, depth)?;
            // Most messages of lists need no more than this one frame: their fields are printed from here, and the list goes on.
            if plain && matches!(next, JsonStep::GoOn) {
                next = self.fields(view)?;
            }
            if self.frames.len() != frames || matches!(next, JsonStep::Decode(..)) || self.out.has_failed() {
                return Ok(next);
            }
        }
        self.close(b']');
        Ok(JsonStep::GoOn)
    }

    /// The entries of a map, until one of them needs a frame.
    pub(in crate::formats::json) fn map<'i>(&mut self, here: RawView<'_, 'i>) -> Result<JsonStep<'i>, Kind> {
        let Some(&frame) = self.frames.last() else { return Ok(JsonStep::GoOn) };
        let Some(entry) = here.program().entries().get(frame.position as usize) else {
            return Ok(JsonStep::GoOn);
        };
        let list = here.list(entry, frame.slot);
        let len = if frame.slot == NIL { 0 } else { list.len() };
        let program = here.set.program(entry.sub);
        let names = self.pool.field_formats(program.message());
        let [key, value] = parts(program.entries());
        for element in frame.element..len {
            let pair = list.message(element);
            self.comma();
            match pair.slot(0, key) {
                Some(slot) => self.key_at(key, pair, slot),
                None => self.default_key(key),
            }
            self.colon();
            let inner = match pair.slot(1, value) {
                Some(slot) if value.coding.is_message() => pair.child(value, slot),
                None if value.coding.is_message() => pair.at(BodyRef::of(value, NIL)),
                Some(slot) => {
                    self.scalar_at((names, 1), value, pair, slot);
                    continue;
                }
                None => {
                    let field = FieldRef::at(self.pool, program.message(), program.field_of(1) as u16, 1);
                    self.default(field, value);
                    continue;
                }
            };
            if let Some(frame) = self.frames.last_mut() {
                frame.element = element + 1;
            }
            return self.open(inner, frame.depth + 2);
        }
        self.close(b'}');
        Ok(JsonStep::GoOn)
    }
}

/// Key and value of a map entry.
fn parts(entries: &[FieldEntry]) -> [&FieldEntry; 2] {
    static NONE: FieldEntry = FieldEntry::none(1);
    match entries {
        [key, value, ..] => [key, value],
        _ => [&NONE, &NONE],
    }
}

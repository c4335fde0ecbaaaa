//! Messages to text, without recursion: one way for JSON and the text format, and for slabs and structs.
//!
//! ```text
//! open the root
//! while a frame is left:
//!     message: the next field that is set: its name, and
//!         a scalar, a list of scalars:    all of it
//!         a list of messages, a map:      a frame that goes over it
//!         a message:                      open it
//!     list: open the next message
//!     map:  the next key and its value, or a frame for the next entry
//!     nothing left: unknown fields, a closing bracket, and the frame goes
//! open a message: a form of its own (well-known types): that
//!                 bytes (Any, lazy fields): decode them into a slab of their own, and open what comes out
//!                 any other: a bracket, and a frame
//! ```
//!
//! [`Style`] has what the formats print differently, [`PrintView`] what the storages read differently. Slabs of decoded bytes are on a stack of
//! their own ([`DetachedStack`]) and go with the frames that read them.

mod members;
mod style;
mod view;

pub(crate) use members::print_members;
pub(crate) use style::{Form, Open, Over, Style};
pub(crate) use view::{PrintView, Stored, encoded_fields};

use view::InSlab;

use crate::engine::decode::check_required;
use crate::engine::slab::RawView;
use crate::message::{Detached, DetachedStack};
use crate::schema::pool::{FieldRef, FormatField};
use crate::schema::program::FieldEntry;
use crate::wire::Full;
use crate::wire::error::{DecodeError, FieldPath, PathStep};
use alloc::vec::Vec;
use core::mem::replace;

/// An object, message or list that has not ended.
struct Frame<S: Stored> {
    open: Open,
    /// The list or map is a field of the message whose frame is below.
    of_below: bool,
    /// The level of the message: 0 for the root.
    depth: u32,
    /// The type of the message; of the one that has the list or map.
    message: u32,
    /// Where its fields that are set are walked.
    cursor: Option<S::Cursor>,
    /// The message; the one that has the list or map.
    body: S::Body,
    /// The field that is being written, or that is the list or map.
    position: u32,
    /// The list or map; nothing if it is not set.
    slot: Option<S::Slot>,
    /// The next element or field.
    element: u32,
}

/// What is done after a step.
enum Step<'i, B> {
    GoOn,
    /// Decode this message at this depth; of an `Any`, its content, of this type.
    Decode(B, Option<(&'i [u8], u32)>, u32),
}

/// Where the root is printed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    /// The level of what it is in.
    pub(crate) level: Option<u32>,
    pub(crate) depth: u32,
    /// In the object of an `Any`, which has begun.
    pub(crate) inside: bool,
}

/// Why a message is not printed, and the fields that lead there.
pub(crate) type Fault<E> = (E, FieldPath);

/// Prints a message of a slab.
///
/// # Errors
/// As the style has them. What was printed stays.
pub(crate) fn print_slab<'p, P: Style<'p>>(
    style: &mut P,
    root: RawView<'_, '_>,
    place: Place,
) -> Result<(), Fault<P::Error>> {
    let mut printing = Printing::<P, InSlab>::new(style, place);
    let done = printing.run(root);
    done.map_err(|error| (error, printing.path()))
}

/// A message on its way to text.
struct Printing<'s, P, S: Stored> {
    style: &'s mut P,
    frames: Vec<Frame<S>>,
    /// The entries of the maps that are open.
    entries: Vec<S::Entries>,
    fields: S::Fields,
    place: Place,
    /// After bytes that are no message: the fields in them that lead to the fault.
    inside: FieldPath,
}

impl<'p, P: Style<'p>> Printing<'_, P, InSlab> {
    fn run(&mut self, root: RawView<'_, '_>) -> Result<(), P::Error> {
        let set = self.style.pool().programs();
        let mut detached = DetachedStack::new();
        let mut next = self.open(root, self.place.depth)?;
        loop {
            if let Step::Decode(body, content, depth) = next {
                let view = detached.innermost(root, set).at(body);
                let options = self.style.decode_options(self.level_inside(), depth);
                let decoded = match content {
                    Some(content) => Detached::encoded(set, content, &options),
                    None => Detached::raw(set, view, &options),
                };
                next = Step::GoOn;
                match decoded {
                    Ok(message) if content.is_none() || self.is_whole(message.view(set)) => {
                        self.begin_any(view, content, depth)?;
                        detached.push(message, self.frames.len())?;
                        next = self.open(detached.innermost(root, set), depth)?;
                    }
                    decoded => {
                        let message = content.map_or(view.program().message(), |(_, message)| message);
                        decoded.map_or_else(|error| self.undecoded(&error, message), |_| Ok(()))?;
                        match content {
                            Some(_) => self.push_fields(view, depth)?,
                            None => {
                                let spans = view.spans().map(|span| view.bytes_at(span.offset, span.len));
                                self.style.invalid(spans, self.level_inside())?;
                            }
                        }
                    }
                }
            } else if self.frames.is_empty() {
                return Ok(());
            } else if !detached.drop_unread(self.frames.len()) {
                next = self.steps(detached.innermost(root, set), detached.floor())?;
            }
            if self.style.has_failed() {
                return Err(Full::NoMemory.into());
            }
        }
    }
}

impl<'s, 'p, P: Style<'p>, S: Stored> Printing<'s, P, S> {
    fn new(style: &'s mut P, place: Place) -> Self {
        Self {
            style,
            frames: Vec::new(),
            entries: Vec::new(),
            fields: S::Fields::default(),
            place,
            inside: FieldPath::EMPTY,
        }
    }

    /// Whether the content of an `Any` can be printed as a message.
    fn is_whole(&self, content: RawView<'_, '_>) -> bool {
        !self.style.needs_whole_any() || check_required(content, 0).is_ok()
    }

    /// Bytes are no message of this type.
    #[cold]
    fn undecoded(&mut self, error: &DecodeError, message: u32) -> Result<(), P::Error> {
        let content = self.style.pool().message_at(message);
        self.inside = content.map_or(FieldPath::EMPTY, |message| message.name_path(error.path()));
        self.style.undecoded(error)
    }

    /// Steps in one storage, until there is something to decode or the frames above `floor` are done.
    fn steps<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        view: V,
        floor: usize,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        while self.frames.len() > floor && !self.style.has_failed() {
            let Some(frame) = self.frames.last() else { break };
            let here = view.at(frame.body);
            let next = match frame.open.over {
                Over::Fields => self.fields(here)?,
                Over::EveryField => self.every_field(here)?,
                Over::Entry => self.entry(here)?,
                Over::List => self.list(here)?,
                Over::Map => self.map(here)?,
                Over::Any => {
                    self.close();
                    continue;
                }
            };
            if let Step::Decode(..) = next {
                return Ok(next);
            }
        }
        Ok(Step::GoOn)
    }

    /// A message begins.
    fn open<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        mut view: V,
        mut depth: u32,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        loop {
            if view.is_encoded(self.style.shows_unknown()) {
                return Ok(Step::Decode(view.body(), None, depth));
            }
            match self.style.form(view, depth)? {
                Form::Fields => self.push_fields(view, depth)?,
                Form::Done => {}
                Form::As(inner) => {
                    (view, depth) = (inner, depth + 1);
                    continue;
                }
                Form::FirstField => {
                    let Some(entry) = view.program().entries().first() else { return Ok(Step::GoOn) };
                    self.push_list(view, depth, (0, entry), view.slot(0, entry), false)?;
                }
                Form::Any(value, content) => {
                    return Ok(Step::Decode(view.body(), Some((value, content)), depth + 1));
                }
            }
            return Ok(Step::GoOn);
        }
    }

    /// The fields of a message, until one of them needs a frame.
    #[inline(never)]
    fn fields<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        here: V,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        let program = here.program();
        let names = self.style.pool().field_formats(program.message());
        // The frame is worked on in its place: what was just stored field by field is slow to load as a whole.
        while let Some(frame) = self.frames.last_mut()
            && let Some(cursor) = &mut frame.cursor
            && let Some((position, entry, slot)) = here.next(program, cursor, &self.fields)
        {
            frame.position = position as u32;
            let (first, level, depth) =
                (replace(&mut frame.open.first, false), frame.open.level, frame.depth);
            self.style.name(program, (names, position), first, level);
            if entry.coding.is_message() {
                if !entry.flags.is_list() && self.style.is_flat(names, position, depth + 1) {
                    let child = here.child(entry, slot);
                    if !child.is_encoded(false) {
                        self.style.flat(child, &mut self.fields);
                        continue;
                    }
                }
                return self.nested(here, (position, entry), slot, depth);
            }
            self.plain(here, (names, position), entry, slot, level);
        }
        self.end_message(here)
    }

    /// The fields of a message one by one, and those that are not set if they are wanted.
    fn every_field<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        here: V,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        let (program, message, pool) = (here.program(), here.program().message(), self.style.pool());
        let names = pool.field_formats(message);
        while let Some(frame) = self.frames.last_mut() {
            let at = frame.element as usize;
            if at >= program.entries().len() {
                break;
            }
            frame.element += 1;
            let found = match self.style.declared_order() {
                true => program.entry_of(at),
                false => program.entries().get(at).map(|entry| (at, entry)),
            };
            let Some((position, entry)) = found else { continue };
            let slot = here.slot(position, entry);
            let field = FieldRef::at(pool, message, program.field_of(position) as u16, position as u16);
            // An extension that is not set is no field of the message.
            let unset = self.style.shows_unset()
                && !field.is_extension()
                && (entry.flags.is_list() || entry.flags.is_implicit());
            if slot.is_none() && !unset {
                continue;
            }
            frame.position = position as u32;
            let (first, level, depth) =
                (replace(&mut frame.open.first, false), frame.open.level, frame.depth);
            self.style.name(program, (names, position), first, level);
            match slot {
                Some(slot) if entry.coding.is_message() => {
                    return self.nested(here, (position, entry), slot, depth);
                }
                Some(slot) => self.plain(here, (names, position), entry, slot, level),
                None => {
                    self.style.before_value();
                    match entry.flags.is_list() {
                        true => self.style.nothing(entry.flags.is_map()),
                        false => self.style.default(field, entry),
                    }
                }
            }
        }
        self.end_message(here)
    }

    /// A scalar or a list of them, after the name.
    #[inline(always)]
    fn plain<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        here: V,
        field: FormatField<'p>,
        entry: &FieldEntry,
        slot: S::Slot,
        level: u32,
    ) {
        self.style.before_value();
        match entry.flags.is_list() {
            true => self.style.scalars::<V>(field, entry, here.list(entry, slot), level),
            false => self.style.scalar(field, entry, here, slot),
        }
    }

    /// A message, a list of messages or a map, after the name.
    fn nested<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        here: V,
        (position, entry): (usize, &FieldEntry),
        slot: S::Slot,
        depth: u32,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        if !entry.flags.is_list() {
            self.style.before_message();
            return self.open(here.child(entry, slot), depth + 1);
        }
        self.style.before_value();
        self.push_list(here, depth, (position as u32, entry), Some(slot), true)?;
        Ok(Step::GoOn)
    }

    /// The messages of a list, until one of them needs more than one frame.
    fn list<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        here: V,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        let Some(frame) = self.frames.last() else { return Ok(Step::GoOn) };
        let position = frame.position as usize;
        let (from, level, depth) = (frame.element as usize, frame.open.level, frame.depth + 1);
        let Some((entry, slot)) = here.program().entries().get(position).zip(frame.slot) else {
            self.close();
            return Ok(Step::GoOn);
        };
        let list = here.list(entry, slot);
        let names = self.style.pool().field_formats(here.program().message());
        let (flat, frames) = (self.style.is_flat(names, position, depth), self.frames.len());
        for index in from..V::len(list) {
            if let Some(frame) = self.frames.last_mut() {
                frame.element = index as u32 + 1;
                self.style.before_element(replace(&mut frame.open.first, false), level);
            }
            let message = here.message_at(list, index);
            if flat && !message.is_encoded(false) {
                self.style.flat(message, &mut self.fields);
                if self.style.has_failed() {
                    return Ok(Step::GoOn);
                }
                continue;
            }
            let mut next = self.open(message, depth)?;
            // Most messages of lists need no more than this one frame: their fields are printed from here, and the list goes on.
            if self.frames.len() == frames + 1
                && let Some(frame) = self.frames.last().filter(|frame| frame.open.over == Over::Fields)
            {
                next = self.fields(here.at(frame.body))?;
            }
            if self.frames.len() != frames || matches!(next, Step::Decode(..)) || self.style.has_failed() {
                return Ok(next);
            }
        }
        self.close();
        Ok(Step::GoOn)
    }

    /// The entries of a map, until one of them needs a frame.
    fn map<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        here: V,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        let Some(frame) = self.frames.last() else { return Ok(Step::GoOn) };
        let (from, level, depth) = (frame.element as usize, frame.open.level, frame.depth);
        if let Some((entry, slot)) = here.program().entries().get(frame.position as usize).zip(frame.slot) {
            let list = here.list(entry, slot);
            for index in from..V::len(list) {
                let Some(pair) = self.entries.last().and_then(|entries| here.pair(list, entries, index))
                else {
                    break;
                };
                if let Some(frame) = self.frames.last_mut() {
                    frame.element = index as u32 + 1;
                    self.style.before_element(replace(&mut frame.open.first, false), level);
                }
                if !P::OBJECTS {
                    self.push(Over::Entry, pair, depth + 1, u32::MAX, None)?;
                    return Ok(Step::GoOn);
                }
                if let Some(value) = self.member(pair) {
                    return self.open(value, depth + 2);
                }
            }
        }
        self.entries.pop();
        self.close();
        Ok(Step::GoOn)
    }

    /// A map entry as the member of an object; returns the value if that is a message.
    fn member<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(&mut self, pair: V) -> Option<V> {
        let (program, pool) = (pair.program(), self.style.pool());
        let [key, value, ..] = program.entries() else { return None };
        match pair.slot(0, key) {
            Some(slot) if key.coding.is_text() => self.style.key(key, 0, pair.text(slot)),
            Some(slot) => self.style.key(key, pair.word(key, slot), (&[], 0)),
            None => self.style.key(key, 0, (&[], 0)),
        }
        let slot = pair.slot(1, value);
        if value.coding.is_message() {
            return Some(slot.map_or(pair.empty(value), |slot| pair.child(value, slot)));
        }
        match slot {
            Some(slot) => self.style.scalar((pool.field_formats(program.message()), 1), value, pair, slot),
            None => {
                let field = FieldRef::at(pool, program.message(), program.field_of(1) as u16, 1);
                self.style.default(field, value);
            }
        }
        None
    }

    /// Key and value of a map entry that is a message; they are printed whether they are set or not.
    fn entry<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        pair: V,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        let (program, pool) = (pair.program(), self.style.pool());
        let names = pool.field_formats(program.message());
        while let Some(frame) = self.frames.last_mut()
            && let Some(entry) = program.entries().get(frame.element as usize)
        {
            let position = frame.element as usize;
            frame.element += 1;
            let (first, level, depth) =
                (replace(&mut frame.open.first, false), frame.open.level, frame.depth);
            self.style.name(program, (names, position), first, level);
            let slot = pair.slot(position, entry);
            if entry.coding.is_message() {
                self.style.before_message();
                return self.open(slot.map_or(pair.empty(entry), |slot| pair.child(entry, slot)), depth + 1);
            }
            match slot {
                Some(slot) => self.plain(pair, (names, position), entry, slot, level),
                None => {
                    self.style.before_value();
                    let field = program.field_of(position) as u16;
                    self.style.default(FieldRef::at(pool, program.message(), field, position as u16), entry);
                }
            }
        }
        self.end_message(pair)
    }

    /// A message ends.
    fn end_message<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        here: V,
    ) -> Result<Step<'i, S::Body>, P::Error> {
        if self.style.shows_unknown()
            && let Some(frame) = self.frames.last_mut()
        {
            frame.open.first = self.style.unknown(here, &frame.open)?;
        }
        self.close();
        Ok(Step::GoOn)
    }

    /// The content of an `Any` comes next, if it is one.
    fn begin_any<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        view: V,
        content: Option<(&[u8], u32)>,
        depth: u32,
    ) -> Result<(), P::Error> {
        let Some((_, message)) = content else { return Ok(()) };
        self.push(Over::Any, view, depth - 1, u32::MAX, None)?;
        if let Some(frame) = self.frames.last_mut() {
            self.style.begin_any(view.bytes_of(0), message, &frame.open);
            frame.open.first = false;
        }
        Ok(())
    }

    fn push_fields<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        view: V,
        depth: u32,
    ) -> Result<(), P::Error> {
        let every = self.style.shows_unset() || self.style.declared_order();
        self.push(if every { Over::EveryField } else { Over::Fields }, view, depth, u32::MAX, None)
    }

    /// Begins a list of messages or a map.
    fn push_list<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        here: V,
        depth: u32,
        (position, entry): (u32, &FieldEntry),
        slot: Option<S::Slot>,
        of_below: bool,
    ) -> Result<(), P::Error> {
        let map = entry.flags.is_map();
        if map {
            let Some(slot) = slot else {
                self.style.nothing(map);
                return Ok(());
            };
            // Entries count as messages.
            self.style.may_nest(depth + 1)?;
            let entries = here.entries(here.list(entry, slot), !P::OBJECTS).ok_or(Full::NoMemory)?;
            self.entries.try_reserve(1).map_err(|_| Full::NoMemory)?;
            self.entries.push(entries);
        }
        let over = if map { Over::Map } else { Over::List };
        self.push(over, here, depth, position, slot)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.of_below = of_below;
        }
        Ok(())
    }

    /// Begins an object, message or list.
    fn push<'a, 'i, V: PrintView<'a, 'i, Stored = S>>(
        &mut self,
        over: Over,
        view: V,
        depth: u32,
        position: u32,
        slot: Option<S::Slot>,
    ) -> Result<(), P::Error> {
        // The content of an Any goes on where the Any has begun.
        let object = P::OBJECTS && matches!(over, Over::Fields | Over::EveryField);
        let last = self.frames.last();
        let inside = object && last.map_or(self.place.inside, |frame| frame.open.over == Over::Any);
        let around = last.map_or(self.place.level, |frame| Some(frame.open.level));
        if self.frames.len() == self.frames.capacity() {
            self.frames.try_reserve(1).map_err(|_| Full::NoMemory)?;
        }
        let open = Open { over, level: self.style.level(around, over, inside), first: !inside, inside };
        self.style.open(&open);
        let cursor = match over {
            Over::Fields => Some(view.cursor(&mut self.fields).ok_or(Full::NoMemory)?),
            _ => None,
        };
        let (body, message) = (view.body(), view.program().message());
        let of_below = false;
        self.frames.push(Frame { open, of_below, depth, message, cursor, body, position, slot, element: 0 });
        Ok(())
    }

    /// The level of a message that is opened now.
    fn level_inside(&self) -> u32 {
        let around = self.frames.last().map_or(self.place.level, |frame| Some(frame.open.level));
        self.style.level(around, Over::Fields, false)
    }

    /// Ends what the last frame is about.
    fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            if let Some(cursor) = &frame.cursor {
                S::end(cursor, &mut self.fields);
            }
            self.style.close(&frame.open);
        }
    }

    /// The fields that lead to where the printer is.
    #[cold]
    fn path(&mut self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        let pool = self.style.pool();
        for (at, frame) in self.frames.iter().enumerate() {
            // A list says more of its field than the message that has it.
            let said = self.frames.get(at + 1).is_some_and(|next| next.of_below);
            let field = pool.programs().program(frame.message).field_of(frame.position as usize);
            if said || frame.position == u32::MAX || field == usize::MAX {
                continue;
            }
            let field = FieldRef::new(pool, frame.message, field as u32);
            let index = (frame.open.over == Over::List).then(|| frame.element.saturating_sub(1));
            path.push_inner(PathStep::named(field.number(), field.name(), index));
        }
        path.append(core::mem::take(&mut self.inside));
        path
    }
}

//! Messages to text, without recursion: one way for JSON and the text format.
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
//! [`Style`] has what the formats print differently. Slabs of decoded bytes are on a stack of their own ([`DetachedStack`]) and go with the frames that
//! read them.

mod style;

pub(crate) use style::{Form, Open, Over, Style};

use crate::engine::decode::check_required;
use crate::engine::slab::{BodyRef, ByteSpan, NIL, RawView, SetFields};
use crate::message::{Detached, DetachedStack};
use crate::schema::pool::{FieldRef, FormatField};
use crate::schema::program::{FieldEntry, Program};
use crate::wire::Full;
use crate::wire::error::{DecodeError, FieldPath, PathStep};
use crate::wire::options::{DecodeOptions, EncodeOptions};
use alloc::vec::Vec;
use core::mem::replace;

/// How deep what is printed may be nested: as deep as parsers go by default.
pub(crate) fn limit() -> u32 {
    EncodeOptions::new().depth_limit()
}

/// An object, message or list that has not ended.
#[derive(Clone, Copy)]
struct Frame {
    open: Open,
    /// The list or map is a field of the message whose frame is below.
    of_below: bool,
    /// The level of the message: 0 for the root.
    depth: u32,
    /// The type of the message; of the one that has the list or map.
    message: u32,
    /// Where its fields that are set are walked.
    cursor: SetFields,
    /// The message; the one that has the list or map.
    body: BodyRef,
    /// The field that is being written, or that is the list or map.
    position: u32,
    /// The list or map; nothing if it is not set.
    slot: Option<u32>,
    /// The next element or field.
    element: u32,
}

/// The result of a step.
enum Step<'i> {
    GoOn,
    /// Decode this message at this depth; of an `Any`, its content, of this type.
    Decode(BodyRef, Option<(&'i [u8], u32)>, u32),
}

/// Why a message is not printed, and the fields that lead there.
pub(crate) type Fault<E> = (E, FieldPath);

/// Prints a message.
///
/// # Errors
/// As the style has them. What was printed stays.
pub(crate) fn print<'p, P: Style<'p>>(style: &mut P, root: RawView<'_, '_>) -> Result<(), Fault<P::Error>> {
    let mut printing = Printing { style, frames: Vec::new(), orders: Vec::new(), inside: FieldPath::EMPTY };
    let done = printing.run(root);
    done.map_err(|error| (error, printing.path()))
}

/// A message on its way to text.
struct Printing<'s, P> {
    style: &'s mut P,
    frames: Vec<Frame>,
    /// The entries of the maps that are open, in the order of their keys. Members of objects stay as they are.
    orders: Vec<Vec<u32>>,
    /// After bytes that are no message: the fields in them that lead to the fault.
    inside: FieldPath,
}

impl<'p, P: Style<'p>> Printing<'_, P> {
    fn run(&mut self, root: RawView<'_, '_>) -> Result<(), P::Error> {
        let set = self.style.pool().programs();
        let mut detached = DetachedStack::new();
        let mut next = self.open(root, 0)?;
        loop {
            if let Step::Decode(body, content, depth) = next {
                let view = detached.innermost(root, set).at(body);
                let partial = !self.style.needs_whole_any();
                let depth_left = limit().saturating_sub(depth);
                let options = DecodeOptions::new().allow_partial(partial).max_depth(depth_left);
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
    fn steps<'i>(&mut self, view: RawView<'_, 'i>, floor: usize) -> Result<Step<'i>, P::Error> {
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
    fn open<'i>(&mut self, mut view: RawView<'_, 'i>, mut depth: u32) -> Result<Step<'i>, P::Error> {
        loop {
            if view.is_raw() {
                return Ok(Step::Decode(view.body, None, depth));
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
                    self.push_list(view, depth, (0, entry), set_slot(view, 0, entry), false)?;
                }
                Form::Any(value, content) => {
                    return Ok(Step::Decode(view.body, Some((value, content)), depth + 1));
                }
            }
            return Ok(Step::GoOn);
        }
    }

    /// The fields of a message, until one of them needs a frame.
    #[inline(never)]
    fn fields<'i>(&mut self, here: RawView<'_, 'i>) -> Result<Step<'i>, P::Error> {
        let program = here.program();
        let names = self.style.pool().field_formats(program.message());
        // The frame is worked on in its place: what was just stored field by field is slow to load as a whole.
        while let Some(frame) = self.frames.last_mut()
            && let Some((position, entry, slot)) = next_set(&mut frame.cursor, program, here)
        {
            frame.position = position as u32;
            let (first, level, depth) =
                (replace(&mut frame.open.first, false), frame.open.level, frame.depth);
            self.style.name(program, (names, position), first, level);
            if entry.coding.is_message() {
                if !entry.flags.is_list() && self.style.is_flat(names, position, depth + 1) {
                    let child = here.child(entry, slot);
                    if !child.is_raw() {
                        self.style.flat(child);
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
    fn every_field<'i>(&mut self, here: RawView<'_, 'i>) -> Result<Step<'i>, P::Error> {
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
            let slot = set_slot(here, position, entry);
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
    fn plain<'i>(
        &mut self,
        here: RawView<'_, 'i>,
        field: FormatField<'p>,
        entry: &FieldEntry,
        slot: u32,
        level: u32,
    ) {
        self.style.before_value();
        match entry.flags.is_list() {
            true => self.style.scalars(field, entry, here.list(entry, slot), level),
            false => self.style.scalar(field, entry, here, slot),
        }
    }

    /// A message, a list of messages or a map, after the name.
    fn nested<'i>(
        &mut self,
        here: RawView<'_, 'i>,
        (position, entry): (usize, &FieldEntry),
        slot: u32,
        depth: u32,
    ) -> Result<Step<'i>, P::Error> {
        if !entry.flags.is_list() {
            self.style.before_message();
            return self.open(here.child(entry, slot), depth + 1);
        }
        self.style.before_value();
        self.push_list(here, depth, (position as u32, entry), Some(slot), true)?;
        Ok(Step::GoOn)
    }

    /// The messages of a list, until one of them needs more than one frame.
    fn list<'i>(&mut self, here: RawView<'_, 'i>) -> Result<Step<'i>, P::Error> {
        let Some(frame) = self.frames.last() else { return Ok(Step::GoOn) };
        let position = frame.position as usize;
        let (from, level, depth) = (frame.element, frame.open.level, frame.depth + 1);
        let Some((entry, slot)) = here.program().entries().get(position).zip(frame.slot) else {
            self.close();
            return Ok(Step::GoOn);
        };
        let list = here.list(entry, slot);
        let names = self.style.pool().field_formats(here.program().message());
        let (flat, frames) = (self.style.is_flat(names, position, depth), self.frames.len());
        for index in from..list.len() {
            if let Some(frame) = self.frames.last_mut() {
                frame.element = index + 1;
                self.style.before_element(replace(&mut frame.open.first, false), level);
            }
            let message = list.message(index);
            if flat && !message.is_raw() {
                self.style.flat(message);
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
    fn map<'i>(&mut self, here: RawView<'_, 'i>) -> Result<Step<'i>, P::Error> {
        let Some(frame) = self.frames.last() else { return Ok(Step::GoOn) };
        let (from, level, depth) = (frame.element, frame.open.level, frame.depth);
        if let Some((entry, slot)) = here.program().entries().get(frame.position as usize).zip(frame.slot) {
            let list = here.list(entry, slot);
            for index in from..list.len() {
                let ordered = if P::OBJECTS {
                    Some(&index)
                } else {
                    self.orders.last().and_then(|order| order.get(index as usize))
                };
                let Some(pair) = ordered.map(|&at| list.message(at)) else {
                    break;
                };
                if let Some(frame) = self.frames.last_mut() {
                    frame.element = index + 1;
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
        if !P::OBJECTS {
            self.orders.pop();
        }
        self.close();
        Ok(Step::GoOn)
    }

    /// A map entry as the member of an object; returns the value if that is a message.
    fn member<'a, 'i>(&mut self, pair: RawView<'a, 'i>) -> Option<RawView<'a, 'i>> {
        let (program, pool) = (pair.program(), self.style.pool());
        let [key, value, ..] = program.entries() else { return None };
        match pair.slot(0, key) {
            Some(slot) if key.coding.is_text() => self.style.key(key, 0, text(pair, slot)),
            Some(slot) => self.style.key(key, pair.scalar(key, slot), (&[], 0)),
            None => self.style.key(key, 0, (&[], 0)),
        }
        let slot = pair.slot(1, value);
        if value.coding.is_message() {
            return Some(slot.map_or(pair.at(BodyRef::of(value, NIL)), |slot| pair.child(value, slot)));
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
    fn entry<'i>(&mut self, pair: RawView<'_, 'i>) -> Result<Step<'i>, P::Error> {
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
                return self.open(
                    slot.map_or(pair.at(BodyRef::of(entry, NIL)), |slot| pair.child(entry, slot)),
                    depth + 1,
                );
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
    fn end_message<'i>(&mut self, here: RawView<'_, 'i>) -> Result<Step<'i>, P::Error> {
        if self.style.shows_unknown()
            && let Some(frame) = self.frames.last_mut()
        {
            frame.open.first = self.style.unknown(here, &frame.open)?;
        }
        self.close();
        Ok(Step::GoOn)
    }

    /// The content of an `Any` comes next, if it is one.
    fn begin_any<'i>(
        &mut self,
        view: RawView<'_, 'i>,
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

    fn push_fields<'i>(&mut self, view: RawView<'_, 'i>, depth: u32) -> Result<(), P::Error> {
        let every = self.style.shows_unset() || self.style.declared_order();
        self.push(if every { Over::EveryField } else { Over::Fields }, view, depth, u32::MAX, None)
    }

    /// Begins a list of messages or a map.
    fn push_list<'i>(
        &mut self,
        here: RawView<'_, 'i>,
        depth: u32,
        (position, entry): (u32, &FieldEntry),
        slot: Option<u32>,
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
            if !P::OBJECTS {
                let order = here.list(entry, slot).map_order().ok_or(Full::NoMemory)?;
                self.orders.try_reserve(1).map_err(|_| Full::NoMemory)?;
                self.orders.push(order);
            }
        }
        let over = if map { Over::Map } else { Over::List };
        self.push(over, here, depth, position, slot)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.of_below = of_below;
        }
        Ok(())
    }

    /// Begins an object, message or list.
    fn push<'i>(
        &mut self,
        over: Over,
        view: RawView<'_, 'i>,
        depth: u32,
        position: u32,
        slot: Option<u32>,
    ) -> Result<(), P::Error> {
        // The content of an Any goes on where the Any has begun.
        let object = P::OBJECTS && matches!(over, Over::Fields | Over::EveryField);
        let last = self.frames.last();
        let inside = object && last.is_some_and(|frame| frame.open.over == Over::Any);
        let around = last.map(|frame| frame.open.level);
        if self.frames.len() == self.frames.capacity() {
            self.frames.try_reserve(1).map_err(|_| Full::NoMemory)?;
        }
        let open = Open { over, level: self.style.level(around, over, inside), first: !inside, inside };
        self.style.open(&open);
        let cursor = if over == Over::Fields { view.set_fields() } else { SetFields::default() };
        let (body, message) = (view.body, view.program().message());
        let of_below = false;
        self.frames.push(Frame { open, of_below, depth, message, cursor, body, position, slot, element: 0 });
        Ok(())
    }

    /// The level of a message that is opened now.
    fn level_inside(&self) -> u32 {
        let around = self.frames.last().map(|frame| frame.open.level);
        self.style.level(around, Over::Fields, false)
    }

    /// Ends what the last frame is about.
    fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.style.close(&frame.open);
        }
    }

    /// The fields that lead to where the printer is.
    #[cold]
    fn path(&mut self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        let pool = self.style.pool();
        for (at, frame) in self.frames.iter().enumerate() {
            // The list's own frame adds this field, with an index: do not add it twice.
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

/// The next field of a message that is set.
#[inline(always)]
fn next_set<'a>(
    cursor: &mut SetFields,
    program: &'a Program,
    here: RawView<'a, '_>,
) -> Option<(usize, &'a FieldEntry, u32)> {
    loop {
        let (position, entry, slot) = cursor.next_of(program, here.words, here.body.base)?;
        // An empty packed run, or numbers that a closed enum does not list, leave a list without elements, which is not set.
        if !entry.flags.is_list() || here.words.list(slot).len != 0 {
            return Some((position, entry, slot));
        }
    }
}

/// A field of a message, if it is set.
fn set_slot(here: RawView<'_, '_>, position: usize, entry: &FieldEntry) -> Option<u32> {
    here.slot(position, entry).filter(|&slot| !entry.flags.is_list() || here.words.list(slot).len != 0)
}

/// A string or bytes: what begins there in the store, and its length. Bytes after it make it cheaper to copy.
#[inline(always)]
pub(crate) fn text<'i>(here: RawView<'_, 'i>, slot: u32) -> (&'i [u8], usize) {
    text_in(here.store, here.words.get64(slot))
}

/// As [`text`], by the span of the text.
#[inline(always)]
fn text_in(store: &[u8], span: u64) -> (&[u8], usize) {
    let (start, len) = (span as u32 as usize, ByteSpan::from_word(span).len() as usize);
    let rest = store.get(start..).filter(|rest| rest.len() >= len).unwrap_or_default();
    (rest, len.min(rest.len()))
}

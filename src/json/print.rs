//! From the slab to JSON, without recursion.
//!
//! ```text
//! open the root
//! while a frame is left:
//!     object of a message: the next field that is set: comma, "name": and
//!         a list of scalars, a scalar:    all of it
//!         a list, a map:                  [ or {, and a frame that goes over it
//!         a message:                      open it
//!     list: comma, open the next message
//!     map:  comma, "key": and the scalar, or open the message
//!     nothing left: ] or }, and the frame goes
//! open a message: a well-known type of one value: that value
//!                 Struct, ListValue: a frame for their map or list; Value: what is in it
//!                 bytes (Any, lazy fields): decode them into a slab of their own, and open what comes out
//!                 any other: {, and a frame
//! ```
//!
//! A frame is 48 bytes. Slabs of decoded bytes are on a stack of their own (`Detached`) and go with the frames that read them.

use super::error::{SerializeError, SerializeErrorKind as Kind, step};
use super::options::SerializeOptions;
use super::strings;
use crate::error::FieldPath;
use crate::formats::TextOut;
use crate::message::{MessageView, decode_spans};
use crate::options::{DecodeOptions, EncodeOptions};
use crate::program::{FieldEntry, ProgramSet};
use crate::schema::{DescriptorPool, FieldFormats, FieldRef, WellKnown};
use crate::slab::{NIL, RawView, SetFields, Slab};
use crate::wire::buffer::sealed::RawBuffer;
use alloc::vec::Vec;

/// What a frame goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The fields of a message that are set.
    Fields,
    /// All fields of a message.
    AllFields,
    /// The messages of a list.
    List,
    /// The entries of a map.
    Map,
    /// Nothing: a value was all that was to come.
    Value,
}

/// An object or list that is not closed.
#[derive(Clone, Copy, Debug)]
struct PrintFrame {
    over: Source,
    /// Nothing has been written inside.
    first: bool,
    /// The members of an object that was begun by the frame below: the content of an `Any`.
    inside: bool,
    /// How many objects and lists are open, this one included.
    level: u32,
    /// The level of the message: 0 for the root.
    depth: u32,
    /// Type of the message; of the one that has the list or map.
    message: u32,
    fields: SetFields,
    /// Program and body of the message; of the one that has the list or map.
    index: u32,
    base: u32,
    /// The field that is being written, or that is the list or map.
    position: u32,
    /// The header of the list or map.
    slot: u32,
    /// The next element.
    element: u32,
}

/// A message that was decoded for printing.
struct Detached<'i> {
    slab: Slab,
    store: &'i [u8],
    /// Frames from this index on belong to this message.
    frames: usize,
}

/// Bytes that have to be decoded before the next step.
enum Bytes<'i> {
    /// The content of an `Any`, whose URL has been written.
    Any(&'i [u8], u32),
    /// A message that was kept as bytes.
    Raw { index: u32, base: u32 },
}

/// What a step comes to.
enum StepResult<'i> {
    GoOn,
    Decode(Bytes<'i>, u32),
}

type Result<T> = core::result::Result<T, Kind>;

/// A field: the fields of its message, and its position.
pub(super) type PrintField<'p> = (FieldFormats<'p>, usize);

pub(super) struct JsonPrinter<'p, 'b> {
    pub(super) pool: &'p DescriptorPool,
    pub(super) options: &'p SerializeOptions,
    pub(super) out: TextOut<'b>,
    frames: Vec<PrintFrame>,
}

/// Appends a message as JSON.
///
/// # Errors
/// The buffer has its old length.
pub(super) fn print(
    view: MessageView<'_, '_>,
    options: &SerializeOptions,
    buffer: &mut dyn RawBuffer,
) -> core::result::Result<(), SerializeError> {
    let mut printer =
        JsonPrinter { pool: view.pool(), options, out: TextOut::new(buffer), frames: Vec::new() };
    let fault = match printer.run(view.raw()) {
        Ok(()) => {
            let JsonPrinter { out, frames: _, .. } = printer;
            match out.finish() {
                Ok(()) => return Ok(()),
                Err(_) => return Err(SerializeError::new(Kind::OutOfMemory, "", FieldPath::EMPTY)),
            }
        }
        Err(fault) => fault,
    };
    let path = printer.path();
    printer.out.abandon();
    Err(SerializeError::new(fault, view.descriptor().full_name(), path))
}

impl<'p> JsonPrinter<'p, '_> {
    fn run(&mut self, root: RawView<'_, '_>) -> Result<()> {
        let mut contexts: Vec<Detached<'_>> = Vec::new();
        let mut next = self.open(root, 0)?;
        loop {
            if let StepResult::Decode(bytes, depth) = next {
                let (context, index, base) = self.decode(root, contexts.last(), bytes, depth)?;
                contexts.try_reserve(1).map_err(|_| Kind::OutOfMemory)?;
                contexts.push(context);
                let view = self.view(root, contexts.last());
                let view = view.at(index, base);
                next = self.open(view, depth)?;
            } else if self.frames.is_empty() {
                return Ok(());
            } else if contexts.last().is_some_and(|context| context.frames >= self.frames.len()) {
                contexts.pop();
            } else {
                let view = self.view(root, contexts.last());
                let floor = contexts.last().map_or(0, |context| context.frames);
                next = self.steps(view, floor)?;
            }
            if self.out.has_failed() {
                return Err(Kind::OutOfMemory);
            }
        }
    }

    /// The slab that is being read: the root's, or that of the innermost message that was bytes.
    fn view<'a, 'i>(&self, root: RawView<'a, 'i>, context: Option<&'a Detached<'i>>) -> RawView<'a, 'i>
    where
        'p: 'a,
    {
        match context {
            None => root,
            Some(context) => RawView {
                words: context.slab.words(),
                store: context.store,
                set: self.pool.programs(),
                index: 0,
                base: NIL,
            },
        }
    }

    /// Decodes bytes into a slab of their own; gives the message in it.
    fn decode<'i>(
        &mut self,
        root: RawView<'_, 'i>,
        context: Option<&Detached<'i>>,
        bytes: Bytes<'i>,
        depth: u32,
    ) -> Result<(Detached<'i>, u32, u32)> {
        let left = limit().saturating_sub(depth);
        let options = DecodeOptions::new().allow_partial(true).max_depth(left);
        let set: &ProgramSet = self.pool.programs();
        let around = self.view(root, context);
        let (view, store, index) = match bytes {
            Bytes::Any(value, index) => (None, value, index),
            Bytes::Raw { index, base } => {
                let view = around.at(index, base);
                (Some(view), view.store, view.program().message())
            }
        };
        let (slab, base) =
            decode_spans(set, index, store, view, &options).map_err(|_| Kind::InvalidMessage)?;
        Ok((Detached { slab, store, frames: self.frames.len() }, index, base))
    }

    /// Steps in one slab, until there is something to decode or the frames above `floor` are done.
    fn steps<'i>(&mut self, view: RawView<'_, 'i>, floor: usize) -> Result<StepResult<'i>> {
        while self.frames.len() > floor && !self.out.has_failed() {
            let Some(frame) = self.frames.last() else { break };
            let here = view.at(frame.index, frame.base);
            let next = match frame.over {
                Source::Fields => self.fields(here)?,
                Source::AllFields => self.all_fields(here)?,
                Source::List => self.list(here)?,
                Source::Map => self.map(here)?,
                Source::Value => {
                    self.close(b'}');
                    StepResult::GoOn
                }
            };
            if let StepResult::Decode(..) = next {
                return Ok(next);
            }
        }
        Ok(StepResult::GoOn)
    }

    /// The fields of a message, until one of them needs a frame.
    fn fields<'i>(&mut self, here: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        let program = here.program();
        let names = self.pool.field_formats(program.message());
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(StepResult::GoOn) };
            let Some((position, entry, slot)) = frame.fields.next_of(program, here.words, here.base) else {
                self.close(b'}');
                return Ok(StepResult::GoOn);
            };
            frame.position = position as u32;
            self.name(names, position);
            if !entry.coding.is_message() && !entry.flags.is_list() {
                self.scalar_at((names, position), entry, here, slot);
                continue;
            }
            return self.field(here, (names, position), entry, slot);
        }
    }

    /// All fields of a message but those with presence that are not set.
    fn all_fields<'i>(&mut self, here: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        let (program, message) = (here.program(), here.program().message());
        let names = self.pool.field_formats(message);
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(StepResult::GoOn) };
            let position = frame.element as usize;
            let Some(entry) = program.entries().get(position) else {
                self.close(b'}');
                return Ok(StepResult::GoOn);
            };
            frame.element += 1;
            frame.position = position as u32;
            let slot = here.slot(position, entry);
            let (list, implicit) = (entry.flags.is_list(), entry.flags.is_implicit());
            if slot.is_none() && !list && !implicit {
                continue;
            }
            let field = FieldRef::at(self.pool, message, program.field_of(position) as u16, position as u16);
            // An extension that is not set is no field of the message.
            if slot.is_none() && field.is_extension() {
                continue;
            }
            self.name(names, position);
            match slot {
                Some(slot) if list || entry.coding.is_message() => {
                    return self.field(here, (names, position), entry, slot);
                }
                Some(slot) => self.scalar_at((names, position), entry, here, slot),
                None if entry.flags.is_map() => self.out.array(b"{}"),
                None if list => self.out.array(b"[]"),
                None => self.default(field, entry),
            }
        }
    }

    /// The value of a field that is a list, a map or a message.
    fn field<'i>(
        &mut self,
        here: RawView<'_, 'i>,
        field: PrintField<'_>,
        entry: &FieldEntry,
        slot: u32,
    ) -> Result<StepResult<'i>> {
        let depth = self.frames.last().map_or(0, |frame| frame.depth);
        if !entry.flags.is_list() {
            return self.open(here.child(entry, slot), depth + 1);
        }
        let over = if entry.flags.is_map() { Source::Map } else { Source::List };
        if over == Source::List && !entry.coding.is_message() {
            self.scalars(field, entry, here, slot);
            return Ok(StepResult::GoOn);
        }
        self.push(over, here, depth, field.1 as u32, slot)?;
        Ok(StepResult::GoOn)
    }

    /// The next message of a list.
    fn list<'i>(&mut self, here: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        let Some(frame) = self.frames.last_mut() else { return Ok(StepResult::GoOn) };
        let Some(entry) = here.program().entries().get(frame.position as usize) else {
            return Ok(StepResult::GoOn);
        };
        let list = here.list(entry, frame.slot);
        let (element, depth) = (frame.element, frame.depth);
        if frame.slot == NIL || element >= list.len() {
            self.close(b']');
            return Ok(StepResult::GoOn);
        }
        frame.element += 1;
        self.comma();
        self.open(list.message(element), depth + 1)
    }

    /// The next entry of a map.
    fn map<'i>(&mut self, here: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(StepResult::GoOn) };
            let entries = here.program().entries();
            let Some(entry) = entries.get(frame.position as usize) else { return Ok(StepResult::GoOn) };
            let list = here.list(entry, frame.slot);
            let (element, depth) = (frame.element, frame.depth);
            if frame.slot == NIL || element >= list.len() {
                self.close(b'}');
                return Ok(StepResult::GoOn);
            }
            frame.element += 1;
            let pair = list.message(element);
            let ([key, value], message) = (parts(pair), pair.program().message());
            let value_of = (self.pool.field_formats(message), 1);
            self.comma();
            match pair.slot(0, key) {
                Some(slot) => self.key_at(key, pair, slot),
                None => self.default_key(key),
            }
            self.colon();
            match pair.slot(1, value) {
                Some(slot) if value.coding.is_message() => {
                    return self.open(pair.child(value, slot), depth + 2);
                }
                Some(slot) => self.scalar_at(value_of, value, pair, slot),
                None if value.coding.is_message() => return self.open(pair.at(value.sub, NIL), depth + 2),
                None => self
                    .default(FieldRef::at(self.pool, message, pair.program().field_of(1) as u16, 1), value),
            }
        }
    }

    /// A message begins, at this level.
    fn open<'i>(&mut self, view: RawView<'_, 'i>, mut depth: u32) -> Result<StepResult<'i>> {
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

    fn push(
        &mut self,
        over: Source,
        view: RawView<'_, '_>,
        depth: u32,
        position: u32,
        slot: u32,
    ) -> Result<()> {
        // The content of an Any goes on where the Any has begun.
        let object = matches!(over, Source::Fields | Source::AllFields);
        let inside = object && self.frames.last().is_some_and(|frame| frame.over == Source::Value);
        self.frames.try_reserve(1).map_err(|_| Kind::OutOfMemory)?;
        let level = self.level() + u32::from(!inside);
        if !inside {
            self.out.byte(if over == Source::List { b'[' } else { b'{' });
        }
        let fields = if over == Source::Fields { view.set_fields() } else { SetFields::default() };
        let (index, base) = (view.index, view.base);
        self.frames.push(PrintFrame {
            over,
            first: !inside,
            inside,
            level,
            depth,
            message: view.program().message(),
            fields,
            index,
            base,
            position,
            slot,
            element: 0,
        });
        Ok(())
    }

    /// Ends what the last frame is about.
    fn close(&mut self, bracket: u8) {
        let Some(frame) = self.frames.pop().filter(|frame| !frame.inside) else { return };
        if self.options.pretty && !frame.first {
            self.line(frame.level - 1);
        }
        self.out.byte(bracket);
    }

    /// Goes to the next member or element.
    #[inline]
    pub(super) fn comma(&mut self) {
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
    pub(super) fn colon(&mut self) {
        self.out.byte(b':');
        if self.options.pretty {
            self.out.byte(b' ');
        }
    }

    /// How many objects and lists are open.
    pub(super) fn level(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.level)
    }

    /// A new line.
    #[inline(never)]
    pub(super) fn line(&mut self, level: u32) {
        self.out.byte(b'\n');
        for _ in 0..level {
            self.out.array(b"  ");
        }
    }

    /// The key of a member.
    #[inline]
    fn name(&mut self, names: FieldFormats<'_>, position: usize) {
        self.comma();
        let own = self.options.use_proto_field_name;
        match if own { names.own(position) } else { names.plain_json(position) } {
            Some((rest, len)) if !own => {
                self.out.byte(b'"');
                self.out.part(rest, len);
                self.out.array(b"\":");
            }
            _ => self.odd_name(names, position),
        }
        if self.options.pretty {
            self.out.byte(b' ');
        }
    }

    #[cold]
    fn odd_name(&mut self, names: FieldFormats<'_>, position: usize) {
        let json = names.json(position).unwrap_or_default();
        // Extensions go by their full names in any case.
        let own = self.options.use_proto_field_name && !json.starts_with(b"[");
        let (rest, len) = names.own(position).filter(|_| own).unwrap_or((json, json.len()));
        strings::put(&mut self.out, rest, len);
        self.out.byte(b':');
    }

    /// The fields that lead to where the printer is.
    #[cold]
    fn path(&self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        let set = self.pool.programs();
        for (at, frame) in self.frames.iter().enumerate() {
            let message = frame.message;
            let above = self.frames.get(at + 1);
            let list = matches!(frame.over, Source::List | Source::Map);
            // A list says more of its field than the message that has it.
            let said = above.is_some_and(|next| {
                matches!(next.over, Source::List | Source::Map)
                    && (next.index, next.base, next.position) == (frame.index, frame.base, frame.position)
            });
            let program = set.program(message);
            let field = program.field_of(frame.position as usize);
            let known = frame.position != u32::MAX && field != usize::MAX;
            if said || !known {
                continue;
            }
            let field = FieldRef::new(self.pool, message, field as u32);
            let index = (list && frame.over == Source::List).then(|| frame.element.saturating_sub(1));
            path.push_inner(step(field.number(), field.name(), index));
        }
        path
    }
}

/// Key and value of a map entry.
fn parts<'a>(pair: RawView<'a, '_>) -> [&'a FieldEntry; 2] {
    static NONE: FieldEntry = FieldEntry::none(1);
    match pair.program().entries() {
        [key, value, ..] => [key, value],
        _ => [&NONE, &NONE],
    }
}

/// What is to be decoded of a raw message, unless it has no bytes.
fn empty<'i>(view: RawView<'_, '_>) -> core::result::Result<(), Bytes<'i>> {
    match view.spans().next() {
        None => Ok(()),
        Some(_) => Err(Bytes::Raw { index: view.index, base: view.base }),
    }
}

/// How deep messages may be nested.
fn limit() -> u32 {
    EncodeOptions::new().depth_limit()
}

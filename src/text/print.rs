//! From the slab to text, without recursion.
//!
//! ```text
//! open the root
//! while a frame is left:
//!     message: the next field that is set: a separator, its name, and
//!         a scalar, a list of scalars:    all of it
//!         a list of messages, a map:      [, and a frame that goes over it
//!         a message:                      open it
//!     list: open the next message
//!     map:  a frame for the next entry, in the order of keys
//!     nothing left: unknown fields, } or ], and the frame goes
//! open a message: bytes (Any, lazy fields): decode them into a slab of their own, and open what comes out
//!                 any other: {, and a frame
//! ```
//!
//! Slabs of decoded bytes are on a stack of their own (`Detached`) and go with the frames that read them. Nothing fails but
//! allocations: bytes that are not a valid message are printed as far as they are fields, by number.

use super::names::type_name;
use super::options::FormatOptions;
use crate::formats::TextOut;
use crate::message::{MessageView, decode_spans};
use crate::options::{DecodeOptions, EncodeOptions};
use crate::program::FieldEntry;
use crate::schema::{DescriptorPool, FieldFormats, FieldRef, TextName, WellKnown};
use crate::slab::{NIL, RawView, SetFields, Slab};
use crate::wire::buffer::sealed::RawBuffer;
use alloc::vec::Vec;

/// What a frame goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The fields of a message that are set.
    Fields,
    /// All fields of a message, one by one.
    EveryField,
    /// Key and value of a map entry.
    Entry,
    /// The messages of a list.
    List,
    /// The entries of a map.
    Map,
    /// Nothing: the content of the `Any` was all that was to come.
    Any,
}

/// A message, list or map that has not ended.
#[derive(Clone, Copy, Debug)]
struct PrintFrame {
    over: Source,
    /// Nothing has been written inside.
    first: bool,
    /// How many messages are open, this one included; the outermost is not counted if it has no braces.
    level: u32,
    fields: SetFields,
    /// Program and body of the message; of the one that has the list or map.
    index: u32,
    base: u32,
    /// The field that is the list or map.
    position: u32,
    /// The header of the list or map.
    slot: u32,
    /// The next element, field or part.
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
    /// The value of an `Any`, its type, and its URL.
    Any { value: &'i [u8], content: u32, url: &'i [u8] },
    /// A message that was kept as bytes.
    Raw,
}

/// What a step comes to.
enum StepResult<'i> {
    GoOn,
    /// Decode something of the message at this program and body.
    Decode(Bytes<'i>, u32, u32),
}

/// The only fault there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoMemory;

pub(super) type Result<T> = core::result::Result<T, NoMemory>;

/// A field: the fields of its message, and its position.
pub(super) type PrintField<'p> = (FieldFormats<'p>, usize);

/// Levels that are indented: deep messages would print mostly spaces.
const INDENTED: u32 = 64;

pub(super) struct TextPrinter<'p, 'b> {
    pub(super) pool: &'p DescriptorPool,
    options: FormatOptions,
    pub(super) out: TextOut<'b>,
    frames: Vec<PrintFrame>,
    /// The entries of the maps that are open, in the order of their keys.
    orders: Vec<Vec<u32>>,
    /// The name of the root's type is printed, and its braces.
    named: bool,
}

/// Appends a message as text; if `named`, with its type and in braces.
///
/// # Errors
/// There was no memory; the buffer has its old length.
pub(super) fn print(
    view: MessageView<'_, '_>,
    options: &FormatOptions,
    named: bool,
    buffer: &mut dyn RawBuffer,
) -> Result<()> {
    let mut printer = TextPrinter {
        pool: view.pool(),
        options: *options,
        out: TextOut::new(buffer),
        frames: Vec::new(),
        orders: Vec::new(),
        named,
    };
    if named {
        printer.out.slice(view.descriptor().full_name().as_bytes());
        printer.pad();
    }
    match printer.run(view.raw()) {
        Ok(()) => printer.out.finish().map_err(|_| NoMemory),
        Err(fault) => {
            printer.out.abandon();
            Err(fault)
        }
    }
}

impl<'p> TextPrinter<'p, '_> {
    fn run(&mut self, root: RawView<'_, '_>) -> Result<()> {
        let mut contexts: Vec<Detached<'_>> = Vec::new();
        let mut next = self.open(root)?;
        loop {
            if let StepResult::Decode(bytes, index, base) = next {
                let view = self.view(root, contexts.last()).at(index, base);
                next = StepResult::GoOn;
                if let Some((slab, store, index, base)) = self.decode(view, &bytes) {
                    if let Bytes::Any { url, .. } = bytes {
                        self.begin_any(view, url)?;
                    }
                    contexts.try_reserve(1).map_err(|_| NoMemory)?;
                    contexts.push(Detached { slab, store, frames: self.frames.len() });
                    let view = self.view(root, contexts.last()).at(index, base);
                    next = self.open(view)?;
                } else if let Bytes::Any { .. } = bytes {
                    self.open_fields(view)?;
                } else {
                    self.invalid(view)?;
                }
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
                return Err(NoMemory);
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

    /// Decodes bytes into a slab of their own: slab and store, program and body. Nothing if they are not a message.
    fn decode<'i>(&self, view: RawView<'_, 'i>, bytes: &Bytes<'i>) -> Option<(Slab, &'i [u8], u32, u32)> {
        let left = EncodeOptions::new().depth_limit().saturating_sub(self.next_level());
        let options = DecodeOptions::new().max_depth(left);
        let (raw, store, index) = match *bytes {
            Bytes::Any { value, content, .. } => (None, value, content),
            Bytes::Raw => (Some(view), view.store, view.program().message()),
        };
        let set = self.pool.programs();
        let (slab, base) = decode_spans(set, index, store, raw, &options).ok()?;
        let made = RawView { words: slab.words(), store, set, index, base };
        // As in C++, an Any is expanded only if it is whole.
        let whole = raw.is_some() || crate::decode::check_required(made, 0).is_ok();
        whole.then_some((slab, store, index, base))
    }

    /// Steps in one slab, until there is something to decode or the frames above `floor` are done.
    fn steps<'i>(&mut self, view: RawView<'_, 'i>, floor: usize) -> Result<StepResult<'i>> {
        while self.frames.len() > floor && !self.out.has_failed() {
            let Some(&frame) = self.frames.last() else { break };
            let here = view.at(frame.index, frame.base);
            let next = match frame.over {
                Source::Fields => self.fields(here)?,
                Source::EveryField => self.every_field(here)?,
                Source::Entry => self.entry(here)?,
                Source::List => self.list(here)?,
                Source::Map => self.map(here)?,
                Source::Any => self.end_message(here)?,
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
                return self.end_message(here);
            };
            self.name(names, position, here);
            if entry.coding.is_message() {
                return self.nested(here, position, entry, slot);
            }
            self.plain((names, position), entry, here, slot);
        }
    }

    /// The fields of a message one by one, in either order, and those that are not set if they are wanted.
    fn every_field<'i>(&mut self, here: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        let (program, message) = (here.program(), here.program().message());
        let names = self.pool.field_formats(message);
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(StepResult::GoOn) };
            let at = frame.element as usize;
            if at >= program.entries().len() {
                return self.end_message(here);
            }
            frame.element += 1;
            let found = match self.options.print_message_fields_in_index_order {
                true => program.entry_of(at),
                false => program.entries().get(at).map(|entry| (at, entry)),
            };
            let Some((position, entry)) = found else { continue };
            if let Some(slot) = here.slot(position, entry) {
                self.name(names, position, here);
                if entry.coding.is_message() {
                    return self.nested(here, position, entry, slot);
                }
                self.plain((names, position), entry, here, slot);
                continue;
            }
            let field = FieldRef::at(self.pool, message, program.field_of(position) as u16, position as u16);
            let list = entry.flags.is_list();
            // An extension that is not set is no field of the message.
            if self.options.skip_default_fields
                || field.is_extension()
                || !(list || entry.flags.is_implicit())
            {
                continue;
            }
            self.name(names, position, here);
            self.colon();
            if list { self.out.array(b"[]") } else { self.default(field, entry) }
        }
    }

    /// A scalar or a list of them, after the name.
    fn plain(&mut self, field: PrintField<'_>, entry: &FieldEntry, here: RawView<'_, '_>, slot: u32) {
        self.colon();
        match entry.flags.is_list() {
            true => self.scalars(field, entry, here, slot),
            false => self.scalar_at(field, entry, here, slot),
        }
    }

    /// A message, a list of messages or a map, after the name.
    fn nested<'i>(
        &mut self,
        here: RawView<'_, 'i>,
        position: usize,
        entry: &FieldEntry,
        slot: u32,
    ) -> Result<StepResult<'i>> {
        if !entry.flags.is_list() {
            self.pad();
            return self.open(here.child(entry, slot));
        }
        self.colon();
        let over = if entry.flags.is_map() { Source::Map } else { Source::List };
        if over == Source::Map {
            let order = here.list(entry, slot).map_order().ok_or(NoMemory)?;
            self.orders.try_reserve(1).map_err(|_| NoMemory)?;
            self.orders.push(order);
        }
        self.push(over, here, position as u32, slot)?;
        Ok(StepResult::GoOn)
    }

    /// The next message of a list.
    fn list<'i>(&mut self, here: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        match self.next_element(here, Some) {
            Some(message) => self.open(message),
            None => Ok(self.end_list()),
        }
    }

    /// The next entry of a map.
    fn map<'i>(&mut self, here: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        let order = self.orders.pop().unwrap_or_default();
        let Some(pair) = self.next_element(here, |element| order.get(element as usize).copied()) else {
            return Ok(self.end_list());
        };
        self.orders.push(order);
        self.push(Source::Entry, pair, 0, NIL)?;
        Ok(StepResult::GoOn)
    }

    /// The element of the last frame's list whose turn it is; its place is given by `at`.
    fn next_element<'a, 'i>(
        &mut self,
        here: RawView<'a, 'i>,
        at: impl Fn(u32) -> Option<u32>,
    ) -> Option<RawView<'a, 'i>> {
        let frame = self.frames.last_mut()?;
        let entry = here.program().entries().get(frame.position as usize)?;
        let list = here.list(entry, frame.slot);
        let element = at(frame.element).filter(|&element| element < list.len())?;
        frame.element += 1;
        if !core::mem::replace(&mut frame.first, false) {
            self.comma();
        }
        Some(list.message(element))
    }

    fn end_list<'i>(&mut self) -> StepResult<'i> {
        self.frames.pop();
        self.out.byte(b']');
        StepResult::GoOn
    }

    /// Key and value of a map entry, which are printed whether they are set or not.
    fn entry<'i>(&mut self, pair: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        let program = pair.program();
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(StepResult::GoOn) };
            let position = frame.element as usize;
            let Some(entry) = program.entries().get(position) else { return self.end_message(pair) };
            frame.element += 1;
            let names = self.pool.field_formats(program.message());
            self.name(names, position, pair);
            let slot = pair.slot(position, entry);
            if entry.coding.is_message() {
                self.pad();
                let value = slot.map_or(pair.at(entry.sub, NIL), |slot| pair.child(entry, slot));
                return self.open(value);
            }
            let field = program.field_of(position) as u16;
            match slot {
                Some(slot) => self.plain((names, position), entry, pair, slot),
                None => {
                    self.colon();
                    self.default(FieldRef::at(self.pool, program.message(), field, position as u16), entry);
                }
            }
        }
    }

    /// A message begins.
    fn open<'i>(&mut self, view: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        if view.is_raw() {
            return Ok(StepResult::Decode(Bytes::Raw, view.index, view.base));
        }
        if self.options.expand_any
            && self.pool.well_known(view.program().message()) == WellKnown::Any
            && let Some(bytes) = self.content_of(view)
        {
            return Ok(StepResult::Decode(bytes, view.index, view.base));
        }
        self.open_fields(view)?;
        Ok(StepResult::GoOn)
    }

    fn open_fields(&mut self, view: RawView<'_, '_>) -> Result<()> {
        let options = &self.options;
        let every = !options.skip_default_fields || options.print_message_fields_in_index_order;
        self.push(if every { Source::EveryField } else { Source::Fields }, view, 0, NIL)
    }

    /// What is to be decoded of an `Any`, if its URL can stand in brackets and the pool has its type.
    fn content_of<'i>(&self, view: RawView<'_, 'i>) -> Option<Bytes<'i>> {
        let bytes = |at: usize| {
            let entry = view.program().entries().get(at);
            entry.and_then(|entry| view.slot(at, entry)).map_or(&[][..], |slot| view.span(slot))
        };
        let (url, value) = (bytes(0), bytes(1));
        let name = core::str::from_utf8(type_name(url)?).ok()?;
        let content = self.pool.get_message_by_name(name)?.index();
        Some(Bytes::Any { value, content, url })
    }

    /// An `Any` whose content is opened next.
    fn begin_any(&mut self, view: RawView<'_, '_>, url: &[u8]) -> Result<()> {
        self.push(Source::Any, view, 0, NIL)?;
        self.begin_field();
        self.out.byte(b'[');
        self.out.slice(url);
        self.out.byte(b']');
        self.pad();
        Ok(())
    }

    /// A message whose bytes are not valid.
    fn invalid(&mut self, view: RawView<'_, '_>) -> Result<()> {
        let level = self.next_level();
        let mut first = true;
        self.open_brace(level);
        for span in view.spans() {
            first = self.unknown_bytes(view.bytes_at(span.offset, span.len), level, first)?;
        }
        self.close_brace(level, first);
        Ok(())
    }

    /// A message ends.
    fn end_message<'i>(&mut self, here: RawView<'_, 'i>) -> Result<StepResult<'i>> {
        let Some(frame) = self.frames.pop() else { return Ok(StepResult::GoOn) };
        let mut first = frame.first;
        if !self.options.skip_unknown_fields && frame.over != Source::Any {
            first = self.unknown_fields(here, frame.level, first)?;
        }
        self.close_brace(frame.level, first);
        Ok(StepResult::GoOn)
    }

    fn push(&mut self, over: Source, view: RawView<'_, '_>, position: u32, slot: u32) -> Result<()> {
        self.frames.try_reserve(1).map_err(|_| NoMemory)?;
        let mut level = self.next_level();
        if matches!(over, Source::List | Source::Map) {
            level -= 1;
            self.out.byte(b'[');
        } else {
            self.open_brace(level);
        }
        let fields = if over == Source::Fields { view.set_fields() } else { SetFields::default() };
        let (index, base) = (view.index, view.base);
        let frame = PrintFrame { over, first: true, level, fields, index, base, position, slot, element: 0 };
        self.frames.push(frame);
        Ok(())
    }

    /// The level of a message that is opened now.
    fn next_level(&self) -> u32 {
        self.frames.last().map_or(u32::from(self.named), |frame| frame.level + 1)
    }

    pub(super) fn open_brace(&mut self, level: u32) {
        if level > 0 {
            self.out.byte(b'{');
        }
    }

    /// Ends the message of this level; `first` if nothing was written inside.
    pub(super) fn close_brace(&mut self, level: u32, first: bool) {
        if level == 0 {
            return;
        }
        if self.options.pretty && !first {
            self.line(level - 1);
        }
        self.out.byte(b'}');
    }

    /// The name of the next field of the message whose frame is the last.
    fn name(&mut self, names: FieldFormats<'_>, position: usize, here: RawView<'_, '_>) {
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

    fn begin_field(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (level, first) = (frame.level, core::mem::replace(&mut frame.first, false));
        self.separate(level, first);
    }

    /// Goes to the next field of a message of this level.
    pub(super) fn separate(&mut self, level: u32, first: bool) {
        match self.options.pretty {
            true if level > 0 || !first => self.line(level),
            false if !first => self.out.byte(b','),
            _ => {}
        }
    }

    /// Goes to the next element of a list.
    pub(super) fn comma(&mut self) {
        self.out.byte(b',');
        self.pad();
    }

    pub(super) fn colon(&mut self) {
        self.out.byte(b':');
        self.pad();
    }

    pub(super) fn pad(&mut self) {
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

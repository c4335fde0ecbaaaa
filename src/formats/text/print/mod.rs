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
//! Slabs of decoded bytes are on a stack of their own (`DetachedStack`) and go with the frames that read them. Nothing fails but
//! allocations: bytes that are not a valid message are printed as far as they are fields, by number.

pub(super) mod frame;
pub(super) mod open;
pub(super) mod unknown;
pub(super) mod value;

use super::options::FormatOptions;
use crate::engine::decode::check_required;
use crate::engine::slab::{BodyRef, NIL, RawView, SetFields};
use crate::formats::numbers::TextOut;
use crate::message::{Detached, DetachedStack, Encoded, MessageView};
use crate::schema::pool::{DescriptorPool, FieldRef, FormatField};
use crate::schema::program::FieldEntry;
use crate::wire::Full;
use crate::wire::options::{DecodeOptions, EncodeOptions};
use crate::wire::output::buffer::sealed::RawBuffer;
use alloc::vec::Vec;

/// What a frame goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextSource {
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
    /// Nothing: the braces of an `Any`, whose content has frames of its own.
    Any,
}

/// A message, list or map that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextFrame {
    pub(super) over: TextSource,
    /// Nothing has been written inside.
    pub(super) first: bool,
    /// How many messages are open, this one included; the outermost is not counted if it has no braces.
    pub(super) level: u32,
    pub(super) fields: SetFields,
    /// The message; the one that has the list or map.
    pub(super) body: BodyRef,
    /// The field that is the list or map.
    pub(super) position: u32,
    /// The header of the list or map.
    pub(super) slot: u32,
    /// The next element, field or part.
    pub(super) element: u32,
}

/// What the printer does after a step.
pub(super) enum TextStep<'i> {
    GoOn,
    /// Decode this message, or the content of this `Any`.
    Decode(Encoded<'i>, BodyRef),
}

pub(super) struct TextPrinter<'p, 'b> {
    pub(super) pool: &'p DescriptorPool,
    pub(super) options: FormatOptions,
    pub(super) out: TextOut<'b>,
    pub(super) frames: Vec<TextFrame>,
    /// The entries of the maps that are open, in the order of their keys.
    orders: Vec<Vec<u32>>,
    /// The name of the root's type is printed, and its braces.
    pub(super) named: bool,
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
) -> Result<(), Full> {
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
        Ok(()) => printer.out.finish(),
        Err(fault) => {
            printer.out.abandon();
            Err(fault)
        }
    }
}

impl TextPrinter<'_, '_> {
    fn run(&mut self, root: RawView<'_, '_>) -> Result<(), Full> {
        let set = self.pool.programs();
        let mut detached = DetachedStack::new();
        let mut next = self.open(root)?;
        loop {
            if let TextStep::Decode(encoded, body) = next {
                let view = detached.innermost(root, set).at(body);
                next = TextStep::GoOn;
                if let Some(message) = self.decode(view, encoded) {
                    if let Encoded::Any { .. } = encoded {
                        self.begin_any(view)?;
                    }
                    detached.push(message, self.frames.len()).map_err(|_| Full::NoMemory)?;
                    next = self.open(detached.innermost(root, set))?;
                } else if let Encoded::Any { .. } = encoded {
                    self.open_fields(view)?;
                } else {
                    self.invalid(view)?;
                }
            } else if self.frames.is_empty() {
                return Ok(());
            } else if !detached.drop_unread(self.frames.len()) {
                next = self.steps(detached.innermost(root, set), detached.floor())?;
            }
            if self.out.has_failed() {
                return Err(Full::NoMemory);
            }
        }
    }

    /// Decodes a message into a slab of its own. Nothing if its bytes are not valid.
    fn decode<'i>(&self, around: RawView<'_, 'i>, encoded: Encoded<'i>) -> Option<Detached<'i>> {
        let left = EncodeOptions::new().depth_limit().saturating_sub(self.next_level());
        let options = DecodeOptions::new().max_depth(left);
        let set = self.pool.programs();
        let message = Detached::decode(set, around, encoded, &options).ok()?;
        // As in C++, an Any is expanded only if no required field is missing.
        let whole = matches!(encoded, Encoded::Raw(_)) || check_required(message.view(set), 0).is_ok();
        whole.then_some(message)
    }

    /// Steps in one slab, until there is something to decode or the frames above `floor` are done.
    fn steps<'i>(&mut self, view: RawView<'_, 'i>, floor: usize) -> Result<TextStep<'i>, Full> {
        while self.frames.len() > floor && !self.out.has_failed() {
            let Some(&frame) = self.frames.last() else { break };
            let here = view.at(frame.body);
            let next = match frame.over {
                TextSource::Fields => self.fields(here)?,
                TextSource::EveryField => self.every_field(here)?,
                TextSource::Entry => self.entry(here)?,
                TextSource::List => self.list(here)?,
                TextSource::Map => self.map(here)?,
                TextSource::Any => self.end_message(here)?,
            };
            if let TextStep::Decode(..) = next {
                return Ok(next);
            }
        }
        Ok(TextStep::GoOn)
    }

    /// The fields of a message, until one of them needs a frame.
    fn fields<'i>(&mut self, here: RawView<'_, 'i>) -> Result<TextStep<'i>, Full> {
        let program = here.program();
        let names = self.pool.field_formats(program.message());
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(TextStep::GoOn) };
            let Some((position, entry, slot)) = frame.fields.next_of(program, here.words, here.body.base)
            else {
                return self.end_message(here);
            };
            if is_empty_list(here, entry, slot) {
                continue;
            }
            self.name(names, position, here);
            if entry.coding.is_message() {
                return self.nested(here, position, entry, slot);
            }
            self.plain((names, position), entry, here, slot);
        }
    }

    /// The fields of a message one by one, in either order, and those that are not set if they are wanted.
    fn every_field<'i>(&mut self, here: RawView<'_, 'i>) -> Result<TextStep<'i>, Full> {
        let (program, message) = (here.program(), here.program().message());
        let names = self.pool.field_formats(message);
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(TextStep::GoOn) };
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
            if let Some(slot) = here.slot(position, entry).filter(|&slot| !is_empty_list(here, entry, slot)) {
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
    fn plain(&mut self, field: FormatField<'_>, entry: &FieldEntry, here: RawView<'_, '_>, slot: u32) {
        self.colon();
        match entry.flags.is_list() {
            true => self.scalars(field, entry, here, slot),
            false => self.scalar(field, entry, here.scalar(entry, slot), here.store),
        }
    }

    /// A message, a list of messages or a map, after the name.
    fn nested<'i>(
        &mut self,
        here: RawView<'_, 'i>,
        position: usize,
        entry: &FieldEntry,
        slot: u32,
    ) -> Result<TextStep<'i>, Full> {
        if !entry.flags.is_list() {
            self.pad();
            return self.open(here.child(entry, slot));
        }
        self.colon();
        let over = if entry.flags.is_map() { TextSource::Map } else { TextSource::List };
        if over == TextSource::Map {
            let order = here.list(entry, slot).map_order().ok_or(Full::NoMemory)?;
            self.orders.try_reserve(1).map_err(|_| Full::NoMemory)?;
            self.orders.push(order);
        }
        self.push(over, here, position as u32, slot)?;
        Ok(TextStep::GoOn)
    }

    /// The next message of a list.
    fn list<'i>(&mut self, here: RawView<'_, 'i>) -> Result<TextStep<'i>, Full> {
        match self.next_element(here, Some) {
            Some(message) => self.open(message),
            None => Ok(self.end_list()),
        }
    }

    /// The next entry of a map.
    fn map<'i>(&mut self, here: RawView<'_, 'i>) -> Result<TextStep<'i>, Full> {
        let order = self.orders.pop().unwrap_or_default();
        let Some(pair) = self.next_element(here, |element| order.get(element as usize).copied()) else {
            return Ok(self.end_list());
        };
        self.orders.push(order);
        self.push(TextSource::Entry, pair, 0, NIL)?;
        Ok(TextStep::GoOn)
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

    fn end_list<'i>(&mut self) -> TextStep<'i> {
        self.frames.pop();
        self.out.byte(b']');
        TextStep::GoOn
    }

    /// Key and value of a map entry, which are printed whether they are set or not.
    fn entry<'i>(&mut self, pair: RawView<'_, 'i>) -> Result<TextStep<'i>, Full> {
        let program = pair.program();
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(TextStep::GoOn) };
            let position = frame.element as usize;
            let Some(entry) = program.entries().get(position) else { return self.end_message(pair) };
            frame.element += 1;
            let names = self.pool.field_formats(program.message());
            self.name(names, position, pair);
            let slot = pair.slot(position, entry);
            if entry.coding.is_message() {
                self.pad();
                let value = slot.map_or(pair.at(BodyRef::of(entry, NIL)), |slot| pair.child(entry, slot));
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
}

/// Whether the slot has a list without elements, which is not set: numbers that a closed enum does not list leave one.
fn is_empty_list(here: RawView<'_, '_>, entry: &FieldEntry, slot: u32) -> bool {
    entry.flags.is_list() && here.words.list(slot).len == 0
}

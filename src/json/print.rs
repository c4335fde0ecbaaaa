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
//! A frame is 56 bytes. Slabs of decoded bytes are on a stack of their own (`Detached`) and go with the frames that read them.

use super::error::{SerializeError, SerializeErrorKind as Kind};
use super::options::SerializeOptions;
use crate::error::FieldPath;
use crate::formats::TextOut;
use crate::message::{MessageView, decode_spans};
use crate::options::{DecodeOptions, EncodeOptions};
use crate::program::ProgramSet;
use crate::schema::{DescriptorPool, FieldFormats};
use crate::slab::{NIL, RawView, SetFields, Slab};
use crate::wire::buffer::sealed::RawBuffer;
use alloc::vec::Vec;

/// What a frame goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
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
pub(super) struct PrintFrame {
    pub(super) over: Source,
    /// Nothing has been written inside.
    pub(super) first: bool,
    /// The members of an object that was begun by the frame below: the content of an `Any`.
    pub(super) inside: bool,
    /// How many objects and lists are open, this one included.
    pub(super) level: u32,
    /// The level of the message: 0 for the root.
    pub(super) depth: u32,
    /// Type of the message; of the one that has the list or map.
    pub(super) message: u32,
    pub(super) fields: SetFields,
    /// Program and body of the message; of the one that has the list or map.
    pub(super) index: u32,
    pub(super) base: u32,
    /// The field that is being written, or that is the list or map.
    pub(super) position: u32,
    /// The header of the list or map.
    pub(super) slot: u32,
    /// The next element.
    pub(super) element: u32,
}

/// A message that was decoded for printing.
struct Detached<'i> {
    slab: Slab,
    store: &'i [u8],
    /// Frames from this index on belong to this message.
    frames: usize,
}

/// Bytes that have to be decoded before the next step.
pub(super) enum Bytes<'i> {
    /// The content of an `Any`, whose URL has been written.
    Any(&'i [u8], u32),
    /// A message that was kept as bytes.
    Raw { index: u32, base: u32 },
}

/// What a step comes to.
pub(super) enum StepResult<'i> {
    GoOn,
    Decode(Bytes<'i>, u32),
}

pub(super) type Result<T> = core::result::Result<T, Kind>;

/// A field: the fields of its message, and its position.
pub(super) type PrintField<'p> = (FieldFormats<'p>, usize);

pub(super) struct JsonPrinter<'p, 'b> {
    pub(super) pool: &'p DescriptorPool,
    pub(super) options: &'p SerializeOptions,
    pub(super) out: TextOut<'b>,
    /// Names are the JSON names, on one line: labels are written as they are.
    pub(super) plain: bool,
    pub(super) frames: Vec<PrintFrame>,
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
    let plain = !options.pretty && !options.use_proto_field_name;
    let out = TextOut::new(buffer);
    let mut printer = JsonPrinter { pool: view.pool(), options, out, plain, frames: Vec::new() };
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
                    continue;
                }
            };
            if let StepResult::Decode(..) = next {
                return Ok(next);
            }
        }
        Ok(StepResult::GoOn)
    }
}

/// How deep messages may be nested.
pub(super) fn limit() -> u32 {
    EncodeOptions::new().depth_limit()
}

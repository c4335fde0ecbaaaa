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
//! A frame is 56 bytes. Slabs of decoded bytes are on a stack of their own (`DetachedStack`) and go with the frames that read them.

pub(super) mod fields;
pub(super) mod frame;
pub(super) mod known;
pub(super) mod list;
pub(super) mod open;
pub(super) mod value;

use super::error::{SerializeError, SerializeErrorKind as Kind};
use super::options::SerializeOptions;
use crate::engine::slab::{BodyRef, RawView, SetFields};
use crate::formats::numbers::TextOut;
use crate::message::{Detached, DetachedStack, Encoded, MessageView};
use crate::schema::pool::DescriptorPool;
use crate::schema::program::ProgramSet;
use crate::wire::error::FieldPath;
use crate::wire::options::{DecodeOptions, EncodeOptions};
use crate::wire::output::buffer::sealed::RawBuffer;
use alloc::vec::Vec;

/// What a frame goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonSource {
    /// The fields of a message that are set.
    Fields,
    /// All fields of a message.
    AllFields,
    /// The messages of a list.
    List,
    /// The entries of a map.
    Map,
    /// Nothing: the object of an `Any`, whose content has frames of its own.
    Value,
}

/// An object or list that is not closed.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonFrame {
    pub(super) over: JsonSource,
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
    /// The message; the one that has the list or map.
    pub(super) body: BodyRef,
    /// The field that is being written, or that is the list or map.
    pub(super) position: u32,
    /// The header of the list or map.
    pub(super) slot: u32,
    /// The next element.
    pub(super) element: u32,
}

/// What the printer does after a step.
pub(super) enum JsonStep<'i> {
    GoOn,
    /// Decode a message, which is this deep.
    Decode(Encoded<'i>, u32),
}

pub(crate) struct JsonPrinter<'p, 'b> {
    pub(crate) pool: &'p DescriptorPool,
    pub(crate) options: &'p SerializeOptions,
    pub(crate) out: TextOut<'b>,
    /// Names are the JSON names, on one line: labels are written as they are.
    pub(crate) plain: bool,
    /// Also only fields that are set are printed: messages of scalars need no frame.
    pub(super) compact: bool,
    pub(super) frames: Vec<JsonFrame>,
}

/// Appends a message as JSON.
///
/// # Errors
/// The buffer has its old length.
pub(super) fn print(
    view: MessageView<'_, '_>,
    options: &SerializeOptions,
    buffer: &mut dyn RawBuffer,
) -> Result<(), SerializeError> {
    let mut printer = JsonPrinter::new(view.pool(), options, buffer);
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

impl<'p, 'b> JsonPrinter<'p, 'b> {
    /// Inlined, because the chunk of the text is large: it is made in its place, not copied to it.
    #[inline]
    pub(crate) fn new(
        pool: &'p DescriptorPool,
        options: &'p SerializeOptions,
        buffer: &'b mut dyn RawBuffer,
    ) -> Self {
        let plain = !options.pretty && !options.use_proto_field_name;
        let compact = plain && options.skip_default_fields;
        Self { pool, options, out: TextOut::new(buffer), plain, compact, frames: Vec::new() }
    }

    fn run(&mut self, root: RawView<'_, '_>) -> Result<(), Kind> {
        let set: &ProgramSet = self.pool.programs();
        let mut detached = DetachedStack::new();
        let mut next = self.open(root, 0)?;
        loop {
            if let JsonStep::Decode(encoded, depth) = next {
                let options =
                    DecodeOptions::new().allow_partial(true).max_depth(limit().saturating_sub(depth));
                let message = Detached::decode(set, detached.innermost(root, set), encoded, &options)
                    .map_err(|error| Kind::of_bytes(&error))?;
                detached.push(message, self.frames.len()).map_err(|_| Kind::OutOfMemory)?;
                next = self.open(detached.innermost(root, set), depth)?;
            } else if self.frames.is_empty() {
                return Ok(());
            } else if !detached.drop_unread(self.frames.len()) {
                next = self.steps(detached.innermost(root, set), detached.floor())?;
            }
            if self.out.has_failed() {
                return Err(Kind::OutOfMemory);
            }
        }
    }

    /// Steps in one slab, until there is something to decode or the frames above `floor` are done.
    fn steps<'i>(&mut self, view: RawView<'_, 'i>, floor: usize) -> Result<JsonStep<'i>, Kind> {
        while self.frames.len() > floor && !self.out.has_failed() {
            let Some(frame) = self.frames.last() else { break };
            let here = view.at(frame.body);
            let next = match frame.over {
                JsonSource::Fields => self.fields(here)?,
                JsonSource::AllFields => self.all_fields(here)?,
                JsonSource::List => self.list(here)?,
                JsonSource::Map => self.map(here)?,
                JsonSource::Value => {
                    self.close(b'}');
                    continue;
                }
            };
            if let JsonStep::Decode(..) = next {
                return Ok(next);
            }
        }
        Ok(JsonStep::GoOn)
    }
}

/// How deep messages may be nested.
pub(super) fn limit() -> u32 {
    EncodeOptions::new().depth_limit()
}

//! [`Decoder`]: decodes into memory that it reuses.

use super::view::name_path;
use super::{DynamicMessage, MessageView};
use crate::engine::decode::{Job, Outcome, Scratch};
use crate::engine::slab::{BodyRef, NIL, RawView, Slab, UnknownSpans};
use crate::engine::visit::{Level, Sink, Visited};
use crate::engine::{decode, visit};
use crate::schema::pool::{
    DescriptorPool, EnumDescriptor, EnumValueDescriptor, ExtensionDescriptor, FieldDescriptor,
    FileDescriptor, MessageDescriptor, MethodDescriptor, OneofDescriptor, ServiceDescriptor,
};
use crate::schema::program::{ProgramSet, Selected};
use crate::wire::MAX_LEN;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::options::DecodeOptions;
#[cfg(feature = "bytes")]
use crate::wire::output::chunk::read_chunks;
use alloc::vec::Vec;
use core::fmt;

/// Decodes messages of one type, one at a time, into memory that it reuses.
///
/// The fastest way to read: after a message of some size, messages that are no larger need no allocation, and strings
/// are borrowed from the input. A decoded view lives until the next decode; [`MessageView::to_owned`] makes a copy to keep.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{Decoder, DescriptorPool};
///
/// static TAGS: MessageTable =
///     MessageTable::new("pkg.Tags", &[FieldTable::new("tags", 1, Kind::String).repeated()]);
/// let pool = DescriptorPool::from_tables(&[&TAGS])?;
/// let mut decoder = Decoder::new(&pool.message("pkg.Tags")?);
/// for (input, count) in [(&b"\x0a\x01a\x0a\x01b"[..], 2), (b"\x0a\x01c", 1)] {
///     let view = decoder.decode(input)?;
///     let tags = view.get_field("tags")?.as_list().unwrap();
///     assert_eq!(tags.len(), count);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Decoder {
    descriptor: MessageDescriptor,
    /// The programs of a projection, if the decoder is for one.
    selected: Option<Selected>,
    options: DecodeOptions,
    slab: Slab,
    scratch: Scratch,
    /// The parents of the message that is visited.
    levels: Vec<Level>,
    /// The copy of an input in chunks.
    #[cfg(feature = "bytes")]
    input: Vec<u8>,
}

impl Decoder {
    /// A decoder for messages of this type. Allocates nothing.
    pub fn new(descriptor: &MessageDescriptor) -> Self {
        Self {
            descriptor: descriptor.clone(),
            selected: None,
            options: DecodeOptions::new(),
            slab: Slab::new(),
            scratch: Scratch::new(),
            levels: Vec::new(),
            #[cfg(feature = "bytes")]
            input: Vec::new(),
        }
    }

    /// Replaces the options.
    pub fn with_options(mut self, options: DecodeOptions) -> Self {
        self.options = options;
        self
    }

    /// Uses the programs of a projection.
    pub(crate) fn with_selected(mut self, descriptor: &MessageDescriptor, selected: &Selected) -> Self {
        self.descriptor = descriptor.clone();
        self.selected = Some(selected.clone());
        self
    }

    /// The message type.
    #[must_use]
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.descriptor
    }

    /// Decodes a message. The previous one is gone.
    ///
    /// Decoding checks everything: tags, lengths, UTF-8, nesting, required fields.
    ///
    /// # Errors
    /// If the input is not a valid message. The error has a [kind](crate::DecodeErrorKind), a byte offset and a field path.
    pub fn decode<'a, 'i>(&'a mut self, input: &'i [u8]) -> Result<MessageView<'a, 'i>, DecodeError> {
        let Self { descriptor, selected, options, slab, scratch, .. } = self;
        let (set, index) = programs(descriptor, selected.as_ref());
        let budget = options.budget_for(input.len());
        view(descriptor, Job::whole(set, input, slab, scratch, options), index, budget)
    }

    /// Decodes the rest of any [`Buf`](bytes::Buf), which is read to its end, also if there is an error. The previous message is gone.
    ///
    /// Copies the chunks into memory of the decoder, which it reuses. If a buffer has one chunk, [`decode`](Self::decode) of that chunk
    /// saves the copy.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_buf(&mut self, mut input: impl bytes::Buf) -> Result<MessageView<'_, '_>, DecodeError> {
        let Self { descriptor, selected, options, slab, scratch, input: copy, .. } = self;
        let len = input.remaining();
        copy.clear();
        if copy.capacity() < len {
            // Not twice as much as is needed, nor the old copy beside the new one.
            *copy = Vec::new();
        }
        let read = options.for_copy(len).and_then(|options| {
            read_chunks(&mut input, len, copy).map_err(|_| DecodeErrorKind::OutOfMemory)?;
            Ok(options.budget_for(len))
        });
        let budget = match read {
            Ok(budget) => budget,
            Err(kind) => {
                input.advance(len);
                slab.clear();
                return Err(named(descriptor, DecodeError::new(kind, 0)));
            }
        };
        let (set, index) = programs(descriptor, selected.as_ref());
        view(descriptor, Job::whole(set, copy, slab, scratch, options), index, budget)
    }

    /// Hands the fields of a message to a sink, in the order of the wire, without making a message of them. The previous message
    /// of this decoder is gone.
    ///
    /// Takes the projection and the options of the decoder into account; lazy fields are visited as others. Costs less than decoding, and memory
    /// for nothing but open messages, about 40 bytes each, which is kept for the next visit. See [`visit`](crate::engine::visit) for an example and
    /// for what may come in which order.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), except for the budget. The sink has seen what came before the fault. After an error, and where a required field
    /// seems to be missing (it may be in another part of the same message), the input is decoded as well, which makes the error exact.
    #[inline]
    pub fn visit<'i, S: Sink<'i> + ?Sized>(
        &mut self,
        input: &'i [u8],
        sink: &mut S,
    ) -> Result<Visited, DecodeError> {
        let (set, index) = programs(&self.descriptor, self.selected.as_ref());
        let (pool, options) = (self.descriptor.parent_pool(), self.options);
        if input.len() > MAX_LEN {
            return Err(self.visit_error(input, (DecodeErrorKind::TooLarge, MAX_LEN)));
        }
        let job = visit::VisitJob { set, pool, input, options, levels: &mut self.levels };
        match visit::visit(job, index, sink) {
            Ok((visited, missing)) if !missing || options.allows_partial() => Ok(visited),
            Ok((visited, _)) => self.decode(input).map(|_| visited),
            Err(fault) => Err(self.visit_error(input, fault)),
        }
    }

    /// The error of an input that could not be visited: that of decoding it.
    #[cold]
    #[inline(never)]
    fn visit_error(&mut self, input: &[u8], (kind, offset): visit::VisitFault) -> DecodeError {
        match self.decode(input) {
            Err(error) => error,
            // No memory for the stack, or a fault in a lazy field.
            Ok(_) => named(&self.descriptor, DecodeError::new(kind, offset)),
        }
    }

    /// Decodes spans of a store as one message, as if they were concatenated.
    pub(super) fn decode_spans<'a, 'i>(
        &'a mut self,
        store: &'i [u8],
        spans: UnknownSpans<'_>,
        depth: u32,
    ) -> Result<MessageView<'a, 'i>, DecodeError> {
        let Self { descriptor, selected, options, slab, scratch, .. } = self;
        let pool = descriptor.parent_pool();
        let (set, index) = programs(descriptor, selected.as_ref());
        let options = options.max_depth(options.depth_limit().min(depth));
        let len: usize = spans.map(|span| span.len as usize).sum();
        let budget = options.budget_for(len);
        let (mut outcome, mut may_miss, mut end) = (Outcome::NONE, false, 0);
        slab.clear();
        let mut left = spans;
        while let Some(span) = left.next() {
            let start = span.offset as usize;
            end = start + span.len as usize;
            let (slab, scratch) = (&mut *slab, &mut *scratch);
            let mut job = Job { set, store, start, end, slab, scratch, options: &options };
            let merged = match outcome.base {
                NIL => {
                    let decoded = decode::decode_fresh(&mut job, index, budget, &mut outcome);
                    decoded.map(|()| outcome.may_miss)
                }
                base => decode::merge(job, BodyRef { program: index, base }),
            };
            match merged {
                Ok(miss) => may_miss |= miss,
                // Restart with all the memory of the budget, as a decode of one piece does.
                Err(error)
                    if error.kind() == DecodeErrorKind::BudgetExceeded
                        && decode::start_over(slab, scratch, budget, &mut outcome.base) =>
                {
                    (left, outcome, may_miss) = (spans, Outcome::NONE, false);
                }
                Err(error) => return Err(named(descriptor, error.moved_by(start))),
            }
        }
        let raw =
            RawView { words: slab.words(), store, set, body: BodyRef { program: index, base: outcome.base } };
        if (may_miss || outcome.base == NIL) && !options.allows_partial() {
            decode::check_required(raw, end).map_err(|error| named(descriptor, error))?;
        }
        Ok(MessageView::new(pool, raw))
    }

    /// The memory allocated, in bytes.
    #[must_use]
    pub fn capacity(&self) -> usize {
        #[cfg(feature = "bytes")]
        let copy = self.input.capacity();
        #[cfg(not(feature = "bytes"))]
        let copy = 0;
        let levels = self.levels.capacity() * size_of::<Level>();
        self.slab.capacity() + self.scratch.capacity() + levels + copy
    }

    /// Drops the last message and frees memory above `bytes`.
    pub fn shrink_to(&mut self, bytes: usize) {
        self.slab.clear();
        self.slab.shrink_to(bytes);
        self.scratch.shrink();
        self.levels = Vec::new();
        #[cfg(feature = "bytes")]
        {
            self.input.clear();
            self.input.shrink_to(bytes.saturating_sub(self.slab.capacity()));
        }
    }
}

/// Decodes, and names the message and the fields in an error.
#[inline(always)]
fn view<'a, 'i>(
    descriptor: &'a MessageDescriptor,
    job: Job<'a, 'i>,
    index: u32,
    budget: usize,
) -> Result<MessageView<'a, 'i>, DecodeError> {
    match decode::decode(job, index, budget) {
        Ok(raw) => Ok(MessageView::new(descriptor.parent_pool(), raw)),
        Err(error) => Err(named(descriptor, error)),
    }
}

/// The type, whether there is a projection, and the memory allocated: `Decoder(pkg.Log, 4096 bytes)`.
impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let projection = if self.selected.is_some() { ", with a projection" } else { "" };
        write!(f, "Decoder({}{projection}, {} bytes)", self.descriptor.full_name(), self.capacity())
    }
}

/// The program set that decodes a message, and the index of the message's program in it.
pub(super) fn programs<'d>(
    descriptor: &'d MessageDescriptor,
    selected: Option<&'d Selected>,
) -> (&'d ProgramSet, u32) {
    match selected {
        Some(selected) => (&selected.set, selected.root),
        None => (descriptor.parent_pool().programs(), descriptor.index()),
    }
}

/// Adds the names of the message and of the fields on the path to an error.
#[cold]
pub(super) fn named(descriptor: &MessageDescriptor, mut error: DecodeError) -> DecodeError {
    if let Some(path) = error.path_mut() {
        name_path(descriptor.parent_pool(), descriptor.index(), path);
    }
    error.in_message_copied(descriptor.full_name())
}

// Options of descriptors as messages.

/// Decodes options with the extensions that the pool declares.
fn options(pool: &DescriptorPool, name: &str, bytes: &[u8]) -> DynamicMessage {
    let mut message = DynamicMessage::new(&pool.options_message(name));
    // Loading the pool has decoded the bytes without extensions. A fault in an extension's value ends the merge here.
    let _ = message.merge_bytes(bytes, &DecodeOptions::new().allow_partial(true));
    message
}

macro_rules! options_of {
    ($($descriptor:ty $(, $parent:ident)? => $name:literal;)*) => {
        $(impl $descriptor {
            #[doc = concat!("The options, a `", $name, "`: custom options are its extensions. Decoded by each call.")]
            pub fn options(&self) -> DynamicMessage {
                options(self$(.$parent())?.parent_pool(), $name, self.options_bytes())
            }
        })*
    };
}

options_of! {
    FileDescriptor => "google.protobuf.FileOptions";
    MessageDescriptor => "google.protobuf.MessageOptions";
    FieldDescriptor => "google.protobuf.FieldOptions";
    ExtensionDescriptor => "google.protobuf.FieldOptions";
    OneofDescriptor, parent_message => "google.protobuf.OneofOptions";
    EnumDescriptor => "google.protobuf.EnumOptions";
    EnumValueDescriptor, parent_enum => "google.protobuf.EnumValueOptions";
    ServiceDescriptor => "google.protobuf.ServiceOptions";
    MethodDescriptor, parent_service => "google.protobuf.MethodOptions";
}

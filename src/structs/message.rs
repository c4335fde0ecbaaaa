//! The trait that `message!` implements.

use super::decode::fields;
use super::decode::input::Input;
use super::encode::output;
use super::encode::size::StructSizer;
use super::encode::sizes::{Lengths, Sizes};
use super::encode::write::StructWriter;
use super::grammar::kinds::{has_messages, has_required, is_flat};
use super::grammar::names::MessageNames;
use super::members::field::{VisitFields, VisitMember};
#[cfg(feature = "reflect")]
use super::reflect::by_schema;
use super::reflect::schema::SchemaCell;
#[cfg(feature = "json")]
use crate::formats::json;
#[cfg(feature = "reflect")]
use crate::formats::text;
use crate::formats::{AnyMessage, MergeBytes};
#[cfg(feature = "reflect")]
use crate::formats::{MergeText, ParseError, ParseText};
#[cfg(feature = "reflect")]
use crate::message::{DynamicMessage, MessageView};
#[cfg(feature = "reflect")]
use crate::schema::pool::MessageDescriptor;
use crate::schema::table::MessageTable;
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::wire::heap::Vec;
use crate::wire::options::{DecodeOptions, EncodeOptions};
#[cfg(feature = "reflect")]
use crate::wire::output::buffer::sealed::RawBuffer;
use crate::wire::read::raw;
use crate::wire::{Buffer, Cursor, varint_len};

/// A plain struct that is a protobuf message; implemented by [`message!`](crate::message).
///
/// There is no derive macro of this name: write a listing where other crates have `#[derive(Message)]` and attributes of members.
///
/// Encoding makes two passes over the struct: the first computes the sizes, the second writes. Fields are written in
/// the order of their numbers, then the unknown fields.
///
/// Messages may nest 100 levels below the root. Decoding recurses and uses at most 256 KiB of stack (1 MiB with debug
/// assertions); an input that needs more fails with `DepthExceeded`.
///
/// ```
/// use tablepb::Message;
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Project { name: String, timestamp: u64, tags: Vec<String> }
///
/// tablepb::message! {
///     Project as "example.Project" {
///         name: string = 1,
///         timestamp: uint64 = 3,
///         tags: repeated string = 4,
///     }
/// }
///
/// let project = Project { name: "tablepb".into(), timestamp: 7, tags: vec!["fast".into()] };
/// let bytes = project.encode_to_vec()?;
/// assert_eq!(bytes, b"\x0a\x07tablepb\x18\x07\x22\x04fast");
/// assert_eq!(Project::decode(&bytes)?, project);
/// assert_eq!(Project::TABLE.full_name(), "example.Project");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `message!` listing",
    label = "`{Self}` has no `message!` listing"
)]
pub trait Message: Sized {
    /// The schema of the message.
    const TABLE: &'static MessageTable;

    /// Resets every listed member to its value for an unset field; members listed as `skip` do not change.
    ///
    /// Strings, lists and maps keep their own memory. Their elements and the values of `Option` members are dropped.
    fn clear(&mut self);

    /// Appends the message to a buffer.
    ///
    /// Allocates nothing if the spare capacity holds the message plus four bytes for each nested message, map entry
    /// and packed field. Otherwise the buffer grows once.
    ///
    /// # Errors
    ///
    /// `MissingRequired`; `DepthExceeded` if messages nest deeper than 100 levels; `TooLarge` above 2^31-1 bytes;
    /// `OutOfMemory` if the buffer cannot grow. After an error the buffer has its old content.
    fn encode(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        append(self, buffer, EncodeOptions::new())
    }

    /// Encodes into a new `Vec` of exactly [`encoded_len`](Self::encoded_len) bytes.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode).
    #[cfg(not(tablepb_no_alloc))]
    fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        (self as &dyn Fields).to_vec(&EncodeOptions::new())
    }

    /// Encodes into the start of a slice and returns the number of bytes written.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode); `BufferTooSmall` if the slice is shorter than the message, and then nothing is
    /// written.
    fn encode_to_slice(&self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        self.__encode_to_slice(slice, EncodeOptions::new())
    }

    /// Appends the message to any `BufMut`, for callers that are handed one.
    ///
    /// Writes in place if the current chunk of the buffer has room, otherwise through a `Vec`. A `BytesMut` without room grows by
    /// only 64 bytes by itself: call its `reserve` first, or [`encode`](Self::encode), which makes it grow.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode), and `BufferTooSmall` if the buffer does not take so many bytes. The buffer then has its old
    /// content. A buffer that grows by itself may abort if the allocator fails.
    #[cfg(feature = "bytes")]
    fn encode_buf(&self, buffer: &mut impl bytes::BufMut) -> Result<(), EncodeError> {
        self.__encode_buf(buffer, EncodeOptions::new(), |_, _| {})
    }

    /// Appends the length of the message as a varint, then the message.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode).
    fn encode_length_delimited(&self, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        let options = EncodeOptions::new();
        let size = |sizes: &mut Sizes<'_>| {
            let slot = sizes.begin();
            let len = size(self, sizes, &options)?;
            sizes.end(slot, len);
            Ok(varint_len(len) as u64 + len)
        };
        let written = output::append(buffer, size, |cursor, lengths| {
            cursor.write_varint(lengths.take().into());
            write(self, cursor, lengths, &options);
        });
        written.map(|_| ()).map_err(|error| named(self, error))
    }

    /// The number of bytes that [`encode`](Self::encode) writes, computed by a pass over the message.
    ///
    /// Where `encode` would fail, missing required fields and messages deeper than 100 levels count as 0 bytes.
    fn encoded_len(&self) -> usize {
        let mut sizes = Sizes::counting();
        let len = StructSizer::new(&mut sizes, &EncodeOptions::new().allow_partial(true)).body(self);
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// Decodes a message from the whole of `input`.
    ///
    /// # Errors
    ///
    /// If `input` is not a message of this type, nests deeper than 100 levels, needs more memory than 1 MiB + 32 bytes
    /// per byte of input, or lacks a required field. The error has a kind, a byte offset and a field path.
    ///
    /// If the allocator fails, the kind is `OutOfMemory`. Four allocations abort instead, because stable Rust has no
    /// fallible form of them: `Box`, `BTreeMap` and [`Prepared`](crate::Prepared) members, and 48 bytes that all
    /// [`Lazy`](crate::Lazy) members of a decode share.
    fn decode<'i>(input: &'i [u8]) -> Result<Self, DecodeError>
    where
        Self: DecodeFrom<'i>,
    {
        DecodeOptions::new().decode(input)
    }

    /// [`decode`](Self::decode) from `Bytes`. `Bytes` and [`Lazy`](crate::Lazy) members share the memory of `input`.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    fn decode_shared<'i>(input: &'i bytes::Bytes) -> Result<Self, DecodeError>
    where
        Self: DecodeFrom<'i>,
    {
        DecodeOptions::new().decode_shared(input)
    }

    /// [`decode`](Self::decode) from the rest of any `Buf`, which is read to its end, also if there is an error.
    ///
    /// A buffer of one chunk is decoded in place; the chunks of another one are copied into a `Vec` first. Use
    /// [`decode_shared`](Self::decode_shared) for `Bytes` whose memory `Bytes` members are to share.
    ///
    /// ```
    /// use tablepb::{Message, bytes::Buf, message};
    ///
    /// #[derive(Default)]
    /// struct Port {
    ///     id: u32,
    /// }
    /// message! { Port as "pkg.Port" { id: uint32 = 1 } }
    /// let port = Port::decode_buf((&b"\x08"[..]).chain(&b"\x07"[..]))?;
    /// assert_eq!(port.id, 7);
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    fn decode_buf(input: impl bytes::Buf) -> Result<Self, DecodeError>
    where
        Self: DecodeOwned,
    {
        DecodeOptions::new().decode_buf(input)
    }

    /// Decodes a length, a varint, and the message after it, and advances `input` past both.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode); `Incomplete` if the input ends before the message, or `InvalidLength`. After an
    /// error `input` has not advanced.
    fn decode_length_delimited<'i>(input: &mut &'i [u8]) -> Result<Self, DecodeError>
    where
        Self: DecodeFrom<'i>,
    {
        DecodeOptions::new().decode_length_delimited(input)
    }

    /// Merges an input into this message: singular fields are replaced, lists extended, map entries inserted or
    /// replaced, and messages merged.
    ///
    /// Required fields are not checked. Members reuse their memory. The budget counts what this input adds, not what
    /// the struct held before. Lists that grow keep room for more, so a merge may take up to twice its budget plus twice
    /// the memory of the struct. A [`Prepared`](crate::Prepared) member that is already set is encoded and checked
    /// again in full, all of it charged to the budget.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), but without `MissingRequired`. After an error the message is valid and holds the
    /// fields before the fault.
    fn merge<'i>(&mut self, input: &'i [u8]) -> Result<(), DecodeError>
    where
        Self: DecodeFrom<'i>,
    {
        DecodeOptions::new().merge(self, input)
    }

    /// The names of the message and its fields.
    #[doc(hidden)]
    const __NAMES: &'static MessageNames = &MessageNames::new(Self::TABLE.full_name(), &[]);

    /// Whether a member keeps the unknown fields.
    #[doc(hidden)]
    const __KEEPS_UNKNOWN: bool = false;

    /// Where the schema of the listing is kept.
    #[doc(hidden)]
    #[must_use]
    fn __schema() -> Option<&'static SchemaCell> {
        None
    }

    /// Passes every field to a visitor that inlines the code of a field or calls it; see [`visit_fields`].
    #[doc(hidden)]
    fn __visit_fields<V: VisitFields>(&self, visitor: &mut V);
}

/// A message that can be decoded from an input with the lifetime `'i` and may borrow from it.
///
/// [`message!`](crate::message) implements it, for every `'i` if the struct has no lifetime. Generic code for messages
/// that do not borrow uses [`DecodeOwned`].
pub trait DecodeFrom<'i>: Message + Default {
    /// A message without fields.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn unset() -> Self {
        // A `Default` of one's own may set members.
        let mut message = Self::default();
        message.clear();
        message
    }

    /// Passes the field with this number to a visitor.
    #[doc(hidden)]
    fn __member<V: VisitMember<'i>>(&mut self, _number: u32, _visitor: &mut V) {}

    /// The member that keeps unknown fields.
    #[doc(hidden)]
    fn __unknown(&mut self) -> Option<&mut Vec<u8>> {
        None
    }

    /// The field loop, from `pos` to the end of the group with this number, or with 0 of the innermost message. Returns the position
    /// there, or a code of `decode`.
    #[doc(hidden)]
    #[inline]
    fn merge_fields(&mut self, pos: usize, group: u32, input: &mut Input<'i>) -> usize {
        fields::merge_fields(self, pos, group, input)
    }
}

/// A message that borrows nothing from its input.
///
/// ```
/// use tablepb::{DecodeError, DecodeOwned};
///
/// fn both<M: DecodeOwned>(first: &[u8], second: &[u8]) -> Result<M, DecodeError> {
///     let mut message = M::decode(first)?;
///     message.merge(second)?;
///     Ok(message)
/// }
/// ```
pub trait DecodeOwned: for<'i> DecodeFrom<'i> {}

impl<M: for<'i> DecodeFrom<'i>> DecodeOwned for M {}

/// The verbs of structs, with these options. A depth limit above 100 counts as 100.
impl DecodeOptions {
    /// Decodes a struct from the whole of `input`, as [`Message::decode`] does with the defaults.
    ///
    /// The budget counts all memory of the decode, including boxes and map entries that a later field replaces, and
    /// the later decodes of [`Lazy`](crate::Lazy) members. 10 KiB of the budget, or 1/32 of a small one, are reserved
    /// for the path of an error.
    ///
    /// ```
    /// use tablepb::{DecodeErrorKind, DecodeOptions};
    ///
    /// #[derive(Default)]
    /// struct Log { line: String }
    /// tablepb::message! { Log as "pkg.Log" { line: string = 1 } }
    ///
    /// let log: Log = DecodeOptions::new().budget(1000).decode(b"\x0a\x02hi")?;
    /// assert_eq!(log.line, "hi");
    /// let error = DecodeOptions::new().budget(1).decode::<Log>(b"\x0a\x02hi").err();
    /// assert_eq!(error.map(|error| error.kind()), Some(DecodeErrorKind::BudgetExceeded));
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Message::decode`], within these limits.
    pub fn decode<'i, M: DecodeFrom<'i>>(&self, input: &'i [u8]) -> Result<M, DecodeError> {
        complete(Input::new(input, self), input.len())
    }

    /// As [`Message::decode_shared`], with these options.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_shared<'i, M: DecodeFrom<'i>>(&self, input: &'i bytes::Bytes) -> Result<M, DecodeError> {
        complete(Input::new(input, self).sharing(input), input.len())
    }

    /// As [`Message::decode_buf`], with these options. A copy of the input counts against the budget.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_buf<M: DecodeOwned>(&self, mut input: impl bytes::Buf) -> Result<M, DecodeError> {
        let len = input.remaining();
        if input.chunk().len() == len {
            let message = self.decode(input.chunk());
            input.advance(len);
            return message;
        }
        let mut bytes = Vec::new();
        let read = self.for_copy(len).and_then(|options| {
            crate::wire::output::chunk::read_chunks(&mut input, len, &mut bytes)
                .map_err(|_| DecodeErrorKind::OutOfMemory)?;
            Ok(options)
        });
        input.advance(input.remaining());
        let options = read.map_err(|kind| DecodeError::new(kind, 0).in_message(M::TABLE.full_name()))?;
        options.decode(&bytes)
    }

    /// As [`Message::decode_length_delimited`], with these options.
    ///
    /// # Errors
    ///
    /// As [`Message::decode_length_delimited`].
    pub fn decode_length_delimited<'i, M: DecodeFrom<'i>>(
        &self,
        input: &mut &'i [u8],
    ) -> Result<M, DecodeError> {
        let fail = |kind| DecodeError::new(kind, 0).in_message(M::TABLE.full_name());
        let (message, end) = raw::length_delimited(input, 0).map_err(fail)?;
        let (frame, rest) = input.split_at(end);
        let message = complete(Input::after_length(frame, end - message.len(), self), end)?;
        *input = rest;
        Ok(message)
    }
}

impl<'i, M: DecodeFrom<'i>> MergeBytes<'i> for M {
    fn __merge(&mut self, input: &'i [u8], options: &DecodeOptions) -> Result<(), DecodeError> {
        // `Lazy` members keep these options, so their later decodes do not check required fields either.
        Input::new(input, &options.allow_partial(true)).merging().root(self).map(|_| ())
    }
}

impl<M: Message> AnyMessage for M {
    #[cfg(feature = "reflect")]
    fn to_dynamic(&self) -> Result<DynamicMessage, EncodeError> {
        by_schema::to_dynamic(self)
    }

    fn __encode(&self, buffer: &mut impl Buffer, options: EncodeOptions) -> Result<(), EncodeError> {
        append(self, buffer, options)
    }

    fn __encode_to_slice(&self, slice: &mut [u8], options: EncodeOptions) -> Result<usize, EncodeError> {
        (self as &dyn Fields).to_slice(slice, &options)
    }

    #[cfg(feature = "bytes")]
    fn __encode_buf<B: bytes::BufMut>(
        &self,
        buffer: &mut B,
        options: EncodeOptions,
        reserve: impl FnOnce(&mut B, usize),
    ) -> Result<(), EncodeError> {
        (self as &dyn Fields).append_to_buf_mut(buffer, &options, reserve)
    }

    #[cfg(feature = "json")]
    fn __print_json(&self, buffer: &mut dyn RawBuffer, printer: &json::Printer) -> Result<(), EncodeError> {
        super::json::print(self, buffer, printer)
    }

    #[cfg(feature = "reflect")]
    fn __print_text(&self, buffer: &mut dyn RawBuffer, printer: &text::Printer) -> Result<(), EncodeError> {
        by_schema::viewed(self, |view| text::print(view, buffer, printer))?
    }

    #[cfg(feature = "reflect")]
    fn __descriptor(&self) -> Option<MessageDescriptor> {
        None
    }

    #[cfg(feature = "reflect")]
    fn __show(
        &self,
        by: Option<&MessageDescriptor>,
        show: &mut dyn FnMut(MessageView<'_, '_>),
    ) -> Result<(), EncodeError> {
        by_schema::show(self, by, show)
    }
}

#[cfg(feature = "reflect")]
impl<M: DecodeOwned> MergeText for M {
    #[cfg(feature = "json")]
    fn __merge_json(&mut self, input: &[u8], parser: &json::Parser) -> Result<(), ParseError> {
        by_schema::merge(self, input, parser, |merged| parser.merge_from_slice(merged, input))
    }

    fn __merge_text(&mut self, input: &[u8], parser: &text::Parser) -> Result<(), ParseError> {
        by_schema::merge(self, input, parser, |merged| parser.merge_from_slice(merged, input))
    }
}

#[cfg(feature = "reflect")]
impl<M: DecodeOwned> ParseText for M {
    #[cfg(feature = "json")]
    fn __from_json(input: &[u8], parser: &json::Parser) -> Result<Self, ParseError> {
        super::json::parse(input, parser)
    }

    fn __from_text(input: &[u8], parser: &text::Parser) -> Result<Self, ParseError> {
        by_schema::parse(input, parser)
    }
}

fn append<M: Message>(
    message: &M,
    buffer: &mut impl Buffer,
    options: EncodeOptions,
) -> Result<(), EncodeError> {
    // Without a sizing pass: 118 in place of 142 instructions for two small numbers, up to 1.4 times as fast on random shapes.
    if const { is_flat(M::TABLE) }
        && output::append_flat(buffer, |cursor, lengths| write(message, cursor, lengths, &options)).is_some()
    {
        return Ok(());
    }
    let size = |sizes: &mut Sizes<'_>| size(message, sizes, &options);
    let written = output::append(buffer, size, |cursor, lengths| write(message, cursor, lengths, &options));
    written.map(|_| ()).map_err(|error| named(message, error))
}

/// The sizing pass over a message. Through a pointer to it, as to the writing pass of [`Fields`], a program has the rest of the code once, not once
/// for each type: for outputs that are new memory anyway, and for what is rare.
trait Body {
    fn body_len(&self, sizer: &mut StructSizer<'_, '_>) -> u64;

    fn names(&self) -> &'static MessageNames;
}

/// A trait of its own: a program that only decodes has no code that writes.
trait Fields: Body {
    fn write_fields(&self, writer: &mut StructWriter<'_, '_, '_>);
}

impl<M: Message> Body for M {
    #[inline]
    fn body_len(&self, sizer: &mut StructSizer<'_, '_>) -> u64 {
        sizer.body(self)
    }

    fn names(&self) -> &'static MessageNames {
        M::__NAMES
    }
}

impl<M: Message> Fields for M {
    #[inline]
    fn write_fields(&self, writer: &mut StructWriter<'_, '_, '_>) {
        writer.body(self);
    }
}

impl dyn Body + '_ {
    /// Looks for a missing required field with a sizing pass.
    #[cold]
    #[inline(never)]
    fn find_missing(&self, end: usize) -> Result<(), DecodeError> {
        let mut sizes = Sizes::counting();
        let mut sizer = StructSizer::new(&mut sizes, &EncodeOptions::new());
        self.body_len(&mut sizer);
        match sizer.missing_field(self.names()) {
            None => Ok(()),
            Some(path) => {
                Err(DecodeError::at(DecodeErrorKind::MissingRequired, end, path, self.names().full_name))
            }
        }
    }
}

impl dyn Fields + '_ {
    #[cfg(not(tablepb_no_alloc))]
    #[inline(never)]
    fn to_vec(&self, options: &EncodeOptions) -> Result<Vec<u8>, EncodeError> {
        let written = output::to_vec(&mut |sizes| size(self, sizes, options), &|cursor, lengths| {
            write(self, cursor, lengths, options);
        });
        written.map_err(|error| named(self, error))
    }

    #[inline(never)]
    fn to_slice(&self, slice: &mut [u8], options: &EncodeOptions) -> Result<usize, EncodeError> {
        let written = output::to_slice(slice, &mut |sizes| size(self, sizes, options), &|cursor, lengths| {
            write(self, cursor, lengths, options);
        });
        written.map_err(|error| named(self, error))
    }

    #[cfg(feature = "bytes")]
    fn append_to_buf_mut<B: bytes::BufMut>(
        &self,
        buffer: &mut B,
        options: &EncodeOptions,
        reserve: impl FnOnce(&mut B, usize),
    ) -> Result<(), EncodeError> {
        let written = output::to_buf_mut(
            buffer,
            reserve,
            &mut |sizes| size(self, sizes, options),
            &|cursor, lengths| {
                write(self, cursor, lengths, options);
            },
        );
        written.map_err(|error| named(self, error))
    }
}

/// The sizing pass, which also checks required fields.
#[inline]
fn size<B: Body + ?Sized>(
    message: &B,
    sizes: &mut Sizes<'_>,
    options: &EncodeOptions,
) -> Result<u64, EncodeError> {
    let mut sizer = StructSizer::new(sizes, options);
    let total = message.body_len(&mut sizer);
    sizer.finish(message.names())?;
    Ok(total)
}

#[inline]
fn write<F: Fields + ?Sized>(
    message: &F,
    cursor: &mut Cursor<'_>,
    lengths: &mut Lengths<'_>,
    options: &EncodeOptions,
) {
    message.write_fields(&mut StructWriter::new(cursor, lengths, options));
}

/// Adds the name of the message to an error.
#[cold]
fn named<B: Body + ?Sized>(message: &B, error: EncodeError) -> EncodeError {
    error.in_message(message.names().full_name)
}

/// Decodes a new message and checks its required fields.
#[inline]
fn complete<'i, M: DecodeFrom<'i>>(mut input: Input<'i>, end: usize) -> Result<M, DecodeError> {
    // A local that moves: made in its place in the result, two to three strings took 1.2 times as long to decode.
    let mut message = M::unset();
    if input.root(&mut message)? && !input.options.allows_partial() {
        check_required(&message, end)?;
    }
    Ok(message)
}

/// Checks required fields. A message with neither required fields nor messages needs no code for it.
#[inline]
pub(super) fn check_required<M: Message>(message: &M, end: usize) -> Result<(), DecodeError> {
    if const { has_required(M::TABLE) || has_messages(M::TABLE) } {
        (message as &dyn Body).find_missing(end)
    } else {
        Ok(())
    }
}

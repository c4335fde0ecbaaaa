//! The trait that `message!` implements.

use super::decode::input::Input;
use super::encode::calls::{Calling, is_wide};
use super::encode::output;
use super::encode::size::StructSizer;
use super::encode::sizes::{Lengths, Sizes};
use super::encode::write::StructWriter;
use super::grammar::kinds::{has_messages, has_required};
use super::members::field::{VisitFields, VisitMember};
use super::reflect::schema::SchemaCell;
#[cfg(feature = "json")]
use crate::formats::json::{DeserializeError, DeserializeOptions, SerializeError, SerializeOptions};
#[cfg(feature = "reflect")]
use crate::formats::text::{FormatOptions, ParseError, ParseOptions};
use crate::schema::table::MessageTable;
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::wire::options::{DecodeOptions, EncodeOptions};
use crate::wire::read::raw;
use crate::wire::{Buffer, Cursor, varint_len};
#[cfg(feature = "reflect")]
use alloc::string::String;
use alloc::vec::Vec;

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
        self.encode_with(buffer, EncodeOptions::new())
    }

    /// [`encode`](Self::encode) with options. A depth limit above 100 counts as 100.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode), within the limits of `options`.
    fn encode_with(&self, buffer: &mut impl Buffer, options: EncodeOptions) -> Result<(), EncodeError> {
        let size = |sizes: &mut Sizes<'_>| size(self, sizes, &options);
        let written = output::append(buffer, size, |cursor, lengths| write(self, cursor, lengths, &options));
        written.map(|_| ()).map_err(named::<Self>)
    }

    /// Encodes into a new `Vec` of exactly [`encoded_len`](Self::encoded_len) bytes.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode).
    fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        let options = EncodeOptions::new();
        let mut size = |sizes: &mut Sizes<'_>| size(self, sizes, &options);
        let write =
            |cursor: &mut Cursor<'_>, lengths: &mut Lengths<'_>| write(self, cursor, lengths, &options);
        output::to_vec(&mut size, &write).map_err(named::<Self>)
    }

    /// Encodes into the start of a slice and returns the number of bytes written.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode); `BufferTooSmall` if the slice is shorter than the message, and then nothing is
    /// written.
    fn encode_to_slice(&self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        let options = EncodeOptions::new();
        let mut size = |sizes: &mut Sizes<'_>| size(self, sizes, &options);
        let write =
            |cursor: &mut Cursor<'_>, lengths: &mut Lengths<'_>| write(self, cursor, lengths, &options);
        output::to_slice(slice, &mut size, &write).map_err(named::<Self>)
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
        let options = EncodeOptions::new();
        let mut size = |sizes: &mut Sizes<'_>| size(self, sizes, &options);
        let write =
            |cursor: &mut Cursor<'_>, lengths: &mut Lengths<'_>| write(self, cursor, lengths, &options);
        output::to_buf_mut(buffer, &mut size, &write).map_err(named::<Self>)
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
        written.map(|_| ()).map_err(named::<Self>)
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
        Self::decode_with(input, DecodeOptions::new())
    }

    /// [`decode`](Self::decode) with options. A depth limit above 100 counts as 100.
    ///
    /// The budget counts all memory of the decode, including boxes and map entries that a later field replaces, and
    /// the later decodes of [`Lazy`](crate::Lazy) members. 10 KiB of the budget, or 1/32 of a small one, are reserved
    /// for the path of an error.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), within the limits of `options`.
    fn decode_with<'i>(input: &'i [u8], options: DecodeOptions) -> Result<Self, DecodeError>
    where
        Self: DecodeFrom<'i>,
    {
        complete(Input::new(input, &options), input.len())
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
        Self::decode_shared_with(input, DecodeOptions::new())
    }

    /// [`decode_shared`](Self::decode_shared) with options. A depth limit above 100 counts as 100.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), within the limits of `options`.
    #[cfg(feature = "bytes")]
    fn decode_shared_with<'i>(input: &'i bytes::Bytes, options: DecodeOptions) -> Result<Self, DecodeError>
    where
        Self: DecodeFrom<'i>,
    {
        complete(Input::new(input, &options).sharing(input), input.len())
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
    fn decode_buf(mut input: impl bytes::Buf) -> Result<Self, DecodeError>
    where
        Self: DecodeOwned,
    {
        let len = input.remaining();
        if input.chunk().len() == len {
            let message = Self::decode(input.chunk());
            input.advance(len);
            return message;
        }
        let mut bytes = Vec::new();
        let read = DecodeOptions::new().for_copy(len).and_then(|options| {
            crate::wire::output::chunk::read_chunks(&mut input, len, &mut bytes)
                .map_err(|_| DecodeErrorKind::OutOfMemory)?;
            Ok(options)
        });
        input.advance(input.remaining());
        let options = read.map_err(|kind| DecodeError::new(kind, 0).in_message(Self::TABLE.full_name()))?;
        Self::decode_with(&bytes, options)
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
        let options = DecodeOptions::new();
        let fail = |kind| DecodeError::new(kind, 0).in_message(Self::TABLE.full_name());
        let (message, end) = raw::length_delimited(input, 0).map_err(fail)?;
        let (frame, rest) = input.split_at(end);
        let message = complete(Input::after_length(frame, end - message.len(), &options), end)?;
        *input = rest;
        Ok(message)
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
        self.merge_with(input, DecodeOptions::new())
    }

    /// [`merge`](Self::merge) with options.
    ///
    /// # Errors
    ///
    /// As [`merge`](Self::merge), within the limits of `options`.
    fn merge_with<'i>(&mut self, input: &'i [u8], options: DecodeOptions) -> Result<(), DecodeError>
    where
        Self: DecodeFrom<'i>,
    {
        // `Lazy` members keep these options, so their later decodes do not check required fields either.
        Input::new(input, &options.allow_partial(true)).merging().root(self).map(|_| ())
    }

    /// Appends the message as JSON, as [`MessageView::to_json`](crate::MessageView::to_json) does.
    ///
    /// The first call makes the schema of the struct, which is kept for the type. A struct with undecoded [`Lazy`](crate::Lazy)
    /// members or with [`Prepared`](crate::Prepared) ones, or with an `Any` or a `FieldMask` in it, is encoded and decoded by that schema
    /// first, and so is one that has no form in JSON.
    ///
    /// ```
    /// use tablepb::Message;
    ///
    /// #[derive(Debug, Default, PartialEq)]
    /// struct Project { name: String, start_time: u64 }
    ///
    /// tablepb::message! {
    ///     Project as "example.Project" { name: string = 1, start_time: uint64 = 2 }
    /// }
    ///
    /// let mut project = Project::from_json(br#"{"name": "tablepb", "startTime": 7}"#)?;
    /// assert_eq!(project, Project { name: "tablepb".into(), start_time: 7 });
    /// project.merge_json(br#"{"name": "renamed"}"#)?;
    /// assert_eq!(project.to_json_string()?, r#"{"name":"renamed","startTime":"7"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`MessageView::to_json`](crate::MessageView::to_json); the buffer keeps its length.
    #[cfg(feature = "json")]
    fn to_json(&self, buffer: &mut impl Buffer) -> Result<(), SerializeError> {
        self.to_json_with(buffer, &SerializeOptions::new())
    }

    /// As [`to_json`](Self::to_json), with options.
    ///
    /// # Errors
    ///
    /// As [`to_json`](Self::to_json).
    #[cfg(feature = "json")]
    fn to_json_with(
        &self,
        buffer: &mut impl Buffer,
        options: &SerializeOptions,
    ) -> Result<(), SerializeError> {
        super::json::print(self, buffer, options)
    }

    /// The message as JSON text.
    ///
    /// # Errors
    ///
    /// As [`to_json`](Self::to_json).
    #[cfg(feature = "json")]
    fn to_json_string(&self) -> Result<String, SerializeError> {
        let mut buffer = Vec::new();
        self.to_json(&mut buffer)?;
        // What is printed is UTF-8.
        Ok(String::from_utf8(buffer).unwrap_or_default())
    }

    /// Makes a message of JSON, as [`DynamicMessage::from_json`](crate::DynamicMessage::from_json) does. Not for structs
    /// that borrow from their input.
    ///
    /// # Errors
    ///
    /// As [`DynamicMessage::from_json`](crate::DynamicMessage::from_json).
    #[cfg(feature = "json")]
    fn from_json(json: &[u8]) -> Result<Self, DeserializeError>
    where
        Self: DecodeOwned,
    {
        Self::from_json_with(json, &DeserializeOptions::new())
    }

    /// As [`from_json`](Self::from_json), with options.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json).
    #[cfg(feature = "json")]
    fn from_json_with(json: &[u8], options: &DeserializeOptions) -> Result<Self, DeserializeError>
    where
        Self: DecodeOwned,
    {
        super::json::parse(json, options)
    }

    /// Merges JSON into this message, as [`DynamicMessage::merge_json`](crate::DynamicMessage::merge_json) does.
    ///
    /// Takes time in proportion to the message and the text.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json). The message is as it was, unless memory runs out when the merged one takes its
    /// place: then it holds a part of that.
    #[cfg(feature = "json")]
    fn merge_json(&mut self, json: &[u8]) -> Result<(), DeserializeError>
    where
        Self: DecodeOwned,
    {
        self.merge_json_with(json, &DeserializeOptions::new())
    }

    /// As [`merge_json`](Self::merge_json), with options.
    ///
    /// # Errors
    ///
    /// As [`merge_json`](Self::merge_json).
    #[cfg(feature = "json")]
    fn merge_json_with(&mut self, json: &[u8], options: &DeserializeOptions) -> Result<(), DeserializeError>
    where
        Self: DecodeOwned,
    {
        super::json::merge(self, json, options)
    }

    /// The message in text format, as [`MessageView::to_text_format`](crate::MessageView::to_text_format) has it.
    ///
    /// It is encoded and decoded with its table first; the schema that is made of that is kept for the type.
    ///
    /// ```
    /// use tablepb::Message;
    ///
    /// #[derive(Debug, Default, PartialEq)]
    /// struct Project { name: String, start_time: u64 }
    ///
    /// tablepb::message! {
    ///     Project as "example.Project" { name: string = 1, start_time: uint64 = 2 }
    /// }
    ///
    /// let mut project = Project::parse_text_format("name: 'tablepb' start_time: 7")?;
    /// assert_eq!(project, Project { name: "tablepb".into(), start_time: 7 });
    /// project.merge_text_format("name: 'renamed'")?;
    /// assert_eq!(project.to_text_format(), r#"name:"renamed",start_time:7"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the allocator fails, if messages are nested deeper than 100 levels, or if the tables of the struct and those that it refers to
    /// are no schema ([`DescriptorPool::from_tables`](crate::DescriptorPool::from_tables));
    /// [`append_text_format`](Self::append_text_format) returns an error.
    #[cfg(feature = "reflect")]
    fn to_text_format(&self) -> String {
        self.to_text_format_with_options(&FormatOptions::new())
    }

    /// As [`to_text_format`](Self::to_text_format), with options.
    ///
    /// # Panics
    ///
    /// As [`to_text_format`](Self::to_text_format).
    #[cfg(feature = "reflect")]
    fn to_text_format_with_options(&self, options: &FormatOptions) -> String {
        let mut buffer = Vec::new();
        self.append_text_format(&mut buffer, options).unwrap_or_else(|error| panic!("{error}"));
        // What is printed is UTF-8.
        String::from_utf8(buffer).unwrap_or_default()
    }

    /// Appends the message in text format.
    ///
    /// # Errors
    ///
    /// [`DepthExceeded`](crate::EncodeErrorKind::DepthExceeded) above 100 levels,
    /// [`OutOfMemory`](crate::EncodeErrorKind::OutOfMemory), [`InvalidSchema`](crate::EncodeErrorKind::InvalidSchema). The buffer keeps
    /// its length.
    #[cfg(feature = "reflect")]
    fn append_text_format(
        &self,
        buffer: &mut impl Buffer,
        options: &FormatOptions,
    ) -> Result<(), EncodeError> {
        super::reflect::text_format::print(self, buffer, options)
    }

    /// Makes a message of text format, as [`DynamicMessage::parse_text_format`](crate::DynamicMessage::parse_text_format) does.
    ///
    /// # Errors
    ///
    /// As [`DynamicMessage::parse_text_format`](crate::DynamicMessage::parse_text_format).
    #[cfg(feature = "reflect")]
    fn parse_text_format(text: &str) -> Result<Self, ParseError>
    where
        Self: DecodeOwned,
    {
        Self::parse_text_format_with(text, &ParseOptions::new())
    }

    /// As [`parse_text_format`](Self::parse_text_format), with options.
    ///
    /// # Errors
    ///
    /// As [`parse_text_format`](Self::parse_text_format).
    #[cfg(feature = "reflect")]
    fn parse_text_format_with(text: &str, options: &ParseOptions) -> Result<Self, ParseError>
    where
        Self: DecodeOwned,
    {
        super::reflect::text_format::parse(text, options)
    }

    /// Merges text format into this message, as
    /// [`DynamicMessage::merge_text_format`](crate::DynamicMessage::merge_text_format) does.
    ///
    /// Takes time in proportion to the message and the text.
    ///
    /// # Errors
    ///
    /// As [`parse_text_format`](Self::parse_text_format). The message is as it was, unless memory runs out when the merged
    /// one takes its place: then it holds a part of that.
    #[cfg(feature = "reflect")]
    fn merge_text_format(&mut self, text: &str) -> Result<(), ParseError>
    where
        Self: DecodeOwned,
    {
        self.merge_text_format_with(text, &ParseOptions::new())
    }

    /// As [`merge_text_format`](Self::merge_text_format), with options.
    ///
    /// # Errors
    ///
    /// As [`merge_text_format`](Self::merge_text_format).
    #[cfg(feature = "reflect")]
    fn merge_text_format_with(&mut self, text: &str, options: &ParseOptions) -> Result<(), ParseError>
    where
        Self: DecodeOwned,
    {
        super::reflect::text_format::merge(self, text, options)
    }

    /// Where the schema of the listing is kept.
    #[doc(hidden)]
    #[must_use]
    fn __schema() -> Option<&'static SchemaCell> {
        None
    }

    /// Passes every field to a visitor, in the order of field numbers.
    #[doc(hidden)]
    #[inline]
    fn __visit<V: VisitFields>(&self, visitor: &mut V) {
        if const { is_wide(Self::TABLE) } {
            self.__visit_fields(&mut Calling(visitor));
        } else {
            self.__visit_fields(visitor);
        }
    }

    /// [`__visit`](Self::__visit), by a visitor that inlines the code of a field or calls it.
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
    fn unset() -> Self;

    /// Passes the field with this number to a visitor.
    #[doc(hidden)]
    fn __member<V: VisitMember<'i>>(&mut self, _number: u32, _visitor: &mut V) {}

    /// The field loop, from `pos` to the end of the group with this number, or with 0 of the innermost message. Returns the position
    /// there, or a code of `decode/end.rs`.
    #[doc(hidden)]
    fn merge_fields(&mut self, pos: usize, group: u32, input: &mut Input<'i>) -> usize;
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

/// Adds the name of the message to an error.
#[cold]
fn named<M: Message>(error: EncodeError) -> EncodeError {
    error.in_message(M::TABLE.full_name())
}

/// The sizing pass, which also checks required fields.
#[inline]
fn size<M: Message>(message: &M, sizes: &mut Sizes<'_>, options: &EncodeOptions) -> Result<u64, EncodeError> {
    let mut sizer = StructSizer::new(sizes, options);
    let total = sizer.body(message);
    sizer.finish(M::TABLE)?;
    Ok(total)
}

#[inline]
fn write<M: Message>(
    message: &M,
    cursor: &mut Cursor<'_>,
    lengths: &mut Lengths<'_>,
    options: &EncodeOptions,
) {
    StructWriter::new(cursor, lengths, options).body(message);
}

/// Decodes a new message and checks its required fields.
fn complete<'i, M: DecodeFrom<'i>>(mut input: Input<'i>, end: usize) -> Result<M, DecodeError> {
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
        find_missing(message, end)
    } else {
        Ok(())
    }
}

/// Looks for a missing required field with a sizing pass.
#[cold]
fn find_missing<M: Message>(message: &M, end: usize) -> Result<(), DecodeError> {
    let mut sizes = Sizes::counting();
    let mut sizer = StructSizer::new(&mut sizes, &EncodeOptions::new());
    sizer.body(message);
    match sizer.missing_field(M::TABLE) {
        None => Ok(()),
        Some(path) => Err(DecodeError::at(DecodeErrorKind::MissingRequired, end, path, M::TABLE.full_name())),
    }
}

//! [`Codec`] and [`DynamicCodec`]: messages in tonic's buffers.

use bytes::Buf;
use std::fmt;
use std::marker::PhantomData;
use tablepb::{
    AnyMessage, DecodeError, DecodeErrorKind, DecodeOptions, DecodeOwned, DynamicMessage, EncodeError,
    EncodeOptions, Message, MessageDescriptor,
};
use tonic::Status;
use tonic::codec::{DecodeBuf, Decoder, EncodeBuf, Encoder};

/// From this length on a message shares its input: `Bytes` members, strings of dynamic messages and lazy members are not copied. Below,
/// a copy costs less than what sharing takes. What is shared keeps the memory of the whole message: copy a small piece that is to be kept for
/// long.
pub const SHARE_FROM: usize = 4096;

/// How [`BoundedCodec`] decodes. A codec of your own, named to `Generator::codec`, sets bounds.
///
/// ```
/// use tablepb::DecodeOptions;
/// use tablepb_tonic::{BoundedCodec, CodecOptions};
///
/// /// No message of this server takes more than a MiB, nor is deeper than 20.
/// struct Bounds;
///
/// impl CodecOptions for Bounds {
///     fn decode_options() -> DecodeOptions {
///         DecodeOptions::new().budget(1 << 20).max_depth(20)
///     }
/// }
///
/// /// For `generator().codec("crate::Codec")`.
/// type Codec<E, D> = BoundedCodec<E, D, Bounds>;
/// # let _ = Codec::<tablepb::wkt::Empty, tablepb::wkt::Empty>::default();
/// ```
pub trait CodecOptions: Send + Sync + 'static {
    /// The options for each message; the defaults of tablepb by default: 100 levels, and 1 MiB and 32 bytes for each byte of
    /// input.
    fn decode_options() -> DecodeOptions {
        DecodeOptions::new()
    }

    /// From which length on messages share their input; [`SHARE_FROM`] by default.
    fn share_from() -> usize {
        SHARE_FROM
    }
}

/// The options of [`Codec`].
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultOptions;

impl CodecOptions for DefaultOptions {}

/// The codec of stubs: sends structs of type `E` and receives those of type `D`, with the default bounds.
pub type Codec<E, D> = BoundedCodec<E, D, DefaultOptions>;

/// A codec with bounds: sends structs of type `E` and receives those of type `D` by the options `O`.
///
/// A message is written into tonic's buffer in place, and read from it without a copy. Compression and limits of size are
/// tonic's. A message that cannot be decoded is `INTERNAL`, as gRPC has it; one that needs more memory than it may,
/// `RESOURCE_EXHAUSTED`.
pub struct BoundedCodec<E, D, O>(PhantomData<fn(E) -> (D, O)>);

impl<E, D, O> BoundedCodec<E, D, O> {
    /// A codec; the same as `default`.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<E, D, O> Default for BoundedCodec<E, D, O> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E, D, O> Clone for BoundedCodec<E, D, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, D, O> Copy for BoundedCodec<E, D, O> {}

impl<E, D, O> fmt::Debug for BoundedCodec<E, D, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoundedCodec")
    }
}

impl<E, D, O> tonic::codec::Codec for BoundedCodec<E, D, O>
where
    E: Message + Send + 'static,
    D: DecodeOwned + Send + 'static,
    O: CodecOptions,
{
    type Encode = E;
    type Decode = D;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl<E: Message, D, O> Encoder for BoundedCodec<E, D, O> {
    type Item = E;
    type Error = Status;

    fn encode(&mut self, message: E, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        append(&message, buffer)
    }
}

impl<E, D: DecodeOwned, O: CodecOptions> Decoder for BoundedCodec<E, D, O> {
    type Item = D;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<D>, Status> {
        let options = O::decode_options();
        let decoded = match whole(buffer, O::share_from()) {
            Whole::Shared(bytes) => options.decode_shared(&bytes),
            Whole::Buffer(buffer) => options.decode_buf(buffer),
        };
        decoded.map(Some).map_err(unreadable)
    }
}

/// The codec of messages whose types are known at run time. Types are the same if their names are: the two sides of a proxy may have pools
/// of their own.
#[derive(Clone, Debug)]
pub struct DynamicCodec {
    sends: MessageDescriptor,
    receives: MessageDescriptor,
    options: DecodeOptions,
}

impl DynamicCodec {
    /// A codec that sends messages of one type and receives those of another: requests and responses in a client, the other way round in a
    /// server. To send a message of another type is an error, `INTERNAL`, for it would be read as what it is not.
    pub fn new(sends: MessageDescriptor, receives: MessageDescriptor) -> Self {
        Self { sends, receives, options: DecodeOptions::new() }
    }

    /// Sets how messages are decoded.
    #[must_use]
    pub fn decode_options(mut self, options: DecodeOptions) -> Self {
        self.options = options;
        self
    }
}

impl tonic::codec::Codec for DynamicCodec {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        self.clone()
    }

    fn decoder(&mut self) -> Self {
        self.clone()
    }
}

impl Encoder for DynamicCodec {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, message: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        let (expected, found) = (self.sends.full_name(), message.descriptor().full_name());
        if expected != found {
            return Err(Status::internal(format!(
                "a message of type {expected} was expected, and not {found}"
            )));
        }
        append(&message, buffer)
    }
}

impl Decoder for DynamicCodec {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let decoded = match whole(buffer, SHARE_FROM) {
            Whole::Shared(bytes) => self.options.decode_dynamic_shared(&self.receives, &bytes),
            Whole::Buffer(buffer) => self.options.decode_dynamic_buf(&self.receives, buffer),
        };
        decoded.map(Some).map_err(unreadable)
    }
}

/// A message as it came.
enum Whole<'b, 'd> {
    Shared(bytes::Bytes),
    Buffer(&'b mut DecodeBuf<'d>),
}

fn whole<'b, 'd>(buffer: &'b mut DecodeBuf<'d>, share_from: usize) -> Whole<'b, 'd> {
    let len = buffer.remaining();
    // tonic's buffer gives its memory away without a copy.
    if len >= share_from { Whole::Shared(buffer.copy_to_bytes(len)) } else { Whole::Buffer(buffer) }
}

/// Writes a message in place.
fn append(message: &impl AnyMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
    let written = EncodeOptions::new().encode_reserving(message, buffer, |buffer, len| buffer.reserve(len));
    written.map_err(unsendable)
}

fn unsendable(error: EncodeError) -> Status {
    Status::internal(format!("the message cannot be encoded: {error}"))
}

fn unreadable(error: DecodeError) -> Status {
    let text = format!("the message cannot be decoded: {error}");
    match error.kind() {
        DecodeErrorKind::BudgetExceeded | DecodeErrorKind::OutOfMemory => Status::resource_exhausted(text),
        _ => Status::internal(text),
    }
}

//! What is encoded, printed and parsed, whatever its form.

#[cfg(feature = "reflect")]
use super::error::ParseError;
#[cfg(feature = "json")]
use super::json::{options as json, print as json_print};
#[cfg(feature = "reflect")]
use super::parsing::merge;
#[cfg(feature = "reflect")]
use super::text::{options as text, print as text_print};
#[cfg(feature = "reflect")]
use crate::message::{Decoder, DynamicMessage, MessageMut, MessageView};
#[cfg(feature = "reflect")]
use crate::schema::pool::MessageDescriptor;
use crate::wire::Buffer;
use crate::wire::error::{DecodeError, EncodeError};
#[cfg(feature = "reflect")]
use crate::wire::error::{DecodeErrorKind, EncodeErrorKind};
use crate::wire::options::{DecodeOptions, EncodeOptions};
#[cfg(feature = "reflect")]
use crate::wire::output::buffer::sealed::RawBuffer;
#[cfg(feature = "reflect")]
use alloc::vec::Vec;

/// A message in any form: a struct of [`message!`](crate::message!), a `DynamicMessage`, a `MessageView` or a `MessageMut`.
///
/// Sealed: this crate implements it. [`EncodeOptions`], and the calls of the modules `json` and `text`, take it.
///
/// ```
/// use tablepb::{AnyMessage, DescriptorPool, DynamicMessage, EncodeError, Message, text};
///
/// #[derive(Default)]
/// struct Log { line: String }
/// tablepb::message! { Log as "pkg.Log" { line: string = 1 } }
///
/// fn shown(message: &impl AnyMessage) -> Result<String, EncodeError> {
///     Ok(format!("<{}>", text::to_string(message)?))
/// }
///
/// let log = Log { line: "a".into() };
/// let descriptor = DescriptorPool::from_tables(&[Log::TABLE])?.message("pkg.Log")?;
/// let dynamic = DynamicMessage::decode(&descriptor, &log.encode_to_vec()?)?;
/// assert_eq!(shown(&log)?, r#"<line:"a">"#);
/// assert_eq!(shown(&dynamic)?, shown(&log)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait AnyMessage {
    /// A copy as a dynamic message: of a struct as one of its own schema, see [`MessageView::to_struct`] for the way back.
    ///
    /// Costs a copy; of a struct an encode and a decode.
    ///
    /// # Errors
    ///
    /// As [`Message::encode`](crate::Message::encode), but for required fields; `InvalidSchema`, `InvalidMessage` if the schema of a struct
    /// is not valid or does not take its content; `OutOfMemory`.
    #[cfg(feature = "reflect")]
    fn to_dynamic(&self) -> Result<DynamicMessage, EncodeError> {
        let mut copy = Ok(None);
        self.__show(None, &mut |view| copy = view.try_to_owned().map(Some))?;
        copy.ok().flatten().ok_or_else(|| EncodeError::new(EncodeErrorKind::OutOfMemory))
    }

    #[doc(hidden)]
    fn __encode(&self, buffer: &mut impl Buffer, options: EncodeOptions) -> Result<(), EncodeError>;

    #[doc(hidden)]
    fn __encode_to_slice(&self, slice: &mut [u8], options: EncodeOptions) -> Result<usize, EncodeError>;

    #[cfg(feature = "bytes")]
    #[doc(hidden)]
    fn __encode_buf<B: bytes::BufMut>(
        &self,
        buffer: &mut B,
        options: EncodeOptions,
        reserve: impl FnOnce(&mut B, usize),
    ) -> Result<(), EncodeError>;

    #[cfg(feature = "json")]
    #[doc(hidden)]
    fn __print_json(&self, buffer: &mut dyn RawBuffer, printer: &json::Printer) -> Result<(), EncodeError>;

    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    fn __print_text(&self, buffer: &mut dyn RawBuffer, printer: &text::Printer) -> Result<(), EncodeError>;

    /// The type of a message that has a descriptor.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    fn __descriptor(&self) -> Option<MessageDescriptor>;

    /// Shows the message, as one of this type if its own has the same name.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    fn __show(
        &self,
        by: Option<&MessageDescriptor>,
        show: &mut dyn FnMut(MessageView<'_, '_>),
    ) -> Result<(), EncodeError>;

    /// The message itself. Macros call it as a method, so that they take messages and references to them.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    fn __by_ref(&self) -> &Self {
        self
    }
}

/// A message that text can be merged into: a struct of [`message!`](crate::message!) that does not borrow from its input, or a
/// [`DynamicMessage`].
///
/// Sealed: this crate implements it, and [`json::merge_from_slice`](crate::json::merge_from_slice) and the like take it.
#[cfg(feature = "reflect")]
pub trait MergeText {
    #[cfg(feature = "json")]
    #[doc(hidden)]
    fn __merge_json(&mut self, json: &[u8], parser: &json::Parser) -> Result<(), ParseError>;

    #[doc(hidden)]
    fn __merge_text(&mut self, text: &[u8], parser: &text::Parser) -> Result<(), ParseError>;
}

/// A message that is made of text without a descriptor: a struct of [`message!`](crate::message!) that does not borrow from its input.
///
/// Sealed: this crate implements it, and [`json::from_slice`](crate::json::from_slice) and the like take it.
#[cfg(feature = "reflect")]
pub trait ParseText: Sized {
    #[cfg(feature = "json")]
    #[doc(hidden)]
    fn __from_json(json: &[u8], parser: &json::Parser) -> Result<Self, ParseError>;

    #[doc(hidden)]
    fn __from_text(text: &[u8], parser: &text::Parser) -> Result<Self, ParseError>;
}

/// A view, and what has one, is encoded and printed as its view.
#[cfg(feature = "reflect")]
macro_rules! by_view {
    ($($message:ty: $this:ident => $view:expr;)*) => {$(
        impl AnyMessage for $message {
            fn __encode(&$this, buffer: &mut impl Buffer, options: EncodeOptions) -> Result<(), EncodeError> {
                $view.append(buffer, options)
            }

            fn __encode_to_slice(&$this, slice: &mut [u8], options: EncodeOptions) -> Result<usize, EncodeError> {
                $view.write_to_slice(slice, options)
            }

            #[cfg(feature = "bytes")]
            fn __encode_buf<B: bytes::BufMut>(
                &$this,
                buffer: &mut B,
                options: EncodeOptions,
                reserve: impl FnOnce(&mut B, usize),
            ) -> Result<(), EncodeError> {
                $view.append_to_buf_mut(buffer, options, reserve)
            }

            #[cfg(feature = "json")]
            fn __print_json(
                &$this,
                buffer: &mut dyn RawBuffer,
                printer: &json::Printer,
            ) -> Result<(), EncodeError> {
                json_print::print($view, buffer, printer)
            }

            fn __print_text(
                &$this,
                buffer: &mut dyn RawBuffer,
                printer: &text::Printer,
            ) -> Result<(), EncodeError> {
                text_print::print($view, buffer, printer)
            }

            fn __descriptor(&$this) -> Option<MessageDescriptor> {
                Some($view.descriptor())
            }

            fn __show(
                &$this,
                by: Option<&MessageDescriptor>,
                show: &mut dyn FnMut(MessageView<'_, '_>),
            ) -> Result<(), EncodeError> {
                let (view, own) = ($view, $view.descriptor());
                match by.filter(|by| **by != own && by.full_name() == own.full_name()) {
                    Some(by) => show_as(by, show, |bytes| view.append(bytes, PARTIAL)),
                    None => {
                        show(view);
                        Ok(())
                    }
                }
            }
        }
    )*};
}

/// Whether a message is whole is for the encoder to say, not for other formats.
#[cfg(feature = "reflect")]
const PARTIAL: EncodeOptions = EncodeOptions::new().allow_partial(true);

/// What a message has encoded is taken back whole.
#[cfg(feature = "reflect")]
const WHOLE: DecodeOptions = DecodeOptions::new().allow_partial(true).budget(usize::MAX);

/// Shows what is encoded as a message of this type.
///
/// # Errors
/// That of the encoder; `OutOfMemory`, or `InvalidMessage` if the bytes are no message of this type.
#[cfg(feature = "reflect")]
pub(crate) fn show_as<R>(
    by: &MessageDescriptor,
    show: impl FnOnce(MessageView<'_, '_>) -> R,
    encode: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
) -> Result<R, EncodeError> {
    let mut bytes = Vec::new();
    encode(&mut bytes)?;
    let mut decoder = Decoder::new(by).with_options(WHOLE);
    let view = decoder.decode(&bytes).map_err(|error| undecoded(&error).in_message_copied(by.full_name()))?;
    Ok(show(view))
}

/// What a message has encoded is one of its type, so mostly this is a lack of memory.
#[cfg(feature = "reflect")]
pub(crate) fn undecoded(error: &DecodeError) -> EncodeError {
    let kind = match error.kind() {
        DecodeErrorKind::OutOfMemory | DecodeErrorKind::BudgetExceeded => EncodeErrorKind::OutOfMemory,
        _ => EncodeErrorKind::InvalidMessage,
    };
    EncodeError::new(kind).with_path(error.path().try_copy())
}

#[cfg(feature = "reflect")]
by_view! {
    MessageView<'_, '_>: self => *self;
    DynamicMessage: self => self.as_view();
    MessageMut<'_>: self => self.as_view();
}

#[cfg(feature = "reflect")]
impl MergeText for DynamicMessage {
    #[cfg(feature = "json")]
    fn __merge_json(&mut self, json: &[u8], parser: &json::Parser) -> Result<(), ParseError> {
        merge(self, json, parser)
    }

    fn __merge_text(&mut self, text: &[u8], parser: &text::Parser) -> Result<(), ParseError> {
        merge(self, text, &parser.allow_partial(true))
    }
}

/// The verb of all messages, with these options.
impl EncodeOptions {
    /// Appends a message to a buffer, as `encode` does with the defaults. For structs, a depth limit above 100 counts as 100.
    ///
    /// ```
    /// use tablepb::{EncodeOptions, Message};
    ///
    /// #[derive(Default)]
    /// struct Log { line: Option<String> }
    /// tablepb::message! { Log as "pkg.Log" syntax "proto2" { line: required string = 1 } }
    ///
    /// let mut buf = Vec::new();
    /// assert!(Log::default().encode(&mut buf).is_err());
    /// EncodeOptions::new().allow_partial(true).encode(&Log::default(), &mut buf)?;
    /// assert!(buf.is_empty());
    /// # Ok::<(), tablepb::EncodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Message::encode`](crate::Message::encode), within these limits. After an error the buffer has its old content.
    pub fn encode<M: AnyMessage>(&self, message: &M, buffer: &mut impl Buffer) -> Result<(), EncodeError> {
        message.__encode(buffer, *self)
    }

    /// Encodes a message into the start of a slice and returns the number of bytes.
    ///
    /// ```
    /// use tablepb::{EncodeOptions, Message};
    ///
    /// #[derive(Default)]
    /// struct Log { line: String }
    /// tablepb::message! { Log as "pkg.Log" { line: string = 1 } }
    ///
    /// let mut slice = [0; 8];
    /// let len = EncodeOptions::new().encode_to_slice(&Log { line: "hi".into() }, &mut slice)?;
    /// assert_eq!(slice[..len], *b"\x0a\x02hi");
    /// # Ok::<(), tablepb::EncodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode); `BufferTooSmall` if the slice is shorter than the message, and then nothing is written.
    pub fn encode_to_slice<M: AnyMessage>(
        &self,
        message: &M,
        slice: &mut [u8],
    ) -> Result<usize, EncodeError> {
        message.__encode_to_slice(slice, *self)
    }

    /// Appends a message to a `BufMut` that can make room: if the message does not fit in the buffer's current chunk, `reserve` is called
    /// once, with the number of bytes. Only then are they in one piece and written in place; `encode_buf`, which cannot ask for room,
    /// copies such a message.
    ///
    /// ```
    /// use bytes::BytesMut;
    /// use tablepb::{EncodeOptions, Message};
    ///
    /// #[derive(Default)]
    /// struct Log { line: String }
    /// tablepb::message! { Log as "pkg.Log" { line: string = 1 } }
    ///
    /// let log = Log { line: "a".repeat(1000) };
    /// let mut buf = BytesMut::new();
    /// EncodeOptions::new().encode_reserving(&log, &mut buf, |buf, len| buf.reserve(len))?;
    /// assert_eq!(buf.len(), 1003);
    /// # Ok::<(), tablepb::EncodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode), and `BufferTooSmall`. After an error the buffer has its old content.
    #[cfg(feature = "bytes")]
    pub fn encode_reserving<M: AnyMessage, B: bytes::BufMut>(
        &self,
        message: &M,
        buffer: &mut B,
        reserve: impl FnOnce(&mut B, usize),
    ) -> Result<(), EncodeError> {
        message.__encode_buf(buffer, *self, reserve)
    }
}

/// A message that bytes of the wire can be merged into: a struct of [`message!`](crate::message!) or a `DynamicMessage`.
///
/// Sealed: this crate implements it, and [`DecodeOptions::merge`] takes it.
pub trait MergeBytes<'i> {
    #[doc(hidden)]
    fn __merge(&mut self, input: &'i [u8], options: &DecodeOptions) -> Result<(), DecodeError>;
}

#[cfg(feature = "reflect")]
impl<'i> MergeBytes<'i> for DynamicMessage {
    fn __merge(&mut self, input: &'i [u8], options: &DecodeOptions) -> Result<(), DecodeError> {
        self.merge_bytes(input, options)
    }
}

impl DecodeOptions {
    /// Merges an encoded message into a struct or a dynamic message, as their `merge` does with the defaults.
    ///
    /// ```
    /// use tablepb::{DecodeOptions, Message};
    ///
    /// #[derive(Default)]
    /// struct Log { lines: Vec<String> }
    /// tablepb::message! { Log as "pkg.Log" { lines: repeated string = 1 } }
    ///
    /// let mut log = Log { lines: vec!["a".into()] };
    /// DecodeOptions::new().max_depth(5).merge(&mut log, b"\x0a\x01b")?;
    /// assert_eq!(log.lines, ["a", "b"]);
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Message::merge`](crate::Message::merge), within these limits.
    pub fn merge<'i, M: MergeBytes<'i>>(&self, message: &mut M, input: &'i [u8]) -> Result<(), DecodeError> {
        message.__merge(input, self)
    }
}

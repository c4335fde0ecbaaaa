//! Between dynamic messages and structs: straight where that works, otherwise by way of their encoding, which gives the same result or the
//! error.

use super::from_message::fill;
use crate::engine::encode::try_encode_raw;
use crate::message::{DynamicMessage, MessageView, Prepare};
use crate::structs::{DecodeFrom, DecodeOwned};
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::wire::options::{DecodeOptions, EncodeOptions};
use alloc::vec::Vec;

/// What is in memory may be in memory once more.
const ROOMY: DecodeOptions = DecodeOptions::new().allow_partial(true).budget(usize::MAX);

fn as_decode_error(error: EncodeError) -> DecodeError {
    let kind = match error.kind() {
        EncodeErrorKind::OutOfMemory => DecodeErrorKind::OutOfMemory,
        EncodeErrorKind::DepthExceeded => DecodeErrorKind::DepthExceeded,
        _ => DecodeErrorKind::TooLarge,
    };
    DecodeError::new(kind, 0)
}

/// A struct of the message, within these limits.
pub(super) fn to_struct<M: DecodeOwned>(
    view: MessageView<'_, '_>,
    options: &DecodeOptions,
) -> Result<M, DecodeError> {
    if let Some(message) = fill(view.raw(), options) {
        return Ok(message);
    }
    let bytes = try_encode_raw(view.raw()).map_err(as_decode_error)?;
    options.decode(&bytes)
}

impl<'i> MessageView<'_, 'i> {
    /// Makes a struct of the message; strings are copied.
    ///
    /// The types are not compared: as on the wire, fields go by their numbers. What the struct does not list goes to its unknown
    /// fields, if it has a member for them. Required fields are not checked.
    ///
    /// Goes from field to member, without an encoding in between. Only for a message with something rare in it, parts that are kept as bytes
    /// or a field of another kind than its member, it is encoded and decoded.
    ///
    /// # Errors
    /// As [`Message::decode`](crate::Message::decode), if the encoded message is no such struct; offsets are those in it. `TooLarge`,
    /// `DepthExceeded` or `OutOfMemory` if the message cannot be encoded.
    ///
    /// ```
    /// use tablepb::{AnyMessage, Decoder, DescriptorPool, Message};
    ///
    /// #[derive(Debug, Default, PartialEq)]
    /// struct Log { line: String, level: i32 }
    /// #[derive(Debug, Default, PartialEq)]
    /// struct Line<'a> { line: &'a str }
    /// tablepb::message! {
    ///     Log as "pkg.Log" { line: string = 1, level: int32 = 2 }
    ///     Line<'a> as "pkg.Line" { line: string = 1 }
    /// }
    ///
    /// let log = Log { line: "hi".into(), level: 3 };
    /// let dynamic = log.to_dynamic()?;
    /// assert_eq!(dynamic.get_field("level")?.as_i32(), Some(3));
    /// assert_eq!(dynamic.as_view().to_struct::<Log>()?, log);
    ///
    /// let bytes = log.encode_to_vec()?;
    /// let schema = DescriptorPool::from_tables(&[Log::TABLE])?.message("pkg.Log")?;
    /// let mut decoder = Decoder::new(&schema);
    /// let line: Line<'_> = decoder.decode(&bytes)?.to_struct_borrowed()?;
    /// drop(decoder);
    /// assert_eq!(line, Line { line: "hi" }); // of `bytes`
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_struct<M: DecodeOwned>(&self) -> Result<M, DecodeError> {
        to_struct(*self, &ROOMY)
    }

    /// As [`to_struct`](Self::to_struct), for a struct whose strings and bytes borrow from the input of the message.
    ///
    /// # Errors
    /// `InvalidValue` for what [`to_struct`](Self::to_struct) encodes, because nothing can be borrowed from that encoding; also if the allocator
    /// fails.
    pub fn to_struct_borrowed<M: DecodeFrom<'i>>(&self) -> Result<M, DecodeError> {
        let error = || DecodeError::new(DecodeErrorKind::InvalidValue, 0).in_message(M::TABLE.full_name());
        fill(self.raw(), &ROOMY).ok_or_else(error)
    }
}

impl DynamicMessage {
    /// Makes a struct of the message, as [`MessageView::to_struct`] does. For a message of another crate, give it the bytes of
    /// [`encode_to_vec`](Self::encode_to_vec).
    ///
    /// # Errors
    /// As [`MessageView::to_struct`].
    ///
    /// ```
    /// use tablepb::{DescriptorPool, DynamicMessage, Message};
    ///
    /// #[derive(Debug, Default, PartialEq)]
    /// struct Log { line: String, level: i32 }
    /// tablepb::message! { Log as "pkg.Log" { line: string = 1, level: int32 = 2 } }
    ///
    /// let schema = DescriptorPool::from_tables(&[Log::TABLE])?.message("pkg.Log")?;
    /// let mut message = DynamicMessage::new(&schema);
    /// message.transcode_from(&Log { line: "hi".into(), level: 3 })?;
    /// message.set_field("level", 4)?;
    /// let log: Log = message.transcode_to()?;
    /// assert_eq!(log, Log { line: "hi".into(), level: 4 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transcode_to<T: DecodeOwned>(&self) -> Result<T, DecodeError> {
        self.as_view().to_struct()
    }

    /// Merges a struct, or a dynamic message of any pool, into this message: encodes it and [merges](Self::merge) the bytes.
    ///
    /// The types are not compared: as on the wire, fields go by their numbers. Required fields are not checked. A message of another
    /// crate is merged as the bytes that it encodes to.
    ///
    /// # Errors
    /// As [`merge`](Self::merge). `TooLarge`, `DepthExceeded` or `OutOfMemory` if the struct cannot be encoded; the message does not
    /// change then.
    pub fn transcode_from<T: Prepare>(&mut self, message: &T) -> Result<(), DecodeError> {
        let mut bytes = Vec::new();
        let options = EncodeOptions::new().allow_partial(true);
        message.encode_prepared(&mut bytes, options).map_err(as_decode_error)?;
        self.merge_bytes(&bytes, &ROOMY)
    }
}

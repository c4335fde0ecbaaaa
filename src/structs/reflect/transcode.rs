//! Between dynamic messages and structs, by way of their encoding.

use crate::engine::encode::try_encode_raw;
use crate::message::{DynamicMessage, Prepare};
use crate::structs::DecodeOwned;
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

impl DynamicMessage {
    /// Makes a struct of the message: encodes it and decodes the bytes.
    ///
    /// The types are not compared: as on the wire, fields go by their numbers. What the struct does not list goes to its unknown
    /// fields, if it has a member for them. Required fields are not checked. For a message of another crate, give it the bytes of
    /// [`encode_to_vec`](Self::encode_to_vec).
    ///
    /// # Errors
    /// As [`Message::decode`](crate::Message::decode), if the bytes are no such message; offsets are those in the encoded message.
    /// `TooLarge`, `DepthExceeded` or `OutOfMemory` if the message cannot be encoded.
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
        let bytes = try_encode_raw(self.as_view().raw()).map_err(as_decode_error)?;
        ROOMY.decode(&bytes)
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

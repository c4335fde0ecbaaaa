//! Codecs for `tonic`: services without generated messages. tonic does the framing, its limits and compression.
//!
//! A server hands [`MessageCodec`] or [`DynamicCodec`] to `tonic::server::Grpc::new`, a client to the call of
//! `tonic::client::Grpc`; `tests/grpc.rs` has both. The methods of `tonic-build`'s manual services take a codec, too.

use std::marker::PhantomData;
use tablepb::{DecodeOwned, DynamicMessage, EncodeError, Message, MessageDescriptor};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// Structs of `message!`: sends `E` and receives `D`.
#[derive(Clone, Copy, Debug)]
pub struct MessageCodec<E, D>(PhantomData<fn(E) -> D>);

impl<E, D> Default for MessageCodec<E, D> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<E: Message + Send + 'static, D: DecodeOwned + Send + 'static> Codec for MessageCodec<E, D> {
    type Encode = E;
    type Decode = D;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self::default()
    }

    fn decoder(&mut self) -> Self {
        Self::default()
    }
}

impl<E: Message, D> Encoder for MessageCodec<E, D> {
    type Item = E;
    type Error = Status;

    fn encode(&mut self, message: E, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        // With the room reserved, the message is written in place.
        buffer.reserve(message.encoded_len());
        message.encode_buf(buffer).map_err(unsendable)
    }
}

impl<E, D: DecodeOwned> Decoder for MessageCodec<E, D> {
    type Item = D;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<D>, Status> {
        D::decode_buf(buffer).map(Some).map_err(|error| Status::invalid_argument(error.to_string()))
    }
}

/// Messages of types known at run time: what is received is of the type given; what is sent says itself what it is.
#[derive(Clone, Debug)]
pub struct DynamicCodec {
    receives: MessageDescriptor,
}

impl DynamicCodec {
    /// A codec that receives messages of this type: requests in a server, responses in a client.
    pub fn receiving(receives: MessageDescriptor) -> Self {
        Self { receives }
    }
}

impl Codec for DynamicCodec {
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
        buffer.reserve(message.encoded_len());
        message.encode_buf(buffer).map_err(unsendable)
    }
}

impl Decoder for DynamicCodec {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let message = DynamicMessage::decode_buf(&self.receives, buffer);
        message.map(Some).map_err(|error| Status::invalid_argument(error.to_string()))
    }
}

fn unsendable(error: EncodeError) -> Status {
    Status::internal(error.to_string())
}

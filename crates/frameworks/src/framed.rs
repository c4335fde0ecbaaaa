//! Codecs for `tokio_util`: each frame is a message after its length, as prost's `encode_length_delimited` writes them.
//!
//! ```
//! use futures_util::SinkExt;
//! use tablepb_frameworks::framed::MessageCodec;
//! use tokio_stream::StreamExt;
//! use tokio_util::codec::Framed;
//!
//! #[derive(Debug, Default, PartialEq)]
//! struct Ping {
//!     id: u32,
//! }
//! tablepb::message! { Ping as "example.Ping" { id: uint32 = 1 } }
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let (here, there) = tokio::io::duplex(64);
//! let mut sender = Framed::new(here, MessageCodec::<Ping>::new(1 << 20));
//! let mut receiver = Framed::new(there, MessageCodec::<Ping>::new(1 << 20));
//! sender.send(Ping { id: 7 }).await?;
//! drop(sender);
//! assert_eq!(receiver.next().await.unwrap()?, Ping { id: 7 });
//! assert!(receiver.next().await.is_none());
//! # Ok::<(), std::io::Error>(())
//! # })?;
//! # Ok::<(), std::io::Error>(())
//! ```

use bytes::{Bytes, BytesMut};
use std::io;
use std::marker::PhantomData;
use tablepb::stream::split_frame_within;
use tablepb::{DecodeOwned, DynamicMessage, Message, MessageDescriptor};
use tokio_util::codec::{Decoder, Encoder};

/// Structs of `message!`. Members of type `Bytes` share the memory of the frame.
#[derive(Clone, Copy, Debug)]
pub struct MessageCodec<M> {
    max_frame_len: usize,
    message: PhantomData<fn() -> M>,
}

impl<M> MessageCodec<M> {
    /// A codec that refuses to receive frames above `max_frame_len` bytes.
    pub fn new(max_frame_len: usize) -> Self {
        Self { max_frame_len, message: PhantomData }
    }
}

impl<M: Message> Encoder<M> for MessageCodec<M> {
    type Error = io::Error;

    fn encode(&mut self, message: M, buffer: &mut BytesMut) -> io::Result<()> {
        Ok(message.encode_length_delimited(buffer)?)
    }
}

impl<M: DecodeOwned> Decoder for MessageCodec<M> {
    type Item = M;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<M>> {
        let Some(frame) = next_frame(buffer, self.max_frame_len)? else { return Ok(None) };
        Ok(Some(M::decode_shared(&frame)?))
    }
}

/// Messages of a type known at run time. A message shares the memory of its frame.
#[derive(Clone, Debug)]
pub struct DynamicCodec {
    max_frame_len: usize,
    message: MessageDescriptor,
}

impl DynamicCodec {
    /// A codec for messages of this type, which refuses to receive frames above `max_frame_len` bytes.
    pub fn new(message: MessageDescriptor, max_frame_len: usize) -> Self {
        Self { max_frame_len, message }
    }
}

impl Encoder<DynamicMessage> for DynamicCodec {
    type Error = io::Error;

    fn encode(&mut self, message: DynamicMessage, buffer: &mut BytesMut) -> io::Result<()> {
        Ok(message.encode_length_delimited(buffer)?)
    }
}

impl Decoder for DynamicCodec {
    type Item = DynamicMessage;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<DynamicMessage>> {
        let Some(frame) = next_frame(buffer, self.max_frame_len)? else { return Ok(None) };
        Ok(Some(DynamicMessage::decode_shared(&self.message, &frame)?))
    }
}

/// The next frame, if it is complete. Room for the rest of it is not reserved: what a prefix announces may be a lie.
fn next_frame(buffer: &mut BytesMut, max_frame_len: usize) -> io::Result<Option<Bytes>> {
    Ok(split_frame_within(buffer, max_frame_len)?)
}

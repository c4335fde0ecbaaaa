//! quick-protobuf: generated code, structs with borrowed strings. It checks UTF-8, keeps no unknown fields and has
//! no depth limit.

use super::{Contender, Label, Mode, Setup, from_bytes, to_bytes};
use quick_protobuf::{BytesReader, MessageRead, MessageWrite, Writer};
use std::hint::black_box;

/// A message type at any lifetime.
pub trait Quick: 'static {
    type Message<'i>: MessageRead<'i> + MessageWrite;
}

/// Contenders of a message type.
pub fn all<Q: Quick>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    match mode {
        Mode::Decode => vec![from_bytes(
            "quick-protobuf",
            Label::Borrowed,
            (),
            |(), bytes| {
                black_box(&decode::<Q>(bytes));
                0
            },
            |(), bytes| {
                let mut buffer = Vec::new();
                encode(&decode::<Q>(bytes), &mut buffer);
                buffer
            },
        )],
        Mode::Encode => vec![to_bytes("quick-protobuf", Label::Borrowed, setup, decode::<Q>, encode)],
        Mode::Read | Mode::Edit => Vec::new(),
    }
}

fn decode<Q: Quick>(bytes: &[u8]) -> Q::Message<'_> {
    Q::Message::from_reader(&mut BytesReader::from_bytes(bytes), bytes).expect("valid")
}

fn encode<M: MessageWrite>(message: &M, buffer: &mut Vec<u8>) {
    message.write_message(&mut Writer::new(buffer)).expect("room");
}

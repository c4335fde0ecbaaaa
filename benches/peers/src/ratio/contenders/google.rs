//! Google's protobuf v4: generated accessors around upb, C code with arenas. It always copies the input.

use super::{Contender, Label, Mode, Setup, from_bytes, to_bytes};
use protobuf::Message;
use std::hint::black_box;

/// Contenders of a message type.
pub fn all<M: Message + 'static>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    match mode {
        Mode::Decode => vec![
            from_bytes(
                "google",
                Label::Fresh,
                (),
                |(), bytes| {
                    black_box(&decode::<M>(bytes));
                    0
                },
                |(), bytes| decode::<M>(bytes).serialize().expect("valid"),
            ),
            from_bytes(
                "google reparse",
                Label::Reused,
                M::default(),
                |message, bytes| {
                    message.clear_and_parse(bytes).expect("valid");
                    black_box(&message);
                    0
                },
                |message, bytes| {
                    message.clear_and_parse(bytes).expect("valid");
                    message.serialize().expect("valid")
                },
            ),
        ],
        // It gives a new `Vec` and takes no buffer.
        Mode::Encode => {
            vec![to_bytes("google", Label::Fresh, setup, decode::<M>, |message, buffer: &mut Vec<u8>| {
                *buffer = message.serialize().expect("valid");
            })]
        }
        Mode::Read | Mode::Edit => Vec::new(),
    }
}

fn decode<M: Message>(bytes: &[u8]) -> M {
    M::parse(bytes).expect("valid")
}

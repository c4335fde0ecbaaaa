//! tablepb with plain structs, bound by `message!`.

use super::{Contender, Label, Mode, Setup, from_bytes, to_bytes};
use std::hint::black_box;
use tablepb::{DecodeFrom, DecodeOwned, Message};

/// The structs of a message type.
pub trait Typed: 'static {
    type Owned: DecodeOwned + 'static;
    type Borrowed<'i>: DecodeFrom<'i>;
}

/// Contenders of a message type.
pub fn all<T: Typed>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    match mode {
        Mode::Decode => vec![
            from_bytes(
                "tablepb typed",
                Label::Fresh,
                (),
                |(), bytes| {
                    black_box(&owned::<T>(bytes));
                    0
                },
                |(), bytes| owned::<T>(bytes).encode_to_vec().expect("valid"),
            ),
            from_bytes(
                "tablepb typed merge",
                Label::Reused,
                T::Owned::default(),
                |message, bytes| {
                    merge::<T>(message, bytes);
                    0
                },
                |message, bytes| {
                    merge::<T>(message, bytes);
                    message.encode_to_vec().expect("valid")
                },
            ),
            from_bytes(
                "tablepb borrowed",
                Label::Borrowed,
                (),
                |(), bytes| {
                    black_box(&borrowed::<T>(bytes));
                    0
                },
                |(), bytes| borrowed::<T>(bytes).encode_to_vec().expect("valid"),
            ),
        ],
        Mode::Encode => {
            vec![to_bytes(
                "tablepb typed",
                Label::Fresh,
                setup,
                owned::<T>,
                |message, buffer: &mut Vec<u8>| {
                    message.encode(buffer).expect("valid");
                },
            )]
        }
        Mode::Read | Mode::Edit => Vec::new(),
    }
}

fn owned<T: Typed>(bytes: &[u8]) -> T::Owned {
    T::Owned::decode(bytes).expect("valid")
}

fn merge<T: Typed>(message: &mut T::Owned, bytes: &[u8]) {
    message.clear();
    message.merge(bytes).expect("valid");
    black_box(&message);
}

fn borrowed<T: Typed>(bytes: &[u8]) -> T::Borrowed<'_> {
    T::Borrowed::decode(bytes).expect("valid")
}

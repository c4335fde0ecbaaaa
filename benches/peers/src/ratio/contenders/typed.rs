//! tablepb with plain structs, bound by `message!`.

use super::{Contender, Label, Mode, Setup, from_bytes, to_bytes};
use std::hint::black_box;
use tablepb::{DecodeFrom, DecodeOwned, Message};

/// The struct of a message type.
pub trait Typed: 'static {
    type Owned: DecodeOwned + 'static;
}

/// The struct that borrows.
pub trait Borrows: Typed {
    type Borrowed<'i>: DecodeFrom<'i>;
}

/// Contenders of a message type.
pub fn all<T: Borrows>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    let mut all = plain::<T>(mode, setup);
    if mode == Mode::Decode {
        all.extend([
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
        ]);
    }
    all
}

/// The owned struct, made anew or encoded.
pub fn plain<T: Typed>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    match mode {
        Mode::Decode => vec![from_bytes(
            "tablepb typed",
            Label::Fresh,
            (),
            |(), bytes| {
                black_box(&owned::<T>(bytes));
                0
            },
            |(), bytes| owned::<T>(bytes).encode_to_vec().expect("valid"),
        )],
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

fn borrowed<T: Borrows>(bytes: &[u8]) -> T::Borrowed<'_> {
    T::Borrowed::decode(bytes).expect("valid")
}

//! prost: generated code, owned structs. The base of all ratios.

use super::{Contender, Label, Mode, Setup, from_bytes, to_bytes};
use crate::reading::{Read, Sum};
use bytes::BytesMut;
use prost::Message;
use std::hint::black_box;

/// Contenders of a message type; editing is done by `edit`.
pub fn all<M: Message + Default + Read + 'static>(
    mode: Mode,
    setup: &Setup,
    edit: fn(&mut M),
) -> Vec<Box<dyn Contender>> {
    let mut all = plain::<M>(mode, setup);
    all.extend(match mode {
        Mode::Decode => vec![from_bytes(
            "prost merge",
            Label::Reused,
            M::default(),
            |m, bytes| merge(m, bytes, |_| 0),
            remerge,
        )],
        Mode::Read => vec![
            from_bytes(
                "prost",
                Label::Fresh,
                (),
                |(), bytes| read(&decode::<M>(bytes)),
                |(), bytes| reencode::<M>(bytes),
            ),
            from_bytes("prost merge", Label::Reused, M::default(), |m, bytes| merge(m, bytes, read), remerge),
        ],
        Mode::Encode => vec![to_bytes(
            "prost BytesMut",
            Label::Fresh,
            setup,
            decode::<M>,
            |message, buffer: &mut BytesMut| message.encode(buffer).expect("room"),
        )],
        Mode::Edit => {
            let one = move |buffer: &mut Vec<u8>, bytes: &[u8]| {
                let mut message = decode::<M>(bytes);
                edit(&mut message);
                buffer.clear();
                message.encode(buffer).expect("room");
                black_box(&buffer);
                0
            };
            vec![from_bytes("prost", Label::Fresh, Vec::new(), one, move |buffer, bytes| {
                one(buffer, bytes);
                buffer.clone()
            })]
        }
    });
    all
}

/// The struct, made anew or encoded.
pub fn plain<M: Message + Default + 'static>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    match mode {
        Mode::Decode => vec![from_bytes(
            "prost",
            Label::Fresh,
            (),
            |(), bytes| {
                black_box(&decode::<M>(bytes));
                0
            },
            |(), bytes| reencode::<M>(bytes),
        )],
        Mode::Encode => {
            vec![to_bytes("prost", Label::Fresh, setup, decode::<M>, |message, buffer: &mut Vec<u8>| {
                message.encode(buffer).expect("room");
            })]
        }
        Mode::Read | Mode::Edit => Vec::new(),
    }
}

fn reencode<M: Message + Default>(bytes: &[u8]) -> Vec<u8> {
    decode::<M>(bytes).encode_to_vec()
}

/// Whether two encoded messages hold the same.
pub fn same<M: Message + Default + PartialEq>(a: &[u8], b: &[u8]) -> bool {
    matches!((M::decode(a), M::decode(b)), (Ok(a), Ok(b)) if a == b)
}

fn decode<M: Message + Default>(bytes: &[u8]) -> M {
    M::decode(bytes).expect("valid")
}

fn read<M: Read>(message: &M) -> u64 {
    let mut sum = Sum::default();
    black_box(message).read(&mut sum);
    sum.get()
}

fn merge<M: Message + Default>(message: &mut M, bytes: &[u8], then: impl Fn(&M) -> u64) -> u64 {
    message.clear();
    message.merge(bytes).expect("valid");
    black_box(&message);
    then(message)
}

fn remerge<M: Message + Default>(message: &mut M, bytes: &[u8]) -> Vec<u8> {
    merge(message, bytes, |_| 0);
    message.encode_to_vec()
}

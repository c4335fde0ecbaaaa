//! buffa: generated code, owned structs and borrowed views.

use super::{Contender, Label, Mode, Setup, from_bytes, to_bytes};
use crate::reading::{Read, Sum};
use buffa::{HasMessageView, Message, MessageView, SizeCache, ViewEncode};
use std::hint::black_box;

/// Contenders of a message type.
pub fn all<M>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>>
where
    M: HasMessageView + Read + Default + 'static,
    for<'a> M::View<'a>: Read + ViewEncode<'a>,
{
    let mut all = plain::<M>(mode, setup);
    all.extend(match mode {
        Mode::Decode => vec![
            from_bytes(
                "buffa merge",
                Label::Reused,
                M::default(),
                |message, bytes| {
                    merge(message, bytes);
                    0
                },
                |message, bytes| {
                    merge(message, bytes);
                    message.encode_to_vec()
                },
            ),
            from_bytes(
                "buffa view",
                Label::Borrowed,
                (),
                |(), bytes| {
                    black_box(&view::<M>(bytes));
                    0
                },
                |(), bytes| reencode_view::<M>(bytes),
            ),
        ],
        Mode::Read => vec![
            from_bytes(
                "buffa",
                Label::Fresh,
                (),
                |(), bytes| read(&decode::<M>(bytes)),
                |(), bytes| decode::<M>(bytes).encode_to_vec(),
            ),
            from_bytes(
                "buffa view",
                Label::Borrowed,
                (),
                |(), bytes| read(&view::<M>(bytes)),
                |(), bytes| reencode_view::<M>(bytes),
            ),
        ],
        Mode::Encode => {
            let mut cache = SizeCache::new();
            vec![to_bytes(
                "buffa view",
                Label::Borrowed,
                setup,
                view::<M>,
                move |view, buffer: &mut Vec<u8>| view.encode_with_cache(&mut cache, buffer),
            )]
        }
        Mode::Edit => Vec::new(),
    });
    all
}

/// The struct, made anew or encoded.
pub fn plain<M: Message + Default + 'static>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    match mode {
        Mode::Decode => vec![from_bytes(
            "buffa",
            Label::Fresh,
            (),
            |(), bytes| {
                black_box(&decode::<M>(bytes));
                0
            },
            |(), bytes| decode::<M>(bytes).encode_to_vec(),
        )],
        Mode::Encode => {
            let mut cache = SizeCache::new();
            vec![to_bytes("buffa", Label::Fresh, setup, decode::<M>, move |message, buffer: &mut Vec<u8>| {
                message.encode_with_cache(&mut cache, buffer);
            })]
        }
        Mode::Read | Mode::Edit => Vec::new(),
    }
}

fn decode<M: Message>(bytes: &[u8]) -> M {
    M::decode_from_slice(bytes).expect("valid")
}

fn merge<M: Message>(message: &mut M, bytes: &[u8]) {
    message.clear();
    message.merge_from_slice(bytes).expect("valid");
    black_box(&message);
}

fn view<M: HasMessageView>(bytes: &[u8]) -> M::View<'_> {
    M::View::decode_view(bytes).expect("valid")
}

fn reencode_view<M: HasMessageView>(bytes: &[u8]) -> Vec<u8> {
    view::<M>(bytes).to_owned_message().expect("valid").encode_to_vec()
}

fn read<M: Read>(message: &M) -> u64 {
    let mut sum = Sum::default();
    black_box(message).read(&mut sum);
    sum.get()
}

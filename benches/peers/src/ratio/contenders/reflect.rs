//! prost-reflect and buffa's dynamic messages: run-time schemas, a tree or a vector of values per message.

use super::{Contender, Label, Mode, Setup, from_bytes, to_bytes};
use buffa_descriptor::reflect::DynamicMessage as BuffaMessage;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use std::hint::black_box;
use std::sync::{Arc, LazyLock};

static PROST: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(crate::DESCRIPTORS).expect("a descriptor set"));
static BUFFA: LazyLock<Arc<buffa_descriptor::DescriptorPool>> = LazyLock::new(|| {
    Arc::new(buffa_descriptor::DescriptorPool::decode(crate::DESCRIPTORS).expect("a descriptor set"))
});

pub fn all(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    let name = setup.descriptor.full_name();
    let descriptor = PROST.get_message_by_name(name).expect("in the descriptor set");
    let index = BUFFA.message_index(name).expect("in the descriptor set");
    let prost = move |bytes: &[u8]| DynamicMessage::decode(descriptor.clone(), bytes).expect("valid");
    let buffa = move |bytes: &[u8]| BuffaMessage::decode(BUFFA.clone(), index, bytes).expect("valid");
    match mode {
        Mode::Decode => vec![
            from_bytes(
                "prost-reflect",
                Label::Fresh,
                prost,
                |decode, bytes| {
                    black_box(&decode(bytes));
                    0
                },
                |decode, bytes| decode(bytes).encode_to_vec(),
            ),
            from_bytes(
                "buffa dynamic",
                Label::Fresh,
                (),
                move |(), bytes| {
                    black_box(&buffa(bytes));
                    0
                },
                move |(), bytes| buffa(bytes).encode_to_vec(),
            ),
        ],
        Mode::Encode => vec![
            to_bytes("prost-reflect", Label::Fresh, setup, prost, |message, buffer: &mut Vec<u8>| {
                message.encode(buffer).expect("room");
            }),
            to_bytes("buffa dynamic", Label::Fresh, setup, buffa, |message, buffer: &mut Vec<u8>| {
                message.encode(buffer)
            }),
        ],
        Mode::Read | Mode::Edit => Vec::new(),
    }
}

//! tablepb with a run-time schema.

use super::{Contender, Label, Mode, Setup};
use crate::payloads::Payloads;
use std::hint::black_box;
use tablepb::{Decoder, DynamicMessage, MessageDescriptor};

pub fn all(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    let descriptor = &setup.descriptor;
    match mode {
        Mode::Decode => vec![Box::new(Reused(Decoder::new(descriptor))), Box::new(Fresh(descriptor.clone()))],
    }
}

struct Reused(Decoder);

impl Contender for Reused {
    fn name(&self) -> &'static str {
        "tablepb Decoder"
    }

    fn label(&self) -> Label {
        Label::Reused
    }

    fn pass(&mut self, set: &Payloads) -> u64 {
        for message in &set.messages {
            let view = self.0.decode(black_box(message)).expect("valid");
            black_box(&view);
        }
        0
    }

    fn encoded(&mut self, set: &Payloads, index: usize) -> Vec<u8> {
        self.0.decode(&set.messages[index]).expect("valid").encode_to_vec().expect("valid")
    }
}

struct Fresh(MessageDescriptor);

impl Contender for Fresh {
    fn name(&self) -> &'static str {
        "tablepb Dynamic"
    }

    fn label(&self) -> Label {
        Label::Fresh
    }

    fn pass(&mut self, set: &Payloads) -> u64 {
        for message in &set.messages {
            let decoded = DynamicMessage::decode(&self.0, black_box(message)).expect("valid");
            black_box(&decoded);
        }
        0
    }

    fn encoded(&mut self, set: &Payloads, index: usize) -> Vec<u8> {
        DynamicMessage::decode(&self.0, &set.messages[index]).expect("valid").encode_to_vec().expect("valid")
    }
}

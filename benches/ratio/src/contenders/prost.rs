//! prost: generated code, owned structs. The base of all ratios.

use super::{Contender, Label, Mode, Setup};
use crate::payloads::Payloads;
use prost::Message;
use std::{hint::black_box, marker::PhantomData};

pub fn all<M: Message + Default + PartialEq + 'static>(mode: Mode, _: &Setup) -> Vec<Box<dyn Contender>> {
    match mode {
        Mode::Decode => vec![Box::new(Decode::<M>(PhantomData)), Box::new(Merge(M::default()))],
    }
}

/// Whether two encoded messages hold the same.
pub fn same<M: Message + Default + PartialEq>(a: &[u8], b: &[u8]) -> bool {
    matches!((M::decode(a), M::decode(b)), (Ok(a), Ok(b)) if a == b)
}

struct Decode<M>(PhantomData<M>);

impl<M: Message + Default> Contender for Decode<M> {
    fn name(&self) -> &'static str {
        "prost"
    }

    fn label(&self) -> Label {
        Label::Fresh
    }

    fn pass(&mut self, set: &Payloads) -> u64 {
        for message in &set.messages {
            let decoded = M::decode(black_box(&message[..])).expect("valid");
            black_box(&decoded);
        }
        0
    }

    fn encoded(&mut self, set: &Payloads, index: usize) -> Vec<u8> {
        M::decode(&set.messages[index][..]).expect("valid").encode_to_vec()
    }
}

/// `clear` and `merge` into the same struct.
struct Merge<M>(M);

impl<M: Message + Default> Contender for Merge<M> {
    fn name(&self) -> &'static str {
        "prost merge"
    }

    fn label(&self) -> Label {
        Label::Reused
    }

    fn pass(&mut self, set: &Payloads) -> u64 {
        for message in &set.messages {
            self.0.clear();
            self.0.merge(black_box(&message[..])).expect("valid");
            black_box(&self.0);
        }
        0
    }

    fn encoded(&mut self, set: &Payloads, index: usize) -> Vec<u8> {
        self.0.clear();
        self.0.merge(&set.messages[index][..]).expect("valid");
        self.0.encode_to_vec()
    }
}

//! Decoders and messages that live on from one input to the next: what they did before must not show.

use super::valid::{self, PARTIAL, ROOMY};
use crate::common::bridge::descriptor;
use crate::common::samples;
use std::cell::RefCell;
use tablepb::partial::Projection;
use tablepb::{DecodeErrorKind, Decoder, DynamicMessage, MessageDescriptor};

/// What is kept between inputs.
struct Kept {
    rich: MessageDescriptor,
    decoder: Decoder,
    projected: Decoder,
    projection: Projection,
    message: DynamicMessage,
    /// Everything that was merged since it was cleared, if nothing failed.
    merged: Vec<u8>,
}

impl Kept {
    fn new() -> Self {
        let schema = samples::rich();
        let rich = descriptor(&schema, &schema.pool(), 0);
        let projection =
            Projection::new(&rich, ["f2", "f9.f1", "f12", "f13", "f16"]).expect("paths").pass_through();
        Self {
            decoder: Decoder::new(&rich),
            projected: Decoder::new(&rich).with_projection(&projection),
            projection,
            message: DynamicMessage::new(&rich),
            merged: Vec::new(),
            rich,
        }
    }

    fn step(&mut self, how: u8, input: &[u8]) {
        // A byte may stand for many, so that inputs are large at times.
        let times = [1, 1, 1, 1, 2, 50, 400, 2000][usize::from(how >> 5)];
        let input = input.repeat(if input.len() * times < 1 << 17 { times } else { 1 });
        self.decode(&input);
        self.merge(how, &input);
    }

    fn decode(&mut self, input: &[u8]) {
        for (decoder, fresh) in [
            (&mut self.decoder, Decoder::new(&self.rich)),
            (&mut self.projected, Decoder::new(&self.rich).with_projection(&self.projection)),
        ] {
            let mut fresh = fresh;
            match (decoder.decode(input), fresh.decode(input)) {
                (Ok(used), Ok(fresh)) => {
                    assert!(used == fresh);
                    if input.len() < 4096 {
                        valid::values(used, input.len());
                    }
                }
                (Err(used), Err(fresh)) => assert_eq!(used.kind(), fresh.kind()),
                (Ok(_), Err(error)) => assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded),
                (Err(error), Ok(_)) => {
                    panic!("{} bytes: {error} in a decoder that was used before", input.len())
                }
            }
        }
    }

    fn merge(&mut self, how: u8, input: &[u8]) {
        let options = match how & 3 {
            0 => PARTIAL.budget(self.message.capacity() + usize::from(how & 0x1c) * 8),
            1 => PARTIAL.max_depth(u32::from(how >> 2 & 7)),
            _ => PARTIAL,
        };
        let failed = options.merge(&mut self.message, input).is_err();
        self.merged.extend_from_slice(input);
        let small = self.merged.len() < 4096;
        if small {
            valid::message(&self.message, self.merged.len());
        }
        if failed || self.merged.len() > 1 << 18 {
            if !failed && let Ok(once) = ROOMY.decode_dynamic(&self.rich, &self.merged) {
                assert!(self.message == once, "{} bytes in pieces", self.merged.len());
            }
            if how & 0x10 == 0 {
                self.message.clear();
            } else {
                self.message = DynamicMessage::new(&self.rich);
            }
            self.merged.clear();
        }
    }
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// The first byte says how: with which limits, and how many times over the rest is taken.
pub fn check(input: &[u8]) {
    let Some((&how, input)) = input.split_first() else { return };
    KEPT.with(|kept| kept.borrow_mut().get_or_insert_with(Kept::new).step(how, input));
}

//! What is used again is as good as new: decoders after large and hostile inputs, and messages after many merges.

use super::case::Case;
use super::valid::{self, PARTIAL, ROOMY};
use crate::common::choices::Choices;
use tablepb::{DecodeError, DecodeErrorKind, Decoder, DynamicMessage};

pub fn check(input: &[u8]) {
    run(&mut Choices::fuzzed(input));
}

pub fn run(choices: &mut Choices) {
    if choices.once_in(8) {
        merges(choices);
    } else {
        decoders(choices);
    }
}

fn place(error: &DecodeError) -> (DecodeErrorKind, usize, String) {
    (error.kind(), error.offset(), error.path().to_string())
}

/// One decoder for small and large inputs, against a new one for each.
pub fn decoders(choices: &mut Choices) {
    let case = Case::new(choices);
    let mut budget = None;
    if choices.once_in(4) {
        budget = Some(64 + choices.below(1 << 14));
    }
    let options = budget.map_or(PARTIAL, |budget| PARTIAL.budget(budget));
    let mut decoder = Decoder::new(&case.descriptor).with_options(options);
    let large = 1 + choices.below(6);
    for at in 0..12 {
        let input = match at == large {
            true => case.large_payload(choices, 1 << 19),
            false => case.any_payload(choices),
        };
        if choices.once_in(12) {
            decoder.shrink_to(choices.below(1 << 20));
        }
        let mut new = Decoder::new(&case.descriptor).with_options(options);
        match (decoder.decode(&input), new.decode(&input)) {
            (Ok(used), Ok(new)) => {
                if input.len() < 1 << 12 {
                    valid::values(used, input.len());
                }
                assert!(used == new, "a decoder that was used before decodes {used:?}, a new one {new:?}");
            }
            // Memory that is there already may save what growing takes.
            (Ok(used), Err(error)) if error.kind() == DecodeErrorKind::BudgetExceeded => {
                let roomy = ROOMY.decode_dynamic(&case.descriptor, &input);
                assert!(used == roomy.expect("accepted before").as_view());
            }
            (Err(used), Err(new)) if new.kind() == DecodeErrorKind::BudgetExceeded => {
                assert!(used.offset() <= input.len());
            }
            (Err(used), Err(new)) => assert_eq!(place(&used), place(&new)),
            (used, new) => {
                let (used, new) = (used.map(drop), new.map(drop));
                panic!("input {at} of {} bytes: used before {used:?}, new {new:?}", input.len())
            }
        }
    }
}

/// Many merges of small inputs are one decode of all of them.
pub fn merges(choices: &mut Choices) {
    let case = Case::new(choices);
    let pieces = [case.payload(choices), case.payload(choices), case.payload(choices)];
    let most = 1 << (12 + choices.below(9));
    let mut message = DynamicMessage::new(&case.descriptor);
    let mut all = Vec::new();
    let mut fault = None;
    while all.len() < most && fault.is_none() {
        let piece = choices.pick(&pieces).repeat(1 + choices.below(40));
        if piece.is_empty() {
            return;
        }
        fault = PARTIAL.merge(&mut message, &piece).err();
        all.extend(piece);
    }
    let once = PARTIAL.decode_dynamic(&case.descriptor, &all);
    match (fault, once) {
        (None, Ok(once)) => {
            assert!(message == once, "{} bytes merged in pieces", all.len());
            assert_eq!(message.encoded_len(), once.encoded_len());
        }
        (Some(error), Err(once)) => assert_eq!(error.kind(), once.kind()),
        // The first pieces have been merged with room of their own.
        (None, Err(once)) => assert_eq!(once.kind(), DecodeErrorKind::BudgetExceeded),
        (Some(error), Ok(_)) => panic!("merging {} bytes in pieces: {error}; at once they decode", all.len()),
    }
}

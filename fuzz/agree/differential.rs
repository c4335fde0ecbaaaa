//! Any schema and any payload against the plain codec of the tests: what is accepted, what is in it, where the fault
//! is, and what is written.

use super::case::Case;
use super::rebuilt;
use super::valid::{self, PARTIAL};
use crate::common::bridge::{canonical, descriptor, read};
use crate::common::choices::Choices;
use crate::common::payload::{mutate, noise};
use crate::common::reference::{self, Event, Reference};
use tablepb::{DecodeErrorKind, Decoder, EncodeOptions};

const SORTED: EncodeOptions = EncodeOptions::new().allow_partial(true).deterministic(true);

/// The first byte says whether the second half of the input is a payload as it stands.
pub fn check(input: &[u8]) -> bool {
    let Some((&first, rest)) = input.split_first() else { return false };
    let (decisions, raw) = rest.split_at(rest.len() / 2);
    if first & 1 == 1 {
        let case = Case::new(&mut Choices::fuzzed(decisions));
        return agree(&case, raw);
    }
    run(&mut Choices::fuzzed(rest))
}

pub fn run(choices: &mut Choices) -> bool {
    let case = Case::new(choices);
    let mut accepted = false;
    for _ in 0..3 {
        let mut input = case.payload(choices);
        match choices.below(4) {
            0 => mutate(&mut input, choices),
            1 => input.extend(noise(choices, 24)),
            _ => {}
        }
        accepted |= agree(&case, &input);
    }
    accepted
}

/// Whether the payload is accepted.
fn agree(case: &Case, input: &[u8]) -> bool {
    let mut reference = Reference::new(&case.schema);
    let expected = reference.decode(case.message, input);
    let got = PARTIAL.decode_dynamic(&case.descriptor, input);
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL);
    match (&got, &expected, decoder.decode(input)) {
        (Ok(message), Ok(expected), Ok(view)) => {
            if !reference.events.contains(&Event::UncheckedString) {
                assert_eq!(read(message.as_view()), canonical(expected), "{input:02x?}");
            }
            let encoded = reference::encode(&case.schema, case.message, expected);
            let mut bytes = Vec::new();
            SORTED.encode(&view, &mut bytes).expect("it was decoded");
            assert_eq!(bytes, encoded, "{input:02x?}");
            assert!(view == message.as_view());
            let initialized = reference::is_initialized(&case.schema, case.message, expected);
            assert_eq!(message.is_initialized(), initialized);
            valid::message(message, input.len());
            rebuilt::check(message);
            if input.len().is_multiple_of(8) {
                let other = descriptor(&case.schema, &case.schema.pool(), case.message);
                let other = PARTIAL.decode_dynamic(&other, input).expect("the same schema");
                rebuilt::across(message, &other);
            }
            true
        }
        (Err(error), Err(fault), Err(viewed)) => {
            assert_eq!((error.kind(), error.offset()), (fault.kind, fault.offset), "{error}: {input:02x?}");
            assert_eq!(error.to_string(), viewed.to_string());
            false
        }
        (Err(error), _, _) if error.kind() == DecodeErrorKind::BudgetExceeded => false,
        (got, expected, viewed) => panic!("{got:?} and {viewed:?}, not {expected:?}: {input:02x?}"),
    }
}

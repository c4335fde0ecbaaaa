//! Records of random plans and calls against messages that setters build.

#[path = "../../tests/suite/records/calls.rs"]
pub mod calls;
#[path = "../../tests/suite/records/model.rs"]
pub mod model;

use crate::common::choices::Choices;
use model::{Case, Model};
use tablepb::{DecodeOptions, Decoder, DynamicMessage, EncodeErrorKind, EncodeOptions, stream};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const SORTED: EncodeOptions = EncodeOptions::new().allow_partial(true).deterministic(true);

pub fn check(input: &[u8]) {
    run(&mut Choices::fuzzed(input));
}

/// Writes records one after the other into one buffer, with length prefixes and without; gives how many.
pub fn run(choices: &mut Choices) -> usize {
    let case = Case::new(choices);
    let root = case.plan.descriptor().clone();
    let mut decoder = Decoder::new(&root).with_options(PARTIAL);
    let (mut buf, mut records) = (b"before".to_vec(), 0);
    for _ in 0..3 {
        let (before, framed) = (buf.clone(), choices.once_in(2));
        let mut model = Model { case: &case, choices, is_partial: false };
        let mut rec = case.plan.record(&mut buf);
        let expected = model.write(&mut rec, &root, "", 0);
        let is_partial = model.is_partial;
        let record = if framed { rec.finish() } else { rec.finish_unframed() };
        match record {
            Ok(record) => {
                assert!(!is_partial, "a required field is missing");
                let mut rest = record;
                let body = match framed {
                    true => stream::read_frame(&mut rest).expect("a frame").expect("a frame"),
                    false => core::mem::take(&mut rest),
                };
                assert!(rest.is_empty(), "something follows the record");
                let view = decoder.decode(body).expect("our own record");
                assert_eq!(view.unknown_fields().count(), 0);
                assert_eq!(sorted(&view.to_owned()), sorted(&expected), "{view:?} is not {expected:?}");
                let len = record.len();
                assert!(buf.starts_with(&before) && buf.len() == before.len() + len);
                records += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), EncodeErrorKind::MissingRequired);
                assert!(is_partial, "{error}");
                assert_eq!(buf, before);
            }
        }
    }
    records
}

fn sorted(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    SORTED.encode(message, &mut bytes).expect("a message");
    bytes
}

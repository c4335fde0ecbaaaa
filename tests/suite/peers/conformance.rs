//! The cases of the official conformance suite, through both paths of the library.

#[path = "../../../examples/conformance_testee/testee.rs"]
mod testee;

use super::conformance_cases::{cases, check};
use crate::common::data::Data;
use testee::{Testee, Via};

fn run(via: Via) {
    let descriptors = Data::Recorded.read("conformance/test_messages.binpb");
    let bytes = Data::Recorded.read("conformance/cases.bin");
    let testee = Testee::new(&descriptors, via).unwrap();
    let cases = cases(testee.pool(), &bytes);
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let answer = testee.answer(&case.request).map_err(|error| error.to_string());
            let error = answer.and_then(|answer| check(testee.pool(), case, &answer)).err()?;
            Some(format!("case {} ({}): {error}", case.number, case.descriptor.full_name()))
        })
        .collect();
    println!("{} conformance cases ran via {via:?}", cases.len());
    assert!(cases.len() > 3400, "only {} cases", cases.len());
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

mod needs_data {
    use super::*;

    #[test]
    #[ignore = "needs recorded data"]
    fn cases_via_decoder() {
        run(Via::Decoder);
    }

    #[test]
    #[ignore = "needs recorded data"]
    fn cases_via_dynamic() {
        run(Via::Dynamic);
    }
}

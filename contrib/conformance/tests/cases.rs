//! All recorded cases of the suite by structs: `TABLEPB_DATA` is the directory of the records.

#[path = "../../../tests/suite/peers/conformance_cases.rs"]
mod conformance_cases;
#[path = "../src/structs.rs"]
mod structs;
#[path = "../../../examples/conformance_testee/testee.rs"]
#[allow(dead_code, reason = "the other ways are in tests/suite/peers/conformance.rs")]
mod testee;

#[allow(missing_docs, clippy::enum_variant_names, reason = "names of the suite")]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

use conformance_cases::{cases, check};
use std::ops::RangeInclusive;
use std::path::Path;
use testee::{Testee, Via};

/// What structs do not have, and the cases of it.
const NOT_COVERED: &[(&str, &[RangeInclusive<usize>])] = &[
    ("extensions by name in JSON", &[1435..=1435, 2917..=2917]),
    ("extensions by name in text", &[2945..=2945, 3218..=3218, 3470..=3470]),
    ("an Any of a type that the struct does not have", &[3222..=3222, 3224..=3228]),
    ("reserved names in text, which a listing does not have", &[3189..=3201, 3452..=3461]),
];

#[test]
fn cases_via_structs() {
    let directory = std::env::var("TABLEPB_DATA").expect("TABLEPB_DATA names the directory of recorded data");
    let read = |name| std::fs::read(Path::new(&directory).join("conformance").join(name)).unwrap();
    let testee = Testee::new(&read("test_messages.binpb"), Via::Structs(structs::answer)).unwrap();
    let cases = cases(testee.pool(), &read("cases.bin"));
    let (mut wrong, mut right) = (Vec::new(), 0);
    for case in &cases {
        let answer = testee.answer(&case.request).unwrap();
        let covered =
            !NOT_COVERED.iter().any(|(_, ranges)| ranges.iter().any(|range| range.contains(&case.number)));
        match check(testee.pool(), case, &answer) {
            Ok(()) if covered => right += 1,
            Ok(()) => wrong.push(format!("case {} is covered, and should not be on the list", case.number)),
            Err(error) if covered => wrong.push(format!("case {}: {error}", case.number)),
            Err(_) => {}
        }
    }
    println!("{right} of {} cases via structs", cases.len());
    assert!(cases.len() > 3400, "only {} cases", cases.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

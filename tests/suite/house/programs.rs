//! The programs of the cookbook, each of which shows one use in at most 100 lines: what they print.

use crate::common::example::{self, printed, prints};
use std::path::Path;
use std::process::Command;

#[test]
fn a_program_has_at_most_100_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in
        ["examples/every_kind.rs", "examples/gateway.rs", "examples/producer.rs", "crates/no_std/src/lib.rs"]
    {
        let source = std::fs::read_to_string(root.join(path)).unwrap();
        assert!(source.lines().count() <= 100, "{path} has {} lines", source.lines().count());
    }
}

/// The reader of the output has gone before the first line, as that of `| head -n 0`.
#[test]
fn examples_end_quietly_when_their_output_is_closed() {
    for name in ["quickstart", "otlp", "every_kind", "gateway", "producer"] {
        example::ends_quietly(name, "", &[]);
    }
    example::ends_quietly("flows", "", &["--columns"]);
}

#[test]
fn every_kind_of_member_is_as_prost_writes_it() {
    assert_eq!(
        prints("every_kind", ""),
        "25 fields, 180 bytes, the same as prost's\n\
         2 sizes, comment Some(\"\"), 20 fields kept\n"
    );
}

#[test]
fn the_gateway_changes_one_field() {
    let order = |region| {
        format!("id:7,customer{{name:\"Ada\",region:\"{region}\",loyalty:3}},coupons:[\"SPRING\",\"FRIEND\"]")
    };
    let (before, after) = (order("us-2"), order("eu-west-1"));
    assert_eq!(
        prints("gateway", ""),
        format!(
            "before {before}\n\
             after  {after}\n\
             value: the value is of the wrong type: shop.Customer.region expects string, not I32\n\
             input: the input ends inside a field at byte 3, in shop.Order: customer\n"
        )
    );
}

#[test]
fn the_producer_writes_what_is_switched_on() {
    assert_eq!(
        prints("producer", ""),
        "without [\"spans.stack\"]: 3 spans in 146 bytes\n\
         without []: 3 spans in 216 bytes\n\
         without [\"spans\"]: 0 spans in 32 bytes\n"
    );
}

#[test]
fn the_sensor_needs_no_operating_system() {
    let mut run = Command::new(env!("CARGO"));
    run.args(["run", "--quiet", "--package", "tablepb-no-std"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if !cfg!(debug_assertions) {
        run.arg("--release");
    }
    assert_eq!(
        printed(&run.output().expect("cargo starts")),
        "19 bytes: Reading { sensor: \"oven\", uptime: 61000, temperature: Some(23.5), raw: [9, 96] }\n\
         the buffer is shorter than the encoded message, in sensor.Reading\n\
         the input ends inside a field at byte 1, in sensor.Command\n"
    );
}

//! Sources of a line each that protoc takes or refuses: what extension ranges declare, and which editions have an option.
//!
//! `tests/data/proto_sources/rules.txt` has them, with `yes` or `no` in front, as protoc 36.2 says.

use crate::common::protoc::{Dir, Protoc};
use tablepb::{DescriptorPool, Edition, SourceErrorKind};

fn rules() -> impl Iterator<Item = (bool, &'static str)> {
    let lines = include_str!("../data/proto_sources/rules.txt").lines();
    lines.map(|line| (line.starts_with("yes "), &line[4..]))
}

#[test]
fn sources_are_taken_and_refused_as_by_protoc() {
    let mut count = [0; 2];
    for (taken, source) in rules() {
        let pool = DescriptorPool::builder().source("rule.proto", source).build();
        assert_eq!(pool.is_ok(), taken, "{source}: {:?}", pool.err());
        count[usize::from(taken)] += 1;
        if let Err(error) = pool {
            use SourceErrorKind::{InvalidOption, NotInEdition, UnknownOption};
            assert!(
                matches!(error.kind(), InvalidOption | NotInEdition | UnknownOption),
                "{source}: {error}"
            );
            assert_eq!(error.diagnostics()[0].line(), 1, "{error}");
        }
    }
    assert!(count[0] > 50 && count[1] > 30, "{count:?}");
}

#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_the_rules_are_those_of_protoc() {
    let (protoc, dir) = (Protoc::find(), Dir::new("rules"));
    for (number, (taken, source)) in rules().enumerate() {
        if source.starts_with("edition = \"2024") && !protoc.knows(Edition::Edition2024) {
            continue;
        }
        let name = format!("rule{number}.proto");
        dir.write(&name, source);
        let compiled = protoc.compile(&dir.0, std::slice::from_ref(&name));
        assert_eq!(compiled.is_ok(), taken, "{source}: {:?}", compiled.err());
    }
}

/// Many options with many values would be a product.
#[test]
fn editions_of_many_fields_and_values_take_time_in_their_number() {
    let mut source =
        String::from("edition = \"2023\"; import \"google/protobuf/descriptor.proto\"; enum E { A = 0;");
    for i in 1..4000 {
        source += &format!("V{i} = {i} [feature_support = {{ edition_introduced: EDITION_2023 }}];");
    }
    source += "} extend google.protobuf.FieldOptions {";
    for i in 1..4000 {
        source +=
            &format!("E o{i} = {} [feature_support = {{ edition_introduced: EDITION_2024 }}];", 50_000 + i);
    }
    source += "}";
    let start = std::time::Instant::now();
    // A value may not be there before its option.
    let error = DescriptorPool::builder().source("many.proto", source).build().unwrap_err();
    assert!(error.to_string().contains("introduced before the option"), "{error}");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

//! Sources of a line each that protoc takes or refuses: what extension ranges declare, and which editions have an option.
//!
//! `tests/data/rules.txt` has them, with `yes` or `no` in front, as protoc 36.2 says.

use crate::common::protoc::{Dir, Protoc};
use tablepb::schema::{Edition, PoolOptions};
use tablepb_schema::{SourceBuilder, SourceErrorKind};

fn rules() -> impl Iterator<Item = (bool, &'static str)> {
    let lines = include_str!("../data/rules.txt").lines();
    lines.map(|line| (line.starts_with("yes "), &line[4..]))
}

#[test]
fn sources_are_taken_and_refused_as_by_protoc() {
    let mut count = [0; 2];
    for (taken, source) in rules() {
        let pool = SourceBuilder::new().source("rule.proto", source).build();
        assert_eq!(pool.is_ok(), taken, "{source}: {:?}", pool.err());
        count[usize::from(taken)] += 1;
        if let Err(error) = pool {
            use SourceErrorKind::{
                InvalidDefault, InvalidNumber, InvalidOption, InvalidSchema, NotInEdition, UnknownOption,
            };
            let of_names = source.contains("BadField") && error.kind() == InvalidSchema;
            let of_defaults = source.contains("default =") || source.contains("json_name =");
            assert!(
                matches!(error.kind(), InvalidOption | NotInEdition | UnknownOption)
                    || of_names
                    || of_defaults && matches!(error.kind(), InvalidDefault | InvalidNumber),
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
    let error = SourceBuilder::new().source("many.proto", source).build().unwrap_err();
    assert!(error.to_string().contains("introduced before the option"), "{error}");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// protoc 36 gives these names; `f` and `_f` try the same ones, and so do names with more than that in front.
#[test]
fn synthetic_oneofs_have_the_names_that_protoc_gives_them() {
    let source = "syntax = \"proto3\"; message A {
        optional int32 f = 1; optional int32 _f = 2; int32 X_f = 3; optional int32 _ = 5; int32 XX_f = 6;
        oneof g { int32 h = 7; } optional int32 _g = 8; oneof _k { int32 l = 9; } optional int32 k = 10;
        int32 _q = 12; int32 XX_q = 13; int32 X_q = 14; optional int32 q = 15 [json_name = \"c\"]; }
        message B { optional int32 _f = 2; optional int32 f = 1; }
        message C { optional int32 __f = 1; optional int32 _X_f = 2; }";
    let pool = SourceBuilder::new().source("a.proto", source).build().expect("valid");
    let names = |message: &str| -> Vec<String> {
        let message = pool.message(message).expect("declared");
        message.oneofs().map(|oneof| oneof.name().to_owned()).collect()
    };
    assert_eq!(names("A"), ["g", "_k", "XXX_f", "XXXX_f", "X_", "X_g", "X_k", "XXX_q"]);
    assert_eq!(names("B"), ["X_f", "XX_f"]);
    assert_eq!(names("C"), ["X__f", "X_X_f"]);
    let twice = "syntax = \"proto3\"; message M { optional int32 f = 1; optional int32 f = 2; }";
    let error = SourceBuilder::new().source("a.proto", twice).build().unwrap_err();
    assert!(error.to_string().contains("name defined twice: M.f"), "{error}");
}

/// Each file of a chain of public imports sees all that follow.
#[test]
fn public_imports_are_followed_as_far_as_time_in_proportion_goes() {
    let chain = |files: usize| {
        let mut builder = SourceBuilder::new();
        for i in 0..files - 1 {
            let text =
                format!("import public \"f{}\"; message M{i} {{ optional M{} last = 1; }}", i + 1, files - 1);
            builder = builder.source(format!("f{i}"), text);
        }
        builder.source(format!("f{}", files - 1), format!("message M{} {{}}", files - 1)).build()
    };
    assert!(chain(400).is_ok());
    let error = chain(4000).unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::TooMany, "{error}");
    assert!(error.to_string().contains("public imports"), "{error}");
}

/// What is searched for anew for each option, field or value takes the product of both: minutes, where this takes a second.
#[test]
fn many_definitions_and_many_uses_of_them_take_time_in_their_number() {
    const HEAD: &str = "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\";";
    const USE: &str = "extend google.protobuf.FileOptions { optional O o = 50000; }";
    let many = |n: usize, one: &dyn Fn(usize) -> String| (1..=n).map(one).collect::<String>();
    let long = "ab".repeat(26);
    let sources = [
        // Options that do not exist, whose names are compared with all that do.
        format!(
            "{HEAD} message O {{ {} }} {USE} {}",
            many(200, &|i| format!("optional int32 {}{i} = {i};", "a".repeat(50))),
            many(8000, &|_| format!("option (o).{long} = 1; "))
        ),
        // Values of a message of many fields, and of one of many required fields.
        format!(
            "{HEAD} message O {{ {} repeated O o = 60000; }} {USE} option (o) = {{ {} }};",
            many(16_000, &|i| format!("optional int32 f{i} = {};", i + 20_000)),
            many(16_000, &|_| "o{} ".into())
        ),
        format!(
            "{HEAD} message O {{ {} }} {USE} option (o) = {{ {} }};",
            many(16_000, &|i| format!("required int32 f{i} = {};", i + 20_000)),
            many(16_000, &|i| format!("f{i}: 1 "))
        ),
        // Fields of one name, whose oneofs get other ones.
        format!(
            "syntax = \"proto3\"; message M {{ int32 _f = 1; {} }}",
            many(60_000, &|i| format!("optional int32 f = {};", i + 20_000))
        ),
        // Features and names whose end is missing.
        format!("edition = \"2023\"; {}", many(16_000, &|_| "option features = a;".into())),
        format!("edition = \"2023\"; {}", many(16_000, &|_| "option features = {[};".into())),
        format!("edition = \"2023\"; {}", many(16_000, &|_| "option features = {[a.};".into())),
        // Values of an enum of many, by their numbers.
        format!(
            "{HEAD} enum E {{ {} }} message O {{ repeated E e = 1; }} {USE} option (o) = {{ e: [1{}] }};",
            many(16_000, &|i| format!("V{i} = {i};")),
            many(100_000, &|_| ",16000".into())
        ),
        // An option that is used often, and says at length which editions have it.
        format!(
            "{HEAD} extend google.protobuf.FieldOptions {{ optional int32 o = 50000 [feature_support = {{ /*{}*/ \
             edition_introduced: EDITION_PROTO2 }}]; }} message M {{ {} }}",
            " ".repeat(1_000_000),
            many(8_000, &|i| format!("optional int32 f{i} = {} [(o) = 1];", i + 20_000))
        ),
    ];
    for source in sources {
        let start = std::time::Instant::now();
        let options = PoolOptions::new().memory(1 << 30);
        drop(SourceBuilder::new().source("many.proto", &*source).with_options(options).build());
        assert!(start.elapsed().as_secs() < 20, "{:?}: {}", start.elapsed(), source.get(..200).unwrap_or(""));
    }
}

/// Names in brackets were ended by any symbol that no name has.
#[test]
fn names_of_extensions_in_options_are_closed_by_a_bracket() {
    let build = |options: &str| {
        let source = format!(
            "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; message O {{ extensions 100 to 101; }} \
             extend O {{ optional int32 e = 100; optional O m = 101; }} \
             extend google.protobuf.FileOptions {{ optional O o = 50000; }} {options}"
        );
        SourceBuilder::new().source("a.proto", source).build()
    };
    for options in ["option (o) = {[e]: 5};", "option (o) = {[m] {[e]: 5}};", "option (o) = {[ e ] : 5 };"] {
        assert!(build(options).is_ok(), "{options}");
    }
    for options in [
        "option (o) = { [e; : 5 };",
        "option (o) = { [e= : 5 };",
        "option (o) = { [e) : 5 };",
        "option (o) = { [m;{} };",
        "option (o) = { [m{} };",
        "option (o) = { [e };",
        "option (o) = { [};",
    ] {
        let error = build(options).unwrap_err();
        assert!(error.to_string().contains("expected \"]\""), "{options}: {error}");
    }
}

#[test]
fn required_fields_of_options_are_missed() {
    let head = "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; \
        message O { optional int32 a = 3; required int32 c = 9; required int32 b = 1; extensions 5; } extend O { optional O e = 5; } \
        extend google.protobuf.FileOptions { optional O o = 50000; }";
    let build = |options: &str| SourceBuilder::new().source("a.proto", format!("{head}\n{options}")).build();
    for whole in ["", "option (o) = {c: 1 b: 2};", "option (o).c = 1; option (o).a = 3; option (o).b = 2;"] {
        assert!(build(whole).is_ok(), "{whole}");
    }
    for (options, missing) in [
        ("option (o) = {};", "c"),
        ("option (o) = {b: 1 a: 2};", "c"),
        ("option (o).c = 1;", "b"),
        ("option (o) = {c: 1 b: 1 [e] {c: 1}};", "b"),
    ] {
        let error = build(options).unwrap_err();
        assert!(
            error.to_string().contains(&format!("the required field {missing} is not set")),
            "{options}: {error}"
        );
    }
}

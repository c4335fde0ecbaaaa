//! What options become: the bytes of `FileOptions` that protoc 36 writes, or that it refuses them.
//!
//! `tests/data/options.txt` has them. A line `head K ..` has the definitions that the lines `K ..` use; those have the
//! bytes of the options in hexadecimal, or `no`, and then the statements.

use crate::common::protoc::{Dir, Protoc};
use std::collections::HashMap;
use tablepb::DescriptorPool;
use tablepb_schema::{SourceBuilder, SourceErrorKind};

struct Case {
    source: String,
    options: &'static str,
    statements: &'static str,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("../data/options.txt").lines();
    let (mut heads, mut cases) = (HashMap::new(), Vec::new());
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let (first, second, rest) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        if first == "head" {
            heads.insert(second, rest);
        } else {
            cases.push(Case {
                source: format!("{}\n{rest}", heads[first]),
                options: second,
                statements: rest,
            });
        }
    }
    assert!(cases.len() > 80, "{}", cases.len());
    cases
}

/// The options of the file, in hexadecimal.
fn options(pool: &DescriptorPool) -> String {
    let file = pool.file("a.proto").unwrap();
    file.options_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn options_become_the_bytes_that_protoc_writes() {
    for case in cases() {
        let pool = SourceBuilder::new().source("a.proto", case.source).build();
        match pool {
            Ok(pool) => assert_eq!(options(&pool), case.options, "{}", case.statements),
            Err(error) => {
                assert_eq!(case.options, "no", "{}: {error}", case.statements);
                assert_eq!(error.diagnostics()[0].line(), 2, "{error}");
            }
        }
    }
}

#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_the_options_are_those_of_protoc() {
    let (protoc, dir) = (Protoc::find(), Dir::new("options"));
    for case in cases() {
        dir.write("a.proto", &case.source);
        match protoc.compile(&dir.0, &["a.proto".into()]) {
            Ok(set) => assert_eq!(
                options(&DescriptorPool::decode(&set).unwrap()),
                case.options,
                "{}",
                case.statements
            ),
            Err(error) => assert_eq!(case.options, "no", "{}: {error}", case.statements),
        }
    }
}

/// Files of which one uses a message of the other: packages around the one of descriptor.proto, which options bring along.
fn package_pairs() -> Vec<[(String, String); 2]> {
    let packages = [
        "",
        "google",
        "google.api",
        "google.rpc",
        "google.protobuf",
        "google.protobuf.compiler",
        "google.protobufs",
        "googol",
        "a",
    ];
    let statement = |package: &str| match package {
        "" => String::new(),
        package => format!("package {package};"),
    };
    let mut pairs = Vec::new();
    for user in packages {
        for used in packages {
            for import in
                ["", "import \"google/protobuf/descriptor.proto\";", "import \"google/protobuf/any.proto\";"]
            {
                let name = format!("{used}.S");
                let name = name.trim_start_matches('.');
                let user = format!(
                    "syntax = \"proto3\"; {} {import} import \"used.proto\"; option java_package = \"x\"; \
                     message U {{ {name} s = 1; }}",
                    statement(user)
                );
                let used = format!("syntax = \"proto3\"; {} message S {{}}", statement(used));
                pairs.push([("user.proto".into(), user), ("used.proto".into(), used)]);
            }
        }
    }
    pairs
}

/// The built-in descriptor.proto, which no file sees here, made two packages of one.
#[test]
fn files_of_any_packages_beside_google_protobuf_see_each_other() {
    for pair in package_pairs() {
        let mut builder = SourceBuilder::new();
        for (name, source) in &pair {
            builder = builder.source(name, source);
        }
        if let Err(error) = builder.build() {
            panic!("{error}");
        }
    }
}

#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_package_pairs_are_taken_by_protoc() {
    let (protoc, dir) = (Protoc::find(), Dir::new("pairs"));
    for pair in package_pairs() {
        for (name, source) in &pair {
            dir.write(name, source);
        }
        protoc.compile(&dir.0, &["user.proto".into()]).unwrap_or_else(|error| panic!("{pair:?}: {error}"));
    }
}

fn build(source: &str) -> Result<DescriptorPool, tablepb_schema::SourceError> {
    SourceBuilder::new().source("a.proto", source).build()
}

/// protoc takes it only with a flag, and integers are other types there.
#[test]
fn strings_of_proto2_options_may_hold_any_bytes() {
    let source = |syntax: &str| {
        format!(
            "syntax = \"{syntax}\"; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.MessageOptions {{ optional string s = 50001; }} \
             message A {{ option (s) = \"a\\xff\"; }}"
        )
    };
    let pool = build(&source("proto2")).unwrap();
    // As protoc 36.2 has it, which ends with a failed check for the other one.
    assert_eq!(pool.message("A").unwrap().options_bytes(), [0x8a, 0xb5, 0x18, 2, b'a', 0xff]);
    assert!(build(&source("proto3")).unwrap_err().to_string().contains("the string is not valid UTF-8"));
    // Those of protobuf itself are declared in proto2; defaults are text.
    let pool = build("syntax = \"proto2\"; option java_package = \"\\xff\";").unwrap();
    assert_eq!(pool.files().next().unwrap().options_bytes(), [10, 1, 0xff]);
    assert!(
        build("syntax = \"proto2\"; message A { optional string s = 1 [default = \"\\xff\"]; }").is_err()
    );
}

/// Lists in options, packed or not, of each width: printed and compiled again they are the same bytes.
#[test]
fn lists_in_options_are_printed_whole() {
    for packed in ["true", "false"] {
        let field = |name: &str, kind: &str, number: u32| {
            format!("repeated {kind} {name} = {number} [packed = {packed}];")
        };
        let fields = ["fixed64", "sfixed64", "double", "fixed32", "float", "sint64", "bool"].iter().zip(1..);
        let fields: String =
            fields.map(|(kind, number)| field(&format!("of_{kind}"), kind, number)).collect();
        let source = format!(
            "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; message O {{ {fields} }} \
             extend google.protobuf.FileOptions {{ optional O o = 50001; }} \
             option (o) = {{ of_fixed64: [1, 18446744073709551615] of_sfixed64: [-1, 2] of_double: [0.5, -inf] \
             of_fixed32: [7, 8] of_float: [1.5, -2] of_sint64: [-3, 4] of_bool: [true, false] }};"
        );
        let pool = build(&source).unwrap();
        let printed = pool.file("a.proto").unwrap().to_proto();
        for list in ["18446744073709551615", "-1", "0.5", "-inf", "8", "1.5", "-3", "true"] {
            assert!(printed.contains(list), "{list}: {printed}");
        }
        assert_eq!(options(&build(&printed).unwrap()), options(&pool), "{printed}");
    }
}

#[test]
fn edition_unstable_is_refused() {
    for edition in ["\"UNSTABLE\"", "\"UNST\" \"ABLE\"", "\"99999_TEST_ONLY\"", "\"2027\""] {
        let error = build(&format!("edition = {edition}; message M {{ int32 a = 1; }}")).unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::UnsupportedEdition, "{edition}");
    }
}

#[test]
fn versions_may_be_strings_that_stand_next_to_each_other() {
    for version in ["syntax = \"proto\" \"2\"", "syntax = \"proto\" '3'", "edition = \"20\"\n'2\\x33'"] {
        build(&format!("{version}; message M {{ }}")).unwrap();
    }
}

#[test]
fn a_suggestion_never_names_what_is_written() {
    // An inner scope has the first part of the name; only the name with a dot in front means the other one.
    let error =
        build("syntax = \"proto3\"; package x.a; message B { message x { } x.a.C c = 1; } message C { }")
            .unwrap_err();
    assert!(error.to_string().contains("x.a.C (did you mean .x.a.C?)"), "{error}");
    let error = SourceBuilder::new()
        .source("c.proto", "syntax = \"proto3\"; message C { A a = 1; .A b = 2; B c = 3; }")
        .source("a.proto", "syntax = \"proto3\"; message A { }")
        .build()
        .unwrap_err();
    let text = error.to_string();
    assert_eq!(text.matches("A (a.proto declares it, and is not imported)").count(), 2, "{text}");
    assert!(text.contains("B (did you mean C?)"), "{text}");
    assert!(!text.contains("did you mean A?"), "{text}");
}

/// What nests is bounded, since it is compiled by functions that call themselves or by arrays on the stack.
#[test]
fn what_is_nested_too_deep_is_refused() {
    let option = |statement: &str| {
        format!(
            "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; message M {{ optional M m = 1; optional int32 n = 2; }}\n\
             extend google.protobuf.FileOptions {{ optional M o = 1000; }}\n{statement}"
        )
    };
    let aggregate = |levels: usize| {
        option(&format!("option (o) = {{ {}n: 1{} }};", "m { ".repeat(levels), " }".repeat(levels)))
    };
    let names = |levels: usize| option(&format!("option (o){}.n = 1;", ".m".repeat(levels)));
    let messages = |levels: usize| {
        format!("syntax = \"proto3\"; {}{}", "message M { ".repeat(levels), "}".repeat(levels))
    };
    let package = |parts: usize| format!("syntax = \"proto3\"; package a{};", ".a".repeat(parts - 1));
    let fits = |source: &str| build(source).map(drop).map_err(|error| error.kind());
    // The most levels of each: 64 messages with the option itself, 64 names with the extension and the number, 32 definitions, 68 parts.
    for (what, most) in
        [(&aggregate as &dyn Fn(usize) -> String, 63), (&names, 62), (&messages, 32), (&package, 68)]
    {
        assert_eq!(fits(&what(most)), Ok(()), "{}", what(most));
        for levels in [most + 1, 1000, 100_000] {
            assert_eq!(fits(&what(levels)), Err(SourceErrorKind::TooDeep), "{levels}");
        }
    }
}

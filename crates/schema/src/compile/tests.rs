//! Sources as users write them, faults and their places, and sources that are made to hurt. That descriptors are those of
//! `protoc` is tested in `tests/suite/sources.rs`.

use super::*;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use tablepb::DescriptorPool;
use tablepb::schema::PoolOptions;
use tablepb::table::{Cardinality, DefaultValue, Kind};

fn build(source: &str) -> Result<DescriptorPool, SourceError> {
    SourceBuilder::new().source("a.proto", source).build()
}

#[track_caller]
fn faults(source: &str) -> Vec<(SourceErrorKind, usize, usize)> {
    let error = build(source).expect_err(source);
    error.diagnostics().iter().map(|fault| (fault.kind(), fault.line(), fault.column())).collect()
}

#[test]
fn definitions_of_every_sort() {
    let pool = build(
        r#"
        syntax = "proto2";
        package p.q;
        message M {
            required int32 a = 1 [default = -0x10];
            repeated M kids = 2;
            optional group G = 3 { optional bool x = 1; }
            map<string, E> map = 4;
            oneof o { E e = 5; bytes b = 6 [default = "\001a"]; }
            extensions 100 to 199, 1000 to max;
            reserved 50, 60 to 69;
            reserved "old", "older";
            message N { enum E { LOCAL = 7; } optional E e = 1; optional .p.q.E outer = 2; }
        }
        enum E { ZERO = 0; NEGATIVE = -5; reserved 10 to max; }
        extend M { optional double d = 100 [default = -inf, deprecated = true]; }
        service S { rpc Get (M) returns (stream M.N); }
        "#,
    )
    .unwrap();
    let m = pool.message("p.q.M").unwrap();
    assert_eq!(m.get_field(1).unwrap().explicit_default(), Some(DefaultValue::Int(-16)));
    assert_eq!(m.get_field(1).unwrap().cardinality(), Cardinality::Required);
    assert!(m.get_field(3).unwrap().is_group() && m.get_field(4).unwrap().is_map());
    assert_eq!(m.field("g").unwrap().number(), 3);
    assert_eq!(m.get_field(6).unwrap().explicit_default(), Some(DefaultValue::Bytes(b"\x01a")));
    assert_eq!(m.extension_ranges().collect::<Vec<_>>(), [100..200, 1000..1 << 29]);
    assert_eq!(m.reserved_ranges().collect::<Vec<_>>(), [50..51, 60..70]);
    assert_eq!(m.reserved_names().collect::<Vec<_>>(), ["old", "older"]);
    let n = pool.message("p.q.M.N").unwrap();
    let names: Vec<_> = n
        .fields()
        .map(|field| match field.kind() {
            Kind::Enum(of) => of.full_name().to_string(),
            _ => String::new(),
        })
        .collect();
    assert_eq!(names, ["p.q.M.N.E", "p.q.E"]);
    let d = pool.extension("p.q.d").unwrap().as_field();
    assert_eq!(d.explicit_default(), Some(DefaultValue::Float(f64::NEG_INFINITY)));
    assert!(d.is_deprecated());
    let method = pool.service("p.q.S").unwrap().methods().next().unwrap();
    assert_eq!(method.options_bytes(), b"");
    assert!(!method.is_client_streaming() && method.is_server_streaming());
}

#[test]
fn empty_braces_of_a_method_are_options_as_in_protoc() {
    let pool = build("message M { } service S { rpc A (M) returns (M) { } rpc B (M) returns (M); }").unwrap();
    let bytes = pool.encode_to_vec().unwrap();
    let options = bytes.windows(6).filter(|six| six == b"\x1a\x02.M\x22\0").count();
    assert_eq!(options, 1);
}

#[test]
fn editions_have_features_and_no_labels() {
    let pool = build(
        "edition = \"2024\"; option features.field_presence = IMPLICIT;\n\
         export message A { int32 x = 1; A kid = 2 [features.message_encoding = DELIMITED]; reserved y; }",
    )
    .unwrap();
    let a = pool.message("A").unwrap();
    assert!(!a.get_field(1).unwrap().supports_presence() && a.get_field(2).unwrap().is_group());
    for (source, place) in [
        ("edition = \"2023\"; message A { optional int32 x = 1; }", 31),
        ("edition = \"2023\"; message A { group G = 1 { } }", 31),
        ("edition = \"2023\"; message A { reserved \"x\"; }", 40),
        ("edition = \"2023\"; import option \"a\";", 19),
        ("syntax = \"proto3\"; message A { reserved x; }", 41),
        ("edition = \"2024\"; option java_multiple_files = true;", 26),
    ] {
        let found = faults(source);
        assert!(found.contains(&(SourceErrorKind::NotInEdition, 1, place)), "{source}: {found:?}");
    }
}

#[test]
fn names_follow_the_scoping_rules_of_cpp() {
    // The innermost `a` decides, even if it does not have what follows.
    let source = "syntax = \"proto3\"; package x.a;\n\
                  message B { message a { } a.B wrong = 1; .x.a.B right = 2; x.a.B too = 3; }";
    assert_eq!(faults(source), [(SourceErrorKind::UnresolvedType, 2, 27)]);
    // A field of that name is no type and does not hide one.
    build("syntax = \"proto3\"; message T { } message M { int32 T = 1; T t = 2; }").unwrap();
    let imports = |public: &str| {
        SourceBuilder::new()
            .source("c.proto", "syntax = \"proto3\"; import \"b.proto\"; message C { A a = 1; }")
            .source("b.proto", format!("syntax = \"proto3\"; import {public}\"a.proto\";"))
            .source("a.proto", "syntax = \"proto3\"; message A { }")
            .build()
    };
    imports("public ").unwrap();
    let error = imports("").unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::UnresolvedType);
    assert!(error.to_string().contains("A (a.proto declares it, and is not imported)"), "{error}");
}

/// Found by mutated sources: the built-in descriptor.proto, read because the file has options, hid what the file declares itself.
#[test]
fn files_may_declare_what_a_built_in_file_declares() {
    let source = "syntax = \"proto2\"; package google.protobuf; option java_package = \"a\";\n\
                  message EnumOptions { } message M { optional EnumOptions o = 1; }";
    build(source).unwrap();
}

#[test]
fn options_are_interpreted() {
    let source = r#"
        syntax = "proto2";
        import "google/protobuf/descriptor.proto";
        message O { optional int32 a = 1; repeated string s = 2; optional O o = 3; extensions 10; }
        extend O { optional E e = 10; }
        enum E { ONE = 1; }
        extend google.protobuf.MessageOptions { optional O o = 50000; repeated sint32 n = 50001 [packed = true]; }
        message M {
            option (n) = -1;
            option (o).o = { s: ["x", 'y' "z"], [e]: ONE o < a: 7 > };
            option (n) = 2;
            option (o).a = 5;
        }
    "#;
    let pool = build(source).unwrap();
    let options = pool.message("M").unwrap().options_bytes().to_vec();
    let expected = b"\x82\xb5\x18\x11\x08\x05\x1a\x0d\x12\x01x\x12\x02yz\x1a\x02\x08\x07\x50\x01\x8a\xb5\x18\x02\x01\x04";
    assert_eq!(options, expected);
    for (option, kind) in [
        ("(o).a = 1; option (o).a = 2", SourceErrorKind::InvalidOption),
        ("(o) = { a: 1 a: 2 }", SourceErrorKind::InvalidOption),
        ("(o).a = 2147483648", SourceErrorKind::InvalidOption),
        ("(o).a = \"1\"", SourceErrorKind::InvalidOption),
        ("(n).a = 1", SourceErrorKind::InvalidOption),
        ("(o).b = 1", SourceErrorKind::UnknownOption),
        ("(oo) = 1", SourceErrorKind::UnknownOption),
        ("(o) = { [e]: TWO }", SourceErrorKind::InvalidOption),
        ("(o) = { a 1 }", SourceErrorKind::InvalidSyntax),
        ("depreciated = true", SourceErrorKind::UnknownOption),
        ("deprecated = 1", SourceErrorKind::InvalidOption),
        ("uninterpreted_option = 1", SourceErrorKind::InvalidOption),
    ] {
        let error = build(&source.replace("(n) = -1", option)).unwrap_err();
        assert_eq!(error.kind(), kind, "{option}: {error}");
    }
}

#[test]
fn every_fault_of_a_file_is_listed_with_its_place() {
    let source = "syntax = \"proto3\";\nmessage A {\n  int32 a 1;\n  string = 2;\n  int32 ok = 3;\n}\nenum E { X = y; }\n}\n";
    assert_eq!(
        faults(source),
        [
            (SourceErrorKind::InvalidSyntax, 3, 11),
            (SourceErrorKind::InvalidSyntax, 4, 10),
            (SourceErrorKind::InvalidSyntax, 7, 14),
            (SourceErrorKind::InvalidSyntax, 8, 1),
        ]
    );
    let error = build("message A {\n  optional Strin\u{67}\u{67} a = 1;\n}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.proto:2:12: type not found: Stringg\n  |   optional Stringg a = 1;\n  |            ^^^^^^^"
    );
    // What the pool finds has a place too.
    let error = build("syntax = \"proto3\";\nmessage A {\n  int32 a = 1;\n  int32 b = 1;\n}").unwrap_err();
    assert_eq!((error.kind(), error.diagnostics()[0].line()), (SourceErrorKind::InvalidSchema, 4), "{error}");
}

#[test]
fn imports_are_found_or_named() {
    assert_eq!(faults("import \"no.proto\";"), [(SourceErrorKind::MissingImport, 1, 8)]);
    assert_eq!(faults("import \"../a.proto\";"), [(SourceErrorKind::MissingImport, 1, 8)]);
    assert_eq!(faults("import \"a.proto\";"), [(SourceErrorKind::ImportCycle, 1, 8)]);
    let unreadable = SourceBuilder::new().file("x.proto").resolver(Unreadable).build().unwrap_err();
    assert_eq!(unreadable.kind(), SourceErrorKind::Unreadable);
    let missing = SourceBuilder::new().file("x.proto").build().unwrap_err();
    assert_eq!(missing.kind(), SourceErrorKind::MissingImport);
    let resolver = |name: &str| (name == "b.proto").then(|| String::from("message B { }"));
    let pool = SourceBuilder::new().source("a.proto", "import \"b.proto\";").resolver(resolver).build();
    let names: Vec<_> = pool.unwrap().files().map(|file| file.name().to_string()).collect();
    assert_eq!(names, ["b.proto", "a.proto"]);
}

/// Each file has one name, and none leads out of a directory.
#[test]
fn no_resolver_is_asked_for_a_file_whose_name_is_no_plain_path() {
    for name in ["a/../x.proto", "../x.proto", "/x.proto", "./x.proto", "a//x.proto", "a\\x.proto", ""] {
        let all = |_: &str| Some(String::from("message M {}"));
        let error = SourceBuilder::new().file(name).resolver(all).build().expect_err(name);
        assert_eq!(error.kind(), SourceErrorKind::MissingImport, "{name}");
        assert!(error.to_string().contains("plain path"), "{error}");
    }
}

struct Unreadable;

impl FileResolver for Unreadable {
    fn find(&self, _: &str) -> Result<Option<alloc::borrow::Cow<'_, str>>, String> {
        Err("out of order".into())
    }
}

#[test]
fn well_known_files_compile() {
    let mut builder = SourceBuilder::new();
    for name in [
        "any",
        "api",
        "compiler/plugin",
        "cpp_features",
        "go_features",
        "java_features",
        "wrappers",
        "struct",
    ] {
        builder = builder.file(format!("google/protobuf/{name}.proto"));
    }
    let pool = builder.build().unwrap();
    assert!(pool.message("google.protobuf.compiler.CodeGeneratorRequest").is_ok());
    let again = DescriptorPool::decode(&pool.encode_to_vec().unwrap()).unwrap();
    assert_eq!(again.files().len(), pool.files().len());
}

/// Sources that take long, deep or much if anything does.
fn hostile(n: usize) -> Vec<String> {
    alloc::vec![
        "message A { ".repeat(n),
        format!("option a = {}", "{".repeat(n)),
        format!("option (java_package) = {{ {} }};", "a < ".repeat(n)),
        format!("option features = {{ {} }};", "[a/b] { ".repeat(n)),
        format!("option java_package{} = 1;", ".a".repeat(n)),
        format!("message A {{ optional {}B b = 1; }}", "B.".repeat(n)),
        format!("package {}b;", "a.".repeat(n)),
        format!("message {} {{ }}", "a".repeat(n)),
        format!("message A {{ optional {} x = 1; }}", "a".repeat(n)),
        format!("/*{}", "/*".repeat(n)),
        format!("option java_package = {};", "'x' ".repeat(n)),
        ";".repeat(n),
        "}".repeat(n),
        "\u{1}".repeat(n),
        "é".repeat(n),
        format!("enum E {{ {} }}", "A = 0; ".repeat(n)),
        format!("message A {{ {} }}", "reserved 1 to max; ".repeat(n)),
        format!(
            "syntax = \"proto3\"; message A {{ {} }}",
            "optional int32 a = 1; optional int32 _a = 2; ".repeat(n)
        ),
        format!("message A {{ {} }}", "optional B b = 1; ".repeat(n)),
        format!("message A {{ {} }}", "option deprecated = true; ".repeat(n)),
        format!("extend A {{ {} }}", "x ".repeat(n)),
    ]
}

#[test]
fn hostile_sources_are_refused() {
    for n in [1, 40, 100, if cfg!(miri) { 200 } else { 20_000 }] {
        for source in hostile(n) {
            if let Err(error) = build(&source) {
                assert!(error.diagnostics().len() <= 100 && error.to_string().len() < 200_000);
            }
        }
    }
}

#[test]
fn too_little_memory_is_an_error() {
    let source = "syntax = \"proto3\"; import \"google/protobuf/any.proto\";\n\
                  message A { option deprecated = true; map<string, google.protobuf.Any> m = 1; optional int32 o = 2; }";
    let mut limit = 64;
    loop {
        let options = PoolOptions::new().memory(limit);
        match SourceBuilder::new().source("a.proto", source).with_options(options).build() {
            Ok(pool) => {
                assert!(limit > 10_000 && pool.message("A").is_ok());
                break;
            }
            Err(error) => assert_eq!(error.kind(), SourceErrorKind::BudgetExceeded, "{limit}: {error}"),
        }
        limit += limit / 16 + 7;
    }
}

#[test]
fn any_cut_of_a_source_ends() {
    let source = "edition = \"2023\"; package p; import public \"google/protobuf/any.proto\"; message A { \
                  option (x.y).z = { a: [1, -inf] b <c: \"\\x41\"> }; map<int32, A> m = 1 [default = -1, json_name = 'x']; \
                  oneof o { string s = 2; } reserved 5 to max, 7; extensions 9 [verification = UNVERIFIED]; } /* c */ \
                  enum E { option allow_alias = true; A = 0; B = -0; } service S { rpc M (stream A) returns (.p.A) { } }";
    for end in (0..source.len()).step_by(if cfg!(miri) { 29 } else { 1 }) {
        if let Err(error) = build(&source[..end]) {
            assert!(!error.to_string().is_empty());
        }
    }
}

/// A file of edition 2024.
fn modern(body: &str) -> String {
    format!("edition = \"2024\";\n{body}")
}

#[test]
fn names_are_written_in_the_style_of_the_edition() {
    for good in [
        "package a.b1._c; message A {}",
        "message HTTP2Request { int32 a1b = 1; int32 foo_b1 = 2; oneof x { bool y = 3; } map<string, A> foo = 4; } message A {}",
        "enum E { FOO_BAR1 = 0; F = 1; } service S { rpc DoIt(A) returns (A); } message A {}",
        "option features.enforce_naming_style = STYLE_LEGACY; package A_; message a_b { int32 X = 1; }",
        "option features = { enforce_naming_style: STYLE_LEGACY default_symbol_visibility: STRICT }; message a {}",
        "message A { option features.enforce_naming_style = STYLE_LEGACY; int32 X = 1; message b { enum c { d = 0; } } }",
        "message A { int32 X = 1 [features.enforce_naming_style = STYLE_LEGACY]; }",
        "service s { option features.enforce_naming_style = STYLE_LEGACY; rpc m(A) returns (A); } message A {}",
    ] {
        let pool = build(&modern(good));
        assert!(pool.is_ok(), "{good}: {}", pool.unwrap_err());
    }
    for (bad, column) in [
        ("package a.b_1;", 9),
        ("package A.b;", 9),
        ("message a {}", 9),
        ("message A_B {}", 9),
        ("message A { int32 Foo = 1; }", 19),
        ("message A { int32 foo_1 = 1; }", 19),
        ("message A { int32 foo__b = 1; }", 19),
        ("message A { int32 foo_ = 1; }", 19),
        ("message A { map<int32, A> Foo = 1; }", 27),
        ("message A { oneof Foo { int32 a = 1; } }", 19),
        ("message A { extensions 1; extend A { int32 Foo = 1; } }", 44),
        ("enum e { A = 0; }", 6),
        ("enum E { a = 0; }", 10),
        ("enum E { A_1 = 0; }", 10),
        ("service s {}", 9),
        ("message A {} service S { rpc m(A) returns (A); }", 30),
        (
            "option features.enforce_naming_style = STYLE_LEGACY; message a { option features.enforce_naming_style = STYLE2024; }",
            62,
        ),
    ] {
        let expected = [(SourceErrorKind::InvalidSchema, 2, column)];
        assert_eq!(faults(&modern(bad)), expected, "{bad}");
    }
    assert!(build("edition = \"2023\"; message a_b { int32 X = 1; }").is_ok());
}

#[test]
fn local_types_are_seen_in_their_file_alone() {
    let types = "message Top { message In {} export message Out {} enum E { Z = 0; } } local message Loc { extensions 1 to 5; } export enum Ex { A = 0; }";
    let with = |option: &str, edition: &str, use_of: &str| {
        let lib = format!("edition = \"{edition}\"; package lib; {option} {types}");
        let user = format!("syntax = \"proto2\"; import \"lib.proto\"; {use_of}");
        SourceBuilder::new().source("lib.proto", lib).source("user.proto", user).build()
    };
    let field = |of: &str| format!("message User {{ optional lib.{of} a = 1; }}");
    let sees = |option: &str, of: &str| with(option, "2024", &field(of)).is_ok();
    assert!(sees("", "Top") && sees("", "Top.Out") && sees("", "Ex"));
    assert!(!sees("", "Top.In") && !sees("", "Top.E") && !sees("", "Loc"));
    let all = "option features.default_symbol_visibility = EXPORT_ALL;";
    assert!(sees(all, "Top.In") && sees(all, "Top.E") && !sees(all, "Loc"));
    let local = "option features.default_symbol_visibility = LOCAL_ALL;";
    assert!(!sees(local, "Top") && sees(local, "Ex") && sees(local, "Top.Out"));
    assert!(with("", "2024", "extend lib.Loc { optional int32 a = 1; }").is_err());
    assert!(with("", "2024", "service S { rpc M(lib.Loc) returns (lib.Top); }").is_err());
    let error = with("", "2024", &field("Loc")).unwrap_err();
    assert_eq!(error.diagnostics()[0].detail(), "lib.Loc is local to lib.proto");
    // In the file itself all are seen; edition 2026 exports no nested type.
    assert!(build(&modern("message A { B.C c = 1; } local message B { local message C {} }")).is_ok());
    assert!(with("", "2026", "").is_err());
    let space = "edition = \"2026\"; local message A { export enum B { X = 0; } reserved 1 to max; }";
    assert!(build(space).is_ok());
    assert!(build(&space.replace("local", "export")).is_err());
    assert!(build(&space.replace(" reserved 1 to max;", "")).is_err());
}

#[test]
fn option_imports_come_last() {
    let source = "edition = \"2024\"; import option \"google/protobuf/cpp_features.proto\";\nimport \"google/protobuf/any.proto\";";
    assert_eq!(faults(source), [(SourceErrorKind::InvalidSyntax, 2, 1)]);
}

#[test]
fn edition_2026_bounds_the_parts_of_a_definition() {
    let fields = |count: usize| (1..=count).map(|i| format!("int32 a{i} = {i}; ")).collect::<String>();
    let oneofs = |count: usize| {
        (1..=count).map(|i| format!("oneof o{i} {{ int32 b{i} = {i}; }} ")).collect::<String>()
    };
    let values = |count: usize| (0..count).map(|i| format!("A{i} = {i}; ")).collect::<String>();
    let modern = |body: String| format!("edition = \"2026\"; {body}");
    let lifted = "option features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS;";
    for (most, body) in [
        (1500, &(|n| format!("message M {{ {} }}", fields(n))) as &dyn Fn(usize) -> String),
        (1000, &|n| format!("message M {{ {} }}", oneofs(n))),
        (1200, &|n| format!("message M {{ oneof o {{ {} }} }}", fields(n))),
        (1700, &|n| format!("enum E {{ {} }}", values(n))),
    ] {
        let pool = build(&modern(body(most)));
        assert!(pool.is_ok(), "{most}: {}", pool.unwrap_err());
        assert!(build(&modern(body(most + 1))).is_err(), "{most}");
        let lifted = body(most + 1).replacen("{ ", &format!("{{ {lifted} "), 1);
        assert!(build(&modern(lifted)).is_ok(), "{most}");
    }
}

/// Both were accepted: found by comparing mutated sources with `protoc`.
#[test]
fn options_for_the_source_alone_are_set_once_and_comments_do_not_nest() {
    let style = "option features.enforce_naming_style = STYLE_LEGACY;\n";
    let twice = format!("edition = \"2024\"; {style}{style}");
    assert_eq!(faults(&twice), [(SourceErrorKind::InvalidOption, 2, 17)]);
    assert_eq!(
        faults("syntax = \"proto3\"; /* a /* b */ message A {}"),
        [(SourceErrorKind::InvalidToken, 1, 25)]
    );
}

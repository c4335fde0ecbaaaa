//! Warnings, as protoc has them: imports that nothing refers to, names that conflict in JSON, reserved names, and what editions deprecate.

use crate::common::protoc::{Dir, Protoc};
use tablepb::schema::Edition;
use tablepb_schema::{SourceBuilder, SourceErrorKind};

/// The files that can be imported.
const IMPORTED: [(&str, &str); 5] = [
    ("leaf.proto", "syntax = \"proto3\"; message L {}"),
    ("forward.proto", "syntax = \"proto3\"; import public \"leaf.proto\";"),
    (
        "ext.proto",
        "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 x = 50000; }",
    ),
    (
        "enum.proto",
        "syntax = \"proto2\"; enum E { Z = 0; } message M { extensions 1 to 9; optional E e = 10 [default = Z]; }",
    ),
    ("unused.proto", "syntax = \"proto3\"; import \"leaf.proto\"; message U {}"),
];

/// Sources, and the lines of their imports that nothing refers to.
const IMPORTING: [(&str, &[usize]); 8] = [
    (
        "syntax = \"proto2\";\nimport \"leaf.proto\";\nimport \"forward.proto\";\nmessage A { optional L l = 1; }",
        &[],
    ),
    // One that forwards others is never warned of.
    ("syntax = \"proto2\";\nimport \"forward.proto\";\nmessage A {}", &[]),
    (
        "syntax = \"proto2\";\nimport \"forward.proto\";\nimport \"ext.proto\";\nimport weak \"leaf.proto\";\nimport public \"enum.proto\";",
        &[3, 4],
    ),
    (
        "syntax = \"proto2\";\nimport \"ext.proto\";\nimport \"enum.proto\";\nextend M { optional int32 q = 1; }\nmessage D { optional int32 l = 1 [(x) = 5]; }",
        &[],
    ),
    (
        "edition = \"2024\";\npackage q;\nimport \"enum.proto\";\nimport \"google/protobuf/any.proto\";\nimport option \"ext.proto\";\nimport option \"google/protobuf/cpp_features.proto\";\noption features.(pb.cpp).string_type = VIEW;\nmessage E2 { map<string, E> m = 1; }",
        &[4, 5],
    ),
    // A name in a comment does not use its import.
    (
        "syntax = \"proto3\";\nimport \"leaf.proto\";\nimport \"unused.proto\";\nservice S { rpc Get(U) returns (U); } // L",
        &[2],
    ),
    ("syntax = \"proto3\";\nimport \"leaf.proto\";\nmessage A { oneof o { L l = 1; } }", &[]),
    (
        "syntax = \"proto2\";\nimport \"leaf.proto\";\nmessage A { optional group B = 1 { repeated L l = 1; } }",
        &[],
    ),
];

/// The lines of the imports that are warned of.
fn warned(source: &str) -> Vec<usize> {
    let imported = |name: &str| IMPORTED.iter().find(|file| file.0 == name).map(|file| file.1.to_owned());
    let builder = SourceBuilder::new().resolver(imported).source("a.proto", source);
    let (pool, warnings) = builder.build_with_warnings().expect(source);
    assert!(pool.file("a.proto").is_ok());
    // Not of imported files, `unused.proto` among them.
    assert!(warnings.iter().all(|it| it.kind() == SourceErrorKind::UnusedImport && it.file() == "a.proto"));
    warnings.iter().map(|warning| warning.line()).collect()
}

#[test]
fn imports_that_nothing_refers_to_are_warned_of_in_the_files_that_were_named() {
    for (source, expected) in IMPORTING {
        assert_eq!(warned(source), expected, "{source}");
    }
}

#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_the_same_imports_are_unused() {
    let (protoc, dir) = (Protoc::find(), Dir::new("warnings"));
    IMPORTED.iter().for_each(|(name, text)| dir.write(name, text));
    for (source, _) in IMPORTING {
        if source.starts_with("edition") && !protoc.knows(Edition::Edition2024) {
            println!("skipped: this protoc does not know edition 2024");
            continue;
        }
        dir.write("a.proto", source);
        let text = protoc.warnings(&dir.0, "a.proto").expect(source);
        let line = |text: &str| text.split_once("a.proto:")?.1.split(':').next()?.parse().ok();
        let mut theirs: Vec<usize> =
            text.lines().filter(|text| text.ends_with("is unused.")).filter_map(line).collect();
        theirs.sort_unstable();
        assert_eq!(warned(source), theirs, "{source}");
    }
}

/// Line, column and kind.
type Place = (usize, usize, SourceErrorKind);

/// Sources, and their other warnings: line, column and kind.
const OTHERS: [(&str, &[Place]); 6] = {
    use SourceErrorKind::{Deprecated, InvalidReservedName, JsonNameConflict};
    [
        (
            "syntax = \"proto2\";\nmessage A {\n  optional int32 aB = 1 [json_name = \"x\"];\n  optional int32 a_b = 2;\n  optional int32 x = 3;\n}",
            &[(4, 18, JsonNameConflict), (5, 18, JsonNameConflict)],
        ),
        (
            "syntax = \"proto2\";\nmessage A {\n  option deprecated_legacy_json_field_conflicts = true;\n  optional int32 aB = 1;\n  optional int32 a_b = 2;\n}",
            &[],
        ),
        (
            "edition = \"2023\";\nmessage A {\n  option features.json_format = LEGACY_BEST_EFFORT;\n  message B { int32 aB = 1; int32 a_b = 2; }\n}",
            &[(4, 35, JsonNameConflict)],
        ),
        (
            "syntax = \"proto3\";\nmessage A { reserved \"a b\", \"ok\"; }\nenum E { reserved \"1x\"; Z = 0; }",
            &[(2, 22, InvalidReservedName), (3, 19, InvalidReservedName)],
        ),
        (
            "edition = \"2023\";\nimport \"google/protobuf/cpp_features.proto\";\noption features.(pb.cpp).legacy_closed_enum = true;\nmessage A {}",
            &[(3, 26, Deprecated)],
        ),
        // It has the option, and in a file that does not deprecate it.
        (
            "syntax = \"proto2\";\nimport \"google/protobuf/descriptor.proto\";\nextend google.protobuf.MessageOptions {\n  optional int32 old = 50000 [feature_support = { \
             edition_introduced: EDITION_PROTO2 edition_deprecated: EDITION_2023 deprecation_warning: \"a \" \"reason\" }];\n}\nmessage A { option (old) = 1; }",
            &[],
        ),
    ]
};

#[test]
fn other_warnings() {
    for (source, expected) in OTHERS {
        let (_, warnings) =
            SourceBuilder::new().source("a.proto", source).build_with_warnings().expect(source);
        let found: Vec<_> = warnings.iter().map(|it| (it.line(), it.column(), it.kind())).collect();
        assert_eq!(found, expected, "{source}\n{warnings:?}");
    }
    let (_, warnings) = SourceBuilder::new().source("a.proto", OTHERS[4].0).build_with_warnings().unwrap();
    assert!(
        warnings[0]
            .detail()
            .starts_with("legacy_closed_enum is deprecated since edition 2023: The legacy closed enum")
    );
    let (_, warnings) = SourceBuilder::new().source("a.proto", OTHERS[0].0).build_with_warnings().unwrap();
    assert_eq!(warnings[1].detail(), "the default JSON name \"x\" of x is the custom JSON name of aB too");
    // A warning in a file that is only imported is not shown.
    let importing = "syntax = \"proto3\"; import \"b.proto\"; message C { A a = 1; }";
    let imported = |name: &str| (name == "b.proto").then(|| OTHERS[3].0.to_owned());
    let builder = SourceBuilder::new().resolver(imported).source("a.proto", importing);
    assert_eq!(builder.build_with_warnings().unwrap().1, []);
}

#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_the_other_warnings_are_the_same() {
    let (protoc, dir) = (Protoc::find(), Dir::new("other-warnings"));
    for (source, expected) in OTHERS {
        dir.write("a.proto", source);
        let text = protoc.warnings(&dir.0, "a.proto").expect(source);
        let warned = text.lines().filter(|line| line.contains("warning: "));
        // Some have no line there.
        let places = warned.map(|line| {
            let mut parts = line.split_once("a.proto:").map_or("", |it| it.1).split(':').map(str::parse);
            parts.next().and_then(Result::ok).zip(parts.next().and_then(Result::ok))
        });
        let places: Vec<Option<(usize, usize)>> = places.collect();
        assert_eq!(places.len(), expected.len(), "{source}\n{text}");
        let known = |place: &(usize, usize)| expected.iter().any(|it| (it.0, it.1) == *place);
        assert!(places.iter().flatten().all(known), "{source}\n{text}");
    }
}

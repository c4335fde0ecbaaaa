//! Warnings: imports that nothing refers to, as protoc has them.

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

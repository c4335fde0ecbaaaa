//! Rules of compatibility: each with the smallest change that breaks it, and buf's own cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tablepb::DescriptorPool;
use tablepb_schema::{Breach, Category, Rule, SourceBuilder, breaches};

fn pool(files: &[(&str, &str)]) -> DescriptorPool {
    let sources = SourceBuilder::new().include_source_info(true);
    let sources = files.iter().fold(sources, |sources, (name, text)| sources.source(*name, *text));
    sources.build().unwrap_or_else(|error| panic!("{error}\n{files:?}"))
}

/// The rules that are broken by a change of one file, with their lines.
fn broken(old: &str, new: &str) -> Vec<String> {
    let line = |breach: &Breach| format!("{} {}", breach.line(), breach.rule());
    breaches(&pool(&[("a.proto", old)]), &pool(&[("a.proto", new)])).iter().map(line).collect()
}

/// A change of one line of a source, and the rules that it breaks with the lines where.
struct Case {
    source: &'static str,
    old: &'static str,
    new: &'static str,
    rules: &'static [&'static str],
}

const PROTO3: &str = "syntax = \"proto3\";\npackage p;\n";
const PROTO2: &str = "syntax = \"proto2\";\npackage p;\n";
const EDITION: &str = "edition = \"2023\";\npackage p;\n";

macro_rules! cases {
    ($($source:ident $old:literal => $new:literal: $($rule:literal)*;)*) => {
        &[$(Case { source: $source, old: $old, new: $new, rules: &[$($rule),*] },)*]
    };
}

/// Line 3 is the line that changes, if it begins with the definition.
const CASES: &[Case] = cases! {
    PROTO3 "message A { int32 a = 1; }" => "message A { reserved 1; }":
        "3 FIELD_NO_DELETE" "3 FIELD_NO_DELETE_UNLESS_NAME_RESERVED";
    PROTO3 "message A { int32 a = 1; }" => "message A { reserved \"a\"; }":
        "3 FIELD_NO_DELETE" "3 FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED";
    PROTO3 "message A { int32 a = 1; }" => "message A { reserved 1; reserved \"a\"; }": "3 FIELD_NO_DELETE";
    PROTO3 "message A { int32 a = 1; }" => "message A { int32 b = 1; }": "3 FIELD_SAME_JSON_NAME" "3 FIELD_SAME_NAME";
    PROTO3 "message A { int32 a = 1; }" => "message A { int32 a = 1 [json_name = \"b\"]; }": "3 FIELD_SAME_JSON_NAME";
    PROTO3 "message A { int32 a = 1; }" => "message A { uint32 a = 1; }": "3 FIELD_SAME_TYPE";
    PROTO3 "message A { int32 a = 1; }" => "message A { int64 a = 1; }":
        "3 FIELD_SAME_TYPE" "3 FIELD_WIRE_JSON_COMPATIBLE_TYPE";
    PROTO3 "message A { int32 a = 1; }" => "message A { sint32 a = 1; }":
        "3 FIELD_SAME_TYPE" "3 FIELD_WIRE_COMPATIBLE_TYPE" "3 FIELD_WIRE_JSON_COMPATIBLE_TYPE";
    PROTO3 "message A { string a = 1; }" => "message A { bytes a = 1; }":
        "3 FIELD_SAME_TYPE" "3 FIELD_WIRE_JSON_COMPATIBLE_TYPE";
    PROTO3 "message A { bytes a = 1; }" => "message A { string a = 1; }":
        "3 FIELD_SAME_TYPE" "3 FIELD_WIRE_COMPATIBLE_TYPE" "3 FIELD_WIRE_JSON_COMPATIBLE_TYPE";
    PROTO3 "message A { int32 a = 1; }" => "message A { optional int32 a = 1; }": "3 FIELD_SAME_CARDINALITY";
    PROTO3 "message A { int32 a = 1; }" => "message A { repeated int32 a = 1; }":
        "3 FIELD_SAME_CARDINALITY" "3 FIELD_WIRE_COMPATIBLE_CARDINALITY" "3 FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY";
    PROTO3 "message A { int32 a = 1; int32 b = 2; }" => "message A { int32 b = 2; int32 a = 1; }": "3 FIELD_SAME_ORDER";
    PROTO3 "message A { int32 a = 1; int32 b = 2; }" => "message A { int32 a = 1; int32 c = 3; int32 b = 2; }":
        "3 FIELD_SAME_ORDER";
    PROTO3 "message A { int32 a = 1; int32 b = 2; }" => "message A { int32 a = 1; int32 b = 2; int32 c = 3; }":;
    PROTO3 "message A { int32 a = 1; }" => "message A { oneof o { int32 a = 1; } }":
        "3 FIELD_SAME_CARDINALITY" "3 FIELD_SAME_ONEOF";
    PROTO3 "message A { oneof o { int32 a = 1; } }" => "message A { oneof p { int32 a = 1; } }":
        "3 FIELD_SAME_ONEOF" "3 ONEOF_NO_DELETE";
    PROTO3 "message A { map<string, int32> a = 1; }" => "message A { map<string, string> a = 1; }":
        "3 FIELD_SAME_TYPE" "3 FIELD_WIRE_COMPATIBLE_TYPE" "3 FIELD_WIRE_JSON_COMPATIBLE_TYPE";
    PROTO3 "message A { int64 a = 1; }" => "message A { int64 a = 1 [jstype = JS_STRING]; }": "3 FIELD_SAME_JSTYPE";
    PROTO3 "message A { string a = 1; }" => "message A { string a = 1 [ctype = CORD]; }": "3 FIELD_SAME_CPP_STRING_TYPE";
    PROTO3 "message A { string a = 1 [ctype = STRING_PIECE]; }" => "message A { string a = 1; }":;
    PROTO3 "enum E { Z = 0; A = 1; }" => "enum E { Z = 0; B = 1; }": "3 ENUM_VALUE_SAME_NAME";
    PROTO3 "enum E { Z = 0; A = 1; }" => "enum E { option allow_alias = true; Z = 0; A = 1; B = 1; }":;
    PROTO3 "enum E { Z = 0; A = 1; }" => "enum E { reserved 1; Z = 0; }":
        "3 ENUM_VALUE_NO_DELETE" "3 ENUM_VALUE_NO_DELETE_UNLESS_NAME_RESERVED";
    PROTO3 "enum E { Z = 0; A = 1; }" => "enum E { reserved \"A\"; Z = 0; }":
        "3 ENUM_VALUE_NO_DELETE" "3 ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED";
    PROTO3 "enum E { reserved 4 to 6, 9; reserved \"X\"; Z = 0; }" => "enum E { reserved 5; Z = 0; }":
        "3 RESERVED_ENUM_NO_DELETE" "3 RESERVED_ENUM_NO_DELETE" "3 RESERVED_ENUM_NO_DELETE";
    PROTO3 "message A { reserved 4 to 6; reserved \"x\"; }" => "message A { reserved 4, 5, 6; }":
        "3 RESERVED_MESSAGE_NO_DELETE";
    PROTO3 "message A {} enum E { Z = 0; }" => "message A {}": "0 ENUM_NO_DELETE" "0 PACKAGE_ENUM_NO_DELETE";
    PROTO3 "message A { message B {} }" => "message A {}": "3 MESSAGE_NO_DELETE" "3 PACKAGE_MESSAGE_NO_DELETE";
    PROTO3 "message A {} service S { rpc M(A) returns (A); }" => "message A {}":
        "0 PACKAGE_SERVICE_NO_DELETE" "0 SERVICE_NO_DELETE";
    PROTO3 "message A {} service S { rpc M(A) returns (A); }" => "message A {} service S {}": "3 RPC_NO_DELETE";
    PROTO3 "message A {} service S { rpc M(A) returns (A); }" => "message A {} service S { rpc M(stream A) returns (A); }":
        "3 RPC_SAME_CLIENT_STREAMING";
    PROTO3 "message A {} service S { rpc M(A) returns (stream A); }" => "message A {} service S { rpc M(A) returns (A); }":
        "3 RPC_SAME_SERVER_STREAMING";
    PROTO3 "message A {} message B {} service S { rpc M(A) returns (B); }"
        => "message A {} message B {} service S { rpc M(B) returns (A); }": "3 RPC_SAME_REQUEST_TYPE" "3 RPC_SAME_RESPONSE_TYPE";
    PROTO3 "message A {} service S { rpc M(A) returns (A); }"
        => "message A {} service S { rpc M(A) returns (A) { option idempotency_level = IDEMPOTENT; } }":
        "3 RPC_SAME_IDEMPOTENCY_LEVEL";
    PROTO2 "message A { optional int32 a = 1 [default = 4]; }" => "message A { optional int32 a = 1 [default = 5]; }":
        "3 FIELD_SAME_DEFAULT";
    PROTO2 "message A { optional float a = 1 [default = 1.1]; }" => "message A { optional double a = 1 [default = 1.1]; }":
        "3 FIELD_SAME_TYPE" "3 FIELD_WIRE_COMPATIBLE_TYPE" "3 FIELD_WIRE_JSON_COMPATIBLE_TYPE";
    PROTO2 "message A { optional int32 a = 1; }" => "message A { required int32 a = 1; }":
        "3 FIELD_SAME_CARDINALITY" "3 FIELD_WIRE_COMPATIBLE_CARDINALITY" "3 FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY"
        "3 MESSAGE_SAME_REQUIRED_FIELDS";
    PROTO2 "message A { extensions 10 to 20, 30; }" => "message A { extensions 10 to 15; }":
        "3 EXTENSION_MESSAGE_NO_DELETE" "3 EXTENSION_MESSAGE_NO_DELETE";
    PROTO2 "message A { extensions 10; } extend A { optional int32 a = 10; }" => "message A { extensions 10; }":
        "0 EXTENSION_NO_DELETE" "0 PACKAGE_EXTENSION_NO_DELETE";
    PROTO2 "message A { extensions 10; } extend A { optional int32 a = 10; }"
        => "message A { extensions 10; } extend A { optional bool a = 10; }": "3 FIELD_SAME_TYPE" "3 FIELD_WIRE_JSON_COMPATIBLE_TYPE";
    PROTO2 "message A {}" => "message A { option no_standard_descriptor_accessor = true; }":
        "3 MESSAGE_NO_REMOVE_STANDARD_DESCRIPTOR_ACCESSOR";
    EDITION "message A {}" => "message A { option features.json_format = LEGACY_BEST_EFFORT; }": "3 MESSAGE_SAME_JSON_FORMAT";
    EDITION "enum E { Z = 0; }" => "enum E { option features.json_format = LEGACY_BEST_EFFORT; Z = 0; }":
        "3 ENUM_SAME_JSON_FORMAT";
    EDITION "enum E { Z = 0; }" => "enum E { option features.enum_type = CLOSED; Z = 0; }": "3 ENUM_SAME_TYPE";
    EDITION "message A { string a = 1; }" => "message A { string a = 1 [features.utf8_validation = NONE]; }":
        "3 FIELD_SAME_JAVA_UTF8_VALIDATION" "3 FIELD_SAME_UTF8_VALIDATION";
    EDITION "message A { A a = 1; }" => "message A { A a = 1 [features.message_encoding = DELIMITED]; }":
        "3 FIELD_SAME_TYPE" "3 FIELD_WIRE_COMPATIBLE_TYPE" "3 FIELD_WIRE_JSON_COMPATIBLE_TYPE";
};

#[test]
fn each_rule_by_the_smallest_change() {
    let mut seen = BTreeSet::new();
    for Case { source, old, new, rules } in CASES {
        let mut found = broken(&format!("{source}{old}\n"), &format!("{source}{new}\n"));
        // By name, not by column.
        found.sort();
        assert_eq!(found, *rules, "{old} -> {new}");
        seen.extend(rules.iter().map(|rule| rule.rsplit(' ').next().unwrap_or_default()));
        assert_eq!(broken(&format!("{source}{old}\n"), &format!("{source}{old}\n")), [""; 0], "{old}");
    }
    // Those of files have tests of their own.
    let missing: Vec<_> = Rule::ALL
        .iter()
        .map(|rule| rule.id())
        .filter(|id| !id.starts_with("FILE_") && *id != "PACKAGE_NO_DELETE" && !seen.contains(id))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn options_of_files() {
    let mut seen = BTreeSet::new();
    for rule in Rule::ALL {
        let Some(name) = rule.id().strip_prefix("FILE_SAME_").map(str::to_lowercase) else { continue };
        let value = match name.as_str() {
            "package" | "syntax" => continue,
            "optimize_for" => "CODE_SIZE",
            "cc_enable_arenas" => "false",
            _ if name.ends_with("services") || name.ends_with("files") => "true",
            _ => "\"x\"",
        };
        let with = format!("{PROTO3}option {name} = {value};\n");
        assert_eq!(broken(PROTO3, &with), [format!("3 {rule}")]);
        assert_eq!(broken(&with, PROTO3), [format!("0 {rule}")]);
        seen.insert(name);
    }
    assert_eq!(seen.len(), 16);
    assert_eq!(broken("syntax = \"proto2\";", "syntax = \"proto3\";"), ["1 FILE_SAME_SYNTAX"]);
    // Both are editions.
    assert_eq!(broken("edition = \"2023\";", "edition = \"2024\";"), [""; 0]);
    assert_eq!(
        broken("syntax = \"proto3\"; package p;", "syntax = \"proto3\";\npackage q;"),
        ["0 PACKAGE_NO_DELETE", "2 FILE_SAME_PACKAGE"]
    );
}

#[test]
fn arenas_are_always_enabled_since_edition_2026() {
    let new = "edition = \"2026\";";
    let old = |value: &str| format!("edition = \"2023\"; option cc_enable_arenas = {value};");
    assert_eq!(broken(&old("true"), new), [""; 0]);
    assert_eq!(broken(&old("false"), new), ["0 FILE_SAME_CC_ENABLE_ARENAS"]);
}

#[test]
fn what_moves_to_another_file_of_its_package() {
    let syntax = "syntax = \"proto3\"; package p;";
    let one = format!("{syntax} message A {{}} message B {{}} enum E {{ Z = 0; }}");
    let (first, second) =
        (format!("{syntax} message A {{}}"), format!("{syntax} message B {{}} enum E {{ Z = 0; }}"));
    let old = pool(&[("a.proto", &one), ("b.proto", syntax)]);
    let new = pool(&[("a.proto", &first), ("b.proto", &second)]);
    let found: Vec<_> = breaches(&old, &new).iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "a.proto: ENUM_NO_DELETE: enum p.E was moved to b.proto",
            "a.proto: MESSAGE_NO_DELETE: message p.B was moved to b.proto"
        ]
    );
    let found: Vec<_> =
        breaches(&old, &pool(&[("b.proto", &second)])).iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "a.proto: FILE_NO_DELETE: file \"a.proto\" was deleted",
            "a.proto: PACKAGE_MESSAGE_NO_DELETE: message p.A was deleted from package \"p\""
        ]
    );
}

#[test]
fn features_of_languages() {
    let with = |import: &str, option: &str| {
        format!(
            "edition = \"2023\"; import \"google/protobuf/{import}.proto\";\nmessage A {{ string a = 1 [{option}]; }}"
        )
    };
    let cpp = |value: &str| with("cpp_features", &format!("features.(pb.cpp).string_type = {value}"));
    assert_eq!(broken(&cpp("STRING"), &cpp("CORD")), ["2 FIELD_SAME_CPP_STRING_TYPE"]);
    // The option and the feature say the same.
    assert_eq!(broken(&with("cpp_features", "ctype = CORD"), &cpp("CORD")), [""; 0]);
    let java = |value: &str| {
        with(
            "java_features",
            &format!("features.(pb.java).utf8_validation = {value}, features.utf8_validation = NONE"),
        )
    };
    assert_eq!(broken(&java("DEFAULT"), &java("VERIFY")), ["2 FIELD_SAME_JAVA_UTF8_VALIDATION"]);
}

#[test]
fn names_are_found_again() {
    for rule in Rule::ALL {
        assert_eq!(rule.id().parse(), Ok(*rule));
        assert!(rule.categories().next().is_some() && rule.text().ends_with('.'), "{rule}");
    }
    for category in Category::ALL {
        assert_eq!(category.to_string().parse(), Ok(category));
        assert!(Rule::ALL.iter().any(|rule| rule.categories().any(|it| it == category)));
    }
    assert_eq!("CTYPE".parse::<Category>().unwrap_err().to_string(), "there is no such rule or category");
}

/// Where this crate differs from buf 1.75 on purpose, in its own cases: the case, and why.
const DIFFERENT: [(&str, &str); 5] = [
    // The option of the file that says so stands before all fields; here it is the field that changes.
    ("breaking_field_same_java_utf8_validation", "the line is that of the field"),
    // A field of a proto2 file that is `required`, and of an edition that is LEGACY_REQUIRED.
    ("breaking_message_same_required_fields", "required by a feature is required"),
    ("breaking_file_no_delete", "a file that is gone has its old name"),
    (
        "breaking_package_no_delete",
        "enums that are gone are shown at the message around them, in whatever file that is",
    ),
    ("breaking_message_no_delete", "map entries go with their fields"),
];

/// What is read out of the test of buf: for each of its directories file, line and rule of each annotation.
fn expected(test: &str) -> BTreeMap<String, Vec<(String, usize, String)>> {
    let mut cases = BTreeMap::new();
    for case in test.split("testBreaking(\n").skip(1) {
        let body = case.split("\n\t)\n").next().unwrap_or_default();
        let mut lines = body.lines().skip(1);
        let name = lines.next().unwrap_or_default().trim().trim_matches(['"', ',']).to_owned();
        let annotations =
            lines.filter(|line| line.contains("NewFileAnnotation") && line.ends_with("),")).map(|line| {
                let parts: Vec<&str> =
                    line.split(',').map(|part| part.trim().trim_matches(['"', ')'])).collect();
                let rule = parts.iter().rev().find(|part| part.contains('_')).copied().unwrap_or_default();
                let (file, line) = match () {
                    () if line.contains("NoLocationOrPath") => ("", 0),
                    () if line.contains("NoLocation") => (parts[1], 0),
                    () => (parts[1], parts[2].parse().unwrap_or_default()),
                };
                (file.to_owned(), line, rule.to_owned())
            });
        cases.insert(name, annotations.collect());
    }
    cases
}

fn sources(root: &Path, at: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(at).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(root, &path, found);
        } else if path.extension().is_some_and(|end| end == "proto") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
#[ignore = "needs BUF_CHECK: private/bufpkg/bufcheck of the module github.com/bufbuild/buf"]
fn needs_go_cases_of_buf() {
    let root = std::env::var_os("BUF_CHECK").expect("BUF_CHECK is the directory with breaking_test.go");
    let root = Path::new(&root);
    let test = fs::read_to_string(root.join("breaking_test.go")).unwrap();
    let (mut same, mut wrong) = (0, Vec::new());
    for (name, annotations) in expected(&test) {
        let current = root.join("testdata/breaking/current").join(&name);
        if !current.is_dir() {
            continue;
        }
        // Without a file of its own a directory has the default.
        let config = fs::read_to_string(current.join("buf.yaml")).unwrap_or_default();
        // Rules of plugins, and files that are left out, are not of this crate.
        if ["plugin", "polic", "ignore", "except"].iter().any(|word| config.contains(word)) {
            continue;
        }
        let read = |side: &str| {
            let root = root.join("testdata/breaking").join(side).join(&name);
            let root = if root.join("root").is_dir() { root.join("root") } else { root };
            let mut found = Vec::new();
            sources(&root, &root, &mut found);
            let files: Vec<(&str, &str)> =
                found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            pool(&files)
        };
        // Rules that have other names by now.
        let now = |id: &str| match id {
            "FIELD_SAME_CTYPE" => vec!["FIELD_SAME_CPP_STRING_TYPE"],
            "FIELD_SAME_LABEL" => vec![
                "FIELD_SAME_CARDINALITY",
                "FIELD_WIRE_COMPATIBLE_CARDINALITY",
                "FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY",
            ],
            _ => vec![],
        };
        let listed = config.lines().filter_map(|line| line.trim().strip_prefix("- "));
        let used: Vec<&str> = listed.flat_map(|id| [vec![id], now(id)].concat()).collect();
        // Without a list it is the category FILE.
        let used = if used.is_empty() { vec!["FILE"] } else { used };
        let counts = |rule: Rule| {
            used.iter().any(|name| *name == rule.id() || rule.categories().any(|it| it.name() == *name))
        };
        let all = breaches(&read("previous"), &read("current"));
        let mut ours: Vec<_> = all
            .iter()
            .filter(|breach| counts(breach.rule()))
            .map(|breach| (breach.file().to_owned(), breach.line(), breach.rule().id().to_owned()))
            .collect();
        let mut theirs = annotations;
        // No place is line 1 for some of their annotations.
        let plain = |list: &mut Vec<(String, usize, String)>| {
            for (file, line, rule) in list.iter_mut() {
                *line = if *line == 1 { 0 } else { *line };
                if *line == 0 && (rule == "FILE_NO_DELETE" || rule.starts_with("PACKAGE_")) {
                    file.clear();
                }
            }
            list.sort();
        };
        plain(&mut ours);
        plain(&mut theirs);
        if ours == theirs {
            same += 1;
        } else if !DIFFERENT.iter().any(|(case, _)| *case == name) {
            wrong.push(format!("{name}\n  ours   {ours:?}\n  theirs {theirs:?}"));
        } else {
            println!("{name}\n  ours   {ours:?}\n  theirs {theirs:?}");
        }
    }
    println!("{same} cases are the same");
    assert!(wrong.is_empty() && same >= 40, "{same} the same\n{}", wrong.join("\n"));
}

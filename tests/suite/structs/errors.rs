//! Mistakes in a listing are compile errors that name the field.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library with `reflect` only, for which there is nothing to download: its metadata, built once.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
        std::fs::create_dir_all(dir.join("src")).unwrap();
        let manifest = format!(
            "[package]\nname = \"library\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\ntablepb = {{ path = {:?}, default-features = false, features = [\"reflect\"] }}\n",
            env!("CARGO_MANIFEST_DIR")
        );
        std::fs::write(dir.join("Cargo.toml"), manifest).unwrap();
        std::fs::write(dir.join("src/lib.rs"), "").unwrap();
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--offline", "--message-format=json", "--target-dir"])
            .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("typed_errors"))
            .current_dir(&dir)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let messages = String::from_utf8(output.stdout).unwrap();
        let mut files =
            messages.split('"').filter(|part| part.ends_with(".rmeta") && part.contains("libtablepb-"));
        PathBuf::from(files.next().unwrap())
    })
}

pub fn compiler() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Checks a library of this source; what the compiler says, if it is not content.
fn check(name: &str, source: &str) -> Option<String> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("errors");
    std::fs::create_dir_all(&dir).unwrap();
    let file = format!("{name}.rs");
    std::fs::write(dir.join(&file), source).unwrap();
    let output = compiler()
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--out-dir=out", "--extern"])
        .arg(format!("tablepb={}", library().display()))
        .arg("-L")
        .arg(library().parent().unwrap())
        .arg(&file)
        .current_dir(&dir)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then_some(text)
}

#[test]
fn a_wrong_type_names_the_field() {
    // Fields around the one in question, so that the compiler does not show it just because it shows all.
    let padding =
        |range: std::ops::Range<u32>, text: &dyn Fn(u32) -> String| range.map(text).collect::<String>();
    let member = |i: u32| format!("pad{i}: u32,\n");
    let field = |i: u32| format!("pad{i}: uint32 = {i},\n");
    let listing = |members: &str, fields: &str| {
        let members = padding(100..120, &member) + members;
        let fields = padding(100..110, &field) + fields + ",\n" + &padding(110..120, &field);
        format!(
            "#[derive(Default)] pub struct Project {{\n{members}\n}}\n\
             #[derive(Default)] pub struct Other {{}}\n\
             pub enum Value {{ Number(i32), Text(String) }}\n\
             tablepb::message! {{\n    Project as \"example.Project\" {{\n{fields}\n    }}\n\
                 Other as \"example.Other\" {{}}\n}}\n"
        )
    };
    let right = "name: string = 1,\nid: optional int32 = 2,\ntags: repeated string = 3,\nparent: message Other = 4,\n\
                 value: oneof Value { Number: int32 = 5, Text: string = 6 },\nrest: unknown_fields,\n\
                 late: message Other = 7";
    let members = "name: String, id: Option<i32>, tags: Vec<String>, parent: Option<Other>, value: Option<Value>, \
                   rest: tablepb::UnknownFieldSet, late: tablepb::Lazy<Other>";
    assert_eq!(check("typed_right", &listing(members, right)), None);

    // Member types, fields, and the names that the errors must have beside those of the types.
    let wrong = [
        ("distinctive: u64", "distinctive: string = 1", &["distinctive: string", "u64"][..]),
        ("distinctive: i32", "distinctive: int64 = 1", &["distinctive: int64", "i32"]),
        ("distinctive: Vec<i32>", "distinctive: int32 = 1", &["distinctive: int32", "Vec<i32>"]),
        ("distinctive: String", "distinctive: repeated string = 1", &["distinctive: repeated", "String"]),
        ("distinctive: i32", "distinctive: required int32 = 1", &["distinctive: required", "i32"]),
        (
            "distinctive: Option<Other>",
            "distinctive: message Project = 1",
            &["distinctive: message", "Option<Other>"],
        ),
        (
            "distinctive: tablepb::Lazy<Other>",
            "distinctive: message Project = 1",
            &["distinctive: message", "Lazy<Other>"],
        ),
        (
            "distinctive: tablepb::Lazy<Other>",
            "distinctive: repeated message Other = 1",
            &["distinctive: repeated", "Lazy<Other>"],
        ),
        ("distinctive: tablepb::Lazy<u64>", "distinctive: uint64 = 1", &["distinctive: uint64", "Lazy<u64>"]),
        ("distinctive: u8", "distinctive: unknown_fields", &["distinctive: unknown_fields", "u8"]),
        ("other: u32", "distinctive: uint32 = 1", &["distinctive"]),
        (
            "v: Option<Value>",
            "v: oneof Value { Number: int64 = 1, Text: string = 2 }",
            &["Number: int64", "i32"],
        ),
        ("v: Option<Value>", "v: oneof Value { Number: int32 = 1 }", &["Text"]),
        (
            "distinctive: Value",
            "distinctive: oneof Value { Number: int32 = 1, Text: string = 2 }",
            &["distinctive: oneof"],
        ),
        ("n: u32", "n: uint33 = 1", &["uint33"]),
        ("n: u32, o: u32", "n: uint32 = 1, o: uint32 = 1", &["`n` and `o` have the same field number"]),
        (
            "max_n: u32, maxN: u32",
            "max_n: uint32 = 1, maxN: uint32 = 2",
            &["`max_n` and `maxN` have the same name in JSON"],
        ),
        (
            "n: u32",
            "n: uint32 = 1 [default = 5]",
            &["`n`: in proto3 a field without presence has no default"],
        ),
        ("n: u32", "n: uint32 = 0", &["`n`: field numbers are 1 to 536870911"]),
        ("n: u32", "n: uint32 = 1 [deprecated = true]", &["options of a field are"]),
    ];
    for (i, (members, fields, names)) in wrong.into_iter().enumerate() {
        let text = check(&format!("typed_wrong_{i}"), &listing(members, fields));
        let text = text.unwrap_or_else(|| panic!("`{fields}` for `{members}` compiles"));
        for name in names {
            assert!(text.contains(name), "no `{name}` in:\n{text}");
        }
    }
}

#[test]
fn a_wrong_number_of_an_enum_does_not_compile() {
    let source = "#[derive(Clone, Copy)] pub enum Color { Red = 0, Green = 1 }\n\
                  tablepb::enumeration! { Color as \"example.Color\" { Red = 0, Green = 2 } }";
    let text = check("typed_enum", source).unwrap();
    assert!(text.contains("a number of the listing is not that of the variant"), "{text}");
}

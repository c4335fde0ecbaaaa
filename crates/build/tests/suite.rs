//! What is written for schemas, and how: as prost-build does where the idea is the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tablepb::{DescriptorPool, Message, message};
use tablepb_build::{Config, File, MapType, OpenEnumType, Service, TextType, plugin};
use tablepb_schema::SourceBuilder;

fn protos() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos")
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn pool(source: &str) -> DescriptorPool {
    SourceBuilder::new().source("a.proto", source).include_source_info(true).build().unwrap()
}

fn app() -> DescriptorPool {
    SourceBuilder::new().include(protos()).file("app/app.proto").include_source_info(true).build().unwrap()
}

fn files(config: &mut Config, pool: &DescriptorPool) -> Vec<File> {
    config.generate(pool).unwrap()
}

#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "{part}\nis not in\n{text}");
}

/// All options, so that each way of writing is formatted.
fn configs() -> Vec<Config> {
    let parameters = [
        &[][..],
        &["unknown_fields", "open_enums=value", "map_type=.=btree", "strip_enum_prefix=false", "bytes=."],
        &["open_enums=listed", "string_type=.=cow", "bytes_type=.=borrowed", "map_type=.=small", "lazy=deep"],
        &["no_std", "disable_comments=.", "boxed=total", "lazy=."],
        &[
            "type_attribute=.=#[allow(dead_code)]",
            "field_attribute=.=#[doc(hidden)]",
            "string_type=.=borrowed",
        ],
        &["serde=.", "string_type=.=shared", "bytes=.", "map_type=.=hash"],
    ];
    let config = |texts: &&[&str]| {
        let mut config = Config::new();
        texts.iter().for_each(|text| _ = config.parameter(text).unwrap());
        config.include_file("mod.rs").out_dir("unused");
        config
    };
    parameters.iter().map(config).collect()
}

#[test]
fn files_are_as_rustfmt_leaves_them() {
    for (i, mut config) in configs().into_iter().enumerate() {
        let directory = directory(&format!("formatted{i}"));
        let files = files(&mut config, &app());
        assert_eq!(files.len(), 4);
        files.iter().for_each(|file| file.write(&directory).unwrap());
        std::fs::write(directory.join("rustfmt.toml"), "").unwrap();
        let paths = files.iter().map(|file| directory.join(file.name()));
        let output = Command::new("rustfmt")
            .args(["--check", "--edition", "2024", "--color", "never"])
            .args(paths)
            .output();
        // Without rustfmt there is nothing to compare with.
        let changes = output.map_or(String::new(), |output| String::from_utf8(output.stdout).unwrap());
        assert_eq!(changes, "", "{i}");
    }
}

/// All options compile, without a warning, also of rustdoc, and what is documented in the schema is in Rust.
#[test]
fn files_compile_without_a_warning() {
    let directory = directory("compiled");
    std::fs::create_dir_all(directory.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"written\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\n\
         tablepb = {{ path = {:?}, features = [\"bytestring\", \"serde\"] }}\n",
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    );
    std::fs::write(directory.join("Cargo.toml"), manifest).unwrap();
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    std::fs::copy(lock, directory.join("Cargo.lock")).unwrap();
    let mut root = String::from("#![deny(warnings)]\nextern crate alloc;\n");
    for (i, mut config) in configs().into_iter().enumerate() {
        let inner = directory.join(format!("src/m{i}"));
        files(&mut config, &app()).iter().for_each(|file| file.write(&inner).unwrap());
        root += &format!("pub mod m{i};\n");
    }
    let documented = r#"
        syntax = "proto3";
        // P
        package documented;
        // M
        message M {
            // a
            int32 a = 1;
            // o
            oneof o {
                // b
                E b = 2;
            }
            // E
            enum E {
                // Z
                Z = 0;
            }
            // e
            optional E e = 3;
        }
    "#;
    let mut config = Config::new();
    config.unknown_fields(true);
    let written = &files(&mut config, &pool(documented))[0];
    written.write(&directory.join("src")).unwrap();
    root += "/// All is documented.\n#[deny(missing_docs)]\npub mod documented;\n";
    std::fs::write(directory.join("src/lib.rs"), root).unwrap();
    for command in [&["check"][..], &["doc", "--no-deps"]] {
        let output = Command::new(env!("CARGO"))
            .args(command)
            .args(["--quiet", "--offline", "--target-dir"])
            .arg(directory.join("target"))
            .env("RUSTDOCFLAGS", "-Dwarnings")
            .current_dir(&directory)
            .output();
        let output = output.unwrap();
        assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_same_schema_is_the_same_text() {
    let first = files(&mut configs()[0], &app());
    assert_eq!(first, files(&mut configs()[0], &app()));
    let names: Vec<_> = first.iter().map(|file| (file.name(), file.package())).collect();
    let expected = [
        ("app.v1.rs", Some("app.v1")),
        ("base.rs", Some("base")),
        ("base.inner.rs", Some("base.inner")),
        ("mod.rs", None),
    ];
    assert_eq!(names, expected);
}

#[test]
fn attributes_stand_where_their_paths_say() {
    let source = r#"
        syntax = "proto3"; package p;
        message M { E e = 1; oneof o { string s = 2; } message In { int32 e = 1; } }
        enum E { E_A = 0; }
    "#;
    let mut config = Config::new();
    config
        .type_attribute(".", "#[t]")
        .message_attribute("M", "#[m]")
        .message_attribute(".p.M", "#[all]")
        .enum_attribute("p.E", "#[e]")
        .oneof_attribute(".p", "#[o]")
        .field_attribute("M.e", "#[f]")
        .field_attribute("o", "#[of]")
        .field_attribute(".p.M.o.s", "#[s]")
        .field_attribute("E_A", "#[a]");
    let file = &files(&mut config, &pool(source))[0];
    let text = file.content();
    has(
        text,
        "#[t]\n#[m]\n#[all]\npub struct M {\n    #[f]\n    pub e: i32,\n    #[of]\n    pub o: Option<m::O>,\n}",
    );
    has(text, "    #[t]\n    #[all]\n    pub struct In {\n        pub e: i32,");
    has(text, "#[t]\n#[e]\npub enum E {\n    #[a]\n    #[default]\n    A = 0,");
    has(text, "    #[t]\n    #[o]\n    pub enum O {\n        #[s]\n        S(String),");
    assert_eq!(text.matches("#[of]").count(), 1);
}

#[test]
fn members_have_the_types_that_are_asked_for() {
    let source = r#"
        syntax = "proto3"; package p;
        message M {
            bytes a = 1; bytes b = 2; string c = 3; map<string, bytes> d = 4; N e = 5; N f = 6; repeated N g = 7;
            oneof o { N h = 8; bytes i = 9; }
        }
        message N { int32 x = 1; }
    "#;
    let mut config = Config::new();
    config
        .bytes(["M.a", ".p.M.d"])
        .bytes_type(TextType::Cow, ["i"])
        .string_type(TextType::Borrowed, [".p.M"])
        .map_type(MapType::SmallMap, ["d"])
        .boxed(".p.M.e")
        .boxed("h")
        .lazy(["f", "g"]);
    let file = &files(&mut config, &pool(source))[0];
    let text = file.content();
    for line in [
        "pub a: tablepb::bytes::Bytes,",
        "pub b: Vec<u8>,",
        "pub c: &'a str,",
        "pub d: tablepb::SmallMap<&'a str, tablepb::bytes::Bytes>,",
        "pub e: Option<Box<N>>,",
        "pub f: Option<tablepb::Lazy<N>>,",
        "pub g: Vec<N>,",
        "H(Box<super::N>),",
        "I(std::borrow::Cow<'a, [u8]>),",
        "#[derive(Clone, Debug, Default, PartialEq, Eq)]\npub struct M<'a> {",
        "#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]\npub struct N {",
    ] {
        has(text, line);
    }
}

#[test]
fn open_enums_are_what_is_asked_for() {
    let source = r#"syntax = "proto3"; package p; enum E { E_A = 0; E_B = 1; } message M { E a = 1; optional E b = 2; }"#;
    for (open, a, b) in [
        (OpenEnumType::Number, "pub a: i32,", "pub fn b(&self) -> E {"),
        (
            OpenEnumType::EnumValue,
            "pub a: tablepb::EnumValue<E>,",
            "pub fn b(&self) -> tablepb::EnumValue<E> {",
        ),
        (OpenEnumType::Listed, "pub a: E,", "pub fn b(&self) -> E {"),
    ] {
        let file = &files(Config::new().open_enums(open), &pool(source))[0];
        has(file.content(), a);
        has(file.content(), b);
        assert_eq!(file.content().contains("pub fn a(&self)"), open == OpenEnumType::Number);
    }
    let plain = &files(Config::new().strip_enum_prefix(false), &pool(source))[0];
    has(plain.content(), "    EA = 0,");
}

#[test]
fn types_with_a_path_are_not_written() {
    let source = r#"
        syntax = "proto3"; package p.q;
        message M { Other.In a = 1; E b = 2; }
        message Other { message In { int32 x = 1; } }
        enum E { A = 0; }
        service S { rpc Do(Other) returns (M); }
    "#;
    let mut config = Config::new();
    config.extern_path(".p.q.Other", "::other::Thing").extern_path(".p.q.E", "crate::E");
    config.service_generator(|service: &Service, out: &mut String| {
        let method = &service.methods[0];
        *out += &format!(
            "// {} {}: {} -> {}\n",
            service.name, method.name, method.input_type, method.output_type
        );
    });
    let text = files(&mut config, &pool(source))[0].content().to_owned();
    has(&text, "pub a: Option<::other::Thing::In>,");
    has(&text, "b: enum crate::E = 2,");
    has(&text, "// S r#do: ::other::Thing -> M\n");
    assert!(!text.contains("struct Other") && !text.contains("enum E"), "{text}");
    // A package.
    let mut config = Config::new();
    config.extern_path(".p", "::p");
    let pool = SourceBuilder::new()
        .source("a.proto", source)
        .source(
            "b.proto",
            "syntax = \"proto3\"; package r; import \"a.proto\"; message R { p.q.Other.In a = 1; }",
        )
        .build()
        .unwrap();
    let files = files(&mut config, &pool);
    assert_eq!(files.iter().map(|file| file.name()).collect::<Vec<_>>(), ["p.q.rs", "r.rs"]);
    has(files[1].content(), "pub a: Option<::p::q::other::In>,");
}

#[test]
fn only_what_is_wanted_and_needed_is_written() {
    let source = r#"
        syntax = "proto3"; package p;
        message A { B b = 1; } message B { E e = 1; } enum E { Z = 0; } message C { message D {} } enum F { Y = 0; }
        service S { rpc Do(C.D) returns (C.D); } service T { rpc Do(A) returns (A); }
    "#;
    let names = |config: &mut Config| {
        config.service_generator(|service: &Service, out: &mut String| {
            *out += &format!("pub struct {} {{\n", service.name)
        });
        let text =
            files(config, &pool(source)).iter().map(|file| file.content().to_owned()).collect::<String>();
        let name = |line: &str| {
            Some(line.trim().strip_prefix("pub ")?.split_once(' ')?.1.split(' ').next()?.to_owned())
        };
        let lines = text.lines().filter(|line| line.contains("pub struct") || line.contains("pub enum"));
        lines.filter_map(name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&mut Config::new()), "E F A B C D S T");
    assert_eq!(names(Config::new().only(["A"])), "E A B");
    assert_eq!(names(Config::new().only([".p.S"])), "D S");
    assert_eq!(names(Config::new().only([".p.C", "F"])), "F C D");
    assert_eq!(names(Config::new().except([".p.C", "T", "B"])), "E F A B D S");
    assert_eq!(names(Config::new().only(["."]).except([".p"])), "");
}

#[test]
fn packages_and_messages_of_one_name_are_apart() {
    let pool = SourceBuilder::new()
        .source(
            "a.proto",
            "syntax = \"proto3\"; package a; message B { message C {} } message D { B.C c = 1; }",
        )
        .source("b.proto", "syntax = \"proto3\"; package a.b; message C {}")
        .source("c.proto", "syntax = \"proto3\"; message Root {}")
        .build()
        .unwrap();
    let files = files(Config::new().include_file("all.rs"), &pool);
    let names: Vec<_> = files.iter().map(File::name).collect();
    assert_eq!(names, ["_.rs", "a.rs", "a.b.rs", "all.rs"]);
    has(files[1].content(), "pub mod b_ {");
    has(files[1].content(), "pub c: Option<b_::C>,");
    let modules = "\
include!(concat!(env!(\"OUT_DIR\"), \"/_.rs\"));
/// Package `a`.
pub mod a {
    include!(concat!(env!(\"OUT_DIR\"), \"/a.rs\"));
    /// Package `a.b`.
    pub mod b {
        include!(concat!(env!(\"OUT_DIR\"), \"/a.b.rs\"));
    }
}
";
    has(files[3].content(), modules);
    let error = Config::new().default_package_filename("a").generate(&pool).unwrap_err();
    assert_eq!(error.to_string(), "two packages would be in a.rs: see default_package_filename");
}

#[test]
fn files_are_written_once() {
    let directory = directory("written");
    let set = directory.join("set.binpb");
    let compile = || {
        let mut config = Config::new();
        config.out_dir(&directory).file_descriptor_set_path(&set);
        config.compile(&[protos().join("app/app.proto")], &[protos()])
    };
    compile().unwrap();
    let path = directory.join("app.v1.rs");
    let time = || std::fs::metadata(&path).unwrap().modified().unwrap();
    let first = time();
    compile().unwrap();
    assert_eq!(time(), first);
    let pool = DescriptorPool::decode(&std::fs::read(&set).unwrap()).unwrap();
    has(&pool.file("app/app.proto").unwrap().to_proto(), "// An order, see");
}

#[test]
fn faults_have_their_places() {
    let directory = directory("faults");
    std::fs::write(directory.join("a.proto"), "syntax = \"proto3\";\nmessage M { strin a = 1; }\n").unwrap();
    let compile = |file: &str| {
        let mut config = Config::new();
        config.out_dir(directory.join("out")).compile(&[directory.join(file)], &[&directory]).unwrap_err()
    };
    let error = compile("a.proto");
    let text = "a.proto:2:13: type not found: strin\n  | message M { strin a = 1; }\n  |             ^^^^^";
    assert_eq!(error.to_string(), text);
    assert_eq!(format!("{error:?}"), text);
    has(&compile("b.proto").to_string(), "b.proto");
    assert!(!directory.join("out").exists());
    let error = tablepb_build::compile(&["x/y.proto"], &["z"]).unwrap_err();
    assert_eq!(error.to_string(), "x/y.proto is in none of the directories of includes: z");
}

#[test]
fn parameters_say_what_they_take() {
    let mut config = Config::new();
    for (text, message) in [
        ("bites", "unknown option bites"),
        ("bytes", "bytes takes a path, and not \"\""),
        ("no_std=maybe", "no_std takes true or false, and not \"maybe\""),
        ("type_attribute=x", "type_attribute takes PATH=VALUE, and not \"x\""),
        ("map_type=.=tree", "map_type takes PATH=btree, hash or small, and not \".=tree\""),
        ("open_enums=all", "open_enums takes number, value or listed, and not \"all\""),
        ("string_type=.=x", "string_type takes PATH=owned, borrowed, cow or shared, and not \".=x\""),
    ] {
        assert_eq!(config.parameter(text).unwrap_err().to_string(), message);
    }
}

#[derive(Default)]
struct Request {
    names: Vec<String>,
    parameter: String,
    files: Vec<Vec<u8>>,
}
#[derive(Default)]
struct Response {
    error: String,
    features: u64,
    minimum: i32,
    maximum: i32,
    files: Vec<Generated>,
}
#[derive(Debug, Default, PartialEq)]
struct Generated {
    name: String,
    content: String,
}
message! {
    Request as "t.Request" { names as "a": repeated string = 1, parameter: string = 2, files as "b": repeated bytes = 15 }
    Response as "t.Response" {
        error: string = 1,
        features: uint64 = 2,
        minimum: int32 = 3,
        maximum: int32 = 4,
        files: repeated message Generated = 15,
    }
    Generated as "t.Generated" { name: string = 1, content: string = 15 }
}

fn ask(names: &[&str], parameter: &str) -> Response {
    let pool = app();
    let files = pool.files().map(|file| file.file_descriptor_proto_bytes().to_vec()).collect();
    let names = names.iter().map(|name| (*name).into()).collect();
    let request = Request { names, parameter: parameter.into(), files }.encode_to_vec().unwrap();
    Response::decode(&plugin::respond(&request, &mut Config::new()).unwrap()).unwrap()
}

#[test]
fn the_plugin_writes_the_packages_that_are_asked_for() {
    let response =
        ask(&["app/app.proto", "base/inner.proto"], "include_file=mod.rs,field_attribute=id=#[a(1\\,2)]");
    assert_eq!((response.error.as_str(), response.features), ("", 3));
    assert_eq!((response.minimum, response.maximum), (998, 1001));
    let names: Vec<_> = response.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["app.v1.rs", "base.inner.rs", "mod.rs"]);
    has(&response.files[0].content, "    #[a(1,2)]\n    pub id: i64,");
    // As by a build script.
    let direct = files(&mut Config::new(), &app());
    assert_eq!(ask(&["base/base.proto"], "").files[0].content, direct[1].content());
    assert_eq!(ask(&["app/app.proto"], "bites=.").error, "unknown option bites");
    has(&ask(&["c.proto"], "").error, "c.proto");
    assert!(
        plugin::respond(b"\xff", &mut Config::new())
            .unwrap_err()
            .to_string()
            .starts_with("no request of protoc: ")
    );
}

/// protoc runs the program, of all editions and with what it knows of a schema.
#[test]
#[ignore = "needs protoc"]
fn needs_protoc_the_plugin_is_one_of_protoc() {
    let directory = directory("protoc");
    let output = Command::new("protoc")
        .arg(format!("--plugin={}", env!("CARGO_BIN_EXE_protoc-gen-tablepb")))
        .arg(format!("--tablepb_out={}", directory.display()))
        .arg("--tablepb_opt=include_file=mod.rs,bytes=.")
        .arg("-I")
        .arg(protos())
        .args(["app/app.proto", "base/base.proto", "base/inner.proto"])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut config = Config::new();
    config.bytes(["."]).include_file("mod.rs");
    for file in files(&mut config, &app()) {
        assert!(file.is_written(&directory), "{}", file.name());
    }
}

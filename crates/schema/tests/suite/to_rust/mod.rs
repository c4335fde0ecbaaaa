//! Descriptors as Rust source: what `to_rust` writes is formatted, compiles, and reads and writes the same bytes.
//!
//! One program is compiled against the library and run. `forms.proto` has every form that there is to write; the programs for
//! other options and for the messages of the conformance suite are compiled by ignored tests.

use crate::common::choices::Choices;
use crate::common::data::Data;
use crate::common::wire::Wire;
use crate::common::{rounds, schema_gen};
use std::path::{Path, PathBuf};
use std::process::Command;
use tablepb::DescriptorPool;
use tablepb::schema::PoolOptions;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};
use tablepb_schema::{MapType, OpenEnumType, RustOptions, SourceBuilder, TextType, diff, to_rust};

const HEAD: &str = include_str!("program.rs");

/// Builds this crate and gives its path and that of the library.
fn libraries() -> [PathBuf; 2] {
    let dir = directory().join("library");
    std::fs::create_dir_all(dir.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"to-rust\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         tablepb-schema = {{ path = {:?} }}\n",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::write(dir.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(dir.join("src/lib.rs"), "").unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--message-format=json", "--target-dir"])
        .arg(directory().join("target"))
        .current_dir(&dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).unwrap();
    ["libtablepb_schema", "libtablepb"].map(|name| {
        let is_it =
            |part: &&str| part.ends_with(&format!("/{name}.rlib")) || part.contains(&format!("/{name}-"));
        let mut files = messages.split('"').filter(|part| part.ends_with(".rlib")).filter(is_it);
        PathBuf::from(files.next().unwrap())
    })
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("to_rust")
}

/// Compiles modules and a `main` to a program, and runs it.
fn run(name: &str, modules: &[(&str, String)], main: &str, arguments: &[&Path]) {
    let [schema, library] = libraries();
    let dir = directory();
    let mut source = String::from(HEAD);
    for (module, text) in modules {
        source += &format!("mod {module} {{\n{text}}}\n\n");
    }
    source += main;
    let file = dir.join(format!("{name}.rs"));
    std::fs::write(&file, source).unwrap();
    let program = dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "-Adead_code", "-Dwarnings", "--extern"])
        .arg(format!("tablepb={}", library.display()))
        .arg("--extern")
        .arg(format!("tablepb_schema={}", schema.display()))
        .args([
            Path::new("-L"),
            schema.parent().unwrap(),
            Path::new("-L"),
            &schema.parent().unwrap().join("deps"),
        ])
        .arg("-o")
        .args([&program, &file])
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}:\n{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{name}:\n{}", String::from_utf8_lossy(&output.stderr));
}

/// What rustfmt would change; nothing if there is no rustfmt.
fn format_changes(name: &str, source: &str) -> String {
    std::fs::create_dir_all(directory()).unwrap();
    let file = directory().join(format!("{name}_formatted.rs"));
    std::fs::write(&file, source).unwrap();
    let output = Command::new("rustfmt")
        .args(["--check", "--edition", "2024", "--color", "never", "--config-path", "/"])
        .arg(&file)
        .output();
    output.map_or(String::new(), |output| String::from_utf8(output.stdout).unwrap())
}

#[track_caller]
fn assert_formatted(name: &str, source: &str) {
    let changes = format_changes(name, source);
    assert_eq!(changes, "", "{name}");
}

/// All sorts of options.
fn options() -> [RustOptions; 4] {
    let all = "Clone, Debug, PartialEq, Eq, Hash";
    let new = RustOptions::new;
    [
        new(),
        new().strings(TextType::Borrowed).bytes(TextType::Borrowed).derives(all).public(false),
        new()
            .strings(TextType::Cow)
            .bytes(TextType::Cow)
            .maps(MapType::HashMap)
            .open_enums(OpenEnumType::Number),
        new().maps(MapType::SmallMap).derives(all).open_enums(OpenEnumType::Listed).well_known_types(false),
    ]
}

const OTLP: &str = "
    let set = &arguments[0];
    use otlp::opentelemetry::proto::collector::{metrics::v1::*, trace::v1::*};
    let metrics = schema(set, \"opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest\");
    assert_eq!(check!(ExportMetricsServiceRequest, metrics, read(&arguments[1])), read(&arguments[1]));
    let traces = schema(set, \"opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest\");
    assert_eq!(check!(ExportTraceServiceRequest, traces, read(&arguments[2])), read(&arguments[2]));
";

fn main_of(bodies: &[&str]) -> String {
    let start = "fn main() {\n    let arguments: Vec<String> = std::env::args().skip(1).collect();\n";
    format!("{start}{}}}\n", bodies.concat())
}

fn otlp(data: Data) -> (String, [PathBuf; 3]) {
    let files = ["otlp/otlp.binpb", "otlp/otlp_metrics.binpb", "otlp/otlp_traces.binpb"];
    let pool = DescriptorPool::decode(&data.read(files[0])).unwrap();
    (to_rust(&pool, &RustOptions::new()), files.map(|name| data.path(name)))
}

mod forms {
    use super::*;

    pub(super) const MAIN: &str = "
    let forms = schema(&arguments[3], \"forms.v1.Everything\");
    check!(forms::Everything, forms.clone(), read(&arguments[4]));
    check!(forms::Everything, forms, b\"\\xf2\\x01\\x00\\xfa\\x01\\x00\".to_vec());
";

    pub(super) fn pool() -> DescriptorPool {
        SourceBuilder::new().source("forms.proto", include_str!("forms.proto")).build().unwrap()
    }

    /// The set and the payload, as files.
    pub(super) fn files() -> [PathBuf; 2] {
        let pool = pool();
        let everything = pool.message("forms.v1.Everything").unwrap();
        let message = tablepb::text::message_from_str(&everything, include_str!("forms.txtpb")).unwrap();
        std::fs::create_dir_all(directory()).unwrap();
        let files = ["forms.binpb", "forms_payload.binpb"].map(|name| directory().join(name));
        std::fs::write(&files[0], pool.encode_to_vec().unwrap()).unwrap();
        std::fs::write(&files[1], message.encode_to_vec().unwrap()).unwrap();
        files
    }

    #[test]
    fn is_formatted_with_all_options() {
        for (i, options) in options().iter().enumerate() {
            assert_formatted(&format!("forms{i}"), &to_rust(&pool(), options));
        }
    }

    #[test]
    fn names_are_those_of_prost() {
        let source = to_rust(&pool(), &RustOptions::new());
        for line in [
            "pub enum Color {\n    #[default]\n    Unspecified = 0,\n    Red = 1,\n    Color2d = 2,\n    Colored = -1,\n    Self_ = 7,\n}",
            "    Type as \"type\" = 4,",
            "    Off as \"STATE_OFF\" = -2147483648,",
            "pub struct HttpServer {",
            "pub struct HttpServer2 {",
            "pub struct Self_ {",
            "pub struct Self2 {",
            "    pub r#match: std::option::Option<keywords::Match>,",
            "    pub super_: std::string::String,",
            "        super_ as \"super\": string = 3,",
            "        foo_bar_2 as \"FooBar\": string = 8,",
            "        unknown_fields_2: unknown_fields,",
            "        _1: string = 10,",
            "        renamed: string = 13 [json_name = \"other \\\"name\\\"\"],",
            "pub enum Numbers2 {",
            "pub enum Numbers3 {",
            "        OneofGroup as \"oneof_group\": group everything::Inner = 62,",
            "    pub next: std::option::Option<std::boxed::Box<Everything>>,",
            "        d_state: enum State = 50 [default = r#type],",
        ] {
            assert!(
                source.contains(line) || source.contains(&line.replace('\n', "\n    ")),
                "{line}\n{source}"
            );
        }
    }

    #[test]
    fn a_type_has_what_it_needs_and_no_more() {
        let pool = pool();
        let deep = to_rust(&pool.message("forms.v1.Everything.Inner").unwrap(), &RustOptions::new());
        for (name, has) in [("Deep", true), ("Kind", true), ("Everything {", false), ("Color", false)] {
            assert_eq!(deep.contains(name), has, "{name}\n{deep}");
        }
        assert!(deep.starts_with("pub mod everything {\n    /// `forms.v1.Everything.Kind`.\n"), "{deep}");
        let state = to_rust(&pool.enumeration("forms.v1.State").unwrap(), &RustOptions::new());
        assert!(state.starts_with("/// `forms.v1.State`.\n") && !state.contains("struct"), "{state}");
        let file = to_rust(&pool.file("google/protobuf/timestamp.proto").unwrap(), &RustOptions::new());
        assert!(file.contains("pub struct Timestamp {"), "{file}");
        assert!(!to_rust(&pool, &RustOptions::new()).contains("struct Timestamp"));
    }

    #[test]
    fn what_has_no_listing_is_a_comment() {
        let source = "syntax = \"proto2\"; package p;
            message M { extensions 4 to 9; } extend M { optional int32 x = 5; }
            enum E { option allow_alias = true; A = 1; B = 1; }
            message Set { option message_set_wire_format = true; extensions 4 to max; }
            service S { rpc Get(M) returns (M); }";
        let pool = SourceBuilder::new().source("a.proto", source).build().unwrap();
        let source = to_rust(&pool, &RustOptions::new());
        for comment in [
            "        // The extension p.x = 5 has no listing.",
            "        A as \"A\" | \"B\" = 1,",
            "        // The items of a MessageSet have no listing.",
            "// The service p.S has no listing.",
        ] {
            assert!(source.lines().any(|line| line == comment), "{comment}\n{source}");
        }
        assert_formatted("comments", &source);
    }

    #[test]
    #[ignore = "long"]
    fn other_options_compile_and_round_trip() {
        for (i, options) in options().iter().enumerate().skip(1) {
            let text = to_rust(&pool(), options);
            let mut main = main_of(&[MAIN]);
            // The well-known types that are written are of another package.
            let module = if text.contains("mod protobuf") {
                "forms::forms::v1::Everything"
            } else {
                "forms::Everything"
            };
            let words = [
                ("forms::Everything", module),
                ("arguments[3]", "arguments[0]"),
                ("arguments[4]", "arguments[1]"),
            ];
            words.iter().for_each(|(word, other)| main = main.replace(word, other));
            let files = files();
            run(&format!("options{i}"), &[("forms", text)], &main, &files.each_ref().map(|f| f.as_path()));
        }
    }
}

#[test]
fn a_program_reads_and_writes_the_same() {
    let (otlp, files) = otlp(Data::Made);
    assert_formatted("otlp", &otlp);
    let (modules, main, files) = {
        let files: Vec<PathBuf> = files.into_iter().chain(forms::files()).collect();
        (
            vec![("otlp", otlp), ("forms", to_rust(&forms::pool(), &RustOptions::new()))],
            main_of(&[OTLP, forms::MAIN]),
            files,
        )
    };
    let files: Vec<&Path> = files.iter().map(|file| file.as_path()).collect();
    run("program", &modules, &main, &files);
}

/// The messages of the conformance suite, in proto2, proto3 and editions: what the dynamic message accepts, the struct
/// accepts, and both write the same.
#[test]
#[ignore = "needs recorded data, long"]
fn conformance_messages_round_trip_needs_data() {
    const MAIN: &str = "
    let pool = DescriptorPool::decode(&read(&arguments[3])).unwrap();
    let cases = read(&arguments[4]);
    let (mut rest, mut checked) = (&cases[..], 0);
    macro_rules! by_name {
        ($case:ident, $payload:ident, $($name:literal $type:ty),+) => {
            match $case.message_type.as_str() {
                $($name => {
                    let schema = pool.message($name).unwrap();
                    let message = tablepb::DynamicMessage::decode(&schema, &$payload);
                    let typed = <$type>::decode(&$payload);
                    match (message, typed) {
                        (Ok(message), Ok(typed)) => {
                            let bytes = typed.encode_to_vec().unwrap();
                            let again = tablepb::DynamicMessage::decode(&schema, &bytes).unwrap();
                            assert_eq!(canonical(&again), canonical(&message));
                            checked += 1;
                        }
                        (Err(_), Err(_)) => checked += 1,
                        // proto2 strings of any bytes.
                        (Ok(_), Err(error)) if error.to_string().contains(\"UTF-8\") => {}
                        (message, typed) => panic!(\"{}: {message:?} {:?}\", $name, typed.map(|_| ())),
                    }
                })+
                _ => {}
            }
        };
    }
    while !rest.is_empty() {
        let mut next = || {
            let (len, after) = rest.split_at(4);
            let (part, after) = after.split_at(u32::from_le_bytes(len.try_into().unwrap()) as usize);
            rest = after;
            part
        };
        let case = messages::conformance::ConformanceRequest::decode(next()).unwrap();
        next();
        use messages::conformance::conformance_request::Payload;
        let Some(Payload::ProtobufPayload(payload)) = &case.payload else { continue };
        by_name!(case, payload,
            \"protobuf_test_messages.proto3.TestAllTypesProto3\" messages::protobuf_test_messages::proto3::TestAllTypesProto3,
            \"protobuf_test_messages.proto2.TestAllTypesProto2\" messages::protobuf_test_messages::proto2::TestAllTypesProto2,
            \"protobuf_test_messages.editions.TestAllTypesEdition2023\" messages::protobuf_test_messages::editions::TestAllTypesEdition2023,
            \"protobuf_test_messages.editions.proto3.TestAllTypesProto3\" messages::protobuf_test_messages::editions::proto3::TestAllTypesProto3,
            \"protobuf_test_messages.editions.proto2.TestAllTypesProto2\" messages::protobuf_test_messages::editions::proto2::TestAllTypesProto2);
    }
    assert!(checked > 1000, \"{checked}\");
";
    let set = Data::Recorded.read("conformance/test_messages.binpb");
    let options = RustOptions::new().well_known_types(false);
    let text = to_rust(&DescriptorPool::decode(&set).unwrap(), &options);
    assert_formatted("conformance", &text);
    let (otlp, files) = otlp(Data::Recorded);
    let cases = ["conformance/test_messages.binpb", "conformance/cases.bin"].map(|n| Data::Recorded.path(n));
    let files: Vec<&Path> = files.iter().chain(&cases).map(|file| file.as_path()).collect();
    run("conformance", &[("otlp", otlp), ("messages", text)], &main_of(&[OTLP, MAIN]), &files);
}

static HARD: EnumTable = EnumTable::new("a.b.Hard", &[("HARD_YES", 0)]).closed();
static LEAF: MessageTable = MessageTable::new("a.Leaf", &[FieldTable::new("x", 1, Kind::Float)]);
static TREE: MessageTable = MessageTable::new(
    "a.b.Tree",
    &[
        FieldTable::new("leaf", 1, Kind::Message(|| &LEAF)).required(),
        FieldTable::map("hard", 2, Kind::Int32, Kind::Enum(|| &HARD)),
    ],
)
.syntax(Syntax::Proto2);

/// Types of several packages are in modules, and refer to each other from there; types with floating point numbers have
/// no `Eq`.
#[test]
fn packages_are_modules() {
    let pool = DescriptorPool::from_tables(&[&TREE]).unwrap();
    let tree = pool.message("a.b.Tree").unwrap();
    let options = RustOptions::new().derives("Eq, PartialEq, Hash").unknown_fields(false);
    let source = to_rust(&tree, &options);
    assert_formatted("packages", &source);
    let text = "    pub mod b {
        /// `a.b.Hard`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Hard {";
    assert!(source.contains(text), "{source}");
    let text = "        #[derive(Default, PartialEq)]
        pub struct Tree {
            pub leaf: Option<super::Leaf>,
            pub hard: std::collections::BTreeMap<i32, Hard>,
        }

        tablepb::message! {
            Tree as \"a.b.Tree\" syntax \"proto2\" {
                leaf: required message super::Leaf = 1,
                hard: map<int32, enum Hard> = 2,
            }
        }
";
    assert!(source.contains(text), "{source}");
}

/// No schema makes it panic, and a schema equals itself. Every random schema is formatted, too, of which some are looked at.
#[test]
fn random_schemas() {
    for seed in 0..u64::from(rounds(120)) {
        let schema = schema_gen::schema(&mut Choices::seeded(seed), schema_gen::ALL);
        let pool = schema.pool();
        assert_eq!(diff(&pool, &pool), []);
        let sources = options().map(|options| to_rust(&pool, &options));
        let listings = sources[0].matches("tablepb::message! {").count();
        let messages = pool.all_messages().filter(|message| !message.is_map_entry()).count();
        assert_eq!(listings, messages, "seed {seed}");
        if seed % 16 == 0 {
            assert_formatted("random", &sources[1]);
        }
    }
}

/// A package of many components does not indent without bound, and equal names take linear time.
#[test]
fn hostile_names() {
    let package = vec!["a"; 68].join(".");
    let messages = (0..2_000).fold(Wire::new(), |file, i| {
        file.message(
            4,
            Wire::new().bytes(1, format!("M{}", "_".repeat(i % 1000) + if i < 1000 { "" } else { "x" })),
        )
    });
    let file = Wire::new().bytes(1, "a.proto").bytes(2, &package).raw(&messages.0);
    let other = Wire::new().bytes(1, "b.proto").message(4, Wire::new().bytes(1, "N"));
    let set = Wire::new().message(1, file).message(1, other);
    let pool = PoolOptions::new().memory(1 << 30).decode(&set.0).unwrap();
    let source = to_rust(&pool, &RustOptions::new().unknown_fields(false));
    assert_eq!(source.matches("    pub struct M").count(), 2_000);
    assert_eq!(source.matches("pub struct M1000 ").count(), 1);
    assert!(source.lines().all(|line| !line.starts_with(&" ".repeat(80))));
}

/// A value with the name of a keyword can be a default: the listing says `r#type`, which the table once took for the name.
#[test]
fn regression_a_default_is_named_like_a_keyword() {
    use tablepb::Message;
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Word {
        Fn = 0,
        Type = 1,
    }
    tablepb::enumeration! { Word as "p.Word" syntax "proto2" { Fn as "fn" = 0, Type as "type" = 1 } }
    #[derive(Default)]
    struct Line {
        word: Option<Word>,
    }
    tablepb::message! { Line as "p.Line" syntax "proto2" { word: enum Word = 1 [default = r#type] } }
    assert_eq!(Line::TABLE.fields()[0].default(), Some(tablepb::table::DefaultValue::Enum("type")));
    let pool = DescriptorPool::from_tables(&[Line::TABLE]).unwrap();
    assert!(to_rust(&pool, &RustOptions::new()).contains("[default = r#type]"));
}

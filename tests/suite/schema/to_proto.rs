//! What `to_proto()` prints compiles, with protoc, to the descriptors it was printed from.
//!
//! `common/protoc.rs` says which protoc. Without any the tests say so and pass; sources of editions that it does not
//! know are left out, and named.

use crate::common::data::Data;
use crate::common::protoc::{Dir, Protoc};
use std::path::{Path, PathBuf};
use tablepb::schema::{Edition, FileDescriptor};
use tablepb::table::{DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax};
use tablepb::{DescriptorPool, MessageDescriptor, MessageView, ValueRef};

/// Every field of a message that is set, one line each. Comments are not compared, and an empty options message is
/// as good as none.
fn lines(view: MessageView<'_, '_>, path: &str, json_names: bool, out: &mut Vec<String>) {
    for (field, value) in view.fields() {
        let path = format!("{path}.{}", field.name());
        match value {
            _ if field.name() == "source_code_info" || field.name() == "json_name" && !json_names => {}
            ValueRef::Message(message) => lines(message, &path, json_names, out),
            ValueRef::List(list) => {
                for (i, element) in list.iter().enumerate() {
                    match element {
                        ValueRef::Message(message) => {
                            lines(message, &format!("{path}[{i}]"), json_names, out)
                        }
                        scalar => out.push(format!("{path}[{i}] = {scalar:?}")),
                    }
                }
            }
            other => out.push(format!("{path} = {other:?}")),
        }
    }
    for unknown in view.unknown_fields() {
        out.push(format!("{path} unknown {unknown:?}"));
    }
}

/// The file descriptor as lines, read with the custom options of its pool.
fn file_lines(file: &FileDescriptor, json_names: bool) -> Vec<String> {
    let pool = file.parent_pool();
    let own = pool.message("google.protobuf.FileDescriptorProto").ok();
    let message = own.unwrap_or_else(|| {
        DescriptorPool::descriptor_proto().message("google.protobuf.FileDescriptorProto").unwrap()
    });
    let proto = tablepb::DynamicMessage::decode(&message, file.file_descriptor_proto_bytes()).unwrap();
    let mut out = Vec::new();
    lines(proto.as_view(), file.name(), json_names, &mut out);
    let mut todo: Vec<MessageDescriptor> = file.messages().collect();
    while let Some(message) = todo.pop() {
        facts(&message, &mut out);
        todo.extend(message.child_messages());
    }
    out
}

/// What follows from features and syntax.
fn facts(message: &MessageDescriptor, out: &mut Vec<String>) {
    for field in message.fields().chain(message.extensions().map(|e| e.as_field())) {
        out.push(format!(
            "{} {} {:?} {:?} {:?} packed {} group {} presence {} utf8 {} {:?}",
            field.full_name(),
            field.json_name(),
            field.kind(),
            field.cardinality(),
            field.containing_oneof(),
            field.is_packed(),
            field.is_group(),
            field.supports_presence(),
            field.validates_utf8(),
            field.explicit_default(),
        ));
    }
}

#[track_caller]
fn assert_same(printed: &[String], original: &[String], name: &str) {
    for (a, b) in printed.iter().zip(original) {
        assert_eq!(a, b, "{name}: what was printed and compiled, and the original");
    }
    assert_eq!(printed.len(), original.len(), "{name}: number of lines");
}

/// Prints all files of a pool, compiles them, and compares.
fn round_trip(protoc: &Protoc, pool: &DescriptorPool, name: &str, json_names: bool) -> usize {
    let dir = Dir::new(name);
    let mut unknown: Vec<String> = Vec::new();
    let mut files = Vec::new();
    // Imported files first, so that a file is left out with what it needs.
    let mut sorted: Vec<FileDescriptor> = pool.files().collect();
    sorted.sort_by_key(depth);
    for file in sorted {
        let needs_unknown = file.dependencies().any(|d| unknown.iter().any(|u| u == d.name()));
        if needs_unknown || !protoc.knows(file.edition()) {
            eprintln!("left out: {} ({:?}), which this protoc does not know", file.name(), file.edition());
            unknown.push(file.name().into());
            continue;
        }
        dir.write(file.name(), &file.to_proto());
        files.push(file.name().to_string());
    }
    let set = protoc.compile(&dir.0, &files).unwrap_or_else(|e| panic!("{name}: {e}"));
    let again = DescriptorPool::decode(&set).unwrap();
    for file in &files {
        let (a, b) = (again.file(file).unwrap(), pool.file(file).unwrap());
        assert_same(&file_lines(&a, json_names), &file_lines(&b, json_names), file);
        assert_eq!(a.to_proto(), b.to_proto(), "{file}");
    }
    files.len()
}

/// The longest chain of imports below a file.
fn depth(file: &FileDescriptor) -> usize {
    file.dependencies().map(|d| depth(&d) + 1).max().unwrap_or(0)
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos")
}

fn fixture(protoc: &Protoc, name: &str) -> Option<DescriptorPool> {
    match protoc.compile(&fixtures(), &[name.into()]) {
        Ok(set) => Some(DescriptorPool::decode(&set).unwrap()),
        Err(error) => {
            eprintln!("left out: {name}, which this protoc does not know: {error}");
            None
        }
    }
}

#[test]
#[ignore = "needs protoc"]
fn our_sources() {
    let protoc = Protoc::find();
    for name in ["options", "proto2", "proto3", "edition2023", "edition2024", "edition2026"] {
        if let Some(pool) = fixture(&protoc, &format!("{name}.proto")) {
            round_trip(&protoc, &pool, name, true);
        }
    }
}

/// protoc does not write the feature that lifts a limit of edition 2026 to descriptor sets, and asks for it again.
#[test]
#[ignore = "needs protoc"]
fn more_parts_than_edition_2026_allows() {
    let protoc = Protoc::find();
    if !protoc.knows(Edition::Edition2026) {
        return eprintln!("left out: this protoc does not know edition 2026");
    }
    let lift = "option features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS;";
    let lines = |count: usize, line: &dyn Fn(usize) -> String| (1..=count).map(line).collect::<String>();
    let fields = lines(1501, &|i| format!("int32 f{i}a = {i};\n"));
    let members = lines(1201, &|i| format!("int32 m{i}a = {i};\n"));
    let oneofs = lines(1001, &|i| format!("oneof o{i}a {{ int32 p{i}a = {i}; }}\n"));
    let values = lines(1700, &|i| format!("E_V{i}A = {i};\n"));
    let source = format!(
        "edition = \"2026\"; package limits;
        message Fields {{ {lift} {fields} }}
        message Members {{ oneof all {{ {lift} {members} }} }}
        message Oneofs {{ {lift} {oneofs} }}
        enum E {{ {lift} E_UNKNOWN = 0; {values} }}"
    );
    let dir = Dir::new("limits-source");
    dir.write("limits.proto", &source);
    let set = protoc.compile(&dir.0, &["limits.proto".into()]).unwrap();
    let pool = DescriptorPool::decode(&set).unwrap();
    assert_eq!(pool.files().next().unwrap().to_proto().matches(lift).count(), 4);
    round_trip(&protoc, &pool, "limits", true);
}

#[test]
#[ignore = "needs recorded data and protoc"]
fn sets_of_others_needs_data() {
    let protoc = Protoc::find();
    for name in ["otlp/otlp.binpb", "conformance/test_messages.binpb"] {
        let pool = DescriptorPool::decode(&Data::Recorded.read(name)).unwrap();
        let files = round_trip(&protoc, &pool, &name.replace('/', "-"), true);
        eprintln!("{name}: {files} of {} files", pool.files().len());
    }
}

#[test]
#[ignore = "needs protoc"]
fn descriptor_proto() {
    let protoc = Protoc::find();
    let dir = Dir::new("well-known");
    let import = "google/protobuf/descriptor.proto";
    dir.write("all.proto", &format!("syntax = \"proto3\"; import \"{import}\";"));
    let set = protoc.compile(&dir.0, &["all.proto".into()]).unwrap();
    let pool = DescriptorPool::decode(&set).unwrap();
    round_trip(&protoc, &pool, "descriptor", true);

    let edition = pool.enumeration("google.protobuf.Edition").ok();
    if edition.is_none_or(|e| e.value("EDITION_UNSTABLE").is_err()) {
        eprintln!("left out: this protoc has an older descriptor.proto than tablepb");
        return;
    }
    // This crate's own tables have all that protoc's descriptor.proto has.
    let own = DescriptorPool::descriptor_proto();
    for message in pool.all_messages() {
        let ours = own.message(message.full_name()).ok();
        let ours = ours.unwrap_or_else(|| panic!("no {}", message.full_name()));
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        facts(&message, &mut expected);
        facts(&ours, &mut found);
        for line in expected {
            assert!(found.contains(&line), "{line}\n{found:#?}");
        }
        for range in message.extension_ranges() {
            assert!(ours.extension_ranges().any(|r| r == range), "{} {range:?}", message.full_name());
        }
    }
    for enumeration in pool.all_enums() {
        let ours = own.enumeration(enumeration.full_name()).unwrap();
        assert_eq!(ours.is_closed(), enumeration.is_closed());
        for value in enumeration.values() {
            let found = ours.value(value.name()).ok().map(|v| v.number());
            assert_eq!(found, Some(value.number()), "{value:?}");
        }
    }
}

static COLOR: EnumTable = EnumTable::new("tables.v1.Color", &[("RED", 0), ("GREEN", 1), ("LIME", 1)]);
static STATE: EnumTable = EnumTable::new("tables.v2.State", &[("ON", 1), ("OFF", 2)]).closed();
static PART: MessageTable = MessageTable::new(
    "tables.v2.Old.Part",
    &[FieldTable::new("text", 1, Kind::String), FieldTable::new("state", 2, Kind::Enum(|| &STATE))],
)
.syntax(Syntax::Proto2);
static OLD: MessageTable = MessageTable::new(
    "tables.v2.Old",
    &[
        FieldTable::new("must", 1, Kind::Int32).required(),
        FieldTable::new("part", 2, Kind::Message(|| &PART)).delimited(),
        FieldTable::new("state", 3, Kind::Enum(|| &STATE)).default_value(DefaultValue::Enum("OFF")),
        FieldTable::new("raw", 4, Kind::Bytes).default_value(DefaultValue::Bytes(b"\x00\"\xff\n")),
        FieldTable::new("ratio", 5, Kind::Double).default_value(DefaultValue::Float(f64::NEG_INFINITY)),
        FieldTable::new("list", 6, Kind::Sint32).repeated().packed(true),
        FieldTable::map("parts", 7, Kind::String, Kind::Message(|| &PART)),
        FieldTable::new("a", 8, Kind::Int32).oneof("choice"),
        FieldTable::new("b", 9, Kind::Message(|| &OLD)).oneof("choice"),
    ],
)
.syntax(Syntax::Proto2)
.extensions(&[(100, 199), (1000, 536_870_911)]);
static NEW: MessageTable = MessageTable::new(
    "tables.v1.New",
    &[
        FieldTable::new("old", 1, Kind::Message(|| &OLD)).repeated(),
        FieldTable::new("color", 2, Kind::Enum(|| &COLOR)).optional(),
        FieldTable::new("name", 3, Kind::String).json_name("Name"),
        FieldTable::map("counts", 4, Kind::Sfixed64, Kind::Double),
        FieldTable::new("loose", 5, Kind::Float).repeated().packed(false),
    ],
);
static MIXED: MessageTable = MessageTable::new(
    "tables.v2.Mixed",
    &[
        FieldTable::new("old", 1, Kind::Message(|| &OLD)),
        FieldTable::new("plain", 2, Kind::String),
        FieldTable::new("ints", 3, Kind::Int32).repeated(),
    ],
);

#[test]
#[ignore = "needs protoc"]
fn pools_of_tables() {
    let protoc = Protoc::find();
    let pool = DescriptorPool::from_tables(&[&NEW]).unwrap();
    assert_eq!(pool.message("tables.v2.Old").unwrap().parent_file().edition(), Edition::Proto2);
    round_trip(&protoc, &pool, "tables", false);
    let pool = DescriptorPool::from_tables(&[&NEW, &MIXED]).unwrap();
    assert_eq!(pool.message("tables.v2.Old").unwrap().parent_file().edition(), Edition::Edition2023);
    if protoc.knows(Edition::Edition2023) {
        round_trip(&protoc, &pool, "mixed", false);
    }
}

#[test]
#[ignore = "needs protoc"]
fn single_messages_and_enums() {
    let protoc = Protoc::find();
    for source in ["options.proto", "proto2.proto", "edition2023.proto"] {
        let Some(pool) = fixture(&protoc, source) else { continue };
        let dir = Dir::new(&format!("single-{source}"));
        for file in pool.files() {
            dir.write(file.name(), &file.to_proto());
        }
        let file = pool.file(source).unwrap();
        let top: Vec<MessageDescriptor> = file.messages().collect();
        let nested = top.iter().flat_map(|m| m.child_messages()).filter(|m| !m.is_map_entry()).take(2);
        for message in top.iter().cloned().chain(nested) {
            dir.write("single.proto", &message.to_proto());
            let set = protoc.compile(&dir.0, &["single.proto".into()]);
            let set = set.unwrap_or_else(|e| panic!("{message:?}: {e}\n{}", message.to_proto()));
            let again = DescriptorPool::decode(&set).unwrap();
            let again = again.message(message.full_name()).unwrap();
            let fields = |m: &MessageDescriptor| {
                let mut out = Vec::new();
                facts(m, &mut out);
                out.truncate(m.fields().len());
                out
            };
            assert_eq!(fields(&again), fields(&message));
            assert_eq!(format!("{:?}", again.options()), format!("{:?}", message.options()));
        }
        for enumeration in file.enums() {
            dir.write("single.proto", &enumeration.to_proto());
            let set = protoc.compile(&dir.0, &["single.proto".into()]).unwrap_or_else(|e| panic!("{e}"));
            let again = DescriptorPool::decode(&set).unwrap();
            let again = again.enumeration(enumeration.full_name()).unwrap();
            let values = |e: &tablepb::EnumDescriptor| format!("{:?}", e.values().collect::<Vec<_>>());
            assert_eq!(values(&again), values(&enumeration));
        }
    }
}

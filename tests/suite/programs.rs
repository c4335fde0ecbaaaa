//! The programs of the cookbook, each of which shows one use in at most 100 lines: what they print.

use crate::common::example;
use std::path::Path;
use std::process::{Command, Output};

/// What a program printed.
#[track_caller]
fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What an example prints.
#[track_caller]
fn prints(name: &str, features: &str) -> String {
    printed(&Command::new(example::build(name, features)).output().expect("the program starts"))
}

#[test]
fn a_program_has_at_most_100_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in [
        "examples/every_kind.rs",
        "examples/gateway.rs",
        "examples/consumer.rs",
        "examples/producer.rs",
        "examples/schema_tool.rs",
        "crates/no_std/src/lib.rs",
    ] {
        let source = std::fs::read_to_string(root.join(path)).unwrap();
        assert!(source.lines().count() <= 100, "{path} has {} lines", source.lines().count());
    }
}

/// The reader of the output has gone before the first line, as that of `| head -n 0`.
#[test]
fn examples_end_quietly_when_their_output_is_closed() {
    let ends_quietly = |name: &str, features: &str, arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(example::build(name, features));
        let output = command.args(arguments).stdout(writer).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{name}: {}, {said}", output.status);
    };
    for name in ["quickstart", "otlp", "every_kind", "gateway", "producer"] {
        ends_quietly(name, "", &[]);
    }
    ends_quietly("flows", "", &["--columns"]);
    if cfg!(feature = "proto") {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/proto/well_known/type.proto");
        let source = source.to_str().expect("UTF-8");
        ends_quietly("consumer", "proto", &[]);
        ends_quietly("schema_tool", "proto", &["list", source]);
        ends_quietly("schema_tool", "proto", &["print", source]);
    }
}

#[test]
fn every_kind_of_member_is_as_prost_writes_it() {
    assert_eq!(
        prints("every_kind", ""),
        "25 fields, 180 bytes, the same as prost's\n\
         2 sizes, comment Some(\"\"), 20 fields kept\n"
    );
}

#[test]
fn the_gateway_changes_one_field() {
    let order = |region| {
        format!("id:7,customer{{name:\"Ada\",region:\"{region}\",loyalty:3}},coupons:[\"SPRING\",\"FRIEND\"]")
    };
    let (before, after) = (order("us-2"), order("eu-west-1"));
    assert_eq!(
        prints("gateway", ""),
        format!(
            "before {before}\n\
             after  {after}\n\
             value: the value is of the wrong type: shop.Customer.region expects string, not I32\n\
             input: the input ends inside a field at byte 3, in shop.Order: customer\n"
        )
    );
}

#[test]
fn the_producer_writes_what_is_switched_on() {
    assert_eq!(
        prints("producer", ""),
        "without [\"spans.stack\"]: 3 spans in 146 bytes\n\
         without []: 3 spans in 216 bytes\n\
         without [\"spans\"]: 0 spans in 32 bytes\n"
    );
}

#[cfg(feature = "proto")]
#[test]
fn the_consumer_fills_columns() {
    assert_eq!(
        prints("consumer", "proto"),
        "Columns { id: [1, 1, 2], sku: [\"tea\", \"pot\", \"cup\"], quantity: [2, 0, 6] }\n\
         no such schema\n\
         the input ends inside a field at byte 3, in Order: lines[0]\n"
    );
}

#[cfg(feature = "proto")]
#[test]
fn the_schema_tool_lists_prints_and_compares() {
    let tool = example::build("schema_tool", "proto");
    let directory = std::env::temp_dir().join(format!("tablepb-schemas-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let write = |name: &str, content: &[u8]| {
        let path = directory.join(name);
        std::fs::write(&path, content).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    let old =
        "syntax = \"proto3\"; import \"level.proto\"; message Log { string line = 1; Level level = 2; }";
    let new = "syntax = \"proto3\"; import \"level.proto\"; message Log { bytes line = 1; repeated Level level = 2; }";
    write("level.proto", b"syntax = \"proto3\"; enum Level { INFO = 0; WARN = 1; }");
    let (old, new) = (write("old.proto", old.as_bytes()), write("new.proto", new.as_bytes()));
    let pool = tablepb::DescriptorPool::builder().include(&directory).file("old.proto").build().unwrap();
    let set = write("old.binpb", &pool.encode_to_vec().unwrap());
    let run = |arguments: &[&str]| Command::new(&tool).args(arguments).output().expect("the program starts");

    let list = "level.proto: Proto3\n  enum Level: 2 values\nold.proto: Proto3\n  message Log: 2 fields\n";
    assert_eq!(printed(&run(&["list", &old])), list);
    assert_eq!(printed(&run(&["list", &set])), list);
    let log = "syntax = \"proto3\";\n\nimport \"level.proto\";\n\nmessage Log {\n  string line = 1;\n  Level level = 2;\n}\n";
    assert_eq!(printed(&run(&["print", &set, "Log"])), log);
    assert!(printed(&run(&["print", &old])).contains(log));
    assert_eq!(printed(&run(&["compare", &old, &set])), "");

    let broken = run(&["compare", &old, &new]);
    assert!(!broken.status.success());
    assert_eq!(
        String::from_utf8(broken.stdout).unwrap(),
        "Log 1: was Optional string line, is Optional bytes line\n\
         Log 2: was Optional Level level, is Repeated Level level\n"
    );
    assert_eq!(
        String::from_utf8(broken.stderr).unwrap(),
        "Error: \"the new schema breaks the old one in 2 places\"\n"
    );
    assert!(!run(&["print", &old, "Lgo"]).status.success());
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn the_sensor_needs_no_operating_system() {
    let mut run = Command::new(env!("CARGO"));
    run.args(["run", "--quiet", "--package", "tablepb-no-std"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if !cfg!(debug_assertions) {
        run.arg("--release");
    }
    assert_eq!(
        printed(&run.output().expect("cargo starts")),
        "19 bytes: Reading { sensor: \"oven\", uptime: 61000, temperature: Some(23.5), raw: [9, 96] }\n\
         the buffer is shorter than the encoded message, in sensor.Reading\n\
         the input ends inside a field at byte 1, in sensor.Command\n"
    );
}

//! The examples: what they print.

use crate::common::example::{self, printed, prints};
use std::path::Path;
use std::process::Command;

#[test]
fn a_program_has_at_most_100_lines() {
    for name in ["consumer", "schema_tool"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
        let source = std::fs::read_to_string(path).unwrap();
        assert!(source.lines().count() <= 100, "{name} has {} lines", source.lines().count());
    }
}

#[test]
fn examples_end_quietly_when_their_output_is_closed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compile/load/well_known/type.proto");
    let source = source.to_str().expect("UTF-8");
    example::ends_quietly("consumer", "", &[]);
    example::ends_quietly("schema_tool", "", &["list", source]);
    example::ends_quietly("schema_tool", "", &["print", source]);
}

#[test]
fn the_consumer_fills_columns() {
    assert_eq!(
        prints("consumer", ""),
        "Columns { id: [1, 1, 2], sku: [\"tea\", \"pot\", \"cup\"], quantity: [2, 0, 6] }\n\
         no such schema\n\
         the input ends inside a field at byte 3, in Order: lines[0]\n"
    );
}

#[test]
fn the_schema_tool_lists_prints_and_compares() {
    let tool = example::build("schema_tool", "");
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
    let pool = tablepb_schema::SourceBuilder::new().include(&directory).file("old.proto").build().unwrap();
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

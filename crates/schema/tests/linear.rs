//! Compiling in proportion: twice the source takes at most 2.2 times as long (and what noise adds), whatever it is made of.

#[path = "../../../tests/common/mod.rs"]
mod common;

use common::doubling::{SIZES, Way, too_slow};
use common::keeping::Keeping;
use tablepb_schema::SourceBuilder;

#[global_allocator]
static HEAP: Keeping = Keeping::new();

/// Makes a source of about a size.
type MakeSource = fn(usize) -> String;

/// Sources of about a size, each of one thing many times.
fn sources() -> Vec<(&'static str, MakeSource)> {
    fn many(n: usize, one: impl Fn(usize) -> String) -> String {
        let len = one(n).len();
        (0..n / len).map(one).collect()
    }
    fn file(body: &str) -> String {
        format!("syntax = \"proto2\"; {body}")
    }
    fn option_values(n: usize, label: &str, values: &str) -> String {
        let fields = many(n / 2, |i| format!("{label} int32 f{i} = {};", i + 20_000));
        let values = if label == "required" { values.to_owned() } else { many(n / 2, |_| values.to_owned()) };
        format!(
            "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; message O {{ {fields} repeated O o = 1; }} \
             extend google.protobuf.FileOptions {{ optional O v = 50000; }} option (v) = {{ {values} }};"
        )
    }
    vec![
        ("messages", |n| file(&many(n, |i| format!("message M{i} {{ optional M{i} m = 1; }}\n")))),
        ("fields", |n| {
            file(&format!(
                "message M {{ {} }}",
                many(n, |i| format!("optional int32 f{i} = {};", i + 20_000))
            ))
        }),
        ("messages in messages", |n| {
            let nest = |i: usize| {
                (0..30).map(|d| format!("message N{i}x{d} {{")).collect::<String>() + &"}".repeat(30)
            };
            file(&many(n, nest))
        }),
        ("values", |n| file(&format!("enum E {{ {} }}", many(n, |i| format!("V{i} = {i};"))))),
        ("options", |n| {
            let options = many(n, |i| format!("option (many) = {i};\n"));
            format!(
                "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; \
                 extend google.protobuf.FileOptions {{ repeated int32 many = 50000; }}\n{options}"
            )
        }),
        ("an option of many values", |n| {
            let values = many(n, |i| format!("{i},"));
            format!(
                "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; message L {{ repeated int32 v = 1; }} \
                 extend google.protobuf.FileOptions {{ optional L l = 50000; }}\noption (l) = {{ v: [{values}0] }};"
            )
        }),
        ("values of a message of many fields", |n| option_values(n, "optional", "o{} ")),
        ("required fields", |n| {
            let values = many(n / 3, |i| format!("f{i}: 1 "));
            option_values(n / 3, "required", &values)
        }),
        ("items of a MessageSet", |n| {
            let others = many(n / 2, |i| format!("extend S {{ optional X o{i} = {}; }}", i + 4));
            format!(
                "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; \
                 message S {{ option message_set_wire_format = true; extensions 4 to max; }} message X {{}} \
                 message I {{ {others} extend S {{ optional I self = 1000000; }} }} \
                 extend google.protobuf.FileOptions {{ repeated S s = 50000; }} {}",
                many(n / 2, |_| "option (s) = {[I] {}};".into())
            )
        }),
        ("optional fields of proto3", |n| {
            let fields =
                many(n, |i| format!("optional int32 f{i} = {}; int32 _f{i} = {};", 2 * i, 2 * i + 1));
            format!("syntax = \"proto3\"; message M {{ {fields} }}")
        }),
        ("optional fields of one name", |n| {
            let fields = many(n, |i| format!("optional int32 f = {i};"));
            format!("syntax = \"proto3\"; message M {{ int32 _f = 1; {fields} }}")
        }),
        ("exported enums", |n| {
            let ranges = many(n / 3, |i| format!("{}, ", 2 * i + 2));
            let enums = many(2 * n / 3, |i| format!("export enum E{i} {{ A{i} = 0; }}"));
            format!("edition = \"2026\"; local message M {{ reserved {ranges} 900000; {enums} }}")
        }),
        ("options that do not exist", |n| {
            let options = many(n, |i| format!("option java_package_{i} = 1;\n"));
            file(&options)
        }),
        ("one string", |n| file(&format!("option java_package = \"{}\";", "é".repeat(n / 2)))),
        ("strings", |n| file(&format!("option java_package = {};", many(n, |_| "\"a\\x41\" ".into())))),
        ("comments", |n| file(&format!("{}message M {{}}", many(n, |i| format!("// {i}\n/* {i} */\n\n"))))),
        ("one comment", |n| file(&format!("/*{}*/ message M {{}}", "*\n *".repeat(n / 4)))),
        ("comments in an enum", |n| {
            file(&format!("enum E {{ {} }}", many(n, |i| format!("// a\n\n// b\nV{i} = {i}; // c\n"))))
        }),
        ("empty statements", |n| file(&";".repeat(n))),
        ("reserved names", |n| {
            file(&format!("message M {{ reserved {} \"x\"; }}", many(n, |i| format!("\"n{i}\", "))))
        }),
        ("ranges with options", |n| {
            let ranges = many(n, |i| format!("extensions {0} to {0} [verification = UNVERIFIED];", i + 1));
            file(&format!("message M {{ {ranges} }}"))
        }),
        ("ranges times options", |n| {
            let ranges = many(n, |i| format!("{}, ", 2 * i + 1));
            let options = many(n, |i| format!("unknown{i} = 1, "));
            file(&format!(
                "message M {{ extensions {ranges} 100000000 [{options} verification = UNVERIFIED]; }}"
            ))
        }),
        ("ranges times declarations", |n| {
            let ranges = many(n, |i| format!("{}, ", 2 * i + 1));
            let one = |i| format!("declaration = {{ number: {i} full_name: \".a{i}\" type: \"int32\" }}, ");
            let options = many(n, one);
            file(&format!(
                "message M {{ extensions {ranges} 100000000 [{options} verification = DECLARATION]; }}"
            ))
        }),
        ("names that mean nothing", |n| {
            file(&many(n, |i| format!("message M{i} {{ optional X{i} x = 1; }}\n")))
        }),
        ("faults", |n| file(&"x ".repeat(n / 2))),
        ("open braces", |n| file(&"message M {".repeat(n / 11))),
        ("open values", |n| file(&format!("option x = {{ {}", "{".repeat(n)))),
    ]
}

#[test]
#[cfg_attr(debug_assertions, ignore = "measures time: for release builds")]
fn twice_the_source_takes_twice_the_time() {
    let mut slow = Vec::new();
    for (name, shape) in sources() {
        for info in [false, true] {
            let mut run: Way = Box::new(move |input| {
                let text = std::str::from_utf8(input).expect("text");
                let options = tablepb::schema::PoolOptions::new().memory(1 << 30);
                let builder = SourceBuilder::new().source("a.proto", text).with_options(options);
                drop(builder.include_source_info(info).build());
            });
            let inputs = SIZES.map(|size| shape(size).into_bytes());
            if let Some(ratio) = too_slow(&mut run, &inputs) {
                slow.push(format!("{name}, source info {info}: {ratio:.2} for twice the input"));
                println!("{}", slow[slow.len() - 1]);
            }
        }
    }
    // Imports: files that each import the one before.
    let mut run: Way = Box::new(|input| {
        let mut builder = SourceBuilder::new();
        for i in 1..input.len() {
            builder = builder
                .source(format!("f{i}.proto"), format!("import \"f{}.proto\"; message M{i} {{}}", i - 1));
        }
        drop(builder.source("f0.proto", "").build().expect("valid"));
    });
    let inputs = [64, 1024, 4096].map(|files| vec![0; files]);
    if let Some(ratio) = too_slow(&mut run, &inputs) {
        slow.push(format!("imports: {ratio:.2}"));
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

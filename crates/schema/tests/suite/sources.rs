//! Sources compiled here and by protoc: the same descriptors, byte for byte, and the same sources refused.
//!
//! `common/protoc.rs` says which protoc; protobuf's own sources are recorded data. Both are optional, so these tests are ignored.

#[path = "../../../../fuzz/agree/proto_sources.rs"]
mod agree;

use crate::common::choices::Choices;
use crate::common::data::Data;
use crate::common::protoc::{Dir, Protoc};
use std::path::{Path, PathBuf};
use tablepb::DescriptorPool;
use tablepb::schema::{Edition, FileDescriptor, PoolOptions};
use tablepb_schema::{SourceBuilder, SourceError};

/// Compiles one file of a directory.
fn compile(directory: &Path, name: &str) -> Result<DescriptorPool, SourceError> {
    let options = PoolOptions::new().memory(1 << 30);
    SourceBuilder::new().with_options(options).include(directory).file(name).build()
}

/// Each file of a set by its name.
fn files(set: &[u8], which: fn(&FileDescriptor) -> bool) -> Vec<(String, Vec<u8>)> {
    let pool = PoolOptions::new().memory(1 << 30).decode(set).unwrap();
    let files = pool.files().filter(which);
    files.map(|file| (file.name().to_string(), file.file_descriptor_proto_bytes().to_vec())).collect()
}

/// The files of protoc's set are those of the pool, byte for byte and in the same order. The pool has more: protoc leaves out
/// what is imported for options alone.
#[track_caller]
pub fn assert_same(pool: &DescriptorPool, set: &[u8], which: fn(&FileDescriptor) -> bool, what: &str) {
    let theirs = files(set, which);
    let mut ours = files(&pool.encode_to_vec().unwrap(), which);
    ours.retain(|(name, _)| theirs.iter().any(|(other, _)| name == other));
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for ((name, ours), (other, theirs)) in ours.iter().zip(&theirs) {
        assert_eq!(name, other, "{what}");
        assert!(ours == theirs, "{name} has other descriptors: {what}");
    }
}

/// The names of the sources below a directory.
pub fn sources(directory: &Path) -> Vec<String> {
    let (mut found, mut todo) = (Vec::new(), vec![directory.to_path_buf()]);
    while let Some(next) = todo.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == "proto") {
                let name: PathBuf = path.strip_prefix(directory).unwrap().into();
                found.push(name.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// What a source with one construct of each sort becomes.
const PROTO2: &str = include_str!("../data/proto2.proto");
const PROTO3: &str = include_str!("../data/proto3.proto");
const EDITION_2024: &str = include_str!("../data/edition2024.proto");
/// Comments in every place where they mean something, and in some where they do not.
pub const COMMENTS_2024: &str = include_str!("../data/comments2024.proto");
/// With a byte order mark, without a newline at the end, and groups.
pub const COMMENTS_2: &str = include_str!("../data/comments2.proto");

fn constructs(dir: &Dir) -> Vec<String> {
    let all = [("proto2.proto", PROTO2), ("proto3.proto", PROTO3), ("edition2024.proto", EDITION_2024)];
    all.map(|(name, source)| {
        dir.write(name, source);
        name.to_string()
    })
    .into()
}

#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_descriptors_of_every_construct_are_those_of_protoc() {
    let (protoc, dir) = (Protoc::find(), Dir::new("constructs"));
    for name in constructs(&dir) {
        if name.starts_with("edition") && !protoc.knows(Edition::Edition2024) {
            continue;
        }
        let set = protoc
            .compile(&dir.0, std::slice::from_ref(&name))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let pool = compile(&dir.0, &name).unwrap_or_else(|error| panic!("{error}"));
        assert_same(&pool, &set, |_| true, &name);
    }
}

#[test]
#[ignore = "needs_protoc, needs_data: protobuf's own sources"]
fn needs_data_needs_protoc_descriptors_of_protobufs_sources_are_those_of_protoc() {
    let (protoc, directory) = (Protoc::find(), Data::Recorded.path("protos"));
    let names = sources(&directory);
    assert!(names.len() > 25);
    for name in names {
        let set = protoc
            .compile(&directory, std::slice::from_ref(&name))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let pool = compile(&directory, &name).unwrap_or_else(|error| panic!("{error}"));
        assert_same(&pool, &set, |_| true, &name);
    }
}

#[test]
#[ignore = "needs_data: protobuf's own sources"]
fn needs_data_printed_sources_compile_to_what_was_printed() {
    let directory = Data::Recorded.path("protos");
    for name in sources(&directory) {
        let pool = compile(&directory, &name).unwrap_or_else(|error| panic!("{error}"));
        again(&pool, &name);
    }
}

/// Prints all files of a pool, compiles them, and compares what is printed then.
fn again(pool: &DescriptorPool, name: &str) {
    let mut builder = SourceBuilder::new().with_options(PoolOptions::new().memory(1 << 30));
    for file in pool.files() {
        builder = builder.source(file.name(), file.to_proto());
    }
    let second = builder.build().unwrap_or_else(|error| panic!("{name}: {error}"));
    for file in pool.files() {
        let printed = second.file(file.name()).unwrap();
        assert_eq!(printed.to_proto(), file.to_proto(), "{}", file.name());
        assert!(
            printed.file_descriptor_proto_bytes() == file.file_descriptor_proto_bytes(),
            "{}: what is printed has other descriptors",
            file.name()
        );
    }
}

#[test]
fn constructs_print_and_compile_again() {
    let dir = Dir::new("again");
    for name in constructs(&dir) {
        again(&compile(&dir.0, &name).unwrap_or_else(|error| panic!("{error}")), &name);
    }
}

/// The tokens of a source, with what is between them.
fn tokens(source: &str) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0);
    let class = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut last = 9;
    for (at, c) in source.char_indices() {
        let next = class(c);
        if at != start && (next != last || next == 0) {
            found.push(&source[start..at]);
            start = at;
        }
        last = next;
    }
    found.push(&source[start..]);
    found
}

/// What may stand in place of a number, a name or a string.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "15",
    "16",
    "100",
    "150",
    "18999",
    "19000",
    "536870911",
    "536870912",
    "2147483647",
    "2147483648",
    "18446744073709551616",
    "0x10",
    "010",
    "1.5",
    "1e3",
];
const WORDS: [&str; 64] = [
    "optional",
    "repeated",
    "required",
    "int32",
    "uint64",
    "string",
    "bytes",
    "bool",
    "double",
    "sint32",
    "fixed64",
    "message",
    "enum",
    "oneof",
    "group",
    "true",
    "false",
    "max",
    "to",
    "map",
    "extend",
    "extensions",
    "reserved",
    "option",
    "import",
    "public",
    "weak",
    "export",
    "local",
    "service",
    "rpc",
    "stream",
    "returns",
    "default",
    "json_name",
    "packed",
    "lazy",
    "jstype",
    "ctype",
    "deprecated",
    "debug_redact",
    "allow_alias",
    "features",
    "message_set_wire_format",
    "field_presence",
    "IMPLICIT",
    "EXPLICIT",
    "LEGACY_REQUIRED",
    "DELIMITED",
    "repeated_field_encoding",
    "EXPANDED",
    "enum_type",
    "CLOSED",
    "JS_STRING",
    "CORD",
    "map_entry",
    "retention",
    "targets",
    "inf",
    "nan",
    "Foo",
    "foo_1",
    "FOO",
    "a",
];
const STRINGS: [&str; 6] = ["\"proto3\"", "\"proto2\"", "\"2023\"", "\"a.b\"", "\"\"", "\"\\xff\""];

/// A copy with a token or a statement left out, written twice, or in place of another.
fn mutated(source: &str, choices: &mut Choices) -> String {
    let mut tokens = tokens(source);
    for _ in 0..1 + choices.below(2) {
        let words: Vec<usize> = (0..tokens.len()).filter(|&i| !tokens[i].trim().is_empty()).collect();
        let mut word = || words[choices.below(words.len())];
        let (a, b) = (word(), word());
        let first = |i: usize| tokens[i].chars().next().map(|c| (c.is_ascii_digit(), c.is_alphabetic()));
        match choices.below(8) {
            0 => tokens[a] = " ",
            1 => tokens.insert(a, tokens[a]),
            2 => tokens.swap(a, b),
            3 => tokens[a] = tokens[b],
            4 | 5 => {
                // Like for like: a number for a number, a name for a name.
                let same = words.iter().copied().filter(|&i| first(i) == first(a)).collect::<Vec<_>>();
                tokens[a] = tokens[same[choices.below(same.len())]];
            }
            6 => {
                tokens[a] = match first(a) {
                    Some((true, _)) => NUMBERS[choices.below(NUMBERS.len())],
                    Some((_, true)) => WORDS[choices.below(WORDS.len())],
                    _ => STRINGS[choices.below(STRINGS.len())],
                }
            }
            _ => {
                // A statement: left out, or written once more, here or elsewhere.
                let ends: Vec<usize> =
                    words.iter().copied().filter(|&i| matches!(tokens[i], ";" | "{" | "}")).collect();
                let Some(at) = (1..ends.len()).nth(choices.below(ends.len().max(2) - 1)) else { continue };
                let statement = tokens[ends[at - 1] + 1..=ends[at]].to_vec();
                match choices.below(3) {
                    0 => drop(tokens.drain(ends[at - 1] + 1..=ends[at])),
                    1 => drop(tokens.splice(ends[at] + 1..ends[at] + 1, statement)),
                    _ => {
                        let to = ends[choices.below(ends.len())] + 1;
                        drop(tokens.splice(to..to, statement));
                    }
                }
            }
        }
    }
    tokens.concat()
}

#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_mutated_sources_are_refused_by_both_or_by_none() {
    let (protoc, dir) = (Protoc::find(), Dir::new("mutated"));
    let (mut accepted, mut disagree) = (0, Vec::new());
    let rounds = std::env::var("TABLEPB_SEEDS").map_or(300, |rounds| rounds.parse().expect("a number"));
    for round in 0..rounds {
        let mut choices = Choices::seeded(17 + round as u64);
        let all = [PROTO2, PROTO3, COMMENTS_2, EDITION_2024, COMMENTS_2024];
        let known = if protoc.knows(Edition::Edition2024) { 5 } else { 3 };
        let source = mutated(all[round % known], &mut choices);
        dir.write("m.proto", &source);
        let builder = SourceBuilder::new().include(&dir.0).file("m.proto").include_source_info(true);
        match (protoc.compile_with_info(&dir.0, &["m.proto".into()]), builder.build()) {
            (Ok(set), Ok(pool)) => {
                accepted += 1;
                assert_same(&pool, &set, |file| file.name() == "m.proto", &source);
            }
            (Err(_), Err(_)) => {}
            // `docs/schema-checks.md` lists them.
            (Err(error), Ok(_)) if LENIENT.iter().any(|known| error.contains(known)) => {}
            (Err(error), Ok(_)) => disagree.push(format!("{round}: only protoc refuses: {error}")),
            (Ok(_), Err(error)) if STRICT.iter().any(|known| error.to_string().contains(known)) => {}
            (Ok(_), Err(error)) => disagree.push(format!("{round}: only protoc accepts: {error}")),
        }
    }
    println!("{rounds} sources, {accepted} accepted, {} disagreements", disagree.len());
    assert!(disagree.is_empty(), "{}", disagree.join("\n"));
    assert!(accepted > rounds / 20);
}

/// What protoc says of sources that it alone refuses.
const LENIENT: [&str; 4] =
    ["leading dot", "Extension declaration number", "before it was introduced", "repeated primitive fields"];
/// What is said here of sources that protoc accepts.
const STRICT: [&str; 2] = ["the string is not valid UTF-8", "not UTF-8"];

#[test]
fn sources_of_any_bytes_end() {
    let mut choices = Choices::seeded(5);
    for source in [PROTO2, PROTO3, EDITION_2024, COMMENTS_2, COMMENTS_2024] {
        for _ in 0..60 {
            agree::check(mutated(source, &mut choices).as_bytes());
        }
    }
}

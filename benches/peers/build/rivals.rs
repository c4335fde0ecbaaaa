//! Runs the code generators of buffa and quick-protobuf.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{error::Error, fs};

pub fn generate(files: &[PathBuf], out: &Path) -> Result<(), Box<dyn Error>> {
    let names: Vec<&OsStr> = files.iter().filter_map(|file| file.file_name()).collect();
    let folder = out.join("buffa");
    fs::create_dir_all(&folder)?;
    buffa(&names, &out.join("ratio.binpb"), &folder)?;
    quick(files, out)
}

/// buffa: owned structs and views.
pub fn buffa(files: &[&OsStr], set: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    buffa_build::Config::new()
        .descriptor_set(set)
        .files(files)
        .out_dir(folder)
        .include_file("buffa.rs")
        .compile()
}

/// quick-protobuf: borrowing structs. It knows no groups, and `optional` only in proto2: schemas that need it are
/// rewritten.
fn quick(files: &[PathBuf], out: &Path) -> Result<(), Box<dyn Error>> {
    let (schemas, code) = (out.join("quick_proto"), out.join("quick"));
    for folder in [&schemas, &code] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
    }
    let mut rewritten = Vec::new();
    for file in files {
        let text = fs::read_to_string(file)?;
        if text.contains(" group ") {
            continue;
        }
        let text = if text.contains("  optional ") { without_implicit_presence(&text) } else { text };
        let file = schemas.join(file.file_name().unwrap_or_default());
        fs::write(&file, text)?;
        rewritten.push(file);
    }
    let config = pb_rs::ConfigBuilder::new(&rewritten, None, Some(&code), &[schemas])?;
    pb_rs::types::FileDescriptor::run(&config.build())?;
    Ok(())
}

/// A proto3 schema, in proto2: the same on the wire, as long as fields are not set to zero.
fn without_implicit_presence(text: &str) -> String {
    const SCALARS: &[&str] = &["uint32", "uint64", "fixed64", "double"];
    let mut out = String::new();
    let mut blocks: Vec<&str> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["syntax", ..] => out += "syntax = \"proto2\";",
            ["message" | "enum" | "oneof", ..] => {
                blocks.push(words[0]);
                out += line;
            }
            ["}"] => {
                blocks.pop();
                out += line;
            }
            ["repeated", kind, ..] if SCALARS.contains(&kind) => {
                out += &line.replace(';', " [packed = true];");
            }
            [first, _, "=", ..] if blocks.last() == Some(&"message") && !first.starts_with("map<") => {
                out += "  optional ";
                out += line;
            }
            _ => out += line,
        }
        out.push('\n');
    }
    out
}

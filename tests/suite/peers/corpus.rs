//! Every file of a corpus through the check that it was made for: the seeds of the fuzz targets, or what fuzzers kept.
//!
//! `TABLEPB_CORPUS=DIR` names a directory with one directory for each target, as `fuzz/corpus` has them.

use crate::agree::*;
use std::fs;
use std::path::PathBuf;

/// Runs the check of a target on the bytes of a file.
type Check = fn(&[u8]);

const TARGETS: [(&str, Check); 19] = [
    ("any_schema", |input| _ = any_schema::check(input)),
    ("budgets", |input| _ = budgets::check(input)),
    ("descriptor_sets", |input| _ = descriptor_sets::check(input)),
    ("differential", |input| _ = differential::check(input)),
    ("dynamic_prost", |input| _ = dynamic_prost::check(input)),
    ("edits", edits::check),
    ("full_store", |input| _ = full_store::check(input)),
    ("json", |input| _ = json::check(input)),
    ("long_run", long_run::check),
    ("packed", |input| _ = packed::check(input)),
    ("projected", projected::check),
    ("raw_fields", raw_fields::check),
    ("records", records::check),
    ("reuse", reuse::check),
    ("streams", streams::check),
    ("text", |input| _ = text::check(input)),
    ("typed", typed::check),
    ("visited", visited::check),
    ("wire_skip", |input| {
        if let Some((depth, input)) = input.split_first() {
            _ = wire_skip::check(input, (depth % 104).into());
        }
    }),
];

#[test]
fn every_file_of_a_corpus_passes_its_check() {
    let given = std::env::var_os("TABLEPB_CORPUS");
    let seeds = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds"));
    let corpus = given.map_or(seeds, PathBuf::from);
    for (target, check) in TARGETS {
        let mut files: Vec<_> =
            fs::read_dir(corpus.join(target)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{target}");
        if target == "full_store" && cfg!(target_pointer_width = "32") {
            println!("{target} needs messages of 2 GB");
            continue;
        }
        for file in &files {
            // The name of the file stands above the message of a panic.
            println!("{}", file.display());
            check(&fs::read(file).unwrap());
        }
    }
}

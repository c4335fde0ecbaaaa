//! Memory that is refused while sources are compiled. The allocator of this binary fails where a test wants it to.

#[path = "../../../tests/common/mod.rs"]
mod common;

use common::attempts::{self, Attempt};
use common::scarce::{Scarce, with_failure};
use tablepb::schema::PoolOptions;
use tablepb_schema::SourceBuilder;
use tablepb_schema::SourceErrorKind::OutOfMemory;

#[global_allocator]
static HEAP: Scarce = Scarce;

fn operation(_: &str) -> Vec<Attempt> {
    let valid = include_str!("data/proto2.proto");
    let with_comments = include_str!("data/comments2024.proto");
    let faulty = "syntax = \"proto3\"; message A { B b = 1; string s = 1.5; } enum E { X = 1; }";
    let unresolved = "syntax = \"proto3\"; message Abc { Abd b = 1; string s = 2 [(x) = 1]; }";
    let undeclared = "syntax = \"proto2\"; message M { extensions 4 to 9 [declaration = \
                      { number: 4, full_name: \".a\", type: \"int32\" }]; } extend M { optional int32 b = 5; }";
    [valid, with_comments, faulty, unresolved, undeclared]
        .map(|source| {
            let builder = move || {
                let options = PoolOptions::new().memory(1 << 26);
                let builder = SourceBuilder::new().source("a.proto", source).with_options(options);
                builder.include_source_info(true)
            };
            let expected = builder().build().map(|pool| pool.encode_to_vec().expect("short"));
            let attempt = move |k: usize, for_good| {
                let made = builder();
                let (result, failed) = with_failure(k, for_good, || made.build());
                match (&result, &expected) {
                    (Ok(pool), Ok(set)) => assert!(pool.encode_to_vec().expect("short") == *set),
                    (Err(error), _) if failed && error.kind() == OutOfMemory => {}
                    // An error with fewer words.
                    (Err(error), Err(whole)) => assert!(failed || error == whole),
                    (result, _) => panic!("{result:?}"),
                }
                (result.is_err(), failed)
            };
            Box::new(attempt) as Attempt
        })
        .into()
}

/// The process.
#[test]
fn child() {
    attempts::child(operation);
}

fn run(for_good: bool) {
    // An `Arc` aborts, for the standard library has no other way: four pools, and the programs of each.
    attempts::run("child", "sources", for_good, 8);
}

#[test]
fn compiling_sources_survives_one() {
    run(false);
}

#[test]
fn compiling_sources_survives_all() {
    run(true);
}

//! All fuzz targets in one binary, which links once: its own file name, or the environment variable `TABLEPB_FUZZ`, names the target to run.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;
use tablepb_fuzz::{agree, proto_sources, serde};

/// Gives a check by its name in `fuzz/README.md`; `.clusterfuzzlite/build.sh` reads the names from here.
fn check_named(name: &str) -> Option<fn(&[u8])> {
    Some(match name {
        "any_schema" => |input| drop_answer(agree::any_schema::check(input)),
        "budgets" => |input| drop_answer(agree::budgets::check(input)),
        "descriptor_sets" => |input| drop_answer(agree::descriptor_sets::check(input)),
        "differential" => |input| drop_answer(agree::differential::check(input)),
        "dynamic_prost" => |input| drop_answer(agree::dynamic_prost::check(input)),
        "edits" => agree::edits::check,
        "full_store" => |input| drop_answer(agree::full_store::check(input)),
        "hostile_keys" => |input| drop_answer(agree::hostile_keys::check(input)),
        "json" => |input| drop_answer(agree::json::check(input)),
        "long_run" => agree::long_run::check,
        "packed" => |input| drop_answer(agree::packed::check(input)),
        "panics" => |input| drop_answer(agree::panics::check(input)),
        "projected" => agree::projected::check,
        "proto_sources" => |input| drop_answer(proto_sources::check(input)),
        "raw_fields" => agree::raw_fields::check,
        "records" => agree::records::check,
        "reuse" => agree::reuse::check,
        "serde" => |input| drop_answer(serde::check(input)),
        "shaped" => |input| drop_answer(agree::shaped::check(input)),
        "strangers" => |input| drop_answer(agree::strangers::check(input)),
        "streams" => agree::streams::check,
        "text" => |input| drop_answer(agree::text::check(input)),
        "typed" => agree::typed::check,
        "unchecked" => |input| drop_answer(agree::unchecked::check(input)),
        "visited" => agree::visited::check,
        "wire_skip" => |input| {
            if let Some((depth, input)) = input.split_first() {
                let _ = agree::wire_skip::check(input, (depth % 104).into());
            }
        },
        _ => return None,
    })
}

/// What a check says of an input is for the tests.
fn drop_answer<T>(_: T) {}

static CHECK: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let own = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let own = own.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = std::env::var("TABLEPB_FUZZ").unwrap_or(own);
    check_named(&name).unwrap_or_else(|| {
        panic!(
            "{name:?}, by TABLEPB_FUZZ or the name of this program, is no check; fuzz/README.md lists them"
        )
    })
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| (*CHECK)(input));

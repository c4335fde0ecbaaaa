//! A program that only decodes links no code that encodes, and the other way.
#![cfg(all(feature = "owned", target_os = "linux", not(miri)))]

use object::{Object, ObjectSymbol};

/// The names of the library's functions that a program has.
fn functions(program: &str) -> Vec<String> {
    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let names = file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text);
    let names = names.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    names.filter(|name| name.contains("tablepb")).collect()
}

#[track_caller]
fn has(names: &[String], part: &str) -> bool {
    names.iter().any(|name| name.contains(part))
}

#[test]
fn decoders_link_no_encoder() {
    let names = functions(env!("CARGO_BIN_EXE_only_decodes"));
    assert!(has(&names, "merge_fields") && has(&names, "raw"));
    for part in ["StructWriter", "write_fields", "Cursor", "encode_to_slice"] {
        assert!(!has(&names, part), "{part}: {:?}", names.iter().find(|name| name.contains(part)));
    }
}

#[test]
fn encoders_link_no_decoder() {
    let names = functions(env!("CARGO_BIN_EXE_only_encodes"));
    assert!(has(&names, "write_fields") && has(&names, "encode_to_slice"));
    for part in ["merge_fields", "Input", "settle", "from_prefix"] {
        assert!(!has(&names, part), "{part}: {:?}", names.iter().find(|name| name.contains(part)));
    }
}

//! Sets that mean harm: no panic, no overflow, no long wait.

use super::*;
use crate::schema::pool::PoolOptions;
use alloc::{format, string::String, vec};

/// A small set with something of everything.
fn rich() -> Vec<u8> {
    let options = Proto::default().int(3, 1).str(50000, "x");
    let m = message(
        "M",
        [
            field("a", 1, OPTIONAL, INT32).int(9, 0).str(7, "5"),
            typed("map", 2, REPEATED, MESSAGE, "MapEntry"),
            typed("group", 3, REPEATED, GROUP, "Group"),
            typed("e", 4, OPTIONAL, ENUM, ".p.E").str(7, "B").sub(8, Proto::default().int(3, 1).int(2, 1)),
        ],
    )
    .sub(3, entry("MapEntry", field("key", 1, OPTIONAL, STRING), typed("value", 2, OPTIONAL, MESSAGE, "M")))
    .sub(3, message("Group", [field("x", 1, REQUIRED, BYTES).str(7, "\\001")]))
    .sub(5, Proto::default().int(1, 100).int(2, 200))
    .sub(6, typed("x", 100, OPTIONAL, MESSAGE, "M").str(2, "M"))
    .sub(7, options)
    .sub(8, named("o"))
    .sub(9, Proto::default().int(1, 50).int(2, 60))
    .str(10, "old");
    let e = enumeration("E", &[("A", 0), ("B", 1)]).sub(4, Proto::default().int(1, 5).int(2, 6));
    let service = named("S").sub(2, named("C").str(2, "M").str(3, "M"));
    set([
        file("f").str(3, "g").int(10, 0).sub(4, m).sub(6, service),
        edition("g", 1000).sub(5, e).sub(8, Proto::default().sub(50, Proto::default().int(2, 2))),
    ])
}

/// Loads, and if that works prints everything.
fn exercise(bytes: &[u8]) -> bool {
    let Ok(pool) = DescriptorPool::decode(bytes) else { return false };
    let mut source = String::new();
    for file in pool.files() {
        source += &file.to_proto();
    }
    for message in pool.all_messages() {
        source += &message.to_proto();
        for field in message.fields().chain(message.extensions().map(|e| e.as_field())) {
            source +=
                &format!("{:?} {:?} {:?}", field.kind(), field.explicit_default(), field.containing_oneof());
        }
    }
    !source.is_empty()
}

#[test]
fn every_truncation() {
    let bytes = rich();
    assert!(exercise(&bytes));
    for len in 0..bytes.len() {
        exercise(&bytes[..len]);
    }
}

#[test]
fn every_bit_flip() {
    let mut bytes = rich();
    let mut loaded = 0;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            loaded += usize::from(exercise(&bytes));
            bytes[at] ^= 1 << bit;
        }
    }
    assert!(loaded > 100, "{loaded} flipped sets still load");
}

/// `levels` messages, each inside of the one before.
fn nested(levels: usize) -> Vec<u8> {
    // From the inside out, the content is put in front: built backwards.
    let mut reversed: Vec<u8> = Vec::new();
    for level in 0..levels {
        let len = reversed.len();
        let name = b"\x0a\x01M";
        let mut head = vec![if level + 1 == levels { 0x22 } else { 0x1a }];
        Writer::new(&mut head).write_length(len + name.len()).unwrap();
        head.extend_from_slice(name);
        reversed.extend(head.iter().rev());
    }
    reversed.reverse();
    set([Proto([file("f").0, reversed].concat())])
}

#[test]
fn nesting_without_end() {
    assert!(exercise(&nested(32)));
    for levels in [33, 90, 1000, 100_000] {
        let error = DescriptorPool::decode(&nested(levels)).unwrap_err();
        assert_eq!(error.kind(), DescriptorErrorKind::TooDeep, "{levels} levels: {error}");
    }
}

#[test]
fn long_names_do_not_multiply() {
    let package = vec!["p"; 60].join("p".repeat(1000).as_str()).replace('p', "x");
    let f = named("f").str(2, &package).subs(4, (0..10_000).map(|i| message(&format!("M{i}"), [])));
    let error = load([f]).unwrap_err();
    assert_eq!(error.kind(), DescriptorErrorKind::BudgetExceeded);
    let deep = vec!["p"; 101].join(".");
    assert_error([named("f").str(2, &deep)], DescriptorErrorKind::InvalidName, &deep);
}

#[test]
fn chains_of_imports_and_many_names() {
    let files = 5_000;
    let chain = (0..files).map(|i| {
        let f = named(&format!("{i}")).sub(4, message(&format!("M{i}"), [field("a", 1, OPTIONAL, INT32)]));
        if i + 1 < files { f.str(3, &format!("{}", i + 1)).int(10, 0) } else { f }
    });
    // Files of one tiny message each take more than sets usually may.
    let chain = set(chain);
    let options = PoolOptions::new().memory(60 * chain.len());
    assert_eq!(options.decode(&chain).unwrap().files().len(), files);
    let wide = message("M", (1..=18_999).map(|i| typed(&format!("f{i}"), i, OPTIONAL, MESSAGE, "M")));
    let pool = load([file("f").sub(4, wide)]).unwrap();
    assert_eq!(pool.find_message("p.M").unwrap().field("f18999").unwrap().number(), 18_999);
}

#[test]
fn options_without_end() {
    // A recursive message as a custom option, 100 000 levels deep.
    let descriptor = DescriptorPool::descriptor_proto();
    let known = descriptor.files().next().unwrap();
    let mut bytes: Vec<u8> = Vec::new();
    for _ in 0..100_000 {
        let len = bytes.len();
        let mut head = vec![0x0a];
        Writer::new(&mut head).write_length(len).unwrap();
        bytes.extend(head.iter().rev());
    }
    bytes.reverse();
    let f = file("f")
        .str(3, known.name())
        .sub(4, message("R", [typed("r", 1, OPTIONAL, MESSAGE, "R")]))
        .sub(7, typed("deep", 50000, OPTIONAL, MESSAGE, "R").str(2, ".google.protobuf.FileOptions"))
        .sub(8, Proto::default().bytes(50000, &bytes));
    let pool = descriptor.add_file_descriptor_set(&set([f])).unwrap();
    let source = pool.find_file("f").unwrap().to_proto();
    assert_eq!(source.matches("r {").count(), 100);
}

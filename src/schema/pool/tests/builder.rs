//! Pools file by file, and pools as descriptor sets.

use crate::schema::pool::{DescriptorPool, PoolBuilder, PoolOptions};
use crate::wire::error::DescriptorErrorKind;
use alloc::{format, vec::Vec};

const A: &[u8] = b"\x0a\x07a.proto\x22\x03\x0a\x01A";
/// Imports a.proto; its message has a field of type A.
const B: &[u8] =
    b"\x0a\x07b.proto\x1a\x07a.proto\x22\x12\x0a\x01B\x12\x0d\x0a\x01a\x18\x01\x20\x01\x28\x0b\x32\x02.A";
/// Imports b.proto, and weakly w.proto.
const C: &[u8] = b"\x0a\x07c.proto\x1a\x07b.proto\x1a\x07w.proto\x58\x01";

fn set(files: &[&[u8]]) -> Vec<u8> {
    files.iter().flat_map(|file| [&[0x0a, file.len() as u8][..], file].concat()).collect()
}

#[test]
fn files_come_in_any_order() {
    for order in [[A, B, C], [A, C, B], [B, A, C], [B, C, A], [C, A, B], [C, B, A]] {
        let mut builder = PoolBuilder::new();
        for (i, file) in order.iter().enumerate() {
            builder.add_file_descriptor_proto(file).unwrap();
            builder.add_file_descriptor_proto(file).unwrap();
            let missing: Vec<_> = ["a.proto", "b.proto"]
                .into_iter()
                .filter(|name| {
                    let added = &order[..=i];
                    let (file, importer) = if *name == "a.proto" { (A, B) } else { (B, C) };
                    added.contains(&importer) && !added.contains(&file)
                })
                .collect();
            assert_eq!(builder.missing_imports(), missing);
            let built = builder.build().map(|pool| pool.files().len()).map_err(|error| error.kind());
            assert_eq!(built.err(), (!missing.is_empty()).then_some(DescriptorErrorKind::MissingImport));
        }
        let pool = builder.build().unwrap();
        assert_eq!(pool.encode_to_vec().unwrap(), set(&order));
        let again = DescriptorPool::decode(&pool.encode_to_vec().unwrap()).unwrap();
        let names = |pool: &DescriptorPool| {
            pool.files().map(|f| f.name().into()).collect::<Vec<alloc::string::String>>()
        };
        assert_eq!(names(&again), names(&pool));
    }
}

#[test]
fn files_are_added_to_a_pool() {
    let base = DescriptorPool::decode(&set(&[A])).unwrap();
    let mut builder = PoolBuilder::from_pool(&base);
    builder.add_file_descriptor_set(&set(&[B])).unwrap();
    assert!(builder.missing_imports().is_empty());
    assert_eq!(
        format!("{builder:?}"),
        format!("PoolBuilder(DescriptorPool [\"a.proto\"] and {} bytes)", B.len() + 2)
    );
    let pool = builder.build().unwrap();
    assert_eq!((pool.files().len(), base.files().len()), (2, 1));
    let error = builder.clone().with_options(PoolOptions::new().max_messages(1)).build().unwrap_err();
    assert_eq!(error.kind(), DescriptorErrorKind::TooMany);
    assert_eq!(
        builder.add_file_descriptor_set(b"\x0a\x05").unwrap_err().kind(),
        DescriptorErrorKind::Malformed
    );
    builder.add_file_descriptor_proto(b"\x0a\x07d.proto\x22").unwrap();
    assert_eq!(builder.build().unwrap_err().kind(), DescriptorErrorKind::Malformed);
    // Unknown fields and options of a file stay.
    let odd = b"\x0a\x07o.proto\x42\x03\x0a\x01x\xf2\x07\x01a";
    assert_eq!(DescriptorPool::decode(&set(&[odd])).unwrap().encode_to_vec().unwrap(), set(&[odd]));
    assert!(DescriptorPool::new().encode_to_vec().unwrap().is_empty());
}

#[test]
fn pools_of_tables_are_descriptor_sets_too() {
    let pool = DescriptorPool::descriptor_proto();
    let again = DescriptorPool::decode(&pool.encode_to_vec().unwrap()).unwrap();
    assert_eq!(again.all_messages().len(), pool.all_messages().len());
    assert_eq!(again.encode_to_vec().unwrap(), pool.encode_to_vec().unwrap());
}

/// Each import was looked for among all weak ones: 10^10 comparisons here.
#[test]
fn many_weak_imports_take_time_in_proportion() {
    let count: u32 = if cfg!(miri) { 100 } else { 100_000 };
    let mut file = b"\x0a\x07a.proto".to_vec();
    let mut indexes = Vec::new();
    for _ in 0..count {
        file.extend_from_slice(b"\x1a\x01b");
        // Out of range, so that none of them ends a search.
        indexes.extend_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    }
    file.push(0x5a);
    let mut len = indexes.len();
    while len >= 0x80 {
        file.push(len as u8 | 0x80);
        len >>= 7;
    }
    file.push(len as u8);
    file.extend_from_slice(&indexes);
    let mut builder = PoolBuilder::new();
    builder.add_file_descriptor_proto(&file).unwrap();
    assert!(builder.missing_imports().iter().all(|name| *name == "b"));
}

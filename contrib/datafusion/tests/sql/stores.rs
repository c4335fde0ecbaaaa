//! Compressed files, and stores that are not local.

use crate::common::{Files, decoded, delimited, message, number, pool, rows, scan_error};
use datafusion::prelude::{SessionConfig, SessionContext};
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use std::io::Write;
use std::sync::Arc;
use tablepb_datafusion::{Compression, ProtobufFormat, ProtobufOptions, ScanErrorKind};
use url::Url;

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn ids(from: u64, to: u64) -> Vec<u8> {
    delimited((from..to).map(message))
}

/// A session over a store in memory.
async fn memory(partitions: usize, files: &[(&str, Vec<u8>)]) -> SessionContext {
    let store = InMemory::new();
    for (name, bytes) in files {
        store.put(&(*name).into(), PutPayload::from(bytes.clone())).await.unwrap();
    }
    let mut config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(100);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    let context = SessionContext::new_with_config(config);
    context.register_object_store(&Url::parse("memory://").unwrap(), Arc::new(store) as Arc<dyn ObjectStore>);
    tablepb_datafusion::ProtobufFormatFactory::new().with_pool(pool()).register(&context).unwrap();
    context
}

async fn create(context: &SessionContext, location: &str, options: &str) {
    let sql = format!(
        "CREATE OR REPLACE EXTERNAL TABLE t STORED AS PROTOBUF LOCATION 'memory:///{location}' OPTIONS (message 'example.Log'{options})"
    );
    context.sql(&sql).await.unwrap();
}

#[tokio::test]
async fn compressed_files_are_read_by_their_names_or_by_option() {
    let parts = [ids(0, 100), ids(100, 1100), ids(1100, 1200)];
    let expected: Vec<String> = (0..1200).map(|id| id.to_string()).collect();
    // Several members, and several frames: all of them count.
    let files_of =
        |compress: fn(&[u8]) -> Vec<u8>| parts.iter().map(|part| compress(part)).collect::<Vec<_>>().concat();
    for (name, bytes) in [("a.binpb.gz", files_of(gzip)), ("a.binpb.zst", files_of(zstd))] {
        let files = Files::new(4);
        files.write(name, &bytes);
        files.create(name, "").await.unwrap();
        assert_eq!(files.rows("SELECT id FROM t ORDER BY id").await.unwrap().concat(), expected);
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 1200);

        let option = if name.ends_with("gz") { "gzip" } else { "zstd" };
        files.write("d/some.binpb", &bytes);
        files.create("d/some.binpb", &format!(", compression '{option}'")).await.unwrap();
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 1200);
        assert_eq!(files.rows("SELECT id FROM t LIMIT 150").await.unwrap().len(), 150);

        files.write(&format!("e/{name}"), &bytes);
        files.write("e/not.txt", b"no");
        files.create("e/", &format!(", compression '{option}'")).await.unwrap();
        assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, 1200);

        let context = memory(3, &[(name, bytes)]).await;
        create(&context, name, "").await;
        assert_eq!(rows(&context, "SELECT id FROM t ORDER BY id").await.unwrap().concat(), expected);
        assert_eq!(number(&context, "SELECT count(*) FROM t").await, 1200);
    }
}

#[tokio::test]
async fn tables_of_one_file_know_nothing_of_each_other() {
    let files = Files::new(1);
    files.write("a.binpb", &gzip(&ids(0, 100)));
    files.create("a.binpb", ", compression 'gzip'").await.unwrap();
    assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, 100);
    files.create("a.binpb", "").await.unwrap();
    assert!(files.rows("SELECT count(*) FROM t").await.is_err());
    files.create("a.binpb", ", compression 'gzip'").await.unwrap();
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 100);
}

#[tokio::test]
async fn a_damaged_compressed_file_is_an_error() {
    let whole = ids(0, 1000);
    for (name, bytes) in [("a.binpb.gz", gzip(&whole)), ("a.binpb.zst", zstd(&whole))] {
        for bad in
            [bytes[..bytes.len() / 2].to_vec(), b"neither of them".to_vec(), [&bytes[..], b"more"].concat()]
        {
            let files = Files::new(1);
            files.write(name, &bad);
            files.create(name, "").await.unwrap();
            for sql in ["SELECT id FROM t", "SELECT count(*) FROM t"] {
                let error = files.rows(sql).await.unwrap_err().to_string();
                assert!(error.contains(name), "{error}");
            }
            files.write(name, &bytes);
            assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, 1000);
        }
        // Whole as a compressed file, but the messages in it are not.
        let files = Files::new(1);
        let cut = &whole[..whole.len() - 1];
        files.write(name, &if name.ends_with("gz") { gzip(cut) } else { zstd(cut) });
        files.create(name, "").await.unwrap();
        let failed = files.rows("SELECT id FROM t").await.unwrap_err();
        let error = scan_error(&failed);
        assert!(matches!(error.kind(), ScanErrorKind::Truncated) && error.row() == 999, "{error}");
        assert_eq!(error.offset(), ids(0, 999).len() as u64);
    }
}

#[tokio::test]
async fn files_that_expand_much_take_little_memory_at_a_time() {
    // 64 MiB of messages without bytes in a few KiB: batches of them are read one by one.
    let files = Files::new(1);
    files.write("a.binpb.zst", &zstd(&vec![0; 64 << 20]));
    assert!(std::fs::metadata(files.path("a.binpb.zst")).unwrap().len() < 20_000);
    files.create("a.binpb.zst", "").await.unwrap();
    assert_eq!(files.rows("SELECT id FROM t LIMIT 1000").await.unwrap().len(), 1000);
}

#[tokio::test]
async fn other_stores_are_split_too() {
    let file = ids(0, 1100);
    let expected: Vec<String> = (0..1100).map(|id| id.to_string()).collect();
    assert_eq!(decoded(&file).len(), 1100);
    for partitions in [1, 2, 3, 8] {
        let context = memory(partitions, &[("x/a.binpb", file.clone()), ("y/empty.binpb", Vec::new())]).await;
        create(&context, "x/a.binpb", "").await;
        for _ in 0..2 {
            assert_eq!(rows(&context, "SELECT id FROM t ORDER BY id").await.unwrap().concat(), expected);
        }
        assert_eq!(number(&context, "SELECT count(*) FROM t").await, 1100);
        create(&context, "y/", "").await;
        assert_eq!(number(&context, "SELECT count(*) FROM t").await, 0);
    }
}

#[tokio::test]
async fn long_messages_of_other_stores_are_jumped_over() {
    // Over the five megabytes of the second message a new request goes on.
    let mut long = message(1);
    long.extend([0x4a, 0x80, 0x80, 0xc0, 0x02]);
    long.extend(vec![1_u8; 5 << 20]);
    let file = delimited([message(0), long, message(2), message(3)]);
    for partitions in [1, 2, 7] {
        let context = memory(partitions, &[("a.binpb", file.clone())]).await;
        create(&context, "a.binpb", "").await;
        assert_eq!(number(&context, "SELECT count(*) FROM t").await, 4);
        assert_eq!(
            rows(&context, "SELECT id FROM t ORDER BY id").await.unwrap().concat(),
            ["0", "1", "2", "3"]
        );
    }
}

#[tokio::test]
async fn a_table_can_be_made_without_sql() {
    let files = Files::new(2);
    files.write("d/a.binpb", &ids(0, 10));
    files.write("d/b.binpb.gz", &gzip(&ids(10, 15)));
    files.write("d/c.txt", b"no");
    let log = crate::common::log();
    for (location, compression, expected) in [
        ("d/", Compression::Auto, 15),
        ("d/", Compression::Uncompressed, 10),
        ("d/", Compression::Gzip, 5),
        ("d/", Compression::Zstd, 0),
        ("d/b.binpb.gz", Compression::Auto, 5),
        ("d/*.binpb*", Compression::Auto, 15),
    ] {
        let format = ProtobufFormat::new(&log, ProtobufOptions::new().with_compression(compression)).unwrap();
        let table = format.table(&format!("{}/{location}", files.path("").display())).unwrap();
        files.context.register_table("t", Arc::new(table)).unwrap();
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, expected, "{location}");
        assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, expected, "{location}");
        files.context.deregister_table("t").unwrap();
    }
}

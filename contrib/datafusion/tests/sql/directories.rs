//! Which files of a directory a table has.

use crate::common::{Files, delimited, message, number, pool};
use crate::stores::{gzip, zstd};
use datafusion::physical_plan::ExecutionPlanProperties;
use datafusion::prelude::SessionContext;
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use std::sync::Arc;
use url::Url;

fn ids(from: u64, to: u64) -> Vec<u8> {
    delimited((from..to).map(message))
}

#[tokio::test]
async fn a_directory_has_its_compressed_files() {
    for partitions in [1, 3] {
        let files = Files::new(partitions);
        files.write("d/a.binpb", &ids(0, 10));
        files.write("d/b.binpb.gz", &gzip(&ids(10, 15)));
        files.write("d/c.binpb.zst", &zstd(&ids(15, 18)));
        files.write("only/b.binpb.gz", &gzip(&ids(0, 5)));
        for (location, options, expected) in [
            ("d/", "", 18),
            ("d", "", 18),
            ("d/", ", compression 'uncompressed'", 10),
            ("d/", ", compression 'gzip'", 5),
            ("d/", ", compression 'zstd'", 3),
            ("only/", "", 5),
        ] {
            files.create(location, options).await.unwrap();
            assert_eq!(
                number(&files.context, "SELECT count(id) FROM t").await,
                expected,
                "{location}{options}"
            );
            assert_eq!(
                number(&files.context, "SELECT count(*) FROM t").await,
                expected,
                "{location}{options}"
            );
        }
    }
}

#[tokio::test]
async fn a_directory_without_files_of_messages_is_an_error() {
    let files = Files::new(2);
    files.write("d/b.binpb.gz", &gzip(&ids(0, 5)));
    files.write("d/notes.txt", b"no message");
    for (location, options) in
        [("d/", ", compression 'zstd'"), ("d/", ", compression 'uncompressed'"), ("none/", "")]
    {
        let error = files.create(location, options).await.unwrap_err().to_string();
        assert!(error.contains(location) && error.contains(".binpb"), "{error}");
    }
    files.create("d/", "").await.unwrap();
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 5);
    // The session can make a table that failed before, once there are files.
    let files = Files::new(2);
    files.write("d/notes.txt", b"no message");
    assert!(files.create("d/", "").await.is_err());
    files.write("d/a.binpb", &ids(0, 4));
    files.create("d/", "").await.unwrap();
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 4);
}

#[tokio::test]
async fn hidden_files_belong_to_no_table() {
    for partitions in [1, 3] {
        let files = Files::new(partitions);
        for hidden in
            ["_a.binpb", ".b.binpb", "_c.binpb.gz", "_tmp/0/d.binpb", ".tmp=1/e.binpb", "._x=1/e.binpb"]
        {
            for directory in ["only", "d", "e", "_outer/d"] {
                files.write(&format!("{directory}/{hidden}"), b"no message");
            }
        }
        // What is around the directory of the table does not count, nor does the name of a column.
        for (directory, inner) in [("d", ""), ("e", "_x=1/"), ("_outer/d", "")] {
            files.write(&format!("{directory}/{inner}a_.binpb"), &ids(0, 3));
            files.write(&format!("{directory}/{inner}b.binpb.gz"), &gzip(&ids(3, 7)));
            files.write(&format!("{directory}/{inner}_b.binpb.gz"), b"no message");
            files.create(&format!("{directory}/"), "").await.unwrap();
            assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 7);
            assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, 7);
            assert_eq!(files.rows("SELECT _x FROM t WHERE _x = '1'").await.is_ok(), !inner.is_empty());
        }
        let error = files.create("only/", "").await.unwrap_err().to_string();
        assert!(error.contains("there are no files"), "{error}");
        // By its name a file is read.
        files.write("d/_named.binpb", &ids(0, 2));
        for location in ["d/_named.binpb", "d/_n*.binpb"] {
            files.create(location, "").await.unwrap();
            assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, 2, "{location}");
        }
    }
}

/// Files that are no messages, beside 15 messages.
fn beside() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("d/a.binpb", ids(0, 10)),
        ("d/b.binpb.gz", gzip(&ids(10, 15))),
        ("d/log.set", pool().encode_to_vec().unwrap()),
        ("d/notes.txt", b"no message".to_vec()),
        ("d/a.binpb.bak", b"no message".to_vec()),
        ("d/xbinpb", b"no message".to_vec()),
    ]
}

#[tokio::test]
async fn a_directory_with_declared_columns_reads_no_other_files() {
    let files = Files::new(2);
    for (name, bytes) in beside() {
        files.write(name, &bytes);
    }
    std::fs::create_dir(files.path("empty")).unwrap();
    for (location, expected) in [("d/", 15), ("empty/", 0)] {
        let sql = format!(
            "CREATE OR REPLACE EXTERNAL TABLE t (id BIGINT UNSIGNED) STORED AS PROTOBUF LOCATION '{}/'
             OPTIONS (message 'example.Log', descriptors '{}')",
            files.path(location).display(),
            files.path("log.set").display()
        );
        files.write("log.set", &pool().encode_to_vec().unwrap());
        files.context.sql(&sql).await.unwrap();
        assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, expected);
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, expected);
    }
}

#[tokio::test]
async fn a_directory_of_another_store_reads_no_other_files() {
    let store = InMemory::new();
    for (name, bytes) in beside() {
        store.put(&name.into(), PutPayload::from(bytes)).await.unwrap();
    }
    store.put(&"d2/a.binpb".into(), PutPayload::from(ids(0, 1))).await.unwrap();
    let context = SessionContext::new();
    context.register_object_store(&Url::parse("memory://").unwrap(), Arc::new(store) as Arc<dyn ObjectStore>);
    tablepb_datafusion::ProtobufFormatFactory::new().with_pool(pool()).register(&context).unwrap();
    for columns in ["", "(id BIGINT UNSIGNED)"] {
        for (location, expected) in [("d/", 15), ("d", 15), ("d/a.binpb", 10), ("d/b.binpb.gz", 5)] {
            let sql = format!(
                "CREATE OR REPLACE EXTERNAL TABLE t {columns} STORED AS PROTOBUF LOCATION 'memory:///{location}'
                 OPTIONS (message 'example.Log')"
            );
            context.sql(&sql).await.unwrap();
            assert_eq!(number(&context, "SELECT count(id) FROM t").await, expected, "{location}");
            assert_eq!(number(&context, "SELECT count(*) FROM t").await, expected, "{location}");
        }
    }
    let missing =
        "CREATE EXTERNAL TABLE u STORED AS PROTOBUF LOCATION 'memory:///e/' OPTIONS (message 'example.Log')";
    assert!(context.sql(missing).await.unwrap_err().to_string().contains("memory:///e/"));
    // A file that is written after its table was made is that file, not a directory.
    let later = missing.replace(" u ", " u (id BIGINT UNSIGNED) ").replace("e/", "e.binpb");
    context.sql(&later).await.unwrap();
    let url = Url::parse("memory://").unwrap();
    let store = context.runtime_env().object_store_registry.get_store(&url).unwrap();
    store.put(&"e.binpb".into(), PutPayload::from(ids(0, 7))).await.unwrap();
    assert_eq!(number(&context, "SELECT count(id) FROM u").await, 7);
}

#[tokio::test]
async fn directories_of_compressed_files_are_columns() {
    let files = Files::new(2);
    files.write("d/day=mon/a.binpb.gz", &gzip(&ids(0, 3)));
    files.write("d/day=tue/a.binpb", &ids(0, 4));
    files.write("d/notes.txt", b"no message");
    for (columns, by) in [
        ("", "PARTITIONED BY (day)"),
        ("", ""),
        ("(id BIGINT UNSIGNED, day VARCHAR)", "PARTITIONED BY (day)"),
    ] {
        let sql = format!(
            "CREATE OR REPLACE EXTERNAL TABLE t {columns} STORED AS PROTOBUF {by} LOCATION '{}/'
             OPTIONS (message 'example.Log', descriptors '{}')",
            files.path("d").display(),
            files.path("log.set").display()
        );
        files.context.sql(&sql).await.unwrap();
        let found =
            files.rows("SELECT day, count(*), max(id) FROM t GROUP BY day ORDER BY day").await.unwrap();
        assert_eq!(found, [["mon", "3", "2"], ["tue", "4", "3"]], "{columns} {by}");
        let found = files.rows("SELECT id FROM t WHERE day = 'mon' ORDER BY id").await.unwrap();
        assert_eq!(found.concat(), ["0", "1", "2"]);
    }
}

#[tokio::test]
async fn several_locations_are_one_table() {
    let files = Files::new(2);
    files.write("d/a.binpb", &ids(0, 3));
    files.write("d/b.binpb.gz", &gzip(&ids(3, 5)));
    files.write("e/c.binpb", &ids(5, 9));
    let create = |locations: &str| {
        format!(
            "CREATE OR REPLACE EXTERNAL TABLE t STORED AS PROTOBUF LOCATION {} OPTIONS (message 'example.Log', descriptors '{}')",
            locations.replace('@', files.path("").to_str().unwrap()),
            files.path("log.set").display()
        )
    };
    let found = files.context.sql(&create("('@d/', '@e/c.binpb')")).await;
    found.unwrap();
    assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, 9);
    assert!(files.context.sql(&create("('@d/', '@d/')")).await.is_err());
    assert!(files.context.sql(&create("('@d/', 'memory:///d/')")).await.is_err());
}

#[tokio::test]
async fn plain_files_beside_compressed_ones_are_split() {
    let expected: Vec<String> = (0..1200).map(|id| id.to_string()).collect();
    for partitions in [2, 3, 5] {
        let files = Files::new(partitions);
        files.write("d/a.binpb", &ids(0, 1100));
        files.write("d/b.binpb.gz", &gzip(&ids(1100, 1150)));
        files.write("d/c.binpb.zst", &zstd(&ids(1150, 1200)));
        for location in ["d/", "d/*.binpb*"] {
            files.create(location, "").await.unwrap();
            for sql in ["SELECT id FROM t", "SELECT id FROM t ORDER BY id"] {
                let mut found = files.rows(sql).await.unwrap().concat();
                found.sort_by_key(|id| id.parse::<u64>().unwrap());
                assert_eq!(found, expected);
            }
            assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 1200);
            let query = files.context.sql("SELECT id FROM t").await.unwrap();
            let plan = query.create_physical_plan().await.unwrap();
            assert_eq!(plan.output_partitioning().partition_count(), partitions);
            let shown = datafusion::physical_plan::displayable(plan.as_ref()).indent(true).to_string();
            assert_eq!(shown.matches("/a.binpb:").count(), partitions, "{shown}");
            assert!(!shown.contains(".gz:") && !shown.contains(".zst:"), "{shown}");
        }
        // Each file alone is in order, and stays so.
        let sorted = format!(
            "CREATE OR REPLACE EXTERNAL TABLE t STORED AS PROTOBUF WITH ORDER (id ASC) LOCATION '{}/'
             OPTIONS (message 'example.Log', descriptors '{}')",
            files.path("d").display(),
            files.path("log.set").display()
        );
        files.context.sql(&sorted).await.unwrap();
        assert_eq!(files.rows("SELECT id FROM t ORDER BY id").await.unwrap().concat(), expected);
    }
}

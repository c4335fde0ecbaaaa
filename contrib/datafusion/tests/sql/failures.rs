//! What holds after a failure: the error says where, and the session and the table can be used on.

use crate::common::{Files, delimited, message, number, scan_error};
use futures::StreamExt;
use std::sync::Arc;
use tablepb_datafusion::{ProtobufFormat, ProtobufOptions, ScanErrorKind};

fn ids(count: u64) -> Vec<u8> {
    delimited((0..count).map(message))
}

#[tokio::test]
async fn a_truncated_file_is_an_error_with_name_and_place() {
    let (whole, last) = (ids(40), delimited([message(40)]));
    for partitions in 1..=5 {
        for cut in 1..last.len() {
            let files = Files::new(partitions);
            files.write("good.binpb", &whole);
            files.write("a.binpb", &[&whole[..], &last[..cut]].concat());
            files.create("a.binpb", "").await.unwrap();
            for sql in ["SELECT id FROM t", "SELECT count(*) FROM t", "SELECT * FROM t"] {
                let failed = files.rows(sql).await.unwrap_err();
                let error = scan_error(&failed);
                assert!(matches!(error.kind(), ScanErrorKind::Truncated), "{error}");
                assert_eq!(
                    (error.row(), error.offset()),
                    (40, whole.len() as u64),
                    "{sql}, {partitions} partitions"
                );
                assert!(error.file().ends_with("/a.binpb") && failed.to_string().contains("a.binpb: row 40"));
            }
            // The same table, when the file is whole.
            files.write("a.binpb", &whole);
            assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 40);
            files.create("good.binpb", "").await.unwrap();
            assert_eq!(files.rows("SELECT id FROM t").await.unwrap().len(), 40);
            if partitions > 1 {
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_bad_message_is_an_error_with_its_place() {
    // A string that is not UTF-8, a value that is cut off, a group that nothing ends.
    for bad in [vec![0x12, 1, 0xff], vec![0x12, 5, b'a'], vec![0x7b]] {
        for partitions in [1, 3] {
            let before = ids(177);
            let files = Files::new(partitions);
            let file = [before.clone(), delimited([bad.clone()]), ids(300)].concat();
            files.write("a.binpb", &file);
            files.create("a.binpb", "").await.unwrap();
            let failed = files.rows("SELECT line, id FROM t").await.unwrap_err();
            let error = scan_error(&failed);
            assert!(matches!(error.kind(), ScanErrorKind::Decode(_)), "{error}");
            assert_eq!((error.row(), error.offset()), (177, before.len() as u64));
            // Its length is good, so it can be counted.
            assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 478);
            files.write("a.binpb", &before);
            assert_eq!(files.rows("SELECT line FROM t").await.unwrap().len(), 177);
        }
    }
}

#[tokio::test]
async fn a_bad_length_is_an_error_with_its_place() {
    for partitions in [1, 2, 4] {
        let before = ids(100);
        let files = Files::new(partitions);
        files.write("a.binpb", &[before.clone(), vec![0xff; 3000]].concat());
        files.create("a.binpb", "").await.unwrap();
        for sql in ["SELECT id FROM t", "SELECT count(*) FROM t"] {
            let failed = files.rows(sql).await.unwrap_err();
            let error = scan_error(&failed);
            assert!(matches!(error.kind(), ScanErrorKind::Length(_)), "{error}");
            assert_eq!((error.row(), error.offset()), (100, before.len() as u64));
        }
    }
}

#[tokio::test]
async fn a_long_message_is_refused() {
    for partitions in [1, 2] {
        let files = Files::new(partitions);
        let before = delimited([message(1)]);
        files.write("a.binpb", &[before.clone(), delimited([message(1008), message(2)])].concat());
        files.create("a.binpb", ", max_row_len '1000000'").await.unwrap();
        for sql in ["SELECT id FROM t", "SELECT count(*) FROM t"] {
            let failed = files.rows(sql).await.unwrap_err();
            let error = scan_error(&failed);
            assert!(matches!(error.kind(), ScanErrorKind::TooLong(len) if *len > 1_300_000), "{error}");
            assert_eq!((error.row(), error.offset()), (1, before.len() as u64));
        }
        files.create("a.binpb", "").await.unwrap();
        assert_eq!(files.rows("SELECT id FROM t").await.unwrap().len(), 3);
    }
}

#[tokio::test]
async fn a_length_that_promises_much_reserves_little() {
    let files = Files::new(1);
    // 60 MB, of which there are three bytes.
    files.write("a.binpb", &[0x80, 0x8e, 0xce, 0x1c, 1, 2, 3]);
    files.create("a.binpb", "").await.unwrap();
    let failed = files.rows("SELECT id FROM t").await.unwrap_err();
    assert!(matches!(scan_error(&failed).kind(), ScanErrorKind::Truncated));
}

#[tokio::test]
async fn a_file_that_changes_after_planning_is_refused() {
    let files = Files::new(2);
    files.write("a.binpb", &ids(300));
    files.create("a.binpb", "").await.unwrap();
    for sql in ["SELECT id FROM t", "SELECT line FROM t"] {
        let plan = files.context.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
        files.write("a.binpb", &ids(200));
        let failed = datafusion::physical_plan::collect(plan, files.context.task_ctx()).await.unwrap_err();
        assert!(failed.to_string().contains("a.binpb"), "{failed}");
        assert_eq!(files.rows(sql).await.unwrap().len(), 200);
        files.write("a.binpb", &ids(300));
    }
}

#[tokio::test]
async fn a_query_that_is_dropped_leaves_the_table_as_it_was() {
    let files = Files::new(3);
    files.write("a.binpb", &ids(1200));
    files.create("a.binpb", "").await.unwrap();
    for batches in 0..4 {
        let mut stream = files.context.sql("SELECT * FROM t").await.unwrap().execute_stream().await.unwrap();
        for _ in 0..batches {
            assert!(stream.next().await.unwrap().unwrap().num_rows() > 0);
        }
        drop(stream);
        // Before the first turn of a count, and in it.
        let count = files.rows("SELECT count(*) FROM t");
        let stopped = tokio::time::timeout(std::time::Duration::from_micros(50 * batches), count).await;
        drop(stopped);
        assert_eq!(number(&files.context, "SELECT count(id) FROM t").await, 1200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_at_the_same_time_share_the_places() {
    let files = Arc::new(Files::new(6));
    files.write("a.binpb", &ids(1200));
    files.create("a.binpb", "").await.unwrap();
    let queries = (0..8).map(|_| {
        let files = files.clone();
        tokio::spawn(async move { number(&files.context, "SELECT sum(id) FROM t").await })
    });
    for sum in futures::future::join_all(queries).await {
        assert_eq!(sum.unwrap(), 1199 * 1200 / 2);
    }
}

#[tokio::test]
async fn columns_of_the_table_must_be_fields_of_the_message() {
    let files = Files::new(2);
    files.write("a.binpb", &ids(30));
    let create = async |columns: &str| {
        let sql = format!(
            "CREATE OR REPLACE EXTERNAL TABLE t ({columns}) STORED AS PROTOBUF LOCATION '{}'
             OPTIONS (message 'example.Log', descriptors '{}')",
            files.path("a.binpb").display(),
            files.path("log.set").display()
        );
        files.context.sql(&sql).await.map(drop)
    };
    for (columns, hint) in
        [("id BIGINT UNSIGNED, lines VARCHAR", "lines"), ("id BIGINT", "UInt64"), ("part INT", "part")]
    {
        create(columns).await.unwrap();
        let failed = files.rows("SELECT * FROM t").await.unwrap_err().to_string();
        assert!(failed.contains(hint) && failed.contains("example.Log"), "{failed}");
    }
    // Some columns, in another order.
    create("line VARCHAR, id BIGINT UNSIGNED, level INT").await.unwrap();
    let rows = files.rows("SELECT * FROM t WHERE id = 9").await.unwrap();
    assert_eq!(rows, [["xxxxxxxxxxxxxxxxxx", "9", "1"]]);
    assert_eq!(files.rows("SELECT level, line FROM t WHERE id = 7").await.unwrap(), [["3", ""]]);
}

#[tokio::test]
async fn a_format_needs_fields_that_exist() {
    let log = crate::common::log();
    let error =
        ProtobufFormat::new(&log, ProtobufOptions::new().with_fields(["id", "part.nme"])).unwrap_err();
    assert!(error.to_string().contains("part.nme"), "{error}");
    assert!(ProtobufFormat::new(&log, ProtobufOptions::new().with_fields(["id", "part.name"])).is_ok());
}

#[tokio::test]
async fn a_file_of_a_directory_that_is_replaced_never_counts_as_before() {
    let files = Files::new(2);
    std::fs::create_dir(files.path("d")).unwrap();
    files.write("d/a.binpb", &ids(40));
    files.create("d/", "").await.unwrap();
    // Counted by all the ways there are, so that every cache has it.
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 40);
    assert_eq!(files.rows("SELECT id FROM t").await.unwrap().len(), 40);
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 40);
    files.write("d/a.binpb", &ids(50));
    // The session may have kept the listing of the directory: then both say that the file changed.
    match (files.rows("SELECT count(*) FROM t").await, files.rows("SELECT id FROM t").await) {
        (Ok(counted), Ok(read)) => assert_eq!((counted[0][0].as_str(), read.len()), ("50", 50)),
        (Err(counted), Err(read)) => {
            for error in [counted, read] {
                assert!(error.to_string().contains("a.binpb"), "{error}");
            }
        }
        (counted, read) => panic!("{counted:?}, {:?}", read.map(|rows| rows.len())),
    }
    // A table that is made again lists again.
    files.create("d/", "").await.unwrap();
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 50);
}

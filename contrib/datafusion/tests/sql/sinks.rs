//! Rows into files: `COPY .. TO` and `INSERT`, read back by the library.

use crate::common::{Files, decoded, delimited, message, number, pool};
use std::io::Read;

/// The messages of a file, decompressed as its name says.
fn messages(files: &Files, name: &str) -> Vec<tablepb::DynamicMessage> {
    let bytes = std::fs::read(files.path(name)).unwrap();
    let mut plain = Vec::new();
    match name.rsplit_once('.').unwrap().1 {
        "gz" => _ = flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap(),
        "zst" => plain = zstd::decode_all(&bytes[..]).unwrap(),
        _ => plain = bytes,
    }
    decoded(&plain)
}

fn expected(ids: std::ops::Range<u64>) -> Vec<tablepb::DynamicMessage> {
    decoded(&delimited(ids.map(message)))
}

/// Messages of a table of 300, and the options of files of the same type.
async fn table() -> (Files, String) {
    let files = Files::new(3);
    files.write("a.binpb", &delimited((0..300).map(message)));
    files.create("a.binpb", ", recursion '2'").await.unwrap();
    let options = format!(
        "STORED AS PROTOBUF OPTIONS (message 'example.Log', descriptors '{}'",
        files.path("log.set").display()
    );
    (files, options)
}

#[tokio::test]
async fn copied_rows_are_the_same_messages() {
    let (files, options) = table().await;
    for name in ["b.binpb", "b.binpb.gz", "b.binpb.zst"] {
        let copy =
            format!("COPY (SELECT * FROM t ORDER BY id) TO '{}' {options})", files.path(name).display());
        assert_eq!(files.rows(&copy).await.unwrap(), [["300"]]);
        for (found, expected) in messages(&files, name).iter().zip(expected(0..300)) {
            // They are of two pools.
            assert_eq!(found.encode_to_vec().unwrap(), expected.encode_to_vec().unwrap(), "{name}");
        }
        assert_eq!(messages(&files, name).len(), 300);
    }
    // A part of the fields, by their names, in another order.
    let copy = format!(
        "COPY (SELECT level, CAST(id + 1 AS BIGINT UNSIGNED) AS id FROM t WHERE id < 2 ORDER BY id) TO '{}' {options}, compression 'uncompressed')",
        files.path("c.binpb").display()
    );
    files.rows(&copy).await.unwrap();
    let [first, second] = &messages(&files, "c.binpb")[..] else { panic!("two messages") };
    assert_eq!(tablepb::json::to_string(first).unwrap(), r#"{"id":"1"}"#);
    assert_eq!(tablepb::json::to_string(second).unwrap(), r#"{"id":"2","level":"LOW"}"#);
}

#[tokio::test]
async fn a_directory_has_files_of_several_tasks() {
    let (files, options) = table().await;
    for (directory, compression) in [("plain", "uncompressed"), ("gzip", "gzip"), ("zstd", "zstd")] {
        let place = files.path(directory);
        let copy = format!("COPY t TO '{}/' {options}, compression '{compression}')", place.display());
        files.rows(&copy).await.unwrap();
        files.create(&format!("{directory}/"), ", recursion '2'").await.unwrap();
        assert_eq!(number(&files.context, "SELECT count(DISTINCT id) FROM t").await, 300, "{directory}");
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 300, "{directory}");
        files.create("a.binpb", ", recursion '2'").await.unwrap();
    }
    // By the values of a column, which is in the names and not in the messages.
    let place = files.path("days");
    let copy = format!(
        "COPY (SELECT *, CASE WHEN id % 2 = 0 THEN 'mon' ELSE 'tue' END AS day FROM t) TO '{}/' PARTITIONED BY (day) {options})",
        place.display()
    );
    files.rows(&copy).await.unwrap();
    let create = format!(
        "CREATE EXTERNAL TABLE days {} PARTITIONED BY (day) LOCATION '{}/' {})",
        "STORED AS PROTOBUF",
        place.display(),
        options.split_once("PROTOBUF ").unwrap().1
    );
    files.context.sql(&create).await.unwrap();
    let rows =
        files.rows("SELECT day, count(*), sum(id % 2) FROM days GROUP BY day ORDER BY day").await.unwrap();
    assert_eq!(rows, [["mon", "150", "0"], ["tue", "150", "150"]]);
}

#[tokio::test]
async fn inserted_rows_are_new_files_of_the_table() {
    let (files, options) = table().await;
    files.write("d/first.binpb", &delimited((0..10).map(message)));
    for compression in ["", ", compression 'gzip'"] {
        let create = format!(
            "CREATE OR REPLACE EXTERNAL TABLE d STORED AS PROTOBUF LOCATION '{}/' {}, recursion '2'{compression})",
            files.path("d").display(),
            options.split_once("PROTOBUF ").unwrap().1
        );
        // The table of gzip files has none at first.
        if compression.is_empty() {
            files.context.sql(&create).await.unwrap();
            assert_eq!(number(&files.context, "SELECT count(*) FROM d").await, 10);
        } else {
            files.write("d/second.binpb.gz", &{
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                std::io::Write::write_all(&mut encoder, &delimited((0..10).map(message))).unwrap();
                encoder.finish().unwrap()
            });
            files.context.sql(&create).await.unwrap();
        }
        for (from, to) in [(10, 100), (100, 300)] {
            let insert = format!("INSERT INTO d SELECT * FROM t WHERE id >= {from} AND id < {to}");
            assert_eq!(files.rows(&insert).await.unwrap(), [[(to - from).to_string()]]);
            assert_eq!(number(&files.context, "SELECT count(*) FROM d").await, to, "{compression}");
        }
        assert_eq!(number(&files.context, "SELECT count(DISTINCT id) FROM d").await, 300);
        let rows =
            async |table: &str| files.rows(&format!("SELECT * FROM {table} ORDER BY id")).await.unwrap();
        assert!(rows("d").await == rows("t").await);
    }
}

#[tokio::test]
async fn rows_that_are_no_messages_say_why() {
    let (files, options) = table().await;
    let copy = |query: &str| format!("COPY ({query}) TO '{}' {options})", files.path("e.binpb").display());
    for (query, error) in [
        ("SELECT id + 1 AS nope FROM t", "no such field: example.Log, column nope"),
        ("SELECT line AS id FROM t", "does not fit the field"),
        ("SELECT id, id AS number, line AS text FROM t LIMIT 1", "two members of a oneof are set"),
        ("SELECT -1 AS id", "out of the range"),
    ] {
        let result = files.rows(&copy(query)).await;
        let text = result.expect_err(query).to_string();
        assert!(text.contains(error), "{query}: {text}");
    }
    let overwrite = "INSERT OVERWRITE d SELECT * FROM t";
    files.write("d/a.binpb", b"");
    let create = format!(
        "CREATE EXTERNAL TABLE d STORED AS PROTOBUF LOCATION '{}/' {}, recursion '2')",
        files.path("d").display(),
        options.split_once("PROTOBUF ").unwrap().1
    );
    files.context.sql(&create).await.unwrap();
    assert!(files.rows(overwrite).await.unwrap_err().to_string().contains("not replaced"));
    // A session whose formats have no message type by themselves.
    let error = files
        .rows(&format!("COPY t TO '{}' STORED AS PROTOBUF", files.path("f.binpb").display()))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("message"), "{error}");
    assert!(pool().message("example.Log").is_ok());
}

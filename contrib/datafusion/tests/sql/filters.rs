//! Filters that are evaluated while messages are decoded, beside the same queries over the same rows in memory.

use crate::common::{Files, delimited, message, number, rows, scan_error};
use datafusion::arrow::util::pretty::pretty_format_batches;
use std::io::Write;

/// Files of so many messages, and the table `m` of their rows in memory.
async fn tables(partitions: usize, count: u64, compressed: bool) -> Files {
    let files = Files::new(partitions);
    let half = count / 2;
    for (name, ids) in [("d/a.binpb", 0..half), ("d/b.binpb", half..count)] {
        let bytes = delimited(ids.map(message));
        if compressed {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&bytes).unwrap();
            files.write(&format!("{name}.gz"), &encoder.finish().unwrap());
        } else {
            files.write(name, &bytes);
        }
    }
    files.create("d/", ", recursion '1', views 'false'").await.unwrap();
    let frame = files.context.sql("SELECT * FROM t").await.unwrap();
    let (schema, batches) = (frame.schema().inner().clone(), frame.collect().await.unwrap());
    let memory = datafusion::datasource::MemTable::try_new(schema, vec![batches]).unwrap();
    files.context.register_table("m", std::sync::Arc::new(memory)).unwrap();
    files
}

#[tokio::test]
async fn filtered_rows_equal_those_in_memory() {
    let filters = [
        // None, all, one, few, half, most.
        "id < 0",
        "id >= 0",
        "id = 77",
        "id % 50 = 3",
        "id % 2 = 1",
        "id % 20 > 0",
        "id > 420",
        "id BETWEEN 90 AND 110",
        // Strings, enums, nulls, structs, lists, maps, members of a oneof.
        "line LIKE 'xxx%'",
        "level = 1 AND id % 3 = 0",
        "part IS NULL",
        "part['weight'] > 5.0",
        "part['inner']['name'] = 'inner'",
        "number IS NOT NULL",
        "text IS NULL OR number > 50",
        "cardinality(parts) > 1",
        "labels['k'] > 100",
        "part['weight'] > 5.0 OR id < 10",
        "CASE WHEN id % 7 = 0 THEN NULL ELSE id % 2 = 0 END",
        "NOT (part['name'] <> 'part 9')",
    ];
    let selected = [
        "count(*)",
        "id",
        "id, line, part, parts",
        "level, id, part['name'], part['sizes']",
        "labels, text, number, raw IS NULL",
        "sum(id), max(line)",
    ];
    for (partitions, compressed) in [(1, false), (4, false), (3, true)] {
        let files = tables(partitions, 500, compressed).await;
        for filter in filters {
            for selected in selected {
                let sql = |table: &str| format!("SELECT {selected} FROM {table} WHERE {filter}");
                let mut found = files.rows(&sql("t")).await.unwrap();
                let mut expected = files.rows(&sql("m")).await.unwrap();
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{selected} WHERE {filter}, {partitions} partitions");
            }
        }
        // Limits, orders (whose filters change while rows come), joins, values of directories.
        for query in [
            "SELECT count(*) FROM (SELECT id FROM TABLE WHERE id % 3 = 1 LIMIT 40)",
            "SELECT id, line FROM TABLE WHERE level = 2 ORDER BY id DESC LIMIT 7",
            "SELECT id FROM TABLE ORDER BY line DESC, id LIMIT 5",
            "SELECT a.id, b.line FROM TABLE a JOIN TABLE b ON a.id = b.id + 1 WHERE b.level = 3 ORDER BY 1 LIMIT 20",
            "SELECT id FROM TABLE WHERE id IN (SELECT id + 1 FROM TABLE WHERE level = 0) ORDER BY id",
        ] {
            let of = |table: &str| query.replace("TABLE", table);
            assert_eq!(files.rows(&of("t")).await.unwrap(), files.rows(&of("m")).await.unwrap(), "{query}");
        }
    }
}

#[tokio::test]
async fn directories_and_files_filter_together() {
    let files = Files::new(2);
    files.write("d/day=mon/a.binpb", &delimited((0..30).map(message)));
    files.write("d/day=tue/a.binpb", &delimited((30..60).map(message)));
    let sql = format!(
        "CREATE EXTERNAL TABLE t STORED AS PROTOBUF PARTITIONED BY (day) LOCATION '{}/' OPTIONS (message 'example.Log', descriptors '{}')",
        files.path("d").display(),
        files.path("log.set").display()
    );
    files.context.sql(&sql).await.unwrap();
    for (filter, count) in [
        ("day = 'tue' AND id % 2 = 0", 15),
        ("day = 'mon' OR id > 50", 39),
        ("length(day) = 3 AND id < 0", 0),
    ] {
        assert_eq!(
            number(&files.context, &format!("SELECT count(*) FROM t WHERE {filter}")).await,
            count,
            "{filter}"
        );
    }
    let rows = files.rows("SELECT day, id FROM t WHERE id = 31").await.unwrap();
    assert_eq!(rows, [["tue", "31"]]);
}

#[tokio::test]
async fn what_is_refused_is_not_decoded_and_faults_name_their_rows() {
    // The line of message 20 is not UTF-8, of message 30 the id is cut off.
    let broken = |id: u8| vec![8, id, 0x12, 1, 0xff];
    let file = |fault: Vec<u8>| delimited((0..20).map(message).chain([fault]).chain((21..40).map(message)));
    for (partitions, share) in [(1, "id % 2 = 0"), (1, "id % 20 = 0"), (2, "id >= 0")] {
        let files = Files::new(partitions);
        files.write("a.binpb", &file(broken(20)));
        files.create("a.binpb", "").await.unwrap();
        let error = files.rows(&format!("SELECT line FROM t WHERE {share}")).await.unwrap_err();
        let whole = delimited((0..20).map(message)).len() as u64;
        assert_eq!((scan_error(&error).row(), scan_error(&error).offset()), (20, whole), "{share}: {error}");
        // Not decoded: 19 lines and 39.
        assert_eq!(
            files
                .rows(&format!("SELECT line FROM t WHERE {share} AND id <> 20 LIMIT 1"))
                .await
                .unwrap()
                .len(),
            1
        );
        assert_eq!(number(&files.context, "SELECT count(line) FROM t WHERE id <> 20").await, 39);
        // What the filter itself needs is decoded.
        let cut = Files::new(partitions);
        cut.write("a.binpb", &file(vec![8]));
        cut.create("a.binpb", "").await.unwrap();
        let error = cut.rows("SELECT line FROM t WHERE id < 0").await.unwrap_err();
        assert_eq!((scan_error(&error).row(), scan_error(&error).offset()), (20, whole), "{error}");
    }
}

#[tokio::test]
async fn explain_shows_the_filter_and_what_it_refused() {
    let files = tables(1, 200, false).await;
    let explain = files.context.sql("EXPLAIN ANALYZE SELECT line FROM t WHERE id >= 190").await.unwrap();
    let text = pretty_format_batches(&explain.collect().await.unwrap()).unwrap().to_string();
    for part in
        ["predicate=id@0 >= 190", "fields=[line]", "rows_refused=190", "output_rows=10", "bytes_scanned="]
    {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(!text.contains("FilterExec"), "{text}");
    // What depends on more than the row is evaluated after the scan.
    let rows = rows(&files.context, "EXPLAIN SELECT id FROM t WHERE random() < 2.0").await.unwrap();
    assert!(rows.concat().join("").contains("FilterExec"), "{rows:?}");
}

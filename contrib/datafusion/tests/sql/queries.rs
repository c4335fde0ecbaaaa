//! What queries give.

use crate::common::{Files, decoded, delimited, message, number};
use datafusion::common::stats::Precision;
use datafusion::physical_plan::displayable;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use tablepb::{MessageView, ValueRef};

fn ids(count: u64) -> Vec<u8> {
    delimited((0..count).map(message))
}

/// What a field of a message is, as the text of a column of it.
fn text(message: MessageView<'_, '_>, path: &[&str]) -> String {
    let (first, rest) = path.split_first().unwrap();
    let field = message.descriptor().field(first).unwrap();
    if field.supports_presence() && !message.has_field(&field) {
        return "null".to_owned();
    }
    match message.get_field(&field) {
        Ok(ValueRef::Message(part)) => text(part, rest),
        Ok(ValueRef::I32(value)) => value.to_string(),
        Ok(ValueRef::U64(value)) => value.to_string(),
        Ok(ValueRef::F64(value)) => format!("{value:?}"),
        Ok(ValueRef::String(value)) => value.to_string(),
        Ok(ValueRef::EnumNumber(value)) => value.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn rows_are_the_messages_in_every_number_of_partitions() {
    let file = ids(1100);
    let paths: [&[&str]; 7] = [
        &["id"],
        &["line"],
        &["level"],
        &["part", "name"],
        &["part", "inner", "name"],
        &["part", "weight"],
        &["number"],
    ];
    let expected: Vec<Vec<String>> = decoded(&file)
        .iter()
        .map(|message| paths.iter().map(|path| text(message.as_view(), path)).collect())
        .collect();
    for partitions in 1..=8 {
        let files = Files::new(partitions);
        files.write("a.binpb", &file);
        files.create("a.binpb", ", recursion '1'").await.unwrap();
        let sql = "SELECT id, line, level, part['name'], part['inner']['name'], part['weight'], number FROM t ORDER BY id";
        // The second time, the places of messages are known.
        for _ in 0..2 {
            assert_eq!(files.rows(sql).await.unwrap(), expected, "{partitions} partitions");
        }
        let plan = files.context.sql("SELECT id FROM t").await.unwrap().create_physical_plan().await.unwrap();
        assert_eq!(plan.properties().partitioning.partition_count(), partitions);
    }
}

#[tokio::test]
async fn every_split_of_a_small_file_gives_each_row_once() {
    // Messages of no bytes, of one, and of some.
    let file = delimited([vec![], vec![8, 1], vec![], vec![], message(3), vec![8, 5], message(6), vec![]]);
    // Every byte is a split once; with more partitions than bytes, some are empty.
    for partitions in [1, 2, 3, 5, 7, file.len(), file.len() + 1] {
        let files = Files::new(partitions);
        files.write("a.binpb", &file);
        files.create("a.binpb", "").await.unwrap();
        let rows = files.rows("SELECT id FROM t ORDER BY id").await.unwrap().concat();
        assert_eq!(rows, ["0", "0", "0", "0", "1", "3", "5", "6"], "{partitions} partitions");
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 8);
    }
}

#[tokio::test]
async fn rows_are_counted_without_their_columns() {
    for partitions in [1, 3] {
        let files = Files::new(partitions);
        files.write("a.binpb", &ids(1500));
        files.create("a.binpb", "").await.unwrap();
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 1500);
        // The number is known to the next plan.
        assert_eq!(estimated_rows(&files).await, Precision::Inexact(1500));
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 1500);
        assert_eq!(number(&files.context, "SELECT count(*) FROM (SELECT id FROM t LIMIT 5)").await, 5);
        assert_eq!(number(&files.context, "SELECT count(*) FROM t WHERE id < 10").await, 10);
        // Another file of the same name has other rows.
        files.write("a.binpb", &ids(7));
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 7);
        assert_eq!(files.rows("SELECT 1 FROM t").await.unwrap().len(), 7);
    }
}

#[tokio::test]
async fn a_scan_of_all_columns_learns_the_number_of_rows() {
    let files = Files::new(2);
    files.write("a.binpb", &ids(500));
    files.create("a.binpb", "").await.unwrap();
    assert_eq!(files.rows("SELECT * FROM t").await.unwrap().len(), 500);
    assert_eq!(estimated_rows(&files).await, Precision::Inexact(500));
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 500);
}

/// What the plan of a query knows of the number of rows.
async fn estimated_rows(files: &Files) -> Precision<usize> {
    let plan = files.context.sql("SELECT * FROM t").await.unwrap().create_physical_plan().await.unwrap();
    StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new()).unwrap().num_rows
}

#[tokio::test]
async fn what_a_query_does_not_use_is_not_read() {
    let files = Files::new(1);
    // `part` of the second message holds a string that is not UTF-8, in a field of its own: { name: "\xff" }.
    let broken = vec![8, 1, 0x22, 3, 0x0a, 1, 0xff];
    files.write("a.binpb", &delimited([message(0), broken, message(2)]));
    files.create("a.binpb", ", recursion '1'").await.unwrap();
    assert_eq!(files.rows("SELECT id FROM t").await.unwrap().concat(), ["0", "1", "2"]);
    assert_eq!(files.rows("SELECT part['weight'] FROM t").await.unwrap().concat(), ["0.5", "null", "null"]);
    assert!(files.rows("SELECT part['name'] FROM t").await.is_err());
    assert!(files.rows("SELECT part FROM t").await.is_err());

    let fields = async |sql: &str| {
        let plan = files.context.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
        let shown = displayable(plan.as_ref()).indent(false).to_string();
        let (_, rest) = shown.split_once("fields=[").unwrap_or_else(|| panic!("{shown}"));
        rest.split_once(']').unwrap().0.to_owned()
    };
    assert_eq!(fields("SELECT part['name'] FROM t").await, "part.name");
    assert_eq!(fields("SELECT part['inner']['name'], id FROM t").await, "id, part.inner.name");
    assert_eq!(fields("SELECT part['name'], part FROM t").await, "part");
    // What a filter needs is read before.
    assert_eq!(fields("SELECT id FROM t WHERE part['weight'] > 1").await, "id");
    assert_eq!(fields("SELECT sum(id) FROM t WHERE level = 1 GROUP BY part['name']").await, "id, part.name");
    assert_eq!(fields("SELECT labels['k'] FROM t").await, "labels");
}

#[tokio::test]
async fn lists_and_maps_are_read_whole() {
    let files = Files::new(2);
    files.write("a.binpb", &ids(11));
    files.create("a.binpb", ", recursion '1'").await.unwrap();
    let rows = files
        .rows("SELECT part['name'] FROM (SELECT unnest(parts) AS part FROM t) ORDER BY 1")
        .await
        .unwrap();
    assert_eq!(rows.concat(), ["", "", "", "a0", "a10", "a5"]);
    // A struct that is not set has fields that are null, in lists too.
    let inner = "SELECT part['inner']['name'], part['weight'] FROM (SELECT unnest(parts) AS part FROM t WHERE id = 10)";
    assert_eq!(files.rows(inner).await.unwrap(), [["null", "null"], ["null", "null"]]);
    files.create("a.binpb", ", views 'false'").await.unwrap();
    assert_eq!(
        files.rows("SELECT labels['k'], line FROM t WHERE id = 10").await.unwrap(),
        [["10".to_owned(), "x".repeat(30)]]
    );
    assert_eq!(files.rows("SELECT count(*) FROM t WHERE part['name'] IS NULL").await.unwrap(), [["7"]]);
}

#[tokio::test]
async fn a_limit_ends_the_scan() {
    for partitions in [1, 4] {
        let files = Files::new(partitions);
        let mut file = ids(50);
        // A length that is none.
        file.extend([0xff; 20]);
        files.write("a.binpb", &file);
        files.create("a.binpb", "").await.unwrap();
        assert!(files.rows("SELECT line FROM t").await.is_err());
        if partitions == 1 {
            assert_eq!(files.rows("SELECT line FROM t LIMIT 40").await.unwrap().len(), 40);
            assert_eq!(files.rows("SELECT line FROM t LIMIT 10 OFFSET 30").await.unwrap().len(), 10);
        }
    }
    let files = Files::new(1);
    files.write("a.binpb", &ids(50));
    files.create("a.binpb", "").await.unwrap();
    assert_eq!(files.rows("SELECT line FROM t LIMIT 0").await.unwrap().len(), 0);
    assert_eq!(files.rows("SELECT line FROM t LIMIT 60").await.unwrap().len(), 50);
}

#[tokio::test]
async fn several_files_are_one_table() {
    for partitions in [1, 2, 5] {
        let files = Files::new(partitions);
        files.write("d/a.binpb", &ids(100));
        files.write("d/b.binpb", &delimited((100..300).map(message)));
        files.write("d/empty.binpb", b"");
        files.write("d/notes.txt", b"not a message");
        files.create("d/", "").await.unwrap();
        let expected: Vec<String> = (0..300).map(|id| id.to_string()).collect();
        assert_eq!(files.rows("SELECT id FROM t ORDER BY id").await.unwrap().concat(), expected);
        assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 300);
    }
}

#[tokio::test]
async fn directories_are_columns() {
    let files = Files::new(2);
    files.write("d/day=mon/a.binpb", &ids(3));
    files.write("d/day=tue/a.binpb", &ids(4));
    let sql = format!(
        "CREATE EXTERNAL TABLE t STORED AS PROTOBUF PARTITIONED BY (day) LOCATION '{}/'
         OPTIONS (message 'example.Log', descriptors '{}')",
        files.path("d").display(),
        files.path("log.set").display()
    );
    files.context.sql(&sql).await.unwrap();
    let rows = files.rows("SELECT day, count(*), max(id) FROM t GROUP BY day ORDER BY day").await.unwrap();
    assert_eq!(rows, [["mon", "3", "2"], ["tue", "4", "3"]]);
    let rows = files.rows("SELECT id, day FROM t WHERE day = 'tue' ORDER BY id DESC LIMIT 1").await.unwrap();
    assert_eq!(rows, [["3", "tue"]]);
}

#[tokio::test]
async fn an_empty_file_has_no_rows() {
    let files = Files::new(3);
    files.write("a.binpb", b"");
    files.create("a.binpb", "").await.unwrap();
    assert!(files.rows("SELECT * FROM t").await.unwrap().is_empty());
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 0);
}

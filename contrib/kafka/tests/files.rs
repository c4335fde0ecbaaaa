//! Records into files, without a broker.

mod common;

use common::{Row, record, rows, scratch};
use rskafka::record::RecordAndOffset;
use tablepb_kafka::consume::{Consumer, ROWS, span};
use tablepb_kafka::{produce, schemas};

fn orders(count: usize) -> Vec<RecordAndOffset> {
    let store = schemas::store().unwrap();
    (0..count).map(|number| record(number as i64, Some(produce::order(&store, number).unwrap()))).collect()
}

#[test]
fn both_versions_have_the_same_columns() {
    let directory = scratch("both_versions");
    let mut consumer = Consumer::new(&directory).unwrap();
    for record in orders(2) {
        consumer.push(0, &record).unwrap();
    }
    assert_eq!(consumer.flush(0).unwrap(), 2);
    let newest = Row { id: 0, skus: vec!["tea".into()], customer: "c0".into(), bad: false, place: (0, 0) };
    let first =
        Row { id: 1, skus: vec!["cup".into(), "tin".into()], customer: "".into(), bad: false, place: (0, 1) };
    assert_eq!(rows(&directory), [newest, first]);
}

#[test]
fn bad_records_are_rows_with_their_error() {
    let directory = scratch("bad_records");
    let mut consumer = Consumer::new(&directory).unwrap();
    let good = orders(1).remove(0).record.value.unwrap();
    let bad = [
        None,
        Some(vec![]),
        Some(b"\0\0\0\0\x08\0".to_vec()),
        Some(good[..good.len() - 1].to_vec()),
        Some(b"\0\0\0\0\x07\0".to_vec()),
    ];
    let count = bad.len();
    for (offset, value) in bad.into_iter().chain([Some(good)]).enumerate() {
        consumer.push(1, &record(offset as i64, value)).unwrap();
    }
    assert_eq!(consumer.flush(1).unwrap(), count + 1);
    let rows = rows(&directory);
    assert_eq!(rows.iter().filter(|row| row.bad).count(), count);
    assert!(!rows[count].bad && rows[count].place == (1, count as i64), "{:?}", rows[count]);
}

#[test]
fn files_say_where_to_go_on() {
    let directory = scratch("where_to_go_on");
    let records = orders(ROWS + 10);
    let mut consumer = Consumer::new(&directory).unwrap();
    assert_eq!(consumer.begin(0).unwrap(), 0);
    let written: usize = records.iter().map(|record| consumer.push(0, record).unwrap()).sum();
    assert_eq!(written, ROWS);
    // The program is killed here, while it writes the next file.
    std::fs::write(directory.join("unfinished-0-1"), b"ARROW1").unwrap();
    let mut consumer = Consumer::new(&directory).unwrap();
    let next = consumer.begin(0).unwrap();
    assert_eq!((next, consumer.begin(1).unwrap()), (ROWS as i64, 0));
    for record in &records[next as usize..] {
        consumer.push(0, record).unwrap();
    }
    assert_eq!(consumer.flush(0).unwrap(), 10);
    let ids: Vec<i64> = rows(&directory).iter().map(|row| row.id).collect();
    assert!(ids.iter().copied().eq(0..ROWS as i64 + 10));
}

#[test]
fn files_past_the_end_of_the_partition_are_an_error() {
    // A broker that was started anew has no records, or fewer.
    for end in [0, 9] {
        let error = span(10, 0, end).unwrap_err().to_string();
        assert!(error.contains("offset 10") && error.contains(&format!("ends at {end}:")), "{error}");
    }
    assert_eq!(span(10, 0, 10).unwrap(), (10..10, 0));
    assert_eq!(span(10, 0, 11).unwrap(), (10..11, 0));
    // Deleted records after the files are lost; without files they were never asked for.
    assert_eq!(span(10, 15, 20).unwrap(), (15..20, 5));
    assert_eq!(span(10, 20, 20).unwrap(), (20..20, 10));
    assert_eq!(span(0, 15, 20).unwrap(), (15..20, 0));
}

#[test]
fn a_consumer_goes_on_after_a_file_that_cannot_be_written() {
    let directory = scratch("cannot_be_written");
    let records = orders(3);
    let mut consumer = Consumer::new(&directory).unwrap();
    // A directory is where the file would be.
    let unfinished = directory.join(format!("unfinished-0-{}", std::process::id()));
    std::fs::create_dir(&unfinished).unwrap();
    records.iter().for_each(|record| assert_eq!(consumer.push(0, record).unwrap(), 0));
    consumer.flush(0).unwrap_err();
    std::fs::remove_dir(unfinished).unwrap();

    assert_eq!(consumer.begin(0).unwrap(), 0);
    records.iter().for_each(|record| assert_eq!(consumer.push(0, record).unwrap(), 0));
    assert_eq!(consumer.flush(0).unwrap(), 3);
    assert_eq!(rows(&directory).len(), 3);
}

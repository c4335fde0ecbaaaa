//! Records into sinks, without a broker.

mod common;
#[path = "../../../crates/registry/tests/suite/server.rs"]
#[allow(dead_code, reason = "the tests of the registry use the rest")]
mod server;

use arrow_ipc::reader::StreamReader;
use common::{check, rows, rows_of, scratch};
use server::Server;
use std::time::Duration;
use tablepb_arrow::ReaderBuilder;
use tablepb_arrow::mapping::Options;
use tablepb_kafka::dead::DeadLetter;
use tablepb_kafka::pipeline::{Limits, Pipeline, Pushed, Record, Roll};
use tablepb_kafka::produce::Orders;
use tablepb_kafka::schemas::Schemas;
use tablepb_kafka::sink::{ClickHouse, Lines, ParquetFiles, Sink};
use tablepb_registry::Registry;

const LIMITS: Limits = Limits { rows: 1_000, bytes: 64 << 20, age: Duration::from_secs(3600) };

fn registry(server: &Server) -> Registry {
    Registry::builder(&server.url).attempts(1, Duration::ZERO).absent_for(Duration::ZERO).build().unwrap()
}

/// A pipeline of orders that has begun its partitions.
fn pipeline(server: &Server, buries: bool, limits: Limits) -> Pipeline {
    let schemas = Schemas::new(registry(server));
    let message = schemas.newest("orders", Some("shop.Order")).unwrap();
    let reader = ReaderBuilder::new(&message).options(Options::portable());
    let mut pipeline = Pipeline::new(schemas, reader, buries, limits).unwrap();
    (0..2).for_each(|partition| pipeline.begin(partition, 0).unwrap());
    pipeline
}

fn shop() -> (Server, Orders) {
    let server = Server::start();
    let orders = Orders::register(registry(&server), "orders").unwrap();
    (server, orders)
}

fn push(pipeline: &mut Pipeline, partition: i32, offset: i64, value: Option<&[u8]>) -> Pushed {
    let record = Record { partition, offset, value };
    pipeline.push(record, |error| DeadLetter { key: Some(error.into()), ..DeadLetter::default() }).unwrap()
}

/// Pushes orders in turns over two partitions.
fn push_orders(pipeline: &mut Pipeline, orders: &Orders, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let record = orders.record(number).unwrap();
        let pushed = push(pipeline, number as i32 % 2, number as i64 / 2, Some(&record));
        assert!(matches!(pushed, Pushed::Row), "{pushed:?}");
    }
}

fn take(pipeline: &mut Pipeline, partition: i32) -> Roll {
    pipeline.take(partition).unwrap().unwrap()
}

#[test]
fn versions_mix_and_files_say_what_they_have() {
    let (server, orders) = shop();
    let directory = scratch("versions_mix");
    let mut sink = ParquetFiles::new(&directory).unwrap();
    let mut pipeline = pipeline(&server, false, LIMITS);
    push_orders(&mut pipeline, &orders, 0..3000);
    // Two partitions of 1 500 rows.
    let mut rolls = 0;
    while let Some(partition) = pipeline.due() {
        sink.write("orders", &take(&mut pipeline, partition)).unwrap();
        rolls += 1;
    }
    assert_eq!((rolls, pipeline.take(0).unwrap().is_none()), (2, true));
    check(&rows(&directory), 3000);
    assert_eq!([0, 1, 2].map(|partition| sink.next_offset("orders", partition).unwrap()), [1500, 1500, 0]);

    // What it has is not taken again.
    pipeline.begin(0, sink.next_offset("orders", 0).unwrap()).unwrap();
    let record = orders.record(0).unwrap();
    assert!(matches!(push(&mut pipeline, 0, 1499, Some(&record)), Pushed::Known));
    assert!(matches!(push(&mut pipeline, 0, 1500, Some(&record)), Pushed::Row));
    assert!(matches!(push(&mut pipeline, 0, 1500, Some(&record)), Pushed::Known));
    // Files that are not whole, and those of others, count for nothing.
    for name in [
        "unfinished-orders-0-1",
        "orders-0-7-00000000000000009999-00000000000000009999.parquet",
        "orders-0-x.parquet",
    ] {
        std::fs::write(directory.join(name), "").unwrap();
    }
    assert_eq!(sink.next_offset("orders", 0).unwrap(), 1500);
}

#[test]
fn bad_records_are_rows_or_letters() {
    let (server, orders) = shop();
    let good = orders.record(5).unwrap();
    let bad: [Option<&[u8]>; 5] = [
        None,
        Some(b"not framed"),
        // No such schema; another message type; a message that ends too early.
        Some(b"\0\0\0\0\x63\0"),
        Some(b"\0\0\0\0\x02\0"),
        Some(&good[..good.len() - 1]),
    ];
    for buries in [false, true] {
        let mut pipeline = pipeline(&server, buries, LIMITS);
        for (at, value) in bad.into_iter().enumerate() {
            let at = 2 * at as i64;
            assert!(matches!(push(&mut pipeline, 0, at, Some(&good)), Pushed::Row));
            let pushed = push(&mut pipeline, 0, at + 1, value);
            assert_eq!(
                matches!(&pushed, Pushed::Bad(text) if !text.is_empty()),
                buries,
                "{value:?}: {pushed:?}"
            );
        }
        let roll = take(&mut pipeline, 0);
        assert_eq!((roll.first, roll.last, roll.dead.len()), (0, 9, if buries { 5 } else { 0 }));
        assert_eq!(roll.bad_rows(), if buries { 0 } else { 5 });
        let rows: Vec<_> = roll.batches.iter().flat_map(rows_of).collect();
        assert_eq!(rows.iter().filter(|row| row.error.is_none()).count(), 5);
        assert_eq!(rows.len(), if buries { 5 } else { 10 });
        let places: Vec<_> = rows.iter().filter(|row| row.error.is_none()).map(|row| row.place).collect();
        assert_eq!(places, [(0, 0), (0, 2), (0, 4), (0, 6), (0, 8)]);
        let errors: Vec<_> = match buries {
            true => roll
                .dead
                .iter()
                .map(|letter| String::from_utf8(letter.key.clone().unwrap()).unwrap())
                .collect(),
            false => rows.iter().filter_map(|row| row.error.clone()).collect(),
        };
        for (error, what) in errors.iter().zip(["", "0x00", "99", "shop.Heartbeat", "shop.Order"]) {
            assert!(error.contains(what), "{error}");
        }
    }
}

#[test]
fn a_range_of_bad_records_alone_is_passed_over() {
    let (server, _) = shop();
    let mut pipeline = pipeline(&server, true, LIMITS);
    for offset in 0..3 {
        assert!(matches!(push(&mut pipeline, 1, offset, Some(b"x")), Pushed::Bad(_)));
    }
    let roll = take(&mut pipeline, 1);
    assert_eq!((roll.rows(), roll.last, roll.dead.len()), (0, 2, 3));
    let mut out = Vec::new();
    Lines::new(&mut out).write("orders", &roll).unwrap();
    assert!(out.is_empty());
}

#[test]
fn a_record_waits_for_a_registry_that_does_not_answer() {
    let (server, orders) = shop();
    let record = orders.record(0).unwrap();
    let mut pipeline = pipeline(&server, true, LIMITS);
    server.state().failures = vec![503; 2];
    for _ in 0..2 {
        let pushed = push(&mut pipeline, 0, 0, Some(&record));
        assert!(matches!(pushed, Pushed::Wait(_)), "{pushed:?}");
        assert!(pipeline.take(0).unwrap().is_none());
    }
    assert!(matches!(push(&mut pipeline, 0, 0, Some(&record)), Pushed::Row));
    // Records of schemas that are known do not wait.
    server.state().failures = vec![503; 100];
    assert!(matches!(push(&mut pipeline, 0, 1, Some(&record)), Pushed::Row));
}

#[test]
fn rows_go_when_they_are_many_or_large_or_old() {
    let (server, orders) = shop();
    let mut many = pipeline(&server, false, Limits { rows: 10, ..LIMITS });
    push_orders(&mut many, &orders, 0..18);
    assert_eq!(many.due(), None);
    push_orders(&mut many, &orders, 18..19);
    assert_eq!(many.due(), Some(0));

    // Of all partitions the one that takes most.
    let mut large = pipeline(&server, true, Limits { rows: usize::MAX, bytes: 50_000, ..LIMITS });
    push_orders(&mut large, &orders, 0..10);
    assert_eq!(large.due(), None);
    let letter = vec![7; 60_000];
    assert!(matches!(push(&mut large, 1, 5, Some(&letter)), Pushed::Bad(_)));
    assert_eq!(large.due(), Some(1));
    take(&mut large, 1);
    assert_eq!(large.due(), None);

    let mut old = pipeline(&server, false, Limits { age: Duration::ZERO, ..LIMITS });
    assert_eq!(old.due(), None);
    push_orders(&mut old, &orders, 0..1);
    assert_eq!(old.due(), Some(0));
}

#[test]
fn rows_are_lines_of_json() {
    let (server, orders) = shop();
    let mut pipeline = pipeline(&server, true, LIMITS);
    push_orders(&mut pipeline, &orders, 4..7);
    let mut out = Vec::new();
    for partition in [0, 1] {
        Lines::new(&mut out).write("orders", &take(&mut pipeline, partition)).unwrap();
    }
    let expected = concat!(
        r#"{"id":4,"lines":[{"sku":"cup","quantity":4}],"price":0.0,"customer":"","partition":0,"offset":2}"#,
        "\n",
        r#"{"id":6,"lines":[{"sku":"pot","quantity":0}],"price":0.0,"customer":"","partition":0,"offset":3}"#,
        "\n",
        r#"{"id":5,"lines":[{"sku":"cup","quantity":5}],"price":0.0,"customer":"c5","at":"2026-01-01T00:00:00Z","partition":1,"offset":2}"#,
        "\n",
    );
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn clickhouse_is_sent_a_stream_of_arrow() {
    let (server, orders) = shop();
    let mut pipeline = pipeline(&server, true, LIMITS);
    push_orders(&mut pipeline, &orders, 0..4);
    let roll = take(&mut pipeline, 0);

    let house = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let url = format!("http://{}", house.server_addr());
    let house = std::thread::spawn(move || {
        let mut bodies = Vec::new();
        for answer in [200, 500] {
            let mut request = house.recv().unwrap();
            let query =
                percent_encoding::percent_decode_str(request.url()).decode_utf8().unwrap().into_owned();
            assert_eq!(
                query,
                "/?query=INSERT INTO shop.orders SETTINGS input_format_null_as_default = 1 FORMAT ArrowStream"
            );
            let mut body = Vec::new();
            request.as_reader().read_to_end(&mut body).unwrap();
            bodies.push(body);
            request
                .respond(
                    tiny_http::Response::from_string("Code: 60. no such table\n").with_status_code(answer),
                )
                .unwrap();
        }
        bodies
    });
    let mut sink = ClickHouse::new(&format!("{url}/"), "shop.orders");
    sink.write("orders", &roll).unwrap();
    let error = sink.write("orders", &roll).unwrap_err();
    assert_eq!(error.to_string(), "ClickHouse: Code: 60. no such table");
    let bodies = house.join().unwrap();
    assert_eq!(bodies[0], bodies[1]);
    let batches: Vec<_> = StreamReader::try_new(&bodies[0][..], None).unwrap().map(Result::unwrap).collect();
    assert_eq!(batches, roll.batches);
    // Nothing is no request: the server is gone.
    sink.write("orders", &Roll { batches: Vec::new(), ..roll }).unwrap();
}

#[test]
fn types_that_cannot_be_columns_beside_their_place() {
    let server = Server::start();
    let registry = registry(&server);
    server.add("a-value", server::schema("syntax = 'proto3'; message A { int32 offset = 1; }", &[]));
    let schemas = Schemas::new(registry);
    let message = schemas.newest("a", None).unwrap();
    let error = Pipeline::new(schemas, ReaderBuilder::new(&message), false, LIMITS).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the message type has a field named offset, as the place of its record has"
    );
}

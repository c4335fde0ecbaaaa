//! A real broker, and ClickHouse. Each ignored test fails where what it needs is missing, so they run by name or by `.ci/full`.

mod common;

use common::{rows, scratch};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tablepb_kafka::{PARTITIONS, connect, consume::Consumer, make_topic, partition, produce, schemas};

/// A broker that ends with the test.
struct Broker {
    directory: PathBuf,
    address: String,
}

fn script(arguments: &[&str], path: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("broker");
    Command::new(script).args(arguments).env("PATH", path).output().unwrap()
}

fn path() -> String {
    std::env::var("PATH").unwrap()
}

impl Broker {
    fn start(port: u16) -> Self {
        Self::compressing(port, "producer")
    }

    /// A broker that compresses what is written, with Java's codecs.
    fn compressing(port: u16, codec: &str) -> Self {
        // Not a directory of one test, so that Kafka is downloaded once.
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("broker-{port}"));
        let started = script(&["start", directory.to_str().unwrap(), &port.to_string(), codec], &path());
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        let address = String::from_utf8(started.stdout).unwrap().trim().to_owned();
        Self { directory, address }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        script(&["stop", self.directory.to_str().unwrap()], &path());
    }
}

/// What `.ci/full` relies on: status 2 is for what cannot be had, and only for that.
#[test]
fn a_broker_that_cannot_be_had_is_status_2() {
    let directory = scratch("cannot_be_had");
    let programs = directory.join("programs");
    std::fs::create_dir(&programs).unwrap();
    let path = format!("{}:{}", programs.display(), path());
    let program = |name: &str, script: &str| {
        std::fs::write(programs.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(programs.join(name), Permissions::from_mode(0o755)).unwrap();
    };
    let start = || {
        let output = script(&["start", directory.join("broker").to_str().unwrap()], &path);
        assert!(output.stdout.is_empty());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    program("java", "echo 'openjdk version \"1.8.0_392\"' >&2");
    program("mvn", "exit 1");
    assert_eq!(start(), (Some(2), "needs Java 17\n".to_owned()));
    // No network: again when it is tried again.
    program("java", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2");
    for _ in 0..2 {
        assert_eq!(start(), (Some(2), "Kafka cannot be downloaded\n".to_owned()));
    }
    // There is all that it needs, but it fails.
    program("java", "case $1 in -version) echo 'openjdk version \"17\"' >&2 ;; *) exit 2 ;; esac");
    program("mvn", "for last; do :; done; mkdir -p \"${last#*=}\"");
    let (status, error) = start();
    assert!(status == Some(1) && error.contains("format.log"), "{status:?} {error}");
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Writes orders from `first` on into both partitions, each with a record in the middle that is none.
async fn write(address: &str, orders: std::ops::Range<usize>) {
    write_compressed(address, orders, "none").await;
}

async fn write_compressed(address: &str, orders: std::ops::Range<usize>, codec: &str) {
    let (client, store) = (connect(address).await.unwrap(), schemas::store().unwrap());
    make_topic(&client).await.unwrap();
    for number in 0..PARTITIONS {
        let here = orders.clone().filter(|order| (order / 2) as i32 % PARTITIONS == number);
        let mut values: Vec<_> = here.map(|order| produce::order(&store, order).unwrap()).collect();
        values.insert(values.len() / 2, b"not framed".to_vec());
        let codec = produce::codec(codec).unwrap();
        produce::write(&partition(&client, number).await.unwrap(), values, codec).await.unwrap();
    }
}

/// Reads all partitions, by a consumer of its own. Returns the rows written.
async fn read(address: &str, directory: &Path) -> usize {
    let client = connect(address).await.unwrap();
    let mut consumer = Consumer::new(directory).unwrap();
    let mut rows = 0;
    for number in 0..PARTITIONS {
        rows += consumer.read(number, &partition(&client, number).await.unwrap()).await.unwrap().rows;
    }
    rows
}

#[test]
#[ignore = "needs java, mvn and a network"]
fn every_record_arrives_once() {
    let directory = scratch("every_record");
    let broker = Broker::start(29_092);
    run(async {
        write(&broker.address, 0..30_000).await;
        assert_eq!(read(&broker.address, &directory).await, 30_002);
        // Nothing new, then more.
        assert_eq!(read(&broker.address, &directory).await, 0);
        write(&broker.address, 30_000..30_100).await;
        assert_eq!(read(&broker.address, &directory).await, 102);
        // A file that was lost is read again: those after it, too, of that partition.
        let first = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
        first
            .filter(|path| path.to_str().unwrap().contains("orders-0-"))
            .for_each(|path| std::fs::remove_file(path).unwrap());
        assert_eq!(read(&broker.address, &directory).await, 15_002 + 50);
    });
    let rows = rows(&directory);
    assert_eq!(rows.iter().filter(|row| row.bad).count(), 4);
    let mut ids: Vec<i64> = rows.iter().filter(|row| !row.bad).map(|row| row.id).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..30_100));
    for row in rows.iter().filter(|row| !row.bad) {
        assert_eq!(row.skus.len(), 1 + row.id as usize % 2, "{row:?}");
        let customer = if row.id % 2 == 0 { format!("c{}", row.id % 100) } else { String::new() };
        assert_eq!(row.customer, customer, "{row:?}");
    }
}

/// Compressed by the producer, and by the broker, whose codecs are other programs with forms of their own.
#[test]
#[ignore = "needs java, mvn and a network"]
fn every_codec_is_read() {
    const CODECS: [&str; 4] = ["gzip", "snappy", "lz4", "zstd"];
    let check = |directory: &Path, count: i64| {
        let rows = rows(directory);
        let mut ids: Vec<i64> = rows.iter().filter(|row| !row.bad).map(|row| row.id).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..count));
    };
    let directory = scratch("codecs_of_the_producer");
    let broker = Broker::start(29_492);
    run(async {
        for (at, codec) in CODECS.into_iter().enumerate() {
            write_compressed(&broker.address, 2_000 * at..2_000 * (at + 1), codec).await;
        }
        // The bad records: one for each partition and codec.
        assert_eq!(read(&broker.address, &directory).await, 8_000 + 2 * CODECS.len());
    });
    check(&directory, 8_000);
    drop(broker);
    for codec in CODECS {
        let directory = scratch(&format!("broker_with_{codec}"));
        let broker = Broker::compressing(29_492, codec);
        run(async {
            write(&broker.address, 0..3_000).await;
            assert_eq!(read(&broker.address, &directory).await, 3_002, "{codec}");
        });
        check(&directory, 3_000);
    }
}

/// The first records of a partition are deleted: by a consumer that has read them, one that has not, and one that is too late.
#[test]
#[ignore = "needs java, mvn and a network"]
fn what_the_broker_has_deleted_is_counted() {
    let [early, new] = ["deleted_early", "deleted_new"].map(scratch);
    let broker = Broker::start(29_292);
    run(async {
        write(&broker.address, 0..400).await;
        assert_eq!(read(&broker.address, &early).await, 402);
        write(&broker.address, 400..800).await;
        let client = connect(&broker.address).await.unwrap();
        let first = partition(&client, 0).await.unwrap();
        // 201 of 402 are read; of the rest, the first 50 are gone.
        first.delete_records(251, 1_000).await.unwrap();
        let progress = Consumer::new(&early).unwrap().read(0, &first).await.unwrap();
        assert_eq!((progress.rows, progress.lost), (151, 50));
        let progress = Consumer::new(&new).unwrap().read(0, &first).await.unwrap();
        assert_eq!((progress.rows, progress.lost), (151, 0));
    });
}

/// The files are of a broker that is gone: its offsets are not those of the next one.
#[test]
#[ignore = "needs java, mvn and a network"]
fn a_new_broker_needs_a_new_directory() {
    let [old, new] = ["broker_old", "broker_new"].map(scratch);
    let broker = Broker::start(29_392);
    run(async {
        write(&broker.address, 0..400).await;
        assert_eq!(read(&broker.address, &old).await, 402);
    });
    drop(broker);
    let broker = Broker::start(29_392);
    run(async {
        write(&broker.address, 0..200).await;
        let client = connect(&broker.address).await.unwrap();
        let mut consumer = Consumer::new(&old).unwrap();
        for number in 0..PARTITIONS {
            let error = consumer.read(number, &partition(&client, number).await.unwrap()).await.unwrap_err();
            assert!(error.to_string().contains("new directory"), "{error}");
        }
        assert_eq!(read(&broker.address, &new).await, 202);
    });
    assert_eq!((rows(&old).len(), rows(&new).len()), (402, 202));
}

#[test]
#[ignore = "needs java, mvn, python3 with chdb and a network"]
fn clickhouse_has_the_same() {
    let directory = scratch("clickhouse");
    let broker = Broker::start(29_192);
    run(async {
        write(&broker.address, 0..10_000).await;
        assert_eq!(read(&broker.address, &directory).await, 10_002);
    });
    let query = "SELECT countIf(_error IS NULL), countIf(_error IS NOT NULL), sum(id), sum(length(lines)), \
                 sum(arraySum(arrayMap(line -> line.quantity, lines))), uniqExact(customer) FROM orders FINAL";
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clickhouse.py");
    let answer = Command::new("python3").arg(script).arg(&directory).arg(query).output().unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let quantities: usize = (0..10_000).map(|order| if order % 2 == 0 { order % 7 } else { 1 }).sum();
    let expected = format!("10000\t2\t{}\t15000\t{quantities}\t51\n", 10_000 * 9_999 / 2);
    assert_eq!(String::from_utf8_lossy(&answer.stdout), expected);
}

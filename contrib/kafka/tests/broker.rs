//! A real broker, a real registry, and ClickHouse. Each ignored test fails where what it needs is missing, so they run by name or by `.ci/full`.

mod common;
#[path = "../../../crates/registry/tests/suite/server.rs"]
#[allow(dead_code, reason = "the tests of the registry use the rest")]
mod server;

use common::{check, rows, scratch};
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Headers, Message, OwnedMessage};
use rdkafka::{Offset, TopicPartitionList};
use server::Server;
use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tablepb_kafka::produce::{self, Orders};
use tablepb_registry::Registry;

/// A broker or a registry that ends with the test.
struct Service {
    script: &'static str,
    directory: PathBuf,
    port: String,
    address: String,
}

fn script(name: &str, arguments: &[&str], path: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    Command::new(script).args(arguments).env("PATH", path).output().unwrap()
}

fn path() -> String {
    std::env::var("PATH").unwrap()
}

impl Service {
    fn start(script: &'static str, port: u16, rest: &[&str]) -> Self {
        // Not a directory of one test, so that programs are downloaded once.
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{script}-{port}"));
        let mut service = Self { script, directory, port: port.to_string(), address: String::new() };
        service.address = service.run("start", rest);
        service
    }

    fn run(&self, command: &str, rest: &[&str]) -> String {
        let arguments = [&[command, self.directory.to_str().unwrap(), &self.port], rest].concat();
        let output = script(self.script, &arguments, &path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        script(self.script, &["stop", self.directory.to_str().unwrap()], &path());
    }
}

/// A broker and a registry with the schemas of orders.
struct Shop {
    broker: Service,
    registry: Service,
    orders: Orders,
}

impl Shop {
    fn start(port: u16, codec: &str) -> Self {
        let broker = Service::start("broker", port, &[codec]);
        let registry = Service::start("registry", port + 2, &[]);
        let orders = Orders::register(Registry::new(&registry.address).unwrap(), "orders").unwrap();
        Self { broker, registry, orders }
    }

    fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", &self.broker.address);
        config
    }

    /// Writes orders, and a record that cannot be read after each of these numbers.
    fn write(&self, numbers: std::ops::Range<usize>, codec: &str, bad: &[usize]) {
        produce::make_topic(&self.client(), "orders", 2).unwrap();
        let values = numbers.flat_map(|number| {
            let bad = bad.contains(&number).then(|| Ok(b"not framed".to_vec()));
            [Some(self.orders.record(number)), bad].into_iter().flatten()
        });
        produce::write(&self.client(), ("orders", 2), codec, values).unwrap();
    }

    fn consumer(&self, rest: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablepb-kafka"));
        command
            .args(["consume", "--brokers", &self.broker.address, "--registry", &self.registry.address])
            .args(rest);
        command
    }

    /// Moves what there is into a directory.
    fn read(&self, directory: &Path, rest: &[&str]) -> String {
        let sink = format!("parquet:{}", directory.display());
        let output = self.consumer(&["--sink", &sink, "--until-end"]).args(rest).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{text}");
        text
    }
}

/// A consumer that ends with the test.
struct Running(Child);

impl Running {
    fn start(mut command: Command) -> Self {
        Self(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Ends it by a signal, and returns what it said.
    fn end(&mut self, signal: &str) -> (bool, String) {
        assert!(Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap().success());
        let mut text = String::new();
        std::io::Read::read_to_string(&mut self.0.stderr.take().unwrap(), &mut text).unwrap();
        (self.0.wait().unwrap().success(), text)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for something for up to two minutes.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What `.ci/full` relies on: status 2 is for what cannot be had, and only for that.
#[test]
fn a_broker_or_registry_that_cannot_be_had_is_status_2() {
    let directory = scratch("cannot_be_had");
    let programs = directory.join("programs");
    std::fs::create_dir(&programs).unwrap();
    let path = format!("{}:{}", programs.display(), path());
    let program = |name: &str, script: &str| {
        std::fs::write(programs.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(programs.join(name), Permissions::from_mode(0o755)).unwrap();
    };
    let start = |name: &str| {
        let output = script(name, &["start", directory.join(name).to_str().unwrap()], &path);
        assert!(output.stdout.is_empty());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (name, product) in [("broker", "Kafka"), ("registry", "Apicurio")] {
        program("java", "echo 'openjdk version \"1.8.0_392\"' >&2");
        program("mvn", "exit 1");
        assert_eq!(start(name), (Some(2), "needs Java 17\n".to_owned()));
        // No network: again when it is tried again.
        program("java", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2");
        for _ in 0..2 {
            assert_eq!(start(name), (Some(2), format!("{product} cannot be downloaded\n")));
        }
    }
    // There is all that it needs, but it fails.
    program("java", "case $1 in -version) echo 'openjdk version \"17\"' >&2 ;; *) exit 2 ;; esac");
    program("mvn", "for last; do :; done; mkdir -p \"${last#*=}\"");
    let (status, error) = start("broker");
    assert!(status == Some(1) && error.contains("format.log"), "{status:?} {error}");
}

#[test]
#[ignore = "needs java, mvn and a network"]
fn every_record_arrives_once() {
    let directory = scratch("every_record");
    let shop = Shop::start(29_092, "producer");
    shop.write(0..30_000, "none", &[7, 20_000]);
    let said = shop.read(&directory, &[]);
    assert!(said.contains("30002 rows, 2 bad records"), "{said}");
    // Nothing new, then more, and bad records are rows with their errors.
    assert!(shop.read(&directory, &[]).starts_with("0 rows"));
    shop.write(30_000..30_100, "none", &[]);
    assert!(shop.read(&directory, &["--rows", "20"]).contains("100 rows"));
    let all = rows(&directory);
    check(&all, 30_100);
    assert_eq!(all.iter().filter(|row| row.error.is_some()).count(), 2);
    // Files know what they have: a group that has committed nothing passes over it.
    assert!(shop.read(&directory, &["--group", "another"]).starts_with("0 rows"));
    // In another directory it begins at the beginning.
    let other = scratch("every_record_again");
    shop.read(&other, &["--group", "third"]);
    assert_eq!(rows(&other), all);
    // Files of another broker would hide all records of this one.
    drop(shop);
    let shop = Shop::start(29_092, "producer");
    shop.write(0..200, "none", &[]);
    let sink = format!("parquet:{}", directory.display());
    let output = shop.consumer(&["--sink", &sink, "--until-end"]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("another topic or broker"), "{text}");
}

/// Compressed by the producer, and by the broker, whose codecs are other programs with forms of their own.
#[test]
#[ignore = "needs java, mvn and a network"]
fn every_codec_is_read() {
    const CODECS: [&str; 4] = ["gzip", "snappy", "lz4", "zstd"];
    let directory = scratch("codecs_of_the_producer");
    let shop = Shop::start(29_192, "producer");
    for (at, codec) in CODECS.into_iter().enumerate() {
        shop.write(2_000 * at..2_000 * (at + 1), codec, &[]);
    }
    shop.read(&directory, &[]);
    check(&rows(&directory), 8_000);
    drop(shop);
    for codec in CODECS {
        let directory = scratch(&format!("broker_with_{codec}"));
        let shop = Shop::start(29_192, codec);
        shop.write(0..3_000, "none", &[]);
        shop.read(&directory, &[]);
        check(&rows(&directory), 3_000);
    }
}

/// All records of a topic.
fn topic(shop: &Shop, topic: &str) -> Vec<OwnedMessage> {
    let mut config = shop.client();
    config.set("group.id", "reader").set("enable.partition.eof", "true");
    let consumer: BaseConsumer = config.create().unwrap();
    let mut place = TopicPartitionList::new();
    place.add_partition_offset(topic, 0, Offset::Beginning).unwrap();
    consumer.assign(&place).unwrap();
    let mut all = Vec::new();
    while let Some(Ok(message)) = consumer.poll(Duration::from_secs(20)) {
        all.push(message.detach());
    }
    all
}

#[test]
#[ignore = "needs java, mvn and a network"]
fn bad_records_go_to_their_topic_with_what_is_wrong() {
    let directory = scratch("dead_letters");
    let shop = Shop::start(29_292, "producer");
    shop.write(0..1_000, "none", &[0, 500, 999]);
    produce::make_topic(&shop.client(), "orders-dead", 1).unwrap();
    let said = shop.read(&directory, &["--dead-letters", "orders-dead", "--rows", "100"]);
    assert!(said.contains("1000 rows, 3 bad records"), "{said}");
    check(&rows(&directory), 1_000);
    let letters = topic(&shop, "orders-dead");
    assert_eq!(letters.len(), 3);
    for letter in &letters {
        assert_eq!(letter.payload(), Some(&b"not framed"[..]));
        let header = |name: &str| {
            let mut headers = letter.headers().unwrap().iter();
            let value = headers.find(|header| header.key == name).unwrap().value.unwrap();
            String::from_utf8(value.to_vec()).unwrap()
        };
        assert!(header("tablepb.error").contains("0x00"), "{}", header("tablepb.error"));
        assert_eq!(header("tablepb.topic"), "orders");
        let place = (
            header("tablepb.partition").parse::<i32>().unwrap(),
            header("tablepb.offset").parse::<i64>().unwrap(),
        );
        assert!(place.0 < 2 && !rows(&directory).iter().any(|row| row.place == place));
    }
    // Without such a topic, nothing is committed, and nothing lost.
    shop.write(1_000..1_010, "none", &[1_005]);
    let sink = format!("parquet:{}", directory.display());
    let options = ["--sink", &sink, "--dead-letters", "none/such", "--seconds", "0.1"];
    let mut consumer = Running::start(shop.consumer(&options));
    std::thread::sleep(Duration::from_secs(4));
    let (_, said) = consumer.end("-KILL");
    assert!(said.contains("tried again later"), "{said}");
    shop.read(&directory, &["--dead-letters", "orders-dead"]);
    check(&rows(&directory), 1_010);
}

/// Members come and go, and one is killed, while records come.
#[test]
#[ignore = "needs java, mvn and a network"]
fn a_group_loses_nothing_and_doubles_nothing() {
    let directory = scratch("group");
    let shop = Shop::start(29_392, "producer");
    let sink = format!("parquet:{}", directory.display());
    // Those who vanish are missed after six seconds.
    let options = [
        "--sink",
        &sink,
        "--seconds",
        "0.2",
        "--option",
        "session.timeout.ms=6000",
        "--option",
        "heartbeat.interval.ms=1000",
    ];
    shop.write(0..1_000, "none", &[]);
    let mut first = Running::start(shop.consumer(&options));
    until("the first has all", || rows(&directory).len() == 1_000);
    let mut second = Running::start(shop.consumer(&options));
    for at in 1..5 {
        shop.write(1_000 * at..1_000 * (at + 1), "none", &[]);
    }
    until("both have all", || rows(&directory).len() == 5_000);
    let (ended, said) = first.end("-TERM");
    assert!(ended && said.contains("rows"), "{said}");
    shop.write(5_000..8_000, "none", &[]);
    until("the second has all", || rows(&directory).len() == 8_000);
    let mut third = Running::start(shop.consumer(&options));
    second.end("-KILL");
    shop.write(8_000..10_000, "none", &[]);
    until("the third has all", || rows(&directory).len() == 10_000);
    assert!(third.end("-INT").0);
    // Ranges that were written and not committed are passed over, since the files have them.
    check(&rows(&directory), 10_000);
}

#[test]
#[ignore = "needs java, mvn and a network"]
fn a_broker_that_dies_in_the_middle_of_a_million_records_loses_none() {
    const COUNT: usize = 1_000_000;
    let directory = scratch("broker_dies");
    let shop = Shop::start(29_492, "producer");
    produce::make_topic(&shop.client(), "orders", 2).unwrap();
    let sink = format!("parquet:{}", directory.display());
    let metrics = "127.0.0.1:29499";
    let options = ["--sink", &sink, "--seconds", "1", "--rows", "50000", "--metrics", metrics];
    let mut consumer = Running::start(shop.consumer(&options));
    std::thread::scope(|scope| {
        // The producer writes on while the broker is away; it waits for it.
        let producer = scope.spawn(|| shop.write(0..COUNT, "lz4", &[]));
        until("some are there", || rows(&directory).len() > COUNT / 10);
        shop.broker.run("crash", &[]);
        std::thread::sleep(Duration::from_secs(3));
        shop.broker.run("resume", &[]);
        producer.join().unwrap();
    });
    let count = || {
        let text =
            ureq::get(format!("http://{metrics}")).call().unwrap().body_mut().read_to_string().unwrap();
        let line = text.lines().find(|line| line.starts_with("tablepb_rows_total")).unwrap().to_owned();
        line.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
    };
    until("all rows", || count() >= COUNT);
    assert!(consumer.end("-TERM").0);
    let rows = rows(&directory);
    check(&rows, COUNT);
    assert_eq!(rows.iter().map(|row| row.id).sum::<i64>(), (COUNT * (COUNT - 1) / 2) as i64);
}

#[test]
#[ignore = "needs java, mvn and a network"]
fn a_registry_that_is_away_is_waited_for() {
    let directory = scratch("registry_away");
    let broker = Service::start("broker", 29_592, &["producer"]);
    let server = Server::start();
    let registry = Registry::new(&server.url).unwrap();
    let orders = Orders::register(Registry::new(&server.url).unwrap(), "orders").unwrap();
    let mut client = ClientConfig::new();
    client.set("bootstrap.servers", &broker.address);
    produce::make_topic(&client, "orders", 2).unwrap();
    produce::write(&client, ("orders", 2), "none", (0..100).map(|number| orders.record(number))).unwrap();
    let mut consumer = Command::new(env!("CARGO_BIN_EXE_tablepb-kafka"));
    let sink = format!("parquet:{}", directory.display());
    consumer.args([
        "consume",
        "--brokers",
        &broker.address,
        "--registry",
        &server.url,
        "--sink",
        &sink,
        "--seconds",
        "0.2",
    ]);
    let mut consumer = Running::start(consumer);
    until("the first are there", || rows(&directory).len() == 100);
    // A record of a schema that the consumer does not know yet, written while the registry is down.
    let text = "syntax = 'proto3'; package shop; message Order { int64 id = 1; string customer = 4; bool fourth = 6; }";
    let id = registry.register("orders-value", &tablepb_registry::Schema::new(text)).unwrap();
    let order = registry.file(id).unwrap().parent_pool().message("shop.Order").unwrap();
    let message = tablepb::json::message_from_slice(&order, br#"{"id": 100, "customer": "late"}"#).unwrap();
    let mut record = Vec::new();
    registry.append_record(id, &message, &mut record).unwrap();
    server.state().failures = vec![503; 10_000];
    let others = (101..200).map(|number| orders.record(number));
    produce::write(&client, ("orders", 2), "none", [Ok(record)].into_iter().chain(others)).unwrap();
    std::thread::sleep(Duration::from_secs(5));
    assert!(rows(&directory).len() < 200 && server.asked() > 1);
    server.state().failures.clear();
    until("all are there", || rows(&directory).len() == 200);
    assert!(consumer.end("-TERM").0);
    let all = rows(&directory);
    let late = all.iter().find(|row| row.id == 100).unwrap();
    assert_eq!((late.customer.as_str(), &late.error), ("late", &None));
    assert!(all.iter().all(|row| row.error.is_none()));
}

#[test]
#[ignore = "needs java, mvn and a network"]
fn what_the_broker_has_deleted_is_counted() {
    let [early, new] = ["deleted_early", "deleted_new"].map(scratch);
    let shop = Shop::start(29_692, "producer");
    shop.write(0..400, "none", &[]);
    shop.read(&early, &[]);
    shop.write(400..800, "none", &[]);
    // 200 of 400 are read; of the rest, the first 50 are gone.
    let admin: AdminClient<DefaultClientContext> = shop.client().create().unwrap();
    let mut place = TopicPartitionList::new();
    place.add_partition_offset("orders", 0, Offset::Offset(250)).unwrap();
    futures_executor::block_on(admin.delete_records(&place, &AdminOptions::new())).unwrap();
    let said = shop.read(&early, &[]);
    assert!(said.contains("350 rows, 0 bad records, 50 deleted before they were read"), "{said}");
    let said = shop.read(&new, &["--group", "new"]);
    assert!(said.contains("550 rows, 0 bad records\n"), "{said}");
}

#[test]
#[ignore = "needs java, mvn, python3 with chdb and a network"]
fn clickhouse_has_the_same() {
    let shop = Shop::start(29_792, "producer");
    shop.write(0..10_000, "zstd", &[]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clickhouse.py");
    let mut house = Command::new("python3").arg(script).arg("0").stdout(Stdio::piped()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(house.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let _house = Running(house);
    let address = address.trim();
    let sink = format!("clickhouse:{address}/orders");
    // Twice, by two groups: the place of a record makes a row unique.
    for group in ["one", "two"] {
        let rest =
            ["--sink", &sink, "--until-end", "--dead-letters", "dead", "--rows", "900", "--group", group];
        let output = shop.consumer(&rest).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let query = "SELECT count(), sum(id), sum(length(lines)), sum(arraySum(arrayMap(line -> line.quantity, lines))), uniqExact(customer), countIf(at IS NULL) \
                 FROM orders FINAL";
    let answer = ureq::post(address).send(query).unwrap().body_mut().read_to_string().unwrap();
    let quantities: usize = (0..10_000).filter(|order| order % 3 > 0).map(|order| order % 7).sum();
    assert_eq!(answer, format!("10000\t{}\t10000\t{quantities}\t101\t6667\n", 10_000 * 9_999 / 2));
}

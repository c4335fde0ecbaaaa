//! A scheduler and two executors, each a process, on this machine.

use crate::common::{self, Files, delimited, message};
use crate::create;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tablepb_datafusion::{Options, ProtobufOptions, register_functions};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tablepb-ballista");

const QUERIES: [&str; 8] = [
    "SELECT count(*) FROM t",
    "SELECT level, count(*), sum(id), max(length(line)) FROM t GROUP BY level ORDER BY level",
    "SELECT id, line FROM t WHERE id % 1000 = 7 ORDER BY id",
    "SELECT id, part['name'], part['inner']['name'] FROM t WHERE part['weight'] > 8 AND id < 2000 ORDER BY id",
    "SELECT id, line FROM t ORDER BY id DESC LIMIT 9",
    "SELECT count(*) FROM (SELECT id FROM t LIMIT 1234)",
    // Each batch of the answer has rows of all parts of the file.
    "SELECT id, line FROM t ORDER BY id % 997, id",
    "SELECT a.level, count(*) FROM t AS a JOIN t AS b ON a.id = b.number GROUP BY a.level ORDER BY a.level",
];

struct Cluster {
    processes: Vec<Child>,
    /// Logs, and for each executor a directory with what its tasks wrote: `JOB/STAGE/..`.
    directory: TempDir,
    port: u16,
}

impl Cluster {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut cluster = Self { processes: Vec::new(), directory, port: free_ports() };
        let port = cluster.port.to_string();
        cluster.spawn("scheduler", &[&port, "2"]);
        for executor in cluster.executors() {
            std::fs::create_dir(&executor).unwrap();
            let own = free_ports().to_string();
            let name = executor.file_name().unwrap().to_str().unwrap();
            cluster.spawn(name, &[&port, &own, executor.to_str().unwrap()]);
        }
        cluster.wait();
        cluster
    }

    fn spawn(&mut self, name: &str, arguments: &[&str]) {
        let log = File::create(self.directory.path().join(format!("{name}.log"))).unwrap();
        let role = name.split('-').next().unwrap();
        let mut command = Command::new(PROGRAM);
        command.arg(role).args(arguments).env("RUST_LOG", "warn").stderr(log);
        self.processes.push(command.spawn().unwrap());
    }

    fn executors(&self) -> [PathBuf; 2] {
        ["executor-1", "executor-2"].map(|name| self.directory.path().join(name))
    }

    /// Waits until both executors are known to the scheduler.
    fn wait(&mut self) {
        let start = Instant::now();
        while !self.is_ready().unwrap_or(false) {
            for process in &mut self.processes {
                assert!(
                    process.try_wait().unwrap().is_none(),
                    "a process ended: {}",
                    self.directory.path().display()
                );
            }
            assert!(start.elapsed() < Duration::from_secs(60), "not ready after a minute");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn is_ready(&self) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.1 200"))
    }

    /// For each executor, the jobs of which it ran tasks.
    fn jobs(&self) -> [BTreeSet<String>; 2] {
        self.executors().map(|executor| {
            let names = std::fs::read_dir(executor).unwrap().map(|entry| entry.unwrap().path());
            // A directory for what does not fit in memory is there without tasks.
            let jobs = names.filter(|path| path.join("0").is_dir() || path.join("1").is_dir());
            jobs.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
        })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // It may have ended by itself.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// A port that is free, as the one after it.
fn free_ports() -> u16 {
    for _ in 0..100 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
    panic!("no two free ports");
}

async fn rows(context: &SessionContext, sql: &str) -> Result<Vec<Vec<String>>> {
    let answer = tokio::time::timeout(Duration::from_secs(120), common::rows(context, sql));
    answer.await.unwrap_or_else(|_| panic!("no answer in two minutes: {sql}"))
}

/// Made once: 15 MB, more than DataFusion reads as one part.
static BIG: LazyLock<Vec<u8>> = LazyLock::new(|| delimited((900..12_000).map(message)));

/// Some files of a few messages, and a large one: 12 000 messages.
fn files() -> Files {
    let files = Files::new(2);
    files.write("d/a.binpb", &delimited((0..700).map(message)));
    files.write("d/b.binpb", &delimited((700..900).map(message)));
    files.write("d/c.binpb", &[]);
    files.write("d/big.binpb", &BIG);
    files
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: three processes"]
async fn a_cluster_answers_as_one_process_does() {
    let files = files();
    let cluster = Cluster::start();
    let client = tablepb_ballista::connect(&format!("127.0.0.1:{}", cluster.port)).unwrap();
    let statement = create(&files, "t", "d/", "");
    files.context.sql(&statement).await.unwrap();
    client.sql(&statement).await.unwrap();
    client.sql("SET datafusion.execution.target_partitions = 4").await.unwrap();
    for sql in QUERIES {
        let far = rows(&client, sql).await.unwrap();
        assert_eq!(far, files.rows(sql).await.unwrap(), "{sql}");
        assert!(!far.is_empty(), "{sql}");
    }
    // The large file was split, and tasks of one query ran in both executors.
    let plan = rows(&client, "EXPLAIN SELECT id FROM t WHERE level = 1").await.unwrap().concat().concat();
    assert!(plan.contains("big.binpb:0..") && plan.contains("fields=[id], predicate=level"), "{plan}");
    let [first, second] = cluster.jobs();
    assert!(first.len() + second.len() >= QUERIES.len(), "{first:?} {second:?}");
    assert!(first.intersection(&second).next().is_some(), "{first:?} {second:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: three processes"]
async fn a_cluster_says_where_a_message_is_bad_and_goes_on() {
    let files = files();
    let before = delimited((0..177).map(message));
    let bad = [before.clone(), delimited([vec![0x12, 1, 0xff]]), delimited((178..400).map(message))].concat();
    files.write("e/bad.binpb", &bad);
    files.write("e/cut.binpb", &before[..before.len() - 1]);
    let cluster = Cluster::start();
    let client = tablepb_ballista::connect(&format!("127.0.0.1:{}", cluster.port)).unwrap();
    client.sql(&create(&files, "t", "d/", "")).await.unwrap();
    client.sql(&create(&files, "bad", "e/bad.binpb", "")).await.unwrap();
    client.sql(&create(&files, "cut", "e/cut.binpb", "")).await.unwrap();
    let last = before.len() - delimited([message(176)]).len();
    for (table, row, offset) in [("bad", 177, before.len()), ("cut", 176, last), ("bad", 177, before.len())] {
        let error = rows(&client, &format!("SELECT max(line) FROM {table}")).await.unwrap_err().to_string();
        for part in [format!("{table}.binpb"), format!("row: {row}"), format!("offset: {offset}")] {
            assert!(error.contains(&part), "{part} in {error}");
        }
        assert_eq!(rows(&client, "SELECT count(*) FROM t").await.unwrap(), [["12000"]]);
    }
    // What the error is about is not read here.
    assert_eq!(rows(&client, "SELECT count(*), sum(id) FROM bad").await.unwrap()[0][0], "400");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: three processes"]
async fn functions_run_in_executors() {
    let files = files();
    let cluster = Cluster::start();
    let client = tablepb_ballista::connect(&format!("127.0.0.1:{}", cluster.port)).unwrap();
    let statement = create(&files, "t", "d/", "");
    for context in [&files.context, &client] {
        context.sql(&statement).await.unwrap();
        register_functions(
            context,
            &common::pool(),
            &ProtobufOptions::new().with_mapping(Options::portable()),
        );
    }
    let message = r#"json_to_protobuf('{"name":"' || line || '","weight":' || CAST(id AS VARCHAR) || '}', 'example.Part')"#;
    for sql in [
        format!(
            "SELECT protobuf_decode({message}, 'example.Part')['weight'] AS w, count(*) FROM t WHERE id % 100 = 3 GROUP BY w ORDER BY w"
        ),
        format!("SELECT id, protobuf_to_json({message}, 'example.Part') FROM t WHERE id < 50 ORDER BY id"),
        format!("SELECT sum(length(try_protobuf_decode({message}, 'example.Part')['name'])) FROM t"),
    ] {
        let far = rows(&client, &sql).await.unwrap();
        assert_eq!(far, files.rows(&sql).await.unwrap(), "{sql}");
        assert!(!far.is_empty() && far[0][0] != "null", "{sql}");
    }
    let [first, second] = cluster.jobs();
    assert!(!first.is_empty() && !second.is_empty(), "{first:?} {second:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: three processes"]
async fn an_executor_that_is_killed_loses_no_answer() {
    let files = files();
    let mut cluster = Cluster::start();
    let client = tablepb_ballista::connect(&format!("127.0.0.1:{}", cluster.port)).unwrap();
    let statement = create(&files, "t", "d/", "");
    files.context.sql(&statement).await.unwrap();
    client.sql(&statement).await.unwrap();
    client.sql("SET datafusion.execution.target_partitions = 8").await.unwrap();
    // Some seconds of work: each row with each other one of its level and remainder.
    let sql = "SELECT a.level, count(*), sum(a.id * b.id % 7), max(length(a.line) + length(b.line)) FROM t AS a JOIN t AS b \
               ON a.level = b.level AND a.id % 10 = b.id % 10 GROUP BY a.level ORDER BY a.level";
    let expected = files.rows(sql).await.unwrap();
    let answer = tokio::spawn(async move { rows(&client, sql).await });
    // Both have begun.
    let begin = Instant::now();
    while cluster.executors().iter().any(|executor| std::fs::read_dir(executor).unwrap().next().is_none()) {
        assert!(
            begin.elapsed() < Duration::from_secs(60) && !answer.is_finished(),
            "the query was too short"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut victim = cluster.processes.pop().unwrap();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(!answer.is_finished(), "the query was too short");
    assert_eq!(answer.await.unwrap().unwrap(), expected);
}

#[test]
#[ignore = "slow: three processes"]
fn the_program_runs_statements() {
    let files = files();
    let cluster = Cluster::start();
    let port = cluster.port.to_string();
    let query =
        |statements: &[&str]| Command::new(PROGRAM).args(["query", &port]).args(statements).output().unwrap();
    let statement = create(&files, "t", "d/", "");
    let output = query(&[&statement, "SELECT count(*) AS messages FROM t"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.contains("| messages |") && text.contains("| 12000    |"),
        "{text}"
    );
    let output = query(&[&statement, "SELECT none FROM t"]);
    assert!(!output.status.success() && String::from_utf8(output.stderr).unwrap().contains("none"));
    let output = Command::new(PROGRAM).arg("executor").output().unwrap();
    assert!(!output.status.success() && String::from_utf8(output.stderr).unwrap().contains("usage"));
}

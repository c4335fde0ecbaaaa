//! How fast SQL over a file of OpenTelemetry spans is, one length-delimited span after another.
//!
//! ```sh
//! cargo run --release --manifest-path contrib/datafusion/Cargo.toml --example spans -- write 1000000000 target/spans
//! cargo run --release --manifest-path contrib/datafusion/Cargo.toml --example spans -- query target/spans
//! python3 contrib/datafusion/examples/spans/chdb_query.py target/spans      # the same in ClickHouse: pip install chdb
//! ```
//!
//! `write` makes the same bytes each time. `query` prints for each query the seconds of the first run, of the best of five later ones, which know where messages
//! start, and the result.

#[allow(dead_code)]
#[path = "../../../../examples/otlp/common.rs"]
mod common;
#[allow(dead_code)]
#[path = "../../../../examples/otlp/traces.rs"]
mod traces;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use tablepb::partial::Projection;
use tablepb::wire::Reader;
use tablepb::{Decoder, DescriptorPool, Message};
use tablepb_datafusion::ProtobufFormatFactory;
use tablepb_schema::SourceBuilder;

include!("../../../../examples/common/say.rs");

const USAGE: &str = "usage: spans write BYTES DIRECTORY | spans query DIRECTORY [PARTITIONS]";

const SCHEMA: &str = include_str!("spans.proto");

const QUERIES: [&str; 11] = [
    // The same as `by_hand`.
    "SELECT attribute['key'] AS key, count(*) AS spans FROM (SELECT unnest(attributes) AS attribute FROM spans) GROUP BY key ORDER BY key",
    "SELECT name, kind, count(*) AS spans, sum(end_time_unix_nano - start_time_unix_nano) AS total,
            max(end_time_unix_nano - start_time_unix_nano) AS longest
     FROM spans GROUP BY name, kind ORDER BY name, kind",
    "SELECT count(*) AS spans FROM spans WHERE end_time_unix_nano - start_time_unix_nano > 20000000000",
    "SELECT count(DISTINCT trace_id) AS traces, sum(cardinality(attributes)) AS attributes FROM spans",
    "SELECT count(*) AS spans FROM spans",
    // Filters that want 0.1 %, a quarter and all, and the same where they are evaluated after the scan, which what is random makes them be.
    "SELECT count(span_id), sum(cardinality(attributes)), sum(cardinality(events)) FROM spans WHERE (end_time_unix_nano - start_time_unix_nano) / 1000 % 4 = 1",
    "SELECT count(span_id), sum(cardinality(attributes)), sum(cardinality(events)) FROM spans WHERE (end_time_unix_nano - start_time_unix_nano) / 1000 % 4 = 1 OR random() < 0",
    "SELECT count(span_id), sum(cardinality(attributes)), sum(cardinality(events)) FROM spans WHERE name = 'charge card'",
    "SELECT count(span_id), sum(cardinality(attributes)), sum(cardinality(events)) FROM spans WHERE name = 'charge card' OR random() < 0",
    "SELECT count(span_id), sum(cardinality(attributes)), sum(cardinality(events)) FROM spans WHERE (end_time_unix_nano - start_time_unix_nano) / 1000 % 10 > 0",
    "SELECT count(span_id), sum(cardinality(attributes)), sum(cardinality(events)) FROM spans WHERE (end_time_unix_nano - start_time_unix_nano) / 1000 % 10 > 0 OR random() < 0",
];

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", bytes, directory] => write(bytes.parse()?, Path::new(directory)),
        ["query", directory] => query(Path::new(directory), 2).await,
        ["query", directory, partitions] => query(Path::new(directory), partitions.parse()?).await,
        _ => Err(USAGE.into()),
    }
}

/// Writes `spans.binpb` and `spans.proto`.
fn write(bytes: usize, directory: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(directory)?;
    std::fs::write(directory.join("spans.proto"), SCHEMA)?;
    let mut file = BufWriter::new(File::create(directory.join("spans.binpb"))?);
    let (mut frame, mut written) = (Vec::new(), 0);
    for number in 0.. {
        let sample = traces::sample(number);
        for span in sample.resource_spans.iter().flat_map(|of| &of.scope_spans).flat_map(|of| &of.spans) {
            frame.clear();
            span.encode_length_delimited(&mut frame)?;
            file.write_all(&frame)?;
            written += frame.len();
        }
        if written >= bytes {
            break;
        }
    }
    file.flush()?;
    say!("{}: {written} bytes", directory.join("spans.binpb").display());
    Ok(())
}

fn pool() -> Result<DescriptorPool, Box<dyn Error>> {
    Ok(SourceBuilder::new().source("spans.proto", SCHEMA).build()?)
}

/// The first query as a program: messages decoded one after the other, on one thread, and a count for each key of an attribute.
fn by_hand(file: &Path) -> Result<(), Box<dyn Error>> {
    let span = pool()?.message("opentelemetry.proto.trace.v1.Span")?;
    let attributes = span.field("attributes")?;
    let key_of = span.parent_pool().message("opentelemetry.proto.trace.v1.KeyValue")?.field("key")?;
    let mut best = f64::MAX;
    let mut counts = BTreeMap::new();
    for _ in 0..6 {
        let began = Instant::now();
        let projection = Projection::new(&span, ["attributes.key"])?;
        let mut decoder = Decoder::new(&span).with_projection(&projection);
        let bytes = std::fs::read(file)?;
        let (mut reader, mut found) = (Reader::new(&bytes), HashMap::<String, u64>::new());
        while !reader.rest().is_empty() {
            let message = decoder.decode(reader.read_length_delimited()?)?;
            for attribute in message.get(&attributes).and_then(|list| list.as_list()).into_iter().flatten() {
                let key = attribute.as_message().and_then(|attribute| attribute.get(&key_of)?.as_str());
                let key = key.unwrap_or_default();
                match found.get_mut(key) {
                    Some(count) => *count += 1,
                    None => _ = found.insert(key.to_owned(), 1),
                }
            }
        }
        best = best.min(began.elapsed().as_secs_f64());
        counts = found.into_iter().collect();
    }
    say!("\nthe first query by hand, one thread: {best:.3} s; {counts:?}");
    Ok(())
}

async fn query(directory: &Path, partitions: usize) -> Result<(), Box<dyn Error>> {
    let file = directory.join("spans.binpb");
    let bytes = std::fs::metadata(&file)?.len();
    say!("{bytes} bytes, {partitions} partitions");
    by_hand(&file)?;
    for sql in QUERIES {
        // A new session knows nothing of the file.
        let context =
            SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
        ProtobufFormatFactory::new().with_pool(pool()?).register(&context)?;
        let create = format!(
            "CREATE EXTERNAL TABLE spans STORED AS PROTOBUF LOCATION '{}' OPTIONS (message 'opentelemetry.proto.trace.v1.Span')",
            file.display()
        );
        context.sql(&create).await?;
        let (mut first, mut best, mut result) = (None, f64::MAX, String::new());
        for _ in 0..6 {
            let began = Instant::now();
            let batches = context.sql(sql).await?.collect().await?;
            let seconds = began.elapsed().as_secs_f64();
            match first {
                None => first = Some(seconds),
                Some(_) => best = best.min(seconds),
            }
            result = pretty_format_batches(&batches)?.to_string();
        }
        let first = first.unwrap_or(best);
        let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
        say!(
            "\n{sql}\nfirst {first:.3} s, {:.2} GB/s; later {best:.3} s, {:.2} GB/s\n{result}",
            rate(first),
            rate(best)
        );
    }
    Ok(())
}

//! The program: `tablepb-kafka produce` and `tablepb-kafka consume`.

use clap::{Args, Parser, Subcommand};
use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tablepb_arrow::ReaderBuilder;
use tablepb_arrow::mapping::Options;
use tablepb_kafka::consumer::{Config, Consumer};
use tablepb_kafka::dead::DeadLetters;
use tablepb_kafka::metrics::Metrics;
use tablepb_kafka::pipeline::{Limits, Pipeline};
use tablepb_kafka::produce::{self, Orders};
use tablepb_kafka::schemas::Schemas;
use tablepb_kafka::sink::{ClickHouse, Lines, ParquetFiles, Sink};
use tablepb_registry::Registry;

include!("../../../examples/common/say.rs");

/// Topics of Protocol Buffers in Confluent's framing: into Parquet files, ClickHouse or lines of JSON.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes orders into a topic of two partitions, and registers their schemas.
    Produce {
        #[command(flatten)]
        topic: Topic,
        /// How many.
        count: usize,
        /// none, gzip, snappy, lz4 or zstd.
        #[arg(long, default_value = "none")]
        codec: String,
        /// Each so many orders, one that cannot be read.
        #[arg(long, value_name = "N")]
        broken: Option<NonZeroUsize>,
    },
    /// Moves a topic into a sink, as a member of a consumer group, until SIGTERM or SIGINT.
    Consume(Box<Consume>),
}

#[derive(Args)]
struct Topic {
    /// HOST:PORT, or several with commas between them.
    #[arg(long, default_value = "127.0.0.1:19092")]
    brokers: String,
    /// The address of the schema registry.
    #[arg(long, default_value = "http://127.0.0.1:18081/apis/ccompat/v7")]
    registry: String,
    /// USER:PASSWORD for the registry. The environment has it as REGISTRY_USER, so that it is not in a list of processes.
    #[arg(long, env = "REGISTRY_USER", hide_env_values = true)]
    registry_user: Option<String>,
    #[arg(long, default_value = "orders")]
    topic: String,
    /// An option of librdkafka: NAME=VALUE.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
}

#[derive(Args)]
struct Consume {
    #[command(flatten)]
    topic: Topic,
    #[arg(long, default_value = "tablepb")]
    group: String,
    /// The message type; that of the subject TOPIC-value without this.
    #[arg(long)]
    message: Option<String>,
    /// parquet:DIRECTORY, clickhouse:URL/TABLE, or - for lines of JSON on standard output.
    #[arg(long, default_value = "-")]
    sink: String,
    /// How fields become columns: NAME=VALUE, after the preset portable.
    #[arg(long = "column", value_name = "NAME=VALUE")]
    columns: Vec<String>,
    /// The topic for records that cannot be read; without it they are rows of nulls with their error in _error.
    #[arg(long)]
    dead_letters: Option<String>,
    /// The most rows of a partition that wait.
    #[arg(long, default_value_t = 1_000_000)]
    rows: usize,
    /// The most megabytes that wait in memory.
    #[arg(long, default_value_t = 256)]
    megabytes: usize,
    /// How long rows wait.
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// HOST:PORT where Prometheus asks for counts.
    #[arg(long)]
    metrics: Option<String>,
    /// Stop at the end of the topic.
    #[arg(long)]
    until_end: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    match Arguments::parse().command {
        Command::Produce { topic, count, codec, broken } => {
            let orders = Orders::register(registry(&topic)?, &topic.topic)?;
            let client = config(&topic, "", true)?.client();
            produce::make_topic(&client, &topic.topic, 2)?;
            produce::write(
                &client,
                (&topic.topic, 2),
                &codec,
                (0..count).map(|number| match broken {
                    Some(every) if number % every == every.get() - 1 => orders.broken(number),
                    _ => orders.record(number),
                }),
            )?;
            say!("{count} orders");
            Ok(())
        }
        Command::Consume(arguments) => consume(&arguments),
    }
}

fn registry(topic: &Topic) -> Result<Registry, Box<dyn Error>> {
    // Consumers try again by themselves, and poll meanwhile.
    let builder = Registry::builder(&topic.registry)
        .timeout(Duration::from_secs(5))
        .attempts(2, Duration::from_millis(100));
    Ok(match topic.registry_user.as_deref().map(|user| user.split_once(':').ok_or("no USER:PASSWORD")) {
        None => builder,
        Some(user) => {
            let (user, password) = user?;
            builder.basic(user, password)
        }
    }
    .build()?)
}

fn config(topic: &Topic, group: &str, until_end: bool) -> Result<Config, Box<dyn Error>> {
    let pair = |option: &String| pair(option).map(|(name, value)| (name.to_owned(), value.to_owned()));
    let options = topic.options.iter().map(pair).collect::<Result<_, _>>()?;
    let (brokers, name) = (topic.brokers.clone(), topic.topic.clone());
    Ok(Config { brokers, topic: name, group: group.to_owned(), options, until_end })
}

fn pair(option: &str) -> Result<(&str, &str), String> {
    option.split_once('=').ok_or_else(|| format!("{option} is not NAME=VALUE"))
}

fn sink(of: &str) -> Result<Box<dyn Sink + Send>, Box<dyn Error>> {
    if of == "-" {
        return Ok(Box::new(Lines::new(std::io::stdout())));
    }
    match of.split_once(':') {
        Some(("parquet", directory)) => Ok(Box::new(ParquetFiles::new(directory)?)),
        Some(("clickhouse", place)) => {
            let (url, table) = place.rsplit_once('/').ok_or("no URL/TABLE")?;
            Ok(Box::new(ClickHouse::new(url, table)))
        }
        _ => Err(format!("{of} is none of parquet:DIRECTORY, clickhouse:URL/TABLE and -").into()),
    }
}

fn consume(arguments: &Consume) -> Result<(), Box<dyn Error>> {
    let topic = &arguments.topic;
    let config = config(topic, &arguments.group, arguments.until_end)?;
    let schemas = Schemas::new(registry(topic)?);
    let mut options = Options::portable();
    for column in &arguments.columns {
        let (name, value) = pair(column)?;
        options.set(name, value)?;
    }
    let message = schemas.newest(&topic.topic, arguments.message.as_deref())?;
    let limits = Limits {
        rows: arguments.rows,
        bytes: arguments.megabytes << 20,
        age: Duration::try_from_secs_f64(arguments.seconds)?,
    };
    let reader = ReaderBuilder::new(&message).options(options);
    let pipeline = Pipeline::new(schemas, reader, arguments.dead_letters.is_some(), limits)?;
    let dead =
        arguments.dead_letters.as_ref().map(|topic| DeadLetters::new(&config.client(), topic)).transpose()?;
    let metrics = Metrics::new()?;
    if let Some(address) = &arguments.metrics {
        eprintln!("metrics at http://{}", metrics.serve(address)?);
    }
    let consumer = Consumer::new(&config, pipeline, sink(&arguments.sink)?, dead, metrics.clone())?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        // A second one ends the program at once.
        signal_hook::flag::register_conditional_shutdown(signal, 1, stop.clone())?;
        signal_hook::flag::register(signal, stop.clone())?;
    }
    consumer.run(&stop)?;
    let lost = match metrics.lost.get() {
        0 => String::new(),
        lost => format!(", {lost} deleted before they were read"),
    };
    eprintln!("{} rows, {} bad records{lost}", metrics.rows.get(), metrics.bad.get());
    Ok(())
}

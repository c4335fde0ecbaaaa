//! From Kafka topics with Confluent's framing into Parquet files, ClickHouse or lines of JSON; the README says how to run it.

pub mod consumer;
pub mod dead;
pub mod metrics;
pub mod pipeline;
pub mod produce;
pub mod schemas;
pub mod sink;

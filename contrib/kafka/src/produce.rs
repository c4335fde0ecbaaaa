//! Writes orders into the topic, as services of several versions do.

use crate::schemas::{self, NEWEST};
use chrono::Utc;
use rskafka::client::partition::{Compression, PartitionClient};
use rskafka::record::Record;
use std::collections::BTreeMap;
use std::error::Error;
use tablepb::stream::confluent;
use tablepb_arrow::SchemaStore;

/// So many records go to the broker at once.
const AT_ONCE: usize = 1_000;

/// The order with this number; even ones are of the newest version.
///
/// # Errors
/// None, unless the schemas change.
pub fn order(store: &SchemaStore, number: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let sku = ["tea", "cup", "pot"][number % 3];
    let (id, json) = match number % 2 {
        0 => {
            let lines = format!(r#"[{{"sku": "{sku}", "quantity": {}, "price": 3.5}}]"#, number % 7);
            (NEWEST, format!(r#"{{"id": {number}, "customer": "c{}", "lines": {lines}}}"#, number % 100))
        }
        _ => (
            7,
            format!(r#"{{"id": {number}, "lines": [{{"sku": "{sku}", "quantity": 1}}, {{"sku": "tin"}}]}}"#),
        ),
    };
    let (message, index) = schemas::order(store, id)?;
    let mut bytes = Vec::new();
    confluent::append_header(id, &[index], &mut bytes)?;
    tablepb::json::message_from_slice(&message, json.as_bytes())?.encode(&mut bytes)?;
    Ok(bytes)
}

/// The codec of this name, as Kafka calls it; `None` if there is no such codec.
pub fn codec(name: &str) -> Option<Compression> {
    Some(match name {
        "none" => Compression::NoCompression,
        "gzip" => Compression::Gzip,
        "snappy" => Compression::Snappy,
        "lz4" => Compression::Lz4,
        "zstd" => Compression::Zstd,
        _ => return None,
    })
}

/// Writes records into a partition, compressed.
///
/// # Errors
/// What the broker refuses.
pub async fn write(
    partition: &PartitionClient,
    values: impl IntoIterator<Item = Vec<u8>>,
    compression: Compression,
) -> Result<(), Box<dyn Error>> {
    let mut values = values.into_iter();
    loop {
        let record =
            |value| Record { key: None, value: Some(value), headers: BTreeMap::new(), timestamp: Utc::now() };
        let records: Vec<_> = values.by_ref().take(AT_ONCE).map(record).collect();
        if records.is_empty() {
            return Ok(());
        }
        partition.produce(records, compression).await?;
    }
}

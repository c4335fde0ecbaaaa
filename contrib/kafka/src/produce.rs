//! Writes orders into a topic, as services of several versions do, and registers their schemas.

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer, ThreadedProducer};
use std::error::Error;
use std::time::Duration;
use tablepb::MessageDescriptor;
use tablepb_registry::{Registry, Schema};

/// The versions of orders. What they refer to is in the subject `item.proto`.
const ITEM: &str = include_str!("../schemas/item.proto");
const ORDERS: [&str; 3] = [
    include_str!("../schemas/order1.proto"),
    include_str!("../schemas/order2.proto"),
    include_str!("../schemas/order3.proto"),
];

const TIMEOUT: Duration = Duration::from_secs(30);

/// The schemas of orders in a registry, oldest first.
pub struct Orders {
    registry: Registry,
    versions: Vec<(u32, MessageDescriptor)>,
}

impl Orders {
    /// Registers the schemas for a topic.
    ///
    /// # Errors
    /// Those of the registry.
    pub fn register(registry: Registry, topic: &str) -> Result<Self, Box<dyn Error>> {
        let item = Schema::new(ITEM);
        registry.register("item.proto", &item)?;
        let found = registry.find("item.proto", &item)?.ok_or("the schema was registered just now")?;
        let mut versions = Vec::new();
        for text in ORDERS {
            let schema = Schema::new(text).reference("item.proto", "item.proto", found.version);
            let id = registry.register(&format!("{topic}-value"), &schema)?;
            versions.push((id, registry.file(id)?.parent_pool().message("shop.Order")?));
        }
        Ok(Self { registry, versions })
    }

    /// The record of the order with this number; versions take turns.
    ///
    /// # Errors
    /// None, unless the schemas change.
    pub fn record(&self, number: usize) -> Result<Vec<u8>, Box<dyn Error>> {
        let version = number % self.versions.len();
        let (id, order) = &self.versions[version];
        let sku = ["tea", "cup", "pot"][number / 3 % 3];
        let line = match version {
            0 => format!(r#"{{"sku": "{sku}"}}"#),
            _ => format!(r#"{{"sku": "{sku}", "quantity": {}}}"#, number % 7),
        };
        let customer = format!(r#", "customer": "c{}", "at": "2026-01-01T00:00:00Z""#, number % 100);
        let rest = if version == 2 { customer } else { String::new() };
        let json = format!(r#"{{"id": {number}, "lines": [{line}]{rest}}}"#);
        let message = tablepb::json::message_from_slice(order, json.as_bytes())?;
        let mut record = Vec::new();
        self.registry.append_record(*id, &message, &mut record)?;
        Ok(record)
    }

    /// What stands in place of an order and cannot be read; kinds of faults take turns.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    pub fn broken(&self, number: usize) -> Result<Vec<u8>, Box<dyn Error>> {
        let mut record = self.record(number)?;
        match number / 7 % 5 {
            // A message that lacks its end.
            0 => record.truncate(record.len() - 1),
            // No framing.
            1 => record.insert(0, 0xff),
            // No message is at this path.
            2 => record.splice(5..6, [0x02, 0xc8, 0x01]).for_each(drop),
            // Groups in groups.
            3 => record.extend([0x2b; 1000]),
            // A string of 2 GB that never comes.
            _ => record.extend([0x52, 0xff, 0xff, 0xff, 0xff, 0x07]),
        }
        Ok(record)
    }
}

/// Makes a topic, if it is not there.
///
/// # Errors
/// What the broker refuses.
pub fn make_topic(config: &ClientConfig, topic: &str, partitions: i32) -> Result<(), Box<dyn Error>> {
    let admin: AdminClient<DefaultClientContext> = config.create()?;
    let topic = NewTopic::new(topic, partitions, TopicReplication::Fixed(1));
    let made = futures_executor::block_on(admin.create_topics([&topic], &AdminOptions::new()))?;
    match made.into_iter().next() {
        Some(Err((_, error))) if error != RDKafkaErrorCode::TopicAlreadyExists => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes values into a topic, in turns over its partitions, compressed with `none`, `gzip`, `snappy`, `lz4` or `zstd`. Returns when the broker has all of them.
///
/// # Errors
/// What the broker refuses, what a value cannot be made of.
pub fn write(
    config: &ClientConfig,
    (topic, partitions): (&str, i32),
    codec: &str,
    values: impl IntoIterator<Item = Result<Vec<u8>, Box<dyn Error>>>,
) -> Result<(), Box<dyn Error>> {
    let mut config = config.clone();
    // A broker that is gone for a while has them once all the same.
    config.set("compression.codec", codec).set("enable.idempotence", "true").set("linger.ms", "20");
    let producer: ThreadedProducer<DefaultProducerContext> = config.create()?;
    for (at, value) in values.into_iter().enumerate() {
        let value = value?;
        let mut record = BaseRecord::<(), [u8]>::to(topic).partition(at as i32 % partitions).payload(&value);
        while let Err((error, again)) = producer.send(record) {
            match error {
                KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull) => {
                    std::thread::sleep(Duration::from_millis(10))
                }
                error => return Err(error.into()),
            }
            record = again;
        }
    }
    producer.flush(TIMEOUT)?;
    Ok(())
}

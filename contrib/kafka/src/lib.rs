//! From a Kafka topic with Confluent's framing into Arrow files; the README says how to run it.

pub mod consume;
pub mod produce;
pub mod schemas;

use rskafka::client::partition::{PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder};
use std::error::Error;

/// The topic and its partitions.
pub const TOPIC: &str = "orders";
pub const PARTITIONS: i32 = 2;

/// Connects to a broker, `HOST:PORT`.
///
/// # Errors
/// A broker that is not there or does not answer.
pub async fn connect(address: &str) -> Result<Client, Box<dyn Error>> {
    Ok(ClientBuilder::new(vec![address.to_owned()]).build().await?)
}

/// Makes the topic, if it is not there.
///
/// # Errors
/// What the broker refuses.
pub async fn make_topic(client: &Client) -> Result<(), Box<dyn Error>> {
    if !client.list_topics().await?.iter().any(|topic| topic.name == TOPIC) {
        client.controller_client()?.create_topic(TOPIC, PARTITIONS, 1, 5_000).await?;
    }
    Ok(())
}

/// A partition of the topic.
///
/// # Errors
/// What the broker refuses, such as a topic that is not there.
pub async fn partition(client: &Client, number: i32) -> Result<PartitionClient, Box<dyn Error>> {
    Ok(client.partition_client(TOPIC, number, UnknownTopicHandling::Error).await?)
}

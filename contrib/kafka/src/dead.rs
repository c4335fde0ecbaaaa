//! Records that cannot be read, for a topic of their own.

use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Header, Headers, Message, OwnedHeaders, OwnedMessage};
use rdkafka::producer::{BaseRecord, Producer, ProducerContext, ThreadedProducer};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long a broker may take to have all of them.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A record as it was, and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct DeadLetter {
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: OwnedHeaders,
}

impl DeadLetter {
    /// A record with its headers, and headers beside them that say where it stood and what is wrong: `tablepb.error`, `tablepb.topic`, `tablepb.partition`, `tablepb.offset`.
    #[must_use]
    pub fn new(record: &OwnedMessage, error: &str) -> Self {
        let mut headers = OwnedHeaders::new();
        for header in record.headers().into_iter().flat_map(Headers::iter) {
            headers = headers.insert(header);
        }
        let (partition, offset) = (record.partition().to_string(), record.offset().to_string());
        let place = [
            ("tablepb.error", error),
            ("tablepb.topic", record.topic()),
            ("tablepb.partition", &partition),
            ("tablepb.offset", &offset),
        ];
        for (key, value) in place {
            headers = headers.insert(Header { key, value: Some(value) });
        }
        let bytes = |part: Option<&[u8]>| part.map(<[u8]>::to_vec);
        Self { key: bytes(record.key()), value: bytes(record.payload()), headers }
    }

    /// About the bytes that it takes.
    #[must_use]
    pub fn size(&self) -> usize {
        256 + self.key.as_ref().map_or(0, Vec::len) + self.value.as_ref().map_or(0, Vec::len)
    }
}

/// Counts what the broker did not take.
#[derive(Clone, Default)]
struct Refused(Arc<AtomicUsize>);

impl ClientContext for Refused {}

impl ProducerContext for Refused {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if result.is_err() {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The topic of bad records.
pub struct DeadLetters {
    topic: String,
    producer: ThreadedProducer<Refused>,
    refused: Refused,
}

impl DeadLetters {
    /// A topic of a broker.
    ///
    /// # Errors
    /// A configuration that cannot be used.
    pub fn new(config: &ClientConfig, topic: &str) -> Result<Self, KafkaError> {
        let refused = Refused::default();
        let mut config = config.clone();
        // Each once and in order, as far as a broker that fails allows.
        config.set("enable.idempotence", "true").set("message.timeout.ms", TIMEOUT.as_millis().to_string());
        let producer = config.create_with_context(refused.clone())?;
        Ok(Self { topic: topic.to_owned(), producer, refused })
    }

    /// Sends records, and returns when the broker has them all.
    ///
    /// # Errors
    /// The broker has not taken some of them; which ones is not known.
    pub fn send(&self, letters: &[DeadLetter]) -> Result<(), Box<dyn Error>> {
        self.refused.0.store(0, Ordering::Relaxed);
        for letter in letters {
            let mut record = BaseRecord::<[u8], [u8]>::to(&self.topic).headers(letter.headers.clone());
            (record.key, record.payload) = (letter.key.as_deref(), letter.value.as_deref());
            while let Err((error, again)) = self.producer.send(record) {
                if error.rdkafka_error_code() != Some(RDKafkaErrorCode::QueueFull) {
                    return Err(error.into());
                }
                self.producer.flush(TIMEOUT)?;
                record = again;
            }
        }
        self.producer.flush(TIMEOUT)?;
        match self.refused.0.load(Ordering::Relaxed) {
            0 => Ok(()),
            count => Err(format!("the broker did not take {count} records for {}", self.topic).into()),
        }
    }
}

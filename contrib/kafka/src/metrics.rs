//! What a consumer counts, as Prometheus reads it.

use prometheus::{IntCounter, IntGaugeVec, Opts, Registry, TextEncoder};
use std::error::Error;
use std::net::SocketAddr;

/// The counts of one consumer. Clones count together.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Registry,
    /// Records that came from the broker.
    pub records: IntCounter,
    /// The bytes of their values.
    pub bytes: IntCounter,
    /// Records that could not be read.
    pub bad: IntCounter,
    /// Records that the sink had already.
    pub known: IntCounter,
    /// Records that the broker deleted before they were read.
    pub lost: IntCounter,
    /// Rows and ranges of offsets that the sink has taken.
    pub rows: IntCounter,
    pub rolls: IntCounter,
    /// What had to be tried again: sinks, registries, brokers.
    pub failures: IntCounter,
    pub rebalances: IntCounter,
    /// The offset after the last record that was committed, by partitions.
    pub committed: IntGaugeVec,
}

impl Metrics {
    /// Counts from zero.
    ///
    /// # Errors
    /// None, since the names are valid and differ.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str| -> Result<IntCounter, prometheus::Error> {
            let counter = IntCounter::new(format!("tablepb_{name}_total"), help)?;
            registry.register(Box::new(counter.clone()))?;
            Ok(counter)
        };
        let committed = IntGaugeVec::new(
            Opts::new("tablepb_committed_offset", "The offset after the last record that was committed."),
            &["topic", "partition"],
        )?;
        registry.register(Box::new(committed.clone()))?;
        Ok(Self {
            records: counter("records", "Records that came from the broker.")?,
            bytes: counter("bytes", "Bytes of the values of these records.")?,
            bad: counter("bad_records", "Records that could not be read.")?,
            known: counter("known_records", "Records that the sink had already.")?,
            lost: counter("lost_records", "Records that the broker deleted before they were read.")?,
            rows: counter("rows", "Rows that the sink has taken.")?,
            rolls: counter("rolls", "Ranges of offsets that the sink has taken.")?,
            failures: counter("failures", "What had to be tried again.")?,
            rebalances: counter("rebalances", "Partitions were given to or taken from this consumer.")?,
            committed,
            registry,
        })
    }

    /// All counts in the text format of Prometheus.
    ///
    /// # Errors
    /// None, since the names are valid.
    pub fn text(&self) -> Result<String, Box<dyn Error>> {
        Ok(TextEncoder::new().encode_to_string(&self.registry.gather())?)
    }

    /// Answers each request to an address with the counts, from a thread of its own. Returns the address, which has a port if that was 0.
    ///
    /// # Errors
    /// An address that cannot be listened to.
    pub fn serve(&self, address: &str) -> Result<SocketAddr, Box<dyn Error>> {
        let server = tiny_http::Server::http(address).map_err(|error| format!("{address}: {error}"))?;
        let address = server.server_addr().to_ip().ok_or("an address without a port")?;
        let metrics = self.clone();
        std::thread::spawn(move || {
            for request in server.incoming_requests() {
                // Who asked may be gone.
                let _ = request.respond(tiny_http::Response::from_string(metrics.text().unwrap_or_default()));
            }
        });
        Ok(address)
    }
}

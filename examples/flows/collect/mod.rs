//! A flow collector: datagrams in, flows out, one value after the other while it is decoded.
//!
//! [`Collector`] looks at the version and hands the datagram to `sflow.rs`, `netflow5.rs` or `netflow9.rs` (which
//! also decodes IPFIX). These pass flows to a [`Sink`]; the sink [`Records`] writes protobuf. `columns.rs` is the schema.
//! No datagram makes the collector panic or grow without limit.
#![allow(dead_code, reason = "the tests and the bench of records use parts of this")]

#[macro_use]
pub mod columns;
pub mod elements;
mod exporters;
pub mod flow;
mod found;
pub mod headers;
pub mod input;
mod netflow5;
mod netflow9;
pub mod sampling;
mod sflow;
mod template;
pub mod tunnels;

use exporters::Exporters;
use flow::Sink;
use netflow9::Version;
use std::fmt;
use tunnels::Tunnels;

/// A datagram that an exporter sent.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// Seconds since 1970.
    pub received: u64,
    /// The address of the sender; IPv4 as `::ffff:a.b.c.d`.
    pub source: [u8; 16],
    pub payload: &'a [u8],
}

/// The fault in a datagram or in a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Neither sFlow 5, NetFlow 5 or 9, nor IPFIX.
    Version,
    /// It ends too early.
    Truncated,
    /// A number in it makes no sense.
    Malformed,
    /// More exporters or templates than the limits allow.
    TooMany,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version => "neither sFlow 5, NetFlow 5 or 9, nor IPFIX",
            Self::Truncated => "ends too early",
            Self::Malformed => "contradicts itself",
            Self::TooMany => "has more exporters or templates than are remembered",
        })
    }
}

/// Counters of everything besides flows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub datagrams: u64,
    pub bytes: u64,
    /// Templates that were learnt, and records of options.
    pub templates: u64,
    pub options: u64,
    /// Samples of other kinds than flows: counters, drops.
    pub skipped: u64,
    pub faults: u64,
    pub first_fault: Option<Fault>,
}

impl Statistics {
    fn fault(&mut self, fault: Fault) {
        self.faults += 1;
        self.first_fault.get_or_insert(fault);
    }
}

/// Decodes the datagrams of any number of exporters.
#[derive(Default)]
pub struct Collector {
    exporters: Exporters,
    pub statistics: Statistics,
}

impl Collector {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes flows out of the packets inside of these tunnels, instead of the packets that carry them.
    pub fn open(mut self, tunnels: Tunnels) -> Self {
        self.exporters.open = tunnels;
        self
    }

    /// Decodes a datagram. Counts faults and uses the rest of the datagram.
    #[inline]
    pub fn receive(&mut self, datagram: &Datagram<'_>, sink: &mut impl Sink) {
        let &Datagram { received, source, payload } = datagram;
        let statistics = &mut self.statistics;
        statistics.datagrams += 1;
        statistics.bytes += payload.len() as u64;
        let version = payload.first_chunk().map(|&first| u16::from_be_bytes(first));
        let decoded = match version {
            Some(0) => sflow::decode(payload, received, &source, self.exporters.open, sink, statistics),
            Some(netflow5::VERSION) => netflow5::decode(payload, received, &source, sink),
            Some(number) if Version::of(number).is_some() => {
                netflow9::decode(payload, received, &source, &mut self.exporters, sink, statistics)
            }
            _ => Err(Fault::Version),
        };
        if let Err(fault) = decoded {
            self.statistics.fault(fault);
        }
    }

    /// Sets of records whose template is still missing.
    pub fn without_template(&self) -> u64 {
        self.exporters.given_up + self.exporters.waiting() as u64
    }
}

//! Two captures in `tests/data/flows`, of traffic that the example makes up.

use crate::common::data::Data;
use crate::flows::support::{Collected, Flow};
use crate::flows::traffic::{Bytes, NetFlow, Random, Sent};

/// A capture of UDP datagrams over Ethernet and IPv4.
fn pcap(sent: &[Sent]) -> Vec<u8> {
    let mut file = Bytes::default();
    file.put(&[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0]).put(&[0; 8]).put(&[0xff, 0xff, 0, 0, 1, 0, 0, 0]);
    for (seconds, (source, payload)) in (1_700_000_000_u32..).zip(sent) {
        let len = (payload.len() + 42) as u32;
        file.put(&seconds.to_le_bytes()).put(&[0; 4]).put(&len.to_le_bytes()).put(&len.to_le_bytes());
        file.put(&[2; 12]).u16(0x0800).put(&[0x45, 0]).u16s(&[payload.len() as u16 + 28, 0, 0]);
        file.put(&[64, 17, 0, 0]).put(&source[12..]).put(&[192, 0, 2, 1]);
        file.u16s(&[40_000, 2055, payload.len() as u16 + 8, 0]).put(payload);
    }
    file.0
}

/// The captures: templates, and a datagram of NetFlow 9 and one of IPFIX that need them.
fn captures() -> [(&'static str, Vec<u8>); 2] {
    let (mut random, mut netflow) = (Random::new(11), NetFlow::new());
    let templates = netflow.templates();
    let data = [netflow.version9(&mut random).0, netflow.ipfix(&mut random).0];
    [("flows/templates.pcap", pcap(&templates)), ("flows/data.pcap", pcap(&data))]
}

/// Not a test of anything: writes the files.
#[test]
#[ignore = "writes tests/data/flows"]
fn write_data() {
    for (name, bytes) in captures() {
        std::fs::write(Data::Made.path(name), bytes).expect("a file");
    }
}

#[test]
fn the_captures_are_those_of_the_example() {
    for (name, bytes) in captures() {
        assert!(Data::Made.read(name) == bytes, "{name}");
    }
}

fn collect(names: [&str; 2]) -> Vec<Flow> {
    let mut collected = Collected::new();
    for name in names {
        collected.read(&Data::Made.read(name));
    }
    let statistics = &collected.collector.statistics;
    assert_eq!(
        (statistics.faults, collected.fragments.left_out(), collected.collector.without_template()),
        (0, 0, 0)
    );
    collected.flows()
}

#[test]
fn captures_give_the_same_flows_in_any_order() {
    let flows = collect(["flows/templates.pcap", "flows/data.pcap"]);
    let waited = collect(["flows/data.pcap", "flows/templates.pcap"]);
    assert_eq!(flows.len(), 48);
    assert_eq!(flows[0].line("ExporterAddress TimeReceived SamplingRate"), "203.0.113.254 1700000000 1000");
    // Data that waited for its template did not wait for the sampling rate.
    let lines = |flows: &[Flow]| {
        let line = |flow: &Flow| flow.line("SrcAddr SrcPort DstAddr DstPort Proto Bytes Packets");
        flows.iter().map(line).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(lines(&flows).len(), 48);
    assert_eq!(lines(&flows), lines(&waited));
}

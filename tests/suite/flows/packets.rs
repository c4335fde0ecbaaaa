//! NetFlow 9 and IPFIX: records of several packets, and of both directions of a flow.

use crate::flows::messages::{ADDRESSES, V4, collect, ipfix, record};
use crate::flows::traffic::Bytes;

#[test]
fn values_are_those_of_one_packet() {
    let columns = "EType SrcAddr DstAddr SrcPort DstPort Proto TTL";
    // As SRv6 is exported: addresses of the packet outside, then those and the ports of the one inside.
    let v6 = [(27, 16), (28, 16)];
    let fields = [&v6[..], &[(4, 1)], &ADDRESSES, &[(7, 2), (11, 2), (4, 1), (192, 1)]].concat();
    let outer = [&[0xfd; 16][..], &[0xfe; 16], &[43]].concat();
    let nested = [&outer[..], &V4, &[0, 80, 1, 187, 6, 61]].concat();
    assert_eq!(record(&fields, &nested).line(columns), "2048 192.0.2.1 198.51.100.2 80 443 6 61");
    // The same template without a packet inside.
    let plain = [&outer[..], &[0; 8], &[0, 0, 0, 0, 0, 64]].concat();
    let addresses = "fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe";
    assert_eq!(record(&fields, &plain).line(columns), format!("34525 {addresses} - - 43 64"));
    // Both of the same version, with ports each.
    let both = [&ADDRESSES[..], &[(7, 2), (11, 2)], &ADDRESSES, &[(7, 2), (11, 2)]].concat();
    let inner = [9, 9, 9, 9, 8, 8, 8, 8, 0, 0, 0, 7];
    let nested = [&V4[..], &[0, 80, 1, 187], &inner].concat();
    assert_eq!(record(&both, &nested).line(columns), "2048 9.9.9.9 8.8.8.8 - 7 - -");
    let plain = [&V4[..], &[0, 80, 0, 0], &[0; 8], &[0, 5, 0, 6]].concat();
    assert_eq!(record(&both, &plain).line(columns), "2048 192.0.2.1 198.51.100.2 80 - - -");
}

#[test]
fn both_directions_of_a_flow() {
    let reverse = |template: &mut Bytes, element: u16, len: u16| {
        template.u16s(&[0x8000 | element, len]).u32(29305);
    };
    let mut template = Bytes::default();
    template.u16s(&[300, 10]).u16s(&[8, 4, 12, 4, 7, 2, 11, 2, 1, 4]);
    reverse(&mut template, 1, 4);
    template.u16s(&[2, 4]);
    reverse(&mut template, 2, 4);
    template.u16s(&[16, 4, 6, 1]);
    let flow = |back: u32| {
        let mut out = Bytes::default();
        out.put(&V4).u16s(&[1000, 80]).u32s(&[500, back * 60, 5, back, 64_500]).u8(0x12).0.clone()
    };
    let collected = collect(&[ipfix(&[(2, &template.0), (300, &flow(2)), (300, &flow(0))])]);
    let columns = "SrcAddr SrcPort DstAddr DstPort Bytes Packets SrcAS DstAS TCPFlags";
    let there = "192.0.2.1 1000 198.51.100.2 80 500 5 64500 - 18";
    let lines: Vec<String> = collected.flows().iter().map(|flow| flow.line(columns)).collect();
    assert_eq!(lines, [there, "198.51.100.2 80 192.0.2.1 1000 120 2 - 64500 -", there]);
}

/// Of the packet outside, not even what the one inside does not say.
#[test]
fn nothing_is_left_of_the_packet_outside() {
    let columns = "EType SrcAddr DstAddr SrcPort DstPort Proto TOS IPv6FlowLabel";
    let outside = [(27, 16), (28, 16), (4, 1), (5, 1), (31, 4)];
    let outer = [&[0xfd; 16][..], &[0xfe; 16], &[43, 8, 0, 0, 0, 7]].concat();
    let fields = [&outside[..], &ADDRESSES, &[(7, 2), (11, 2)]].concat();
    let nested = [&outer[..], &V4, &[0, 80, 1, 187]].concat();
    assert_eq!(record(&fields, &nested).line(columns), "2048 192.0.2.1 198.51.100.2 80 443 - - -");
    let plain = [&outer[..], &[0; 8], &[0, 80, 1, 187]].concat();
    let addresses = "fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe";
    assert_eq!(record(&fields, &plain).line(columns), format!("34525 {addresses} 80 443 43 8 7"));
    // Fields before the addresses: what comes again is of the packet inside, and so is what follows.
    let fields = [&[(5, 1), (4, 1), (31, 4)], &outside[..2], &[(5, 1), (4, 1)], &ADDRESSES].concat();
    let nested = [&[8, 43, 0, 0, 0, 7][..], &outer[..32], &[4, 6], &V4].concat();
    assert_eq!(record(&fields, &nested).line(columns), "2048 192.0.2.1 198.51.100.2 - - 6 4 -");
    // One template for packets of either version inside.
    let fields = [&outside[..], &ADDRESSES, &[(4, 1)], &outside[..2], &[(4, 1)]].concat();
    let v4 = [&outer[..], &V4, &[6], &[0; 33]].concat();
    assert_eq!(record(&fields, &v4).line(columns), "2048 192.0.2.1 198.51.100.2 - - 6 - -");
    let v6 = [&outer[..], &[0; 9], &[0xaa; 16], &[0xbb; 16], &[17]].concat();
    let inner = "aaaa:aaaa:aaaa:aaaa:aaaa:aaaa:aaaa:aaaa bbbb:bbbb:bbbb:bbbb:bbbb:bbbb:bbbb:bbbb";
    assert_eq!(record(&fields, &v6).line(columns), format!("34525 {inner} - - 17 - -"));
}

/// Each version has its fields; those of one are zero.
#[test]
fn one_packet_of_either_version() {
    let columns = "EType SrcAddr DstAddr Proto DstPort";
    let fields = [&ADDRESSES[..], &[(4, 1)], &[(27, 16), (28, 16), (4, 1), (11, 2)]].concat();
    let v4 = [&V4[..], &[6], &[0; 33], &[0, 80]].concat();
    assert_eq!(record(&fields, &v4).line(columns), "2048 192.0.2.1 198.51.100.2 6 80");
    let v6 = [&[0; 9][..], &[0xaa; 16], &[0xbb; 16], &[17, 0, 53]].concat();
    let addresses = "aaaa:aaaa:aaaa:aaaa:aaaa:aaaa:aaaa:aaaa bbbb:bbbb:bbbb:bbbb:bbbb:bbbb:bbbb:bbbb";
    assert_eq!(record(&fields, &v6).line(columns), format!("34525 {addresses} 17 53"));
}

/// The flows of a record with elements of enterprises.
fn flows(fields: &[(u32, u16, u16)], record: &[u8], columns: &str) -> Vec<String> {
    let mut template = Bytes::default();
    template.u16s(&[300, fields.len() as u16]);
    for &(enterprise, element, len) in fields {
        match enterprise {
            0 => template.u16s(&[element, len]),
            _ => template.u16s(&[0x8000 | element, len]).u32(enterprise),
        };
    }
    let collected = collect(&[ipfix(&[(2, &template.0), (300, record)])]);
    assert_eq!(collected.collector.statistics.faults, 0);
    collected.flows().iter().map(|flow| flow.line(columns)).collect()
}

#[test]
fn both_directions_are_counted_in_any_way() {
    let columns = "SrcAddr DstAddr Bytes Packets";
    let (there, back) = ("192.0.2.1 198.51.100.2", "198.51.100.2 192.0.2.1");
    let record = |counters: [u8; 4]| [&V4[..], &counters].concat();
    // Counts of a time, totals, counts after the device: each in reverse.
    for (bytes, packets) in [(1, 2), (85, 86), (23, 24), (171, 172), (231, 298)] {
        let mut fields = vec![(0, 8, 4), (0, 12, 4), (0, bytes, 1), (0, packets, 1)];
        fields.extend([(29305, bytes, 1), (29305, packets, 1)]);
        assert_eq!(
            flows(&fields, &record([50, 5, 20, 2]), columns),
            [format!("{there} 50 5"), format!("{back} 20 2")]
        );
        assert_eq!(flows(&fields, &record([50, 5, 0, 0]), columns), [format!("{there} 50 5")]);
    }
}

#[test]
fn the_responder_counts_if_the_initiator_does_not() {
    let columns = "SrcAddr DstAddr Bytes Packets";
    let fields = [(0, 8, 4), (0, 12, 4), (0, 231, 1), (0, 298, 1), (0, 232, 1), (0, 299, 1)];
    for (counters, counted) in [([50, 5, 20, 2], "50 5"), ([0, 0, 20, 2], "20 2"), ([50, 5, 0, 0], "50 5")] {
        let found = flows(&fields, &[&V4[..], &counters].concat(), columns);
        assert_eq!(found, [format!("192.0.2.1 198.51.100.2 {counted}")]);
    }
}

#[test]
fn both_directions_are_those_of_one_packet() {
    let columns = "SrcAddr DstAddr SrcPort DstPort Proto Bytes";
    let fields = [
        (0, 8, 4),
        (0, 12, 4),
        (0, 7, 2),
        (0, 11, 2),
        (0, 4, 1),
        (0, 8, 4),
        (0, 12, 4),
        (0, 7, 2),
        (0, 11, 2),
        (0, 1, 1),
        (29305, 1, 1),
    ];
    let outer = [10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2, 43];
    let nested = [&outer[..], &V4, &[0, 80, 1, 187, 50, 20]].concat();
    assert_eq!(
        flows(&fields, &nested, columns),
        ["192.0.2.1 198.51.100.2 80 443 - 50", "198.51.100.2 192.0.2.1 443 80 - 20"]
    );
    let plain = [&outer[..], &[0; 12], &[50, 20]].concat();
    assert_eq!(
        flows(&fields, &plain, columns),
        ["10.0.0.1 10.0.0.2 1 2 43 50", "10.0.0.2 10.0.0.1 2 1 43 20"]
    );
}

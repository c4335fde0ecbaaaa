//! sFlow: a datagram for each kind of record and each rule.

use crate::flows::collect::Fault;
use crate::flows::support::{Collected, Flow};
use crate::flows::traffic::Bytes;

pub const IPV4_TCP: &[u8] = &[
    0x45, 0xb8, 0, 60, 0x12, 0x34, 0x40, 0, 63, 6, 0, 0, 192, 0, 2, 1, 198, 51, 100, 2, // IPv4
    0x1f, 0x90, 0x01, 0xbb, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x18, 2, 0, 0, 0, 0, 0, // TCP
];
const TCP_COLUMNS: &str = "EType SrcAddr DstAddr Proto SrcPort DstPort TOS TTL TCPFlags FragmentID";
const TCP_LINE: &str = "2048 192.0.2.1 198.51.100.2 6 8080 443 184 63 24 4660";
pub const MACS: &[u8] = &[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];

/// A flow sample with these records, in a datagram of one sample.
pub fn flow_sample(input: u32, output: u32, records: &[(u32, &[u8])]) -> Vec<u8> {
    let mut body = Bytes::default();
    body.u32s(&[1, 3, 512, 0, 0, input, output, records.len() as u32]);
    records.iter().for_each(|(format, record)| put(&mut body, *format, record));
    datagram(&[(1, &body.0)])
}

fn datagram(samples: &[(u32, &[u8])]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u32s(&[5, 1]).put(&[10, 0, 0, 1]).u32s(&[0, 1, 1, samples.len() as u32]);
    samples.iter().for_each(|(format, sample)| put(&mut out, *format, sample));
    out.0
}

fn put(out: &mut Bytes, format: u32, body: &[u8]) {
    out.u32(format).opaque(body);
}

/// A sampled header.
fn header(protocol: u32, header: &[u8]) -> Vec<u8> {
    Bytes::default().u32s(&[protocol, 1000, 4]).opaque(header).0.clone()
}

pub fn ethernet(kinds: &[u16], packet: &[u8]) -> Vec<u8> {
    header(1, &Bytes::default().put(MACS).u16s(kinds).put(packet).0)
}

/// The only flow of a datagram.
#[track_caller]
pub fn only(payload: &[u8]) -> Flow {
    let mut collected = Collected::new();
    collected.receive(payload);
    assert_eq!(collected.collector.statistics.faults, 0);
    let mut flows = collected.flows();
    assert_eq!(flows.len(), 1);
    flows.remove(0)
}

#[track_caller]
fn with_record(format: u32, record: &[u8]) -> Flow {
    only(&flow_sample(1, 2, &[(format, record)]))
}

#[test]
fn sampled_headers() {
    let flow = with_record(1, &ethernet(&[0x0800], IPV4_TCP));
    assert_eq!(flow.line(TCP_COLUMNS), TCP_LINE);
    assert_eq!(
        flow.line("TimeReceived SamplingRate ExporterAddress InIf OutIf Bytes Packets DstMAC SrcMAC SrcVlan"),
        "1700000000 512 10.0.0.1 1 2 60 1 2199023255553 2199023255554 -"
    );
    let flow = with_record(1, &ethernet(&[0x8100, 0xe064, 0x0800], IPV4_TCP));
    assert_eq!((flow.line(TCP_COLUMNS).as_str(), flow.get("SrcVlan").as_str()), (TCP_LINE, "100"));
    let flow = with_record(1, &ethernet(&[0x88a8, 200, 0x8100, 100, 0x0800], IPV4_TCP));
    assert_eq!((flow.line(TCP_COLUMNS).as_str(), flow.get("SrcVlan").as_str()), (TCP_LINE, "200"));
    for protocol in [11, 12] {
        let flow = with_record(1, &header(protocol, IPV4_TCP));
        assert_eq!((flow.line(TCP_COLUMNS).as_str(), flow.get("SrcMAC").as_str()), (TCP_LINE, ""));
    }
    // Two labels, the second at the bottom.
    let labels = [0, 0x10, 0x00, 0, 0, 0x20, 0x11, 0x40];
    let flow = with_record(1, &ethernet(&[0x8847], &[&labels, IPV4_TCP].concat()));
    assert_eq!((flow.line(TCP_COLUMNS).as_str(), flow.get("MPLSLabels").as_str()), (TCP_LINE, "256,513"));
    let flow = with_record(1, &header(13, &[&labels[4..], IPV4_TCP].concat()));
    assert_eq!((flow.line(TCP_COLUMNS).as_str(), flow.get("MPLSLabels").as_str()), (TCP_LINE, "513"));
    // ARP, an 802.3 length, a protocol that is not known.
    assert_eq!(with_record(1, &ethernet(&[0x0806], &[0; 28])).line("EType SrcAddr Bytes"), "2054 - 982");
    assert_eq!(with_record(1, &ethernet(&[0x0042], &[0; 28])).line("EType SrcAddr Bytes"), "- - 982");
    assert_eq!(with_record(1, &header(99, IPV4_TCP)).line("SrcAddr Bytes"), "- 996");
}

#[test]
fn sampled_ipv6_headers() {
    let (source, destination) = ([&[0x20, 1, 0xd, 0xb8][..], &[0; 11], &[1]].concat(), [0xfe; 16]);
    let packet = |next: u8, rest: &[u8]| {
        let mut out = Bytes::default();
        out.u32(6 << 28 | 0x12 << 20 | 0x34567).u16(100).u8(next).u8(61);
        out.put(&source).put(&destination).put(rest).0.clone()
    };
    let udp = [0, 53, 0x30, 0x39, 0, 8, 0, 0];
    let columns = "EType SrcAddr DstAddr Proto SrcPort DstPort TOS TTL IPv6FlowLabel";
    let line = "34525 2001:db8::1 fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe 17 53 12345 18 61 214375";
    assert_eq!(with_record(1, &ethernet(&[0x86dd], &packet(17, &udp))).line(columns), line);
    assert_eq!(with_record(1, &header(12, &packet(17, &udp))).line(columns), line);
    // Hop-by-hop, destination, authentication, first fragment.
    let extensions = [
        &[60, 0, 1, 4, 0, 0, 0, 0][..],
        &[51, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[44, 1, 0, 0, 0, 0, 0, 7, 0, 0, 0, 8],
        &[17, 0, 0, 1, 0, 0, 0x12, 0x34],
        &udp,
    ];
    let flow = with_record(1, &header(12, &packet(0, &extensions.concat())));
    assert_eq!(flow.line(columns), line);
    assert_eq!(flow.line("FragmentID FragmentOffset"), "4660 -");
    // What follows in a later fragment is no header.
    let later = [&[17, 0, 0, 8, 0, 0, 0, 9][..], &udp].concat();
    let flow = with_record(1, &header(12, &packet(44, &later)));
    assert_eq!(flow.line("Proto FragmentID FragmentOffset SrcPort"), "17 9 1 -");
    let flow = with_record(1, &header(12, &packet(58, &[128, 1, 0, 0])));
    assert_eq!(flow.line("Proto ICMPType ICMPCode SrcPort"), "58 128 1 -");
    // No end of extension headers.
    let flow = with_record(1, &header(12, &packet(0, &[0; 400])));
    assert_eq!(flow.line("SrcAddr SrcPort"), "2001:db8::1 -");
}

#[test]
fn sampled_headers_that_were_cut_off() {
    let frame = [MACS, &[0x08, 0], IPV4_TCP].concat();
    // Where the length of the packet is missing, it is that of the frame without its own headers and checksum.
    for (len, line, bytes) in [
        (5, "- - -", "996"),
        (13, "2199023255554 - -", "996"),
        (17, "2199023255554 - -", "982"),
        (33, "2199023255554 - -", "60"),
        (34, "2199023255554 192.0.2.1 -", "60"),
        (37, "2199023255554 192.0.2.1 8080", "60"),
        (47, "2199023255554 192.0.2.1 8080", "60"),
    ] {
        let flow = with_record(1, &header(1, &frame[..len]));
        assert_eq!((flow.line("SrcMAC SrcAddr SrcPort").as_str(), flow.get("Bytes").as_str()), (line, bytes));
    }
    // Options are longer than what is there; a later fragment; ICMP.
    let mut options = IPV4_TCP.to_vec();
    options[0] = 0x4f;
    assert_eq!(with_record(1, &header(11, &options)).line("SrcAddr SrcPort"), "192.0.2.1 -");
    let mut fragment = IPV4_TCP.to_vec();
    fragment[6..8].copy_from_slice(&[0x20, 5]);
    let flow = with_record(1, &header(11, &fragment));
    assert_eq!(flow.line("Proto FragmentOffset SrcPort TCPFlags"), "6 5 - -");
    let mut icmp = IPV4_TCP.to_vec();
    (icmp[9], icmp[20], icmp[21]) = (1, 3, 4);
    assert_eq!(with_record(1, &header(11, &icmp)).line("ICMPType ICMPCode SrcPort"), "3 4 -");
    for sctp in [132, 136, 33] {
        icmp[9] = sctp;
        assert_eq!(with_record(1, &header(11, &icmp)).line("SrcPort DstPort TCPFlags"), "772 443 -");
    }
}

#[test]
fn sampled_fields() {
    let mut ethernet = Bytes::default();
    ethernet.u32(900).put(&MACS[..6]).u16(0).put(&MACS[6..]).u16(0).u32(0x0806);
    assert_eq!(
        with_record(2, &ethernet.0).line("Bytes SrcMAC DstMAC EType"),
        "882 2199023255553 2199023255554 2054"
    );
    let mut ipv4 = Bytes::default();
    ipv4.u32s(&[800, 17]).put(&[192, 0, 2, 1, 198, 51, 100, 2]).u32s(&[53, 1024, 0, 4]);
    let columns = "Bytes EType SrcAddr DstAddr Proto SrcPort DstPort TCPFlags TOS";
    assert_eq!(with_record(3, &ipv4.0).line(columns), "800 2048 192.0.2.1 198.51.100.2 17 53 1024 - 4");
    let mut ipv6 = Bytes::default();
    ipv6.u32s(&[700, 6]).put(&[0xfd; 16]).put(&[0xfe; 16]).u32s(&[80, 1025, 2, 8]);
    let line = "700 34525 fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe 6 80 1025 2 8";
    assert_eq!(with_record(4, &ipv6.0).line(columns), line);
}

#[test]
fn extended_records() {
    let words = |words: &[u32]| Bytes::default().u32s(words).0.clone();
    assert_eq!(with_record(1001, &words(&[10, 0, 20, 0])).line("SrcVlan DstVlan"), "10 20");
    assert_eq!(with_record(1001, &words(&[u32::MAX, 0, 20, 0])).line("SrcVlan DstVlan"), "- 20");
    let router = |hop: &[u8], kind: u32| Bytes::default().u32(kind).put(hop).u32s(&[24, 16]).0.clone();
    let columns = "NextHop SrcNetMask DstNetMask";
    assert_eq!(with_record(1002, &router(&[192, 0, 2, 7], 1)).line(columns), "192.0.2.7 24 16");
    assert_eq!(
        with_record(1002, &router(&[0xfd; 16], 2)).get("NextHop"),
        "fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd"
    );
    assert_eq!(with_record(1002, &router(&[0; 4], 1)).line(columns), "- 24 16");
    assert_eq!(with_record(1002, &router(&[], 0)).line(columns), "- 24 16");
    let gateway = |body: &[u32]| Bytes::default().u32(1).put(&[192, 0, 2, 7]).u32s(body).0.clone();
    let columns = "NextHop SrcAS DstAS DstASPath DstCommunities";
    // A sequence of three and a set of two, then two communities and the local preference.
    let full = gateway(&[64500, 1, 2, 2, 2, 3, 10, 20, 30, 1, 2, 40, 50, 2, 7, 8, 100]);
    assert_eq!(with_record(1003, &full).line(columns), "192.0.2.7 1 50 10,20,30,40,50 7,8");
    let local = gateway(&[64500, 0, 0, 0, 0, 100]);
    assert_eq!(with_record(1003, &local).line(columns), "192.0.2.7 64500 64500 - -");
    let nat = Bytes::default().u32(1).put(&[203, 0, 113, 1]).u32(1).put(&[203, 0, 113, 2]).0.clone();
    assert_eq!(with_record(1007, &nat).line("SrcAddrNAT DstAddrNAT"), "203.0.113.1 203.0.113.2");
    assert_eq!(with_record(1020, &words(&[4000, 4001])).line("SrcPortNAT DstPortNAT"), "4000 4001");
    // Of an enterprise, and of the future.
    assert_eq!(with_record(8800 << 12 | 1, &[1, 2, 3, 4]).get("SamplingRate"), "512");
}

#[test]
fn interfaces_have_formats() {
    let columns = "InIf OutIf ForwardingStatus";
    let cases = [
        (7, 8, "7 8 -"),
        (0x3fff_ffff, 8, "- 8 -"),
        (7, 0x3fff_ffff, "7 - -"),
        (7, 0x4000_0000 | 256, "7 - 128"),
        // A reason that has a status of its own: of ICMP, and of sFlow.
        (7, 0x4000_0000, "7 - 131"),
        (7, 0x4000_0000 | 4, "7 - 133"),
        (7, 0x4000_0000 | 10, "7 - 129"),
        (7, 0x4000_0000 | 257, "7 - 137"),
        (7, 0x4000_0000 | 258, "7 - 130"),
        (7, 0x4000_0000 | 303, "7 - 128"),
        (7, 0x8000_0000 | 3, "7 - -"),
    ];
    for (input, output, line) in cases {
        assert_eq!(only(&flow_sample(input, output, &[])).line(columns), line);
    }
    let expanded = |input: [u32; 2], output: [u32; 2]| {
        let mut body = Bytes::default();
        body.u32s(&[1, 0, 3, 4096, 0, 0]).u32s(&input).u32s(&output).u32(0);
        only(&datagram(&[(3, &body.0)])).line(columns)
    };
    assert_eq!(expanded([0, 7], [0, 0x5000_0001]), "7 1342177281 -");
    assert_eq!(expanded([0, 0x3fff_ffff], [1, 2]), "- - 131");
    assert_eq!(expanded([0, 1], [1, 256]), "1 - 128");
    assert_eq!(expanded([0, 1], [2, 3]), "1 - -");
}

#[test]
fn addresses_of_frames_may_have_no_padding() {
    let mut ethernet = Bytes::default();
    ethernet.u32(900).put(&MACS[..6]).put(&MACS[6..]).u32(0x0806);
    assert_eq!(
        with_record(2, &ethernet.0).line("Bytes SrcMAC DstMAC EType"),
        "882 2199023255553 2199023255554 2054"
    );
}

/// A switch may say the type of a tag; the packet says more.
#[test]
fn the_type_of_a_frame_counts_if_there_is_no_packet() {
    let mut fields = Bytes::default();
    fields.u32(1000).put(&MACS[..6]).u16(0).put(&MACS[6..]).u16(0).u32(0x8100);
    let columns = "EType SrcAddr Bytes";
    assert_eq!(with_record(2, &fields.0).line(columns), "33024 - 982");
    let tagged = ethernet(&[0x8100, 100, 0x0800], IPV4_TCP);
    // Cut off before the length of the packet: that of the frame without the tag.
    let cut = header(1, &[MACS, &[0x81, 0, 0, 100, 8, 0, 0x45]].concat());
    for (header, line) in [(&tagged, "2048 192.0.2.1 60"), (&cut, "2048 - 978")] {
        for records in [[(2, &fields.0), (1, header)], [(1, header), (2, &fields.0)]] {
            let flow = only(&flow_sample(1, 2, &records.map(|(format, record)| (format, &record[..]))));
            assert_eq!(flow.line(columns), line);
        }
    }
}

#[test]
fn samples_that_are_no_flows_are_skipped() {
    let flow = flow_sample(1, 2, &[]);
    let sample = &flow[36..];
    let other = [0; 24];
    let mut collected = Collected::new();
    collected.receive(&datagram(&[
        (2, &other),
        (1, sample),
        (4, &other),
        (5, &other),
        (9 << 12 | 1, &other),
    ]));
    assert_eq!((collected.flows().len(), collected.collector.statistics.skipped), (1, 4));
    assert_eq!(collected.collector.statistics.faults, 0);
    // A sample that contradicts itself is left out, and what it has told so far; the next one is not.
    let mut broken = sample.to_vec();
    broken[31] = 1;
    collected.receive(&datagram(&[(1, &broken), (1, sample)]));
    assert_eq!((collected.flows().len(), collected.collector.statistics.faults), (2, 1));
}

#[test]
fn agents_have_addresses_of_either_version_or_none() {
    let sample = flow_sample(1, 2, &[])[28..].to_vec();
    let agent = |kind: u32, address: &[u8]| {
        let payload =
            Bytes::default().u32s(&[5, kind]).put(address).u32s(&[0, 1, 1, 1]).put(&sample).0.clone();
        only(&payload).get("ExporterAddress")
    };
    assert_eq!(agent(1, &[192, 0, 2, 200]), "192.0.2.200");
    assert_eq!(agent(2, &[0xfd; 16]), "fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd");
    assert_eq!(agent(0, &[]), "192.0.2.9", "where the datagram came from");
}

#[test]
fn other_versions_are_faults() {
    for payload in
        [&[][..], &[0], &[0, 0, 0, 4], &[0, 0, 0, 6, 0, 0, 0, 1], &[0, 8, 0, 0], &[0, 11], b"GET / HTTP/1.1"]
    {
        let mut collected = Collected::new();
        collected.receive(payload);
        assert_eq!(collected.collector.statistics.first_fault, Some(Fault::Version), "{payload:?}");
        assert_eq!(collected.records.flows, 0);
    }
}

#[test]
fn vlans_are_those_of_the_frame_where_no_record_says_them() {
    let tagged = ethernet(&[0x8100, 100, 0x0800], IPV4_TCP);
    assert_eq!(with_record(1, &tagged).line("SrcVlan DstVlan"), "100 100");
    let switch = |from: u32, to: u32| Bytes::default().u32s(&[from, 0, to, 0]).0.clone();
    for records in [[(1, &tagged), (1001, &switch(100, 200))], [(1001, &switch(100, 200)), (1, &tagged)]] {
        let flow = only(&flow_sample(1, 2, &records.map(|(format, record)| (format, &record[..]))));
        assert_eq!(flow.line("SrcVlan DstVlan"), "100 200");
    }
    // The source too: the record says how the device has switched the frame, the tag how it was sent.
    for records in [[(1, &tagged), (1001, &switch(200, 300))], [(1001, &switch(200, 300)), (1, &tagged)]] {
        let flow = only(&flow_sample(1, 2, &records.map(|(format, record)| (format, &record[..]))));
        assert_eq!(flow.line("SrcVlan DstVlan"), "200 300");
    }
    // A record that says that it is not known.
    let unknown = switch(u32::MAX, u32::MAX);
    let flow = only(&flow_sample(1, 2, &[(1, &tagged), (1001, &unknown)]));
    assert_eq!(flow.line("SrcVlan DstVlan"), "100 -");
    assert_eq!(with_record(1, &ethernet(&[0x0800], IPV4_TCP)).line("SrcVlan DstVlan"), "- -");
}

#[test]
fn the_next_hop_is_that_of_the_router_and_else_of_bgp() {
    let router = |hop: u8| Bytes::default().u32(1).put(&[192, 0, 2, hop]).u32s(&[24, 16]).0.clone();
    let gateway =
        |hop: u8| Bytes::default().u32(1).put(&[203, 0, 113, hop]).u32s(&[1, 2, 3, 0, 0, 9]).0.clone();
    let hop = |records: &[(u32, &[u8])]| only(&flow_sample(1, 2, records)).get("NextHop");
    assert_eq!(hop(&[(1002, &router(1)), (1003, &gateway(2))]), "192.0.2.1");
    assert_eq!(hop(&[(1003, &gateway(2)), (1002, &router(1))]), "192.0.2.1");
    assert_eq!(hop(&[(1003, &gateway(2))]), "203.0.113.2");
    let zero = Bytes::default().u32(1).put(&[0; 4]).u32s(&[24, 16]).0.clone();
    assert_eq!(hop(&[(1002, &zero), (1003, &gateway(2))]), "203.0.113.2");
}

//! Packets inside of packets.

use crate::flows::collect::Collector;
use crate::flows::collect::tunnels::Tunnels;
use crate::flows::records::{IPV4_TCP, MACS, ethernet, flow_sample};
use crate::flows::support::Collected;
use crate::flows::traffic::Bytes;

/// A packet of IPv4 from 10.0.0.1 to 10.0.0.2 with this in it.
fn outer(protocol: u8, body: &[u8]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.put(&[0x45, 0]).u16(20 + body.len() as u16).put(&[0, 0, 0, 0, 9, protocol, 0, 0]);
    out.put(&[10, 0, 0, 1, 10, 0, 0, 2]).put(body);
    out.0
}

#[test]
fn tunnels_are_opened_if_that_is_asked_for() {
    let columns = "SrcAddr DstAddr Proto TTL SrcPort Bytes EType";
    let inner = "192.0.2.1 198.51.100.2 6 63 8080 60 2048";
    let frame = [MACS, &[0x08, 0], IPV4_TCP].concat();
    let tagged = [MACS, &[0x81, 0, 0, 7, 0x08, 0], IPV4_TCP].concat();
    let vxlan = |port: u16, flags: u8, frame: &[u8]| {
        let mut out = Bytes::default();
        out.u16s(&[777, port, 0, 0]).put(&[flags, 0, 0, 0, 0, 0, 7, 0]).put(frame);
        outer(17, &out.0)
    };
    let gre = |flags: u16, kind: u16, options: &[u8], body: &[u8]| {
        outer(47, &Bytes::default().u16s(&[flags, kind]).put(options).put(body).0)
    };
    let mut v6 = Bytes::default();
    v6.u32(6 << 28).u16(IPV4_TCP.len() as u16 + 8).put(&[60, 5]).put(&[0xfd; 32]);
    v6.put(&[4, 0, 1, 4, 0, 0, 0, 0]).put(IPV4_TCP);
    let opened = |names: &[&str], packet: &[u8]| {
        let mut tunnels = Tunnels::default();
        assert!(names.iter().all(|name| tunnels.open(name)));
        let mut collected = Collected::new();
        collected.collector = Collector::new().open(tunnels);
        let kind = if packet[0] >> 4 == 6 { 0x86dd } else { 0x0800 };
        collected.receive(&flow_sample(1, 2, &[(1, &ethernet(&[kind], packet))]));
        assert_eq!(collected.collector.statistics.faults, 0);
        collected.flows()[0].line(columns)
    };
    for (name, packet) in [
        ("ipip", outer(4, IPV4_TCP)),
        ("ipip", outer(4, &outer(4, IPV4_TCP))),
        ("ipip", v6.0.clone()),
        ("vxlan", vxlan(4789, 8, &frame)),
        ("vxlan", vxlan(4789, 8, &tagged)),
        ("gre", gre(0, 0x0800, &[], IPV4_TCP)),
        ("gre", gre(0xb000, 0x6558, &[0; 12], &frame)),
    ] {
        assert_eq!(opened(&[name], &packet), inner, "{name}");
        assert_eq!(opened(&["ipip", "gre", "vxlan"], &packet), inner, "{name}");
        // Closed: none of the values is one of the packet inside.
        let other = if name == "gre" { "vxlan" } else { "gre" };
        for names in [&[][..], &[other]] {
            let line = opened(names, &packet);
            assert!(
                !line.contains("192.0.2.1") && !line.contains(" 63 ") && !line.contains("8080"),
                "{line}"
            );
        }
    }
    // Tunnels that are none: another port, no identifier, another version; a fragment; what was cut off.
    let mut fragment = outer(4, IPV4_TCP);
    fragment[7] = 1;
    for packet in [
        vxlan(4790, 8, &frame),
        vxlan(4789, 0, &frame),
        vxlan(4789, 8, &frame[..30]),
        gre(1, 0x0800, &[], IPV4_TCP),
        gre(0x8000, 0x0800, &[], &[]),
        gre(0, 0x0806, &[], IPV4_TCP),
        fragment,
        outer(4, &IPV4_TCP[..19]),
        outer(4, &[]),
    ] {
        assert!(opened(&["ipip", "gre", "vxlan"], &packet).starts_with("10.0.0.1 10.0.0.2 "));
    }
    // However deep: what is left is a packet.
    let mut deep = IPV4_TCP.to_vec();
    (0..40).for_each(|_| deep = outer(4, &deep));
    assert!(opened(&["ipip"], &deep).starts_with("10.0.0.1 "));
}

//! Packets inside of packets.

use crate::flows::collect::Collector;
use crate::flows::collect::tunnels::Tunnels;
use crate::flows::messages;
use crate::flows::records::{IPV4_TCP, MACS, ethernet, flow_sample};
use crate::flows::support::{Collected, Flow};
use crate::flows::traffic::Bytes;

/// A packet of IPv4 from 10.0.0.1 to 10.0.0.2 with this in it.
fn outer(protocol: u8, body: &[u8]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.put(&[0x45, 0]).u16(20 + body.len() as u16).put(&[0, 0, 0, 0, 9, protocol, 0, 0]);
    out.put(&[10, 0, 0, 1, 10, 0, 0, 2]).put(body);
    out.0
}

/// A VXLAN datagram to a port, with flags and a frame in it.
fn vxlan(port: u16, flags: u8, frame: &[u8]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u16s(&[777, port, 0, 0]).put(&[flags, 0, 0, 0, 0, 0, 7, 0]).put(frame);
    outer(17, &out.0)
}

fn gre(flags: u16, kind: u16, options: &[u8], body: &[u8]) -> Vec<u8> {
    outer(47, &Bytes::default().u16s(&[flags, kind]).put(options).put(body).0)
}

/// What is collected from a datagram if these tunnels are opened.
fn collect(names: &[&str], payload: &[u8]) -> Flow {
    let mut tunnels = Tunnels::default();
    assert!(names.iter().all(|name| tunnels.open(name)));
    let mut collected = Collected::new();
    collected.collector = Collector::new().open(tunnels);
    collected.receive(payload);
    assert_eq!(collected.collector.statistics.faults, 0);
    let mut flows = collected.flows();
    assert_eq!(flows.len(), 1);
    flows.remove(0)
}

#[test]
fn tunnels_are_opened_if_that_is_asked_for() {
    let columns = "SrcAddr DstAddr Proto TTL SrcPort Bytes EType";
    let inner = "192.0.2.1 198.51.100.2 6 63 8080 60 2048";
    let frame = [MACS, &[0x08, 0], IPV4_TCP].concat();
    let tagged = [MACS, &[0x81, 0, 0, 7, 0x08, 0], IPV4_TCP].concat();
    let mut v6 = Bytes::default();
    v6.u32(6 << 28).u16(IPV4_TCP.len() as u16 + 8).put(&[60, 5]).put(&[0xfd; 32]);
    v6.put(&[4, 0, 1, 4, 0, 0, 0, 0]).put(IPV4_TCP);
    let opened = |names: &[&str], packet: &[u8]| {
        let kind = if packet[0] >> 4 == 6 { 0x86dd } else { 0x0800 };
        collect(names, &flow_sample(1, 2, &[(1, &ethernet(&[kind], packet))])).line(columns)
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

const LINK: &str = "SrcMAC DstMAC SrcVlan DstVlan";
/// The addresses of a frame inside, tagged with the VLAN 7.
const FRAME: [u8; 18] = [2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x81, 0, 0, 7, 8, 0];

#[test]
fn layer_2_is_that_of_the_frame_inside() {
    let frame = [&FRAME, IPV4_TCP].concat();
    let inside = "2199023255560 2199023255561 7 7";
    for (name, packet, line) in [
        ("vxlan", vxlan(4789, 8, &frame), inside),
        ("gre", gre(0, 0x6558, &[], &frame), inside),
        // There is none inside, and that of the packet outside is not its own.
        ("gre", gre(0, 0x0800, &[], IPV4_TCP), "- - - -"),
        ("ipip", outer(4, IPV4_TCP), "- - - -"),
    ] {
        let sample = flow_sample(1, 2, &[(1, &ethernet(&[0x8100, 100, 0x0800], &packet))]);
        let flow = collect(&[name], &sample);
        assert_eq!((flow.line(LINK), flow.get("SrcAddr")), (line.into(), "192.0.2.1".into()), "{name}");
        let flow = collect(&[], &sample);
        assert_eq!(flow.line(LINK), "2199023255554 2199023255553 100 100");
    }
    // Nor are labels of the packet outside its own.
    let sample =
        flow_sample(1, 2, &[(1, &ethernet(&[0x8847], &[&[0, 1, 1, 9][..], &outer(4, IPV4_TCP)].concat()))]);
    assert_eq!(collect(&["ipip"], &sample).line("MPLSLabels SrcAddr Bytes"), "- 192.0.2.1 60");
    assert_eq!(collect(&[], &sample).line("MPLSLabels SrcAddr"), "16 10.0.0.1");
}

#[test]
fn other_records_tell_of_the_packet_outside() {
    let words = |words: &[u32]| Bytes::default().u32s(words).0.clone();
    let header = ethernet(&[0x8100, 100, 0x0800], &vxlan(4789, 8, &[&FRAME, IPV4_TCP].concat()));
    let frame = Bytes::default().u32(200).put(&[4; 6]).u16(0).put(&[5; 6]).u16(0).u32(0x0800).0.clone();
    let packet =
        Bytes::default().u32s(&[150, 17]).put(&[10, 0, 0, 1, 10, 0, 0, 2]).u32s(&[777, 4789, 0, 9]).0.clone();
    let packet6 = Bytes::default().u32s(&[150, 17]).put(&[0xfd; 32]).u32s(&[777, 4789, 0, 9]).0.clone();
    let router = Bytes::default().u32(1).put(&[10, 0, 0, 7]).u32s(&[24, 16]).0.clone();
    let gateway = Bytes::default().u32(1).put(&[10, 0, 0, 8]).u32s(&[1, 2, 3, 1, 2, 1, 4, 1, 5, 6]).0.clone();
    let nat = Bytes::default().u32(1).put(&[10, 0, 0, 5]).u32(1).put(&[10, 0, 0, 6]).0.clone();
    let others = [
        (2, &frame[..]),
        (3, &packet),
        (4, &packet6),
        (1001, &words(&[200, 0, 300, 0])),
        (1002, &router),
        (1003, &gateway),
        (1007, &nat),
        (1020, &words(&[4000, 4001])),
    ];
    let alone = collect(&["vxlan"], &flow_sample(1, 2, &[(1, &header)]));
    assert_eq!(alone.line("SrcAddr DstAddr Proto Bytes SrcPort"), "192.0.2.1 198.51.100.2 6 60 8080");
    assert_eq!(alone.line("InIf OutIf SamplingRate"), "1 2 512");
    for other in others {
        for records in [[(1, &header[..]), other], [other, (1, &header)]] {
            assert_eq!(collect(&["vxlan"], &flow_sample(1, 2, &records)), alone, "{}", other.0);
        }
    }
    let all: Vec<_> = others.into_iter().chain([(1, &header[..])]).collect();
    assert_eq!(collect(&["vxlan"], &flow_sample(1, 2, &all)), alone);
    // Where no tunnel is opened, they count.
    for names in [&[][..], &["gre", "ipip"]] {
        let flow = collect(names, &flow_sample(1, 2, &all));
        assert_eq!(
            flow.line("SrcAddr Proto Bytes SrcVlan DstVlan SrcAS NextHop SrcNetMask SrcPortNAT"),
            "10.0.0.1 17 150 200 300 2 10.0.0.7 24 4000"
        );
    }
}

#[test]
fn other_fields_tell_of_the_packet_outside() {
    let frame = [MACS, &[8, 0], &vxlan(4789, 8, &[&FRAME, IPV4_TCP].concat())].concat();
    let fields = [
        (8, 4),
        (12, 4),
        (4, 1),
        (1, 1),
        (2, 1),
        (10, 1),
        (58, 1),
        (16, 1),
        (315, frame.len() as u16),
        (34, 1),
    ];
    let record = [&[10, 0, 0, 1, 10, 0, 0, 2, 17, 150, 3, 4, 100, 9][..], &frame, &[5]].concat();
    let template = messages::template(300, &fields);
    let payload = messages::ipfix(&[(2, &template), (300, &record)]);
    let columns = "SrcAddr Proto Bytes Packets InIf SrcVlan SrcAS SamplingRate SrcPort";
    assert_eq!(collect(&["vxlan"], &payload).line(columns), "192.0.2.1 6 60 1 4 7 - 5 8080");
    assert_eq!(collect(&[], &payload).line(columns), "10.0.0.1 17 150 3 4 100 9 5 777");
}

/// Frames in pseudowires are read without being asked for: labels are no packet of their own.
#[test]
fn pseudowires_with_a_control_word() {
    let columns = "SrcAddr DstAddr SrcPort Proto Bytes EType MPLSLabels";
    let sample = |control: &[u8], frame: &[u8]| {
        let labels = [&[0x49, 0x3e, 0xc0, 62, 0, 1, 0x11, 62][..], control, frame].concat();
        collect(&[], &flow_sample(1, 2, &[(1, &ethernet(&[0x8100, 100, 0x8847], &labels))]))
    };
    let frame = [&FRAME, IPV4_TCP].concat();
    // Without a sequence number and with one.
    for control in [[0, 0, 0, 0], [0, 0, 0, 5]] {
        let flow = sample(&control, &frame);
        assert_eq!(flow.line(columns), "192.0.2.1 198.51.100.2 8080 6 60 2048 300012,17");
        assert_eq!(flow.line(LINK), "2199023255554 2199023255553 100 100", "of the frame with the labels");
    }
    // No control word; no IP in the frame; a version that is not that of the frame; cut off.
    let arp = [&FRAME[..12], &[8, 6], &[0; 28]].concat();
    let other = [&FRAME[..12], &[0x86, 0xdd], IPV4_TCP].concat();
    for (control, frame) in
        [(&[0x10, 0, 0, 0][..], &frame), (&[0; 4], &arp), (&[0; 4], &other), (&[0; 4], &frame[..18].to_vec())]
    {
        assert_eq!(sample(control, frame).line("SrcAddr EType MPLSLabels"), "- - 300012,17");
    }
}

/// A frame in a pseudowire has a VLAN of its own; that of the frame outside comes first.
#[test]
fn the_vlan_of_a_pseudowire_counts_if_there_is_no_other() {
    let inside = |tag: &[u8], control: u8| {
        let frame = [&FRAME[..12], tag, &[8, 0], IPV4_TCP].concat();
        [&[0, 1, 0x11, 62, control, 0, 0, 0][..], &frame].concat()
    };
    let sample = |kinds: &[u16], labels: &[u8]| {
        collect(&[], &flow_sample(1, 2, &[(1, &ethernet(kinds, labels))])).line("SrcVlan DstVlan SrcAddr")
    };
    let tagged = inside(&[0x81, 0, 0, 7], 0);
    assert_eq!(sample(&[0x8847], &tagged), "7 7 192.0.2.1");
    assert_eq!(sample(&[0x8100, 100, 0x8847], &tagged), "100 100 192.0.2.1");
    assert_eq!(sample(&[0x8847], &inside(&[], 0)), "- - 192.0.2.1");
    assert_eq!(sample(&[0x8847], &inside(&[0x81, 0, 0, 7], 0x10)), "- - -", "no control word");
}

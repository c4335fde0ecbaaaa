//! NetFlow 9 and IPFIX: what the fields of a record mean.

use crate::flows::messages::{ADDRESSES, V4, collect, ipfix, record};
use crate::flows::traffic::Bytes;

#[test]
fn numbers_have_any_length() {
    for len in 1..=8_u16 {
        let mut value = vec![0; usize::from(len)];
        *value.last_mut().unwrap() = 7;
        value[0] |= 1;
        let expected = value.iter().fold(0, |n: u64, &byte| n << 8 | u64::from(byte));
        let flow = record(&[(1, len), (2, len)], &[&value[..], &value].concat());
        assert_eq!(flow.line("Bytes Packets"), format!("{expected} {expected}"));
        let flow = record(&[(7, len), (1, 1)], &[&value[..], &[9]].concat());
        assert_eq!(flow.line("SrcPort Bytes"), format!("{} 9", expected as u32));
    }
    // Too long, or of no length at all: no number, and what follows is where it is.
    assert_eq!(record(&[(1, 9), (2, 1)], &[1, 1, 1, 1, 1, 1, 1, 1, 1, 5]).line("Bytes Packets"), "- 5");
    assert_eq!(record(&[(1, 0), (2, 1)], &[5]).line("Bytes Packets"), "- 5");
    assert_eq!(
        record(&[(8, 5), (56, 4), (2, 1)], &[1, 1, 1, 1, 1, 2, 2, 2, 2, 5]).line("SrcAddr SrcMAC Packets"),
        "- - 5"
    );
}

#[test]
fn columns_have_elements() {
    let numbers: [(u16, &str); 25] = [
        (4, "Proto"),
        (5, "TOS"),
        (6, "TCPFlags"),
        (7, "SrcPort"),
        (9, "SrcNetMask"),
        (10, "InIf"),
        (11, "DstPort"),
        (13, "DstNetMask"),
        (14, "OutIf"),
        (16, "SrcAS"),
        (17, "DstAS"),
        (29, "SrcNetMask"),
        (30, "DstNetMask"),
        (31, "IPv6FlowLabel"),
        (54, "FragmentID"),
        (58, "SrcVlan"),
        (59, "DstVlan"),
        (88, "FragmentOffset"),
        (89, "ForwardingStatus"),
        (176, "ICMPType"),
        (179, "ICMPCode"),
        (192, "TTL"),
        (227, "SrcPortNAT"),
        (228, "DstPortNAT"),
        (256, "EType"),
    ];
    for (element, column) in numbers {
        assert_eq!(record(&[(element, 2)], &[0x12, 0x34]).get(column), "4660", "{element}");
    }
    for (element, column) in [
        (8, "SrcAddr"),
        (12, "DstAddr"),
        (15, "NextHop"),
        (18, "NextHop"),
        (225, "SrcAddrNAT"),
        (226, "DstAddrNAT"),
    ] {
        assert_eq!(record(&[(element, 4)], &[192, 0, 2, 77]).get(column), "192.0.2.77", "{element}");
    }
    for (element, column) in [
        (27, "SrcAddr"),
        (28, "DstAddr"),
        (62, "NextHop"),
        (63, "NextHop"),
        (281, "SrcAddrNAT"),
        (282, "DstAddrNAT"),
    ] {
        let mut address = [0; 16];
        (address[0], address[15]) = (0xfd, 1);
        assert_eq!(record(&[(element, 16)], &address).get(column), "fd00::1", "{element}");
    }
    for (element, column) in [(56, "SrcMAC"), (80, "DstMAC"), (57, "DstMAC"), (81, "SrcMAC")] {
        assert_eq!(record(&[(element, 6)], &[0, 0, 0, 0, 1, 2]).get(column), "258", "{element}");
    }
    assert_eq!(record(&[(32, 2)], &[8, 1]).line("ICMPType ICMPCode"), "8 1");
    assert_eq!(record(&[(139, 2)], &[128, 2]).line("ICMPType ICMPCode"), "128 2");
    assert_eq!(
        record(&[(70, 3), (71, 3), (72, 3)], &[0, 1, 1, 0, 2, 0x11, 0, 0, 0]).get("MPLSLabels"),
        "16,33"
    );
    assert_eq!(record(&[(34, 4), (1, 1)], &[0, 0, 0, 50, 1]).get("SamplingRate"), "50");
}

#[test]
fn the_version_of_ip_follows_from_the_addresses() {
    assert_eq!(record(&ADDRESSES, &V4).line("EType SrcAddr"), "2048 192.0.2.1");
    assert_eq!(record(&[(27, 16)], &[0xfd; 16]).get("EType"), "34525");
    assert_eq!(record(&[(60, 1), (1, 1)], &[6, 1]).get("EType"), "34525");
    // What the exporter says of the frame counts if there is nothing else.
    assert_eq!(record(&[(256, 2), (1, 1)], &[0x81, 0, 1]).get("EType"), "33024");
    assert_eq!(record(&[(60, 1), (256, 2)], &[4, 0x81, 0]).get("EType"), "2048");
    let garbage = [&[0xab, 0xcd][..], &V4].concat();
    assert_eq!(record(&[(256, 2), (8, 4), (12, 4)], &garbage).line("EType SrcAddr"), "2048 192.0.2.1");
    assert_eq!(record(&[(60, 1), (8, 4)], &[6, 1, 2, 3, 4]).line("EType SrcAddr"), "2048 1.2.3.4");
    // One template for both, and one of them zero.
    let both = [(8, 4), (27, 16), (12, 4), (28, 16)];
    let v4 = [&V4[..4], &[0; 16], &V4[4..], &[0; 16]].concat();
    assert_eq!(record(&both, &v4).line("EType SrcAddr DstAddr"), "2048 192.0.2.1 198.51.100.2");
    let v6 = [&[0; 4][..], &[0xfd; 16], &[0; 4], &[0xfd; 16]].concat();
    assert_eq!(record(&both, &v6).line("EType SrcAddr"), "34525 fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd");
    // A zero is an address where there is no other.
    assert_eq!(record(&ADDRESSES, &[0; 8]).line("EType SrcAddr DstAddr"), "2048 0.0.0.0 0.0.0.0");
    assert_eq!(record(&[(15, 4), (8, 4)], &[0, 0, 0, 0, 1, 2, 3, 4]).line("NextHop SrcAddr"), "- 1.2.3.4");
    // A next hop may be of the other version.
    let hop = [&V4[..4], &[0xfd; 16]].concat();
    assert_eq!(record(&[(8, 4), (62, 16)], &hop).line("EType SrcAddr"), "2048 192.0.2.1");
    let hop = [&[0xfd; 16], &V4[..4]].concat();
    assert_eq!(record(&[(27, 16), (18, 4)], &hop).line("EType NextHop"), "34525 192.0.2.1");
}

#[test]
fn differentiated_services_are_the_upper_bits_of_the_tos() {
    assert_eq!(record(&[(195, 1), (1, 1)], &[46, 1]).get("TOS"), "184");
    assert_eq!(record(&[(195, 1), (5, 1)], &[46, 7]).get("TOS"), "7");
}

#[test]
fn fields_without_bytes_say_nothing() {
    let flow = record(&[(2, 0), (1, 4), (7, 0), (11, 2)], &[0, 0, 0, 9, 0, 80]);
    assert_eq!(flow.line("Bytes Packets SrcPort DstPort"), "9 - - 80");
}

#[test]
fn second_choices_count_if_there_is_no_first() {
    assert_eq!(record(&[(252, 4), (10, 4)], &[0, 0, 0, 1, 0, 0, 0, 2]).get("InIf"), "2");
    assert_eq!(record(&[(252, 4), (10, 4)], &[0, 0, 0, 1, 0, 0, 0, 0]).get("InIf"), "1");
    assert_eq!(record(&[(85, 4), (1, 4)], &[0, 0, 0, 1, 0, 0, 0, 2]).get("Bytes"), "2");
    assert_eq!(record(&[(85, 4), (86, 4)], &[0, 0, 0, 1, 0, 0, 0, 2]).line("Bytes Packets"), "1 2");
    assert_eq!(record(&[(18, 4), (15, 4)], &[9, 9, 9, 9, 8, 8, 8, 8]).get("NextHop"), "8.8.8.8");
    // A fallback before the first choice, with a value and without.
    for (fallback, first, column) in
        [(52, 192, "TTL"), (180, 7, "SrcPort"), (182, 7, "SrcPort"), (183, 11, "DstPort")]
    {
        for value in [0, 9] {
            let fields = [(fallback, 1), (first, 1)];
            assert_eq!(record(&fields, &[value, 80]).get(column), "80", "{fallback}");
        }
        assert_eq!(record(&[(fallback, 1), (first, 1)], &[9, 0]).get(column), "9");
    }
}

#[test]
fn elements_of_one_column_stand_in_for_each_other() {
    // One template for both versions: those of ICMP are zero for ICMPv6, and the other way round.
    let columns = "ICMPType ICMPCode";
    let fields = [(176, 1), (177, 1), (178, 1), (179, 1), (1, 1)];
    assert_eq!(record(&fields, &[0, 0, 128, 1, 9]).line(columns), "128 1");
    assert_eq!(record(&fields, &[8, 1, 0, 0, 9]).line(columns), "8 1");
    assert_eq!(record(&[(32, 2), (139, 2)], &[0, 0, 128, 1]).line(columns), "128 1");
    assert_eq!(record(&[(139, 2), (32, 2)], &[0, 0, 8, 1]).line(columns), "8 1");
    // An element that comes twice says nothing more.
    assert_eq!(record(&[(7, 2), (7, 2)], &[0, 80, 0, 81]).get("SrcPort"), "80");
}

#[test]
fn bytes_are_those_of_packets_not_of_frames() {
    assert_eq!(record(&[(352, 4), (2, 1)], &[0, 0, 1, 0, 3]).line("Bytes Packets"), "- 3");
    assert_eq!(record(&[(352, 4), (1, 4)], &[0, 0, 1, 0, 0, 0, 0, 200]).get("Bytes"), "200");
}

#[test]
fn exception_codes_of_juniper_are_a_forwarding_status() {
    let status = |fields: &[(u16, u16)], record: &[u8]| {
        let mut template = Bytes::default();
        template.u16s(&[300, fields.len() as u16 + 1]);
        for &(element, len) in fields {
            template.u16s(&[0x8000 | element, len]).u32(2636);
        }
        template.u16s(&[1, 1]);
        let collected = collect(&[ipfix(&[(2, &template.0), (300, &[record, &[9]].concat())])]);
        let flows = collected.flows();
        assert_eq!((flows.len(), collected.collector.statistics.faults), (1, 0));
        flows[0].line("ForwardingStatus Bytes")
    };
    let code = |kind: u16, code: u16| (kind << 10 | code).to_be_bytes();
    assert_eq!(status(&[(137, 2)], &code(2, 0)), "64 9");
    assert_eq!(status(&[(137, 2)], &code(2, 1)), "128 9");
    assert_eq!(status(&[(137, 2)], &code(2, 0x3ff)), "128 9");
    // Other properties, which have other kinds or lengths, and other elements.
    assert_eq!(status(&[(137, 2)], &code(3, 1)), "- 9");
    assert_eq!(status(&[(137, 4)], &[8, 1, 0, 0]), "- 9");
    assert_eq!(status(&[(136, 2)], &code(2, 1)), "- 9");
    let several = [&[4, 0, 0, 1][..], &code(2, 7), &[12, 0, 0, 0]].concat();
    assert_eq!(status(&[(137, 4), (137, 2), (137, 4)], &several), "128 9");
}

#[test]
fn vlans_of_fields_count_before_those_of_the_frame() {
    let frame = [&[2; 12][..], &[0x88, 0xa8, 0, 9, 0x81, 0, 0, 7, 8, 6]].concat();
    let len = frame.len() as u16;
    assert_eq!(record(&[(315, len), (58, 2)], &[&frame[..], &[0, 5]].concat()).get("SrcVlan"), "5");
    assert_eq!(
        record(&[(315, len), (59, 2)], &[&frame[..], &[0, 5]].concat()).line("SrcVlan DstVlan"),
        "9 5"
    );
    assert_eq!(record(&[(315, len), (243, 2)], &[&frame[..], &[0, 6]].concat()).get("SrcVlan"), "6");
    assert_eq!(
        record(&[(315, len), (58, 2)], &[&frame[..], &[0, 0]].concat()).get("SrcVlan"),
        "9",
        "the outer one"
    );
}

#[test]
fn sections_of_packets_are_read() {
    let packet = [
        0x45, 0, 0, 60, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 198, 51, 100, 2, 0, 53, 0x30, 0x39, 0, 0, 0,
        0,
    ];
    let frame = [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0, 0, 9, 8, 0][..], &packet].concat();
    let columns = "SrcAddr SrcPort EType Packets Bytes SrcVlan DstVlan";
    let flow = record(&[(312, 2), (315, frame.len() as u16)], &[&[2, 0][..], &frame].concat());
    assert_eq!(flow.line(columns), "192.0.2.1 53 2048 1 60 9 9");
    // Of a frame that is no IP, or was cut off before its length, and of a frame alone: without its header.
    let arp = [&frame[..16], &[8, 6, 0, 1, 8, 0]].concat();
    let flow = record(&[(315, arp.len() as u16), (312, 2)], &[&arp[..], &[0, 64]].concat());
    assert_eq!(flow.line("EType Bytes Packets"), "2054 46 1");
    assert_eq!(record(&[(312, 2)], &[0, 64]).line("Bytes Packets"), "50 -");
    // The counter of the flow comes first.
    let flow = record(&[(315, frame.len() as u16), (312, 2), (1, 1)], &[&frame[..], &[2, 0, 99]].concat());
    assert_eq!(flow.line(columns), "192.0.2.1 53 2048 1 99 9 9");
    // Of variable length, long and short.
    let short = [&[2, 0, frame.len() as u8][..], &frame].concat();
    let long = [&[2, 0, 255, 0, frame.len() as u8][..], &frame].concat();
    for section in [short, long] {
        assert_eq!(record(&[(312, 2), (315, 65535)], &section).line(columns), "192.0.2.1 53 2048 1 60 9 9");
    }
    assert_eq!(
        record(&[(313, 28), (1, 1)], &[&packet[..], &[77]].concat()).line(columns),
        "192.0.2.1 53 2048 1 77 - -"
    );
}

#[test]
fn icmp_without_elements_is_in_the_destination_port() {
    let columns = "Proto DstPort ICMPType ICMPCode";
    for protocol in [1, 58] {
        let line = record(&[(11, 2), (4, 1)], &[3, 4, protocol]).line(columns);
        assert_eq!(line, format!("{protocol} 772 3 4"));
        let line = record(&[(11, 2), (4, 1), (176, 1), (177, 1)], &[3, 4, protocol, 8, 0]).line(columns);
        assert_eq!(line, format!("{protocol} 772 8 -"));
        let line = record(&[(4, 1), (32, 2), (11, 2)], &[protocol, 5, 6, 3, 4]).line(columns);
        assert_eq!(line, format!("{protocol} 772 5 6"));
    }
    assert_eq!(record(&[(11, 2), (4, 1)], &[3, 4, 17]).line(columns), "17 772 - -");
    // With a port of the source, ports are something else, as an identifier; wherever in the record it is.
    assert_eq!(record(&[(7, 2), (11, 2), (4, 1)], &[0, 9, 3, 4, 1]).line(columns), "1 772 - -");
    assert_eq!(record(&[(11, 2), (4, 1), (7, 2)], &[3, 4, 1, 0, 9]).line(columns), "1 772 - -");
    assert_eq!(record(&[(7, 2), (11, 2), (4, 1)], &[0, 0, 3, 4, 1]).line(columns), "1 772 3 4");
}

/// Some exporters fill the elements of ICMP whatever the protocol is.
#[test]
fn flows_of_other_protocols_have_no_icmp() {
    let columns = "Proto ICMPType ICMPCode";
    for (protocol, found) in [(1, "1 8 3"), (58, "58 8 3"), (6, "6 - -"), (17, "17 - -"), (0, "- 8 3")] {
        // The protocol before the elements, and after them.
        assert_eq!(record(&[(4, 1), (32, 2)], &[protocol, 8, 3]).line(columns), found);
        assert_eq!(record(&[(139, 2), (4, 1)], &[8, 3, protocol]).line(columns), found);
        assert_eq!(record(&[(176, 1), (4, 1), (177, 1)], &[8, protocol, 3]).line(columns), found);
        assert_eq!(record(&[(178, 1), (179, 1), (4, 1)], &[8, 3, protocol]).line(columns), found);
    }
}

#[test]
fn directions_are_an_enum() {
    for (value, expected) in [(0, "1"), (1, "2"), (2, ""), (255, "")] {
        assert_eq!(record(&[(61, 1), (1, 1)], &[value, 9]).get("FlowDirection"), expected);
    }
}

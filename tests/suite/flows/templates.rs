//! NetFlow 9 and IPFIX: templates, options, and what exporters make of them.

use crate::common::proportion::assert_within;
use crate::flows::collect::Fault;
use crate::flows::support::{Collected, Flow};
use crate::flows::traffic::Bytes;

/// A message of IPFIX of an observation domain.
fn ipfix_of(domain: u32, sets: &[(u16, &[u8])]) -> Vec<u8> {
    let body: Vec<u8> = sets.iter().flat_map(|(id, body)| set(*id, body)).collect();
    let mut out = Bytes::default();
    out.u16s(&[10, 16 + body.len() as u16]).u32s(&[1, 2, domain]).put(&body).0.clone()
}

fn ipfix(sets: &[(u16, &[u8])]) -> Vec<u8> {
    ipfix_of(1, sets)
}

fn netflow9(sets: &[(u16, &[u8])]) -> Vec<u8> {
    let body: Vec<u8> = sets.iter().flat_map(|(id, body)| set(*id, body)).collect();
    Bytes::default().u16s(&[9, sets.len() as u16]).u32s(&[1, 2, 3, 4]).put(&body).0.clone()
}

fn set(id: u16, body: &[u8]) -> Vec<u8> {
    Bytes::default().u16s(&[id, 4 + body.len() as u16]).put(body).0.clone()
}

/// A template record.
fn template(id: u16, fields: &[(u16, u16)]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u16s(&[id, fields.len() as u16]);
    fields.iter().fold(&mut out, |out, &(element, len)| out.u16s(&[element, len]));
    out.0
}

/// The only flow of one record by these fields, by either version.
#[track_caller]
fn record(fields: &[(u16, u16)], record: &[u8]) -> Flow {
    let template = template(300, fields);
    let [netflow, ipfix] =
        [netflow9(&[(0, &template), (300, record)]), ipfix(&[(2, &template), (300, record)])]
            .map(|payload| collect(&[payload]));
    assert_eq!(netflow.flows(), ipfix.flows());
    assert_eq!((ipfix.flows().len(), ipfix.collector.statistics.faults), (1, 0));
    ipfix.flows().remove(0)
}

fn collect(payloads: &[Vec<u8>]) -> Collected {
    let mut collected = Collected::new();
    payloads.iter().for_each(|payload| collected.receive(payload));
    collected
}

const ADDRESSES: [(u16, u16); 2] = [(8, 4), (12, 4)];
const V4: [u8; 8] = [192, 0, 2, 1, 198, 51, 100, 2];

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
fn a_template_that_is_refused_is_not_the_one_before() {
    let (before, refused) = (template(300, &[(1, 4)]), template(300, &[(2, 0)]));
    let collected = collect(&[ipfix(&[(2, &before), (2, &refused), (300, &[0, 0, 0, 9])])]);
    assert_eq!((collected.flows().len(), collected.collector.statistics.faults), (0, 1));
}

#[test]
fn second_choices_count_if_there_is_no_first() {
    assert_eq!(record(&[(252, 4), (10, 4)], &[0, 0, 0, 1, 0, 0, 0, 2]).get("InIf"), "2");
    assert_eq!(record(&[(252, 4), (10, 4)], &[0, 0, 0, 1, 0, 0, 0, 0]).get("InIf"), "1");
    assert_eq!(record(&[(85, 4), (1, 4)], &[0, 0, 0, 1, 0, 0, 0, 2]).get("Bytes"), "2");
    assert_eq!(record(&[(85, 4), (86, 4)], &[0, 0, 0, 1, 0, 0, 0, 2]).line("Bytes Packets"), "1 2");
    assert_eq!(record(&[(18, 4), (15, 4)], &[9, 9, 9, 9, 8, 8, 8, 8]).get("NextHop"), "8.8.8.8");
}

#[test]
fn sections_of_packets_are_read() {
    let packet = [
        0x45, 0, 0, 60, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 198, 51, 100, 2, 0, 53, 0x30, 0x39, 0, 0, 0,
        0,
    ];
    let frame = [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0, 0, 9, 8, 0][..], &packet].concat();
    let columns = "SrcAddr SrcPort EType Packets Bytes SrcVlan";
    let flow = record(&[(312, 2), (315, frame.len() as u16)], &[&[2, 0][..], &frame].concat());
    assert_eq!(flow.line(columns), "192.0.2.1 53 2048 1 60 9");
    // Of a frame that is no IP, or was cut off before its length, and of a frame alone: without its header.
    let arp = [&frame[..16], &[8, 6, 0, 1, 8, 0]].concat();
    let flow = record(&[(315, arp.len() as u16), (312, 2)], &[&arp[..], &[0, 64]].concat());
    assert_eq!(flow.line("EType Bytes Packets"), "2054 46 1");
    assert_eq!(record(&[(312, 2)], &[0, 64]).line("Bytes Packets"), "50 -");
    // The counter of the flow comes first.
    let flow = record(&[(315, frame.len() as u16), (312, 2), (1, 1)], &[&frame[..], &[2, 0, 99]].concat());
    assert_eq!(flow.line(columns), "192.0.2.1 53 2048 1 99 9");
    // Of variable length, long and short.
    let short = [&[2, 0, frame.len() as u8][..], &frame].concat();
    let long = [&[2, 0, 255, 0, frame.len() as u8][..], &frame].concat();
    for section in [short, long] {
        assert_eq!(record(&[(312, 2), (315, 65535)], &section).line(columns), "192.0.2.1 53 2048 1 60 9");
    }
    assert_eq!(
        record(&[(313, 28), (1, 1)], &[&packet[..], &[77]].concat()).line(columns),
        "192.0.2.1 53 2048 1 77 -"
    );
}

#[test]
fn fields_of_enterprises_and_of_variable_length_are_passed_over() {
    let mut template = Bytes::default();
    template.u16s(&[300, 5]).u16s(&[8, 4, 0x8000 | 8, 4]).u32(9).u16s(&[0x8000 | 12, 65535]).u32(9);
    template.u16s(&[82, 65535, 12, 4]);
    let mut records = Bytes::default();
    records.put(&V4[..4]).put(&[9; 4]).put(b"\x03abc").put(b"\x05xe-00").put(&V4[4..]);
    let long = vec![b'x'; 300];
    records.put(&V4[..4]).put(&[9; 4]).put(b"\x00").u8(255).u16(300).put(&long).put(&V4[4..]);
    records.put(&[0, 0]);
    let collected = collect(&[ipfix(&[(2, &template.0), (300, &records.0)])]);
    let lines: Vec<String> = collected.flows().iter().map(|flow| flow.line("SrcAddr DstAddr")).collect();
    assert_eq!(lines, ["192.0.2.1 198.51.100.2"; 2]);
    assert_eq!(collected.collector.statistics.faults, 0);
}

#[test]
fn sets_wait_for_their_template() {
    let (fields, data) = (template(300, &ADDRESSES), ipfix(&[(300, &V4)]));
    let mut collected = collect(&[data.clone(), data.clone(), ipfix(&[(301, &V4)])]);
    assert_eq!((collected.flows().len(), collected.collector.without_template()), (0, 3));
    collected.receive(&ipfix_of(2, &[(2, &fields)]));
    assert_eq!(collected.flows().len(), 0, "the template of another domain");
    collected.receive(&netflow9(&[(0, &fields)]));
    assert_eq!(collected.flows().len(), 0, "and of another version");
    collected.receive(&ipfix(&[(2, &fields)]));
    assert_eq!((collected.flows().len(), collected.collector.without_template()), (2, 1));
    collected.receive(&data);
    assert_eq!(collected.flows().len(), 3);
    // The oldest are given up, and counted.
    (0..5000).for_each(|_| collected.receive(&ipfix(&[(302, &[0; 1000])])));
    assert_eq!((collected.flows().len(), collected.collector.without_template()), (3, 5001));
    collected.receive(&ipfix(&[(2, &template(302, &[(1, 1000)]))]));
    let flows = collected.flows().len();
    assert!((100..=1024).contains(&(flows - 3)), "{flows}");
}

#[test]
fn templates_are_replaced_and_withdrawn() {
    let mut collected = collect(&[ipfix(&[(2, &template(300, &[(8, 4), (12, 4)])), (300, &V4)])]);
    collected.receive(&ipfix(&[(2, &template(300, &[(12, 4), (8, 4)])), (300, &V4)]));
    let lines: Vec<String> = collected.flows().iter().map(|flow| flow.get("SrcAddr")).collect();
    assert_eq!(lines, ["192.0.2.1", "198.51.100.2"]);
    collected.receive(&ipfix(&[(2, &[1, 44, 0, 0]), (300, &V4)]));
    assert_eq!((collected.flows().len(), collected.collector.without_template()), (2, 1));
    // All of a domain: templates, but not options templates.
    let both = ipfix(&[(2, &template(300, &ADDRESSES)), (3, &[1, 45, 0, 1, 0, 1, 0, 34, 0, 4])]);
    let mut collected = collect(&[both, ipfix(&[(2, &[0, 2, 0, 0]), (300, &V4), (301, &[0, 0, 0, 9])])]);
    assert_eq!((collected.flows().len(), collected.collector.statistics.options), (0, 1));
    collected.receive(&ipfix(&[(3, &[0, 3, 0, 0]), (301, &[0, 0, 0, 9])]));
    assert_eq!((collected.collector.statistics.options, collected.collector.without_template()), (1, 2));
    assert_eq!(collected.collector.statistics.faults, 0);
}

#[test]
fn paddings_are_no_records() {
    let fields = template(300, &ADDRESSES);
    for padding in 0..8 {
        let body = [&V4[..], &vec![0; padding]].concat();
        let collected =
            collect(&[ipfix(&[(2, &fields), (300, &body)]), netflow9(&[(0, &fields), (300, &body)])]);
        assert_eq!((collected.flows().len(), collected.collector.statistics.faults), (2, 0));
        let padded = [&fields[..], &vec![0; padding]].concat();
        let collected = collect(&[ipfix(&[(2, &padded), (300, &V4)]), netflow9(&[(0, &padded), (300, &V4)])]);
        assert_eq!((collected.flows().len(), collected.collector.statistics.faults), (2, 0));
    }
}

/// An options template of IPFIX: scopes, and other fields.
fn options(id: u16, scopes: &[(u16, u16)], fields: &[(u16, u16)]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u16s(&[id, (scopes.len() + fields.len()) as u16, scopes.len() as u16]);
    scopes.iter().chain(fields).fold(&mut out, |out, &(element, len)| out.u16s(&[element, len]));
    out.0
}

#[test]
fn sampling_rates_come_from_options() {
    let data = template(300, &[(8, 4), (12, 4), (302, 4)]);
    let flow = |selector: u8| [&V4[..], &[0, 0, 0, selector]].concat();
    let rate = |collected: &Collected| collected.flows().last().unwrap().get("SamplingRate");
    // IPFIX, by selector: so many of so many; the selector is the scope.
    let by_selector = options(301, &[(302, 4)], &[(304, 2), (305, 4), (306, 4)]);
    let mut first = Bytes::default();
    first.u32(1).u16(1).u32s(&[1, 99]).u32(2).u16(1).u32s(&[2, 1998]);
    let mut collected = collect(&[ipfix(&[(3, &by_selector), (301, &first.0), (2, &data), (300, &flow(1))])]);
    assert_eq!(rate(&collected), "100");
    collected.receive(&ipfix(&[(300, &flow(2))]));
    assert_eq!(rate(&collected), "1000");
    collected.receive(&ipfix(&[(300, &flow(3))]));
    assert_eq!(rate(&collected), "1", "nothing is known of this one");
    // Of another domain.
    collected.receive(&ipfix_of(2, &[(2, &data), (300, &flow(1))]));
    assert_eq!(rate(&collected), "1");
    // The whole exporter; a later rate counts from there on.
    let system = options(302, &[(144, 4)], &[(34, 4), (35, 1)]);
    let rates = |rate: u8| [0, 0, 0, 7, 0, 0, 0, rate, 2];
    collected.receive(&ipfix(&[(3, &system), (302, &rates(50)), (300, &flow(3))]));
    assert_eq!(rate(&collected), "50");
    collected.receive(&ipfix(&[(302, &rates(60)), (300, &flow(3)), (300, &flow(1))]));
    assert_eq!(
        collected.flows().iter().rev().take(2).map(|f| f.get("SamplingRate")).collect::<Vec<_>>(),
        ["100", "60"]
    );
    assert_eq!(collected.collector.statistics.faults, 0);
}

#[test]
fn sampling_rates_of_netflow_9() {
    // Scope: the system, whose number is that of octets elsewhere. Then the sampler and its interval.
    let mut options = Bytes::default();
    options.u16s(&[257, 4, 8, 1, 4, 48, 1, 50, 4]).put(&[0; 2]);
    let mut rates = Bytes::default();
    rates.put(&[10, 0, 0, 1]).u8(1).u32(512).put(&[10, 0, 0, 1]).u8(2).u32(1024).put(&[0, 0]);
    let by_sampler = template(300, &[(8, 4), (12, 4), (48, 1)]);
    let plain = template(301, &ADDRESSES);
    let flow = |sampler: u8| [&V4[..], &[sampler]].concat();
    let collected = collect(&[netflow9(&[
        (1, &options.0),
        (257, &rates.0),
        (0, &by_sampler),
        (0, &plain),
        (300, &flow(1)),
        (300, &flow(2)),
        (301, &V4),
    ])]);
    let rates: Vec<String> = collected.flows().iter().map(|flow| flow.get("SamplingRate")).collect();
    assert_eq!(rates, ["512", "1024", "1"], "of two samplers, none is that of a flow which names none");
    assert_eq!((collected.collector.statistics.options, collected.collector.statistics.faults), (2, 0));
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

#[test]
fn what_is_wrong_is_counted_and_the_rest_used() {
    let fields = template(300, &ADDRESSES);
    let good = ipfix(&[(2, &fields), (300, &V4)]);
    // The last set is longer than the message; the length of the message is that of more than came.
    let mut long_set = good.clone();
    let at = long_set.len() - 9;
    long_set[at] = 200;
    let mut cut = good.clone();
    cut[3] += 40;
    for (payload, flows, fault) in [(&long_set, 0, Some(Fault::Truncated)), (&cut, 1, None)] {
        let collected = collect(std::slice::from_ref(payload));
        assert_eq!((collected.flows().len(), collected.collector.statistics.first_fault), (flows, fault));
    }
    // Records without length would never end; sets that are shorter than their header; ids that are reserved.
    let empty = ipfix(&[(2, &template(300, &[(1, 0)])), (300, &V4)]);
    let mut short_set = good.clone();
    (short_set[18], short_set[19]) = (0, 3);
    let reserved = ipfix(&[(2, &template(200, &ADDRESSES)), (4, &V4), (255, &V4)]);
    for payload in [empty, short_set, reserved] {
        let collected = collect(&[payload]);
        assert_eq!(
            (collected.flows().len(), collected.collector.statistics.first_fault),
            (0, Some(Fault::Malformed))
        );
    }
    // A message whose header says that it is shorter than its header.
    let collected = collect(&[vec![0, 10, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]);
    assert_eq!(collected.collector.statistics.first_fault, Some(Fault::Malformed));
}

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
}

#[test]
fn directions_are_an_enum() {
    for (value, expected) in [(0, "1"), (1, "2"), (2, ""), (255, "")] {
        assert_eq!(record(&[(61, 1), (1, 1)], &[value, 9]).get("FlowDirection"), expected);
    }
}

#[test]
fn templates_of_many_fields_take_time_in_proportion() {
    let learn = |fields: usize, times: usize| {
        let template = template(300, &vec![(8, 4); fields]);
        let payloads = vec![ipfix(&[(2, &template)]); times];
        assert_eq!(collect(&payloads).collector.statistics.templates, times as u64);
    };
    assert_within(4, || learn(1000, 16), || learn(16_000, 1));
}

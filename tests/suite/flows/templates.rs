//! NetFlow 9 and IPFIX: templates, options, and what exporters make of them.

use crate::common::proportion::assert_within;
use crate::flows::collect::Fault;
use crate::flows::messages::{ADDRESSES, V4, collect, ipfix, ipfix_of, netflow9, options, template};
use crate::flows::support::Collected;
use crate::flows::traffic::Bytes;

#[test]
fn a_template_that_is_refused_is_not_the_one_before() {
    let (before, refused) = (template(300, &[(1, 4)]), template(300, &[(2, 0)]));
    let collected = collect(&[ipfix(&[(2, &before), (2, &refused), (300, &[0, 0, 0, 9])])]);
    assert_eq!((collected.flows().len(), collected.collector.statistics.faults), (0, 1));
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

/// Cisco's IOS XE tells of its samplers in one domain, and of the flows that they take in another.
#[test]
fn domains_without_flows_lend_their_sampling_rates() {
    let (data, named) = (template(300, &[(8, 4), (12, 4), (302, 4)]), options(301, &[(302, 4)], &[(34, 4)]));
    let tell = |domain: u32, selector: u32, rate: u32| {
        let record = Bytes::default().u32s(&[selector, rate]).0.clone();
        ipfix_of(domain, &[(3, &named), (301, &record)])
    };
    let flow = |selector: u8| ipfix_of(256, &[(2, &data), (300, &[&V4[..], &[0, 0, 0, selector]].concat())]);
    let rate = |payloads: &[Vec<u8>]| {
        let collected = collect(payloads);
        assert_eq!(collected.collector.statistics.faults, 0);
        collected.flows().last().unwrap().get("SamplingRate")
    };
    assert_eq!(rate(&[tell(6, 1, 1000), flow(1)]), "1000");
    assert_eq!(rate(&[flow(1), tell(6, 1, 1000), flow(1)]), "1000");
    assert_eq!(rate(&[tell(6, 1, 1000), tell(6, 1, 50), flow(1)]), "50", "the later one");
    assert_eq!(rate(&[tell(6, 2, 1000), flow(1)]), "1", "of another sampler");
    assert_eq!(rate(&[tell(6, 1, 1000), tell(256, 1, 10), flow(1)]), "10", "its own counts before");
    // Several that lend: only if they agree.
    assert_eq!(rate(&[tell(6, 1, 1000), tell(7, 1, 1000), flow(1)]), "1000");
    assert_eq!(rate(&[tell(6, 1, 1000), tell(7, 1, 10), flow(1)]), "1");
    // A domain that has flows itself tells of its own samplers.
    let other = ipfix_of(7, &[(2, &data), (300, &[&V4[..], &[0; 4]].concat())]);
    assert_eq!(rate(&[tell(7, 1, 1000), other.clone(), flow(1)]), "1");
    assert_eq!(rate(&[other.clone(), tell(7, 1, 1000), flow(1)]), "1");
    assert_eq!(rate(&[tell(6, 1, 1000), tell(7, 1, 10), other, flow(1)]), "1000");
    // A rate that names no sampler counts for all; of other exporters and versions, none.
    let all = options(302, &[(144, 4)], &[(34, 4)]);
    let general = ipfix_of(6, &[(3, &all), (302, &[0, 0, 0, 9, 0, 0, 0, 77])]);
    assert_eq!(rate(&[general.clone(), flow(1)]), "77");
    assert_eq!(rate(&[general.clone(), tell(8, 1, 1000), flow(1)]), "1000");
    let netflow = netflow9(&[(0, &data), (300, &[&V4[..], &[0, 0, 0, 1]].concat())]);
    assert_eq!(rate(&[general, netflow]), "1");
}

#[test]
fn domains_that_lend_have_a_limit() {
    let named = options(301, &[(302, 4)], &[(34, 4)]);
    let mut collected = Collected::new();
    (0..1000).for_each(|domain| {
        collected.receive(&ipfix_of(domain, &[(3, &named), (301, &[0, 0, 0, 1, 0, 0, 0, 9])]));
    });
    let statistics = &collected.collector.statistics;
    assert_eq!((statistics.faults, statistics.first_fault), (1000 - 16, Some(Fault::TooMany)));
    // What they lend is still known, and a domain that has its own rates needs no room.
    let data = template(300, &[(8, 4), (12, 4), (302, 4)]);
    let flow = [&V4[..], &[0, 0, 0, 1]].concat();
    for domain in [999, 2000] {
        collected.receive(&ipfix_of(domain, &[(2, &data), (300, &flow)]));
        assert_eq!(collected.flows().last().unwrap().get("SamplingRate"), "9");
    }
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
fn templates_of_many_fields_take_time_in_proportion() {
    let learn = |fields: usize, times: usize| {
        let template = template(300, &vec![(8, 4); fields]);
        let payloads = vec![ipfix(&[(2, &template)]); times];
        assert_eq!(collect(&payloads).collector.statistics.templates, times as u64);
    };
    assert_within(4, || learn(1000, 16), || learn(16_000, 1));
}

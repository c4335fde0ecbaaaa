//! Captures of real exporters. What is expected was read from them with tshark.

use crate::common::data::Data;
use crate::common::protoc::Protoc;
use crate::flows::support::{Collected, Flow};

/// What is collected from captures in turn.
fn collect(names: &[&str]) -> (Collected, Vec<Flow>) {
    let mut collected = Collected::new();
    for name in names {
        collected.read(&Data::Recorded.read(&format!("flows/{name}.pcap")));
    }
    let flows = collected.flows();
    (collected, flows)
}

fn lines(flows: &[Flow], columns: &str) -> Vec<String> {
    flows.iter().map(|flow| flow.line(columns)).collect()
}

#[test]
#[ignore = "needs recorded data"]
fn every_capture_is_read_to_its_end() {
    let directory = Data::Recorded.path("flows");
    let mut count = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pcap") {
            let mut collected = Collected::new();
            collected.read(&std::fs::read(&path).unwrap());
            let statistics = &collected.collector.statistics;
            assert_eq!((statistics.faults, collected.fragments.left_out()), (0, 0), "{}", path.display());
            assert!(statistics.datagrams > 0, "{}", path.display());
            let flows = collected.flows();
            let understood = statistics.templates + collected.collector.without_template();
            assert!(flows.len() as u64 + understood > 0, "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 11);
}

#[test]
#[ignore = "needs recorded data"]
fn sflow_with_five_samples() {
    let (_, flows) = collect(&["sflow-data-1140"]);
    let columns =
        "ExporterAddress SamplingRate InIf OutIf SrcAddr SrcPort DstAddr DstPort Proto Bytes Packets";
    let first =
        "172.16.0.3 1024 27 28 2a0c:8880:2:0:185:21:130:38 46026 2a0c:8880:2:0:185:21:130:39 22 6 1500 1";
    assert_eq!(
        lines(&flows, columns),
        [
            first,
            "172.16.0.3 1024 49001 25 104.26.8.24 443 45.90.161.46 56876 6 421 1",
            first,
            "172.16.0.3 1024 28 49001 45.90.161.148 55658 191.87.91.27 5555 6 40 1",
            first,
        ]
    );
    let columns = "TimeReceived EType TOS TTL TCPFlags IPv6FlowLabel SrcVlan DstVlan SrcMAC DstMAC";
    assert_eq!(
        flows[0].line(columns),
        "1662715598 34525 8 64 16 426132 100 100 40057391053392 40057381862408"
    );
    assert_eq!(flows[1].line("EType SrcVlan DstVlan TTL TCPFlags FragmentID"), "2048 - 100 59 24 42354");
    let columns = "SrcAS DstAS DstASPath NextHop SrcNetMask DstNetMask";
    assert_eq!(
        lines(&flows, columns),
        [
            "- - - - - -",
            "13335 39421 - 45.90.161.46 20 27",
            "- - - - - -",
            "39421 26615 203698,6762,26615 31.14.69.110 27 17",
            "- - - - - -",
        ]
    );
    assert_eq!(flows[3].get("DstCommunities"), "2583495656,2583495657,4259880000,4259880001,4259900001");
}

#[test]
#[ignore = "needs recorded data"]
fn sflow_of_packets_that_go_nowhere() {
    let columns = "InIf OutIf ForwardingStatus SrcPort Bytes";
    let (_, flows) = collect(&["sflow-data-discard-interface"]);
    // Reason 0: no route.
    assert_eq!(lines(&flows, columns), ["27 - 131 46026 1500"]);
    let (_, flows) = collect(&["sflow-data-local-interface"]);
    assert_eq!(lines(&flows, columns), ["27 - - 46026 1500"]);
}

#[test]
#[ignore = "needs recorded data"]
fn sflow_with_an_expanded_sample() {
    let (_, flows) = collect(&["sflow-data-sflow-expanded-sample"]);
    assert_eq!(
        flows.iter().map(Flow::all).collect::<Vec<_>>(),
        [
            "TimeReceived=1672326228 SamplingRate=1000 ExporterAddress=49.49.49.49 InIf=29001 OutIf=1285816721 \
             SrcAddr=52.52.52.52 DstAddr=53.53.53.53 EType=2048 Proto=6 SrcPort=22 DstPort=52237 Bytes=104 \
             Packets=1 SrcAS=203476 DstAS=203361 NextHop=54.54.54.54 SrcNetMask=32 DstNetMask=22 \
             DstASPath=8218,29605,203361 DstCommunities=538574949,1911619684,1911669584,1911671290 SrcVlan=809 DstVlan=809 \
             SrcMAC=163341146943803 DstMAC=37667388170189 TOS=8 TTL=61 TCPFlags=24 FragmentID=43854"
        ]
    );
}

#[test]
#[ignore = "needs recorded data"]
fn netflow_5() {
    let (_, flows) = collect(&["netflow-nfv5"]);
    let columns = "SrcAddr SrcPort DstAddr DstPort Bytes Packets SrcAS DstAS";
    assert_eq!(lines(&flows, columns), NETFLOW_5);
    let columns = "TimeReceived ExporterAddress SamplingRate InIf OutIf NextHop SrcNetMask DstNetMask Proto TCPFlags EType";
    assert_eq!(flows[0].line(columns), "1680655485 10.19.144.41 1 117 86 61.6.255.150 19 24 6 24 2048");
}

const NETFLOW_5: [&str; 29] = [
    "161.202.212.212 30104 202.152.70.24 11963 133 1 36351 10101",
    "173.194.4.8 443 202.160.21.5 37422 10262 7 15169 -",
    "172.217.31.10 443 61.6.236.37 52290 1246 1 15169 10094",
    "143.244.33.150 443 202.152.86.162 16418 7090 5 60068 10101",
    "157.240.211.63 443 61.6.237.255 43402 1278 1 32934 10094",
    "142.250.207.78 443 61.6.230.148 45914 125 1 15169 10094",
    "104.22.7.159 443 61.6.235.29 15581 2940 2 13335 10094",
    "207.148.102.102 443 119.160.168.40 42462 24333 22 20473 10094",
    "142.250.199.78 443 61.6.225.103 58152 1470 1 15169 10094",
    "117.52.33.37 3724 202.160.34.45 33377 1470 1 57976 10094",
    "184.26.91.160 443 119.160.169.70 65073 4410 3 20940 10094",
    "172.217.27.3 443 61.6.230.34 3964 2940 2 15169 10094",
    "157.240.199.207 443 202.93.210.200 39528 1278 1 32934 -",
    "92.223.95.33 443 61.6.239.101 53894 344 1 2916 10094",
    "216.58.200.227 443 202.152.70.252 26227 70 1 15169 10101",
    "142.250.66.78 443 61.6.253.103 32171 67 1 15169 10094",
    "172.217.24.246 443 202.160.35.248 54827 1246 1 15169 10094",
    "172.217.145.73 443 202.160.21.5 48318 1466 1 15169 -",
    "34.102.215.99 443 202.152.71.164 6481 135 1 3766 10101",
    "164.52.106.200 5008 202.152.70.182 13511 278 2 63199 10101",
    "142.251.220.98 443 61.6.239.26 6324 1470 1 15169 10094",
    "142.250.207.74 443 61.6.230.62 40547 367 1 15169 10094",
    "142.250.66.138 443 61.6.236.168 56656 167 1 15169 10094",
    "151.101.108.159 443 61.6.230.4 28441 1470 1 54113 10094",
    "157.240.211.63 443 61.6.233.229 37505 94 1 32934 10094",
    "157.240.199.34 443 119.160.129.103 55580 70 1 32934 10094",
    "104.86.182.82 443 61.6.237.140 37065 1470 1 20940 10094",
    "74.125.164.201 443 202.160.21.36 60342 13194 9 15169 -",
    "157.240.211.205 443 202.93.210.203 53369 7462 6 32934 -",
];

const NETFLOW_9_COLUMNS: &str =
    "SamplingRate SrcAddr SrcPort DstAddr DstPort Bytes Packets InIf OutIf NextHop SrcNetMask DstNetMask";
const NETFLOW_9: [&str; 4] = [
    "30000 198.38.121.178 443 91.170.143.87 19624 1500 1 335 450 194.149.174.63 24 14",
    "30000 198.38.121.219 443 88.122.57.97 2444 1500 1 335 452 194.149.174.71 24 14",
    "30000 173.194.190.106 443 37.165.129.20 53697 1400 1 461 306 252.223.0.0 20 18",
    "30000 74.125.100.234 443 88.120.219.117 52300 1448 1 461 451 194.149.174.61 16 14",
];

#[test]
#[ignore = "needs recorded data"]
fn netflow_9_with_a_sampler() {
    let names = ["options-template-257", "options-data-257", "template-260", "data-260"]
        .map(|n| format!("netflow-{n}"));
    let (collected, flows) = collect(&names.each_ref().map(String::as_str));
    assert_eq!(lines(&flows, NETFLOW_9_COLUMNS), NETFLOW_9);
    assert_eq!(
        flows[0].line("Proto TCPFlags EType ForwardingStatus ExporterAddress"),
        "6 16 2048 64 192.0.2.100"
    );
    let statistics = &collected.collector.statistics;
    assert_eq!((statistics.templates, statistics.options), (2, 4));
}

#[test]
#[ignore = "needs recorded data"]
fn netflow_9_in_the_order_of_the_captures() {
    // By time, and by name: data first, templates last.
    let names = ["data-260", "options-data-257", "options-template-257", "template-260"]
        .map(|n| format!("netflow-{n}"));
    let names = names.each_ref().map(String::as_str);
    let (_, flows) = collect(&names);
    assert_eq!(lines(&flows, NETFLOW_9_COLUMNS), NETFLOW_9);
    assert_eq!(flows[0].get("TimeReceived"), "1662723601", "when the flow came, not the template");
    let (collected, flows) = collect(&names[..1]);
    assert_eq!((flows.len(), collected.collector.without_template()), (0, 1));
}

#[test]
#[ignore = "needs recorded data"]
fn ipfix_of_both_directions() {
    let (_, flows) = collect(&["netflow-ipfixprobe-templates", "netflow-ipfixprobe-data"]);
    let columns = "SrcAddr SrcPort DstAddr DstPort Proto Bytes Packets TCPFlags InIf OutIf";
    assert_eq!(
        lines(&flows, columns),
        [
            "10.10.1.4 56166 10.10.1.1 53 17 62 1 - 10 -",
            "10.10.1.1 53 10.10.1.4 56166 17 128 1 - - 10",
            "10.10.1.20 138 10.10.1.255 138 17 229 1 - 10 -",
            "10.10.1.4 1470 74.53.140.153 25 6 21673 28 27 10 -",
            "74.53.140.153 25 10.10.1.4 1470 6 1546 25 27 - 10",
            "192.168.1.1 - 10.10.1.4 - 1 2304 4 - 10 -",
        ]
    );
    assert_eq!(flows[0].line("EType SrcMAC DstMAC"), "2048 962546374594 134013878624");
    assert_eq!(flows[1].line("EType SrcMAC DstMAC"), "2048 134013878624 962546374594");
}

#[test]
#[ignore = "needs recorded data"]
fn columns_that_are_left_out_are_not_there() {
    let file = Data::Recorded.read("flows/sflow-data-1140.pcap");
    let five = ["SrcAddr", "DstAddr", "SrcPort", "DstPort", "Bytes"];
    let plan = crate::flows::collect::columns::plan().unwrap();
    let mut all = Collected::with(plan.clone());
    let mut few = Collected::with(plan.clone().enable_only(five).unwrap());
    let mut without_l2 = Collected::with(plan.disable("L2").unwrap().disable("Routing").unwrap());
    for collected in [&mut all, &mut few, &mut without_l2] {
        collected.read(&file);
    }
    assert_eq!(
        few.flows()[0].all(),
        "SrcAddr=2a0c:8880:2:0:185:21:130:38 DstAddr=2a0c:8880:2:0:185:21:130:39 SrcPort=46026 DstPort=22 Bytes=1500"
    );
    assert_eq!(without_l2.flows()[3].line("SrcMAC SrcVlan SrcAS DstASPath SrcPort"), "- - - - 55658");
    assert!(few.records.buffer.len() * 2 < all.records.buffer.len());
    assert!(without_l2.records.buffer.len() < all.records.buffer.len());
    let hashes = [&all, &few, &without_l2].map(|collected| collected.plan.schema_hash());
    assert!(hashes[0] != hashes[1] && hashes[0] != hashes[2] && hashes[1] != hashes[2]);
    assert_eq!(few.plan.to_proto().matches(" = ").count(), 1 + five.len(), "syntax, and the columns");
}

/// The printed schema reads what was written, columns left out or not.
#[test]
#[ignore = "needs recorded data and protoc"]
fn needs_protoc_for_the_printed_schema() {
    let protoc = Protoc::find();
    let five = ["SrcAddr", "DstAddr", "SrcPort", "DstPort", "Bytes"];
    let plan = crate::flows::collect::columns::plan().unwrap();
    for entry in std::fs::read_dir(Data::Recorded.path("flows")).unwrap() {
        let file = std::fs::read(entry.unwrap().path()).unwrap();
        for plan in [plan.clone(), plan.clone().enable_only(five).unwrap()] {
            let mut collected = Collected::with(plan);
            collected.read(&file);
            assert_eq!(collected.flows_by_proto(&protoc), collected.flows());
        }
    }
}

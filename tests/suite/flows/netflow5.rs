//! NetFlow 5: records and ICMP.

use crate::flows::collect::Fault;
use crate::flows::records::only;
use crate::flows::support::Collected;
use crate::flows::traffic::Bytes;

#[test]
fn netflow_5_records() {
    let record = |last: u8| {
        let mut out = Bytes::default();
        out.put(&[192, 0, 2, 1, 198, 51, 100, last, 203, 0, 113, 9]).u16s(&[300, 301]);
        out.u32s(&[12, 3456, 1, 2]).u16s(&[443, 50_000]).put(&[0, 0x1b, 6, 4]).u16s(&[64_496, 64_497]);
        out.put(&[24, 25, 0, 0]).0.clone()
    };
    let payload = |count: u16, records: &[Vec<u8>]| {
        let mut out = Bytes::default();
        out.u16s(&[5, count]).u32s(&[1, 2, 3, 4]).u16s(&[0, 1 << 14 | 200]).put(&records.concat()).0.clone()
    };
    let flow = only(&payload(1, &[record(2)]));
    assert_eq!(
        flow.all(),
        "TimeReceived=1700000000 SamplingRate=200 ExporterAddress=192.0.2.9 InIf=300 OutIf=301 SrcAddr=192.0.2.1 \
         DstAddr=198.51.100.2 EType=2048 Proto=6 SrcPort=443 DstPort=50000 Bytes=3456 Packets=12 SrcAS=64496 \
         DstAS=64497 NextHop=203.0.113.9 SrcNetMask=24 DstNetMask=25 TOS=4 TCPFlags=27"
    );
    let mut collected = Collected::new();
    collected.receive(&payload(3, &[record(1), record(2)]));
    assert_eq!(
        (collected.flows().len(), collected.collector.statistics.first_fault),
        (2, Some(Fault::Truncated))
    );
    collected.receive(&payload(1, &[record(1), record(2)]));
    assert_eq!(collected.flows().len(), 3, "padding after the last record is none");
}

#[test]
fn icmp_of_netflow_5_is_in_the_destination_port() {
    let record = |protocol: u8, source_port: u16| {
        let mut out = Bytes::default();
        out.u16s(&[5, 1]).put(&[0; 20]);
        out.put(&[192, 0, 2, 1, 198, 51, 100, 2]).put(&[0; 24]).u16s(&[source_port, 3 << 8 | 4]);
        out.put(&[0, 0, protocol, 0]).put(&[0; 8]);
        only(&out.0).line("Proto DstPort ICMPType ICMPCode SamplingRate")
    };
    assert_eq!(record(1, 0), "1 772 3 4 1");
    assert_eq!(record(1, 9), "1 772 - - 1");
    assert_eq!(record(17, 0), "17 772 - - 1");
}

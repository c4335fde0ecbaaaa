//! NetFlow version 5: a header of 24 bytes, and records of 48 bytes, all alike.

use super::Fault;
use super::columns::{Address, Uint32, Uint64};
use super::flow::{Flow, Sink};
use super::headers::{ICMP, IPV4};
use super::input::{Input, mapped};

pub const VERSION: u16 = 5;
const HEADER: usize = 24;
const RECORD: usize = 48;

/// Decodes a datagram that was received at a time (seconds) from an exporter.
///
/// If there are fewer records than the header says, those that are there are decoded before that is a fault.
pub fn decode(
    datagram: &[u8],
    received: u64,
    exporter: &[u8; 16],
    sink: &mut impl Sink,
) -> Result<(), Fault> {
    let (header, records) = datagram.split_first_chunk::<HEADER>().ok_or(Fault::Truncated)?;
    let [version_high, version_low, count_high, count_low, .., rate_high, rate_low] = *header;
    if u16::from_be_bytes([version_high, version_low]) != VERSION {
        return Err(Fault::Version);
    }
    let count = usize::from(u16::from_be_bytes([count_high, count_low]));
    // The upper two bits are the mode.
    let rate = u16::from_be_bytes([rate_high, rate_low]) & 0x3fff;
    let (records, _) = records.as_chunks::<RECORD>();
    for record in records.iter().take(count) {
        sink.flow(|flow| {
            flow.uint64(Uint64::TimeReceived, received);
            // Without sampling, each packet stands for itself.
            flow.uint64(Uint64::SamplingRate, rate.max(1).into());
            flow.address(Address::ExporterAddress, exporter);
            self::record(Input(record), flow).ok_or(Fault::Truncated)
        })?;
    }
    if records.len() < count { Err(Fault::Truncated) } else { Ok(()) }
}

#[inline]
fn record(mut input: Input<'_>, flow: &mut impl Flow) -> Option<()> {
    flow.uint32(Uint32::EType, IPV4.into());
    flow.address(Address::SrcAddr, &mapped(input.array()?));
    flow.address(Address::DstAddr, &mapped(input.array()?));
    let next_hop = input.array()?;
    if next_hop != [0; 4] {
        flow.address(Address::NextHop, &mapped(next_hop));
    }
    flow.uint32(Uint32::InIf, input.u16()?.into());
    flow.uint32(Uint32::OutIf, input.u16()?.into());
    flow.uint64(Uint64::Packets, input.u32()?.into());
    flow.uint64(Uint64::Bytes, input.u32()?.into());
    let [_first, _last] = [input.u32()?, input.u32()?];
    let (source_port, destination_port) = (input.u16()?, input.u16()?);
    let [_padding, tcp_flags, protocol, tos] = input.array()?;
    flow.uint32(Uint32::SrcPort, source_port.into());
    flow.uint32(Uint32::DstPort, destination_port.into());
    if protocol == ICMP && source_port == 0 {
        let [kind, code] = destination_port.to_be_bytes();
        flow.uint32(Uint32::ICMPType, kind.into());
        flow.uint32(Uint32::ICMPCode, code.into());
    }
    flow.uint32(Uint32::TCPFlags, tcp_flags.into());
    flow.uint32(Uint32::Proto, protocol.into());
    flow.uint32(Uint32::TOS, tos.into());
    flow.uint32(Uint32::SrcAS, input.u16()?.into());
    flow.uint32(Uint32::DstAS, input.u16()?.into());
    flow.uint32(Uint32::SrcNetMask, input.u8()?.into());
    flow.uint32(Uint32::DstNetMask, input.u8()?.into());
    Some(())
}

//! sFlow version 5, <https://sflow.org/sflow_version_5.txt>.
//!
//! A datagram holds samples, and a flow sample holds records, each after its length. Unknown formats are skipped; after
//! an invalid sample, decoding continues with the next one.
//!
//! `Bytes` is the length of the IP packet, as in NetFlow and IPFIX, and not that of the frame that carried it.
//!
//! If a tunnel is opened, then only the sampled header counts: the other records tell of the packet outside.

use super::columns::{Address, List, Uint32, Uint64};
use super::flow::{Flow, Sink};
use super::headers::{IPV4, IPV6, Start};
use super::input::{Input, mac, mapped};
use super::tunnels::{self, Tunnels};
use super::{Fault, Statistics};

pub const VERSION: u32 = 5;

/// Formats of samples, of enterprise 0.
const FLOW_SAMPLE: u32 = 1;
const EXPANDED_FLOW_SAMPLE: u32 = 3;

/// The interface number of traffic that begins or ends in the device itself.
const INTERNAL: u32 = 0x3fff_ffff;
/// Formats of an output interface: an index, the reason why the packet was discarded, a number of interfaces.
const SINGLE: u32 = 0;
const DISCARDED: u32 = 1;

/// The record with the first bytes of a packet.
const SAMPLED_HEADER: u32 = 1;

/// Bytes of the header of an Ethernet frame and of the checksum after it: the length in a `sampled_ethernet` is that of
/// the frame without framing bits, but with its checksum.
const ETHERNET: u32 = 18;
/// Bytes of a `sampled_ethernet` whose addresses have no padding, as some agents write it.
const WITHOUT_PADDING: usize = 20;

/// The values that all samples of a datagram share.
struct Header {
    received: u64,
    agent: [u8; 16],
    open: Tunnels,
}

/// Values of a sample that count if no other record of it has them.
#[derive(Default)]
struct Fallbacks {
    /// The length of the frame without that of its headers.
    bytes: u32,
    has_bytes: bool,
    /// The VLAN of the frame.
    vlan: u32,
    /// Whether a record says the VLANs before and after the device.
    has_vlans: bool,
    /// The type of the frame, which can be that of a tag.
    frame_type: u32,
    /// That of BGP.
    next_hop: Option<[u8; 16]>,
}

/// Interfaces and sampling of a flow sample of either format.
struct Sample {
    rate: u32,
    input: (u32, u32),
    output: (u32, u32),
    records: u32,
}

/// Decodes a datagram that was received at a time (seconds) from an address, which stands in if there is no other.
pub fn decode(
    datagram: &[u8],
    received: u64,
    source: &[u8; 16],
    open: Tunnels,
    sink: &mut impl Sink,
    statistics: &mut Statistics,
) -> Result<(), Fault> {
    let mut input = Input(datagram);
    if input.u32() != Some(VERSION) {
        return Err(Fault::Version);
    }
    let agent = address(&mut input)?.unwrap_or(*source);
    let header = Header { received, agent, open };
    let [_sub_agent, _sequence, _uptime, samples] = words(&mut input)?;
    for _ in 0..samples {
        let [format, len] = words(&mut input)?;
        let sample = input.part(len as usize).ok_or(Fault::Truncated)?;
        let decoded = match format {
            FLOW_SAMPLE => compact(sample),
            EXPANDED_FLOW_SAMPLE => expanded(sample),
            _ => {
                statistics.skipped += 1;
                continue;
            }
        };
        let decoded = decoded
            .and_then(|(sample, records)| sink.flow(|flow| self::flow(&header, &sample, records, flow)));
        if let Err(fault) = decoded {
            statistics.fault(fault);
        }
    }
    Ok(())
}

/// The next words.
#[inline]
fn words<const N: usize>(input: &mut Input<'_>) -> Result<[u32; N], Fault> {
    let mut words = [0; N];
    for word in &mut words {
        *word = input.u32().ok_or(Fault::Truncated)?;
    }
    Ok(words)
}

/// An address of either version, or none.
fn address(input: &mut Input<'_>) -> Result<Option<[u8; 16]>, Fault> {
    match input.u32() {
        Some(0) => Ok(None),
        Some(1) => input.array().map(|v4| Some(mapped(v4))).ok_or(Fault::Truncated),
        Some(2) => input.array().map(Some).ok_or(Fault::Truncated),
        Some(_) => Err(Fault::Malformed),
        None => Err(Fault::Truncated),
    }
}

fn compact(mut input: Input<'_>) -> Result<(Sample, Input<'_>), Fault> {
    let [_sequence, _source, rate, _pool, _drops, incoming, outgoing, records] = words(&mut input)?;
    // The upper two bits are the format.
    let split = |interface: u32| (interface >> 30, interface & 0x3fff_ffff);
    Ok((Sample { rate, input: split(incoming), output: split(outgoing), records }, input))
}

fn expanded(mut input: Input<'_>) -> Result<(Sample, Input<'_>), Fault> {
    let [_sequence, _class, _index, rate, _pool, _drops] = words(&mut input)?;
    let [in_format, incoming, out_format, outgoing, records] = words(&mut input)?;
    let sample = Sample { rate, input: (in_format, incoming), output: (out_format, outgoing), records };
    Ok((sample, input))
}

fn flow(header: &Header, sample: &Sample, mut input: Input<'_>, flow: &mut impl Flow) -> Result<(), Fault> {
    flow.uint64(Uint64::TimeReceived, header.received);
    flow.uint64(Uint64::SamplingRate, sample.rate.max(1).into());
    flow.address(Address::ExporterAddress, &header.agent);
    flow.uint64(Uint64::Packets, 1);
    if let (SINGLE, index) = sample.input
        && index != INTERNAL
    {
        flow.uint32(Uint32::InIf, index);
    }
    match sample.output {
        (SINGLE, index) if index != INTERNAL => flow.uint32(Uint32::OutIf, index),
        (DISCARDED, reason) => flow.uint32(Uint32::ForwardingStatus, dropped(reason)),
        _ => {}
    }
    let mut fallbacks = Fallbacks::default();
    let opened = !header.open.is_none() && opens(sample.records, input, header.open);
    for _ in 0..sample.records {
        let [format, len] = words(&mut input)?;
        let record = input.part(len as usize).ok_or(Fault::Truncated)?;
        match format {
            SAMPLED_HEADER => sampled_header(record, header.open, flow, &mut fallbacks)?,
            _ if opened => {}
            2 => sampled_ethernet(record, flow, &mut fallbacks)?,
            3 | 4 => {
                fallbacks.has_bytes = true;
                if format == 3 { sampled_ipv4(record, flow)? } else { sampled_ipv6(record, flow)? }
            }
            1001 => {
                fallbacks.has_vlans = true;
                extended_switch(record, flow)?;
            }
            1002 => extended_router(record, flow)?,
            1003 => extended_gateway(record, flow, &mut fallbacks)?,
            1007 => extended_nat(record, flow)?,
            1020 => extended_nat_port(record, flow)?,
            _ => {}
        }
    }
    if !fallbacks.has_bytes {
        flow.uint64(Uint64::Bytes, fallbacks.bytes.into());
    }
    flow.uint32(Uint32::EType, fallbacks.frame_type);
    flow.uint32(Uint32::SrcVlan, fallbacks.vlan);
    if !fallbacks.has_vlans {
        // A device that only switches sends the frame on in the VLAN that it came in. Akvorado's tests expect the same.
        flow.uint32(Uint32::DstVlan, fallbacks.vlan);
    }
    if let Some(next_hop) = fallbacks.next_hop {
        flow.address(Address::NextHop, &next_hop);
    }
    Ok(())
}

/// The forwarding status (IPFIX element 89, <https://www.iana.org/assignments/ipfix>) of a packet that was dropped for a reason of sFlow:
/// up to 255 a code of ICMP's *unreachable*, above one of the list of <https://sflow.org/sflow_drops.txt>. Akvorado maps them so, too;
/// what it does not map has the status *dropped, reason unknown*.
fn dropped(reason: u32) -> u32 {
    match reason {
        0..=3 | 5..=7 | 263 => 131, // unroutable
        4 => 133,                   // must not be fragmented
        8 => 132,                   // adjacency
        9 | 10 => 129,              // denied
        257 => 137,                 // TTL
        258 | 269 => 130,           // dropped by a list, or by a black hole
        259 => 143,                 // no buffer: hardware
        260 => 139,                 // random early detection
        261 => 138,                 // policer
        262 => 135,                 // length
        302 => 140,                 // reverse path
        _ => 128,
    }
}

/// Whether a sampled header in these records has a tunnel to open. It can come after the records that it outdoes.
#[cold]
fn opens(records: u32, mut input: Input<'_>, open: Tunnels) -> bool {
    for _ in 0..records {
        let Ok([format, len]) = words(&mut input) else { break };
        let Some(record) = input.part(len as usize) else { break };
        if format == SAMPLED_HEADER
            && let Ok((Some(start), header, _)) = header_of(record)
            && tunnels::are_in(start, header, open)
        {
            return true;
        }
    }
    false
}

/// What a sampled header begins with, its bytes, and the length of the frame without its checksum; `None` for kinds
/// that are not known.
#[inline]
fn header_of(mut input: Input<'_>) -> Result<(Option<Start>, &[u8], u32), Fault> {
    // The number of bytes that were removed counts the checksum of the frame.
    let [protocol, frame_length, stripped, len] = words(&mut input)?;
    let header = input.take(len as usize).ok_or(Fault::Truncated)?;
    let start = match protocol {
        1 => Some(Start::Ethernet),
        11 | 12 => Some(Start::Internet),
        13 => Some(Start::Labels),
        _ => None,
    };
    Ok((start, header, frame_length.saturating_sub(stripped)))
}

fn sampled_header(
    record: Input<'_>,
    open: Tunnels,
    flow: &mut impl Flow,
    fallbacks: &mut Fallbacks,
) -> Result<(), Fault> {
    let (start, header, length) = header_of(record)?;
    // The header may be truncated.
    let layers = start.map(|start| tunnels::read(start, header, open, flow)).unwrap_or_default();
    if layers.network != 0 {
        fallbacks.has_bytes = true;
        flow.uint64(Uint64::Bytes, layers.network.into());
    }
    fallbacks.bytes = length.saturating_sub(layers.link);
    fallbacks.vlan = layers.vlan;
    Ok(())
}

fn sampled_ethernet(
    mut input: Input<'_>,
    flow: &mut impl Flow,
    fallbacks: &mut Fallbacks,
) -> Result<(), Fault> {
    // Each address is padded to eight bytes.
    let padding = if input.0.len() == WITHOUT_PADDING { 0 } else { 2 };
    let [length] = words(&mut input)?;
    let source = input.array().ok_or(Fault::Truncated)?;
    input.take(padding).ok_or(Fault::Truncated)?;
    let destination = input.array().ok_or(Fault::Truncated)?;
    input.take(padding).ok_or(Fault::Truncated)?;
    flow.uint64(Uint64::SrcMAC, mac(source));
    flow.uint64(Uint64::DstMAC, mac(destination));
    let [kind] = words(&mut input)?;
    fallbacks.frame_type = kind;
    if fallbacks.bytes == 0 {
        fallbacks.bytes = length.saturating_sub(ETHERNET);
    }
    Ok(())
}

fn sampled_ipv4(mut input: Input<'_>, flow: &mut impl Flow) -> Result<(), Fault> {
    let [length, protocol] = words(&mut input)?;
    let source = mapped(input.array().ok_or(Fault::Truncated)?);
    let destination = mapped(input.array().ok_or(Fault::Truncated)?);
    flow.uint32(Uint32::EType, IPV4.into());
    sampled_packet(length, protocol, &source, &destination, input, flow)
}

fn sampled_ipv6(mut input: Input<'_>, flow: &mut impl Flow) -> Result<(), Fault> {
    let [length, protocol] = words(&mut input)?;
    let source = input.array().ok_or(Fault::Truncated)?;
    let destination = input.array().ok_or(Fault::Truncated)?;
    flow.uint32(Uint32::EType, IPV6.into());
    sampled_packet(length, protocol, &source, &destination, input, flow)
}

fn sampled_packet(
    length: u32,
    protocol: u32,
    source: &[u8; 16],
    destination: &[u8; 16],
    mut input: Input<'_>,
    flow: &mut impl Flow,
) -> Result<(), Fault> {
    let [source_port, destination_port, tcp_flags, tos] = words(&mut input)?;
    flow.uint64(Uint64::Bytes, length.into());
    flow.address(Address::SrcAddr, source);
    flow.address(Address::DstAddr, destination);
    flow.uint32(Uint32::Proto, protocol);
    flow.uint32(Uint32::SrcPort, source_port);
    flow.uint32(Uint32::DstPort, destination_port);
    flow.uint32(Uint32::TCPFlags, tcp_flags);
    flow.uint32(Uint32::TOS, tos);
    Ok(())
}

fn extended_switch(mut input: Input<'_>, flow: &mut impl Flow) -> Result<(), Fault> {
    let [source_vlan, _priority, destination_vlan, _] = words(&mut input)?;
    // All ones: unknown.
    if source_vlan < 4096 {
        flow.uint32(Uint32::SrcVlan, source_vlan);
    }
    if destination_vlan < 4096 {
        flow.uint32(Uint32::DstVlan, destination_vlan);
    }
    Ok(())
}

fn extended_router(mut input: Input<'_>, flow: &mut impl Flow) -> Result<(), Fault> {
    if let Some(address) = next_hop(&mut input)? {
        flow.address(Address::NextHop, &address);
    }
    let [source_mask, destination_mask] = words(&mut input)?;
    flow.uint32(Uint32::SrcNetMask, source_mask);
    flow.uint32(Uint32::DstNetMask, destination_mask);
    Ok(())
}

/// A zero address means none; another record may have one.
fn next_hop(input: &mut Input<'_>) -> Result<Option<[u8; 16]>, Fault> {
    let zero = |address: &[u8; 16]| *address == [0; 16] || *address == mapped([0; 4]);
    Ok(address(input)?.filter(|address| !zero(address)))
}

/// The AS of the exporter stands for its own networks: where the source has none, or the path is empty.
fn extended_gateway(
    mut input: Input<'_>,
    flow: &mut impl Flow,
    fallbacks: &mut Fallbacks,
) -> Result<(), Fault> {
    fallbacks.next_hop = next_hop(&mut input)?;
    let [own, source, _source_peer, segments] = words(&mut input)?;
    flow.uint32(Uint32::SrcAS, if source != 0 { source } else { own });
    let mut destination = own;
    for _ in 0..segments {
        let [_set_or_sequence, len] = words(&mut input)?;
        let path = numbers(&mut input, len)?;
        destination = path.clone().last().unwrap_or(destination);
        flow.list(List::DstASPath, path);
    }
    flow.uint32(Uint32::DstAS, destination);
    let [len] = words(&mut input)?;
    flow.list(List::DstCommunities, numbers(&mut input, len)?);
    let [_local_preference] = words(&mut input)?;
    Ok(())
}

/// A list of this many numbers.
fn numbers<'a>(
    input: &mut Input<'a>,
    len: u32,
) -> Result<impl ExactSizeIterator<Item = u32> + Clone + 'a, Fault> {
    let bytes = (len as usize).checked_mul(4).and_then(|bytes| input.take(bytes)).ok_or(Fault::Truncated)?;
    Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_be_bytes(word)))
}

fn extended_nat(mut input: Input<'_>, flow: &mut impl Flow) -> Result<(), Fault> {
    for column in [Address::SrcAddrNAT, Address::DstAddrNAT] {
        if let Some(address) = address(&mut input)? {
            flow.address(column, &address);
        }
    }
    Ok(())
}

fn extended_nat_port(mut input: Input<'_>, flow: &mut impl Flow) -> Result<(), Fault> {
    let [source, destination] = words(&mut input)?;
    flow.uint32(Uint32::SrcPortNAT, source);
    flow.uint32(Uint32::DstPortNAT, destination);
    Ok(())
}

//! Packet headers, as far as they are there: Ethernet, 802.1Q, MPLS and its pseudowires, IPv4, IPv6, TCP, UDP, ICMP.
//!
//! Samples are cut off somewhere, usually after 64 to 256 bytes, so a header that ends early is not a fault: what was
//! read before stays.

use super::columns::{Address, List, Uint32, Uint64};
use super::flow::Flow;
use super::input::{Input, mac, mapped};

pub const IPV4: u16 = 0x0800;
pub const IPV6: u16 = 0x86dd;
const MPLS: [u16; 2] = [0x8847, 0x8848];
/// 802.1Q, 802.1ad, and what was used before that was agreed on.
const VLAN: [u16; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];

pub const ICMP: u8 = 1;
const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const ICMPV6: u8 = 58;
/// Bytes of the header of IPv6, which its length does not count.
const IPV6_HEADER: u32 = 40;
/// UDP-Lite, SCTP and DCCP: their ports are where those of UDP are.
const WITH_PORTS: [u8; 3] = [136, 132, 33];

/// Labels, tags, extension headers and tunnels that are followed before a packet is given up.
pub const NESTING: usize = 16;

/// Takes VLAN tags off, at most so many; the kind of what follows them. The first that has one sets the VLAN, if it is 0.
///
/// The first is the outer one, which IPFIX means by the VLAN of a frame with two tags (`dot1qVlanId`, element 243; the inner one
/// is element 245). Akvorado keeps the inner one of a frame, so there a flow of such frames has another VLAN.
#[inline]
pub fn without_tags(mut kind: u16, input: &mut Input<'_>, vlan: &mut u32, most: usize) -> Option<u16> {
    for _ in 0..most {
        if !VLAN.contains(&kind) {
            break;
        }
        let tag = u32::from(input.u16()? & 0xfff);
        if *vlan == 0 {
            *vlan = tag;
        }
        kind = input.u16()?;
    }
    Some(kind)
}

/// What a header begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Ethernet,
    Internet,
    /// A stack of MPLS labels.
    Labels,
}

/// The layers of a frame or packet, besides the values that a flow takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The bytes before the network layer.
    pub link: u32,
    /// The VLAN of the frame, the outermost of several; 0 if there is none.
    pub vlan: u32,
    /// The bytes of the IP packet, its header included; 0 if that is not known.
    pub network: u32,
}

/// Passes the values of a header to a flow, except for the VLAN.
#[inline]
pub fn read(start: Start, header: &[u8], flow: &mut impl Flow) -> Layers {
    let mut layers = Layers::default();
    if let Some(packet) = packet(start, header, flow, &mut layers) {
        layers.link = (header.len() - packet.len()) as u32;
        layers.network = internet(packet, flow);
    }
    layers
}

/// Passes the values before the network layer to a flow; what is there of the IP packet.
#[inline]
pub fn packet<'a>(
    start: Start,
    header: &'a [u8],
    flow: &mut impl Flow,
    layers: &mut Layers,
) -> Option<&'a [u8]> {
    match start {
        Start::Ethernet => ethernet(header, flow, layers),
        Start::Internet => Some(header),
        Start::Labels => mpls(Input(header), flow, layers),
    }
}

#[inline]
fn ethernet<'a>(frame: &'a [u8], flow: &mut impl Flow, layers: &mut Layers) -> Option<&'a [u8]> {
    let mut input = Input(frame);
    flow.uint64(Uint64::DstMAC, mac(input.array()?));
    flow.uint64(Uint64::SrcMAC, mac(input.array()?));
    let kind = input.u16()?;
    let kind = without_tags(kind, &mut input, &mut layers.vlan, NESTING)?;
    layers.link = (frame.len() - input.0.len()) as u32;
    if MPLS.contains(&kind) {
        return mpls(input, flow, layers);
    }
    if kind < 0x600 {
        // A length, of an 802.3 frame.
        return None;
    }
    let is_ip = kind == IPV4 || kind == IPV6;
    if !is_ip || version(input.0).is_none() {
        flow.uint32(Uint32::EType, kind.into());
    }
    is_ip.then_some(input.0)
}

/// The version of IP that a packet says it has, as a type of frames.
fn version(packet: &[u8]) -> Option<u16> {
    match packet.first()? >> 4 {
        4 => Some(IPV4),
        6 => Some(IPV6),
        _ => None,
    }
}

/// A packet of either version of IP. Gives its length in bytes, or 0 if that is not known.
#[inline]
fn internet(packet: &[u8], flow: &mut impl Flow) -> u32 {
    let length =
        |at: usize| packet.get(at..at + 2).map_or(0, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
    let Some(version) = version(packet) else { return 0 };
    flow.uint32(Uint32::EType, version.into());
    if version == IPV4 {
        let _ = ipv4(Input(packet), flow);
        return length(2).into();
    }
    let _ = ipv6(Input(packet), flow);
    match length(4) {
        // A jumbogram says its length in an option.
        0 => 0,
        payload => u32::from(payload) + IPV6_HEADER,
    }
}

/// A stack of labels; the packet after it, if there is one.
fn mpls<'a>(mut input: Input<'a>, flow: &mut impl Flow, layers: &mut Layers) -> Option<&'a [u8]> {
    let (mut labels, mut count) = ([0; NESTING], 0);
    for label in &mut labels {
        let entry = input.u32()?;
        *label = entry >> 12;
        count += 1;
        if entry >> 8 & 1 != 0 {
            break;
        }
    }
    flow.list(List::MPLSLabels, labels.into_iter().take(count));
    if version(input.0).is_some() { Some(input.0) } else { pseudowire(input, layers) }
}

/// The IP packet of a frame of Ethernet in a pseudowire, RFC 4448: after the labels comes a control word, whose first
/// four bits are zero, where IP has its version. The MAC addresses of a flow are those of the frame that has the labels, and
/// its VLAN too, if that frame has one.
///
/// A frame without a control word is not told from other things.
fn pseudowire<'a>(mut input: Input<'a>, layers: &mut Layers) -> Option<&'a [u8]> {
    let [first, ..] = input.array::<4>()?;
    input.take(12)?;
    let kind = input.u16()?;
    let mut vlan = layers.vlan;
    let kind = without_tags(kind, &mut input, &mut vlan, NESTING)?;
    if first >> 4 != 0 || version(input.0) != Some(kind) {
        return None;
    }
    layers.vlan = vlan;
    Some(input.0)
}

#[inline]
fn ipv4(mut input: Input<'_>, flow: &mut impl Flow) -> Option<()> {
    let header = input.array::<20>()?;
    let [version, tos, _, _, id_high, id_low, fragment_high, fragment_low, ttl, protocol, ..] = header;
    if version & 15 < 5 {
        return None;
    }
    let [.., a, b, c, d, e, f, g, h] = header;
    flow.address(Address::SrcAddr, &mapped([a, b, c, d]));
    flow.address(Address::DstAddr, &mapped([e, f, g, h]));
    flow.uint32(Uint32::TOS, tos.into());
    flow.uint32(Uint32::TTL, ttl.into());
    flow.uint32(Uint32::Proto, protocol.into());
    flow.uint32(Uint32::FragmentID, u16::from_be_bytes([id_high, id_low]).into());
    let offset = u16::from_be_bytes([fragment_high, fragment_low]) & 0x1fff;
    flow.uint32(Uint32::FragmentOffset, offset.into());
    input.take(usize::from(version & 15) * 4 - header.len())?;
    if offset == 0 { transport(protocol, input, flow) } else { None }
}

#[inline]
fn ipv6(mut input: Input<'_>, flow: &mut impl Flow) -> Option<()> {
    let first = input.u32()?;
    let _length = input.u16()?;
    let (mut next, hops) = (input.u8()?, input.u8()?);
    flow.address(Address::SrcAddr, &input.array()?);
    flow.address(Address::DstAddr, &input.array()?);
    flow.uint32(Uint32::TOS, first >> 20 & 0xff);
    flow.uint32(Uint32::IPv6FlowLabel, first & 0xf_ffff);
    flow.uint32(Uint32::TTL, hops.into());
    let mut whole = Some(());
    for _ in 0..NESTING {
        let Some(extension) = extension(next, &mut input) else { break };
        next = extension.next;
        if extension.fragment != 0 {
            flow.uint32(Uint32::FragmentID, extension.fragment);
        }
        if extension.offset != 0 {
            flow.uint32(Uint32::FragmentOffset, extension.offset.into());
            whole = None;
            break;
        }
    }
    flow.uint32(Uint32::Proto, next.into());
    whole?;
    transport(next, input, flow)
}

/// What an extension header of IPv6 says.
pub struct Extension {
    /// The kind of what follows it.
    pub next: u8,
    /// The number of the packet that this is a fragment of.
    fragment: u32,
    /// Where the fragment begins, in units of eight bytes.
    pub offset: u16,
}

/// Takes an extension header off, if that is what `kind` is.
pub fn extension(kind: u8, input: &mut Input<'_>) -> Option<Extension> {
    let mut rest = *input;
    let (next, len) = match kind {
        // Hop-by-hop, routing, destination, mobility: in units of eight bytes, the first not counted.
        0 | 43 | 60 | 135 => (rest.u8()?, usize::from(rest.u8()?) * 8 + 6),
        // Authentication: in units of four, the first two not counted.
        51 => (rest.u8()?, usize::from(rest.u8()?) * 4 + 6),
        44 => {
            let (next, _) = (rest.u8()?, rest.u8()?);
            let offset = rest.u16()? >> 3;
            let fragment = rest.u32()?;
            *input = rest;
            return Some(Extension { next, fragment, offset });
        }
        _ => return None,
    };
    rest.take(len)?;
    *input = rest;
    Some(Extension { next, fragment: 0, offset: 0 })
}

#[inline]
fn transport(protocol: u8, mut input: Input<'_>, flow: &mut impl Flow) -> Option<()> {
    match protocol {
        TCP | UDP => {}
        ICMP | ICMPV6 => {
            flow.uint32(Uint32::ICMPType, input.u8()?.into());
            flow.uint32(Uint32::ICMPCode, input.u8()?.into());
            return Some(());
        }
        other if WITH_PORTS.contains(&other) => {}
        _ => return None,
    }
    flow.uint32(Uint32::SrcPort, input.u16()?.into());
    flow.uint32(Uint32::DstPort, input.u16()?.into());
    if protocol == TCP {
        // After the numbers of sequence and acknowledgement and the length of the header.
        input.take(9)?;
        flow.uint32(Uint32::TCPFlags, input.u8()?.into());
    }
    Some(())
}

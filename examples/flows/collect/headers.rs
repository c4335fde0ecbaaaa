//! Packet headers, as far as they are there: Ethernet, 802.1Q, MPLS, IPv4, IPv6, TCP, UDP, ICMP.
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

const ICMP: u8 = 1;
const TCP: u8 = 6;
const UDP: u8 = 17;
const ICMPV6: u8 = 58;
/// UDP-Lite, SCTP and DCCP: their ports are where those of UDP are.
const WITH_PORTS: [u8; 3] = [136, 132, 33];

/// Labels, tags and extension headers that are followed before a packet is given up.
const NESTING: usize = 16;

/// An Ethernet frame; of several VLAN tags the outer one counts.
#[inline]
pub fn ethernet(frame: &[u8], flow: &mut impl Flow) -> Option<()> {
    let mut input = Input(frame);
    flow.uint64(Uint64::DstMAC, mac(input.array()?));
    flow.uint64(Uint64::SrcMAC, mac(input.array()?));
    let mut kind = input.u16()?;
    for _ in 0..NESTING {
        if !VLAN.contains(&kind) {
            break;
        }
        flow.uint32(Uint32::SrcVlan, (input.u16()? & 0xfff).into());
        kind = input.u16()?;
    }
    if MPLS.contains(&kind) {
        return mpls(input, flow);
    }
    if kind < 0x600 {
        // A length, of an 802.3 frame.
        return None;
    }
    flow.uint32(Uint32::EType, kind.into());
    internet_of(kind, input, flow)
}

/// A packet of either version of IP, which says itself which one it is.
pub fn internet(packet: &[u8], flow: &mut impl Flow) -> Option<()> {
    let kind = match packet.first()? >> 4 {
        4 => IPV4,
        6 => IPV6,
        _ => return None,
    };
    flow.uint32(Uint32::EType, kind.into());
    internet_of(kind, Input(packet), flow)
}

/// A stack of labels, and the packet below.
pub fn mpls(mut input: Input<'_>, flow: &mut impl Flow) -> Option<()> {
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
    internet(input.0, flow)
}

#[inline]
fn internet_of(kind: u16, input: Input<'_>, flow: &mut impl Flow) -> Option<()> {
    match kind {
        IPV4 => ipv4(input, flow),
        IPV6 => ipv6(input, flow),
        _ => None,
    }
}

#[inline]
fn ipv4(mut input: Input<'_>, flow: &mut impl Flow) -> Option<()> {
    let header = input.array::<20>()?;
    let [version, tos, _, _, id_high, id_low, fragment_high, fragment_low, ttl, protocol, ..] = header;
    if version >> 4 != 4 || version & 15 < 5 {
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
    if first >> 28 != 6 {
        return None;
    }
    let _length = input.u16()?;
    let (mut next, hops) = (input.u8()?, input.u8()?);
    flow.address(Address::SrcAddr, &input.array()?);
    flow.address(Address::DstAddr, &input.array()?);
    flow.uint32(Uint32::TOS, first >> 20 & 0xff);
    flow.uint32(Uint32::IPv6FlowLabel, first & 0xf_ffff);
    flow.uint32(Uint32::TTL, hops.into());
    let mut whole = Some(());
    for _ in 0..NESTING {
        let Some((inner, offset)) = extension(next, &mut input, flow) else { break };
        next = inner;
        if offset != 0 {
            whole = None;
            break;
        }
    }
    flow.uint32(Uint32::Proto, next.into());
    whole?;
    transport(next, input, flow)
}

/// Takes an extension header off, if that is what `kind` is: the kind of what follows, and the fragment offset.
fn extension(kind: u8, input: &mut Input<'_>, flow: &mut impl Flow) -> Option<(u8, u16)> {
    let mut rest = *input;
    let (next, len) = match kind {
        // Hop-by-hop, routing, destination, mobility: in units of eight bytes, the first not counted.
        0 | 43 | 60 | 135 => (rest.u8()?, usize::from(rest.u8()?) * 8 + 6),
        // Authentication: in units of four, the first two not counted.
        51 => (rest.u8()?, usize::from(rest.u8()?) * 4 + 6),
        44 => {
            let (next, _) = (rest.u8()?, rest.u8()?);
            let offset = rest.u16()? >> 3;
            flow.uint32(Uint32::FragmentID, rest.u32()?);
            flow.uint32(Uint32::FragmentOffset, offset.into());
            *input = rest;
            return Some((next, offset));
        }
        _ => return None,
    };
    rest.take(len)?;
    *input = rest;
    Some((next, 0))
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
        // Behind the numbers of sequence and acknowledgement and the length of the header.
        input.take(9)?;
        flow.uint32(Uint32::TCPFlags, input.u8()?.into());
    }
    Some(())
}

//! Finds the UDP datagram in a captured packet.

use super::super::collect::Datagram;
use super::super::collect::headers::{IPV4, IPV6, without_tags};
use super::super::collect::input::{Input, mapped};
use super::Packet;

/// Kinds of first headers.
pub enum Link {}

impl Link {
    const NULL: u32 = 0;
    pub const ETHERNET: u32 = 1;
    const PPP: [u32; 2] = [9, 50];
    const CISCO_HDLC: u32 = 104;
    const RAW: [u32; 5] = [12, 14, 101, 228, 229];
    const LOOP: u32 = 108;
    const LINUX_SLL: u32 = 113;
    const LINUX_SLL2: u32 = 276;
}

/// All stations, and no numbers: RFC 1662.
const PPP_ADDRESS: [u8; 2] = [0xff, 0x03];

/// The bit of IPv4 that says that this is not the last fragment.
const MORE: u16 = 0x2000;

const UDP: u8 = 17;
const UDP_HEADER: u16 = 8;
/// The most tags and extension headers to follow.
const NESTING: usize = 8;

/// The result for a packet.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    Datagram(Datagram<'a>),
    /// A part of a datagram, for [`Fragments`](super::Fragments).
    Fragment(Fragment<'a>),
    /// No UDP, or cut off before there is any.
    Other,
}

/// One of the packets of a datagram.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    pub key: Key,
    pub received: u64,
    /// Where in the datagram it begins.
    pub at: usize,
    pub is_last: bool,
    pub bytes: &'a [u8],
}

/// What all packets of a datagram have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub source: [u8; 16],
    pub destination: [u8; 16],
    pub id: u32,
}

/// Removes the headers, including all VLAN tags.
pub fn datagram<'a>(packet: &Packet<'a>) -> Outcome<'a> {
    match network(packet).and_then(|bytes| transport(bytes, packet.seconds)) {
        Some(outcome) => outcome,
        None => Outcome::Other,
    }
}

/// The IP packet.
fn network<'a>(packet: &Packet<'a>) -> Option<&'a [u8]> {
    let mut input = Input(packet.bytes);
    let kind = match packet.link {
        Link::ETHERNET => {
            input.take(12)?;
            input.u16()?
        }
        Link::LINUX_SLL => {
            input.take(14)?;
            input.u16()?
        }
        Link::LINUX_SLL2 => {
            let kind = input.u16()?;
            input.take(18)?;
            kind
        }
        Link::CISCO_HDLC => {
            input.take(2)?;
            input.u16()?
        }
        link if Link::PPP.contains(&link) => ppp(&mut input)?,
        Link::NULL | Link::LOOP => {
            // A protocol family, numbered differently by each system: use the version in the packet.
            input.take(4)?;
            return Some(input.0);
        }
        link if Link::RAW.contains(&link) => return Some(input.0),
        _ => return None,
    };
    // VLAN tags; the header after them counts.
    let kind = without_tags(kind, &mut input, &mut 0, NESTING)?;
    (kind == IPV4 || kind == IPV6).then_some(input.0)
}

/// Takes the header of PPP off, with its address and control field or without; the type that a frame would have.
fn ppp(input: &mut Input<'_>) -> Option<u16> {
    if input.0.starts_with(&PPP_ADDRESS) {
        input.take(PPP_ADDRESS.len())?;
    }
    match input.u16()? {
        0x0021 => Some(IPV4),
        0x0057 => Some(IPV6),
        _ => None,
    }
}

fn transport(packet: &[u8], received: u64) -> Option<Outcome<'_>> {
    match packet.first()? >> 4 {
        4 => ipv4(packet, received),
        6 => ipv6(packet, received),
        _ => None,
    }
}

fn ipv4(packet: &[u8], received: u64) -> Option<Outcome<'_>> {
    let mut input = Input(packet);
    let header = input.array::<20>()?;
    let len = usize::from(header[0] & 15) * 4;
    input.take(len.checked_sub(header.len())?)?;
    let [_, _, len_high, len_low, id_high, id_low, flags, offset, _, protocol, _, _, a, b, c, d, e, f, g, h] =
        header;
    if protocol != UDP {
        return None;
    }
    let source = mapped([a, b, c, d]);
    let flags = u16::from_be_bytes([flags, offset]);
    if flags & (MORE | 0x1fff) == 0 {
        return udp(input.0, source, received).map(Outcome::Datagram);
    }
    let whole = usize::from(u16::from_be_bytes([len_high, len_low]));
    Some(Outcome::Fragment(Fragment {
        key: Key {
            source,
            destination: mapped([e, f, g, h]),
            id: u16::from_be_bytes([id_high, id_low]).into(),
        },
        received,
        at: usize::from(flags & 0x1fff) * 8,
        is_last: flags & MORE == 0,
        // Without the padding of the frame; empty if it was cut off.
        bytes: whole.checked_sub(len).and_then(|len| input.0.get(..len)).unwrap_or_default(),
    }))
}

fn ipv6(packet: &[u8], received: u64) -> Option<Outcome<'_>> {
    let mut input = Input(packet);
    let [_, _, _, _, len_high, len_low, mut next, _] = input.array()?;
    let (source, destination) = (input.array()?, input.array()?);
    let whole = 40 + usize::from(u16::from_be_bytes([len_high, len_low]));
    for _ in 0..NESTING {
        match next {
            // Hop-by-hop, routing, destination.
            0 | 43 | 60 => {
                next = input.u8()?;
                let len = usize::from(input.u8()?) * 8 + 6;
                input.take(len)?;
            }
            44 => {
                let [after, _reserved] = input.array()?;
                let (place, id) = (input.u16()?, input.u32()?);
                next = after;
                let (at, is_last) = (usize::from(place & !7), place & 1 == 0);
                if (at, is_last) == (0, true) {
                    // All of it, RFC 6946.
                    continue;
                }
                let before = packet.len() - input.0.len();
                let bytes = whole.checked_sub(before).and_then(|len| input.0.get(..len)).unwrap_or_default();
                let fragment =
                    Fragment { key: Key { source, destination, id }, received, at, is_last, bytes };
                return (next == UDP).then_some(Outcome::Fragment(fragment));
            }
            _ => break,
        }
    }
    if next == UDP { udp(input.0, source, received).map(Outcome::Datagram) } else { None }
}

/// What comes after the header of a datagram; `None` if that is not whole.
pub fn udp(datagram: &[u8], source: [u8; 16], received: u64) -> Option<Datagram<'_>> {
    let mut input = Input(datagram);
    input.take(4)?;
    let len = input.u16()?.checked_sub(UDP_HEADER)?;
    let _checksum = input.u16()?;
    // Captures may truncate packets, and frames may be padded.
    let payload = input.0.get(..len.into()).unwrap_or(input.0);
    Some(Datagram { received, source, payload })
}

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
    const RAW: [u32; 5] = [12, 14, 101, 228, 229];
    const LOOP: u32 = 108;
    const LINUX_SLL: u32 = 113;
    const LINUX_SLL2: u32 = 276;
}

const UDP: u8 = 17;
const UDP_HEADER: u16 = 8;
/// The most tags and extension headers to follow.
const NESTING: usize = 8;

/// The result for a packet.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    Datagram(Datagram<'a>),
    /// A fragment of a datagram; fragments are not reassembled.
    Fragment,
    /// No UDP, or cut off before there is any.
    Other,
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
        Link::NULL | Link::LOOP => {
            // A protocol family, numbered differently by each system: use the version in the packet.
            input.take(4)?;
            return Some(input.0);
        }
        link if Link::RAW.contains(&link) => return Some(input.0),
        _ => return None,
    };
    // VLAN tags; the header after them counts.
    let kind = without_tags(kind, &mut input, NESTING)?;
    (kind == IPV4 || kind == IPV6).then_some(input.0)
}

fn transport(packet: &[u8], received: u64) -> Option<Outcome<'_>> {
    let mut input = Input(packet);
    let (protocol, source) = match packet.first()? >> 4 {
        4 => {
            let header = input.array::<20>()?;
            let len = usize::from(header[0] & 15) * 4;
            input.take(len.checked_sub(header.len())?)?;
            let more_or_offset = u16::from_be_bytes([header[6], header[7]]) & 0x3fff;
            if more_or_offset != 0 && header[9] == UDP {
                return Some(Outcome::Fragment);
            }
            (header[9], mapped([header[12], header[13], header[14], header[15]]))
        }
        6 => {
            let [_, _, _, _, _, _, mut next, _] = input.array()?;
            let source = input.array()?;
            input.take(16)?;
            for _ in 0..NESTING {
                match next {
                    // Hop-by-hop, routing, destination.
                    0 | 43 | 60 => {
                        next = input.u8()?;
                        let len = usize::from(input.u8()?) * 8 + 6;
                        input.take(len)?;
                    }
                    44 => return Some(Outcome::Fragment),
                    _ => break,
                }
            }
            (next, source)
        }
        _ => return None,
    };
    if protocol != UDP {
        return None;
    }
    input.take(4)?;
    let len = input.u16()?.checked_sub(UDP_HEADER)?;
    let _checksum = input.u16()?;
    // Captures may truncate packets, and frames may be padded.
    let payload = input.0.get(..len.into()).unwrap_or(input.0);
    Some(Outcome::Datagram(Datagram { received, source, payload }))
}

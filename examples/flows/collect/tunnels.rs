//! Packets inside of packets: IP in IP, GRE and VXLAN.
//!
//! A flow has the values of one packet, never of two: either those of the outer one or, if its kind of tunnel is opened, those
//! of the inner one.

use super::flow::{Flow, Ignored};
use super::headers::{self, IPV4, IPV6, Layers, NESTING, Start, UDP, extension};
use super::input::Input;

/// The tunnels that are opened; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tunnels {
    /// IPv4 or IPv6 in either, RFC 2003, 2473, 4213.
    pub ipip: bool,
    /// RFC 2784 and 2890.
    pub gre: bool,
    /// RFC 7348, at its port.
    pub vxlan: bool,
}

const IPV4_INSIDE: u8 = 4;
const IPV6_INSIDE: u8 = 41;
const GRE: u8 = 47;
const VXLAN_PORT: u16 = 4789;
/// An Ethernet frame inside of GRE.
const BRIDGED: u16 = 0x6558;

impl Tunnels {
    /// Adds a kind of tunnel by its name; false if there is no such kind.
    pub fn open(&mut self, name: &str) -> bool {
        match name {
            "ipip" => self.ipip = true,
            "gre" => self.gre = true,
            "vxlan" => self.vxlan = true,
            _ => return false,
        }
        true
    }

    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// What a tunnel carries.
#[derive(Clone, Copy, Debug)]
struct Inside<'a> {
    start: Start,
    header: &'a [u8],
}

impl<'a> Inside<'a> {
    /// The IP packet in it.
    fn packet(self) -> Option<&'a [u8]> {
        let packet = headers::packet(self.start, self.header, &mut Ignored, &mut Layers::default());
        packet.filter(|packet| is_ip(packet))
    }
}

/// Passes the values of a header to a flow: those of what is inside of the tunnels in it, if they are opened. Then no
/// value is one of what is outside.
#[inline]
pub fn read(start: Start, header: &[u8], open: Tunnels, flow: &mut impl Flow) -> Layers {
    if !open.is_none()
        && let Some(inside) = innermost(start, header, open)
    {
        let layers = headers::read(inside.start, inside.header, flow);
        let outside = (header.len() - inside.header.len()) as u32;
        return Layers { link: outside + layers.link, ..layers };
    }
    headers::read(start, header, flow)
}

/// Whether [`read`] finds a tunnel to open.
#[cold]
pub fn are_in(start: Start, header: &[u8], open: Tunnels) -> bool {
    !open.is_none() && innermost(start, header, open).is_some()
}

/// What is inside of all tunnels that are opened; `None` if there is none, or if it was cut off before there is a packet in it.
#[cold]
fn innermost(start: Start, header: &[u8], open: Tunnels) -> Option<Inside<'_>> {
    let (mut innermost, mut outer) = (None, Inside { start, header }.packet()?);
    for _ in 0..NESTING {
        let Some(inside) = inner(outer, open) else { break };
        let Some(packet) = inside.packet() else { break };
        (innermost, outer) = (Some(inside), packet);
    }
    innermost
}

/// Whether there is the start of an IP packet with both addresses.
fn is_ip(packet: &[u8]) -> bool {
    match packet.first().map(|first| first >> 4) {
        Some(4) => packet.len() >= 20,
        Some(6) => packet.len() >= 40,
        _ => false,
    }
}

fn inner(packet: &[u8], open: Tunnels) -> Option<Inside<'_>> {
    let (protocol, mut body) = payload(packet)?;
    match protocol {
        IPV4_INSIDE | IPV6_INSIDE if open.ipip => Some(Inside { start: Start::Internet, header: body.0 }),
        GRE if open.gre => {
            let (flags, kind) = (body.u16()?, body.u16()?);
            // A version other than 0 is another protocol; bits for a checksum, a key and a number, of four bytes each.
            if flags & 7 != 0 || flags & 0x4000 != 0 {
                return None;
            }
            let options = [0x8000, 0x2000, 0x1000].into_iter().filter(|bit| flags & bit != 0).count();
            body.take(options * 4)?;
            match kind {
                IPV4 | IPV6 => Some(Inside { start: Start::Internet, header: body.0 }),
                BRIDGED => Some(Inside { start: Start::Ethernet, header: body.0 }),
                _ => None,
            }
        }
        UDP if open.vxlan => {
            let (_source, destination) = (body.u16()?, body.u16()?);
            if destination != VXLAN_PORT {
                return None;
            }
            let [_length, _checksum] = [body.u16()?, body.u16()?];
            let [flags, ..] = body.array::<8>()?;
            // The bit that says that there is a network identifier.
            (flags & 8 != 0).then_some(Inside { start: Start::Ethernet, header: body.0 })
        }
        _ => None,
    }
}

/// The protocol in a packet, and its bytes; `None` for later fragments.
fn payload(packet: &[u8]) -> Option<(u8, Input<'_>)> {
    let mut input = Input(packet);
    match packet.first()? >> 4 {
        4 => {
            let header = input.array::<20>()?;
            input.take((usize::from(header[0] & 15) * 4).checked_sub(header.len())?)?;
            let offset = u16::from_be_bytes([header[6], header[7]]) & 0x1fff;
            (offset == 0).then_some((header[9], input))
        }
        6 => {
            let header = input.array::<40>()?;
            let mut next = header[6];
            for _ in 0..NESTING {
                let Some(extension) = extension(next, &mut input) else { break };
                next = extension.next;
                if extension.offset != 0 {
                    return None;
                }
            }
            Some((next, input))
        }
        _ => None,
    }
}

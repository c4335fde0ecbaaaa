//! [`Found`]: what a record says, value by value: most go to columns at once, the rest decides what several fields mean together.

use super::columns::{Address, Direction, List, Uint32, Uint64};
use super::elements::{self, Action};
use super::flow::Flow;
use super::headers::{ICMP, ICMPV6, IPV4, IPV6, Layers, Start};
use super::input::{mac, mapped, number};
use super::sampling::Rate;
use super::tunnels::{self, Tunnels};

/// The numbers of `FlowDirection`.
const INGRESS: i32 = 1;
const EGRESS: i32 = 2;

/// The forwarding status of packets that went on, and of those that did not, for an unknown reason; RFC 7270, section 4.12.
const FORWARDED: u32 = 64;
const DROPPED: u32 = 128;

/// The kind of Juniper's common properties that is an exception code.
const EXCEPTION_CODE: u64 = 2;

/// Bytes of the header of a frame whose start is not in the record.
const ETHERNET_HEADER: u32 = 14;

/// Values of a record that are not columns.
#[derive(Default)]
pub struct Found {
    pub rate: Rate,
    /// By the addresses.
    etype: u16,
    /// By the version of IP that the exporter says, and by the type of the frame.
    version: u16,
    frame_type: u16,
    protocol: u8,
    has_icmp: bool,
    /// The type and the code.
    icmp: [u32; 2],
    has_source_port: bool,
    destination_port: u32,
    /// The start of a packet in the record.
    packet: Option<Layers>,
    frame_length: u32,
    /// The tunnels that are opened in that packet.
    open: Tunnels,
}

impl Found {
    /// Nothing yet; opens these tunnels in the starts of packets.
    #[inline]
    pub fn new(open: Tunnels) -> Self {
        Self { open, ..Self::default() }
    }

    /// The addresses of the flow say which IP it is; those of a next hop or of a translation may be of the other.
    #[inline]
    fn note_version(&mut self, column: Address, etype: u16) {
        if self.etype == 0 && elements::is_host(column) {
            self.etype = etype;
        }
    }

    /// Type and code, or one of them. The first that is not zero counts: one template may have elements for both versions.
    #[cold]
    fn note_icmp(&mut self, icmp: [u32; 2]) {
        self.has_icmp = true;
        for (own, value) in self.icmp.iter_mut().zip(icmp) {
            *own = if *own == 0 { value } else { *own };
        }
    }

    #[inline]
    pub fn apply(&mut self, action: Action, skip_zero: bool, value: &[u8], flow: &mut impl Flow) {
        match action {
            Action::Skip => {}
            Action::Uint64(column) => flow.uint64(column, number(value).unwrap_or(0)),
            Action::Uint32(column) => {
                let value = number(value).unwrap_or(0) as u32;
                match column {
                    Uint32::Proto if self.protocol == 0 => self.protocol = value as u8,
                    Uint32::SrcPort => self.has_source_port |= value != 0,
                    Uint32::DstPort if self.destination_port == 0 => self.destination_port = value,
                    Uint32::ICMPType => return self.note_icmp([value, 0]),
                    Uint32::ICMPCode => return self.note_icmp([0, value]),
                    _ => {}
                }
                flow.uint32(column, value);
            }
            Action::Ipv4(column) => {
                if let Ok(address) = <[u8; 4]>::try_from(value)
                    && !(skip_zero && address == [0; 4])
                {
                    self.note_version(column, IPV4);
                    flow.address(column, &mapped(address));
                }
            }
            Action::Ipv6(column) => {
                if let Ok(address) = <&[u8; 16]>::try_from(value)
                    && !(skip_zero && *address == [0; 16])
                {
                    self.note_version(column, IPV6);
                    flow.address(column, address);
                }
            }
            Action::Mac(column) => flow.uint64(column, value.try_into().map_or(0, mac)),
            _ => self.apply_rare(action, value, flow),
        }
    }

    #[cold]
    fn apply_rare(&mut self, action: Action, value: &[u8], flow: &mut impl Flow) {
        match action {
            Action::IcmpTypeAndCode => {
                let both = number(value).unwrap_or(0) as u32;
                self.note_icmp([both >> 8 & 0xff, both & 0xff]);
            }
            Action::DiffServ => flow.uint32(Uint32::TOS, (number(value).unwrap_or(0) as u32 & 0x3f) << 2),
            Action::IpVersion => match number(value) {
                Some(4) => self.version = IPV4,
                Some(6) => self.version = IPV6,
                _ => {}
            },
            Action::EtherType => self.frame_type = number(value).unwrap_or(0) as u16,
            Action::Direction => match number(value) {
                Some(0) => flow.direction(Direction::FlowDirection, INGRESS),
                Some(1) => flow.direction(Direction::FlowDirection, EGRESS),
                _ => {}
            },
            Action::FrameLength => self.frame_length = number(value).unwrap_or(0) as u32,
            Action::MplsLabel => {
                if let &[a, b, c] = value
                    && (a, b, c >> 4) != (0, 0, 0)
                {
                    let label = u32::from_be_bytes([0, a, b, c]) >> 4;
                    flow.list(List::MPLSLabels, [label].into_iter());
                }
            }
            Action::Frame | Action::Packet => {
                // The addresses that came before are those that count.
                flow.uint32(Uint32::EType, self.etype.into());
                let start = if action == Action::Frame { Start::Ethernet } else { Start::Internet };
                // A sample may be truncated.
                self.packet = Some(tunnels::read(start, value, self.open, flow));
            }
            Action::ExceptionCode => {
                // A kind in six bits, that of exception codes, and a code in ten.
                if let (2, Some(code)) = (value.len(), number(value))
                    && code >> 10 == EXCEPTION_CODE
                {
                    let is_forwarded = code & 0x3ff == 0;
                    flow.uint32(Uint32::ForwardingStatus, if is_forwarded { FORWARDED } else { DROPPED });
                }
            }
            Action::Sampling(part) => self.rate.note(part, value),
            _ => {}
        }
    }

    /// Values derived from several fields.
    #[inline]
    pub fn conclude(&self, flow: &mut impl Flow) {
        let by_exporter = if self.version != 0 { self.version } else { self.frame_type };
        flow.uint32(Uint32::EType, if self.etype != 0 { self.etype } else { by_exporter }.into());
        if self.has_icmp || matches!(self.protocol, ICMP | ICMPV6) {
            self.conclude_icmp(flow);
        }
        if self.packet.is_some() || self.frame_length != 0 {
            self.conclude_packet(flow);
        }
    }

    #[cold]
    fn conclude_icmp(&self, flow: &mut impl Flow) {
        let [kind, code] = match (self.protocol, self.has_icmp) {
            // Without a protocol, elements of ICMP are all that says what the flow is.
            (ICMP | ICMPV6 | 0, true) => self.icmp,
            // Exporters without elements for it put both where the port of the destination would be. With a port of the
            // source, it is not known what the ports mean: some count an identifier as one.
            (_, false) if !self.has_source_port => {
                [self.destination_port >> 8 & 0xff, self.destination_port & 0xff]
            }
            // Some exporters fill the elements of ICMP for all protocols, with anything.
            _ => return,
        };
        flow.uint32(Uint32::ICMPType, kind);
        flow.uint32(Uint32::ICMPCode, code);
    }

    /// The length of the packet that was sampled, without the headers before it.
    #[cold]
    fn conclude_packet(&self, flow: &mut impl Flow) {
        let layers = self.packet.unwrap_or(Layers { link: ETHERNET_HEADER, ..Layers::default() });
        if self.packet.is_some() {
            flow.uint64(Uint64::Packets, 1);
            flow.uint64(Uint64::Bytes, layers.network.into());
        }
        flow.uint64(Uint64::Bytes, self.frame_length.saturating_sub(layers.link).into());
        // Both, as of a frame that sFlow has sampled, where no element says them.
        flow.uint32(Uint32::SrcVlan, layers.vlan);
        flow.uint32(Uint32::DstVlan, layers.vlan);
    }
}

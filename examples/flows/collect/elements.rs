//! What the fields of templates mean: the information elements of IPFIX, of which NetFlow 9 has the first 127,
//! <https://www.iana.org/assignments/ipfix/ipfix.xhtml>.

use super::columns::{Address, Uint32, Uint64};

/// The enterprise of elements that count the other direction of a flow, RFC 5103.
const REVERSE: u32 = 29305;

/// Juniper Networks, <https://www.juniper.net/documentation/us/en/software/junos/flow-monitoring/topics/topic-map/resiliency-exception-reporting.html>.
const JUNIPER: u32 = 2636;

/// A pseudo enterprise for the scopes of NetFlow 9.
pub const SCOPE: u32 = u32::MAX;

/// The action for the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Skip,
    Uint64(Uint64),
    Uint32(Uint32),
    Ipv4(Address),
    Ipv6(Address),
    Mac(Uint64),
    /// Type and code in one number.
    IcmpTypeAndCode,
    /// 4 or 6.
    IpVersion,
    /// A type of Ethernet frames. Some exporters send anything: addresses say better which protocol it is.
    EtherType,
    /// In or out.
    Direction,
    /// The length of a frame, its header included.
    FrameLength,
    /// The six bits of the TOS that are above the other two.
    DiffServ,
    /// A label, class and bottom of stack, in three bytes.
    MplsLabel,
    /// What Juniper's routers say of a packet, each with its kind in the first bits.
    ExceptionCode,
    /// The start of an Ethernet frame.
    Frame,
    /// The start of an IP packet.
    Packet,
    Sampling(Sampling),
}

/// The parts that a sampling rate is told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Which sampler it is: what data records refer to options by.
    Sampler,
    /// One of so many.
    Interval,
    /// So many in a row ...
    PacketInterval,
    /// ... and then none of so many.
    PacketSpace,
    /// So many ...
    Size,
    /// ... of so many.
    Population,
    /// A floating-point number up to 1.
    Probability,
}

/// A field, and whether it is a fallback that counts only if the preferred field has no value.
pub fn action(enterprise: u32, element: u16) -> (Action, bool) {
    match (enterprise, element) {
        (JUNIPER, 137) => (Action::ExceptionCode, true),
        (0, _) => match fallback(element) {
            Some(action) => (action, true),
            None => (primary(element), false),
        },
        _ => (Action::Skip, false),
    }
}

/// The same for the reverse direction of a flow: elements that count it, and those that are of both directions, reversed.
pub fn reverse(enterprise: u32, element: u16) -> (Action, bool) {
    match (enterprise, element) {
        (REVERSE, _) => action(0, element),
        (0, _) if !is_directed(element) => {
            let (action, fallback) = action(0, element);
            (reversed(action), fallback)
        }
        _ => (Action::Skip, false),
    }
}

/// Whether the element counts the bytes or packets of the reverse direction.
pub fn counts_reverse(enterprise: u32, element: u16) -> bool {
    matches!(reverse(enterprise, element).0, Action::Uint64(Uint64::Bytes | Uint64::Packets))
}

fn primary(element: u16) -> Action {
    match element {
        1 => Action::Uint64(Uint64::Bytes),
        2 => Action::Uint64(Uint64::Packets),
        8 => Action::Ipv4(Address::SrcAddr),
        12 => Action::Ipv4(Address::DstAddr),
        15 => Action::Ipv4(Address::NextHop),
        27 => Action::Ipv6(Address::SrcAddr),
        28 => Action::Ipv6(Address::DstAddr),
        62 => Action::Ipv6(Address::NextHop),
        225 => Action::Ipv4(Address::SrcAddrNAT),
        226 => Action::Ipv4(Address::DstAddrNAT),
        281 => Action::Ipv6(Address::SrcAddrNAT),
        282 => Action::Ipv6(Address::DstAddrNAT),
        32 | 139 => Action::IcmpTypeAndCode,
        56 => Action::Mac(Uint64::SrcMAC),
        80 => Action::Mac(Uint64::DstMAC),
        60 => Action::IpVersion,
        61 => Action::Direction,
        256 => Action::EtherType,
        70..=79 => Action::MplsLabel,
        313 => Action::Packet,
        104 | 315 => Action::Frame,
        48 | 302 => Action::Sampling(Sampling::Sampler),
        34 | 50 => Action::Sampling(Sampling::Interval),
        305 => Action::Sampling(Sampling::PacketInterval),
        306 => Action::Sampling(Sampling::PacketSpace),
        309 => Action::Sampling(Sampling::Size),
        310 => Action::Sampling(Sampling::Population),
        311 => Action::Sampling(Sampling::Probability),
        other => number(other).map_or(Action::Skip, Action::Uint32),
    }
}

fn number(element: u16) -> Option<Uint32> {
    Some(match element {
        4 => Uint32::Proto,
        5 => Uint32::TOS,
        6 => Uint32::TCPFlags,
        7 => Uint32::SrcPort,
        9 | 29 => Uint32::SrcNetMask,
        10 => Uint32::InIf,
        11 => Uint32::DstPort,
        13 | 30 => Uint32::DstNetMask,
        14 => Uint32::OutIf,
        16 => Uint32::SrcAS,
        17 => Uint32::DstAS,
        31 => Uint32::IPv6FlowLabel,
        54 => Uint32::FragmentID,
        58 => Uint32::SrcVlan,
        59 => Uint32::DstVlan,
        88 => Uint32::FragmentOffset,
        89 => Uint32::ForwardingStatus,
        176 | 178 => Uint32::ICMPType,
        177 | 179 => Uint32::ICMPCode,
        192 => Uint32::TTL,
        227 => Uint32::SrcPortNAT,
        228 => Uint32::DstPortNAT,
        _ => return None,
    })
}

/// Elements that give a value less directly than another one.
fn fallback(element: u16) -> Option<Action> {
    Some(match element {
        // Counts after the device, totals since the start of the flow, of its initiator, of its responder; of the sampled packet. Those of
        // frames (352) are no lengths of IP packets.
        23 | 85 | 171 | 231 | 232 | 224 | 190 => Action::Uint64(Uint64::Bytes),
        312 => Action::FrameLength,
        24 | 86 | 172 | 298 | 299 => Action::Uint64(Uint64::Packets),
        18 => Action::Ipv4(Address::NextHop),
        63 => Action::Ipv6(Address::NextHop),
        81 => Action::Mac(Uint64::SrcMAC),
        57 => Action::Mac(Uint64::DstMAC),
        252 => Action::Uint32(Uint32::InIf),
        253 => Action::Uint32(Uint32::OutIf),
        52 => Action::Uint32(Uint32::TTL),
        180 | 182 => Action::Uint32(Uint32::SrcPort),
        181 | 183 => Action::Uint32(Uint32::DstPort),
        195 => Action::DiffServ,
        243 => Action::Uint32(Uint32::SrcVlan),
        254 => Action::Uint32(Uint32::DstVlan),
        _ => return None,
    })
}

/// Whether the value is one of a packet, which may be inside of another.
pub fn is_of_packet(action: Action) -> bool {
    match action {
        Action::Ipv4(column) | Action::Ipv6(column) => is_host(column),
        Action::Uint32(column) => matches!(
            column,
            Uint32::SrcPort
                | Uint32::DstPort
                | Uint32::Proto
                | Uint32::TOS
                | Uint32::TTL
                | Uint32::TCPFlags
                | Uint32::ICMPType
                | Uint32::ICMPCode
                | Uint32::FragmentID
                | Uint32::FragmentOffset
                | Uint32::IPv6FlowLabel
        ),
        Action::IcmpTypeAndCode | Action::IpVersion | Action::DiffServ => true,
        _ => false,
    }
}

/// Whether it is the address of an end of the flow.
pub fn is_host(column: Address) -> bool {
    matches!(column, Address::SrcAddr | Address::DstAddr)
}

/// The column of an address of an end of the flow.
pub fn host(action: Action) -> Option<Address> {
    match action {
        Action::Ipv4(column) | Action::Ipv6(column) if is_host(column) => Some(column),
        _ => None,
    }
}

/// Whether the value says where and how the device has seen a packet, or is the start of that packet: what remains if the
/// flow is that of a packet inside of it.
pub fn is_of_device(action: Action) -> bool {
    match action {
        Action::Uint32(column) => {
            matches!(column, Uint32::InIf | Uint32::OutIf | Uint32::ForwardingStatus)
        }
        Action::Direction | Action::ExceptionCode | Action::FrameLength => true,
        Action::Frame | Action::Packet | Action::Sampling(_) => true,
        _ => false,
    }
}

/// The same field in the reverse direction.
pub fn reversed(action: Action) -> Action {
    match action {
        Action::Uint32(column) => Action::Uint32(match column {
            Uint32::InIf => Uint32::OutIf,
            Uint32::OutIf => Uint32::InIf,
            Uint32::SrcPort => Uint32::DstPort,
            Uint32::DstPort => Uint32::SrcPort,
            Uint32::SrcAS => Uint32::DstAS,
            Uint32::DstAS => Uint32::SrcAS,
            Uint32::SrcNetMask => Uint32::DstNetMask,
            Uint32::DstNetMask => Uint32::SrcNetMask,
            Uint32::SrcVlan => Uint32::DstVlan,
            Uint32::DstVlan => Uint32::SrcVlan,
            Uint32::SrcPortNAT => Uint32::DstPortNAT,
            Uint32::DstPortNAT => Uint32::SrcPortNAT,
            same => same,
        }),
        Action::Ipv4(column) => Action::Ipv4(reversed_address(column)),
        Action::Ipv6(column) => Action::Ipv6(reversed_address(column)),
        Action::Mac(Uint64::SrcMAC) => Action::Mac(Uint64::DstMAC),
        Action::Mac(Uint64::DstMAC) => Action::Mac(Uint64::SrcMAC),
        same => same,
    }
}

fn reversed_address(column: Address) -> Address {
    match column {
        Address::SrcAddr => Address::DstAddr,
        Address::DstAddr => Address::SrcAddr,
        Address::SrcAddrNAT => Address::DstAddrNAT,
        Address::DstAddrNAT => Address::SrcAddrNAT,
        same => same,
    }
}

/// Whether the element belongs to one direction of a flow only.
pub fn is_directed(element: u16) -> bool {
    // Counters, TOS, TCP flags, TTL, labels, status, next hops, sections.
    matches!(
        element,
        1 | 2 | 5 | 6 | 15 | 18 | 23 | 24 | 31 | 32 | 52 | 54 | 61 | 62 | 63 | 70..=79 | 85 | 86 | 88 | 89 | 104
            | 139 | 171 | 172 | 176..=179 | 190 | 192 | 195 | 224 | 231 | 232 | 298 | 299 | 312 | 313 | 315
    )
}

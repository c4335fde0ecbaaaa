//! [`Template`]: the layout of records, as an exporter describes it, made into steps.

use super::columns::{Address, Direction, List, Uint32, Uint64};
use super::elements::{self, Action, REVERSE};
use super::flow::Flow;
use super::headers::{self, ICMP, ICMPV6, IPV4, IPV6, Layers};
use super::input::{Input, mac, mapped, number};
use super::sampling::Rate;
use super::tunnels::Tunnels;

/// The length of fields that say their length in each record.
const VARIABLE: u16 = u16::MAX;

/// The numbers of `FlowDirection`.
const INGRESS: i32 = 1;
const EGRESS: i32 = 2;

/// Bytes of the header of a frame whose start is not in the record.
const ETHERNET_HEADER: u32 = 14;

/// A field as an exporter describes it.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpecifier {
    pub enterprise: u32,
    pub element: u16,
    pub length: u16,
}

/// The layout of the records of a set.
#[derive(Clone, Debug)]
pub struct Template {
    steps: Vec<Step>,
    /// The bytes of the shortest record.
    min_len: usize,
    /// The steps for the reverse direction of a flow, if records have one.
    reverse: Vec<Step>,
    /// Whether all records are as long as the shortest.
    is_fixed: bool,
    /// Whether some steps run after all others.
    has_fallbacks: bool,
    /// Whether records may have the addresses of a packet inside of another.
    may_nest: bool,
    open: Tunnels,
    pub is_options: bool,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    action: Action,
    length: u16,
    fallback: bool,
    /// A zero address is no address.
    skip_zero: bool,
    /// The field before has a value of the same packet header: this one is of a packet inside.
    again: bool,
    /// A later field has: if there is a packet inside, that one counts.
    before: bool,
}

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
    destination_port: u32,
    /// The start of a packet in the record.
    packet: Option<Layers>,
    frame_length: u32,
    open: Tunnels,
}

impl Template {
    /// `None` if a record could be empty, and there would be no end of them. Fields without bytes say nothing and are left
    /// out, so that a record has no more fields than bytes.
    ///
    /// A record can have the header of a packet and that of one inside, as those of SRv6 have: the same elements twice, or
    /// the addresses of both versions of IP. If the second addresses have values, then the flow is that of the packet inside, and of
    /// all elements that come twice the second counts; else the first. No flow has values of both packets.
    pub fn new(fields: &[FieldSpecifier], is_options: bool, open: Tunnels) -> Option<Self> {
        let fields = || fields.iter().filter(|field| field.length != 0);
        let has = |element| fields().any(|f| f.enterprise == 0 && f.element == element);
        // Some exporters have one template for both versions of IP, and leave one pair of addresses zero.
        let both = has(8) && has(27) || has(12) && has(28);
        let step = |field: &FieldSpecifier, enterprise| {
            let (action, fallback) = elements::action(enterprise, field.element);
            let host = matches!(field.element, 8 | 12 | 27 | 28);
            Step {
                action,
                fallback,
                length: field.length,
                skip_zero: both || !host,
                again: false,
                before: false,
            }
        };
        let steps: Vec<Step> = fields().map(|field| step(field, field.enterprise)).collect();
        let mut reverse = Vec::new();
        if fields().any(|field| field.enterprise == REVERSE && matches!(field.element, 1 | 2)) {
            reverse.extend(fields().map(|field| match field.enterprise {
                REVERSE => step(field, 0),
                0 if !elements::is_directed(field.element) => {
                    let step = step(field, 0);
                    Step { action: elements::reversed(step.action), ..step }
                }
                _ => Step { action: Action::Skip, ..step(field, 0) },
            }));
        }
        let min_len =
            steps.iter().map(|step| if step.length == VARIABLE { 1 } else { step.length.into() }).sum();
        let has_fallbacks = steps.iter().chain(&reverse).any(|step| step.fallback);
        let is_fixed = steps.iter().all(|step| step.length != VARIABLE);
        let (mut steps, reverse) = (merged(steps), merged(reverse));
        let may_nest = note_repeats(&mut steps);
        (min_len > 0).then_some(Self {
            steps,
            min_len,
            reverse,
            is_fixed,
            has_fallbacks,
            may_nest,
            open,
            is_options,
        })
    }

    /// Its memory, in steps.
    pub fn size(&self) -> usize {
        self.steps.len() + self.reverse.len()
    }

    /// Whether records can have values for the reverse direction.
    pub fn has_reverse(&self) -> bool {
        !self.reverse.is_empty()
    }

    /// Takes the next record of a set; fewer bytes than the shortest record are padding.
    #[inline]
    pub fn next_record<'a>(&self, set: &mut Input<'a>) -> Option<Input<'a>> {
        if set.0.len() < self.min_len {
            return None;
        }
        if self.is_fixed {
            return set.part(self.min_len);
        }
        let record = *set;
        for step in &self.steps {
            field(step.length, set)?;
        }
        Some(record)
    }

    /// Passes the values of a record to a flow.
    #[inline]
    pub fn run(&self, record: Input<'_>, flow: &mut impl Flow) -> Option<Found> {
        self.run_steps(&self.steps, record, flow)
    }

    /// Passes the values of the reverse direction to a flow; `None` if it has no traffic.
    pub fn run_reverse(&self, record: Input<'_>, flow: &mut impl Flow) -> Option<Found> {
        let mut input = record;
        let mut seen = 0;
        for step in &self.reverse {
            let value = field(step.length, &mut input)?;
            if let Action::Uint64(Uint64::Bytes | Uint64::Packets) = step.action {
                seen |= number(value)?;
            }
        }
        if seen == 0 { None } else { self.run_steps(&self.reverse, record, flow) }
    }

    #[inline]
    fn run_steps(&self, steps: &[Step], record: Input<'_>, flow: &mut impl Flow) -> Option<Found> {
        let mut found = Found { open: self.open, ..Found::default() };
        let nests = self.may_nest && nests(steps, record)?;
        let mut input = record;
        for step in steps {
            let value = field(step.length, &mut input)?;
            if !(step.fallback || if nests { step.before } else { step.again }) {
                found.apply(step, value, flow);
            }
        }
        if self.has_fallbacks {
            let mut input = record;
            for step in steps {
                let value = field(step.length, &mut input)?;
                if step.fallback {
                    found.apply(step, value, flow);
                }
            }
        }
        found.conclude(flow);
        Some(found)
    }

    /// The sampling data in a record of options.
    pub fn options(&self, record: Input<'_>) -> Option<Rate> {
        let mut input = record;
        let mut rate = Rate::default();
        for step in &self.steps {
            let value = field(step.length, &mut input)?;
            if let Action::Sampling(part) = step.action {
                rate.note(part, value);
            }
        }
        Some(rate)
    }
}

/// Marks the steps for headers of packets that come twice. Tells whether a record may have a packet inside of another.
fn note_repeats(steps: &mut [Step]) -> bool {
    let column = |action| match action {
        // Addresses of either version are the same column; a record has those of one, unless it has two packets.
        Action::Ipv4(column) | Action::Ipv6(column) => Action::Ipv4(column),
        other => other,
    };
    // There are few actions and columns of packets, however many fields a template has.
    let (mut may_nest, mut actions, mut columns) = (false, Vec::new(), Vec::new());
    for step in steps.iter_mut().filter(|step| elements::is_of_packet(step.action)) {
        // The addresses of both versions: the values tell whether both count.
        step.again = seen(&mut actions, step.action);
        let repeats = seen(&mut columns, column(step.action));
        may_nest |= repeats && matches!(step.action, Action::Ipv4(_) | Action::Ipv6(_));
    }
    columns.clear();
    for step in steps.iter_mut().rev().filter(|step| elements::is_of_packet(step.action)) {
        step.before = seen(&mut columns, column(step.action));
    }
    may_nest
}

/// Whether an action is among these, where it then is.
fn seen(actions: &mut Vec<Action>, action: Action) -> bool {
    let before = actions.contains(&action);
    if !before {
        actions.push(action);
    }
    before
}

/// Whether a record has the source address of a packet inside of another.
#[cold]
fn nests(steps: &[Step], record: Input<'_>) -> Option<bool> {
    let (mut input, mut addresses, mut again) = (record, 0, false);
    for step in steps {
        let value = field(step.length, &mut input)?;
        if let Action::Ipv4(Address::SrcAddr) | Action::Ipv6(Address::SrcAddr) = step.action
            && value.iter().any(|&byte| byte != 0)
        {
            addresses += 1;
            again |= step.again;
        }
    }
    Some(again || addresses > 1)
}

/// Joins neighbours that are skipped.
fn merged(steps: Vec<Step>) -> Vec<Step> {
    let mut merged: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        match merged.last_mut() {
            Some(last)
                if (last.action, step.action) == (Action::Skip, Action::Skip)
                    && step.length != VARIABLE
                    && last.length < VARIABLE - step.length =>
            {
                last.length += step.length;
            }
            _ => merged.push(step),
        }
    }
    merged.shrink_to_fit();
    merged
}

/// The bytes of a field.
#[inline]
fn field<'a>(length: u16, input: &mut Input<'a>) -> Option<&'a [u8]> {
    if length != VARIABLE {
        return input.take(length.into());
    }
    // One byte, or 255 and two more.
    let length = match input.u8()? {
        255 => input.u16()?,
        short => short.into(),
    };
    input.take(length.into())
}

impl Found {
    /// The addresses of the flow say which IP it is; those of a next hop or of a translation may be of the other.
    #[inline]
    fn note_version(&mut self, column: Address, etype: u16) {
        if self.etype == 0 && elements::is_host(column) {
            self.etype = etype;
        }
    }

    #[inline]
    fn apply(&mut self, step: &Step, value: &[u8], flow: &mut impl Flow) {
        match step.action {
            Action::Skip => {}
            Action::Uint64(column) => flow.uint64(column, number(value).unwrap_or(0)),
            Action::Uint32(column) => {
                let value = number(value).unwrap_or(0) as u32;
                match column {
                    Uint32::Proto if self.protocol == 0 => self.protocol = value as u8,
                    Uint32::DstPort if self.destination_port == 0 => self.destination_port = value,
                    Uint32::ICMPType | Uint32::ICMPCode => self.has_icmp = true,
                    _ => {}
                }
                flow.uint32(column, value);
            }
            Action::Ipv4(column) => {
                if let Ok(address) = <[u8; 4]>::try_from(value)
                    && !(step.skip_zero && address == [0; 4])
                {
                    self.note_version(column, IPV4);
                    flow.address(column, &mapped(address));
                }
            }
            Action::Ipv6(column) => {
                if let Ok(address) = <&[u8; 16]>::try_from(value)
                    && !(step.skip_zero && *address == [0; 16])
                {
                    self.note_version(column, IPV6);
                    flow.address(column, address);
                }
            }
            Action::Mac(column) => flow.uint64(column, value.try_into().map_or(0, mac)),
            _ => self.apply_rare(step.action, value, flow),
        }
    }

    #[cold]
    fn apply_rare(&mut self, action: Action, value: &[u8], flow: &mut impl Flow) {
        match action {
            Action::IcmpTypeAndCode => {
                self.has_icmp = true;
                let both = number(value).unwrap_or(0) as u32;
                flow.uint32(Uint32::ICMPType, both >> 8 & 0xff);
                flow.uint32(Uint32::ICMPCode, both & 0xff);
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
                // A sample may be truncated.
                self.packet = Some(match action {
                    Action::Frame => headers::ethernet(value, self.open, flow),
                    _ => Layers { network: headers::internet(value, self.open, flow), ..Layers::default() },
                });
            }
            Action::Sampling(part) => self.rate.note(part, value),
            _ => {}
        }
    }

    /// Values derived from several fields.
    #[inline]
    fn conclude(&self, flow: &mut impl Flow) {
        let by_exporter = if self.version != 0 { self.version } else { self.frame_type };
        flow.uint32(Uint32::EType, if self.etype != 0 { self.etype } else { by_exporter }.into());
        if matches!(self.protocol, ICMP | ICMPV6) && !self.has_icmp {
            // Where ports would be, exporters without elements for it put both.
            flow.uint32(Uint32::ICMPType, self.destination_port >> 8 & 0xff);
            flow.uint32(Uint32::ICMPCode, self.destination_port & 0xff);
        }
        if self.packet.is_some() || self.frame_length != 0 {
            self.conclude_packet(flow);
        }
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
    }
}

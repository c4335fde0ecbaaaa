//! [`Template`]: the layout of records, as an exporter describes it, made into steps.

use super::columns::{Address, Uint64};
use super::elements::{self, Action};
use super::flow::Flow;
use super::found::Found;
use super::headers::Start;
use super::input::{Input, number};
use super::sampling::Rate;
use super::tunnels::{self, Tunnels};

/// The length of fields that say their length in each record.
const VARIABLE: u16 = u16::MAX;

/// The last packet of a record that is told from others, counted from 0; any after it count as that one.
const LAST_PACKET: u8 = 31;

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
    /// Whether records may have values of several packets, so that one has to be chosen.
    has_choice: bool,
    open: Tunnels,
    pub is_options: bool,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    action: Action,
    element: u16,
    length: u16,
    fallback: bool,
    /// A zero address is no address.
    skip_zero: bool,
    /// Which of the packets of a record the field is of, from the outermost on; `None` if it is of none.
    packet: Option<u8>,
    /// Whether another packet has the same field.
    repeats: bool,
}

/// The steps of a record that count.
#[derive(Clone, Copy, Debug)]
enum Choice {
    All,
    /// Those of this packet, and those that are of none. If no other packet is in the record, then also those that one packet alone has.
    Packet {
        packet: u8,
        nests: bool,
    },
    /// A tunnel is opened in the start of a packet: that, and what is of no packet.
    Section,
}

impl Choice {
    #[inline]
    fn has(self, step: &Step) -> bool {
        match (self, step.packet) {
            (Self::All, _) | (Self::Packet { .. }, None) => true,
            (Self::Packet { packet, nests }, Some(own)) => own == packet || !nests && !step.repeats,
            (Self::Section, _) => elements::is_of_device(step.action),
        }
    }
}

impl Template {
    /// `None` if a record could be empty, and there would be no end of them. Fields without bytes say nothing and are left
    /// out, so that a record has no more fields than bytes.
    ///
    /// A record can have the header of a packet and that of one inside, as those of SRv6 have: the same elements twice, or
    /// the addresses of both versions of IP. The flow is that of the innermost packet whose addresses are not zero. No flow has
    /// values of two packets: what only the outer one has is left out.
    pub fn new(fields: &[FieldSpecifier], is_options: bool, open: Tunnels) -> Option<Self> {
        let fields = || fields.iter().filter(|field| field.length != 0);
        let has = |element| fields().any(|f| f.enterprise == 0 && f.element == element);
        // Some exporters have one template for both versions of IP, and leave one pair of addresses zero.
        let both = has(8) && has(27) || has(12) && has(28);
        let step = |field: &FieldSpecifier, (action, fallback)| Step {
            action,
            element: field.element,
            length: field.length,
            fallback,
            skip_zero: both || !matches!(field.element, 8 | 12 | 27 | 28),
            packet: None,
            repeats: false,
        };
        let forward = |field: &FieldSpecifier| step(field, elements::action(field.enterprise, field.element));
        let reverse =
            |field: &FieldSpecifier| step(field, elements::reverse(field.enterprise, field.element));
        let mut steps = merged(fields().map(forward));
        let mut reverse =
            match fields().any(|field| elements::counts_reverse(field.enterprise, field.element)) {
                true => merged(fields().map(reverse)),
                false => Vec::new(),
            };
        let has_section = steps.iter().any(|step| matches!(step.action, Action::Frame | Action::Packet));
        let has_choice =
            mark_packets(&mut steps) | mark_packets(&mut reverse) | (has_section && !open.is_none());
        let min_len =
            steps.iter().map(|step| if step.length == VARIABLE { 1 } else { step.length.into() }).sum();
        (min_len > 0).then_some(Self {
            min_len,
            is_fixed: steps.iter().all(|step| step.length != VARIABLE),
            has_fallbacks: steps.iter().chain(&reverse).any(|step| step.fallback),
            has_choice,
            steps,
            reverse,
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
        let mut found = Found::new(self.open);
        let choice = if self.has_choice { choose(steps, record, self.open)? } else { Choice::All };
        let mut input = record;
        for step in steps {
            let value = field(step.length, &mut input)?;
            if !step.fallback && choice.has(step) {
                found.apply(step.action, step.skip_zero, value, flow);
            }
        }
        if self.has_fallbacks {
            let mut input = record;
            for step in steps {
                let value = field(step.length, &mut input)?;
                if step.fallback && choice.has(step) {
                    found.apply(step.action, step.skip_zero, value, flow);
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

/// Marks the steps for headers of packets with their packet; whether there are several.
///
/// A packet begins with its address of the source or the destination, or before these with a field that the packet before has
/// already. The addresses of both versions of IP can come in turns.
fn mark_packets(steps: &mut [Step]) -> bool {
    // The elements of packets are few, however many fields a template has.
    let (mut all, mut twice, mut own) = (Vec::new(), Vec::new(), Vec::new());
    let (mut hosts, mut pairs, mut packet) = ([0; 2], 0, 0);
    for step in steps.iter_mut().filter(|step| elements::is_of_packet(step.action)) {
        let key = (step.element, step.action);
        if seen(&mut all, key) {
            seen(&mut twice, key);
        }
        if let Some(host) = elements::host(step.action) {
            let count = &mut hosts[usize::from(host == Address::DstAddr)];
            step.packet = Some(*count);
            if *count > pairs {
                pairs = *count;
                // Fields before its addresses may have begun it.
                if packet != pairs {
                    packet = pairs;
                    own.clear();
                }
            }
            *count = LAST_PACKET.min(*count + 1);
        } else {
            if seen(&mut own, key) {
                packet = LAST_PACKET.min(pairs + 1);
                own.clear();
                own.push(key);
            }
            step.packet = Some(packet);
        }
    }
    for step in steps.iter_mut() {
        step.repeats = twice.contains(&(step.element, step.action));
    }
    steps.iter().any(|step| step.packet.is_some_and(|packet| packet > 0))
}

/// Whether a field is among these, where it then is.
fn seen(fields: &mut Vec<(u16, Action)>, field: (u16, Action)) -> bool {
    let before = fields.contains(&field);
    if !before {
        fields.push(field);
    }
    before
}

/// The steps of a record that count.
#[cold]
fn choose(steps: &[Step], record: Input<'_>, open: Tunnels) -> Option<Choice> {
    let (mut input, mut packets) = (record, 0_u32);
    for step in steps {
        let value = field(step.length, &mut input)?;
        let is_opened = match step.action {
            Action::Frame => tunnels::are_in(Start::Ethernet, value, open),
            Action::Packet => tunnels::are_in(Start::Internet, value, open),
            _ => false,
        };
        if is_opened {
            return Some(Choice::Section);
        }
        if let (Some(packet), Some(_)) = (step.packet, elements::host(step.action))
            && value.iter().any(|&byte| byte != 0)
        {
            packets |= 1 << packet;
        }
    }
    Some(Choice::Packet {
        packet: packets.checked_ilog2().unwrap_or(0) as u8,
        nests: packets.count_ones() > 1,
    })
}

/// Joins neighbours that are skipped.
fn merged(steps: impl Iterator<Item = Step>) -> Vec<Step> {
    let mut merged: Vec<Step> = Vec::new();
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

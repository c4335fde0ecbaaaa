//! [`Template`]: the layout of records, as an exporter describes it, made into steps.

use super::columns::{Address, List, Uint32, Uint64};
use super::elements::{self, Action, REVERSE};
use super::flow::Flow;
use super::headers::{self, IPV4, IPV6};
use super::input::{Input, mac, mapped, number};
use super::sampling::Rate;

/// The length of fields that say their length in each record.
const VARIABLE: u16 = u16::MAX;

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
    pub is_options: bool,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    action: Action,
    length: u16,
    fallback: bool,
    /// A zero address is no address.
    skip_zero: bool,
}

/// Values of a record that are not columns.
#[derive(Default)]
pub struct Found {
    pub rate: Rate,
    etype: u16,
    /// Whether the record has the start of a packet.
    packet: bool,
}

impl Template {
    /// `None` if a record could be empty, and there would be no end of them. Fields without bytes say nothing and are left
    /// out, so that a record has no more fields than bytes.
    pub fn new(fields: &[FieldSpecifier], is_options: bool) -> Option<Self> {
        let fields = || fields.iter().filter(|field| field.length != 0);
        let has = |element| fields().any(|f| f.enterprise == 0 && f.element == element);
        // Some exporters have one template for both versions of IP, and leave one pair of addresses zero.
        let both = has(8) && has(27) || has(12) && has(28);
        let step = |field: &FieldSpecifier, enterprise| {
            let (action, fallback) = elements::action(enterprise, field.element);
            let host = matches!(field.element, 8 | 12 | 27 | 28);
            Step { action, fallback, length: field.length, skip_zero: both || !host }
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
        let (steps, reverse) = (merged(steps), merged(reverse));
        (min_len > 0).then_some(Self { steps, min_len, reverse, is_fixed, has_fallbacks, is_options })
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
        let mut found = Found::default();
        let mut input = record;
        for step in steps {
            let value = field(step.length, &mut input)?;
            if !step.fallback {
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
    /// The addresses of the flow say which IP it is; those of a next hop or behind a translation may be of the other.
    #[inline]
    fn note_version(&mut self, column: Address, etype: u16) {
        if matches!(column, Address::SrcAddr | Address::DstAddr) {
            self.etype = etype;
        }
    }

    #[inline]
    fn apply(&mut self, step: &Step, value: &[u8], flow: &mut impl Flow) {
        match step.action {
            Action::Skip => {}
            Action::Uint64(column) => flow.uint64(column, number(value).unwrap_or(0)),
            Action::Uint32(column) => flow.uint32(column, number(value).unwrap_or(0) as u32),
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
                let both = number(value).unwrap_or(0) as u32;
                flow.uint32(Uint32::ICMPType, both >> 8 & 0xff);
                flow.uint32(Uint32::ICMPCode, both & 0xff);
            }
            Action::DiffServ => flow.uint32(Uint32::TOS, (number(value).unwrap_or(0) as u32 & 0x3f) << 2),
            Action::IpVersion => match number(value) {
                Some(4) => self.etype = IPV4,
                Some(6) => self.etype = IPV6,
                _ => {}
            },
            Action::MplsLabel => {
                if let &[a, b, c] = value
                    && (a, b, c >> 4) != (0, 0, 0)
                {
                    let label = u32::from_be_bytes([0, a, b, c]) >> 4;
                    flow.list(List::MPLSLabels, [label].into_iter());
                }
            }
            Action::Frame => {
                self.packet = true;
                // A sample may be truncated.
                let _ = headers::ethernet(value, flow);
            }
            Action::Packet => {
                self.packet = true;
                let _ = headers::internet(value, flow);
            }
            Action::Sampling(part) => self.rate.note(part, value),
            _ => {}
        }
    }

    /// Values derived from several fields.
    #[inline]
    fn conclude(&self, flow: &mut impl Flow) {
        flow.uint32(Uint32::EType, self.etype.into());
        if self.packet {
            flow.uint64(Uint64::Packets, 1);
        }
    }
}

//! NetFlow version 9 (RFC 3954) and IPFIX (RFC 7011): sets of templates, and of the records that they describe.

use super::columns::{Address, Uint64};
use super::elements;
use super::exporters::{DomainKey, Exporters, KnownRates};
use super::flow::{Flow, Sink};
use super::found::Found;
use super::input::Input;
use super::template::{FieldSpecifier, Template};
use super::{Fault, Statistics};

/// The protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    NetFlow9,
    Ipfix,
}

impl Version {
    pub fn of(number: u16) -> Option<Self> {
        match number {
            9 => Some(Self::NetFlow9),
            10 => Some(Self::Ipfix),
            _ => None,
        }
    }

    /// The sets that hold templates and options templates.
    fn template_sets(self) -> [u16; 2] {
        match self {
            Self::NetFlow9 => [0, 1],
            Self::Ipfix => [2, 3],
        }
    }
}

/// Smaller numbers of sets and templates are reserved.
const FIRST_DATA_SET: u16 = 256;

/// Decodes a datagram that was received at a time (seconds) from an exporter.
pub fn decode(
    datagram: &[u8],
    received: u64,
    exporter: &[u8; 16],
    exporters: &mut Exporters,
    sink: &mut impl Sink,
    statistics: &mut Statistics,
) -> Result<(), Fault> {
    let mut input = Input(datagram);
    let version = input.u16().and_then(Version::of).ok_or(Fault::Version)?;
    let (id, mut sets) = match version {
        Version::NetFlow9 => {
            let header = input.array::<18>().ok_or(Fault::Truncated)?;
            let [.., a, b, c, d] = header;
            (u32::from_be_bytes([a, b, c, d]), input)
        }
        Version::Ipfix => {
            let len = usize::from(input.u16().ok_or(Fault::Truncated)?);
            let [.., a, b, c, d] = input.array::<12>().ok_or(Fault::Truncated)?;
            let body = len.checked_sub(16).ok_or(Fault::Malformed)?;
            // Read a truncated message as far as possible.
            let sets = input.part(body.min(input.0.len())).ok_or(Fault::Truncated)?;
            (u32::from_be_bytes([a, b, c, d]), sets)
        }
    };
    let key = DomainKey { exporter: *exporter, version, id };
    // Fewer bytes than the header of a set are padding.
    while sets.0.len() >= 4 {
        let (set, len) = (sets.u16().ok_or(Fault::Truncated)?, sets.u16().ok_or(Fault::Truncated)?);
        let body = usize::from(len).checked_sub(4).ok_or(Fault::Malformed)?;
        let body = sets.part(body).ok_or(Fault::Truncated)?;
        let [templates, options] = version.template_sets();
        if set == templates || set == options {
            learn(&key, set == options, body, exporters, sink, statistics)?;
        } else if set >= FIRST_DATA_SET {
            data(&key, set, body, received, exporters, sink, statistics);
        }
    }
    Ok(())
}

/// A set of templates: stores them, and decodes the sets that waited for them.
fn learn(
    key: &DomainKey,
    is_options: bool,
    mut set: Input<'_>,
    exporters: &mut Exporters,
    sink: &mut impl Sink,
    statistics: &mut Statistics,
) -> Result<(), Fault> {
    let mut fields = Vec::new();
    while set.0.len() >= 4 {
        let id = set.u16().ok_or(Fault::Truncated)?;
        let count = set.u16().ok_or(Fault::Truncated)?;
        if id < FIRST_DATA_SET {
            if (id, count) == (0, 0) || !(key.version == Version::Ipfix && count == 0) {
                // Padding, or a template without a usable length.
                return if id == 0 { Ok(()) } else { Err(Fault::Malformed) };
            }
            // RFC 7011, section 8.1: the number of the set stands for all its templates.
            exporters.forget(key, None, is_options);
            continue;
        }
        if count == 0 && key.version == Version::Ipfix {
            exporters.forget(key, Some(id), is_options);
            continue;
        }
        fields.clear();
        specifiers(key.version, is_options, count, &mut set, &mut fields)?;
        let Some(template) = Template::new(&fields, is_options, exporters.open) else {
            exporters.forget(key, Some(id), is_options);
            statistics.fault(Fault::Malformed);
            continue;
        };
        if !exporters.learn(key, id, template) {
            statistics.fault(Fault::TooMany);
            continue;
        }
        statistics.templates += 1;
        for waiting in exporters.take_waiting(key, id) {
            data(key, id, Input(&waiting.body), waiting.received, exporters, sink, statistics);
        }
    }
    Ok(())
}

/// The fields of a template; scopes are not told apart from other fields, whose numbers theirs do not share in IPFIX.
fn specifiers(
    version: Version,
    is_options: bool,
    count: u16,
    set: &mut Input<'_>,
    fields: &mut Vec<FieldSpecifier>,
) -> Result<(), Fault> {
    let (scopes, count) = match (is_options, version) {
        (false, _) => (0, count),
        (true, Version::Ipfix) => (set.u16().ok_or(Fault::Truncated)?, count),
        (true, Version::NetFlow9) => {
            // Lengths in bytes: of the scopes, here in the place of the count, and of the options.
            let options = set.u16().ok_or(Fault::Truncated)?;
            (count / 4, (count / 4).saturating_add(options / 4))
        }
    };
    for index in 0..count {
        let element = set.u16().ok_or(Fault::Truncated)?;
        let length = set.u16().ok_or(Fault::Truncated)?;
        let (element, mut enterprise) = match version {
            Version::Ipfix if element & 0x8000 != 0 => (element & 0x7fff, set.u32().ok_or(Fault::Truncated)?),
            _ => (element, 0),
        };
        if version == Version::NetFlow9 && index < scopes {
            // System, interface, line card: numbers of their own.
            enterprise = elements::SCOPE;
        }
        fields.push(FieldSpecifier { enterprise, element, length });
    }
    Ok(())
}

/// A set of records.
fn data(
    key: &DomainKey,
    id: u16,
    set: Input<'_>,
    received: u64,
    exporters: &mut Exporters,
    sink: &mut impl Sink,
    statistics: &mut Statistics,
) {
    match exporters.find(key, id) {
        None => exporters.wait(key, id, received, set.0),
        Some((template, _)) if template.is_options => options(key, id, set, exporters, statistics),
        Some((template, rates)) if !rates.are_new() => flows(key, template, &rates, set, received, sink),
        Some(_) => {
            exporters.has_flows(key);
            if let Some((template, rates)) = exporters.find(key, id) {
                flows(key, template, &rates, set, received, sink);
            }
        }
    }
}

/// A set of records of options.
fn options(
    key: &DomainKey,
    id: u16,
    mut set: Input<'_>,
    exporters: &mut Exporters,
    statistics: &mut Statistics,
) {
    let Some((template, rates)) = exporters.find_options(key, id) else { return };
    while let Some(record) = template.next_record(&mut set) {
        statistics.options += 1;
        if !template.options(record).is_none_or(|rate| rates.insert(&rate)) {
            statistics.fault(Fault::TooMany);
        }
    }
    if !exporters.lend(key) {
        statistics.fault(Fault::TooMany);
    }
}

/// A set of records of flows.
fn flows(
    key: &DomainKey,
    template: &Template,
    rates: &KnownRates<'_>,
    mut set: Input<'_>,
    received: u64,
    sink: &mut impl Sink,
) {
    while let Some(record) = template.next_record(&mut set) {
        // Skip an incomplete record.
        let _ = sink.flow(|flow| {
            head(flow, received, &key.exporter);
            template.run(record, flow).map(|found| rate(flow, &found, rates)).ok_or(())
        });
        if template.has_reverse() {
            let _ = sink.flow(|flow| {
                head(flow, received, &key.exporter);
                template.run_reverse(record, flow).map(|found| rate(flow, &found, rates)).ok_or(())
            });
        }
    }
}

#[inline]
fn head(flow: &mut impl Flow, received: u64, exporter: &[u8; 16]) {
    flow.uint64(Uint64::TimeReceived, received);
    flow.address(Address::ExporterAddress, exporter);
}

/// The sampling rate in the record, or else that of its sampler.
#[inline]
fn rate(flow: &mut impl Flow, found: &Found, rates: &KnownRates<'_>) {
    let rate = found.rate.get().or_else(|| rates.get(found.rate.sampler));
    // An exporter that says nothing of sampling counts every packet.
    flow.uint64(Uint64::SamplingRate, rate.unwrap_or(1));
}

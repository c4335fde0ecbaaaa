//! [`Exporters`]: the state of exporters between datagrams.
//!
//! Anybody can send datagrams, so everything has a limit. Above it, new state is refused or replaces the oldest.

use super::netflow9::Version;
use super::sampling::{COMMON, Rates};
use super::template::Template;
use super::tunnels::Tunnels;
use std::collections::{HashMap, VecDeque};

/// The most observation domains.
const MAX_DOMAINS: usize = 1024;
/// The most steps of all templates together; 16 bytes each.
const MAX_STEPS: usize = 1 << 16;
/// The most sets that wait for their template, and their bytes.
const MAX_WAITING: usize = 1024;
const MAX_WAITING_BYTES: usize = 1 << 20;
/// The most domains of an exporter that lend their rates: each is asked for each flow without a rate of its own.
const MAX_LENDERS: usize = 16;

/// An observation domain of an exporter; each domain numbers its own templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DomainKey {
    pub exporter: [u8; 16],
    pub version: Version,
    pub id: u32,
}

#[derive(Default)]
struct Domain {
    templates: HashMap<u16, Template>,
    rates: Rates,
    /// Whether flows came from it, and not only options.
    has_flows: bool,
}

/// The rates that flows of a domain can have: its own, and those that other domains of the exporter lend.
pub struct KnownRates<'e> {
    key: DomainKey,
    own: &'e Domain,
    domains: &'e HashMap<DomainKey, Domain>,
    lenders: &'e [u32],
}

impl KnownRates<'_> {
    /// The rate of a flow that a sampler has taken, or an unnamed one.
    #[inline]
    pub fn get(&self, sampler: Option<u64>) -> Option<u64> {
        let own = &self.own.rates;
        let named = |sampler| own.named(sampler).or_else(|| self.lent(sampler));
        sampler.and_then(named).or_else(|| own.get(sampler)).or_else(|| self.lent(COMMON))
    }

    /// Whether these are the domain's first flows.
    pub fn are_new(&self) -> bool {
        !self.own.has_flows
    }

    /// The rate of a sampler by other domains; `None` if they contradict each other.
    fn lent(&self, sampler: u64) -> Option<u64> {
        let domain = |&id| self.domains.get(&DomainKey { id, ..self.key });
        let mut rates =
            self.lenders.iter().filter_map(domain).filter_map(|domain| domain.rates.named(sampler));
        let rate = rates.next()?;
        rates.all(|other| other == rate).then_some(rate)
    }
}

/// A set of records whose template is not known yet.
pub struct Waiting {
    key: DomainKey,
    id: u16,
    pub received: u64,
    pub body: Vec<u8>,
}

/// Templates, sampling rates, and sets that came before their template.
#[derive(Default)]
pub struct Exporters {
    domains: HashMap<DomainKey, Domain>,
    /// The domains of exporters that have told rates and sent no flows: Cisco's IOS XE tells of its samplers in another
    /// domain than that of the flows that they take. What a domain with flows tells is of its own samplers.
    lenders: HashMap<([u8; 16], Version), Vec<u32>>,
    steps: usize,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    /// Sets dropped before their template came.
    pub given_up: u64,
    /// The tunnels that are opened in sections of packets.
    pub open: Tunnels,
}

impl Exporters {
    /// The template of a set, and the rates that its flows can have.
    #[inline]
    pub fn find(&self, key: &DomainKey, id: u16) -> Option<(&Template, KnownRates<'_>)> {
        let domain = self.domains.get(key)?;
        let lenders = self.lenders.get(&(key.exporter, key.version)).map_or(&[][..], |lenders| lenders);
        let rates = KnownRates { key: *key, own: domain, domains: &self.domains, lenders };
        Some((domain.templates.get(&id)?, rates))
    }

    /// Takes note of a domain's first flows: it lends no more.
    #[cold]
    pub fn has_flows(&mut self, key: &DomainKey) {
        if let Some(domain) = self.domains.get_mut(key) {
            domain.has_flows = true;
        }
        if let Some(lenders) = self.lenders.get_mut(&(key.exporter, key.version)) {
            lenders.retain(|lender| *lender != key.id);
        }
    }

    /// The template of a set of options, and the rates of its domain.
    pub fn find_options(&mut self, key: &DomainKey, id: u16) -> Option<(&Template, &mut Rates)> {
        let domain = self.domains.get_mut(key)?;
        Some((domain.templates.get(&id)?, &mut domain.rates))
    }

    /// Lets flows of other domains have the rates of this one, if it has any and no flows; false above the limit.
    pub fn lend(&mut self, key: &DomainKey) -> bool {
        let can_lend = |domain: &Domain| !domain.has_flows && !domain.rates.is_empty();
        if !self.domains.get(key).is_some_and(can_lend) {
            return true;
        }
        let lenders = self.lenders.entry((key.exporter, key.version)).or_default();
        if !lenders.contains(&key.id) {
            if lenders.len() >= MAX_LENDERS {
                return false;
            }
            lenders.push(key.id);
        }
        true
    }

    /// Stores or replaces a template; false above the limit.
    pub fn learn(&mut self, key: &DomainKey, id: u16, template: Template) -> bool {
        if self.domains.len() >= MAX_DOMAINS && !self.domains.contains_key(key) {
            return false;
        }
        let domain = self.domains.entry(*key).or_default();
        // Even if the new template is refused, the old one is no longer valid.
        self.steps -= domain.templates.remove(&id).map_or(0, |before| before.size());
        let steps = self.steps + template.size();
        if steps > MAX_STEPS {
            return false;
        }
        self.steps = steps;
        domain.templates.insert(id, template);
        true
    }

    /// Removes a withdrawn template, or all templates or options templates.
    pub fn forget(&mut self, key: &DomainKey, id: Option<u16>, is_options: bool) {
        let Some(domain) = self.domains.get_mut(key) else { return };
        let steps = &mut self.steps;
        domain.templates.retain(|own, template| {
            let goes = id.is_none_or(|id| id == *own) && template.is_options == is_options;
            *steps -= if goes { template.size() } else { 0 };
            !goes
        });
        domain.templates.shrink_to_fit();
    }

    /// Keeps a set until its template comes. Drops the oldest sets above the limit.
    pub fn wait(&mut self, key: &DomainKey, id: u16, received: u64, body: &[u8]) {
        self.waiting_bytes += body.len();
        self.waiting.push_back(Waiting { key: *key, id, received, body: body.to_vec() });
        while self.waiting.len() > MAX_WAITING || self.waiting_bytes > MAX_WAITING_BYTES {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.waiting_bytes -= oldest.body.len();
            self.given_up += 1;
        }
    }

    /// The sets that have waited for this template.
    pub fn take_waiting(&mut self, key: &DomainKey, id: u16) -> Vec<Waiting> {
        let is_due = |waiting: &Waiting| (&waiting.key, waiting.id) == (key, id);
        if !self.waiting.iter().any(is_due) {
            return Vec::new();
        }
        let (due, rest): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(is_due);
        self.waiting.extend(rest);
        self.waiting_bytes -= due.iter().map(|waiting| waiting.body.len()).sum::<usize>();
        due
    }

    /// The sets that are still waiting.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

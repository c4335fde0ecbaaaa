//! Sampling rates: how exporters tell them, and which flow has which.

use super::elements::Sampling;
use super::input::number;
use std::collections::BTreeMap;

/// A sampling rate in the making: the parts that were told so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    pub sampler: Option<u64>,
    interval: u64,
    packet_interval: u64,
    packet_space: Option<u64>,
    size: u64,
    population: u64,
    probability: f64,
}

impl Rate {
    /// Takes note of a field.
    pub fn note(&mut self, part: Sampling, value: &[u8]) {
        if part == Sampling::Probability {
            self.probability = match *value {
                [a, b, c, d] => f32::from_be_bytes([a, b, c, d]).into(),
                _ => value.try_into().map_or(0.0, f64::from_be_bytes),
            };
            return;
        }
        let value = number(value).unwrap_or(0);
        match part {
            Sampling::Sampler => self.sampler = Some(value),
            Sampling::Interval if self.interval == 0 => self.interval = value,
            Sampling::Interval | Sampling::Probability => {}
            Sampling::PacketInterval => self.packet_interval = value,
            Sampling::PacketSpace => self.packet_space = Some(value),
            Sampling::Size => self.size = value,
            Sampling::Population => self.population = value,
        }
    }

    /// One packet of how many was taken; `None` if that was not told.
    pub fn get(&self) -> Option<u64> {
        let ratio = |all: u64, taken: u64| all.checked_div(taken).filter(|&rate| rate > 0);
        if self.interval > 0 {
            return Some(self.interval);
        }
        if self.packet_interval > 0 {
            // RFC 5477, section 8.2: so many packets are taken, and then so many not. The first number alone is half of a rate:
            // exporters that send it mean one of so many.
            return match self.packet_space {
                Some(space) => ratio(self.packet_interval.saturating_add(space), self.packet_interval),
                None => Some(self.packet_interval),
            };
        }
        let inverse = 1.0 / self.probability;
        if inverse.is_finite() && inverse >= 1.0 {
            return Some(inverse.round() as u64);
        }
        ratio(self.population, self.size)
    }
}

/// The sampler that options without one tell of.
pub const COMMON: u64 = 0;

/// The rates of an observation domain, by sampler.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    by_sampler: BTreeMap<u64, u64>,
}

impl Rates {
    /// The samplers that are kept.
    pub const MAX: usize = 256;

    /// Takes note of a record of options; false if there are too many samplers.
    pub fn insert(&mut self, rate: &Rate) -> bool {
        let Some(value) = rate.get() else { return true };
        let sampler = rate.sampler.unwrap_or(COMMON);
        let room = self.by_sampler.len() < Self::MAX || self.by_sampler.contains_key(&sampler);
        if room {
            self.by_sampler.insert(sampler, value);
        }
        room
    }

    /// The rate of a flow that a sampler has taken, or an unnamed one: then that of the domain, or of its only sampler.
    pub fn get(&self, sampler: Option<u64>) -> Option<u64> {
        let named = sampler.and_then(|sampler| self.named(sampler));
        let common = || self.named(COMMON);
        let only = || {
            let first = self.by_sampler.values().next().copied();
            first.filter(|_| sampler.is_none() && self.by_sampler.len() == 1)
        };
        named.or_else(common).or_else(only)
    }

    /// The rate of this sampler.
    pub fn named(&self, sampler: u64) -> Option<u64> {
        self.by_sampler.get(&sampler).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.by_sampler.is_empty()
    }
}

//! [`Fragments`]: puts datagrams together that came in several packets.
//!
//! Anything can be in a capture, so everything has a limit. Above it, the oldest are left out.

use super::super::collect::Datagram;
use super::datagram::{Fragment, Key, udp};
use std::collections::VecDeque;

/// The most datagrams that wait for their rest, and the most packets of one: enough for 64 KiB in packets of 576 bytes.
const MAX_PARTIALS: usize = 64;
const MAX_PARTS: usize = 128;
/// The most bytes of a datagram.
const MAX_LEN: usize = 65_535;
/// The most seconds between two packets of a datagram; after that, an exporter may have begun to number from the start. RFC 8200,
/// section 4.5.
const MAX_SECONDS: u64 = 60;

/// A datagram with its header, once all of it is there.
#[derive(Debug)]
pub struct Whole {
    received: u64,
    source: [u8; 16],
    bytes: Vec<u8>,
}

impl Whole {
    /// `None` if it is too short for a header.
    pub fn datagram(&self) -> Option<Datagram<'_>> {
        udp(&self.bytes, self.source, self.received)
    }
}

/// Datagrams that wait for their rest.
#[derive(Debug, Default)]
pub struct Fragments {
    partials: VecDeque<Partial>,
    left_out: u64,
}

#[derive(Debug)]
struct Partial {
    key: Key,
    received: u64,
    /// The length of the datagram, once its last packet is there.
    end: Option<usize>,
    parts: Vec<(usize, Vec<u8>)>,
}

impl Fragments {
    /// Takes a packet. The datagram, if that is now whole.
    pub fn add(&mut self, fragment: &Fragment<'_>) -> Option<Whole> {
        let known = self.partials.iter().position(|partial| partial.key == fragment.key);
        let mut partial = known.and_then(|index| self.partials.remove(index));
        if let Some(old) = partial.take_if(|old| fragment.received.abs_diff(old.received) > MAX_SECONDS) {
            self.leave_out(&old);
        }
        let mut partial = partial.unwrap_or_else(|| Partial {
            key: fragment.key,
            received: fragment.received,
            end: None,
            parts: Vec::new(),
        });
        // One that was captured twice says nothing more.
        if !partial.has(fragment) && !partial.add(fragment) {
            // What contradicts itself is not put together in any way: RFC 5722.
            self.left_out += 1;
            self.leave_out(&partial);
            return None;
        }
        if partial.is_whole() {
            return Some(partial.into_whole());
        }
        self.partials.push_back(partial);
        while self.partials.len() > MAX_PARTIALS {
            let Some(oldest) = self.partials.pop_front() else { break };
            self.leave_out(&oldest);
        }
        None
    }

    fn leave_out(&mut self, partial: &Partial) {
        self.left_out += partial.parts.len() as u64;
    }

    /// The packets of datagrams that were not whole.
    pub fn left_out(&self) -> u64 {
        let waiting: usize = self.partials.iter().map(|partial| partial.parts.len()).sum();
        self.left_out + waiting as u64
    }
}

impl Partial {
    fn has(&self, fragment: &Fragment<'_>) -> bool {
        self.parts.iter().any(|(at, bytes)| (*at, &bytes[..]) == (fragment.at, fragment.bytes))
    }

    /// False if the packet overlaps another one, ends after the last one, or is one too many.
    fn add(&mut self, fragment: &Fragment<'_>) -> bool {
        let (begin, end) = (fragment.at, fragment.at + fragment.bytes.len());
        let ends = self.parts.iter().map(|(at, bytes)| at + bytes.len());
        let fits = match (fragment.is_last, self.end) {
            (true, None) => ends.max().is_none_or(|most| most <= end),
            (true, Some(_)) => false,
            // All but the last are multiples of eight bytes, so that the next one can begin there.
            (false, last) => (end - begin) % 8 == 0 && last.is_none_or(|last| end <= last),
        };
        let is_apart = |(at, bytes): &(usize, Vec<u8>)| end <= *at || at + bytes.len() <= begin;
        let has_room = begin < end && end <= MAX_LEN && self.parts.len() < MAX_PARTS;
        if !(fits && has_room && self.parts.iter().all(is_apart)) {
            return false;
        }
        self.parts.push((begin, fragment.bytes.to_vec()));
        self.received = fragment.received;
        self.end = if fragment.is_last { Some(end) } else { self.end };
        true
    }

    /// No two packets overlap and none ends after the last, so that their lengths say whether one is missing.
    fn is_whole(&self) -> bool {
        self.end == Some(self.parts.iter().map(|(_, bytes)| bytes.len()).sum())
    }

    fn into_whole(mut self) -> Whole {
        self.parts.sort_unstable_by_key(|(at, _)| *at);
        let bytes = self.parts.into_iter().flat_map(|(_, bytes)| bytes).collect();
        Whole { received: self.received, source: self.key.source, bytes }
    }
}

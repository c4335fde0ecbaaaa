//! Datagrams that were cut off, changed or made up: no panic, and an end to everything.

use crate::common::heap;
use crate::flows::capture::{self, Fragments, Outcome};
use crate::flows::collect::Fault;
use crate::flows::support::Collected;
use crate::flows::traffic::{self, Bytes, NetFlow, Random, SFlow};

/// Datagrams of every kind, templates first.
fn samples() -> Vec<Vec<u8>> {
    let (mut random, mut netflow) = (Random::new(5), NetFlow::new());
    let mut samples: Vec<Vec<u8>> = netflow.templates().into_iter().map(|(_, payload)| payload).collect();
    samples.push(netflow.version5(&mut random).0.1);
    samples.push(netflow.version9(&mut random).0.1);
    samples.push(netflow.ipfix(&mut random).0.1);
    samples.extend((0..4).map(|_| SFlow::datagram(&mut random).0.1));
    samples
}

/// A collector that knows the templates.
fn collected() -> Collected {
    let mut collected = Collected::new();
    samples()[..2].iter().for_each(|payload| collected.receive(payload));
    collected
}

#[test]
fn made_up_traffic_has_no_faults() {
    let mut collected = Collected::new();
    traffic::mixed(5000, 3).iter().for_each(|(_, payload)| collected.receive(payload));
    assert_eq!((collected.collector.statistics.faults, collected.collector.without_template()), (0, 0));
    assert!(collected.flows().len() >= 5000);
}

#[test]
fn every_truncation() {
    let mut collected = collected();
    for payload in samples() {
        for len in 0..payload.len() {
            collected.receive(&payload[..len]);
            // Each flow is less than the bytes that told of it, with time, exporter and rate to each.
            assert!(collected.records.buffer.len() <= 64 + 4 * len, "{len}");
            if len % 16 == 0 {
                collected.flows();
            }
            collected.records.buffer.clear();
            collected.records.flows = 0;
        }
    }
}

#[test]
fn mutations() {
    let samples = samples();
    let mut random = Random::new(9);
    for round in 0..if cfg!(debug_assertions) { 75 } else { 5000 } {
        let mut collected = collected();
        for payload in &samples {
            let mut payload = payload.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(payload.len() as u32) as usize;
                payload[at] = match random.below(4) {
                    0 => 0,
                    1 => 0xff,
                    2 => payload[at] ^ 1 << random.below(8),
                    _ => random.u32() as u8,
                };
            }
            if random.below(4) == 0 {
                let words = random.below(payload.len() as u32 / 4) as usize * 4;
                let other = &samples[random.below(samples.len() as u32) as usize];
                payload.splice(words.., other.iter().skip(words).copied());
            }
            collected.receive(&payload);
        }
        let flows = collected.flows();
        assert!(flows.len() < 5000, "round {round}: {}", flows.len());
    }
}

#[test]
fn random_bytes_after_headers() {
    let mut random = Random::new(11);
    let mut collected = collected();
    for _ in 0..20_000 {
        let mut payload = Bytes::default();
        match random.below(4) {
            0 => payload.u32s(&[5, 1, 0, 0, 0, 0, 1 + random.below(3), 1 + 2 * random.below(2), 400]),
            1 => payload.u16s(&[5, random.below(40) as u16]),
            2 => payload.u16s(&[9, 1]).u32s(&[0, 0, 0, random.below(3)]),
            _ => payload.u16s(&[10, 16 + random.below(500) as u16]).u32s(&[0, 0, random.below(3)]),
        };
        for _ in 0..random.below(100) {
            payload.u32(if random.below(2) == 0 { random.below(600) } else { random.u32() });
        }
        collected.receive(&payload.0);
        if collected.records.buffer.len() > 1 << 20 {
            collected.records.buffer.clear();
        }
    }
}

#[test]
fn memory_has_a_limit() {
    let (collected, memory) = heap::measure(|| {
        let mut collected = Collected::new();
        flood(&mut collected);
        collected.records.buffer = Vec::new();
        collected
    });
    assert!(memory.kept < 8 << 20 && memory.peak < 16 << 20, "{memory:?}");
    assert_eq!(collected.collector.statistics.first_fault, Some(Fault::TooMany));
}

/// Exporters and templates without end, sets that wait, samplers.
fn flood(collected: &mut Collected) {
    for round in 0..if cfg!(debug_assertions) { 15_000 } else { 40_000_u32 } {
        let mut template = Bytes::default();
        template.u16s(&[256 + (round % 5000) as u16, 40]);
        (0..40).fold(&mut template, |template, element| template.u16s(&[element, 4]));
        let len = template.0.len() as u16;
        let mut payload = Bytes::default();
        payload.u16s(&[10, 16 + 4 + len + 4 + 400]).u32s(&[0, 0, round / 7]);
        payload.u16s(&[2, 4 + len]).put(&template.0).u16s(&[60_000, 404]).put(&[1; 400]);
        collected.receive(&payload.0);
    }
    for sampler in 0..10_000_u32 {
        let mut payload = Bytes::default();
        payload.u16s(&[10, 46]).u32s(&[0, 0, 0]).u16s(&[3, 18]).u16s(&[257, 2, 1, 302, 4, 34, 4]);
        payload.u16s(&[257, 12]).u32s(&[sampler, 9]);
        collected.receive(&payload.0);
    }
}

#[test]
fn captures_with_changes() {
    let mut file = Bytes::default();
    file.put(&[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0]).put(&[0; 8]).put(&[0xff, 0xff, 0, 0, 1, 0, 0, 0]);
    for payload in samples() {
        let len = (payload.len() + 42) as u32;
        file.put(&[0; 8]).put(&len.to_le_bytes()).put(&len.to_le_bytes());
        file.put(&[2; 12])
            .u16(0x0800)
            .put(&[0x45, 0])
            .u16s(&[0, 0, 0])
            .put(&[64, 17, 0, 0])
            .put(&[192, 0, 2, 1, 192, 0, 2, 2]);
        file.u16s(&[1, 2, payload.len() as u16 + 8, 0]).put(&payload);
    }
    let mut collected = Collected::new();
    collected.read(&file.0);
    assert!(collected.flows().len() > 70);
    let mut random = Random::new(1);
    for _ in 0..500 {
        let mut changed = file.0.clone();
        for _ in 0..3 {
            let at = random.below(changed.len() as u32) as usize;
            changed[at] = random.u32() as u8;
        }
        let Ok(packets) = capture::packets(&changed) else { continue };
        for packet in packets.flatten() {
            if let Outcome::Fragment(fragment) = capture::datagram(&packet) {
                let _ = Fragments::default().add(&fragment);
            }
        }
    }
}

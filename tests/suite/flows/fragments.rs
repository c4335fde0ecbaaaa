//! Datagrams that came in several packets.

use crate::common::heap;
use crate::flows::capture::{self, Fragments, Outcome, Packet};
use crate::flows::traffic::Bytes;

/// The packets of a datagram of IPv4 with a payload of `len` bytes, cut at multiples of eight bytes; padded as frames are.
fn ipv4(id: u32, len: usize, cuts: &[usize]) -> Vec<Vec<u8>> {
    let datagram = datagram(len);
    parts(&datagram, cuts).map(|(at, more, bytes)| packet4(id as u16, at, more, bytes)).collect()
}

fn packet4(id: u16, at: usize, more: bool, bytes: &[u8]) -> Vec<u8> {
    let flags = (at / 8) as u16 | if more { 0x2000 } else { 0 };
    let mut out = Bytes::default();
    out.put(&[0x45, 0]).u16s(&[20 + bytes.len() as u16, id, flags]).put(&[64, 17, 0, 0]);
    out.put(&[192, 0, 2, 1, 192, 0, 2, 2]).put(bytes).put(&[0; 18]).0.clone()
}

fn ipv6(id: u32, len: usize, cuts: &[usize]) -> Vec<Vec<u8>> {
    let datagram = datagram(len);
    let packet = |(at, more, bytes): (usize, bool, &[u8])| {
        let mut out = Bytes::default();
        // Hop-by-hop options, then the header of the fragment.
        out.u32(6 << 28).u16(16 + bytes.len() as u16).put(&[0, 64]).put(&[0xfd; 16]).put(&[0xfe; 16]);
        out.put(&[44, 0, 1, 4, 0, 0, 0, 0, 17, 0]).u16(at as u16 | u16::from(more)).u32(id);
        out.put(bytes).put(&[0; 18]).0.clone()
    };
    parts(&datagram, cuts).map(packet).collect()
}

fn datagram(len: usize) -> Vec<u8> {
    let payload: Vec<u8> = (0..len).map(|at| at as u8).collect();
    Bytes::default().u16s(&[40_000, 2055, 8 + len as u16, 0]).put(&payload).0.clone()
}

fn parts<'a>(datagram: &'a [u8], cuts: &[usize]) -> impl Iterator<Item = (usize, bool, &'a [u8])> {
    let ends = cuts.iter().copied().chain([datagram.len()]).collect::<Vec<_>>();
    let begins = [0].into_iter().chain(cuts.to_vec());
    begins.zip(ends).map(|(begin, end)| (begin, end < datagram.len(), &datagram[begin..end]))
}

/// The lengths of the datagrams that become whole, and how many packets are left out.
#[track_caller]
fn put_together(fragments: &mut Fragments, packets: &[Vec<u8>], seconds: u64) -> (Vec<usize>, u64) {
    let mut whole = Vec::new();
    for bytes in packets {
        let Outcome::Fragment(fragment) = capture::datagram(&Packet { seconds, link: 101, bytes }) else {
            panic!("no fragment")
        };
        if let Some(found) = fragments.add(&fragment) {
            let datagram = found.datagram().unwrap();
            assert_eq!(datagram.received, seconds);
            assert!(datagram.payload.iter().enumerate().all(|(at, &byte)| byte == at as u8));
            whole.push(datagram.payload.len());
        }
    }
    (whole, fragments.left_out())
}

#[track_caller]
fn found(packets: &[Vec<u8>]) -> (Vec<usize>, u64) {
    put_together(&mut Fragments::default(), packets, 7)
}

#[test]
fn datagrams_are_put_together_in_any_order() {
    for make in [ipv4 as fn(u32, usize, &[usize]) -> Vec<Vec<u8>>, ipv6] {
        let packets = make(1, 3000, &[1480, 2960]);
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(found(&order.map(|index: usize| packets[index].clone())), (vec![3000], 0));
        }
        // Two at once, one that is captured twice, one without its begin.
        let other: Vec<_> = make(2, 2000, &[1024]);
        let mixed = [&packets[..1], &other, &packets[..1], &packets[1..]].concat();
        assert_eq!(found(&mixed), (vec![2000, 3000], 0));
        assert_eq!(found(&packets[1..]), (vec![], 2));
    }
}

#[test]
fn the_sender_is_that_of_the_packets() {
    let mut fragments = Fragments::default();
    let mut source = None;
    for bytes in ipv4(1, 100, &[64]) {
        let Outcome::Fragment(fragment) = capture::datagram(&Packet { seconds: 7, link: 101, bytes: &bytes })
        else {
            panic!("no fragment")
        };
        source = fragments.add(&fragment).map(|whole| whole.datagram().unwrap().source);
    }
    assert_eq!(source, Some(std::net::Ipv4Addr::new(192, 0, 2, 1).to_ipv6_mapped().octets()));
}

/// Of a datagram that contradicts itself, nothing is used; the next one with its number is.
#[test]
fn contradictions_are_left_out() {
    let good = ipv4(1, 200, &[64, 128]);
    let bad = [
        // Overlaps another one, ends after the last one, is a second last one.
        packet4(1, 56, true, &[0; 16]),
        packet4(1, 208, true, &[0; 8]),
        packet4(1, 64, false, &[0; 8]),
        // No multiple of eight bytes, nothing, beyond the end of any datagram.
        packet4(1, 64, true, &[0; 9]),
        packet4(1, 64, true, &[]),
        packet4(1, 65_528, false, &[0; 8]),
    ];
    for bad in bad {
        let mut fragments = Fragments::default();
        let packets = [good[0].clone(), good[2].clone(), bad];
        assert_eq!(put_together(&mut fragments, &packets, 7), (vec![], 3));
        assert_eq!(put_together(&mut fragments, &good, 7), (vec![200], 3));
    }
    // Cut off when it was captured.
    let cut = good[1][..60].to_vec();
    assert_eq!(found(&[good[0].clone(), cut]), (vec![], 2));
}

#[test]
fn numbers_are_used_again() {
    let mut fragments = Fragments::default();
    let packets = ipv4(1, 200, &[64, 128]);
    assert_eq!(put_together(&mut fragments, &packets[..1], 100), (vec![], 1));
    assert_eq!(put_together(&mut fragments, &packets[1..], 161), (vec![], 3), "too long after the first");
    assert_eq!(put_together(&mut fragments, &packets[..1], 221), (vec![200], 1));
}

#[test]
fn waiting_has_a_limit() {
    let (mut fragments, memory) = heap::measure(|| {
        let mut fragments = Fragments::default();
        for id in 0..1000 {
            let begins = ipv4(id, 60_000, &[59_000]);
            put_together(&mut fragments, &begins[..1], 7);
        }
        fragments
    });
    assert!(memory.kept < 5 << 20, "{memory:?}");
    // The latest are still there.
    assert_eq!(put_together(&mut fragments, &ipv4(999, 60_000, &[59_000])[1..], 7), (vec![60_000], 999));
    // As many packets as a datagram can have, and one more.
    for (count, whole) in [(128, 1), (129, 0)] {
        let cuts: Vec<usize> = (1..count).map(|part| part * 8).collect();
        assert_eq!(found(&ipv4(1, count * 8 - 8, &cuts)).0.len(), whole);
    }
}

//! Formats of captures, and headers in front of datagrams.

use crate::flows::capture::{self, CaptureError, Outcome, Packet};
use crate::flows::traffic::Bytes;
use std::net::Ipv6Addr;

const PAYLOAD: &[u8] = b"a datagram";

/// An IPv4 packet with a UDP datagram, and bytes after it.
fn ipv4(fragment: u16, options: &[u8]) -> Vec<u8> {
    let mut out = Bytes::default();
    let words = 5 + options.len() as u8 / 4;
    out.put(&[0x40 | words, 0]).u16s(&[48, 1, fragment]).put(&[64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
    out.put(options).u16s(&[40_000, 2055, 8 + PAYLOAD.len() as u16, 0]).put(PAYLOAD).put(&[0; 6]).0.clone()
}

fn ipv6(next: u8, extensions: &[u8]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u32(6 << 28).u16(100).u8(next).u8(64).put(&[0xfd; 16]).put(&[0xfe; 16]).put(extensions);
    out.u16s(&[40_000, 2055, 8 + PAYLOAD.len() as u16, 0]).put(PAYLOAD).0.clone()
}

fn ethernet(kinds: &[u16], packet: &[u8]) -> Vec<u8> {
    Bytes::default().put(&[2; 12]).u16s(kinds).put(packet).0.clone()
}

#[track_caller]
fn source(link: u32, bytes: &[u8]) -> String {
    match capture::datagram(&Packet { seconds: 7, link, bytes }) {
        Outcome::Datagram(datagram) => {
            assert_eq!((datagram.received, datagram.payload), (7, PAYLOAD));
            Ipv6Addr::from(datagram.source).to_canonical().to_string()
        }
        Outcome::Fragment(_) => "Fragment".into(),
        Outcome::Other => "Other".into(),
    }
}

#[test]
fn datagrams_are_found_after_headers() {
    let fd = "fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd";
    assert_eq!(source(1, &ethernet(&[0x0800], &ipv4(0, &[]))), "192.0.2.1");
    assert_eq!(source(1, &ethernet(&[0x0800], &ipv4(0x4000, &[1; 8]))), "192.0.2.1");
    assert_eq!(source(1, &ethernet(&[0x8100, 5, 0x0800], &ipv4(0, &[]))), "192.0.2.1");
    assert_eq!(source(1, &ethernet(&[0x88a8, 5, 0x8100, 6, 0x86dd], &ipv6(17, &[]))), fd);
    assert_eq!(source(1, &ethernet(&[0x86dd], &ipv6(0, &[17, 0, 1, 4, 0, 0, 0, 0]))), fd);
    for link in [12, 14, 101, 228] {
        assert_eq!(source(link, &ipv4(0, &[])), "192.0.2.1");
    }
    assert_eq!(source(229, &ipv6(17, &[])), fd);
    assert_eq!(source(0, &[&[2, 0, 0, 0][..], &ipv4(0, &[])].concat()), "192.0.2.1");
    assert_eq!(source(108, &[&[0, 0, 0, 30][..], &ipv6(17, &[])].concat()), fd);
    assert_eq!(source(113, &[&[0; 14][..], &[8, 0], &ipv4(0, &[])].concat()), "192.0.2.1");
    assert_eq!(source(276, &[&[8, 0][..], &[0; 18], &ipv4(0, &[])].concat()), "192.0.2.1");
    // All of a datagram, with the header of a fragment.
    assert_eq!(source(229, &ipv6(44, &[17, 0, 0, 0, 0, 0, 0, 9])), fd);
}

#[test]
fn datagrams_are_found_on_serial_lines() {
    let fd = "fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd";
    for link in [9, 50] {
        for address in [&[][..], &[0xff, 3]] {
            assert_eq!(source(link, &[address, &[0, 0x21], &ipv4(0, &[])].concat()), "192.0.2.1");
            assert_eq!(source(link, &[address, &[0, 0x57], &ipv6(17, &[])].concat()), fd);
            // Its own control protocol.
            assert_eq!(source(link, &[address, &[0xc0, 0x21], &ipv4(0, &[])].concat()), "Other");
        }
    }
    assert_eq!(source(104, &[&[0x0f, 0, 8, 0][..], &ipv4(0, &[])].concat()), "192.0.2.1");
}

#[test]
fn fragments_and_other_packets_are_told_apart() {
    // More follows; the last; a later one, whose begin would read as a header.
    for fragment in [0x2000, 5, 0x2005] {
        assert_eq!(source(101, &ipv4(fragment, &[])), "Fragment");
    }
    assert_eq!(source(101, &ipv6(44, &[17, 0, 0, 1, 0, 0, 0, 0])), "Fragment");
    let mut tcp = ipv4(0, &[]);
    tcp[9] = 6;
    assert_eq!(source(101, &tcp), "Other");
    assert_eq!(source(1, &ethernet(&[0x0806], &[0; 28])), "Other");
    assert_eq!(source(147, &ipv4(0, &[])), "Other");
    let whole = ethernet(&[0x0800], &ipv4(0, &[]));
    (0..42).for_each(|len| assert_eq!(source(1, &whole[..len]), "Other"));
    // Cut off in the payload: what is there.
    let Outcome::Datagram(cut) = capture::datagram(&Packet { seconds: 0, link: 1, bytes: &whole[..46] })
    else {
        panic!("no datagram")
    };
    assert_eq!(cut.payload, &PAYLOAD[..4]);
}

/// Writes words of a file in its byte order.
struct Words {
    big: bool,
    bytes: Vec<u8>,
}

impl Words {
    fn new(big: bool) -> Self {
        Self { big, bytes: Vec::new() }
    }

    fn u16(mut self, value: u16) -> Self {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    fn u32(mut self, value: u32) -> Self {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    fn put(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend(bytes);
        self
    }

    /// A block of pcapng.
    fn block(self, kind: u32, body: Self) -> Self {
        let padding = body.bytes.len().next_multiple_of(4) - body.bytes.len();
        let len = (12 + body.bytes.len() + padding) as u32;
        self.u32(kind).u32(len).put(&body.bytes).put(&[0; 3][..padding]).u32(len)
    }
}

fn packets(file: &[u8]) -> Result<Vec<(u64, u32, Vec<u8>)>, CaptureError> {
    let packets = capture::packets(file)?;
    packets.map(|packet| packet.map(|p| (p.seconds, p.link, p.bytes.to_vec()))).collect()
}

#[test]
fn pcap_in_both_byte_orders() {
    let expected = [(1000, 113, b"abc".to_vec()), (1001, 113, b"defgh".to_vec())];
    for big in [false, true] {
        for (magic, extra) in [(0xa1b2_c3d4_u32, 0), (0xa1b2_3c4d, 0), (0xa1b2_cd34, 8)] {
            let mut file =
                Words::new(big).u32(magic).u16(2).u16(4).u32(0).u32(0).u32(65_535).u32(0x1400_0000 | 113);
            for (seconds, _, bytes) in &expected {
                let len = bytes.len() as u32;
                file =
                    file.u32(*seconds as u32).u32(9).u32(len).u32(len + 100).put(&[0; 8][..extra]).put(bytes);
            }
            assert_eq!(packets(&file.bytes).as_deref(), Ok(&expected[..]));
            // Every way to cut it off: whole packets first, then where the last begins.
            for len in 25..file.bytes.len() {
                let found: Vec<_> = capture::packets(&file.bytes[..len]).unwrap().collect();
                let second = 24 + 16 + extra + 3;
                match len {
                    _ if len < second => assert_eq!(found, [Err(CaptureError::Truncated(24))]),
                    _ if len == second => assert!(found.len() == 1 && found[0].is_ok()),
                    _ => assert_eq!(found[1], Err(CaptureError::Truncated(second))),
                }
            }
        }
    }
}

/// A section with two interfaces and four packets of all kinds.
fn section(big: bool) -> Vec<u8> {
    let words = || Words::new(big);
    let microseconds = words().u16(1).u16(0).u32(0);
    let nanoseconds =
        words().u16(101).u16(0).u32(0).u16(2).u16(4).put(b"eth0").u16(9).u16(1).put(&[9, 0, 0, 0]).u32(0);
    let time = |units: u64| [(units >> 32) as u32, units as u32];
    let [high, low] = time(1_700_000_000 * 1_000_000 + 5);
    let enhanced = words().u32(0).u32(high).u32(low).u32(3).u32(60).put(b"abc");
    let [high, low] = time(1_700_000_001 * 1_000_000_000 + 5);
    let other = words().u32(1).u32(high).u32(low).u32(4).u32(4).put(b"defg");
    let [high, low] = time(1_700_000_002 * 1_000_000);
    let old = words().u16(0).u16(0).u32(high).u32(low).u32(2).u32(2).put(b"hi");
    words()
        .block(0x0a0d_0d0a, words().u32(0x1a2b_3c4d).u16(1).u16(0).u32(u32::MAX).u32(u32::MAX))
        .block(1, microseconds)
        .block(1, nanoseconds)
        .block(6, enhanced)
        .block(5, words().put(&[0; 20]))
        .block(6, other)
        .block(2, old)
        .block(3, words().u32(3).put(b"jkl"))
        .bytes
}

#[test]
fn pcapng_in_both_byte_orders() {
    let expected = [
        (1_700_000_000, 1, b"abc".to_vec()),
        (1_700_000_001, 101, b"defg".to_vec()),
        (1_700_000_002, 1, b"hi".to_vec()),
        (0, 1, b"jkl".to_vec()),
    ];
    let both = [section(true), section(false)];
    assert_eq!(packets(&both[0]).as_deref(), Ok(&expected[..]));
    assert_eq!(packets(&both[1]).as_deref(), Ok(&expected[..]));
    assert_eq!(packets(&both.concat()).unwrap(), [&expected[..], &expected].concat());
    for len in 12..both[0].len() {
        assert!(capture::packets(&both[0][..len]).unwrap().count() <= 5);
    }
    let mut bad = both[1].clone();
    bad[4] = 2;
    assert_eq!(packets(&bad), Err(CaptureError::BadBlock(0)));
}

#[test]
fn times_of_an_interface_may_begin_at_another_time() {
    for big in [false, true] {
        let words = || Words::new(big);
        let interface = |seconds: i64| {
            let bytes = if big { seconds.to_be_bytes() } else { seconds.to_le_bytes() };
            let unit = words().u16(1).u16(0).u32(0).u16(9).u16(1).put(&[0, 0, 0, 0]);
            unit.u16(14).u16(8).put(&bytes).u32(0)
        };
        let packet = |interface: u32| words().u32(interface).u32(0).u32(1000).u32(3).u32(3).put(b"abc");
        let mut file =
            words().block(0x0a0d_0d0a, words().u32(0x1a2b_3c4d).u16(1).u16(0).u32(u32::MAX).u32(u32::MAX));
        for (number, seconds) in [1_700_000_000, -400, -2000, i64::MAX].into_iter().enumerate() {
            file = file.block(1, interface(seconds)).block(6, packet(number as u32));
        }
        let times = packets(&file.bytes).unwrap().into_iter().map(|(seconds, ..)| seconds);
        assert!(times.eq([1_700_001_000, 600, 0, i64::MAX as u64 + 1000]));
    }
}

/// A block that is wrong ends the reading; what comes before it stays.
#[test]
fn corrupt_blocks_are_errors() {
    let words = || Words::new(false);
    let section =
        words().block(0x0a0d_0d0a, words().u32(0x1a2b_3c4d).u16(1).u16(0).u32(u32::MAX).u32(u32::MAX));
    let good = section.block(1, words().u16(1).u16(0).u32(0)).block(3, words().u32(3).put(b"abc"));
    let at = good.bytes.len();
    let enhanced =
        |interface: u32, len: u32| words().u32(interface).u32(0).u32(0).u32(len).u32(len).put(b"abcd");
    let old =
        |interface: u16, len: u32| words().u16(interface).u16(0).u32(0).u32(0).u32(len).u32(len).put(b"abcd");
    let cases = [
        // Longer than the block, of an interface that is not described, without its header.
        (6, enhanced(0, 5)),
        (6, enhanced(0, u32::MAX)),
        (6, enhanced(1, 4)),
        (6, words().u32(0)),
        (2, old(0, 5)),
        (2, old(1, 4)),
        (3, words()),
        // An interface without its header, or with an option that is longer than the block.
        (1, words().u16(1)),
        (1, words().u16(1).u16(0).u32(0).u16(9).u16(5).put(&[9, 0, 0, 0])),
    ];
    let found = |file: &Words| {
        capture::packets(&file.bytes).unwrap().map(|packet| packet.is_ok()).collect::<Vec<_>>()
    };
    let read = |file: Words| {
        let file = file.block(3, words().u32(3).put(b"abc"));
        (found(&file), capture::packets(&file.bytes).unwrap().nth(1).unwrap().err())
    };
    for (kind, body) in cases {
        let file = Words { big: false, bytes: good.bytes.clone() }.block(kind, body);
        assert_eq!(read(file), (vec![true, false], Some(CaptureError::BadBlock(at))), "{kind}");
    }
    // A length at the end that differs from that at the begin.
    let mut file = Words { big: false, bytes: good.bytes.clone() }.block(6, enhanced(0, 4));
    *file.bytes.iter_mut().rev().nth(3).unwrap() += 4;
    assert_eq!(read(file), (vec![true, false], Some(CaptureError::BadBlock(at))));
    // A packet before any interface, and one of an interface of the section before.
    let none = words().block(0x0a0d_0d0a, words().u32(0x1a2b_3c4d).u16(1).u16(0).u32(u32::MAX).u32(u32::MAX));
    assert_eq!(found(&none.block(3, words().u32(3).put(b"abc"))), [false]);
    let mut file =
        good.block(0x0a0d_0d0a, words().u32(0x1a2b_3c4d).u16(1).u16(0).u32(u32::MAX).u32(u32::MAX));
    file = file.block(6, enhanced(0, 4));
    assert_eq!(found(&file), [true, false]);
}

#[test]
fn other_files_are_refused() {
    for file in [&b""[..], b"abc", b"\x7fELF............", &[0; 100], b"\x0a\x0d\x0d\x0a........"] {
        assert_eq!(packets(file), Err(CaptureError::UnknownFormat));
    }
}

//! Datagrams of sFlow agents.

use super::{Bytes, Conversation, Random, Sent};

/// An agent with samples of every format.
pub enum SFlow {}

impl SFlow {
    /// A datagram, and the flows in it.
    pub fn datagram(random: &mut Random) -> (Sent, usize) {
        let samples = 5 + random.below(3);
        let mut out = Bytes::default();
        let agent = [192, 0, 2, 1 + random.below(4) as u8];
        out.u32s(&[5, 1]).put(&agent).u32s(&[0, random.u32(), random.u32()]);
        // And one of counters, which is no flow.
        let with_counters = random.below(16) == 0;
        out.u32(samples + u32::from(with_counters));
        for _ in 0..samples {
            sample(&mut out, random);
        }
        if with_counters {
            out.u32(2).opaque(&[0; 12]);
        }
        let source = mapped(agent);
        ((source, out.0), samples as usize)
    }
}

fn mapped([a, b, c, d]: [u8; 4]) -> [u8; 16] {
    std::net::Ipv4Addr::new(a, b, c, d).to_ipv6_mapped().octets()
}

fn sample(out: &mut Bytes, random: &mut Random) {
    let v6 = random.below(3) == 0;
    let flow = Conversation::new(random, v6);
    let expanded = random.below(8) == 0;
    let mut records = vec![packet(&flow, random), switch(&flow)];
    if random.below(2) == 0 {
        let next_hop = [203, 0, 113, random.below(8) as u8];
        records.extend([router(next_hop, random), gateway(&flow, next_hop, random)]);
    }
    let mut body = Bytes::default();
    let (input, output) = flow.interfaces;
    if expanded {
        body.u32s(&[random.u32(), 0, input, 1000, random.u32(), 0, 0, input, 0, output]);
    } else {
        body.u32s(&[random.u32(), input, 1000, random.u32(), 0, input, output]);
    }
    body.u32(records.len() as u32);
    for (format, record) in &records {
        body.u32(*format).opaque(record);
    }
    out.u32(if expanded { 3 } else { 1 }).opaque(&body.0);
}

/// A sampled header, or else the fields of a packet.
fn packet(flow: &Conversation, random: &mut Random) -> (u32, Vec<u8>) {
    let mut out = Bytes::default();
    let length = 64 + random.below(1454);
    if random.below(16) == 0 {
        out.u32s(&[length, flow.protocol.into()]);
        match flow.v6 {
            true => out.put(&flow.source).put(&flow.destination),
            false => out.put(&Conversation::v4(flow.source)).put(&Conversation::v4(flow.destination)),
        };
        out.u32s(&[flow.source_port.into(), flow.destination_port.into()]);
        out.u32s(&[flow.tcp_flags.into(), flow.tos.into()]);
        return (if flow.v6 { 4 } else { 3 }, out.0);
    }
    let header = frame(flow, length, random);
    (1, out.u32s(&[1, length, 4]).opaque(&header).0.clone())
}

/// The first 128 bytes of a frame.
fn frame(flow: &Conversation, length: u32, random: &mut Random) -> Vec<u8> {
    let mut out = Bytes::default();
    for _ in 0..2 {
        out.put(&[2, 0, 0x5e]).put(&random.u32().to_be_bytes()[1..]);
    }
    out.u16s(&[0x8100, flow.vlan]);
    let len = length.saturating_sub(40) as u16;
    if flow.v6 {
        out.u16(0x86dd).u32(6 << 28 | u32::from(flow.tos) << 20 | random.u32() >> 12);
        out.u16(len).u8(flow.protocol).u8(flow.ttl).put(&flow.source).put(&flow.destination);
    } else {
        out.u16(0x0800).put(&[0x45, flow.tos]).u16s(&[len, random.u32() as u16, 0x4000]);
        out.u8(flow.ttl).u8(flow.protocol).u16(0);
        out.put(&Conversation::v4(flow.source)).put(&Conversation::v4(flow.destination));
    }
    out.u16s(&[flow.source_port, flow.destination_port]);
    if flow.protocol == 6 {
        out.u32s(&[random.u32(), random.u32()]).u8(0x80).u8(flow.tcp_flags).u16s(&[512, 0, 0]);
    } else {
        out.u16s(&[len, 0]);
    }
    let mut frame = out.0;
    frame.resize(128, 0x61);
    frame
}

fn switch(flow: &Conversation) -> (u32, Vec<u8>) {
    let vlan = u32::from(flow.vlan);
    (1001, Bytes::default().u32s(&[vlan, 0, vlan, 0]).0.clone())
}

fn router(next_hop: [u8; 4], random: &mut Random) -> (u32, Vec<u8>) {
    let mut out = Bytes::default();
    out.u32(1).put(&next_hop);
    (1002, out.u32s(&[16 + random.below(9), 12 + random.below(13)]).0.clone())
}

fn gateway(flow: &Conversation, next_hop: [u8; 4], random: &mut Random) -> (u32, Vec<u8>) {
    let mut out = Bytes::default();
    out.u32(1).put(&next_hop);
    let (source, destination) = flow.systems;
    let hops = random.below(4);
    out.u32s(&[64_500, source, source, 1, 2, hops + 1]);
    for _ in 0..hops {
        out.u32(1 + random.size(18));
    }
    out.u32s(&[destination, 2, 64_500 << 16 | 1, 64_500 << 16 | random.below(100), 100]);
    (1003, out.0)
}

//! Datagrams of NetFlow 5, NetFlow 9 and IPFIX exporters.

use super::{Bytes, Conversation, Random, Sent};

/// The address that datagrams of these exporters come from.
const EXPORTER: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 203, 0, 113, 254];

const VERSION_9_TEMPLATE: u16 = 260;
const IPFIX_V4_TEMPLATE: u16 = 300;
const IPFIX_V6_TEMPLATE: u16 = 301;
const OPTIONS_TEMPLATE: u16 = 257;

/// Records in a datagram.
const RECORDS: u32 = 24;

/// A template close to the default of a large vendor's routers: element and length.
const VERSION_9_FIELDS: [(u16, u16); 23] = [
    (2, 4),
    (1, 4),
    (8, 4),
    (12, 4),
    (10, 4),
    (14, 4),
    (21, 4),
    (22, 4),
    (7, 2),
    (11, 2),
    (16, 4),
    (17, 4),
    (18, 4),
    (9, 1),
    (13, 1),
    (4, 1),
    (6, 1),
    (5, 1),
    (61, 1),
    (89, 1),
    (48, 2),
    (234, 4),
    (235, 4),
];

/// The fields that both templates of IPFIX have after the addresses. 82, the name of the interface, is of variable
/// length.
const IPFIX_FIELDS: [(u16, u16); 18] = [
    (4, 1),
    (5, 1),
    (6, 2),
    (7, 2),
    (11, 2),
    (10, 4),
    (14, 4),
    (1, 8),
    (2, 8),
    (16, 4),
    (17, 4),
    (56, 6),
    (80, 6),
    (58, 2),
    (192, 1),
    (152, 8),
    (153, 8),
    (82, 0xffff),
];

/// An exporter of all three versions.
#[derive(Debug, Default)]
pub struct NetFlow {
    sequence: u32,
}

impl NetFlow {
    pub fn new() -> Self {
        Self::default()
    }

    fn next(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// The datagram that the others refer to: templates, and the sampling rate of NetFlow 9.
    pub fn templates(&mut self) -> Vec<Sent> {
        vec![(EXPORTER, self.version9_templates()), (EXPORTER, self.ipfix_templates())]
    }

    fn version9_templates(&mut self) -> Vec<u8> {
        let mut template = Bytes::default();
        template.u16s(&[VERSION_9_TEMPLATE, VERSION_9_FIELDS.len() as u16]);
        for (element, len) in VERSION_9_FIELDS {
            template.u16s(&[element, len]);
        }
        let mut options = Bytes::default();
        // One scope, the system; the sampler, its rate and its name.
        options.u16s(&[OPTIONS_TEMPLATE, 4, 12, 1, 4, 48, 2, 50, 4, 84, 8]).u16(0);
        let mut record = Bytes::default();
        record.put(&[203, 0, 113, 254]).u16(1).u32(1000).put(b"sampler1").u16(0);
        let mut out = self.version9_header(3);
        set(&mut out, 0, &template.0);
        set(&mut out, 1, &options.0);
        set(&mut out, OPTIONS_TEMPLATE, &record.0);
        out.0
    }

    fn version9_header(&mut self, count: u16) -> Bytes {
        let mut out = Bytes::default();
        out.u16s(&[9, count]).u32s(&[1_000_000, 1_700_000_000, self.next(), 0]);
        out
    }

    fn ipfix_templates(&mut self) -> Vec<u8> {
        let mut templates = Bytes::default();
        for (id, addresses) in
            [(IPFIX_V4_TEMPLATE, [(8, 4), (12, 4)]), (IPFIX_V6_TEMPLATE, [(27, 16), (28, 16)])]
        {
            templates.u16s(&[id, (IPFIX_FIELDS.len() + 4) as u16]);
            for (element, len) in addresses.iter().chain(&IPFIX_FIELDS) {
                templates.u16s(&[*element, *len]);
            }
            // The sampling interval in each record, and an element of an enterprise.
            templates.u16s(&[34, 4, 0x8000 | 7, 4]).u32(32_473);
        }
        let mut sets = Bytes::default();
        set(&mut sets, 2, &templates.0);
        self.ipfix_message(&sets.0)
    }

    fn ipfix_message(&mut self, sets: &[u8]) -> Vec<u8> {
        let mut out = Bytes::default();
        out.u16s(&[10, 16 + sets.len() as u16]).u32s(&[1_700_000_000, self.next(), 1]);
        out.put(sets).0.clone()
    }

    /// A datagram, and the flows in it.
    pub fn version5(&mut self, random: &mut Random) -> (Sent, usize) {
        let mut out = Bytes::default();
        out.u16s(&[5, RECORDS as u16]).u32s(&[1_000_000, 1_700_000_000, 0, self.next()]);
        out.u16s(&[0, 1 << 14 | 100]);
        for _ in 0..RECORDS {
            let flow = Conversation::new(random, false);
            out.put(&Conversation::v4(flow.source)).put(&Conversation::v4(flow.destination));
            out.put(&[203, 0, 113, 1]).u16s(&[flow.interfaces.0 as u16, flow.interfaces.1 as u16]);
            out.u32s(&[flow.packets, flow.bytes, 999_000, 999_999]);
            out.u16s(&[flow.source_port, flow.destination_port]);
            out.put(&[0, flow.tcp_flags, flow.protocol, flow.tos]);
            out.u16s(&[flow.systems.0 as u16, flow.systems.1 as u16]).put(&[24, 20, 0, 0]);
        }
        ((EXPORTER, out.0), RECORDS as usize)
    }

    /// A datagram, and the flows in it.
    pub fn version9(&mut self, random: &mut Random) -> (Sent, usize) {
        let mut records = Bytes::default();
        for _ in 0..RECORDS {
            let flow = Conversation::new(random, false);
            records.u32s(&[flow.packets, flow.bytes]);
            records.put(&Conversation::v4(flow.source)).put(&Conversation::v4(flow.destination));
            records.u32s(&[flow.interfaces.0, flow.interfaces.1, 999_999, 999_000]);
            records.u16s(&[flow.source_port, flow.destination_port]);
            records.u32s(&[flow.systems.0, flow.systems.1]).put(&[203, 0, 113, 1]);
            records.put(&[24, 20, flow.protocol, flow.tcp_flags, flow.tos, 0, 0x40]);
            records.u16(1).u32s(&[0x6000_0002, 0x6000_0002]);
        }
        let mut out = self.version9_header(RECORDS as u16);
        set(&mut out, VERSION_9_TEMPLATE, &records.0);
        ((EXPORTER, out.0), RECORDS as usize)
    }

    /// A datagram, and the flows in it: half of them IPv6.
    pub fn ipfix(&mut self, random: &mut Random) -> (Sent, usize) {
        let mut sets = Bytes::default();
        for (id, v6) in [(IPFIX_V4_TEMPLATE, false), (IPFIX_V6_TEMPLATE, true)] {
            let mut records = Bytes::default();
            for _ in 0..RECORDS / 2 {
                ipfix_record(&mut records, &Conversation::new(random, v6));
            }
            set(&mut sets, id, &records.0);
        }
        ((EXPORTER, self.ipfix_message(&sets.0)), RECORDS as usize)
    }
}

fn ipfix_record(out: &mut Bytes, flow: &Conversation) {
    match flow.v6 {
        true => out.put(&flow.source).put(&flow.destination),
        false => out.put(&Conversation::v4(flow.source)).put(&Conversation::v4(flow.destination)),
    };
    out.put(&[flow.protocol, flow.tos]).u16s(&[
        flow.tcp_flags.into(),
        flow.source_port,
        flow.destination_port,
    ]);
    out.u32s(&[flow.interfaces.0, flow.interfaces.1, 0, flow.bytes, 0, flow.packets]);
    out.u32s(&[flow.systems.0, flow.systems.1]);
    out.put(&[2, 0, 0x5e, 0, 0, 1]).put(&[2, 0, 0x5e, 0, 0, 2]).u16(flow.vlan).u8(flow.ttl);
    out.put(&[0; 16]);
    let name = format!("xe-0/0/{}", flow.interfaces.0);
    out.u8(name.len() as u8).put(name.as_bytes());
    out.u32s(&[512, 0xdead_beef]);
}

/// A set, padded to words.
fn set(out: &mut Bytes, id: u16, body: &[u8]) {
    let padding = body.len().next_multiple_of(4) - body.len();
    out.u16s(&[id, (4 + body.len() + padding) as u16]).put(body).put(&[0; 3][..padding]);
}

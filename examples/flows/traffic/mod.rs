//! Synthetic traffic: datagrams of exporters that report made-up flows, equal for equal seeds.

mod netflow;
mod sflow;

pub use netflow::NetFlow;
pub use sflow::SFlow;

/// A datagram and the address it comes from.
pub type Sent = ([u8; 16], Vec<u8>);

/// Makes datagrams of all kinds in turn, until there are so many flows in them.
pub fn mixed(flows: usize, seed: u64) -> Vec<Sent> {
    let mut random = Random::new(seed);
    let mut netflow = NetFlow::new();
    let (mut sent, mut count) = (Vec::new(), 0);
    sent.extend(netflow.templates());
    while count < flows {
        let (datagram, more) = match sent.len() % 4 {
            2 => SFlow::datagram(&mut random),
            3 => netflow.ipfix(&mut random),
            0 => netflow.version9(&mut random),
            _ => netflow.version5(&mut random),
        };
        sent.push(datagram);
        count += more;
    }
    sent
}

/// A big-endian byte writer.
#[derive(Debug, Default)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.put(&[value])
    }

    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.put(&value.to_be_bytes())
    }

    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.put(&value.to_be_bytes())
    }

    pub fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Each value, 16 bits.
    pub fn u16s(&mut self, values: &[u16]) -> &mut Self {
        values.iter().fold(self, |out, &value| out.u16(value))
    }

    /// Each value, 32 bits.
    pub fn u32s(&mut self, values: &[u32]) -> &mut Self {
        values.iter().fold(self, |out, &value| out.u32(value))
    }

    /// A part after its length in 32 bits, padded to words as in XDR.
    pub fn opaque(&mut self, part: &[u8]) -> &mut Self {
        let padding = part.len().next_multiple_of(4) - part.len();
        self.u32(part.len() as u32).put(part).put(&[0; 3][..padding])
    }
}

/// Numbers that look random: a linear congruential generator, its upper bits.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub fn u32(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A number below a limit that is not 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.u32()) * u64::from(limit)) >> 32) as u32
    }

    /// A number whose size is spread evenly over the orders of magnitude up to a number of bits.
    pub fn size(&mut self, bits: u32) -> u32 {
        let bits = self.below(bits) + 1;
        self.u32() >> (32 - bits)
    }
}

/// The values of a synthetic packet or flow.
#[derive(Clone, Debug)]
pub struct Conversation {
    pub v6: bool,
    pub source: [u8; 16],
    pub destination: [u8; 16],
    pub source_port: u16,
    pub destination_port: u16,
    pub protocol: u8,
    pub tos: u8,
    pub ttl: u8,
    pub tcp_flags: u8,
    pub bytes: u32,
    pub packets: u32,
    pub interfaces: (u32, u32),
    pub systems: (u32, u32),
    pub vlan: u16,
}

impl Conversation {
    pub fn new(random: &mut Random, v6: bool) -> Self {
        const PORTS: [u16; 8] = [443, 443, 443, 80, 53, 22, 25, 8080];
        let packets = random.size(10) + 1;
        let tcp = random.below(4) != 0;
        Self {
            v6,
            source: address(random, v6),
            destination: address(random, v6),
            source_port: PORTS[random.below(8) as usize],
            destination_port: 1024 + random.below(64_000) as u16,
            protocol: if tcp { 6 } else { 17 },
            tos: if random.below(8) == 0 { 0xb8 } else { 0 },
            ttl: 48 + random.below(16) as u8,
            tcp_flags: if tcp { [0x10, 0x18, 0x02, 0x11][random.below(4) as usize] } else { 0 },
            bytes: packets * (64 + random.below(1400)),
            packets,
            interfaces: (1 + random.below(600), 1 + random.below(600)),
            systems: (random.size(18), 64_496 + random.below(16)),
            vlan: 1 + random.below(4094) as u16,
        }
    }

    /// The address as IPv4.
    pub fn v4(address: [u8; 16]) -> [u8; 4] {
        let [.., a, b, c, d] = address;
        [a, b, c, d]
    }
}

/// From the networks for documentation.
fn address(random: &mut Random, v6: bool) -> [u8; 16] {
    let host = random.u32();
    let mut address = [0; 16];
    if v6 {
        address[..4].copy_from_slice(&[0x20, 1, 0xd, 0xb8]);
        address[4..8].copy_from_slice(&random.u32().to_be_bytes());
        address[12..].copy_from_slice(&host.to_be_bytes());
    } else {
        let network = [[192, 0, 2], [198, 51, 100], [203, 0, 113]][random.below(3) as usize];
        address[10..12].fill(0xff);
        address[12..15].copy_from_slice(&network);
        address[15] = host as u8;
    }
    address
}

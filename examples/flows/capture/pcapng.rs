//! The format pcapng: blocks with kind and length, in sections with a byte order and interfaces each, <https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html>.

use super::{CaptureError, Order, Packet};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// The length of the smallest block: kind, length, and the length again.
const MIN_BLOCK: usize = 12;
/// The most interfaces of a section.
const MAX_INTERFACES: usize = 1 << 16;
/// The options of an interface for the unit of its times, and for the seconds to add to them.
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

/// The packets of a file. Blocks of other kinds are skipped; a block that contradicts itself or the blocks before it ends the reading.
#[derive(Debug)]
pub struct Packets<'a> {
    file: &'a [u8],
    at: usize,
    order: Order,
    interfaces: Vec<Interface>,
}

#[derive(Clone, Copy, Debug)]
struct Interface {
    link: u32,
    /// Units of time in a second.
    resolution: u64,
    /// Seconds between 1970 and the begin of its times.
    offset: i64,
}

impl<'a> Packets<'a> {
    /// `None` if the file has another format.
    pub fn new(file: &'a [u8]) -> Option<Self> {
        let section = Order::Little.u32(file, 0) == Some(SECTION);
        let order = order_of(file.get(8..)?)?;
        section.then_some(Self { file, at: 0, order, interfaces: Vec::new() })
    }

    /// The next block: its kind and its body.
    fn block(&mut self) -> Option<Result<(u32, &'a [u8]), CaptureError>> {
        let at = self.at;
        let rest = self.file.get(at..).filter(|rest| !rest.is_empty())?;
        let Some((kind, len)) = self.block_header(rest) else {
            return Some(self.end(CaptureError::Truncated(at)));
        };
        if len < MIN_BLOCK || len % 4 != 0 {
            return Some(self.end(CaptureError::BadBlock(at)));
        }
        let Some(body) = rest.get(8..len - 4) else { return Some(self.end(CaptureError::Truncated(at))) };
        if self.order.u32(rest, len - 4) != Some(len as u32) {
            return Some(self.end(CaptureError::BadBlock(at)));
        }
        self.at = at.saturating_add(len);
        Some(Ok((kind, body)))
    }

    /// The kind and length of a block; at the begin of a section, its byte order first.
    fn block_header(&mut self, block: &[u8]) -> Option<(u32, usize)> {
        // Reads the same in either order.
        if self.order.u32(block, 0)? == SECTION {
            self.order = order_of(block.get(8..)?)?;
            self.interfaces.clear();
        }
        Some((self.order.u32(block, 0)?, self.order.u32(block, 4)? as usize))
    }

    fn end<T>(&mut self, error: CaptureError) -> Result<T, CaptureError> {
        self.at = self.file.len();
        Err(error)
    }

    /// `None` if the block is shorter than what it says is in it, or one too many.
    fn interface(&mut self, body: &[u8]) -> Option<()> {
        let link = self.order.u16(body, 0)?.into();
        let mut options = body.get(8..)?;
        let (mut resolution, mut offset) = (1_000_000, 0);
        while let (Some(code), Some(len)) = (self.order.u16(options, 0), self.order.u16(options, 2)) {
            let rest = options.get(4..)?;
            let value = rest.get(..usize::from(len))?;
            if let (IF_TSRESOL, Some(&unit)) = (code, value.first()) {
                let (base, power) = if unit & 0x80 == 0 { (10, unit) } else { (2, unit & 0x7f) };
                resolution = u64::checked_pow(base, power.into()).unwrap_or(u64::MAX);
            }
            if let (IF_TSOFFSET, Some(seconds)) = (code, self.order.u64(value)) {
                offset = seconds.cast_signed();
            }
            if code == 0 {
                break;
            }
            options = rest.get(usize::from(len).next_multiple_of(4)..)?;
        }
        self.interfaces.push(Interface { link, resolution, offset });
        (self.interfaces.len() <= MAX_INTERFACES).then_some(())
    }

    /// `None` if the block is shorter than the packet in it, or its interface has not been described.
    fn packet(&self, kind: u32, body: &'a [u8]) -> Option<Packet<'a>> {
        let order = self.order;
        let interface = match kind {
            SIMPLE_PACKET => 0,
            OLD_PACKET => order.u16(body, 0)?.into(),
            _ => order.u32(body, 0)?,
        };
        let interface = self.interfaces.get(interface as usize)?;
        if kind == SIMPLE_PACKET {
            // Has no time, and no length but that of the packet before it was cut off.
            let (len, bytes) = (order.u32(body, 0)? as usize, body.get(4..)?);
            return Some(Packet {
                seconds: 0,
                link: interface.link,
                bytes: bytes.get(..len).unwrap_or(bytes),
            });
        }
        let ticks = u64::from(order.u32(body, 4)?) << 32 | u64::from(order.u32(body, 8)?);
        let len = order.u32(body, 12)? as usize;
        let bytes = body.get(20..)?.get(..len)?;
        let seconds = (ticks / interface.resolution).saturating_add_signed(interface.offset);
        Some(Packet { seconds, link: interface.link, bytes })
    }
}

/// The byte order of a section, from its third word.
fn order_of(magic: &[u8]) -> Option<Order> {
    match magic.first_chunk()? {
        [0x4d, 0x3c, 0x2b, 0x1a] => Some(Order::Little),
        [0x1a, 0x2b, 0x3c, 0x4d] => Some(Order::Big),
        _ => None,
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = Result<Packet<'a>, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.at;
            let (kind, body) = match self.block()? {
                Ok(block) => block,
                Err(error) => return Some(Err(error)),
            };
            let done = match kind {
                INTERFACE => self.interface(body).map(|()| None),
                OLD_PACKET | SIMPLE_PACKET | ENHANCED_PACKET => self.packet(kind, body).map(Some),
                _ => Some(None),
            };
            match done {
                Some(None) => {}
                Some(Some(packet)) => return Some(Ok(packet)),
                None => return Some(self.end(CaptureError::BadBlock(at))),
            }
        }
    }
}

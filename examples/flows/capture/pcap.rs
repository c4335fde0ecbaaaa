//! The format pcap: a header of 24 bytes, then packets, each after 16 bytes of time and length.

use super::{CaptureError, Order, Packet};

const FILE_HEADER: usize = 24;
const PACKET_HEADER: usize = 16;

/// With microseconds, with nanoseconds, and a variant with a longer header for each packet.
const MAGIC: [u32; 3] = [0xa1b2_c3d4, 0xa1b2_3c4d, 0xa1b2_cd34];
const MODIFIED_HEADER: usize = 24;

/// The packets of a file.
#[derive(Debug)]
pub struct Packets<'a> {
    file: &'a [u8],
    at: usize,
    order: Order,
    link: u32,
    header: usize,
}

impl<'a> Packets<'a> {
    /// `None` if the file has another format.
    pub fn new(file: &'a [u8]) -> Option<Result<Self, CaptureError>> {
        let order = [Order::Little, Order::Big]
            .into_iter()
            .find(|order| order.u32(file, 0).is_some_and(|magic| MAGIC.contains(&magic)))?;
        let header = if order.u32(file, 0) == Some(MAGIC[2]) { MODIFIED_HEADER } else { PACKET_HEADER };
        let Some(link) = order.u32(file, 20) else { return Some(Err(CaptureError::Truncated(0))) };
        // The upper bits announce checksums after the packets.
        Some(Ok(Self { file, at: FILE_HEADER, order, link: link & 0xffff, header }))
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = Result<Packet<'a>, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.file.len() {
            return None;
        }
        let at = self.at;
        let packet = || {
            let seconds = self.order.u32(self.file, at)?;
            let len = self.order.u32(self.file, at + 8)? as usize;
            let bytes = self.file.get(at + self.header..)?.get(..len)?;
            Some(Packet { seconds: seconds.into(), link: self.link, bytes })
        };
        let packet = packet();
        self.at = packet.map_or(self.file.len(), |packet| at + self.header + packet.bytes.len());
        Some(packet.ok_or(CaptureError::Truncated(at)))
    }
}

//! Captures: files of packets in the formats pcap and pcapng, and the UDP datagrams in them.
//!
//! A file is in memory as a whole (`../file.rs`). `pcap.rs` and `pcapng.rs` iterate over packets; `datagram.rs` removes their
//! headers, `fragments.rs` puts together what came in several packets.
#![allow(dead_code, reason = "the bench of records reads no fragments")]

mod datagram;
mod fragments;
mod pcap;
mod pcapng;

pub use datagram::{Outcome, datagram};
#[allow(unused_imports, reason = "the bench of records reads no fragments")]
pub use fragments::Fragments;
use std::fmt;

/// A packet as it was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Seconds since 1970.
    pub seconds: u64,
    /// The kind of its first header, a LINKTYPE, <https://www.tcpdump.org/linktypes.html>.
    pub link: u32,
    pub bytes: &'a [u8],
}

/// The fault that ends the reading of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureError {
    /// The first bytes are those of neither format.
    UnknownFormat,
    /// The file ends inside of a packet or a block, at this offset.
    Truncated(usize),
    /// The block at this offset has an impossible length, less in it than it says, or an unknown interface.
    BadBlock(usize),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormat => f.write_str("this is no capture in the format pcap or pcapng"),
            Self::Truncated(at) => write!(f, "the capture ends inside of what begins at byte {at}"),
            Self::BadBlock(at) => write!(f, "the block at byte {at} is corrupt"),
        }
    }
}

impl std::error::Error for CaptureError {}

/// The packets of a capture; the last item is an error if it breaks off.
#[derive(Debug)]
pub enum Packets<'a> {
    Pcap(pcap::Packets<'a>),
    PcapNg(pcapng::Packets<'a>),
}

/// Detects the format of a file by its first bytes.
pub fn packets(file: &[u8]) -> Result<Packets<'_>, CaptureError> {
    if let Some(packets) = pcap::Packets::new(file) {
        return packets.map(Packets::Pcap);
    }
    pcapng::Packets::new(file).map(Packets::PcapNg).ok_or(CaptureError::UnknownFormat)
}

impl<'a> Iterator for Packets<'a> {
    type Item = Result<Packet<'a>, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Pcap(packets) => packets.next(),
            Self::PcapNg(packets) => packets.next(),
        }
    }
}

/// Reads numbers in the byte order of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(if self == Self::Little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(if self == Self::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn u64(self, bytes: &[u8]) -> Option<u64> {
        let bytes = *bytes.first_chunk()?;
        Some(if self == Self::Little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) })
    }
}

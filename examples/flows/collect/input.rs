//! [`Input`]: a checked big-endian reader.

/// The remaining bytes of a datagram or of a part of it.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The next `len` bytes.
    #[inline]
    pub fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next `len` bytes, as an input of their own.
    #[inline]
    pub fn part(&mut self, len: usize) -> Option<Self> {
        self.take(len).map(Self)
    }

    #[inline]
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    #[inline]
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }
}

/// A big-endian number of up to eight bytes: exporters may shorten numbers.
#[inline]
pub fn number(bytes: &[u8]) -> Option<u64> {
    Some(match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_be_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_be_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
        [] | [_, _, _, _, _, _, _, _, _, ..] => return None,
        _ => bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)),
    })
}

/// An IPv4 address in the 16 bytes of an IPv6 address, `::ffff:a.b.c.d`.
#[inline]
pub fn mapped(address: [u8; 4]) -> [u8; 16] {
    (u128::from(u32::from_be_bytes(address)) | 0xffff << 32).to_be_bytes()
}

/// A MAC address as a number.
#[inline]
pub fn mac(address: [u8; 6]) -> u64 {
    let [a, b, c, d, e, f] = address;
    u64::from_be_bytes([0, 0, a, b, c, d, e, f])
}

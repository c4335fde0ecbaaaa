//! A builder of wire bytes, valid and not; knows nothing of the crate under test.

/// Wire types.
pub const VARINT: u32 = 0;
pub const FIXED64: u32 = 1;
pub const BYTES: u32 = 2;
pub const START: u32 = 3;
pub const END: u32 = 4;
pub const FIXED32: u32 = 5;

/// Bytes being built; every method appends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wire(pub Vec<u8>);

impl Wire {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn put_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn varint(mut self, value: u64) -> Self {
        self.put_varint(value);
        self
    }

    /// A varint of at least `len` bytes.
    pub fn overlong(mut self, value: u64, len: usize) -> Self {
        let start = self.0.len();
        self.put_varint(value);
        while self.0.len() - start < len {
            *self.0.last_mut().unwrap() |= 0x80;
            self.0.push(0);
        }
        self
    }

    pub fn tag(self, number: u32, wire_type: u32) -> Self {
        self.varint((number as u64) << 3 | wire_type as u64)
    }

    /// A field with a varint.
    pub fn int(self, number: u32, value: u64) -> Self {
        self.tag(number, VARINT).varint(value)
    }

    pub fn fixed32(self, number: u32, value: u32) -> Self {
        self.tag(number, FIXED32).raw(&value.to_le_bytes())
    }

    pub fn fixed64(self, number: u32, value: u64) -> Self {
        self.tag(number, FIXED64).raw(&value.to_le_bytes())
    }

    pub fn bytes(self, number: u32, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.tag(number, BYTES).varint(bytes.len() as u64).raw(bytes)
    }

    /// A field with a message.
    pub fn message(self, number: u32, message: Wire) -> Self {
        self.bytes(number, message.0)
    }

    pub fn group(self, number: u32, message: Wire) -> Self {
        self.tag(number, START).raw(&message.0).tag(number, END)
    }

    /// The same bytes `times` times.
    pub fn repeat(bytes: Wire, times: usize) -> Self {
        Self(bytes.0.repeat(times))
    }
}

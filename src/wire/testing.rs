//! Builds the bytes of tests, hostile ones above all, so that a test reads as what it means.
//!
//! Nothing is checked, and nothing is shared with the code under test.

use alloc::vec::Vec;

/// Varint, fixed64, length-delimited, start group, end group, fixed32.
pub(crate) const VARINT: u64 = 0;
pub(crate) const FIXED64: u64 = 1;
pub(crate) const BYTES: u64 = 2;
pub(crate) const START: u64 = 3;
pub(crate) const END: u64 = 4;
pub(crate) const FIXED32: u64 = 5;

/// Bytes under construction; every method gives the builder back.
#[derive(Clone, Default)]
pub(crate) struct Wire(Vec<u8>);

impl Wire {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Bytes as they are.
    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// A varint in its shortest form.
    pub(crate) fn varint(self, value: u64) -> Self {
        self.varint_of(value, 1)
    }

    /// A varint of at least `len` bytes: overlong if the value needs fewer.
    pub(crate) fn varint_of(mut self, mut value: u64, len: usize) -> Self {
        let start = self.0.len();
        loop {
            let byte = value as u8 & 0x7f;
            value >>= 7;
            if value == 0 && self.0.len() + 1 >= start + len {
                self.0.push(byte);
                return self;
            }
            self.0.push(byte | 0x80);
        }
    }

    /// A tag of any number and wire type.
    pub(crate) fn tag(self, number: u64, wire_type: u64) -> Self {
        self.varint(number << 3 | wire_type)
    }

    /// A field of varint type.
    pub(crate) fn int(self, number: u64, value: u64) -> Self {
        self.tag(number, VARINT).varint(value)
    }

    /// A field with a length and these bytes.
    pub(crate) fn bytes(self, number: u64, bytes: &[u8]) -> Self {
        self.tag(number, BYTES).varint(bytes.len() as u64).raw(bytes)
    }

    /// A field with a length that is not that of what follows.
    pub(crate) fn announced(self, number: u64, len: u64, bytes: &[u8]) -> Self {
        self.tag(number, BYTES).varint(len).raw(bytes)
    }

    /// A nested message.
    pub(crate) fn message(self, number: u64, body: Self) -> Self {
        self.bytes(number, &body.0)
    }

    /// A group with matching tags.
    pub(crate) fn group(self, number: u64, body: Self) -> Self {
        self.tag(number, START).raw(&body.0).tag(number, END)
    }

    /// The same thing `count` times.
    pub(crate) fn times(mut self, count: usize, part: Self) -> Self {
        for _ in 0..count {
            self.0.extend_from_slice(&part.0);
        }
        self
    }

    /// Messages in messages, `depth` of them, by the field `number`.
    pub(crate) fn nested(number: u64, depth: usize) -> Self {
        (0..depth).fold(Self::new(), |body, _| Self::new().message(number, body))
    }

    /// Groups in groups, `depth` of them, by the field `number`.
    pub(crate) fn nested_groups(number: u64, depth: usize) -> Self {
        let (start, end) = (Self::new().tag(number, START), Self::new().tag(number, END));
        Self::new().times(depth, start).times(depth, end)
    }

    pub(crate) fn done(self) -> Vec<u8> {
        self.0
    }
}

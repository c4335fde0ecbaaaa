//! The fields of a message, one by one.

use crate::error::{DecodeError, DescriptorError, DescriptorErrorKind};
use crate::schema::Result;
use crate::wire::{Reader, WireType};

impl From<DecodeError> for DescriptorError {
    #[cold]
    fn from(error: DecodeError) -> Self {
        Self::malformed(error)
    }
}

/// The value of a field; descriptor.proto has no fixed-width numbers that anybody looks at.
#[derive(Clone, Copy)]
pub(super) enum FieldValue<'i> {
    Int(u64),
    Bytes(&'i [u8]),
}

/// Reads the fields of a message. Unknown ones are checked as far as skipping them does.
pub(super) fn each<'i>(
    bytes: &'i [u8],
    field: &mut dyn FnMut(u32, FieldValue<'i>) -> Result<()>,
) -> Result<()> {
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.next_tag()? {
        let value = match tag.wire_type() {
            WireType::Varint => FieldValue::Int(reader.read_varint()?),
            WireType::LengthDelimited => FieldValue::Bytes(reader.read_length_delimited()?),
            _ => {
                reader.skip_field(tag)?;
                continue;
            }
        };
        field(tag.number(), value)?;
    }
    Ok(())
}

/// The length-delimited fields of this number, in a message that has been read or will be.
#[derive(Clone)]
pub(in crate::schema) struct Children<'i> {
    reader: Reader<'i>,
    number: u32,
}

/// The messages or strings of a repeated field.
pub(in crate::schema) fn children(bytes: &[u8], number: u32) -> Children<'_> {
    Children { reader: Reader::new(bytes), number }
}

impl<'i> Iterator for Children<'i> {
    type Item = &'i [u8];

    fn next(&mut self) -> Option<&'i [u8]> {
        loop {
            let tag = self.reader.next_tag().ok()??;
            if (tag.number(), tag.wire_type()) == (self.number, WireType::LengthDelimited) {
                return self.reader.read_length_delimited().ok();
            }
            self.reader.skip_field(tag).ok()?;
        }
    }
}

/// Checks that a set is a message, and counts its files and their bytes.
pub(in crate::schema) fn check_set(set: &[u8]) -> Result<()> {
    each(set, &mut |_, _| Ok(()))
}

/// descriptor.proto is proto2, whose strings may be anything; these must be UTF-8.
pub(in crate::schema) fn text(bytes: &[u8]) -> Result<&str> {
    core::str::from_utf8(bytes).map_err(|_| {
        DescriptorError::new(
            DescriptorErrorKind::InvalidName,
            "",
            format_args!("not UTF-8: \"{}\"", bytes.escape_ascii()),
        )
    })
}

/// Calls with each number of a repeated int32, packed or not.
pub(in crate::schema) fn ints(
    bytes: &[u8],
    number: u32,
    int: &mut dyn FnMut(i32) -> Result<()>,
) -> Result<()> {
    each(bytes, &mut |n, value| match value {
        FieldValue::Int(value) if n == number => int(value as i32),
        FieldValue::Bytes(packed) if n == number => {
            let mut reader = Reader::new(packed);
            while !reader.is_empty() {
                int(reader.read_varint()? as i32)?;
            }
            Ok(())
        }
        _ => Ok(()),
    })
}

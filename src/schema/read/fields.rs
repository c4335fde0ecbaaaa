//! Iterates over the fields of an encoded message.

use crate::error::{DecodeError, DescriptorError, DescriptorErrorKind};
use crate::schema::Result;
use crate::wire::{Reader, WireType};

impl From<DecodeError> for DescriptorError {
    #[cold]
    fn from(error: DecodeError) -> Self {
        Self::malformed(error)
    }
}

/// The value of a field. Fixed-width fields are skipped: descriptor.proto has none that matter here.
#[derive(Clone, Copy)]
pub(super) enum FieldValue<'i> {
    Int(u64),
    Bytes(&'i [u8]),
}

/// Calls `field` with each field of a message. Fields of other wire types are skipped.
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

/// Iterates over the length-delimited fields of one number. It stops silently at malformed bytes, which [`each`] reports
/// before or afterwards.
#[derive(Clone)]
pub(in crate::schema) struct Children<'i> {
    reader: Reader<'i>,
    number: u32,
}

/// The messages or strings of a repeated field.
pub(in crate::schema) fn children(bytes: &[u8], number: u32) -> Children<'_> {
    Children { reader: Reader::new(bytes), number }
}

/// All length-delimited fields with their numbers, up to the first malformed one.
pub(in crate::schema) fn all_children(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut reader = Reader::new(bytes);
    core::iter::from_fn(move || {
        loop {
            let tag = reader.next_tag().ok()??;
            if tag.wire_type() == WireType::LengthDelimited {
                return Some((tag.number(), reader.read_length_delimited().ok()?));
            }
            reader.skip_field(tag).ok()?;
        }
    })
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

/// Checks that a set is a well-formed message.
pub(in crate::schema) fn check_set(set: &[u8]) -> Result<()> {
    each(set, &mut |_, _| Ok(()))
}

/// A string. descriptor.proto is proto2, which does not check UTF-8, but descriptors need it.
pub(in crate::schema) fn text(bytes: &[u8]) -> Result<&str> {
    core::str::from_utf8(bytes).map_err(|_| {
        DescriptorError::new(
            DescriptorErrorKind::InvalidName,
            "",
            format_args!("not UTF-8: \"{}\"", bytes.escape_ascii()),
        )
    })
}

/// Calls `int` with each value of a repeated int32 field, packed or not.
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

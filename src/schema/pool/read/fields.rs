//! Iterates over the fields of an encoded message.

use crate::schema::pool::{DescriptorPool, Result};
use crate::schema::table::Kind;
use crate::wire::error::{DecodeError, DescriptorError, DescriptorErrorKind, FieldPath, PathStep};
use crate::wire::{DEFAULT_DEPTH, Reader, WireType};
use alloc::vec::Vec;

impl From<DecodeError> for DescriptorError {
    #[cold]
    fn from(error: DecodeError) -> Self {
        Self::malformed(error)
    }
}

/// A reader whose errors have addresses in place of offsets: [`located`] knows where the set begins.
fn reader(bytes: &[u8]) -> Reader<'_> {
    Reader::part(bytes, bytes.as_ptr().addr(), DEFAULT_DEPTH)
}

/// An error about the bytes of a set, with the offset from its start, and the fields of descriptor.proto that lead there.
#[cold]
pub(in crate::schema::pool) fn located(set: &[u8], error: DescriptorError) -> DescriptorError {
    let Some(fault) = error.decode_error() else { return error };
    let offset = fault.offset().wrapping_sub(set.as_ptr().addr());
    let fault = DecodeError::new(fault.kind(), offset).with_path(path_to(set, offset));
    DescriptorError::malformed(fault.in_message("google.protobuf.FileDescriptorSet")).in_file(error.file())
}

/// The messages around an offset, outermost first.
fn path_to(set: &[u8], offset: usize) -> FieldPath {
    let mut path = FieldPath::EMPTY;
    let pool = DescriptorPool::descriptor_proto();
    let mut message = pool.get_message_by_name("google.protobuf.FileDescriptorSet");
    let mut reader = Reader::new(set);
    while let Some(around) = message.take() {
        // How many fields of each number came before: lists of messages.
        let mut counts: Vec<u32> = Vec::new();
        while let Ok(Some(tag)) = reader.next_tag() {
            if tag.wire_type() != WireType::LengthDelimited {
                if reader.skip_field(tag).is_err() {
                    break;
                }
                continue;
            }
            // A part that ends too late is at fault itself.
            let part = reader.read_length_delimited().ok();
            let start = reader.position() - part.map_or(0, <[u8]>::len);
            let before = counts.iter().filter(|&&number| number == tag.number()).count() as u32;
            if part.is_some() && !(start..=reader.position()).contains(&offset) {
                if counts.try_reserve(1).is_ok() {
                    counts.push(tag.number());
                }
                continue;
            }
            if let Some(field) = around.get_field(tag.number())
                && let Kind::Message(inner) = field.kind()
            {
                path.push_inner(PathStep::named(
                    tag.number(),
                    field.name(),
                    field.is_list().then_some(before),
                ));
                if let Some(part) = part {
                    (message, reader) = (Some(inner), Reader::part(part, start, DEFAULT_DEPTH));
                }
            }
            break;
        }
    }
    path
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
    let mut reader = self::reader(bytes);
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
pub(in crate::schema::pool) struct Children<'i> {
    reader: Reader<'i>,
    number: u32,
}

/// The messages or strings of a repeated field.
pub(in crate::schema::pool) fn children(bytes: &[u8], number: u32) -> Children<'_> {
    Children { reader: Reader::new(bytes), number }
}

/// All length-delimited fields with their numbers, up to the first malformed one.
pub(in crate::schema::pool) fn all_children(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
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
pub(in crate::schema::pool) fn check_set(set: &[u8]) -> Result<()> {
    each(set, &mut |_, _| Ok(()))
}

/// Whether the bytes look like one `FileDescriptorProto`: they begin with one name, and there is more than a set has.
pub(in crate::schema::pool) fn looks_like_a_file(bytes: &[u8]) -> bool {
    let (mut names, mut others) = (0, 0);
    let read = each(bytes, &mut |number, value| {
        match (number, value) {
            (1, FieldValue::Bytes(name)) => {
                let is_name = core::str::from_utf8(name).is_ok_and(|name| !name.contains(char::is_control));
                names += if is_name { 1 } else { 2 };
            }
            (1, _) => names += 2,
            (2..=15, _) => others += 1,
            _ => {}
        }
        Ok(())
    });
    read.is_ok() && names == 1 && others > 0
}

/// A string. descriptor.proto is proto2, which does not check UTF-8, but descriptors need it.
pub(in crate::schema::pool) fn text(bytes: &[u8]) -> Result<&str> {
    core::str::from_utf8(bytes).map_err(|_| {
        DescriptorError::new(
            DescriptorErrorKind::InvalidName,
            "",
            format_args!("not UTF-8: \"{}\"", bytes.escape_ascii()),
        )
    })
}

/// Calls `int` with each value of a repeated int32 field, packed or not.
pub(in crate::schema::pool) fn ints(
    bytes: &[u8],
    number: u32,
    int: &mut dyn FnMut(i32) -> Result<()>,
) -> Result<()> {
    each(bytes, &mut |n, value| match value {
        FieldValue::Int(value) if n == number => int(value as i32),
        FieldValue::Bytes(packed) if n == number => {
            let mut reader = self::reader(packed);
            while !reader.is_empty() {
                int(reader.read_varint()? as i32)?;
            }
            Ok(())
        }
        _ => Ok(()),
    })
}

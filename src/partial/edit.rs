//! One field changed on the wire: everything else is copied, and lengths that change are written anew.
//!
//! An edit is cuts and one insertion in one message, and the messages around it with their lengths. Everything is
//! computed and checked before the first byte is written.

use super::fields::at;
use super::{RawField, RawFields, RawStep, RawValue};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::wire::{Buffer, MAX_LEN, Reader, Tag, WireType, Writer, varint_len};
use alloc::vec::Vec;
use core::ops::Range;

/// A message around the edit.
struct Parent {
    /// The length, as positions in the bytes that are copied; empty for a group.
    prefix: Range<usize>,
    /// The bytes of the message before and after the edit.
    old: usize,
    new: usize,
}

/// What is done to the message at the end of the path: ranges are left out, a field is put where the last one was.
/// Positions are in the bytes that are copied.
struct Edit<'v> {
    parents: Vec<Parent>,
    cuts: Vec<Range<usize>>,
    insert: Option<(Tag, RawValue<'v>)>,
}

pub(super) fn replace<S: Into<RawStep> + Copy>(
    fields: &RawFields<'_>,
    path: &[S],
    value: RawValue<'_>,
    buffer: &mut impl Buffer,
) -> Result<bool, DecodeError> {
    let Some((&last, parents)) = path.split_last() else { return copy(fields, buffer) };
    let Some((mut edit, message)) = Edit::of(fields, parents)? else { return copy(fields, buffer) };
    let found = find(&message, last.into()).map_err(|error| at(path, parents.len(), error))?;
    let Some(field) = found else { return copy(fields, buffer) };
    edit.cut(fields, &field)?;
    // The number is that of the field, so there is a tag.
    edit.insert = Tag::try_new(field.number(), value.wire_type()).map(|tag| (tag, value));
    edit.apply(fields, buffer)
}

pub(super) fn remove<S: Into<RawStep> + Copy>(
    fields: &RawFields<'_>,
    path: &[S],
    buffer: &mut impl Buffer,
) -> Result<bool, DecodeError> {
    let Some((&last, parents)) = path.split_last() else { return copy(fields, buffer) };
    let Some((mut edit, message)) = Edit::of(fields, parents)? else { return copy(fields, buffer) };
    let step: RawStep = last.into();
    let mut before = 0;
    for field in message {
        let field = field.map_err(|error| at(path, parents.len(), error))?;
        if field.number() == step.number() {
            if step.index().is_none_or(|index| index == before) {
                edit.cut(fields, &field)?;
            }
            before += 1;
        }
    }
    if edit.cuts.is_empty() { copy(fields, buffer) } else { edit.apply(fields, buffer) }
}

pub(super) fn append<S: Into<RawStep> + Copy>(
    fields: &RawFields<'_>,
    parents: &[S],
    number: u32,
    value: RawValue<'_>,
    buffer: &mut impl Buffer,
) -> Result<bool, DecodeError> {
    let tag = Tag::try_new(number, value.wire_type())
        .ok_or_else(|| DecodeError::new(DecodeErrorKind::InvalidFieldNumber, fields.offset()))?;
    let Some((mut edit, message)) = Edit::of(fields, parents)? else { return copy(fields, buffer) };
    let end = message.offset() + message.rest().len() - fields.offset();
    for field in message {
        field.map_err(|error| at(parents, parents.len(), error))?;
    }
    edit.cut_range(end..end)?;
    edit.insert = Some((tag, value));
    edit.apply(fields, buffer)
}

/// The field that a step says. Walks over all fields of the message: an edit checks every level that it changes, also
/// where the field is found before the end.
fn find<'i>(message: &RawFields<'i>, step: RawStep) -> Result<Option<RawField<'i>>, DecodeError> {
    let found = message.find(step)?;
    if let (Some(field), Some(_)) = (&found, step.index()) {
        message.after(field).try_for_each(|field| field.map(drop))?;
    }
    Ok(found)
}

/// There is nothing to change.
fn copy(fields: &RawFields<'_>, buffer: &mut impl Buffer) -> Result<bool, DecodeError> {
    reserve(fields.rest().len(), buffer)?;
    buffer.extend(fields.rest());
    Ok(false)
}

/// Makes room, so that nothing that is written after it can fail.
fn reserve(len: usize, buffer: &mut impl Buffer) -> Result<(), DecodeError> {
    buffer.reserve_bytes(len).map_err(|_| out_of_memory())
}

#[cold]
fn out_of_memory() -> DecodeError {
    DecodeError::new(DecodeErrorKind::OutOfMemory, 0)
}

impl Edit<'_> {
    /// An edit of the message that `path` leads to, and its fields; `None` if there is no such message.
    fn of<'i, S: Into<RawStep> + Copy>(
        root: &RawFields<'i>,
        path: &[S],
    ) -> Result<Option<(Self, RawFields<'i>)>, DecodeError> {
        let mut parents = Vec::new();
        let mut fields = root.clone();
        for (depth, &step) in path.iter().enumerate() {
            let fail = |error| at(path, depth, error);
            let Some(field) = find(&fields, step.into()).map_err(fail)? else { return Ok(None) };
            let Some(inner) = field.as_message().map_err(fail)? else { return Ok(None) };
            let prefix = field.length_offset() - root.offset()..field.value_offset() - root.offset();
            let len = field.bytes().len();
            parents.try_reserve(1).map_err(|_| out_of_memory())?;
            parents.push(Parent { prefix, old: len, new: len });
            fields = inner;
        }
        Ok(Some((Self { parents, cuts: Vec::new(), insert: None }, fields)))
    }

    fn cut(&mut self, root: &RawFields<'_>, field: &RawField<'_>) -> Result<(), DecodeError> {
        let start = field.offset() - root.offset();
        self.cut_range(start..start + field.span().len())
    }

    fn cut_range(&mut self, range: Range<usize>) -> Result<(), DecodeError> {
        if let Some(last) = self.cuts.last_mut()
            && last.end == range.start
        {
            last.end = range.end;
            return Ok(());
        }
        self.cuts.try_reserve(1).map_err(|_| out_of_memory())?;
        self.cuts.push(range);
        Ok(())
    }

    /// The lengths after the edit; gives that of the root message.
    fn resize(&mut self, root: usize) -> Result<usize, DecodeErrorKind> {
        let removed: usize = self.cuts.iter().map(Range::len).sum();
        let added = self.insert.map_or(0, |(tag, value)| size(tag, value));
        let (mut removed, mut added) = (removed, added);
        for parent in self.parents.iter_mut().rev() {
            parent.new = checked(parent.old, removed, added)?;
            if parent.new != parent.old && !parent.prefix.is_empty() {
                removed += parent.prefix.len();
                added += varint_len(parent.new as u64);
            }
        }
        checked(root, removed, added)
    }

    /// Appends the edited message to `buffer`.
    fn apply(mut self, fields: &RawFields<'_>, buffer: &mut impl Buffer) -> Result<bool, DecodeError> {
        let rest = fields.rest();
        if let Some((_, RawValue::Group(group))) = self.insert {
            Reader::new(group).skip_message()?;
        }
        let total = self.resize(rest.len()).map_err(|kind| DecodeError::new(kind, fields.offset()))?;
        reserve(total, buffer)?;
        let mut pos = 0;
        for parent in self.parents.iter().filter(|parent| parent.new != parent.old) {
            if !parent.prefix.is_empty() {
                buffer.extend(rest.get(pos..parent.prefix.start).unwrap_or_default());
                Writer::new(buffer).write_varint(parent.new as u64);
                pos = parent.prefix.end;
            }
        }
        for cut in self.cuts {
            buffer.extend(rest.get(pos..cut.start).unwrap_or_default());
            pos = cut.end;
        }
        if let Some((tag, value)) = self.insert {
            put(&mut Writer::new(buffer), tag, value);
        }
        buffer.extend(rest.get(pos..).unwrap_or_default());
        Ok(true)
    }
}

/// A length after an edit.
fn checked(old: usize, removed: usize, added: usize) -> Result<usize, DecodeErrorKind> {
    match (old - removed).checked_add(added) {
        Some(len) if len <= MAX_LEN => Ok(len),
        _ => Err(DecodeErrorKind::TooLarge),
    }
}

/// The bytes of a field.
fn size(tag: Tag, value: RawValue<'_>) -> usize {
    let value = match value {
        RawValue::Varint(value) => varint_len(value),
        RawValue::Fixed64(_) => 8,
        RawValue::Fixed32(_) => 4,
        RawValue::LengthDelimited(bytes) => varint_len(bytes.len() as u64).saturating_add(bytes.len()),
        RawValue::Group(fields) => fields.len().saturating_add(tag.len()),
    };
    value.saturating_add(tag.len())
}

fn put(writer: &mut Writer<'_, impl Buffer>, tag: Tag, value: RawValue<'_>) {
    writer.write_tag(tag);
    match value {
        RawValue::Varint(value) => writer.write_varint(value),
        RawValue::Fixed64(value) => writer.write_fixed64(value),
        RawValue::Fixed32(value) => writer.write_fixed32(value),
        RawValue::LengthDelimited(bytes) => {
            writer.write_varint(bytes.len() as u64);
            writer.write_raw(bytes);
        }
        RawValue::Group(fields) => {
            writer.write_raw(fields);
            writer.write_varint((u64::from(tag.number()) << 3) | WireType::EndGroup as u64);
        }
    }
}

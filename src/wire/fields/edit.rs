//! Changing one field on the wire: [`RawFields::replace`], [`remove`](RawFields::remove) and
//! [`append`](RawFields::append).
//!
//! An edit cuts ranges out of one message and inserts at most one field, where the last cut was. The messages around
//! it get new length prefixes if their lengths change, and everything else is copied. The edit is computed and checked
//! before the first byte is written, so that an error leaves the buffer as it was.
//!
//! ```text
//! follow the path; for each message on it keep the range of its length prefix, and its length
//! find the ranges to cut and the field to insert, in the innermost message
//! from the innermost message outwards:
//!     new length = old length - bytes removed + bytes added
//!     if it differs: the prefix counts as removed, the new prefix as added
//! reserve the length of the whole
//! copy, from outside in: bytes up to each changed prefix, the new prefix; bytes up to each cut; the field; the rest
//! ```

use super::field::{RawField, RawFields, RawStep, RawValue, in_path};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{Buffer, MAX_LEN, Reader, Tag, WireType, Writer, varint_len};
use alloc::vec::Vec;
use core::ops::Range;

impl RawFields<'_> {
    /// Appends the message to `buffer`, with another value for one field; true if the field was found.
    ///
    /// The field is the one that [`follow`](Self::follow) finds; the value may have another wire type. The length
    /// prefixes of the messages around it are rewritten if their lengths change. All other bytes are copied, and the whole
    /// message is if the field was not found.
    ///
    /// Reads and thereby checks all fields of each message on the path, also those after a field that was found by its
    /// index, and no others, except those of groups in such a message. The bytes of a group given as value are checked
    /// too.
    ///
    /// # Errors
    ///
    /// As [`find_last`](Self::find_last), with the steps as path; `TooLarge` if a message would exceed 2^31-1 bytes,
    /// `OutOfMemory` if the buffer cannot grow. The buffer keeps its content.
    ///
    /// ```
    /// use tablepb::raw::{RawFields, RawValue};
    ///
    /// let order = b"\x0a\x03a-1\x12\x03\x18\x96\x01";
    /// let mut changed = Vec::new();
    /// assert!(RawFields::new(order).replace(&[2, 3], RawValue::Varint(7), &mut changed)?);
    /// assert_eq!(changed, b"\x0a\x03a-1\x12\x02\x18\x07");
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    pub fn replace<S: Into<RawStep> + Copy>(
        &self,
        path: &[S],
        value: RawValue<'_>,
        buffer: &mut impl Buffer,
    ) -> Result<bool, DecodeError> {
        let Some((&last, parents)) = path.split_last() else { return copy_unchanged(self, buffer) };
        let Some((mut edit, message)) = Edit::of(self, parents)? else { return copy_unchanged(self, buffer) };
        let found =
            find_and_check(&message, last.into()).map_err(|error| in_path(error, path, parents.len()))?;
        let Some(field) = found else { return copy_unchanged(self, buffer) };
        edit.cut(self, &field)?;
        // Always `Some`: the number comes from a tag.
        edit.insert = Tag::try_new(field.number(), value.wire_type()).map(|tag| (tag, value));
        edit.apply(self, buffer)
    }

    /// Appends the message to `buffer` without one field; true if the field was found.
    ///
    /// A last step without an index removes every occurrence of the field in its message, so that the field is unset;
    /// one with an index removes that occurrence only. Otherwise as [`replace`](Self::replace).
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace).
    ///
    /// ```
    /// use tablepb::raw::{RawFields, RawStep};
    ///
    /// let tags = b"\x0a\x01a\x0a\x01b\x0a\x01c";
    /// let mut fewer = Vec::new();
    /// assert!(RawFields::new(tags).remove(&[RawStep::nth(1, 0)], &mut fewer)?);
    /// assert_eq!(fewer, b"\x0a\x01b\x0a\x01c");
    ///
    /// let mut none = Vec::new();
    /// assert!(RawFields::new(&fewer).remove(&[1], &mut none)?);
    /// assert!(none.is_empty());
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    pub fn remove<S: Into<RawStep> + Copy>(
        &self,
        path: &[S],
        buffer: &mut impl Buffer,
    ) -> Result<bool, DecodeError> {
        let Some((&last, parents)) = path.split_last() else { return copy_unchanged(self, buffer) };
        let Some((mut edit, message)) = Edit::of(self, parents)? else { return copy_unchanged(self, buffer) };
        let step: RawStep = last.into();
        let mut before = 0;
        for field in message {
            let field = field.map_err(|error| in_path(error, path, parents.len()))?;
            if field.number() == step.number() {
                if step.index().is_none_or(|index| index == before) {
                    edit.cut(self, &field)?;
                }
                before += 1;
            }
        }
        if edit.cuts.is_empty() { copy_unchanged(self, buffer) } else { edit.apply(self, buffer) }
    }

    /// Appends the message to `buffer`, with one more field at the end of the message that `parent` leads to; true if
    /// that message was found.
    ///
    /// An empty path is the message itself. A singular field takes the new value, because the last occurrence counts; a
    /// repeated field gets one more element. Otherwise as [`replace`](Self::replace).
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace); `InvalidFieldNumber` if `number` is 0 or above 536870911.
    ///
    /// ```
    /// use tablepb::raw::{RawFields, RawStep, RawValue};
    ///
    /// let order = b"\x0a\x03a-1";
    /// let mut changed = Vec::new();
    /// let root: [RawStep; 0] = [];
    /// assert!(RawFields::new(order).append(&root, 5, RawValue::LengthDelimited(b"b"), &mut changed)?);
    /// assert_eq!(changed, b"\x0a\x03a-1\x2a\x01b");
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    pub fn append<S: Into<RawStep> + Copy>(
        &self,
        parent: &[S],
        number: u32,
        value: RawValue<'_>,
        buffer: &mut impl Buffer,
    ) -> Result<bool, DecodeError> {
        let tag = Tag::try_new(number, value.wire_type())
            .ok_or_else(|| DecodeError::new(DecodeErrorKind::InvalidFieldNumber, self.offset()))?;
        let Some((mut edit, message)) = Edit::of(self, parent)? else { return copy_unchanged(self, buffer) };
        let end = message.offset() + message.rest().len() - self.offset();
        for field in message {
            field.map_err(|error| in_path(error, parent, parent.len()))?;
        }
        // The field goes where the last cut is: an empty one at the end of the message.
        edit.cut_range(end..end)?;
        edit.insert = Some((tag, value));
        edit.apply(self, buffer)
    }
}

/// A message around the edited one, or the edited one itself.
struct Parent {
    /// The range of the length prefix in the root message; empty for a group.
    prefix: Range<usize>,
    /// The length before and after the edit.
    old_len: usize,
    new_len: usize,
}

/// The changes to the message at the end of a path. Offsets are in the root message.
struct Edit<'v> {
    /// The messages on the path, from outside in.
    parents: Vec<Parent>,
    cuts: Vec<Range<usize>>,
    insert: Option<(Tag, RawValue<'v>)>,
}

impl Edit<'_> {
    /// An edit of the message that `path` leads to, still empty, and the fields of that message; `None` if there is no
    /// such message.
    fn of<'i, S: Into<RawStep> + Copy>(
        root: &RawFields<'i>,
        path: &[S],
    ) -> Result<Option<(Self, RawFields<'i>)>, DecodeError> {
        let mut parents = Vec::new();
        let mut fields = root.clone();
        for (depth, &step) in path.iter().enumerate() {
            let fail = |error| in_path(error, path, depth);
            let Some(field) = find_and_check(&fields, step.into()).map_err(fail)? else { return Ok(None) };
            let Some(inner) = field.as_message().map_err(fail)? else { return Ok(None) };
            let prefix = field.length_offset() - root.offset()..field.value_offset() - root.offset();
            let len = field.bytes().len();
            parents.try_reserve(1).map_err(|_| out_of_memory())?;
            parents.push(Parent { prefix, old_len: len, new_len: len });
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

    /// Computes the new lengths of the parents; returns that of the root message.
    fn resize(&mut self, root_len: usize) -> Result<usize, DecodeErrorKind> {
        let mut removed: usize = self.cuts.iter().map(Range::len).sum();
        let mut added = self.insert.map_or(0, |(tag, value)| field_len(tag, value));
        for parent in self.parents.iter_mut().rev() {
            parent.new_len = checked_len(parent.old_len, removed, added)?;
            if parent.new_len != parent.old_len && !parent.prefix.is_empty() {
                removed += parent.prefix.len();
                added += varint_len(parent.new_len as u64);
            }
        }
        checked_len(root_len, removed, added)
    }

    /// Appends the edited message to `buffer`.
    fn apply(mut self, root: &RawFields<'_>, buffer: &mut impl Buffer) -> Result<bool, DecodeError> {
        let bytes = root.rest();
        if let Some((_, RawValue::Group(group))) = self.insert {
            Reader::new(group).skip_message()?;
        }
        let total = self.resize(bytes.len()).map_err(|kind| DecodeError::new(kind, root.offset()))?;
        reserve(total, buffer)?;
        let mut pos = 0;
        for parent in self.parents.iter().filter(|parent| parent.new_len != parent.old_len) {
            if !parent.prefix.is_empty() {
                buffer.extend(bytes.get(pos..parent.prefix.start).unwrap_or_default());
                Writer::new(buffer).write_varint(parent.new_len as u64);
                pos = parent.prefix.end;
            }
        }
        for cut in self.cuts {
            buffer.extend(bytes.get(pos..cut.start).unwrap_or_default());
            pos = cut.end;
        }
        if let Some((tag, value)) = self.insert {
            write_field(&mut Writer::new(buffer), tag, value);
        }
        buffer.extend(bytes.get(pos..).unwrap_or_default());
        Ok(true)
    }
}

/// Finds the occurrence of a field that a step names, and reads on to the end: an edit checks every message that it
/// changes as a whole.
fn find_and_check<'i>(message: &RawFields<'i>, step: RawStep) -> Result<Option<RawField<'i>>, DecodeError> {
    let mut rest = message.clone();
    let found = rest.read_to(step)?;
    rest.try_for_each(|field| field.map(drop))?;
    Ok(found)
}

fn copy_unchanged(fields: &RawFields<'_>, buffer: &mut impl Buffer) -> Result<bool, DecodeError> {
    reserve(fields.rest().len(), buffer)?;
    buffer.extend(fields.rest());
    Ok(false)
}

/// Reserves room for the whole message, so that nothing fails once writing has begun.
fn reserve(len: usize, buffer: &mut impl Buffer) -> Result<(), DecodeError> {
    buffer.reserve_bytes(len).map_err(|_| out_of_memory())
}

#[cold]
fn out_of_memory() -> DecodeError {
    DecodeError::new(DecodeErrorKind::OutOfMemory, 0)
}

/// The length of a message after an edit.
fn checked_len(old: usize, removed: usize, added: usize) -> Result<usize, DecodeErrorKind> {
    match (old - removed).checked_add(added) {
        Some(len) if len <= MAX_LEN => Ok(len),
        _ => Err(DecodeErrorKind::TooLarge),
    }
}

/// The bytes of a field, tags included.
fn field_len(tag: Tag, value: RawValue<'_>) -> usize {
    let value_len = match value {
        RawValue::Varint(value) => varint_len(value),
        RawValue::Fixed64(_) => 8,
        RawValue::Fixed32(_) => 4,
        RawValue::LengthDelimited(bytes) => varint_len(bytes.len() as u64).saturating_add(bytes.len()),
        RawValue::Group(fields) => fields.len().saturating_add(tag.len()),
    };
    value_len.saturating_add(tag.len())
}

fn write_field(writer: &mut Writer<'_, impl Buffer>, tag: Tag, value: RawValue<'_>) {
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

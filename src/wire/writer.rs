//! Writing a message without its schema.

use super::{Buffer, Cursor, MAX_LEN, Tag, WireType, varint_len};
use crate::wire::error::{EncodeError, EncodeErrorKind};

/// The bytes of the longest varint.
const LONGEST: usize = 10;

/// Appends the fields of a message to a buffer.
///
/// Nothing of what was in the buffer changes. Each call reserves what it needs; to allocate only once, reserve
/// room in the buffer first. Where the allocator has no memory, calls that give a `Result` fail with `OutOfMemory`; the others abort,
/// as `Vec::push` does, unless room was reserved. Tags and values are separate calls, as they are in [`Reader`](super::Reader); that they match
/// is up to the caller.
///
/// ```
/// use tablepb::wire::{Tag, WireType, Writer};
///
/// const ID: Tag = Tag::new(1, WireType::Varint);
/// const CHILD: Tag = Tag::new(3, WireType::LengthDelimited);
///
/// let mut buf = Vec::new();
/// let mut writer = Writer::new(&mut buf);
/// writer.write_tag(ID);
/// writer.write_varint(150);
/// writer.write_message(CHILD, |child| {
///     child.write_tag(ID);
///     child.write_varint(7);
///     Ok(())
/// })?;
/// assert_eq!(buf, [0x08, 0x96, 0x01, 0x1a, 0x02, 0x08, 0x07]);
/// # Ok::<(), tablepb::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct Writer<'b, B: Buffer> {
    buf: &'b mut B,
}

impl<'b, B: Buffer> Writer<'b, B> {
    /// Appends to `buf`.
    #[inline]
    pub fn new(buf: &'b mut B) -> Self {
        Self { buf }
    }

    /// A tag, 1 to 5 bytes.
    #[inline]
    pub fn write_tag(&mut self, tag: Tag) {
        self.write_varint(tag.get().into());
    }

    /// A varint, 1 to 10 bytes.
    ///
    /// Negative `int32`, `int64` and enum values are sign-extended (`as i64 as u64`); `sint` types go through
    /// [`zigzag32`](super::zigzag32) or [`zigzag64`](super::zigzag64).
    #[inline]
    pub fn write_varint(&mut self, value: u64) {
        let written = match self.buf.spare().get_mut(..LONGEST) {
            Some(_) => self.buf.append_up_to(LONGEST, |cursor| cursor.put_varint(value)),
            None => return self.write_tight(value),
        };
        debug_assert!(written.is_ok());
    }

    /// A varint where there is no room for the longest: this one may be shorter.
    #[cold]
    #[inline(never)]
    fn write_tight(&mut self, value: u64) {
        let mut bytes = [0; 10];
        let mut cursor = Cursor::over(&mut bytes);
        cursor.put_varint(value);
        if let Ok(written) = cursor.finish() {
            self.buf.extend(written.as_slice());
        }
    }

    /// Four bytes, little endian. A `float` is written as its [`f32::to_bits`].
    #[inline]
    pub fn write_fixed32(&mut self, value: u32) {
        self.buf.extend(&value.to_le_bytes());
    }

    /// Eight bytes, little endian. A `double` is written as its [`f64::to_bits`].
    #[inline]
    pub fn write_fixed64(&mut self, value: u64) {
        self.buf.extend(&value.to_le_bytes());
    }

    /// Bytes as they are: fields that were encoded before.
    #[inline]
    pub fn write_raw(&mut self, bytes: &[u8]) {
        self.buf.extend(bytes);
    }

    /// A length and the bytes of a `string`, `bytes` or message field.
    ///
    /// # Errors
    ///
    /// `TooLarge` above 2^31-1 bytes, `OutOfMemory`; nothing is written then.
    #[inline]
    pub fn write_length_delimited(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.begin(bytes.len())?;
        self.buf.extend(bytes);
        Ok(())
    }

    /// A length prefix, 1 to 5 bytes. The caller writes the bytes after it.
    ///
    /// # Errors
    ///
    /// `TooLarge` above 2^31-1, `OutOfMemory`; nothing is written then.
    #[inline]
    pub fn write_length(&mut self, len: usize) -> Result<(), EncodeError> {
        if len > MAX_LEN {
            return Err(EncodeError::new(EncodeErrorKind::TooLarge));
        }
        self.buf.reserve_bytes(varint_len(len as u64))?;
        self.write_varint(len as u64);
        Ok(())
    }

    /// The field `tag`, of wire type [`LengthDelimited`](WireType::LengthDelimited), whose content `write` appends.
    ///
    /// The length is filled in afterwards: a content of 128 bytes or more is moved once for it, at every level.
    /// If the length is known, [`write_length`](Self::write_length) avoids the move.
    ///
    /// # Errors
    ///
    /// That of `write`; `TooLarge` above 2^31-1 bytes; `OutOfMemory`. The buffer then has its old length, as it has if `write` panics.
    pub fn write_message(
        &mut self,
        tag: Tag,
        write: impl FnOnce(&mut Writer<'_, B>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.buf.reserve_bytes(tag.len() + 1)?;
        let mut undo = self.undo();
        let writer = &mut undo.writer;
        writer.write_tag(tag);
        let prefix = writer.buf.as_bytes().len();
        writer.buf.extend(&[0]);
        write(&mut Writer { buf: writer.buf })?;
        writer.fill_length(prefix)?;
        undo.keep();
        Ok(())
    }

    /// The group `number`, whose fields `write` appends, between its start and end tags.
    ///
    /// # Errors
    ///
    /// That of `write`; `OutOfMemory`. The buffer then has its old length, as it has if `write` panics.
    ///
    /// # Panics
    ///
    /// If `number` is not a field number, as [`Tag::new`].
    #[track_caller]
    pub fn write_group(
        &mut self,
        number: u32,
        write: impl FnOnce(&mut Writer<'_, B>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let (begin, end) = (Tag::new(number, WireType::StartGroup), Tag::new(number, WireType::EndGroup));
        self.buf.reserve_bytes(begin.len())?;
        let mut undo = self.undo();
        let writer = &mut undo.writer;
        writer.write_tag(begin);
        write(&mut Writer { buf: writer.buf })?;
        writer.buf.reserve_bytes(end.len())?;
        writer.write_tag(end);
        undo.keep();
        Ok(())
    }

    /// A packed run of varints: a length and the values. The iterator runs twice, once to add up the length.
    ///
    /// # Errors
    ///
    /// `TooLarge` above 2^31-1 bytes, `OutOfMemory`, `SizeMismatch` if the values of the second run take more or fewer bytes than those of the first;
    /// nothing is written then, nor if the iterator panics.
    pub fn write_packed_varints<I>(&mut self, values: I) -> Result<(), EncodeError>
    where
        I: IntoIterator<Item = u64>,
        I::IntoIter: Clone,
    {
        let values = values.into_iter();
        let len = values.clone().fold(0, |len: usize, value| len.saturating_add(varint_len(value)));
        let mut undo = self.undo();
        let writer = &mut undo.writer;
        writer.begin(len)?;
        let start = writer.buf.as_bytes().len();
        for value in values {
            // There is room for `len` bytes, and a second run may be longer, even without end.
            if writer.buf.as_bytes().len() - start >= len {
                return Err(EncodeError::new(EncodeErrorKind::SizeMismatch));
            }
            writer.write_varint(value);
        }
        if writer.buf.as_bytes().len() - start != len {
            return Err(EncodeError::new(EncodeErrorKind::SizeMismatch));
        }
        undo.keep();
        Ok(())
    }

    /// A packed run of `fixed32`, `sfixed32` or `float`: a length and the values.
    ///
    /// # Errors
    ///
    /// `TooLarge` above 2^31-1 bytes, `OutOfMemory`; nothing is written then.
    pub fn write_packed_fixed32(&mut self, values: &[u32]) -> Result<(), EncodeError> {
        let len = values.len().saturating_mul(4);
        self.begin(len)?;
        let written =
            self.buf.append_up_to(len, |cursor| values.iter().for_each(|&value| cursor.put_fixed32(value)));
        debug_assert!(written.is_ok());
        Ok(())
    }

    /// A packed run of `fixed64`, `sfixed64` or `double`: a length and the values.
    ///
    /// # Errors
    ///
    /// `TooLarge` above 2^31-1 bytes, `OutOfMemory`; nothing is written then.
    pub fn write_packed_fixed64(&mut self, values: &[u64]) -> Result<(), EncodeError> {
        let len = values.len().saturating_mul(8);
        self.begin(len)?;
        let written =
            self.buf.append_up_to(len, |cursor| values.iter().for_each(|&value| cursor.put_fixed64(value)));
        debug_assert!(written.is_ok());
        Ok(())
    }

    /// Takes back what is written through it, unless `keep` is called.
    #[inline]
    fn undo(&mut self) -> Undo<'_, B> {
        Undo { to: self.buf.as_bytes().len(), writer: Writer { buf: self.buf } }
    }

    /// Makes room for so many bytes and their length prefix, and writes the prefix.
    #[inline]
    fn begin(&mut self, len: usize) -> Result<(), EncodeError> {
        if len > MAX_LEN {
            return Err(EncodeError::new(EncodeErrorKind::TooLarge));
        }
        // On 32-bit targets the sum may overflow. It saturates, and reserving so much fails.
        self.buf.reserve_bytes(varint_len(len as u64).saturating_add(len))?;
        self.write_varint(len as u64);
        Ok(())
    }

    /// Puts the length of what follows into the byte at `prefix`, and makes room there if it takes more.
    fn fill_length(&mut self, prefix: usize) -> Result<(), EncodeError> {
        let body = prefix + 1;
        let len = self.buf.as_bytes().len() - body;
        if len > MAX_LEN {
            return Err(EncodeError::new(EncodeErrorKind::TooLarge));
        }
        let more = varint_len(len as u64) - 1;
        if more > 0 {
            self.buf.reserve_bytes(more)?;
            self.buf.extend(&[0; 4][..more]);
            self.buf.as_bytes_mut().copy_within(body..body + len, body + more);
        }
        let mut cursor = Cursor::over(&mut self.buf.as_bytes_mut()[prefix..body + more]);
        cursor.put_varint(len as u64);
        let written = cursor.finish();
        debug_assert!(written.is_ok());
        Ok(())
    }
}

/// Takes back what was written, also when a closure panics: a tag without the rest of its field would be read together with what is written
/// next.
struct Undo<'b, B: Buffer> {
    writer: Writer<'b, B>,
    to: usize,
}

impl<B: Buffer> Undo<'_, B> {
    fn keep(mut self) {
        self.to = usize::MAX;
    }
}

impl<B: Buffer> Drop for Undo<'_, B> {
    fn drop(&mut self) {
        self.writer.buf.truncate_to(self.to);
    }
}

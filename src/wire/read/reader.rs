//! Reading a message without its schema.

use super::raw::{self, within};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{DEFAULT_DEPTH, PackedFixed32, PackedFixed64, PackedVarints, Tag, WireType};

/// Reads the fields of one message, or what is left of them, from a slice.
///
/// Every read moves the position past the value; if it fails, the position stays. Errors
/// carry the offset of the tag, length or value at fault, from the start of the outermost input.
/// [`Incomplete`](DecodeErrorKind::Incomplete) means that the outermost input ends too early,
/// [`Overrun`](DecodeErrorKind::Overrun) that a nested message, group or packed run does.
///
/// Nothing is copied, and no method recurses. A reader knows how many levels may still open, 100 by default, and gives
/// one less to the readers of nested messages and groups.
///
/// ```
/// use tablepb::wire::{Reader, WireType};
///
/// // message Point { int32 x = 1; string name = 2; }
/// let mut reader = Reader::new(&[0x08, 0x96, 0x01, 0x12, 0x01, b'a']);
/// let mut point = (0, "");
/// while let Some(tag) = reader.next_tag()? {
///     match (tag.number(), tag.wire_type()) {
///         (1, WireType::Varint) => point.0 = reader.read_varint()? as i32,
///         (2, WireType::LengthDelimited) => point.1 = reader.read_str()?,
///         _ => reader.skip_field(tag)?,
///     }
/// }
/// assert_eq!(point, (150, "a"));
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader<'i> {
    /// Up to the innermost bound.
    buf: &'i [u8],
    pos: usize,
    /// The offset of `buf` in the outermost input.
    base: usize,
    /// Where the last tag starts, in `buf`.
    tag_at: usize,
    depth_left: u32,
    /// `buf` ends at a length prefix or end-group tag, not at the end of the outermost input.
    bounded: bool,
}

impl<'i> Reader<'i> {
    /// Reads the message that is the whole of `input`, nested up to [`DEFAULT_DEPTH`].
    #[inline]
    #[must_use]
    pub const fn new(input: &'i [u8]) -> Self {
        Self::with_depth(input, DEFAULT_DEPTH)
    }

    /// Reads the message that is the whole of `input`, with at most `depth_left` levels of messages and groups
    /// in it.
    #[inline]
    #[must_use]
    pub const fn with_depth(input: &'i [u8], depth_left: u32) -> Self {
        Self { buf: input, pos: 0, base: 0, tag_at: 0, depth_left, bounded: false }
    }

    /// Reads a part of an outer input, in which it starts at the offset `base`.
    #[inline]
    pub(crate) const fn part(part: &'i [u8], base: usize, depth_left: u32) -> Self {
        Self { buf: part, pos: 0, base, tag_at: 0, depth_left, bounded: true }
    }

    /// The offset of the next byte from the start of the outermost input.
    #[inline]
    #[must_use]
    pub const fn position(&self) -> usize {
        self.base + self.pos
    }

    /// The number of bytes that are left.
    #[inline]
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.buf.len() - self.pos
    }

    /// Whether nothing is left.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// The bytes that are left.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'i [u8] {
        self.buf.get(self.pos..).unwrap_or_default()
    }

    /// The levels of messages and groups that may still open.
    #[inline]
    #[must_use]
    pub const fn depth_left(&self) -> u32 {
        self.depth_left
    }

    /// The tag of the next field, or `None` at the end of the message.
    ///
    /// # Errors
    ///
    /// As [`read_tag`](Self::read_tag).
    #[inline]
    pub fn next_tag(&mut self) -> Result<Option<Tag>, DecodeError> {
        if self.is_empty() { Ok(None) } else { self.read_tag().map(Some) }
    }

    /// A tag; end-group tags too.
    ///
    /// # Errors
    ///
    /// `InvalidTag` above five bytes or 2^32-1, `InvalidFieldNumber` for 0, `InvalidWireType` for 6 and 7,
    /// `Incomplete` or `Overrun`, also at the very end.
    #[inline]
    pub fn read_tag(&mut self) -> Result<Tag, DecodeError> {
        self.tag_at = self.pos;
        self.read(raw::tag)
    }

    /// A varint of 1 to 10 bytes. Overlong ones are accepted, as in every implementation.
    ///
    /// `int32` and enums take the low 32 bits (`as i32`), `bool` asks whether it is not 0, and `sint` types go
    /// through [`unzigzag32`](crate::wire::unzigzag32) or [`unzigzag64`](crate::wire::unzigzag64).
    ///
    /// # Errors
    ///
    /// `VarintOverflow` above ten bytes or 2^64-1, `Incomplete` or `Overrun`.
    #[inline]
    pub fn read_varint(&mut self) -> Result<u64, DecodeError> {
        self.read(raw::varint)
    }

    /// Four bytes, little endian; for `float`, [`f32::from_bits`] follows.
    ///
    /// # Errors
    ///
    /// `Incomplete` or `Overrun`.
    #[inline]
    pub fn read_fixed32(&mut self) -> Result<u32, DecodeError> {
        self.read(raw::fixed32)
    }

    /// Eight bytes, little endian; for `double`, [`f64::from_bits`] follows.
    ///
    /// # Errors
    ///
    /// `Incomplete` or `Overrun`.
    #[inline]
    pub fn read_fixed64(&mut self) -> Result<u64, DecodeError> {
        self.read(raw::fixed64)
    }

    /// A length and the bytes it announces.
    ///
    /// # Errors
    ///
    /// `InvalidLength` above five bytes or 2^31-1, `Incomplete` or `Overrun`.
    #[inline]
    pub fn read_length_delimited(&mut self) -> Result<&'i [u8], DecodeError> {
        self.read(raw::length_delimited)
    }

    /// A length and a string.
    ///
    /// # Errors
    ///
    /// As [`read_length_delimited`](Self::read_length_delimited); `InvalidUtf8` at the start of the string.
    #[inline]
    pub fn read_str(&mut self) -> Result<&'i str, DecodeError> {
        match raw::string(self.buf, self.pos) {
            Ok((string, pos)) => {
                self.pos = pos;
                Ok(string)
            }
            Err(DecodeErrorKind::InvalidUtf8) => Err(self.invalid_utf8()),
            Err(kind) => Err(self.fail(kind, self.pos)),
        }
    }

    /// A length and a nested message, to be read by the reader returned.
    ///
    /// # Errors
    ///
    /// As [`read_length_delimited`](Self::read_length_delimited); `DepthExceeded`.
    #[inline]
    pub fn read_message(&mut self) -> Result<Reader<'i>, DecodeError> {
        let Some(depth_left) = self.depth_left.checked_sub(1) else {
            return Err(self.fail(DecodeErrorKind::DepthExceeded, self.pos));
        };
        let buf = self.read_length_delimited()?;
        Ok(self.nested(buf, self.pos - buf.len(), depth_left))
    }

    /// The fields of the group that `tag` has opened, to be read by the reader returned; the position moves
    /// after the end-group tag.
    ///
    /// The end is found by skipping, so that groups in groups are walked over once per level.
    ///
    /// # Errors
    ///
    /// As [`skip_field`](Self::skip_field); `UnexpectedEndGroup` as well if `tag` is not a start-group tag.
    pub fn read_group(&mut self, tag: Tag) -> Result<Reader<'i>, DecodeError> {
        if tag.wire_type() != WireType::StartGroup {
            return Err(self.fail(DecodeErrorKind::UnexpectedEndGroup, self.tag_at));
        }
        let start = self.pos;
        match raw::group(self.buf, start, tag.number(), self.depth_left) {
            Ok((end, pos)) => {
                self.pos = pos;
                let buf = self.buf.get(start..end).unwrap_or_default();
                Ok(self.nested(buf, start, self.depth_left.saturating_sub(1)))
            }
            Err(fault) => Err(self.fail(fault.kind, self.blame(fault, tag, self.depth_left))),
        }
    }

    /// The varints of a packed field: a length, and values to its end.
    ///
    /// # Errors
    ///
    /// As [`read_length_delimited`](Self::read_length_delimited); faults of the values come from the iterator.
    #[inline]
    pub fn read_packed_varints(&mut self) -> Result<PackedVarints<'i>, DecodeError> {
        let run = self.read_length_delimited()?;
        Ok(PackedVarints::new(run, self.position() - run.len()))
    }

    /// The values of a packed `fixed32`, `sfixed32` or `float` field.
    ///
    /// # Errors
    ///
    /// As [`read_length_delimited`](Self::read_length_delimited); `InvalidPacked` at the start of the run.
    #[inline]
    pub fn read_packed_fixed32(&mut self) -> Result<PackedFixed32<'i>, DecodeError> {
        let start = self.pos;
        let run = self.read_length_delimited()?;
        PackedFixed32::new(run).ok_or_else(|| self.invalid_packed(start))
    }

    /// The values of a packed `fixed64`, `sfixed64` or `double` field.
    ///
    /// # Errors
    ///
    /// As [`read_length_delimited`](Self::read_length_delimited); `InvalidPacked` at the start of the run.
    #[inline]
    pub fn read_packed_fixed64(&mut self) -> Result<PackedFixed64<'i>, DecodeError> {
        let start = self.pos;
        let run = self.read_length_delimited()?;
        PackedFixed64::new(run).ok_or_else(|| self.invalid_packed(start))
    }

    /// Skips the value of the field whose `tag` has just been read.
    ///
    /// Everything about the value is checked except what only a schema can tell. Groups in groups deeper than
    /// [`DEFAULT_DEPTH`] take four bytes of memory per level while they are skipped.
    ///
    /// # Errors
    ///
    /// Those of the value; `UnexpectedEndGroup` if `tag` ends a group or the groups in it do not match;
    /// `DepthExceeded`.
    #[inline]
    pub fn skip_field(&mut self, tag: Tag) -> Result<(), DecodeError> {
        self.skip_field_at(tag, self.depth_left)
    }

    /// [`skip_field`](Self::skip_field) with at most `depth_left` levels of groups.
    ///
    /// # Errors
    ///
    /// As [`skip_field`](Self::skip_field).
    #[inline]
    pub fn skip_field_at(&mut self, tag: Tag, depth_left: u32) -> Result<(), DecodeError> {
        match raw::skip_value(self.buf, self.pos, self.buf.len(), tag, depth_left) {
            Ok(pos) => {
                self.pos = pos;
                Ok(())
            }
            Err(fault) => Err(self.fail(fault.kind, self.blame(fault, tag, depth_left))),
        }
    }

    /// Skips, and so checks, all fields that are left.
    ///
    /// # Errors
    ///
    /// Those of [`read_tag`](Self::read_tag) and [`skip_field`](Self::skip_field); the position stays at the
    /// field at fault.
    pub fn skip_message(&mut self) -> Result<(), DecodeError> {
        while let Some(tag) = self.next_tag()? {
            if let Err(error) = self.skip_field(tag) {
                self.pos = self.tag_at;
                return Err(error);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn read<T>(
        &mut self,
        read: impl FnOnce(&'i [u8], usize) -> Result<(T, usize), DecodeErrorKind>,
    ) -> Result<T, DecodeError> {
        match read(self.buf, self.pos) {
            Ok((value, pos)) => {
                self.pos = pos;
                Ok(value)
            }
            Err(kind) => Err(self.fail(kind, self.pos)),
        }
    }

    #[inline]
    fn nested(&self, buf: &'i [u8], start: usize, depth_left: u32) -> Reader<'i> {
        Reader::part(buf, self.base + start, depth_left)
    }

    #[cold]
    #[inline(never)]
    fn fail(&self, kind: DecodeErrorKind, at: usize) -> DecodeError {
        DecodeError::new(within(self.bounded, kind), self.base + at)
    }

    /// The string is at fault, not its length.
    #[cold]
    fn invalid_utf8(&self) -> DecodeError {
        let start = raw::length(self.buf, self.pos).map_or(self.pos, |(_, start)| start);
        self.fail(DecodeErrorKind::InvalidUtf8, start)
    }

    /// The run is at fault, not its length, which starts at `start`.
    #[cold]
    fn invalid_packed(&mut self, start: usize) -> DecodeError {
        self.pos = start;
        let run = raw::length(self.buf, start).map_or(start, |(_, run)| run);
        self.fail(DecodeErrorKind::InvalidPacked, run)
    }

    /// Where a fault of [`raw::skip_value`] is: at the tag if the tag itself is at fault.
    fn blame(&self, fault: raw::WireFault, tag: Tag, depth_left: u32) -> usize {
        match tag.wire_type() {
            WireType::EndGroup => self.tag_at,
            WireType::StartGroup if depth_left == 0 => self.tag_at,
            _ => fault.offset,
        }
    }
}

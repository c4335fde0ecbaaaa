//! Reads at a position of a slice: the primitives of [`Reader`](crate::wire::Reader) and of the decode loops.
//!
//! Every function takes the bytes and a position, and returns the value and the position after it. On an error the caller's
//! own position is the offset of the fault; only [`skip_value`] and [`group`], which walk over many items, return a
//! [`WireFault`] with the offset of the item at fault.
//!
//! The slice may end at the innermost bound (a sub-message, a packed run) or later. Reaching its end is
//! [`Incomplete`](DecodeErrorKind::Incomplete), because these functions cannot know why it ends there; a caller
//! inside of a bound makes it [`Overrun`](DecodeErrorKind::Overrun) with [`within`]. A caller that gives more
//! than the bound, so that a read need not look for the end byte by byte, compares the new position with its
//! bound afterwards.

use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::heap::Vec;
use crate::wire::varint::{CONTINUATION, gather};
use crate::wire::{SMALL_CODE, Tag, WireType, utf8};
use core::iter::FusedIterator;

/// A fault and its position in the slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireFault {
    /// The kind of fault.
    pub kind: DecodeErrorKind,
    /// The start of the tag, length or value at fault, from the start of the slice.
    pub offset: usize,
}

impl From<WireFault> for DecodeErrorKind {
    #[inline]
    fn from(fault: WireFault) -> Self {
        fault.kind
    }
}

/// The kind of an error inside a bound: there, more input cannot complete the field, so `Incomplete` becomes `Overrun`.
#[inline]
pub const fn within(bounded: bool, kind: DecodeErrorKind) -> DecodeErrorKind {
    match kind {
        DecodeErrorKind::Incomplete if bounded => DecodeErrorKind::Overrun,
        _ => kind,
    }
}

/// A varint of 1 to 10 bytes.
///
/// One byte, the most frequent length, costs one comparison here, two bytes another one; longer values are put together from one word of
/// eight bytes, without a branch on their length.
///
/// # Errors
///
/// `VarintOverflow` above ten bytes or 2^64-1; `Incomplete`.
#[inline(always)]
pub fn varint(buf: &[u8], pos: usize) -> Result<(u64, usize), DecodeErrorKind> {
    match buf.get(pos) {
        Some(&byte) if byte < 0x80 => Ok((byte.into(), pos + 1)),
        _ => match long_varint(buf, pos) {
            (_, 0) => Err(varint_fault(buf, pos)),
            (value, len) => Ok((value, pos + len)),
        },
    }
}

/// Two bytes or more: the value and its length, which is 0 if there is none.
///
/// Two numbers travel in registers; a `Result` of them would not.
#[inline(never)]
fn long_varint(buf: &[u8], pos: usize) -> (u64, usize) {
    if SMALL_CODE {
        return last_varint(buf, pos);
    }
    let Some((first, &[ninth, tenth, ..])) = buf.get(pos..).and_then(|rest| rest.split_first_chunk::<8>())
    else {
        return last_varint(buf, pos);
    };
    let word = u64::from_le_bytes(*first);
    // A branch for each of two to five bytes: values of random length 0.72 (out of cache) to 0.95, of always 3 or 5 bytes 1.2. Without the
    // branch for two bytes: values of always 2 bytes 0.74.
    if word & 0x8000 == 0 {
        return (word & 0x7f | (word & 0x7f00) >> 1, 2);
    }
    let stops = !word & CONTINUATION;
    if stops != 0 {
        // Everything up to the first byte without continuation bit, and its length.
        let low = word & (stops ^ stops.wrapping_sub(1));
        return (gather(low), (stops.trailing_zeros() / 8 + 1) as usize);
    }
    let value = gather(word) | u64::from(ninth & 0x7f) << 56;
    match (ninth, tenth) {
        (0..0x80, _) => (value, 9),
        (_, 0..=1) => (value | u64::from(tenth) << 63, 10),
        _ => (0, 0),
    }
}

/// A varint byte by byte: one within the last nine bytes of the slice, and any in small code.
#[cold]
#[inline(never)]
fn last_varint(buf: &[u8], pos: usize) -> (u64, usize) {
    let mut value = 0;
    for (i, &byte) in buf.get(pos..).unwrap_or_default().iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 && (i < 9 || byte <= 1) {
            return (value, i + 1);
        }
    }
    (0, 0)
}

/// Why there is no varint: ten bytes are there, or fewer.
#[cold]
#[inline(never)]
fn varint_fault(buf: &[u8], pos: usize) -> DecodeErrorKind {
    if buf.len().saturating_sub(pos) < 10 {
        DecodeErrorKind::Incomplete
    } else {
        DecodeErrorKind::VarintOverflow
    }
}

/// A tag: number and wire type checked.
///
/// # Errors
///
/// `InvalidTag` above five bytes or 2^32-1; `InvalidFieldNumber`; `InvalidWireType`; `Incomplete`.
#[inline(always)]
pub fn tag(buf: &[u8], pos: usize) -> Result<(Tag, usize), DecodeErrorKind> {
    let (bits, pos) = tag_bits(buf, pos)?;
    Ok((Tag::from_bits(bits)?, pos))
}

/// A tag whose number and wire type are not checked; [`Tag::from_bits`] checks them.
///
/// # Errors
///
/// `InvalidTag` above five bytes or 2^32-1; `Incomplete`.
#[inline(always)]
pub fn tag_bits(buf: &[u8], pos: usize) -> Result<(u32, usize), DecodeErrorKind> {
    match buf.get(pos) {
        Some(&byte) if byte < 0x80 => Ok((byte.into(), pos + 1)),
        _ => match two_bytes(buf, pos) {
            Some(bits) => Ok((bits.into(), pos + 2)),
            None => five_bytes(buf, pos, 0x0f, DecodeErrorKind::InvalidTag),
        },
    }
}

/// A varint of two bytes, of which the first has a continuation bit.
#[inline(always)]
fn two_bytes(buf: &[u8], pos: usize) -> Option<u16> {
    if SMALL_CODE {
        return None;
    }
    match buf.get(pos..)?.first_chunk() {
        Some(&[first, second]) if second < 0x80 => Some(u16::from(first & 0x7f) | u16::from(second) << 7),
        _ => None,
    }
}

/// A length prefix, 0 to 2^31-1; whether so many bytes follow is not checked.
///
/// # Errors
///
/// `InvalidLength` above five bytes or 2^31-1; `Incomplete`.
#[inline(always)]
pub fn length(buf: &[u8], pos: usize) -> Result<(usize, usize), DecodeErrorKind> {
    match buf.get(pos) {
        Some(&byte) if byte < 0x80 => Ok((byte.into(), pos + 1)),
        _ => match two_bytes(buf, pos) {
            Some(len) => Ok((len.into(), pos + 2)),
            None => {
                let (len, pos) = five_bytes(buf, pos, 0x07, DecodeErrorKind::InvalidLength)?;
                Ok((len as usize, pos))
            }
        },
    }
}

/// A varint of at most five bytes of which the fifth is at most `last`.
#[inline(never)]
fn five_bytes(
    buf: &[u8],
    pos: usize,
    last: u8,
    kind: DecodeErrorKind,
) -> Result<(u32, usize), DecodeErrorKind> {
    let mut value = 0;
    for (i, &byte) in buf.get(pos..).unwrap_or_default().iter().take(5).enumerate() {
        if i == 4 && byte > last {
            return Err(kind);
        }
        value |= u32::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok((value, pos + i + 1));
        }
    }
    Err(DecodeErrorKind::Incomplete)
}

/// A length prefix and the bytes it announces.
///
/// # Errors
///
/// `InvalidLength` above five bytes or 2^31-1; `Incomplete`.
#[inline(always)]
pub fn length_delimited(buf: &[u8], pos: usize) -> Result<(&[u8], usize), DecodeErrorKind> {
    let (len, start) = length(buf, pos)?;
    match buf.get(start..).and_then(|rest| rest.get(..len)) {
        Some(bytes) => Ok((bytes, start + len)),
        None => Err(DecodeErrorKind::Incomplete),
    }
}

/// A length prefix and a string.
///
/// # Errors
///
/// `InvalidLength` above five bytes or 2^31-1; `Incomplete`; `InvalidUtf8`, which is about the bytes after the
/// prefix.
#[inline(always)]
pub fn string(buf: &[u8], pos: usize) -> Result<(&str, usize), DecodeErrorKind> {
    let (len, start) = length(buf, pos)?;
    // A branch: with an empty slice in its place, compilers select pointer and length one by one.
    let Some(rest) = buf.get(start..) else { return Err(DecodeErrorKind::Incomplete) };
    match utf8::from_prefix(rest, len) {
        Some(string) => Ok((string, start + len)),
        None if len > rest.len() => Err(DecodeErrorKind::Incomplete),
        None => Err(DecodeErrorKind::InvalidUtf8),
    }
}

/// Four bytes, little endian.
///
/// # Errors
///
/// `Incomplete`.
#[inline(always)]
pub fn fixed32(buf: &[u8], pos: usize) -> Result<(u32, usize), DecodeErrorKind> {
    match buf.get(pos..).and_then(|rest| rest.first_chunk()) {
        Some(&bytes) => Ok((u32::from_le_bytes(bytes), pos + 4)),
        None => Err(DecodeErrorKind::Incomplete),
    }
}

/// Eight bytes, little endian.
///
/// # Errors
///
/// `Incomplete`.
#[inline(always)]
pub fn fixed64(buf: &[u8], pos: usize) -> Result<(u64, usize), DecodeErrorKind> {
    match buf.get(pos..).and_then(|rest| rest.first_chunk()) {
        Some(&bytes) => Ok((u64::from_le_bytes(bytes), pos + 8)),
        None => Err(DecodeErrorKind::Incomplete),
    }
}

/// The position after the value of the field `tag`, whose value starts at `pos` and must not reach beyond `end`.
///
/// Checks everything that a walk over the fields would: tags, wire types, varints, and how groups nest. At most
/// `depth_left` groups may be open, this one included. Does not recurse. Allocates nothing for up to 100 levels of groups
/// in groups, and four bytes per level beyond.
///
/// # Errors
///
/// As the other functions; `UnexpectedEndGroup`, `DepthExceeded` and `OutOfMemory` too. Where the tag given is itself at fault,
/// the offset is `pos`.
#[inline]
pub fn skip_value(buf: &[u8], pos: usize, end: usize, tag: Tag, depth_left: u32) -> Result<usize, WireFault> {
    let buf = buf.get(..end).unwrap_or(buf);
    match tag.wire_type() {
        WireType::StartGroup => group(buf, pos, tag.number(), depth_left).map(|(_, pos)| pos),
        wire_type => skip_plain(buf, pos, wire_type).map_err(|kind| WireFault { kind, offset: pos }),
    }
}

/// A value that is not a group.
#[inline(always)]
fn skip_plain(buf: &[u8], pos: usize, wire_type: WireType) -> Result<usize, DecodeErrorKind> {
    match wire_type {
        WireType::Varint => varint(buf, pos).map(|(_, pos)| pos),
        WireType::Fixed64 => fixed64(buf, pos).map(|(_, pos)| pos),
        WireType::Fixed32 => fixed32(buf, pos).map(|(_, pos)| pos),
        WireType::LengthDelimited => length_delimited(buf, pos).map(|(_, pos)| pos),
        WireType::StartGroup | WireType::EndGroup => Err(DecodeErrorKind::UnexpectedEndGroup),
    }
}

/// Skips the group `number`, whose fields start at `pos`: where its end tag starts, and the position after it.
///
/// # Errors
///
/// As [`skip_value`].
#[inline(never)]
pub fn group(buf: &[u8], mut pos: usize, number: u32, depth_left: u32) -> Result<(usize, usize), WireFault> {
    let fault = |kind, offset| WireFault { kind, offset };
    if depth_left == 0 {
        return Err(fault(DecodeErrorKind::DepthExceeded, pos));
    }
    let mut open = number;
    let mut outer = GroupStack { len: 0, near: [0; NEAR], far: None, spill: Vec::new() };
    loop {
        let start = pos;
        let (tag, value) = tag(buf, start).map_err(|kind| fault(kind, start))?;
        pos = match tag.wire_type() {
            WireType::StartGroup if outer.len + 1 >= depth_left as usize => {
                return Err(fault(DecodeErrorKind::DepthExceeded, start));
            }
            WireType::StartGroup => {
                if !outer.push(open) {
                    return Err(fault(DecodeErrorKind::OutOfMemory, start));
                }
                open = tag.number();
                value
            }
            WireType::EndGroup if tag.number() != open => {
                return Err(fault(DecodeErrorKind::UnexpectedEndGroup, start));
            }
            WireType::EndGroup => match outer.pop() {
                Some(number) => {
                    open = number;
                    value
                }
                None => return Ok((start, value)),
            },
            wire_type => skip_plain(buf, value, wire_type).map_err(|kind| fault(kind, value))?,
        };
    }
}

/// Levels kept on the stack from the start: for small code all that fit it.
const NEAR: usize = if SMALL_CODE { LOCAL } else { 16 };

/// Levels that fit the stack: the default depth.
const LOCAL: usize = 100;

/// The numbers of the groups around the innermost one. The memory for deep nesting is not touched before it is needed.
struct GroupStack {
    len: usize,
    near: [u32; NEAR],
    far: Option<[u32; LOCAL - NEAR]>,
    spill: Vec<u32>,
}

impl GroupStack {
    /// Adds a group; false if there is no memory for it.
    #[inline]
    fn push(&mut self, number: u32) -> bool {
        match self.near.get_mut(self.len) {
            Some(place) => *place = number,
            None => {
                if !self.push_far(number) {
                    return false;
                }
            }
        }
        self.len += 1;
        true
    }

    #[cold]
    fn push_far(&mut self, number: u32) -> bool {
        match self.far.get_or_insert([0; LOCAL - NEAR]).get_mut(self.len - NEAR) {
            Some(place) => *place = number,
            None if self.spill.try_reserve(1).is_ok() => self.spill.push(number),
            None => return false,
        }
        true
    }

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        self.len = self.len.checked_sub(1)?;
        self.near.get(self.len).copied().or_else(|| self.pop_far())
    }

    #[cold]
    fn pop_far(&mut self) -> Option<u32> {
        let far = self.far.as_ref()?;
        far.get(self.len - NEAR).copied().or_else(|| self.spill.pop())
    }
}

// Iterators over packed runs: the values of a repeated field without tags.

/// The number of varints in `run`: the bytes without a continuation bit.
///
/// Exact for a valid run. About 40 GB/s, which pays for an exact allocation.
#[inline]
pub fn count_varints(run: &[u8]) -> usize {
    // Byte-sized partial sums let the compiler add a whole vector at a time.
    run.chunks(255).map(|part| usize::from(part.iter().fold(0, |n, &byte| n + u8::from(byte < 0x80)))).sum()
}

/// The varints of a packed run; made by [`Reader::read_packed_varints`](crate::wire::Reader::read_packed_varints).
///
/// Ends after the first error, which is an [`Overrun`](DecodeErrorKind::Overrun) if the run ends inside a value.
#[derive(Clone, Debug)]
pub struct PackedVarints<'i> {
    run: &'i [u8],
    pos: usize,
    base: usize,
}

impl<'i> PackedVarints<'i> {
    /// `run` starts at the offset `base` of the input.
    #[inline]
    pub(crate) fn new(run: &'i [u8], base: usize) -> Self {
        Self { run, pos: 0, base }
    }

    /// The number of values that are left, without decoding them: exact if all are valid.
    #[inline]
    #[must_use]
    pub fn count_values(&self) -> usize {
        count_varints(self.rest())
    }

    /// The bytes that are left.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'i [u8] {
        self.run.get(self.pos..).unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, kind: DecodeErrorKind) -> DecodeError {
        let offset = self.base + self.pos;
        self.pos = self.run.len();
        DecodeError::new(within(true, kind), offset)
    }
}

impl Iterator for PackedVarints<'_> {
    type Item = Result<u64, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.pos >= self.run.len() {
            return None;
        }
        match varint(self.run, self.pos) {
            Ok((value, pos)) => {
                self.pos = pos;
                Some(Ok(value))
            }
            Err(kind) => Some(Err(self.fail(kind))),
        }
    }

    /// One to ten bytes per value.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.run.len() - self.pos;
        // One error may stand for everything that is left.
        (usize::from(left > 0), Some(left))
    }
}

impl FusedIterator for PackedVarints<'_> {}

macro_rules! packed_fixed {
    ($(#[$doc:meta] $name:ident: $value:ty, $width:literal;)*) => {$(
        #[$doc]
        ///
        /// The run is known to hold whole values, so iteration cannot fail and the length is exact.
        #[derive(Clone, Debug)]
        pub struct $name<'i> {
            values: &'i [[u8; $width]],
        }

        impl<'i> $name<'i> {
            /// `None` if `run` is not a whole number of values.
            #[inline]
            pub(crate) fn new(run: &'i [u8]) -> Option<Self> {
                match run.as_chunks() {
                    (values, []) => Some(Self { values }),
                    _ => None,
                }
            }
        }

        impl Iterator for $name<'_> {
            type Item = $value;

            #[inline]
            fn next(&mut self) -> Option<$value> {
                let (first, rest) = self.values.split_first()?;
                self.values = rest;
                Some(<$value>::from_le_bytes(*first))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.values.len(), Some(self.values.len()))
            }
        }

        impl ExactSizeIterator for $name<'_> {}

        impl FusedIterator for $name<'_> {}
    )*};
}

packed_fixed! {
    /// The values of a packed run of `fixed32`, `sfixed32` or `float`.
    PackedFixed32: u32, 4;
    /// The values of a packed run of `fixed64`, `sfixed64` or `double`.
    PackedFixed64: u64, 8;
}

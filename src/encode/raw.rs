//! The two passes over a message in the slab.

use super::sizes::{Lengths, Sizes, Slot};
use super::value::{tag_len, value_size, write_value};
use super::{EncodeOptions, output};
use crate::decode::find_missing;
use crate::error::{EncodeError, EncodeErrorKind};
use crate::program::{Coding, Entry};
use crate::slab::{RawView, Step, Walk};
use crate::wire::{Buffer, Cursor, varint_len};
use alloc::vec::Vec;

/// MessageSet items: group 1 with `type_id = 2` and `message = 3`, all tags one byte.
const ITEM: u8 = 1 << 3 | 3;
const ITEM_END: u8 = 1 << 3 | 4;
const TYPE_ID: u8 = 2 << 3;
const MESSAGE: u8 = 3 << 3 | 2;

/// A message in the slab and how to encode it.
#[derive(Clone, Copy)]
pub(crate) struct RawEncoder<'a, 'i> {
    view: RawView<'a, 'i>,
    options: EncodeOptions,
}

/// A message being sized: its bytes so far, and the place of its length, if it has one.
#[derive(Clone, Copy)]
struct Sizing {
    len: u64,
    place: Option<Slot>,
}

impl<'a, 'i> RawEncoder<'a, 'i> {
    /// Checks required fields.
    ///
    /// # Errors
    /// `MissingRequired`, with a path of field numbers.
    pub(crate) fn new(view: RawView<'a, 'i>, options: EncodeOptions) -> Result<Self, EncodeError> {
        if !options.allows_partial() {
            if let Some(missing) = find_missing(view) {
                return Err(EncodeError::new(EncodeErrorKind::MissingRequired).with_path(missing.path()));
            }
        }
        Ok(Self { view, options })
    }

    /// Without the check for required fields.
    pub(crate) fn partial(view: RawView<'a, 'i>, options: EncodeOptions) -> Self {
        Self { view, options }
    }

    /// The encoded length in bytes; leaves the lengths of length-delimited parts in the order of writing.
    fn size(&self, sizes: &mut Sizes<'_>) -> Result<u64, EncodeError> {
        let empty = Sizing { len: 0, place: None };
        let mut walk = Walk::new(self.view, self.options.is_deterministic(), empty);
        loop {
            match walk.next(empty) {
                Step::Field(_, entry, slot) => {
                    let view = walk.view();
                    walk.data().len += value_size(view, entry, slot, sizes);
                }
                Step::Enter(_, entry) => {
                    if walk.depth() > self.options.depth_limit() as usize {
                        return Err(EncodeError::new(EncodeErrorKind::DepthExceeded));
                    }
                    walk.data().place = (entry.coding != Coding::Group).then(|| sizes.begin());
                }
                Step::End => {
                    walk.data().len += unknown_size(walk.view());
                    let len = walk.data().len;
                    let Some((entry, sizing)) = walk.leave() else { return Ok(len) };
                    if let Some(place) = sizing.place {
                        sizes.end(place, len);
                    }
                    let parent = walk.view();
                    walk.data().len += frame_size(parent, entry, len) + len;
                }
            }
        }
    }

    fn write(&self, out: &mut Cursor<'_>, lengths: &mut Lengths<'_>) {
        let mut walk = Walk::new(self.view, self.options.is_deterministic(), false);
        let mut parent = self.view;
        loop {
            match walk.next(false) {
                Step::Field(_, entry, slot) => write_value(walk.view(), entry, slot, lengths, out),
                Step::Enter(_, entry) => {
                    if is_item(parent, entry) {
                        *walk.data() = true;
                        out.put_byte(ITEM);
                        out.put_byte(TYPE_ID);
                        out.put_varint(entry.number() as u64);
                        out.put_byte(MESSAGE);
                    } else {
                        out.put_varint(entry.tag as u64);
                    }
                    if entry.coding != Coding::Group {
                        out.put_varint(lengths.take() as u64);
                    }
                    parent = walk.view();
                }
                Step::End => {
                    write_unknown(walk.view(), out);
                    let Some((entry, item)) = walk.leave() else { return };
                    if item {
                        out.put_byte(ITEM_END);
                    }
                    if entry.coding == Coding::Group {
                        out.put_varint(entry.tag as u64 + 1);
                    }
                    parent = walk.view();
                }
            }
        }
    }

    /// Appends the message to a buffer, behind its length if `delimited`, and gives the number of bytes.
    ///
    /// # Errors
    /// `TooLarge`, `DepthExceeded`.
    pub(crate) fn append(&self, buffer: &mut impl Buffer, delimited: bool) -> Result<usize, EncodeError> {
        if !delimited {
            return output::append(buffer, |sizes| self.size(sizes), |out, lengths| self.write(out, lengths));
        }
        // The prefix is one more length, the outermost.
        let size = |sizes: &mut Sizes<'_>| {
            let place = sizes.begin();
            let len = self.size(sizes)?;
            sizes.end(place, len);
            Ok(len + varint_len(len) as u64)
        };
        output::append(buffer, size, |out, lengths| {
            out.put_varint(lengths.take() as u64);
            self.write(out, lengths);
        })
    }

    /// The message as a new `Vec` of just its size.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub(crate) fn to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        output::to_vec(|sizes| self.size(sizes), |out, lengths| self.write(out, lengths))
    }

    /// Writes the message at the start of a slice and gives the number of bytes.
    ///
    /// # Errors
    /// As [`append`](Self::append), and `BufferTooSmall`.
    pub(crate) fn to_slice(&self, slice: &mut [u8]) -> Result<usize, EncodeError> {
        output::to_slice(slice, |sizes| self.size(sizes), |out, lengths| self.write(out, lengths))
    }

    /// The encoded length in bytes, whatever it is.
    pub(crate) fn encoded_len(&self) -> u64 {
        let unlimited = Self { options: self.options.max_depth(u32::MAX), ..*self };
        unlimited.size(&mut Sizes::counting()).unwrap_or(0)
    }
}

/// Whether the sub-message behind this entry is written as a MessageSet item of its parent.
fn is_item(parent: RawView<'_, '_>, entry: &Entry) -> bool {
    parent.program().message_set && entry.coding == Coding::Message
}

/// What goes around a sub-message of `len` bytes.
fn frame_size(parent: RawView<'_, '_>, entry: &Entry, len: u64) -> u64 {
    let prefix = varint_len(len) as u64;
    match entry.coding {
        Coding::Group => 2 * tag_len(entry),
        _ if is_item(parent, entry) => 4 + varint_len(entry.number() as u64) as u64 + prefix,
        _ => tag_len(entry) + prefix,
    }
}

fn unknown_size(view: RawView<'_, '_>) -> u64 {
    view.unknown().map(|span| span.len as u64 + span.tag.map_or(0, |tag| varint_len(tag as u64) as u64)).sum()
}

fn write_unknown(view: RawView<'_, '_>, out: &mut Cursor<'_>) {
    for span in view.unknown() {
        if let Some(tag) = span.tag {
            out.put_varint(tag as u64);
        }
        out.put_slice(view.bytes_at(span.offset, span.len));
    }
}

/// The message as bytes, required fields unchecked, unknown fields included; empty if it is above 2 GiB.
pub(crate) fn encode_raw(view: RawView<'_, '_>) -> Vec<u8> {
    let options = EncodeOptions::new().max_depth(u32::MAX);
    RawEncoder::partial(view, options).to_vec().unwrap_or_default()
}

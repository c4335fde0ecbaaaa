//! The inner loop: singular fields of a dense message, one after the other.
//!
//! Numbers, strings and small inlined messages need nothing but the input and the body, so a run of them is
//! decoded in a function that holds the state of the loop in registers and calls nothing. It returns at the first
//! field that needs more (lists, other messages, unknown fields) and at the end of the message.

use super::{fixed, input, partial};
use crate::error::DecodeErrorKind as Kind;
use crate::program::{Entry, Op, Program, ProgramSet};
use crate::wire::{unzigzag32, unzigzag64, utf8};

/// Where and why the inner loop stopped.
pub(super) struct Stopped<'p> {
    /// Behind the tag, or at the item at fault, or at the end.
    pub(super) pos: usize,
    /// Start of the last tag.
    pub(super) item: usize,
    pub(super) has: u64,
    pub(super) tag: u32,
    pub(super) why: Why<'p>,
}

pub(super) enum Why<'p> {
    /// The end of the message has been reached, or crossed.
    End,
    /// The entry of the tag needs more than this loop has.
    Entry(&'p Entry),
    /// No entry has this tag.
    Other,
    /// In a field, unless its tag is at fault.
    Fault(Kind, Option<&'p Entry>),
}

/// The tag at `pos`, the position behind it, and its entry if there is one.
#[inline(always)]
pub(super) fn tag_at<'p>(
    program: &'p Program,
    buf: &[u8],
    pos: usize,
) -> Result<(u32, usize, Option<&'p Entry>), Kind> {
    let Some(&first) = buf.get(pos) else { return Err(Kind::Incomplete) };
    let (tag, pos, entry) = if first < 0x80 {
        (first as u32, pos + 1, program.fast(first))
    } else {
        let (tag, pos) = input::long_tag(buf, pos)?;
        match program.find(tag >> 3) {
            Some(entry) => (tag, pos, entry),
            None => return Ok((tag, pos, None)),
        }
    };
    Ok((tag, pos, (entry.tag == tag).then_some(entry)))
}

/// Decodes fields from `pos` on into the body of a dense message, whose presence bits are `has`; `item` is the start
/// of the field before `pos`, which may have crossed the end.
#[inline(always)]
pub(super) fn run<'p>(
    set: &'p ProgramSet,
    program: &'p Program,
    buf: &[u8],
    end: usize,
    (mut item, mut pos): (usize, usize),
    body: &mut [u32],
    mut has: u64,
) -> Stopped<'p> {
    let (tag, why) = loop {
        if pos >= end {
            break (0, Why::End);
        }
        item = pos;
        let (tag, entry) = match tag_at(program, buf, pos) {
            Ok((tag, next, entry)) => {
                pos = next;
                match entry {
                    Some(entry) => (tag, entry),
                    None => break (tag, Why::Other),
                }
            }
            Err(kind) => break (0, Why::Fault(kind, None)),
        };

        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok((value, next)) => {
                        pos = next;
                        value
                    }
                    Err(kind) => break (tag, Why::Fault(kind, Some(entry))),
                }
            };
        }
        // Zero means unset where presence is implicit.
        macro_rules! mark {
            ($zero:expr) => {{
                let bit = 1u64 << (entry.bit & 63);
                if entry.flags.is_special() {
                    has &= !program.oneof_mask(entry.oneof);
                }
                if $zero && entry.flags.is_implicit() {
                    has &= !bit;
                } else {
                    has |= bit;
                }
            }};
        }
        macro_rules! word {
            ($value:expr) => {{
                let value: u32 = $value;
                if let Some(word) = body.get_mut(entry.slot as usize) {
                    *word = value;
                }
                mark!(value == 0);
            }};
        }
        macro_rules! words {
            ($value:expr) => {{
                let value: u64 = $value;
                if let Some(words) =
                    body.get_mut(entry.slot as usize..).and_then(|w| w.first_chunk_mut::<2>())
                {
                    *words = [value as u32, (value >> 32) as u32];
                }
                mark!(value == 0);
            }};
        }
        match entry.op {
            Op::Varint32 => word!(attempt!(input::varint(buf, pos)) as u32),
            Op::Varint64 => words!(attempt!(input::varint(buf, pos))),
            Op::Sint32 => word!(unzigzag32(attempt!(input::varint(buf, pos)) as u32) as u32),
            Op::Sint64 => words!(unzigzag64(attempt!(input::varint(buf, pos))) as u64),
            Op::Bool => word!((attempt!(input::varint(buf, pos)) != 0) as u32),
            Op::Fixed32 => word!(attempt!(input::fixed32(buf, pos))),
            Op::Fixed64 => words!(attempt!(input::fixed64(buf, pos))),
            Op::String => {
                let (start, value_end) = match input::bounded(buf, pos, end) {
                    Ok(span) => span,
                    Err(kind) => break (tag, Why::Fault(kind, Some(entry))),
                };
                if utf8::from_prefix(buf.get(start..).unwrap_or_default(), value_end - start).is_none() {
                    pos = start;
                    break (tag, Why::Fault(Kind::InvalidUtf8, Some(entry)));
                }
                pos = value_end;
                span(body, entry, start, value_end);
                mark!(start == value_end);
            }
            Op::Bytes => {
                let (start, value_end) = match input::bounded(buf, pos, end) {
                    Ok(span) => span,
                    Err(kind) => break (tag, Why::Fault(kind, Some(entry))),
                };
                pos = value_end;
                span(body, entry, start, value_end);
                mark!(start == value_end);
            }
            Op::Shaped => {
                let Some(shape) = set.program(entry.sub).fixed() else { break (tag, Why::Entry(entry)) };
                let bit = 1u64 << (entry.bit & 63);
                // One byte of length, as a shape is at most 32 bytes long.
                let fits = buf.get(pos) == Some(&(shape.len as u8)) && pos + 1 + shape.len <= end;
                let body = body.get_mut(entry.slot as usize..).unwrap_or_default();
                if !fits || has & bit != 0 || !fixed::lift(shape, body, buf, pos + 1) {
                    break (tag, Why::Entry(entry));
                }
                pos += 1 + shape.len;
                has |= bit;
            }
            Op::SkipLength => match partial::skip_lengths(buf, (item, pos), end, tag) {
                Ok(next) => (item, pos) = next,
                Err((kind, at)) => {
                    pos = at;
                    break (tag, Why::Fault(kind, Some(entry)));
                }
            },
            Op::SkipVarint => {
                let _ = attempt!(input::varint(buf, pos));
            }
            Op::SkipFixed32 => pos += 4,
            Op::SkipFixed64 => pos += 8,
            Op::Skip | Op::Lazy | Op::ListLazy => break (tag, Why::Other),
            _ => break (tag, Why::Entry(entry)),
        }
    };
    Stopped { pos, item, has, tag, why }
}

/// Stores the (offset, length) of a string.
#[inline(always)]
fn span(body: &mut [u32], entry: &Entry, start: usize, end: usize) {
    if let Some(words) = body.get_mut(entry.slot as usize..).and_then(|w| w.first_chunk_mut::<2>()) {
        *words = [start as u32, (end - start) as u32];
    }
}

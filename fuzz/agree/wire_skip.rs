//! Three ways through the same bytes must agree: skipping, reading field by field, and reading groups as messages.
//!
//! Shared by the fuzz target `wire_skip` and by `tests/suite/messages/wire_skip.rs`.

use tablepb::wire::{Reader, Tag, WireType};
use tablepb::{DecodeError, DecodeErrorKind};

/// Kind and offset of a fault.
pub type Fault = (DecodeErrorKind, usize);

fn fault(error: DecodeError) -> Fault {
    (error.kind(), error.offset())
}

/// Panics if the ways through `input` disagree; gives what they agree on.
pub fn check(input: &[u8], depth: u32) -> Result<(), Fault> {
    let skipped = Reader::with_depth(input, depth).skip_message().map_err(fault);
    let walked = walk(input, depth);
    assert_eq!(skipped, walked, "skipping and reading disagree, depth {depth}, {input:02x?}");
    let nested = descend(input, depth);
    assert_eq!(skipped, nested, "skipping and reading groups disagree, depth {depth}, {input:02x?}");
    skipped
}

/// Reads every field with one reader; groups are matched here.
fn walk(input: &[u8], depth: u32) -> Result<(), Fault> {
    let mut reader = Reader::with_depth(input, depth);
    let mut open: Vec<u32> = Vec::new();
    loop {
        let start = reader.position();
        let Some(tag) = reader.next_tag().map_err(fault)? else {
            return if open.is_empty() { Ok(()) } else { Err((DecodeErrorKind::Incomplete, input.len())) };
        };
        match tag.wire_type() {
            WireType::StartGroup if open.len() as u64 == u64::from(depth) => {
                return Err((DecodeErrorKind::DepthExceeded, start));
            }
            WireType::StartGroup => open.push(tag.number()),
            WireType::EndGroup if open.pop() != Some(tag.number()) => {
                return Err((DecodeErrorKind::UnexpectedEndGroup, start));
            }
            WireType::EndGroup => {}
            _ => read_value(&mut reader, tag).map_err(fault)?,
        }
        assert!(reader.position() > start && reader.position() + reader.remaining() == input.len());
    }
}

/// Reads every group by a reader of its own. What `read_group` has accepted cannot fail any more.
fn descend(input: &[u8], depth: u32) -> Result<(), Fault> {
    let mut readers = vec![Reader::with_depth(input, depth)];
    while let Some(mut reader) = readers.pop() {
        let outermost = readers.is_empty();
        loop {
            let step = match reader.next_tag() {
                Ok(None) => break,
                Ok(Some(tag)) if tag.wire_type() == WireType::StartGroup => {
                    // The outer reader goes on later, from the end of the group.
                    let group = reader.read_group(tag);
                    group.map(|group| readers.extend([std::mem::replace(&mut reader, group)]))
                }
                Ok(Some(tag)) if tag.wire_type() == WireType::EndGroup => reader.skip_field(tag),
                Ok(Some(tag)) => read_value(&mut reader, tag),
                Err(error) => Err(error),
            };
            if let Err(error) = step {
                assert!(outermost && readers.is_empty(), "a group that was accepted fails: {error}");
                return Err(fault(error));
            }
        }
    }
    Ok(())
}

fn read_value(reader: &mut Reader<'_>, tag: Tag) -> Result<(), DecodeError> {
    match tag.wire_type() {
        WireType::Varint => reader.read_varint().map(drop),
        WireType::Fixed64 => reader.read_fixed64().map(drop),
        WireType::Fixed32 => reader.read_fixed32().map(drop),
        WireType::LengthDelimited => {
            let mut probe = reader.clone();
            let bytes = reader.read_length_delimited()?;
            probes_agree(&mut probe, bytes, reader.position());
            Ok(())
        }
        WireType::StartGroup | WireType::EndGroup => Ok(()),
    }
}

/// The other readings of a length-delimited field see the same bytes.
fn probes_agree(probe: &mut Reader<'_>, bytes: &[u8], end: usize) {
    assert_eq!(probe.clone().read_str().ok(), std::str::from_utf8(bytes).ok());
    if let Ok(fixed) = probe.clone().read_packed_fixed32() {
        assert_eq!(fixed.len() * 4, bytes.len());
    }
    if let Ok(varints) = probe.clone().read_packed_varints() {
        let (count, rest) = (varints.count_values(), varints.size_hint());
        let valid = varints.clone().filter(Result::is_ok).count();
        let all = varints.count();
        assert!(rest.0 <= all && all <= rest.1.unwrap());
        assert!(all != valid || count == valid, "{count} values counted, {valid} read");
    }
    match probe.read_message() {
        Ok(child) => assert_eq!(child.position() + child.remaining(), end),
        Err(error) => assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded),
    }
}

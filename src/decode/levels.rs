//! How deep messages are nested in bytes that are written without having been decoded.

use super::message_set::scan_item;
use crate::program::ProgramSet;
use crate::slab::Full;
use crate::wire::{WireType, message_set, raw};
use alloc::vec::Vec;

/// A message that has not ended.
struct OpenLevel {
    program: u32,
    end: usize,
    /// The end-group tag that ends it, 0 if it ends at `end`.
    group: u32,
    /// Where the message around it goes on, if it is no group.
    resume: usize,
}

/// The levels of sub-messages in an encoded message, 0 if there are none. Does not recurse; where the bytes are not valid, it stops.
///
/// # Errors
/// No memory for the open messages.
pub(crate) fn levels(set: &ProgramSet, index: u32, bytes: &[u8]) -> Result<u32, Full> {
    let mut open: Vec<OpenLevel> = Vec::new();
    let mut here = OpenLevel { program: index, end: bytes.len(), group: 0, resume: 0 };
    let (mut pos, mut deepest) = (0, 0);
    loop {
        if pos >= here.end && here.group == 0 {
            pos = here.resume;
            match open.pop() {
                Some(outer) => here = outer,
                None => return Ok(deepest),
            }
            continue;
        }
        let (program, limit) = (set.program(here.program), bytes.get(..here.end).unwrap_or(bytes));
        let Ok((tag, value)) = raw::tag(limit, pos) else { return Ok(deepest) };
        if tag.get() == here.group {
            pos = value;
            match open.pop() {
                Some(outer) => here = outer,
                None => return Ok(deepest),
            }
            continue;
        }
        let item = program.is_message_set() && tag.get() == u32::from(message_set::ITEM);
        let child = if item {
            let Ok(item) = scan_item(limit, value, u32::MAX) else { return Ok(deepest) };
            let number = item.type_id.and_then(|number| u32::try_from(number).ok());
            match (number.and_then(|number| program.by_number(number)), item.payload) {
                (Some((_, entry)), Some((start, end))) if entry.coding.is_message() => {
                    Some((entry, start, end, item.end, 0))
                }
                _ => None,
            }
        } else {
            let entry = program.by_number(tag.number()).map(|(_, entry)| entry);
            match (entry.filter(|entry| entry.coding.is_message() && entry.tag == tag.get()), tag.wire_type())
            {
                (Some(entry), WireType::StartGroup) => Some((entry, value, here.end, 0, tag.get() + 1)),
                (Some(entry), _) => match raw::length(limit, value) {
                    Ok((len, start)) if len <= limit.len() - start => {
                        Some((entry, start, start + len, start + len, 0))
                    }
                    _ => return Ok(deepest),
                },
                (None, _) => None,
            }
        };
        let Some((entry, start, end, resume, group)) = child else {
            match raw::skip_value(limit, value, here.end, tag, u32::MAX) {
                Ok(next) => pos = next,
                Err(_) => return Ok(deepest),
            }
            continue;
        };
        open.try_reserve(1).map_err(|_| Full::NoMemory)?;
        open.push(core::mem::replace(&mut here, OpenLevel { program: entry.sub, end, group, resume }));
        (pos, deepest) = (start, deepest.max(open.len() as u32));
    }
}

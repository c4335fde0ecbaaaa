//! How deep messages are nested in bytes that are written without having been decoded.

use super::rare::message_set::scan_item;
use crate::engine::slab::Full;
use crate::schema::program::{Program, ProgramSet};
use crate::wire::read::{message_set, raw};
use crate::wire::{Tag, WireType};
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

/// The levels of sub-messages in an encoded message, 0 if there are none. Does not recurse; it stops at `most` + 1 levels, and leaves out the
/// rest of a message whose bytes are not valid.
///
/// # Errors
/// No memory for the open messages.
pub(crate) fn levels(set: &ProgramSet, index: u32, bytes: &[u8], most: u32) -> Result<u32, Full> {
    let mut open: Vec<OpenLevel> = Vec::new();
    let mut here = OpenLevel { program: index, end: bytes.len(), group: 0, resume: 0 };
    let (mut pos, mut deepest) = (0, 0);
    while deepest <= most {
        let mut after = (pos >= here.end && here.group == 0).then_some(here.resume);
        let (program, limit) = (set.program(here.program), bytes.get(..here.end).unwrap_or(bytes));
        if after.is_none() {
            match field(program, limit, pos, here.group) {
                Some(Found::End(value)) => after = Some(value),
                Some(Found::Message(child, start)) => {
                    open.try_reserve(1).map_err(|_| Full::NoMemory)?;
                    open.push(core::mem::replace(&mut here, child));
                    (pos, deepest) = (start, deepest.max(open.len() as u32));
                }
                Some(Found::Other(next)) => pos = next,
                // Where a group ends is not known then; the message around it has an end.
                None => {
                    while here.group != 0 {
                        let Some(outer) = open.pop() else { return Ok(deepest) };
                        here = outer;
                    }
                    after = Some(here.resume);
                }
            }
        }
        if let Some(after) = after {
            pos = after;
            match open.pop() {
                Some(outer) => here = outer,
                None => return Ok(deepest),
            }
        }
    }
    Ok(deepest)
}

/// What stands at a place of a message.
enum Found {
    /// The end of the group, and where the message around it goes on.
    End(usize),
    /// A message, and where its content starts.
    Message(OpenLevel, usize),
    /// Another field, and where it ends.
    Other(usize),
}

/// The field at a place; `None` if it is not valid. `limit` ends with the message, `group` is the tag that ends it, 0 if none does.
fn field(program: &Program, limit: &[u8], pos: usize, group: u32) -> Option<Found> {
    let (tag, value) = raw::tag(limit, pos).ok()?;
    if tag.get() == group {
        return Some(Found::End(value));
    }
    if let Some((child, start)) = child(program, limit, tag, value) {
        return Some(Found::Message(child, start));
    }
    raw::skip_value(limit, value, limit.len(), tag, u32::MAX).ok().map(Found::Other)
}

/// The message in a field of a message of this program, and where its content starts. `limit` ends with that message.
fn child(program: &Program, limit: &[u8], tag: Tag, value: usize) -> Option<(OpenLevel, usize)> {
    if program.is_message_set() && tag.get() == u32::from(message_set::ITEM) {
        let item = scan_item(limit, value, u32::MAX).ok()?;
        let (start, end) = item.payload?;
        let (_, entry) = program.by_number(item.type_id?)?;
        let level = OpenLevel { program: entry.sub, end, group: 0, resume: item.end };
        return entry.coding.is_message().then_some((level, start));
    }
    let (_, entry) = program.by_number(tag.number())?;
    if !entry.coding.is_message() || entry.tag != tag.get() {
        return None;
    }
    if tag.wire_type() == WireType::StartGroup {
        let level = OpenLevel { program: entry.sub, end: limit.len(), group: tag.get() + 1, resume: 0 };
        return Some((level, value));
    }
    let (bytes, end) = raw::length_delimited(limit, value).ok()?;
    Some((OpenLevel { program: entry.sub, end, group: 0, resume: end }, end - bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::levels;
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use crate::wire::testing::Wire;
    use alloc::vec;

    /// A tree of messages (1), groups (2) and numbers (3), with a MessageSet (4) that has a tree (5).
    fn schema() -> ProgramSet {
        let field = |number, kind| FieldSpec::new(number, kind, Presence::Explicit);
        let tree = vec![
            field(1, Kind::Message(0)),
            FieldSpec { delimited: true, ..field(2, Kind::Message(0)) },
            field(3, Kind::Int64),
            field(4, Kind::Message(1)),
        ];
        let set =
            MessageSpec { fields: vec![field(5, Kind::Message(0))], message_set: true, ..Default::default() };
        ProgramSet::new(&[MessageSpec { fields: tree, ..Default::default() }, set], &[]).unwrap()
    }

    #[test]
    fn messages_groups_and_items_of_message_sets_are_levels() {
        let (set, nested) = (schema(), |depth| Wire::nested(1, depth));
        let item = |body| Wire::new().group(1, Wire::new().int(2, 5).message(3, body));
        let cases = [
            (Wire::new(), 0),
            (Wire::new().int(3, 1), 0),
            (nested(7), 7),
            (Wire::nested_groups(2, 6), 6),
            (Wire::new().group(2, nested(3)).message(1, Wire::new().group(2, Wire::new())), 4),
            (Wire::new().message(4, item(nested(2))), 4),
            // A message set without this number, and a field of another wire type, are unknown.
            (Wire::new().message(4, Wire::new().group(1, Wire::new().int(2, 6).message(3, nested(9)))), 1),
            (Wire::new().int(1, 1).message(3, nested(9)), 0),
        ];
        for (input, depth) in cases {
            assert_eq!(levels(&set, 0, &input.done(), 100), Ok(depth));
        }
    }

    #[test]
    fn what_is_not_valid_hides_nothing_after_its_message() {
        let set = schema();
        let faults = [
            Wire::new().raw(&[7]),
            Wire::new().announced(1, 9, &[]),
            Wire::new().tag(2, 3),
            Wire::new().tag(2, 3).tag(2, 3).raw(&[0]),
            Wire::new().tag(9, 4),
        ];
        for fault in faults {
            let input = Wire::new().message(1, fault).message(1, Wire::nested(1, 8)).done();
            assert_eq!(levels(&set, 0, &input, 100), Ok(9));
        }
    }

    /// Starts of groups took 24 bytes of memory for each byte of the input.
    #[test]
    fn one_level_more_than_asked_for_is_enough() {
        let (set, starts) = (schema(), Wire::new().times(100_000, Wire::new().tag(2, 3)).done());
        for most in [0, 1, 100] {
            assert_eq!(levels(&set, 0, &starts, most), Ok(most + 1));
        }
    }
}

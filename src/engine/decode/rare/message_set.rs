//! Items of a MessageSet: groups that hold a type id and the payload, a message.

use super::skip::skip;
use super::unknown::Unexpected;
use crate::engine::decode::machine::state::{Child, FieldStart, Located, Machine};
use crate::schema::program::Coding;
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::read::{message_set, raw};

/// What a scan finds in an item.
#[derive(Default)]
pub(crate) struct SetItem {
    pub(crate) type_id: Option<u32>,
    /// Start and end of the payload, after its length prefix.
    pub(crate) payload: Option<(usize, usize)>,
    /// The offset after the end-group tag.
    pub(crate) end: usize,
}

impl Machine<'_, '_> {
    /// The item whose start-group tag was read, if its type is known. `None`: it is an unknown field.
    pub(in crate::engine::decode) fn message_set_item<'p>(
        &self,
        field: &FieldStart<'p>,
        limit: &[u8],
    ) -> Located<Option<Unexpected<'p>>> {
        let item = scan_item(limit, field.value_start, self.depth_left().saturating_sub(1))?;
        let (Some(type_id), Some((start, end))) = (item.type_id, item.payload) else {
            return Ok(None);
        };
        Ok(match field.program.by_number(type_id) {
            Some((_, entry)) if entry.coding == Coding::Message => {
                let origin = self.source.origin();
                let child = Child { start: start - origin, end: end - origin, group: 0, resume: item.end };
                Some(Unexpected::Item(entry, child))
            }
            _ => None,
        })
    }
}

/// Finds the first type id and the first payload of an item, in either order; later ones are ignored, as in C++.
pub(crate) fn scan_item(limit: &[u8], mut pos: usize, depth_left: u32) -> Located<SetItem> {
    let mut item = SetItem::default();
    loop {
        let tag_start = pos;
        let (tag, value) = raw::tag(limit, pos).map_err(|kind| (kind, tag_start))?;
        // The three tags of an item have one byte each.
        match u8::try_from(tag.get()).unwrap_or(0) {
            message_set::ITEM_END => {
                item.end = value;
                return Ok(item);
            }
            message_set::TYPE_ID => {
                let (type_id, next) = raw::varint(limit, value).map_err(|kind| (kind, value))?;
                // A number of 32 bits, like any other of that type; 0 is no field number.
                let type_id = type_id as u32;
                if type_id == 0 {
                    return Err((Kind::InvalidFieldNumber, tag_start));
                }
                item.type_id.get_or_insert(type_id);
                pos = next;
            }
            message_set::MESSAGE => {
                let (bytes, next) = raw::length_delimited(limit, value).map_err(|kind| (kind, value))?;
                item.payload.get_or_insert((next - bytes.len(), next));
                pos = next;
            }
            _ => {
                pos = skip(limit, tag_start, value, tag, depth_left)?;
            }
        }
    }
}

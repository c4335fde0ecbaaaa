//! Items of a MessageSet: groups of a type id and a payload.

use super::skip::skip;
use super::state::{Child, FieldStart, Located, Machine};
use super::unknown::Unexpected;
use crate::program::Coding;
use crate::wire::{message_set, raw};

/// The parts of a MessageSet item.
#[derive(Default)]
struct Item {
    type_id: Option<u64>,
    payload: Option<(usize, usize)>,
    end: usize,
}

impl Machine<'_, '_> {
    /// A MessageSet item whose type is declared; `None` leaves it to the unknown fields.
    pub(super) fn message_set_item<'p>(
        &self,
        field: &FieldStart<'p>,
        limit: &[u8],
    ) -> Located<Option<Unexpected<'p>>> {
        let item = self.scan_item(limit, field.value_start)?;
        let (Some(type_id), Some((start, end))) = (item.type_id, item.payload) else {
            return Ok(None);
        };
        let found = u32::try_from(type_id).ok().and_then(|number| field.program.by_number(number));
        Ok(match found {
            Some((_, entry)) if entry.coding == Coding::Message => {
                let origin = self.source.origin();
                let child = Child { start: start - origin, end: end - origin, group: 0, resume: item.end };
                Some(Unexpected::Item(entry, child))
            }
            _ => None,
        })
    }

    /// Finds the first type id and the first payload of an item, in either order.
    fn scan_item(&self, limit: &[u8], mut pos: usize) -> Located<Item> {
        let depth_left = self.options.depth_limit().saturating_sub(self.scratch.stack.len() as u32 + 1);
        let mut item = Item::default();
        loop {
            let tag_start = pos;
            let (tag, value) = raw::tag(limit, pos).map_err(|kind| (kind, tag_start))?;
            // All of them are tags of one byte.
            match u8::try_from(tag.get()).unwrap_or(0) {
                message_set::ITEM_END => {
                    item.end = value;
                    return Ok(item);
                }
                message_set::TYPE_ID => {
                    let (type_id, next) = raw::varint(limit, value).map_err(|kind| (kind, value))?;
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
}

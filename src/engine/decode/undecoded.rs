//! Finds in the bytes of a message what its program did not decode.

use crate::schema::program::{Coding, FieldEntry, Program, ProgramSet};
use crate::wire::read::raw;
use crate::wire::{Tag, WireType};

/// Bytes of a message that were not decoded: one field, or one value of a packed run with the tag to write before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undecoded {
    /// The field number.
    pub(crate) number: u32,
    pub(crate) offset: u32,
    pub(crate) len: u32,
    pub(crate) tag: Option<u32>,
    /// The field of that number, and not a wire type or an enum number that it does not take.
    pub(crate) is_field: bool,
    /// A decoded member of a oneof, which unsets the members before it.
    pub(crate) is_decoded: bool,
}

/// Calls `keep` for everything between two offsets of the store that `program` does not decode, in wire order: fields
/// that are not selected, unknown fields, and numbers that closed enums do not list. Also calls it for decoded
/// members of oneofs.
///
/// The decode checked the tags and lengths of these bytes; should one be wrong, the walk ends there.
pub(crate) fn undecoded(
    set: &ProgramSet,
    program: &Program,
    store: &[u8],
    (start, end): (usize, usize),
    keep: &mut impl FnMut(Undecoded),
) {
    let store = store.get(..end).unwrap_or(store);
    let mut item = start;
    while item < end {
        let Ok((tag, value)) = raw::tag(store, item) else { return };
        let Ok(next) = raw::skip_value(store, value, end, tag, u32::MAX) else { return };
        let whole = Undecoded {
            number: tag.number(),
            offset: item as u32,
            len: (next - item) as u32,
            tag: None,
            is_field: false,
            is_decoded: false,
        };
        let entry = program.by_number(tag.number()).map(|(_, entry)| entry);
        let field = WireField { store, tag, value, end: next, whole };
        match entry.filter(|entry| entry.takes(tag.get())) {
            None => keep(whole),
            Some(entry) if entry.op.is_skip() => {
                keep(Undecoded { is_field: !field.is_unlisted(set, entry), ..whole });
            }
            Some(entry) if field.is_unlisted(set, entry) => keep(whole),
            Some(entry) if entry.oneof != 0 => keep(Undecoded { is_field: true, is_decoded: true, ..whole }),
            Some(entry) => field.unlisted_elements(set, entry, keep),
        }
        item = next;
    }
}

/// One field in the bytes of a message.
struct WireField<'b> {
    store: &'b [u8],
    tag: Tag,
    /// Offset of the value, or of its length prefix.
    value: usize,
    end: usize,
    whole: Undecoded,
}

impl WireField<'_> {
    /// Whether the field is unknown because its closed enum does not list the number; of a map entry, that of its value.
    fn is_unlisted(&self, set: &ProgramSet, entry: &FieldEntry) -> bool {
        if entry.flags.is_map() {
            return self.has_unlisted_value(set, set.program(entry.sub));
        }
        entry.coding == Coding::ClosedEnum
            && self.tag.wire_type() == WireType::Varint
            && !is_listed(set, entry, self.store, self.value)
    }

    /// Whether a map entry has a value that its closed enum does not list. The last value counts.
    fn has_unlisted_value(&self, set: &ProgramSet, program: &Program) -> bool {
        let Some(entry) = program.entries().get(1).filter(|entry| entry.coding == Coding::ClosedEnum) else {
            return false;
        };
        let mut unlisted = false;
        let Ok((_, mut at)) = raw::length(self.store, self.value) else { return false };
        while at < self.end {
            let Ok((tag, value)) = raw::tag(self.store, at) else { break };
            let Ok(next) = raw::skip_value(self.store, value, self.end, tag, u32::MAX) else { break };
            if tag.get() == entry.tag {
                unlisted = !is_listed(set, entry, self.store, value);
            }
            at = next;
        }
        unlisted
    }

    /// Calls `keep` for the elements of a packed run that its closed enum does not list.
    fn unlisted_elements(&self, set: &ProgramSet, entry: &FieldEntry, keep: &mut impl FnMut(Undecoded)) {
        if entry.coding != Coding::ClosedEnum || self.tag.wire_type() != WireType::LengthDelimited {
            return;
        }
        let Ok((_, mut at)) = raw::length(self.store, self.value) else { return };
        while at < self.end {
            let Ok((_, next)) = raw::varint(self.store, at) else { return };
            if !is_listed(set, entry, self.store, at) {
                let tag = Some(entry.number() << 3);
                keep(Undecoded { offset: at as u32, len: (next - at) as u32, tag, ..self.whole });
            }
            at = next;
        }
    }
}

/// Whether the closed enum of an entry lists the number at a position.
fn is_listed(set: &ProgramSet, entry: &FieldEntry, store: &[u8], value: usize) -> bool {
    raw::varint(store, value).is_ok_and(|(number, _)| set.enum_contains(entry.sub, number as i32))
}

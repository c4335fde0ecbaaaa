//! The fields of a message that its program left out, found again in its bytes.

use crate::program::{Coding, Entry, Program, ProgramSet};
use crate::wire::{Tag, WireType, raw};

/// Bytes of a message that no field holds: whole fields, or one value and the tag to write before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undecoded {
    /// The field number.
    pub(crate) number: u32,
    pub(crate) offset: u32,
    pub(crate) len: u32,
    pub(crate) tag: Option<u32>,
    /// Whether this is the field of that number, and not something that its entry does not take.
    pub(crate) is_field: bool,
    /// Not left out, but a member of a oneof that is decoded: it overrules those before it.
    pub(crate) is_decoded: bool,
}

/// Calls `keep` with everything between two positions of the store that `program` does not decode, in order: fields
/// that are not selected, unknown ones, and numbers that closed enums do not list; and with members of oneofs that
/// it does decode. The bytes were walked over when the
/// message was decoded, so tags and lengths are right.
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

/// A field of the message.
struct WireField<'b> {
    store: &'b [u8],
    tag: Tag,
    /// Where the value starts, with its length prefix, and ends.
    value: usize,
    end: usize,
    whole: Undecoded,
}

impl WireField<'_> {
    /// Whether the field is unknown for its number, which its closed enum does not list; of a map entry, for that of
    /// its value.
    fn is_unlisted(&self, set: &ProgramSet, entry: &Entry) -> bool {
        if entry.flags.is_map() {
            return self.has_unlisted_value(set, set.program(entry.sub));
        }
        entry.coding == Coding::ClosedEnum
            && self.tag.wire_type() == WireType::Varint
            && !is_listed(set, entry, self.store, self.value)
    }

    /// The same for a map entry, of which the last value counts.
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

    /// The elements of a packed run that its closed enum does not list.
    fn unlisted_elements(&self, set: &ProgramSet, entry: &Entry, keep: &mut impl FnMut(Undecoded)) {
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
fn is_listed(set: &ProgramSet, entry: &Entry, store: &[u8], value: usize) -> bool {
    raw::varint(store, value).is_ok_and(|(number, _)| set.enum_contains(entry.sub, number as i32))
}

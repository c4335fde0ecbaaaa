//! What a getter needs of a field, in 16 bytes: slot, hasbit, kind.
//!
//! A [`FieldEntry`](super::FieldEntry) says how a field is decoded, and a getter would test its coding, its flags and its
//! scalar one after the other. [`ReadKind`] is one byte to branch on.

use super::coding::ReadKind;
use super::{FieldEntry, Program, Room, RoomFull, WIDE_GROUP};
use alloc::vec::Vec;

/// One field, 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Program index of a message, of the messages of a list, of the entries of a map.
    pub(crate) sub: u32,
    /// The hasbit in the first word of a dense body. 0 sends the getter to its slow path: the hasbit is elsewhere, or the
    /// value is a string without UTF-8 validation.
    pub(crate) bit: u32,
    /// First word of the value relative to the body; 0 in a wide message, which has no fixed slots.
    pub(crate) slot: u16,
    /// Position of the field in the spec.
    pub(crate) field: u16,
    /// Position of the entry, in field number order.
    pub(crate) position: u16,
    pub(crate) form: ReadKind,
    pub(crate) elements: Elements,
}

/// The elements of a list or the entries of a map, packed in a byte: `width << 4 | kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elements(u8);

impl Elements {
    /// At most 15 words.
    const fn new(form: ReadKind, width: u8) -> Self {
        debug_assert!(width < 16);
        Self(form as u8 | width << 4)
    }

    #[inline(always)]
    pub(crate) fn form(self) -> ReadKind {
        ReadKind::ALL[self.0 as usize & 15]
    }

    /// Words per element.
    #[inline(always)]
    pub(crate) fn width(self) -> u32 {
        self.0 as u32 >> 4
    }
}

impl Access {
    /// No field.
    pub(crate) const NONE: Self = Self {
        sub: u32::MAX,
        bit: 0,
        slot: 0,
        field: u16::MAX,
        position: u16::MAX,
        form: ReadKind::Bytes,
        elements: Elements::new(ReadKind::Bytes, 0),
    };

    fn new(program: &Program, position: usize, entry: &FieldEntry, programs: &[Program]) -> Self {
        let sub = programs.get(entry.sub as usize).filter(|_| entry.coding.is_message());
        let element = match sub {
            Some(sub) if sub.is_contiguous() => ReadKind::Body,
            Some(_) => ReadKind::Message,
            None => ReadKind::of(entry.scalar(), entry.coding),
        };
        let form = match sub {
            _ if entry.flags.is_map() => ReadKind::Map,
            _ if entry.flags.is_list() => ReadKind::List,
            Some(_) if entry.flags.is_inline() => ReadKind::Body,
            Some(_) => ReadKind::Message,
            None => element,
        };
        let width = sub.map_or(entry.coding.words(), |sub| sub.element_words()) as u8;
        let elsewhere = program.is_wide() || position >= PAGE || form == ReadKind::UncheckedString;
        Self {
            sub: entry.sub,
            bit: if elsewhere { 0 } else { 1 << position },
            slot: if program.is_wide() { 0 } else { entry.slot },
            field: program.field_of(position) as u16,
            position: position as u16,
            form,
            elements: Elements::new(element, width),
        }
    }
}

/// Fields per page: those of one word of hasbits.
pub(crate) const PAGE: usize = 32;
const _: () = assert!(PAGE == WIDE_GROUP);

/// An [`Access`] in 8 bytes for iteration over set fields: address arithmetic scales by at most 8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadField {
    pub(crate) sub: u32,
    pub(crate) slot: u16,
    pub(crate) form: ReadKind,
    pub(crate) elements: Elements,
}

/// The fields of one word of hasbits.
#[derive(Clone, Debug)]
pub(crate) struct PresencePage {
    /// Padded to 32, so that the position of a bit needs no bounds check.
    pub(crate) fields: [ReadField; PAGE],
    /// The bits that are fields. In a wide body, bits of oneofs come after them.
    pub(crate) mask: u32,
    /// How many pages come after this one.
    pub(crate) left: u32,
    /// Position of the first field.
    pub(crate) first: u16,
}

impl PresencePage {
    const EMPTY: Self = Self { fields: [ReadField::new(&Access::NONE); PAGE], mask: 0, left: 0, first: 0 };

    fn new(fields: &[Access], left: usize) -> Self {
        let mut page = Self { left: left as u32, ..Self::EMPTY };
        for (bit, (field, access)) in page.fields.iter_mut().zip(fields).enumerate() {
            *field = ReadField::new(access);
            page.mask |= 1 << bit;
        }
        page.first = fields.first().map_or(0, |access| access.position);
        page
    }
}

impl ReadField {
    const fn new(access: &Access) -> Self {
        Self { sub: access.sub, slot: access.slot, form: access.form, elements: access.elements }
    }
}

/// The fields of a message in number order, for getters and iteration.
#[derive(Debug)]
pub(crate) struct ReadLayout {
    /// The first page of a dense body. Empty for a wide body, whose pages are all in `more_pages`.
    pub(crate) page: PresencePage,
    /// The pages after that.
    pub(crate) more_pages: Vec<PresencePage>,
    pub(crate) fields: Vec<Access>,
    /// Index of the program.
    pub(crate) program: u32,
    /// Index of the message type in the pool.
    pub(crate) message: u32,
    /// How far slots move with each set field: 2 in a wide message, else 0.
    pub(crate) stride: u32,
}

impl ReadLayout {
    /// A message without fields.
    pub(crate) const NONE: Self = Self {
        page: PresencePage::EMPTY,
        more_pages: Vec::new(),
        fields: Vec::new(),
        program: u32::MAX,
        message: u32::MAX,
        stride: 0,
    };

    fn new(index: usize, programs: &[Program], room: &mut Room) -> Result<Self, RoomFull> {
        let program = &programs[index];
        let fields = program.entries.iter().enumerate();
        let fields = room.list(fields.map(|(i, e)| Access::new(program, i, e, programs)))?;
        let in_first = if program.is_wide() { 0 } else { fields.len().min(PAGE) };
        let (first, rest) = fields.split_at(in_first);
        let count = rest.len().div_ceil(PAGE);
        let rest = rest.chunks(PAGE).enumerate();
        Ok(Self {
            page: PresencePage::new(first, count),
            more_pages: room.list(rest.map(|(i, fields)| PresencePage::new(fields, count - 1 - i)))?,
            fields,
            program: index as u32,
            message: program.message(),
            stride: if program.is_wide() { 2 } else { 0 },
        })
    }

    /// Whether bodies store only the fields that are set.
    pub(crate) fn is_wide(&self) -> bool {
        self.stride != 0
    }

    /// The field at a position.
    #[inline(always)]
    pub(crate) fn field(&self, position: u16) -> Option<&Access> {
        self.fields.get(position as usize)
    }
}

/// The read layouts of all programs of a schema.
#[derive(Debug, Default)]
pub(crate) struct ReadLayouts(Vec<ReadLayout>);

impl ReadLayouts {
    pub(super) fn new(programs: &[Program], room: &mut Room) -> Result<Self, RoomFull> {
        let mut layouts = Vec::new();
        room.reserve(&mut layouts, programs.len())?;
        for index in 0..programs.len() {
            layouts.push(ReadLayout::new(index, programs, room)?);
        }
        Ok(Self(layouts))
    }

    /// The read layout of this program index.
    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> Option<&ReadLayout> {
        self.0.get(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size_of::<Access>(), 16);
        assert_eq!(size_of::<ReadField>(), 8);
    }

    #[test]
    fn forms_are_found_by_number() {
        for (number, form) in ReadKind::ALL.into_iter().enumerate().take(15) {
            assert_eq!(form as usize, number);
            assert_eq!((Elements::new(form, 8).form(), Elements::new(form, 8).width()), (form, 8));
        }
    }
}

//! Fields as readers see them: where the value is and what it is, at one glance.
//!
//! An [`Entry`](super::Entry) says how a field is decoded and encoded, and a reader would have to ask its coding, its
//! flags and its scalar one after the other. Here all that is one byte to branch on.

use super::{Coding, Entry, Program, Scalar};
use alloc::vec::Vec;

/// What is in the words of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    // One word.
    Bool,
    I32,
    U32,
    F32,
    Enum,
    // Two words.
    I64,
    U64,
    F64,
    /// (offset, length) of UTF-8.
    String,
    /// (offset, length) of a string that nobody has checked.
    Text,
    /// (offset, length).
    Bytes,
    /// The offset of a body.
    Message,
    /// A body.
    Body,
    /// The header of a list.
    List,
    /// The header of a list of map entries.
    Map,
}

impl Form {
    /// Of a singular value or an element that is not a message.
    fn of(entry: &Entry) -> Self {
        match (entry.scalar(), entry.coding) {
            (Scalar::Bool, _) => Self::Bool,
            (Scalar::I32, _) => Self::I32,
            (Scalar::U32, _) => Self::U32,
            (Scalar::F32, _) => Self::F32,
            (Scalar::Enum, _) => Self::Enum,
            (Scalar::I64, _) => Self::I64,
            (Scalar::U64, _) => Self::U64,
            (Scalar::F64, _) => Self::F64,
            (Scalar::String, Coding::String) => Self::String,
            (Scalar::String, _) => Self::Text,
            (Scalar::Bytes, _) => Self::Bytes,
        }
    }
}

/// One field of a message, 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Program index of a message, of the messages of a list, of the entries of a map.
    pub(crate) sub: u32,
    /// First word of the value relative to the body; 0 in a wide message, which has no fixed places.
    pub(crate) slot: u16,
    /// Position of the field in the spec.
    pub(crate) field: u16,
    /// Position of the field in number order.
    pub(crate) position: u16,
    pub(crate) form: Form,
    pub(crate) elements: Elements,
    /// The field of a wide message.
    pub(crate) wide: bool,
    /// The header word with the presence bit of a dense message, and which bit it is.
    pub(crate) has_word: u8,
    pub(crate) has_bit: u8,
}

/// The elements of a list, or the entries of a map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    pub(crate) form: Form,
    /// Words per element.
    pub(crate) width: u8,
}

impl Access {
    /// No field.
    pub(crate) const NONE: Self = Self {
        sub: u32::MAX,
        slot: 0,
        field: u16::MAX,
        position: u16::MAX,
        form: Form::Bytes,
        elements: Elements { form: Form::Bytes, width: 0 },
        wide: true,
        has_word: 0,
        has_bit: 0,
    };

    fn new(program: &Program, position: usize, entry: &Entry, programs: &[Program]) -> Self {
        let sub = programs.get(entry.sub as usize).filter(|_| entry.coding.is_message());
        let element = match sub {
            Some(sub) if sub.is_contiguous() => Form::Body,
            Some(_) => Form::Message,
            None => Form::of(entry),
        };
        let form = match sub {
            _ if entry.flags.is_map() => Form::Map,
            _ if entry.flags.is_list() => Form::List,
            Some(_) if entry.flags.is_inline() => Form::Body,
            Some(_) => Form::Message,
            None => element,
        };
        let width = sub.map_or(entry.coding.words(), |sub| sub.element_words()) as u8;
        Self {
            sub: entry.sub,
            slot: if program.is_wide() { 0 } else { entry.slot },
            field: program.field_of(position) as u16,
            position: position as u16,
            form,
            elements: Elements { form: element, width },
            wide: program.is_wide(),
            // Presence bits 0..32 are word 0 of a body, 32..64 word 2.
            has_word: if position & 32 != 0 { 2 } else { 0 },
            has_bit: position as u8 & 31,
        }
    }
}

/// The fields of a message, in number order.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) fields: Vec<Access>,
    /// Index of the message type in the pool.
    pub(crate) message: u32,
    /// Keeps only the fields that are set.
    pub(crate) wide: bool,
    /// Wide, or with presence bits 32..64 in header word 2.
    pub(crate) large: bool,
}

impl Body {
    fn new(program: &Program, programs: &[Program]) -> Self {
        let fields = program.entries.iter().enumerate();
        Self {
            fields: fields.map(|(i, e)| Access::new(program, i, e, programs)).collect(),
            message: program.message(),
            wide: program.is_wide(),
            large: program.is_wide() || program.has_high_bits(),
        }
    }

    /// The field at a position.
    #[inline(always)]
    pub(crate) fn field(&self, position: u16) -> Option<&Access> {
        self.fields.get(position as usize)
    }
}

/// The bodies of all programs of a schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies(Vec<Body>);

impl Bodies {
    pub(super) fn new(programs: &[Program]) -> Self {
        Self(programs.iter().map(|program| Body::new(program, programs)).collect())
    }

    /// The body of this program index. An index that does not exist gives a message without fields.
    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> &Body {
        static NONE: Body = Body { fields: Vec::new(), message: u32::MAX, wide: false, large: false };
        self.0.get(index as usize).unwrap_or(&NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size_of::<Access>(), 16);
    }
}

//! One field as the encoder sees it.

use super::{Coding, FieldEntry};
use crate::wire::TagWord;

/// What the encoder does with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum WriteKind {
    /// A singular number that is a varint.
    Varint,
    /// A singular number of four or eight bytes.
    Fixed,
    /// A singular string or bytes.
    Span,
    /// A list that is not one of messages.
    List,
    /// A message in the slots of its parent.
    Inline,
    /// Another message, a list of messages or a map.
    Message,
}

/// One field, 16 bytes. What differs between varints is data here, not branches: which kinds of fields follow each
/// other is what a processor predicts worst in an encoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteEntry {
    pub(crate) tag: TagWord,
    pub(crate) form: NumberForm,
    /// First word of the value relative to the body, of a dense program.
    pub(crate) slot: u16,
    pub(crate) kind: WriteKind,
}

/// How a number is made from its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NumberForm {
    /// 32 if the number has one word, else 0.
    narrow: u8,
    /// 1 if that word is not sign-extended, else 0.
    clear: u8,
    /// 1 for zigzag, else 0.
    zigzag: u8,
    /// The width of a fixed-width number, 0 for varints.
    pub(crate) width: u8,
}

impl NumberForm {
    fn of(coding: Coding) -> Self {
        let narrow = if coding.words() == 1 { 32 } else { 0 };
        let (clear, zigzag, width) = match coding {
            Coding::Uint32 | Coding::Bool => (1, 0, 0),
            Coding::Sint32 | Coding::Sint64 => (0, 1, 0),
            Coding::Fixed32 => (1, 0, 4),
            Coding::Fixed64 => (0, 0, 8),
            _ => (0, 0, 0),
        };
        Self { narrow, clear, zigzag, width }
    }

    /// The varint of a number whose first two words these are.
    #[inline(always)]
    pub(crate) fn value(self, words: u64) -> u64 {
        let value = (words << (self.narrow & 63)) as i64 >> (self.narrow & 63);
        let sign = (value >> 63) & -i64::from(self.zigzag);
        let value = (value << (self.zigzag & 63)) ^ sign;
        value as u64 & [u64::MAX, u32::MAX as u64][usize::from(self.clear & 1)]
    }
}

impl WriteEntry {
    pub(super) fn new(entry: &FieldEntry) -> Self {
        let kind = match entry.coding {
            coding if coding.is_message() && entry.flags.is_inline() => WriteKind::Inline,
            coding if coding.is_message() => WriteKind::Message,
            _ if entry.flags.is_list() => WriteKind::List,
            Coding::String | Coding::Bytes => WriteKind::Span,
            Coding::Fixed32 | Coding::Fixed64 => WriteKind::Fixed,
            _ => WriteKind::Varint,
        };
        Self { tag: TagWord::new(entry.tag), form: NumberForm::of(entry.coding), slot: entry.slot, kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_sixteen_bytes() {
        assert_eq!(size_of::<WriteEntry>(), 16);
    }

    #[test]
    fn values_are_as_on_the_wire() {
        for word in [0, 1, 2, 77, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            for above in [0, 1, 0x8000_0000, u32::MAX] {
                let words = u64::from(above) << 32 | u64::from(word);
                let value = |coding| NumberForm::of(coding).value(words);
                let signed = i64::from(word as i32);
                assert_eq!(value(Coding::Int32), signed as u64);
                assert_eq!(value(Coding::ClosedEnum), signed as u64);
                assert_eq!(value(Coding::Uint32), u64::from(word));
                assert_eq!(value(Coding::Fixed32), u64::from(word));
                assert_eq!(value(Coding::Bool), u64::from(word));
                assert_eq!(value(Coding::Sint32), u64::from(crate::wire::zigzag32(word as i32)));
                assert_eq!(value(Coding::Varint64), words);
                assert_eq!(value(Coding::Fixed64), words);
                assert_eq!(value(Coding::Sint64), crate::wire::zigzag64(words as i64));
            }
        }
        let width = |coding| NumberForm::of(coding).width;
        assert_eq!([Coding::Int32, Coding::Fixed32, Coding::Fixed64].map(width), [0, 4, 8]);
    }
}

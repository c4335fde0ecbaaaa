//! What the encoder needs of a field.

use super::FieldEntry;
use super::coding::{NumberForm, WriteKind};
use crate::wire::TagWord;

/// One field, 16 bytes. Varints differ by data, not by branches: the order of field kinds is what a processor predicts worst
/// in an encoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteEntry {
    pub(crate) tag: TagWord,
    pub(crate) form: NumberForm,
    /// First word of the value relative to the body; dense programs only.
    pub(crate) slot: u16,
    pub(crate) kind: WriteKind,
}

impl WriteEntry {
    pub(super) fn new(entry: &FieldEntry) -> Self {
        let flags = entry.flags;
        let explicit = !flags.is_implicit() && !flags.is_required();
        let kind = WriteKind::of(entry.coding, (flags.is_list(), flags.is_inline(), explicit));
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
}

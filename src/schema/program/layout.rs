//! Where the fields of a message live in its body.
//!
//! ```text
//! dense  | hasbits 0..32 | unknown fields | hasbits 32..64, if over 32 fields | strings .. | other slots .. |
//! wide   | groups listed | unknown fields | group table (slab/wide.rs)        |
//! ```
//!
//! A *dense* body has a fixed slot for each field. Members of a oneof share one slot, and those that are strings share
//! another one. A type with more fields or words than a dense body may have is *wide*: its body is three words, and the
//! group table stores only the fields that are set.
//!
//! A slot holds a number (1 or 2 words), the span of a string, the (offset, length) of a list, or the offset of a
//! sub-message. Sub-messages of at most [`INLINE_WORDS`] words without message fields (points, timestamps) live in the
//! slots of their parent.

use super::lowered::ProgramFlags;
use super::{Coding, FieldEntry, Program};

/// A dense body has at most this many words (384 bytes).
pub(crate) const DENSE_WORDS: u32 = 96;
/// A dense body has at most this many fields: its hasbits fit a register.
const DENSE_FIELDS: usize = 64;
/// A list holds bodies of at most this many words themselves. Of larger ones it holds offsets, so that an empty message
/// costs 4 bytes.
pub(crate) const CONTIGUOUS_WORDS: u32 = 8;
/// Singular sub-messages with bodies of at most this many words live inside their parent.
const INLINE_WORDS: u32 = 6;

/// Body size of a sub-message that may live in its parent, else `None`.
#[derive(Clone, Copy)]
pub(super) struct Leaf(Option<u32>);

/// The body size of a message that may live in its parent: dense, small and without message fields.
pub(super) fn leaf(entries: &[FieldEntry]) -> Leaf {
    if entries.len() > DENSE_FIELDS || entries.iter().any(|e| e.coding.is_message()) {
        return Leaf(None);
    }
    let words = dense_words(entries, &[]).all;
    Leaf((words <= INLINE_WORDS).then_some(words))
}

fn header_words(fields: usize) -> u32 {
    if fields > 32 { 3 } else { 2 }
}

/// Words of a field's slot, and whether the sub-message lives in it.
fn field_words(entry: &FieldEntry, leaves: &[Leaf]) -> (u32, bool) {
    if entry.flags.is_list() {
        return (2, false);
    }
    if entry.coding.is_message()
        && entry.oneof == 0
        && let Some(Leaf(Some(words))) = leaves.get(entry.sub as usize)
    {
        return (*words, true);
    }
    (entry.coding.words(), false)
}

/// Whether a slot of the field holds a string.
fn has_text(entry: &FieldEntry) -> bool {
    entry.coding == Coding::String && !entry.flags.is_list()
}

/// The size of a body.
#[derive(Clone, Copy)]
struct BodySize {
    /// Words of the header and the strings, which come first.
    text: u32,
    all: u32,
}

/// A member of the same oneof among `before` whose slot this field shares.
fn sharing<'e>(before: &'e [FieldEntry], entry: &FieldEntry) -> Option<&'e FieldEntry> {
    before.iter().find(|e| e.oneof == entry.oneof && has_text(e) == has_text(entry))
}

/// The size of a dense body with at most 64 fields.
fn dense_words(entries: &[FieldEntry], leaves: &[Leaf]) -> BodySize {
    let mut words = BodySize { text: header_words(entries.len()), all: header_words(entries.len()) };
    for (i, entry) in entries.iter().enumerate() {
        let more = match entry.oneof {
            0 => field_words(entry, leaves).0,
            _ if sharing(entries.get(..i).unwrap_or(&[]), entry).is_some() => 0,
            _ => 2,
        };
        words.all = words.all.saturating_add(more);
        if has_text(entry) {
            words.text = words.text.saturating_add(more);
        }
    }
    words
}

/// Gives each of at most 64 entries its slot. Strings come first, so that one run of words is cleared when a body is made.
/// The slot of a string never holds anything else, not even another member of its oneof: the fence around strings
/// (`slab/text.rs`) relies on that.
fn place(entries: &mut [FieldEntry], leaves: &[Leaf]) -> BodySize {
    let words = dense_words(entries, leaves);
    let mut next = header_words(entries.len());
    for strings in [true, false] {
        for i in 0..entries.len() {
            let (before, rest) = entries.split_at_mut(i);
            let Some(entry) = rest.first_mut().filter(|entry| has_text(entry) == strings) else { continue };
            let (words, inline) = field_words(entry, leaves);
            if entry.oneof != 0 {
                entry.set_special();
                // Members of a oneof are never inlined, and two words hold any other value.
                let shared = sharing(before, entry).map(|e| e.slot);
                entry.slot = shared.unwrap_or(next as u16);
                next += if shared.is_none() { 2 } else { 0 };
                continue;
            }
            entry.slot = next.min(u16::MAX as u32) as u16;
            next = next.saturating_add(words);
            if inline {
                entry.set_inline();
            }
        }
    }
    words
}

/// How many words to clear when a body is made: the header and the strings, rounded up to sizes that compile to a few
/// vector stores. All other words are written before they are read.
fn rounded(words: BodySize) -> u16 {
    let rounded = match words.text {
        text @ ..=2 => text,
        ..=4 if words.all >= 4 => 4,
        ..=8 if words.all >= 8 => 8,
        ..=16 if words.all >= 16 => 16,
        ..=24 if words.all >= 24 => 24,
        text => text,
    };
    rounded as u16
}

/// Lays out one message: dense with small sub-messages inlined, else dense without, else wide.
pub(super) fn lay_out(program: &mut Program, leaves: &[Leaf]) {
    let fields = program.entries.len();
    let leaves = if program.is_map_entry() || program.is_message_set() { &[] } else { leaves };
    for leaves in [leaves, &[]] {
        if fields <= DENSE_FIELDS && dense_words(&program.entries, leaves).all <= DENSE_WORDS {
            let words = place(&mut program.entries, leaves);
            program.words = words.all;
            program.cleared = rounded(words);
            program.flags.set(ProgramFlags::WIDE, false);
            return;
        }
    }
    program.words = 3;
    program.cleared = 3;
    program.flags.set(ProgramFlags::WIDE, true);
    for (position, entry) in program.entries.iter_mut().enumerate() {
        entry.slot = position as u16;
        entry.set_wide();
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::program::{Coding, FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use alloc::vec::Vec;

    /// What the fence around strings relies on: see `slab/text.rs`.
    #[test]
    fn slots_of_strings_are_cleared_and_hold_nothing_else() {
        const KINDS: [Kind<u32, u32>; 4] = [Kind::String, Kind::Fixed64, Kind::Bytes, Kind::Bool];
        let step = if cfg!(miri) { 7 } else { 1 };
        for (strings, others) in
            (0..=60u32).step_by(step).flat_map(|n| [(n, 0), (n, 1), (n, 60 - n), (60 - n, n)])
        {
            for members in [0, 4] {
                let field = |number: u32, kind| FieldSpec::new(number, kind, Presence::Explicit);
                let oneof = (1..=members).map(|i| FieldSpec {
                    oneof: Some(i / 3),
                    ..field(200 - i, KINDS[i as usize % KINDS.len()])
                });
                let own = (0..strings + others).map(|i| {
                    let kind = if i < strings { Kind::String } else { KINDS[1 + i as usize % 3] };
                    field(1 + i, kind)
                });
                let fields: Vec<_> = own.chain(oneof).collect();
                let set = ProgramSet::new(&[MessageSpec { fields, ..Default::default() }], &[]).unwrap();
                let program = set.program(0);
                if program.is_wide() {
                    continue;
                }
                assert!(program.cleared() <= program.words() as u16);
                for entry in program.entries().iter().filter(|entry| entry.coding == Coding::String) {
                    assert!(entry.slot + 2 <= program.cleared(), "{strings} {others} {members}");
                    let overlaps =
                        program.entries().iter().filter(|other| other.slot.abs_diff(entry.slot) < 2);
                    assert!(overlaps.into_iter().all(|other| other.coding == Coding::String));
                }
            }
        }
    }
}

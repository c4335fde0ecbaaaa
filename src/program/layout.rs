//! Where the fields of a message live in its body.
//!
//! A body starts with two header words: presence bits 0..32 and the offset of the unknown-field list. A *dense*
//! body has a third header word for presence bits 32..64 when it needs them, and then a fixed slot for each
//! field; the members of a oneof share theirs, but for those that are strings, which share one of their own. A *wide* body, for types with more fields or words than a dense
//! one may have, has three words and keeps only the fields that are set (`slab/wide.rs`).
//!
//! A slot holds a number (1 or 2 words), a string's (offset, length), a list's (offset, length), or a
//! sub-message's offset. Sub-messages of at most [`INLINE_WORDS`] words without message fields of their own
//! (points, timestamps) live in the slots themselves.

use super::{Coding, FieldEntry, Program};

/// A dense body has at most this many words (384 bytes).
pub(crate) const DENSE_WORDS: u32 = 96;
/// A dense body has at most this many fields: its presence bits fit a register.
const DENSE_FIELDS: usize = 64;
/// Repeated messages with bodies of at most this many words lie one behind the other in their list; larger ones
/// are listed by offset, so that empty ones cost 4 bytes.
pub(crate) const CONTIGUOUS_WORDS: u32 = 8;
/// Singular sub-messages with bodies of at most this many words live inside their parent.
const INLINE_WORDS: u32 = 6;

/// What the layout of a parent must know of a sub-message: its body size, if it may be inlined.
#[derive(Clone, Copy)]
pub(super) struct Leaf(Option<u32>);

/// Sizes of the messages that may be inlined: dense, small, and without message fields.
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

/// The words of a body.
#[derive(Clone, Copy)]
struct BodyWords {
    /// Header and strings.
    text: u32,
    all: u32,
}

/// The field among these whose slot another member of its oneof shares.
fn sharing<'e>(before: &'e [FieldEntry], entry: &FieldEntry) -> Option<&'e FieldEntry> {
    before.iter().find(|e| e.oneof == entry.oneof && has_text(e) == has_text(entry))
}

/// The words of a dense body; of at most 64 fields.
fn dense_words(entries: &[FieldEntry], leaves: &[Leaf]) -> BodyWords {
    let mut words = BodyWords { text: header_words(entries.len()), all: header_words(entries.len()) };
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

/// Gives each of at most 64 entries its slot: strings first, so that one run of words is cleared when a body is made, then
/// everything else. Members of a oneof share a slot, but those that are strings do not share it with others: in the slot
/// of a string there is never anything else.
fn place(entries: &mut [FieldEntry], leaves: &[Leaf]) -> BodyWords {
    let words = dense_words(entries, leaves);
    let mut next = header_words(entries.len());
    for strings in [true, false] {
        for i in 0..entries.len() {
            let (before, rest) = entries.split_at_mut(i);
            let Some(entry) = rest.first_mut().filter(|entry| has_text(entry) == strings) else { continue };
            let (words, inline) = field_words(entry, leaves);
            if entry.oneof != 0 {
                entry.set_special();
                // Two words hold any value that is not inlined.
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

/// How many words are cleared when a body is made: header and strings, rounded up where that is a few stores. Everything else
/// is written before it is read.
fn rounded(words: BodyWords) -> u16 {
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

/// Lays out one message: dense if it fits, with small sub-messages inlined if it still fits, otherwise wide.
pub(super) fn lay_out(program: &mut Program, leaves: &[Leaf], map_entry: bool) {
    let fields = program.entries.len();
    let leaves = if map_entry || program.message_set { &[] } else { leaves };
    for leaves in [leaves, &[]] {
        if fields <= DENSE_FIELDS && dense_words(&program.entries, leaves).all <= DENSE_WORDS {
            let words = place(&mut program.entries, leaves);
            program.words = words.all;
            program.cleared = rounded(words);
            program.wide = false;
            return;
        }
    }
    program.words = 3;
    program.cleared = 3;
    program.wide = true;
    for (position, entry) in program.entries.iter_mut().enumerate() {
        entry.slot = position as u16;
        entry.set_wide();
    }
}

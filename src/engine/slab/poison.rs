//! A debug mode: with `--cfg tablepb_poison` the slab hands out memory filled with words that look like marked strings, and each
//! decode ends with a look at all slots of strings.
//!
//! Memory of a new slab is zeros, which are the empty value of everything: what forgets to write or clear a word is noticed only if an
//! earlier message has left something there. Here it always has.

use super::ByteSpan;
use super::{RawView, Slab, Walk, WalkStep};
use crate::schema::program::Coding;

/// A marked string of 33 554 431 bytes at offset 1: longer than what tests decode, so no store has it.
const SPAN: u64 = ByteSpan::new(1, (1 << 25) - 1).word() | ByteSpan::MARK;
/// Messages in slabs of more bytes are not looked at, since each merge looks at all of a message.
const LARGE: usize = 1 << 16;

impl Slab {
    /// Fills words that were just allocated. Spans begin at even or at odd offsets, by turns, because slots do.
    #[cold]
    pub(super) fn poison(&mut self, at: u32, words: u32) {
        let odd = (at / 2 + words) & 1;
        for at in at..at + words {
            self.set(at, (SPAN >> (32 * ((at ^ odd) & 1))) as u32);
        }
    }
}

/// The fence around strings (`text.rs`), for all of a message: in a trusted slab a marked slot of a string is a string, whether its
/// field is set or not.
pub(crate) fn check_strings(view: RawView<'_, '_>) {
    if view.words.part(0, usize::MAX).len() > LARGE / 4 {
        return;
    }
    let mut walk = Walk::new(view, ());
    check_body(view);
    // Where there is no memory for the walk, nothing is checked.
    while walk.make_room().is_ok() {
        match walk.next(()) {
            WalkStep::Field(_, entry, slot) if entry.flags.is_list() && entry.coding == Coding::String => {
                let list = walk.view().list(entry, slot);
                (0..list.len()).for_each(|i| check(walk.view(), list.word64(i), i));
            }
            WalkStep::Field(..) => {}
            WalkStep::Enter(_) => check_body(walk.view()),
            WalkStep::End => {
                if walk.leave().is_none() {
                    return;
                }
            }
        }
    }
}

fn check_body(view: RawView<'_, '_>) {
    let program = view.program();
    // Wide bodies have places for what is set, and the empty message has none.
    if program.is_wide() || view.body.base == super::NIL || view.is_verbatim() {
        return;
    }
    for entry in program.entries() {
        if entry.coding == Coding::String && !entry.flags.is_list() {
            check(view, view.words.get64(view.body.base + u32::from(entry.slot)), u32::from(entry.slot));
        }
    }
}

fn check(view: RawView<'_, '_>, pair: u64, place: u32) {
    if view.words.trusts(pair) {
        let bytes = ByteSpan::from_word(pair).bytes(view.store);
        let text = bytes.map(core::str::from_utf8);
        assert!(
            matches!(text, Some(Ok(_))),
            "no string at {place} of {:?}: {pair:016x}, {text:?}",
            view.body
        );
    }
}

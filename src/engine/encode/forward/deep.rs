//! Sub-messages that are too deep for recursion.

use super::pass::Pass;
use crate::engine::encode::sized::Sized;
use crate::engine::slab::BodyRef;
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::output::cursor::{CursorRoom, Filled};
use crate::wire::{Cursor, TagWord};

/// The messages of a field.
pub(super) struct DeepChildren {
    /// Where the first one is if they are `in_place`, else where its offset is.
    pub(super) at: u32,
    pub(super) left: u32,
    pub(super) in_place: bool,
}

impl Pass<'_, '_> {
    /// Sizes each message, and writes it then: every message is visited twice, however deep it is.
    #[cold]
    #[inline(never)]
    pub(super) fn deep_children<'w>(
        &mut self,
        room: CursorRoom<'w>,
        entry: &FieldEntry,
        tag: TagWord,
        children: DeepChildren,
    ) -> Filled<'w> {
        let DeepChildren { mut at, left, in_place } = children;
        if left == 0 {
            return Cursor::of(room).filled();
        }
        let stride = self.view.set.program(entry.sub).element_words();
        // Errors are found again, and reported, when the whole message is sized.
        let Some(max_depth) = self.options.depth_limit().checked_sub(self.depth + 1) else {
            return self.give_up();
        };
        if self.options.is_deterministic() && entry.flags.is_map() {
            return self.give_up();
        }
        let options = self.options.allow_partial(true).max_depth(max_depth);
        let mut out = Cursor::of(room);
        for _ in 0..left {
            let base = if in_place { at } else { self.view.words.get(at) };
            at = at.wrapping_add(stride);
            let view = self.view.at(BodyRef::of(entry, base));
            let Ok(sized) = Sized::new(view, &options) else { return self.give_up() };
            let group = entry.coding == Coding::Group;
            out.put_tag_word(tag);
            if !group {
                out.put_varint(sized.len);
            }
            self.missing |= u64::from(sized.missing);
            let Ok(written) = sized.write(view, &options, out) else { return self.give_up() };
            out = written;
            if group {
                out.put_tag_word(tag.next_wire_type());
            }
            if out.is_full() {
                return None;
            }
        }
        out.filled()
    }
}

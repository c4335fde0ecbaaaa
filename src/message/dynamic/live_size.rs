//! The live size of a message: everything else in its memory is garbage.

use crate::engine::slab::{NIL, RawView, Walk, WalkStep};
use crate::schema::program::{Coding, FieldEntry};

/// Words of a message of which nothing has been decoded: its body, and what stands before its spans.
const RAW: usize = 6;

/// The slab words and store bytes that a message and its sub-messages take; `None` without memory for the walk.
///
/// Words are counted once each, and one more for a message, which has two: their sum is less than twice the words of the slab, and does
/// not overflow. Bytes may be counted more than once: what is set from one prepared message many times is in the store many times, but
/// parts of copies share it.
pub(in crate::message) fn live_size(view: RawView<'_, '_>) -> Option<(usize, usize)> {
    // The walk keeps with each message whether a verbatim message encloses it.
    let mut walk = Walk::new(view, false);
    let (mut words, mut bytes) = (view.program().words() as usize, 0usize);
    loop {
        walk.make_room().ok()?;
        let inside = *walk.data();
        match walk.next(inside || walk.view().is_verbatim()) {
            WalkStep::Field(_, entry, slot) => {
                let (more_words, more_bytes) = live_size_of_values(walk.view(), entry, slot);
                words += more_words;
                if !inside && !walk.view().is_verbatim() {
                    bytes = bytes.saturating_add(more_bytes);
                }
            }
            // One more word: the offset in a list, or the group table of a wide body. All empty messages share a body, but those that
            // are in their list or parent.
            WalkStep::Enter(..) => {
                let view = walk.view();
                words += 1 + match view.program().words() as usize {
                    _ if view.body.base == NIL => 0,
                    body if view.is_raw() => body.min(RAW),
                    body => body,
                };
            }
            WalkStep::End => {
                for span in walk.view().spans() {
                    words += 2 + 2 * usize::from(span.tag.is_some());
                    bytes = bytes.saturating_add(if inside { 0 } else { span.len as usize });
                }
                if walk.leave().is_none() {
                    return Some((words, bytes));
                }
            }
        }
    }
}

fn live_size_of_values(view: RawView<'_, '_>, entry: &FieldEntry, slot: u32) -> (usize, usize) {
    let spans = matches!(entry.coding, Coding::String | Coding::Bytes);
    if !entry.flags.is_list() {
        return (0, if spans { view.span(slot).len() } else { 0 });
    }
    let list = view.list(entry, slot);
    let lengths = (0..list.len()).map(|i| list.span(i).len());
    let bytes = if spans { lengths.fold(0, usize::saturating_add) } else { 0 };
    (list.len() as usize * entry.coding.words() as usize, bytes)
}

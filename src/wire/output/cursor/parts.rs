//! Items that are written by functions that are not inlined: long ones.

use super::{Cursor, CursorRoom, Filled};
use crate::wire::tag_word::TagWord;

impl Cursor<'_> {
    /// A tag, then a varint of 9 or 10 bytes.
    #[inline(always)]
    pub(crate) fn put_tagged_long(&mut self, tag: TagWord, value: u64) {
        self.fill(|room| tagged_long(room, tag, value));
    }

    /// A tag, the length of a string, and the string: the `len` bytes of `store` from `offset` on. Fails if the store has fewer.
    #[inline(always)]
    pub(crate) fn put_tagged_part(&mut self, tag: TagWord, store: &[u8], offset: usize, len: usize) {
        let bytes = store.get(offset..offset.wrapping_add(len));
        self.fill(|room| part(room, tag, bytes));
    }
}

/// A tag, then a varint of 9 or 10 bytes.
#[inline(never)]
fn tagged_long(room: CursorRoom<'_>, tag: TagWord, value: u64) -> Filled<'_> {
    let mut out = Cursor::of(room);
    out.put_tag_word(tag);
    out.put_varint(value);
    out.filled()
}

/// A tag, the length of a string, and the string, if there is one.
#[inline(never)]
fn part<'w>(room: CursorRoom<'w>, tag: TagWord, bytes: Option<&[u8]>) -> Filled<'w> {
    let (bytes, mut out) = (bytes?, Cursor::of(room));
    if bytes.len() < 0x80 {
        out.put_tag_word(tag.and(bytes.len() as u8));
    } else {
        out.put_tag_word(tag);
        out.put_varint(bytes.len() as u64);
    }
    if bytes.len() > 64 {
        out.put_slice(bytes);
    } else {
        out.put_short(bytes);
    }
    out.filled()
}

//! Length prefixes, of records and of what is nested in them.
//!
//! The bytes of a record go to the spare capacity of the buffer. The length of a message is known only at its end, and
//! its varint takes one to five bytes. So the writer guesses the width of a length prefix: that of the last message of
//! the type. A wrong guess moves the message once.
//!
//! ```text
//! content of the buffer | spare capacity
//! ..                    | length prefix       | fields ..        | cursor
//!                         start, `width` bytes  len = cursor - start - width
//!
//! close_length(start, width):
//!     need = bytes of len as a varint
//!     if need != width: move the fields by the difference
//!     write len at start
//! ```

use super::RecordWriter;
use super::field::Handle;
use crate::wire::{MAX_LEN, short_varint, varint_len};

impl RecordWriter<'_> {
    /// Writes a tag and a length prefix.
    #[inline(always)]
    pub(super) fn put_length(&mut self, handle: Handle, len: usize) {
        let (word, width) = short_varint(len as u64);
        let fits = len <= MAX_LEN;
        if !(fits && self.out.put_pair(handle.prefix.bytes(), handle.prefix.len(), word, width)) {
            self.fail_no_room();
        }
    }

    /// Writes the length prefix of everything after it: `start` is its offset, `width` the bytes reserved for it.
    /// Returns the bytes it takes.
    #[inline]
    pub(super) fn close_length(&mut self, start: usize, width: usize) -> usize {
        let len = self.out.len().saturating_sub(start + width);
        let need = varint_len(len as u64);
        if need != width {
            self.move_body(start, width, need);
        }
        if len > MAX_LEN {
            self.fail_no_room();
        }
        let (bytes, _) = short_varint(len as u64);
        // One and two bytes by hand: copying a variable number of bytes is a call of `memcpy`.
        match self.out.as_mut_slice().get_mut(start..start + need).unwrap_or_default() {
            [first] => *first = bytes[0],
            [first, second] => [*first, *second] = [bytes[0], bytes[1]],
            more => more.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte),
        }
        need
    }

    /// Takes the room for the length prefix of the record away, `width` bytes.
    #[inline]
    pub(super) fn drop_length(&mut self, width: usize) {
        if width != 0 {
            self.move_body(0, width, 0);
        }
        if self.out.len() > MAX_LEN {
            self.fail_no_room();
        }
    }

    /// Moves everything after a length prefix, so that it has `need` bytes instead of `width`.
    #[cold]
    #[inline(never)]
    fn move_body(&mut self, start: usize, width: usize, need: usize) {
        let (from, to) = (start + width, start + need);
        let end = self.out.len();
        if from > end || need > width && !self.out.put_slice([0; 10].get(width..need).unwrap_or_default()) {
            return self.fail_no_room();
        }
        self.out.as_mut_slice().copy_within(from..end, to);
        self.out.truncate(end + need - width);
    }
}

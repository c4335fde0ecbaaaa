//! Lists: a two-word header in the field's slot, and a block of elements.
//!
//! ```text
//! slot    | offset of the first element | length |
//! block   | owner's word | capacity | element | element | ..
//! ```
//!
//! Maps keep their index in the owner's word. A list whose block ends the slab grows in place; otherwise it moves, and its old
//! block becomes garbage.

use super::{Full, NIL, Slab, Words};
use crate::schema::program::Program;

/// Words before the elements.
const BLOCK_HEADER: u32 = 2;
/// The first capacity of lists of one-word elements: most lists in real messages have one to four elements.
const FIRST_BODIES: u32 = 4;

/// From this many elements on, a first block is left to the general path, whose arithmetic cannot overflow.
const FEW: u32 = 1 << 16;

/// The header of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct List {
    /// Offset of the first element.
    pub(crate) ptr: u32,
    /// Number of elements.
    pub(crate) len: u32,
}

impl List {
    #[inline(always)]
    const fn header(self) -> u64 {
        self.ptr as u64 | (self.len as u64) << 32
    }
}

impl Words<'_> {
    /// The list whose header is at `slot`.
    #[inline(always)]
    pub(crate) fn list(self, slot: u32) -> List {
        // Two words, not one of 64 bits: the length has often just been stored, and a load that is wider than the store waits for it.
        let (ptr, len) = self.two(slot);
        List { ptr, len }
    }

    /// The owner's word of a list; 0 for a list without a block.
    #[inline]
    pub(super) fn list_aux(self, list: List) -> u32 {
        if list.ptr < BLOCK_HEADER { 0 } else { self.get(list.ptr - 2) }
    }
}

impl Slab {
    /// Appends `more` elements of `width` words to the list at `slot` and returns the offset of the first. The caller writes
    /// them: their words hold anything. A slot of zeros is an empty list.
    #[inline]
    pub(crate) fn list_grow(&mut self, slot: u32, width: u32, more: u32) -> Result<u32, Full> {
        let list = self.words().list(slot);
        let capacity = if list.ptr == 0 { 0 } else { self.get(list.ptr - 1) };
        let len = list.len.checked_add(more).ok_or(Full::Limit)?;
        let ptr = if len > capacity { self.list_regrow(list, capacity, width, len)? } else { list.ptr };
        self.set64(slot, List { ptr, len }.header());
        Ok(ptr + list.len * width)
    }

    /// As `list_grow`, with a fast path for an empty list in a slab that need not grow: the usual case while decoding.
    #[inline(always)]
    pub(crate) fn list_extend(&mut self, slot: u32, width: u32, more: u32) -> Result<u32, Full> {
        if self.words().list(slot).ptr == 0
            && more < FEW
            && let capacity = more.max(if width == 1 { FIRST_BODIES } else { 1 })
            && let Some(ptr) = self.try_block(slot, capacity * width, capacity, more)
        {
            return Ok(ptr);
        }
        self.list_grow(slot, width, more)
    }

    /// Makes a list of `len` elements at `slot` with a new block of `words` words, and returns the offset of the first element.
    /// `None` if the slab would have to grow.
    #[inline(always)]
    fn try_block(&mut self, slot: u32, words: u32, capacity: u32, len: u32) -> Option<u32> {
        let block = self.try_alloc(BLOCK_HEADER + words)?;
        let ptr = block + BLOCK_HEADER;
        // The owner's word is 0.
        self.set64(block, u64::from(capacity) << 32);
        self.set64(slot, List { ptr, len }.header());
        Some(ptr)
    }

    /// Appends a message to the list at `slot` and returns its body, which the caller clears. `None` if the list or the slab
    /// would have to grow.
    #[inline(always)]
    pub(crate) fn list_push_body(&mut self, slot: u32, program: &Program) -> Option<u32> {
        let list = self.words().list(slot);
        if list.len >= self.get(list.ptr.wrapping_sub(1)) {
            return None;
        }
        let base = if program.is_contiguous() {
            list.ptr + list.len * program.words()
        } else {
            let base = self.try_alloc(program.words())?;
            self.set(list.ptr + list.len, base);
            base
        };
        self.set(slot + 1, list.len + 1);
        Some(base)
    }

    /// Overwrites `slot` with a list of one message and returns its body, which the caller clears. `None` if the slab would have
    /// to grow.
    #[inline(always)]
    pub(crate) fn list_first_body(&mut self, slot: u32, program: &Program) -> Option<u32> {
        // Bodies in the list itself, or offsets and then the first body: one allocation for both.
        let (capacity, pointers) =
            if program.is_contiguous() { (1, 0) } else { (FIRST_BODIES, FIRST_BODIES) };
        let ptr = self.try_block(slot, pointers + program.words(), capacity, 1)?;
        let base = ptr + pointers;
        if pointers != 0 {
            self.set(ptr, base);
        }
        Some(base)
    }

    /// The slow path of `list_push_body`: grows, and clears the body.
    #[cold]
    #[inline(never)]
    pub(crate) fn list_more(&mut self, slot: u32, program: &Program) -> Result<u32, Full> {
        if program.is_contiguous() {
            let base = self.list_grow(slot, program.words(), 1)?;
            self.clear_body(program, base);
            return Ok(base);
        }
        let at = self.list_grow(slot, 1, 1)?;
        // If the body cannot be allocated, undo the push.
        let body = self.alloc_body(program);
        match body {
            Ok(base) => self.set(at, base),
            Err(_) => self.list_truncate(slot, self.words().list(slot).len - 1),
        }
        body
    }

    /// Appends a message without fields and returns its body: if bodies lie outside of the list, the empty message that all share.
    ///
    /// # Errors
    /// The list cannot grow, and is as before.
    #[inline(always)]
    pub(crate) fn list_push_empty(&mut self, slot: u32, program: &Program) -> Result<u32, Full> {
        let at = self.list_grow(slot, program.element_words(), 1)?;
        if program.is_contiguous() {
            self.clear_body(program, at);
            return Ok(at);
        }
        self.set(at, NIL);
        Ok(NIL)
    }

    /// Undoes the latest `list_push_body`.
    pub(crate) fn list_pop_body(&mut self, slot: u32, program: &Program) {
        let list = self.words().list(slot);
        if !program.is_contiguous() {
            self.give_back(program.words());
        }
        self.list_truncate(slot, list.len - 1);
    }

    /// Gives the list room for `len` elements: in place at the end of the slab, else in a new block of twice the capacity.
    #[inline(never)]
    fn list_regrow(&mut self, list: List, capacity: u32, width: u32, len: u32) -> Result<u32, Full> {
        // A list that grows once has three elements as often as two.
        let least = if width == 1 || capacity != 0 { FIRST_BODIES.into() } else { 1 };
        let new = (capacity as u64 * 2).max(len as u64).max(least);
        let words = |elements: u64| u32::try_from(elements * width as u64).map_err(|_| Full::Limit);
        let capacity_words = words(capacity as u64)?;
        // Not so for a list without a block: the top is after the reserved words.
        let at_the_end = (list.ptr + capacity_words) as usize == self.top();
        if at_the_end {
            self.alloc(words(new)? - capacity_words)?;
            self.set(list.ptr - 1, new as u32);
            return Ok(list.ptr);
        }
        let block = self.alloc(words(new)?.checked_add(BLOCK_HEADER).ok_or(Full::Limit)?)?;
        let ptr = block + BLOCK_HEADER;
        let aux = self.words().list_aux(list);
        self.set64(block, aux as u64 | (new << 32));
        if list.ptr != 0 {
            self.copy_words(list.ptr, (list.len * width) as usize, ptr);
        }
        Ok(ptr)
    }

    /// Shortens the list at `slot` to `len` elements.
    pub(crate) fn list_truncate(&mut self, slot: u32, len: u32) {
        let list = self.words().list(slot);
        self.set(slot + 1, list.len.min(len));
    }

    /// Gives back the room for more elements of a list whose block ends the slab.
    pub(super) fn list_trim(&mut self, slot: u32, width: u32) {
        let list = self.words().list(slot);
        if list.ptr < BLOCK_HEADER {
            return;
        }
        let capacity = self.get(list.ptr - 1);
        let end = u64::from(list.ptr) + u64::from(capacity) * u64::from(width);
        if end == self.top() as u64 && list.len < capacity {
            self.give_back((capacity - list.len) * width);
            self.set(list.ptr - 1, list.len);
        }
    }

    /// Removes one element and closes the gap.
    pub(crate) fn list_remove(&mut self, slot: u32, width: u32, index: u32) {
        let list = self.words().list(slot);
        if index < list.len {
            let at = list.ptr + index * width;
            self.copy_words(at + width, ((list.len - index - 1) * width) as usize, at);
            self.set(slot + 1, list.len - 1);
        }
    }

    /// Sets the owner's word of the block of the list at `slot`.
    pub(super) fn set_list_aux(&mut self, slot: u32, aux: u32) {
        let list = self.words().list(slot);
        if list.ptr >= BLOCK_HEADER {
            self.set(list.ptr - 2, aux);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slab() -> Slab {
        let mut slab = Slab::new();
        slab.set_limit(1 << 20);
        slab
    }

    #[test]
    fn two_lists_growing_in_turn_keep_their_elements() {
        let mut slab = slab();
        let slots = slab.alloc(4).unwrap();
        slab.run_mut(slots, 4).fill(0);
        let count = if cfg!(miri) { 60 } else { 1000u32 };
        for i in 0..count {
            for k in 0..2 {
                let at = slab.list_grow(slots + 2 * k, k + 1, 1).unwrap();
                slab.set(at, i * (k + 1));
            }
        }
        for k in 0..2 {
            let list = slab.words().list(slots + 2 * k);
            assert_eq!(list.len, count);
            for i in 0..count {
                assert_eq!(slab.get(list.ptr + i * (k + 1)), i * (k + 1));
            }
        }
    }

    #[test]
    fn a_list_at_the_end_grows_in_place() {
        let mut slab = slab();
        let before = slab.used();
        let slot = slab.alloc(2).unwrap();
        slab.set64(slot, 0);
        for i in 0..1000 {
            let at = slab.list_grow(slot, 2, 1).unwrap();
            slab.set64(at, i as u64);
        }
        // The slot, the header of the block, and room for at most twice the elements.
        assert!(slab.used() <= before + 4 * (2 + BLOCK_HEADER as usize + 2 * 2 * 1000), "{}", slab.used());
        slab.list_remove(slot, 2, 10);
        let list = slab.words().list(slot);
        assert_eq!((list.len, slab.get(list.ptr + 20)), (999, 11));
        // What is not used goes, if nothing comes after it.
        slab.list_trim(slot, 2);
        assert_eq!(slab.used(), before + 4 * (2 + BLOCK_HEADER as usize + 2 * 999));
        let after = slab.alloc(1).unwrap();
        slab.set(after, 7);
        let at = slab.list_grow(slot, 2, 1).unwrap();
        slab.set64(at, 1);
        slab.list_trim(slot, 2);
        let list = slab.words().list(slot);
        assert_eq!((list.len, slab.get(list.ptr + 20), slab.get(after)), (1000, 11, 7));
    }

    /// The list grows before the body is made: an element without a body would be some other message of the slab.
    #[test]
    fn a_list_has_no_element_more_whose_body_has_no_room() {
        use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
        use crate::schema::table::Kind;
        let text = |number| FieldSpec::new(number, Kind::String, Presence::Explicit);
        let fields = (1..=40).map(text).collect();
        let set = ProgramSet::new(&[MessageSpec { fields, ..Default::default() }], &[]).unwrap();
        let program = set.program(0);
        assert!(!program.is_contiguous());
        let mut undone = 0;
        // Miri: fewer limits, but closer to each other than a body is long.
        for limit in (0..4096).step_by(if cfg!(miri) { 124 } else { 4 }) {
            let mut slab = slab();
            let slot = slab.alloc(2).unwrap();
            slab.set64(slot, 0);
            let pushed =
                (0..4).map(|_| slab.list_more(slot, program).unwrap()).collect::<alloc::vec::Vec<_>>();
            let before = slab.used();
            // Without this the element would have a place already.
            assert_eq!(slab.get(slab.words().list(slot).ptr - 1), 4);
            slab.set_limit(limit);
            let more = slab.list_more(slot, program);
            let list = slab.words().list(slot);
            assert_eq!(list.len, 4 + u32::from(more.is_ok()), "{limit}");
            let bodies = (0..list.len).map(|i| slab.get(list.ptr + i));
            assert!(bodies.eq(pushed.into_iter().chain(more)), "{limit}");
            undone += u32::from(more.is_err() && slab.used() > before);
        }
        assert!(undone > 0, "no limit is between the list and the body");
    }
}

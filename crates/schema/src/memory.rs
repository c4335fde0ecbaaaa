//! The bound on the memory that compiling takes.
//!
//! Every list of the compiler grows through a [`Room`], which counts memory before it allocates. The bound holds at every
//! moment, also while a list moves to a larger block, and an allocation that fails is an error.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// Bytes held and the bound on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    held: usize,
    limit: usize,
}

/// Why memory was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoomFull {
    /// The list would exceed this bound, in bytes.
    Limit(usize),
    /// The allocator failed.
    Allocation,
}

impl Room {
    /// Room for this many bytes.
    pub(crate) const fn new(limit: usize) -> Self {
        Self { held: 0, limit }
    }

    /// Raises the bound.
    pub(crate) fn widen(&mut self, bytes: usize) {
        self.limit = self.limit.saturating_add(bytes);
    }

    /// Drops a list.
    pub(crate) fn drop_list<T>(&mut self, list: Vec<T>) {
        self.held = self.held.saturating_sub(list.capacity().saturating_mul(size_of::<T>()));
    }

    /// Takes a block of just this capacity for a list; old and new block count while it moves.
    #[cold]
    fn grow<T>(&mut self, list: &mut Vec<T>, capacity: usize) -> Result<(), RoomFull> {
        let old = list.capacity().saturating_mul(size_of::<T>());
        let new = capacity.saturating_mul(size_of::<T>());
        match self.held.checked_add(new) {
            Some(held) if held <= self.limit => {}
            _ => return Err(RoomFull::Limit(self.limit)),
        }
        if list.try_reserve_exact(capacity - list.len()).is_err() {
            return Err(RoomFull::Allocation);
        }
        self.held = (self.held + new).saturating_sub(old);
        Ok(())
    }

    /// Reserves exactly this many more elements.
    pub(crate) fn reserve<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), RoomFull> {
        match list.len().checked_add(more) {
            Some(len) if len <= list.capacity() => Ok(()),
            Some(len) => self.grow(list, len),
            None => Err(RoomFull::Limit(self.limit)),
        }
    }

    /// Reserves at least this many more elements: doubles the list, or takes what the bound leaves.
    fn amortized<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), RoomFull> {
        if list.capacity() - list.len() >= more {
            return Ok(());
        }
        let left = (self.limit - self.held) / size_of::<T>().max(1);
        let doubled = list.capacity().saturating_mul(2).max(4).min(left);
        self.grow(list, doubled.max(list.len().saturating_add(more)))
    }

    /// Adds an element.
    pub(crate) fn push<T>(&mut self, list: &mut Vec<T>, value: T) -> Result<(), RoomFull> {
        self.amortized(list, 1)?;
        list.push(value);
        Ok(())
    }

    /// Adds elements.
    pub(crate) fn extend<T: Copy>(&mut self, list: &mut Vec<T>, values: &[T]) -> Result<(), RoomFull> {
        self.amortized(list, values.len())?;
        list.extend_from_slice(values);
        Ok(())
    }

    /// Adds some of the elements again. The range is within the list.
    pub(crate) fn repeat<T: Copy>(&mut self, list: &mut Vec<T>, range: Range<usize>) -> Result<(), RoomFull> {
        self.amortized(list, range.len())?;
        list.extend_from_within(range);
        Ok(())
    }

    /// Reserves this many more bytes of text.
    pub(crate) fn extend_text(&mut self, text: &mut String, more: usize) -> Result<(), RoomFull> {
        if text.capacity() - text.len() >= more {
            return Ok(());
        }
        let mut bytes = core::mem::take(text).into_bytes();
        let grown = self.amortized(&mut bytes, more);
        // Always valid: these are the bytes of a `String`.
        *text = String::from_utf8(bytes).unwrap_or_default();
        grown
    }

    /// A list of an iterator's items, allocated exactly.
    pub(crate) fn list<T>(&mut self, values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, RoomFull> {
        let mut list = Vec::new();
        self.reserve(&mut list, values.len())?;
        list.extend(values);
        Ok(list)
    }

    /// A list of equal elements.
    pub(crate) fn filled<T: Clone>(&mut self, value: T, len: usize) -> Result<Vec<T>, RoomFull> {
        let mut list = Vec::new();
        self.reserve(&mut list, len)?;
        list.resize(len, value);
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds_while_a_list_moves() {
        let mut room = Room::new(100);
        let mut list: Vec<u32> = Vec::new();
        let mut most = 0;
        while room.push(&mut list, 7).is_ok() {
            most = list.len();
            assert!(room.held <= 100 && room.held == 4 * list.capacity());
        }
        // 16 elements in 64 bytes, which do not fit a second time with one more.
        assert_eq!((most, room.push(&mut list, 7)), (16, Err(RoomFull::Limit(100))));
        room.drop_list(list);
        assert_eq!(room.held, 0);
    }

    #[test]
    fn lists_of_known_length_take_just_that() {
        let mut room = Room::new(1000);
        let list = room.list([1u64, 2, 3].into_iter()).unwrap();
        assert_eq!((list.as_slice(), room.held), (&[1, 2, 3][..], 24));
        assert_eq!(room.filled(0u8, 977), Err(RoomFull::Limit(1000)));
        assert_eq!(room.filled(0u8, 976).unwrap().len(), 976);
    }

    #[test]
    fn text_is_the_same_after_it_moved_or_did_not() {
        let mut room = Room::new(40);
        let mut text = String::new();
        for _ in 0..4 {
            room.extend_text(&mut text, 3).unwrap();
            text.push_str("äb");
        }
        assert_eq!(room.extend_text(&mut text, 30), Err(RoomFull::Limit(40)));
        assert_eq!(text, "äbäbäbäb");
    }
}

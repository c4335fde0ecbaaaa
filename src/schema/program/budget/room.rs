//! A memory budget for schemas.
//!
//! Every list of a pool or a projection grows through a [`Room`], which counts memory before it allocates. The bound holds at
//! every moment, also while a list moves to a larger block, and an allocation that fails is an error.

use alloc::string::String;
use alloc::vec::Vec;

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

    /// Bytes held.
    #[cfg(test)]
    pub(crate) const fn held(&self) -> usize {
        self.held
    }

    /// Counts bytes that the caller allocates itself.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), RoomFull> {
        match self.held.checked_add(bytes) {
            Some(held) if held <= self.limit => self.held = held,
            _ => return Err(RoomFull::Limit(self.limit)),
        }
        Ok(())
    }

    /// Raises the bound.
    pub(crate) fn widen(&mut self, bytes: usize) {
        self.limit = self.limit.saturating_add(bytes);
    }

    /// Counts bytes that the caller freed.
    pub(crate) fn give_back(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Drops a list.
    pub(crate) fn drop_list<T>(&mut self, list: Vec<T>) {
        self.give_back(list.capacity().saturating_mul(size_of::<T>()));
    }

    /// Takes a block of just this capacity for a list; old and new block count while it moves.
    ///
    /// There are fifty types of lists, so what does not depend on the type is in [`moved`](Self::moved).
    #[cold]
    fn grow<T>(&mut self, list: &mut Vec<T>, capacity: usize) -> Result<(), RoomFull> {
        let old = list.capacity().saturating_mul(size_of::<T>());
        let new = capacity.saturating_mul(size_of::<T>());
        self.take(new)?;
        let moved = list.try_reserve_exact(capacity - list.len()).is_ok();
        self.moved(old, new, moved)
    }

    /// Gives back the block that is not needed any more.
    #[cold]
    #[inline(never)]
    fn moved(&mut self, old: usize, new: usize, moved: bool) -> Result<(), RoomFull> {
        self.give_back(if moved { old } else { new });
        if moved { Ok(()) } else { Err(RoomFull::Allocation) }
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
    #[cold]
    fn amortized<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), RoomFull> {
        let needed = list.len().saturating_add(more);
        let wanted = self.amortized_capacity(list.capacity(), needed, size_of::<T>());
        self.grow(list, wanted)
    }

    fn amortized_capacity(&self, capacity: usize, needed: usize, size: usize) -> usize {
        let left = (self.limit - self.held) / size.max(1);
        capacity.saturating_mul(2).max(4).min(left).max(needed)
    }

    /// Adds an element.
    pub(crate) fn push<T>(&mut self, list: &mut Vec<T>, value: T) -> Result<(), RoomFull> {
        if list.len() == list.capacity() {
            self.amortized(list, 1)?;
        }
        // There is room; the comparison tells the compiler, which then has no code for growing.
        if list.len() < list.capacity() {
            list.push(value);
        }
        Ok(())
    }

    /// Adds elements.
    pub(crate) fn extend<T: Copy>(&mut self, list: &mut Vec<T>, values: &[T]) -> Result<(), RoomFull> {
        if list.capacity() - list.len() < values.len() {
            self.amortized(list, values.len())?;
        }
        list.extend_from_slice(values);
        Ok(())
    }

    /// Reserves this many more bytes of text.
    pub(crate) fn extend_text(&mut self, text: &mut String, more: usize) -> Result<(), RoomFull> {
        if text.capacity() - text.len() < more {
            let mut bytes = core::mem::take(text).into_bytes();
            let grown = self.amortized(&mut bytes, more);
            // Always valid: these are the bytes of a `String`.
            *text = String::from_utf8(bytes).unwrap_or_default();
            grown?;
        }
        Ok(())
    }

    /// A list of an iterator's items, allocated exactly.
    pub(crate) fn list<T>(&mut self, values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, RoomFull> {
        let mut list = Vec::new();
        self.reserve(&mut list, values.len())?;
        for value in values {
            // An iterator that claims too short a length must not grow the list past what was counted.
            if list.len() == list.capacity() {
                break;
            }
            list.push(value);
        }
        Ok(list)
    }

    /// A list of equal elements.
    pub(crate) fn filled<T: Clone>(&mut self, value: T, len: usize) -> Result<Vec<T>, RoomFull> {
        let mut list = Vec::new();
        self.reserve(&mut list, len)?;
        list.resize(len, value);
        Ok(list)
    }

    /// A copy of a list.
    pub(crate) fn copy<T: Copy>(&mut self, list: &[T]) -> Result<Vec<T>, RoomFull> {
        let mut copy = Vec::new();
        self.reserve(&mut copy, list.len())?;
        copy.extend_from_slice(list);
        Ok(copy)
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
            assert!(room.held() <= 100 && room.held() == 4 * list.capacity());
        }
        // 16 elements in 64 bytes, which do not fit a second time with one more.
        assert_eq!((most, room.push(&mut list, 7)), (16, Err(RoomFull::Limit(100))));
        room.drop_list(list);
        assert_eq!(room.held(), 0);
    }

    #[test]
    fn lists_of_known_length_take_just_that() {
        let mut room = Room::new(1000);
        let list = room.list([1u64, 2, 3].into_iter()).unwrap();
        assert_eq!((list.as_slice(), room.held()), (&[1, 2, 3][..], 24));
        let copy = room.copy(&list).unwrap();
        assert_eq!((copy.capacity(), room.filled(0u8, 953)), (3, Err(RoomFull::Limit(1000))));
        assert_eq!(room.filled(0u8, 952).unwrap().len(), 952);
    }
}

//! Memory for making schemas: counted before it is taken, and never taken past its bound.
//!
//! Everything that a pool or a projection is made of grows through a [`Room`], so a bound holds at every moment, also
//! while a list moves to a larger block, and an allocation that fails is an error as any other.

use alloc::string::String;
use alloc::vec::Vec;

/// What may still be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    held: usize,
    limit: usize,
}

/// Why something did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// The bound would be passed.
    Limit(usize),
    /// The allocator has no more.
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

    /// Counts what is taken elsewhere.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), NoRoom> {
        match self.held.checked_add(bytes) {
            Some(held) if held <= self.limit => self.held = held,
            _ => return Err(NoRoom::Limit(self.limit)),
        }
        Ok(())
    }

    /// Makes the bound larger.
    pub(crate) fn widen(&mut self, bytes: usize) {
        self.limit = self.limit.saturating_add(bytes);
    }

    /// Counts what was given back.
    pub(crate) fn give_back(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Drops a list.
    pub(crate) fn drop_list<T>(&mut self, list: Vec<T>) {
        self.give_back(list.capacity().saturating_mul(size_of::<T>()));
    }

    /// Takes a block of just this capacity for a list; old and new block count while it moves.
    fn grow<T>(&mut self, list: &mut Vec<T>, capacity: usize) -> Result<(), NoRoom> {
        let old = list.capacity().saturating_mul(size_of::<T>());
        let new = capacity.saturating_mul(size_of::<T>());
        self.take(new)?;
        if list.try_reserve_exact(capacity - list.len()).is_err() {
            self.give_back(new);
            return Err(NoRoom::Allocation);
        }
        self.give_back(old);
        Ok(())
    }

    /// Room for this many elements more, and not for others.
    pub(crate) fn reserve<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), NoRoom> {
        match list.len().checked_add(more) {
            Some(len) if len <= list.capacity() => Ok(()),
            Some(len) => self.grow(list, len),
            None => Err(NoRoom::Limit(self.limit)),
        }
    }

    /// Makes room for at least this many elements more: twice the list, or as much of that as the bound allows.
    #[cold]
    fn amortized<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), NoRoom> {
        let needed = list.len().saturating_add(more);
        let left = (self.limit - self.held) / size_of::<T>().max(1);
        let wanted = list.capacity().saturating_mul(2).max(4).min(left).max(needed);
        self.grow(list, wanted)
    }

    /// Adds an element.
    pub(crate) fn push<T>(&mut self, list: &mut Vec<T>, value: T) -> Result<(), NoRoom> {
        if list.len() == list.capacity() {
            self.amortized(list, 1)?;
        }
        list.push(value);
        Ok(())
    }

    /// Adds elements.
    pub(crate) fn extend<T: Copy>(&mut self, list: &mut Vec<T>, values: &[T]) -> Result<(), NoRoom> {
        if list.capacity() - list.len() < values.len() {
            self.amortized(list, values.len())?;
        }
        list.extend_from_slice(values);
        Ok(())
    }

    /// Makes room for this many bytes more of text.
    pub(crate) fn extend_text(&mut self, text: &mut String, more: usize) -> Result<(), NoRoom> {
        if text.capacity() - text.len() < more {
            let mut bytes = core::mem::take(text).into_bytes();
            let grown = self.amortized(&mut bytes, more);
            // The same bytes, which were text.
            *text = String::from_utf8(bytes).unwrap_or_default();
            grown?;
        }
        Ok(())
    }

    /// A list of what an iterator gives, whose length it knows.
    pub(crate) fn list<T>(&mut self, values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, NoRoom> {
        let mut list = Vec::new();
        self.reserve(&mut list, values.len())?;
        // As many as there is room for, whatever the iterator says.
        list.extend(values.take(list.capacity()));
        Ok(list)
    }

    /// A list of equal elements.
    pub(crate) fn filled<T: Clone>(&mut self, value: T, len: usize) -> Result<Vec<T>, NoRoom> {
        let mut list = Vec::new();
        self.reserve(&mut list, len)?;
        list.resize(len, value);
        Ok(list)
    }

    /// A copy of a list.
    pub(crate) fn copy<T: Copy>(&mut self, list: &[T]) -> Result<Vec<T>, NoRoom> {
        self.list(list.iter().copied())
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
        assert_eq!((most, room.push(&mut list, 7)), (16, Err(NoRoom::Limit(100))));
        room.drop_list(list);
        assert_eq!(room.held(), 0);
    }

    #[test]
    fn lists_of_known_length_take_just_that() {
        let mut room = Room::new(1000);
        let list = room.list([1u64, 2, 3].into_iter()).unwrap();
        assert_eq!((list.as_slice(), room.held()), (&[1, 2, 3][..], 24));
        let copy = room.copy(&list).unwrap();
        assert_eq!((copy.capacity(), room.filled(0u8, 953)), (3, Err(NoRoom::Limit(1000))));
        assert_eq!(room.filled(0u8, 952).unwrap().len(), 952);
    }
}

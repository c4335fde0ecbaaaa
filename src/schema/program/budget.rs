//! Lists whose memory is charged to a budget, and how they are sorted.

use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;

// A memory budget for schemas.
//
// Every list of a pool or a projection grows through a `Room`, which counts memory before it allocates. The bound holds at
// every moment, also while a list moves to a larger block, and an allocation that fails is an error.

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

// Sorting for cold code, compiled once: an instance of the standard sort is 2 700 lines of IR and 10 to 20 KB of machine
// code for each order. All sorts work in place, allocate nothing and take n log n for any input.

/// Sorts indices by what they stand for: the standard sort, for lists that may be long.
pub(crate) fn sort_indices(list: &mut [u32], order: &mut dyn FnMut(u32, u32) -> Ordering) {
    list.sort_unstable_by(|&a, &b| order(a, b));
}

/// A key for [`sort_keys`]: a number, the first eight bytes of a text, and the index of what it stands for.
#[inline]
pub(crate) fn sort_key(high: u32, text: &[u8], index: u32) -> u128 {
    let mut first = [0; 8];
    let len = text.len().min(8);
    first[..len].copy_from_slice(&text[..len]);
    u128::from(high) << 96 | u128::from(u64::from_be_bytes(first)) << 32 | u128::from(index)
}

/// Sorts keys, whose low 32 bits are indices: by the other bits, and where these are the same by the order of the indices. Texts
/// mostly differ in the bytes that are in the key, so few are looked at.
pub(crate) fn sort_keys(list: &mut [u128], order: &mut dyn FnMut(u32, u32) -> Ordering) {
    list.sort_unstable_by(|&a, &b| (a >> 32).cmp(&(b >> 32)).then_with(|| order(a as u32, b as u32)));
}

/// Sorts elements of any type. Takes one comparison per element if they are in order already, as lists of a schema often are,
/// and about as many comparisons as the standard sort if they are not.
pub(crate) fn sort_list<T>(list: &mut [T], less: impl Fn(&T, &T) -> bool) {
    heapsort(&mut SortedList { list, less });
}

/// A list that can be sorted, whatever its elements are and wherever they are.
pub(crate) trait Sortable {
    fn len(&self) -> usize;
    /// Whether the element at `a` belongs before the one at `b`.
    fn less(&self, a: usize, b: usize) -> bool;
    fn swap(&mut self, a: usize, b: usize);
}

struct SortedList<'a, T, F> {
    list: &'a mut [T],
    less: F,
}

impl<T, F: Fn(&T, &T) -> bool> Sortable for SortedList<'_, T, F> {
    fn len(&self) -> usize {
        self.list.len()
    }

    fn less(&self, a: usize, b: usize) -> bool {
        (self.less)(&self.list[a], &self.list[b])
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.list.swap(a, b);
    }
}

/// The bottom-up variant of heapsort, not generic.
///
/// ```text
/// make the list a heap, the largest element first
/// for end in (1..len) from the last:
///     swap the first element, the largest, with the one at `end`; sift the new first element down in ..end
/// ```
pub(crate) fn heapsort(list: &mut dyn Sortable) {
    let len = list.len();
    if (1..len).all(|at| !list.less(at, at - 1)) {
        return;
    }
    for root in (0..len / 2).rev() {
        sift_down(list, root, len);
    }
    for end in (1..len).rev() {
        list.swap(0, end);
        sift_down(list, 0, end);
    }
}

/// Moves the element at `root` down until none below it is larger. Goes to a leaf by way of the larger children first, and
/// then back up: an element that comes from the end of the list mostly belongs there, so this compares once per level.
fn sift_down(list: &mut dyn Sortable, root: usize, end: usize) {
    let mut at = root;
    while 2 * at + 2 < end {
        let left = 2 * at + 1;
        at = if list.less(left, left + 1) { left + 1 } else { left };
    }
    if 2 * at + 1 < end {
        at = 2 * at + 1;
    }
    while at > root && list.less(at, root) {
        at = (at - 1) / 2;
    }
    // Rotates the way from the root to that place.
    while at > root {
        list.swap(root, at);
        at = (at - 1) / 2;
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

#[cfg(test)]
mod sort_tests {
    use super::*;
    use alloc::vec::Vec;
    use core::cell::Cell;

    /// A saw, an organ pipe, equal keys and a shuffle: slow for simple quicksorts.
    const ORDERS: [fn(u32) -> u32; 4] =
        [|i| i % 64, |i| i.min(4096 - i), |_| 7, |i| i.wrapping_mul(0x9e37_79b1) >> 20];

    #[test]
    fn indices_follow_the_order_that_is_given() {
        let names = ["d", "b", "a", "c", "b"];
        let mut list = Vec::from([0, 1, 2, 3, 4]);
        sort_indices(&mut list, &mut |a, b| names[a as usize].cmp(names[b as usize]).then(a.cmp(&b)));
        assert_eq!(list, [2, 1, 4, 3, 0]);
    }

    #[test]
    fn keys_are_sorted_by_number_text_and_order() {
        let texts = ["same text b", "same text a", "x", "", "same tex", "same text a"];
        let high = [1, 1, 0, 1, 1, 1];
        let text = |i: u32| texts[i as usize];
        let mut list: Vec<u128> = (0..6).map(|i| sort_key(high[i as usize], text(i).as_bytes(), i)).collect();
        sort_keys(&mut list, &mut |a, b| text(a).cmp(text(b)).then(a.cmp(&b)));
        let order: Vec<u32> = list.iter().map(|&key| key as u32).collect();
        assert_eq!(order, [2, 3, 4, 1, 5, 0]);
    }

    #[test]
    fn lists_of_any_length_are_sorted() {
        for len in 0..70 {
            for key in ORDERS {
                let mut list: Vec<(u32, u32)> = (0..len).map(|i| (key(i), i)).collect();
                sort_list(&mut list, |a, b| a < b);
                let mut expected: Vec<(u32, u32)> = (0..len).map(|i| (key(i), i)).collect();
                expected.sort_unstable();
                assert_eq!(list, expected);
            }
        }
    }

    #[test]
    fn sorting_compares_n_log_n_times() {
        for key in ORDERS {
            let (mut list, mut count) = ((0..4096).collect::<Vec<u32>>(), 0);
            sort_indices(&mut list, &mut |a, b| {
                count += 1;
                key(a).cmp(&key(b))
            });
            assert!(list.is_sorted_by_key(|&i| key(i)) && count < 2 * 4096 * 12, "{count}");
            let (mut list, count) = ((0..4096).map(key).collect::<Vec<u32>>(), Cell::new(0));
            sort_list(&mut list, |a, b| {
                count.set(count.get() + 1);
                a < b
            });
            assert!(list.is_sorted() && count.get() < 2 * 4096 * 12, "{}", count.get());
        }
        let (mut list, count) = ((0..4096).collect::<Vec<u32>>(), Cell::new(0));
        sort_list(&mut list, |a, b| {
            count.set(count.get() + 1);
            a < b
        });
        assert_eq!(count.get(), 4095);
    }
}

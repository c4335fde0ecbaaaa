//! The encoder's stack of open parents: on the call stack up to the default depth limit, then on the heap.

use crate::engine::slab::{BodyRef, SetFields};
use alloc::vec::Vec;

/// Levels that are zeroed for every message with sub-messages.
pub(super) const INLINE: usize = 12;
/// Levels of the default depth limit.
const STACK: usize = 100;

/// The messages of the field that is being visited.
#[derive(Clone, Copy, Default)]
pub(super) struct Elements {
    /// The field.
    pub(super) position: u32,
    pub(super) slot: u32,
    /// The next element, and how many there are.
    pub(super) next: u32,
    pub(super) count: u32,
}

impl Elements {
    #[inline(always)]
    pub(super) fn are_done(self) -> bool {
        self.next >= self.count
    }
}

/// A message whose child is being visited, in 48 bytes.
#[derive(Clone, Copy, Default)]
pub(super) struct OpenParent {
    /// The fields that have not been visited.
    pub(super) fields: SetFields,
    /// What `Visit::enter` returned for the child.
    pub(super) open: u64,
    pub(super) body: BodyRef,
    /// The field that holds the child, and the next of its elements.
    pub(super) elements: Elements,
}

/// Room for open parents: none for a message without sub-messages, then 12, then 100, all on the call stack (5.4 KB),
/// then 200 and twice as many each time on the heap. The 100 are zeroed only when the 12 are full, because zeroing
/// them takes longer than encoding most messages.
pub(super) struct OpenParents<'f> {
    inline: &'f mut [OpenParent],
    stack: Option<[OpenParent; STACK]>,
    heap: Vec<OpenParent>,
}

impl<'f> OpenParents<'f> {
    /// Begins with the 12 parents of `inline`, or with none.
    #[inline(always)]
    pub(super) fn new(inline: Option<&'f mut [OpenParent; INLINE]>) -> Self {
        Self { inline: inline.map_or(&mut [], |inline| inline), stack: None, heap: Vec::new() }
    }

    /// All parents that there is room for.
    #[inline(always)]
    pub(super) fn as_mut_slice(&mut self) -> &mut [OpenParent] {
        match &mut self.stack {
            None => self.inline,
            Some(parents) if self.heap.is_empty() => parents,
            Some(_) => &mut self.heap,
        }
    }

    /// Makes room for more parents and keeps the content; false if there is no memory.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(super) fn grow(&mut self) -> bool {
        match &self.stack {
            None => {
                let parents = self.stack.insert([OpenParent::default(); STACK]);
                parents.iter_mut().zip(self.inline.iter()).for_each(|(parent, inline)| *parent = *inline);
            }
            Some(parents) => {
                let len = self.heap.len().max(STACK);
                if self.heap.try_reserve_exact(2 * len - self.heap.len()).is_err() {
                    return false;
                }
                if self.heap.is_empty() {
                    self.heap.extend_from_slice(parents);
                }
                self.heap.resize(2 * len, OpenParent::default());
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stay_as_they_are_when_they_grow() {
        let mut inline = [OpenParent::default(); INLINE];
        let mut parents = OpenParents::new(Some(&mut inline));
        let mut base = 0;
        for len in [INLINE, STACK, 2 * STACK, 4 * STACK] {
            let slice = parents.as_mut_slice();
            assert_eq!(slice.len(), len);
            assert!(
                slice.iter().take(base as usize).enumerate().all(|(i, parent)| parent.body.base == i as u32)
            );
            while (base as usize) < len {
                slice[base as usize].body.base = base;
                base += 1;
            }
            assert!(parents.grow());
        }
    }
}

//! Where the messages wait that are being visited: on the stack, up to the usual depth limit.

use alloc::vec::Vec;

/// OpenParents that most messages do with.
pub(super) const INLINE: usize = 12;
/// OpenParents of the default depth limit.
const STACK: usize = 100;

/// A message that waits for its child.
#[derive(Clone, Copy, Default)]
pub(super) struct OpenParent {
    /// Presence bits that are still to be visited, of a dense message.
    pub(super) rest: u64,
    /// What the visitor keeps with the child.
    pub(super) open: u64,
    pub(super) index: u32,
    pub(super) base: u32,
    /// The field that holds the child, and how many of its elements are left.
    pub(super) position: u32,
    pub(super) left: u32,
}

/// Room for the levels of a message, 3.5 KiB; no heap for those of the default depth limit. A hundred levels are
/// zeroed only for messages that need more than a dozen: that costs more than most messages do. A message without
/// messages needs none.
pub(super) struct OpenParents<'f> {
    inline: &'f mut [OpenParent],
    stack: Option<[OpenParent; STACK]>,
    heap: Vec<OpenParent>,
}

impl<'f> OpenParents<'f> {
    /// Begins with a dozen levels, for which there is room at `few`, or with none.
    #[inline(always)]
    pub(super) fn new(inline: Option<&'f mut [OpenParent; INLINE]>) -> Self {
        Self { inline: inline.map_or(&mut [], |inline| inline), stack: None, heap: Vec::new() }
    }

    /// All levels that there are.
    #[inline(always)]
    pub(super) fn as_mut_slice(&mut self) -> &mut [OpenParent] {
        match &mut self.stack {
            None => self.inline,
            Some(parents) if self.heap.is_empty() => parents,
            Some(_) => &mut self.heap,
        }
    }

    /// Adds levels to those in use; false if there is no memory for them.
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
            assert!(slice.iter().take(base as usize).enumerate().all(|(i, parent)| parent.base == i as u32));
            while (base as usize) < len {
                slice[base as usize].base = base;
                base += 1;
            }
            assert!(parents.grow());
        }
    }
}

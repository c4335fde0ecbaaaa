//! Where the messages wait that are being visited: on the stack, up to the usual depth limit.

use alloc::vec::Vec;

/// Levels that most messages do with.
pub(super) const FEW: usize = 12;
/// Levels of the default depth limit.
const USUAL: usize = 100;

/// A message that waits for its child.
#[derive(Clone, Copy, Default)]
pub(super) struct Level {
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
pub(super) struct Levels<'f> {
    few: &'f mut [Level],
    usual: Option<[Level; USUAL]>,
    many: Vec<Level>,
}

impl<'f> Levels<'f> {
    /// Begins with a dozen levels, for which there is room at `few`, or with none.
    #[inline(always)]
    pub(super) fn new(few: Option<&'f mut [Level; FEW]>) -> Self {
        Self { few: few.map_or(&mut [], |few| few), usual: None, many: Vec::new() }
    }

    /// All levels that there are.
    #[inline(always)]
    pub(super) fn as_mut_slice(&mut self) -> &mut [Level] {
        match &mut self.usual {
            None => self.few,
            Some(levels) if self.many.is_empty() => levels,
            Some(_) => &mut self.many,
        }
    }

    /// Adds levels to those in use; false if there is no memory for them.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(super) fn grow(&mut self) -> bool {
        match &self.usual {
            None => {
                let levels = self.usual.insert([Level::default(); USUAL]);
                levels.iter_mut().zip(self.few.iter()).for_each(|(level, few)| *level = *few);
            }
            Some(levels) => {
                let len = self.many.len().max(USUAL);
                if self.many.try_reserve_exact(2 * len - self.many.len()).is_err() {
                    return false;
                }
                if self.many.is_empty() {
                    self.many.extend_from_slice(levels);
                }
                self.many.resize(2 * len, Level::default());
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
        let mut few = [Level::default(); FEW];
        let mut levels = Levels::new(Some(&mut few));
        let mut base = 0;
        for len in [FEW, USUAL, 2 * USUAL, 4 * USUAL] {
            let slice = levels.as_mut_slice();
            assert_eq!(slice.len(), len);
            assert!(slice.iter().take(base as usize).enumerate().all(|(i, level)| level.base == i as u32));
            while (base as usize) < len {
                slice[base as usize].base = base;
                base += 1;
            }
            assert!(levels.grow());
        }
    }
}

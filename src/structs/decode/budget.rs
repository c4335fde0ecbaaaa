//! The memory budget of a decode, and what it leaves for messages decoded later.
//!
//! A decode has one budget. What the decode leaves goes to its [`Lazy`](crate::structs::Lazy) members, which draw from it in
//! the order of their first access. All of them share one [`Pot`], made with the first such member; the last one drops
//! it. A later decode draws in steps of [`STEP`] bytes, so two threads can draw at the same time.

use crate::wire::error::DecodeErrorKind;
use crate::wire::options::DecodeOptions;
#[cfg(not(tablepb_no_alloc))]
use crate::wire::sync::Ordering::Relaxed;
#[cfg(not(tablepb_no_alloc))]
use crate::wire::sync::{Arc, AtomicUsize};

/// What a decode draws from a pot beyond its immediate need, in bytes, to draw less often.
const STEP: usize = 4096;

/// The memory that a decode may still allocate, in bytes.
pub(in crate::structs) struct Budget<'p> {
    pub(in crate::structs) left: usize,
    /// The initial amount and everything drawn since.
    pub(in crate::structs) granted: usize,
    /// The pot for messages decoded later, filled when this is dropped.
    pub(in crate::structs) own: Option<Pot>,
    /// For a later decode: the pot to draw from.
    pub(in crate::structs) from: Option<&'p Pot>,
}

/// The memory that the messages decoded later may still allocate together, and their options.
#[cfg(not(tablepb_no_alloc))]
#[derive(Clone)]
pub(in crate::structs) struct Pot(Arc<Shared>);

/// Nothing is decoded later in a program without an allocator.
#[cfg(tablepb_no_alloc)]
pub(in crate::structs) enum Pot {}

/// The content of a pot.
#[cfg(not(tablepb_no_alloc))]
struct Shared {
    left: AtomicUsize,
    options: DecodeOptions,
}

/// The size of the allocation: two reference counts and the content.
#[cfg(not(tablepb_no_alloc))]
const POT: usize = size_of::<[usize; 2]>() + size_of::<Shared>();

impl<'p> Budget<'p> {
    #[inline]
    pub(in crate::structs) fn new(bytes: usize) -> Self {
        Self { left: bytes, granted: bytes, own: None, from: None }
    }

    /// An empty budget that draws from a pot.
    #[inline]
    pub(in crate::structs) fn of(pot: &'p Pot) -> Self {
        Self { left: 0, granted: 0, own: None, from: Some(pot) }
    }

    /// Takes `bytes` from the budget.
    #[inline(always)]
    pub(in crate::structs) fn charge(&mut self, bytes: usize) -> Result<(), DecodeErrorKind> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.draw(bytes),
        }
    }

    /// Returns `bytes` to the budget.
    #[inline(always)]
    pub(in crate::structs) fn refund(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(bytes);
    }

    /// What is left, without the content of the pot, which others share.
    #[inline]
    pub(in crate::structs) fn left(&self) -> usize {
        self.left
    }

    #[cold]
    #[inline(never)]
    fn draw(&mut self, bytes: usize) -> Result<(), DecodeErrorKind> {
        let missing = bytes - self.left;
        let drawn = self.from.and_then(|pot| pot.draw(missing, STEP));
        let drawn = drawn.ok_or(DecodeErrorKind::BudgetExceeded)?;
        self.granted = self.granted.saturating_add(drawn);
        self.left = drawn - missing;
        Ok(())
    }

    /// What has been charged and not returned.
    #[inline]
    pub(in crate::structs) fn spent(&self) -> usize {
        self.granted.saturating_sub(self.left)
    }

    /// Whether `bytes` could be charged now.
    #[inline]
    pub(in crate::structs) fn affords(&mut self, bytes: usize) -> bool {
        let affords = self.charge(bytes).is_ok();
        if affords {
            self.refund(bytes);
        }
        affords
    }

    /// The pot for messages that are decoded later.
    #[cfg(not(tablepb_no_alloc))]
    #[inline(always)]
    pub(in crate::structs) fn pot(&mut self, options: &DecodeOptions) -> Result<&Pot, DecodeErrorKind> {
        if self.from.is_none() && self.own.is_none() {
            self.make_pot(options)?;
        }
        self.from.or(self.own.as_ref()).ok_or(DecodeErrorKind::BudgetExceeded)
    }

    /// Creates the pot of this decode. If the allocator fails, `Arc` aborts: stable Rust has no fallible constructor.
    #[cfg(not(tablepb_no_alloc))]
    #[cold]
    #[inline]
    fn make_pot(&mut self, options: &DecodeOptions) -> Result<(), DecodeErrorKind> {
        self.charge(POT)?;
        self.own = Some(Pot::new(options));
        Ok(())
    }
}

/// Puts what is left into the pot.
impl Drop for Budget<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(pot) = self.from.or(self.own.as_ref()) {
            pot.give(self.left);
        }
    }
}

#[cfg(not(tablepb_no_alloc))]
impl Pot {
    /// An empty pot.
    #[inline]
    fn new(options: &DecodeOptions) -> Self {
        Self(Arc::new(Shared { left: AtomicUsize::new(0), options: *options }))
    }

    /// The options of the decode that made it.
    #[inline]
    pub(in crate::structs) fn options(&self) -> &DecodeOptions {
        &self.0.options
    }

    /// Takes `least` bytes and up to `more` beyond them.
    #[inline]
    fn draw(&self, least: usize, more: usize) -> Option<usize> {
        let after = |left: usize| left.checked_sub(least).map(|left| left.saturating_sub(more));
        let before = self.0.left.fetch_update(Relaxed, Relaxed, after).ok()?;
        Some(before - after(before)?)
    }

    /// Adds bytes.
    #[inline]
    pub(in crate::structs) fn give(&self, bytes: usize) {
        // Cannot fail: the closure always returns a value.
        let _ = self.0.left.fetch_update(Relaxed, Relaxed, |left| Some(left.saturating_add(bytes)));
    }

    /// Whether it holds `bytes` now.
    #[inline]
    pub(in crate::structs) fn has(&self, bytes: usize) -> bool {
        self.0.left.load(Relaxed) >= bytes
    }

    /// Whether both are the same pot.
    #[inline]
    pub(in crate::structs) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(tablepb_no_alloc)]
impl Pot {
    fn draw(&self, _: usize, _: usize) -> Option<usize> {
        match *self {}
    }

    fn give(&self, _: usize) {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_budget_is_in_its_pot() {
        let (mut budget, options) = (Budget::new(100_000), DecodeOptions::new());
        assert!(budget.charge(40_000).is_ok() && budget.charge(60_001).is_err());
        let pot = budget.pot(&options).unwrap().clone();
        assert!(budget.pot(&options).unwrap().is(&pot));
        assert_eq!((pot.draw(1, 0), budget.left()), (None, 60_000 - POT));
        drop(budget);

        let (mut one, mut other) = (Budget::of(&pot), Budget::of(&pot));
        one.charge(10_000).unwrap();
        other.charge(20_000).unwrap();
        assert_eq!((one.spent(), other.spent()), (10_000, 20_000));
        // A charge that fails changes nothing.
        assert!(one.charge(40_000).is_err());
        assert_eq!((one.spent(), one.charge(1)), (10_000, Ok(())));
        other.refund(5_000);
        drop((one, other));
        let mut last = Budget::of(&pot);
        assert!(last.charge(60_000 - POT - 25_001 + 1).is_err());
        last.charge(60_000 - POT - 25_001).unwrap();
        assert_eq!(last.left(), 0);
    }

    #[test]
    fn without_a_pot_there_is_no_more_than_the_budget() {
        let mut budget = Budget::new(10);
        assert!(budget.charge(11).is_err() && budget.charge(10).is_ok() && budget.charge(1).is_err());
        assert!(budget.charge(0).is_ok() && budget.pot(&DecodeOptions::new()).is_err());
        budget.refund(usize::MAX);
        assert_eq!((budget.left(), budget.spent()), (usize::MAX, 0));
    }
}

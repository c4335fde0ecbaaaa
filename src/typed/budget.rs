//! What a decode may still allocate, and what it leaves to the messages that it puts off.
//!
//! A decode has one budget. What is left of it when the decode ends is what its [`Lazy`](super::Lazy) members may
//! take, together, in whatever order they are asked for: a pot that all of them share, and that lives as long as one
//! of them. A decode draws from a pot in small steps, so that two threads can do so at the same time.

use crate::error::DecodeErrorKind;
use alloc::sync::Arc;
use core::{
    mem::replace,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// What is drawn from a pot beyond what is needed at the moment, in bytes.
const STEP: usize = 4096;

/// The bytes that may still be allocated.
pub(super) struct Budget<'p> {
    left: usize,
    /// What there was in the beginning, and what came from the pot since.
    granted: usize,
    /// The pot that is filled when this ends.
    own: Option<Pot>,
    /// The pot that this is drawn from.
    from: Option<&'p Pot>,
}

/// The bytes that messages decoded later may still allocate, together.
#[derive(Clone)]
pub(super) struct Pot(Arc<AtomicUsize>);

impl<'p> Budget<'p> {
    pub(super) fn new(bytes: usize) -> Self {
        Self { left: bytes, granted: bytes, own: None, from: None }
    }

    /// What is drawn from a pot.
    pub(super) fn of(pot: &'p Pot) -> Self {
        Self { left: 0, granted: 0, own: None, from: Some(pot) }
    }

    /// Takes memory.
    #[inline(always)]
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), DecodeErrorKind> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.draw(bytes),
        }
    }

    /// Gives memory back.
    #[inline(always)]
    pub(super) fn refund(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(bytes);
    }

    /// What is left, without what is in the pot, which others want as well.
    #[inline]
    pub(super) fn left(&self) -> usize {
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

    /// What has been charged and not given back.
    pub(super) fn spent(&self) -> usize {
        self.granted.saturating_sub(self.left)
    }

    /// Whether so much could be charged now.
    pub(super) fn affords(&mut self, bytes: usize) -> bool {
        let affords = self.charge(bytes).is_ok();
        if affords {
            self.refund(bytes);
        }
        affords
    }

    /// The pot that what is put off draws from. `Arc` cannot say that there is no memory.
    #[inline]
    pub(super) fn pot(&mut self) -> Result<&Pot, DecodeErrorKind> {
        if let Some(pot) = self.from {
            return Ok(pot);
        }
        if self.own.is_none() {
            self.charge(size_of::<[usize; 3]>())?;
        }
        Ok(self.own.get_or_insert_with(|| Pot(Arc::default())))
    }

    /// Everything, for a decode within this one whose messages are dropped.
    pub(super) fn lend(&mut self) -> Budget<'p> {
        Budget { left: replace(&mut self.left, 0), granted: self.granted, own: None, from: self.from }
    }

    /// What is left after that decode, and what had been granted then.
    pub(super) fn end(&mut self) -> (usize, usize) {
        (replace(&mut self.left, 0), self.granted)
    }

    /// Restores these.
    pub(super) fn take_back(&mut self, (left, granted): (usize, usize)) {
        (self.left, self.granted) = (left, granted);
    }
}

/// What was not used is for what was put off, or goes back.
impl Drop for Budget<'_> {
    fn drop(&mut self) {
        if let Some(pot) = self.from.or(self.own.as_ref()) {
            pot.give(self.left);
        }
    }
}

impl Pot {
    /// Takes at least `least` bytes, and up to `more` beyond them.
    fn draw(&self, least: usize, more: usize) -> Option<usize> {
        let after = |left: usize| left.checked_sub(least).map(|left| left.saturating_sub(more));
        let before = self.0.fetch_update(Relaxed, Relaxed, after).ok()?;
        Some(before - after(before)?)
    }

    /// Puts bytes in.
    pub(super) fn give(&self, bytes: usize) {
        // The closure always gives a value.
        let _ = self.0.fetch_update(Relaxed, Relaxed, |left| Some(left.saturating_add(bytes)));
    }

    /// Whether there are so many bytes in it at the moment.
    pub(super) fn has(&self, bytes: usize) -> bool {
        self.0.load(Relaxed) >= bytes
    }

    /// Whether both are the same pot.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_budget_is_in_its_pot() {
        const POT: usize = size_of::<[usize; 3]>();
        let mut budget = Budget::new(100_000);
        assert!(budget.charge(40_000).is_ok() && budget.charge(60_001).is_err());
        let pot = budget.pot().unwrap().clone();
        assert!(budget.pot().unwrap().is(&pot));
        assert_eq!((pot.draw(1, 0), budget.left()), (None, 60_000 - POT));
        drop(budget);

        let (mut one, mut other) = (Budget::of(&pot), Budget::of(&pot));
        one.charge(10_000).unwrap();
        other.charge(20_000).unwrap();
        assert_eq!((one.spent(), other.spent()), (10_000, 20_000));
        // Steps that are too large leave everything as it is.
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
        assert!(budget.charge(0).is_ok() && budget.pot().is_err());
        budget.refund(usize::MAX);
        assert_eq!((budget.left(), budget.spent()), (usize::MAX, 0));
    }
}

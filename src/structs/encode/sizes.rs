//! The lengths of nested messages: computed once per encode, in pre-order, and kept at the end of the output buffer.
//!
//! A nested message follows its length, so the length must be known before the message is written. The sizing pass computes
//! all lengths, and the writing pass takes them in the same order:
//!
//! ```text
//! sizing    let slot = sizes.begin(); let len = size_of_child(sizes); sizes.end(slot, len);
//! writing   cursor.put_varint(lengths.take().into()); write_child(lengths, cursor);
//! ```
//!
//! The lengths are at the end of the buffer's spare capacity and grow towards its start:
//!
//! ```text
//! | content of the buffer | the message, written forward ->   <- lengths 2 | 1 | 0 |
//!                         \__________ spare capacity ____________________________/
//! ```
//!
//! An encode into a buffer with room for the message and its lengths allocates nothing. Without room, the lengths go to a
//! `Vec` for that encode; without an allocator, the writing pass computes them again.
//!
//! Invariant: [`Sizes`] has written all bytes of `space` from `free` on, so reading them back is sound. That read is the only
//! unsafe code here. The safe twin, `cfg(tablepb_safe)`, always uses the `Vec`.

#![allow(unsafe_code)]

use crate::wire::Full;
use crate::wire::heap::Vec;
use core::mem::MaybeUninit;

/// The bytes of one stored length.
const WIDTH: usize = size_of::<u32>();

/// The place of one length, given by [`Sizes::begin`] and filled by [`Sizes::end`].
#[derive(Clone, Copy)]
#[must_use]
pub(crate) struct LengthSlot(usize);

/// Collects the nested lengths during the sizing pass.
pub(crate) struct Sizes<'s> {
    /// Spare capacity of the output; bytes from `free` on hold lengths, the first one last.
    space: &'s mut [MaybeUninit<u8>],
    free: usize,
    /// The lengths after those that fit into `space`.
    spill: Vec<u32>,
    /// Whether lengths are kept. Passes that only need the total keep none.
    keep: bool,
    /// A length could not be allocated.
    lost: bool,
}

impl<'s> Sizes<'s> {
    /// Keeps the lengths at the end of `space`, which may be empty.
    #[inline]
    pub(crate) fn new(space: &'s mut [MaybeUninit<u8>]) -> Self {
        let space = if cfg!(tablepb_safe) { &mut [] } else { space };
        Self { free: space.len(), space, spill: Vec::new(), keep: true, lost: false }
    }

    /// Keeps no lengths, for a pass that only needs the total.
    #[inline]
    pub(crate) fn counting() -> Self {
        Self { space: &mut [], free: 0, spill: Vec::new(), keep: false, lost: false }
    }

    /// Takes the next place, before the child is sized, so that the order is pre-order.
    #[inline]
    pub(crate) fn begin(&mut self) -> LengthSlot {
        let slot = LengthSlot((self.space.len() - self.free) / WIDTH + self.spill.len());
        if self.free >= WIDTH {
            self.free -= WIDTH;
            self.put(self.free, 0);
        } else {
            self.spill(0);
        }
        slot
    }

    /// Stores the length of the child for which `slot` was taken.
    ///
    /// It keeps the low 32 bits. A longer child makes the total too large, which the caller checks.
    #[inline]
    pub(crate) fn end(&mut self, slot: LengthSlot, len: u64) {
        // Lengths go to the `Vec` only when less than one fits before `free`: then no slot after those in `space` fits either.
        match self.space.len().checked_sub((slot.0 + 1) * WIDTH) {
            Some(at) => self.put(at, len as u32),
            None => self.respill(slot, len as u32),
        }
    }

    /// Ends the sizing pass. Returns the space for the message, and the lengths.
    ///
    /// # Errors
    ///
    /// A length could not be allocated.
    #[inline]
    pub(crate) fn finish(self) -> Result<(&'s mut [MaybeUninit<u8>], Lengths<'s>), Full> {
        if self.lost {
            return Err(Full::NoMemory);
        }
        let (free, stored) = self.space.split_at_mut_checked(self.free).unwrap_or_default();
        Ok((free, Lengths { stored, spill: self.spill, taken: 0, lost: false }))
    }

    #[inline]
    fn put(&mut self, at: usize, len: u32) {
        if let Some(place) = self.space[at..].first_chunk_mut::<WIDTH>() {
            *place = len.to_ne_bytes().map(MaybeUninit::new);
        }
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, len: u32) {
        // Without an allocator the writing pass computes the length again.
        if !self.keep || cfg!(tablepb_no_alloc) {
            return;
        }
        match self.spill.try_reserve(1) {
            Ok(()) => self.spill.push(len),
            // The pass goes on, and `finish` returns the error.
            Err(_) => self.lost = true,
        }
    }

    #[cold]
    #[inline(never)]
    fn respill(&mut self, slot: LengthSlot, len: u32) {
        let stored = (self.space.len() - self.free) / WIDTH;
        if let Some(place) = slot.0.checked_sub(stored).and_then(|at| self.spill.get_mut(at)) {
            *place = len;
        }
    }
}

/// The nested lengths, in the order of the calls to [`Sizes::begin`].
pub(crate) struct Lengths<'s> {
    /// Lengths of [`WIDTH`] bytes, all initialized, the next one last.
    stored: &'s [MaybeUninit<u8>],
    spill: Vec<u32>,
    taken: usize,
    /// The writing pass had no memory.
    lost: bool,
}

impl Lengths<'_> {
    /// The next length. It is 0 after the last one, which happens only if the message changed between the passes; the check
    /// of the total reports it.
    #[inline]
    pub(crate) fn take(&mut self) -> u32 {
        match self.stored.split_last_chunk::<WIDTH>() {
            Some((rest, last)) => {
                self.stored = rest;
                u32::from_ne_bytes(init(last))
            }
            None => self.take_spilled(),
        }
    }

    /// No lengths, for a message that was not sized.
    #[inline]
    pub(crate) fn none() -> Self {
        Self { stored: &[], spill: Vec::new(), taken: 0, lost: false }
    }

    /// How many lengths remain.
    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.stored.len() / WIDTH + self.spill.len() - self.taken
    }

    /// Whether some lengths are in the `Vec`.
    #[inline]
    pub(crate) fn has_spilled(&self) -> bool {
        !self.spill.is_empty()
    }

    /// The room that keeps all lengths out of the `Vec`, in bytes.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.remaining() * WIDTH
    }

    /// Notes that the writing pass had no memory.
    pub(in crate::structs) fn lose(&mut self) {
        self.lost = true;
    }

    /// Whether the writing pass had no memory.
    #[inline]
    pub(in crate::structs) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Moves the lengths out of the output buffer, so that the buffer can grow.
    ///
    /// # Errors
    ///
    /// The lengths cannot be allocated.
    #[cold]
    #[inline(never)]
    pub(crate) fn into_owned(mut self) -> Result<Lengths<'static>, Full> {
        let count = self.remaining();
        let mut spill = Vec::new();
        spill.try_reserve_exact(count).map_err(|_| Full::NoMemory)?;
        spill.extend((0..count).map(|_| self.take()));
        Ok(Lengths { stored: &[], spill, taken: 0, lost: false })
    }

    #[cold]
    #[inline(never)]
    fn take_spilled(&mut self) -> u32 {
        let len = self.spill.get(self.taken).copied();
        self.taken += usize::from(len.is_some());
        len.unwrap_or(0)
    }
}

/// Reads back bytes that [`Sizes::put`] wrote.
#[cfg(not(tablepb_safe))]
#[inline]
fn init(bytes: &[MaybeUninit<u8>; WIDTH]) -> [u8; WIDTH] {
    // SAFETY: `bytes` comes from `Lengths::stored`, which `Sizes::finish` made of `space[free..]`. `free` starts
    // at the end and only `begin` moves it, by `WIDTH`, writing these `WIDTH` bytes; so all of them were written.
    bytes.map(|byte| unsafe { byte.assume_init() })
}

/// The safe twin. Under `tablepb_safe` nothing is stored in the output buffer.
#[cfg(tablepb_safe)]
#[inline]
fn init(_: &[MaybeUninit<u8>; WIDTH]) -> [u8; WIDTH] {
    [0; WIDTH]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes the tree `n -> n-1 -> ..` with two children per level and returns what the writer would take.
    fn lengths_of(space: &mut [MaybeUninit<u8>], depth: u32, own: bool) -> (usize, Vec<u32>) {
        fn node(sizes: &mut Sizes<'_>, depth: u32) -> u64 {
            let mut total = u64::from(depth) + 1;
            for _ in 0..if depth == 0 { 0 } else { 2 } {
                let slot = sizes.begin();
                let len = node(sizes, depth - 1);
                sizes.end(slot, len);
                total += len;
            }
            total
        }
        let mut sizes = Sizes::new(space);
        node(&mut sizes, depth);
        let (free, lengths) = sizes.finish().unwrap();
        let mut lengths = if own { lengths.into_owned().unwrap() } else { lengths };
        let count = lengths.remaining();
        assert_eq!(lengths.room(), count * WIDTH);
        let taken = (0..count).map(|_| lengths.take()).collect();
        assert_eq!((lengths.remaining(), lengths.take()), (0, 0));
        (free.len(), taken)
    }

    #[test]
    fn the_order_is_the_order_of_writing() {
        let (_, taken) = lengths_of(&mut [], 2, false);
        assert_eq!(taken, [4, 1, 1, 4, 1, 1]);
    }

    #[test]
    fn every_amount_of_room_gives_the_same_lengths() {
        let (_, expected) = lengths_of(&mut [], 4, false);
        assert_eq!(expected.len(), 30);
        for room in (0..140).step_by(if cfg!(miri) { 13 } else { 1 }) {
            for own in [false, true] {
                let mut space = alloc::vec![MaybeUninit::uninit(); room];
                let (free, taken) = lengths_of(&mut space, 4, own);
                assert_eq!(taken, expected, "room {room}");
                let used = if cfg!(tablepb_safe) { 0 } else { (room / WIDTH).min(30) * WIDTH };
                assert_eq!(free, if cfg!(tablepb_safe) { 0 } else { room - used }, "room {room}");
            }
        }
    }

    #[test]
    fn counting_keeps_nothing() {
        let mut sizes = Sizes::counting();
        let (first, second) = (sizes.begin(), sizes.begin());
        sizes.end(second, 2);
        sizes.end(first, 1);
        assert_eq!(sizes.finish().unwrap().1.remaining(), 0);
    }

    #[test]
    fn lengths_keep_32_bits() {
        let mut sizes = Sizes::new(&mut []);
        let slot = sizes.begin();
        sizes.end(slot, u64::from(u32::MAX));
        assert_eq!(sizes.finish().unwrap().1.take(), u32::MAX);
    }

    #[test]
    fn a_length_that_nobody_ended_is_zero() {
        let mut space = [MaybeUninit::new(0xff_u8); 6];
        let mut sizes = Sizes::new(&mut space);
        let (first, second) = (sizes.begin(), sizes.begin());
        let _ = (first, second);
        let mut lengths = sizes.finish().unwrap().1;
        assert_eq!((lengths.take(), lengths.take()), (0, 0));
    }
}

//! The safe twin of the fence of the write cursor: a `Vec` of limited length.

use super::ITEM;
use alloc::vec::Vec;
use core::{marker::PhantomData, mem::MaybeUninit};

/// The safe twin: fills a `Vec` of limited length, and copies it to its slice, if it has one, at the end.
pub(in crate::wire) struct SafeSpare<'b> {
    bytes: Vec<u8>,
    limit: usize,
    target: &'b mut [u8],
}

impl<'b> SafeSpare<'b> {
    pub(in crate::wire) fn new(memory: &'b mut [MaybeUninit<u8>]) -> Self {
        Self { bytes: Vec::new(), limit: memory.len(), target: &mut [] }
    }

    pub(in crate::wire) fn over(memory: &'b mut [u8]) -> Self {
        Self { bytes: Vec::new(), limit: memory.len(), target: memory }
    }

    pub(in crate::wire) fn of(room: SafeRoom<'b>) -> Self {
        Self { bytes: Vec::new(), limit: room.limit, target: &mut [] }
    }

    pub(in crate::wire) fn fill(
        &mut self,
        write: impl for<'w> FnOnce(SafeRoom<'w>) -> Option<SafeWritten<'w>>,
    ) -> Option<usize> {
        let room = SafeRoom { limit: self.room(), life: PhantomData };
        let SafeWritten(bytes, _) = write(room)?;
        self.put_slice(&bytes).then_some(bytes.len())
    }

    pub(in crate::wire) fn put_string<const N: usize>(
        &mut self,
        (first, keep): ([u8; 8], usize),
        byte: u8,
        last: &[u8; N],
        keep_last: usize,
    ) -> bool {
        let fits = self.room() >= 8 + N;
        if fits {
            self.bytes.extend_from_slice(&first[..keep & 7]);
            self.bytes.push(byte);
            self.bytes.extend_from_slice(&last[..keep_last.min(N)]);
        }
        fits
    }

    pub(in crate::wire) fn written(&self) -> usize {
        self.bytes.len()
    }

    pub(in crate::wire) fn room(&self) -> usize {
        self.limit - self.bytes.len()
    }

    pub(in crate::wire) fn put<const N: usize>(&mut self, bytes: [u8; N], keep: usize) -> bool {
        self.room() >= N && self.put_slice(&bytes[..keep.min(N)])
    }

    pub(in crate::wire) fn item(&mut self) -> Option<SafeItem<'_, 'b>> {
        if self.room() < 8 + ITEM { None } else { Some(SafeItem(self)) }
    }

    pub(in crate::wire) fn pair(&mut self) -> Option<SafePair<'_, 'b>> {
        if self.room() < 16 { None } else { Some(SafePair(self)) }
    }

    pub(in crate::wire) fn set_before(&mut self, after: usize, byte: u8) -> bool {
        let place = self.bytes.iter_mut().rev().nth(after);
        place.is_some_and(|place| {
            *place = byte;
            true
        })
    }

    pub(in crate::wire) fn shift(&mut self, from: usize, to: usize) -> bool {
        let written = self.written();
        if from > written || to > from + 8 || to > from && self.room() < to - from {
            return false;
        }
        let moved = self.bytes.split_off(from);
        self.bytes.resize(to, 0);
        self.bytes.extend_from_slice(&moved);
        true
    }

    pub(in crate::wire) fn put_slice(&mut self, bytes: &[u8]) -> bool {
        let fits = self.room() >= bytes.len();
        if fits {
            self.bytes.extend_from_slice(bytes);
        }
        fits
    }

    pub(in crate::wire) fn put_words(&mut self, words: &[u32]) -> bool {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put_slice(&bytes)
    }

    pub(in crate::wire) fn close(&mut self) {
        self.limit = self.bytes.len();
    }

    pub(in crate::wire) fn finish(self) -> SafeWritten<'b> {
        let len = self.bytes.len();
        if let Some(target) = self.target.get_mut(..len) {
            target.copy_from_slice(&self.bytes);
        }
        SafeWritten(self.bytes, PhantomData)
    }
}

/// As [`RawRoom`](super::RawRoom).
pub(in crate::wire) struct SafeRoom<'w> {
    limit: usize,
    life: PhantomData<&'w mut [u8]>,
}

/// As [`RawItem`](super::RawItem).
pub(in crate::wire) struct SafeItem<'s, 'b>(&'s mut SafeSpare<'b>);

impl SafeItem<'_, '_> {
    pub(in crate::wire) fn put<const N: usize>(
        self,
        first: [u8; 8],
        keep_first: usize,
        last: &[u8; N],
        keep: usize,
    ) {
        const { assert!(N <= ITEM) };
        self.0.bytes.extend_from_slice(&first[..keep_first & 7]);
        self.0.bytes.extend_from_slice(&last[..keep.min(N)]);
    }

    pub(in crate::wire) fn put_ends<const N: usize>(
        self,
        (tag, keep): ([u8; 8], usize),
        len: usize,
        first: &[u8; N],
        last: &[u8; N],
    ) {
        const { assert!(2 * N <= ITEM) };
        let (mut block, len) = ([0; ITEM], len.min(2 * N));
        block[..N].copy_from_slice(first);
        block[len.saturating_sub(N)..][..N].copy_from_slice(last);
        self.0.bytes.extend_from_slice(&tag[..keep & 7]);
        self.0.bytes.push(len as u8);
        self.0.bytes.extend_from_slice(&block[..len]);
    }

    pub(in crate::wire) fn put_fives<const N: usize>(self, first: [u8; 2], items: [[u8; 8]; N]) {
        const { assert!(5 * N + 3 <= ITEM) };
        self.0.bytes.extend_from_slice(&first);
        items.iter().for_each(|item| self.0.bytes.extend_from_slice(&item[..5]));
    }
}

/// As [`RawPair`](super::RawPair).
pub(in crate::wire) struct SafePair<'s, 'b>(&'s mut SafeSpare<'b>);

impl SafePair<'_, '_> {
    pub(in crate::wire) fn put_if(
        self,
        (first, keep_first): ([u8; 8], usize),
        last: [u8; 8],
        keep: usize,
        on: bool,
    ) {
        if on {
            self.0.bytes.extend_from_slice(&first[..keep_first & 7]);
            self.0.bytes.extend_from_slice(&last[..keep.min(8)]);
        }
    }
}

/// What the safe twin has written.
pub struct SafeWritten<'b>(Vec<u8>, PhantomData<&'b [u8]>);

impl SafeWritten<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    #[cfg(tablepb_safe)]
    pub(in crate::wire) fn into_vec(self) -> Vec<u8> {
        self.0
    }
}

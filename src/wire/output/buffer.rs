//! The buffers that encoders append to.
//!
//! Invariant: the length of a buffer grows only over bytes that [`Written`] proves initialised. This is the fence of
//! `set_len`; every encoder goes through [`append_with`](sealed::RawBuffer::append_with).

#![allow(unsafe_code)]

use super::cursor::CursorOverflow;
use super::spare::Written;
use crate::wire::{Cursor, Full};
#[cfg(not(tablepb_no_alloc))]
use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// A growable byte buffer that messages can be appended to: `Vec<u8>` and, with the feature `bytes`,
/// [`BytesMut`](bytes::BytesMut).
///
/// Sealed: the encoders write into the spare capacity and set the length afterwards, which is only sound for
/// types of this crate. Encoding keeps what the buffer already holds.
///
/// If the allocator has no memory for a buffer to grow, encoding returns an error and does not abort. A `BytesMut` that must
/// grow is copied to new memory, which is zeroed once.
pub trait Buffer: sealed::RawBuffer {}

#[cfg(not(tablepb_no_alloc))]
impl Buffer for Vec<u8> {}

#[cfg(feature = "bytes")]
impl Buffer for bytes::BytesMut {}

pub(crate) mod sealed {
    use super::*;

    pub trait RawBuffer: Send + Sync + 'static {
        /// The content of the buffer.
        fn as_bytes(&self) -> &[u8];

        /// The content of the buffer.
        fn as_bytes_mut(&mut self) -> &mut [u8];

        /// Makes room for at least `additional` bytes; grows by doubling.
        ///
        /// # Errors
        ///
        /// If there is no memory; the buffer is unchanged.
        fn reserve_bytes(&mut self, additional: usize) -> Result<(), Full>;

        /// Keeps the first `len` bytes.
        fn truncate_to(&mut self, len: usize);

        /// Appends bytes. Aborts if there is no memory for them, unless room for them was reserved.
        fn extend(&mut self, bytes: &[u8]);

        /// The spare capacity after the content; may be empty.
        fn spare(&mut self) -> &mut [MaybeUninit<u8>];

        /// Makes the first `len` bytes of the spare capacity part of the content.
        ///
        /// # Safety
        ///
        /// They are initialised, and `len` is at most the length of [`spare`](Self::spare).
        unsafe fn grow(&mut self, len: usize);

        /// [`grow`](Self::grow), which also gives the new part of the content: one call through a vtable instead of two.
        ///
        /// # Safety
        ///
        /// As of `grow`.
        unsafe fn grow_by(&mut self, len: usize) -> &[u8] {
            // SAFETY: the caller's duties are those of `grow`.
            unsafe { self.grow(len) };
            let content = self.as_bytes();
            content.get(content.len().saturating_sub(len)..).unwrap_or_default()
        }

        /// Lets `write` fill the spare capacity from its start and makes what it has written part of the
        /// content; returns the number of bytes. If it fails, the buffer keeps its length.
        ///
        /// # Panics
        ///
        /// If the bytes written are not at the start of the slice given.
        #[inline]
        #[cfg(not(tablepb_safe))]
        fn append_with<E>(
            &mut self,
            write: impl for<'s> FnOnce(&'s mut [MaybeUninit<u8>]) -> Result<Written<'s>, E>,
        ) -> Result<usize, E>
        where
            Self: Sized,
        {
            let spare = self.spare();
            let (start, room) = (spare.as_ptr().cast::<u8>(), spare.len());
            let written = write(spare)?;
            let bytes = written.as_slice();
            let len = bytes.len();
            assert!(len == 0 || (bytes.as_ptr() == start && len <= room));
            // SAFETY: `bytes`, a slice of initialised memory that was alive until here, begins where the spare
            // capacity begins and is not longer.
            unsafe { self.grow(len) };
            Ok(len)
        }

        /// The safe twin: what is written is not in the spare capacity and is copied.
        #[cfg(tablepb_safe)]
        fn append_with<E>(
            &mut self,
            write: impl for<'s> FnOnce(&'s mut [MaybeUninit<u8>]) -> Result<Written<'s>, E>,
        ) -> Result<usize, E>
        where
            Self: Sized,
        {
            let bytes = write(self.spare())?.into_vec();
            self.extend(&bytes);
            Ok(bytes.len())
        }

        /// Writes through a cursor over at most `room` bytes, which it reserves, and returns the number of bytes written.
        /// If they do not fit, the buffer keeps its length.
        #[inline]
        fn append_up_to(
            &mut self,
            room: usize,
            write: impl FnOnce(&mut Cursor<'_>),
        ) -> Result<usize, CursorOverflow>
        where
            Self: Sized,
        {
            if self.spare().len() < room {
                self.reserve_bytes(room).map_err(|_| CursorOverflow)?;
            }
            self.append_with(|spare| {
                let spare = spare.get_mut(..room).unwrap_or_default();
                let mut cursor = Cursor::new(spare);
                write(&mut cursor);
                cursor.finish()
            })
        }
    }

    #[cfg(not(tablepb_no_alloc))]
    impl RawBuffer for Vec<u8> {
        #[inline]
        fn as_bytes(&self) -> &[u8] {
            self
        }

        #[inline]
        fn as_bytes_mut(&mut self) -> &mut [u8] {
            self
        }

        #[inline]
        fn reserve_bytes(&mut self, additional: usize) -> Result<(), Full> {
            self.try_reserve(additional).map_err(|_| Full::NoMemory)
        }

        #[inline]
        fn truncate_to(&mut self, len: usize) {
            self.truncate(len);
        }

        #[inline]
        fn extend(&mut self, bytes: &[u8]) {
            self.extend_from_slice(bytes);
        }

        #[inline]
        fn spare(&mut self) -> &mut [MaybeUninit<u8>] {
            self.spare_capacity_mut()
        }

        #[inline]
        unsafe fn grow(&mut self, len: usize) {
            // SAFETY: the caller's duties are those of `set_len`.
            unsafe { self.set_len(self.len() + len) };
        }
    }

    #[cfg(feature = "bytes")]
    impl RawBuffer for bytes::BytesMut {
        #[inline]
        fn as_bytes(&self) -> &[u8] {
            self
        }

        #[inline]
        fn as_bytes_mut(&mut self) -> &mut [u8] {
            self
        }

        fn reserve_bytes(&mut self, additional: usize) -> Result<(), Full> {
            if self.try_reclaim(additional) {
                return Ok(());
            }
            // `reserve` aborts where there is no memory. A `Vec` does not, and `Bytes` and `BytesMut` take one over
            // without allocating if it has no spare capacity.
            let len = self.len();
            let most = isize::MAX as usize;
            let least = len.checked_add(additional).filter(|&least| least <= most).ok_or(Full::NoMemory)?;
            let capacity = least.max(self.capacity().saturating_mul(2)).min(most);
            let mut memory = Vec::new();
            if memory.try_reserve_exact(capacity).is_err() {
                memory.try_reserve_exact(least).map_err(|_| Full::NoMemory)?;
            }
            memory.extend_from_slice(self);
            memory.resize(memory.capacity(), 0);
            *self = bytes::Bytes::from(memory).into();
            self.truncate(len);
            Ok(())
        }

        #[inline]
        fn truncate_to(&mut self, len: usize) {
            self.truncate(len);
        }

        #[inline]
        fn extend(&mut self, bytes: &[u8]) {
            self.extend_from_slice(bytes);
        }

        #[inline]
        fn spare(&mut self) -> &mut [MaybeUninit<u8>] {
            self.spare_capacity_mut()
        }

        #[inline]
        unsafe fn grow(&mut self, len: usize) {
            // SAFETY: the caller's duties are those of `set_len`.
            unsafe { self.set_len(self.len() + len) };
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(not(tablepb_safe))]
    use super::sealed::RawBuffer;
    use super::*;

    /// Everything that every buffer must do, on a buffer that holds `b"ab"`.
    fn keeps_the_contract(mut buf: impl Buffer) {
        assert_eq!(buf.append_up_to(3, |cursor| cursor.put_slice(b"cde")), Ok(3));
        assert_eq!(buf.append_up_to(100, |cursor| cursor.put_varint(300)), Ok(2));
        assert_eq!(buf.append_up_to(0, |_| ()), Ok(0));
        assert_eq!(buf.as_bytes(), b"abcde\xac\x02");

        assert_eq!(buf.append_up_to(2, |cursor| cursor.put_slice(b"xyz")), Err(CursorOverflow));
        assert_eq!(buf.append_with(|_| Err("no")), Err("no"));
        assert_eq!(buf.as_bytes(), b"abcde\xac\x02");

        assert_eq!(buf.reserve_bytes(64), Ok(()));
        assert!(buf.spare().len() >= 64);
        let whole = buf.append_with(|spare| {
            let mut cursor = Cursor::new(spare);
            while cursor.room() > 0 {
                cursor.put_byte(b'.');
            }
            cursor.finish()
        });
        assert_eq!(whole.map(|len| len + 7), Ok(buf.as_bytes().len()));
        buf.as_bytes_mut()[0] = b'A';
        buf.truncate_to(2);
        buf.extend(b"!");
        assert_eq!(buf.as_bytes(), b"Ab!");

        // Under Miri, an allocation larger than its own memory ends the process.
        let almost = if cfg!(miri) { usize::MAX } else { isize::MAX as usize - 3 };
        for more in [usize::MAX, usize::MAX - 2, isize::MAX as usize, almost] {
            assert_eq!(buf.reserve_bytes(more), Err(Full::NoMemory));
            assert_eq!(buf.as_bytes(), b"Ab!");
        }
        let mut growths = 0;
        let len = if cfg!(miri) { 200 } else { 10_000 };
        for i in 0..len {
            if buf.spare().is_empty() {
                assert_eq!(buf.reserve_bytes(1), Ok(()));
                growths += 1;
            }
            buf.extend(&[i as u8]);
        }
        assert!(growths < 14, "{growths}: it grows by doubling");
        assert!((0..len).all(|i| buf.as_bytes()[3 + i] == i as u8));
    }

    #[test]
    fn vec_keeps_the_contract() {
        keeps_the_contract(b"ab".to_vec());
    }

    #[cfg(feature = "bytes")]
    #[test]
    fn bytes_mut_keeps_the_contract() {
        keeps_the_contract(bytes::BytesMut::from(&b"ab"[..]));
        let mut shared = bytes::BytesMut::from(&b"..ab"[..]);
        drop(shared.split_to(2));
        keeps_the_contract(shared);
    }

    #[test]
    #[cfg(not(tablepb_safe))]
    #[cfg_attr(miri, ignore = "leaks memory on purpose")]
    #[should_panic(expected = "assertion failed")]
    fn bytes_written_elsewhere_are_refused() {
        // The compiler already refuses memory that does not live for ever.
        let elsewhere = alloc::vec![0; 4].leak();
        let _ = alloc::vec![1_u8; 3].append_with(|_| {
            let mut cursor = Cursor::over(elsewhere);
            cursor.put_byte(1);
            cursor.finish()
        });
    }
}

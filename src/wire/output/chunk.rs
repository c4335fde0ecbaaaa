//! The seam to `bytes`: messages written into the chunk of a [`BufMut`], and input gathered from the chunks of a [`Buf`].
//!
//! Invariant: a buffer advances only over bytes that [`Written`] proves initialised, as in `buffer.rs`.

#![allow(unsafe_code)]

use crate::wire::error::{EncodeError, EncodeErrorKind};
use crate::wire::{Cursor, Written};
use alloc::{collections::TryReserveError, vec::Vec};
use bytes::{Buf, BufMut};

/// Lets `write` fill the current chunk of a buffer from its start and advances the buffer over what it has written; returns the
/// number of bytes. If it fails, the buffer has not advanced.
///
/// `write` gets a cursor, not the memory: safe code could write `MaybeUninit::uninit()` to a slice.
///
/// # Panics
///
/// If the bytes written are not at the start of the chunk.
#[cfg(not(tablepb_safe))]
pub(crate) fn append_to_chunk<E>(
    buffer: &mut impl BufMut,
    write: impl for<'s> FnOnce(Cursor<'s>) -> Result<Written<'s>, E>,
) -> Result<usize, E> {
    let chunk = buffer.chunk_mut();
    // SAFETY: the slice goes to a cursor and nowhere else. A cursor writes initialised bytes, and reads only those that it has
    // written.
    let chunk = unsafe { chunk.as_uninit_slice_mut() };
    let (start, room) = (chunk.as_ptr().cast::<u8>(), chunk.len());
    let written = write(Cursor::new(chunk))?;
    let bytes = written.as_slice();
    let len = bytes.len();
    assert!(len == 0 || (bytes.as_ptr() == start && len <= room));
    // SAFETY: `bytes`, a slice of initialised memory that was alive until here, begins where the chunk begins and is not longer.
    // `BufMut` is an unsafe trait: `advance_mut` makes the start of its chunk content, and it was not called in between.
    unsafe { buffer.advance_mut(len) };
    Ok(len)
}

/// The safe twin: what is written is copied.
#[cfg(tablepb_safe)]
pub(crate) fn append_to_chunk<E>(
    buffer: &mut impl BufMut,
    write: impl for<'s> FnOnce(Cursor<'s>) -> Result<Written<'s>, E>,
) -> Result<usize, E> {
    let mut chunk = Vec::new();
    chunk.resize(buffer.chunk_mut().len(), core::mem::MaybeUninit::uninit());
    let bytes = write(Cursor::new(&mut chunk))?.into_vec();
    buffer.put_slice(&bytes);
    Ok(bytes.len())
}

/// Appends bytes, which may take several chunks.
///
/// # Errors
///
/// `BufferTooSmall` if the buffer has not the room and cannot grow.
pub(crate) fn append(buffer: &mut impl BufMut, bytes: &[u8]) -> Result<(), EncodeError> {
    check_room(buffer, bytes.len())?;
    buffer.put_slice(bytes);
    Ok(())
}

/// Checks that a buffer takes `len` more bytes.
///
/// # Errors
///
/// `BufferTooSmall`.
pub(crate) fn check_room(buffer: &impl BufMut, len: usize) -> Result<(), EncodeError> {
    if buffer.remaining_mut() < len { Err(EncodeError::new(EncodeErrorKind::BufferTooSmall)) } else { Ok(()) }
}

/// Appends the next `len` bytes of `input` to `bytes`, chunk by chunk; fewer if it has fewer.
///
/// # Errors
///
/// If there is no memory. Nothing is read then.
pub(crate) fn read_chunks(
    input: &mut impl Buf,
    len: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), TryReserveError> {
    bytes.try_reserve(len)?;
    let mut left = len;
    while left > 0 {
        let chunk = input.chunk();
        let chunk = chunk.get(..left).unwrap_or(chunk);
        // `Buf` is a safe trait: one that says that it has more than its chunks hold must not loop for ever.
        if chunk.is_empty() {
            break;
        }
        bytes.extend_from_slice(chunk);
        let read = chunk.len();
        input.advance(read);
        left -= read;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::BytesMut;

    fn put(buffer: &mut impl BufMut, bytes: &[u8]) -> Result<usize, crate::wire::CursorOverflow> {
        append_to_chunk(buffer, |mut cursor| {
            cursor.put_slice(bytes);
            cursor.finish()
        })
    }

    #[test]
    fn a_chunk_is_filled_from_its_start_and_not_beyond() {
        let mut memory = [b'.'; 8];
        let mut slice = &mut memory[..];
        assert_eq!(put(&mut slice, b"abc"), Ok(3));
        assert_eq!(put(&mut slice, b""), Ok(0));
        assert_eq!(slice.len(), 5);
        assert!(put(&mut slice, b"123456").is_err());
        assert_eq!(slice.len(), 5, "it has not advanced");
        assert_eq!(put(&mut slice, b"defgh"), Ok(5));
        assert_eq!((slice.len(), &memory), (0, b"abcdefgh"));

        let mut limited = BytesMut::with_capacity(100).limit(4);
        assert!(put(&mut limited, b"12345").is_err());
        assert_eq!(put(&mut limited, b"1234"), Ok(4));
        assert_eq!(&limited.into_inner()[..], b"1234");

        let mut two = [0; 2];
        let mut chain = (&mut two[..]).chain_mut(BytesMut::with_capacity(10));
        assert!(put(&mut chain, b"abc").is_err(), "the first chunk has two bytes");
        assert_eq!(append(&mut chain, b"abc"), Ok(()));
        assert_eq!(&chain.into_inner().1[..], b"c");
        let mut two = [0; 2];
        let mut full = &mut two[..];
        assert_eq!(append(&mut full, b"abc").unwrap_err().kind(), EncodeErrorKind::BufferTooSmall);
        assert_eq!(full.len(), 2);
    }

    #[test]
    fn an_error_leaves_the_buffer() {
        let mut buffer = BytesMut::from(&b"before"[..]);
        assert_eq!(append_to_chunk(&mut buffer, |_| Err("no")), Err("no"));
        assert_eq!(&buffer[..], b"before");
        let nothing: Result<usize, crate::wire::CursorOverflow> =
            append_to_chunk(&mut buffer, |cursor| cursor.finish());
        assert_eq!((nothing, &buffer[..]), (Ok(0), &b"before"[..]));
    }

    #[test]
    #[cfg(not(tablepb_safe))]
    #[cfg_attr(miri, ignore = "leaks memory on purpose")]
    #[should_panic(expected = "assertion failed")]
    fn bytes_written_elsewhere_are_refused() {
        let elsewhere = alloc::vec![0; 4].leak();
        let _ = append_to_chunk(&mut alloc::vec![1_u8; 3], |_| {
            let mut cursor = Cursor::over(elsewhere);
            cursor.put_byte(1);
            cursor.finish()
        });
    }

    /// A buffer that says it has `says` bytes left.
    struct Liar<'a>(&'a [u8], usize);

    impl Buf for Liar<'_> {
        fn remaining(&self) -> usize {
            self.1
        }

        fn chunk(&self) -> &[u8] {
            self.0
        }

        fn advance(&mut self, len: usize) {
            self.0 = &self.0[len..];
        }
    }

    #[test]
    fn chunks_are_read_up_to_a_length() {
        let mut bytes = b"before".to_vec();
        let mut input = (&b"abc"[..]).chain(&b"def"[..]);
        assert_eq!(read_chunks(&mut input, 5, &mut bytes), Ok(()));
        assert_eq!((&bytes[..], input.chunk()), (&b"beforeabcde"[..], &b"f"[..]));
        let mut more = Vec::new();
        assert_eq!(read_chunks(&mut Liar(b"abc", 9), 9, &mut more), Ok(()));
        assert_eq!(more, b"abc");
        assert!(read_chunks(&mut &b"abc"[..], usize::MAX, &mut more).is_err());
        assert_eq!(more, b"abc");
    }
}

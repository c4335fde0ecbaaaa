//! Random walks on a tail and its safe twin, and buffers that cannot grow.

use super::*;
use crate::wire::Full;
use alloc::{vec, vec::Vec};

/// A long walk of items; returns what was answered at each step and what was committed.
macro_rules! run {
    ($tail:expr, $steps:expr) => {{
        let mut tail = $tail;
        let buffer = tail.buffer();
        let mut seen = Vec::new();
        for &(what, keep) in $steps {
            let word = [0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8_u8];
            let done = match what {
                0 => tail.put([keep as u8], 1),
                1 => tail.put(word, keep),
                2 => tail.put_pair(word, keep, [keep as u8; 8], 8),
                3 => tail.put_slice(&[keep as u8; 90][..keep * 2]),
                4 => {
                    tail.truncate(tail.len() - keep.min(tail.len()) / 4);
                    true
                }
                5 => {
                    let middle = tail.len() / 2;
                    tail.as_mut_slice().get_mut(middle).is_none_or(|byte| {
                        *byte ^= keep as u8;
                        true
                    })
                }
                _ => {
                    tail.close();
                    false
                }
            };
            seen.push((done, tail.len()));
            assert_eq!(tail.buffer(), buffer);
        }
        (seen, tail.is_closed(), tail.commit().map(<[u8]>::to_vec))
    }};
}

#[test]
fn the_safe_twin_agrees() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in (0..2_000_usize).step_by(if cfg!(miri) { 257 } else { 1 }) {
        let steps: Vec<(u64, usize)> = (0..60)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((state >> 33) % if round % 5 == 0 { 7 } else { 6 }, (state >> 40) as usize % 41)
            })
            .map(|(what, keep)| (what, if what == 6 && keep > 3 { 0 } else { keep }))
            .map(|(what, keep)| if what == 6 && keep == 0 { (0, 1) } else { (what, keep) })
            .collect();
        let content = &b"content"[..round % 8];
        let start = || {
            let mut buf = Vec::with_capacity(round % 64 + content.len());
            buf.extend_from_slice(content);
            buf
        };
        let (mut raw_buf, mut safe_buf) = (start(), start());
        let raw = run!(RawTail::new(&mut raw_buf, round % 10), &steps);
        let safe = run!(SafeTail::new(&mut safe_buf, round % 10), &steps);
        assert_eq!(raw, safe, "{steps:?}");
        assert_eq!(raw_buf, safe_buf);
        assert_eq!(raw_buf, [content, &raw.2.unwrap_or_default()].concat());
        #[cfg(feature = "bytes")]
        {
            let mut shared = bytes::BytesMut::from(&[b"...", content].concat()[..]);
            drop(shared.split_to(3));
            assert_eq!(run!(RawTail::new(&mut shared, round % 10), &steps), safe);
            assert_eq!(shared, raw_buf);
        }
    }
}

#[test]
fn what_is_not_committed_leaves_no_trace() {
    let mut buf = b"ab".to_vec();
    let mut tail = RawTail::new(&mut buf, 0);
    assert!(tail.put_slice(&[1; 1000]));
    assert_eq!(tail.len(), 1000);
    assert_eq!(buf, b"ab");
    let mut tail = RawTail::new(&mut buf, 0);
    assert!(tail.put([7], 1));
    tail.close();
    assert!(!tail.put([8], 1) && tail.commit().is_none());
    assert_eq!(buf, b"ab");
}

/// A buffer without memory: it says so, or panics.
#[derive(Default)]
struct Stingy(Vec<u8>, bool);

impl RawBuffer for Stingy {
    fn as_bytes(&self) -> &[u8] {
        &self.0
    }
    fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
    fn reserve_bytes(&mut self, _: usize) -> Result<(), Full> {
        assert!(!self.1, "no memory for you");
        Err(Full::NoMemory)
    }
    fn truncate_to(&mut self, len: usize) {
        self.0.truncate(len);
    }
    fn extend(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    fn spare(&mut self) -> &mut [core::mem::MaybeUninit<u8>] {
        self.0.spare_capacity_mut()
    }
    unsafe fn grow(&mut self, len: usize) {
        // SAFETY: the caller's duties are those of `set_len`.
        unsafe { self.0.set_len(self.0.len() + len) };
    }
}

/// With two bytes of content and so many of room.
fn stingy(room: usize, panics: bool) -> Stingy {
    let mut memory = vec![0; 2 + room];
    memory.truncate(2);
    Stingy(memory, panics)
}

#[test]
fn a_buffer_that_panics_is_left_alone() {
    let mut buf = stingy(18, true);
    let mut tail = RawTail::new(&mut buf, 0);
    assert!(tail.put_slice(b"0123456789"));
    let caught = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| tail.put([0; 32], 32)));
    assert!(caught.is_err());
    assert_eq!((tail.len(), tail.as_mut_slice().len(), tail.put([1], 1)), (0, 0, false));
    assert!(tail.commit().is_none());
    assert_eq!(buf.0, [0, 0]);
}

#[test]
fn a_buffer_that_cannot_grow_closes_the_tail() {
    for room in 0..40 {
        let mut buf = stingy(room, false);
        let mut tail = RawTail::new(&mut buf, 3);
        assert_eq!((tail.is_closed(), tail.len()), (room < HEAD, if room < HEAD { 0 } else { 3 }));
        let mut len = tail.len();
        while tail.put([7], 1) {
            len += 1;
        }
        assert_eq!((tail.len(), len), (len, if room < HEAD { 0 } else { room }));
        assert!(tail.is_closed() && tail.as_mut_slice().iter().skip(3).all(|&byte| byte == 7));
        assert!(!tail.put([1; 8], 0) && !tail.put_slice(b"x") && !tail.put_pair([0; 8], 0, [0; 8], 0));
        tail.truncate(4);
        assert!(!tail.put([1], 1), "a byte is missing somewhere");
        assert!(tail.commit().is_none());
        assert_eq!(buf.0, [0, 0]);
    }
}

/// A tail that refuses a long item has room left, which a shorter one would fill after the gap.
#[test]
fn a_tail_that_could_not_grow_takes_nothing_that_would_fit() {
    let mut buf = stingy(40, false);
    let mut tail = RawTail::new(&mut buf, 0);
    assert!(tail.put_slice(b"0123456789") && !tail.put_slice(&[1; 31]));
    assert!(!tail.put([1], 1) && !tail.put_slice(b"x") && !tail.put_pair([0; 8], 1, [0; 8], 1));
    assert_eq!((tail.len(), tail.as_mut_slice().len()), (10, 10));
    assert!(tail.is_closed() && tail.commit().is_none());
    assert_eq!(buf.0, [0, 0]);
}

/// More than there is: of a word, and of what has been written.
#[test]
fn a_tail_keeps_no_more_than_was_written() {
    let mut buf = Vec::with_capacity(64);
    let mut tail = RawTail::new(&mut buf, 0);
    assert!(tail.put([1; 4], 9) && tail.put_pair([2; 8], 9, [3; 8], 40));
    assert_eq!(tail.len(), 20);
    tail.truncate(21);
    assert_eq!(tail.as_mut_slice(), [&[1; 4][..], &[2; 8], &[3; 8]].concat());
    tail.truncate(3);
    assert_eq!(tail.commit(), Some(&[1; 3][..]));
}

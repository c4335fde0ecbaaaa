//! The reverse cursor and its fence: the twin agrees, and every item is the one that writing forwards gives.

use super::fence::{RawReverse, SafeReverse};
use super::*;
use crate::wire::varint::tests::{edges, reference};
use alloc::{vec, vec::Vec};

/// Steps of every kind; the answer and the state after each must agree.
macro_rules! run {
    ($spare:expr, $steps:expr) => {{
        let mut spare = $spare;
        let mut seen = Vec::new();
        for &(what, keep) in $steps {
            let word = [0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8_u8];
            let done = match what {
                0 => spare.put([keep as u8], 1),
                1 => spare.put([1, 2, 3, 4], keep),
                2 => spare.put(word, keep),
                3 => spare.put([7; 32], keep),
                4 => spare.put_two([9; 8], keep & 7, word, keep),
                5 => spare.put_fives([word, [6; 8], word]),
                6 => spare.put_words(&[0x0102_0304, 0x0506_0708][..keep & 1]),
                7 => spare.put_slice(&word[..keep.min(8)]),
                8 => spare.put_slice(&[9; 40][..keep.min(40)]),
                // The cursor of a safe build writes elsewhere, which only the safe twin knows of.
                9 if cfg!(tablepb_safe) => spare.put_slice(&[5; 41][..keep]),
                9 => spare.put_forward(keep, |cursor| cursor.put_slice(&[5; 45][..keep + keep % 3 / 2])),
                _ => {
                    spare.close();
                    true
                }
            };
            seen.push((done, spare.written(), spare.room()));
        }
        (seen, spare.finish().as_slice().to_vec())
    }};
}

#[test]
fn the_safe_twin_agrees() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in (0..20_000).step_by(if cfg!(miri) { 1_009 } else { 1 }) {
        let room = round % 120;
        let steps: Vec<(u64, usize)> = (0..12)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((state >> 33) % if round % 3 == 0 { 11 } else { 10 }, (state >> 40) as usize % 41)
            })
            .collect();
        let mut memory = vec![MaybeUninit::uninit(); room];
        let raw = run!(RawReverse::new(&mut memory), &steps);
        let safe = run!(SafeReverse::new(&mut memory), &steps);
        assert_eq!(raw, safe, "room {room}, {steps:?}");

        let (mut raw_slice, mut safe_slice) = (vec![0; room], vec![0; room]);
        let raw = run!(RawReverse::over(&mut raw_slice), &steps);
        let safe = run!(SafeReverse::over(&mut safe_slice), &steps);
        assert_eq!(raw, safe, "room {room}, {steps:?}");
        // What was closed is not finished but dropped, and stays where it is.
        if steps.iter().all(|&(what, _)| what < 10) {
            let len = raw.1.len();
            assert_eq!((&raw_slice[..len], &safe_slice[..len]), (&raw.1[..], &raw.1[..]));
        }
    }
}

/// Its last bytes would be memory that nothing was written to.
#[test]
fn a_window_that_is_not_filled_is_not_kept() {
    fn partly(put: impl FnOnce(&mut dyn FnMut(&mut Cursor<'_>)) -> bool, written: &[u8]) -> bool {
        put(&mut |cursor| cursor.put_slice(written))
    }
    for (len, kept) in [(0, false), (7, false), (8, true), (9, false)] {
        let written = &[5; 9][..len];
        let mut memory = vec![MaybeUninit::uninit(); 32];
        let mut spare = RawReverse::new(&mut memory);
        assert!(spare.put_slice(b"end"));
        // The cursor of a safe build writes elsewhere, which only the safe twin knows of.
        if !cfg!(tablepb_safe) {
            assert_eq!(partly(|write| spare.put_forward(8, write), written), kept, "{len}");
            let expected = [written, b"end"].concat();
            assert_eq!(spare.finish().as_slice(), if kept { &expected[..] } else { b"end" });
        }
        let mut memory = vec![MaybeUninit::uninit(); 32];
        let mut safe = SafeReverse::new(&mut memory);
        assert_eq!(partly(|write| safe.put_forward(8, write), written), kept, "{len}");
        assert_eq!(safe.written(), if kept { 8 } else { 0 });
    }
}

#[test]
fn nothing_outside_of_the_window_changes() {
    for room in 0..40 {
        for start in [0, 5] {
            let mut memory = [0xee; 80];
            let mut spare = RawReverse::over(&mut memory[start..start + room]);
            while spare.put_fives([[1; 8]; 2]) {}
            while spare.put_two([2; 8], 1, [3; 8], 2) {}
            while spare.put([1; 8], 3) {}
            while spare.put_words(&[4]) {}
            while spare.put([3], 1) {}
            assert!(!spare.put_slice(&[4]) && spare.put_slice(&[]));
            assert_eq!((spare.written(), spare.room()), (room, 0));
            spare.finish();
            let outside = memory[..start].iter().chain(&memory[start + room..]);
            assert!(outside.copied().all(|byte| byte == 0xee));
        }
    }
}

/// How an item is put, given a number, and its bytes.
type Item = (fn(&mut ReverseCursor<'_>, u64), u64, Vec<u8>);

fn items() -> Vec<Item> {
    fn tag() -> TagWord {
        TagWord::new(16 << 3)
    }
    let mut items: Vec<Item> = vec![
        (|out, value| out.put_byte(value as u8), 7, vec![7]),
        (|out, value| out.put_fixed32(value as u32), 0x0403_0201, vec![1, 2, 3, 4]),
        (|out, value| out.put_fixed64(value), 0x0807_0605_0403_0201, (1..9).collect()),
        (|out, _| out.put_slice(b"slice"), 0, b"slice".to_vec()),
        (|out, _| out.put_suffix(&[5; 40], 3), 0, vec![5; 3]),
        (|out, _| out.put_suffix(&[5; 40], 33), 0, vec![5; 33]),
        (|out, _| out.put_suffix(&[5; 4], 3), 0, vec![5; 3]),
        (|out, _| out.put_words(&[0x0403_0201, 5]), 0, vec![1, 2, 3, 4, 5, 0, 0, 0]),
        (|out, _| out.put_tag_word(tag().and(3)), 0, vec![0x80, 1, 3]),
        (|out, _| out.put_tag_word(tag().next_wire_type()), 0, vec![0x81, 1]),
        (|out, _| out.put_tagged_word(tag(), 0x0807 << 48, 2), 0, vec![0x80, 1, 7, 8]),
        (|out, _| out.put_tagged_fixed32(13, 4), 0, vec![13, 4, 0, 0, 0]),
        (|out, _| out.put_tagged_fixed32s([(13, 4), (21, 5)]), 0, vec![13, 4, 0, 0, 0, 21, 5, 0, 0, 0]),
    ];
    for value in edges() {
        let varint = reference(value);
        let tagged = [&[0x80, 1], &varint[..]].concat();
        items.push((|out, value| out.put_tagged_varint(tag(), value), value, tagged.clone()));
        if varint.len() > 8 {
            items.push((|out, value| out.put_tagged_long(tag(), value), value, tagged));
        }
        items.push((|out, value| out.put_varint(value), value, varint));
    }
    items
}

#[test]
fn items_fit_exactly_or_overflow() {
    let (some, rooms) = if cfg!(miri) { (41, 7) } else { (1, 1) };
    for (put, value, bytes) in items().into_iter().step_by(some) {
        for room in (0..bytes.len() + 40).step_by(rooms) {
            let mut memory = vec![MaybeUninit::uninit(); room];
            let mut out = ReverseCursor::new(&mut memory);
            put(&mut out, value);
            let written = out.written();
            match out.finish() {
                Ok(proof) => assert_eq!((proof.as_slice(), written), (&bytes[..], bytes.len())),
                Err(CursorOverflow) => assert!(room < bytes.len(), "{bytes:02x?} in {room}"),
            }
        }
    }
}

#[test]
fn items_precede_each_other() {
    let mut expected = Vec::new();
    let mut memory = vec![0; 1 << 14];
    let mut out = ReverseCursor::over(&mut memory);
    for (put, value, bytes) in items().into_iter().step_by(if cfg!(miri) { 13 } else { 1 }) {
        put(&mut out, value);
        expected.splice(0..0, bytes);
    }
    let written = out.finish().map(|proof| proof.as_slice().to_vec());
    assert_eq!(written, Ok(expected));
}

#[test]
fn tags_have_one_to_five_bytes() {
    for shift in 3..32 {
        for tag in [1u32 << shift, (1 << shift) + 5, u32::MAX >> (31 - shift)] {
            let mut memory = [0; 8];
            let mut out = ReverseCursor::over(&mut memory);
            out.put_tag_word(TagWord::new(tag));
            assert_eq!(out.finish().unwrap().as_slice(), reference(tag.into()));
        }
    }
}

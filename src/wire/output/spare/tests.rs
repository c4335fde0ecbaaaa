use super::twin::{SafeRoom, SafeSpare, SafeWritten};
use super::*;
use alloc::{vec, vec::Vec};

/// Fills a room with `count` bytes, and fails if `divisor` is not zero and does not divide their number.
macro_rules! filling {
    ($name:ident, $spare:ident, $room:ident, $written:ident) => {
        fn $name<'w>(room: $room<'w>, count: usize, divisor: usize) -> Option<$written<'w>> {
            let mut spare = $spare::of(room);
            let fits = spare.put_slice(&[6; 40][..count.min(40)]);
            (fits && (divisor == 0 || count % divisor == 0)).then(|| spare.finish())
        }
    };
}

filling!(fill_raw, RawSpare, RawRoom, RawWritten);
filling!(fill_safe, SafeSpare, SafeRoom, SafeWritten);

/// Items of every width, cut and whole; the answer and the state after each must agree.
macro_rules! run {
    ($spare:expr, $fill:ident, $steps:expr) => {{
        let mut spare = $spare;
        let mut seen = Vec::new();
        for &(what, keep) in $steps {
            let word = [0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8_u8];
            let done = match what {
                0 => spare.put([keep as u8], 1),
                1 => spare.put([1, 2, 3, 4], keep),
                2 => spare.put(word, keep),
                3 => spare.put([7; 32], keep),
                4 => spare.put_slice(&word[..keep.min(8)]),
                5 => spare.put_slice(&[9; 40][..keep.min(40)]),
                6 => spare.put_words(&[0x0102_0304, 0x0506_0708][..keep & 1]),
                7 => spare.item().map(|item| item.put(word, keep & 15, &[8; 32], keep)).is_some(),
                13 => spare.item().map(|item| item.put_fives([keep as u8, 2], [word; 4])).is_some(),
                12 => spare.item().map(|item| item.put(word, keep & 3, &[9; 8], keep)).is_some(),
                20 => spare
                    .pair()
                    .map(|pair| pair.put_if((word, keep & 15), [8; 8], keep, keep % 3 > 0))
                    .is_some(),
                8 => spare.set_before(keep, 0x55),
                9 => spare.shift(keep, keep + 3),
                10 => spare.shift(keep, keep.saturating_sub(2)),
                11 => spare.shift(keep, keep + 9),
                15 => spare.put_string((word, keep & 15), 0x66, &[8; 32], keep),
                18 => {
                    spare.item().map(|item| item.put_ends((word, keep & 3), keep, &[8; 4], &[9; 4])).is_some()
                }
                19 => spare.item().map(|item| item.put_ends((word, 7), keep, &[8; 16], &[9; 16])).is_some(),
                16 => spare.fill(|room| $fill(room, keep, 0)).is_some(),
                17 => spare.fill(|room| $fill(room, keep, 3)).is_some(),
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
        let room = round % 100;
        let steps: Vec<(u64, usize)> = (0..12)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((state >> 33) % if round % 3 == 0 { 22 } else { 21 }, (state >> 40) as usize % 41)
            })
            .collect();
        let mut memory = vec![MaybeUninit::uninit(); room];
        let raw = run!(RawSpare::new(&mut memory), fill_raw, &steps);
        let safe = run!(SafeSpare::new(&mut memory), fill_safe, &steps);
        assert_eq!(raw, safe, "room {room}, {steps:?}");

        let (mut raw_slice, mut safe_slice) = (vec![0; room], vec![0; room]);
        let raw = run!(RawSpare::over(&mut raw_slice), fill_raw, &steps);
        let safe = run!(SafeSpare::over(&mut safe_slice), fill_safe, &steps);
        assert_eq!(raw, safe, "room {room}, {steps:?}");
        let len = raw.1.len();
        assert_eq!((&raw_slice[..len], &safe_slice[..len]), (&raw.1[..], &raw.1[..]));
    }
}

#[test]
fn nothing_outside_of_the_window_changes() {
    for room in 0..40 {
        for start in [0, 5] {
            let mut memory = [0xee; 80];
            let mut spare = RawSpare::over(&mut memory[start..start + room]);
            while spare.put([1; 8], 3) {}
            while spare.put([2; 4], 4) {}
            while spare.put([3], 1) {}
            assert!(!spare.put_slice(&[4]) && spare.put_slice(&[]));
            assert_eq!((spare.written(), spare.room()), (room, 0));
            let outside = memory[..start].iter().chain(&memory[start + room..]);
            assert!(outside.copied().all(|byte| byte == 0xee));
        }
    }
}

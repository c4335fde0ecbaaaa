//! Time for twice the input. Of many short runs the shortest counts, which is one that nothing interrupted; what seems out of
//! proportion is measured again before it is believed. For release builds.

use std::time::{Duration, Instant};

/// Bytes of inputs: four doublings from the first to the second, two to the third.
pub const SIZES: [usize; 3] = [1 << 12, 1 << 16, 1 << 18];
/// What the second may take of the first, and the third of the second: 2.2 times as long for each doubling. One of them
/// is enough: where memory no longer fits in a cache, or a decode starts over with more of it, there is a step in one.
const MOST: [f64; 2] = [2.2 * 2.2 * 2.2 * 2.2, 2.2 * 2.2];
/// What other programs on the machine may make of it: what takes time in n to the power of 1.5 takes 2.83 times as long.
const NOISE: f64 = 1.2;
/// Measured again so many times.
pub const TRIES: usize = 25;

/// A way to read, ready to be used many times.
pub type Way = Box<dyn FnMut(&[u8])>;

/// What a run takes at least, by as many runs as take some milliseconds.
pub fn least(mut way: impl FnMut(&[u8]), input: &[u8]) -> f64 {
    let mut least = f64::MAX;
    let start = Instant::now();
    for round in 0.. {
        let before = Instant::now();
        way(input);
        least = least.min(before.elapsed().as_secs_f64());
        if start.elapsed() > Duration::from_millis(if round < 2 { 60 } else { 4 }) {
            break;
        }
    }
    least
}

/// How much longer twice the input takes, if that is more than it should, in the better of the two steps.
pub fn too_slow(way: &mut Way, inputs: &[Vec<u8>; 3]) -> Option<f64> {
    let mut times = [f64::MAX; 3];
    let mut found = f64::MAX;
    for round in 0..TRIES {
        for (time, input) in times.iter_mut().zip(inputs) {
            // Below a microsecond all that is measured is the clock.
            *time = time.min(least(&mut *way, input)).max(1e-6);
        }
        let [small, medium, large] = times;
        found = (medium / small / MOST[0]).powf(0.25).min((large / medium / MOST[1]).sqrt());
        // What is out of all proportion need not be measured for long.
        if found <= 1.0 || (round >= 4 && found > 1.5) {
            break;
        }
    }
    (found > NOISE).then_some(2.2 * found)
}

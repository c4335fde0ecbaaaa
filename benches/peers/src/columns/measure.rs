//! Interleaved rounds: each round passes over the same input with every contender, in another order. The least time of a contender counts,
//! so that what slows the machine down for a while counts as little as possible.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One way to do the work. It gives the number of rows, so that none can be left out.
pub struct Contender<'a> {
    pub name: &'static str,
    run: Box<dyn FnMut() -> usize + 'a>,
    least: f64,
}

impl<'a> Contender<'a> {
    pub fn new(name: &'static str, run: impl FnMut() -> usize + 'a) -> Self {
        Self { name, run: Box::new(run), least: f64::INFINITY }
    }
}

/// The result of one contender.
pub struct Time {
    pub name: &'static str,
    pub seconds: f64,
}

/// Time that this thread has run: other processes on the machine count as little as possible.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Seconds for one pass, of each contender in the order given.
pub fn measure(mut contenders: Vec<Contender<'_>>, rows: usize, limit: Duration) -> Vec<Time> {
    for contender in &mut contenders {
        assert_eq!((contender.run)(), rows, "{}", contender.name);
    }
    let (start, count) = (Instant::now(), contenders.len());
    let mut round = 0;
    while round < 5 || start.elapsed() < limit {
        for i in 0..count {
            let contender = &mut contenders[(i + round) % count];
            let before = cpu_seconds();
            black_box((contender.run)());
            contender.least = contender.least.min(cpu_seconds() - before);
        }
        round += 1;
    }
    contenders.into_iter().map(|c| Time { name: c.name, seconds: c.least }).collect()
}

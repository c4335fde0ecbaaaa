//! Interleaved rounds: every contender passes over the whole set. Each round starts with another contender.
//!
//! A ratio is taken between two times of the same round, so that what slows the machine down for a while slows both;
//! of the ratios of all rounds the median counts, and the quartiles are published. Where other work slows single passes
//! down all the time, the ratio of the least times says more.

use crate::contenders::{Contender, Label};
use crate::payloads::Payloads;
use crate::random::Random;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time that this thread has run, so that other processes on the machine count as little as possible.
#[cfg(unix)]
pub fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(unix))]
pub fn cpu_seconds() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// The times of one contender.
pub struct Timing {
    pub name: &'static str,
    pub label: Label,
    /// Seconds per set and round; `None` in rounds that a slow contender sat out.
    rounds: Vec<Option<f64>>,
    /// The least time counts.
    minima: bool,
}

/// Of ratios: the median, or the ratio of the least times, and the quartiles.
#[derive(Clone, Copy)]
pub struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Timing {
    /// Seconds per set: the median of the rounds, or the least.
    pub fn seconds(&self) -> f64 {
        let rounds = self.rounds.iter().flatten().copied();
        if self.minima { rounds.fold(f64::INFINITY, f64::min) } else { spread(rounds.collect()).median }
    }

    /// How many times as fast as another contender this one is.
    pub fn ratio_to(&self, other: &Self) -> Spread {
        let both = self.rounds.iter().zip(&other.rounds);
        let spread = spread(both.filter_map(|(this, other)| Some((*other)? / (*this)?)).collect());
        if self.minima { Spread { median: other.seconds() / self.seconds(), ..spread } } else { spread }
    }
}

fn spread(mut values: Vec<f64>) -> Spread {
    values.sort_by(f64::total_cmp);
    let at = |part: f64| values.get(((values.len().max(1) - 1) as f64 * part).round() as usize).copied();
    let at = |part| at(part).unwrap_or(f64::NAN);
    Spread { low: at(0.25), median: at(0.5), high: at(0.75) }
}

/// How long to measure one shape in one mode.
#[derive(Clone, Copy)]
pub struct Effort {
    pub budget: Duration,
    pub min_rounds: usize,
    pub max_rounds: usize,
    /// Whether the least time of all rounds counts, and not the median.
    pub minima: bool,
}

/// Measures the contenders of one shape in one mode; the first one is the base and takes part in every round.
pub fn measure(contenders: &mut [Box<dyn Contender>], set: &Payloads, effort: Effort) -> Vec<Timing> {
    let minima = effort.minima;
    let mut timings: Vec<Timing> = contenders
        .iter()
        .map(|c| Timing { name: c.name(), label: c.label(), rounds: Vec::new(), minima })
        .collect();
    let mut random = Random::new(set.bytes as u64);
    let mut order = set.order(&mut random);
    // A warm-up pass tells who is slow: those sit out rounds, so that the others get more of them.
    let warm: Vec<f64> = contenders.iter_mut().map(|c| time(&mut **c, set, &order)).collect();
    let every: Vec<usize> = warm
        .iter()
        .map(|t| ((t / (warm[0] * 4.0)) as usize).clamp(1, effort.min_rounds.div_ceil(3)))
        .collect();
    let start = Instant::now();
    for round in 0..effort.max_rounds {
        if round >= effort.min_rounds && start.elapsed() > effort.budget {
            break;
        }
        for turn in 0..contenders.len() {
            let i = (turn + round) % contenders.len();
            let seconds = (i == 0 || round % every[i] == 0).then(|| time(&mut *contenders[i], set, &order));
            timings[i].rounds.push(seconds);
        }
        order = set.order(&mut random);
    }
    timings
}

/// Median seconds of each of these, run in turn.
pub fn medians(rounds: usize, works: &mut [Box<dyn FnMut() + '_>]) -> Vec<f64> {
    let mut times = vec![Vec::new(); works.len()];
    for _ in 0..=rounds {
        for (work, times) in works.iter_mut().zip(&mut times) {
            let start = cpu_seconds();
            work();
            times.push(cpu_seconds() - start);
        }
    }
    // The first round warms up.
    times.into_iter().map(|times| spread(times[1..].to_vec()).median).collect()
}

/// Seconds per set.
fn time(contender: &mut dyn Contender, set: &Payloads, order: &[u32]) -> f64 {
    let start = cpu_seconds();
    black_box(contender.pass(black_box(set), black_box(order)));
    (cpu_seconds() - start) / set.repeats as f64
}

//! Contenders in turns, and how much faster one is than another.

use std::rc::Rc;
use std::time::{Duration, Instant};

/// Something that works on one message of a set and gives a number that all contenders give.
pub struct Contender {
    pub name: &'static str,
    work: Box<dyn FnMut(usize) -> u64>,
}

impl Contender {
    pub fn new(name: &'static str, work: impl FnMut(usize) -> u64 + 'static) -> Self {
        Self { name, work: Box::new(work) }
    }

    pub fn run(&mut self, at: usize) -> u64 {
        (self.work)(at)
    }
}

pub struct Case {
    pub name: &'static str,
    pub payloads: Rc<Vec<Vec<u8>>>,
    /// Bytes of all payloads that partial work is about.
    pub selected: usize,
    pub contenders: Vec<Contender>,
    /// Which contender is to be how many times as fast as which.
    pub targets: &'static [(usize, usize, f64)],
}

impl Case {
    /// All contenders must have read or written the same of every message.
    pub fn check(&mut self) {
        for at in 0..self.payloads.len() {
            let results: Vec<_> = self.contenders.iter_mut().map(|contender| contender.run(at)).collect();
            assert!(results.iter().all(|result| *result == results[0]), "{}: {results:?}", self.name);
        }
    }

    pub fn print_ratios(&mut self) {
        let (count, bytes) = (self.payloads.len(), self.payloads.iter().map(Vec::len).sum::<usize>());
        let share = 100.0 * self.selected as f64 / bytes as f64;
        println!(
            "\n{}: {count} messages, {:.1} MB, {share:.0} % of the bytes selected",
            self.name,
            bytes as f64 / 1e6
        );
        let best = self.best();
        let full = best.last().copied().unwrap_or_default();
        for (contender, time) in self.contenders.iter().zip(&best) {
            let each = time.as_nanos() as f64 / count as f64;
            println!(
                "  {:<30} {each:>9.0} ns  {:>5.2}x prost",
                contender.name,
                full.as_secs_f64() / time.as_secs_f64()
            );
        }
        for &(fast, slow, wanted) in self.targets {
            let ratio = best[slow].as_secs_f64() / best[fast].as_secs_f64();
            let verdict = if ratio >= wanted { "reached" } else { "MISSED" };
            let (fast, slow) = (self.contenders[fast].name, self.contenders[slow].name);
            println!("  {fast} against {slow}: {ratio:.2}x, target {wanted}x, {verdict}");
        }
    }

    /// The best time over all messages, of rounds that take about a second together.
    fn best(&mut self) -> Vec<Duration> {
        let count = self.payloads.len();
        let mut best = vec![Duration::MAX; self.contenders.len()];
        let start = Instant::now();
        let mut rounds = 0;
        while rounds < 5 || (start.elapsed() < Duration::from_millis(1500) && rounds < 200) {
            for (contender, best) in self.contenders.iter_mut().zip(&mut best) {
                let start = Instant::now();
                for at in 0..count {
                    std::hint::black_box(contender.run(at));
                }
                *best = start.elapsed().min(*best);
            }
            rounds += 1;
        }
        best
    }
}

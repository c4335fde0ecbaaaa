//! Contenders in turns, and how much faster one is than another.

use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long all rounds take together.
const TIME: Duration = Duration::from_millis(1500);

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
    pub fn checked(mut self) -> Self {
        for at in 0..self.payloads.len() {
            let results: Vec<_> = self.contenders.iter_mut().map(|contender| contender.run(at)).collect();
            assert!(results.iter().all(|result| *result == results[0]), "{}: {results:?}", self.name);
        }
        self
    }

    /// A line for each contender, as comma-separated values.
    pub fn print_csv(&mut self) {
        let (count, bytes) = (self.payloads.len(), self.payloads.iter().map(Vec::len).sum::<usize>());
        let best = self.best(TIME);
        for (contender, seconds) in self.contenders.iter().zip(best) {
            println!(
                "{:?},{:?},{count},{bytes},{},{:.1}",
                self.name,
                contender.name,
                self.selected,
                seconds * 1e9
            );
        }
    }

    pub fn print_ratios(&mut self, quick: bool) {
        let (count, bytes) = (self.payloads.len(), self.payloads.iter().map(Vec::len).sum::<usize>());
        let share = 100.0 * self.selected as f64 / bytes as f64;
        println!(
            "\n{}: {count} messages, {:.1} MB, {share:.0} % of the bytes selected",
            self.name,
            bytes as f64 / 1e6
        );
        let best = self.best(if quick { TIME / 4 } else { TIME });
        let full = best.last().copied().unwrap_or_default();
        for (contender, time) in self.contenders.iter().zip(&best) {
            println!("  {:<34} {:>9.0} ns  {:>5.2}x prost", contender.name, time * 1e9, full / time);
        }
        for &(fast, slow, wanted) in self.targets {
            let ratio = best[slow] / best[fast];
            let verdict = if ratio >= wanted { "reached" } else { "MISSED" };
            let (fast, slow) = (self.contenders[fast].name, self.contenders[slow].name);
            println!("  {fast} against {slow}: {ratio:.2}x, target {wanted}x, {verdict}");
        }
    }

    /// Seconds per message: the least of rounds over all messages, which take about this time together.
    fn best(&mut self, time: Duration) -> Vec<f64> {
        let count = self.payloads.len();
        // Of few messages a round has each several times, or it would be too short for the clock.
        let repeats = 16_usize.div_ceil(count);
        let mut best = vec![Duration::MAX; self.contenders.len()];
        let start = Instant::now();
        let mut rounds = 0;
        while rounds < 5 || (start.elapsed() < time && rounds < 1_000) {
            for (contender, best) in self.contenders.iter_mut().zip(&mut best) {
                let start = Instant::now();
                for at in (0..repeats).flat_map(|_| 0..count) {
                    std::hint::black_box(contender.run(at));
                }
                *best = start.elapsed().min(*best);
            }
            rounds += 1;
        }
        best.iter().map(|best| best.as_secs_f64() / (count * repeats) as f64).collect()
    }
}

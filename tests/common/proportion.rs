//! Tests of how time grows. Of many short runs the shortest counts, and what seems out of proportion is measured again before
//! it is believed: other programs run on the same machine.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Measured so many times before a test fails.
const TRIES: usize = 25;

/// The time that this thread has run, where Linux says it: what else runs on the machine does not count. Otherwise the time.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = stat.and_then(|stat| stat.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn time(run: &mut impl FnMut()) -> Duration {
    let start = processor_time();
    run();
    processor_time() - start
}

/// Fails if `more` takes more than `factor` times as long as `few`, and 4 ms, which is what the clock is out by. The runs
/// alternate, so that a slow minute is one for both.
#[track_caller]
pub fn assert_within(factor: u32, mut few: impl FnMut(), mut more: impl FnMut()) {
    let (mut least_of_few, mut least_of_more) = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        least_of_few = least_of_few.min(time(&mut few));
        least_of_more = least_of_more.min(time(&mut more));
        if least_of_more <= factor * least_of_few + Duration::from_millis(4) {
            return;
        }
    }
    panic!("{least_of_more:?} is more than {factor} times {least_of_few:?}");
}

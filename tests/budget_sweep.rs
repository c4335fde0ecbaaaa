//! Operations that fail at every step, and what holds afterwards; things used again, and what they remember. The
//! checks are those of the fuzz targets `budgets`, `full_store` and `reuse`, run here from seeds.
//!
//! `TABLEPB_SWEEP=N` runs N rounds of each instead of a sample.

#[path = "../fuzz/agree/mod.rs"]
mod agree;

use agree::choices::Choices;
use agree::{budgets, full_store, reuse};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// Runs a check on seeds; says which seeds fail, and when. Long runs go on after a failure.
fn sweep<T>(name: &str, rounds: u64, mut check: impl FnMut(&mut Choices) -> T, mut done: impl FnMut(T)) {
    let from_env = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let (long, first) = (from_env("TABLEPB_SWEEP"), from_env("TABLEPB_SEED").unwrap_or(0));
    let rounds = long.unwrap_or(rounds);
    let start = Instant::now();
    let mut failed = 0;
    for seed in first..first + rounds {
        match catch_unwind(AssertUnwindSafe(|| check(&mut Choices::seeded(seed)))) {
            Ok(tried) => done(tried),
            Err(panic) => {
                println!("{name}: seed {seed} fails after {:.1?}", start.elapsed());
                failed += 1;
                if long.is_none() || failed == 50 {
                    resume_unwind(panic);
                }
            }
        }
    }
    println!("{name}: {rounds} rounds in {:.1?}, {failed} failed", start.elapsed());
    assert_eq!(failed, 0, "{name}");
}

#[test]
fn messages_are_valid_after_every_failed_merge() {
    let mut all = budgets::Tried::default();
    sweep("budgets", 60, budgets::run, |tried| {
        all.merges += tried.merges;
        all.failed += tried.failed;
    });
    println!("{all:?}");
    assert!(all.failed > all.merges / 4, "{all:?}");
}

#[test]
fn setters_that_find_no_room_change_nothing() {
    let mut all = full_store::Tried::default();
    sweep("full_store", 60, full_store::run, |tried| {
        all.failed += tried.failed;
        all.done += tried.done;
    });
    println!("{all:?}");
    assert!(all.failed > 50 && all.done > 50, "{all:?}");
}

#[test]
fn decoders_are_as_good_as_new_after_large_inputs() {
    sweep("decoders", 60, reuse::decoders, drop);
}

#[test]
fn merging_piece_by_piece_takes_no_more_than_one_decode() {
    sweep("merges", 40, reuse::merges, drop);
}

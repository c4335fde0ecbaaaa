//! The checks of the fuzz targets that need this binary's allocator, and those that go with them, run from seeds. `TABLEPB_SWEEP=N` runs N
//! rounds of each instead of a sample, `TABLEPB_SEED=S` from another seed on.

use crate::agree::{hostile_keys, panics, shaped, strangers, unchecked};
use crate::common::choices::Choices;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs a check on seeds and says which one fails.
fn sweep<T>(name: &str, rounds: u64, check: impl Fn(&mut Choices) -> T, mut done: impl FnMut(T)) {
    let from_env = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first = from_env("TABLEPB_SEED").unwrap_or(0);
    let rounds =
        from_env("TABLEPB_SWEEP").unwrap_or(if cfg!(debug_assertions) { rounds / 8 } else { rounds });
    for seed in first..first + rounds {
        match catch_unwind(AssertUnwindSafe(|| check(&mut Choices::seeded(seed)))) {
            Ok(answer) => done(answer),
            Err(panic) => {
                println!("{name}: seed {seed} fails");
                resume_unwind(panic);
            }
        }
    }
}

#[test]
fn objects_live_on_after_panics_of_the_caller_and_failing_allocations() {
    let mut all = panics::Tried::default();
    sweep("panics", 400, panics::run, |tried| {
        all.panicked += tried.panicked;
        all.failed += tried.failed;
        all.done += tried.done;
    });
    println!("{all:?}");
    assert!(all.panicked > 20 && all.failed > 20 && all.done > 20, "{all:?}");
}

#[test]
fn handles_of_another_pool_read_and_write_what_the_message_is() {
    let mut all = strangers::Tried::default();
    sweep("strangers", 200, strangers::run, |tried| {
        all.accepted += tried.accepted;
        all.refused += tried.refused;
    });
    println!("{all:?}");
    assert!(all.accepted > 40 && all.refused > 40, "{all:?}");
}

#[test]
fn numbers_shaped_like_spans_are_never_read_as_strings() {
    let mut decoded = 0;
    sweep("shaped", 400, shaped::run, |inputs| decoded += inputs);
    assert!(decoded > 4, "{decoded}");
}

#[test]
fn messages_that_nobody_has_checked_are_written_as_they_are_and_read_or_refused() {
    let mut set = 0;
    sweep("unchecked", 200, unchecked::run, |messages| set += messages);
    assert!(set > 40, "{set}");
}

#[test]
fn maps_of_hostile_keys_keep_every_key_once_within_their_budget() {
    let mut entries = 0;
    sweep("hostile_keys", 160, hostile_keys::run, |decoded| entries += decoded);
    assert!(entries > 1_000, "{entries}");
}

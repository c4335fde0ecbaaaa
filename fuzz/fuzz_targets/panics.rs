//! Objects live on after panics of the caller's code and failing allocations.

#![no_main]

use tablepb_fuzz::agree::panics;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = panics::check(input);
});

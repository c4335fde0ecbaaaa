//! Projections and what passes through, and edits of them, against full messages.

#![no_main]

use tablepb_fuzz::agree::projected;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = projected::check(input);
});

//! Edits of a dynamic message and of a plain model.

#![no_main]

use tablepb_fuzz::agree::edits;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = edits::check(input);
});

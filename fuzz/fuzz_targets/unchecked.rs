//! Unchecked messages are written as they are, and read or refused.

#![no_main]

use tablepb_fuzz::agree::unchecked;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = unchecked::check(input);
});

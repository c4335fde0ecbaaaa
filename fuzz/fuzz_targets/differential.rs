//! Any schema and any payload against the plain codec of the tests.

#![no_main]

use tablepb_fuzz::agree::differential;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = differential::check(input);
});

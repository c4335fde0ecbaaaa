//! Maps of hostile keys keep every key once, within their budget.

#![no_main]

use tablepb_fuzz::agree::hostile_keys;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = hostile_keys::check(input);
});

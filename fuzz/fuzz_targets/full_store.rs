//! Setters and copies that find no room change nothing.

#![no_main]

use tablepb_fuzz::agree::full_store;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = full_store::check(input);
});

//! JSON of random messages comes back, prost-reflect agrees, and broken JSON leaves a valid message.

#![no_main]

use tablepb_fuzz::agree::json;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = json::check(input);
});

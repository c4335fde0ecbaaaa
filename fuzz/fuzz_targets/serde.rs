//! Random messages come back through serde, and broken bytes leave a valid message.

#![no_main]

use tablepb_fuzz::serde;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = serde::check(input);
});

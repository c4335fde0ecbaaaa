//! Text format of random messages comes back, and broken text leaves a valid message.

#![no_main]

use tablepb_fuzz::agree::text;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = text::check(input);
});

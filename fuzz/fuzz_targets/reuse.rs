//! Decoders and messages that are used again are as good as new.

#![no_main]

use tablepb_fuzz::agree::reuse;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = reuse::check(input);
});

//! Decoders and messages that live on from one input to the next.

#![no_main]

use tablepb_fuzz::agree::long_run;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = long_run::check(input);
});

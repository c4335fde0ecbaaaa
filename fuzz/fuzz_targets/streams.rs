//! Frames of a stream that comes in any pieces.

#![no_main]

use tablepb_fuzz::agree::streams;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = streams::check(input);
});

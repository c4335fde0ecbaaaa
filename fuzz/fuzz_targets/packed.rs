//! Packed runs and strings: kernels against plain loops.

#![no_main]

use tablepb_fuzz::agree::packed;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = packed::check(input);
});

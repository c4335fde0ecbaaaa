//! What a visit hands over against what decoding gives.

#![no_main]

use tablepb_fuzz::agree::visited;

libfuzzer_sys::fuzz_target!(|input: &[u8]| visited::check(input));

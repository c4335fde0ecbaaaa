//! Numbers shaped like the spans of strings are never read as strings.

#![no_main]

use tablepb_fuzz::agree::shaped;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = shaped::check(input);
});

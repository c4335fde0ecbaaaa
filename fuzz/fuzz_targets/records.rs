//! Records against messages that setters build.

#![no_main]

use tablepb_fuzz::agree::records;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = records::check(input);
});

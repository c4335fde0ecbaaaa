//! Structs against dynamic messages.

#![no_main]

use tablepb_fuzz::agree::typed;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = typed::check(input);
});

//! Handles of another pool read and write what the message is.

#![no_main]

use tablepb_fuzz::agree::strangers;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = strangers::check(input);
});

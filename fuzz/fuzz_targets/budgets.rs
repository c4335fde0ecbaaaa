//! Merges that fail for want of memory, levels or bytes leave a valid message.

#![no_main]

use tablepb_fuzz::agree::budgets;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = budgets::check(input);
});

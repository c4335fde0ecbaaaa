//! Descriptor sets are loaded, printed, and loaded again.

#![no_main]

use tablepb_fuzz::agree::descriptor_sets;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = descriptor_sets::check(input);
});

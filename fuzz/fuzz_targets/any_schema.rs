//! Any descriptor set and any payload: no panic, and what is decoded encodes and decodes again to the same.

#![no_main]

use tablepb_fuzz::agree::any_schema;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = any_schema::check(input);
});

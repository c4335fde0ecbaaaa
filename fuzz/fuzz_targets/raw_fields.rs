//! Fields without a schema, walked and edited.

#![no_main]

use tablepb_fuzz::agree::raw_fields;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = raw_fields::check(input);
});

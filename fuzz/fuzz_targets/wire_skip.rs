//! Skipping, reading field by field, and reading groups as messages agree. The first byte is the depth limit.

#![no_main]

use tablepb_fuzz::agree::wire_skip;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((depth, input)) = input.split_first() {
        let _ = wire_skip::check(input, (depth % 104).into());
    }
});

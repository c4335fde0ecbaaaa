//! Sources are compiled, printed, and compiled again.

#![no_main]

use tablepb_fuzz::proto_sources;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = proto_sources::check(input);
});

//! Dynamic messages, structs and prost agree about bytes of a fixed schema, but for what is listed.

#![no_main]

use tablepb_fuzz::agree::dynamic_prost;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = dynamic_prost::check(input);
});

//! Dynamic messages, structs and prost agree about bytes of a fixed schema, but for what is listed.

#![no_main]

#[path = "../agree/dynamic_prost.rs"]
mod agree;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = agree::check(input);
});

//! Any descriptor set and any payload: no panic, and what is decoded encodes and decodes again to the same.

#![no_main]

#[path = "../agree/any_schema.rs"]
mod agree;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = agree::check(input);
});

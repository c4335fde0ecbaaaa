//! The benches are `codec.rs`, `partial/` and `records.rs`.
#![no_std]

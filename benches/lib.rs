//! The benches are `codec.rs`, `partial/`, `records.rs` and `sweep.rs`.
#![no_std]

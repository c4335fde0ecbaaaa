//! The benches are `codec.rs`, `partial/` and `records.rs`.

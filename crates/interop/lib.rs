//! The tests of this package are in `main.rs`.

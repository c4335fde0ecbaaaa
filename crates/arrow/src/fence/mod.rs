//! The only modules with `unsafe` operations.
//!
//! With `--cfg tablepb_safe` their twins are compiled instead: Arrow checks what was checked before, and every processor shifts bits.
#![allow(unsafe_code)]

pub(crate) mod arrays;
pub(crate) mod cpu;

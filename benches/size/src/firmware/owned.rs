//! Structs with members that own memory.
#![no_std]
#![no_main]
#![allow(dead_code, reason = "a program has one message type, or the ten others")]

#[path = "../../../../crates/no_std/src/heap.rs"]
mod heap;

extern crate alloc;

type Text<'a> = alloc::string::String;
type Raw<'a> = alloc::vec::Vec<u8>;
type Signed = alloc::vec::Vec<i32>;
type Unsigned = alloc::vec::Vec<u32>;

include!("structs.rs");
include!("bare.rs");

//! Structs with members of fixed capacity.
#![no_std]
#![no_main]
#![allow(dead_code, reason = "a program has one message type, or the ten others")]

type Text<'a> = heapless::String<16>;
type Raw<'a> = heapless::Vec<u8, 16>;
type Signed = heapless::Vec<i32, 16>;
type Unsigned = heapless::Vec<u32, 16>;

include!("structs.rs");
include!("bare.rs");

//! Structs that borrow strings and bytes, with lists of fixed capacity.
#![no_std]
#![no_main]
#![allow(dead_code, reason = "a program has one message type, or the ten others")]

type Text<'a> = &'a str;
type Raw<'a> = &'a [u8];
type Signed = heapless::Vec<i32, 16>;
type Unsigned = heapless::Vec<u32, 16>;

include!("structs.rs");
include!("bare.rs");

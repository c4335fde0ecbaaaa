//! prost's generated structs, which own their memory.
#![no_std]
#![no_main]
#![allow(dead_code, reason = "a program has one message type, or the ten others")]

#[path = "../../../../crates/no_std/src/heap.rs"]
mod heap;

extern crate alloc;

use alloc::{string::String, vec::Vec};
extern crate prost_bare as prost;
use prost::Message;

macro_rules! go {
    ($message:ident, $received:expr, $sent:expr) => {
        if let Ok(message) = $message::decode(black_box($received)) {
            black_box(&message);
            #[cfg(not(feature = "decode-only"))]
            let _ = black_box(message.encode(&mut &mut *$sent));
        }
    };
}

#[derive(Clone, PartialEq, prost::Message)]
struct Position {
    #[prost(sint32, tag = "1")]
    lat: i32,
    #[prost(sint32, tag = "2")]
    lon: i32,
    #[prost(fixed32, tag = "3")]
    alt: u32,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Reading {
    #[prost(string, tag = "1")]
    sensor: String,
    #[prost(uint64, tag = "2")]
    uptime: u64,
    #[prost(float, optional, tag = "3")]
    temperature: Option<f32>,
    #[prost(bytes = "vec", tag = "4")]
    raw: Vec<u8>,
    #[prost(message, optional, tag = "5")]
    position: Option<Position>,
    #[prost(sint32, repeated, tag = "6")]
    samples: Vec<i32>,
    #[prost(int32, tag = "7")]
    mode: i32,
}

macro_rules! ten {
    ($($message:ident $name:tt $b:tt $c:tt $d:tt $e:tt $p:tt $f:tt;)*) => {$(
        #[derive(Clone, PartialEq, prost::Message)]
        struct $message {
            #[prost(uint32, tag = 1)]
            a: u32,
            #[prost(sint64, tag = $b)]
            b: i64,
            #[prost(string, tag = $c)]
            c: String,
            #[prost(float, optional, tag = $d)]
            d: Option<f32>,
            #[prost(uint32, repeated, tag = $e)]
            e: Vec<u32>,
            #[prost(message, optional, tag = $p)]
            p: Option<Position>,
            #[prost(bool, tag = $f)]
            f: bool,
        }
    )*};
}

include!("bare.rs");

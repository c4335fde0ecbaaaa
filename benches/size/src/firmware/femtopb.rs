//! femtopb's structs, which borrow; it decodes lists only when they are read.
#![no_std]
#![no_main]
#![allow(dead_code, reason = "a program has one message type, or the ten others")]

use femtopb::item_encoding::{SInt32, UInt32};
use femtopb::packed::Packed;
use femtopb::{Message, UnknownFields};

macro_rules! go {
    ($message:ident, $received:expr, $sent:expr) => {
        if let Ok(message) = $message::decode(black_box($received)) {
            black_box(&message);
            #[cfg(not(feature = "decode-only"))]
            let _ = black_box(message.encode(&mut &mut *$sent));
        }
    };
}

#[derive(Clone, Debug, PartialEq, femtopb::Message)]
struct Position<'a> {
    #[femtopb(sint32, tag = 1)]
    lat: i32,
    #[femtopb(sint32, tag = 2)]
    lon: i32,
    #[femtopb(fixed32, tag = 3)]
    alt: u32,
    #[femtopb(unknown_fields)]
    unknown: UnknownFields<'a>,
}

#[derive(Clone, Debug, PartialEq, femtopb::Message)]
struct Reading<'a> {
    #[femtopb(string, tag = 1)]
    sensor: &'a str,
    #[femtopb(uint64, tag = 2)]
    uptime: u64,
    #[femtopb(float, optional, tag = 3)]
    temperature: Option<f32>,
    #[femtopb(bytes, tag = 4)]
    raw: &'a [u8],
    #[femtopb(message, optional, tag = 5)]
    position: Option<Position<'a>>,
    #[femtopb(sint32, packed, tag = 6)]
    samples: Packed<'a, i32, SInt32>,
    #[femtopb(int32, tag = 7)]
    mode: i32,
    #[femtopb(unknown_fields)]
    unknown: UnknownFields<'a>,
}

macro_rules! ten {
    ($($message:ident $name:tt $b:tt $c:tt $d:tt $e:tt $p:tt $f:tt;)*) => {$(
        #[derive(Clone, Debug, PartialEq, femtopb::Message)]
        struct $message<'a> {
            #[femtopb(uint32, tag = 1)]
            a: u32,
            #[femtopb(sint64, tag = $b)]
            b: i64,
            #[femtopb(string, tag = $c)]
            c: &'a str,
            #[femtopb(float, optional, tag = $d)]
            d: Option<f32>,
            #[femtopb(uint32, packed, tag = $e)]
            e: Packed<'a, u32, UInt32>,
            #[femtopb(message, optional, tag = $p)]
            p: Option<Position<'a>>,
            #[femtopb(bool, tag = $f)]
            f: bool,
            #[femtopb(unknown_fields)]
            unknown: UnknownFields<'a>,
        }
    )*};
}

include!("bare.rs");

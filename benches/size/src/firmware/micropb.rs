//! micropb's generated structs, with members of fixed capacity.
#![no_std]
#![no_main]
#![allow(dead_code, reason = "a program has one message type, or the ten others")]

use micropb::MessageDecode;
#[cfg(not(feature = "decode-only"))]
use micropb::{MessageEncode, PbEncoder};

mod generated {
    #![allow(warnings, clippy::all)]
    include!(concat!(env!("OUT_DIR"), "/micropb.rs"));
}
use generated::firmware_::*;

macro_rules! go {
    ($message:ident, $received:expr, $sent:expr) => {
        let mut message = $message::default();
        if message.decode_from_bytes(black_box($received)).is_ok() {
            black_box(&message);
            #[cfg(not(feature = "decode-only"))]
            let _ = black_box(message.encode(&mut PbEncoder::new(&mut *$sent)));
        }
    };
}

macro_rules! ten {
    ($($rows:tt)*) => {};
}

include!("bare.rs");

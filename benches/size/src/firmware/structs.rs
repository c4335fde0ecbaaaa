// The messages of `firmware.proto` as structs of `message!`. Included with the types `Text`, `Raw`, `Signed` and `Unsigned`, with a lifetime.

use tablepb_bare::Message;

macro_rules! go {
    ($message:ident, $received:expr, $sent:expr) => {
        if let Ok(message) = $message::decode(black_box($received)) {
            black_box(&message);
            #[cfg(not(feature = "decode-only"))]
            let _ = black_box(message.encode_to_slice($sent));
        }
    };
}

#[derive(Debug, Default)]
struct Position {
    lat: i32,
    lon: i32,
    alt: u32,
}

#[derive(Debug, Default)]
struct Reading<'a> {
    sensor: Text<'a>,
    uptime: u64,
    temperature: Option<f32>,
    raw: Raw<'a>,
    position: Option<Position>,
    samples: Signed,
    mode: i32,
    borrowed: core::marker::PhantomData<&'a ()>,
}

tablepb_bare::message! {
    Position as "firmware.Position" { lat: sint32 = 1, lon: sint32 = 2, alt: fixed32 = 3 }
    Reading<'a> as "firmware.Reading" {
        sensor: string = 1,
        uptime: uint64 = 2,
        temperature: optional float = 3,
        raw: bytes = 4,
        position: message Position = 5,
        samples: repeated sint32 = 6,
        mode: int32 = 7,
        borrowed: skip,
    }
}

macro_rules! ten {
    ($($message:ident $name:tt $b:tt $c:tt $d:tt $e:tt $p:tt $f:tt;)*) => {$(
        #[derive(Debug, Default)]
        struct $message<'a> {
            a: u32,
            b: i64,
            c: Text<'a>,
            d: Option<f32>,
            e: Unsigned,
            p: Option<Position>,
            f: bool,
            borrowed: core::marker::PhantomData<&'a ()>,
        }

        tablepb_bare::message! {
            $message<'a> as $name {
                a: uint32 = 1,
                b: sint64 = $b,
                c: string = $c,
                d: optional float = $d,
                e: repeated uint32 = $e,
                p: message Position = $p,
                f: bool = $f,
                borrowed: skip,
            }
        }
    )*};
}

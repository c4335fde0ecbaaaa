//! What one call costs: small messages beside prost, `cargo bench --bench small`.
//!
//! One struct has the codecs of both crates. 200 messages are taken again and again, then 20 000 distinct ones. Decoded by prost, as a struct, by a
//! reused `Decoder` and as a new `DynamicMessage`, which includes to drop what is made; encoded into one reused `Vec` by prost, from a
//! struct, and from a `DynamicMessage` that was decoded.
//!
//! Each pair is the least time of many rounds, all contenders in turns, in nanoseconds for one message, and how many times as long prost takes.
//! `-- --csv` prints the same as comma-separated values, times only.

use std::collections::HashMap;
use std::hint::black_box;
use tablepb::{Decoder, DescriptorPool, DynamicMessage};
use tablepb_benches::{Random, message, turns};

message! { Two as "small.Two" { a: i32 = 1 "1" (int32) [int32]; b: bool = 2 "2" (bool) [bool]; } }
message! { Doubles as "small.Doubles" {
    a: f64 = 1 "1" (double) [double]; b: f64 = 2 "2" (double) [double]; c: f64 = 3 "3" (double) [double];
    d: f64 = 4 "4" (double) [double]; e: f64 = 5 "5" (double) [double];
} }
message! { Strings as "small.Strings" {
    a: String = 1 "1" (string) [string]; b: String = 2 "2" (string) [string]; c: String = 3 "3" (string) [string];
    d: String = 4 "4" (string) [string]; e: String = 5 "5" (string) [string];
} }
message! { Numbers as "small.Numbers" {
    a: u64 = 1 "1" (uint64) [uint64]; b: u64 = 2 "2" (uint64) [uint64]; c: u64 = 3 "3" (uint64) [uint64];
    d: u64 = 4 "4" (uint64) [uint64]; e: u64 = 5 "5" (uint64) [uint64]; f: u64 = 6 "6" (uint64) [uint64];
} }
message! { Event as "small.Event" {
    time: u64 = 1 "1" (uint64) [uint64]; a: u32 = 2 "2" (uint32) [uint32]; b: u32 = 3 "3" (uint32) [uint32];
    c: u32 = 4 "4" (uint32) [uint32];
} }
message! { Outer as "small.Outer" { inner: Option<Inner> = 1 "1" (message Inner) [message, optional]; } }
message! { Inner as "small.Inner" { two: Option<Two> = 1 "1" (message Two) [message, optional]; } }
message! { List as "small.List" { items: Vec<Two> = 1 "1" (repeated message Two) [message, repeated]; } }
message! { Map as "small.Map" { entries: HashMap<i32, f64> = 1 "1" (map<int32, double>) [map = "int32, double"]; } }
message! { Runs as "small.Runs" {
    a: Vec<u32> = 1 "1" (repeated uint32) [uint32, repeated]; b: Vec<i64> = 2 "2" (repeated sint64) [sint64, repeated];
    c: Vec<f32> = 3 "3" (repeated float) [float, repeated];
} }

fn two(random: &mut Random) -> Two {
    Two { a: 1 + random.below(99) as i32, b: random.below(4) != 0 }
}

/// Five strings, the length of each in bytes from `length`.
fn strings(mut length: impl FnMut() -> u64) -> Strings {
    let mut text = || "a".repeat(length() as usize);
    Strings { a: text(), b: text(), c: text(), d: text(), e: text() }
}

/// The times of one message, prost's first.
struct Times {
    name: &'static str,
    /// Distinct messages.
    count: usize,
    /// Their mean length.
    bytes: f64,
    decode: [f64; 4],
    encode: [f64; 3],
}

impl Times {
    fn head(csv: bool) {
        if csv {
            println!("message,count,bytes,prost decodes,struct,Decoder,new,prost encodes,struct,dynamic");
        } else {
            println!(
                "{:<46} {:>8}{:>16}{:>16}{:>16}   {:>8}{:>16}{:>16}",
                "decode, then encode; ns", "prost", "struct", "Decoder", "new", "prost", "struct", "dynamic"
            );
        }
    }

    fn print(&self, csv: bool) {
        let Self { name, count, bytes, decode, encode } = self;
        if csv {
            let times: Vec<String> = decode.iter().chain(encode).map(|time| format!("{time:.1}")).collect();
            return println!("{name},{count},{bytes:.1},{}", times.join(","));
        }
        let row = |times: &[f64]| {
            let beside = |time: &f64| format!("{time:>9.1} {:>5.2}x", times[0] / time);
            format!("{:>9.1}{}", times[0], times[1..].iter().map(beside).collect::<String>())
        };
        println!("{name:<32}{count:>6}{bytes:>8.1}{}  {}", row(decode), row(encode));
    }
}

/// Measures messages that `make` makes: few of them, then many.
fn compare<M>(csv: bool, name: &'static str, mut make: impl FnMut(&mut Random) -> M)
where
    M: prost::Message + Default + tablepb::DecodeOwned,
{
    let pool = DescriptorPool::from_tables(&[M::TABLE]).unwrap();
    let descriptor = pool.message(M::TABLE.full_name()).unwrap();
    for count in [200, 20_000] {
        let mut random = Random::default();
        let structs: Vec<M> = (0..count).map(|_| make(&mut random)).collect();
        let bytes: Vec<Vec<u8>> = structs.iter().map(prost::Message::encode_to_vec).collect();
        let dynamic: Vec<_> =
            bytes.iter().map(|bytes| DynamicMessage::decode(&descriptor, bytes).unwrap()).collect();
        let mut decoder = Decoder::new(&descriptor);
        let decode = turns([
            &mut || {
                bytes
                    .iter()
                    .for_each(|bytes| drop(black_box(<M as prost::Message>::decode(&bytes[..]).unwrap())))
            },
            &mut || {
                bytes
                    .iter()
                    .for_each(|bytes| drop(black_box(<M as tablepb::Message>::decode(bytes).unwrap())))
            },
            &mut || {
                bytes.iter().for_each(|bytes| {
                    black_box(decoder.decode(bytes).unwrap());
                })
            },
            &mut || {
                bytes
                    .iter()
                    .for_each(|bytes| drop(black_box(DynamicMessage::decode(&descriptor, bytes).unwrap())))
            },
        ]);
        let [mut first, mut second, mut third] = [(); 3].map(|()| Vec::with_capacity(1 << 12));
        let encode = turns([
            &mut || {
                structs.iter().for_each(|message| {
                    first.clear();
                    prost::Message::encode(message, &mut first).unwrap();
                    black_box(&first);
                })
            },
            &mut || {
                structs.iter().for_each(|message| {
                    second.clear();
                    tablepb::Message::encode(message, &mut second).unwrap();
                    black_box(&second);
                })
            },
            &mut || {
                dynamic.iter().for_each(|message| {
                    third.clear();
                    message.encode(&mut third).unwrap();
                    black_box(&third);
                })
            },
        ]);
        let mean = bytes.iter().map(Vec::len).sum::<usize>() as f64 / count as f64;
        let (decode, encode) =
            (decode.map(|time| time / count as f64), encode.map(|time| time / count as f64));
        Times { name, count, bytes: mean, decode, encode }.print(csv);
    }
}

fn main() {
    let csv = std::env::args().any(|argument| argument == "--csv");
    Times::head(csv);
    compare(csv, "no field", |_| Two::default());
    compare(csv, "two small numbers", two);
    compare(csv, "five doubles", |random| {
        let mut value = || 0.5 + random.below(1000) as f64;
        Doubles { a: value(), b: value(), c: value(), d: value(), e: value() }
    });
    compare(csv, "five strings below 33 bytes", |random| strings(|| random.below(33)));
    compare(csv, "five strings of 10 to 12 bytes", |random| strings(|| 10 + random.below(3)));
    compare(csv, "six numbers of any length", |random| {
        let mut value = || random.any();
        Numbers { a: value(), b: value(), c: value(), d: value(), e: value(), f: value() }
    });
    compare(csv, "a time and three ids", |random| Event {
        time: 1_790_000_000_000_000 + random.below(1 << 40),
        a: random.below(1 << 20) as u32,
        b: random.below(1 << 27) as u32,
        c: random.below(300) as u32,
    });
    compare(csv, "a message of two small numbers", |random| Inner { two: Some(two(random)) });
    compare(csv, "a message in a message, the same", |random| Outer {
        inner: Some(Inner { two: Some(two(random)) }),
    });
    compare(csv, "ten messages of two numbers", |random| List {
        items: (0..10).map(|_| two(random)).collect(),
    });
    compare(csv, "a map of ten numbers", |random| Map {
        entries: (0..10).map(|_| (random.below(1000) as i32, random.below(1000) as f64)).collect(),
    });
    compare(csv, "three packed runs of four", |random| Runs {
        a: (0..4).map(|_| random.below(1 << 14) as u32).collect(),
        b: (0..4).map(|_| random.below(1000) as i64 - 500).collect(),
        c: (0..4).map(|_| random.below(1000) as f32).collect(),
    });
}

//! Shapes that once had a trap, one step after the other, beside prost: `cargo bench --bench sweep`.
//!
//! - `strings`: a list of strings of each length, and the UTF-8 check alone beside the standard library's.
//! - `numbers`: lists of messages of one to eight numbers of fixed width, of which a share of the elements lacks each field with even
//!   odds, or one field.
//! - `maps`: maps of so many entries in random order, decoded, encoded, and every key looked up. prost's are `HashMap`s; a struct of
//!   `message!` may have a `SmallMap`, a list of entries, or a `HashMap` as well.
//!
//! Each line is one shape: the least time of many rounds, all contenders in turns, in nanoseconds for one string, element or entry, and how many
//! times as long prost takes. Everything is in cache. What prost decodes faster is marked.
//! `-- strings`, `-- numbers` or `-- maps` runs one part.

use prost::Message as _;
use std::collections::HashMap;
use std::hint::black_box;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::wire::utf8;
use tablepb::{Decoder, DescriptorPool, DynamicMessage, MapRef, SmallMap};
use tablepb_benches::{Random, message, turns};

/// Elements of a list, and lists that are decoded in turn: a predictor should not learn them.
const ELEMENTS: usize = 100;
const LISTS: usize = 16;

/// The mark of a shape that prost decodes faster.
fn mark(ratio: f64) -> &'static str {
    if ratio < 1.0 { "  slower" } else { "" }
}

fn decoder(table: &'static MessageTable) -> Decoder {
    let pool = DescriptorPool::from_tables(&[table]).unwrap();
    Decoder::new(&pool.message(table.full_name()).unwrap())
}

#[derive(Clone, PartialEq, prost::Message)]
struct Strings {
    #[prost(string, repeated, tag = "1")]
    items: Vec<String>,
}

static STRINGS: MessageTable =
    MessageTable::new("sweep.Strings", &[FieldTable::new("items", 1, Kind::String).repeated()]);

fn strings() {
    println!(
        "{:>5} {:>8} {:>8} {:>6}   {:>8} {:>8} {:>6}",
        "bytes", "check", "core", "", "decode", "prost", ""
    );
    let mut decoder = decoder(&STRINGS);
    for len in (0..=136).chain((192..=4096).step_by(61)) {
        let list = Strings { items: vec!["a".repeat(len); ELEMENTS] };
        let bytes = list.encode_to_vec();
        let [check, core, decode, prost] = turns([
            &mut || {
                list.items.iter().for_each(|s| assert!(black_box(utf8::is_valid(black_box(s.as_bytes())))))
            },
            &mut || {
                list.items
                    .iter()
                    .for_each(|s| assert!(black_box(str::from_utf8(black_box(s.as_bytes())).is_ok())))
            },
            &mut || {
                black_box(decoder.decode(&bytes).unwrap());
            },
            &mut || drop(black_box(Strings::decode(&bytes[..]).unwrap())),
        ])
        .map(|time| time / ELEMENTS as f64);
        let ratio = prost / decode;
        println!(
            "{len:>5} {check:>8.1} {core:>8.1} {:>6.2}   {decode:>8.1} {prost:>8.1} {ratio:>6.2}{}",
            core / check,
            mark(ratio)
        );
    }
}

/// A list of messages, for prost and as tables, and a function that makes one of which `keep` says, by element and field,
/// what is set.
struct Shape {
    name: &'static str,
    fields: usize,
    table: &'static MessageTable,
    make: fn(&mut dyn FnMut(usize) -> bool) -> Vec<u8>,
    prost: fn(&[u8]),
}

macro_rules! shape {
    ($name:literal, $($member:ident: $type:ty, $attribute:ident, $kind:ident = $number:literal $tag:literal),+) => {{
        #[derive(Clone, PartialEq, prost::Message)]
        struct Item {
            $(#[prost($attribute, tag = $tag)] $member: $type,)+
        }
        #[derive(Clone, PartialEq, prost::Message)]
        struct List {
            #[prost(message, repeated, tag = "1")]
            items: Vec<Item>,
        }
        static ITEM: MessageTable =
            MessageTable::new("sweep.Item", &[$(FieldTable::new(stringify!($member), $number, Kind::$kind)),+]);
        static LIST: MessageTable =
            MessageTable::new("sweep.List", &[FieldTable::new("items", 1, Kind::Message(|| &ITEM)).repeated()]);
        Shape {
            name: $name,
            fields: [$($number),+].len(),
            table: &LIST,
            make: |keep| {
                let mut item = || Item { $($member: <$type>::from(u8::from(keep($number - 1)))),+ };
                List { items: (0..ELEMENTS).map(|_| item()).collect() }.encode_to_vec()
            },
            prost: |bytes| drop(black_box(List::decode(bytes).unwrap())),
        }
    }};
}

/// One shape for each count of fields.
macro_rules! shapes {
    ($name:literal: $(($($field:tt)*))+) => { shapes!(@$name [] $(($($field)*))+) };
    (@$name:literal [$(($($done:tt)*))*] ($($next:tt)*) $(($($rest:tt)*))*) => {{
        let mut shapes = vec![shape!($name, $($($done)*,)* $($next)*)];
        shapes.extend(shapes!(@$name [$(($($done)*))* ($($next)*)] $(($($rest)*))*));
        shapes
    }};
    (@$name:literal [$($done:tt)*]) => { Vec::new() };
}

fn numbers() {
    let mut all: Vec<Shape> = shapes!("float":
        (a: f32, float, Float = 1 "1") (b: f32, float, Float = 2 "2") (c: f32, float, Float = 3 "3")
        (d: f32, float, Float = 4 "4") (e: f32, float, Float = 5 "5") (f: f32, float, Float = 6 "6")
        (g: f32, float, Float = 7 "7") (h: f32, float, Float = 8 "8"));
    all.extend(shapes!("double":
        (a: f64, double, Double = 1 "1") (b: f64, double, Double = 2 "2") (c: f64, double, Double = 3 "3")
        (d: f64, double, Double = 4 "4") (e: f64, double, Double = 5 "5") (f: f64, double, Double = 6 "6")
        (g: f64, double, Double = 7 "7") (h: f64, double, Double = 8 "8")));
    all.extend(shapes!("mixed":
        (a: f64, double, Double = 1 "1") (b: u32, fixed32, Fixed32 = 2 "2") (c: u64, fixed64, Fixed64 = 3 "3")
        (d: f32, float, Float = 4 "4") (e: f64, double, Double = 5 "5") (f: u32, fixed32, Fixed32 = 6 "6")
        (g: u64, fixed64, Fixed64 = 7 "7") (h: f32, float, Float = 8 "8")));
    println!("{:<10} {:<24} {:>8} {:>8}", "", "", "decode", "prost");
    all.iter().for_each(decode_numbers);
}

fn decode_numbers(shape: &Shape) {
    let Shape { name, fields, table, make, prost } = *shape;
    let mut decoder = decoder(table);
    let shares = [0, 1, 10, 50, 100];
    let odds = shares.map(|share| (share, None));
    let lacks = (0..fields).flat_map(|field| shares[1..].iter().map(move |share| (*share, Some(field))));
    for (share, lacking) in odds.into_iter().chain(lacks) {
        let mut random = Random::default();
        let mut deviates = false;
        let mut keep = |field| {
            if field == 0 {
                deviates = random.below(100) < share;
            }
            !deviates || lacking.map_or_else(|| random.below(2) == 0, |lacking| lacking != field)
        };
        let lists: Vec<Vec<u8>> = (0..LISTS).map(|_| make(&mut keep)).collect();
        let [decode, prost] = turns([
            &mut || {
                for bytes in &lists {
                    black_box(decoder.decode(bytes).unwrap());
                }
            },
            &mut || lists.iter().for_each(|bytes| prost(bytes)),
        ])
        .map(|time| time / (LISTS * ELEMENTS) as f64);
        let what = match lacking {
            None => format!("{share} % lack half"),
            Some(field) => format!("{share} % lack field {}", field + 1),
        };
        let (shape, ratio) = (format!("{fields} {name}"), prost / decode);
        println!("{shape:<10} {what:<24} {decode:>8.1} {prost:>8.1} {ratio:>6.2}{}", mark(ratio));
    }
}

message! { ByNumber as "sweep.ByNumber" {
    entries: HashMap<i32, f64> = 1 "1" (map<int32, double>) [map = "int32, double"];
} }
message! { ByName as "sweep.ByName" {
    entries: HashMap<String, i32> = 1 "1" (map<string, int32>) [map = "string, int32"];
} }

/// The same with lists of entries.
#[derive(Default)]
struct ByNumberSmall {
    entries: SmallMap<i32, f64>,
}
tablepb::message! { ByNumberSmall as "sweep.ByNumber" { entries: map<int32, double> = 1 } }

#[derive(Default)]
struct ByNameSmall {
    entries: SmallMap<String, i32>,
}
tablepb::message! { ByNameSmall as "sweep.ByName" { entries: map<string, int32> = 1 } }

/// Measures maps of `count` entries. `find` and `find_dynamic` look each key up, in the struct and in the dynamic message.
fn compare_maps<H, S>(
    (name, count): (&str, usize),
    mut make: impl FnMut() -> H,
    find: fn(&H),
    find_dynamic: fn(&H, MapRef<'_, '_>),
) where
    H: prost::Message + Default + tablepb::DecodeOwned,
    S: tablepb::DecodeOwned,
{
    let maps: Vec<H> = (0..(20_000 / count).min(200)).map(|_| make()).collect();
    let bytes: Vec<Vec<u8>> = maps.iter().map(prost::Message::encode_to_vec).collect();
    let mut decoder = decoder(H::TABLE);
    let descriptor = decoder.descriptor().clone();
    let field = descriptor.field("entries").unwrap();
    let small: Vec<S> = bytes.iter().map(|bytes| S::decode(bytes).unwrap()).collect();
    let dynamic: Vec<DynamicMessage> =
        bytes.iter().map(|bytes| DynamicMessage::decode(&descriptor, bytes).unwrap()).collect();
    let decode = turns([
        &mut || {
            bytes.iter().for_each(|bytes| drop(black_box(<H as prost::Message>::decode(&bytes[..]).unwrap())))
        },
        &mut || {
            bytes.iter().for_each(|bytes| drop(black_box(<H as tablepb::Message>::decode(bytes).unwrap())))
        },
        &mut || bytes.iter().for_each(|bytes| drop(black_box(S::decode(bytes).unwrap()))),
        &mut || {
            for bytes in &bytes {
                black_box(decoder.decode(bytes).unwrap());
            }
        },
        &mut || {
            bytes
                .iter()
                .for_each(|bytes| drop(black_box(DynamicMessage::decode(&descriptor, bytes).unwrap())))
        },
    ]);
    let [mut prosts, mut hashed, mut smalls, mut dynamics] = [(); 4].map(|()| Vec::with_capacity(1 << 16));
    let encode = turns([
        &mut || {
            for map in &maps {
                prosts.clear();
                prost::Message::encode(map, &mut prosts).unwrap();
            }
        },
        &mut || {
            for map in &maps {
                hashed.clear();
                tablepb::Message::encode(map, &mut hashed).unwrap();
            }
        },
        &mut || {
            for map in &small {
                smalls.clear();
                map.encode(&mut smalls).unwrap();
            }
        },
        &mut || {
            for map in &dynamic {
                dynamics.clear();
                map.encode(&mut dynamics).unwrap();
            }
        },
    ]);
    let find = turns([&mut || maps.iter().for_each(find), &mut || {
        for (map, dynamic) in maps.iter().zip(&dynamic) {
            find_dynamic(map, dynamic.get(&field).unwrap().as_map().unwrap());
        }
    }]);
    let each = (maps.len() * count) as f64;
    print!("{name:<20}{count:>5}");
    for times in [&decode[..], &encode[..], &find[..]] {
        print!("{:>10.1}", times[0] / each);
        times[1..].iter().for_each(|time| print!("{:>8.1} {:>5.2}", time / each, times[0] / time));
    }
    println!();
}

fn maps() {
    print!(
        "{:<25}{:>10}{:>14}{:>14}{:>14}{:>14}",
        "decode, encode, look up", "prost", "HashMap", "SmallMap", "Decoder", "new"
    );
    println!(
        "{:>10}{:>14}{:>14}{:>14}{:>10}{:>14}",
        "prost", "HashMap", "SmallMap", "dynamic", "HashMap", "dynamic"
    );
    for count in [1, 3, 10, 30, 100, 1000] {
        let mut random = Random::default();
        let mut entry = || (random.below(1 << 31) as i32, random.below(1000) as f64 + 0.5);
        compare_maps::<_, ByNumberSmall>(
            ("map<int32, double>", count),
            || ByNumber { entries: (0..count).map(|_| entry()).collect() },
            |map| {
                map.entries.keys().for_each(|key| {
                    black_box(map.entries.get(black_box(key)));
                })
            },
            |map, entries| {
                map.entries.keys().for_each(|key| {
                    black_box(entries.get(black_box(*key)));
                })
            },
        );
        let mut random = Random::default();
        let mut entry = |i| (format!("{:x}{i}", random.below(1 << 40)), 1 + random.below(1000) as i32);
        compare_maps::<_, ByNameSmall>(
            ("map<string, int32>", count),
            || ByName { entries: (0..count).map(&mut entry).collect() },
            |map| {
                map.entries.keys().for_each(|key| {
                    black_box(map.entries.get(black_box(key)));
                })
            },
            |map, entries| {
                map.entries.keys().for_each(|key| {
                    black_box(entries.get(black_box(key)));
                })
            },
        );
    }
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    if wanted("strings") {
        strings();
    }
    if wanted("numbers") {
        numbers();
    }
    if wanted("maps") {
        maps();
    }
}

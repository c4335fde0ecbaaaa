//! Shapes that once had a trap, one step after the other, beside prost: `cargo bench --bench sweep`.
//!
//! - `strings`: a list of strings of each length, and the UTF-8 check alone beside the standard library's.
//! - `numbers`: lists of messages of one to eight numbers of fixed width, of which a share of the elements lacks each field with even
//!   odds, or one field.
//! - `structs`: small messages as structs, by a reused `Decoder`, and as new dynamic messages. Some have numbers of one length, the others strings and
//!   numbers whose lengths vary. 200 messages are decoded again and again, then 20 000 distinct ones.
//!
//! Each line is one shape: the least time of many rounds, all contenders in turns, in nanoseconds for one string or element, and how many
//! times as long prost takes. Everything is in cache but the 20 000 messages. The numbers that prost decodes faster are marked.
//! `-- strings`, `-- numbers` or `-- structs` runs one part.

use prost::Message as _;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::wire::utf8;
use tablepb::{Decoder, DescriptorPool, DynamicMessage, Message as _};

/// Elements of a list, and lists that are decoded in turn: a predictor should not learn them.
const ELEMENTS: usize = 100;
const LISTS: usize = 16;

/// The least time of each function in nanoseconds.
fn turns<const N: usize>(mut contenders: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [Duration::MAX; N];
    for _ in 0..40 {
        for (best, run) in best.iter_mut().zip(&mut contenders) {
            run();
            let start = Instant::now();
            run();
            *best = start.elapsed().min(*best);
        }
    }
    best.map(|best| best.as_nanos() as f64)
}

/// xorshift64: the same values in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    /// A number of up to 53 bits, each count of bits as likely as another.
    fn any(&mut self) -> u64 {
        let bits = 1 + self.below(53);
        self.below(1 << bits)
    }
}

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
        let mut random = Random(88_172_645_463_325_252);
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

/// A message for both crates, decoded from messages whose members `$value` makes out of `$random`.
macro_rules! compare_structs {
    ($name:literal, $random:ident, $($member:ident: $type:ty, $kind:ident = $number:literal $tag:literal <- $value:expr),+) => {{
        #[derive(Clone, PartialEq, prost::Message)]
        struct Rival {
            $(#[prost($kind, tag = $tag)] $member: $type,)+
        }
        #[derive(Clone, Debug, Default, PartialEq)]
        struct Own {
            $($member: $type,)+
        }
        tablepb::message! { Own as "sweep.Own" { $($member: $kind = $number),+ } }
        for count in [200, 20_000] {
            let mut $random = Random(88_172_645_463_325_252);
            let messages: Vec<Vec<u8>> = (0..count).map(|_| Rival { $($member: $value),+ }.encode_to_vec()).collect();
            let mut decoder = decoder(Own::TABLE);
            let descriptor = decoder.descriptor().clone();
            let [own, reused, new, prost] = turns([
                &mut || messages.iter().for_each(|bytes| { black_box(Own::decode(bytes).unwrap()); }),
                &mut || messages.iter().for_each(|bytes| { black_box(decoder.decode(bytes).unwrap()); }),
                &mut || messages.iter().for_each(|bytes| { black_box(DynamicMessage::decode(&descriptor, bytes).unwrap()); }),
                &mut || messages.iter().for_each(|bytes| { black_box(Rival::decode(&bytes[..]).unwrap()); }),
            ])
            .map(|time| time / f64::from(count));
            let ratio = prost / own;
            print!("{:<31} {count:>7} {prost:>8.1} {own:>8.1} {ratio:>6.2}", $name);
            println!(" {reused:>8.1} {:>6.2} {new:>8.1} {:>6.2}{}", prost / reused, prost / new, mark(ratio));
        }
    }};
}

fn structs() {
    /// A string of that many letters.
    fn text(len: u64) -> String {
        "a".repeat(len as usize)
    }
    println!("{:<39} {:>8} {:>8} {:>6} {:>8} {:>6} {:>8}", "", "prost", "struct", "", "Decoder", "", "new");
    compare_structs!("two small numbers", random,
        a: i32, int32 = 1 "1" <- 1 + random.below(99) as i32, b: bool, bool = 2 "2" <- random.below(4) != 0);
    compare_structs!("five doubles", random,
        a: f64, double = 1 "1" <- 0.5 + random.below(1000) as f64, b: f64, double = 2 "2" <- 0.5 + random.below(1000) as f64,
        c: f64, double = 3 "3" <- 0.5 + random.below(1000) as f64, d: f64, double = 4 "4" <- 0.5 + random.below(1000) as f64,
        e: f64, double = 5 "5" <- 0.5 + random.below(1000) as f64);
    compare_structs!("five strings below 33 bytes", random,
        a: String, string = 1 "1" <- text(random.below(33)), b: String, string = 2 "2" <- text(random.below(33)),
        c: String, string = 3 "3" <- text(random.below(33)), d: String, string = 4 "4" <- text(random.below(33)),
        e: String, string = 5 "5" <- text(random.below(33)));
    compare_structs!("five strings of 10 to 12 bytes", random,
        a: String, string = 1 "1" <- text(10 + random.below(3)), b: String, string = 2 "2" <- text(10 + random.below(3)),
        c: String, string = 3 "3" <- text(10 + random.below(3)), d: String, string = 4 "4" <- text(10 + random.below(3)),
        e: String, string = 5 "5" <- text(10 + random.below(3)));
    compare_structs!("six numbers of any length", random,
        a: u64, uint64 = 1 "1" <- random.any(), b: u64, uint64 = 2 "2" <- random.any(), c: u64, uint64 = 3 "3" <- random.any(),
        d: u64, uint64 = 4 "4" <- random.any(), e: u64, uint64 = 5 "5" <- random.any(), f: u64, uint64 = 6 "6" <- random.any());
    compare_structs!("a time and three ids", random,
        time: u64, uint64 = 1 "1" <- 1_790_000_000_000_000 + random.below(1 << 40), a: u32, uint32 = 2 "2" <- random.below(1 << 20) as u32,
        b: u32, uint32 = 3 "3" <- random.below(1 << 27) as u32, c: u32, uint32 = 4 "4" <- random.below(300) as u32);
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
    if wanted("structs") {
        structs();
    }
}

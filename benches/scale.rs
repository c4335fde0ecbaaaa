//! Time at the largest sizes: `cargo bench --package tablepb-benches --bench scale -- --whole`, a minute or two and 6.3 GB of memory. Without
//! `--whole` a hundredth of the sizes.
//!
//! Each row is one thing of three sizes, each four times the one before. Time in proportion quadruples too; the last column is the growth for twice the
//! size, the larger one of the two steps. What is printed are comma-separated values; docs/reliability/scale.csv keeps them.

use std::hint::black_box;
use std::time::{Duration, Instant};
use tablepb::schema::PoolOptions;
use tablepb::{DecodeOptions, Decoder, DescriptorPool, DynamicMessage, MessageDescriptor, json};
use tablepb_schema::SourceBuilder;

/// The longest message: 2^31-1 bytes.
const LONGEST: usize = (1 << 31) - 1;
/// The memory that one operation may take, in bytes: more than any takes.
const BUDGET: usize = 1 << 36;

/// Least time of two runs or more: the first one touches new memory.
fn least<T>(mut run: impl FnMut() -> T) -> f64 {
    let (mut least, start) = (f64::MAX, Instant::now());
    for round in 0.. {
        if round > 1 && start.elapsed() > Duration::from_millis(500) {
            break;
        }
        let before = Instant::now();
        black_box(run());
        least = least.min(before.elapsed().as_secs_f64());
    }
    least * 1e3
}

/// Measures three sizes of one thing. `measure` returns what it has done at one size: names and milliseconds.
fn row(what: &str, unit: &str, largest: usize, measure: impl Fn(usize) -> Vec<(&'static str, f64)>) {
    let sizes = [largest / 16, largest / 4, largest];
    let times = sizes.map(&measure);
    for (at, (name, _)) in times[0].iter().enumerate() {
        let [small, medium, large] = [0, 1, 2].map(|size: usize| times[size][at].1);
        let growth = (medium / small).max(large / medium).sqrt();
        println!("{what},{unit},{largest},{name},{small:.4},{medium:.4},{large:.4},{growth:.2}");
    }
}

fn pool(source: String) -> DescriptorPool {
    let options = PoolOptions::new().memory(BUDGET);
    SourceBuilder::new().source("a.proto", source).with_options(options).build().expect("a valid source")
}

/// Compiles a source, and loads the set of it.
fn schema(source: impl Fn() -> String) -> (DescriptorPool, Vec<(&'static str, f64)>) {
    let compile = least(|| pool(source()));
    let made = pool(source());
    let set = made.encode_to_vec().expect("memory");
    let load = least(|| PoolOptions::new().memory(BUDGET).decode(&set).expect("a valid set"));
    (made, vec![("compile", compile), ("load the set", load)])
}

/// Decodes and encodes a message again and again.
fn codec(descriptor: &MessageDescriptor, input: &[u8]) -> Vec<(&'static str, f64)> {
    let options = DecodeOptions::new().budget(BUDGET);
    let mut decoder = Decoder::new(descriptor).with_options(options);
    let decode = least(|| decoder.decode(input).expect("a valid message").fields().next().is_some());
    let mut buffer = Vec::with_capacity(input.len() + 64);
    let view = decoder.decode(input).expect("a valid message");
    let encode = least(|| {
        buffer.clear();
        view.encode(&mut buffer).expect("memory");
    });
    assert!(buffer == input, "the same bytes");
    vec![("decode", decode), ("encode", encode)]
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A length-delimited field.
fn field(number: u64, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + 16);
    varint(&mut out, number << 3 | 2);
    varint(&mut out, content.len() as u64);
    out.extend_from_slice(content);
    out
}

fn main() {
    let part = if std::env::args().any(|argument| argument == "--whole") { 1 } else { 100 };
    println!("what,unit,n,operation,ms at n/16,ms at n/4,ms at n,growth for twice the size");
    let lists = pool(
        "syntax = \"proto3\"; message M { bytes data = 1; repeated int32 run = 2; repeated Point points = 3; map<int32, int32> map = 4; }
         message Point { int32 x = 1; }"
            .into(),
    );
    let message = lists.message("M").expect("the message");
    // Tag and length take six bytes.
    row("one field of bytes", "bytes of the message", (LONGEST - 6) / part, |n| {
        codec(&message, &field(1, &vec![b'x'; n]))
    });
    row("a packed run", "elements", 100_000_000 / part, |n| {
        codec(&message, &field(2, &(1..=n).map(|i| (i % 127 + 1) as u8).collect::<Vec<_>>()))
    });
    row("a list of messages", "elements", 100_000_000 / part, |n| {
        let input: Vec<u8> = (0..n).flat_map(|i| [0x1a, 2, 8, (i % 127 + 1) as u8]).collect();
        codec(&message, &input)
    });
    row("a map", "entries", 10_000_000 / part, |n| {
        let mut input = Vec::new();
        for key in 1..=n as u64 {
            let mut entry = vec![8];
            varint(&mut entry, key);
            entry.extend([16, 1]);
            input.extend(field(4, &entry));
        }
        codec(&message, &input)
    });
    row("fields of one type", "fields", 65_534 / part, |n| {
        let source = || {
            let fields = (1..=n).map(|i| format!("optional int32 f{i} = {};\n", numbered(i)));
            format!("syntax = \"proto2\"; message M {{ {} }}", fields.collect::<String>())
        };
        let (pool, mut times) = schema(source);
        let mut input = Vec::new();
        for i in 1..=n {
            varint(&mut input, (numbered(i) as u64) << 3);
            input.push(1);
        }
        times.extend(codec(&pool.message("M").expect("the message"), &input));
        times
    });
    row("values of one enum", "values", 1_000_000 / part, |n| {
        let source = || {
            let values = (0..n).map(|i| format!("V{i} = {i};\n")).collect::<String>();
            format!("syntax = \"proto3\"; enum E {{ {values} }} message M {{ repeated E e = 1; }}")
        };
        let (pool, mut times) = schema(source);
        let message = pool.message("M").expect("the message");
        let text =
            format!("{{\"e\":[{}]}}", (0..n).map(|i| format!("\"V{i}\"")).collect::<Vec<_>>().join(","));
        let parser = json::Parser::new().budget(BUDGET);
        let parsed: DynamicMessage = parser.message_from_str(&message, &text).expect("valid JSON");
        times.push((
            "names out of JSON",
            least(|| parser.message_from_str(&message, &text).expect("valid JSON")),
        ));
        times.push(("names into JSON", least(|| json::to_string(&parsed).expect("memory"))));
        times
    });
    row("types of a schema", "types", 50_000 / part, |n| {
        let source = || {
            let types = (0..n).map(|i| {
                format!("message M{i} {{ int32 a = 1; string b = 2; M{} next = 3; }}\n", (i + 1) % n)
            });
            format!("syntax = \"proto3\"; {}", types.collect::<String>())
        };
        let (pool, mut times) = schema(source);
        let names: Vec<String> = (0..n).map(|i| format!("M{i}")).collect();
        times.push((
            "look up all names",
            least(|| names.iter().filter(|name| pool.message(name).is_ok()).count()),
        ));
        times
    });
}

/// The i-th field number that is allowed.
fn numbered(i: usize) -> usize {
    if i < 19_000 { i } else { i + 1_000 }
}

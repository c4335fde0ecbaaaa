//! Memory for schemas: what loading a descriptor set and making a projection take at most, and that an allocation that
//! fails is an error.

use crate::common::heap::{fail_after, last_size, measure};
use crate::common::wire::Wire;
use tablepb::partial::{PathErrorKind, Projection};
use tablepb::schema::{DescriptorErrorKind, PoolOptions};
use tablepb::{DescriptorPool, MessageDescriptor};

const MIB: usize = 1 << 20;

/// Short names, all different, none of which ends in `M`.
fn name(mut k: usize) -> String {
    let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL";
    let mut name = String::new();
    loop {
        name.push(letters[k % letters.len()] as char);
        k /= letters.len();
        if k == 0 {
            return name;
        }
        k -= 1;
    }
}

fn w() -> Wire {
    Wire::new()
}

fn field(name: &str, number: usize, kind: u64) -> Wire {
    w().bytes(1, name).int(3, number as u64).int(4, 1).int(5, kind)
}

/// A message of this many bytes, more or less, of parts.
fn fill(head: Wire, number: u32, size: usize, each: impl Fn(usize) -> Wire) -> Wire {
    let mut whole = head;
    let mut k = 0;
    while whole.0.len() < size {
        whole = whole.message(number, each(k));
        k += 1;
    }
    whole
}

fn file() -> Wire {
    w().bytes(1, "f").bytes(2, "p")
}

fn set(file: Wire) -> Vec<u8> {
    w().message(1, file).0
}

/// Numbers of fields, without those that nobody may use.
fn number(k: usize) -> usize {
    if k < 18_000 { k + 1 } else { k + 2_000 }
}

/// Sets of many small things, by what they are.
fn shapes(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let m = || w().bytes(1, "M");
    let long = w().bytes(1, "f").bytes(2, "p".repeat(200));
    vec![
        ("empty messages", set(fill(file(), 4, size, |k| w().bytes(1, name(k))))),
        ("nested empty messages", set(file().message(4, fill(m(), 3, size, |k| w().bytes(1, name(k)))))),
        (
            "messages of one field",
            set(fill(file(), 4, size, |k| w().bytes(1, name(k)).message(2, field("a", 1, 5)))),
        ),
        (
            "messages of one message",
            set(fill(file(), 4, size, |k| w().bytes(1, name(k)).message(2, field("a", 1, 11).bytes(6, "a")))),
        ),
        ("messages in a long package", set(fill(long, 4, size, |k| w().bytes(1, name(k))))),
        (
            "one message of many fields",
            set(file().message(4, fill(m(), 2, size, |k| field(&name(k), number(k), 5)))),
        ),
        (
            "enums",
            set(fill(file(), 5, size, |k| w().bytes(1, name(k)).message(2, w().bytes(1, name(k) + "_")))),
        ),
        ("values", set(file().message(5, fill(m(), 2, size, |k| w().bytes(1, name(k)).int(2, k as u64))))),
        ("services", set(fill(file(), 6, size, |k| w().bytes(1, name(k))))),
        (
            "oneofs",
            set(fill(file(), 4, size, |k| {
                let a = field("a", 1, 5).int(9, 0);
                w().bytes(1, name(k)).message(8, w().bytes(1, "o")).message(2, a)
            })),
        ),
        ("files", fill(w(), 1, size, |k| w().bytes(1, name(k))).0),
        ("files of packages", fill(w(), 1, size, |k| w().bytes(1, name(k)).bytes(2, name(k))).0),
        ("the same file", fill(w(), 1, size, |_| w().bytes(1, "a")).0),
        ("imports in a chain", fill(w(), 1, size, |k| w().bytes(1, name(k)).bytes(3, name(k + 1))).0),
        (
            "packages of many parts",
            fill(w(), 1, size, |k| w().bytes(1, name(k)).bytes(2, "a.".repeat(60) + &name(k))).0,
        ),
        (
            "extensions",
            set(fill(file().message(4, m().message(5, w().int(1, 1).int(2, 536_870_912))), 7, size, |k| {
                field(&name(k), number(k), 5).bytes(2, "M")
            })),
        ),
        ("source info", set(file().message(9, fill(w(), 1, size, |_| w())))),
        ("options in pieces", set(fill(file(), 8, size, |_| w().int(23, 1)))),
        (
            "bytes that are no message",
            set(file().message(4, fill(m(), 2, size, |_| w().bytes(1, [0xff; 3])))),
        ),
    ]
}

#[test]
fn no_set_takes_more_than_its_bound() {
    for size in [1 << 12, if cfg!(debug_assertions) { 1 << 15 } else { 1 << 20 }] {
        for (shape, set) in shapes(size) {
            let (pool, used) = measure(|| DescriptorPool::decode(&set));
            let fault = pool.as_ref().err().map(|error| error.kind());
            println!(
                "{shape}, {} bytes: {:.1} per byte, {fault:?}",
                set.len(),
                used.peak as f64 / set.len() as f64
            );
            assert!(used.peak <= MIB + 32 * set.len(), "{shape}: {used:?}");
            for memory in [0, 1000, 20_000, set.len(), 8 * set.len()] {
                let options = PoolOptions::new().memory(memory);
                let (pool, used) = measure(|| options.decode(&set));
                // The error says what was being looked at.
                let slack = if pool.is_ok() { 0 } else { 4000 };
                assert!(used.peak <= memory + slack, "{shape} in {memory}: {used:?}");
            }
            // With enough of it, all that is right is loaded.
            let enough = PoolOptions::new().memory(400 * set.len() + MIB);
            let kind = enough.decode(&set).err().map(|error| error.kind());
            assert_ne!(kind, Some(DescriptorErrorKind::BudgetExceeded), "{shape}");
        }
    }
}

/// `count` definitions of each kind.
fn definitions(count: usize) -> Vec<(&'static str, Vec<u8>)> {
    let m = || w().bytes(1, "M");
    let many = |head: Wire, number: u32, each: &dyn Fn(usize) -> Wire| {
        (0..count).fold(head, |all, k| all.message(number, each(k)))
    };
    let named = |k: usize| w().bytes(1, name(k));
    let range = |k: usize| w().int(1, 10 * k as u64 + 1).int(2, 10 * k as u64 + 2);
    let extended = m().message(5, w().int(1, 1).int(2, 536_870_912));
    let extension = |k: usize| field(&name(k), number(k), 5).bytes(2, ".p.M");
    let method = |k: usize| named(k).bytes(2, ".p.M").bytes(3, ".p.M");
    vec![
        ("messages", set(many(file(), 4, &named))),
        ("messages in a message", set(file().message(4, many(m(), 3, &named)))),
        ("fields", set(file().message(4, many(m(), 2, &|k| field(&name(k), number(k), 5))))),
        ("values", set(file().message(5, many(m(), 2, &|k| named(k).int(2, k as u64))))),
        ("ranges", set(file().message(4, many(m(), 5, &range)))),
        ("reserved ranges", set(file().message(4, many(m(), 9, &range)))),
        ("extensions", set(many(file().message(4, extended.clone()), 7, &extension))),
        ("extensions in a message", set(file().message(4, many(extended, 6, &extension)))),
        ("services", set(many(file(), 6, &named))),
        ("methods", set(file().message(4, m()).message(6, many(w().bytes(1, "S"), 2, &method)))),
        ("enums", set(many(file(), 5, &|k| named(k).message(2, w().bytes(1, name(k) + "_").int(2, 0))))),
        (
            "enums in a message",
            set(file()
                .message(4, many(m(), 4, &|k| named(k).message(2, w().bytes(1, name(k) + "_").int(2, 0))))),
        ),
        (
            "oneofs",
            set(file().message(
                4,
                (0..count).fold(m(), |all, k| {
                    all.message(2, field(&name(k), number(k), 5).int(9, k as u64))
                        .message(8, w().bytes(1, name(k) + "_"))
                }),
            )),
        ),
    ]
}

/// Definitions are counted before their lists are made, so these do not grow: what does, with each doubling, is one list of names; of messages, values and
/// services at times two, and with oneofs four.
#[test]
fn lists_of_definitions_are_made_at_their_size() {
    let counts = |count| {
        let enough = PoolOptions::new().memory(1 << 30);
        definitions(count).into_iter().map(move |(kind, set)| {
            let (pool, used) = measure(|| enough.decode(&set).unwrap());
            drop(pool);
            (kind, used.count)
        })
    };
    let (few, many): (Vec<_>, Vec<_>) = (counts(500).collect(), counts(4000).collect());
    for ((kind, few), (_, many)) in few.into_iter().zip(many) {
        // Messages and enums have lists of their own.
        let own = if kind.starts_with("messages") || kind.starts_with("enums") { 3500 } else { 0 };
        let most = match kind {
            "ranges" | "reserved ranges" => 0,
            "messages" | "messages in a message" | "values" | "services" => 4,
            "oneofs" => 12,
            _ => 3,
        };
        assert!(many - few <= own + most, "{kind}: {few} {many}");
    }
}

/// A schema like those that people write: packages, comments, options, JSON names.
fn ordinary(size: usize) -> Vec<u8> {
    let sample = DescriptorPool::descriptor_proto();
    let known = sample.files().next().unwrap();
    let bytes = known.file_descriptor_proto_bytes();
    // All of descriptor.proto in package after package; type names are absolute, so they are those of the first.
    let mut set = w().message(1, Wire(bytes.to_vec()));
    let mut k = 0;
    while set.0.len() < size {
        let file = w().bytes(1, format!("copy{k}.proto")).bytes(2, format!("some.company.package{k}.v1"));
        let file = file.bytes(3, known.name());
        let body = known.messages().enumerate().fold(file, |file, (i, message)| {
            let name = format!("{}Request{i}", message.name());
            let fields = message.fields().enumerate().fold(w().bytes(1, name), |fields, (at, field)| {
                fields.message(2, self::field(field.name(), at + 1, 9).bytes(10, field.json_name()))
            });
            file.message(4, fields)
        });
        set = set.message(1, body);
        k += 1;
    }
    set.0
}

#[test]
fn five_megabytes_of_an_ordinary_schema_load() {
    let set = ordinary(if cfg!(debug_assertions) { MIB } else { 5 * MIB });
    let (pool, used) = measure(|| DescriptorPool::decode(&set).unwrap());
    let (peak, kept) = (used.peak as f64 / set.len() as f64, used.kept as f64 / set.len() as f64);
    println!("{} messages: {peak:.1} bytes per byte, {kept:.1} kept", pool.all_messages().len());
    assert!(peak < 24.0, "{used:?}");
}

/// A set with something of everything.
fn rich() -> Vec<u8> {
    let option = w().int(3, 1).bytes(50_000, "x");
    let key = field("key", 1, 9);
    let entry = w().bytes(1, "MapEntry").message(2, key).message(2, field("value", 2, 11).bytes(6, "M"));
    let map = w().bytes(1, "map").int(3, 2).int(4, 3).int(5, 11).bytes(6, "MapEntry");
    let m = w()
        .bytes(1, "M")
        .message(2, field("a_b", 1, 5).int(9, 0).bytes(7, "5"))
        .message(2, map)
        .message(2, field("e", 4, 14).bytes(6, ".p.E").bytes(7, "B"))
        .message(2, field("bytes", 5, 12).bytes(7, "\\001x"))
        .message(2, field("point", 6, 11).bytes(6, "Points"))
        .message(3, entry.message(7, w().int(7, 1)))
        .message(5, w().int(1, 100).int(2, 200))
        .message(6, field("x", 100, 11).bytes(6, "M").bytes(2, "M"))
        .message(7, option)
        .message(8, w().bytes(1, "o"))
        .message(9, w().int(1, 50).int(2, 60))
        .bytes(10, "old");
    let float = |name: &str, number| field(name, number, 2);
    let point = w().bytes(1, "Point").message(2, float("x", 1)).message(2, float("y", 2));
    let at = |name: &str, number| field(name, number, 11).bytes(6, "Point");
    let points = w().bytes(1, "Points").message(2, at("from", 1)).message(2, at("to", 2));
    let required = w().bytes(1, "Required").message(2, w().bytes(1, "r").int(3, 1).int(4, 2).int(5, 5));
    let e = w().bytes(1, "E").message(2, w().bytes(1, "A")).message(2, w().bytes(1, "B").int(2, 1));
    let call = w().bytes(1, "C").bytes(2, "M").bytes(3, "M");
    let f = file().bytes(3, "g").int(10, 0).message(4, m).message(4, point).message(4, points);
    let f = f.message(4, required).message(5, e).message(6, w().bytes(1, "S").message(2, call));
    w().message(1, f).message(1, w().bytes(1, "g").bytes(2, "q.r")).0
}

/// Whether an error is for want of memory.
fn is_shortage(kind: DescriptorErrorKind) -> bool {
    ["BudgetExceeded", "OutOfMemory"].contains(&&*format!("{kind:?}"))
}

#[test]
fn a_load_that_runs_out_of_memory_is_an_error() {
    let set = rich();
    let (pool, used) = measure(|| DescriptorPool::decode(&set));
    pool.unwrap();
    // Two blocks that clones share, the last one and that of the enums (two counters and a list): `Arc` cannot fail
    // without ending the process.
    let arcs = [last_size(), 5 * size_of::<usize>()];
    let mut failed = 0;
    for k in 0..used.count {
        let Some(result) = fail_after(k, arcs, || DescriptorPool::decode(&set)) else { continue };
        failed += 1;
        assert!(is_shortage(result.unwrap_err().kind()), "allocation {k}");
        assert!(DescriptorPool::decode(&set).is_ok());
    }
    println!("{failed} of {} allocations failed", used.count);
    // A few others have the size of those two.
    assert!(failed + 12 >= used.count, "{failed} of {}", used.count);
}

#[test]
fn an_error_for_which_there_is_no_memory_is_still_an_error() {
    let m = |field: Wire| set(file().message(4, w().bytes(1, "M").message(2, field)));
    let unresolved = m(field("a", 1, 11).bytes(6, "Nothing"));
    let twice = set(file().message(4, w().bytes(1, "M")).message(4, w().bytes(1, "M")));
    let long = m(field(&"é".repeat(10_000), 1, 5));
    for set in [unresolved, twice, long] {
        let (error, used) = measure(|| DescriptorPool::decode(&set).unwrap_err());
        assert!(error.to_string().len() < 3000 && used.kept < 4000, "{used:?}");
        for k in 0..used.count {
            let failed = fail_after(k, [0; 2], || DescriptorPool::decode(&set).unwrap_err()).unwrap();
            assert!(failed.kind() == error.kind() || is_shortage(failed.kind()), "{k}: {failed}");
        }
    }
}

fn message(set: &[u8], name: &str) -> MessageDescriptor {
    DescriptorPool::decode(set).unwrap().message(name).unwrap()
}

#[test]
fn a_projection_takes_memory_in_proportion_to_its_paths() {
    let wide = file()
        .message(4, fill(w().bytes(1, "M"), 2, 60_000, |k| field(&name(k), number(k), 11).bytes(6, "M")));
    let narrow = file().message(4, w().bytes(1, "M").message(2, field("a", 1, 11).bytes(6, "M")));
    for set in [set(wide), set(narrow)] {
        let m = message(&set, "p.M");
        let whole = measure(|| Projection::all(&m)).1.peak;
        for depth in [1, 10, 100, 1000, 10_000] {
            let path = ["a"; 10_000][..depth].join(".");
            let (projection, used) = measure(|| Projection::new(&m, [&path]));
            let kind = projection.as_ref().err().map(|error| error.kind());
            println!("{depth} levels: {} bytes, {kind:?}", used.peak);
            // Lists that grow hold twice what is in them, and three times while they move.
            assert!(used.peak <= 3 * (MIB + 64 * path.len() + 20 * whole), "{depth}: {used:?}");
            assert!(kind.is_none_or(|kind| kind == PathErrorKind::TooLarge), "{kind:?}");
            assert!(depth > 10 || kind.is_none());
        }
        let error = Projection::new(&m, [["a"; 10_000].join(".")]).unwrap_err();
        assert_eq!(error.kind(), PathErrorKind::TooLarge);
        assert_eq!(error.to_string(), "the paths take too much memory");
    }
}

#[test]
fn a_projection_that_runs_out_of_memory_is_an_error() {
    let m = message(&rich(), "p.M");
    let paths = ["map.value.map", "point.from.x", "e", "[p.M.x].bytes"];
    let make = || Projection::new(&m, paths).and_then(|p| p.lazy(["point.to"]));
    let (projection, used) = measure(make);
    drop(projection.unwrap());
    // Both times that programs are made they end in an `Arc`, which cannot fail without ending the process.
    let arcs = [last_size(); 2];
    let mut failed = 0;
    for k in 0..used.count {
        let Some(result) = fail_after(k, arcs, make) else { continue };
        failed += 1;
        assert_eq!(result.unwrap_err().kind(), PathErrorKind::TooLarge, "allocation {k}");
    }
    println!("{failed} of {} allocations failed", used.count);
    assert!(failed + 4 >= used.count, "{failed} of {}", used.count);
}

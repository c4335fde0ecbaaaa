//! The comparisons of the fuzz targets, on seeds and on their random neighbours, without a fuzzer.

use crate::agree::any_schema::{self, Reached};
use crate::agree::dynamic_prost::{
    self, Explained,
    rich::{Choice, Point, Rich},
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tablepb::Message;

/// A small generator of reproducible numbers (splitmix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// One to four changes: bits, bytes, cuts, and pieces of other inputs.
fn changed(input: &[u8], others: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    const BYTES: [u8; 10] = [0x00, 0x01, 0x02, 0x7f, 0x80, 0xff, 0x0b, 0x0c, 0x08, 0x0a];
    let mut bytes = input.to_vec();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 if at < bytes.len() => bytes[at] = BYTES[rng.below(BYTES.len())],
            2 => bytes.insert(at, BYTES[rng.below(BYTES.len())]),
            3 => bytes.truncate(at),
            4 if at < bytes.len() => drop(bytes.drain(at..(at + 1 + rng.below(4)).min(bytes.len()))),
            _ => {
                let other = &others[rng.below(others.len())];
                let start = rng.below(other.len());
                let piece = &other[start..(start + rng.below(40)).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Messages that set every field of the schema, and bytes that bring each disagreement about.
fn rich_seeds() -> Vec<Vec<u8>> {
    let point = Point { x: 1, y: -2, ..Point::default() };
    let numbers = Rich {
        flag: true,
        int32: -5,
        sint32: -6,
        uint32: u32::MAX,
        int64: i64::MIN,
        sint64: i64::MAX,
        uint64: u64::MAX,
        fixed32: 7,
        fixed64: 8,
        sfixed32: -9,
        sfixed64: -10,
        color: -2,
        opt_flag: Some(false),
        opt_int: Some(0),
        opt_float: Some(-0.0),
        opt_double: Some(f64::NAN),
        far: 1,
        ..Rich::default()
    };
    let lists = Rich {
        text: "text".into(),
        data: vec![0, 0xff],
        opt_text: Some(String::new()),
        opt_data: Some(vec![1]),
        flags: vec![true, false],
        ints: vec![1, -1, 300],
        sints: vec![-1, 1 << 40],
        fixeds: vec![1, 2, 3],
        doubles: vec![-0.0, 1.5],
        colors: vec![0, 1, 77],
        unpacked: vec![1, 1 << 63],
        texts: vec!["a".into(), String::new(), "ü".into()],
        datas: vec![vec![], vec![0x80]],
        farthest: "far".into(),
        ..Rich::default()
    };
    let maps = Rich {
        words: BTreeMap::from([("".into(), "b".into()), ("a".into(), "".into())]),
        counts: BTreeMap::from([(0, 1), (-1, -1)]),
        blobs: BTreeMap::from([(true, vec![1]), (false, vec![])]),
        parts: BTreeMap::from([("p".into(), lists.clone())]),
        kinds: BTreeMap::from([(1, 1), (u64::MAX, -2)]),
        ..Rich::default()
    };
    let nested = Rich {
        child: Some(Box::new(numbers.clone())),
        children: vec![Rich::default(), maps.clone()],
        point: Some(point.clone()),
        points: vec![point.clone(), Point::default()],
        group: Some(point.clone()),
        groups: vec![lists.clone(), Rich::default()],
        choice: Some(Choice::Inner(Box::new(Rich { choice: Some(Choice::Yes(false)), ..Rich::default() }))),
        ..Rich::default()
    };
    let arms = [
        Choice::Number(0),
        Choice::Name("n".into()),
        Choice::Place(point),
        Choice::Inner(Box::new(numbers.clone())),
    ];
    let arms = arms.map(|arm| Rich { choice: Some(arm), ..Rich::default() });
    let mut seeds: Vec<_> = [numbers, lists, maps, nested]
        .iter()
        .chain(&arms)
        .map(|message| message.encode_to_vec().expect("a message"))
        .collect();
    let mut joined = seeds.concat();
    joined.extend([0x78, 1, 0x7b, 0x08, 1, 0x7c]);
    seeds.push(joined);
    seeds.push(deep(100, &[0x78, 1]));
    seeds.extend(
        [
            &b"\x11\x01\x02\x03\x04\x05\x06\x07\x08"[..],
            b"\x90\x80\x80\x80\x80\x00\x05",
            b"\x62\x80\x80\x80\x80\x80\x00",
        ]
        .map(<[u8]>::to_vec),
    );
    seeds
}

/// Messages in messages (field 41), so many levels of them, and in the innermost one these bytes.
fn deep(levels: usize, inner: &[u8]) -> Vec<u8> {
    (0..levels).fold(inner.to_vec(), |inner, _| {
        let mut bytes = vec![0xca, 0x02];
        tablepb::stream::append_frame(&inner, &mut bytes).expect("short");
        bytes
    })
}

/// Runs a test where there is stack enough for structs, which recurse: without optimisation a level of a struct
/// with so many fields takes some 40 KiB, and there are 100.
fn with_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread.spawn(test).expect("a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn dynamic_messages_structs_and_prost() {
    with_stack(|| compare_with_prost(4_000));
}

#[test]
#[ignore = "long: 30 000 inputs"]
fn more_dynamic_messages_structs_and_prost() {
    with_stack(|| compare_with_prost(30_000));
}

fn compare_with_prost(rounds: usize) {
    let seeds = rich_seeds();
    let mut explained = BTreeMap::<Explained, usize>::new();
    let mut count = |input: &[u8]| {
        if let Err(reason) = dynamic_prost::check(input) {
            *explained.entry(reason).or_default() += 1;
        }
    };
    for seed in &seeds {
        count(seed);
        (0..seed.len()).for_each(|end| count(&seed[..end]));
    }
    let mut rng = Rng(23);
    for _ in 0..rounds {
        let seed = &seeds[rng.below(seeds.len())];
        count(&changed(seed, &seeds, &mut rng));
    }
    // Small inputs do not use up a budget.
    use Explained::*;
    let seen: Vec<_> = explained.keys().copied().collect();
    assert_eq!(
        seen,
        [WrongWireType, MapWireType, UnknownAtLimit, OverlongTag, OverlongLength],
        "{explained:?}"
    );
}

#[test]
fn depth_limits_are_the_same() {
    with_stack(compare_depth);
}

fn compare_depth() {
    assert_eq!(dynamic_prost::check(&deep(100, &[])), Ok(()));
    assert!(Rich::decode(&deep(100, &[])).is_ok());
    assert_eq!(dynamic_prost::check(&deep(101, &[])), Ok(()), "both refuse");
    assert!(Rich::decode(&deep(101, &[])).is_err());
    assert_eq!(dynamic_prost::check(&deep(100, &[0x78, 1])), Err(Explained::UnknownAtLimit));
}

/// Inputs of the target `any_schema`: made schemas, and descriptor sets of tables, with payloads.
fn schema_seeds(rng: &mut Rng) -> Vec<Vec<u8>> {
    let rich = tablepb::DescriptorPool::from_tables(&[Rich::TABLE]).expect("tables");
    let mut set = Vec::new();
    for file in rich.files() {
        set.push(0x0a);
        tablepb::stream::append_frame(file.file_descriptor_proto_bytes(), &mut set).expect("short");
    }
    let mut seeds = Vec::new();
    for payload in rich_seeds() {
        seeds.push(any_input(0, &set, &payload));
        for _ in 0..4 {
            let decisions: Vec<u8> = (0..20 + rng.below(200)).map(|_| rng.next() as u8).collect();
            seeds.push(any_input(1 | rng.next() as u8, &decisions, &payload));
        }
    }
    seeds
}

fn any_input(choice: u8, schema: &[u8], payload: &[u8]) -> Vec<u8> {
    let len = u16::try_from(schema.len()).expect("a short schema");
    [&[choice][..], &len.to_le_bytes(), schema, payload].concat()
}

#[test]
fn any_schema_any_payload() {
    compare_any_schema(crate::common::rounds(700) as usize);
}

#[test]
#[ignore = "long: 12 000 schemas"]
fn more_of_any_schema_any_payload() {
    compare_any_schema(6_000);
}

fn compare_any_schema(rounds: usize) {
    let mut rng = Rng(29);
    let seeds = schema_seeds(&mut rng);
    let (mut decoded, mut refused, mut without) = (0, 0, 0);
    let mut count = |input: &[u8]| match any_schema::check(input) {
        Reached::Decoded => decoded += 1,
        Reached::Refused => refused += 1,
        Reached::NoSchema => without += 1,
    };
    seeds.iter().for_each(|seed| count(seed));
    for _ in 0..rounds {
        let seed = &seeds[rng.below(seeds.len())];
        count(&changed(seed, &seeds, &mut rng));
        // The schema stays whole, the payload is random.
        let at = 3 + usize::from(u16::from_le_bytes([seed[1], seed[2]]));
        let payload = changed(&seed[at..], &seeds, &mut rng);
        count(&[&seed[..at], &payload].concat());
    }
    assert!(
        decoded > rounds / 12 && refused > rounds / 6 && without > rounds / 12,
        "{decoded} {refused} {without}"
    );
}

#[test]
fn decisions_always_make_a_schema() {
    let mut rng = Rng(31);
    for _ in 0..crate::common::rounds(2_000) {
        let decisions: Vec<u8> = (0..rng.below(300)).map(|_| rng.next() as u8).collect();
        let set = any_schema::make_schema::descriptor_set(&decisions);
        let pool = tablepb::DescriptorPool::decode(&set);
        assert!(pool.is_ok(), "{:?}: {decisions:?}", pool.err());
    }
}

/// Not a test of anything: writes the seeds where `cargo fuzz` finds them.
#[test]
#[ignore = "writes fuzz/seeds"]
fn write_seeds() {
    let write = |target: &str, seeds: Vec<Vec<u8>>| {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
        std::fs::create_dir_all(&folder).expect("a folder");
        for (at, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("{at:02}")), seed).expect("a file");
        }
    };
    write("dynamic_prost", rich_seeds());
    write("any_schema", schema_seeds(&mut Rng(29)));
    write("wire_skip", rich_seeds().iter().map(|seed| [&[100][..], seed].concat()).collect());
}

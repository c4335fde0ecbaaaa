//! How the cost of tablepb grows: with the size of a message, the number of fields of its type, and depth.

use crate::generated::prost::{logs, meshes};
use crate::measure::medians;
use crate::random::Random;
use crate::shapes;
use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};
use std::hint::black_box;
use tablepb::{Decoder, DescriptorPool, DynamicMessage, MessageDescriptor};

/// Measures and prints all of it.
pub fn print(pool: &DescriptorPool, seed: u64, quick: bool) {
    let rounds = if quick { 3 } else { 9 };
    let mut random = Random::new(seed);
    println!("\n== growth ==\n");
    let mut one = || logs::Batch { logs: vec![shapes::log(&mut random)] }.encode_to_vec();
    sizes::<logs::Batch>(pool, "ratio.logs.Batch", rounds, &repeat(&mut one));
    let mut random = Random::new(seed);
    let mut one = || {
        let mesh = shapes::mesh(&mut random);
        meshes::Mesh { triangles: mesh.triangles, ..Default::default() }.encode_to_vec()
    };
    sizes::<meshes::Mesh>(pool, "ratio.meshes.Mesh", rounds, &repeat(&mut one));
    fields(rounds, &mut Random::new(seed));
    depth(rounds);
}

/// A megabyte of a message whose repeated field goes on and on.
fn repeat(one: &mut dyn FnMut() -> Vec<u8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < 1 << 20 {
        bytes.extend(one());
    }
    bytes
}

/// One message of 64 MB beside 64 of 1 MB, and fresh messages of 1, 2, 4 .. 64 MB.
fn sizes<M: Message + Default>(pool: &DescriptorPool, name: &str, rounds: usize, megabyte: &[u8]) {
    let descriptor = pool.message(name).expect("in the descriptor set");
    let large = megabyte.repeat(64);
    let parts: Vec<Vec<u8>> = (0..64).map(|_| megabyte.to_vec()).collect();
    let (mut one, mut many) = (Decoder::new(&descriptor), Decoder::new(&descriptor));
    let times = medians(
        rounds,
        &mut [
            Box::new(|| decode(&mut one, &large)),
            Box::new(|| parts.iter().for_each(|part| decode(&mut many, part))),
        ],
    );
    let speed = |seconds: f64| large.len() as f64 / seconds / 1e6;
    println!(
        "{name}: Decoder, one of 64 MB {:.0} MB/s, 64 of 1 MB {:.0} MB/s: {:.2} (target 0.80 to 1.20)",
        speed(times[0]),
        speed(times[1]),
        times[1] / times[0]
    );
    let works: [(&str, &str, &dyn Fn(&[u8])); 3] = [
        ("fresh, t(2n)/t(n) from 1 MB to 64 MB", " (target at most 2.2)", &|bytes| {
            black_box(&DynamicMessage::decode(&descriptor, bytes).expect("valid"));
        }),
        ("  as a floor, copying the input", "", &|bytes| {
            black_box(&bytes.to_vec());
        }),
        ("  for comparison, prost", "", &|bytes| {
            black_box(&M::decode(bytes).expect("valid"));
        }),
    ];
    let parts = [1, 2, 4, 8, 16, 32, 64].map(|len| large.get(..len * megabyte.len()).unwrap_or(&large));
    for (what, target, work) in works {
        let mut passes = parts.map(|bytes| Box::new(move || work(black_box(bytes))) as Box<dyn FnMut()>);
        let times = medians(rounds, &mut passes);
        let ratios: Vec<String> = times.windows(2).map(|t| format!("{:.2}", t[1] / t[0])).collect();
        println!("{name}: {what}: {}{target}", ratios.join(" "));
    }
}

fn decode(decoder: &mut Decoder, bytes: &[u8]) {
    black_box(&decoder.decode(black_box(bytes)).expect("valid"));
}

/// Types of 1 to 1 000 fields: all set, and three of them set.
fn fields(rounds: usize, random: &mut Random) {
    println!("\nfields: ns per field of dense messages, ns per message with three fields set");
    println!(
        "{:>6} {:>14} {:>14} {:>14} {:>14}",
        "fields", "dense Decoder", "dense fresh", "sparse Decoder", "sparse fresh"
    );
    for count in [1, 10, 100, 1_000] {
        let descriptor = wide(count);
        let mut set = |numbers: &dyn Fn(&mut Random) -> Vec<u32>| -> Vec<Vec<u8>> {
            let mut bytes = 0;
            std::iter::from_fn(|| {
                let message = write(&numbers(random), random);
                bytes += message.len();
                (bytes < 1 << 20).then_some(message)
            })
            .collect()
        };
        let dense = set(&|_| (1..=count).collect());
        let sparse = set(&|random| {
            let mut numbers = [(); 3].map(|()| random.range(1, u64::from(count) + 1) as u32).to_vec();
            numbers.sort_unstable();
            numbers
        });
        let (mut first, mut second) = (Decoder::new(&descriptor), Decoder::new(&descriptor));
        let fresh = |set: &[Vec<u8>]| {
            for bytes in set {
                black_box(&DynamicMessage::decode(&descriptor, black_box(bytes)).expect("valid"));
            }
        };
        let times = medians(
            rounds,
            &mut [
                Box::new(|| dense.iter().for_each(|bytes| decode(&mut first, bytes))),
                Box::new(|| fresh(&dense)),
                Box::new(|| sparse.iter().for_each(|bytes| decode(&mut second, bytes))),
                Box::new(|| fresh(&sparse)),
            ],
        );
        print!("{count:>6}");
        for (seconds, per) in times.iter().zip([
            dense.len() * count as usize,
            dense.len() * count as usize,
            sparse.len(),
            sparse.len(),
        ]) {
            print!(" {:>14.1}", seconds / per as f64 * 1e9);
        }
        println!();
    }
}

/// A type of so many `uint64` fields.
fn wide(count: u32) -> MessageDescriptor {
    message("Wide", (1..=count).map(|number| field(number, Type::Uint64)).collect())
}

fn field(number: u32, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(format!("f{number}")),
        number: Some(number as i32),
        label: Some(Label::Optional as i32),
        r#type: Some(kind as i32),
        type_name: (kind == Type::Message).then(|| ".Node".to_owned()),
        ..Default::default()
    }
}

fn message(name: &str, field: Vec<FieldDescriptorProto>) -> MessageDescriptor {
    let message = DescriptorProto { name: Some(name.to_owned()), field, ..Default::default() };
    let file = FileDescriptorProto {
        name: Some("growth.proto".to_owned()),
        syntax: Some("proto3".to_owned()),
        message_type: vec![message],
        ..Default::default()
    };
    let set = FileDescriptorSet { file: vec![file] }.encode_to_vec();
    let pool = DescriptorPool::decode(&set).expect("a descriptor set");
    pool.message(name).expect("in the descriptor set")
}

/// A message with varints of up to four bytes in these fields.
fn write(numbers: &[u32], random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in numbers {
        prost::encoding::uint64::encode(*number, &(1 + random.bits(27)), &mut bytes);
    }
    bytes
}

/// Messages in messages.
fn depth(rounds: usize) {
    println!("\ndepth: ns per level");
    println!("{:>6} {:>14} {:>14} {:>14}", "depth", "Decoder", "fresh", "encode");
    let descriptor = message("Node", vec![field(1, Type::Message), field(2, Type::Uint64)]);
    for depth in [1, 3, 10, 30, 90] {
        let mut bytes = Vec::new();
        for level in 0..depth {
            let mut outer = Vec::new();
            prost::encoding::bytes::encode(1, &bytes, &mut outer);
            prost::encoding::uint64::encode(2, &(level * 77 + 1), &mut outer);
            bytes = outer;
        }
        let repeats = 100_000 / depth;
        let mut decoder = Decoder::new(&descriptor);
        let decoded = DynamicMessage::decode(&descriptor, &bytes).expect("valid");
        let mut buffer = Vec::new();
        let times = medians(
            rounds,
            &mut [
                Box::new(|| (0..repeats).for_each(|_| decode(&mut decoder, &bytes))),
                Box::new(|| {
                    for _ in 0..repeats {
                        black_box(&DynamicMessage::decode(&descriptor, black_box(&bytes)).expect("valid"));
                    }
                }),
                Box::new(|| {
                    for _ in 0..repeats {
                        buffer.clear();
                        black_box(&decoded).encode(&mut buffer).expect("valid");
                    }
                }),
            ],
        );
        print!("{depth:>6}");
        for seconds in times {
            print!(" {:>14.1}", seconds / (repeats * depth) as f64 * 1e9);
        }
        println!();
    }
}

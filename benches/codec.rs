//! Encode and decode, tablepb beside prost and serde_json: `cargo bench --bench codec`.
//!
//! Three shapes: a small project record (47 bytes on the wire, 100 as JSON), a large one (1 000 tags of 300
//! characters), and the metrics of the quickstart. Every iteration takes another message of the shape, because
//! branch predictors learn a message that comes again and again. What is measured is labelled:
//!
//! - `encode`: into one buffer that is used again, for all; messages are there already. `tablepb dynamic` encodes
//!   messages that were built by decoding.
//! - `decode`: `tablepb typed`, `prost` and `serde_json` make new structs; `tablepb dynamic, fresh` makes a new
//!   `DynamicMessage`; `tablepb dynamic, decoder` decodes into the memory of one `Decoder`, strings borrowed.
//!
//! Throughput counts the bytes that the codec reads or writes, so it compares codecs of one format only; times
//! compare all of them.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::hint::black_box;
use std::time::Duration;
use tablepb::{Decoder, DescriptorPool, DynamicMessage, Message};

mod profiler;
#[expect(dead_code, reason = "only its schema and its data are used here")]
#[path = "../examples/quickstart.rs"]
mod quickstart;

/// The record, for tablepb and serde.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Project {
    name: String,
    description: String,
    timestamp: u64,
    tags: Vec<String>,
}

tablepb::message! {
    Project as "example.Project" {
        name: string = 1,
        description: string = 2,
        timestamp: uint64 = 3,
        tags: repeated string = 4,
    }
}

/// What prost's generator would make of the same schemas.
mod generated {
    use super::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Project {
        #[prost(string, tag = "1")]
        pub name: String,
        #[prost(string, tag = "2")]
        pub description: String,
        #[prost(uint64, tag = "3")]
        pub timestamp: u64,
        #[prost(string, repeated, tag = "4")]
        pub tags: Vec<String>,
    }

    #[derive(Clone, PartialEq, prost::Message, Serialize, Deserialize)]
    pub struct Metrics {
        #[prost(message, optional, tag = "1")]
        pub resource: Option<Resource>,
        #[prost(message, repeated, tag = "2")]
        pub metrics: Vec<Metric>,
    }

    #[derive(Clone, PartialEq, prost::Message, Serialize, Deserialize)]
    pub struct Resource {
        #[prost(string, tag = "1")]
        pub service: String,
        #[prost(btree_map = "string, string", tag = "2")]
        pub attributes: BTreeMap<String, String>,
    }

    #[derive(Clone, PartialEq, prost::Message, Serialize, Deserialize)]
    pub struct Metric {
        #[prost(string, tag = "1")]
        pub name: String,
        #[prost(string, tag = "2")]
        pub unit: String,
        #[prost(int32, tag = "3")]
        pub temporality: i32,
        #[prost(message, repeated, tag = "4")]
        pub points: Vec<Point>,
    }

    #[derive(Clone, PartialEq, prost::Message, Serialize, Deserialize)]
    pub struct Point {
        #[prost(fixed64, tag = "1")]
        pub time_unix_nano: u64,
        #[prost(oneof = "Number", tags = "2, 3")]
        pub value: Option<Number>,
        #[prost(uint64, repeated, tag = "4")]
        pub bucket_counts: Vec<u64>,
        #[prost(bytes = "vec", tag = "5")]
        pub trace_id: Vec<u8>,
    }

    #[derive(Clone, PartialEq, prost::Oneof, Serialize, Deserialize)]
    pub enum Number {
        #[prost(double, tag = "2")]
        Double(f64),
        #[prost(sint64, tag = "3")]
        Int(i64),
    }
}

/// Small records: all of them 47 bytes on the wire and 100 as JSON, with strings of different lengths.
fn small() -> Vec<Project> {
    let letters = |seed: usize, length: usize| -> String {
        (0..length).map(|at| char::from(b'a' + ((seed * 7 + at * 3 + seed / 26) % 26) as u8)).collect()
    };
    let record = |seed: usize| {
        let name = 3 + seed * 5 % 13;
        let (first, second) = (2 + seed % 5, 1 + seed / 5 % 4);
        Project {
            name: letters(seed, name),
            description: letters(seed + 1, 20 - name),
            timestamp: 1_700_000_000 + seed as u64 * 86_400 % 400_000_000,
            tags: [first, second, 11 - first - second].map(|length| letters(seed + length, length)).into(),
        }
    };
    let records: Vec<_> = (0..16_384).map(record).collect();
    for record in &records {
        assert_eq!(record.encoded_len(), 47);
        assert_eq!(serde_json::to_vec(record).map(|json| json.len()).ok(), Some(100));
    }
    records
}

/// Large records: 1 000 tags of 300 characters.
fn large() -> Vec<Project> {
    let record = |seed: usize| Project {
        name: format!("project {seed}"),
        description: "what it is, and for whom ".repeat(80),
        timestamp: 1_700_000_000 + seed as u64,
        tags: (0..1_000).map(|tag| format!("{:0>300}", seed * 1_000_003 + tag * 7_919)).collect(),
    };
    (0..4).map(record).collect()
}

/// Metrics with 60 to 123 points.
fn metrics() -> Vec<quickstart::Metrics> {
    (0..64).map(|seed| quickstart::sample(30 + seed)).collect()
}

/// Gives one of the values after the other.
fn rotation<'v, T>(values: &'v [T]) -> impl FnMut() -> &'v T {
    let mut at = 0;
    move || {
        at = if at + 1 < values.len() { at + 1 } else { 0 };
        &values[at]
    }
}

/// The bytes of one message, in the mean.
fn throughput(payloads: &[Vec<u8>]) -> Throughput {
    Throughput::Bytes((payloads.iter().map(Vec::len).sum::<usize>() / payloads.len()) as u64)
}

struct Payloads<'p> {
    protobuf: &'p [Vec<u8>],
    json: &'p [Vec<u8>],
}

fn encode<T: Message, P: prost::Message, J: Serialize>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    (typed, dynamic, prost, json): (&[T], &[DynamicMessage], &[P], &[J]),
    payloads: &Payloads<'_>,
) {
    let mut buf = Vec::with_capacity(1 << 20);
    group.throughput(throughput(payloads.protobuf));
    let mut next = rotation(typed);
    group.bench_function("tablepb typed", |b| {
        b.iter(|| {
            buf.clear();
            next().encode(&mut buf).unwrap();
            black_box(buf.len())
        });
    });
    let mut next = rotation(dynamic);
    group.bench_function("tablepb dynamic", |b| {
        b.iter(|| {
            buf.clear();
            next().encode(&mut buf).unwrap();
            black_box(buf.len())
        });
    });
    let mut next = rotation(prost);
    group.bench_function("prost", |b| {
        b.iter(|| {
            buf.clear();
            next().encode(&mut buf).unwrap();
            black_box(buf.len())
        });
    });
    group.throughput(throughput(payloads.json));
    let mut next = rotation(json);
    group.bench_function("serde_json", |b| {
        b.iter(|| {
            buf.clear();
            serde_json::to_writer(&mut buf, next()).unwrap();
            black_box(buf.len())
        });
    });
}

fn decode<T: tablepb::DecodeOwned, P: prost::Message + Default, J: DeserializeOwned>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    payloads: &Payloads<'_>,
) {
    let pool = DescriptorPool::from_tables(&[T::TABLE]).unwrap();
    let schema = pool.message(T::TABLE.full_name()).unwrap();
    group.throughput(throughput(payloads.protobuf));
    let mut next = rotation(payloads.protobuf);
    group.bench_function("tablepb typed", |b| b.iter(|| T::decode(next()).unwrap()));
    let mut next = rotation(payloads.protobuf);
    let mut decoder = Decoder::new(&schema);
    group.bench_function("tablepb dynamic, decoder", |b| {
        b.iter(|| {
            black_box(decoder.decode(next()).unwrap());
        });
    });
    let mut next = rotation(payloads.protobuf);
    group.bench_function("tablepb dynamic, fresh", |b| {
        b.iter(|| DynamicMessage::decode(&schema, next()).unwrap());
    });
    let mut next = rotation(payloads.protobuf);
    group.bench_function("prost", |b| b.iter(|| P::decode(&next()[..]).unwrap()));
    group.throughput(throughput(payloads.json));
    let mut next = rotation(payloads.json);
    group.bench_function("serde_json", |b| b.iter(|| serde_json::from_slice::<J>(next()).unwrap()));
}

/// Both directions for messages of one shape. All codecs hold the same values, which is checked here.
fn shape<T, P, J>(criterion: &mut Criterion, name: &str, typed: &[T], json: impl Fn(usize, &P) -> J)
where
    T: tablepb::DecodeOwned,
    P: prost::Message + Default,
    J: Serialize + DeserializeOwned,
{
    let protobuf: Vec<_> = typed.iter().map(|message| message.encode_to_vec().unwrap()).collect();
    let prost: Vec<P> = protobuf.iter().map(|bytes| P::decode(&bytes[..]).unwrap()).collect();
    assert!(prost.iter().map(prost::Message::encode_to_vec).eq(protobuf.iter().cloned()));
    let pool = DescriptorPool::from_tables(&[T::TABLE]).unwrap();
    let schema = pool.message(T::TABLE.full_name()).unwrap();
    let dynamic: Vec<_> =
        protobuf.iter().map(|bytes| DynamicMessage::decode(&schema, bytes).unwrap()).collect();
    assert!(dynamic.iter().map(|message| message.encode_to_vec().unwrap()).eq(protobuf.iter().cloned()));
    let for_json: Vec<J> = prost.iter().enumerate().map(|(at, message)| json(at, message)).collect();
    let json: Vec<_> = for_json.iter().map(|value| serde_json::to_vec(value).unwrap()).collect();

    let payloads = Payloads { protobuf: &protobuf, json: &json };
    let mut group = criterion.benchmark_group(format!("{name}: encode"));
    encode(&mut group, (typed, &dynamic, &prost, &for_json), &payloads);
    group.finish();
    let mut group = criterion.benchmark_group(format!("{name}: decode"));
    decode::<T, P, J>(&mut group, &payloads);
    group.finish();
}

fn codec(criterion: &mut Criterion) {
    for (name, records) in [("project small", small()), ("project large", large())] {
        shape::<_, generated::Project, _>(criterion, name, &records, |at, _| records[at].clone());
    }
    shape::<_, generated::Metrics, _>(criterion, "metrics", &metrics(), |_, message| message.clone());
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(40)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .with_profiler(profiler::profiler());
    targets = codec
}
criterion_main!(benches);

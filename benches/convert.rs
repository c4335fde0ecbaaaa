//! A dynamic message into a struct, straight and by way of bytes, and where decoders are kept: `cargo bench --bench convert`.
//!
//! - `to_struct`: `straight` is `MessageView::to_struct`, `borrowed` its form for a struct of `&str`, `bytes` an encode and a decode, `clone` a
//!   clone of the struct: what its memory costs.
//! - `decoder`: decodes one message again and again. The decoder is `kept` for all rounds, or comes out of a `pool` with a lock and goes back
//!   there, or is `new` in each round.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Mutex;
use tablepb::{AnyMessage, DecodeOptions, Decoder, Message};

#[derive(Clone, Debug, Default)]
struct Span {
    id: u64,
    name: String,
    tags: Vec<String>,
    values: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
struct Trace {
    host: String,
    spans: Vec<Span>,
}

#[derive(Debug, Default)]
struct SpanRef<'a> {
    id: u64,
    name: &'a str,
    tags: Vec<&'a str>,
    values: Vec<f64>,
}

#[derive(Debug, Default)]
struct TraceRef<'a> {
    host: &'a str,
    spans: Vec<SpanRef<'a>>,
}

tablepb::message! {
    Span as "bench.Span" { id: fixed64 = 1, name: string = 2, tags: repeated string = 3, values: repeated double = 4 }
    Trace as "bench.Trace" { host: string = 1, spans: repeated message Span = 2 }
    SpanRef<'a> as "bench.Span" { id: fixed64 = 1, name: string = 2, tags: repeated string = 3, values: repeated double = 4 }
    TraceRef<'a> as "bench.Trace" { host: string = 1, spans: repeated message SpanRef = 2 }
}

/// A trace of so many spans.
fn trace(spans: u64) -> Trace {
    let span = |at: u64| Span {
        id: at.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        name: format!("GET /api/v1/orders/{at}"),
        tags: (0..at % 4).map(|tag| format!("tag-{tag}")).collect(),
        values: (0..at % 7).map(|value| value as f64).collect(),
    };
    Trace { host: "web-1".into(), spans: (0..spans).map(span).collect() }
}

fn to_struct(criterion: &mut Criterion) {
    for spans in [0, 10, 1000] {
        let mut group = criterion.benchmark_group(format!("to_struct/{spans} spans"));
        let trace = trace(spans);
        let bytes = trace.encode_to_vec().expect("a valid message");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        let dynamic = trace.to_dynamic().expect("its own schema");
        let mut decoder = Decoder::new(dynamic.descriptor());
        group.bench_function("straight", |b| {
            let view = decoder.decode(&bytes).expect("valid");
            b.iter(|| black_box(view.to_struct::<Trace>()));
        });
        group.bench_function("borrowed", |b| {
            let view = decoder.decode(&bytes).expect("valid");
            b.iter(|| black_box(view.to_struct_borrowed::<TraceRef<'_>>()));
        });
        group.bench_function("bytes", |b| {
            let view = decoder.decode(&bytes).expect("valid");
            b.iter(|| black_box(DecodeOptions::new().decode::<Trace>(&view.encode_to_vec().expect("valid"))));
        });
        group.bench_function("clone", |b| b.iter(|| black_box(trace.clone())));
        group.finish();
    }
}

fn decoders(criterion: &mut Criterion) {
    for spans in [0, 10] {
        let mut group = criterion.benchmark_group(format!("decoder/{spans} spans"));
        let trace = trace(spans);
        let bytes = trace.encode_to_vec().expect("a valid message");
        let descriptor = trace.to_dynamic().expect("its own schema").descriptor().clone();
        let mut kept = Decoder::new(&descriptor);
        group.bench_function("kept", |b| b.iter(|| black_box(kept.decode(&bytes).is_ok())));
        let pool: Mutex<Vec<Decoder>> = Mutex::default();
        group.bench_function("pool", |b| {
            b.iter(|| {
                let mut decoder = match pool.lock().expect("no panic").pop() {
                    Some(decoder) => decoder,
                    None => Decoder::new(&descriptor),
                };
                black_box(decoder.decode(&bytes).is_ok());
                pool.lock().expect("no panic").push(decoder);
            });
        });
        group.bench_function("new", |b| {
            b.iter(|| black_box(Decoder::new(&descriptor).decode(&bytes).is_ok()))
        });
        group.finish();
    }
}

criterion_group!(benches, to_struct, decoders);
criterion_main!(benches);

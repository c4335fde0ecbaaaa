//! Partial work beside full work: `cargo bench --bench partial`.
//!
//! - `metric`: a descriptor and a resource that never change, and the points of one time series.
//! - `article`: the published experiment, a batch of 100 metrics with one point each; as one batch again and again, and as 128 different
//!   batches in turn. prost runs with the article's companion messages too: bytes instead of what never changes.
//! - `OTLP`: exports of metrics and traces, as in `examples/otlp`.
//!
//! Encoding: everything, or the constant parts once (`Prepared`) and only the points each time. Decoding: everything, or
//! what is read: by a projection, or with lazy members. prost does the full work. A reader of points adds them up and a reader of span
//! names looks at each, so that all of them have read the same at the end.
//!
//! But for the one batch, every iteration takes another message of a set of 1 to 4 MB. First come ratios: all contenders in turns, each over
//! the whole set, the best of many rounds. Then criterion measures each by itself. `-- --csv` prints the ratios alone, as
//! comma-separated values.

mod article;
mod article_cases;
#[path = "../../examples/otlp/common.rs"]
mod common;
mod metric;
#[path = "../../examples/otlp/metrics.rs"]
mod metrics;
#[path = "../profiler.rs"]
mod profiler;
mod ratio;
mod read;
mod spans;
#[path = "../../examples/otlp/traces.rs"]
mod traces;

use criterion::{Criterion, Throughput};
use prost::Message as _;
use ratio::{Case, Contender};
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;
use tablepb::partial::{Projection, ValuePath};
use tablepb::{Decoder, DescriptorPool, Message, MessageDescriptor};

fn schema<M: Message>() -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[M::TABLE]).unwrap();
    pool.message(M::TABLE.full_name()).unwrap()
}

fn encoded<M: Message>(messages: &[M]) -> Vec<Vec<u8>> {
    messages.iter().map(|message| message.encode_to_vec().unwrap()).collect()
}

fn decoded<M: tablepb::DecodeOwned>(payloads: &[Vec<u8>]) -> Vec<M> {
    payloads.iter().map(|bytes| M::decode(bytes).unwrap()).collect()
}

fn generated<M: prost::Message + Default>(payloads: &[Vec<u8>]) -> Vec<M> {
    payloads.iter().map(|bytes| M::decode(&bytes[..]).unwrap()).collect()
}

/// Encodes one message after the other into one buffer.
fn encoder<M: Message + 'static>(name: &'static str, messages: Vec<M>) -> Contender {
    let mut buf = Vec::with_capacity(1 << 20);
    Contender::new(name, move |at| {
        buf.clear();
        messages[at].encode(&mut buf).unwrap();
        black_box(&buf).len() as u64
    })
}

fn prost_encoder<M: prost::Message + 'static>(name: &'static str, messages: Vec<M>) -> Contender {
    let mut buf = Vec::with_capacity(1 << 20);
    Contender::new(name, move |at| {
        buf.clear();
        messages[at].encode(&mut buf).unwrap();
        black_box(&buf).len() as u64
    })
}

/// Metrics of some sources, each with new points every time: with everything in place, and with the constant parts
/// prepared once per source and shared by its exports, as a program would have them.
fn metrics_of_sources() -> (Vec<metric::whole::Metric>, Vec<metric::prepared::Metric>) {
    let sources = metric::sources();
    let prepared = decoded::<metric::prepared::Metric>(&encoded(&sources));
    let numbers =
        (0..metric::EXPORTS).flat_map(|export| (0..sources.len()).map(move |source| (export, source)));
    let message = |(export, source): (u64, usize)| {
        let series = vec![metric::series(export * 1000 + source as u64)];
        let points = encoded(&[metric::whole::Metric { series: series.clone(), ..Default::default() }]);
        let points = decoded::<metric::prepared::Metric>(&points).remove(0).series;
        (
            metric::whole::Metric { series, ..sources[source].clone() },
            metric::prepared::Metric { series: points, ..prepared[source].clone() },
        )
    };
    numbers.map(message).unzip()
}

/// The bytes that are about points.
fn points_of(messages: &[metric::whole::Metric]) -> usize {
    let points = |message: &metric::whole::Metric| {
        let only = metric::whole::Metric { series: message.series.clone(), ..Default::default() };
        only.encoded_len()
    };
    messages.iter().map(points).sum()
}

fn encode_metric() -> Case {
    let (whole, prepared) = metrics_of_sources();
    let payloads = Rc::new(encoded(&whole));
    Case {
        name: "metric, encode",
        selected: points_of(&whole),
        contenders: vec![
            encoder("tablepb, prepared", prepared),
            encoder("tablepb, full", whole),
            prost_encoder("prost, full", generated::<metric::generated::Metric>(&payloads)),
        ],
        targets: &[(0, 1, 3.0), (0, 2, 4.0)],
        payloads,
    }
}

fn decode_metric() -> Case {
    let messages = metrics_of_sources().0;
    let payloads = Rc::new(encoded(&messages));
    let schema = schema::<metric::whole::Metric>();
    let points = ValuePath::new(&schema, "series.points.value").unwrap();
    let projection = Projection::new(&schema, ["series"]).unwrap();
    let decode = |name, mut decoder: Decoder| {
        let (payloads, points) = (payloads.clone(), points.clone());
        Contender::new(name, move |at| read::total(decoder.decode(&payloads[at]).unwrap(), &points) as u64)
    };
    let (lazy, whole, prost) = (payloads.clone(), payloads.clone(), payloads.clone());
    Case {
        name: "metric, decode and add up the points",
        contenders: vec![
            decode("tablepb decoder, projection", Decoder::new(&schema).with_projection(&projection)),
            decode("tablepb decoder, full", Decoder::new(&schema)),
            Contender::new("tablepb struct, lazy members", move |at| {
                black_box(metric::lazy::Metric::decode(&lazy[at]).unwrap()).total() as u64
            }),
            Contender::new("tablepb struct, full", move |at| {
                black_box(metric::whole::Metric::decode(&whole[at]).unwrap()).total() as u64
            }),
            Contender::new("prost, full", move |at| {
                black_box(metric::generated::Metric::decode(&prost[at][..]).unwrap()).total() as u64
            }),
        ],
        selected: points_of(&messages),
        targets: &[(0, 4, 5.0), (0, 1, 3.0), (2, 4, 5.0), (2, 3, 3.0)],
        payloads,
    }
}

fn encode_exports() -> Case {
    // One program, which exports again and again.
    let mut export = metrics::sample(common::resource());
    let mut constant = decoded::<metrics::prepared::Export>(&encoded(&[export.clone()])).remove(0);
    let (mut whole, mut prepared) = (Vec::new(), Vec::new());
    for number in 0..1024 {
        export.measure(number);
        constant.measure(number);
        whole.push(export.clone());
        prepared.push(constant.clone());
    }
    let payloads = Rc::new(encoded(&whole));
    Case {
        name: "OTLP metrics, encode",
        // Times and values of twelve points.
        selected: payloads.len() * 12 * 27,
        contenders: vec![
            encoder("tablepb, prepared", prepared),
            encoder("tablepb, full", whole),
            prost_encoder("prost, full", generated::<spans::Metrics>(&payloads)),
        ],
        targets: &[],
        payloads,
    }
}

fn read_names() -> Case {
    let payloads = Rc::new(encoded(&(0..40).map(traces::sample).collect::<Vec<_>>()));
    let schema = schema::<traces::Export>();
    let names = ValuePath::new(&schema, "resource_spans.scope_spans.spans.name").unwrap();
    let projection = Projection::new(&schema, ["resource_spans.scope_spans.spans.name"]).unwrap();
    let decode = |name, mut decoder: Decoder| {
        let (payloads, names) = (payloads.clone(), names.clone());
        Contender::new(name, move |at| read::name_bytes(decoder.decode(&payloads[at]).unwrap(), &names))
    };
    let (whole, prost, raw) = (payloads.clone(), payloads.clone(), payloads.clone());
    let mut decoder = Decoder::new(&schema);
    let bytes = |bytes: &Vec<u8>| {
        read::name_bytes(decoder.decode(bytes).unwrap(), &names) as usize + 2 * traces::SPANS
    };
    Case {
        selected: payloads.iter().map(bytes).sum(),
        name: "OTLP traces, read the names of the spans",
        contenders: vec![
            decode("tablepb decoder, projection", Decoder::new(&schema).with_projection(&projection)),
            Contender::new("tablepb raw fields", move |at| read::raw_names(&raw[at]).unwrap()),
            decode("tablepb decoder, full", Decoder::new(&schema)),
            Contender::new("tablepb struct, full", move |at| {
                read::names(&traces::Export::decode(&whole[at]).unwrap())
            }),
            Contender::new("prost, full", move |at| {
                read::prost_names(&spans::Traces::decode(&prost[at][..]).unwrap())
            }),
        ],
        targets: &[(0, 4, 6.0)],
        payloads,
    }
}

/// Makes a case.
type Make = fn() -> Case;

const CASES: [Make; 8] = [
    encode_metric,
    decode_metric,
    || article_cases::encode("article, encode, one batch", 1),
    || article_cases::encode("article, encode, 128 batches", 128),
    || article_cases::decode("article, decode and add up the points, one batch", 1),
    || article_cases::decode("article, decode and add up the points, 128 batches", 128),
    encode_exports,
    read_names,
];

fn main() {
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    // Ratios take half of the time.
    let (csv, quick) = (has("--csv"), has("--quick"));
    if csv {
        println!("case,contender,messages,bytes,selected,nanoseconds");
        CASES.iter().for_each(|case| case().checked().print_csv());
        return;
    }
    let mut criterion = Criterion::default()
        .sample_size(40)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .with_profiler(profiler::profiler())
        .configure_from_args();
    for case in CASES {
        let mut case = case().checked();
        case.print_ratios(quick);
        let mut group = criterion.benchmark_group(format!("partial: {}", case.name));
        let bytes: usize = case.payloads.iter().map(Vec::len).sum();
        group.throughput(Throughput::Bytes((bytes / case.payloads.len()) as u64));
        for contender in &mut case.contenders {
            let (mut at, count) = (0, case.payloads.len());
            group.bench_function(contender.name, |b| {
                b.iter(|| {
                    at = if at + 1 < count { at + 1 } else { 0 };
                    contender.run(at)
                });
            });
        }
        group.finish();
    }
    criterion.final_summary();
}

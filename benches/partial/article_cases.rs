//! The published experiment, as cases of this bench.

use super::article::{self, BYTES, batch, companion, companion_shared, generated, lazy, prepared, whole};
use super::ratio::{Case, Contender};
use super::{encoded, encoder, generated as by_prost, prost_encoder, read, schema};
use prost::Message as _;
use prost::bytes::Bytes;
use std::hint::black_box;
use std::rc::Rc;
use tablepb::partial::{Projection, ValuePath};
use tablepb::visit::{Field, Sink};
use tablepb::{DecodeOwned, Decoder, Message, Prepared};

/// So many batches, which are as long as the article's, and the bytes in them that are points.
fn batches(count: u64) -> (Vec<whole::ResourceMetrics>, usize) {
    let batches: Vec<_> = (0..count).map(batch).collect();
    assert!(batches.iter().all(|batch| batch.encoded_len() == BYTES), "{}", batches[0].encoded_len());
    let series = batches.iter().flat_map(|batch| &batch.metrics).flat_map(|metric| &metric.series);
    let points = series.map(|series| {
        let only = article::whole::Series { points: series.points.clone(), ..Default::default() };
        only.encoded_len()
    });
    let points = points.sum();
    assert_eq!((100.0 * points as f64 / (BYTES * batches.len()) as f64).round(), 26.0);
    (batches, points)
}

/// What a producer holds that prepares what never changes. Made in order, as `batch` makes the others: of messages that were decoded,
/// whose bytes lie scattered, 128 take 1.4 times as long to encode.
fn prepare(batch: &whole::ResourceMetrics) -> prepared::ResourceMetrics {
    fn constant<T: Message, P: DecodeOwned>(message: &T) -> Prepared<P> {
        Prepared::from_bytes(&message.encode_to_vec().unwrap()).unwrap()
    }
    let point = |point: &whole::Point| prepared::Point {
        start_time_unix_nano: point.start_time_unix_nano,
        time_unix_nano: point.time_unix_nano,
        value: point.value,
    };
    let series = |series: &whole::Series| prepared::Series {
        labels: series.labels.iter().map(constant).collect(),
        points: series.points.iter().map(point).collect(),
    };
    let metric = |metric: &whole::Metric| prepared::Metric {
        descriptor: metric.descriptor.as_ref().map(constant),
        series: metric.series.iter().map(series).collect(),
    };
    prepared::ResourceMetrics {
        resource: batch.resource.as_ref().map(constant),
        metrics: batch.metrics.iter().map(metric).collect(),
    }
}

/// Everything, and with what never changes prepared; prost also with companion messages.
pub fn encode(name: &'static str, count: u64) -> Case {
    let (batches, points) = batches(count);
    let payloads = Rc::new(encoded(&batches));
    Case {
        name,
        selected: points,
        contenders: vec![
            encoder("tablepb struct, prepared", batches.iter().map(prepare).collect()),
            encoder("tablepb struct, full", batches),
            prost_encoder("prost, companion messages", by_prost::<companion::ResourceMetrics>(&payloads)),
            prost_encoder("prost, full", by_prost::<generated::ResourceMetrics>(&payloads)),
        ],
        targets: &[(0, 1, 2.2), (2, 3, 2.2)],
        payloads,
    }
}

/// Adds up the values of the points.
struct Total(i64);

impl Sink<'_> for Total {
    fn i64(&mut self, _: Field<'_>, value: i64) {
        self.0 += value;
    }
}

/// The whole batch, and only what a reader of points needs; prost also with companion messages.
pub fn decode(name: &'static str, count: u64) -> Case {
    let (batches, selected) = batches(count);
    let payloads = Rc::new(encoded(&batches));
    let shared: Vec<Bytes> = payloads.iter().map(|bytes| Bytes::from(bytes.clone())).collect();
    let schema = schema::<whole::ResourceMetrics>();
    let projection = Projection::new(&schema, ["metrics.series.points"]).unwrap();
    let path = ValuePath::new(&schema, "metrics.series.points.value").unwrap();
    let view = |name, mut decoder: Decoder| {
        let (payloads, path) = (payloads.clone(), path.clone());
        Contender::new(name, move |at| read::total(decoder.decode(&payloads[at]).unwrap(), &path) as u64)
    };
    let visit = |name, mut decoder: Decoder| {
        let payloads = payloads.clone();
        Contender::new(name, move |at| {
            let mut total = Total(0);
            decoder.visit(&payloads[at], &mut total).unwrap();
            total.0 as u64
        })
    };
    let [lazy, whole, companion, full] = [(); 4].map(|()| payloads.clone());
    Case {
        name,
        selected,
        contenders: vec![
            Contender::new("tablepb struct, lazy members", move |at| {
                black_box(lazy::ResourceMetrics::decode(&lazy[at]).unwrap()).total() as u64
            }),
            Contender::new("tablepb struct, full", move |at| {
                black_box(whole::ResourceMetrics::decode(&whole[at]).unwrap()).total() as u64
            }),
            view("tablepb decoder, projection", Decoder::new(&schema).with_projection(&projection)),
            view("tablepb decoder, full", Decoder::new(&schema)),
            visit("tablepb visit, projection", Decoder::new(&schema).with_projection(&projection)),
            Contender::new("prost, companion messages", move |at| {
                let batch = companion::ResourceMetrics::decode(&companion[at][..]).unwrap();
                black_box(batch).total() as u64
            }),
            Contender::new("prost, companion messages, Bytes", move |at| {
                let batch = companion_shared::ResourceMetrics::decode(shared[at].clone()).unwrap();
                black_box(batch).total() as u64
            }),
            Contender::new("prost, full", move |at| {
                black_box(generated::ResourceMetrics::decode(&full[at][..]).unwrap()).total() as u64
            }),
        ],
        targets: &[(0, 1, 2.7), (2, 3, 2.7), (4, 1, 2.7), (4, 3, 2.7), (5, 7, 2.7)],
        payloads,
    }
}

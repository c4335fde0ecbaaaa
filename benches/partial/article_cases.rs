//! The published experiment, as cases of this bench.

use super::article::{self, BYTES, batch, companion, companion_shared, generated, lazy, prepared, whole};
use super::ratio::{Case, Contender};
use super::{decoded, encoded, encoder, generated as by_prost, prost_encoder, schema};
use prost::Message as _;
use prost::bytes::Bytes;
use std::hint::black_box;
use std::rc::Rc;
use tablepb::{Decoder, FieldDescriptor, Kind, Message, MessageView, Projection};

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

/// Everything, and with what never changes prepared; prost also with companion messages.
pub fn encode(name: &'static str, count: u64) -> Case {
    let (batches, points) = batches(count);
    let payloads = Rc::new(encoded(&batches));
    Case {
        name,
        selected: points,
        contenders: vec![
            encoder("tablepb struct, prepared", decoded::<prepared::ResourceMetrics>(&payloads)),
            encoder("tablepb struct, full", batches),
            prost_encoder("prost, companion messages", by_prost::<companion::ResourceMetrics>(&payloads)),
            prost_encoder("prost, full", by_prost::<generated::ResourceMetrics>(&payloads)),
        ],
        targets: &[(0, 1, 2.2), (2, 3, 2.2)],
        payloads,
    }
}

/// The fields on the way to the points.
#[derive(Clone)]
struct Path([FieldDescriptor; 4]);

impl Path {
    fn new() -> Self {
        let mut message = schema::<whole::ResourceMetrics>();
        Self(["metrics", "series", "points", "value"].map(|name| {
            let field = message.get_field_by_name(name).unwrap();
            if let Kind::Message(inside) = field.kind() {
                message = inside;
            }
            field
        }))
    }

    /// The sum of all points.
    fn total(&self, batch: MessageView<'_, '_>) -> i64 {
        let [metrics, series, points, value] = &self.0;
        let mut sum = 0;
        for metric in messages(batch, metrics) {
            for series in messages(metric, series) {
                sum += messages(series, points).filter_map(|point| point.get(value)?.as_i64()).sum::<i64>();
            }
        }
        sum
    }
}

fn messages<'a, 'i>(
    view: MessageView<'a, 'i>,
    field: &FieldDescriptor,
) -> impl Iterator<Item = MessageView<'a, 'i>> + use<'a, 'i> {
    let list = view.get(field).and_then(|value| value.as_list());
    list.into_iter().flat_map(|list| (0..list.len()).filter_map(move |at| list.get(at)?.as_message()))
}

/// The whole batch, and only what a reader of points needs; prost also with companion messages.
pub fn decode(name: &'static str, count: u64) -> Case {
    let (batches, selected) = batches(count);
    let payloads = Rc::new(encoded(&batches));
    let shared: Vec<Bytes> = payloads.iter().map(|bytes| Bytes::from(bytes.clone())).collect();
    let (schema, path) = (schema::<whole::ResourceMetrics>(), Path::new());
    let projection = Projection::new(&schema, ["metrics.series.points"]).unwrap();
    let view = |name, mut decoder: Decoder| {
        let (payloads, path) = (payloads.clone(), path.clone());
        Contender::new(name, move |at| path.total(decoder.decode(&payloads[at]).unwrap()) as u64)
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
        targets: &[(0, 1, 2.7), (2, 3, 2.7), (4, 6, 2.7)],
        payloads,
    }
}

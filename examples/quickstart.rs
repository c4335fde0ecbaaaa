//! The first ten minutes with tablepb: one schema, used by plain structs and at run time, with the same bytes.
//!
//! ```text
//! cargo run --release --example quickstart
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use tablepb::stream::{FrameReader, write_frame};
use tablepb::{
    DecodeErrorKind, Decoder, DescriptorPool, DynamicMessage, EnumValue, Message, MessageDescriptor,
    SetFieldError, UnknownFieldSet, Value,
};

include!("common/say.rs");

/// The measurements of a service: `message Metrics { Resource resource = 1; repeated Metric metrics = 2; }`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metrics {
    resource: Option<Resource>,
    metrics: Vec<Metric>,
    unknown: UnknownFieldSet,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Resource {
    service: String,
    attributes: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Metric {
    name: String,
    unit: String,
    temporality: EnumValue<Temporality>,
    points: Vec<Point>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Point {
    time_unix_nano: u64,
    value: Option<Number>,
    bucket_counts: Vec<u64>,
    trace_id: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq)]
enum Number {
    Double(f64),
    Int(i64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Temporality {
    Unspecified = 0,
    Delta = 1,
    Cumulative = 2,
}

tablepb::message! {
    Metrics as "example.Metrics" {
        resource: message Resource = 1,
        metrics: repeated message Metric = 2,
        unknown: unknown_fields,
    }
    Resource as "example.Resource" {
        service: string = 1,
        attributes: map<string, string> = 2,
    }
    Metric as "example.Metric" {
        name: string = 1,
        unit: string = 2,
        temporality: enum Temporality = 3,
        points: repeated message Point = 4,
    }
    Point as "example.Point" {
        time_unix_nano: fixed64 = 1,
        value: oneof Number { Double as "as_double": double = 2, Int as "as_int": sint64 = 3 },
        bucket_counts: repeated uint64 = 4,
        trace_id: bytes = 5,
    }
}

tablepb::enumeration! {
    Temporality as "example.Temporality" {
        Unspecified as "TEMPORALITY_UNSPECIFIED" = 0,
        Delta as "TEMPORALITY_DELTA" = 1,
        Cumulative as "TEMPORALITY_CUMULATIVE" = 2,
    }
}

/// A request counter and a latency histogram, with `points` points each.
pub(crate) fn sample(points: u64) -> Metrics {
    let time = |i| 1_700_000_000_000_000_000 + i * 10_000_000_000;
    let point = |i, value, bucket_counts| Point {
        time_unix_nano: time(i),
        value: Some(value),
        bucket_counts,
        trace_id: Vec::new(),
    };
    let requests = (0..points).map(|i| point(i, Number::Int(i as i64 * 17), Vec::new()));
    let latency = (0..points).map(|i| {
        let mut point = point(i, Number::Double(i as f64 * 0.25 + 0.125), vec![i, i * 3, i * 130, 4, 0]);
        point.trace_id = (0..16).map(|byte: u8| byte.wrapping_mul(37).wrapping_add(i as u8)).collect();
        point
    });
    let attributes = [("host.name", "web-1"), ("service.version", "1.4.0")];
    Metrics {
        resource: Some(Resource {
            service: "checkout".into(),
            attributes: attributes.map(|(key, value)| (key.into(), value.into())).into(),
        }),
        metrics: vec![
            Metric {
                name: "http.server.requests".into(),
                unit: "{request}".into(),
                temporality: Temporality::Cumulative.into(),
                points: requests.collect(),
            },
            Metric {
                name: "http.server.duration".into(),
                unit: "s".into(),
                temporality: Temporality::Delta.into(),
                points: latency.collect(),
            },
        ],
        unknown: UnknownFieldSet::new(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Plain structs: `encode` appends to your buffer, so its memory is reused.
    let metrics = sample(2);
    let mut buf = Vec::new();
    metrics.encode(&mut buf)?;
    assert_eq!(Metrics::decode(&buf)?, metrics);
    say!("typed     {} bytes, {} metrics", buf.len(), metrics.metrics.len());

    // At run time: the listing above is also a table. `DescriptorPool::decode` takes a descriptor set instead.
    let pool = DescriptorPool::from_tables(&[Metrics::TABLE])?;
    let schema = pool.message("example.Metrics")?;
    let message = DynamicMessage::decode(&schema, &buf)?;
    assert_eq!(message.encode_to_vec()?, buf, "both ways write the same bytes");
    say!("dynamic   {} fields are set", message.fields().count());

    built_by_setters(&schema)?;
    borrowed(&schema, &buf)?;
    framed(&buf)?;
    explained(&schema, &buf);
    Ok(())
}

/// A message of a schema that the program does not know: fields are found by name or number.
fn built_by_setters(schema: &MessageDescriptor) -> Result<(), Box<dyn Error>> {
    let metrics = schema.field("metrics")?;
    let mut message = DynamicMessage::new(schema);
    let mut metric = message.push_message(&metrics)?;
    metric.set_field("name", "queue.length")?;
    metric.set_field("temporality", Value::EnumNumber(2))?;

    let typed = Metric {
        name: "queue.length".into(),
        temporality: Temporality::Cumulative.into(),
        ..Metric::default()
    };
    let typed = Metrics { metrics: vec![typed], ..Metrics::default() };
    assert_eq!(message.encode_to_vec()?, typed.encode_to_vec()?);

    let refused: SetFieldError = message.set_field("metrics", 5u64).unwrap_err();
    say!("setters   {refused}");
    Ok(())
}

/// The fastest way to read: one decoder for many messages, strings borrowed from the input.
fn borrowed(schema: &MessageDescriptor, input: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut decoder = Decoder::new(schema);
    let view = decoder.decode(input)?;
    let resource = view.get_field("resource").ok().and_then(|value| value.as_message());
    let attributes = resource.and_then(|r| r.get_field("attributes").ok()?.as_map());
    let host = attributes.and_then(|map| map.get("host.name")?.as_str());
    assert_eq!(host, Some("web-1"));
    say!("borrowed  host.name = {host:?}");
    Ok(())
}

/// A stream of messages, each after its length.
fn framed(payload: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut stream = Vec::new();
    for _ in 0..3 {
        write_frame(&mut stream, payload)?;
    }
    let mut frames = FrameReader::new(&stream[..]);
    let mut count = 0;
    while let Some(payload) = frames.next_frame()? {
        count += Metrics::decode(payload)?.metrics.len();
    }
    say!("framed    {count} metrics in {} bytes", stream.len());
    Ok(())
}

/// An error has a kind, a byte offset and a field path.
fn explained(schema: &MessageDescriptor, payload: &[u8]) {
    let cut = &payload[..payload.len() - 1];
    let typed = Metrics::decode(cut).unwrap_err();
    let dynamic = DynamicMessage::decode(schema, cut).unwrap_err();
    assert_eq!(typed.kind(), DecodeErrorKind::Incomplete);
    assert_eq!((dynamic.kind(), dynamic.offset()), (typed.kind(), typed.offset()));
    say!("errors    {dynamic}");
}

//! What a program does without tablepb-arrow: structs of prost, and a loop by hand for each message type that fills Arrow's builders.

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, StringBuilder, UInt32Builder,
    UInt64Builder,
};
use arrow_array::{Array, ArrayRef, BinaryArray, ListArray, RecordBatch, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use prost::Message;
use std::sync::Arc;

/// The loop for the rows of a shape, if there is one.
pub fn reader(shape: &str) -> Option<fn(&BinaryArray) -> RecordBatch> {
    match shape {
        "flows" => Some(flows),
        "logs" => Some(logs),
        "metrics" => Some(metrics),
        _ => None,
    }
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn structs(columns: Vec<(&str, ArrayRef)>, nulls: Option<NullBuffer>) -> ArrayRef {
    let field = |name: &str, array: &ArrayRef| Field::new(name, array.data_type().clone(), true);
    let fields: Vec<Field> = columns.iter().map(|(name, array)| field(name, array)).collect();
    Arc::new(StructArray::new(fields.into(), columns.into_iter().map(|(_, array)| array).collect(), nulls))
}

fn list(lengths: Vec<usize>, values: ArrayRef) -> ArrayRef {
    let field = Field::new("item", values.data_type().clone(), true);
    Arc::new(ListArray::new(field.into(), OffsetBuffer::from_lengths(lengths), values, None))
}

/// Each row in turn, in a message that is reused.
fn each<M: Message + Default>(rows: &BinaryArray, mut work: impl FnMut(&M)) {
    let mut message = M::default();
    for row in rows.iter().flatten() {
        message.clear();
        message.merge(row).expect("valid rows");
        work(&message);
    }
}

#[derive(Clone, PartialEq, Message)]
struct Flow {
    #[prost(int32, tag = "1")]
    r#type: i32,
    #[prost(uint64, tag = "110")]
    time_received_ns: u64,
    #[prost(uint32, tag = "4")]
    sequence_num: u32,
    #[prost(uint64, tag = "3")]
    sampling_rate: u64,
    #[prost(bytes = "vec", tag = "11")]
    sampler_address: Vec<u8>,
    #[prost(uint64, tag = "111")]
    time_flow_start_ns: u64,
    #[prost(uint64, tag = "112")]
    time_flow_end_ns: u64,
    #[prost(uint64, tag = "9")]
    bytes: u64,
    #[prost(uint64, tag = "10")]
    packets: u64,
    #[prost(bytes = "vec", tag = "6")]
    src_addr: Vec<u8>,
    #[prost(bytes = "vec", tag = "7")]
    dst_addr: Vec<u8>,
    #[prost(uint32, tag = "30")]
    etype: u32,
    #[prost(uint32, tag = "20")]
    proto: u32,
    #[prost(uint32, tag = "21")]
    src_port: u32,
    #[prost(uint32, tag = "22")]
    dst_port: u32,
    #[prost(uint32, tag = "18")]
    in_if: u32,
    #[prost(uint32, tag = "19")]
    out_if: u32,
    #[prost(uint64, tag = "27")]
    src_mac: u64,
    #[prost(uint64, tag = "28")]
    dst_mac: u64,
    #[prost(uint32, tag = "33")]
    src_vlan: u32,
    #[prost(uint32, tag = "23")]
    ip_tos: u32,
    #[prost(uint32, tag = "25")]
    ip_ttl: u32,
    #[prost(uint32, tag = "26")]
    tcp_flags: u32,
    #[prost(uint32, tag = "14")]
    src_as: u32,
    #[prost(uint32, tag = "15")]
    dst_as: u32,
}

/// A builder for each field of a flat message: of numbers, and of bytes.
macro_rules! flat {
    ($rows:expr, $message:ty, $($number:ident: $builder:ident),*; $($bytes:ident),*) => {{
        let count = $rows.len();
        $(let mut $number = $builder::with_capacity(count);)*
        $(let mut $bytes = BinaryBuilder::with_capacity(count, 8 * count);)*
        each::<$message>($rows, |row| {
            $($number.append_value(row.$number);)*
            $($bytes.append_value(&row.$bytes);)*
        });
        batch(vec![
            $((stringify!($number), Arc::new($number.finish()) as ArrayRef),)*
            $((stringify!($bytes), Arc::new($bytes.finish()) as ArrayRef),)*
        ])
    }};
}

fn flows(rows: &BinaryArray) -> RecordBatch {
    flat!(
        rows, Flow,
        r#type: Int32Builder, time_received_ns: UInt64Builder, sequence_num: UInt32Builder, sampling_rate: UInt64Builder, time_flow_start_ns: UInt64Builder, time_flow_end_ns: UInt64Builder, bytes: UInt64Builder, packets: UInt64Builder, etype: UInt32Builder, proto: UInt32Builder, src_port: UInt32Builder, dst_port: UInt32Builder, in_if: UInt32Builder, out_if: UInt32Builder, src_mac: UInt64Builder, dst_mac: UInt64Builder, src_vlan: UInt32Builder, ip_tos: UInt32Builder, ip_ttl: UInt32Builder, tcp_flags: UInt32Builder, src_as: UInt32Builder, dst_as: UInt32Builder;
        sampler_address, src_addr, dst_addr
    )
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4")]
    value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Value {
    #[prost(string, tag = "1")]
    String(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Double(f64),
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct Log {
    #[prost(fixed64, tag = "1")]
    time_unix_nano: u64,
    #[prost(int32, tag = "2")]
    severity_number: i32,
    #[prost(string, tag = "3")]
    severity_text: String,
    #[prost(message, optional, tag = "5")]
    body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "7")]
    dropped_attributes_count: u32,
    #[prost(fixed32, tag = "8")]
    flags: u32,
    #[prost(bytes = "vec", tag = "9")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    span_id: Vec<u8>,
    #[prost(fixed64, tag = "11")]
    observed_time_unix_nano: u64,
}

/// The columns of `AnyValue`.
#[derive(Default)]
struct AnyValues {
    strings: StringBuilder,
    bools: BooleanBuilder,
    ints: Int64Builder,
    doubles: Float64Builder,
    valid: Vec<bool>,
}

impl AnyValues {
    fn append(&mut self, any: Option<&AnyValue>) {
        let value = any.and_then(|any| any.value.as_ref());
        self.valid.push(any.is_some());
        self.strings.append_option(if let Some(Value::String(value)) = value { Some(value) } else { None });
        self.bools.append_option(if let Some(Value::Bool(value)) = value { Some(*value) } else { None });
        self.ints.append_option(if let Some(Value::Int(value)) = value { Some(*value) } else { None });
        self.doubles.append_option(if let Some(Value::Double(value)) = value { Some(*value) } else { None });
    }

    fn finish(mut self) -> ArrayRef {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("string_value", Arc::new(self.strings.finish())),
            ("bool_value", Arc::new(self.bools.finish())),
            ("int_value", Arc::new(self.ints.finish())),
            ("double_value", Arc::new(self.doubles.finish())),
        ];
        structs(columns, Some(self.valid.into()))
    }
}

fn logs(rows: &BinaryArray) -> RecordBatch {
    let count = rows.len();
    let [mut times, mut observed] = [(); 2].map(|()| UInt64Builder::with_capacity(count));
    let [mut dropped, mut flags] = [(); 2].map(|()| UInt32Builder::with_capacity(count));
    let [mut trace_ids, mut span_ids] = [(); 2].map(|()| BinaryBuilder::with_capacity(count, 16 * count));
    let mut numbers = Int32Builder::with_capacity(count);
    let (mut texts, mut keys) = (StringBuilder::with_capacity(count, 8 * count), StringBuilder::new());
    let (mut bodies, mut values, mut lengths) =
        (AnyValues::default(), AnyValues::default(), Vec::with_capacity(count));
    each::<Log>(rows, |row| {
        times.append_value(row.time_unix_nano);
        numbers.append_value(row.severity_number);
        texts.append_value(&row.severity_text);
        bodies.append(row.body.as_ref());
        lengths.push(row.attributes.len());
        for attribute in &row.attributes {
            keys.append_value(&attribute.key);
            values.append(attribute.value.as_ref());
        }
        dropped.append_value(row.dropped_attributes_count);
        flags.append_value(row.flags);
        trace_ids.append_value(&row.trace_id);
        span_ids.append_value(&row.span_id);
        observed.append_value(row.observed_time_unix_nano);
    });
    let attributes = structs(vec![("key", Arc::new(keys.finish())), ("value", values.finish())], None);
    batch(vec![
        ("time_unix_nano", Arc::new(times.finish())),
        ("severity_number", Arc::new(numbers.finish())),
        ("severity_text", Arc::new(texts.finish())),
        ("body", bodies.finish()),
        ("attributes", list(lengths, attributes)),
        ("dropped_attributes_count", Arc::new(dropped.finish())),
        ("flags", Arc::new(flags.finish())),
        ("trace_id", Arc::new(trace_ids.finish())),
        ("span_id", Arc::new(span_ids.finish())),
        ("observed_time_unix_nano", Arc::new(observed.finish())),
    ])
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Point {
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<Label>,
    #[prost(fixed64, tag = "2")]
    start_time_unix_nano: u64,
    #[prost(fixed64, tag = "3")]
    time_unix_nano: u64,
    #[prost(fixed64, tag = "4")]
    count: u64,
    #[prost(double, tag = "5")]
    sum: f64,
    #[prost(fixed64, repeated, tag = "6")]
    bucket_counts: Vec<u64>,
    #[prost(double, repeated, tag = "7")]
    explicit_bounds: Vec<f64>,
}

#[derive(Clone, PartialEq, Message)]
struct Histogram {
    #[prost(message, repeated, tag = "1")]
    data_points: Vec<Point>,
    #[prost(int32, tag = "2")]
    aggregation_temporality: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Metric {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    description: String,
    #[prost(string, tag = "3")]
    unit: String,
    #[prost(message, optional, tag = "9")]
    histogram: Option<Histogram>,
}

/// The columns of [`Point`].
#[derive(Default)]
struct Points {
    keys: StringBuilder,
    values: StringBuilder,
    labels: Vec<usize>,
    starts: UInt64Builder,
    times: UInt64Builder,
    counts: UInt64Builder,
    sums: Float64Builder,
    buckets: UInt64Builder,
    bucket_counts: Vec<usize>,
    bounds: Float64Builder,
    bound_counts: Vec<usize>,
}

impl Points {
    fn append(&mut self, point: &Point) {
        for label in &point.attributes {
            self.keys.append_value(&label.key);
            self.values.append_value(&label.value);
        }
        self.labels.push(point.attributes.len());
        self.starts.append_value(point.start_time_unix_nano);
        self.times.append_value(point.time_unix_nano);
        self.counts.append_value(point.count);
        self.sums.append_value(point.sum);
        self.buckets.append_slice(&point.bucket_counts);
        self.bucket_counts.push(point.bucket_counts.len());
        self.bounds.append_slice(&point.explicit_bounds);
        self.bound_counts.push(point.explicit_bounds.len());
    }

    fn finish(mut self) -> ArrayRef {
        let labels: Vec<(&str, ArrayRef)> =
            vec![("key", Arc::new(self.keys.finish())), ("value", Arc::new(self.values.finish()))];
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("attributes", list(self.labels, structs(labels, None))),
            ("start_time_unix_nano", Arc::new(self.starts.finish())),
            ("time_unix_nano", Arc::new(self.times.finish())),
            ("count", Arc::new(self.counts.finish())),
            ("sum", Arc::new(self.sums.finish())),
            ("bucket_counts", list(self.bucket_counts, Arc::new(self.buckets.finish()))),
            ("explicit_bounds", list(self.bound_counts, Arc::new(self.bounds.finish()))),
        ];
        structs(columns, None)
    }
}

fn metrics(rows: &BinaryArray) -> RecordBatch {
    let count = rows.len();
    let [mut names, mut descriptions, mut units] =
        [(); 3].map(|()| StringBuilder::with_capacity(count, 16 * count));
    let mut temporalities = Int32Builder::with_capacity(count);
    let (mut points, mut lengths, mut valid) = (Points::default(), Vec::new(), Vec::with_capacity(count));
    each::<Metric>(rows, |row| {
        names.append_value(&row.name);
        descriptions.append_value(&row.description);
        units.append_value(&row.unit);
        valid.push(row.histogram.is_some());
        let histogram = row.histogram.as_ref();
        let data_points = histogram.map_or(&[][..], |histogram| &histogram.data_points);
        data_points.iter().for_each(|point| points.append(point));
        lengths.push(data_points.len());
        temporalities.append_option(histogram.map(|histogram| histogram.aggregation_temporality));
    });
    let histogram = structs(
        vec![
            ("data_points", list(lengths, points.finish())),
            ("aggregation_temporality", Arc::new(temporalities.finish())),
        ],
        Some(valid.into()),
    );
    batch(vec![
        ("name", Arc::new(names.finish())),
        ("description", Arc::new(descriptions.finish())),
        ("unit", Arc::new(units.finish())),
        ("histogram", histogram),
    ])
}

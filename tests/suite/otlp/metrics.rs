//! OpenTelemetry metrics as plain structs, written by hand after the .proto files.

use std::borrow::Cow;
use tablepb::EnumValue;

macro_rules! structs {
    ($($name:ident $(<$life:lifetime>)? { $($field:ident: $type:ty),* $(,)? })*) => {$(
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name $(<$life>)? { $(pub $field: $type),* }
    )*};
}

structs! {
    ExportMetricsServiceRequest<'a> { resource_metrics: Vec<ResourceMetrics<'a>> }
    ResourceMetrics<'a> {
        resource: Option<Resource>,
        scope_metrics: Vec<ScopeMetrics<'a>>,
        schema_url: Cow<'a, str>,
    }
    ScopeMetrics<'a> {
        scope: Option<InstrumentationScope>,
        metrics: Vec<Metric<'a>>,
        schema_url: Cow<'a, str>,
    }
    Metric<'a> {
        name: &'a str,
        description: &'a str,
        unit: Cow<'a, str>,
        data: Option<Data<'a>>,
        metadata: Vec<KeyValue>,
    }
    Gauge<'a> { data_points: Vec<NumberDataPoint<'a>> }
    Sum<'a> {
        data_points: Vec<NumberDataPoint<'a>>,
        aggregation_temporality: EnumValue<AggregationTemporality>,
        is_monotonic: bool,
    }
    Histogram<'a> { data_points: Vec<HistogramDataPoint<'a>>, aggregation_temporality: i32 }
    ExponentialHistogram<'a> {
        data_points: Vec<ExponentialHistogramDataPoint<'a>>,
        aggregation_temporality: EnumValue<AggregationTemporality>,
    }
    Summary { data_points: Vec<SummaryDataPoint> }
    NumberDataPoint<'a> {
        attributes: Vec<KeyValue>,
        start_time_unix_nano: u64,
        time_unix_nano: u64,
        value: Option<Number>,
        exemplars: Vec<Exemplar<'a>>,
        flags: u32,
    }
    HistogramDataPoint<'a> {
        attributes: Vec<KeyValue>,
        start_time_unix_nano: u64,
        time_unix_nano: u64,
        count: u64,
        sum: Option<f64>,
        bucket_counts: Vec<u64>,
        explicit_bounds: Vec<f64>,
        exemplars: Vec<Exemplar<'a>>,
        flags: u32,
        min: Option<f64>,
        max: Option<f64>,
    }
    ExponentialHistogramDataPoint<'a> {
        attributes: Vec<KeyValue>,
        start_time_unix_nano: u64,
        time_unix_nano: u64,
        count: u64,
        sum: Option<f64>,
        scale: i32,
        zero_count: u64,
        positive: Option<Buckets>,
        negative: Option<Buckets>,
        flags: u32,
        exemplars: Vec<Exemplar<'a>>,
        min: Option<f64>,
        max: Option<f64>,
        zero_threshold: f64,
    }
    Buckets { offset: i32, bucket_counts: Vec<u64> }
    SummaryDataPoint {
        attributes: Vec<KeyValue>,
        start_time_unix_nano: u64,
        time_unix_nano: u64,
        count: u64,
        sum: f64,
        quantile_values: Vec<ValueAtQuantile>,
        flags: u32,
    }
    ValueAtQuantile { quantile: f64, value: f64 }
    Exemplar<'a> {
        filtered_attributes: Vec<KeyValue>,
        time_unix_nano: u64,
        value: Option<Number>,
        span_id: &'a [u8],
        trace_id: Cow<'a, [u8]>,
    }
    Resource { attributes: Vec<KeyValue>, dropped_attributes_count: u32, entity_refs: Vec<EntityRef> }
    EntityRef { schema_url: String, r#type: String, id_keys: Vec<String>, description_keys: Vec<String> }
    InstrumentationScope {
        name: String,
        version: String,
        attributes: Vec<KeyValue>,
        dropped_attributes_count: u32,
    }
    KeyValue { key: String, value: Option<AnyValue>, key_strindex: i32 }
    AnyValue { value: Option<Value> }
    ArrayValue { values: Vec<AnyValue> }
    KeyValueList { values: Vec<KeyValue> }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AggregationTemporality {
    Unspecified = 0,
    Delta = 1,
    Cumulative = 2,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Data<'a> {
    Gauge(Gauge<'a>),
    Sum(Sum<'a>),
    Histogram(Box<Histogram<'a>>),
    ExponentialHistogram(ExponentialHistogram<'a>),
    Summary(Summary),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    AsDouble(f64),
    AsInt(i64),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    String(String),
    Bool(bool),
    Int(i64),
    Double(f64),
    Array(ArrayValue),
    KvList(KeyValueList),
    Bytes(Vec<u8>),
    Strindex(i32),
}

tablepb::enumeration! {
    AggregationTemporality as "opentelemetry.proto.metrics.v1.AggregationTemporality" {
        Unspecified as "AGGREGATION_TEMPORALITY_UNSPECIFIED" = 0,
        Delta as "AGGREGATION_TEMPORALITY_DELTA" = 1,
        Cumulative as "AGGREGATION_TEMPORALITY_CUMULATIVE" = 2,
    }
}

tablepb::message! {
    ExportMetricsServiceRequest<'a> as "opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest" {
        resource_metrics: repeated message ResourceMetrics = 1,
    }
    ResourceMetrics<'a> as "opentelemetry.proto.metrics.v1.ResourceMetrics" {
        resource: message Resource = 1,
        scope_metrics: repeated message ScopeMetrics = 2,
        schema_url: string = 3,
    }
    ScopeMetrics<'a> as "opentelemetry.proto.metrics.v1.ScopeMetrics" {
        scope: message InstrumentationScope = 1,
        metrics: repeated message Metric = 2,
        schema_url: string = 3,
    }
    Metric<'a> as "opentelemetry.proto.metrics.v1.Metric" {
        name: string = 1,
        description: string = 2,
        unit: string = 3,
        data: oneof Data {
            Gauge as "gauge": message Gauge = 5,
            Sum as "sum": message Sum = 7,
            Histogram as "histogram": message Histogram = 9,
            ExponentialHistogram as "exponential_histogram": message ExponentialHistogram = 10,
            Summary as "summary": message Summary = 11,
        },
        metadata: repeated message KeyValue = 12,
    }
    Gauge<'a> as "opentelemetry.proto.metrics.v1.Gauge" {
        data_points: repeated message NumberDataPoint = 1,
    }
    Sum<'a> as "opentelemetry.proto.metrics.v1.Sum" {
        data_points: repeated message NumberDataPoint = 1,
        aggregation_temporality: enum AggregationTemporality = 2,
        is_monotonic: bool = 3,
    }
    Histogram<'a> as "opentelemetry.proto.metrics.v1.Histogram" {
        data_points: repeated message HistogramDataPoint = 1,
        aggregation_temporality: enum AggregationTemporality = 2,
    }
    ExponentialHistogram<'a> as "opentelemetry.proto.metrics.v1.ExponentialHistogram" {
        data_points: repeated message ExponentialHistogramDataPoint = 1,
        aggregation_temporality: enum AggregationTemporality = 2,
    }
    Summary as "opentelemetry.proto.metrics.v1.Summary" {
        data_points: repeated message SummaryDataPoint = 1,
    }
    NumberDataPoint<'a> as "opentelemetry.proto.metrics.v1.NumberDataPoint" {
        attributes: repeated message KeyValue = 7,
        start_time_unix_nano: fixed64 = 2,
        time_unix_nano: fixed64 = 3,
        value: oneof Number { AsDouble as "as_double": double = 4, AsInt as "as_int": sfixed64 = 6 },
        exemplars: repeated message Exemplar = 5,
        flags: uint32 = 8,
    }
    HistogramDataPoint<'a> as "opentelemetry.proto.metrics.v1.HistogramDataPoint" {
        attributes: repeated message KeyValue = 9,
        start_time_unix_nano: fixed64 = 2,
        time_unix_nano: fixed64 = 3,
        count: fixed64 = 4,
        sum: optional double = 5,
        bucket_counts: repeated fixed64 = 6,
        explicit_bounds: repeated double = 7,
        exemplars: repeated message Exemplar = 8,
        flags: uint32 = 10,
        min: optional double = 11,
        max: optional double = 12,
    }
    ExponentialHistogramDataPoint<'a> as "opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint" {
        attributes: repeated message KeyValue = 1,
        start_time_unix_nano: fixed64 = 2,
        time_unix_nano: fixed64 = 3,
        count: fixed64 = 4,
        sum: optional double = 5,
        scale: sint32 = 6,
        zero_count: fixed64 = 7,
        positive: message Buckets = 8,
        negative: message Buckets = 9,
        flags: uint32 = 10,
        exemplars: repeated message Exemplar = 11,
        min: optional double = 12,
        max: optional double = 13,
        zero_threshold: double = 14,
    }
    Buckets as "opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint.Buckets" {
        offset: sint32 = 1,
        bucket_counts: repeated uint64 = 2,
    }
    SummaryDataPoint as "opentelemetry.proto.metrics.v1.SummaryDataPoint" {
        attributes: repeated message KeyValue = 7,
        start_time_unix_nano: fixed64 = 2,
        time_unix_nano: fixed64 = 3,
        count: fixed64 = 4,
        sum: double = 5,
        quantile_values: repeated message ValueAtQuantile = 6,
        flags: uint32 = 8,
    }
    ValueAtQuantile as "opentelemetry.proto.metrics.v1.SummaryDataPoint.ValueAtQuantile" {
        quantile: double = 1,
        value: double = 2,
    }
    Exemplar<'a> as "opentelemetry.proto.metrics.v1.Exemplar" {
        filtered_attributes: repeated message KeyValue = 7,
        time_unix_nano: fixed64 = 2,
        value: oneof Number { AsDouble as "as_double": double = 3, AsInt as "as_int": sfixed64 = 6 },
        span_id: bytes = 4,
        trace_id: bytes = 5,
    }
    Resource as "opentelemetry.proto.resource.v1.Resource" {
        attributes: repeated message KeyValue = 1,
        dropped_attributes_count: uint32 = 2,
        entity_refs: repeated message EntityRef = 3,
    }
    EntityRef as "opentelemetry.proto.common.v1.EntityRef" {
        schema_url: string = 1,
        r#type: string = 2,
        id_keys: repeated string = 3,
        description_keys: repeated string = 4,
    }
    InstrumentationScope as "opentelemetry.proto.common.v1.InstrumentationScope" {
        name: string = 1,
        version: string = 2,
        attributes: repeated message KeyValue = 3,
        dropped_attributes_count: uint32 = 4,
    }
    KeyValue as "opentelemetry.proto.common.v1.KeyValue" {
        key: string = 1,
        value: message AnyValue = 2,
        key_strindex: int32 = 3,
    }
    AnyValue as "opentelemetry.proto.common.v1.AnyValue" {
        value: oneof Value {
            String as "string_value": string = 1,
            Bool as "bool_value": bool = 2,
            Int as "int_value": int64 = 3,
            Double as "double_value": double = 4,
            Array as "array_value": message ArrayValue = 5,
            KvList as "kvlist_value": message KeyValueList = 6,
            Bytes as "bytes_value": bytes = 7,
            Strindex as "string_value_strindex": int32 = 8,
        },
    }
    ArrayValue as "opentelemetry.proto.common.v1.ArrayValue" {
        values: repeated message AnyValue = 1,
    }
    KeyValueList as "opentelemetry.proto.common.v1.KeyValueList" {
        values: repeated message KeyValue = 1,
    }
}

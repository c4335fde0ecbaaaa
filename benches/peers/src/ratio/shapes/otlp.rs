//! OTLP metrics and traces.

use crate::generated::prost::otlp::*;
use crate::random::Random;

const KEYS: &[&str] = &[
    "service.name",
    "service.version",
    "host.name",
    "cloud.region",
    "k8s.pod.name",
    "http.request.method",
    "http.response.status_code",
    "url.path",
    "server.address",
    "server.port",
    "rpc.method",
    "db.system.name",
    "messaging.destination.name",
    "user_agent.original",
    "thread.id",
    "exception.type",
];
const START: u64 = 1_700_000_000_000_000_000;

fn any(r: &mut Random) -> AnyValue {
    use any_value::Value::*;
    let value = match r.range(0, 10) {
        0..=5 => StringValue(r.name(3, 24)),
        6 | 7 => IntValue(r.bits(16) as i64),
        8 => match r.range(0, 3) {
            0 => BoolValue(r.one_in(2)),
            1 => DoubleValue(r.f64()),
            _ => BytesValue(r.bytes(12)),
        },
        _ => ArrayValue(crate::generated::prost::otlp::ArrayValue {
            values: r.list(1, 3, |r| AnyValue { value: Some(StringValue(r.name(3, 12))) }),
        }),
    };
    AnyValue { value: Some(value) }
}

fn attributes(r: &mut Random, low: u64, high: u64) -> Vec<KeyValue> {
    r.list(low, high, |r| KeyValue { key: r.pick(KEYS).to_owned(), value: Some(any(r)) })
}

fn resource(r: &mut Random) -> Resource {
    Resource { attributes: attributes(r, 4, 10), dropped_attributes_count: 0 }
}

fn scope(r: &mut Random) -> InstrumentationScope {
    InstrumentationScope {
        name: format!("io.opentelemetry.{}", r.name(4, 10)),
        version: "1.32.0".to_owned(),
        attributes: Vec::new(),
        dropped_attributes_count: 0,
    }
}

pub fn metrics(r: &mut Random) -> MetricsData {
    let resource_metrics = r.list(1, 2, |r| ResourceMetrics {
        resource: Some(resource(r)),
        scope_metrics: r.list(1, 3, |r| ScopeMetrics {
            scope: Some(scope(r)),
            metrics: r.list(2, 12, metric),
            schema_url: String::new(),
        }),
        schema_url: "https://opentelemetry.io/schemas/1.26.0".to_owned(),
    });
    MetricsData { resource_metrics }
}

fn metric(r: &mut Random) -> Metric {
    use metric::Data::*;
    let temporality = AggregationTemporality::Cumulative as i32;
    let data = match r.range(0, 8) {
        0..=2 => Sum(crate::generated::prost::otlp::Sum {
            data_points: r.list(1, 8, number),
            aggregation_temporality: temporality,
            is_monotonic: true,
        }),
        3 | 4 => Gauge(crate::generated::prost::otlp::Gauge { data_points: r.list(1, 8, number) }),
        5 | 6 => Histogram(crate::generated::prost::otlp::Histogram {
            data_points: r.list(1, 4, histogram),
            aggregation_temporality: temporality,
        }),
        _ => ExponentialHistogram(crate::generated::prost::otlp::ExponentialHistogram {
            data_points: r.list(1, 3, exponential),
            aggregation_temporality: temporality,
        }),
    };
    Metric {
        name: format!("{}.{}.{}", r.name(3, 8), r.name(4, 8), r.name(4, 10)),
        description: r.text(30),
        unit: r.pick(&["1", "ms", "By", "{request}"]).to_owned(),
        data: Some(data),
        metadata: Vec::new(),
    }
}

fn exemplars(r: &mut Random) -> Vec<Exemplar> {
    r.maybe(4, |r| Exemplar {
        filtered_attributes: attributes(r, 0, 2),
        time_unix_nano: START + r.bits(50),
        value: Some(exemplar::Value::AsDouble(r.f64())),
        span_id: r.bytes(8),
        trace_id: r.bytes(16),
    })
    .into_iter()
    .collect()
}

fn number(r: &mut Random) -> NumberDataPoint {
    NumberDataPoint {
        attributes: attributes(r, 1, 5),
        start_time_unix_nano: START,
        time_unix_nano: START + r.bits(50),
        value: Some(match r.range(0, 2) {
            0 => number_data_point::Value::AsInt(r.bits(30) as i64),
            _ => number_data_point::Value::AsDouble(r.f64()),
        }),
        exemplars: exemplars(r),
        flags: 0,
    }
}

fn histogram(r: &mut Random) -> HistogramDataPoint {
    HistogramDataPoint {
        attributes: attributes(r, 1, 5),
        start_time_unix_nano: START,
        time_unix_nano: START + r.bits(50),
        count: r.bits(20),
        sum: Some(r.f64()),
        bucket_counts: r.list(15, 15, |r| r.bits(12)),
        explicit_bounds: (0..14).map(|i| f64::from(1 << i)).collect(),
        exemplars: exemplars(r),
        flags: 0,
        min: Some(r.f64()),
        max: Some(r.f64()),
    }
}

fn exponential(r: &mut Random) -> ExponentialHistogramDataPoint {
    ExponentialHistogramDataPoint {
        attributes: attributes(r, 1, 5),
        start_time_unix_nano: START,
        time_unix_nano: START + r.bits(50),
        count: r.bits(20),
        sum: Some(r.f64()),
        scale: 3,
        zero_count: r.bits(6),
        positive: Some(Buckets { offset: r.signed(6) as i32, bucket_counts: r.list(10, 80, |r| r.bits(9)) }),
        negative: None,
        flags: 0,
        exemplars: exemplars(r),
        min: Some(r.f64()),
        max: Some(r.f64()),
        zero_threshold: 0.0,
    }
}

pub fn traces(r: &mut Random) -> TracesData {
    let resource_spans = r.list(1, 2, |r| ResourceSpans {
        resource: Some(resource(r)),
        scope_spans: r.list(1, 3, |r| ScopeSpans {
            scope: Some(scope(r)),
            spans: r.list(2, 20, span),
            schema_url: String::new(),
        }),
        schema_url: "https://opentelemetry.io/schemas/1.26.0".to_owned(),
    });
    TracesData { resource_spans }
}

fn span(r: &mut Random) -> Span {
    Span {
        trace_id: r.bytes(16),
        span_id: r.bytes(8),
        trace_state: String::new(),
        parent_span_id: if r.one_in(5) { Vec::new() } else { r.bytes(8) },
        name: format!("{} /api/v1/{}", r.pick(&["GET", "POST", "PUT"]), r.name(4, 16)),
        kind: r.range(1, 6) as i32,
        start_time_unix_nano: START + r.bits(50),
        end_time_unix_nano: START + r.bits(50),
        attributes: attributes(r, 3, 12),
        dropped_attributes_count: 0,
        events: if r.one_in(4) { r.list(1, 3, event) } else { Vec::new() },
        dropped_events_count: 0,
        links: r
            .maybe(8, |r| Link {
                trace_id: r.bytes(16),
                span_id: r.bytes(8),
                trace_state: String::new(),
                attributes: attributes(r, 0, 2),
                dropped_attributes_count: 0,
                flags: 1,
            })
            .into_iter()
            .collect(),
        dropped_links_count: 0,
        status: r.maybe(3, |r| Status {
            message: if r.one_in(2) { r.text(20) } else { String::new() },
            code: r.range(0, 3) as i32,
        }),
        flags: 257,
    }
}

fn event(r: &mut Random) -> SpanEvent {
    SpanEvent {
        time_unix_nano: START + r.bits(50),
        name: r.name(4, 16),
        attributes: attributes(r, 1, 4),
        dropped_attributes_count: 0,
    }
}

//! Traces after `opentelemetry/proto/trace/v1`.

use super::common::{InstrumentationScope, KeyValue, Resource, attribute, resource};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Export {
    pub resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceSpans {
    pub resource: Option<Resource>,
    pub scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScopeSpans {
    pub scope: Option<InstrumentationScope>,
    pub spans: Vec<Span>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Span {
    pub trace_id: Vec<u8>,
    pub span_id: Vec<u8>,
    pub parent_span_id: Vec<u8>,
    pub name: String,
    pub kind: i32,
    pub start_time_unix_nano: u64,
    pub end_time_unix_nano: u64,
    pub attributes: Vec<KeyValue>,
    pub events: Vec<Event>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    pub time_unix_nano: u64,
    pub name: String,
    pub attributes: Vec<KeyValue>,
}

tablepb::message! {
    Export as "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest" {
        resource_spans: repeated message ResourceSpans = 1,
    }
    ResourceSpans as "opentelemetry.proto.trace.v1.ResourceSpans" {
        resource: message Resource = 1,
        scope_spans: repeated message ScopeSpans = 2,
    }
    ScopeSpans as "opentelemetry.proto.trace.v1.ScopeSpans" {
        scope: message InstrumentationScope = 1,
        spans: repeated message Span = 2,
    }
    Span as "opentelemetry.proto.trace.v1.Span" {
        trace_id: bytes = 1,
        span_id: bytes = 2,
        parent_span_id: bytes = 4,
        name: string = 5,
        kind: int32 = 6,
        start_time_unix_nano: fixed64 = 7,
        end_time_unix_nano: fixed64 = 8,
        attributes: repeated message KeyValue = 9,
        events: repeated message Event = 11,
    }
    Event as "opentelemetry.proto.trace.v1.Span.Event" {
        time_unix_nano: fixed64 = 1,
        name: string = 2,
        attributes: repeated message KeyValue = 3,
    }
}

/// Spans of a sample.
pub const SPANS: usize = 200;

/// The spans of some requests; others for another number.
pub fn sample(number: u64) -> Export {
    let id = |seed: u64, len: usize| (0..len).map(|i| (seed * 31 + i as u64 * 97) as u8).collect();
    let span = |n: u64| {
        let start = 1_700_000_000_000_000_000 + n * 1_000_000;
        Span {
            trace_id: id(n / 4, 16),
            span_id: id(n, 8),
            parent_span_id: if n.is_multiple_of(4) { Vec::new() } else { id(n / 4 * 4, 8) },
            name: ["POST /checkout", "SELECT orders", "charge card", "publish order"][n as usize % 4].into(),
            kind: 2,
            start_time_unix_nano: start,
            end_time_unix_nano: start + 12_345 * n,
            attributes: [
                ("http.request.method", "POST".into()),
                ("url.path", format!("/checkout/{n}")),
                ("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0)".into()),
                ("net.peer.address", format!("10.1.{}.{}", n % 251, n % 13)),
            ]
            .map(|(key, value)| attribute(key, value))
            .into(),
            events: vec![Event {
                time_unix_nano: start + 17,
                name: "retry".into(),
                attributes: vec![attribute("reason", "the connection was reset by the peer")],
            }],
        }
    };
    let scope =
        InstrumentationScope { name: "shop.http".into(), version: "0.31.0".into(), ..Default::default() };
    let scope_spans = vec![ScopeSpans {
        scope: Some(scope),
        spans: (0..SPANS as u64).map(|n| span(number * SPANS as u64 + n)).collect(),
    }];
    Export { resource_spans: vec![ResourceSpans { resource: Some(resource()), scope_spans }] }
}

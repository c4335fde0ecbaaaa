//! Metrics after `opentelemetry/proto/metrics/v1`, twice: with messages in place, and with those that stay the same from
//! export to export prepared.

use super::common::{InstrumentationScope, Resource, attribute};

/// The structs in a module of this name; `Constant<T>` is the member for a message that stays the same.
macro_rules! metrics {
    ($module:ident, $($constant:tt)+) => {
        pub mod $module {
            use super::super::common::{InstrumentationScope, KeyValue, Resource};

            pub type Constant<T> = $($constant)+<T>;

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Export {
                pub resource_metrics: Vec<ResourceMetrics>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct ResourceMetrics {
                pub resource: Option<Constant<Resource>>,
                pub scope_metrics: Vec<ScopeMetrics>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct ScopeMetrics {
                pub scope: Option<Constant<InstrumentationScope>>,
                pub metrics: Vec<Metric>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Metric {
                pub name: String,
                pub description: String,
                pub unit: String,
                pub sum: Option<Sum>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Sum {
                pub data_points: Vec<NumberDataPoint>,
                pub aggregation_temporality: i32,
                pub is_monotonic: bool,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct NumberDataPoint {
                pub start_time_unix_nano: u64,
                pub time_unix_nano: u64,
                pub as_int: i64,
                pub attributes: Vec<Constant<KeyValue>>,
            }

            tablepb::message! {
                Export as "opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest" {
                    resource_metrics: repeated message ResourceMetrics = 1,
                }
                ResourceMetrics as "opentelemetry.proto.metrics.v1.ResourceMetrics" {
                    resource: message Resource = 1,
                    scope_metrics: repeated message ScopeMetrics = 2,
                }
                ScopeMetrics as "opentelemetry.proto.metrics.v1.ScopeMetrics" {
                    scope: message InstrumentationScope = 1,
                    metrics: repeated message Metric = 2,
                }
                Metric as "opentelemetry.proto.metrics.v1.Metric" {
                    name: string = 1,
                    description: string = 2,
                    unit: string = 3,
                    sum: message Sum = 7,
                }
                Sum as "opentelemetry.proto.metrics.v1.Sum" {
                    data_points: repeated message NumberDataPoint = 1,
                    aggregation_temporality: int32 = 2,
                    is_monotonic: bool = 3,
                }
                NumberDataPoint as "opentelemetry.proto.metrics.v1.NumberDataPoint" {
                    start_time_unix_nano: fixed64 = 2,
                    time_unix_nano: fixed64 = 3,
                    as_int: sfixed64 = 6,
                    attributes: repeated message KeyValue = 7,
                }
            }

            impl Export {
                /// New points: the time and the values of the export with this number.
                pub fn measure(&mut self, number: u64) {
                    for resource in &mut self.resource_metrics {
                        for metric in resource.scope_metrics.iter_mut().flat_map(|scope| &mut scope.metrics) {
                            for (at, point) in metric.sum.iter_mut().flat_map(|sum| &mut sum.data_points).enumerate() {
                                point.time_unix_nano = 1_700_000_000_000_000_000 + number * 10_000_000_000;
                                point.as_int += (number as i64 + at as i64) % 7;
                            }
                        }
                    }
                }
            }
        }
    };
}

metrics!(whole, Box);
metrics!(prepared, tablepb::Prepared);

/// Counters of a service: one metric for each name, with a point for each route.
pub fn sample(resource: Resource) -> whole::Export {
    let point = |route: &&str| whole::NumberDataPoint {
        start_time_unix_nano: 1_699_999_000_000_000_000,
        attributes: [
            ("http.route", *route),
            ("http.request.method", "GET"),
            ("server.address", "shop.example.com"),
        ]
        .map(|(key, value)| Box::new(attribute(key, value)))
        .into(),
        ..Default::default()
    };
    let metric = |name: &&str| whole::Metric {
        name: (*name).into(),
        description: "How many there were since the service has started.".into(),
        unit: "{request}".into(),
        sum: Some(whole::Sum {
            data_points: ["/cart", "/cart/items", "/checkout", "/checkout/pay"].iter().map(point).collect(),
            aggregation_temporality: 2,
            is_monotonic: true,
        }),
    };
    let scope =
        InstrumentationScope { name: "shop.http".into(), version: "0.31.0".into(), ..Default::default() };
    let names = ["http.server.requests", "http.server.errors", "http.server.retries"];
    let metrics = names.iter().map(metric).collect();
    whole::Export {
        resource_metrics: vec![whole::ResourceMetrics {
            resource: Some(Box::new(resource)),
            scope_metrics: vec![whole::ScopeMetrics { scope: Some(Box::new(scope)), metrics }],
        }],
    }
}

//! The published experiment: one resource and 100 metrics of one point each, 9 386 bytes of which the points are 26 %.
//! Descriptors, the resource and label values never change.
//!
//! The article needs companion messages, in which `bytes` stand where the original has messages. `companion` has them for
//! prost, once with a `Vec` for bytes and once with `Bytes`, which shares the input.

/// The structs in a module of this name; `Member<T>` is the member for what never changes.
macro_rules! batch {
    ($module:ident, $($member:tt)+) => {
        pub mod $module {
            pub type Member<T> = $($member)+<T>;

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct ResourceMetrics {
                pub resource: Option<Member<Resource>>,
                pub metrics: Vec<Metric>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Resource {
                pub labels: Vec<Label>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Metric {
                pub descriptor: Option<Member<Descriptor>>,
                pub series: Vec<Series>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Descriptor {
                pub name: String,
                pub description: String,
                pub unit: String,
                pub r#type: i32,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Series {
                pub labels: Vec<Member<Label>>,
                pub points: Vec<Point>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Label {
                pub key: String,
                pub value: String,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Point {
                pub start_time_unix_nano: u64,
                pub time_unix_nano: u64,
                pub value: i64,
            }

            tablepb::message! {
                ResourceMetrics as "article.ResourceMetrics" {
                    resource: message Resource = 1,
                    metrics: repeated message Metric = 2,
                }
                Resource as "article.Resource" { labels: repeated message Label = 1 }
                Metric as "article.Metric" {
                    descriptor: message Descriptor = 1,
                    series: repeated message Series = 2,
                }
                Descriptor as "article.Descriptor" {
                    name: string = 1,
                    description: string = 2,
                    unit: string = 3,
                    r#type: int32 = 4,
                }
                Series as "article.Series" {
                    labels: repeated message Label = 1,
                    points: repeated message Point = 2,
                }
                Label as "article.Label" { key: string = 1, value: string = 2 }
                Point as "article.Point" {
                    start_time_unix_nano: fixed64 = 1,
                    time_unix_nano: fixed64 = 2,
                    value: int64 = 3,
                }
            }

            impl ResourceMetrics {
                /// The sum of all points.
                #[allow(dead_code, reason = "not all of them are decoded here")]
                pub fn total(&self) -> i64 {
                    let series = self.metrics.iter().flat_map(|metric| &metric.series);
                    series.flat_map(|series| &series.points).map(|point| point.value).sum()
                }
            }
        }
    };
}

batch!(whole, crate::metric::Inline);
batch!(prepared, tablepb::Prepared);
batch!(lazy, tablepb::Lazy);

/// What prost's generator would make of the same schema.
pub mod generated {
    use super::point::{Point, sum};

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct ResourceMetrics {
        #[prost(message, optional, tag = "1")]
        pub resource: Option<Resource>,
        #[prost(message, repeated, tag = "2")]
        pub metrics: Vec<Metric>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Resource {
        #[prost(message, repeated, tag = "1")]
        pub labels: Vec<Label>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Metric {
        #[prost(message, optional, tag = "1")]
        pub descriptor: Option<Descriptor>,
        #[prost(message, repeated, tag = "2")]
        pub series: Vec<Series>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Descriptor {
        #[prost(string, tag = "1")]
        pub name: String,
        #[prost(string, tag = "2")]
        pub description: String,
        #[prost(string, tag = "3")]
        pub unit: String,
        #[prost(int32, tag = "4")]
        pub r#type: i32,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Series {
        #[prost(message, repeated, tag = "1")]
        pub labels: Vec<Label>,
        #[prost(message, repeated, tag = "2")]
        pub points: Vec<Point>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Label {
        #[prost(string, tag = "1")]
        pub key: String,
        #[prost(string, tag = "2")]
        pub value: String,
    }

    impl ResourceMetrics {
        /// The sum of all points.
        pub fn total(&self) -> i64 {
            self.metrics.iter().flat_map(|metric| &metric.series).map(|series| sum(&series.points)).sum()
        }
    }
}

/// The article's companion messages: bytes instead of the messages that never change.
macro_rules! companion {
    ($module:ident, $bytes:tt, $type:ty) => {
        pub mod $module {
            use super::point::{Point, sum};

            #[derive(Clone, PartialEq, prost::Message)]
            pub struct ResourceMetrics {
                #[prost(bytes = $bytes, optional, tag = "1")]
                pub resource: Option<$type>,
                #[prost(message, repeated, tag = "2")]
                pub metrics: Vec<Metric>,
            }

            #[derive(Clone, PartialEq, prost::Message)]
            pub struct Metric {
                #[prost(bytes = $bytes, optional, tag = "1")]
                pub descriptor: Option<$type>,
                #[prost(message, repeated, tag = "2")]
                pub series: Vec<Series>,
            }

            #[derive(Clone, PartialEq, prost::Message)]
            pub struct Series {
                #[prost(bytes = $bytes, repeated, tag = "1")]
                pub labels: Vec<$type>,
                #[prost(message, repeated, tag = "2")]
                pub points: Vec<Point>,
            }

            impl ResourceMetrics {
                /// The sum of all points.
                pub fn total(&self) -> i64 {
                    let series = self.metrics.iter().flat_map(|metric| &metric.series);
                    series.map(|series| sum(&series.points)).sum()
                }
            }
        }
    };
}

companion!(companion, "vec", Vec<u8>);
companion!(companion_shared, "bytes", prost::bytes::Bytes);

/// The point of all prost messages.
mod point {
    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct Point {
        #[prost(fixed64, tag = "1")]
        pub start_time_unix_nano: u64,
        #[prost(fixed64, tag = "2")]
        pub time_unix_nano: u64,
        #[prost(int64, tag = "3")]
        pub value: i64,
    }

    pub fn sum(points: &[Point]) -> i64 {
        points.iter().map(|point| point.value).sum()
    }
}

/// The bytes of a batch, as in the article.
pub const BYTES: usize = 9_386;

/// A batch of 100 metrics. Lengths do not depend on the seed.
pub fn batch(seed: u64) -> whole::ResourceMetrics {
    let label = |key: &str, value: String| whole::Label { key: key.into(), value };
    let metric = |number: u64| whole::Metric {
        descriptor: Some(whole::Descriptor {
            name: format!("system.metric.{:04}", (seed * 100 + number) % 10_000),
            description: "a count of events".into(),
            unit: "1".into(),
            r#type: 1 + (number % 4) as i32,
        }),
        series: vec![whole::Series {
            labels: vec![label("host", format!("node-{:03}", (seed * 7 + number * 13) % 1_000))],
            points: vec![whole::Point {
                start_time_unix_nano: 1_700_000_000_000_000_000,
                time_unix_nano: 1_700_000_000_000_000_000 + (seed + 1) * 10_000_000_000,
                // A varint of three bytes.
                value: (20_000 + (seed * 7_919 + number * 104_729) % 2_000_000) as i64,
            }],
        }],
    };
    let labels = [
        ("service.name", format!("checkout-{:03}", seed % 1_000)),
        ("service.version", String::from("2.11.3")),
        ("service.instance.id", format!("9d1c2f4e-{:04x}-4c55-9b01aa", seed % 65_536)),
        ("host.name", String::from("node-7.eu-central-1.example.com")),
        ("cloud.region", String::from("eu-central-1")),
    ];
    whole::ResourceMetrics {
        resource: Some(whole::Resource { labels: labels.map(|(key, value)| label(key, value)).into() }),
        metrics: (0..100).map(metric).collect(),
    }
}

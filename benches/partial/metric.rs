//! The metric of the experiment: a descriptor and a resource that never change, and the points of a time series.

/// The structs in a module of this name; `Member<T>` is the member for what never changes.
macro_rules! metric {
    ($module:ident, $($member:tt)+) => {
        pub mod $module {
            pub type Member<T> = $($member)+<T>;

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Metric {
                pub descriptor: Option<Member<Descriptor>>,
                pub resource: Option<Member<Resource>>,
                pub series: Vec<Series>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Descriptor {
                pub name: String,
                pub description: String,
                pub unit: String,
                pub r#type: i32,
                pub labels: Vec<Label>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Resource {
                pub labels: Vec<Label>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Label {
                pub key: String,
                pub value: String,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Series {
                pub labels: Vec<Label>,
                pub points: Vec<Point>,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Point {
                pub start_time_unix_nano: u64,
                pub time_unix_nano: u64,
                pub value: i64,
            }

            tablepb::message! {
                Metric as "bench.Metric" {
                    descriptor: message Descriptor = 1,
                    resource: message Resource = 2,
                    series: repeated message Series = 3,
                }
                Descriptor as "bench.Descriptor" {
                    name: string = 1,
                    description: string = 2,
                    unit: string = 3,
                    r#type: int32 = 4,
                    labels: repeated message Label = 5,
                }
                Resource as "bench.Resource" { labels: repeated message Label = 1 }
                Label as "bench.Label" { key: string = 1, value: string = 2 }
                Series as "bench.Series" {
                    labels: repeated message Label = 1,
                    points: repeated message Point = 2,
                }
                Point as "bench.Point" {
                    start_time_unix_nano: fixed64 = 1,
                    time_unix_nano: fixed64 = 2,
                    value: int64 = 3,
                }
            }

            impl Metric {
                /// The sum of all points: what a reader of points does with them.
                #[allow(dead_code, reason = "not all of them are decoded here")]
                pub fn total(&self) -> i64 {
                    self.series.iter().flat_map(|series| &series.points).map(|point| point.value).sum()
                }
            }
        }
    };
}

/// In place.
pub type Inline<T> = T;

metric!(whole, super::Inline);
metric!(prepared, tablepb::Prepared);
metric!(lazy, tablepb::Lazy);

/// What prost's generator would make of the same schema.
pub mod generated {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Metric {
        #[prost(message, optional, tag = "1")]
        pub descriptor: Option<Descriptor>,
        #[prost(message, optional, tag = "2")]
        pub resource: Option<Resource>,
        #[prost(message, repeated, tag = "3")]
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
        #[prost(message, repeated, tag = "5")]
        pub labels: Vec<Label>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Resource {
        #[prost(message, repeated, tag = "1")]
        pub labels: Vec<Label>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Label {
        #[prost(string, tag = "1")]
        pub key: String,
        #[prost(string, tag = "2")]
        pub value: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Series {
        #[prost(message, repeated, tag = "1")]
        pub labels: Vec<Label>,
        #[prost(message, repeated, tag = "2")]
        pub points: Vec<Point>,
    }

    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct Point {
        #[prost(fixed64, tag = "1")]
        pub start_time_unix_nano: u64,
        #[prost(fixed64, tag = "2")]
        pub time_unix_nano: u64,
        #[prost(int64, tag = "3")]
        pub value: i64,
    }

    impl Metric {
        /// The sum of all points.
        pub fn total(&self) -> i64 {
            self.series.iter().flat_map(|series| &series.points).map(|point| point.value).sum()
        }
    }
}

/// Sources of metrics, which have a descriptor and a resource of their own.
pub const SOURCES: u64 = 64;

/// Exports of one source that are in a set.
pub const EXPORTS: u64 = 18;

/// A metric of each source, without points.
pub fn sources() -> Vec<whole::Metric> {
    (0..SOURCES).map(source).collect()
}

/// New points for a metric of a source.
pub fn series(seed: u64) -> whole::Series {
    let point = |n: u64| whole::Point {
        start_time_unix_nano: 1_700_000_000_000_000_000,
        time_unix_nano: 1_700_000_000_000_000_000 + (seed + n) * 10_000_000_000,
        value: (pick(seed, 1 << 20, 15 + n) >> pick(seed, 16, 20 + n)) as i64,
    };
    whole::Series {
        labels: vec![label("status", format!("{}", 200 + pick(seed, 8, 16)))],
        points: (0..1 + pick(seed, 4, 17)).map(point).collect(),
    }
}

fn label(key: &str, value: String) -> whole::Label {
    whole::Label { key: key.into(), value }
}

/// A number below `range`, a power of two.
fn pick(seed: u64, range: u64, salt: u64) -> u64 {
    (seed ^ salt << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & (range - 1)
}

fn source(seed: u64) -> whole::Metric {
    let pick = |range: u64, salt: u64| pick(seed, range, salt);
    let descriptor = whole::Descriptor {
        name: format!("http.server.{}.requests", pick(1024, 1)),
        description: format!(
            "How many requests route {} has answered since the service started.",
            pick(64, 2)
        ),
        unit: "{request}".into(),
        r#type: 1 + pick(4, 3) as i32,
        labels: ["method", "route", "status", "protocol"]
            .map(|key| label(key, format!("what the {key} of the request was")))
            .into(),
    };
    let labels = [
        ("service.name", format!("checkout-{}", pick(256, 4))),
        ("service.version", format!("2.{}.{}", pick(32, 5), pick(16, 6))),
        ("service.instance.id", format!("9d1c2f4e-{:04x}-4c55-{:012x}", pick(1 << 16, 7), pick(1 << 30, 8))),
        ("host.name", format!("node-{}.eu-central-1.example.com", pick(512, 9))),
        ("k8s.namespace.name", format!("shop-{}", pick(8, 10))),
        ("k8s.pod.name", format!("checkout-7f9c6d5b8-{:05x}", pick(1 << 20, 11))),
        ("cloud.region", "eu-central-1".into()),
        ("cloud.availability_zone", format!("eu-central-1{}", ["a", "b", "c", "d"][pick(4, 12) as usize])),
        ("k8s.node.name", format!("ip-10-1-{}-{}.eu-central-1.internal", pick(256, 18), pick(256, 19))),
        ("k8s.deployment.name", format!("checkout-{}", pick(4, 20))),
        ("container.image.name", format!("registry.example.com/shop/checkout:{}", pick(4096, 21))),
        ("os.description", "Linux 6.8.0-45-generic x86_64".into()),
        ("process.pid", format!("{}", 1000 + pick(32768, 13))),
        ("telemetry.sdk.language", "rust".into()),
        ("telemetry.sdk.version", format!("0.{}.1", pick(32, 14))),
    ];
    let resource = whole::Resource { labels: labels.map(|(key, value)| label(key, value)).into() };
    whole::Metric { descriptor: Some(descriptor), resource: Some(resource), series: Vec::new() }
}

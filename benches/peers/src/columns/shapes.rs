//! The messages: schemas as `.proto` sources, rows as JSON that tablepb turns into bytes. All rows follow from a seed.

use std::fmt::Write;
use tablepb::MessageDescriptor;
use tablepb_schema::SourceBuilder;

/// A schema and rows of it.
pub struct Shape {
    pub name: &'static str,
    pub descriptor: MessageDescriptor,
    /// Columns to be read; all of them if empty.
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<u8>>,
}

impl Shape {
    fn new(
        name: &'static str,
        source: &str,
        columns: &[&'static str],
        row: impl Fn(&mut Random) -> String,
        rows: usize,
    ) -> Self {
        let pool = SourceBuilder::new().source("bench.proto", source).build().expect("a valid schema");
        let descriptor = pool.message("bench.Row").expect("bench.Row");
        let mut random = Random(name.len() as u64);
        let encode = |json: String| {
            let message = tablepb::json::message_from_slice(&descriptor, json.as_bytes());
            message.unwrap_or_else(|e| panic!("{e}: {json}")).encode_to_vec().expect("a small message")
        };
        let rows = (0..rows).map(|_| encode(row(&mut random))).collect();
        Self { name, descriptor, columns: columns.to_vec(), rows }
    }

    /// The rows with length prefixes, as one block.
    pub fn delimited(&self) -> Vec<u8> {
        let mut block = Vec::new();
        for row in &self.rows {
            let mut writer = tablepb::wire::Writer::new(&mut block);
            writer.write_length_delimited(row).expect("a small message");
        }
        block
    }
}

/// Splitmix64.
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// 1 to `end`, small numbers more often.
    fn some(&mut self, end: u64) -> u64 {
        1 + (self.next() >> self.below(64)) % end
    }

    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 12] = [
            "orders",
            "checkout",
            "GET /api/v1/items",
            "payments-service",
            "eu-central-1",
            "anna@example.org",
            "kafka",
            "retry",
            "the quick brown fox jumps over the lazy dog",
            "b2f4",
            "Zürich",
            "ok",
        ];
        WORDS[self.below(12) as usize]
    }

    /// Base64 of bytes, 4 to 4 * `groups` characters.
    fn base64(&mut self, groups: u64) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let groups = 1 + self.below(groups);
        (0..4 * groups).map(|_| DIGITS[self.below(64) as usize] as char).collect()
    }
}

/// All shapes; `rows` of the first.
pub fn all(rows: usize) -> Vec<Shape> {
    const TWO: [&str; 2] = ["f7", "f22"];
    const THREE: [&str; 3] = ["f3", "f31", "f58"];
    vec![
        Shape::new("all_types", ALL_TYPES, &[], all_types, rows),
        Shape::new("spans", SPANS, &[], span, rows),
        Shape::new("flows", FLOWS, &[], flow, rows),
        Shape::new("logs", LOGS, &[], log, rows),
        Shape::new("metrics", METRICS, &[], metric, rows),
        Shape::new("legacy", LEGACY, &[], legacy, rows),
        Shape::new("sparse, 2 % of 60", &optional(60), &[], |random| optional_row(random, 60, 2), rows),
        Shape::new("sparse, 30 % of 60", &optional(60), &[], |random| optional_row(random, 60, 30), rows),
        Shape::new("sparse, 100 % of 60", &optional(60), &[], |random| optional_row(random, 60, 100), rows),
        Shape::new("wide, 3 of 60", &numbered(60), &THREE, |random| numbered_row(random, 60), rows),
        Shape::new("2 of 30", &numbered(30), &TWO, |random| numbered_row(random, 30), rows),
    ]
}

/// The fields of RisingWave's benchmark of its protobuf parser: all scalar kinds, and one of each sort of field.
const ALL_TYPES: &str = r#"
syntax = "proto3";
package bench;
message Row {
  enum EnumType { DEFAULT = 0; OPTION1 = 1; OPTION2 = 2; }
  message NestedMessage { int32 id = 1; string name = 2; }
  double double_field = 1;
  float float_field = 2;
  int32 int32_field = 3;
  int64 int64_field = 4;
  uint32 uint32_field = 5;
  uint64 uint64_field = 6;
  sint32 sint32_field = 7;
  sint64 sint64_field = 8;
  fixed32 fixed32_field = 9;
  fixed64 fixed64_field = 10;
  sfixed32 sfixed32_field = 11;
  sfixed64 sfixed64_field = 12;
  bool bool_field = 13;
  string string_field = 14;
  bytes bytes_field = 15;
  EnumType enum_field = 16;
  NestedMessage nested_message_field = 17;
  repeated int32 repeated_int_field = 18;
  oneof example_oneof { string oneof_string = 19; int32 oneof_int32 = 20; EnumType oneof_enum = 21; }
  map<string, int32> map_field = 22;
}
"#;

fn all_types(r: &mut Random) -> String {
    let oneof = match r.below(3) {
        0 => format!(r#""oneofString":"{}""#, r.word()),
        1 => format!(r#""oneofInt32":{}"#, r.some(1000)),
        _ => r#""oneofEnum":"OPTION2""#.into(),
    };
    format!(
        r#"{{"doubleField":{}.25,"floatField":{}.5,"int32Field":{},"int64Field":{},"uint32Field":{},"uint64Field":{},"sint32Field":-{},"sint64Field":-{},
        "fixed32Field":{},"fixed64Field":{},"sfixed32Field":-{},"sfixed64Field":-{},"boolField":true,"stringField":"{} {}","bytesField":"{}","enumField":"OPTION1",
        "nestedMessageField":{{"id":{},"name":"{}"}},"repeatedIntField":[{},{},{},{},{}],{oneof},"mapField":{{"key1":{},"key2":{}}}}}"#,
        r.some(9999),
        r.some(999),
        r.some(1 << 30),
        r.some(1 << 60),
        r.some(1 << 31),
        r.some(1 << 62),
        r.some(1 << 30),
        r.some(1 << 60),
        r.some(1 << 30),
        r.some(1 << 60),
        r.some(1 << 30),
        r.some(1 << 60),
        r.word(),
        r.word(),
        r.base64(6),
        r.some(1 << 20),
        r.word(),
        r.some(100),
        r.some(100),
        r.some(1 << 14),
        r.some(1 << 14),
        r.some(1 << 21),
        r.some(1000),
        r.some(1000),
    )
}

/// A span of OTLP with its names, numbers and types; attributes have the types that they have there, lists of them included.
const SPANS: &str = r#"
syntax = "proto3";
package bench;
message AnyValue {
  oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
    ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Row {
  bytes trace_id = 1;
  bytes span_id = 2;
  string trace_state = 3;
  bytes parent_span_id = 4;
  string name = 5;
  enum SpanKind { UNSPECIFIED = 0; INTERNAL = 1; SERVER = 2; CLIENT = 3; PRODUCER = 4; CONSUMER = 5; }
  SpanKind kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  uint32 dropped_attributes_count = 10;
  message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
  repeated Event events = 11;
  uint32 dropped_events_count = 12;
  message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; uint32 dropped_attributes_count = 5; fixed32 flags = 6; }
  repeated Link links = 13;
  uint32 dropped_links_count = 14;
  message Status { string message = 2; enum Code { UNSET = 0; OK = 1; ERROR = 2; } Code code = 3; }
  Status status = 15;
  fixed32 flags = 16;
}
"#;

fn attributes(r: &mut Random, count: u64) -> String {
    const KEYS: [&str; 6] = [
        "http.request.method",
        "http.response.status_code",
        "url.path",
        "server.address",
        "user_agent.original",
        "thread.id",
    ];
    let mut list = String::from("[");
    for i in 0..count {
        let value = match r.below(6) {
            0 => format!(r#"{{"intValue":"{}"}}"#, r.some(70_000)),
            1 => r#"{"boolValue":true}"#.into(),
            2 => format!(r#"{{"doubleValue":{}.5}}"#, r.some(1000)),
            _ => format!(r#"{{"stringValue":"{}"}}"#, r.word()),
        };
        let comma = if i > 0 { "," } else { "" };
        write!(list, r#"{comma}{{"key":"{}","value":{value}}}"#, KEYS[r.below(6) as usize])
            .expect("a string");
    }
    list + "]"
}

fn span(r: &mut Random) -> String {
    let (id, parent) = ("AAECAwQFBgcICQoLDA0ODw==", "AAECAwQFBgc=");
    let start = 1_700_000_000_000_000_000 + r.below(1 << 40);
    let events = match r.below(4) {
        0 => format!(r#"[{{"timeUnixNano":{start},"name":"exception","attributes":{}}}]"#, attributes(r, 2)),
        _ => "[]".into(),
    };
    let count = 3 + r.below(6);
    format!(
        r#"{{"traceId":"{id}","spanId":"{parent}","parentSpanId":"{parent}","name":"{}","kind":{},"startTimeUnixNano":{start},"endTimeUnixNano":{},
        "attributes":{},"events":{events},"status":{{"code":{}}},"flags":257}}"#,
        r.word(),
        1 + r.below(5),
        start + r.below(1 << 30),
        attributes(r, count),
        r.below(3),
    )
}

/// A record of network traffic, the fields that exporters of NetFlow and sFlow fill in.
const FLOWS: &str = r#"
syntax = "proto3";
package bench;
message Row {
  enum FlowType { UNKNOWN = 0; SFLOW_5 = 1; NETFLOW_V5 = 2; NETFLOW_V9 = 3; IPFIX = 4; }
  FlowType type = 1;
  uint64 time_received_ns = 110;
  uint32 sequence_num = 4;
  uint64 sampling_rate = 3;
  bytes sampler_address = 11;
  uint64 time_flow_start_ns = 111;
  uint64 time_flow_end_ns = 112;
  uint64 bytes = 9;
  uint64 packets = 10;
  bytes src_addr = 6;
  bytes dst_addr = 7;
  uint32 etype = 30;
  uint32 proto = 20;
  uint32 src_port = 21;
  uint32 dst_port = 22;
  uint32 in_if = 18;
  uint32 out_if = 19;
  uint64 src_mac = 27;
  uint64 dst_mac = 28;
  uint32 src_vlan = 33;
  uint32 ip_tos = 23;
  uint32 ip_ttl = 25;
  uint32 tcp_flags = 26;
  uint32 src_as = 14;
  uint32 dst_as = 15;
}
"#;

fn flow(r: &mut Random) -> String {
    let time = 1_700_000_000_000_000_000 + r.below(1 << 40);
    format!(
        r#"{{"type":4,"timeReceivedNs":{time},"sequenceNum":{},"samplingRate":1000,"samplerAddress":"wKgBAQ==","timeFlowStartNs":{},"timeFlowEndNs":{},
        "bytes":{},"packets":{},"srcAddr":"CgABAg==","dstAddr":"CgADBA==","etype":2048,"proto":6,"srcPort":{},"dstPort":443,"inIf":{},"outIf":{},
        "srcMac":{},"dstMac":{},"srcVlan":{},"ipTtl":{},"tcpFlags":{},"srcAs":{},"dstAs":{}}}"#,
        r.below(1 << 24),
        time - 5_000_000,
        time - 1_000_000,
        r.some(1 << 20),
        r.some(1000),
        1024 + r.below(60_000),
        r.some(300),
        r.some(300),
        r.below(1 << 48),
        r.below(1 << 48),
        r.below(4096),
        r.below(256),
        r.below(64),
        r.below(400_000),
        r.below(400_000),
    )
}

/// A record of OTLP's logs.
const LOGS: &str = r#"
syntax = "proto3";
package bench;
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message KeyValue { string key = 1; AnyValue value = 2; }
message Row {
  fixed64 time_unix_nano = 1;
  int32 severity_number = 2;
  string severity_text = 3;
  AnyValue body = 5;
  repeated KeyValue attributes = 6;
  uint32 dropped_attributes_count = 7;
  fixed32 flags = 8;
  bytes trace_id = 9;
  bytes span_id = 10;
  fixed64 observed_time_unix_nano = 11;
}
"#;

fn log(r: &mut Random) -> String {
    let time = 1_700_000_000_000_000_000 + r.below(1 << 40);
    let (id, count) = ("AAECAwQFBgcICQoLDA0ODw==", r.below(5));
    format!(
        r#"{{"timeUnixNano":{time},"severityNumber":{},"severityText":"{}","body":{{"stringValue":"{} {} {}"}},"attributes":{},"flags":1,"traceId":"{id}","spanId":"AAECAwQFBgc=","observedTimeUnixNano":{}}}"#,
        1 + r.below(24),
        ["INFO", "WARN", "ERROR"][r.below(3) as usize],
        r.word(),
        r.word(),
        r.word(),
        attributes(r, count),
        time + r.below(1 << 20),
    )
}

/// A metric of OTLP: points in histograms in it, with packed runs.
const METRICS: &str = r#"
syntax = "proto3";
package bench;
message Label { string key = 1; string value = 2; }
message Point {
  repeated Label attributes = 9;
  fixed64 start_time_unix_nano = 2;
  fixed64 time_unix_nano = 3;
  fixed64 count = 4;
  double sum = 5;
  repeated fixed64 bucket_counts = 6;
  repeated double explicit_bounds = 7;
}
message Histogram { repeated Point data_points = 1; int32 aggregation_temporality = 2; }
message Row { string name = 1; string description = 2; string unit = 3; Histogram histogram = 9; }
"#;

fn metric(r: &mut Random) -> String {
    let point = |r: &mut Random| {
        let time = 1_700_000_000_000_000_000 + r.below(1 << 40);
        format!(
            r#"{{"attributes":[{{"key":"service.name","value":"{}"}},{{"key":"http.route","value":"{}"}}],"startTimeUnixNano":{time},"timeUnixNano":{},
            "count":{},"sum":{}.5,"bucketCounts":[{},{},{},{},{}],"explicitBounds":[0.005,0.01,0.1,1]}}"#,
            r.word(),
            r.word(),
            time + 60_000_000_000,
            r.below(10_000),
            r.some(100_000),
            r.below(100),
            r.below(1000),
            r.below(1000),
            r.below(100),
            r.below(10),
        )
    };
    let points: Vec<String> = (0..1 + r.below(4)).map(|_| point(r)).collect();
    format!(
        r#"{{"name":"http.server.{}","description":"Duration of requests","unit":"s","histogram":{{"dataPoints":[{}],"aggregationTemporality":2}}}}"#,
        r.word(),
        points.join(","),
    )
}

/// proto2: required fields, defaults, a group, lists that are not packed, three levels.
const LEGACY: &str = r#"
syntax = "proto2";
package bench;
message Row {
  required int64 id = 1;
  optional string name = 2 [default = "none"];
  optional int32 size = 3 [default = 10];
  repeated int32 codes = 4;
  optional group Place = 5 { required double x = 1; required double y = 2; optional string label = 3; }
  message Item {
    required string sku = 1;
    optional uint32 count = 2;
    message Price { optional string currency = 1; optional sint64 units = 2; }
    optional Price price = 3;
  }
  repeated Item items = 6;
}
"#;

fn legacy(r: &mut Random) -> String {
    let item = |r: &mut Random| {
        format!(
            r#"{{"sku":"{}","count":{},"price":{{"currency":"CHF","units":{}}}}}"#,
            r.word(),
            r.some(100),
            r.some(100_000)
        )
    };
    let items: Vec<String> = (0..r.below(4)).map(|_| item(r)).collect();
    let name = if r.below(2) == 0 { format!(r#","name":"{}""#, r.word()) } else { String::new() };
    format!(
        r#"{{"id":{}{name},"codes":[{},{}],"place":{{"x":{}.25,"y":{}.5}},"items":[{}]}}"#,
        r.some(1 << 40),
        r.some(1000),
        r.some(1000),
        r.below(180),
        r.below(90),
        items.join(","),
    )
}

/// A type of so many optional fields: integers, strings, doubles.
fn optional(fields: u32) -> String {
    let mut source = String::from("syntax = \"proto3\";\npackage bench;\nmessage Row {\n");
    for i in 1..=fields {
        let kind = ["int64", "string", "double", "uint32"][i as usize % 4];
        writeln!(source, "  optional {kind} f{i} = {i};").expect("a string");
    }
    source + "}\n"
}

fn optional_row(r: &mut Random, fields: u32, percent: u64) -> String {
    let mut row = Vec::new();
    for i in (1..=fields).filter(|_| r.below(100) < percent).collect::<Vec<_>>() {
        row.push(match i % 4 {
            1 => format!(r#""f{i}":"{}""#, r.word()),
            2 => format!(r#""f{i}":{}.5"#, r.some(1000)),
            _ => format!(r#""f{i}":{}"#, r.some(1 << 31)),
        });
    }
    format!("{{{}}}", row.join(","))
}

/// A type of so many fields: integers, strings, doubles and lists in turn.
fn numbered(fields: u32) -> String {
    let mut source = String::from("syntax = \"proto3\";\npackage bench;\nmessage Row {\n");
    for i in 1..=fields {
        let kind = ["int64", "string", "double", "uint32", "sint64", "bool", "repeated int32", "fixed64"]
            [i as usize % 8];
        writeln!(source, "  {kind} f{i} = {i};").expect("a string");
    }
    source + "}\n"
}

fn numbered_row(r: &mut Random, fields: u32) -> String {
    let mut row = String::from("{");
    for i in 1..=fields {
        let value = match i % 8 {
            1 => format!(r#""{}""#, r.word()),
            5 => "true".into(),
            6 => format!("[{},{},{}]", r.some(100), r.some(10_000), r.some(100)),
            2 => format!("{}.5", r.some(1000)),
            _ => r.some(1 << 31).to_string(),
        };
        let comma = if i > 1 { "," } else { "" };
        write!(row, r#"{comma}"f{i}":{value}"#).expect("a string");
    }
    row + "}"
}

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

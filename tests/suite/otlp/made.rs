//! The files in `tests/data/otlp`: exports as `examples/otlp` makes them, and their schema.

use super::common;
#[path = "../../../examples/otlp/metrics.rs"]
#[allow(dead_code, reason = "a part of it is used")]
mod metrics;
#[path = "../../../examples/otlp/traces.rs"]
mod traces;

use crate::common::data::Data;
use tablepb::{DescriptorPool, Message};

/// Spans in the file; the example has more.
const SPANS: usize = 20;

fn files() -> [(&'static str, Vec<u8>); 3] {
    let pool = DescriptorPool::from_tables(&[metrics::whole::Export::TABLE, traces::Export::TABLE]).unwrap();
    let mut set = Vec::new();
    for file in pool.files() {
        set.push(0x0a);
        tablepb::stream::append_frame(file.file_descriptor_proto_bytes(), &mut set).unwrap();
    }
    let mut counters = metrics::sample(common::resource());
    counters.measure(1);
    let mut spans = traces::sample(0);
    spans.resource_spans[0].scope_spans[0].spans.truncate(SPANS);
    [
        ("otlp/otlp.binpb", set),
        ("otlp/otlp_metrics.binpb", counters.encode_to_vec().unwrap()),
        ("otlp/otlp_traces.binpb", spans.encode_to_vec().unwrap()),
    ]
}

/// Not a test of anything: writes the files.
#[test]
#[ignore = "writes tests/data/otlp"]
fn write_data() {
    for (name, bytes) in files() {
        std::fs::write(Data::Made.path(name), bytes).expect("a file");
    }
}

#[test]
fn the_files_are_those_of_the_example() {
    for (name, bytes) in files() {
        assert!(Data::Made.read(name) == bytes, "{name}");
    }
}

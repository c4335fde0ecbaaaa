//! A stream of flow records and a file of OpenTelemetry traces, queried with SQL.
//!
//! ```sh
//! cargo run --manifest-path contrib/datafusion/Cargo.toml --example sql
//! ```
//!
//! Both files are made up first. With a directory, the flows are those that the example `flows` of the library wrote there, from captures or from exporters.
//! With a file, the traces are what an exporter sent over OTLP: one request, or length-delimited requests.
//!
//! ```sh
//! cargo run --release --example flows -- --out target/flows
//! cargo run --manifest-path contrib/datafusion/Cargo.toml --example sql -- target/flows otlp_traces.binpb
//! ```

#[allow(dead_code)]
#[path = "../../../examples/otlp/common.rs"]
mod common;
#[allow(dead_code)]
#[path = "../../../examples/otlp/traces.rs"]
mod traces;

use datafusion::prelude::SessionContext;
use std::error::Error;
use std::path::{Path, PathBuf};
use tablepb::stream::append_frame;
use tablepb::{DescriptorPool, Message};
use tablepb_schema::SourceBuilder;

include!("../../../examples/common/say.rs");

/// Some of the columns of the example `flows`, under the same names and numbers of their own.
#[derive(Debug, Default, PartialEq)]
struct Flow {
    time: u64,
    source: Vec<u8>,
    destination: Vec<u8>,
    protocol: u32,
    bytes: u64,
    packets: u64,
}

tablepb::message! {
    Flow as "flows.Flow" {
        time as "TimeReceived": uint64 = 1,
        source as "SrcAddr": bytes = 2,
        destination as "DstAddr": bytes = 3,
        protocol as "Proto": uint32 = 4,
        bytes as "Bytes": uint64 = 5,
        packets as "Packets": uint64 = 6,
    }
}

const TALKERS: &str = "
    SELECT arrow_cast(\"SrcAddr\", 'Binary') AS source, count(*) AS flows, sum(\"Bytes\") AS bytes
    FROM flows GROUP BY \"SrcAddr\" ORDER BY bytes DESC LIMIT 5";

/// One row for each request in the file; `unnest` makes one of each span.
const SLOWEST: &str = "
    SELECT span['name'] AS name, count(*) AS spans, max(span['end_time_unix_nano'] - span['start_time_unix_nano']) / 1000 AS longest_us
    FROM (SELECT unnest(scope['spans']) AS span
          FROM (SELECT unnest(resource['scope_spans']) AS scope
                FROM (SELECT unnest(resource_spans) AS resource FROM traces)))
    GROUP BY 1 ORDER BY longest_us DESC";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (written, exported) = match &paths[..] {
        [] => (None, None),
        [path] if path.is_dir() => (Some(path), None),
        [path] => (None, Some(path)),
        [written, exported] => (Some(written), Some(exported)),
        _ => return Err("usage: sql [DIRECTORY OF FLOWS] [FILE OF TRACES]".into()),
    };
    let flows = match written {
        Some(written) => recorded_flows(written, directory.path())?,
        None => made_up_flows(directory.path())?,
    };
    let pool = DescriptorPool::from_tables(&[traces::Export::TABLE])?;
    std::fs::write(directory.path().join("traces.set"), pool.encode_to_vec()?)?;
    let traces = match exported {
        Some(exported) => exported_traces(exported, directory.path())?,
        None => made_up_traces(directory.path())?,
    };

    let context = SessionContext::new();
    tablepb_datafusion::register(&context)?;
    for (table, file, message, fields) in [
        ("flows", &flows, "flows.Flow", ""),
        // Of the spans, only what the query needs becomes columns.
        (
            "traces",
            &traces,
            "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest",
            ", fields 'resource_spans.scope_spans.spans.name,
                      resource_spans.scope_spans.spans.start_time_unix_nano, resource_spans.scope_spans.spans.end_time_unix_nano'",
        ),
    ] {
        let set = directory.path().join(format!("{table}.set"));
        let create = format!(
            "CREATE EXTERNAL TABLE {table} STORED AS PROTOBUF LOCATION '{}'
             OPTIONS (message '{message}', descriptors '{}'{fields})",
            file.display(),
            set.display()
        );
        say!("{create};");
        context.sql(&create).await?;
    }
    for query in [TALKERS, SLOWEST] {
        say!("{query};");
        context.sql(query).await?.show().await?;
    }
    Ok(())
}

/// What the example `flows` wrote: a stream, and a schema to compile.
fn recorded_flows(written: &Path, directory: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let source = std::fs::read_to_string(written.join("flows.proto"))?;
    let pool = SourceBuilder::new().source("flows.proto", source).build()?;
    std::fs::write(directory.join("flows.set"), pool.encode_to_vec()?)?;
    Ok(written.join("flows.binpb"))
}

fn made_up_flows(directory: &Path) -> Result<PathBuf, Box<dyn Error>> {
    std::fs::write(
        directory.join("flows.set"),
        DescriptorPool::from_tables(&[Flow::TABLE])?.encode_to_vec()?,
    )?;
    let mut stream = Vec::new();
    for n in 0..100_000_u64 {
        let address =
            |n: u64| [&[0; 10][..], &[0xff, 0xff, 10, 0, (n / 7 % 4) as u8, (n % 7) as u8]].concat();
        let flow = Flow {
            time: 1_700_000_000 + n / 500,
            source: address(n * n),
            destination: address(n + 1),
            protocol: if n.is_multiple_of(3) { 17 } else { 6 },
            bytes: 64 + n * 31 % 1400,
            packets: 1 + n % 9,
        };
        flow.encode_length_delimited(&mut stream)?;
    }
    let path = directory.join("flows.binpb");
    std::fs::write(&path, stream)?;
    Ok(path)
}

/// What an exporter sent. A request alone is written again, with its length.
fn exported_traces(exported: &Path, directory: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let bytes = std::fs::read(exported).map_err(|error| format!("{}: {error}", exported.display()))?;
    // The length of a first request is hardly ever the tag of the only field.
    if !traces::Export::decode(&bytes).is_ok_and(|request| !request.resource_spans.is_empty()) {
        return Ok(exported.to_path_buf());
    }
    let mut stream = Vec::new();
    append_frame(&bytes, &mut stream)?;
    let path = directory.join("traces.binpb");
    std::fs::write(&path, stream)?;
    Ok(path)
}

fn made_up_traces(directory: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let mut stream = Vec::new();
    for number in 0..50 {
        traces::sample(number).encode_length_delimited(&mut stream)?;
    }
    let path = directory.join("traces.binpb");
    std::fs::write(&path, stream)?;
    Ok(path)
}

//! The stream in a column store: ClickHouse's reader of Protobuf with the printed schema, by the script of the example.
//! Needs `python3` with the package chdb.

use crate::common::protoc::Dir;
use crate::flows::collect::columns;
use crate::flows::support::Collected;
use crate::flows::traffic;
use std::path::Path;
use std::process::Command;
use tablepb::record::RecordPlan;

/// The answer to a query about the flows of a plan, and the same flows as prost-reflect reads them.
fn ask(plan: RecordPlan, name: &str, query: &str) -> (Vec<String>, Collected) {
    ask_with(plan, name, query, str::to_string)
}

/// The same with another schema.
fn ask_with(
    plan: RecordPlan,
    name: &str,
    query: &str,
    schema: impl Fn(&str) -> String,
) -> (Vec<String>, Collected) {
    let mut collected = Collected::with(plan);
    traffic::mixed(2000, 7).iter().for_each(|(_, payload)| collected.receive(payload));
    let dir = Dir::new(name);
    dir.write("flows.proto", &schema(&collected.plan.to_proto()));
    std::fs::write(dir.0.join("flows.binpb"), &collected.records.buffer).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/flows/column_store.py");
    let output = Command::new("python3").arg(script).arg(&dir.0).arg(query).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut rows: Vec<String> = text.lines().map(|row| row.replace('\t', " ")).collect();
    rows.sort();
    (rows, collected)
}

#[test]
#[ignore = "needs python3 with chdb"]
fn a_column_store_reads_the_stream() {
    let query = "SELECT replaceOne(toString(SrcAddr), '::ffff:', ''), SrcPort, replaceOne(toString(DstAddr), \
                 '::ffff:', ''), DstPort, Proto, Bytes, Packets, toUnixTimestamp(TimeReceived), \
                 arrayStringConcat(arrayMap(x -> toString(x), DstASPath), ','), SrcMAC FROM flows";
    let columns = "SrcAddr SrcPort DstAddr DstPort Proto Bytes Packets TimeReceived DstASPath SrcMAC";
    let (rows, collected) = ask(columns::plan().unwrap(), "store-all", query);
    // Zero and empty are what is not in the record.
    let zero = |(column, cell): (&str, String)| match cell.is_empty() && column != "DstASPath" {
        true => "0".to_string(),
        false => cell,
    };
    let row = |flow: crate::flows::support::Flow| {
        let cells = columns.split(' ').map(|column| zero((column, flow.get(column))));
        cells.collect::<Vec<_>>().join(" ")
    };
    let mut expected: Vec<String> = collected.flows().into_iter().map(row).collect();
    expected.sort();
    assert!(expected.len() >= 2000);
    assert_eq!(rows, expected);
}

#[test]
#[ignore = "needs python3 with chdb"]
fn columns_that_are_left_out_have_defaults() {
    let five = ["SrcAddr", "DstAddr", "SrcPort", "DstPort", "Bytes"];
    let plan = columns::plan().unwrap().enable_only(five).unwrap();
    let query = "SELECT count(), sum(Bytes), sum(Packets), max(SrcPort) FROM flows";
    let (rows, collected) = ask(plan, "store-five", query);
    let flows = collected.flows();
    let number = |column| flows.iter().map(move |flow| flow.get(column).parse::<u64>().unwrap_or(0));
    let expected =
        format!("{} {} 0 {}", flows.len(), number("Bytes").sum::<u64>(), number("SrcPort").max().unwrap());
    assert_eq!(rows, [expected]);
}

#[test]
#[ignore = "needs python3 with chdb"]
fn the_message_may_be_named_after_its_definition() {
    let plan = columns::plan().unwrap();
    let name = format!("message Flow_{:016x} {{", plan.schema_hash());
    let hashed = |schema: &str| schema.replace("message Flow {", &name);
    let (rows, collected) = ask_with(plan, "store-hashed", "SELECT count() FROM flows", hashed);
    assert_eq!(rows, [collected.flows().len().to_string()]);
}

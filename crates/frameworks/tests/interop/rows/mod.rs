//! A program of the kind that streaming databases have, which makes rows of messages, for prost-reflect and for tablepb: the same rows,
//! in less than half of the time, by a port of a few lines.

mod with_prost_reflect;
mod with_tablepb;

use crate::common::choices::Choices;
use crate::common::payload::{Style, TAME, payload};
use crate::common::schema::Syntax;
use crate::common::schema_gen::{ALL, Limits, schema};
use std::hint::black_box;
use std::time::Instant;
use tablepb::DescriptorPool;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};

const SHARED: Limits = Limits { message_sets: false, syntaxes: &[Syntax::Proto3, Syntax::Proto2], ..ALL };
const STYLE: Style = Style { unknown: false, ..TAME };

/// The rows of a payload, through both programs, as text: NaN is equal to itself there.
fn rows(pool: &DescriptorPool, message: &str, columns: &[&str], payload: &[u8]) -> [String; 2] {
    let set = pool.encode_to_vec().unwrap();
    let theirs =
        prost_reflect::DescriptorPool::decode(&set[..]).unwrap().get_message_by_name(message).unwrap();
    let ours = pool.message(message).unwrap();
    let theirs = with_prost_reflect::Table::new(theirs, columns).unwrap().parse(payload).unwrap();
    let ours = with_tablepb::Table::new(ours, columns).unwrap().parse(payload).unwrap();
    [format!("{theirs:?}"), format!("{ours:?}")]
}

/// A message with a field of every kind, as a table has columns of every type.
static ALL_TYPES: MessageTable = MessageTable::new(
    "rows.AllTypes",
    &[
        FieldTable::new("double_field", 1, Kind::Double),
        FieldTable::new("float_field", 2, Kind::Float),
        FieldTable::new("int32_field", 3, Kind::Int32),
        FieldTable::new("int64_field", 4, Kind::Int64),
        FieldTable::new("uint32_field", 5, Kind::Uint32),
        FieldTable::new("uint64_field", 6, Kind::Uint64),
        FieldTable::new("sint32_field", 7, Kind::Sint32),
        FieldTable::new("sint64_field", 8, Kind::Sint64),
        FieldTable::new("fixed32_field", 9, Kind::Fixed32),
        FieldTable::new("fixed64_field", 10, Kind::Fixed64),
        FieldTable::new("sfixed32_field", 11, Kind::Sfixed32),
        FieldTable::new("sfixed64_field", 12, Kind::Sfixed64),
        FieldTable::new("bool_field", 13, Kind::Bool),
        FieldTable::new("string_field", 14, Kind::String),
        FieldTable::new("bytes_field", 15, Kind::Bytes),
        FieldTable::new("enum_field", 16, Kind::Enum(|| &LEVEL)),
        FieldTable::new("nested_field", 17, Kind::Message(|| &NESTED)),
        FieldTable::new("repeated_ints", 18, Kind::Int32).repeated(),
        FieldTable::new("oneof_string", 19, Kind::String).oneof("example"),
        FieldTable::new("oneof_int", 20, Kind::Int32).oneof("example"),
        FieldTable::map("map_field", 21, Kind::String, Kind::Int32),
        FieldTable::new("nested_list", 22, Kind::Message(|| &NESTED)).repeated(),
    ],
);
static LEVEL: EnumTable = EnumTable::new("rows.Level", &[("DEFAULT", 0), ("OPTION_1", 1), ("OPTION_2", 2)]);
static NESTED: MessageTable = MessageTable::new(
    "rows.Nested",
    &[FieldTable::new("id", 1, Kind::Int32), FieldTable::new("name", 2, Kind::String)],
);

/// The columns of a table: all fields.
fn columns(table: &MessageTable) -> Vec<&str> {
    table.fields().iter().map(|field| field.name()).collect()
}

/// A row as a producer sends it: every column has a value.
fn row(pool: &DescriptorPool, id: i32) -> Vec<u8> {
    let less = -i64::from(id);
    let json = format!(
        r#"{{"doubleField":1.5,"floatField":2.25,"int32Field":{id},"int64Field":"{less}","uint32Field":3,"uint64Field":"4","sint32Field":-5,
        "sint64Field":"-6","fixed32Field":7,"fixed64Field":"8","sfixed32Field":-9,"sfixed64Field":"-10","boolField":true,
        "stringField":"row {id}","bytesField":"AAEC","enumField":"OPTION_1","nestedField":{{"id":{id},"name":"nested"}},
        "repeatedInts":[1,2,3,{id}],"oneofInt":{id},"mapField":{{"a":1,"b":{id}}},"nestedList":[{{"id":1}},{{"name":"x"}}]}}"#
    );
    let message = pool.message("rows.AllTypes").unwrap();
    tablepb::json::message_from_slice(&message, json.as_bytes()).unwrap().encode_to_vec().unwrap()
}

#[test]
fn the_port_changes_at_most_20_lines() {
    let lines = |text: &'static str| text.lines().collect::<Vec<_>>();
    let (theirs, ours) =
        (lines(include_str!("with_prost_reflect.rs")), lines(include_str!("with_tablepb.rs")));
    let kept = ours.iter().filter(|line| theirs.contains(line)).count();
    assert!(ours.len() - kept <= 20, "{} of {} lines are new", ours.len() - kept, ours.len());
}

#[test]
fn both_programs_make_the_same_rows() {
    let pool = DescriptorPool::from_tables(&[&ALL_TYPES]).unwrap();
    for id in [0, 1, -7, i32::MAX] {
        let [theirs, ours] = rows(&pool, "rows.AllTypes", &columns(&ALL_TYPES), &row(&pool, id));
        assert_eq!(ours, theirs);
    }
    let [theirs, ours] = rows(&pool, "rows.AllTypes", &columns(&ALL_TYPES), b"");
    assert_eq!(ours, theirs);
}

#[test]
fn both_programs_make_the_same_rows_of_random_schemas() {
    for seed in 0..300 {
        let mut choices = Choices::seeded(seed);
        let schema = schema(&mut choices, SHARED);
        let pool = schema.pool();
        let message = crate::common::bridge::descriptor(&schema, &pool, 0);
        let names: Vec<String> = message.fields().map(|field| field.name().to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for _ in 0..4 {
            let payload = payload(&schema, 0, &mut choices, STYLE);
            // Required fields are checked by tablepb alone.
            if tablepb::DynamicMessage::decode(&message, &payload).is_err() {
                continue;
            }
            let [theirs, ours] = rows(&pool, message.full_name(), &names, &payload);
            assert_eq!(ours, theirs, "seed {seed}: {payload:02x?}");
        }
    }
}

#[test]
#[ignore = "needs a quiet machine and a release build: it measures"]
fn the_port_takes_half_of_the_time() {
    let pool = DescriptorPool::from_tables(&[&ALL_TYPES]).unwrap();
    let set = pool.encode_to_vec().unwrap();
    let theirs = prost_reflect::DescriptorPool::decode(&set[..]).unwrap();
    let theirs = theirs.get_message_by_name("rows.AllTypes").unwrap();
    let theirs = with_prost_reflect::Table::new(theirs, &columns(&ALL_TYPES)).unwrap();
    let ours = pool.message("rows.AllTypes").unwrap();
    let ours = with_tablepb::Table::new(ours, &columns(&ALL_TYPES)).unwrap();
    let payloads: Vec<_> = (0..64).map(|id| row(&pool, id)).collect();
    let time = |parse: &dyn Fn(&[u8])| {
        let start = Instant::now();
        payloads.iter().for_each(|payload| parse(payload));
        start.elapsed().as_nanos() as f64 / payloads.len() as f64
    };
    let (mut best_theirs, mut best_ours) = (f64::MAX, f64::MAX);
    for _ in 0..300 {
        best_theirs = best_theirs.min(time(&|payload| drop(black_box(theirs.parse(payload)))));
        best_ours = best_ours.min(time(&|payload| drop(black_box(ours.parse(payload)))));
    }
    println!(
        "prost-reflect {best_theirs:.0} ns a row, tablepb {best_ours:.0}: {:.1}x",
        best_theirs / best_ours
    );
    // Of the time of tablepb, a quarter is the memory of the row itself, which both programs allocate: docs/measurements.md.
    assert!(best_theirs > 2.0 * best_ours);
}

//! Maps, oneofs and presence by each choice, and back.

use super::*;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int32Array, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use std::sync::Arc;
use tablepb_arrow::mapping::{Maps, Presence};
use tablepb_arrow::{WriteErrorKind, WriterBuilder};

static TIMES: MessageTable = MessageTable::new(
    "e.Times",
    &[
        FieldTable::new("at", 1, Kind::Message(|| &TIMESTAMP)),
        FieldTable::new("count", 2, Kind::Message(|| &COUNT)),
        FieldTable::new("point", 3, Kind::Message(|| &POINT)),
        FieldTable::new("level", 4, Kind::Int32).optional(),
        FieldTable::new("color", 5, Kind::Enum(|| &COLOR)).optional(),
        FieldTable::new("a", 6, Kind::Int32).oneof("which"),
    ],
);
static TIMESTAMP: MessageTable = MessageTable::new(
    "google.protobuf.Timestamp",
    &[FieldTable::new("seconds", 1, Kind::Int64), FieldTable::new("nanos", 2, Kind::Int32)],
);
static COUNT: MessageTable =
    MessageTable::new("google.protobuf.Int32Value", &[FieldTable::new("value", 1, Kind::Int32)]);

#[test]
fn maps_are_lists_of_entries_or_two_lists() {
    let texts = ["m { key: 'k' value: 1 } m { key: 'j' value: 2 }", "", "m { key: 'k' value: 3 }"];
    let lines = |maps| columns(Options::new().maps(maps), &["m"], &texts);
    assert_eq!(lines(Maps::Map), ["{k: 1, j: 2}", "{}", "{k: 3}"]);
    assert_eq!(
        lines(Maps::Entries),
        ["[{key: k, value: 1}, {key: j, value: 2}]", "[]", "[{key: k, value: 3}]"]
    );
    assert_eq!(
        lines(Maps::Lists),
        ["{key: [k, j], value: [1, 2]}", "{key: [], value: []}", "{key: [k], value: [3]}"]
    );
    // A projection into the values of a map.
    let texts = ["mm { key: 3 value { x: 1 y: 2 } }"];
    let lines = columns(Options::new().maps(Maps::Lists), &["mm.value.y"], &texts);
    assert_eq!(lines, ["{key: [3], value: [{y: 2.0}]}"]);
}

#[test]
fn lists_of_keys_and_values_are_as_long_as_each_other() {
    let options = Options::new().views(false).maps(Maps::Lists);
    let batch = read(&mut decoder(&ALL, options, &["m"]), &messages());
    let mut writer = WriterBuilder::new(&descriptor(&ALL)).build(&batch.schema()).unwrap();
    assert_eq!(
        writer.to_array(&batch).unwrap().value(5),
        message(&ALL, "m { key: 'k' value: 1 } m { key: 'j' value: 2 }")
    );

    let list = |values: ArrayRef, lengths: [usize; 2]| {
        let item = Arc::new(Field::new("item", values.data_type().clone(), false));
        let offsets = arrow_buffer::OffsetBuffer::from_lengths(lengths);
        Arc::new(ListArray::new(item, offsets, values, None)) as ArrayRef
    };
    let keys = list(Arc::new(StringArray::from(vec!["a", "b", "c"])), [1, 2]);
    let values = list(Arc::new(Int32Array::from(vec![1, 2])), [1, 1]);
    let DataType::Struct(fields) = batch.schema().field(0).data_type().clone() else { panic!("a struct") };
    let pairs = StructArray::new(fields, vec![keys, values], None);
    let bad = RecordBatch::try_new(batch.schema(), vec![Arc::new(pairs)]).unwrap();
    let error = writer.to_array(&bad).unwrap_err();
    assert_eq!((error.kind(), error.row(), error.column()), (WriteErrorKind::UnequalLists, Some(1), "m"));
    // The writer goes on.
    assert_eq!(writer.to_array(&bad.slice(0, 1)).unwrap().value(0), message(&ALL, "m { key: 'a' value: 1 }"));
    // Other structs are no maps.
    let wrong = arrow_schema::Schema::new(vec![Field::new(
        "m",
        DataType::Struct(vec![Field::new("key", DataType::Utf8, false)].into()),
        false,
    )]);
    assert_eq!(
        WriterBuilder::new(&descriptor(&ALL)).build(&wrong.into()).unwrap_err().kind(),
        WriteErrorKind::TypeMismatch
    );
}

#[test]
fn a_column_names_the_member_that_is_set() {
    let texts = ["x: 'member'", "", "y: 0", "z { x: 1 }", "y: 1"];
    let of = |options: Options, paths: &[&str]| columns(options.oneofs(Oneofs::Named), paths, &texts);
    let expected = ["x | member |  |", "|  |  |", "y |  | 0 |", "z |  |  | {x: 1.0, y: 0.0}", "y |  | 1 |"];
    for options in [Options::new(), Options::new().views(false), Options::new().enums(Enums::Dictionary)] {
        assert_eq!(of(options.clone(), &["x", "y", "z"]), expected);
        // Without all members it would not tell the truth.
        assert_eq!(of(options, &["x"]), ["member", "", "", "", ""]);
    }
    // A writer goes by the members.
    let batch = read(&mut decoder(&ALL, Options::arrow().oneofs(Oneofs::Named), &[]), &messages());
    assert_eq!(batch.column_by_name("which").unwrap().as_any_dictionary().normalized_keys()[5], 1);
    let mut writer = WriterBuilder::new(&descriptor(&ALL)).build(&batch.schema()).unwrap();
    let back = writer.to_array(&batch).unwrap();
    for (row, message) in messages().iter().enumerate() {
        assert_eq!(back.value(row), message, "row {row}");
    }
    // Of a row with two members the last one counts; bad rows have none.
    let builder = ReaderBuilder::new(&descriptor(&ALL)).options(Options::new().oneofs(Oneofs::Named));
    let mut decoder = builder.projection(["x", "y", "z"]).bad_rows(BadRows::Null).build_decoder().unwrap();
    let batch = read(&mut decoder, &[b"\x62\x01".to_vec(), b"\x62\x01a\x68\x01".to_vec()]);
    assert_eq!(batch.column(0).as_string_view().iter().collect::<Vec<_>>(), [None, Some("y")]);
}

#[test]
fn what_is_not_set_has_its_default() {
    let options = Options::portable().presence(Presence::Default).oneofs(Oneofs::Named);
    let decoder =
        || ReaderBuilder::new(&descriptor(&TIMES)).options(options.clone()).build_decoder().unwrap();
    let nullable: Vec<_> = decoder().schema().fields().iter().map(|field| field.is_nullable()).collect();
    // at, count: null is all that could be there. point, level, color; which, a.
    assert_eq!(nullable, [true, true, false, false, false, true, true]);
    let rows = ["", "at { seconds: 1 } count { } point { y: 1 } level: 2 color: BLUE a: 3"];
    let rows = rows.map(|text| message(&TIMES, text));
    let batch = read(&mut decoder(), &rows);
    let at = batch.column(0).as_primitive::<arrow_array::types::TimestampMicrosecondType>();
    assert_eq!((at.is_null(0), at.value(1)), (true, 1_000_000));
    let expected = ["| {x: 0.0, y: 0.0} | 0 | NONE |  |", "0 | {x: 0.0, y: 1.0} | 2 | BLUE | a | 3"];
    assert_eq!(lines(&batch.project(&[1, 2, 3, 4, 5, 6]).unwrap()), expected);
    // On the way back it is set.
    let mut writer = WriterBuilder::new(&descriptor(&TIMES)).build(&batch.schema()).unwrap();
    let back = writer.to_array(&batch).unwrap();
    assert_eq!(back.value(0), message(&TIMES, "point { } level: 0 color: NONE"));
    assert_eq!(back.value(1), rows[1]);
}

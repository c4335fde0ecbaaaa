//! Batches of other versions of a message type.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use std::sync::Arc;
use tablepb::MessageDescriptor;
use tablepb_arrow::mapping::{Enums, Oneofs, Options};
use tablepb_arrow::{Adapter, BadRows, ReaderBuilder};
use tablepb_schema::SourceBuilder;

const FIRST: &str = "syntax = 'proto3'; package e;
    enum Level { NONE = 0; LOW = 1; }
    message Part { string name = 1; int32 size = 2; bytes gone = 3; }
    message Log {
      string line = 1; Level level = 2; Part part = 3; repeated Part parts = 4; map<string, Part> by = 5;
      int32 count = 6; string dropped = 7; oneof which { string a = 8; int32 b = 9; Part p = 20; } string swapped = 10;
    }";
/// Renamed, reordered, wider; without some, with new ones; a name of the first version for another number.
const SECOND: &str = "syntax = 'proto3'; package e;
    enum Level { NONE = 0; LOW = 1; HIGH = 2; }
    message Part { string size = 12; int64 length = 2; string name = 1; optional double weight = 4; }
    message Log {
      int64 total = 6; string text = 1; repeated Part parts = 4; Part part = 3; Level severity = 2; map<string, Part> by_name = 5;
      oneof choice { string a = 8; int64 b = 9; bool c = 13; Part part_of = 20; } string line = 14; repeated string notes = 15; Level next = 16;
    }";

fn log(source: &str) -> MessageDescriptor {
    SourceBuilder::new().source("e.proto", source).build().unwrap().message("e.Log").unwrap()
}

const ROWS: [&str; 6] = [
    "p { name: 'in a oneof' size: 4 gone: 'g' } count: 1",
    "",
    "line: 'x' level: LOW part { name: 'p' size: 3 gone: 'g' } count: -5 dropped: 'd' a: 'member' swapped: 's'",
    "parts { name: 'a longer name than twelve' } parts {} parts { size: -1 gone: 'g' } b: 7",
    "by { key: 'k' value { name: 'v' size: 9 } } by { key: 'j' value {} } a: ''",
    "part {} line: 'a line of more than twelve bytes' b: 0",
];

fn batch(builder: &ReaderBuilder, messages: &[Vec<u8>]) -> RecordBatch {
    let mut decoder = builder.build_decoder().unwrap();
    messages.iter().for_each(|message| assert!(decoder.push(message).unwrap()));
    decoder.flush().unwrap().unwrap()
}

fn messages(log: &MessageDescriptor, rows: &[&str]) -> Vec<Vec<u8>> {
    let encode = |text| tablepb::text::message_from_str(log, text).unwrap().encode_to_vec().unwrap();
    rows.iter().map(|text| encode(*text)).collect()
}

#[test]
fn a_batch_of_the_first_version_is_what_the_second_reads() {
    let (first, second) = (log(FIRST), log(SECOND));
    let messages = messages(&first, &ROWS);
    let all_options = [
        Options::new(),
        Options::portable(),
        Options::new().enums(Enums::Dictionary).oneofs(Oneofs::Union),
        Options::arrow().enums(Enums::Name),
    ];
    for before in &all_options {
        let old = batch(&ReaderBuilder::new(&first).options(before.clone()), &messages);
        for now in &all_options {
            let reader = ReaderBuilder::new(&second).options(now.clone());
            let mut adapter = Adapter::new(&reader, &old.schema()).unwrap();
            // The oracle: the bytes themselves, read by the second version.
            let expected = batch(&reader, &messages);
            for _ in 0..2 {
                assert_eq!(adapter.adapt(&old).unwrap(), expected, "{before:?} -> {now:?}");
            }
            assert_eq!(adapter.schema(), &expected.schema());
            assert_eq!(adapter.adapt(&old.slice(1, 2)).unwrap(), expected.slice(1, 2));
        }
    }
}

#[test]
fn changes_are_told() {
    let (first, second) = (log(FIRST), log(SECOND));
    let old = ReaderBuilder::new(&first).schema().unwrap();
    let adapter = Adapter::new(&ReaderBuilder::new(&second), &old).unwrap();
    let told: Vec<_> = adapter.changes().iter().map(ToString::to_string).collect();
    let of_part = |path: &str| {
        [
            format!("{path}.size: is new"),
            format!("{path}.length: was named size"),
            format!("{path}.length: was of type Int32"),
            format!("{path}.weight: is new"),
            format!("{path}.gone: is left out"),
        ]
    };
    let mut expected = vec![
        "total: was named count".to_owned(),
        "total: was of type Int32".into(),
        "text: was named line".into(),
    ];
    expected.extend(of_part("parts"));
    expected.extend(of_part("part"));
    expected.extend(["severity: was named level".into(), "by_name: was named by".into()]);
    expected.extend(of_part("by_name.value"));
    expected.extend(["b: was of type Int32", "c: is new", "part_of: was named p"].map(String::from));
    expected.extend(of_part("part_of"));
    expected.extend(["line: is new", "notes: is new", "next: is new"].map(String::from));
    expected.extend(["dropped: is left out", "swapped: is left out"].map(String::from));
    assert_eq!(told, expected);
    // The same version has no changes.
    assert_eq!(Adapter::new(&ReaderBuilder::new(&first), &old).unwrap().changes(), []);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let narrow = "syntax = 'proto3'; package e; message Log { bool line = 1; int32 count = 6; }";
    let reader = ReaderBuilder::new(&log(narrow));
    let old = ReaderBuilder::new(&log(FIRST)).schema().unwrap();
    let error = Adapter::new(&reader, &old).unwrap_err().to_string();
    assert!(error.contains("line"), "{error}");
    // A value that is too large is an error with its row, and the adapter goes on.
    let wide = log("syntax = 'proto3'; package e; message Log { int64 count = 6; }");
    let written = ReaderBuilder::new(&wide).projection(["count"]);
    let rows = messages(&wide, &["count: 5", "count: 5000000000"]);
    let old = batch(&written, &rows);
    let mut adapter = Adapter::new(&reader.projection(["count"]), &old.schema()).unwrap();
    let error = adapter.adapt(&old).unwrap_err().to_string();
    assert!(error.contains("row 1") && error.contains("count"), "{error}");
    let good = adapter.adapt(&old.slice(0, 1)).unwrap();
    assert_eq!(good.column(0).as_primitive::<arrow_array::types::Int32Type>().value(0), 5);
    let other = old.project(&[]).unwrap();
    assert!(adapter.adapt(&other).is_err());
    // Whatever the reader does with bad rows: a time that nanoseconds do not hold is no row of defaults.
    let timed = log(
        "syntax = 'proto3'; package e; import 'google/protobuf/timestamp.proto'; message Log { google.protobuf.Timestamp at = 1; }",
    );
    let old = batch(&ReaderBuilder::new(&timed), &messages(&timed, &["at { seconds: 100000000000 }"]));
    for bad_rows in [BadRows::Fail, BadRows::Skip, BadRows::Null] {
        let now = ReaderBuilder::new(&timed).options(Options::arrow()).bad_rows(bad_rows);
        assert!(Adapter::new(&now, &old.schema()).unwrap().adapt(&old).is_err(), "{bad_rows:?}");
    }
    // Members of a union that are no oneof any more.
    let apart = "syntax = 'proto3'; package e; message Log { string a = 8; oneof which { int32 b = 9; } }";
    let union = ReaderBuilder::new(&log(FIRST)).options(Options::new().oneofs(Oneofs::Union));
    let error =
        Adapter::new(&ReaderBuilder::new(&log(apart)), &union.schema().unwrap()).unwrap_err().to_string();
    assert!(error.contains("which"), "{error}");
    // A required field of which there is no column.
    let required = "syntax = 'proto2'; package e; message Log { required string must = 20; }";
    let error = Adapter::new(&ReaderBuilder::new(&log(required)), &old.schema()).unwrap_err().to_string();
    assert!(error.contains("must"), "{error}");
}

#[test]
fn columns_without_numbers_go_by_their_names() {
    let (first, second) = (log(FIRST), log(SECOND));
    let old = batch(&ReaderBuilder::new(&first).projection(["a", "line"]), &messages(&first, &ROWS));
    let schema = old.schema();
    let plain = |field: &Arc<arrow_schema::Field>| field.as_ref().clone().with_metadata(Default::default());
    let plain = Arc::new(arrow_schema::Schema::new(schema.fields().iter().map(plain).collect::<Vec<_>>()));
    let old = RecordBatch::try_new(plain.clone(), old.columns().to_vec()).unwrap();
    let mut adapter =
        Adapter::new(&ReaderBuilder::new(&second).projection(["line", "text"]), &plain).unwrap();
    let new = adapter.adapt(&old).unwrap();
    // `line` is another field in the second version; without a number that cannot be known.
    let lines = new.column_by_name("line").unwrap().as_string_view();
    assert_eq!((lines.value(2), lines.len()), ("x", ROWS.len()));
    assert_eq!(new.column_by_name("text").unwrap().as_string_view().value(2), "");
}

//! Which field a column is for: by its name, and by its number only where that is one of this message type.

use arrow_array::*;
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields};
use std::collections::HashMap;
use std::sync::Arc;
use tablepb::{DynamicMessage, MessageDescriptor};
use tablepb_arrow::mapping::Options;
use tablepb_arrow::write::{WriteError, WriteErrorKind, WriterBuilder};
use tablepb_arrow::{BadRows, ERROR, ReaderBuilder};
use tablepb_schema::SourceBuilder;

const SOURCE: &str = r#"
    syntax = "proto3";
    package f;
    message A { int32 x = 1; int32 y = 2; A one = 3; repeated A list = 4; map<string, A> map = 5; }
    message B { int32 y = 1; int32 x = 2; B one = 3; repeated B list = 4; map<string, B> map = 5; }
    message Log { string line = 1; string level = 2; Log cause = 3; }
    message Two { oneof either { int32 one = 1; string other = 2; } oneof second { int32 third = 3; } }
"#;

fn message(name: &str) -> MessageDescriptor {
    let pool = SourceBuilder::new().source("f.proto", SOURCE).build().expect("a valid schema");
    pool.message(name).expect("the type")
}

fn read(name: &str, text: &str) -> RecordBatch {
    let descriptor = message(name);
    let row = tablepb::text::message_from_str(&descriptor, text).unwrap().encode_to_vec().unwrap();
    let builder = ReaderBuilder::new(&descriptor).options(Options::new().recursion(1));
    let mut decoder = builder.build_decoder().unwrap();
    assert!(decoder.push(&row).unwrap());
    decoder.flush().unwrap().unwrap()
}

fn write(
    builder: WriterBuilder,
    descriptor: &MessageDescriptor,
    batch: &RecordBatch,
) -> Result<String, WriteError> {
    let row = builder.build(&batch.schema())?.to_array(batch)?;
    Ok(tablepb::text::to_string(&DynamicMessage::decode(descriptor, row.value(0)).unwrap())
        .unwrap()
        .split_whitespace()
        .collect())
}

fn written(name: &str, batch: &RecordBatch) -> Result<String, WriteError> {
    write(WriterBuilder::new(&message(name)), &message(name), batch)
}

/// The columns at these places under other names, as `SELECT .. AS ..` makes them: with their metadata.
fn selected(batch: &RecordBatch, columns: &[(usize, &str)]) -> RecordBatch {
    let (schema, metadata) = (batch.schema(), batch.schema().metadata().clone());
    let fields: Vec<_> =
        columns.iter().map(|(at, name)| schema.field(*at).clone().with_name(*name)).collect();
    let arrays = columns.iter().map(|(at, _)| batch.column(*at).clone()).collect();
    RecordBatch::try_new(Arc::new(Schema::new_with_metadata(fields, metadata)), arrays).unwrap()
}

#[test]
fn columns_of_another_type_go_by_their_names() {
    let text = "x:1 y:2 one{x:3 y:4} list{x:5 y:6} map{key:'k' value{x:7 y:8}}";
    let batch = read("f.A", text);
    // What is in structs is of another type too.
    let flat = RecordBatch::try_new(
        Arc::new(Schema::new(batch.schema().fields().clone())),
        batch.columns().to_vec(),
    );
    let expected = written("f.B", &read("f.B", text)).unwrap();
    assert!(expected.contains("x:1") && expected.contains("y:6") && expected.contains("x:7"), "{expected}");
    assert_eq!(written("f.B", &batch).unwrap(), expected);
    assert_eq!(written("f.B", &flat.unwrap()).unwrap(), expected);
}

#[test]
fn a_column_with_the_name_of_another_field_is_for_that_field() {
    let batch = read("f.Log", "line:'a' level:'b' cause{line:'c'}");
    assert_eq!(written("f.Log", &selected(&batch, &[(0, "level")])).unwrap(), "level:\"a\"");
    let swapped = selected(&batch, &[(0, "level"), (1, "line")]);
    assert_eq!(
        written("f.Log", &swapped).unwrap(),
        written("f.Log", &read("f.Log", "line:'b' level:'a'")).unwrap()
    );
    // Twice to one field is an error, whichever way.
    let twice = written("f.Log", &selected(&batch, &[(0, "line"), (0, "text")])).unwrap_err();
    assert_eq!((twice.kind(), twice.column()), (WriteErrorKind::DuplicateField, "text"));
}

#[test]
fn a_name_without_a_field_goes_by_the_number_of_its_own_type() {
    let batch = read("f.Log", "line:'a' cause{line:'c'}");
    let renamed = selected(&batch, &[(0, "text"), (2, "why")]);
    let expected = written("f.Log", &batch).unwrap();
    assert_eq!(written("f.Log", &renamed).unwrap(), expected);
    // In a struct, the type is that of its column.
    let DataType::Struct(fields) = batch.schema().field(2).data_type().clone() else { panic!("a struct") };
    let text = Arc::new(fields[0].as_ref().clone().with_name("text"));
    let fields: Fields = std::iter::once(text).chain(fields.iter().skip(1).cloned()).collect();
    let (_, arrays, nulls) =
        batch.column(2).as_any().downcast_ref::<StructArray>().unwrap().clone().into_parts();
    let cause: ArrayRef = Arc::new(StructArray::new(fields.clone(), arrays, nulls));
    let field = batch.schema().field(2).clone().with_data_type(DataType::Struct(fields));
    let inner =
        |field: Field| RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![cause.clone()]).unwrap();
    assert_eq!(written("f.Log", &inner(field.clone())).unwrap(), "cause{line:\"c\"}");
    // Without the type, a number is not enough.
    let error = written("f.Log", &inner(field.with_metadata(HashMap::new()))).unwrap_err();
    assert_eq!((error.kind(), error.column()), (WriteErrorKind::NoSuchField, "cause.text"));
    let (schema, columns) = (Schema::new(renamed.schema().fields().clone()), renamed.columns().to_vec());
    let error = written("f.Log", &RecordBatch::try_new(Arc::new(schema), columns).unwrap()).unwrap_err();
    assert_eq!((error.kind(), error.column()), (WriteErrorKind::NoSuchField, "text"));
}

#[test]
fn extra_members_of_unions_are_left_out_if_asked() {
    let union = |name: &str| {
        let fields = [Field::new("one", DataType::Int32, true), Field::new(name, DataType::Int32, true)];
        let children: Vec<ArrayRef> =
            vec![Arc::new(Int32Array::from(vec![4, 0])), Arc::new(Int32Array::from(vec![0, 5]))];
        let fields = UnionFields::try_new([1, 2], fields).unwrap();
        let array = UnionArray::try_new(fields, vec![1, 2].into(), None, children).unwrap();
        RecordBatch::try_from_iter([("either", Arc::new(array) as ArrayRef)]).unwrap()
    };
    let (two, batch) = (message("f.Two"), union("nothing"));
    let error = written("f.Two", &batch).unwrap_err();
    assert_eq!((error.kind(), error.column()), (WriteErrorKind::NoSuchField, "either.nothing"));
    let extra = || WriterBuilder::new(&two).extra_columns(true);
    let mut stream = Vec::new();
    extra().build(&batch.schema()).unwrap().write(&batch, &mut stream).unwrap();
    assert_eq!(stream, [2, 8, 4, 0]);
    // A field of another oneof is not extra: it would be lost.
    let error = write(extra(), &two, &union("third")).unwrap_err();
    assert_eq!((error.kind(), error.column()), (WriteErrorKind::NoSuchField, "either.third"));
}

#[test]
fn batches_with_errors_of_rows_go_back_without_them() {
    let log = message("f.Log");
    let builder = ReaderBuilder::new(&log).projection(["line"]).bad_rows(BadRows::Null);
    let mut decoder = builder.build_decoder().unwrap();
    assert!(decoder.push(b"\x0a\x01a").unwrap() && decoder.push(b"\x0a").unwrap());
    let batch = decoder.flush().unwrap().unwrap();
    assert_eq!(written("f.Log", &batch).unwrap_err().column(), ERROR);
    let mut stream = Vec::new();
    let mut writer = WriterBuilder::new(&log).extra_columns(true).build(&batch.schema()).unwrap();
    writer.write(&batch, &mut stream).unwrap();
    assert_eq!(stream, b"\x03\x0a\x01a\0");
}

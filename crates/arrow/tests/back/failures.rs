//! What cannot be written: errors of schemas name column and field, errors of values column and row, and the writer goes on.

use crate::columns::{batch, row, write};
use crate::scarce::sweep;
use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use std::sync::Arc;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{DescriptorPool, MessageDescriptor};
use tablepb_arrow::write::{WriteError, WriteErrorKind, WriterBuilder};

fn schema(fields: Vec<Field>) -> SchemaRef {
    Arc::new(Schema::new(fields))
}

fn refused(fields: Vec<Field>) -> (WriteErrorKind, String) {
    let error = WriterBuilder::new(&row()).build(&schema(fields)).expect_err("a schema that does not fit");
    assert_eq!(error.row(), None);
    (error.kind(), error.column().to_owned())
}

#[test]
fn columns_that_do_not_fit_are_found_before_any_row() {
    use WriteErrorKind::{DuplicateField, NoSuchField, TypeMismatch};
    let one = |name: &str, data_type: DataType| refused(vec![Field::new(name, data_type, true)]);
    let item = |data_type| DataType::List(Arc::new(Field::new("item", data_type, true)));
    assert_eq!(one("nothing", DataType::Int32), (NoSuchField, "nothing".into()));
    for (name, data_type) in [
        ("plain_int", DataType::Utf8),
        ("plain_int", DataType::Boolean),
        ("plain_int", DataType::Float64),
        ("plain_int", item(DataType::Int32)),
        ("text", DataType::Int32),
        ("double", DataType::Int64),
        ("double", DataType::Float16),
        ("color", DataType::Binary),
        ("time", DataType::Date32),
        ("time", DataType::Date64),
        ("time", DataType::Int64),
        ("time", DataType::Duration(arrow_schema::TimeUnit::Second)),
        ("span", DataType::Timestamp(arrow_schema::TimeUnit::Second, None)),
        ("list", DataType::Int32),
        ("list", item(item(DataType::Int32))),
        ("texts", item(DataType::UInt8)),
        ("row", DataType::Utf8),
        ("map", DataType::Utf8),
        ("map", item(DataType::Utf8)),
        ("count", DataType::Utf8),
        ("text", DataType::Null),
        ("plain_int", DataType::Decimal128(10, 0)),
        ("text", DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Int8))),
    ] {
        assert_eq!(one(name, data_type.clone()), (TypeMismatch, name.into()), "{data_type}");
    }
    let twice =
        vec![Field::new("plain_int", DataType::Int32, true), Field::new("plainInt", DataType::Int32, true)];
    assert_eq!(refused(twice), (DuplicateField, "plainInt".into()));
    let inner = Fields::from(vec![Field::new("text", DataType::Boolean, true)]);
    assert_eq!(one("row", DataType::Struct(inner)), (TypeMismatch, "row.text".into()));
    let error = WriterBuilder::new(&row())
        .build(&schema(vec![Field::new("text", DataType::Int8, true)]))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the type of the column does not fit the field: Int8 for string e.Row.text, column text"
    );
}

#[test]
fn structs_are_nested_100_levels_at_most() {
    let nested = |levels: u32| {
        let inner = (0..levels).fold(Field::new("text", DataType::Utf8, true), |inner, _| {
            Field::new("row", DataType::Struct(Fields::from(vec![inner])), true)
        });
        WriterBuilder::new(&row()).build(&schema(vec![inner])).map_err(|error| error.kind())
    };
    assert!(nested(99).is_ok());
    assert_eq!(nested(100).unwrap_err(), WriteErrorKind::TooDeep);
    assert_eq!(nested(3_000).unwrap_err(), WriteErrorKind::TooDeep);
}

/// Row 1 of three cannot be written; row 0 can, and after the error all of another batch.
fn fails(bad: &RecordBatch) -> WriteError {
    assert_eq!(bad.num_rows(), 3);
    let mut writer = WriterBuilder::new(&row()).build(&bad.schema()).expect("a schema that fits");
    let mut stream = b"before".to_vec();
    let error = writer.write(bad, &mut stream).expect_err("a value that does not fit");
    assert_eq!(error.row(), Some(1));
    let mut expected = b"before".to_vec();
    writer.write(&bad.slice(0, 1), &mut expected).expect("the row before");
    assert_eq!(stream, expected);
    writer.write(&bad.slice(2, 1), &mut stream).expect("the row after");
    assert!(stream.len() > expected.len());
    let mut rows = Vec::new();
    assert_eq!(writer.for_each_message(bad, |row, _| rows.push(row)), Err(error.clone()));
    assert_eq!(rows, [0]);
    assert_eq!(writer.to_array(bad).map(drop), Err(error.clone()));
    assert!(write(bad).is_err());
    error
}

#[test]
fn values_that_do_not_fit_name_row_and_column() {
    use WriteErrorKind::*;
    let check = |name: &str, array: ArrayRef, kind| {
        let error = fails(&batch(name, array));
        assert_eq!((error.kind(), error.column()), (kind, name), "{error}");
    };
    check("plain_int", Arc::new(Int64Array::from(vec![1, 1 << 31, 1])), OutOfRange);
    check("plain_int", Arc::new(UInt64Array::from(vec![1, u64::MAX, 1])), OutOfRange);
    check("small", Arc::new(Int8Array::from(vec![1, -1, 1])), OutOfRange);
    check("maybe", Arc::new(UInt64Array::from(vec![1, 1 << 63, 1])), OutOfRange);
    check("color", Arc::new(StringArray::from(vec!["RED", "GREEN", "RED"])), NoSuchValue);
    let names: DictionaryArray<Int8Type> = ["RED", "GREEN", "RED"].into_iter().collect();
    check("color", Arc::new(names), NoSuchValue);
    check("text", Arc::new(BinaryArray::from(vec![&b"a"[..], b"\xff", b"b"])), InvalidUtf8);
    check("row", Arc::new(BinaryArray::from(vec![&b""[..], b"\x08", b""])), InvalidMessage);
    check("row", Arc::new(BinaryArray::from(vec![&b""[..], b"\x0c", b""])), InvalidMessage);
    check("_unknown", Arc::new(BinaryArray::from(vec![&b""[..], b"\x0b", b""])), InvalidMessage);
    check("time", Arc::new(TimestampSecondArray::from(vec![0, i64::MAX, 0])), OutOfRange);
    check("time", Arc::new(TimestampSecondArray::from(vec![0, -62_135_596_801, 0])), OutOfRange);
    check("span", Arc::new(DurationSecondArray::from(vec![0, 315_576_000_001, 0])), OutOfRange);
    let item = Arc::new(Field::new("item", DataType::Int32, true));
    let values = Arc::new(Int32Array::from(vec![Some(1), Some(2), None, Some(3)]));
    check(
        "list",
        Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([1, 2, 1]), values, None)),
        NullElement,
    );
    let item = Arc::new(Field::new("item", DataType::Utf8, true));
    let values = Arc::new(StringArray::from(vec![Some("a"), None, Some("b")]));
    check(
        "texts",
        Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([1, 1, 1]), values, None)),
        NullElement,
    );
    let nulls = Int64Array::from(vec![Some(1), None, Some(2)]);
    let map = MapArray::new_from_strings(["a", "b", "c"].into_iter(), &nulls, &[0, 1, 2, 3]).unwrap();
    check("map", Arc::new(map), NullElement);
}

#[test]
fn a_time_out_of_range_costs_its_row_only() {
    let times: ArrayRef =
        Arc::new(TimestampSecondArray::from(vec![Some(1), Some(i64::MAX), None, Some(i64::MIN), Some(5)]));
    let bad = batch("time", times);
    // The error says where to go on.
    let mut writer = WriterBuilder::new(&row()).build(&bad.schema()).unwrap();
    let (mut stream, mut from, mut errors) = (Vec::new(), 0, Vec::new());
    while let Err(error) = writer.write(&bad.slice(from, bad.num_rows() - from), &mut stream) {
        assert_eq!((error.kind(), error.column()), (WriteErrorKind::OutOfRange, "time"));
        errors.push(from + error.row().unwrap());
        from = errors[errors.len() - 1] + 1;
    }
    assert_eq!(errors, [1, 3]);
    // Or the rows are left out.
    let mut writer = WriterBuilder::new(&row()).skip_bad_rows(true).build(&bad.schema()).unwrap();
    let mut skipping = Vec::new();
    writer.write(&bad, &mut skipping).unwrap();
    assert_eq!(skipping, stream);
    let expected = batch("time", TimestampSecondArray::from(vec![Some(1), None, Some(5)]));
    let mut whole = Vec::new();
    WriterBuilder::new(&row()).build(&expected.schema()).unwrap().write(&expected, &mut whole).unwrap();
    assert_eq!(skipping, whole);
    assert_eq!(writer.skipped(), 2);
    let last = writer.last_skipped().unwrap();
    assert_eq!((last.row(), last.column(), last.kind()), (Some(3), "time", WriteErrorKind::OutOfRange));
    let mut rows = Vec::new();
    writer.for_each_message(&bad, |row, _| rows.push(row)).unwrap();
    assert_eq!(rows, [0, 2, 4]);
    let array = writer.to_array(&bad).unwrap();
    assert_eq!((0..5).map(|row| array.is_null(row)).collect::<Vec<_>>(), [false, true, false, true, false]);
    assert_eq!(writer.skipped(), 6);
}

#[test]
fn two_members_of_a_oneof_are_an_error() {
    let one: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(0), None]));
    let other: ArrayRef = Arc::new(StringArray::from(vec![None, Some(""), Some("x")]));
    let bad = RecordBatch::try_from_iter_with_nullable([("one", one, true), ("other", other, true)]).unwrap();
    assert_eq!(fails(&bad).kind(), WriteErrorKind::OneofConflict);
}

#[test]
fn a_null_in_a_dictionary_is_no_member_of_a_oneof() {
    let keys = Int8Array::from(vec![Some(0), Some(1), None]);
    let words: ArrayRef = Arc::new(StringArray::from(vec![None, Some("x")]));
    let other: ArrayRef = Arc::new(DictionaryArray::new(keys, words));
    let two = |one: Vec<Option<i32>>| {
        let one: ArrayRef = Arc::new(Int32Array::from(one));
        RecordBatch::try_from_iter_with_nullable([("one", one, true), ("other", other.clone(), true)])
            .unwrap()
    };
    let good = two(vec![Some(1), None, Some(3)]);
    let mut stream = Vec::new();
    WriterBuilder::new(&row()).build(&good.schema()).unwrap().write(&good, &mut stream).unwrap();
    assert_eq!(stream, b"\x03\xa0\x01\x01\x04\xaa\x01\x01x\x03\xa0\x01\x03");
    assert_eq!(fails(&two(vec![Some(1), Some(2), Some(3)])).kind(), WriteErrorKind::OneofConflict);
}

#[test]
fn an_error_in_a_struct_names_its_path() {
    let fields = Fields::from(vec![Field::new("small", DataType::Int32, true)]);
    let column: ArrayRef = Arc::new(Int32Array::from(vec![0, -1, 0]));
    let error = fails(&batch("row", StructArray::new(fields, vec![column], None)));
    assert_eq!(error.to_string(), "the value is out of the range of the field, column row.small, row 1");
}

#[test]
fn what_is_in_a_null_struct_means_nothing() {
    let fields = Fields::from(vec![Field::new("small", DataType::Int32, true)]);
    let column: ArrayRef = Arc::new(Int32Array::from(vec![-1]));
    let nulls = Some(vec![false].into());
    assert_eq!(
        write(&batch("row", StructArray::new(fields, vec![column], nulls))).unwrap()[0].encoded_len(),
        0
    );
}

static REQUIRED: MessageTable = MessageTable::new(
    "e.Strict",
    &[
        FieldTable::new("id", 1, Kind::Int32).required(),
        FieldTable::new("strict", 2, Kind::Message(|| &REQUIRED)),
    ],
);

fn strict() -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[&REQUIRED]).unwrap();
    pool.message("e.Strict").unwrap()
}

#[test]
fn required_fields_need_a_column_and_a_value() {
    let builder = WriterBuilder::new(&strict());
    let error = builder.build(&schema(vec![])).unwrap_err();
    assert_eq!((error.kind(), error.column()), (WriteErrorKind::MissingRequired, ""));
    let inner = Field::new("strict", DataType::Struct(Fields::empty()), true);
    let error = builder.build(&schema(vec![Field::new("id", DataType::Int32, true), inner])).unwrap_err();
    assert_eq!((error.kind(), error.column()), (WriteErrorKind::MissingRequired, "strict"));
    let bad = batch("id", Int32Array::from(vec![Some(0), None]));
    let mut stream = Vec::new();
    let error = builder.build(&bad.schema()).unwrap().write(&bad, &mut stream).unwrap_err();
    assert_eq!(
        (error.kind(), error.row(), stream),
        (WriteErrorKind::MissingRequired, Some(1), vec![2, 8, 0])
    );
}

#[test]
fn a_batch_of_another_schema_is_refused() {
    let (one, other) =
        (batch("plain_int", Int32Array::from(vec![1])), batch("plain_int", Int64Array::from(vec![1])));
    let mut writer = WriterBuilder::new(&row()).build(&one.schema()).unwrap();
    let mut stream = Vec::new();
    let error = writer.write(&other, &mut stream).unwrap_err();
    assert_eq!((error.kind(), error.row()), (WriteErrorKind::SchemaMismatch, None));
    writer.write(&one, &mut stream).unwrap();
    assert_eq!(stream, [2, 8, 1]);
}

#[test]
#[cfg_attr(
    tablepb_safe,
    ignore = "the library's twin writes into memory of its own, and ends the process where there is none"
)]
fn without_memory_rows_are_whole_or_not_there() {
    let fields = Fields::from(vec![
        Field::new("text", DataType::Utf8, false),
        Field::new("count", DataType::Int64, true),
    ]);
    let texts: ArrayRef = Arc::new(StringArray::from((0..200).map(|i| "long".repeat(i)).collect::<Vec<_>>()));
    let counts: ArrayRef = Arc::new(Int64Array::from_iter_values(0..200));
    let rows: ArrayRef = Arc::new(StructArray::new(fields, vec![texts, counts], None));
    let names: ArrayRef = Arc::new((0..200).map(|_| Some("RED")).collect::<DictionaryArray<Int8Type>>());
    let one: ArrayRef = Arc::new(Int32Array::from_iter((0..200).map(|i| (i % 2 == 0).then_some(i))));
    let other: ArrayRef = Arc::new(StringArray::from_iter((0..200).map(|i| (i % 2 == 1).then_some("x"))));
    let columns = [("row", rows, true), ("color", names, true), ("one", one, true), ("other", other, true)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let builder = WriterBuilder::new(&row());
    let mut whole = Vec::new();
    builder.build(&batch.schema()).unwrap().write(&batch, &mut whole).unwrap();
    let failures = sweep(
        || (builder.build(&batch.schema()).unwrap(), Vec::new()),
        |(writer, stream)| writer.write(&batch, stream).map_err(|error| error.kind()),
        |(mut writer, mut stream), result, failed| {
            assert_eq!(result, if failed { Err(WriteErrorKind::OutOfMemory) } else { Ok(()) });
            assert!(whole.starts_with(&stream));
            assert!(tablepb::stream::frames(&stream).all(|frame| frame.is_ok()));
            stream.clear();
            writer.write(&batch, &mut stream).unwrap();
            assert_eq!(stream, whole);
        },
    );
    assert!(failures > 20, "{failures}");
}

#[test]
fn dictionaries_are_not_nested() {
    let inner = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Int64));
    let outer = DataType::Dictionary(Box::new(DataType::Int8), Box::new(inner));
    for name in ["plain_int", "count"] {
        assert_eq!(refused(vec![Field::new(name, outer.clone(), true)]).0, WriteErrorKind::TypeMismatch);
    }
}

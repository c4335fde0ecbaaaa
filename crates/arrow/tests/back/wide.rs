//! Messages of many fields of which few are set: what is null is left out, whatever its place among them.

use arrow_array::*;
use arrow_schema::{Field, Schema};
use std::sync::Arc;
use tablepb::{DynamicMessage, MessageDescriptor, Value};
use tablepb_arrow::ReaderBuilder;
use tablepb_arrow::write::{WriteError, WriteErrorKind, WriterBuilder};
use tablepb_schema::SourceBuilder;

/// Fields in each chunk of 64; a oneof in one of them, and one that is in two.
fn wide() -> MessageDescriptor {
    let optional: String = (1..=130).map(|number| format!("optional int32 f{number} = {number}; ")).collect();
    let near: String = (200..208).map(|number| format!("int32 f{number} = {number}; ")).collect();
    let far = "string a = 150; string b = 220;";
    let source = format!(
        "syntax = 'proto3'; message Wide {{ {optional} oneof near {{ {near} }} oneof far {{ {far} }} }}"
    );
    let pool = SourceBuilder::new().source("wide.proto", source).build().unwrap();
    pool.message("Wide").unwrap()
}

fn written(batch: &RecordBatch) -> Result<BinaryArray, WriteError> {
    WriterBuilder::new(&wide()).build(&batch.schema())?.to_array(batch)
}

#[test]
fn few_of_many_fields_come_back() {
    let (descriptor, mut rows) = (wide(), Vec::new());
    for row in 0..1000_u32 {
        let mut message = DynamicMessage::new(&descriptor);
        let mut set = |number: u32| {
            let field = descriptor.get_field(number).unwrap();
            message.set_field(&field, Value::I32((row * number) as i32)).unwrap();
        };
        (1..=130).filter(|number| (row * 31 + number * 17) % 29 == 0).for_each(&mut set);
        if row % 3 == 0 {
            set(200 + row % 8);
        }
        if row % 5 < 2 {
            let field = descriptor.get_field([150, 220][row as usize % 5]).unwrap();
            message.set_field(&field, Value::String("x".into())).unwrap();
        }
        rows.push(message.encode_to_vec().unwrap());
    }
    let mut decoder = ReaderBuilder::new(&descriptor).batch_size(1000).build_decoder().unwrap();
    rows.iter().for_each(|row| assert!(decoder.push(row).unwrap()));
    let batch = decoder.flush().unwrap().unwrap();
    // The whole of it, and parts from the middle of blocks on.
    for (start, len) in [(0, 1000), (1, 64), (63, 130), (517, 300), (999, 1)] {
        let messages = written(&batch.slice(start, len)).unwrap();
        for (at, row) in rows[start..start + len].iter().enumerate() {
            assert_eq!(messages.value(at), row, "{start} {at}");
        }
    }
}

/// A batch of one row: these columns, and null in all other optional ones.
fn row_of(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    let mut all: Vec<(String, ArrayRef)> =
        columns.iter().map(|(name, array)| ((*name).to_owned(), array.clone())).collect();
    all.extend((1..=130).map(|number| (format!("f{number}"), Arc::new(Int32Array::new_null(1)) as ArrayRef)));
    all.extend(
        (203..208).map(|number| (format!("f{number}"), Arc::new(Int32Array::new_null(1)) as ArrayRef)),
    );
    let fields: Vec<Field> =
        all.iter().map(|(name, array)| Field::new(name, array.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), all.into_iter().map(|(_, array)| array).collect())
        .unwrap()
}

#[test]
fn members_of_oneofs_exclude_each_other_wherever_they_are() {
    let number = |value: Option<i32>| Arc::new(Int32Array::from(vec![value])) as ArrayRef;
    let text = |value: Option<&str>| Arc::new(StringArray::from(vec![value])) as ArrayRef;
    // A key of a dictionary whose value is null: the member is not set, although its key is there.
    let absent: ArrayRef = {
        let values: ArrayRef = Arc::new(Int32Array::new_null(1));
        Arc::new(DictionaryArray::new(Int8Array::from(vec![0]), values))
    };
    let good = [
        row_of(&[("f200", number(Some(1))), ("f201", number(None)), ("f202", absent)]),
        row_of(&[("a", text(None)), ("b", text(Some("x")))]),
        row_of(&[("a", text(Some("x"))), ("b", text(None)), ("f202", number(Some(0)))]),
    ];
    good.iter().for_each(|batch| assert!(written(batch).is_ok_and(|messages| !messages.value(0).is_empty())));
    let bad = [
        row_of(&[("f200", number(Some(1))), ("f201", number(Some(0)))]),
        row_of(&[("a", text(Some(""))), ("b", text(Some("x")))]),
    ];
    for batch in &bad {
        assert_eq!(written(batch).unwrap_err().kind(), WriteErrorKind::OneofConflict);
    }
}

#[test]
fn keys_without_values_are_an_error_among_many_columns() {
    let fields: String = (1..=10).map(|number| format!("optional int32 f{number} = {number}; ")).collect();
    let source = format!("syntax = 'proto3'; message M {{ {fields} map<int32, int32> m = 20; }}");
    let pool = SourceBuilder::new().source("m.proto", source).build().unwrap();
    let descriptor = pool.message("M").unwrap();
    let list = |value: Option<i32>| {
        Arc::new(ListArray::from_iter_primitive::<types::Int32Type, _, _>([value.map(|value| [Some(value)])]))
            as ArrayRef
    };
    for (keys, values, good) in [(Some(1), Some(2), true), (None, None, true), (None, Some(2), false)] {
        let (keys, values) = (list(keys), list(values));
        let parts = [("key", keys), ("value", values)]
            .map(|(name, array)| (Arc::new(Field::new(name, array.data_type().clone(), true)), array));
        let mut columns = vec![("m".to_owned(), Arc::new(StructArray::from(parts.to_vec())) as ArrayRef)];
        columns.extend((1..=10).map(|at| (format!("f{at}"), Arc::new(Int32Array::new_null(1)) as ArrayRef)));
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.iter().map(|(name, array)| (name, array.clone(), true)),
        )
        .unwrap();
        let written = WriterBuilder::new(&descriptor)
            .build(&batch.schema())
            .and_then(|mut writer| writer.to_array(&batch));
        match written {
            Ok(_) => assert!(good),
            Err(error) => assert_eq!((error.kind(), good), (WriteErrorKind::UnequalLists, false)),
        }
    }
}

//! Columns of messages: every type of them, nulls, bad rows, threads, bounds.

use super::*;
use arrow_array::builder::BinaryViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt32Type};
use arrow_array::*;
use arrow_schema::{ArrowError, DataType};
use std::sync::Arc;
use tablepb_arrow::{ArrayDecoder, WriterBuilder};

type Rows = Vec<Option<Vec<u8>>>;

/// Each message, with a null before and after some.
fn rows() -> Rows {
    let messages = messages().into_iter().enumerate();
    messages.flat_map(|(at, message)| [(at % 3 == 1).then(Vec::new), Some(message)]).collect()
}

fn of<'a, T: FromIterator<Option<&'a [u8]>>>(rows: &'a Rows) -> T {
    rows.iter().map(Option::as_deref).collect()
}

/// The rows as each type of column.
fn columns(rows: &Rows) -> Vec<ArrayRef> {
    let mut views = BinaryViewBuilder::new().with_fixed_block_size(64);
    rows.iter().for_each(|row| views.append_option(row.as_deref()));
    let values: ArrayRef = Arc::new(of::<LargeBinaryArray>(rows));
    let keys = UInt32Array::from_iter((0..rows.len() as u32).rev().map(Some));
    let mut before = vec![Some(b"\x08\x01".to_vec())];
    before.extend(rows.iter().cloned());
    vec![
        Arc::new(of::<BinaryArray>(rows)),
        values.clone(),
        Arc::new(views.finish()),
        Arc::new(BinaryViewArray::from_iter(rows.iter().map(Option::as_deref))),
        in_order(&DictionaryArray::<UInt32Type>::new(keys, values)),
        Arc::new(of::<BinaryArray>(&before).slice(1, rows.len())),
    ]
}

/// A dictionary whose keys are in the order of its values again.
fn in_order(dictionary: &DictionaryArray<UInt32Type>) -> ArrayRef {
    let keys = UInt32Array::from_iter(dictionary.keys().iter().rev());
    Arc::new(DictionaryArray::new(keys, dictionary.values().clone()))
}

fn all() -> ReaderBuilder {
    ReaderBuilder::new(&descriptor(&ALL)).options(Options::new().recursion(1))
}

/// What the decoder of single messages makes of the rows; nulls are empty messages, and masked.
fn expected(builder: &ReaderBuilder, rows: &Rows) -> StructArray {
    let messages: Vec<_> = rows.iter().map(|row| row.clone().unwrap_or_default()).collect();
    let batch = read(&mut builder.clone().batch_size(usize::MAX).build_decoder().unwrap(), &messages);
    let (schema, columns, _) = batch.into_parts();
    let valid: Vec<_> = rows.iter().map(Option::is_some).collect();
    StructArray::new(schema.fields().clone(), columns, Some(valid.into()))
}

#[test]
fn every_type_of_column_gives_the_same_structs() {
    let (rows, mut decoder) = (rows(), all().build_array_decoder().unwrap());
    let expected = expected(&all(), &rows);
    assert_eq!(&decoder.data_type(), expected.data_type());
    for column in columns(&rows) {
        // Twice: the decoder is reused.
        for _ in 0..2 {
            let structs = decoder.decode(&column).unwrap();
            structs.to_data().validate_full().unwrap();
            assert_eq!(structs, expected, "{}", column.data_type());
        }
        for (start, len) in [(0, 0), (1, 5), (rows.len() - 1, 1)] {
            let structs = decoder.decode(&column.slice(start, len)).unwrap();
            assert_eq!(structs, expected.slice(start, len), "{}", column.data_type());
        }
    }
    // Fixed sizes: the same message in each row.
    let of_one = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
        [Some(&b"\x08\x01"[..]), None, Some(b"\x08\x00")].into_iter(),
        2,
    );
    let structs = decoder.decode(&of_one.unwrap()).unwrap();
    let flags = structs.column(0).as_boolean();
    assert_eq!((flags.value(0), structs.is_null(1), flags.value(2)), (true, true, false));
}

#[test]
fn threads_change_nothing() {
    let rows: Rows = rows().into_iter().cycle().take(5000).collect();
    let expected = expected(&all(), &rows);
    for threads in [1, 2, 3, 7] {
        let mut decoder = all().threads(threads).build_array_decoder().unwrap();
        for column in columns(&rows) {
            assert_eq!(decoder.decode(&column).unwrap(), expected, "{threads} threads");
        }
        for options in [Options::arrow(), Options::portable(), Options::new().oneofs(Oneofs::Union)] {
            let one = all().options(options);
            let several =
                one.clone().threads(threads).build_array_decoder().unwrap().decode(&of::<BinaryArray>(&rows));
            let one = one.build_array_decoder().unwrap().decode(&of::<BinaryArray>(&rows)).unwrap();
            // Arrays of unions are compared by their rows: the order of children's values may differ.
            let text = |structs: StructArray| {
                show(&RecordBatch::try_from_iter([("m", Arc::new(structs) as ArrayRef)]).unwrap())
            };
            assert_eq!(text(several.unwrap()), text(one), "{threads} threads");
        }
        let chunks = decoder.decode_chunks(&of::<BinaryArray>(&rows)).unwrap();
        assert_eq!(chunks.len(), threads.min(5000 / 1024));
        assert_eq!(chunks.iter().map(Array::len).sum::<usize>(), rows.len());
    }
}

/// Rows of which every seventh is cut off.
fn with_bad(count: usize) -> (Rows, Vec<u64>) {
    let mut rows: Rows = rows().into_iter().cycle().take(count).collect();
    let mut bad = Vec::new();
    for (at, row) in rows.iter_mut().enumerate().skip(3).step_by(7) {
        *row = Some(b"\x22\x05abc".to_vec());
        bad.push(at as u64);
    }
    (rows, bad)
}

fn check_rejected(decoder: &ArrayDecoder, bad: &[u64]) {
    let rejected = decoder.rejected().unwrap();
    assert_eq!(rejected.column(0).as_primitive::<arrow_array::types::UInt64Type>().values(), bad);
    let (bytes, errors) = (rejected.column(1).as_binary::<i32>(), rejected.column(2).as_string::<i32>());
    for (at, row) in bad.iter().enumerate() {
        assert_eq!(bytes.value(at), b"\x22\x05abc");
        assert!(errors.value(at).starts_with(&format!("row {row}: ")), "{}", errors.value(at));
    }
}

#[test]
fn bad_rows_keep_their_places_and_their_bytes() {
    let (rows, bad) = with_bad(4000);
    let good: Rows = (0..).zip(&rows).map(|(at, row)| row.clone().filter(|_| !bad.contains(&at))).collect();
    for threads in [1, 3] {
        let builder = all().threads(threads);
        let mut fails = builder.build_array_decoder().unwrap();
        let mut skips = builder.clone().bad_rows(BadRows::Skip).build_array_decoder().unwrap();
        let mut nulls = builder.clone().bad_rows(BadRows::Null).build_array_decoder().unwrap();
        for column in columns(&rows) {
            let error = fails.decode(&column).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Decode(_)) && error.row() == 3, "{error}");
            // It can be used, and knows nothing of the rows before.
            assert_eq!(fails.decode(&of::<BinaryArray>(&good)).unwrap(), expected(&all(), &good));
            assert_eq!(skips.decode(&column).unwrap(), expected(&all(), &good));
            check_rejected(&skips, &bad);

            let structs = nulls.decode(&column).unwrap();
            check_rejected(&nulls, &bad);
            let errors = structs.column_by_name(ERROR).unwrap();
            for (at, row) in rows.iter().enumerate() {
                let is_bad = bad.contains(&(at as u64));
                assert_eq!(structs.is_null(at), row.is_none(), "row {at}");
                assert_eq!(errors.is_valid(at), is_bad, "row {at}");
                assert!(!is_bad || structs.column(0).is_null(at), "row {at}");
            }
            // Without bad rows nothing is rejected.
            for decoder in [&mut skips, &mut nulls] {
                decoder.decode(&of::<BinaryArray>(&good)).unwrap();
                assert!(decoder.rejected().is_none());
            }
        }
    }
}

#[test]
fn a_field_with_the_name_of_the_errors_is_a_field() {
    static NAMED: MessageTable = MessageTable::new("e.Named", &[FieldTable::new(ERROR, 1, Kind::String)]);
    let rows: Rows = vec![Some(b"\x0a\x01x".to_vec()), Some(vec![0xff])];
    for bad_rows in [BadRows::Skip, BadRows::Null] {
        let builder = ReaderBuilder::new(&descriptor(&NAMED)).options(Options::portable());
        let Ok(mut decoder) = builder.bad_rows(bad_rows).build_array_decoder() else {
            assert_eq!(bad_rows, BadRows::Null);
            continue;
        };
        let structs = decoder.decode(&of::<BinaryArray>(&rows)).unwrap();
        assert_eq!((structs.column(0).as_string::<i32>().value(0), structs.is_null(1)), ("x", true));
        let rejected = decoder.rejected().unwrap();
        assert_eq!(rejected.num_rows(), 1);
        assert_eq!(rejected.column(1).as_binary::<i32>().value(0), [0xff]);
    }
}

#[test]
fn long_strings_point_into_the_column() {
    let rows: Rows = (0..3000)
        .map(|at| Some(message(&ALL, &format!("s: 'a string of more than twelve bytes, {at}'"))))
        .collect();
    let column = of::<BinaryArray>(&rows);
    let inside = column.values().as_ptr_range();
    for threads in [1, 2] {
        let builder = all().projection(["s"]).threads(threads);
        let structs = builder.build_array_decoder().unwrap().decode(&column).unwrap();
        let texts = structs.column(0).as_string_view();
        for row in 0..texts.len() {
            assert!(inside.contains(&texts.value(row).as_ptr()), "row {row}");
            assert_eq!(texts.value(row), format!("a string of more than twelve bytes, {row}"));
        }
    }
    // Few of them are copied, and the column can go.
    let mut few = rows.clone();
    few.truncate(1);
    few.push(Some(message(&ALL, &format!("data: '{}'", "x".repeat(10_000)))));
    let column = of::<BinaryArray>(&few);
    let structs = all().projection(["s"]).build_array_decoder().unwrap().decode(&column).unwrap();
    let text = structs.column(0).as_string_view().value(0);
    assert!(!column.values().as_ptr_range().contains(&text.as_ptr()));
}

#[test]
fn what_is_no_column_of_messages_is_an_error() {
    let mut decoder = all().build_array_decoder().unwrap();
    let wrong: [ArrayRef; 3] = [
        Arc::new(Int32Array::from(vec![1])),
        Arc::new(StringArray::from(vec!["a"])),
        Arc::new(DictionaryArray::<Int8Type>::from_iter(["a"])),
    ];
    for column in wrong {
        let error = decoder.decode(&column).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotMessages(found) if found == column.data_type()));
    }
    assert_eq!(decoder.decode(&BinaryArray::new_null(0)).unwrap().len(), 0);
    assert_eq!(decoder.decode(&BinaryArray::new_null(3)).unwrap().null_count(), 3);
    let all_null = DictionaryArray::<Int8Type>::new(
        Int8Array::from(vec![None, None]),
        Arc::new(BinaryArray::from_iter_values([b""; 0])),
    );
    assert_eq!(decoder.decode(&all_null).unwrap().null_count(), 2);
}

/// The bytes of all buffers, each once.
fn memory(data: &ArrayData, seen: &mut std::collections::HashSet<*const u8>) -> usize {
    let own = data.buffers().iter().chain(data.nulls().map(|nulls| nulls.buffer()));
    let own: usize = own.filter(|buffer| seen.insert(buffer.as_ptr())).map(Buffer::len).sum();
    own + data.child_data().iter().map(|child| memory(child, seen)).sum::<usize>()
}

#[test]
fn many_rows_of_little_are_bounded() {
    // One row sets most columns, the others nothing: 30 000 rows would take some 100 bytes each.
    let mut rows: Rows = vec![Some(Vec::new()); 30_000];
    rows[0] = Some(messages().concat());
    let column = of::<BinaryArray>(&rows);
    for threads in [1, 4] {
        let builder = all().threads(threads);
        let structs = builder.build_array_decoder().unwrap().decode(&column).unwrap();
        let taken = memory(&structs.to_data(), &mut Default::default());
        assert!(taken > 1 << 20, "{taken}");
        let mut little = builder.columns_budget(1 << 16).build_array_decoder().unwrap();
        let error = little.decode(&column).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::ColumnsBudget), "{error}");
        // And it can be used.
        assert_eq!(little.decode(&column.slice(0, 7)).unwrap(), structs.slice(0, 7));
    }
}

#[test]
fn a_message_without_fields_is_a_struct_without_columns() {
    static NONE: MessageTable = MessageTable::new("e.None", &[]);
    let mut decoder = ReaderBuilder::new(&descriptor(&NONE)).threads(2).build_array_decoder().unwrap();
    let rows: Rows = (0..3000).map(|at| (at % 2 == 0).then(Vec::new)).collect();
    let structs = decoder.decode(&of::<BinaryArray>(&rows)).unwrap();
    assert_eq!((structs.len(), structs.null_count(), structs.num_columns()), (3000, 1500, 0));
}

#[test]
fn arrays_go_back() -> Result<(), ArrowError> {
    let rows = rows();
    let structs = all().build_array_decoder().unwrap().decode(&of::<BinaryArray>(&rows)).unwrap();
    let schema = Arc::new(arrow_schema::Schema::new(structs.fields().clone()));
    let mut writer = WriterBuilder::new(&descriptor(&ALL)).build(&schema).unwrap();
    let back = writer.encode_array(&structs).unwrap();
    // The order of map entries and presence may differ from the bytes, not from what they say.
    assert_eq!(all().build_array_decoder().unwrap().decode(&back).unwrap(), structs);
    assert_eq!(back.nulls(), of::<BinaryArray>(&rows).nulls());
    assert_eq!(writer.encode_array(&structs.slice(1, 4)).unwrap(), back.slice(1, 4));
    let other = StructArray::new_null(vec![arrow_schema::Field::new("b", DataType::Boolean, true)].into(), 1);
    assert!(writer.encode_array(&other).is_err());
    Ok(())
}

#[test]
fn columns_are_json_and_come_back() {
    use tablepb_arrow::{from_json, to_json};

    let (rows, all) = (rows(), descriptor(&ALL));
    let expected: Vec<_> = rows
        .iter()
        .map(|row| {
            let row = row.as_deref()?;
            let message = tablepb::DynamicMessage::decode(&all, row).unwrap();
            Some(tablepb::json::to_string(&message).unwrap())
        })
        .collect();
    for column in columns(&rows) {
        let texts = to_json(&all, &column, BadRows::Fail).unwrap();
        assert_eq!(texts, StringArray::from(expected.clone()), "{}", column.data_type());
    }
    let texts = StringArray::from(expected);
    let views = StringViewArray::from_iter(texts.iter());
    let large = LargeStringArray::from_iter(texts.iter());
    let back = from_json(&all, &texts, BadRows::Fail).unwrap();
    for column in [&views as &dyn Array, &large] {
        assert_eq!(from_json(&all, column, BadRows::Fail).unwrap(), back);
    }
    assert_eq!(to_json(&all, &back, BadRows::Fail).unwrap(), texts);

    let bad = StringArray::from(vec![Some("{}"), None, Some("{")]);
    let error = from_json(&all, &bad, BadRows::Fail).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Json(_)) && error.row() == 2, "{error}");
    assert_eq!(from_json(&all, &bad, BadRows::Skip).unwrap().null_count(), 2);
    let (rows, bad) = with_bad(20);
    let error = to_json(&all, &of::<BinaryArray>(&rows), BadRows::Fail).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Decode(_)) && error.row() == bad[0], "{error}");
    // The types are told apart.
    let error = to_json(&all, &texts, BadRows::Skip).unwrap_err();
    assert_eq!(error.to_string(), "a column of type Utf8, and not bytes");
    let error = from_json(&all, &back, BadRows::Skip).unwrap_err();
    assert_eq!(error.to_string(), "a column of type Binary, and not text");
    assert_eq!(ArrayDecoder::rejected_schema().fields().len(), 3);
}

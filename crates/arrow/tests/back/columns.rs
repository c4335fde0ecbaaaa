//! Columns as users have them: other types than the mapping makes, other names, and what null means.

use arrow_array::types::{Int8Type, Int16Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::*;
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields};
use std::collections::HashMap;
use std::sync::Arc;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};
use tablepb::wire::{Tag, WireType, Writer};
use tablepb::{DescriptorPool, DynamicMessage, MessageDescriptor};
use tablepb_arrow::write::{WriteError, WriterBuilder};

static COLOR: EnumTable = EnumTable::new("e.Color", &[("NONE", 0), ("RED", 1), ("BLUE", -2)]);
static TIME: MessageTable = MessageTable::new(
    "google.protobuf.Timestamp",
    &[FieldTable::new("seconds", 1, Kind::Int64), FieldTable::new("nanos", 2, Kind::Int32)],
);
static SPAN: MessageTable = MessageTable::new(
    "google.protobuf.Duration",
    &[FieldTable::new("seconds", 1, Kind::Int64), FieldTable::new("nanos", 2, Kind::Int32)],
);
static WRAPPED: MessageTable =
    MessageTable::new("google.protobuf.UInt32Value", &[FieldTable::new("value", 1, Kind::Uint32)]);
static WRAPPED_BYTES: MessageTable =
    MessageTable::new("google.protobuf.BytesValue", &[FieldTable::new("value", 1, Kind::Bytes)]);
static ROW: MessageTable = MessageTable::new(
    "e.Row",
    &[
        FieldTable::new("plain_int", 1, Kind::Int32),
        FieldTable::new("maybe", 2, Kind::Sint64).optional(),
        FieldTable::new("small", 3, Kind::Uint32),
        FieldTable::new("text", 4, Kind::String),
        FieldTable::new("data", 5, Kind::Bytes),
        FieldTable::new("double", 6, Kind::Double),
        FieldTable::new("color", 7, Kind::Enum(|| &COLOR)),
        FieldTable::new("time", 8, Kind::Message(|| &TIME)),
        FieldTable::new("span", 9, Kind::Message(|| &SPAN)),
        FieldTable::new("count", 10, Kind::Message(|| &WRAPPED)),
        FieldTable::new("list", 11, Kind::Sfixed32).repeated(),
        FieldTable::new("texts", 12, Kind::String).repeated(),
        FieldTable::new("row", 13, Kind::Message(|| &ROW)),
        FieldTable::map("map", 14, Kind::String, Kind::Int64),
        FieldTable::new("blob", 15, Kind::Message(|| &WRAPPED_BYTES)),
        FieldTable::new("one", 20, Kind::Int32).oneof("either"),
        FieldTable::new("other", 21, Kind::String).oneof("either"),
    ],
)
.syntax(Syntax::Proto3);

pub fn row() -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[&ROW]).expect("a valid schema");
    pool.message("e.Row").expect("the type")
}

/// A batch of one column.
pub fn batch(name: &str, array: impl Array + 'static) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([(name, Arc::new(array) as ArrayRef, true)]).expect("a batch")
}

/// The rows as messages.
pub fn write(batch: &RecordBatch) -> Result<Vec<DynamicMessage>, WriteError> {
    let mut writer = WriterBuilder::new(&row()).build(&batch.schema())?;
    let array = writer.to_array(batch)?;
    Ok(array
        .iter()
        .map(|row_bytes| DynamicMessage::decode(&row(), row_bytes.unwrap()).expect("a message"))
        .collect())
}

/// The rows in the text format, a line each.
fn texts(name: &str, array: impl Array + 'static) -> Vec<String> {
    let rows = write(&batch(name, array)).unwrap_or_else(|error| panic!("{name}: {error}"));
    rows.iter()
        .map(|row| tablepb::text::to_string(row).unwrap().split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn integers_of_any_width_fit_if_their_values_do() {
    let expected = ["plain_int:7".to_owned(), String::new(), String::new()];
    assert_eq!(texts("plain_int", Int8Array::from(vec![Some(7), None, Some(0)])), expected);
    assert_eq!(texts("plain_int", Int16Array::from(vec![Some(7), None, Some(0)])), expected);
    assert_eq!(texts("plain_int", Int32Array::from(vec![Some(7), None, Some(0)])), expected);
    assert_eq!(texts("plain_int", Int64Array::from(vec![Some(7), None, Some(0)])), expected);
    assert_eq!(texts("plain_int", UInt8Array::from(vec![Some(7), None, Some(0)])), expected);
    assert_eq!(texts("plain_int", UInt16Array::from(vec![Some(7), None, Some(0)])), expected);
    assert_eq!(texts("plain_int", UInt32Array::from(vec![Some(7), None, Some(0)])), expected);
    assert_eq!(texts("plain_int", UInt64Array::from(vec![Some(7), None, Some(0)])), expected);
    assert_eq!(texts("plain_int", Int64Array::from(vec![i64::from(i32::MIN)])), ["plain_int:-2147483648"]);
    assert_eq!(texts("maybe", UInt64Array::from(vec![i64::MAX as u64])), ["maybe:9223372036854775807"]);
    assert_eq!(texts("small", Int64Array::from(vec![i64::from(u32::MAX)])), ["small:4294967295"]);
}

#[test]
fn presence_keeps_default_values() {
    let zeros = Int64Array::from(vec![Some(0), None, Some(-1)]);
    assert_eq!(texts("maybe", zeros), ["maybe:0", "", "maybe:-1"]);
}

#[test]
fn json_names_and_numbers_find_fields_too() {
    assert_eq!(texts("plainInt", Int32Array::from(vec![5])), ["plain_int:5"]);
    let metadata = |key: &str, value: &str| HashMap::from([(key.to_owned(), value.to_owned())]);
    let field = Field::new("renamed", DataType::UInt32, false).with_metadata(metadata("tablepb.number", "3"));
    let schema = Schema::new_with_metadata(vec![field], metadata("tablepb.type", "e.Row"));
    let batch = RecordBatch::try_new(Arc::new(schema), vec![Arc::new(UInt32Array::from(vec![8]))]);
    assert_eq!(tablepb::text::to_string(&write(&batch.unwrap()).unwrap()[0]).unwrap().trim(), "small:8");
}

#[test]
fn strings_and_bytes_come_in_any_array() {
    let expected = ["text:\"é\"".to_owned(), String::new(), String::new()];
    let words = vec![Some("é"), None, Some("")];
    assert_eq!(texts("text", StringArray::from(words.clone())), expected);
    assert_eq!(texts("text", LargeStringArray::from(words.clone())), expected);
    assert_eq!(texts("text", StringViewArray::from(words.clone())), expected);
    let bytes: Vec<_> = words.iter().map(|word| word.map(str::as_bytes)).collect();
    assert_eq!(texts("text", BinaryArray::from(bytes.clone())), expected);
    assert_eq!(texts("text", LargeBinaryArray::from(bytes.clone())), expected);
    assert_eq!(texts("text", BinaryViewArray::from(bytes)), expected);
    assert_eq!(
        texts("data", FixedSizeBinaryArray::new(2, vec![1_u8, 2, 3, 4].into(), None)),
        ["data:\"\\001\\002\"", "data:\"\\003\\004\""]
    );
    assert_eq!(texts("data", StringArray::from(vec!["ab"])), ["data:\"ab\""]);
}

#[test]
fn floats_widen_and_keep_their_bits() {
    assert_eq!(texts("double", Float32Array::from(vec![0.5, 0.0])), ["double:0.5", ""]);
    let nan = f64::from_bits(0x7ff8_0000_0000_0001);
    let rows = write(&batch("double", Float64Array::from(vec![nan, -0.0]))).unwrap();
    let bits = |row: &DynamicMessage| row.get_field("double").unwrap().as_f64().unwrap().to_bits();
    assert_eq!((bits(&rows[0]), bits(&rows[1])), (nan.to_bits(), (-0.0_f64).to_bits()));
    assert!(rows[1].has_field("double"));
}

#[test]
fn enums_come_as_numbers_names_and_dictionaries() {
    let expected = ["color:RED", "color:BLUE", "color:77", ""];
    assert_eq!(texts("color", Int32Array::from(vec![1, -2, 77, 0])), expected);
    assert_eq!(texts("color", Int16Array::from(vec![1, -2, 77, 0])), expected);
    let names = [Some("RED"), Some("BLUE"), Some("77"), None];
    assert_eq!(texts("color", StringViewArray::from(names.to_vec())), expected);
    macro_rules! dictionaries {
        ($($key:ty),*) => {
            $(assert_eq!(texts("color", names.into_iter().collect::<DictionaryArray<$key>>()), expected);)*
        };
    }
    dictionaries!(Int8Type, Int16Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type);
    let keys = Int8Array::from(vec![Some(0), Some(1), None]);
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    assert_eq!(texts("text", DictionaryArray::new(keys, values)), ["text:\"a\"", "", ""]);
}

#[test]
fn times_have_any_unit() {
    assert_eq!(texts("time", TimestampSecondArray::from(vec![-1])), ["time{seconds:-1}"]);
    assert_eq!(
        texts("time", TimestampMillisecondArray::from(vec![-1])),
        ["time{seconds:-1,nanos:999000000}"]
    );
    assert_eq!(
        texts("time", TimestampMicrosecondArray::from(vec![1_000_001])),
        ["time{seconds:1,nanos:1000}"]
    );
    let zoned = TimestampNanosecondArray::from(vec![Some(0), None]).with_timezone("Europe/Berlin");
    assert_eq!(texts("time", zoned), ["time{}", ""]);
    assert_eq!(
        texts("span", DurationMillisecondArray::from(vec![-1_500])),
        ["span{seconds:-1,nanos:-500000000}"]
    );
    assert_eq!(texts("span", DurationSecondArray::from(vec![3])), ["span{seconds:3}"]);
    assert_eq!(texts("span", DurationMicrosecondArray::from(vec![3])), ["span{nanos:3000}"]);
    assert_eq!(texts("span", DurationNanosecondArray::from(vec![3])), ["span{nanos:3}"]);
}

#[test]
fn wrappers_come_as_what_they_wrap() {
    assert_eq!(
        texts("count", Int64Array::from(vec![Some(5), Some(0), None])),
        ["count{value:5}", "count{}", ""]
    );
    assert_eq!(texts("blob", BinaryArray::from(vec![&b"x"[..], b""])), ["blob{value:\"x\"}", "blob{}"]);
}

#[test]
fn lists_of_all_sorts() {
    let item = Arc::new(Field::new("element", DataType::Int64, true));
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
    let offsets = OffsetBuffer::<i32>::from_lengths([3, 0, 1]);
    let nulls = Some(vec![true, true, false].into());
    let list = ListArray::new(item.clone(), offsets, values.clone(), nulls);
    assert_eq!(texts("list", list.clone()), ["list:[1,2,3]", "", ""]);
    assert_eq!(texts("list", list.slice(1, 2)), ["", ""]);
    let large = LargeListArray::new(item.clone(), OffsetBuffer::from_lengths([1, 3]), values.clone(), None);
    assert_eq!(texts("list", large), ["list:[1]", "list:[2,3,4]"]);
    let fixed = FixedSizeListArray::new(item, 2, values, None);
    assert_eq!(texts("list", fixed.clone()), ["list:[1,2]", "list:[3,4]"]);
    assert_eq!(texts("list", fixed.slice(1, 1)), ["list:[3,4]"]);
    let words: ArrayRef = Arc::new(vec!["a", "b", "a"].into_iter().collect::<DictionaryArray<Int8Type>>());
    let item = Arc::new(Field::new("item", words.data_type().clone(), false));
    let list = ListArray::new(item, OffsetBuffer::from_lengths([3]), words, None);
    assert_eq!(texts("texts", list), ["texts:[\"a\",\"b\",\"a\"]"]);
}

#[test]
fn messages_come_as_structs_and_as_bytes() {
    let fields = Fields::from(vec![Field::new("text", DataType::Utf8, false)]);
    let column: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let rows = StructArray::new(fields, vec![column], Some(vec![true, false, true].into()));
    assert_eq!(texts("row", rows.clone()), ["row{text:\"a\"}", "", "row{text:\"c\"}"]);
    assert_eq!(texts("row", rows.slice(2, 1)), ["row{text:\"c\"}"]);
    let mut bytes = Vec::new();
    Writer::new(&mut bytes).write_tag(Tag::new(1, WireType::Varint));
    bytes.push(9);
    let rows = BinaryArray::from(vec![Some(&bytes[..]), None, Some(b"")]);
    assert_eq!(texts("row", rows), ["row{plain_int:9}", "", "row{}"]);
}

#[test]
fn maps_have_entries_in_their_order() {
    let map =
        MapArray::new_from_strings(["b", "a"].into_iter(), &Int8Array::from(vec![1, 0]), &[0, 2, 2]).unwrap();
    let array = WriterBuilder::new(&row())
        .build(&batch("map", map.clone()).schema())
        .unwrap()
        .to_array(&batch("map", map));
    let array = array.unwrap();
    assert_eq!(
        (array.value(0), array.value(1)),
        (&b"\x72\x05\x0a\x01b\x10\x01\x72\x05\x0a\x01a\x10\x00"[..], &b""[..])
    );
}

#[test]
fn unions_are_dense_or_sparse() {
    let members = || {
        let fields = [
            Field::new("none", DataType::Null, true),
            Field::new("one", DataType::Int32, true),
            Field::new("other", DataType::Utf8, true),
        ];
        UnionFields::try_new([0, 20, 21], fields).unwrap()
    };
    let ids = || ScalarBuffer::from(vec![20_i8, 0, 21, 20, 20]);
    let offsets = ScalarBuffer::from(vec![0, 0, 0, 1, 2]);
    let children: Vec<ArrayRef> = vec![
        Arc::new(NullArray::new(1)),
        Arc::new(Int32Array::from(vec![Some(0), Some(4), None])),
        Arc::new(StringArray::from(vec!["x"])),
    ];
    let expected = ["one:0", "", "other:\"x\"", "one:4", ""];
    let dense = UnionArray::try_new(members(), ids(), Some(offsets), children).unwrap();
    assert_eq!(texts("either", dense.clone()), expected);
    assert_eq!(texts("either", dense.slice(2, 2)), expected[2..4]);
    let children: Vec<ArrayRef> = vec![
        Arc::new(NullArray::new(5)),
        Arc::new(Int32Array::from(vec![Some(0), None, None, Some(4), None])),
        Arc::new(StringArray::from(vec!["", "", "x", "", ""])),
    ];
    assert_eq!(texts("either", UnionArray::try_new(members(), ids(), None, children).unwrap()), expected);
}

#[test]
fn unknown_fields_come_after_the_others() {
    let known: ArrayRef = Arc::new(Int32Array::from(vec![1, 1]));
    let unknown: ArrayRef = Arc::new(BinaryViewArray::from(vec![Some(&b"\x98\x06\x05"[..]), None]));
    let batch =
        RecordBatch::try_from_iter_with_nullable([("_unknown", unknown, true), ("plain_int", known, true)])
            .unwrap();
    let mut writer = WriterBuilder::new(&row()).build(&batch.schema()).unwrap();
    let mut rows = Vec::new();
    writer.for_each_message(&batch, |i, row| rows.push((i, row.to_vec()))).unwrap();
    assert_eq!(rows, [(0, b"\x08\x01\x98\x06\x05".to_vec()), (1, b"\x08\x01".to_vec())]);
}

#[test]
fn extra_columns_are_left_out_if_asked() {
    let columns: [(&str, ArrayRef); 2] = [
        ("_error", Arc::new(StringArray::from(vec!["e"]))),
        ("plain_int", Arc::new(Int32Array::from(vec![1]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    assert!(WriterBuilder::new(&row()).build(&batch.schema()).is_err());
    let mut writer = WriterBuilder::new(&row()).extra_columns(true).build(&batch.schema()).unwrap();
    let mut stream = Vec::new();
    writer.write(&batch, &mut stream).unwrap();
    assert_eq!(stream, [2, 8, 1]);
}

#[test]
fn batches_without_columns_are_empty_messages() {
    let options = RecordBatchOptions::new().with_row_count(Some(2));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options).unwrap();
    let mut stream = b"before".to_vec();
    WriterBuilder::new(&row()).build(&batch.schema()).unwrap().write(&batch, &mut stream).unwrap();
    assert_eq!(stream, b"before\0\0");
}

//! What few schemas have: proto2, well-known types, unknown fields.

use super::*;

static OLD: MessageTable = MessageTable::new(
    "e.Old",
    &[
        FieldTable::new("r", 1, Kind::Int32).required(),
        FieldTable::new("s", 2, Kind::String).optional(),
        FieldTable::new("g", 3, Kind::Message(|| &OLD)).delimited().repeated(),
    ],
)
.syntax(Syntax::Proto2);

#[test]
fn proto2_has_groups_required_fields_and_strings_of_bytes() {
    let mut decoder = decoder(&OLD, Options::new().recursion(0).unknown_fields(true), &[]);
    let group = b"\x08\x02\x12\x01\xff";
    let message =
        [&b"\x08\x01\x12\x01\xfe\x1b"[..], group, b"\x1c\x1b\x08\x03\x9c\x80\x00\x50\x05\x5a\x01a"].concat();
    assert!(decoder.push(&message).unwrap());
    assert!(matches!(decoder.push(b"\x12\x00").unwrap_err().kind(), ErrorKind::Decode(_)));
    let batch = decoder.flush().unwrap().unwrap();
    // Groups that are cut off, one of them with an end tag that is longer than it need be.
    assert_eq!(lines(&batch), ["1 | fe | [08021201ff, 0803] | 50055a0161"]);
}

static TIME: MessageTable = MessageTable::new(
    "google.protobuf.Timestamp",
    &[FieldTable::new("seconds", 1, Kind::Int64), FieldTable::new("nanos", 2, Kind::Int32)],
);
static DURATION: MessageTable = MessageTable::new(
    "google.protobuf.Duration",
    &[FieldTable::new("seconds", 1, Kind::Int64), FieldTable::new("nanos", 2, Kind::Int32)],
);
static WRAPPED: MessageTable =
    MessageTable::new("google.protobuf.StringValue", &[FieldTable::new("value", 1, Kind::String)]);
static KNOWN: MessageTable = MessageTable::new(
    "e.Known",
    &[
        FieldTable::new("at", 1, Kind::Message(|| &TIME)),
        FieldTable::new("took", 2, Kind::Message(|| &DURATION)).repeated(),
        FieldTable::new("name", 3, Kind::Message(|| &WRAPPED)),
        FieldTable::map("names", 4, Kind::Int32, Kind::Message(|| &WRAPPED)),
        FieldTable::map("times", 5, Kind::Int32, Kind::Message(|| &TIME)),
    ],
);

#[test]
fn well_known_types_become_native() {
    let mut decoder = decoder(&KNOWN, Options::new().well_known(true), &[]);
    let texts = [
        "at { seconds: 1 nanos: 5 } took { seconds: -1 nanos: -500000000 } took { } name { value: 'n' }",
        "names { key: 1 } names { key: 2 value { value: 'x' } } times { key: 1 }",
        "at { } name { }",
    ];
    let messages = texts.map(|text| message(&KNOWN, text));
    let batch = read(&mut decoder, &messages);
    let times = |batch: &RecordBatch| {
        let column: TimestampNanosecondArray = batch.column(0).to_data().into();
        column.iter().collect::<Vec<_>>()
    };
    assert_eq!(batch.schema().field(0).data_type().to_string(), "Timestamp(ns, \"UTC\")");
    assert_eq!(times(&batch), [Some(1_000_000_005), None, Some(0)]);
    let took: &ListArray = batch.column(1).as_any().downcast_ref().unwrap();
    assert_eq!(took.value(0).to_data(), DurationNanosecondArray::from(vec![-1_500_000_000, 0]).to_data());
    assert_eq!(lines(&batch.project(&[2, 3]).unwrap()), ["n | {}", "| {1: , 2: x}", "| {}"]);
    assert!(batch.column(2).is_null(1) && batch.column(2).is_valid(2));
    let map: &MapArray = batch.column(4).as_any().downcast_ref().unwrap();
    assert_eq!(map.value(1).column(1).to_data().buffers()[0].as_slice(), [0; 8]);
    // Seconds in one part, nanoseconds in the other.
    let parts = [message(&KNOWN, "at { seconds: 1 }"), message(&KNOWN, "at { nanos: 5 }")].concat();
    assert_eq!(times(&read(&mut decoder, &[parts])), [Some(1_000_000_005)]);
    // A year that nanoseconds do not reach, unless a later part says otherwise.
    let late = message(&KNOWN, "took { } at { seconds: 99999999999 }");
    assert!(matches!(decoder.push(&late).unwrap_err().kind(), ErrorKind::TimeOutOfRange));
    let corrected = [late, message(&KNOWN, "at { seconds: 1 }")].concat();
    assert_eq!(times(&read(&mut decoder, &[corrected])), [Some(1_000_000_000)]);
}

#[test]
fn times_have_the_unit_of_the_options() {
    let text = "at { seconds: -2 nanos: 999999999 } took { seconds: -1 nanos: -999999999 }";
    for (unit, at, took) in [
        (TimeUnit::Second, -2, -1),
        (TimeUnit::Millisecond, -1_001, -1_999),
        (TimeUnit::Microsecond, -1_000_001, -1_999_999),
        (TimeUnit::Nanosecond, -1_000_000_001, -1_999_999_999),
    ] {
        let mut decoder = decoder(&KNOWN, Options::new().well_known(true).time_unit(unit), &["at", "took"]);
        let batch = read(&mut decoder, &[message(&KNOWN, text)]);
        let value = |data: ArrayData| data.buffers()[0].typed_data::<i64>()[0];
        let list: &ListArray = batch.column(1).as_any().downcast_ref().unwrap();
        assert_eq!(
            (value(batch.column(0).to_data()), value(list.values().to_data())),
            (at, took),
            "{unit:?}"
        );
    }
}

#[test]
fn unknown_fields_are_kept_where_they_are() {
    let mut decoder = decoder(&INNER, Options::new().recursion(1).unknown_fields(true), &[]);
    // Around a sub-message, and in it, which comes in two parts.
    let message = b"\x78\x01\x1a\x03\x7a\x01a\x08\x07\x78\x02\x1a\x02\x78\x03";
    let batch = read(&mut decoder, &[message.to_vec(), Vec::new()]);
    let inner = "{id: 0, names: [], inner: , at: , _unknown: 7a01617803}";
    assert_eq!(lines(&batch), [format!("7 | [] | {inner} |  | 78017802"), "0 | [] |  |  |".to_owned()]);
}

#[test]
fn messages_by_path_are_json_or_bytes() {
    use arrow_array::cast::AsArray;
    use tablepb_arrow::{WriterBuilder, mapping::MappingErrorKind};

    let (paths, all) = (["inner.at", "inners", "mm", "z"], descriptor(&ALL));
    for options in [Options::new().json(paths), Options::portable().json(paths), Options::new().bytes(paths)]
    {
        let builder = ReaderBuilder::new(&descriptor(&ALL)).options(options.clone().oneofs(Oneofs::Columns));
        let messages = messages();
        let batch = read(&mut builder.build_decoder().unwrap(), &messages);
        // Back, they are what they were.
        let mut writer = WriterBuilder::new(&descriptor(&ALL)).build(&batch.schema()).unwrap();
        let back = writer.to_array(&batch).unwrap();
        for (row, message) in messages.iter().enumerate() {
            let decode = |bytes: &[u8]| tablepb::DynamicMessage::decode(&all, bytes).unwrap();
            assert_eq!(decode(back.value(row)), decode(message), "row {row}");
        }
        if options == Options::portable().json(paths) {
            let inners = batch.column_by_name("inners").unwrap().as_list::<i32>();
            let last = inners.values().as_string::<i32>();
            assert_eq!(last.value(0), r#"{"id":"1"}"#);
            assert_eq!((last.value(1), last.value(2)), ("{}", r#"{"names":["b"],"inner":{}}"#));
            let at = batch.column_by_name("inner").unwrap().as_struct().column_by_name("at").unwrap();
            assert_eq!(at.as_string::<i32>().value(2), r#"{"y":2}"#);
            let z = batch.column_by_name("z").unwrap();
            assert_eq!((z.is_null(0), z.as_string::<i32>().value(6)), (true, r#"{"x":4}"#));
        }
    }
    // A projection that names fields in one has their columns.
    let builder = ReaderBuilder::new(&descriptor(&ALL)).options(Options::new().json(["inner"]));
    let schema = |paths: &[&str]| builder.clone().projection(paths.iter().copied()).schema().unwrap();
    assert_eq!(schema(&["inner"]).field(0).data_type().to_string(), "Utf8View");
    assert!(schema(&["inner.id"]).field(0).data_type().is_nested());
    for (path, kind) in
        [("nope", false), ("inner.nope", false), ("s", true), ("inner.id", true), ("s.x", true), ("", false)]
    {
        let error =
            ReaderBuilder::new(&descriptor(&ALL)).options(Options::new().json([path])).schema().unwrap_err();
        let is_no_message = matches!(error.kind(), MappingErrorKind::NotAMessage);
        assert!(
            is_no_message == kind && (kind || matches!(error.kind(), MappingErrorKind::NoSuchField)),
            "{path}: {error}"
        );
    }
}

#[test]
fn an_entry_without_a_value_has_the_json_of_an_empty_message() {
    use arrow_array::cast::AsArray;

    // Two entries, of which the first has only a key; then a row without entries, and one with a bare entry at the end.
    let first = b"\x5a\x02\x08\x03\x5a\x09\x08\x04\x12\x05\x0d\0\0\0\x3f".to_vec();
    let rows = [first, Vec::new(), b"\x5a\x00".to_vec()];
    for views in [true, false] {
        let mut decoder = decoder(&ALL, Options::new().views(views).json(["mm"]), &["mm"]);
        let batch = read(&mut decoder, &rows);
        let values =
            arrow_cast::cast(batch.column(0).as_map().values(), &arrow_schema::DataType::Utf8).unwrap();
        let texts: Vec<_> = values.as_string::<i32>().iter().flatten().collect();
        assert_eq!(texts, ["{}", r#"{"x":0.5}"#, "{}"], "{views}");
        // So that they are messages on the way back.
        let mut writer = tablepb_arrow::WriterBuilder::new(&descriptor(&ALL)).build(&batch.schema()).unwrap();
        assert_eq!(writer.to_array(&batch).unwrap().value(2), b"\x5a\x04\x08\x00\x12\x00");
    }
}

#[test]
fn types_are_json_wherever_they_stand() {
    use tablepb_arrow::mapping::MappingErrorKind;

    let schema = |options: Options| ReaderBuilder::new(&descriptor(&ALL)).options(options).schema();
    let fields = ["inner", "inners", "mm", "z", "points"];
    let by_type = schema(Options::new().json([".e.Point", ".e.Inner"])).unwrap();
    assert_eq!(by_type, schema(Options::new().json(fields)).unwrap());
    // The last name counts: a path after a type, a type after a path.
    let bytes = schema(Options::new().json([".e.Point"]).bytes(["z"])).unwrap();
    assert_eq!(bytes.field_with_name("z").unwrap().data_type(), &arrow_schema::DataType::BinaryView);
    let json = schema(Options::new().bytes(["z"]).json([".e.Point"])).unwrap();
    assert_eq!(json.field_with_name("z").unwrap().data_type(), &arrow_schema::DataType::Utf8View);
    // Google's types need not be there, others do.
    assert!(schema(Options::portable()).is_ok());
    let error = schema(Options::new().json([".e.Pint"])).unwrap_err();
    assert!(matches!(error.kind(), MappingErrorKind::NoSuchType) && error.place() == ".e.Pint", "{error}");
    assert_eq!(error.to_string(), "no such message type: .e.Pint");
}

//! What comes with a schema: extensions, projections, versions in a registry, many columns.

use arrow_array::RecordBatch;
use arrow_cast::pretty::pretty_format_batches;
use tablepb::stream::confluent;
use tablepb::{DescriptorPool, MessageDescriptor};
use tablepb_arrow::mapping::{MappingErrorKind, Oneofs, Options, Recursive};
use tablepb_arrow::{BadRows, Decoder, ErrorKind, ReaderBuilder, SchemaStore, WriteErrorKind, WriterBuilder};
use tablepb_schema::SourceBuilder;

const ROW: &str = r#"
syntax = "proto2";
package x;
message Row {
  optional int32 a = 1 [default = 7];
  required int32 b = 2 [default = 9];
  oneof which { string c = 3; int32 d = 4; Row e = 5; }
  extensions 100 to 200;
}
message Item { optional string t = 1; }
extend Row { optional string late = 120; repeated Item items = 110; }
message Set { option message_set_wire_format = true; extensions 4 to max; }
extend Set { optional Item item = 5; }
message Holder { optional Set set = 1; }
"#;

fn pool(source: &str) -> DescriptorPool {
    SourceBuilder::new().source("x.proto", source).build().unwrap()
}

fn row(name: &str) -> MessageDescriptor {
    pool(ROW).message(name).unwrap()
}

fn encoded(descriptor: &MessageDescriptor, text: &str) -> Vec<u8> {
    let message = tablepb::text::message_from_str(descriptor, text).unwrap();
    message.encode_to_vec().unwrap()
}

fn lines(batch: &RecordBatch) -> Vec<String> {
    let table = pretty_format_batches(std::slice::from_ref(batch)).unwrap().to_string();
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(1);
    let cells = |row: &str| row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>().join(" | ");
    rows.map(|row| cells(row).trim().to_owned()).collect()
}

fn read(decoder: &mut Decoder, descriptor: &MessageDescriptor, texts: &[&str]) -> Vec<String> {
    for text in texts {
        assert!(decoder.push(&encoded(descriptor, text)).unwrap());
    }
    lines(&decoder.flush().unwrap().unwrap())
}

fn names(decoder: &Decoder) -> Vec<String> {
    decoder.schema().fields().iter().map(|field| field.name().clone()).collect()
}

#[test]
fn extensions_are_columns_if_asked_for() {
    let row = row("x.Row");
    let builder = ReaderBuilder::new(&row).options(Options::new().recursion(0).unknown_fields(true));
    let text = "b: 1 [x.items] { t: 'i' } [x.late]: 'l'";
    let mut without = builder.build_decoder().unwrap();
    assert_eq!(names(&without), ["a", "b", "c", "d", "e", "_unknown"]);
    assert_eq!(read(&mut without, &row, &[text]), ["| 1 |  |  |  |"]);
    // An extension that is no column is checked all the same.
    assert!(without.push(b"\x10\x01\xf2\x06\x01\x0a").is_err());
    let with = builder.clone().options(Options::new().recursion(0).extensions(true));
    let mut with = with.build_decoder().unwrap();
    assert_eq!(names(&with), ["a", "b", "c", "d", "e", "[x.items]", "[x.late]"]);
    assert_eq!(
        read(&mut with, &row, &[text, "b: 2"]),
        ["| 1 |  |  |  | [{t: 69}] | 6c", "| 2 |  |  |  | [] |"]
    );
    let mut named = builder.projection(["[x.late]", "a"]).build_decoder().unwrap();
    assert_eq!(names(&named), ["a", "[x.late]"]);
    assert_eq!(read(&mut named, &row, &[text]), ["| 6c"]);
}

#[test]
fn items_of_a_message_set_are_columns() {
    let holder = row("x.Holder");
    let mut decoder =
        ReaderBuilder::new(&holder).options(Options::new().extensions(true)).build_decoder().unwrap();
    assert_eq!(
        read(&mut decoder, &holder, &["set { [x.item] { t: 'i' } }", ""]),
        ["{[x.item]: {t: 69}}", ""]
    );
}

#[test]
fn a_required_field_that_may_be_missing_has_its_default() {
    let row = row("x.Row");
    let options = tablepb::DecodeOptions::new().allow_partial(true);
    let builder = ReaderBuilder::new(&row).projection(["a", "b"]).decode_options(options);
    let mut decoder = builder.build_decoder().unwrap();
    assert!(decoder.push(b"").unwrap() && decoder.push(b"\x10\x03").unwrap());
    assert_eq!(lines(&decoder.flush().unwrap().unwrap()), ["| 9", "| 3"]);
}

#[test]
fn a_union_of_some_members_knows_the_others() {
    let row = row("x.Row");
    let options = Options::new().oneofs(Oneofs::Union).recursion(1);
    let builder = ReaderBuilder::new(&row).options(options).projection(["c", "e.b"]);
    let mut decoder = builder.build_decoder().unwrap();
    assert_eq!(names(&decoder), ["which"]);
    let texts = ["b: 0 c: 'x'", "b: 0 d: 1", "b: 0 e { b: 4 c: 'y' }"];
    assert_eq!(read(&mut decoder, &row, &texts), ["{c=78}", "{none=}", "{e={b: 4}}"]);
    let joined = [encoded(&row, "b: 0 c: 'x'"), b"\x20\x01".to_vec()].concat();
    assert!(decoder.push(&joined).unwrap());
    assert_eq!(lines(&decoder.flush().unwrap().unwrap()), ["{none=}"]);
}

#[test]
fn a_record_of_another_version_is_read_by_numbers() {
    let row = row("x.Row");
    let newer = pool(
        "syntax = 'proto2'; package x; message Other {} message Row { optional int32 renamed = 1; optional int32 b = 2; }",
    );
    let mut store = SchemaStore::new();
    assert!(store.insert(1, newer.files().next().unwrap()).is_none());
    let record = |id, indexes: &[usize], payload: &[u8]| {
        let mut record = Vec::new();
        confluent::append_header(id, indexes, &mut record).unwrap();
        record.extend(payload);
        record
    };
    for mode in [BadRows::Fail, BadRows::Skip] {
        let builder = ReaderBuilder::new(&row).projection(["a", "b"]).bad_rows(mode);
        let mut decoder = builder.build_decoder().unwrap();
        let mut bad = |record: &[u8]| match (mode, decoder.push_framed(&store, record)) {
            (BadRows::Fail, result) => Some(result.unwrap_err()),
            (_, result) => {
                assert!(result.unwrap());
                None
            }
        };
        let error = bad(&record(2, &[0], b"\x10\x01"));
        assert!(error.is_none_or(|error| matches!(error.kind(), ErrorKind::UnknownSchema(2))));
        let error = bad(&record(1, &[0], b"\x10\x01"));
        assert!(
            error.is_none_or(
                |error| matches!(error.kind(), ErrorKind::ForeignType(name) if name == "x.Other")
            )
        );
        let error = bad(b"\x01");
        assert!(error.is_none_or(|error| matches!(error.kind(), ErrorKind::Decode(_))));
        assert!(decoder.push_framed(&store, &record(1, &[1], b"\x08\x05\x10\x01")).unwrap());
        assert_eq!(decoder.skipped(), if mode == BadRows::Skip { 3 } else { 0 });
        assert_eq!(lines(&decoder.flush().unwrap().unwrap()), ["5 | 1"]);
    }
}

#[test]
fn a_wide_type_is_read_like_a_narrow_one() {
    let fields: String = (1..=300).map(|at| format!("optional string f{at} = {};", at * 3)).collect();
    let pool = pool(&format!(
        "syntax = 'proto3'; package x; message Wide {{ {fields} repeated Wide more = 1000; }}"
    ));
    let wide = pool.message("x.Wide").unwrap();
    let options = Options::new().recursion(1);
    let text = "f7: 'seven' f300: 'a string of more than twelve' more { f1: 'in it' } more { }";
    let mut all = ReaderBuilder::new(&wide).options(options.clone()).build_decoder().unwrap();
    for text in ["", text, ""] {
        assert!(all.push(&encoded(&wide, text)).unwrap());
    }
    let batch = all.flush().unwrap().unwrap();
    assert_eq!(batch.num_columns(), 301);
    let of = |name: &str| batch.schema().index_of(name).unwrap();
    let some = batch.project(&[of("f7"), of("f8"), of("f300")]).unwrap();
    assert_eq!(lines(&some), ["|  |", "seven |  | a string of more than twelve", "|  |"]);
    let paths = ["f7", "f8", "f300", "more.f1"];
    let mut some =
        ReaderBuilder::new(&wide).projection(paths).options(options.clone()).build_decoder().unwrap();
    assert_eq!(
        read(&mut some, &wide, &["", text]),
        ["|  |  | []", "seven |  | a string of more than twelve | [{f1: in it}, {f1: }]"],
    );
    let error = ReaderBuilder::new(&wide).options(options.recursion(400)).build_decoder().unwrap_err();
    assert!(matches!(error.kind(), MappingErrorKind::TooManyColumns | MappingErrorKind::TooDeep));
}

#[test]
fn a_message_without_fields_has_rows() {
    let empty = pool(
        "syntax = 'proto3'; package x; message Empty {} message Has { Empty e = 1; repeated Empty es = 2; }",
    );
    let descriptor = empty.message("x.Empty").unwrap();
    let mut decoder = ReaderBuilder::new(&descriptor).build_decoder().unwrap();
    assert!(decoder.push(b"").unwrap() && decoder.push(b"\x08\x01").unwrap());
    assert_eq!(decoder.flush().unwrap().unwrap().num_rows(), 2);
    let has = empty.message("x.Has").unwrap();
    let mut decoder = ReaderBuilder::new(&has).build_decoder().unwrap();
    assert_eq!(read(&mut decoder, &has, &["", "e { } es { } es { }"]), ["| []", "{} | [{}, {}]"]);
}

#[test]
fn a_store_that_changes_is_asked_again() {
    let file =
        |messages: &str| pool(&format!("syntax = 'proto3'; package x; {messages}")).files().next().unwrap();
    let first = file("message Row { int32 a = 1; } message Other {}");
    let swapped = file("message Other {} message Row { int32 a = 1; }");
    let row = first.message_at([0]).unwrap();
    let record = |id, index: usize, payload: &[u8]| {
        let mut record = Vec::new();
        confluent::append_header(id, &[index], &mut record).unwrap();
        [record, payload.to_vec()].concat()
    };
    let mut store = SchemaStore::new();
    (0..20).for_each(|id| _ = store.insert(id, first.clone()));
    let mut decoder = ReaderBuilder::new(&row).build_decoder().unwrap();
    // More ids than are noted, records as short as a header and long ones, each of them twice.
    for round in 0..2 {
        for id in 0..20 {
            assert!(decoder.push_framed(&store, &record(id, 0, b"")).unwrap());
            assert!(decoder.push_framed(&store, &record(id, 0, &b"\x08\x05".repeat(9))).unwrap());
            assert!(decoder.push_framed(&store, &record(id, 1, b"")).is_err(), "{round} {id}");
            // Cut off in its header.
            assert!(decoder.push_framed(&store, &record(id, 0, b"")[..5]).is_err());
        }
    }
    assert_eq!(decoder.rows(), 80);
    let good = record(7, 0, b"\x08\x01");
    // A clone has the same schemas until one of the two changes.
    let mut other = store.clone();
    assert!(decoder.push_framed(&other, &good).unwrap());
    other.insert(7, swapped);
    assert!(decoder.push_framed(&store, &good).unwrap());
    let error = decoder.push_framed(&other, &good).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ForeignType(name) if name == "x.Other"));
    assert!(decoder.push_framed(&other, &record(7, 1, b"\x08\x01")).unwrap());
    assert!(decoder.push_framed(&store, &record(7, 1, b"\x08\x01")).is_err());
    assert!(matches!(
        decoder.push_framed(&SchemaStore::new(), &good).unwrap_err().kind(),
        ErrorKind::UnknownSchema(7)
    ));
    assert_eq!(decoder.rows(), 83);
}

#[test]
fn a_message_in_itself_is_bytes_or_an_error() {
    let pool = pool(
        "syntax = 'proto3'; package x; message A { int32 id = 1; B b = 2; } message B { A a = 1; repeated B bs = 2; }",
    );
    let a = pool.message("x.A").unwrap();
    let schema = tablepb_arrow::mapping::schema(&a, &Options::new(), &[]).unwrap();
    assert_eq!(
        schema.field(1).data_type().to_string(),
        r#"Struct("a": BinaryView, metadata: {"tablepb.number": "1", "tablepb.type": "x.A"}, "bs": non-null List(non-null BinaryView), metadata: {"tablepb.number": "2", "tablepb.type": "x.B"})"#
    );
    let options = Options::new().recursive(Recursive::Error);
    let error = ReaderBuilder::new(&a).options(options.clone()).build_decoder().unwrap_err();
    assert!(matches!(error.kind(), MappingErrorKind::RecursiveType));
    assert_eq!(error.to_string(), "the message type is in itself: b.a");
    assert!(ReaderBuilder::new(&a).options(options).projection(["id"]).build_decoder().is_ok());
}

const TREE: &str = r#"
syntax = "proto3";
package x;
message Tree {
  int64 id = 1;
  Tree left = 2;
  repeated Tree others = 3;
  map<string, Tree> named = 4;
  oneof which { Tree one = 5; string text = 6; }
  google.protobuf.Timestamp at = 7;
}
"#;

fn tree() -> MessageDescriptor {
    let source = TREE.replace("package x;", "package x; import 'google/protobuf/timestamp.proto';");
    pool(&source).message("x.Tree").unwrap()
}

fn of_json(descriptor: &MessageDescriptor, json: &str) -> Vec<u8> {
    tablepb::json::message_from_slice(descriptor, json.as_bytes()).unwrap().encode_to_vec().unwrap()
}

#[test]
fn a_message_in_itself_may_be_json_and_comes_back() {
    let tree = tree();
    let rows = [
        r#"{"id":"1","left":{"id":"2","left":{}},"others":[{},{"id":"3"}],"named":{"a":{"text":"x"},"b":{}},"one":{"id":"4"}}"#,
        "{}",
        r#"{"left":{},"text":"t"}"#,
        r#"{"others":[{"at":"1970-01-01T00:00:00Z"}]}"#,
    ]
    .map(|row| of_json(&tree, row));
    for views in [true, false] {
        let options = Options::new().recursive(Recursive::Json).views(views);
        let mut decoder = ReaderBuilder::new(&tree).options(options).build_decoder().unwrap();
        rows.iter().for_each(|row| assert!(decoder.push(row).unwrap()));
        let batch = decoder.flush().unwrap().unwrap();
        let shown = pretty_format_batches(&[batch.project(&[1, 2, 3, 4]).unwrap()]).unwrap().to_string();
        for cell in [
            r#"{"id":"2","left":{}}"#,
            r#"[{}, {"id":"3"}]"#,
            r#"{a: {"text":"x"}, b: {}}"#,
            r#"{"id":"4"}"#,
            r#"[{"at":"1970-01-01T00:00:00Z"}]"#,
        ] {
            assert!(shown.contains(cell), "{cell} is not in\n{shown}");
        }
        let left = batch.schema().field(1).clone();
        assert_eq!(left.data_type().to_string(), if views { "Utf8View" } else { "Utf8" });
        assert!(batch.column(1).is_null(1) && batch.column(1).is_valid(2));
        let mut writer = WriterBuilder::new(&tree).build(&batch.schema()).unwrap();
        let mut stream = Vec::new();
        writer.write(&batch, &mut stream).unwrap();
        let written: Vec<_> = tablepb::stream::frames(&stream).map(|frame| frame.unwrap().to_vec()).collect();
        assert_eq!(written, rows);
        // A batch for which no such message comes, and then one.
        assert!(decoder.push(&rows[1]).unwrap());
        assert_eq!(decoder.flush().unwrap().unwrap().column(1).null_count(), 1);
    }
}

#[test]
fn json_of_a_message_that_comes_in_parts_is_that_of_the_whole() {
    let tree = tree();
    let options = Options::new().recursive(Recursive::Json);
    let mut decoder = ReaderBuilder::new(&tree).options(options).build_decoder().unwrap();
    let parts = [r#"{"left":{"id":"1","others":[{}]}}"#, r#"{"left":{"text":"t","others":[{"id":"2"}]}}"#];
    assert!(decoder.push(&parts.map(|part| of_json(&tree, part)).concat()).unwrap());
    let batch = decoder.flush().unwrap().unwrap();
    let shown = pretty_format_batches(&[batch]).unwrap().to_string();
    assert!(shown.contains(r#"{"id":"1","others":[{},{"id":"2"}],"text":"t"}"#), "{shown}");
}

#[test]
fn a_message_without_json_is_a_bad_row_and_text_that_is_no_json_is_refused() {
    let tree = tree();
    let options = Options::new().recursive(Recursive::Json).views(false);
    let builder = ReaderBuilder::new(&tree).options(options);
    // A year of 10 000, which is fine outside of JSON.
    let late = b"\x12\x09\x3a\x07\x08\x80\x83\xd1\xff\xaf\x07".as_slice();
    let mut decoder = builder.clone().build_decoder().unwrap();
    assert!(decoder.push(&of_json(&tree, r#"{"left":{"id":"1"}}"#)).unwrap());
    let error = decoder.push(late).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoJson), "{error}");
    assert_eq!(error.to_string(), "row 1: a message has no JSON form");
    let broken = decoder.push(b"\x12\x02\x08\xff").unwrap_err();
    assert!(matches!(broken.kind(), ErrorKind::Decode(_)), "{broken}");
    let batch = decoder.flush().unwrap().unwrap();
    assert_eq!(batch.num_rows(), 1);
    let mut decoder = builder.bad_rows(BadRows::Null).build_decoder().unwrap();
    assert!(decoder.push(late).unwrap());
    assert_eq!(decoder.flush().unwrap().unwrap().column(1).null_count(), 1);

    let mut writer = WriterBuilder::new(&tree).build(&batch.schema()).unwrap();
    for (text, kind) in [("{", WriteErrorKind::InvalidJson), (r#"{"id":"x"}"#, WriteErrorKind::InvalidJson)] {
        let mut columns = batch.columns().to_vec();
        columns[1] = std::sync::Arc::new(arrow_array::StringArray::from(vec![text]));
        let batch = RecordBatch::try_new(batch.schema(), columns).unwrap();
        assert_eq!(writer.write(&batch, &mut Vec::new()).unwrap_err().kind(), kind, "{text}");
    }
    // Text is JSON where the reader has said so; elsewhere it may be anything.
    let named =
        arrow_schema::Schema::new(vec![arrow_schema::Field::new("left", arrow_schema::DataType::Utf8, true)]);
    let error = WriterBuilder::new(&tree).build(&named.into()).unwrap_err();
    assert_eq!(error.kind(), WriteErrorKind::TypeMismatch);
}

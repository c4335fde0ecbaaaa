//! Messages into batches: every kind of field, every option, rows out of order, bad rows.

use arrow_array::{
    Array, DurationNanosecondArray, ListArray, MapArray, RecordBatch, StringViewArray,
    TimestampNanosecondArray,
};
use arrow_buffer::Buffer;
use arrow_cast::pretty::pretty_format_batches;
use arrow_data::ArrayData;
use arrow_schema::TimeUnit;
use tablepb::stream::append_frame;
use tablepb::{
    DecodeOptions, DescriptorPool, EnumTable, FieldTable, Kind, MessageDescriptor, MessageTable, Syntax,
};
use tablepb_arrow::mapping::{Enums, Oneofs, Options};
use tablepb_arrow::{BadRows, Decoder, ERROR, ErrorKind, ReaderBuilder};

static COLOR: EnumTable = EnumTable::new("e.Color", &[("NONE", 0), ("RED", 1), ("BLUE", 5)]);
static POINT: MessageTable = MessageTable::new(
    "e.Point",
    &[FieldTable::new("x", 1, Kind::Float), FieldTable::new("y", 2, Kind::Float)],
);
static INNER: MessageTable = MessageTable::new(
    "e.Inner",
    &[
        FieldTable::new("id", 1, Kind::Uint64),
        FieldTable::new("names", 2, Kind::String).repeated(),
        FieldTable::new("inner", 3, Kind::Message(|| &INNER)),
        FieldTable::new("at", 4, Kind::Message(|| &POINT)),
    ],
);
static ALL: MessageTable = MessageTable::new(
    "e.All",
    &[
        FieldTable::new("b", 1, Kind::Bool),
        FieldTable::new("i", 2, Kind::Sint32).optional(),
        FieldTable::new("l", 3, Kind::Int64).repeated(),
        FieldTable::new("s", 4, Kind::String),
        FieldTable::new("data", 5, Kind::Bytes).optional(),
        FieldTable::new("c", 6, Kind::Enum(|| &COLOR)),
        FieldTable::new("cs", 7, Kind::Enum(|| &COLOR)).repeated(),
        FieldTable::new("inner", 8, Kind::Message(|| &INNER)),
        FieldTable::new("inners", 9, Kind::Message(|| &INNER)).repeated(),
        FieldTable::map("m", 10, Kind::String, Kind::Int32),
        FieldTable::map("mm", 11, Kind::Int32, Kind::Message(|| &POINT)),
        FieldTable::new("x", 12, Kind::String).oneof("which"),
        FieldTable::new("y", 13, Kind::Int32).oneof("which"),
        FieldTable::new("z", 14, Kind::Message(|| &POINT)).oneof("which"),
        FieldTable::new("flags", 15, Kind::Bool).repeated(),
        FieldTable::new("d", 16, Kind::Double),
        FieldTable::new("f", 17, Kind::Fixed32),
        FieldTable::new("points", 18, Kind::Message(|| &POINT)).repeated(),
        FieldTable::new("words", 19, Kind::String).repeated(),
    ],
);

fn descriptor(table: &'static MessageTable) -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[table]).unwrap();
    pool.get_message_by_name(table.full_name()).unwrap()
}

fn decoder(table: &'static MessageTable, options: Options, paths: &[&str]) -> Decoder {
    let builder = ReaderBuilder::new(&descriptor(table)).options(options);
    builder.projection(paths.iter().copied()).build_decoder().unwrap()
}

/// A message from its text format.
fn message(table: &'static MessageTable, text: &str) -> Vec<u8> {
    let message = tablepb::DynamicMessage::parse_text_format(&descriptor(table), text).unwrap();
    message.encode_to_vec().unwrap()
}

fn show(batch: &RecordBatch) -> String {
    pretty_format_batches(std::slice::from_ref(batch)).unwrap().to_string()
}

fn read(decoder: &mut Decoder, messages: &[Vec<u8>]) -> RecordBatch {
    for message in messages {
        assert!(decoder.push(message).unwrap());
    }
    decoder.flush().unwrap().unwrap()
}

/// Some messages: full ones, empty ones, partly filled ones.
fn messages() -> Vec<Vec<u8>> {
    let texts = [
        "",
        "b: true i: -3 l: [1, -2, 3] s: 'short' data: '' c: RED cs: [BLUE, 7] d: 1.5 f: 9 flags: [true, false, true]",
        "inner { id: 7 names: ['a', 'a name of more than twelve bytes'] inner { id: 8 at { x: 1 } } at { y: 2 } }",
        "s: 'a string of more than twelve bytes' words: ['one', '', 'three three three three'] x: 'member'",
        "",
        "inners { id: 1 } inners { } inners { names: ['b'] inner { } } m { key: 'k' value: 1 } m { key: 'j' value: 2 } y: 0",
        "mm { key: 3 value { x: 1 y: 2 } } mm { key: 0 value { } } z { x: 4 } points { x: 1 y: 2 } points { x: 3 y: 4 } points { y: 1 }",
    ];
    texts.iter().map(|text| message(&ALL, text)).collect()
}

/// Lines of a table, without its frame.
fn lines(batch: &RecordBatch) -> Vec<String> {
    let table = show(batch);
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(1);
    let cells = |row: &str| {
        row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>().join(" | ").trim().to_owned()
    };
    rows.map(cells).collect()
}

/// The lines of a batch with the columns of some paths, of messages in text format.
fn columns(options: Options, paths: &[&str], texts: &[&str]) -> Vec<String> {
    let messages: Vec<_> = texts.iter().map(|text| message(&ALL, text)).collect();
    lines(&read(&mut decoder(&ALL, options, paths), &messages))
}

/// All messages, each after its length.
fn delimited(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    messages.iter().for_each(|message| append_frame(message, &mut bytes).unwrap());
    bytes
}

#[test]
fn every_kind_becomes_a_column() {
    let none = Options::new();
    let numbers = ["b: true i: -3 d: 1.5 f: 9 c: RED", "", "i: 0 c: BLUE"];
    assert_eq!(
        columns(none.clone(), &["b", "i", "c", "d", "f"], &numbers),
        ["true | -3 | 1 | 1.5 | 9", "false |  | 0 | 0.0 | 0", "false | 0 | 5 | 0.0 | 0"],
    );
    let texts = ["s: 'short'", "s: 'more than twelve bytes' data: ''", "data: 'abc'"];
    assert_eq!(
        columns(none.clone(), &["s", "data"], &texts),
        ["short |", "more than twelve bytes |", "| 616263"]
    );
    let lists =
        ["l: [1, -2] cs: [BLUE, 7] flags: [true, false]", "", "words: ['', 'more than twelve bytes']"];
    assert_eq!(
        columns(none.clone(), &["l", "cs", "flags", "words"], &lists),
        [
            "[1, -2] | [5, 7] | [true, false] | []",
            "[] | [] | [] | []",
            "[] | [] | [] | [, more than twelve bytes]"
        ],
    );
    let maps = ["m { key: 'b' value: 1 } m { key: '' }", "mm { key: 3 value { y: 2 } } mm { }"];
    assert_eq!(
        columns(none.clone(), &["m", "mm"], &maps),
        ["{b: 1, : 0} | {}", "{} | {3: {x: 0.0, y: 2.0}, 0: {x: 0.0, y: 0.0}}"],
    );
    let messages = ["", "inner { names: 'a' at { } }", "inner { id: 1 } points { x: 1 } points { }"];
    assert_eq!(
        columns(none, &["inner.id", "inner.names", "inner.at", "points"], &messages),
        [
            "| []",
            "{id: 0, names: [a], at: {x: 0.0, y: 0.0}} | []",
            "{id: 1, names: [], at: } | [{x: 1.0, y: 0.0}, {x: 0.0, y: 0.0}]"
        ],
    );
}

#[test]
fn enums_by_name_and_in_a_dictionary() {
    let texts = ["c: BLUE cs: [RED, 9, NONE]", "", "c: 7"];
    for enums in [Enums::Name, Enums::Dictionary] {
        for views in [true, false] {
            let options = Options::new().enums(enums).views(views);
            let expected = ["BLUE | [RED, 9, NONE]", "NONE | []", "7 | []"];
            assert_eq!(columns(options, &["c", "cs"], &texts), expected);
        }
    }
    let mut decoder = decoder(&ALL, Options::new().enums(Enums::Dictionary), &["c"]);
    for number in [7, 8] {
        let batch = read(&mut decoder, &[message(&ALL, &format!("c: {number}"))]);
        let column = batch
            .column(0)
            .as_any()
            .downcast_ref::<arrow_array::DictionaryArray<arrow_array::types::Int32Type>>();
        // Numbers that were added to one batch are not in the next one.
        let values = column.unwrap().values().to_data();
        assert_eq!(
            values,
            arrow_array::StringArray::from(vec!["NONE", "RED", "BLUE", &number.to_string()]).to_data()
        );
    }
}

#[test]
fn a_oneof_is_columns_or_a_union() {
    let texts = ["", "x: 'a'", "y: 0", "z { x: 1 }", "x: ''"];
    assert_eq!(
        columns(Options::new(), &["x", "y", "z"], &texts),
        ["|  |", "a |  |", "| 0 |", "|  | {x: 1.0, y: 0.0}", "|  |"]
    );
    let union = Options::new().oneofs(Oneofs::Union);
    assert_eq!(
        columns(union, &["x", "y", "z"], &texts),
        ["{none=}", "{x=a}", "{y=0}", "{z={x: 1.0, y: 0.0}}", "{x=}"],
    );
}

#[test]
fn members_of_a_oneof_replace_each_other() {
    let parts = ["x: 'a'", "y: 3", "z { x: 1 }", "z { y: 2 }", "x: 'b' i: 7"].map(|text| message(&ALL, text));
    let join = |at: &[usize]| at.iter().flat_map(|&at| parts[at].clone()).collect::<Vec<_>>();
    let messages = [join(&[0, 1]), join(&[2, 3]), join(&[2, 0, 3]), join(&[1, 2, 4]), join(&[0, 4])];
    for (options, expected) in [
        (Options::new(), ["| 3 |", "|  | {x: 1.0, y: 2.0}", "|  | {x: 0.0, y: 2.0}", "b |  |", "b |  |"]),
        (
            Options::new().oneofs(Oneofs::Union),
            ["{y=3}", "{z={x: 1.0, y: 2.0}}", "{z={x: 0.0, y: 2.0}}", "{x=b}", "{x=b}"],
        ),
    ] {
        let mut decoder = decoder(&ALL, options.clone(), &["x", "y", "z"]);
        assert_eq!(lines(&read(&mut decoder, &messages)), expected);
    }
    // A member that is not selected replaces one that is.
    let mut decoder = decoder(&ALL, Options::new(), &["x", "i"]);
    assert_eq!(lines(&read(&mut decoder, &messages)), ["|", "|", "|", "7 | b", "7 | b"]);
}

#[test]
fn fields_that_come_again_are_merged() {
    let parts = [
        "i: 1 s: 'first of all strings' l: [1, 2] inner { id: 1 names: 'a' at { x: 1 } } m { key: 'k' value: 1 } m { key: 'j' value: 2 }",
        "i: 2 l: 3 inner { names: 'b' at { y: 2 } } m { key: 'k' value: 3 } s: 'second of all strings'",
    ];
    let merged = parts.map(|text| message(&ALL, text)).concat();
    let mut decoder =
        decoder(&ALL, Options::new(), &["i", "l", "s", "inner.id", "inner.names", "inner.at", "m"]);
    let expected =
        "2 | [1, 2, 3] | second of all strings | {id: 1, names: [a, b], at: {x: 1.0, y: 2.0}} | {j: 2, k: 3}";
    assert_eq!(lines(&read(&mut decoder, &[merged])), [expected]);
}

#[test]
fn keys_of_large_maps_are_unique() {
    for keys in [3, 40] {
        let entry =
            |at: usize, value: usize| format!("m {{ key: 'a key of some length {at}' value: {value} }}");
        let mut message_parts: Vec<_> = (0..keys).map(|at| message(&ALL, &entry(at, at))).collect();
        message_parts.push(message(&ALL, &entry(1, 1000)));
        // As in a dynamic message: where the last entry of the key is.
        let others = (0..keys).filter(|&at| at != 1).map(|at| entry(at, at));
        let text: Vec<_> = others.chain([entry(1, 1000)]).collect();
        for views in [true, false] {
            let options = Options::new().views(views);
            let block = Buffer::from_vec(delimited(&[message_parts.concat()]));
            let mut decoder = decoder(&ALL, options.clone(), &["m"]);
            decoder.decode_block(&block).unwrap();
            let batch = decoder.flush().unwrap().unwrap();
            assert_eq!(lines(&batch), columns(options, &["m"], &[&text.join(" ")]));
        }
    }
}

#[test]
fn recursion_ends_in_bytes() {
    let text = "inner { id: 1 inner { id: 2 inner { id: 3 names: 'x' } } }";
    let deepest = message(&INNER, "id: 3 names: 'x'");
    let mut decoder = decoder(&ALL, Options::new().recursion(1), &["inner"]);
    let batch = read(&mut decoder, &[message(&ALL, text), Vec::new()]);
    let hex: String = deepest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        lines(&batch),
        [
            format!("{{id: 1, names: [], inner: {{id: 2, names: [], inner: {hex}, at: }}, at: }}"),
            String::new()
        ],
    );
    // What is cut off is checked as well: a string that is no UTF-8, and a float that ends early.
    for bad in [&b"\x12\x01\xff"[..], b"\x22\x02\x0d\x00"] {
        let wrap = |bytes: &[u8], tag: u8| [&[tag, bytes.len() as u8], bytes].concat();
        let message = wrap(&wrap(&wrap(bad, 0x1a), 0x1a), 0x42);
        assert!(matches!(decoder.push(&message).unwrap_err().kind(), ErrorKind::Decode(_)));
    }
    assert!(decoder.flush().unwrap().is_none());
}

#[test]
fn every_chunking_gives_the_same_batch() {
    let messages = messages();
    let expected = read(&mut decoder(&ALL, Options::new().recursion(1), &[]), &messages);
    let bytes = delimited(&messages);
    let mut decoder = decoder(&ALL, Options::new().recursion(1), &[]);
    for first in 0..=bytes.len() {
        for blocks in [false, true] {
            for part in [&bytes[..first], &bytes[first..]] {
                let taken = match blocks {
                    true => decoder.decode_block(&Buffer::from(part.to_vec())),
                    false => decoder.decode(part),
                };
                assert_eq!(taken.unwrap(), part.len());
            }
            assert!(!decoder.has_partial_row());
            assert_eq!(decoder.flush().unwrap().unwrap(), expected, "split at {first}");
        }
    }
    for byte in &bytes {
        assert_eq!(decoder.decode(&[*byte]).unwrap(), 1);
    }
    assert_eq!(decoder.flush().unwrap().unwrap(), expected);
}

#[test]
fn a_full_batch_takes_no_more() {
    let messages = messages();
    let bytes = delimited(&messages);
    let mut decoder = ReaderBuilder::new(&descriptor(&ALL)).batch_size(2).build_decoder().unwrap();
    for size in [1, 3, bytes.len()] {
        let (mut rows, mut chunks) =
            (Vec::new(), bytes.chunks(size).collect::<std::collections::VecDeque<_>>());
        while let Some(chunk) = chunks.pop_front() {
            let taken = decoder.decode(chunk).unwrap();
            if taken < chunk.len() {
                chunks.push_front(&chunk[taken..]);
            }
            if decoder.is_full() {
                assert!(!decoder.push(&messages[1]).unwrap());
                rows.push(decoder.flush().unwrap().unwrap().num_rows());
            }
        }
        rows.extend(decoder.flush().unwrap().map(|batch| batch.num_rows()));
        assert_eq!(rows, [2, 2, 2, 1], "{size} bytes at once");
    }
}

#[test]
fn long_strings_point_into_the_block() {
    let texts: Vec<_> =
        (0..100).map(|at| message(&ALL, &format!("s: 'a string of some length {at}'"))).collect();
    let block = Buffer::from_vec(delimited(&texts));
    let mut decoder = decoder(&ALL, Options::new(), &["s"]);
    assert_eq!(decoder.decode_block(&block).unwrap(), block.len());
    let batch = decoder.flush().unwrap().unwrap();
    let strings: &StringViewArray = batch.column(0).as_any().downcast_ref().unwrap();
    assert_eq!(strings.data_buffers()[0].as_ptr(), block.as_ptr());
    assert_eq!(strings.value(99), "a string of some length 99");
    // Where little of a block is used, it is not kept.
    let mut parts = texts;
    parts.push(message(&ALL, &format!("data: '{}'", "x".repeat(20_000))));
    let block = Buffer::from_vec(delimited(&parts));
    decoder.decode_block(&block).unwrap();
    let batch = decoder.flush().unwrap().unwrap();
    let strings: &StringViewArray = batch.column(0).as_any().downcast_ref().unwrap();
    assert_ne!(strings.data_buffers()[0].as_ptr(), block.as_ptr());
    assert_eq!(strings.value(99), "a string of some length 99");
}

/// A bad message: a good start of every kind of column, then a string that is no UTF-8.
fn bad_message() -> Vec<u8> {
    let start = "b: true i: 1 l: [5] s: 'a string of some length' inners { names: 'n' } m { key: 'k' } mm { key: 1 } \
                 y: 3 points { x: 1 } words: 'w' inner { inner { id: 4 } } data: 'd' cs: 7 flags: true";
    let mut message = message(&ALL, start);
    message.extend(b"\x22\x01\xff");
    message
}

#[test]
fn a_bad_row_leaves_nothing() {
    for options in [
        Options::new().recursion(1),
        Options::new().recursion(0).views(false).oneofs(Oneofs::Union).enums(Enums::Dictionary),
        Options::new().recursion(1).enums(Enums::Name).unknown_fields(true),
    ] {
        let expected = lines(&read(&mut decoder(&ALL, options.clone(), &[]), &messages()));
        for mode in [BadRows::Fail, BadRows::Skip, BadRows::Null] {
            let builder = ReaderBuilder::new(&descriptor(&ALL)).options(options.clone()).bad_rows(mode);
            let mut decoder = builder.build_decoder().unwrap();
            for (row, message) in messages().iter().enumerate() {
                let bad = decoder.push(&bad_message());
                match mode {
                    BadRows::Fail => {
                        let error = bad.unwrap_err();
                        assert_eq!(error.row(), 2 * row as u64);
                        let ErrorKind::Decode(decode) = error.kind() else { panic!("{error}") };
                        assert_eq!(decode.path().to_string(), "s");
                        assert_eq!(decode.offset(), bad_message().len() - 1);
                    }
                    _ => assert!(bad.unwrap()),
                }
                assert!(decoder.push(message).unwrap());
            }
            assert_eq!(decoder.skipped(), if mode == BadRows::Skip { messages().len() as u64 } else { 0 });
            let batch = decoder.flush().unwrap().unwrap();
            if mode != BadRows::Null {
                assert_eq!(lines(&batch), expected);
                continue;
            }
            let errors = batch.column_by_name(ERROR).unwrap();
            for (row, line) in lines(&batch).iter().enumerate() {
                assert_eq!(errors.is_null(row), row % 2 == 1);
                if row % 2 == 1 {
                    assert_eq!(
                        line.trim_end_matches([' ', '|']),
                        expected[row / 2].trim_end_matches([' ', '|'])
                    );
                } else {
                    let nulls = batch.columns().iter().filter(|column| column.is_null(row)).count();
                    let unions =
                        batch.schema().fields().iter().filter(|field| field.name() == "which").count();
                    assert_eq!(nulls, batch.num_columns() - 1 - unions);
                }
            }
        }
    }
}

#[test]
fn budget_depth_and_length_are_bounded() {
    let builder = ReaderBuilder::new(&descriptor(&ALL)).options(Options::new().recursion(2));
    let good = &messages()[1];
    // Two bytes for an element of some columns.
    let hostile = b"\x4a\x00".repeat(100_000);
    let mut decoder = builder.build_decoder().unwrap();
    assert!(matches!(decoder.push(&hostile).unwrap_err().kind(), ErrorKind::BudgetExceeded));
    assert!(decoder.push(good).unwrap());
    assert_eq!(decoder.flush().unwrap().unwrap().num_rows(), 1);
    let mut decoder =
        builder.clone().decode_options(DecodeOptions::new().budget(1 << 30)).build_decoder().unwrap();
    assert!(decoder.push(&hostile).unwrap());
    // The batch ends when it is large.
    let mut decoder = builder.clone().batch_bytes(100_000).build_decoder().unwrap();
    assert!((0..10_000).any(|_| !decoder.push(good).unwrap()));
    assert!(decoder.rows() < 200);
    // Depth.
    let mut decoder =
        builder.clone().decode_options(DecodeOptions::new().max_depth(2)).build_decoder().unwrap();
    let deep = message(&ALL, "inner { inner { inner { inner { } } } }");
    assert!(matches!(decoder.push(&deep).unwrap_err().kind(), ErrorKind::Decode(_)));
    assert!(decoder.push(good).unwrap());
    // A length of 2 GB, which never comes, and one that is not too long for its prefix but for a row.
    let mut decoder = builder.clone().max_row_len(1000).build_decoder().unwrap();
    let error = decoder.decode(b"\xff\xff\xff\xff\x07\x01").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BudgetExceeded));
    let mut decoder = builder.clone().max_row_len(1000).build_decoder().unwrap();
    let bytes = [delimited(&[vec![0; 2000]]), delimited(std::slice::from_ref(good))].concat();
    let error = decoder.decode(&bytes).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BudgetExceeded));
    assert_eq!(decoder.decode(&bytes[error.consumed()..]).unwrap(), bytes.len() - error.consumed());
    assert_eq!(decoder.rows(), 1);
    // A length that is none.
    let error = decoder.decode(b"\xff\xff\xff\xff\xff\x01").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Frame(_)));
    assert_eq!(
        decoder.decode(&delimited(std::slice::from_ref(good))).unwrap(),
        delimited(std::slice::from_ref(good)).len()
    );
    assert_eq!(decoder.flush().unwrap().unwrap().num_rows(), 2);
}

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
fn a_reader_goes_on_after_a_bad_row() {
    let good = messages();
    let bytes = delimited(&[good[1].clone(), bad_message(), good[2].clone()]);
    let mut reader = ReaderBuilder::new(&descriptor(&ALL)).build(&bytes[..]).unwrap();
    let error = reader.next_batch().unwrap_err();
    assert_eq!(error.row(), 1);
    assert_eq!(reader.next_batch().unwrap().unwrap().num_rows(), 2);
    assert!(reader.next_batch().unwrap().is_none());
    // An input that ends early.
    let mut reader = ReaderBuilder::new(&descriptor(&ALL)).build(&bytes[..bytes.len() - 1]).unwrap();
    assert!(reader.next_batch().is_err());
    assert!(matches!(reader.next_batch().unwrap_err().kind(), ErrorKind::Incomplete));
    assert_eq!(reader.next_batch().unwrap().unwrap().num_rows(), 1);
    assert!(reader.next_batch().unwrap().is_none());
}

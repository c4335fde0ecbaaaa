//! Messages into batches: every kind of field, every option, rows out of order, bad rows.

mod arrays;
mod choices;
mod growth;
mod kinds;
mod rare;
mod rows;
mod steps;

use arrow_array::{
    Array, DurationNanosecondArray, ListArray, MapArray, RecordBatch, StringViewArray,
    TimestampNanosecondArray,
};
use arrow_buffer::Buffer;
use arrow_cast::pretty::pretty_format_batches;
use arrow_data::ArrayData;
use arrow_schema::TimeUnit;
use tablepb::stream::append_frame;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};
use tablepb::{DecodeOptions, DescriptorPool, MessageDescriptor};
use tablepb_arrow::mapping::{Enums, Oneofs, Options};
use tablepb_arrow::{BadRows, Decoder, ERROR, ErrorKind, ReaderBuilder, SchemaStore};

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
    pool.message(table.full_name()).unwrap()
}

fn decoder(table: &'static MessageTable, options: Options, paths: &[&str]) -> Decoder {
    let builder = ReaderBuilder::new(&descriptor(table)).options(options);
    builder.projection(paths.iter().copied()).build_decoder().unwrap()
}

/// A message from its text format.
fn message(table: &'static MessageTable, text: &str) -> Vec<u8> {
    let message = tablepb::text::message_from_str(&descriptor(table), text).unwrap();
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

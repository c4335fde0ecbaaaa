//! Where the allocator has no memory, encoding is an error and not an abort, and the buffer is as it was; and the errors
//! themselves do without.

use crate::common::scarce::sweep;
use crate::common::schema::{self, Card, Schema};
use bytes::BytesMut;
use tablepb::raw::{RawFields, RawStep, RawValue};
use tablepb::record::{Field, kind};
use tablepb::record::{RecordPlan, RecordWriter};
use tablepb::table::{FieldTable, Kind, MessageTable, Syntax};
use tablepb::wire::{Buffer, Tag, WireType, Writer};
use tablepb::{
    DecodeError, DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, EncodeError,
    EncodeErrorKind, EncodeOptions, Message, MessageDescriptor, stream,
};

#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    name: String,
    numbers: Vec<i64>,
    nodes: Vec<Node>,
    child: Option<Box<Node>>,
    tags: std::collections::BTreeMap<String, u32>,
}

tablepb::message! {
    Node as "pkg.Node" {
        name: string = 1,
        numbers: repeated int64 = 2,
        nodes: repeated message Node = 3,
        child: message Node = 4,
        tags: map<string, uint32> = 5,
    }
}

static OLD: MessageTable = MessageTable::new(
    "pkg.Old",
    &[
        FieldTable::new("id", 1, Kind::Int32).required(),
        FieldTable::new("old", 2, Kind::Message(|| &OLD)),
        FieldTable::new("text", 3, Kind::String),
    ],
)
.syntax(Syntax::Proto2);

fn descriptor(table: &'static MessageTable) -> MessageDescriptor {
    DescriptorPool::from_tables(&[table]).unwrap().message(table.full_name()).unwrap()
}

/// Enough nested messages that their lengths need more than what is on the stack, and a map with an index.
fn tree() -> Node {
    let leaf =
        |i: i64| Node { name: "leaf".repeat(i as usize % 50), numbers: vec![i, -i, 7], ..Node::default() };
    let mut root = Node { nodes: (0..100).map(leaf).collect(), ..Node::default() };
    root.tags = (0..20).map(|i| (format!("tag {i}"), i)).collect();
    root.child = Some(Box::new(root.clone()));
    root
}

/// Messages in each other, so many.
fn nested(levels: usize) -> DynamicMessage {
    let descriptor = descriptor(Node::TABLE);
    let child = descriptor.field("child").unwrap();
    let mut message = DynamicMessage::new(&descriptor);
    let mut at = message.as_mut();
    for _ in 0..levels {
        at = at.into_message_mut(&child).unwrap();
    }
    message
}

/// Something that appends to a buffer.
trait Append {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError>;
}

fn appended(what: &impl Append) -> Vec<u8> {
    let mut buf = Vec::new();
    what.append(&mut buf).unwrap();
    buf
}

/// Appending to buffers of every kind: an error of the right kind and the content as it was, or all of it.
fn sweep_buffers(what: &impl Append) {
    let whole = [b"before", &appended(what)[..]].concat();
    let check = |content: &[u8], result: Result<(), EncodeError>, failed: bool| match result {
        Ok(()) => assert_eq!(content, whole),
        Err(error) => {
            assert!(failed);
            assert_eq!((error.kind(), content), (EncodeErrorKind::OutOfMemory, &b"before"[..]));
        }
    };
    let failures = sweep(
        || b"before".to_vec(),
        |buf| what.append(buf),
        |buf, result, failed| check(&buf, result, failed),
    );
    assert!(failures > 1, "nothing was allocated");
    let failures = sweep(
        || BytesMut::from(&b"before"[..]),
        |buf| what.append(buf),
        |buf, result, failed| check(&buf, result, failed),
    );
    assert!(failures > 1, "nothing was allocated");
    // One that shares its memory with others.
    let start = || {
        let mut buf = BytesMut::from(&b"..before...."[..]);
        let (front, back) = (buf.split_to(2), buf.split_off(6));
        (buf, front, back)
    };
    let failures = sweep(
        start,
        |(buf, ..)| what.append(buf),
        |(buf, front, back), result, failed| {
            check(&buf, result, failed);
            assert_eq!((&front[..], &back[..]), (&b".."[..], &b"...."[..]));
        },
    );
    assert!(failures > 1, "nothing was allocated");
}

/// A result that is `expected`, or an error because an allocation failed.
fn check<T: PartialEq + std::fmt::Debug>(result: Result<T, EncodeError>, expected: &T, failed: bool) {
    match result {
        Ok(value) => assert_eq!(&value, expected),
        Err(error) => assert_eq!((error.kind(), failed), (EncodeErrorKind::OutOfMemory, true)),
    }
}

struct Struct(Node);

impl Append for Struct {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError> {
        self.0.encode(buf)
    }
}

struct Delimited(Node);

impl Append for Delimited {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError> {
        self.0.encode_length_delimited(buf)
    }
}

#[test]
fn encoding_a_struct_is_an_error() {
    let tree = tree();
    sweep_buffers(&Struct(tree.clone()));
    sweep_buffers(&Delimited(tree.clone()));
    let bytes = tree.encode_to_vec().unwrap();
    assert!(sweep(|| (), |()| tree.encode_to_vec(), |(), result, failed| check(result, &bytes, failed)) > 1);
    let encode = |slice: &mut Vec<u8>| tree.encode_to_slice(slice);
    sweep(
        || vec![0; bytes.len() + 9],
        encode,
        |slice, result, failed| {
            assert!(result.is_err() || slice[..bytes.len()] == bytes);
            check(result, &bytes.len(), failed);
        },
    );
}

struct Dynamic(DynamicMessage, EncodeOptions);

impl Append for Dynamic {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError> {
        self.1.encode(&self.0, buf)
    }
}

#[test]
fn encoding_a_dynamic_message_is_an_error() {
    let message = DynamicMessage::decode(&descriptor(Node::TABLE), &tree().encode_to_vec().unwrap()).unwrap();
    let options = EncodeOptions::new();
    sweep_buffers(&Dynamic(message.clone(), options));
    sweep_buffers(&Dynamic(message.clone(), options.deterministic(true)));
    sweep_buffers(&Dynamic(nested(900), options.max_depth(1000)));
    let bytes = message.encode_to_vec().unwrap();
    assert!(
        sweep(|| (), |()| message.encode_to_vec(), |(), result, failed| check(result, &bytes, failed)) > 1
    );
    // A slice takes no memory, nor does asking for the length.
    let mut slice = vec![0; bytes.len()];
    let encode = |(): &mut ()| (message.encode_to_slice(&mut slice).is_ok(), message.encoded_len());
    assert_eq!(sweep(|| (), encode, |(), result, _| assert_eq!(result, (true, bytes.len()))), 0);
}

const LONG: &str = "a string that is longer than what a small buffer has room for to begin with";

/// A record of nested messages and maps.
struct Record {
    plan: RecordPlan,
    name: Field<kind::Str>,
    numbers: Field<kind::Int64>,
    nodes: Field<kind::Submessage>,
    tags: Field<kind::MapOf<kind::Str, kind::Uint32>>,
}

impl Record {
    fn write<'b, B: Buffer>(&'b self, buf: &'b mut B) -> RecordWriter<'b> {
        let mut rec = self.plan.record(buf);
        rec.set(self.name, LONG);
        for _ in 0..10 {
            rec.message(self.nodes, |rec| {
                rec.extend(self.numbers, 0..100);
                rec.insert(self.tags, LONG, 1);
            });
        }
        rec
    }
}

impl Append for Record {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError> {
        self.write(buf).finish().map(drop)
    }
}

/// A record of a type with more fields than a writer remembers without memory.
struct WideRecord(RecordPlan, Field<kind::Int32>);

impl Append for WideRecord {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError> {
        let mut rec = self.0.record(buf);
        rec.set(self.1, 7);
        rec.finish().map(drop)
    }
}

/// A record without a length prefix.
struct UnframedRecord(Record);

impl Append for UnframedRecord {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError> {
        self.0.write(buf).finish_unframed().map(drop)
    }
}

/// A record without fields: a single byte.
struct EmptyRecord(RecordPlan);

impl Append for EmptyRecord {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError> {
        self.0.record(buf).finish().map(drop)
    }
}

#[test]
fn writing_a_record_is_an_error() {
    let plan = RecordPlan::new(&descriptor(Node::TABLE));
    sweep_buffers(&EmptyRecord(plan.clone()));
    let record = Record {
        name: plan.string("name").unwrap(),
        numbers: plan.int64("numbers").unwrap(),
        nodes: plan.message("nodes").unwrap(),
        tags: plan.map("tags").unwrap(),
        plan,
    };
    sweep_buffers(&record);
    sweep_buffers(&UnframedRecord(record));
    let wide = wide_message(400);
    let plan = RecordPlan::new(&wide);
    let last = plan.int32(wide.get_field(400).unwrap().name()).unwrap();
    sweep_buffers(&WideRecord(plan, last));
}

/// A message type of so many optional fields.
fn wide_message(fields: u32) -> MessageDescriptor {
    let mut schema = Schema::default();
    let file = schema.file(schema::Syntax::Proto2);
    let wide = schema.message(file, "Wide");
    for number in 1..=fields {
        schema.add(wide, number, schema::Kind::Int32, Card::Optional);
    }
    crate::common::bridge::descriptor(&schema, &schema.pool(), wide)
}

/// One thing that frames and writers append with a result.
struct Piece(u32, Vec<u8>);

impl Append for Piece {
    fn append<B: Buffer>(&self, buf: &mut B) -> Result<(), EncodeError> {
        let mut writer = Writer::new(buf);
        match self.0 {
            0 => stream::append_frame(&self.1, buf),
            1 => stream::encode_length_delimiter(1 << 20, buf),
            2 => writer.write_length_delimited(&self.1),
            3 => writer.write_packed_varints([1, 300, u64::MAX]),
            4 => writer.write_packed_fixed32(&[7; 20]),
            5 => writer.write_packed_fixed64(&[7; 20]),
            6 => writer.write_message(Tag::new(3, WireType::LengthDelimited), |inner| {
                inner.write_length_delimited(&self.1)
            }),
            _ => writer.write_group(4, |group| group.write_length_delimited(&self.1)),
        }
    }
}

#[test]
fn writing_the_wire_is_an_error_where_a_result_is_given() {
    for what in 0..8 {
        sweep_buffers(&Piece(what, vec![b'x'; 300]));
    }
    // With room for just what is written, nothing is allocated.
    for what in 0..6 {
        let piece = Piece(what, vec![b'x'; 300]);
        let len = appended(&piece).len();
        let start = || Vec::with_capacity(len);
        assert_eq!(
            sweep(start, |buf| piece.append(buf), |_, result, _| assert!(result.is_ok())),
            0,
            "{what}"
        );
    }
}

#[test]
fn editing_the_wire_is_an_error() {
    let bytes = tree().encode_to_vec().unwrap();
    let fields = RawFields::new(&bytes);
    let value = RawValue::LengthDelimited(LONG.as_bytes());
    type Edit<'e> = &'e dyn Fn(&mut Vec<u8>) -> Result<bool, DecodeError>;
    let edits: [Edit<'_>; 6] = [
        &|buf| fields.replace(&[RawStep::last(4), RawStep::nth(3, 50), RawStep::last(1)], value, buf),
        &|buf| fields.replace(&[1, 2, 3], value, buf),
        &|buf| fields.remove(&[3], buf),
        &|buf| fields.remove(&[RawStep::last(4), RawStep::last(3)], buf),
        &|buf| fields.append(&[4], 100, value, buf),
        &|buf| fields.append::<u32>(&[], 1, RawValue::Varint(1), buf),
    ];
    for edit in edits {
        let mut expected = b"before".to_vec();
        edit(&mut expected).unwrap();
        let failures = sweep(
            || b"before".to_vec(),
            edit,
            |buf, result, failed| match result {
                Ok(_) => assert_eq!(buf, expected),
                Err(error) => {
                    assert!(failed && error.kind() == DecodeErrorKind::OutOfMemory);
                    assert_eq!(buf, b"before");
                }
            },
        );
        assert!(failures > 1, "nothing was allocated");
    }
}

#[test]
fn frames_are_read_again_after_an_error() {
    let mut stream = Vec::new();
    for len in [10, 20_000, 3] {
        stream::append_frame(&vec![b'x'; len], &mut stream).unwrap();
    }
    let read = |reader: &mut stream::FrameReader<&[u8]>| {
        let mut lens = [0; 3];
        for len in &mut lens {
            *len = reader.next_frame()?.map_or(0, <[u8]>::len);
        }
        Ok::<_, stream::FrameError>(lens)
    };
    let failures = sweep(
        || stream::FrameReader::new(&stream[..]),
        read,
        |mut reader, result, failed| match result {
            Ok(lens) => assert_eq!(lens, [10, 20_000, 3]),
            Err(error) => {
                let stream::FrameError::Io(error) = error else { panic!("{error}") };
                assert_eq!((error.kind(), failed), (std::io::ErrorKind::OutOfMemory, true));
                // Nothing is lost: what has not been read yet comes now.
                let left: usize = std::iter::from_fn(|| reader.next_frame().unwrap().map(<[u8]>::len)).sum();
                assert!(left == 20_013 || left == 20_003, "{left}");
            }
        },
    );
    assert!(failures > 1, "nothing was allocated");
}

/// What is known of an error: all of it, or all but names and path, or that there was no memory.
fn check_decode_error(error: &DecodeError, whole: &DecodeError) {
    if error.kind() == DecodeErrorKind::OutOfMemory {
        assert_eq!((error.offset(), error.path().is_empty(), error.message_name()), (0, true, None));
        assert_eq!(error.to_string(), "the allocator has no memory at byte 0");
        return;
    }
    assert_eq!((error.kind(), error.offset()), (whole.kind(), whole.offset()));
    assert!(error.path().is_empty() || error.path().steps().len() == whole.path().steps().len());
    for (step, whole) in error.path().steps().iter().zip(whole.path().steps()) {
        assert_eq!((step.number(), step.index()), (whole.number(), whole.index()));
        assert!(step.name().is_none() || step.name() == whole.name());
    }
    assert!(error.message_name().is_none() || error.message_name() == whole.message_name());
}

#[test]
fn errors_do_without_memory() {
    // A string that is not UTF-8, eight messages deep.
    let mut input = b"\x0a\x02\xff\xff".to_vec();
    for _ in 0..8 {
        let inner = std::mem::take(&mut input);
        Writer::new(&mut input)
            .write_message(Tag::new(3, WireType::LengthDelimited), |writer| {
                writer.write_raw(&inner);
                Ok(())
            })
            .unwrap();
    }
    let mut decoder = Decoder::new(&descriptor(Node::TABLE));
    let whole = decoder.decode(&input).map(drop).unwrap_err();
    assert_eq!(whole.path().steps().len(), 9);
    let failures = sweep(
        || (),
        |()| decoder.decode(&input).map(drop),
        |(), result, _| check_decode_error(&result.unwrap_err(), &whole),
    );
    assert!(failures > 10, "{failures}: an error has a box, a path and names");

    let broken = b"\x1a\x04\x1a\x02\xff\xff";
    let whole = RawFields::new(broken).follow(&[3, 3, 1]).unwrap_err();
    sweep(
        || (),
        |()| RawFields::new(broken).follow(&[3, 3, 1]).map(drop),
        |(), result, _| check_decode_error(&result.unwrap_err(), &whole),
    );

    let old = descriptor(&OLD);
    let options = DecodeOptions::new().allow_partial(true);
    let partial = options.decode_dynamic(&old, b"\x08\x01\x12\x00").unwrap();
    let whole = partial.encode_to_vec().unwrap_err();
    assert_eq!(whole.to_string(), "a required field is not set, in pkg.Old: old.id");
    let failures = sweep(
        || Vec::with_capacity(100),
        |buf| partial.encode(buf),
        |buf, result, failed| {
            let error = result.unwrap_err();
            assert!(buf.is_empty());
            if error.kind() == EncodeErrorKind::OutOfMemory {
                assert!(failed && error.path().is_empty());
            } else {
                assert_eq!(error.kind(), EncodeErrorKind::MissingRequired);
            }
        },
    );
    assert!(failures > 2, "{failures}");
}

#[test]
fn a_group_in_many_groups_is_skipped_with_an_error() {
    let input = [vec![0x0b; 300], vec![0x0c; 300]].concat();
    let skip = |(): &mut ()| tablepb::wire::Reader::with_depth(&input, 1000).skip_message();
    let failures = sweep(
        || (),
        skip,
        |(), result, failed| match result {
            Ok(()) => assert!(!failed),
            Err(error) => assert_eq!(error.kind(), DecodeErrorKind::OutOfMemory),
        },
    );
    assert!(failures > 1, "nothing was allocated");
}

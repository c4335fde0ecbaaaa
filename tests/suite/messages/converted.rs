//! Structs and dynamic messages, one out of the other.

use tablepb::partial::Projection;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{
    AnyMessage, DecodeErrorKind, Decoder, DescriptorPool, DynamicMessage, Message, MessageDescriptor,
    UnknownFieldSet,
};

#[derive(Clone, Debug, Default, PartialEq)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Whole {
    id: u64,
    name: String,
    points: Vec<Point>,
    next: Option<Box<Whole>>,
    unknown: UnknownFieldSet,
}

/// Two of its fields.
#[derive(Debug, Default, PartialEq)]
struct Part {
    name: String,
}

#[derive(Debug, Default, PartialEq)]
struct Kept {
    name: String,
    rest: UnknownFieldSet,
}

#[derive(Debug, Default, PartialEq)]
struct Borrowed<'a> {
    name: &'a str,
    next: Option<Box<Borrowed<'a>>>,
}

/// Another kind than in `Whole`: zigzag.
#[derive(Debug, Default, PartialEq)]
struct Zigzag {
    id: i64,
}

tablepb::message! {
    Point as "pkg.Point" { x: sint32 = 1, y: sint32 = 2 }
    Whole as "pkg.Whole" {
        id: uint64 = 1,
        name: string = 2,
        points: repeated message Point = 3,
        next: message Whole = 4,
        unknown: unknown_fields,
    }
    Part as "pkg.Part" { name: string = 2 }
    Kept as "pkg.Kept" { name: string = 2, rest: unknown_fields }
    Borrowed<'a> as "pkg.Borrowed" { name: string = 2, next: message Borrowed = 4 }
    Zigzag as "pkg.Zigzag" { id: sint64 = 1 }
}

fn whole() -> Whole {
    let next = Whole { name: "inner".into(), ..Whole::default() };
    Whole {
        id: 7,
        name: "outer".into(),
        points: vec![Point { x: -1, y: 2 }, Point::default()],
        next: Some(Box::new(next)),
        unknown: UnknownFieldSet::new(),
    }
}

fn schema() -> MessageDescriptor {
    DescriptorPool::from_tables(&[Whole::TABLE]).unwrap().message("pkg.Whole").unwrap()
}

#[test]
fn a_struct_becomes_a_message_and_comes_back() {
    let dynamic = whole().to_dynamic().unwrap();
    assert_eq!(dynamic.get_path("points[0].x").unwrap().as_i32(), Some(-1));
    assert_eq!(dynamic.as_view().to_struct::<Whole>().unwrap(), whole());
    assert_eq!(dynamic.transcode_to::<Whole>().unwrap(), whole());
    // Whatever its form.
    assert_eq!(dynamic.to_dynamic().unwrap(), dynamic);
    assert_eq!(dynamic.as_view().to_dynamic().unwrap(), dynamic);
}

#[test]
fn a_struct_may_list_a_part_of_the_fields() {
    let dynamic = whole().to_dynamic().unwrap();
    assert_eq!(dynamic.transcode_to::<Part>().unwrap(), Part { name: "outer".into() });
    let kept: Kept = dynamic.transcode_to().unwrap();
    let numbers: Vec<u32> = kept.rest.fields().map(|field| field.unwrap().number()).collect();
    assert_eq!((kept.name.as_str(), numbers), ("outer", vec![1, 3, 3, 4]));
    // Fields go by their numbers as on the wire, where this is another value.
    assert_eq!(dynamic.transcode_to::<Zigzag>().unwrap(), Zigzag { id: -4 });
}

#[test]
fn unknown_fields_come_along() {
    let mut bytes = whole().encode_to_vec().unwrap();
    bytes.extend_from_slice(b"\x48\x05\x52\x01z");
    let dynamic = DynamicMessage::decode(&schema(), &bytes).unwrap();
    let message: Whole = dynamic.transcode_to().unwrap();
    assert_eq!(message.unknown.as_bytes(), b"\x48\x05\x52\x01z");
    assert_eq!(message, Whole::decode(&bytes).unwrap());
    assert_eq!(dynamic.transcode_to::<Part>().unwrap().name, "outer");
}

#[test]
fn strings_borrow_from_the_input_of_a_decoder() {
    let bytes = whole().encode_to_vec().unwrap();
    let schema = schema();
    let borrowed: Borrowed<'_> = {
        let mut decoder = Decoder::new(&schema);
        decoder.decode(&bytes).unwrap().to_struct_borrowed().unwrap()
    };
    assert!(bytes.as_ptr_range().contains(&borrowed.name.as_ptr()));
    assert_eq!((borrowed.name, borrowed.next.unwrap().name), ("outer", "inner"));
}

/// What is kept as bytes has to be decoded, which a struct that borrows cannot wait for.
#[test]
fn messages_kept_as_bytes_are_decoded() {
    let bytes = whole().encode_to_vec().unwrap();
    let schema = schema();
    let lazy = Projection::all(&schema).lazy(["next"]).unwrap();
    let mut decoder = Decoder::new(&schema).with_projection(&lazy);
    let view = decoder.decode(&bytes).unwrap();
    assert_eq!(view.to_struct::<Whole>().unwrap(), whole());
    let error = view.to_struct_borrowed::<Borrowed<'_>>().unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::InvalidValue);
    let passing = Projection::new(&schema, ["name"]).unwrap().pass_through();
    let dynamic = passing.decode(&bytes).unwrap();
    assert_eq!(dynamic.transcode_to::<Whole>().unwrap(), whole());
}

#[test]
fn deep_messages_are_refused_as_by_a_decode() {
    static NODE: MessageTable =
        MessageTable::new("pkg.Whole", &[FieldTable::new("next", 4, Kind::Message(|| &NODE))]);
    let schema = DescriptorPool::from_tables(&[&NODE]).unwrap().message("pkg.Whole").unwrap();
    let mut message = DynamicMessage::new(&schema);
    let mut deepest = message.as_mut();
    for _ in 0..101 {
        deepest = deepest.into_message_mut("next").unwrap();
    }
    assert_eq!(message.transcode_to::<Whole>().unwrap_err().kind(), DecodeErrorKind::DepthExceeded);
}

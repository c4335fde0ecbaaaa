//! Fixed schemas and the hostile inputs of the reliability table.

use super::schema::{Card, Kind, Schema, Syntax};
use super::wire::{END, START, Wire};
use tablepb::DecodeErrorKind as Bad;

/// `int32 a=1; string s=2; T m=3; repeated int32 p=4; map<int32,int32> mp=5`, proto3; message 0.
pub fn t() -> Schema {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let t = schema.message(file, "T");
    schema.add(t, 1, Kind::Int32, Card::Implicit);
    schema.add(t, 2, Kind::String, Card::Implicit);
    schema.add(t, 3, Kind::Message(t), Card::Optional);
    schema.add(t, 4, Kind::Int32, Card::Repeated);
    schema.add_map(t, 5, Kind::Int32, Kind::Int32);
    schema
}

/// `T` with the fields of the same numbers and everything else there is: message 0 of an edition 2023 file.
pub fn rich() -> Schema {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Edition2023);
    let rich = schema.message(file, "Rich");
    let point = schema.message(file, "Point");
    let wide = schema.message(file, "Wide");
    let closed = schema.enumeration(file, "Closed", true, &[0, 1, -1, 100]);
    let open = schema.enumeration(file, "Open", false, &[0, 1]);
    for number in 1..=3 {
        schema.add(point, number, Kind::Float, Card::Implicit);
    }
    for number in 1..=120 {
        schema.add(wide, number, Kind::Int64, Card::Optional);
    }
    schema.add(wide, 121, Kind::Message(rich), Card::Optional);
    schema.add(rich, 1, Kind::Int32, Card::Implicit);
    schema.add(rich, 2, Kind::String, Card::Implicit);
    schema.add(rich, 3, Kind::Message(rich), Card::Optional);
    schema.add(rich, 4, Kind::Int32, Card::Repeated);
    schema.add_map(rich, 5, Kind::Int32, Kind::Int32);
    schema.add(rich, 6, Kind::Enum(closed), Card::Optional);
    schema.add(rich, 7, Kind::Enum(closed), Card::Repeated);
    schema.add(rich, 8, Kind::Message(rich), Card::Optional).delimited = true;
    schema.add(rich, 9, Kind::Message(rich), Card::Repeated);
    schema.add(rich, 10, Kind::Fixed64, Card::Repeated);
    schema.add(rich, 11, Kind::String, Card::Repeated);
    schema.add_map(rich, 12, Kind::String, Kind::Message(rich));
    schema.add_map(rich, 13, Kind::Bool, Kind::Enum(closed));
    schema.messages[rich].oneofs = 1;
    schema.add(rich, 14, Kind::Sint64, Card::Optional).oneof = Some(0);
    schema.add(rich, 15, Kind::Message(rich), Card::Optional).oneof = Some(0);
    schema.add(rich, 16, Kind::String, Card::Optional).oneof = Some(0);
    schema.add(rich, 17, Kind::Message(point), Card::Optional);
    schema.add(rich, 18, Kind::Message(point), Card::Repeated);
    schema.add(rich, 19, Kind::Message(wide), Card::Repeated);
    schema.add(rich, 20, Kind::Message(rich), Card::Repeated).delimited = true;
    schema.add(rich, 21, Kind::Enum(open), Card::Repeated).packed = false;
    schema.add(rich, 22, Kind::Bytes, Card::Optional);
    schema.add(rich, 23, Kind::Double, Card::Optional);
    schema.add(rich, 24, Kind::Sint32, Card::Repeated);
    schema.add(rich, 25, Kind::Bool, Card::Repeated);
    schema.add(rich, 26, Kind::Fixed32, Card::Optional);
    schema.add(rich, 27, Kind::Uint64, Card::Repeated);
    schema
}

/// A hostile input, and what must become of it.
pub struct Hostile {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    /// `None`: it must be accepted.
    pub fault: Option<Bad>,
}

/// The table: numbers and names are those of `T`, which all schemas here share.
pub fn hostile() -> Vec<Hostile> {
    let w = Wire::new;
    let long = |len| w().tag(2, 2).raw(len);
    let rows: Vec<(&str, Wire, Option<Bad>)> = vec![
        ("groups that never end", Wire::repeat(w().tag(255, START), 60), Some(Bad::Incomplete)),
        ("unknown groups", nested_groups(60), None),
        ("nested messages", nested(30), None),
        ("groups in a map entry", w().message(5, nested_groups(20)), None),
        ("starts and ends of field 1", w().raw(&[0x0b; 40]).raw(&[0x0c; 40]), None),
        ("length above 2^31", long(&[0x80, 0x80, 0x80, 0x80, 0x08]), Some(Bad::InvalidLength)),
        ("length of 2^32-1", long(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Some(Bad::InvalidLength)),
        (
            "length of 2^64-1",
            long(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
            Some(Bad::InvalidLength),
        ),
        ("length of 2^32+1", long(&[0x81, 0x80, 0x80, 0x80, 0x10, b'a']), Some(Bad::InvalidLength)),
        (
            "packed length near 2^31",
            w().tag(4, 2).raw(&[0xf9, 0xff, 0xff, 0xff, 0x07, 0x00]),
            Some(Bad::Incomplete),
        ),
        ("child overruns parent", w().message(3, w().tag(4, 2).varint(8)).raw(&[0; 8]), Some(Bad::Overrun)),
        ("tag overruns parent", w().raw(&[0x1a, 0x02, 0xfb, 0x0f, 0x00]), Some(Bad::Overrun)),
        ("length of 2^31-1", w().tag(1, 2).raw(&[0xff, 0xff, 0xff, 0xff, 0x07]), Some(Bad::Incomplete)),
        ("empty submessages", Wire::repeat(w().message(3, w()), 40), None),
        ("unknown varints", Wire::repeat(w().int(127, 0), 20), None),
        ("two unknown fields in turn", Wire::repeat(w().int(126, 0).int(1, 1).int(127, 0), 10), None),
        ("submessages merged again", Wire::repeat(w().message(3, w().int(1, 1)), 20), None),
        ("duplicate map keys", Wire::repeat(w().message(5, w().int(1, 7).int(2, 1)), 20), None),
        (
            "many map keys",
            (0..20).fold(w(), |w, k| w.message(5, Wire::new().int(1, k << 20).int(2, 1))),
            None,
        ),
        ("tag of 7 bytes", w().raw(&[0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 5]), Some(Bad::InvalidTag)),
        ("tag above 2^32", w().raw(&[0x88, 0x80, 0x80, 0x80, 0x40, 5]), Some(Bad::InvalidTag)),
        ("tag of 5 bytes", w().raw(&[0x88, 0x80, 0x80, 0x80, 0x00, 5]), None),
        ("field 0", w().raw(&[0x00, 0x01]), Some(Bad::InvalidFieldNumber)),
        ("field 0, a group", w().raw(&[0x03, 0x04]), Some(Bad::InvalidFieldNumber)),
        ("wire type 6", w().raw(&[0x0e, 0x00]), Some(Bad::InvalidWireType)),
        ("wire type 7", w().raw(&[0x0f, 0x00]), Some(Bad::InvalidWireType)),
        ("wire type 6 in a group", w().tag(99, START).raw(&[0x0e]).tag(99, END), Some(Bad::InvalidWireType)),
        ("value above 64 bits", w().raw(&[0x08]).raw(&[0xff; 9]).raw(&[0x02]), Some(Bad::VarintOverflow)),
        ("value of 11 bytes", w().raw(&[0x08]).raw(&[0x80; 10]).raw(&[0x00]), Some(Bad::VarintOverflow)),
        (
            "unknown value of 11 bytes",
            w().tag(99, 0).raw(&[0x80; 10]).raw(&[0x00]),
            Some(Bad::VarintOverflow),
        ),
        ("length of 6 bytes", long(&[0x81, 0x80, 0x80, 0x80, 0x80, 0x00, b'a']), Some(Bad::InvalidLength)),
        ("length of 5 bytes", long(&[0x81, 0x80, 0x80, 0x80, 0x00, b'a']), None),
        ("end without start", w().raw(&[0x0c]), Some(Bad::UnexpectedEndGroup)),
        ("start without end", w().raw(&[0xfb, 0x0f]), Some(Bad::Incomplete)),
        ("end of another group", w().raw(&[0xfb, 0x0f, 0x84, 0x10]), Some(Bad::UnexpectedEndGroup)),
        ("string field as varint", w().int(2, 5), None),
        ("int field as bytes", w().bytes(1, [5]), None),
        ("broken UTF-8", w().bytes(2, [0xc3, 0x28]), Some(Bad::InvalidUtf8)),
        ("overlong UTF-8", w().bytes(2, [0xc0, 0x80]), Some(Bad::InvalidUtf8)),
        ("a surrogate", w().bytes(2, [0xed, 0xa0, 0x80]), Some(Bad::InvalidUtf8)),
        ("merged submessages", w().raw(&[0x1a, 2, 8, 1, 0x1a, 3, 0x12, 1, 0x61, 0x1a, 2, 8, 2]), None),
        ("packed and not", w().int(4, 1).bytes(4, [2, 3]).int(4, 4), None),
        ("a varint cut off by its run", w().bytes(4, [1, 0x80]).int(1, 1), Some(Bad::Overrun)),
        ("an empty run and an empty entry", w().bytes(4, []).bytes(5, []), None),
        ("an entry cut off", w().raw(&[0x2a, 3, 0x08, 1, 0x10]), Some(Bad::Overrun)),
        ("a map entry as a varint", w().int(5, 3), None),
    ];
    rows.into_iter().map(|(name, bytes, fault)| Hostile { name, bytes: bytes.0, fault }).collect()
}

/// A payload with every field of `rich`, once or more.
pub fn rich_payload() -> Vec<u8> {
    let w = Wire::new;
    let point = || Wire::new().fixed32(1, 0x3f80_0000).fixed32(3, 0x4000_0000);
    w().int(1, 5)
        .bytes(2, "hé")
        .message(3, w().int(1, 1).message(3, w().bytes(2, "x")))
        .bytes(4, [1, 2, 0x96, 1])
        .int(4, 7)
        .message(5, w().int(1, 1).int(2, 2))
        .message(5, w().int(2, 9))
        .int(6, 1)
        .int(6, 77)
        .bytes(7, [1, 99, 0])
        .group(8, w().int(1, 3).group(8, w()))
        .message(9, w())
        .message(9, w().int(1, 1))
        .bytes(10, [1; 16])
        .bytes(11, "a")
        .bytes(11, "")
        .message(12, w().bytes(1, "k").message(2, w().int(1, 2)))
        .message(13, w().int(1, 1).int(2, 98))
        .message(13, w().int(1, 0).int(2, 100))
        .int(14, 3)
        .message(15, w().int(1, 4))
        .bytes(16, "z")
        .message(17, point())
        .message(18, point())
        .message(18, w())
        .message(19, w().int(1, 1).int(64, 2).int(120, 3).message(121, w().int(1, 1)))
        .group(20, w().int(1, 1))
        .int(21, 5)
        .bytes(22, [0xff, 0x00])
        .fixed64(23, 1.5f64.to_bits())
        .bytes(24, [1, 2, 3])
        .bytes(25, [1, 0])
        .fixed32(26, 7)
        .bytes(27, [0xff, 0xff, 0x03])
        .int(100, 1)
        .group(101, w().int(1, 1).group(3, w()))
        .0
}

/// Unknown groups in each other.
pub fn nested_groups(levels: usize) -> Wire {
    let starts = Wire::repeat(Wire::new().tag(255, START), levels);
    starts.raw(&Wire::repeat(Wire::new().tag(255, END), levels).0)
}

/// `T` in itself by field 3, with nothing in the innermost.
pub fn nested(levels: usize) -> Wire {
    wrapped(levels, Wire::new(), |inner| Wire::new().message(3, inner))
}

/// Something wrapped `levels` times. Takes time in the square of the levels.
pub fn wrapped(levels: usize, innermost: Wire, wrap: impl Fn(Wire) -> Wire) -> Wire {
    (0..levels).fold(innermost, |inner, _| wrap(inner))
}

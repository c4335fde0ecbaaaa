//! Every kind with every Rust type that holds it: golden bytes, both ways, as plain member, `Option`, `Vec` and
//! arm of a oneof.

use std::borrow::Cow;
use tablepb::table::Syntax;
use tablepb::{EnumValue, Message};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Color {
    #[default]
    Red = 0,
    Green = 1,
    Far = -1,
}

tablepb::enumeration! {
    Color as "example.Color" { Red as "RED" = 0, Green as "GREEN" = 1, Far as "FAR" = -1 }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Point {
    x: i32,
}

tablepb::message! { Point as "example.Point" { x: int32 = 1 } }

/// One type of one kind: `value` is `bytes` on the wire, the zero value is `zero`.
macro_rules! kinds {
    ($($test:ident: [$($kind:tt)+] $type:ty, $wire:literal, $value:expr => $bytes:expr, zero $zero:expr;)*) => {$(
        #[test]
        fn $test() {
            #[derive(Debug, PartialEq)]
            enum Choice<'a> { Arm($type), #[allow(dead_code)] Other(&'a str) }

            #[derive(Debug, Default, PartialEq)]
            struct All<'a> {
                plain: $type,
                option: Option<$type>,
                packed: Vec<$type>,
                list: Vec<$type>,
                choice: Option<Choice<'a>>,
            }

            tablepb::message! {
                All<'a> as "example.All" {
                    plain: $($kind)+ = 1,
                    option: optional $($kind)+ = 2,
                    packed: repeated $($kind)+ = 3,
                    list: repeated $($kind)+ = 4 [packed = false],
                    choice: oneof Choice { Arm: $($kind)+ = 5, Other: string = 6 },
                }
            }

            let (value, zero): ([u8; _], [u8; _]) = ($bytes, $zero);
            let item = |number: u8, value: &[u8]| [&[number << 3 | $wire], value].concat();
            let check = |message: All<'_>, bytes: Vec<u8>| {
                assert_eq!(message.encode_to_vec().unwrap(), bytes);
                assert_eq!(message.encoded_len(), bytes.len());
                let mut slice = [0; 64];
                let n = message.encode_to_slice(&mut slice).unwrap();
                assert_eq!(slice[..n], bytes);
                assert_eq!(All::decode(&bytes).unwrap(), message);
            };
            check(All::default(), vec![]);
            check(All { plain: $value, ..All::default() }, item(1, &value));
            check(All { option: Some($value), ..All::default() }, item(2, &value));
            check(All { option: Some(Default::default()), ..All::default() }, item(2, &zero));
            let both = [item(4, &value), item(4, &zero)].concat();
            check(All { list: vec![$value, Default::default()], ..All::default() }, both);
            check(All { choice: Some(Choice::Arm($value)), ..All::default() }, item(5, &value));
            check(All { choice: Some(Choice::Arm(Default::default())), ..All::default() }, item(5, &zero));

            let many = All { packed: vec![$value, Default::default()], ..All::default() };
            let packed = [&[3 << 3 | 2, (value.len() + zero.len()) as u8][..], &value, &zero].concat();
            let unpacked = [item(3, &value), item(3, &zero)].concat();
            let packable = $wire != 2;
            check(many, if packable { packed.clone() } else { unpacked.clone() });
            // Either form is read into either member.
            let All { packed: expected, .. } =
                All { packed: vec![$value, Default::default()], ..All::default() };
            assert_eq!(All::decode(&unpacked).unwrap().packed, expected);
            if packable {
                let mut other = packed.clone();
                other[0] = 4 << 3 | 2;
                assert_eq!(All::decode(&other).unwrap().list, expected);
            }
        }
    )*};
}

kinds! {
    double: [double] f64, 1, 1.5 => [0, 0, 0, 0, 0, 0, 0xf8, 0x3f], zero [0; 8];
    double_negative_zero: [double] f64, 1, -0.0 => [0, 0, 0, 0, 0, 0, 0, 0x80], zero [0; 8];
    float: [float] f32, 5, -2.0 => [0, 0, 0, 0xc0], zero [0; 4];
    int32: [int32] i32, 0, 150 => [0x96, 1], zero [0];
    int32_negative: [int32] i32, 0, -1 => [255, 255, 255, 255, 255, 255, 255, 255, 255, 1], zero [0];
    int64: [int64] i64, 0, i64::MIN => [128, 128, 128, 128, 128, 128, 128, 128, 128, 1], zero [0];
    uint32: [uint32] u32, 0, u32::MAX => [255, 255, 255, 255, 15], zero [0];
    uint64: [uint64] u64, 0, u64::MAX => [255, 255, 255, 255, 255, 255, 255, 255, 255, 1], zero [0];
    sint32: [sint32] i32, 0, i32::MIN => [255, 255, 255, 255, 15], zero [0];
    sint64: [sint64] i64, 0, -2 => [3], zero [0];
    fixed32: [fixed32] u32, 5, 0x0403_0201 => [1, 2, 3, 4], zero [0; 4];
    fixed64: [fixed64] u64, 1, 0x0807_0605_0403_0201 => [1, 2, 3, 4, 5, 6, 7, 8], zero [0; 8];
    sfixed32: [sfixed32] i32, 5, -2 => [254, 255, 255, 255], zero [0; 4];
    sfixed64: [sfixed64] i64, 1, -2 => [254, 255, 255, 255, 255, 255, 255, 255], zero [0; 8];
    boolean: [bool] bool, 0, true => [1], zero [0];
    string: [string] String, 2, "hé".to_string() => [3, b'h', 0xc3, 0xa9], zero [0];
    string_borrowed: [string] &'a str, 2, "hé" => [3, b'h', 0xc3, 0xa9], zero [0];
    string_cow: [string] Cow<'a, str>, 2, "hé".into() => [3, b'h', 0xc3, 0xa9], zero [0];
    bytes: [bytes] Vec<u8>, 2, vec![255, 0] => [2, 255, 0], zero [0];
    bytes_borrowed: [bytes] &'a [u8], 2, &[255, 0] => [2, 255, 0], zero [0];
    bytes_cow: [bytes] Cow<'a, [u8]>, 2, vec![255, 0].into() => [2, 255, 0], zero [0];
    enumeration: [enum Color] Color, 0, Color::Green => [1], zero [0];
    enumeration_negative: [enum Color] Color, 0, Color::Far =>
        [255, 255, 255, 255, 255, 255, 255, 255, 255, 1], zero [0];
    enumeration_value: [enum Color] EnumValue<Color>, 0, EnumValue::Unknown(7) => [7], zero [0];
    enumeration_number: [enum Color] i32, 0, 9 => [9], zero [0];
    message: [message Point] Point, 2, Point { x: 3 } => [2, 8, 3], zero [0];
}

#[cfg(feature = "bytes")]
kinds! {
    bytes_shared: [bytes] tablepb::bytes::Bytes, 2, vec![255, 0].into() => [2, 255, 0], zero [0];
}

#[test]
#[expect(clippy::vec_box, reason = "it is allowed")]
fn messages_in_boxes() {
    #[derive(Debug, PartialEq)]
    enum Choice {
        Arm(Box<Point>),
    }

    #[derive(Debug, Default, PartialEq)]
    struct Boxed {
        option: Option<Box<Point>>,
        list: Vec<Box<Point>>,
        choice: Option<Choice>,
    }

    tablepb::message! {
        Boxed as "example.Boxed" {
            option: message Point = 1,
            list: repeated message Point = 2,
            choice: oneof Choice { Arm: message Point = 3 },
        }
    }

    let boxed = Boxed {
        option: Some(Box::new(Point { x: 1 })),
        list: vec![Box::default(), Box::new(Point { x: 2 })],
        choice: Some(Choice::Arm(Box::default())),
    };
    let bytes = [0x0a, 2, 8, 1, 0x12, 0, 0x12, 2, 8, 2, 0x1a, 0];
    assert_eq!(boxed.encode_to_vec().unwrap(), bytes);
    assert_eq!(Boxed::decode(&bytes).unwrap(), boxed);
}

#[test]
fn groups() {
    #[derive(Debug, PartialEq)]
    enum Choice {
        Arm(Point),
        Boxed(Box<Groups>),
    }

    #[derive(Debug, Default, PartialEq)]
    struct Groups {
        plain: Point,
        option: Option<Box<Groups>>,
        list: Vec<Point>,
        choice: Option<Choice>,
    }

    tablepb::message! {
        Groups as "example.Groups" syntax "proto2" {
            plain: group Point = 1,
            option: optional group Groups = 2,
            list: repeated group Point = 3,
            choice: oneof Choice { Arm: group Point = 4, Boxed: group Groups = 16 },
        }
    }

    let check = |groups: Groups, bytes: &[u8]| {
        assert_eq!(groups.encode_to_vec().unwrap(), bytes);
        assert_eq!(groups.encoded_len(), bytes.len());
        assert_eq!(Groups::decode(bytes).unwrap(), groups);
    };
    check(Groups::default(), &[]);
    check(Groups { plain: Point { x: 1 }, ..Groups::default() }, &[0x0b, 8, 1, 0x0c]);
    check(Groups { option: Some(Box::default()), ..Groups::default() }, &[0x13, 0x14]);
    let list = vec![Point { x: 5 }, Point::default()];
    check(Groups { list, ..Groups::default() }, &[0x1b, 8, 5, 0x1c, 0x1b, 0x1c]);
    let arm = Some(Choice::Arm(Point { x: 6 }));
    check(Groups { choice: arm, ..Groups::default() }, &[0x23, 8, 6, 0x24]);
    let inner = Groups { plain: Point { x: 7 }, ..Groups::default() };
    let boxed = Some(Choice::Boxed(Box::new(inner)));
    check(Groups { choice: boxed, ..Groups::default() }, &[0x83, 1, 0x0b, 8, 7, 0x0c, 0x84, 1]);
    assert!(Groups::TABLE.fields().iter().all(|field| field.is_delimited()));
}

#[test]
fn plain_messages_are_written_when_they_are_not_empty() {
    #[derive(Debug, Default, PartialEq)]
    struct Inner {
        first: Point,
        second: Point,
    }
    #[derive(Debug, Default, PartialEq)]
    struct Outer {
        inner: Inner,
        group: Inner,
        last: Point,
    }
    tablepb::message! {
        Inner as "example.Inner" { first: message Point = 1, second: message Point = 2 }
        Outer as "example.Outer" { inner: message Inner = 1, group: group Inner = 2, last: message Point = 3 }
    }

    let last = Outer { last: Point { x: 1 }, ..Outer::default() };
    assert_eq!(last.encode_to_vec().unwrap(), [0x1a, 2, 8, 1]);
    let inner = Inner { second: Point { x: 2 }, ..Inner::default() };
    let outer = Outer { inner, ..Outer::default() };
    assert_eq!(outer.encode_to_vec().unwrap(), [0x0a, 4, 0x12, 2, 8, 2]);
    assert_eq!(Outer::decode(&outer.encode_to_vec().unwrap()).unwrap(), outer);
    let group = Inner { second: Point { x: 2 }, ..Inner::default() };
    let outer = Outer { group, ..Outer::default() };
    assert_eq!(outer.encode_to_vec().unwrap(), [0x13, 0x12, 2, 8, 2, 0x14]);
    assert_eq!(Outer::decode(&outer.encode_to_vec().unwrap()).unwrap(), outer);
}

#[test]
fn fields_are_written_in_number_order() {
    #[derive(Debug, PartialEq)]
    enum Value {
        Early(u32),
        Late(Point),
    }

    #[derive(Debug, Default, PartialEq)]
    struct Shuffled {
        last: Vec<Point>,
        value: Option<Value>,
        middle: Point,
        first: u32,
    }

    tablepb::message! {
        Shuffled as "example.Shuffled" {
            last: repeated message Point = 9,
            value: oneof Value { Late: message Point = 7, Early: uint32 = 2 },
            middle: message Point = 3,
            first: uint32 = 1,
        }
    }

    let mut message = Shuffled {
        last: vec![Point { x: 4 }],
        value: Some(Value::Early(2)),
        middle: Point { x: 3 },
        first: 1,
    };
    let bytes = [8, 1, 0x10, 2, 0x1a, 2, 8, 3, 0x4a, 2, 8, 4];
    assert_eq!(message.encode_to_vec().unwrap(), bytes);
    assert_eq!(Shuffled::decode(&bytes).unwrap(), message);
    message.value = Some(Value::Late(Point { x: 5 }));
    let bytes = [8, 1, 0x1a, 2, 8, 3, 0x3a, 2, 8, 5, 0x4a, 2, 8, 4];
    assert_eq!(message.encode_to_vec().unwrap(), bytes);
    assert_eq!(Shuffled::decode(&bytes).unwrap(), message);
}

#[test]
fn tables_say_what_the_listing_says() {
    use tablepb::table::{Cardinality, DefaultValue};

    #[derive(Debug, Default)]
    struct Listed {
        r#type: Option<i32>,
        plain: u32,
        names: Vec<String>,
        must: Option<bool>,
        ratio: f64,
        color: Color,
        raw: Vec<u8>,
    }

    tablepb::message! {
        Listed as "example.Listed" syntax "proto2" {
            r#type: int32 = 1 [default = -5],
            plain as "simple": optional uint32 = 2 [json_name = "plainValue", default = 7],
            names: repeated string = 3 [packed = false],
            must: required bool = 4 [default = true],
            ratio: double = 5 [default = f64::INFINITY],
            color: enum Color = 6 [default = GREEN],
            raw: bytes = 7 [default = b"\x00x"],
        }
    }

    let table = Listed::TABLE;
    assert_eq!((table.full_name(), table.syntax_version()), ("example.Listed", Syntax::Proto2));
    let field = |i: usize| &table.fields()[i];
    assert_eq!((field(0).name(), field(0).default()), ("type", Some(DefaultValue::Int(-5))));
    assert!(field(0).is_optional() && field(1).is_optional());
    assert_eq!((field(1).name(), field(1).json_name_override()), ("simple", Some("plainValue")));
    assert_eq!((field(2).cardinality(), field(2).is_packed()), (Cardinality::Repeated, Some(false)));
    assert_eq!(field(3).cardinality(), Cardinality::Required);
    assert_eq!(field(4).default(), Some(DefaultValue::Float(f64::INFINITY)));
    assert_eq!(field(5).default(), Some(DefaultValue::Enum("GREEN")));
    assert_eq!(field(6).default(), Some(DefaultValue::Bytes(b"\0x")));

    // Decoding starts at the defaults of members without presence, and they are not written.
    let listed = Listed::decode(&[0x20, 1]).unwrap();
    assert_eq!((listed.r#type, listed.plain, listed.ratio), (None, 7, f64::INFINITY));
    assert_eq!((listed.color, &listed.raw[..]), (Color::Green, &b"\0x"[..]));
    assert_eq!(listed.encode_to_vec().unwrap(), [0x20, 1]);
    let mut listed = Listed { must: Some(true), ..Listed::default() };
    assert_eq!(listed.encode_to_vec().unwrap(), zeros());
    listed.clear();
    assert_eq!((listed.plain, listed.color, listed.must), (7, Color::Green, None));
}

/// The zero values of a message whose defaults are others.
fn zeros() -> Vec<u8> {
    let mut bytes = vec![0x10, 0, 0x20, 1, 0x29];
    bytes.extend([0; 8]);
    bytes.extend([0x30, 0, 0x3a, 0]);
    bytes
}

#[test]
fn an_empty_listing_is_a_message() {
    #[derive(Debug, Default, PartialEq)]
    struct Empty {}
    #[derive(Debug, Default)]
    struct Unit;
    tablepb::message! {
        Empty as "example.Empty" {}
        Unit as "example.Unit" {}
    }
    assert_eq!(Empty::decode(&[0x08, 1]).unwrap(), Empty {});
    assert_eq!((Empty::TABLE.fields().len(), Unit::decode(&[]).unwrap().encoded_len()), (0, 0));
}

#[test]
fn members_that_are_skipped_are_left_alone() {
    #[derive(Debug, Default, PartialEq)]
    struct Cached {
        value: u32,
        cache: Option<String>,
    }
    tablepb::message! { Cached as "example.Cached" { value: uint32 = 1, cache: skip } }
    let mut cached = Cached { value: 1, cache: Some("kept".into()) };
    assert_eq!(cached.encode_to_vec().unwrap(), [8, 1]);
    cached.clear();
    cached.merge(&[8, 2]).unwrap();
    assert_eq!(cached, Cached { value: 2, cache: Some("kept".into()) });
}

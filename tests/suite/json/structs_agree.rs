//! JSON of structs against JSON of dynamic messages of their tables: the same text, the same values, the same errors.

#![cfg(feature = "std")]

use crate::common::{choices::Choices, rounds};
use std::collections::{BTreeMap, HashMap};
use tablepb::ParseErrorKind;
use tablepb::json;
use tablepb::schema::FieldKind;
use tablepb::{
    DecodeErrorKind, DecodeOptions, DecodeOwned, Decoder, DescriptorPool, EncodeErrorKind, EncodeOptions,
    EnumValue, FieldDescriptor, Lazy, Message, MessageDescriptor, Prepared, SmallMap, UnknownFieldSet, wkt,
};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Color {
    #[default]
    Red = 0,
    Green = 1,
    Far = -7,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Level {
    #[default]
    Low = 3,
    High = -2,
}

tablepb::enumeration! {
    Color as "agree.Color" { Red as "RED" = 0, Green as "GREEN" = 1, Far as "FAR" = -7 }
    Level as "agree.Level" syntax "proto2" { Low as "LOW" = 3, High as "HIGH" = -2 }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Leaf {
    id: u32,
    name: String,
}

#[derive(Debug, PartialEq)]
enum Choice {
    Number(i64),
    Text(String),
    Inner(Box<All>),
    Leaf(Leaf),
    Value(wkt::Value),
    Color(EnumValue<Color>),
    Level(Old),
}

#[derive(Debug, PartialEq)]
enum Other {
    Null(wkt::NullValue),
    Data(Vec<u8>),
}

#[derive(Debug, Default, PartialEq)]
struct All {
    double: f64,
    float: f32,
    int32: i32,
    int64: i64,
    uint32: u32,
    uint64: u64,
    sint32: i32,
    sint64: i64,
    fixed32: u32,
    fixed64: u64,
    sfixed32: i32,
    sfixed64: i64,
    boolean: bool,
    a_string: String,
    bytes: Vec<u8>,
    color: EnumValue<Color>,
    own_color: Color,
    color_number: i32,
    option: Option<u64>,
    no_text: Option<String>,
    leaf: Leaf,
    inner: Option<Box<All>>,
    list: Vec<All>,
    strings: Vec<String>,
    doubles: Vec<f64>,
    longs: Vec<i64>,
    fixed: Vec<u64>,
    ints: Vec<i32>,
    zigzag: Vec<i32>,
    booleans: Vec<bool>,
    blobs: Vec<Vec<u8>>,
    colors: Vec<EnumValue<Color>>,
    choice: Option<Choice>,
    other: Option<Other>,
    unknown: UnknownFieldSet,
}

#[derive(Debug, Default, PartialEq)]
struct Maps {
    by_text: HashMap<String, All>,
    by_int32: BTreeMap<i32, String>,
    by_int64: BTreeMap<i64, f64>,
    by_uint32: SmallMap<u32, u64>,
    by_uint64: SmallMap<u64, Leaf>,
    by_sint32: HashMap<i32, EnumValue<Color>>,
    by_sint64: HashMap<i64, Vec<u8>>,
    by_fixed32: BTreeMap<u32, bool>,
    by_fixed64: BTreeMap<u64, f32>,
    by_sfixed32: BTreeMap<i32, Box<Maps>>,
    by_sfixed64: BTreeMap<i64, wkt::Value>,
    by_bool: HashMap<bool, wkt::Timestamp>,
    nulls: BTreeMap<String, wkt::NullValue>,
}

#[derive(Debug, Default, PartialEq)]
struct Known {
    time: Option<wkt::Timestamp>,
    times: Vec<wkt::Timestamp>,
    duration: Option<wkt::Duration>,
    mask: Option<wkt::FieldMask>,
    any: Option<wkt::Any>,
    object: Option<wkt::Struct>,
    value: Option<wkt::Value>,
    values: Vec<wkt::Value>,
    list: Option<wkt::ListValue>,
    double: Option<wkt::DoubleValue>,
    float: Option<wkt::FloatValue>,
    int64: Option<wkt::Int64Value>,
    uint64: Option<wkt::UInt64Value>,
    int32: Option<wkt::Int32Value>,
    uint32: Option<wkt::UInt32Value>,
    boolean: Option<wkt::BoolValue>,
    string: Option<wkt::StringValue>,
    bytes: Option<wkt::BytesValue>,
    empty: Option<wkt::Empty>,
    null: wkt::NullValue,
    strings: Vec<wkt::StringValue>,
    plain: wkt::Duration,
}

#[derive(Debug, Default, PartialEq)]
struct Old {
    id: Option<i32>,
    level: Option<EnumValue<Level>>,
    plain_level: i32,
    count: u32,
    text: String,
    flag: bool,
    levels: Vec<Level>,
    by_level: BTreeMap<i32, Color>,
    group: Option<Box<Old>>,
    groups: Vec<Old>,
    needed: Option<Leaf>,
    unknown: UnknownFieldSet,
}

#[derive(Debug, Default)]
struct Kept {
    lazy: Lazy<Leaf>,
    maybe: Option<Lazy<Leaf>>,
    lazies: Vec<Lazy<Leaf>>,
    prepared: Option<Prepared<Leaf>>,
    name: String,
}

tablepb::message! {
    Leaf as "agree.Leaf" { id: uint32 = 1, name: string = 2 }
    All as "agree.All" {
        double: double = 1,
        float: float = 2,
        int32: int32 = 3,
        int64: int64 = 4,
        uint32: uint32 = 5,
        uint64: uint64 = 6,
        sint32: sint32 = 7,
        sint64: sint64 = 8,
        fixed32: fixed32 = 9,
        fixed64: fixed64 = 10,
        sfixed32: sfixed32 = 11,
        sfixed64: sfixed64 = 12,
        boolean: bool = 13,
        a_string: string = 14,
        bytes: bytes = 15 [json_name = "od\"d é"],
        color: enum Color = 16,
        own_color: enum Color = 17,
        color_number: enum Color = 18,
        option: optional uint64 = 19,
        no_text: optional string = 20,
        leaf: message Leaf = 21,
        inner: message All = 22,
        list: repeated message All = 23,
        strings: repeated string = 24,
        doubles: repeated double = 25,
        longs: repeated int64 = 26,
        fixed: repeated fixed64 = 27 [packed = false],
        ints: repeated int32 = 28,
        zigzag: repeated sint32 = 29,
        booleans: repeated bool = 30,
        blobs: repeated bytes = 31,
        colors: repeated enum Color = 32,
        choice: oneof Choice {
            Number as "number": int64 = 40,
            Text as "text_choice": string = 33,
            Inner as "inner_choice": message All = 41,
            Leaf as "leaf_choice": message Leaf = 42,
            Value as "value_choice": message wkt::Value = 43,
            Color as "color_choice": enum Color = 44,
            Level as "old_choice": message Old = 45,
        },
        other: oneof Other { Null as "null_choice": enum wkt::NullValue = 50, Data as "data_choice": bytes = 51 },
        unknown: unknown_fields,
    }
    Maps as "agree.Maps" {
        by_text: map<string, message All> = 1,
        by_int32: map<int32, string> = 2,
        by_int64: map<int64, double> = 3,
        by_uint32: map<uint32, uint64> = 4,
        by_uint64: map<uint64, message Leaf> = 5,
        by_sint32: map<sint32, enum Color> = 6,
        by_sint64: map<sint64, bytes> = 7,
        by_fixed32: map<fixed32, bool> = 8,
        by_fixed64: map<fixed64, float> = 9,
        by_sfixed32: map<sfixed32, message Maps> = 10,
        by_sfixed64: map<sfixed64, message wkt::Value> = 11,
        by_bool: map<bool, message wkt::Timestamp> = 12,
        nulls: map<string, enum wkt::NullValue> = 13,
    }
    Known as "agree.Known" {
        time: message wkt::Timestamp = 1,
        times: repeated message wkt::Timestamp = 2,
        duration: message wkt::Duration = 3,
        mask: message wkt::FieldMask = 4,
        any: message wkt::Any = 5,
        object: message wkt::Struct = 6,
        value: message wkt::Value = 7,
        values: repeated message wkt::Value = 8,
        list: message wkt::ListValue = 9,
        double: message wkt::DoubleValue = 10,
        float: message wkt::FloatValue = 11,
        int64: message wkt::Int64Value = 12,
        uint64: message wkt::UInt64Value = 13,
        int32: message wkt::Int32Value = 14,
        uint32: message wkt::UInt32Value = 15,
        boolean: message wkt::BoolValue = 16,
        string: message wkt::StringValue = 17,
        bytes: message wkt::BytesValue = 18,
        empty: message wkt::Empty = 19,
        null: enum wkt::NullValue = 20,
        strings: repeated message wkt::StringValue = 21,
        plain: message wkt::Duration = 22,
    }
    Old as "agree.Old" syntax "proto2" {
        id: required int32 = 1,
        level: enum Level = 2 [default = HIGH],
        plain_level: enum Level = 3 [default = HIGH],
        count: uint32 = 4 [default = 7],
        text: string = 5 [default = "x"],
        flag: bool = 6,
        levels: repeated enum Level = 7,
        by_level: map<int32, enum Color> = 8,
        group: group Old = 9,
        groups: repeated group Old = 10,
        needed: message Leaf = 11,
        unknown: unknown_fields,
    }
    Kept as "agree.Kept" {
        lazy: message Leaf = 1,
        maybe: message Leaf = 2,
        lazies: repeated message Leaf = 3,
        prepared: message Leaf = 4,
        name: string = 5,
    }
}

/// More fields than a word has bits.
macro_rules! wide {
    ($($field:ident $number:literal)*) => {
        #[derive(Debug, Default, PartialEq)]
        struct Wide { $($field: Option<i32>,)* more: Vec<Wide>, choice: Option<WideChoice> }

        #[derive(Debug, PartialEq)]
        enum WideChoice { One(i32), Two(String) }

        tablepb::message! {
            Wide as "agree.Wide" {
                $($field: int32 = $number,)*
                more: repeated message Wide = 900,
                choice: oneof WideChoice { One as "one": int32 = 901, Two as "two": string = 902 },
            }
        }
    };
}

wide! {
    a0 1 a1 2 a2 3 a3 4 a4 5 a5 6 a6 7 a7 8 a8 9 a9 10
    b0 11 b1 12 b2 13 b3 14 b4 15 b5 16 b6 17 b7 18 b8 19 b9 20
    c0 21 c1 22 c2 23 c3 24 c4 25 c5 26 c6 27 c7 28 c8 29 c9 30
    d0 31 d1 32 d2 33 d3 34 d4 35 d5 36 d6 37 d7 38 d8 39 d9 40
    e0 41 e1 42 e2 43 e3 44 e4 45 e5 46 e6 47 e7 48 e8 49 e9 50
    f0 51 f1 52 f2 53 f3 54 f4 55 f5 56 f6 57 f7 58 f8 59 f9 60
    g0 61 g1 62 g2 63 g3 64 g4 65 g5 66 g6 67 g7 68 g8 69 g9 70
}

const PARTIAL: EncodeOptions = EncodeOptions::new().allow_partial(true);

fn descriptor<M: Message>() -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[M::TABLE]).unwrap();
    pool.message(M::TABLE.full_name()).unwrap()
}

/// Every choice of options.
fn print_options() -> impl Iterator<Item = json::Printer> {
    (0..32).map(|bits| {
        json::Printer::new()
            .stringify_64_bit_integers(bits & 1 == 0)
            .use_enum_numbers(bits & 2 != 0)
            .use_proto_field_name(bits & 4 != 0)
            .skip_default_fields(bits & 8 == 0)
            .pretty(bits & 16 != 0)
    })
}

type Printed = Result<String, (EncodeErrorKind, String)>;

/// By way of the encoding and a dynamic message.
fn printed_as_message<M: Message>(
    message: &M,
    descriptor: &MessageDescriptor,
    options: &json::Printer,
) -> Printed {
    let mut bytes = Vec::new();
    PARTIAL.encode(message, &mut bytes).map_err(|error| {
        let kind = match error.kind() {
            EncodeErrorKind::DepthExceeded => EncodeErrorKind::DepthExceeded,
            _ => EncodeErrorKind::InvalidMessage,
        };
        (kind, error.path().to_string())
    })?;
    let whole = DecodeOptions::new().allow_partial(true).budget(usize::MAX);
    let mut decoder = Decoder::new(descriptor).with_options(whole);
    let view = decoder.decode(&bytes).map_err(|e| (EncodeErrorKind::InvalidMessage, e.path().to_string()))?;
    let mut buffer = Vec::new();
    options.append(&mut buffer, &view).map_err(|e| (e.kind(), e.path().to_string()))?;
    Ok(String::from_utf8(buffer).unwrap())
}

#[track_caller]
fn prints_alike<M: Message>(message: &M, descriptor: &MessageDescriptor) {
    for options in print_options() {
        let mut buffer = b"before".to_vec();
        let printed = options.append(&mut buffer, message).map_err(|e| (e.kind(), e.path().to_string()));
        let text = String::from_utf8(buffer.split_off(6)).unwrap();
        assert_eq!(buffer, b"before");
        assert!(printed.is_ok() || text.is_empty());
        let expected = printed_as_message(message, descriptor, &options);
        assert_eq!(printed.map(|()| text), expected, "{options:?}");
    }
}

/// By way of a dynamic message and its encoding.
fn parsed_as_message<M: DecodeOwned>(
    json: &[u8],
    descriptor: &MessageDescriptor,
    options: &json::Parser,
) -> Result<M, (ParseErrorKind, usize, usize, usize, String)> {
    let message = options
        .message_from_slice(descriptor, json)
        .map_err(|e| (e.kind(), e.offset(), e.line(), e.column(), e.path().to_string()))?;
    let mut bytes = Vec::new();
    PARTIAL
        .encode(&message, &mut bytes)
        .map_err(|_| (ParseErrorKind::InvalidMessage, 0, 1, 1, String::new()))?;
    let bounds = DecodeOptions::new().allow_partial(true).budget(options.budget_for(json.len()));
    bounds.decode::<M>(&bytes).map_err(|e| {
        let kind = match e.kind() {
            DecodeErrorKind::BudgetExceeded => ParseErrorKind::BudgetExceeded,
            DecodeErrorKind::DepthExceeded => ParseErrorKind::DepthExceeded,
            _ => ParseErrorKind::InvalidMessage,
        };
        (kind, 0, 1, 1, e.path().to_string())
    })
}

/// A dynamic message becomes the struct that its encoding is.
#[track_caller]
fn converts_alike<M: DecodeOwned>(bytes: &[u8], descriptor: &MessageDescriptor) {
    let whole = DecodeOptions::new().allow_partial(true).budget(usize::MAX);
    let Ok(message) = whole.decode_dynamic(descriptor, bytes) else { return };
    let mut again = Vec::new();
    PARTIAL.encode(&message, &mut again).unwrap();
    match (message.transcode_to::<M>(), whole.decode::<M>(&again)) {
        (Ok(converted), Ok(expected)) => assert_eq!(encoded(&converted), encoded(&expected), "{message}"),
        (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected.to_string(), "{message}"),
        (converted, expected) => panic!("{:?} {:?} {message}", converted.err(), expected.err()),
    }
}

fn encoded<M: Message>(message: &M) -> Vec<u8> {
    let mut bytes = Vec::new();
    PARTIAL.deterministic(true).encode(message, &mut bytes).unwrap();
    bytes
}

/// Gives the struct, if the text is valid.
#[track_caller]
fn parses_alike<M: DecodeOwned>(
    json: &[u8],
    descriptor: &MessageDescriptor,
    options: &json::Parser,
) -> Option<M> {
    let parsed = options.from_slice::<M>(json);
    let expected = parsed_as_message::<M>(json, descriptor, options);
    let shown = || String::from_utf8_lossy(json).into_owned();
    match (parsed, expected) {
        (Ok(parsed), Ok(expected)) => {
            // Bytes, because NaN is not equal to itself.
            assert_eq!(encoded(&parsed), encoded(&expected), "{}", shown());
            Some(parsed)
        }
        (Err(error), Err(expected)) => {
            let error =
                (error.kind(), error.offset(), error.line(), error.column(), error.path().to_string());
            if expected.0 != ParseErrorKind::InvalidMessage {
                assert_eq!(error, expected, "{}", shown());
            }
            None
        }
        // Without a dynamic message, the budget goes further.
        (Ok(_), Err(expected)) if expected.0 == ParseErrorKind::BudgetExceeded => None,
        (parsed, expected) => {
            panic!("{:?} {:?} {}", parsed.map(|_| ()), expected.map(|_| ()), shown())
        }
    }
}

/// Random JSON for a message type, mostly valid.
struct Writer<'c> {
    choices: &'c mut Choices,
    text: String,
    /// One value in so many is odd.
    oddness: usize,
}

impl Writer<'_> {
    fn space(&mut self) {
        if self.choices.once_in(12) {
            self.text.push_str(["", " ", "\n\t", "  "][self.choices.below(4)]);
        }
    }

    fn odd(&mut self) -> bool {
        self.oddness > 0 && self.choices.once_in(self.oddness)
    }

    fn message(&mut self, descriptor: &MessageDescriptor, depth: usize) {
        let name = descriptor.full_name().to_string();
        match name.strip_prefix("google.protobuf.").unwrap_or_default() {
            "Timestamp" => {
                return self.pick(
                    &[
                        "\"1972-01-01T10:00:20.021Z\"",
                        "\"0001-01-01T00:00:00Z\"",
                        "\"2000-02-29T23:59:59.999999999+01:00\"",
                        "\"1970-01-01T00:00:00Z\"",
                    ],
                    "\"1970-01-01t00:00:00Z\"",
                );
            }
            "Duration" => {
                return self.pick(
                    &["\"3s\"", "\"-0.5s\"", "\"0s\"", "\"315576000000.000000001s\"", "\"1.000340012s\""],
                    "\"3\"",
                );
            }
            "FieldMask" => return self.pick(&["\"a,fooBar\"", "\"\"", "\"x.y\""], "\"a__b\""),
            "Any" => {
                return self.pick(
                    &[
                        "{}",
                        "{\"@type\":\"x/agree.Leaf\",\"id\":4}",
                        "{\"@type\":\"x/google.protobuf.Duration\",\"value\":\"3s\"}",
                    ],
                    "{\"@type\":\"x/none\"}",
                );
            }
            "Struct" => return self.object(depth),
            "ListValue" => return self.array(depth),
            "Value" => return self.value(depth),
            "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value" | "UInt32Value"
            | "BoolValue" | "StringValue" | "BytesValue" => {
                return self.scalar(&descriptor.get_field(1).unwrap());
            }
            _ => {}
        }
        self.text.push('{');
        let fields: Vec<_> = descriptor.fields().collect();
        let many = fields.len() * (self.choices.below(4) + 1) / 4;
        let mut oneofs = Vec::new();
        let mut first = true;
        for (at, field) in fields.iter().enumerate() {
            let twice = self.odd();
            if self.choices.below(fields.len()) > many && !twice {
                continue;
            }
            if let Some(oneof) = field.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
                let name = oneof.name().to_string();
                if oneofs.contains(&name) && !self.odd() {
                    continue;
                }
                oneofs.push(name);
            }
            // Not always in order.
            let field = if self.odd() { self.choices.pick(&fields).clone() } else { field.clone() };
            if depth > 4 && matches!(field.kind(), FieldKind::Message(_)) {
                continue;
            }
            if !std::mem::replace(&mut first, false) {
                self.text.push(',');
            }
            self.space();
            let name = if self.choices.once_in(4) { field.name() } else { field.json_name() };
            self.text.push_str(&serde_json::to_string(name).unwrap());
            self.space();
            self.text.push(':');
            self.space();
            if self.choices.once_in(15) {
                self.text.push_str("null");
            } else {
                self.field(&field, depth);
            }
            self.space();
            if self.odd() && at % 2 == 0 {
                self.text.push_str(",\"not a field\":[{\"x\":[1,\"]\"]},null]");
            }
        }
        self.text.push('}');
    }

    fn field(&mut self, field: &FieldDescriptor, depth: usize) {
        if field.is_map() {
            let FieldKind::Message(entry) = field.kind() else { unreachable!("a map has entries") };
            let (key, value) = (entry.map_entry_key_field().unwrap(), entry.map_entry_value_field().unwrap());
            self.text.push('{');
            for at in 0..self.choices.below(4) {
                if at > 0 {
                    self.text.push(',');
                }
                let start = self.text.len();
                self.scalar(&key);
                let text = self.text.split_off(start);
                let text = if text.starts_with('"') { text } else { format!("\"{text}\"") };
                self.text.push_str(&text);
                self.text.push(':');
                self.one(&value, depth);
            }
            return self.text.push('}');
        }
        if !field.is_list() {
            return self.one(field, depth);
        }
        self.text.push('[');
        for at in 0..self.choices.below(5) {
            if at > 0 {
                self.text.push(',');
            }
            self.space();
            self.one(field, depth);
            self.space();
        }
        self.text.push(']');
    }

    fn one(&mut self, field: &FieldDescriptor, depth: usize) {
        match field.kind() {
            FieldKind::Message(message) => self.message(&message, depth + 1),
            _ => self.scalar(field),
        }
    }

    fn pick(&mut self, good: &[&str], bad: &str) {
        let text = if self.odd() { bad } else { self.choices.pick(good) };
        self.text.push_str(text);
    }

    fn scalar(&mut self, field: &FieldDescriptor) {
        if self.odd() {
            let odd = [
                "null",
                "true",
                "1.5",
                "\"\"",
                "{}",
                "[1]",
                "1e400",
                "-1",
                "99999999999999999999",
                "\"x\"",
                "nul",
                "4294967296",
            ];
            let text = *self.choices.pick(&odd);
            return self.text.push_str(text);
        }
        let bits = self.choices.bits();
        let number = match field.kind() {
            FieldKind::Int32 | FieldKind::Sint32 | FieldKind::Sfixed32 => (bits as i32).to_string(),
            FieldKind::Uint32 | FieldKind::Fixed32 => (bits as u32).to_string(),
            FieldKind::Int64 | FieldKind::Sint64 | FieldKind::Sfixed64 => (bits as i64).to_string(),
            FieldKind::Uint64 | FieldKind::Fixed64 => bits.to_string(),
            FieldKind::Float => match f32::from_bits(bits as u32) {
                value if value.is_finite() => format!("{value:?}"),
                _ => "\"-Infinity\"".into(),
            },
            FieldKind::Double => match f64::from_bits(bits) {
                value if value.is_finite() => format!("{value:?}"),
                _ => "\"NaN\"".into(),
            },
            FieldKind::Bool => return self.pick(&["true", "false"], "\"true\""),
            FieldKind::String => {
                let text = self.choices.text(40);
                return self.text.push_str(&serde_json::to_string(&text).unwrap());
            }
            FieldKind::Bytes => {
                return self.pick(&["\"\"", "\"AA==\"", "\"-_8\"", "\"AAECAwQFBgcICQ==\""], "\"A\"");
            }
            FieldKind::Enum(listed) => {
                let values: Vec<_> = listed.values().collect();
                let value = self.choices.pick(&values);
                let text = match self.choices.below(6) {
                    0 => value.number().to_string(),
                    1 if values.len() == 1 => "null".into(),
                    2 if self.oddness > 0 => "77".into(),
                    3 if self.oddness > 0 => "\"NONE\"".into(),
                    _ => format!("\"{}\"", value.name()),
                };
                return self.text.push_str(&text);
            }
            FieldKind::Message(_) => unreachable!("a scalar"),
        };
        let text = match self.choices.below(8) {
            0 if !number.starts_with('"') => format!("\"{number}\""),
            1 if number.bytes().all(|byte| byte.is_ascii_digit()) => format!("{number}.0"),
            2 if number.bytes().all(|byte| byte.is_ascii_digit()) => format!("{number}0E-1"),
            _ => number,
        };
        self.text.push_str(&text);
    }

    fn value(&mut self, depth: usize) {
        match self.choices.below(if depth > 4 { 4 } else { 6 }) {
            0 => self.pick(&["null"], "nothing"),
            1 => self.pick(&["1", "-0.5", "1e300", "0"], "1e999"),
            2 => self.pick(&["\"\"", "\"text\"", "\"\\u00e9\\n\""], "\"\\x\""),
            3 => self.pick(&["true", "false"], "True"),
            4 => self.object(depth),
            _ => self.array(depth),
        }
    }

    fn object(&mut self, depth: usize) {
        self.text.push('{');
        for at in 0..self.choices.below(4) {
            let key = if self.odd() { 0 } else { at };
            self.text.push_str(&format!("{}\"k{key}\":", if at > 0 { "," } else { "" }));
            self.value(depth + 1);
        }
        self.text.push('}');
    }

    fn array(&mut self, depth: usize) {
        self.text.push('[');
        for at in 0..self.choices.below(4) {
            self.text.push_str(if at > 0 { ", " } else { "" });
            self.value(depth + 1);
        }
        self.text.push(']');
    }
}

fn json(descriptor: &MessageDescriptor, choices: &mut Choices, oddness: usize) -> Vec<u8> {
    let mut writer = Writer { choices, text: String::new(), oddness };
    writer.message(descriptor, 0);
    writer.text.into_bytes()
}

fn parse_options(choices: &mut Choices) -> json::Parser {
    let options = json::Parser::new()
        .deny_unknown_fields(choices.once_in(2))
        .allow_duplicate_keys(choices.once_in(2))
        .allow_partial(choices.once_in(2));
    match choices.below(6) {
        0 => options.max_depth(choices.below(5) as u32),
        1 => options.budget(choices.below(4000)),
        _ => options,
    }
}

fn seeds(few: u32) -> std::ops::Range<u64> {
    0..std::env::var("TABLEPB_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(rounds(few).into())
}

/// Valid JSON, odd JSON, and JSON with bytes changed.
fn agrees<M: DecodeOwned>() {
    let descriptor = descriptor::<M>();
    let mut good = 0;
    for seed in seeds(150) {
        let mut choices = Choices::seeded(seed);
        let oddness = [0, 0, 200, 40, 12][choices.below(5)];
        let mut text = json(&descriptor, &mut choices, oddness);
        if choices.once_in(4) {
            for _ in 0..choices.below(4) {
                let at = choices.below(text.len());
                text[at] = *choices.pick(b"{}[]\",:0 \\xn\x80");
            }
        }
        let lenient = json::Parser::new().allow_partial(true);
        let options = if choices.once_in(2) { lenient } else { parse_options(&mut choices) };
        if let Some(message) = parses_alike::<M>(&text, &descriptor, &options) {
            good += 1;
            if seed % 4 == 0 {
                prints_alike(&message, &descriptor);
            }
            // What the decoder makes of bytes that are not quite right: unknown fields above all.
            let mut bytes = encoded(&message);
            for _ in 0..choices.below(3) {
                crate::common::payload::mutate(&mut bytes, &mut choices);
            }
            converts_alike::<M>(&bytes, &descriptor);
            let decoded = DecodeOptions::new().allow_partial(true).decode::<M>(&bytes);
            if let (Ok(message), 0) = (decoded, seed % 5) {
                prints_alike(&message, &descriptor);
            }
        }
    }
    assert!(good > 0);
}

#[test]
fn scalars_lists_and_oneofs_agree() {
    agrees::<All>();
}

#[test]
fn maps_agree() {
    agrees::<Maps>();
}

#[test]
fn well_known_types_agree() {
    agrees::<Known>();
    agrees::<wkt::Value>();
    agrees::<wkt::Struct>();
    agrees::<wkt::ListValue>();
    agrees::<wkt::Timestamp>();
    agrees::<wkt::Int64Value>();
    agrees::<wkt::Empty>();
}

#[test]
fn proto2_agrees() {
    agrees::<Old>();
}

#[test]
fn wide_messages_agree() {
    agrees::<Wide>();
}

#[test]
fn messages_kept_as_bytes_agree() {
    agrees::<Kept>();
    let descriptor = descriptor::<Kept>();
    let leaf = Leaf { id: 7, name: "x".into() };
    let mut kept = Kept { lazy: leaf.clone().into(), name: "kept".into(), ..Kept::default() };
    prints_alike(&kept, &descriptor);
    kept.maybe = Some(Lazy::new());
    kept.lazies = vec![leaf.clone().into(), Lazy::new()];
    kept.prepared = Some(Prepared::new(&leaf).unwrap());
    prints_alike(&kept, &descriptor);
    // A lazy message that is none.
    let broken = Kept::decode(b"\x0a\x02\x08\x80").unwrap();
    prints_alike(&broken, &descriptor);
    assert_eq!(tablepb::json::to_string(&broken).unwrap_err().kind(), EncodeErrorKind::InvalidMessage);
}

/// Every prefix of a text is an error, the same one.
#[test]
fn every_truncation_agrees() {
    fn truncations<M: DecodeOwned>(seed: u64) {
        let descriptor = descriptor::<M>();
        let text = json(&descriptor, &mut Choices::seeded(seed), 0);
        let step = if cfg!(miri) { 97 } else { 1 + text.len() / 600 };
        for len in (0..text.len()).step_by(step) {
            let options = json::Parser::new().allow_partial(true);
            assert!(parses_alike::<M>(&text[..len], &descriptor, &options).is_none(), "{len}");
        }
    }
    for seed in seeds(2) {
        truncations::<All>(seed);
        truncations::<Maps>(seed);
        truncations::<Known>(seed);
        truncations::<Old>(seed);
    }
}

/// Values whose text is the same by luck only.
#[test]
fn edges_agree() {
    let all = descriptor::<All>();
    let unknown = |bytes: &[u8]| {
        let mut unknown = UnknownFieldSet::new();
        unknown.append(bytes).unwrap();
        All { unknown, int32: 5, ..All::default() }
    };
    for message in [
        All { double: -0.0, float: f32::NAN, ..All::default() },
        All {
            double: f64::INFINITY,
            float: f32::NEG_INFINITY,
            doubles: vec![f64::NAN, -0.0, 1e300],
            ..All::default()
        },
        All { color_number: 9, color: EnumValue::Unknown(-4), ..All::default() },
        All {
            no_text: Some(String::new()),
            option: Some(0),
            leaf: Leaf { id: 0, name: "n".into() },
            ..All::default()
        },
        All {
            choice: Some(Choice::Leaf(Leaf::default())),
            other: Some(Other::Null(wkt::NullValue::NullValue)),
            ..All::default()
        },
        All { a_string: "\"\\\u{1}\u{7f}é\u{2028}".repeat(9), ..All::default() },
        // A field that the message has: the number of `own_color` that its enum does not list.
        unknown(b"\x88\x01\x09"),
        unknown(b"\xa0\x06\x01"),
        unknown(b"\xa3\x06\x08\x01\xa4\x06"),
    ] {
        prints_alike(&message, &all);
    }
    // Numbers that a closed enum does not list are unknown fields on the wire.
    let old = descriptor::<Old>();
    for message in [
        Old { level: Some(EnumValue::Unknown(7)), ..Old::default() },
        Old { plain_level: 7, count: 1, ..Old::default() },
        Old { groups: vec![Old { level: Some(EnumValue::Unknown(7)), ..Old::default() }], ..Old::default() },
    ] {
        prints_alike(&message, &old);
    }
    for len in 0..70 {
        let text: String = (0..len).map(|at| char::from(b'a' + at % 26)).collect();
        for special in ["", "\"", "\\", "\n", "é"] {
            for at in [0, len / 2, len] {
                let mut a_string = text.clone();
                a_string.insert_str(at.into(), special);
                let message = All { a_string, ..All::default() };
                assert_eq!(
                    tablepb::json::to_string(&message).unwrap(),
                    printed_as_message(&message, &all, &json::Printer::new()).unwrap()
                );
            }
        }
    }
    // A struct that keeps bytes of no sense for unknown fields.
    #[derive(Default)]
    struct Raw {
        bytes: Vec<u8>,
    }
    tablepb::message! { Raw as "agree.Raw" { bytes: unknown_fields } }
    let raw = descriptor::<Raw>();
    for bytes in [&b"\x80"[..], b"\x08", b"\x0b", b"\x0c", b"\x08\x01", b"\x0a\x01x", b""] {
        prints_alike(&Raw { bytes: bytes.into() }, &raw);
    }
    let known = descriptor::<Known>();
    for (seconds, nanos) in
        [(0, 0), (-1, 1), (1, -1), (253_402_300_800, 0), (5, 1_000_000_000), (i64::MIN, i32::MIN)]
    {
        let message = Known { time: Some(wkt::Timestamp { seconds, nanos }), ..Known::default() };
        prints_alike(&message, &known);
        let message = Known { duration: Some(wkt::Duration { seconds, nanos }), ..Known::default() };
        prints_alike(&message, &known);
    }
    for number in [f64::NAN, f64::INFINITY, 1.5] {
        let message =
            Known { values: vec![wkt::Value::from(number), wkt::Value::default()], ..Known::default() };
        prints_alike(&message, &known);
    }
}

/// 100 levels are accepted both ways, 101 are not; lists, boxes, oneofs and maps count alike.
#[test]
fn depth_agrees() {
    let (all, maps) = (descriptor::<All>(), descriptor::<Maps>());
    type Wrap = (fn(All) -> All, &'static str, &'static str);
    let wraps: [Wrap; 3] = [
        (|inner| All { inner: Some(Box::new(inner)), ..All::default() }, "{\"inner\":", "}"),
        (|inner| All { list: vec![inner], ..All::default() }, "{\"list\":[", "]}"),
        (
            |inner| All { choice: Some(Choice::Inner(Box::new(inner))), ..All::default() },
            "{\"innerChoice\":",
            "}",
        ),
    ];
    for (wrap, open, close) in wraps {
        for levels in [99, 100, 101, 102, 5000] {
            let text = format!("{}{{}}{}", open.repeat(levels), close.repeat(levels));
            let parsed = parses_alike::<All>(text.as_bytes(), &all, &json::Parser::new());
            assert_eq!(parsed.is_some(), levels <= 100, "{levels}");
            let deeper = json::Parser::new().max_depth(200);
            parses_alike::<All>(text.as_bytes(), &all, &deeper);
            if levels < 5000 {
                prints_alike(&(0..levels).fold(All::default(), |inner, _| wrap(inner)), &all);
            }
        }
    }
    for levels in [49, 50, 51] {
        for inner in ["{}", "{\"byInt32\":{\"1\":\"x\"}}"] {
            let text = format!("{}{inner}{}", "{\"bySfixed32\":{\"1\":".repeat(levels), "}}".repeat(levels));
            parses_alike::<Maps>(text.as_bytes(), &maps, &json::Parser::new());
            // Entries count as messages, in JSON as in an encode.
            if let Ok(message) = tablepb::json::message_from_slice(&maps, text.as_bytes()) {
                assert_eq!(
                    tablepb::json::to_string(&message).is_ok(),
                    message.encode_to_vec().is_ok(),
                    "{levels} {inner}"
                );
            }
        }
        for by_int32 in [BTreeMap::new(), BTreeMap::from([(1, "x".to_string())])] {
            let innermost = Maps { by_int32, ..Maps::default() };
            let wrap = |inner, _| Maps { by_sfixed32: [(1, Box::new(inner))].into(), ..Maps::default() };
            prints_alike(&(0..levels).fold(innermost, wrap), &maps);
        }
    }
}

/// Of a key C++ takes what is an integer as it stands, and no other number of JSON.
#[test]
fn keys_are_integers_as_they_stand() {
    let maps = descriptor::<Maps>();
    let fields = [
        ("byInt32", "\"\"", true, 32),
        ("byInt64", "0", true, 64),
        ("byUint32", "0", false, 32),
        ("byUint64", "{}", false, 64),
        ("bySint32", "0", true, 32),
        ("bySint64", "\"\"", true, 64),
        ("byFixed32", "true", false, 32),
        ("byFixed64", "0", false, 64),
        ("bySfixed32", "{}", true, 32),
        ("bySfixed64", "null", true, 64),
    ];
    let integers = [
        "0",
        "1",
        "-1",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
    ];
    let others = [
        "1e1", "1E1", "1e0", "0e1", "1.0", "0.0", "10e-1", "1.", ".5", " 1", "1 ", "+1", "01", "-01", "",
        "-", "0x1", "1_0", "true", "NaN",
    ];
    for (name, value, signed, bits) in fields {
        let check = |key: &str, expected: bool| {
            let json = format!("{{\"{name}\":{{\"{key}\":{value}}}}}");
            let parsed = parses_alike::<Maps>(json.as_bytes(), &maps, &json::Parser::new());
            assert_eq!(parsed.is_some(), expected, "{json}");
        };
        let range = if signed { -(1i128 << (bits - 1))..1 << (bits - 1) } else { 0..1i128 << bits };
        integers.iter().for_each(|key| check(key, range.contains(&key.parse().unwrap())));
        others.iter().for_each(|key| check(key, false));
        check("-0", signed);
        check("\\u0031", true);
    }
    for (key, expected) in
        [("true", true), ("false", true), ("True", false), ("TRUE", false), ("1", false), ("", false)]
    {
        let json = format!("{{\"byBool\":{{\"{key}\":\"1970-01-01T00:00:00Z\"}}}}");
        let parsed = parses_alike::<Maps>(json.as_bytes(), &maps, &json::Parser::new());
        assert_eq!(parsed.is_some(), expected, "{json}");
    }
}

//! JSON: what is accepted and refused, what is printed, and the well-known types.

use std::fmt::Write;
use std::sync::OnceLock;
use tablepb::EncodeErrorKind;
use tablepb::ParseErrorKind as Bad;
use tablepb::json;
use tablepb::partial::Projection;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
use tablepb::{
    Decoder, DescriptorPool, DynamicMessage, Enumeration, Message, MessageDescriptor, Prepared, Value, wkt,
};

static COLOR: EnumTable = EnumTable::new("t.Color", &[("RED", 0), ("GREEN", 1), ("BLUE", -3)]);
static POINT: MessageTable = MessageTable::new(
    "t.Point",
    &[FieldTable::new("x", 1, Kind::Float), FieldTable::new("y", 2, Kind::Float)],
);
static ALL: MessageTable = MessageTable::new(
    "t.All",
    &[
        FieldTable::new("some_int", 1, Kind::Int32),
        FieldTable::new("long", 2, Kind::Int64),
        FieldTable::new("unsigned", 3, Kind::Uint32),
        FieldTable::new("huge", 4, Kind::Uint64),
        FieldTable::new("flag", 5, Kind::Bool),
        FieldTable::new("single", 6, Kind::Float),
        FieldTable::new("double", 7, Kind::Double),
        FieldTable::new("text", 8, Kind::String),
        FieldTable::new("data", 9, Kind::Bytes),
        FieldTable::new("color", 10, Kind::Enum(|| &COLOR)),
        FieldTable::new("child", 11, Kind::Message(|| &ALL)),
        FieldTable::new("ints", 12, Kind::Int32).repeated(),
        FieldTable::new("texts", 13, Kind::String).repeated(),
        FieldTable::new("points", 14, Kind::Message(|| &POINT)).repeated(),
        FieldTable::map("by_name", 15, Kind::String, Kind::Message(|| &ALL)),
        FieldTable::map("by_id", 16, Kind::Int32, Kind::String),
        FieldTable::map("by_flag", 17, Kind::Bool, Kind::Enum(|| &COLOR)),
        FieldTable::new("one_int", 18, Kind::Int32).oneof("choice"),
        FieldTable::new("one_text", 19, Kind::String).oneof("choice"),
        FieldTable::new("maybe", 20, Kind::Int32).optional(),
        FieldTable::new("colors", 21, Kind::Enum(|| &COLOR)).repeated(),
        FieldTable::new("any", 31, Kind::Message(|| wkt::Any::TABLE)),
        FieldTable::new("time", 32, Kind::Message(|| wkt::Timestamp::TABLE)),
        FieldTable::new("span", 33, Kind::Message(|| wkt::Duration::TABLE)),
        FieldTable::new("mask", 34, Kind::Message(|| wkt::FieldMask::TABLE)),
        FieldTable::new("object", 35, Kind::Message(|| wkt::Struct::TABLE)),
        FieldTable::new("value", 36, Kind::Message(|| wkt::Value::TABLE)),
        FieldTable::new("list", 37, Kind::Message(|| wkt::ListValue::TABLE)),
        FieldTable::new("boxed", 38, Kind::Message(|| wkt::Int64Value::TABLE)),
        FieldTable::new("boxed_text", 39, Kind::Message(|| wkt::StringValue::TABLE)).repeated(),
        FieldTable::new("anys", 40, Kind::Message(|| wkt::Any::TABLE)).repeated(),
        FieldTable::new("values", 41, Kind::Message(|| wkt::Value::TABLE)).repeated(),
        FieldTable::new("empty", 42, Kind::Message(|| wkt::Empty::TABLE)),
        FieldTable::new("null", 43, Kind::Enum(|| wkt::NullValue::TABLE)).oneof("nulls"),
        FieldTable::new("not_null", 44, Kind::Int32).oneof("nulls"),
    ],
);

fn all() -> MessageDescriptor {
    static DESCRIPTOR: OnceLock<MessageDescriptor> = OnceLock::new();
    let make = || DescriptorPool::from_tables(&[&ALL]).unwrap().message("t.All").unwrap();
    DESCRIPTOR.get_or_init(make).clone()
}

fn parse(json: &str) -> DynamicMessage {
    tablepb::json::message_from_slice(&all(), json.as_bytes()).unwrap_or_else(|e| panic!("{e}: {json}"))
}

/// What comes back is what was given, in the form that is printed.
fn same(json: &str) {
    becomes(json, json);
}

fn becomes(json: &str, printed: &str) {
    let message = parse(json);
    assert_eq!(tablepb::json::to_string(&message).unwrap(), printed);
    let bytes = message.encode_to_vec().unwrap();
    let mut decoder = Decoder::new(message.descriptor());
    assert_eq!(tablepb::json::to_string(&decoder.decode(&bytes).unwrap()).unwrap(), printed);
    assert_eq!(parse(printed), message);
}

fn refused(json: &str, kind: Bad) {
    match tablepb::json::message_from_slice(&all(), json.as_bytes()) {
        Ok(message) => panic!("{json} was taken for {message:?}"),
        Err(error) => assert_eq!(error.kind(), kind, "{error}: {json}"),
    }
}

#[test]
fn every_kind_of_field() {
    same("{}");
    same(
        r#"{"someInt":-5,"long":"-9223372036854775808","unsigned":4294967295,"huge":"18446744073709551615"}"#,
    );
    same(r#"{"flag":true,"single":0.1,"double":1e300,"text":"a\"\\\n\u0001é","data":"AAEC/w=="}"#);
    same(r#"{"color":"GREEN","child":{"child":{},"ints":[1,-2]},"texts":["","x"],"points":[{"x":1.5},{}]}"#);
    same(
        r#"{"byName":{"":{},"a":{"flag":true}},"byId":{"-1":"x","7":""},"byFlag":{"true":"RED","false":"BLUE"}}"#,
    );
    same(r#"{"oneText":"","maybe":0,"colors":["RED","BLUE",9]}"#);
    same(r#"{"single":"NaN","double":"-Infinity"}"#);
    same(r#"{"double":-0}"#);
}

#[test]
fn all_forms_that_protobuf_accepts() {
    becomes(
        r#" { "some_int" : "12" , "unsigned" : 1e2 , "long" : 1.0 } "#,
        r#"{"someInt":12,"long":"1","unsigned":100}"#,
    );
    becomes("{\n\t\"huge\":5,\r\n\"data\":\"-_8\"}", r#"{"huge":"5","data":"+/8="}"#);
    becomes(
        r#"{"color":1,"single":"1.5","double":"-2e-3"}"#,
        r#"{"single":1.5,"double":-0.002,"color":"GREEN"}"#,
    );
    becomes(r#"{"text":null,"ints":null,"byId":null,"child":null,"color":null,"any":null}"#, "{}");
    becomes(r#"{"te\u0078t":"\ud83d\ude00\/"}"#, "{\"text\":\"\u{1f600}/\"}");
    becomes(r#"{"ints":[],"byId":{},"someInt":0,"text":""}"#, "{}");
    becomes(r#"{"oneInt":null,"oneText":"x"}"#, r#"{"oneText":"x"}"#);
    // Members in any order, and a guess that fails.
    becomes(
        r#"{"text":"a","someInt":1,"child":{"text":"b","someInt":2}}"#,
        r#"{"someInt":1,"text":"a","child":{"someInt":2,"text":"b"}}"#,
    );
}

#[test]
fn what_is_refused_and_why() {
    for (json, kind) in [
        ("", Bad::Incomplete),
        ("{", Bad::Incomplete),
        ("null", Bad::WrongType),
        ("[]", Bad::WrongType),
        ("{}{}", Bad::TrailingBytes),
        ("{,}", Bad::InvalidSyntax),
        (r#"{"flag":true,}"#, Bad::InvalidSyntax),
        (r#"{"flag" true}"#, Bad::InvalidSyntax),
        (r#"{flag:true}"#, Bad::InvalidSyntax),
        (r#"{'flag':true}"#, Bad::InvalidSyntax),
        (r#"{"flag":True}"#, Bad::InvalidSyntax),
        (r#"{"flag":tru}"#, Bad::InvalidSyntax),
        (r#"{"flag":"true"}"#, Bad::WrongType),
        (r#"{"flag":1}"#, Bad::WrongType),
        (r#"{"someInt":1.5}"#, Bad::InvalidNumber),
        (r#"{"someInt":01}"#, Bad::InvalidNumber),
        (r#"{"someInt":+1}"#, Bad::InvalidSyntax),
        (r#"{"someInt":""}"#, Bad::InvalidNumber),
        (r#"{"someInt":" 1"}"#, Bad::InvalidNumber),
        (r#"{"someInt":2147483648}"#, Bad::OutOfRange),
        (r#"{"someInt":1e99999999999}"#, Bad::OutOfRange),
        (r#"{"unsigned":-1}"#, Bad::OutOfRange),
        (r#"{"huge":18446744073709551616}"#, Bad::OutOfRange),
        (r#"{"single":3.5e38}"#, Bad::OutOfRange),
        (r#"{"double":1e309}"#, Bad::OutOfRange),
        (r#"{"double":NaN}"#, Bad::InvalidSyntax),
        (r#"{"double":"nan"}"#, Bad::InvalidNumber),
        (r#"{"text":5}"#, Bad::WrongType),
        ("{\"text\":\"a\nb\"}", Bad::InvalidString),
        (r#"{"text":"\x"}"#, Bad::InvalidString),
        (r#"{"text":"\ud800"}"#, Bad::InvalidString),
        (r#"{"text":"abc"#, Bad::Incomplete),
        (r#"{"text":"abc\"#, Bad::Incomplete),
        (r#"{"data":"*"}"#, Bad::InvalidBase64),
        (r#"{"data":"A"}"#, Bad::InvalidBase64),
        (r#"{"color":"PURPLE"}"#, Bad::UnknownEnumValue),
        (r#"{"color":true}"#, Bad::WrongType),
        (r#"{"nope":1}"#, Bad::UnknownField),
        (r#"{"flag":true,"flag":true}"#, Bad::DuplicateKey),
        (r#"{"someInt":1,"some_int":1}"#, Bad::DuplicateKey),
        (r#"{"text":null,"text":null}"#, Bad::DuplicateKey),
        (r#"{"byId":{"1":"a","1":"b"}}"#, Bad::DuplicateKey),
        (r#"{"oneInt":1,"oneText":"x"}"#, Bad::DuplicateOneof),
        (r#"{"ints":5}"#, Bad::WrongType),
        (r#"{"ints":[null]}"#, Bad::WrongType),
        (r#"{"ints":[1,]}"#, Bad::InvalidSyntax),
        (r#"{"ints":[1 2]}"#, Bad::InvalidSyntax),
        (r#"{"ints":{}}"#, Bad::WrongType),
        (r#"{"points":[null]}"#, Bad::WrongType),
        (r#"{"byId":[]}"#, Bad::WrongType),
        (r#"{"byId":{"a":"b"}}"#, Bad::InvalidNumber),
        (r#"{"byId":{"1":null}}"#, Bad::WrongType),
        (r#"{"byFlag":{"1":"RED"}}"#, Bad::WrongType),
        (r#"{"child":"x"}"#, Bad::WrongType),
        (r#"{"child":[]}"#, Bad::WrongType),
        (r#"{"time":"1970-01-01t00:00:00Z"}"#, Bad::InvalidTimestamp),
        (r#"{"time":5}"#, Bad::WrongType),
        (r#"{"span":"1"}"#, Bad::InvalidDuration),
        (r#"{"mask":"foo_bar"}"#, Bad::InvalidFieldMask),
        (r#"{"object":[]}"#, Bad::WrongType),
        (r#"{"boxed":{"value":1}}"#, Bad::WrongType),
        (r#"{"boxedText":[null]}"#, Bad::WrongType),
        (r#"{"any":{"flag":true}}"#, Bad::InvalidAny),
        (r#"{"any":{"@type":"t.All"}}"#, Bad::InvalidAny),
        (r#"{"any":{"@type":"x/"}}"#, Bad::InvalidAny),
        (r#"{"any":{"@type":"/t.Point"}}"#, Bad::InvalidAny),
        (r#"{"any":{"@type":"/"}}"#, Bad::InvalidAny),
        (r#"{"any":{"@type":5}}"#, Bad::WrongType),
        (r#"{"any":{"@type":"x/t.Nope"}}"#, Bad::UnknownType),
        (r#"{"any":{"@type":"x/t.Point","@type":"x/t.Point"}}"#, Bad::DuplicateKey),
        (r#"{"any":{"@type":"x/google.protobuf.Duration"}}"#, Bad::InvalidAny),
        (r#"{"any":{"@type":"x/google.protobuf.Duration","value":"1s","x":1}}"#, Bad::UnknownField),
    ] {
        refused(json, kind);
    }
    let error = tablepb::json::message_from_slice(&all(), b"{\"text\": \"\xff\"}").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (Bad::InvalidUtf8, 10));
}

#[test]
fn errors_say_where() {
    let json = "{\n \"child\": {\"byName\": {\"é\": {\"points\": [{}, {\"x\": 1}, {\"y\": true}]}}}}";
    let error = tablepb::json::message_from_slice(&all(), json.as_bytes()).unwrap_err();
    assert_eq!(error.path().to_string(), "child.by_name.points[2].y");
    assert_eq!((error.kind(), error.line(), error.column()), (Bad::WrongType, 2, 60));
    assert_eq!(&json[error.offset()..error.offset() + 4], "true");
    assert_eq!(
        error.to_string(),
        "the field does not take a value of this type at line 2, column 60, in t.All: child.by_name.points[2].y"
    );
    assert_eq!(size_of_val(&error), size_of::<usize>());
    let mut message = parse(r#"{"values":[1,{"a":[2,3]}]}"#);
    let values = message.descriptor().field("values").unwrap();
    let number = tablepb::json::message_from_slice(
        &message.descriptor().parent_pool().message("google.protobuf.Value").unwrap(),
        b"\"NaN\"",
    );
    let mut nan = number.unwrap();
    nan.set_field("number_value", f64::NAN).unwrap();
    message.push(&values, Value::Message(nan)).unwrap();
    let mut buffer = b"kept".to_vec();
    let error = tablepb::json::append(&mut buffer, &message).unwrap_err();
    assert_eq!((error.kind(), &buffer[..]), (EncodeErrorKind::NotFinite, &b"kept"[..]));
    assert_eq!(error.path().to_string(), "values[2]");
}

#[test]
fn well_known_types_have_their_own_forms() {
    same(r#"{"time":"2024-02-29T01:02:03.000000004Z","span":"-1.500s","mask":"fooBar,a.b"}"#);
    same(r#"{"time":"1970-01-01T00:00:00Z","span":"0s","mask":""}"#);
    same(r#"{"object":{"a":null,"b":[1,"x",true,{}],"c":{"d":1.5}},"value":null,"list":[[],[null]]}"#);
    same(r#"{"value":"text"}"#);
    same(r#"{"value":[]}"#);
    same(r#"{"boxed":"0","boxedText":["","a"],"values":[null,0,{"x":[]}],"empty":{}}"#);
    same(r#"{"null":null}"#);
    becomes(r#"{"null":"NULL_VALUE"}"#, r#"{"null":null}"#);
    becomes(r#"{"null":null,"notNull":null}"#, r#"{"null":null}"#);
    becomes(r#"{"boxed":7,"boxedText":null}"#, r#"{"boxed":"7"}"#);
    becomes(r#"{"time":"1970-01-01T02:00:00.5+02:00"}"#, r#"{"time":"1970-01-01T00:00:00.500Z"}"#);
    refused(r#"{"null":null,"notNull":1}"#, Bad::DuplicateOneof);
    let root = |name: &str, json: &str| {
        let descriptor = all().parent_pool().message(name).unwrap();
        let message = tablepb::json::message_from_slice(&descriptor, json.as_bytes()).unwrap();
        assert_eq!(tablepb::json::to_string(&message).unwrap(), json);
    };
    root("google.protobuf.Value", "null");
    root("google.protobuf.Value", r#"{"a":[1]}"#);
    root("google.protobuf.ListValue", "[1]");
    root("google.protobuf.Timestamp", r#""1970-01-01T00:00:00Z""#);
    root("google.protobuf.Int64Value", r#""5""#);
    root("google.protobuf.Any", r#"{"@type":"x/t.Point","x":1}"#);
    root("google.protobuf.Any", "{}");
}

/// As in C++, Java and Python; a number would say that it is something else than `null`.
#[test]
fn a_null_value_of_any_number_is_null() {
    for (number, json) in [(0, r#"{"null":null}"#), (27, r#"{"null":null}"#)] {
        let message = DynamicMessage::decode(&all(), &[0xd8, 0x02, number]).unwrap();
        assert_eq!(tablepb::json::to_string(&message).unwrap(), json);
        let mut numbers = Vec::new();
        json::Printer::new().use_enum_numbers(true).append(&mut numbers, &message).unwrap();
        assert_eq!(numbers, json.as_bytes());
    }
}

#[test]
fn an_any_is_read_wherever_its_type_stands() {
    same(r#"{"any":{"@type":"type.googleapis.com/t.Point","x":1,"y":2}}"#);
    same(r#"{"any":{"@type":"x.org/y/t.All","anys":[{"@type":"x/t.Point"},{"@type":"x/t.All","text":"in"}],"text":"out"}}"#
        .replace(r#""anys":[{"@type":"x/t.Point"},{"@type":"x/t.All","text":"in"}],"text":"out""#,
            r#""text":"out","anys":[{"@type":"x/t.Point"},{"@type":"x/t.All","text":"in"}]"#).as_str());
    becomes(
        r#"{"any":{"x":1,"y":{},"@type":"x/t.Point"}}"#.replace("{}", "2").as_str(),
        r#"{"any":{"@type":"x/t.Point","x":1,"y":2}}"#,
    );
    becomes(
        r#"{"any":{"any":{"value":"1.5s","@type":"x/google.protobuf.Duration"},"@type":"x/t.All"},"text":"after"}"#,
        r#"{"text":"after","any":{"@type":"x/t.All","any":{"@type":"x/google.protobuf.Duration","value":"1.500s"}}}"#,
    );
    same(
        r#"{"any":{"@type":"x/google.protobuf.Any","value":{"@type":"x/google.protobuf.Value","value":[null]}}}"#,
    );
    same(r#"{"any":{"@type":"x/google.protobuf.Empty"}}"#);
    same(r#"{"any":{}}"#);
    same(r#"{"anys":[{"@type":"x/t.Point","x":1},{"@type":"x/google.protobuf.Struct","value":{"a":1}},{}],"maybe":1}"#
        .replace(r#""anys""#, r#""maybe":1,"anys""#).replace(r#","maybe":1}"#, "}").as_str());
    let pretty = json::Printer::new().pretty(true);
    let mut buffer = Vec::new();
    let any = r#"{"any":{"@type":"x/t.All","any":{"@type":"x/google.protobuf.Duration","value":"1s"},"points":[{}]}}"#;
    pretty.append(&mut buffer, &parse(any)).unwrap();
    let expected = r#"{
  "any": {
    "@type": "x/t.All",
    "points": [
      {}
    ],
    "any": {
      "@type": "x/google.protobuf.Duration",
      "value": "1s"
    }
  }
}"#;
    assert_eq!(String::from_utf8(buffer).unwrap(), expected);
    // Bytes that are no message of the type.
    let mut message = parse(r#"{"any":{"@type":"x/t.Point"}}"#);
    let any = message.descriptor().field("any").unwrap();
    message.message_mut(&any).unwrap().set_field("value", Value::Bytes(vec![0xff])).unwrap();
    assert_eq!(tablepb::json::to_string(&message).unwrap_err().kind(), EncodeErrorKind::InvalidMessage);
    // The path goes on inside of them.
    message.message_mut(&any).unwrap().set_field("value", Value::Bytes(b"\x0d\x00".to_vec())).unwrap();
    assert_eq!(tablepb::json::to_string(&message).unwrap_err().path().to_string(), "any.x");
    message.message_mut(&any).unwrap().set_field("type_url", "/t.Nope").unwrap();
    assert_eq!(tablepb::json::to_string(&message).unwrap_err().kind(), EncodeErrorKind::UnknownType);
}

#[test]
fn options_change_what_is_printed() {
    let message = parse(r#"{"someInt":1,"long":5,"color":"GREEN","byFlag":{"true":1},"points":[{"x":1}]}"#);
    let print = |options: json::Printer| {
        let mut buffer = Vec::new();
        options.append(&mut buffer, &message).unwrap();
        String::from_utf8(buffer).unwrap()
    };
    let new = json::Printer::new();
    assert_eq!(
        print(new.use_proto_field_name(true).use_enum_numbers(true).stringify_64_bit_integers(false)),
        r#"{"some_int":1,"long":5,"color":1,"points":[{"x":1}],"by_flag":{"true":1}}"#
    );
    let all = print(new.skip_default_fields(false));
    assert!(
        all.starts_with(r#"{"someInt":1,"long":"5","unsigned":0,"huge":"0","flag":false,"single":0,"#),
        "{all}"
    );
    assert!(
        all.contains(r#""text":"","data":"","color":"GREEN","ints":[],"texts":[],"points":[{"x":1,"y":0}],"#),
        "{all}"
    );
    assert!(all.contains(r#""byName":{},"byId":{},"byFlag":{"true":"GREEN"},"colors":[]"#), "{all}");
    assert!(!all.contains("maybe") && !all.contains("child") && !all.contains("oneInt"), "{all}");
    let pretty = print(new.pretty(true));
    assert!(pretty.starts_with("{\n  \"someInt\": 1,\n  \"long\": \"5\",\n"), "{pretty}");
    assert!(pretty.contains("\"points\": [\n    {\n      \"x\": 1\n    }\n  ],\n"), "{pretty}");
    assert_eq!(new, json::Printer::default());
}

#[test]
fn options_change_what_is_accepted() {
    let lenient = json::Parser::new().deny_unknown_fields(false);
    let json = r#"{"nope":[{"a":[[],{}]},"\u0041",1.5e3,true,false,null,{}],"text":"x","color":"PURPLE",
        "colors":["RED","PURPLE","GREEN"],"byFlag":{"true":"PURPLE","false":"GREEN"},"also":-0}"#;
    let message = lenient.message_from_slice(&all(), json.as_bytes()).unwrap();
    assert_eq!(
        tablepb::json::to_string(&message).unwrap(),
        r#"{"text":"x","byFlag":{"false":"GREEN"},"colors":["RED","GREEN"]}"#
    );
    for bad in
        [r#"{"nope":[}"#, r#"{"nope":{"a"}}"#, r#"{"nope":01}"#, r#"{"nope":"\u12"}"#, r#"{"nope":[1,]}"#]
    {
        assert!(lenient.message_from_slice(&all(), bad.as_bytes()).is_err(), "{bad}");
    }
    let last = json::Parser::new().allow_duplicate_keys(true);
    let json = r#"{"text":"a","ints":[1,2],"child":{"flag":true},"byId":{"1":"a","2":"b","1":"c"},"ints":[3],
        "child":{"text":"b"},"text":null,"oneInt":1,"oneInt":2}"#;
    let message = last.message_from_slice(&all(), json.as_bytes()).unwrap();
    assert_eq!(
        tablepb::json::to_string(&message).unwrap(),
        r#"{"child":{"text":"b"},"ints":[3],"byId":{"2":"b","1":"c"},"oneInt":2}"#
    );
    let error = last.message_from_slice(&all(), br#"{"oneInt":1,"oneText":""}"#).unwrap_err();
    assert_eq!(error.kind(), Bad::DuplicateOneof);
    assert_eq!(json::Parser::new(), json::Parser::default());
}

#[test]
fn depth_is_counted_as_on_the_wire() {
    let nested = |levels: usize| format!("{}{}", r#"{"child":"#.repeat(levels) + "{}", "}".repeat(levels));
    let deep = parse(&nested(100));
    refused(&nested(101), Bad::DepthExceeded);
    refused(&nested(100_000), Bad::DepthExceeded);
    let bytes = deep.encode_to_vec().unwrap();
    assert_eq!(DynamicMessage::decode(&all(), &bytes).unwrap(), deep);
    assert_eq!(tablepb::json::to_string(&deep).unwrap(), nested(100));
    let options = json::Parser::new().max_depth(3);
    assert!(options.message_from_slice(&all(), nested(3).as_bytes()).is_ok());
    assert!(options.message_from_slice(&all(), nested(4).as_bytes()).is_err());

    let object =
        |levels: usize| format!("{{\"object\":{}1{}}}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    let list = |levels: usize| format!("{{\"list\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    let any = |levels: usize| {
        let open = r#"{"@type":"x/t.All","any":"#;
        format!("{{\"any\":{}{{}}{}}}", open.repeat(levels), "}".repeat(levels))
    };
    for json in [object(25), list(25), any(25)] {
        let message = parse(&json);
        assert_eq!(tablepb::json::to_string(&message).unwrap(), json);
        assert_eq!(DynamicMessage::decode(&all(), &message.encode_to_vec().unwrap()).unwrap(), message);
    }
    for json in [object(200), list(200), any(200), object(50_000), list(50_000), any(5_000)] {
        refused(&json, Bad::DepthExceeded);
    }
    // Content of an `Any` is a level, whether the type has a form of its own or not, and so is a message with fields in it.
    for levels in 0..5_u32 {
        let least = |json: &str| {
            let takes =
                |most: u32| json::Parser::new().max_depth(most).message_from_slice(&all(), json.as_bytes());
            (0..40).find(|&most| takes(most).is_ok()).inspect(|&least| {
                for most in 0..40 {
                    assert_eq!(
                        takes(most).map_err(|error| error.kind()).err(),
                        (most < least).then_some(Bad::DepthExceeded)
                    );
                }
            })
        };
        let any = any(levels as usize);
        assert_eq!(least(&any), Some(2 * levels + 1), "{any}");
        let time = r#"{"@type":"x/google.protobuf.Timestamp","value":"1970-01-01T00:00:00Z"}"#;
        for content in [time, r#"{"@type":"x/t.All","flag":true}"#, r#"{"@type":"x/t.All"}"#] {
            let full = any.replacen("{}", content, 1);
            assert_eq!(least(&full), Some(2 * levels + 2), "{full}");
        }
    }
    let lenient = json::Parser::new().deny_unknown_fields(false);
    for open in ["[", r#"{"a":"#] {
        let json = format!("{{\"nope\":{}", open.repeat(100_000));
        let error = lenient.message_from_slice(&all(), json.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), Bad::DepthExceeded);
    }
    // Setters go deeper than a decode does.
    let child = all().field("child").unwrap();
    let mut message = DynamicMessage::new(&all());
    let mut at = message.as_mut();
    for _ in 0..101 {
        at = at.into_message_mut(&child).unwrap();
    }
    assert_eq!(tablepb::json::to_string(&message).unwrap_err().kind(), EncodeErrorKind::DepthExceeded);
}

#[test]
fn members_of_an_any_come_once() {
    let url = r#""@type":"x/google.protobuf.Timestamp""#;
    let any = |members: &str| format!(r#"{{"any":{{{url},{members}}}}}"#);
    let (first, second) = (r#""value":"1970-01-01T00:00:03Z""#, r#""value":"1970-01-01T00:00:04Z""#);
    assert_eq!(tablepb::json::to_string(&parse(&any(first))).unwrap(), any(first));
    refused(&any(&format!("{first},{second}")), Bad::DuplicateKey);
    refused(&any(&format!("{url},{first}")), Bad::DuplicateKey);
    refused(&any(&format!("{first},\"other\":4")), Bad::UnknownField);
    let last = json::Parser::new().allow_duplicate_keys(true);
    let message = last.message_from_slice(&all(), any(&format!("{first},{second}")).as_bytes()).unwrap();
    assert_eq!(tablepb::json::to_string(&message).unwrap(), any(second));
}

/// In proto2 nothing checks them; U+FFFD stands for what is wrong, as in C++.
#[test]
fn strings_that_are_not_utf8_are_printed_with_replacements() {
    static OLD: MessageTable = MessageTable::new(
        "t.Old",
        &[FieldTable::new("text", 1, Kind::String), FieldTable::new("texts", 2, Kind::String).repeated()],
    )
    .syntax(tablepb::table::Syntax::Proto2);
    let old = DescriptorPool::from_tables(&[&OLD]).unwrap().message("t.Old").unwrap();
    let message = DynamicMessage::decode(&old, b"\x0a\x04a\xff\"b\x12\x03\xc3(\xc3\x12\x01c").unwrap();
    // Read one by one, and by iteration.
    for (field, value) in message.as_view().fields() {
        assert_eq!(message.get_field(&field.to_owned()).unwrap(), value);
    }
    let expected = "{\"text\":\"a\u{fffd}\\\"b\",\"texts\":[\"\u{fffd}(\u{fffd}\",\"c\"]}";
    assert_eq!(tablepb::json::to_string(&message).unwrap(), expected);
}

#[test]
fn a_merge_adds_and_replaces() {
    let mut message = parse(
        r#"{"text":"a","ints":[1],"child":{"flag":true,"texts":["x"]},"byId":{"1":"a","2":"b"},"oneInt":1,"time":"1970-01-01T00:00:01.5Z"}"#,
    );
    tablepb::json::merge_from_slice(&mut message, br#"{"text":null,"ints":[2],"child":{"texts":["y"],"text":"b"},"byId":{"2":"c","3":"d"},"oneText":"t","time":"1970-01-01T00:00:02Z","someInt":0}"#)
        .unwrap();
    assert_eq!(
        tablepb::json::to_string(&message).unwrap(),
        r#"{"text":"a","child":{"flag":true,"text":"b","texts":["x","y"]},"ints":[1,2],"byId":{"1":"a","2":"c","3":"d"},"oneText":"t","time":"1970-01-01T00:00:02Z"}"#
    );
    // A map that grows large, by keys that are there and keys that are not.
    for round in 0..3 {
        let mut json = String::from(r#"{"byId":{"#);
        (0..200).for_each(|k| {
            write!(json, r#"{}"{}":"{round}""#, if k > 0 { "," } else { "" }, k * 3 % 200 + round * 50)
                .unwrap()
        });
        tablepb::json::merge_from_slice(&mut message, (json + "}}").as_bytes()).unwrap();
    }
    let map = message.get_field("by_id").unwrap();
    let map = map.as_map().unwrap();
    assert_eq!(map.len(), 300);
    let error = tablepb::json::merge_from_slice(&mut message, br#"{"ints":[3],"byId":{"5":"x","5":"y"}}"#)
        .unwrap_err();
    assert_eq!(error.kind(), Bad::DuplicateKey);
    assert_eq!(message.get_field("ints").unwrap().as_list().unwrap().len(), 3);
    assert_eq!(DynamicMessage::decode(&all(), &message.encode_to_vec().unwrap()).unwrap(), message);
    tablepb::json::merge_from_slice(&mut message, br#"{"text":"again"}"#).unwrap();
}

#[test]
fn many_keys_take_time_in_their_number() {
    let count = if cfg!(debug_assertions) { 30_000 } else { 1_000_000 };
    let mut same = String::from(r#"{"byId":{"#);
    let mut different = same.clone();
    for key in 0..count {
        let comma = if key > 0 { "," } else { "" };
        write!(same, r#"{comma}"7":"{key}""#).unwrap();
        write!(different, r#"{comma}"{}":"""#, (key as u32).wrapping_mul(2_654_435_761) as i32).unwrap();
    }
    same.push_str("}}");
    different.push_str("}}");
    refused(&same, Bad::DuplicateKey);
    let last = json::Parser::new().allow_duplicate_keys(true);
    let message = last.message_from_slice(&all(), same.as_bytes()).unwrap();
    assert_eq!(tablepb::json::to_string(&message).unwrap(), format!(r#"{{"byId":{{"7":"{}"}}}}"#, count - 1));
    let message = parse(&different);
    assert_eq!(message.get_field("by_id").unwrap().as_map().unwrap().len(), count);
    let fields = format!("{{{}\"text\":\"z\"}}", "\"text\":\"a\",".repeat(count));
    refused(&fields, Bad::DuplicateKey);
    assert!(last.message_from_slice(&all(), fields.as_bytes()).is_ok());
    let long = format!(r#"{{"text":"{}"}}"#, r"\ud83d\ude00\n".repeat(count));
    assert_eq!(parse(&long).get_field("text").unwrap().as_str().unwrap().len(), 5 * count);
    let zeros = format!(r#"{{"someInt":1{}e-{count}}}"#, "0".repeat(count));
    assert_eq!(tablepb::json::to_string(&parse(&zeros)).unwrap(), r#"{"someInt":1}"#);
}

#[test]
fn bytes_that_were_kept_are_printed_as_messages() {
    let message = parse(r#"{"child":{"text":"in","child":{"flag":true}},"points":[{"x":1},{}]}"#);
    let bytes = message.encode_to_vec().unwrap();
    let lazy = Projection::all(&all()).lazy(["child", "points"]).unwrap();
    let kept = lazy.decode(&bytes).unwrap();
    assert_eq!(tablepb::json::to_string(&kept).unwrap(), tablepb::json::to_string(&message).unwrap());
    let mut prepared = DynamicMessage::new(&all());
    prepared.set_field("child", Prepared::new(&message).unwrap()).unwrap();
    let expected = format!(r#"{{"child":{}}}"#, tablepb::json::to_string(&message).unwrap());
    assert_eq!(tablepb::json::to_string(&prepared).unwrap(), expected);
    tablepb::json::merge_from_slice(&mut prepared, br#"{"child":{"child":{"text":"merged"}}}"#).unwrap();
    let merged = tablepb::json::to_string(&prepared).unwrap();
    assert!(merged.contains(r#"{"text":"merged","child":{"flag":true}}"#), "{merged}");
}

/// Regression: after an empty packed run the list was printed as `[]`, though it reads as not set.
#[test]
fn a_list_without_elements_is_not_printed() {
    static LISTS: MessageTable = MessageTable::new(
        "t.Lists",
        &[FieldTable::new("numbers", 1, Kind::Int32).repeated(), FieldTable::new("after", 2, Kind::Bool)],
    );
    let lists = DescriptorPool::from_tables(&[&LISTS]).unwrap().message("t.Lists").unwrap();
    let message = DynamicMessage::decode(&lists, b"\x0a\x00\x10\x01").unwrap();
    assert_eq!(message, DynamicMessage::decode(&lists, b"\x10\x01").unwrap());
    assert_eq!(tablepb::json::to_string(&message).unwrap(), r#"{"after":true}"#);
}

#[test]
fn names_that_json_escapes() {
    static ODD: MessageTable =
        MessageTable::new("t.Odd", &[FieldTable::new("plain", 1, Kind::Int32).json_name("a\"b\\c\n")]);
    let odd = DescriptorPool::from_tables(&[&ODD]).unwrap().message("t.Odd").unwrap();
    let message = tablepb::json::message_from_slice(&odd, br#"{"a\"b\\c\n":1}"#).unwrap();
    assert_eq!(tablepb::json::to_string(&message).unwrap(), r#"{"a\"b\\c\n":1}"#);
    assert_eq!(tablepb::json::message_from_slice(&odd, br#"{"plain":1}"#).unwrap(), message);
}

#[test]
fn names_at_fault_are_those_of_the_text_cut_where_they_are_long() {
    let all = all();
    let long = "é".repeat(60);
    for (name, found) in [("lien", "lien"), (r#"a\"b"#, r#"a\"b"#), (&long, &long[..100])] {
        let error =
            tablepb::json::message_from_slice(&all, format!("{{\"{name}\": 1}}").as_bytes()).unwrap_err();
        assert_eq!((error.kind(), error.found()), (Bad::UnknownField, Some(found)), "{error}");
        assert!(
            error.to_string().contains(&format!(" \"{}\" at line 1, column 2", found.escape_debug())),
            "{error}"
        );
    }
    for (text, found) in [("lien: 1", "lien"), ("[pkg.ext]: 1", "pkg.ext")] {
        let error = tablepb::text::message_from_str(&all, text).unwrap_err();
        assert_eq!(error.found(), Some(found), "{error}");
    }
    // Other errors name nothing.
    assert_eq!(tablepb::json::message_from_slice(&all, b"[").unwrap_err().found(), None);
}

/// C++ wants a host in the URL. It was printed without one too, and then refused by others.
#[test]
fn an_any_without_anything_before_its_last_slash_is_of_no_type() {
    let any = all().parent_pool().message("google.protobuf.Any").unwrap();
    for (url, valid) in [
        ("x/t.Point", true),
        ("//t.Point", true),
        ("/t.Point", false),
        ("t.Point", false),
        ("x/", false),
        ("/", false),
    ] {
        let mut message = DynamicMessage::new(&any);
        message.set_field("type_url", url).unwrap();
        let json = format!(r#"{{"@type":"{url}"}}"#);
        let printed = tablepb::json::to_string(&message).map_err(|error| error.kind());
        assert_eq!(printed, if valid { Ok(json.clone()) } else { Err(EncodeErrorKind::UnknownType) });
        assert_eq!(tablepb::json::message_from_slice(&any, json.as_bytes()).is_ok(), valid, "{url}");
    }
}

//! Text format: what is accepted and refused, and where errors are.

use crate::common::heap::measure;
use crate::common::proportion::assert_within;
use crate::common::text_schema::pool;
use std::fmt::Write;
use tablepb::ParseErrorKind;
use tablepb::ParseErrorKind as Bad;
use tablepb::json;
use tablepb::partial::Projection;
use tablepb::text;
use tablepb::{Decoder, DescriptorPool, DynamicMessage, EncodeOptions, MessageDescriptor, Prepared};

fn all() -> MessageDescriptor {
    pool().message("t.All").unwrap()
}

fn parse_as(descriptor: &MessageDescriptor, text: &str) -> DynamicMessage {
    tablepb::text::message_from_str(descriptor, text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn parse(text: &str) -> DynamicMessage {
    parse_as(&all(), text)
}

/// What is printed of what is read, which is read again as the same message in every form.
fn becomes_as(descriptor: &MessageDescriptor, text: &str, printed: &str) {
    let message = parse_as(descriptor, text);
    assert_eq!(tablepb::text::to_string(&message).unwrap(), printed, "{text}");
    let new = text::Printer::new();
    for options in [new, new.pretty(true), new.expand_any(false).pretty(true), new.skip_default_fields(false)]
    {
        let text = options.to_string(&message).unwrap();
        let again = parse_as(descriptor, &text);
        assert_eq!(tablepb::text::to_string(&again).unwrap(), printed, "{text}");
        let bytes = again.encode_to_vec().unwrap();
        assert_eq!(
            tablepb::text::to_string(&DynamicMessage::decode(descriptor, &bytes).unwrap()).unwrap(),
            printed
        );
    }
}

fn becomes(text: &str, printed: &str) {
    becomes_as(&all(), text, printed);
}

fn same(text: &str) {
    becomes(text, text);
}

/// Refused for this reason, at the byte before which the text has a `@`, which is taken out.
fn refused(text: &str, kind: Bad) {
    let at = text.find('@').unwrap_or_else(|| panic!("{text} has no @"));
    let text = format!("{}{}", &text[..at], &text[at + 1..]);
    let error = tablepb::text::message_from_str(&all(), &text).expect_err(&text);
    assert_eq!((error.kind(), error.offset()), (kind, at), "{text}");
    // What was read before the fault stays, and the message can be used.
    let mut message = parse("i32: 1 by_id { key: 1 }");
    // Merging does not ask for required fields.
    assert_eq!(
        tablepb::text::merge_from_str(&mut message, &text).is_err(),
        kind != Bad::MissingRequired,
        "{text}"
    );
    EncodeOptions::new().allow_partial(true).encode(&message, &mut Vec::new()).unwrap();
    tablepb::text::merge_from_str(&mut message, "i32: 77 by_id { key: 1 value: BLUE } by_id { key: 2 }")
        .unwrap();
    assert_eq!(message.get_field("by_id").unwrap().as_map().unwrap().len(), 2, "{text}");
    assert_eq!(message.get_field("i32").unwrap().as_i32(), Some(77));
}

#[test]
fn every_kind_of_field() {
    same("i32:-2147483648,i64:-9223372036854775808,u32:4294967295,u64:18446744073709551615,flag:true");
    same(
        "single:0.1,double:1e300,text:\"a\",data:\"b\",color:BLUE,child{child{}},ints:[1,-2],texts:[\"a\",\"\"]",
    );
    same(
        "children:[{i32:1},{}],by_name:[{key:\"\",value{}},{key:\"k\",value{i32:1}}],by_id:[{key:1,value:RED}]",
    );
    same("one_int:0");
    same("one_child{}");
    same("");
    // In any order, with everything that may stand between.
    becomes("ints: 1 text: 'x' ints: [ 2 , 3 ] ints: [] ints: 4", "text:\"x\",ints:[1,2,3,4]");
    becomes(
        "children {} children: [] children: [{ i32: 1 }, < i32: 2 >] children <>",
        "children:[{},{i32:1},{i32:2},{}]",
    );
    becomes("children [{ i32: 1 }]", "children:[{i32:1}]");
    becomes("child:{i32:1;flag:t,text:\"\"}", "child{i32:1,flag:true,text:\"\"}");
    becomes(
        "\t\r\n\x0b\x0c# comment { \" ' \u{1f600}\n child # c\n : # c\n < # c\n i32 # c\n:#\n-#\n1 > #",
        "child{i32:-1}",
    );
    becomes("i32:10[t.ext]:20", "i32:10,[t.ext]:20");
    becomes("text:\"a\"data:'b'", "text:\"a\",data:\"b\"");
}

#[test]
fn numbers_in_all_forms() {
    for (text, value) in [
        ("0", 0),
        ("-0", 0),
        ("017", 15),
        ("00", 0),
        ("0x1f", 31),
        ("0XaB", 0xab),
        ("- 12", -12),
        ("-\n#\n0x80000000", i32::MIN),
        ("2147483647", i32::MAX),
        ("-020000000000", i32::MIN),
        ("0x000000000000000000000001", 1),
        ("-000000", 0),
    ] {
        assert_eq!(parse(&format!("i32: {text}")).get_field("i32").unwrap().as_i32(), Some(value), "{text}");
    }
    for (text, value) in [
        ("0", 0.0),
        ("-0", -0.0),
        ("1", 1.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("1e2", 100.0),
        ("1.e-2", 0.01),
        (".5E+1", 5.0),
        ("5f", 5.0),
        ("5F", 5.0),
        ("0f", 0.0),
        ("1.5f", 1.5),
        ("1e2F", 100.0),
        ("inf", f64::INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
        ("- INF", f64::NEG_INFINITY),
        ("1e9999", f64::INFINITY),
        ("-1e99999999999999999999", f64::NEG_INFINITY),
        ("1e-9999", 0.0),
        ("-1e-99999999999999999999", -0.0),
        ("18446744073709551616", 18446744073709551616.0),
        ("0.0", 0.0),
        ("0e5", 0.0),
        ("1.7976931348623157e308", f64::MAX),
        ("1.7976931348623159e308", f64::INFINITY),
        ("5e-324", 5e-324),
        ("2e-324", 0.0),
        ("100000000000000000000000000000000000000000000000000000000000000000000000000000", 1e77),
    ] {
        let got = parse(&format!("double: {text}")).get_field("double").unwrap().as_f64().unwrap();
        assert_eq!(got.to_bits(), f64::to_bits(value), "{text}");
    }
    assert!(parse("double: nAn").get_field("double").unwrap().as_f64().unwrap().is_nan());
    for (text, value) in [
        ("0.1", 0.1f32),
        ("3.4028235e38", f32::MAX),
        ("3.4028236e38", f32::INFINITY),
        ("3.5e38", f32::INFINITY),
        ("1e-46", 0.0),
        ("16777217", 16777216.0),
        ("-1e-45", -1e-45),
        ("0.100000001490116119384765625000000000000000000000001", 0.1),
        ("-inf", f32::NEG_INFINITY),
        (".1f", 0.1),
        ("7.038531e-26", 7.038531e-26),
    ] {
        let got = parse(&format!("single: {text}")).get_field("single").unwrap().as_f32().unwrap();
        assert_eq!(got.to_bits(), f32::to_bits(value), "{text}");
    }
    let nan = parse("single: nan").get_field("single").unwrap().as_f32().unwrap();
    assert_eq!(nan.to_bits(), f32::NAN.to_bits());
    for (text, value) in [
        ("true", true),
        ("True", true),
        ("t", true),
        ("1", true),
        ("0x1", true),
        ("01", true),
        ("false", false),
        ("False", false),
        ("f", false),
        ("0", false),
        ("00", false),
    ] {
        assert_eq!(
            parse(&format!("flag: {text}")).get_field("flag").unwrap().as_bool(),
            Some(value),
            "{text}"
        );
    }
    for (text, value) in [("RED", 0), ("-3", -3), ("0x07", 7), ("inf", 7), ("- 03", -3)] {
        assert_eq!(
            parse(&format!("color: {text}")).get_field("color").unwrap().as_enum_number(),
            Some(value),
            "{text}"
        );
    }
    becomes("open { color: 77 }", "open{color:77}");
    becomes("open { color: ONE i32: 0 text: '' single: -0 }", "open{single:-0,color:ONE}");
    becomes("open { color: ZERO single: 0 }", "open{}");
}

#[test]
fn what_is_refused_and_why() {
    use Bad::*;
    for (text, kind) in [
        ("@i3: 1", UnknownField),
        ("@renamed: 1", UnknownField),
        ("@1: 1", UnknownField),
        ("child { i32: 1 @0x5 {} }", UnknownField),
        ("@mygrouP {}", UnknownField),
        ("@MYGROUP {}", UnknownField),
        ("@I32: 1", UnknownField),
        ("@t.ext: 1", UnknownField),
        ("@[t.none]: 1", UnknownField),
        ("@[t.All]: 1", UnknownField),
        ("@[t.Item.item] {}", UnknownField),
        ("@}", InvalidSyntax),
        ("@*", InvalidSyntax),
        ("@:", InvalidSyntax),
        ("@\"i32\": 1", InvalidSyntax),
        ("i32 @1", InvalidSyntax),
        ("i32@", Incomplete),
        ("i32:@", Incomplete),
        ("i32: -@", Incomplete),
        ("i32: 1 ;@;", InvalidSyntax),
        ("i32: 1;@,", InvalidSyntax),
        ("i32: @;", InvalidSyntax),
        ("child@", Incomplete),
        ("child {@", Incomplete),
        ("child { i32: 1@", Incomplete),
        ("child { @>", InvalidSyntax),
        ("child < @}", InvalidSyntax),
        ("child { i32: 1,@, }", InvalidSyntax),
        ("child: @5", WrongType),
        ("child @\"x\"", WrongType),
        ("child { @, }", InvalidSyntax),
        ("child: @[{}]", WrongType),
        ("i32: @[1]", WrongType),
        ("ints @[1]", InvalidSyntax),
        ("ints: [1,@]", InvalidSyntax),
        ("ints: [1@;2]", InvalidSyntax),
        ("ints: [1 @2]", InvalidSyntax),
        ("ints: [@,1]", InvalidSyntax),
        ("ints: [1,@,1]", InvalidSyntax),
        ("ints: [1@", Incomplete),
        ("ints: [@[1]]", WrongType),
        ("children: [{}@; {}]", InvalidSyntax),
        ("children: [{},@]", InvalidSyntax),
        ("children: [{} @{}]", InvalidSyntax),
        ("children: [@5]", WrongType),
        ("i32: @\"5\"", WrongType),
        ("i32: @five", WrongType),
        ("i32: @1.0", InvalidNumber),
        ("i32: @1e2", InvalidNumber),
        ("i32: @5f", InvalidNumber),
        ("i32: @08", InvalidNumber),
        ("i32: 0x@", Incomplete),
        ("i32: @0xg", InvalidNumber),
        ("i32: @10x", InvalidNumber),
        ("i32: @10child {}", InvalidNumber),
        ("i32: @1.2.3", InvalidNumber),
        ("i32: @0x1.", InvalidNumber),
        ("i32: @017.5", InvalidNumber),
        ("i32: @+1", InvalidSyntax),
        ("i32: -@-1", WrongType),
        ("i32: @2147483648", OutOfRange),
        ("i32: @-2147483649", OutOfRange),
        ("i32: @020000000000", OutOfRange),
        ("u32: @4294967296", OutOfRange),
        ("u32: @-1", OutOfRange),
        ("u32: @-0", OutOfRange),
        ("u64: @-0", OutOfRange),
        ("u64: @18446744073709551616", OutOfRange),
        ("u64: @0x10000000000000000", OutOfRange),
        ("u64: @02000000000000000000000", OutOfRange),
        ("i64: @9223372036854775808", OutOfRange),
        ("i64: @-0x8000000000000001", OutOfRange),
        ("double: @012", InvalidNumber),
        ("double: @0x1", InvalidNumber),
        ("double: -@012", InvalidNumber),
        ("double: 1e@", Incomplete),
        ("double: @1e+ ", InvalidNumber),
        ("double: @1.5ff", InvalidNumber),
        ("double: @1.5.", InvalidNumber),
        ("double: @\"1\"", WrongType),
        ("double: @infin", WrongType),
        ("double: @.", WrongType),
        ("double: @{}", WrongType),
        ("double: @1f2", InvalidNumber),
        ("double: @00.5", InvalidNumber),
        ("flag: @TRUE", WrongType),
        ("flag: @2", OutOfRange),
        ("flag: @1.0", WrongType),
        ("flag: @-1", WrongType),
        ("flag: @\"true\"", WrongType),
        ("flag: @tru", WrongType),
        ("flag: @18446744073709551616", OutOfRange),
        ("color: @GREEN", UnknownEnumValue),
        ("color: @red", UnknownEnumValue),
        ("color: @2", UnknownEnumValue),
        ("color: @2147483648", OutOfRange),
        ("color: @1.0", InvalidNumber),
        ("color: @\"RED\"", WrongType),
        ("color: -@RED", WrongType),
        ("text: @5", WrongType),
        ("text: @abc", WrongType),
        ("text: @{}", WrongType),
        ("text: \"abc@", Incomplete),
        ("text: 'abc\"@", Incomplete),
        ("text: \"a@\n\"", InvalidString),
        ("text: \"a@\0\"", InvalidString),
        ("text: \"a@\\\n\"", InvalidString),
        ("text: \"@\\q\"", InvalidString),
        ("text: \"ab@\\8\"", InvalidString),
        ("text: \"@\\xg\"", InvalidString),
        ("text: \"@\\400\"", InvalidString),
        ("text: \"@\\u12\"", InvalidString),
        ("text: \"@\\u123g\"", InvalidString),
        ("text: \"@\\ud800\"", InvalidString),
        ("text: \"@\\ud801\\udc37\"", InvalidString),
        ("text: \"@\\udc00\"", InvalidString),
        ("text: \"@\\U0000d801\"", InvalidString),
        ("text: \"@\\U00110000\"", InvalidString),
        ("text: \"@\\U1000000\"", InvalidString),
        ("open { text: @\"\\300\" }", InvalidUtf8),
        ("open { text: @\"\\xe9\" 'a' }", InvalidUtf8),
        ("data: \"@\\ud800\"", InvalidString),
        ("text: \"a\" @+ \"b\"", InvalidSyntax),
        ("i32: 1 @i32: 1", DuplicateField),
        ("i32: 1 @i32: 2", DuplicateField),
        ("child {} @child {}", DuplicateField),
        ("open { i32: 0 @i32: 0 }", DuplicateField),
        ("mygroup {} @MyGroup {}", DuplicateField),
        ("one_int: 1 @one_int: 1", DuplicateField),
        ("one_int: 1 @one_child {}", DuplicateOneof),
        ("one_child {} i32: 1 @one_int: 0", DuplicateOneof),
        ("by_id { key: 1 @key: 1 }", DuplicateField),
        ("[t.ext]: 1 @[t.ext]: 1", DuplicateField),
        ("@[t/ext]: 1", InvalidName),
        ("@[]: 1", InvalidName),
        ("@[t..ext]: 1", InvalidName),
        ("@[.t.ext]: 1", InvalidName),
        ("@[t.1ext]: 1", InvalidName),
        ("[t.ext@", Incomplete),
        ("[t.e@{xt]: 1", InvalidSyntax),
        ("[t.ext] @1", InvalidSyntax),
        ("@[t.ext.]: 1", InvalidName),
        ("any { @[t.All] {} }", InvalidName),
        ("any { @[/t.All] {} }", InvalidName),
        ("any { @[a%2/t.All] {} }", InvalidName),
        ("any { @[a%zz/t.All] {} }", InvalidName),
        ("any { @[a/b/] {} }", InvalidName),
        ("any { @[a/t.None] {} }", UnknownType),
        ("any { @[a/t.Color] {} }", UnknownType),
        ("any { @[a//t-All] {} }", InvalidName),
        ("any { [a@:b/t.All] {} }", InvalidSyntax),
        ("any { [a/t.All]: @5 }", WrongType),
        ("any { [a/t.All] @[{}] }", WrongType),
        ("any { [a/t.All] {} @[a/t.All] {} }", DuplicateField),
        ("any { [a/t.All] {} @value: '' }", DuplicateField),
        ("any { type_url: 'x' @[a/t.All] {} }", DuplicateField),
        ("any { value: 'x' @[a/t.All] {} }", DuplicateField),
        ("any { [a/t.Strict] {@} }", MissingRequired),
        ("strict {}@", MissingRequired),
        ("by_name { value { strict {} } }@", MissingRequired),
        ("gone@", Incomplete),
        ("gone @5", WrongType),
        ("gone: @;", InvalidSyntax),
        ("gone: -@foo", InvalidNumber),
        ("gone: [1 @2]", InvalidSyntax),
        ("gone: [@[1]]", InvalidSyntax),
        ("gone [@1]", WrongType),
        ("gone: \"@\\q\"", InvalidString),
        ("gone { x @}", InvalidSyntax),
        ("gone { x: 1 @>", InvalidSyntax),
        ("gone { x: 1,@, }", InvalidSyntax),
        ("gone: @08", InvalidNumber),
        ("gone { @", Incomplete),
        ("gone: \"x@", Incomplete),
        ("@é: 1", InvalidSyntax),
        ("text: @“x”", InvalidSyntax),
        ("@\u{feff}i32: 1", InvalidSyntax),
    ] {
        refused(text, kind);
    }
}

/// NUL stood for the end of the input, and what came after it was not read.
#[test]
fn nul_does_not_end_the_input() {
    for text in ["@\0", "i32: 1@\0", "i32: 1 @\0 none: x", "i32: 1;@\0", "child {} @\0", "@\0 i32: 1"] {
        refused(text, Bad::InvalidSyntax);
    }
}

#[test]
fn strings_and_escapes() {
    let data =
        |text: &str| parse(&format!("data: {text}")).get_field("data").unwrap().as_bytes().unwrap().to_vec();
    for (text, bytes) in [
        (r#""\a\b\f\n\r\t\v\?\\\'\"""#, &b"\x07\x08\x0c\n\r\t\x0b?\\'\""[..]),
        (r#"'"' "'""#, b"\"'"),
        (r#""\1\12\123\1234\377\08""#, b"\x01\x0a\x53\x534\xff\x008"),
        (r#""\x1\xFf\xFFf\X41\x3g""#, b"\x01\xff\xfff\x41\x03g"),
        (r#""\u00e9\U0001f600\u0000\U0010FFFF""#, "\u{e9}\u{1f600}\0\u{10ffff}".as_bytes()),
        ("\"\t\r\x0b\x7f\u{e9}\u{1f600}\"", "\t\r\x0b\x7f\u{e9}\u{1f600}".as_bytes()),
        ("'a' # one\n\"b\"'c'\n\n''", b"abc"),
        ("''", b""),
        // Parts that are characters only together.
        (r#""\xc3" "\xa9""#, b"\xc3\xa9"),
    ] {
        assert_eq!(data(text), bytes, "{text}");
    }
    becomes(r#"open { text: "\xc3" '\251' }"#, "open{text:\"\u{e9}\"}");
    // Strings of proto2 may be anything.
    becomes(r#"text: "\xff\xc3\251""#, "text:\"\\377\u{e9}\"");
    becomes("texts: 'a' 'b' texts: ['c' 'd', 'e']", "texts:[\"ab\",\"cd\",\"e\"]");
}

#[test]
fn names_in_brackets() {
    same("[t.ext]:5,[t.exts]:[\"a\",\"b\"],[t.ext_child]{[t.ext]:1}");
    becomes(
        "[t.exts]: ['a'] [t.ext_child] < > [ t . e #c\n xt ] : 5 [t.exts]: 'b'",
        "[t.ext]:5,[t.exts]:[\"a\",\"b\"],[t.ext_child]{}",
    );
    // A MessageSet's item by the name of its type, which is how it is printed, or by its own.
    same("set{[t.Item]{x:1}}");
    becomes("set { [t.Item.item] { x: 1 } }", "set{[t.Item]{x:1}}");
    same("any{[type.googleapis.com/t.All]{i32:1,any{[a/t.Item]{}}}}");
    becomes(
        "any: < [ type.goo #c\n gleapis.com / a-b_0/~!$&()*+,;=%2F / t . A ll ] : < ints: [1] > , > anys [{}, {[a/t.Item]{};}]",
        "any{[type.googleapis.com/a-b_0/~!$&()*+,;=%2F/t.All]{ints:[1]}},anys:[{},{[a/t.Item]{}}]",
    );
    becomes("any { value: '\\010\\001' type_url: 'a/t.Item' }", "any{[a/t.Item]{x:1}}");
    becomes("any { type_url: 'a/t.None' }", "any{type_url:\"a/t.None\"}");
    let partial = text::Parser::new().allow_partial(true);
    let message = partial.message_from_str(&all(), "any { [a/t.Strict] {} } strict {}").unwrap();
    assert_eq!(tablepb::text::to_string(&message).unwrap(), "any{type_url:\"a/t.Strict\"},strict{}");
    assert_eq!(
        tablepb::text::to_string(&parse("any { [a/t.Strict] { id: 0 } }")).unwrap(),
        "any{[a/t.Strict]{id:0}}"
    );
    // What comes after an Any whose content was made aside.
    becomes(
        "any { [a/t.All] { by_id { key: 1 } text: 'x' } } by_id { key: 2 } text: 'y'",
        "text:\"y\",by_id:[{key:2,value:RED}],any{[a/t.All]{text:\"x\",by_id:[{key:1,value:RED}]}}",
    );
}

#[test]
fn groups_by_both_names() {
    same("MyGroup{x:1},Groups:[{x:1},{}]");
    becomes(
        "mygroup { x: 1 } groups {} Groups: { x: 2 } groups [{x: 3}, <>]",
        "MyGroup{x:1},Groups:[{},{x:2},{x:3},{}]",
    );
    let delimited = pool().message("e.Delimited").unwrap();
    becomes_as(
        &delimited,
        "grouplike { x: 1 } other { x: 2 } outside {} plain {}",
        "GroupLike{x:1},other{x:2},outside{},plain{}",
    );
    becomes_as(&delimited, "GroupLike: < x: 1 >", "GroupLike{x:1}");
    for text in ["Other {}", "Outside {}", "Plain {}", "GROUPLIKE {}", "groupLike {}"] {
        assert!(tablepb::text::message_from_str(&delimited, text).is_err(), "{text}");
    }
}

#[test]
fn reserved_names_are_skipped() {
    for value in [
        ": 1",
        ":-1.5f",
        ": - inf",
        ": true",
        ": 'a' \"b\"",
        ": { a: 1, b { c: [1, 2]; } [x.y/z] <> 5: 'x' }",
        "{ }",
        ": <a: 'x'>",
        "<a<b<>>>",
        ": [1, -2, 'x' 'y', z, {a: 1}]",
        ": []",
        ": [<>]",
        "[{}, <>]",
        " # c\n : # c\n 0x1F",
    ] {
        for end in ["", ";", " ,"] {
            becomes(&format!("i32: 1 gone {value}{end} Left{value} i64: 2"), "i32:1,i64:2");
            becomes(&format!("child {{ gone{value}{end} }}"), "child{}");
        }
    }
    let lenient = text::Parser::new().deny_unknown_fields(false);
    let text = "none { a: 1 } i32: 1 [no.ext]: 5 7: 'x' 8 { 1: 0x1 }";
    assert!(tablepb::text::message_from_str(&all(), text).is_err());
    let message = lenient.message_from_str(&all(), text).unwrap();
    assert_eq!(tablepb::text::to_string(&message).unwrap(), "i32:1");
    // Integers of any form are names then, floats are not.
    let names = [
        ("7", true),
        ("0x1f", true),
        ("017", true),
        ("99999999999999999999", true),
        ("1.0", false),
        ("1e1", false),
        ("1f", false),
        (".5", false),
        ("-7", false),
    ];
    for (name, taken) in names {
        for text in [format!("{name}: 5"), format!("{name} {{}}"), format!("none {{ {name}: 5 }}")] {
            let parsed = lenient.message_from_str(&all(), &text);
            let kind = parsed.map(drop).map_err(|error| error.kind());
            assert_eq!(kind, if taken { Ok(()) } else { Err(Bad::InvalidSyntax) }, "{text}");
        }
    }
    // What the message has must still be right.
    assert!(lenient.message_from_str(&all(), "color: GREEN").is_err());
}

#[test]
fn map_entries_come_in_any_order_and_the_last_one_counts() {
    becomes(
        "by_id { value: BLUE key: 1 } by_id { } by_id { key: 1 } by_id [{ key: -1 }]",
        "by_id:[{key:-1,value:RED},{key:0,value:RED},{key:1,value:RED}]",
    );
    becomes(
        "by_name { key: 'd' value { i32: 1 } } by_id { key: 2 } by_name { value { i64: 2 } key: 'd' } by_id { key: 2 value: BLUE }",
        "by_name:[{key:\"d\",value{i64:2}}],by_id:[{key:2,value:BLUE}]",
    );
    // Many entries of several maps in turn.
    let mut text = String::new();
    for i in 0..200 {
        write!(
            text,
            "by_id {{ key: {} value: {} }} by_name {{ key: '{}' value {{ i32: {i} }} }}",
            i % 70,
            if i < 100 { "RED" } else { "BLUE" },
            i % 30
        )
        .unwrap();
    }
    let message = parse(&text);
    let map = message.get_field("by_id").unwrap().as_map().unwrap();
    assert_eq!(
        (
            map.len(),
            map.get(69).and_then(|v| v.as_enum_number()),
            map.get(60).and_then(|v| v.as_enum_number())
        ),
        (70, Some(-3), Some(-3))
    );
    let map = message.get_field("by_name").unwrap().as_map().unwrap();
    let at = |key: &str| map.get(key).unwrap().as_message().unwrap().get_field("i32").unwrap().as_i32();
    assert_eq!((map.len(), at("19"), at("29")), (30, Some(199), Some(179)));
    // A fault in an entry leaves those before it, with unique keys.
    let mut failed = parse("by_id { key: 1 value: BLUE }");
    let error =
        tablepb::text::merge_from_str(&mut failed, &format!("{text} by_id {{ key: 500 value: GREEN }}"))
            .unwrap_err();
    assert_eq!((error.kind(), error.path().to_string().as_str()), (Bad::UnknownEnumValue, "by_id.value"));
    assert_eq!(failed.get_field("by_id").unwrap().as_map().unwrap().len(), 70);
    assert_eq!(DynamicMessage::decode(&all(), &failed.encode_to_vec().unwrap()).unwrap(), failed);
}

#[test]
fn errors_say_where() {
    let error = |text: &str| tablepb::text::message_from_str(&all(), text).unwrap_err();
    for (text, place, path) in [
        ("i32: 1\n  x: 2", (9, 2, 3), ""),
        ("texts: '\u{e9}' texts: 5", (19, 1, 19), "texts[1]"),
        ("child {\n child { ints: [1, 2,\nx] } }", (30, 3, 1), "child.child.ints[2]"),
        ("children {} children [{}, {}, { i32: x }]", (37, 1, 38), "children[3].i32"),
        ("by_name { value { by_id { key: 1 value: GREEN } } }", (40, 1, 41), "by_name.value.by_id.value"),
        ("any { [a/t.All] { children { flag: 7 } } }", (35, 1, 36), "any.children[0].flag"),
        ("[t.ext_child] { mygroup { x: y } }", (29, 1, 30), "ext_child.mygroup.x"),
        ("child { strict {} }", (19, 1, 20), "child.strict.id"),
        // The content of an Any is whole where its bracket closes.
        ("anys {} anys { [a/t.Strict] { } }", (30, 1, 31), "anys[1].id"),
        (
            "any { [a/t.All] { any < [a/t.All] { children {} children { strict {\n} } } > } } i32: 1",
            (72, 2, 5),
            "any.any.children[1].strict.id",
        ),
    ] {
        let error = error(text);
        assert_eq!((error.offset(), error.line(), error.column()), place, "{text}: {error}");
        assert_eq!(error.path().to_string(), path, "{text}");
        assert_eq!(error.message_name(), Some("t.All"));
    }
    assert_eq!(
        error("child { i32: x }").to_string(),
        "the field does not take a value of this type at line 1, column 14, in t.All: child.i32"
    );
    assert_eq!(
        error("x: 1").to_string(),
        "the message has no such field \"x\" at line 1, column 1, in t.All"
    );
}

#[test]
fn brackets_and_what_is_skipped_count_against_the_budget() {
    let levels = 2_000;
    let nested = |open: &str, close: &str| format!("gone {}<>{}", open.repeat(levels), close.repeat(levels));
    let long = "x".repeat(levels);
    for (case, needed) in [
        (format!("[{}]: 1", long), levels),
        (format!("any {{ [{}/t.Item] {{}} }}", long), 2 * levels),
        (nested("< a ", ">"), levels),
        (nested("{ a: [", "]}"), 2 * levels),
    ] {
        let parse = |budget: usize| {
            let options = text::Parser::new().deny_unknown_fields(false).max_depth(u32::MAX).budget(budget);
            options.message_from_str(&all(), &case).map_err(|error| error.kind())
        };
        assert!(parse(100 * needed).is_ok(), "{}", &case[..20]);
        // A little is taken whatever the input is.
        assert_eq!(parse(needed + 1_000).err(), Some(Bad::BudgetExceeded), "{}", &case[..20]);
    }
}

/// The content takes its length in its own store, as encoded bytes, and in the store around it.
#[test]
fn the_content_of_an_any_is_charged_before_it_is_encoded() {
    let len = 1 << 20;
    let long = "x".repeat(len);
    let text = format!("any {{ [a/t.All] {{ text: '{long}' }} }}");
    let json = format!(r#"{{"any":{{"@type":"a/t.All","text":"{long}"}}}}"#);
    let budget = len * 3 / 2;
    let (failed, used) = measure(|| text::Parser::new().budget(budget).message_from_str(&all(), &text));
    assert_eq!(failed.unwrap_err().kind(), Bad::BudgetExceeded);
    assert!(used.peak < budget, "{}", used.peak);
    let options = json::Parser::new().budget(budget);
    let (failed, used) = measure(|| options.message_from_slice(&all(), json.as_bytes()));
    assert_eq!(failed.unwrap_err().kind(), ParseErrorKind::BudgetExceeded);
    assert!(used.peak < budget, "{}", used.peak);
}

/// Names that are searched one by one take a hundred times as long for ten times as many.
#[test]
fn many_reserved_names_take_time_in_their_number() {
    let made = |count: usize| {
        let reserved: String =
            (0..count).map(|i| format!("reserved_name: 'n{}' ", i * 7919 % count)).collect();
        let file = format!("name: 'a.proto' message_type {{ name: 'A' {reserved} }}");
        let own = DescriptorPool::descriptor_proto();
        let set = own.message("google.protobuf.FileDescriptorSet").unwrap();
        let set = tablepb::text::message_from_str(&set, &format!("file {{ {file} }}")).unwrap();
        let pool = DescriptorPool::decode(&set.encode_to_vec().unwrap()).unwrap();
        let text: String = (0..count).map(|i| format!("n{i}: 1 ")).collect();
        (pool.message("A").unwrap(), text)
    };
    let run = |(message, text): &(MessageDescriptor, String), times: usize| {
        for _ in 0..times {
            let parsed = tablepb::text::message_from_str(message, text).unwrap();
            assert_eq!(tablepb::text::to_string(&parsed).unwrap(), "");
        }
    };
    let (few, many) = (made(2_000), made(20_000));
    assert_eq!(many.0.reserved_names().nth(1), Some("n7919"));
    // As many names at once take about as long.
    assert_within(4, || run(&few, 10), || run(&many, 1));
    for text in ["n: 1", "n20000: 1", "N1: 1", "n01: 1"] {
        assert_eq!(
            tablepb::text::message_from_str(&many.0, text).unwrap_err().kind(),
            Bad::UnknownField,
            "{text}"
        );
    }
}

#[test]
fn a_merge_adds_and_replaces() {
    let mut message =
        parse("i32: 1 ints: 1 child { i64: 2 } by_id { key: 1 } one_int: 5 any { [a/t.Item] { x: 1 } }");
    tablepb::text::merge_from_str(
        &mut message,
        "i32: 2 ints: [2] child { i32: 3 } by_id { key: 1 value: BLUE } one_child {} any { [b/t.Item] {} }",
    )
    .unwrap();
    assert_eq!(
        tablepb::text::to_string(&message).unwrap(),
        "i32:2,child{i32:3,i64:2},ints:[1,2],by_id:[{key:1,value:BLUE}],one_child{},any{[b/t.Item]{}}"
    );
    // Messages that were kept as bytes.
    let mut prepared = DynamicMessage::new(&all());
    prepared.set_field("child", Prepared::new(&message).unwrap()).unwrap();
    tablepb::text::merge_from_str(&mut prepared, "child { i32: 9 }").unwrap();
    assert!(
        tablepb::text::to_string(&prepared).unwrap().starts_with("child{i32:9,child{i32:3,"),
        "{prepared}"
    );
    let lazy = Projection::all(&all()).lazy(["child"]).unwrap();
    let mut kept = lazy.decode(b"\x5a\x02\x08\x05").unwrap();
    assert_eq!(tablepb::text::to_string(&kept).unwrap(), "child{i32:5}");
    tablepb::text::merge_from_str(&mut kept, "child { i64: 6 }").unwrap();
    assert_eq!(tablepb::text::to_string(&kept).unwrap(), "child{i32:5,i64:6}");
    let mut broken = lazy.decode(b"\x5a\x02\x08\xff").unwrap();
    assert_eq!(tablepb::text::merge_from_str(&mut broken, "i32: 1").unwrap_err().kind(), Bad::InvalidMessage);
}

#[test]
fn depth_is_counted_as_on_the_wire() {
    let nested =
        |open: &str, close: &str, levels: usize| format!("{}{}", open.repeat(levels), close.repeat(levels));
    let kind = |text: &str| tablepb::text::message_from_str(&all(), text).map_err(|e| e.kind()).map(drop);
    for (open, close, most) in [
        ("child {", "}", 100),
        ("children [ <", ">]", 100),
        ("by_name { value {", "}}", 50),
        ("any { [a/t.All] {", "}}", 50),
        ("gone {", "}", 100),
        ("gone: [{", "}]", 100),
    ] {
        assert_eq!(kind(&nested(open, close, most)), Ok(()), "{open}");
        assert_eq!(kind(&nested(open, close, most + 1)), Err(Bad::DepthExceeded), "{open}");
        assert_eq!(kind(&nested(open, close, 100_000)), Err(Bad::DepthExceeded), "{open}");
        let cut = &nested(open, close, most)[..open.len() * most];
        assert_eq!(kind(cut), Err(Bad::Incomplete), "{open}");
    }
    // Without a limit there is no recursion either.
    let options = text::Parser::new().max_depth(u32::MAX).budget(usize::MAX);
    let text = nested("child {", "}", 100_000);
    let message = options.message_from_str(&all(), &text).unwrap();
    assert_eq!(tablepb::text::to_string(&message).unwrap().len(), 7 * 100_000);
    assert!(options.message_from_str(&all(), &nested("gone {", "}", 100_000)).is_ok());
    let shallow = text::Parser::new().max_depth(0);
    assert!(shallow.message_from_str(&all(), "i32: 1 gone: 1").is_ok());
    assert!(shallow.message_from_str(&all(), "gone {}").is_err());
}

/// Time in proportion to the input, and memory in the budget, whatever repeats.
#[test]
fn long_inputs_take_linear_time() {
    let many = |part: &str, count: usize| part.repeat(count);
    let texts = |count: usize| {
        [
            format!("text: {}", many("'' ", count)),
            format!("text: {}", many("'a'", count)),
            format!("data: \"{}\"", many("\\n\\377", count)),
            many("by_id { key: 1 }", count),
            (0..count).map(|i| format!("by_id {{ key: {} }}", i.reverse_bits() as i32)).collect(),
            (0..count).map(|i| format!("by_id {{ key: {i} }} by_name {{ key: '{i}' }}")).collect(),
            many("ints: 1 ", count),
            format!("ints: [1{}]", many(",1", count)),
            many("children {}", count),
            many("# comment\n", count),
            many("gone: [1, 2] ", count),
            format!("double: {}", many("9", count)),
            format!("double: 1e{}", many("9", count)),
            format!("u64: 0x{}1", many("0", count)),
            format!("[t.{}ext]: 1", many(" ", count)),
            format!("any {{ [{}/t.Item] {{}} }}", many("%2f", count)),
            many("anys { [a/t.All] { text: 'x' } }", count),
        ]
    };
    let run = |text: &str, times: usize| {
        for _ in 0..times {
            let message = tablepb::text::message_from_str(&all(), text);
            message.unwrap_or_else(|e| panic!("{e}: {}", &text[..40]));
        }
    };
    for (few, more) in texts(200).iter().zip(texts(8_000)) {
        // As many bytes at once take about as long; quadratic would be 40 times.
        println!("{}", &more[..40]);
        assert_within(8, || run(few, 40), || run(&more, 1));
    }
}

#[test]
fn a_view_prints_what_a_message_prints() {
    let message = parse(
        "i32: 1 children { text: 'x' } by_id { key: 1 } [t.ext]: 7 any { [a/t.Item] { x: 1 } } MyGroup {}",
    );
    let bytes = message.encode_to_vec().unwrap();
    let mut decoder = Decoder::new(&all());
    let view = decoder.decode(&bytes).unwrap();
    assert_eq!(
        (tablepb::text::to_string(&view).unwrap(), view.to_string()),
        (tablepb::text::to_string(&message).unwrap(), message.to_string())
    );
    assert_eq!(format!("{view:?}"), format!("{message:?}"));
}

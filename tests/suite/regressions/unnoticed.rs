//! Changes of the code that no test noticed when `.ci/mutants` made them.

use crate::common::bridge::descriptor;
use crate::common::schema::{Card, Kind, Schema, Syntax};
use crate::common::wire::Wire;
use std::collections::HashSet;
use tablepb::compare::Comparison;
use tablepb::partial::Projection;
use tablepb::record::RecordPlan;
use tablepb::table::{DefaultValue, FieldTable, Kind as TableKind, MessageTable};
use tablepb::visit::{Field, Sink, Step, Visited};
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, EncodeErrorKind,
    FieldDescriptor, Message, MessageDescriptor, ParseErrorKind, ValueRef, json, text, wkt,
};

/// A message with `fields` optional `int32` fields, `M` itself after them, and a oneof of three after that.
fn wide(fields: u32) -> MessageDescriptor {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let root = schema.message(file, "M");
    schema.messages[root].oneofs = 1;
    for number in 1..=fields {
        schema.add(root, number, Kind::Int32, Card::Optional);
    }
    schema.add(root, fields + 1, Kind::Message(root), Card::Optional);
    for number in fields + 2..fields + 5 {
        schema.add(root, number, Kind::Int32, Card::Optional).oneof = Some(0);
    }
    descriptor(&schema, &schema.pool(), root)
}

/// The value of a field that is set.
fn get<'m>(message: &'m DynamicMessage, name: &str) -> ValueRef<'m, 'm> {
    message.get(&message.descriptor().field(name).unwrap()).unwrap()
}

/// The notes of a wide message are words of their own, which end where those of a message in it begin.
#[test]
fn json_finds_duplicates_in_wide_messages_and_in_those_inside() {
    let message = wide(70);
    for whole in [
        r#"{"f70":1,"f6":1}"#,
        r#"{"f70":1,"f71":{"f70":1,"f1":2,"f71":{"f70":3}},"f1":1}"#,
        r#"{"f3":1,"f71":{"f67":1},"f67":1}"#,
    ] {
        let read = json::message_from_slice(&message, whole.as_bytes()).unwrap();
        let printed = json::to_string(&read).unwrap();
        assert_eq!(json::message_from_slice(&message, printed.as_bytes()).unwrap(), read);
    }
    for twice in [
        r#"{"f70":1,"f1":2,"f70":2}"#,
        r#"{"f71":{"f66":1,"f66":2}}"#,
        r#"{"f66":1,"f71":{"f2":1},"f66":2}"#,
        r#"{"f1":1,"f71":{"f70":1,"f71":{},"f70":1}}"#,
        r#"{"f65":1,"f71":{},"f71":{}}"#,
    ] {
        let error = json::message_from_slice(&message, twice.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ParseErrorKind::DuplicateKey, "{twice}");
    }
    for oneof in [r#"{"f72":1,"f74":2}"#, r#"{"f71":{"f73":1},"f72":1,"f73":2}"#] {
        let error = json::message_from_slice(&message, oneof.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ParseErrorKind::DuplicateOneof, "{oneof}");
    }
}

/// A member of a oneof that is not selected unsets the one that is, in wide messages too.
#[test]
fn an_unselected_member_unsets_the_others_in_messages_of_any_width() {
    for fields in [3, 60, 70, 300] {
        let message = wide(fields);
        let (first, last) = (fields + 2, fields + 4);
        let projection = Projection::new(&message, [format!("f{first}").as_str()]).unwrap();
        let both = Wire::new().int(first, 5).int(last, 6).0;
        assert_eq!(projection.decode(&both).unwrap().to_string(), "");
        let again = Wire::new().int(first, 5).int(last, 6).int(first, 7).0;
        assert_eq!(projection.decode(&again).unwrap().to_string(), format!("f{first}:7"));
    }
}

/// `repeated M f16 = 16` of small messages, without messages in them and with one, and `fixed32` fields, one of which has a tag that differs from that of
/// the list in each bit of a byte. Their value would be an element, too.
#[test]
fn a_field_after_an_element_is_no_element_whatever_its_tag() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let (flat, deep) = (schema.message(file, "M"), schema.message(file, "Deep"));
    let (leaf, node) = (schema.message(file, "Leaf"), schema.message(file, "Node"));
    for element in [leaf, node] {
        schema.add(element, 1, Kind::Int32, Card::Implicit);
        schema.add(element, 2, Kind::Bytes, Card::Implicit);
    }
    schema.add(node, 3, Kind::Message(leaf), Card::Optional);
    let numbers = || (17..32).chain(144..160);
    for (root, element) in [(flat, leaf), (deep, node)] {
        schema.add(root, 16, Kind::Message(element), Card::Repeated);
        for number in numbers() {
            schema.add(root, number, Kind::Fixed32, Card::Optional);
        }
    }
    let pool = schema.pool();
    let plain = |len: usize| Wire::new().int(1, 3).bytes(2, vec![7; len]);
    let nested = |len: usize| plain(len).message(3, plain(len));
    for (root, element) in [(flat, &plain as &dyn Fn(usize) -> Wire), (deep, &plain), (deep, &nested)] {
        let message = descriptor(&schema, &pool, root);
        for (len, number) in [0, 1, 20].into_iter().flat_map(|len| numbers().map(move |number| (len, number)))
        {
            let wire = Wire::new()
                .message(16, element(len))
                .fixed32(number, 0x0185_0803)
                .message(16, element(len))
                .0;
            let read = DynamicMessage::decode(&message, &wire).unwrap();
            assert_eq!(get(&read, "f16").as_list().unwrap().len(), 2);
            assert_eq!(get(&read, &format!("f{number}")).as_u32(), Some(0x0185_0803));
            let again = DynamicMessage::decode(&message, &read.encode_to_vec().unwrap()).unwrap();
            assert_eq!(again, read);
        }
    }
}

/// Elements of 126 to 130 bytes and of 256, whose lengths take two bytes, the first of which may be 0x80.
#[test]
fn elements_are_as_long_as_their_lengths_say_where_these_take_two_bytes() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let (root, leaf) = (schema.message(file, "M"), schema.message(file, "Leaf"));
    schema.add(leaf, 1, Kind::Bytes, Card::Implicit);
    schema.add(leaf, 2, Kind::Int32, Card::Implicit);
    schema.add(root, 1, Kind::Message(leaf), Card::Repeated);
    schema.add(root, 2, Kind::Int32, Card::Implicit);
    let message = descriptor(&schema, &schema.pool(), root);
    for len in (120..135).chain(250..262) {
        for empty in [false, true] {
            let small = if empty { Vec::new() } else { Wire::new().int(2, 9).0 };
            let large = Wire::new().bytes(1, vec![b'x'; len]).0;
            let wire = Wire::new().bytes(1, &small).bytes(1, &large).bytes(1, &small).int(2, 5).0;
            let read = DynamicMessage::decode(&message, &wire).unwrap();
            assert_eq!(get(&read, "f1").as_list().unwrap().len(), 3, "{len}");
            assert_eq!(read.encode_to_vec().unwrap(), wire, "{len}");
        }
    }
}

/// Where siblings are compared, each of them is as deep as the one before.
#[test]
fn differences_are_found_however_many_messages_come_before() {
    let source = |last: u32| "f1{f1{f2:1}}".repeat(300) + &format!("f1{{f1{{f2:{last}}}}}");
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let root = schema.message(file, "M");
    schema.add(root, 1, Kind::Message(root), Card::Repeated);
    schema.add(root, 2, Kind::Int32, Card::Implicit);
    let message = descriptor(&schema, &schema.pool(), root);
    let of = |last| text::message_from_str(&message, &source(last)).unwrap();
    let found = Comparison::new().differences(&of(1), &of(2)).unwrap();
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((one.before(), one.after()), (Some("1"), Some("2")));
    assert_eq!(one.to_string(), "f1[300].f1[0].f2: 1 -> 2");
    assert_eq!(format!("{one:?}"), format!("`{one}`"));
}

/// A sink that enters every message and counts numbers.
#[derive(Default)]
struct Floats(usize);

impl Sink<'_> for Floats {
    fn begin(&mut self, _: Field<'_>) -> Step {
        Step::Enter
    }

    fn f32(&mut self, _: Field<'_>, _: f32) {
        self.0 += 1;
    }
}

/// Elements of fixed shape that reach beyond the end of the message that they are in, into bytes that would do.
#[test]
fn a_visit_ends_where_the_message_ends_whatever_comes_after_it() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let (root, mesh, point) =
        (schema.message(file, "M"), schema.message(file, "Mesh"), schema.message(file, "Point"));
    for number in 1..=3 {
        schema.add(point, number, Kind::Float, Card::Implicit);
    }
    schema.add(mesh, 1, Kind::Message(point), Card::Repeated);
    schema.add(root, 1, Kind::Message(mesh), Card::Optional);
    schema.add(root, 15, Kind::Bytes, Card::Repeated);
    let message = descriptor(&schema, &schema.pool(), root);
    let mut decoder = Decoder::new(&message);
    let element = || Wire::new().fixed32(1, 7).fixed32(2, 8).fixed32(3, 9);
    let points = Wire::new().message(1, element()).message(1, element()).message(1, element()).0;
    for end in 0..=points.len() {
        // What is left of the points is after the message, as are fields.
        let mut wire = Wire::new().tag(1, 2).varint(end as u64).raw(&points);
        for _ in 0..4 {
            wire = wire.bytes(15, [b'x'; 5]);
        }
        let decoded = decoder.decode(&wire.0).map(drop);
        let mut floats = Floats::default();
        assert_eq!(decoder.visit(&wire.0, &mut floats).map(drop), decoded, "{end}");
        // An element of three numbers takes two bytes and five for each.
        assert_eq!(floats.0, end / 17 * 3, "{end}");
    }
}

/// The value of an entry may be missing, and with it what it requires.
#[test]
fn a_visit_misses_the_required_fields_of_a_value_that_an_entry_lacks() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let (root, needy) = (schema.message(file, "M"), schema.message(file, "Needy"));
    schema.add(needy, 1, Kind::Int32, Card::Required);
    schema.add_map(root, 1, Kind::Int32, Kind::Message(needy));
    let message = descriptor(&schema, &schema.pool(), root);
    let mut decoder = Decoder::new(&message);
    for (entry, whole) in [
        (Wire::new().int(1, 7).message(2, Wire::new().int(1, 1)), true),
        (Wire::new().int(1, 7).message(2, Wire::new()), false),
        (Wire::new().int(1, 7), false),
        (Wire::new(), false),
    ] {
        let wire = Wire::new().message(1, entry).0;
        let decoded = decoder.decode(&wire).map(drop);
        let visited =
            decoder.visit(&wire, &mut Floats::default()).map(|visited| assert_eq!(visited, Visited::Whole));
        assert_eq!(visited, decoded);
        assert_eq!(
            visited.map_err(|error| error.kind()),
            if whole { Ok(()) } else { Err(DecodeErrorKind::MissingRequired) }
        );
    }
}

/// Numbers that a 64-bit type cannot hold, of as many digits as its largest, and numbers with a point or an exponent that it can.
#[test]
fn integers_in_json_end_at_their_bounds_in_each_spelling() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let root = schema.message(file, "M");
    schema.add(root, 1, Kind::Int64, Card::Implicit);
    schema.add(root, 2, Kind::Uint64, Card::Implicit);
    let message = descriptor(&schema, &schema.pool(), root);
    let parse = |json: &str| json::message_from_slice(&message, json.as_bytes());
    for (spelling, value) in [
        ("9.223372036854775807e18", i64::MAX),
        ("92233720368547758.07e2", i64::MAX),
        ("-9223372036854775808.0", i64::MIN),
        ("-9.223372036854775808e18", i64::MIN),
        ("12e2", 1200),
        ("5.0", 5),
        ("-5.00", -5),
    ] {
        for json in [format!("{{\"f1\":{spelling}}}"), format!("{{\"f1\":\"{spelling}\"}}")] {
            let read = parse(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
            assert_eq!(get(&read, "f1").as_i64(), Some(value), "{json}");
        }
    }
    for spelling in
        ["9223372036854775808", "9.223372036854775808e18", "-9223372036854775809", "-9.223372036854775809e18"]
    {
        assert!(parse(&format!("{{\"f1\":{spelling}}}")).is_err(), "{spelling}");
        assert!(parse(&format!("{{\"f1\":\"{spelling}\"}}")).is_err(), "{spelling}");
    }
    for first in 2..=9 {
        for rest in ["0000000000000000000", "8446744073709551615", "9999999999999999999"] {
            assert!(parse(&format!("{{\"f2\":{first}{rest}}}")).is_err(), "{first}{rest}");
            assert!(parse(&format!("{{\"f2\":\"{first}{rest}\"}}")).is_err(), "{first}{rest}");
        }
    }
    for text in ["18446744073709551615", "\"18446744073709551615\"", "1.8446744073709551615e19"] {
        let read = parse(&format!("{{\"f2\":{text}}}")).unwrap();
        assert_eq!(get(&read, "f2").as_u64(), Some(u64::MAX), "{text}");
    }
    assert!(parse("{\"f2\":18446744073709551616}").is_err());
}

#[test]
fn descriptors_say_what_they_are_of_each_definition() {
    let file = Wire::new()
        .bytes(1, "f.proto")
        .message(5, Wire::new().bytes(1, "A").message(2, Wire::new().bytes(1, "A0").int(2, 0)))
        .message(
            5,
            Wire::new()
                .bytes(1, "B")
                .message(2, Wire::new().bytes(1, "B0").int(2, 0))
                .message(3, Wire::new().int(3, 1)),
        )
        .message(5, Wire::new().bytes(1, "C").message(2, Wire::new().bytes(1, "C0").int(2, 0)));
    let pool = DescriptorPool::decode(&Wire::new().message(1, file).0).unwrap();
    let seen: Vec<_> =
        pool.all_enums().map(|e| (e.name().to_owned(), e.index(), e.is_deprecated())).collect();
    assert_eq!(seen, [("A".into(), 0, false), ("B".into(), 1, true), ("C".into(), 2, false)]);

    let state = DescriptorPool::from_tables(&[wkt::Value::TABLE]).unwrap();
    let null = state.message("google.protobuf.Value").unwrap().field("null_value").unwrap();
    assert_eq!(null.kind().as_enum().unwrap().full_name(), "google.protobuf.NullValue");
    assert!(null.kind().as_message().is_none());

    let message = DescriptorPool::from_tables(&[wkt::Timestamp::TABLE]).unwrap();
    let message = message.message("google.protobuf.Timestamp").unwrap();
    let fields: HashSet<FieldDescriptor> = message.fields().map(|field| field.to_owned()).collect();
    assert_eq!(fields.len(), 2);
    assert!(message.fields().all(|field| fields.contains(&field.to_owned())));
}

#[test]
fn tables_of_well_known_types_are_in_the_files_of_their_names() {
    for (table, file) in [
        (wkt::Empty::TABLE, "google/protobuf/empty.proto"),
        (wkt::Any::TABLE, "google/protobuf/any.proto"),
        (wkt::Duration::TABLE, "google/protobuf/duration.proto"),
        (wkt::FieldMask::TABLE, "google/protobuf/field_mask.proto"),
        (wkt::ListValue::TABLE, "google/protobuf/struct.proto"),
        (wkt::Timestamp::TABLE, "google/protobuf/timestamp.proto"),
        (wkt::BoolValue::TABLE, "google/protobuf/wrappers.proto"),
    ] {
        let pool = DescriptorPool::from_tables(&[table]).unwrap();
        assert_eq!(pool.message(table.full_name()).unwrap().parent_file().name(), file);
    }
}

/// A message with the name of a well-known type and other fields is an object in JSON as any other.
#[test]
fn types_named_as_well_known_ones_that_have_other_fields_are_objects() {
    let field =
        |name: &str, label: u64, kind: u64| Wire::new().bytes(1, name).int(3, 1).int(4, label).int(5, kind);
    let (int32, string, message) = (5, 9, 11);
    for (name, field, wire, json) in [
        ("Int32Value", field("value", 1, string), Wire::new().bytes(1, "x"), r#"{"value":"x"}"#),
        ("Int32Value", field("value", 3, int32), Wire::new().int(1, 7), r#"{"value":[7]}"#),
        ("StringValue", field("value", 1, int32), Wire::new().int(1, 7), r#"{"value":7}"#),
        ("FieldMask", field("paths", 1, string), Wire::new().bytes(1, "a"), r#"{"paths":"a"}"#),
        ("FieldMask", field("paths", 3, int32), Wire::new().int(1, 7), r#"{"paths":[7]}"#),
        (
            "ListValue",
            field("values", 3, message).bytes(6, ".google.protobuf.ListValue"),
            Wire::new().message(1, Wire::new()),
            r#"{"values":[{}]}"#,
        ),
        ("ListValue", field("values", 3, int32), Wire::new().int(1, 7), r#"{"values":[7]}"#),
        (
            "Struct",
            field("fields", 3, message).bytes(6, ".google.protobuf.Struct"),
            Wire::new().message(1, Wire::new()),
            r#"{"fields":[{}]}"#,
        ),
    ] {
        let file = Wire::new()
            .bytes(1, "own.proto")
            .bytes(2, "google.protobuf")
            .message(4, Wire::new().bytes(1, name).message(2, field))
            .bytes(12, "proto3");
        let pool = DescriptorPool::decode(&Wire::new().message(1, file).0).unwrap();
        let message = pool.message(&format!("google.protobuf.{name}")).unwrap();
        let read = DynamicMessage::decode(&message, &wire.0).unwrap();
        assert_eq!(json::to_string(&read).unwrap(), json);
        assert_eq!(json::message_from_slice(&message, json.as_bytes()).unwrap(), read);
    }
}

/// The source of a message has no extension of another message.
#[test]
fn the_source_of_a_message_has_no_extensions_of_others() {
    let range = Wire::new().int(1, 5).int(2, 9);
    let extension = |name: &str, number: u64, of: &str| {
        Wire::new().bytes(1, name).bytes(2, of).int(3, number).int(4, 1).int(5, 5)
    };
    let file = Wire::new()
        .bytes(1, "f.proto")
        .message(4, Wire::new().bytes(1, "M").message(5, range.clone()))
        .message(4, Wire::new().bytes(1, "N").message(5, range))
        .message(7, extension("of_m", 5, ".M"))
        .message(7, extension("of_n", 6, ".N"));
    let pool = DescriptorPool::decode(&Wire::new().message(1, file).0).unwrap();
    for (name, own, other) in [("M", "of_m", "of_n"), ("N", "of_n", "of_m")] {
        let source = pool.message(name).unwrap().to_proto();
        assert!(source.contains(&format!("message {name} {{")), "{source}");
        assert!(!source.contains(other), "{source}");
        assert!(!source.contains(own) || source.contains(&format!("extend {name}")), "{source}");
    }
}

/// A `Value` and the list or object in it are a level each, and so is the entry of an object: as deep as decoding goes, JSON is printed.
#[test]
fn values_are_printed_in_as_many_levels_as_are_decoded() {
    let pool = DescriptorPool::from_tables(&[wkt::Value::TABLE]).unwrap();
    let value = pool.message("google.protobuf.Value").unwrap();
    let list = |inner: Wire| Wire::new().message(6, Wire::new().message(1, inner));
    let object = |inner: Wire| {
        Wire::new().message(5, Wire::new().message(1, Wire::new().bytes(1, "k").message(2, inner)))
    };
    for (levels_of_each, nest) in [(2, &list as &dyn Fn(Wire) -> Wire), (3, &object)] {
        for times in 30..53 {
            // In a list and in an object, so that the innermost one is at each level.
            for around in 0..3 {
                let mut wire = (0..times).fold(Wire::new().int(1, 0), |inner, _| nest(inner));
                let mut levels = times * levels_of_each;
                if around > 0 {
                    wire = list(wire);
                    levels += 2;
                }
                if around > 1 {
                    wire = object(wire);
                    levels += 3;
                }
                let limited = DynamicMessage::decode(&value, &wire.0);
                assert_eq!(limited.is_ok(), levels <= 100, "{levels}");
                let mut decoder = Decoder::new(&value).with_options(DecodeOptions::new().max_depth(200));
                let printed = json::to_string(&decoder.decode(&wire.0).unwrap());
                assert_eq!(
                    printed.map(drop).map_err(|e| e.kind()),
                    match levels <= 100 {
                        true => Ok(()),
                        false => Err(EncodeErrorKind::DepthExceeded),
                    }
                );
            }
        }
    }
}

/// What an `Any` holds is printed as a message where all of it is within the limit that text is read with, and as bytes where it is not.
#[test]
fn an_any_is_expanded_in_text_that_can_be_read_again() {
    static NODE: MessageTable = MessageTable::new(
        "t.Node",
        &[
            FieldTable::new("child", 1, TableKind::Message(|| &NODE)),
            FieldTable::new("any", 2, TableKind::Message(|| wkt::Any::TABLE)),
        ],
    );
    let node = DescriptorPool::from_tables(&[&NODE]).unwrap().message("t.Node").unwrap();
    let deeper =
        |levels: usize, inner: Wire| (0..levels).fold(inner, |inner, _| Wire::new().message(1, inner));
    let (mut expanded, mut kept) = (0, 0);
    for around in [0, 1, 30, 60] {
        for inside in (100 - around - 8..100 - around + 2).chain([1, 40]) {
            let content = deeper(inside, Wire::new());
            let any = Wire::new().bytes(1, "x/t.Node").message(2, content);
            let wire = deeper(around, Wire::new().message(2, any)).0;
            let message = DynamicMessage::decode(&node, &wire).unwrap();
            let printed = text::to_string(&message).unwrap();
            let read = text::message_from_str(&node, &printed);
            assert_eq!(read.as_ref(), Ok(&message), "{around} {inside}");
            assert_eq!(printed.contains('['), around + inside <= 98, "{around} {inside}");
            if printed.contains('[') {
                expanded += 1
            } else {
                kept += 1
            }
            match json::to_string(&message) {
                Ok(printed) => {
                    assert_eq!(json::message_from_slice(&node, printed.as_bytes()).unwrap(), message)
                }
                Err(error) => {
                    assert_eq!((error.kind(), around + inside > 98), (EncodeErrorKind::DepthExceeded, true))
                }
            }
        }
    }
    assert!(expanded > 10 && kept > 4, "{expanded} {kept}");
}

/// A `ListValue` of numbers beside the other two as they are: it is an object, and so is what refers to it.
#[test]
fn a_list_value_of_other_elements_is_an_object_beside_the_others_too() {
    let field = |name: &str, number: u64, label: u64, kind: u64| {
        Wire::new().bytes(1, name).int(3, number).int(4, label).int(5, kind)
    };
    let member = |name: &str, number: u64, kind: u64| field(name, number, 1, kind).int(9, 0);
    let entry = Wire::new()
        .bytes(1, "FieldsEntry")
        .message(2, field("key", 1, 1, 9))
        .message(2, field("value", 2, 1, 11).bytes(6, ".google.protobuf.Value"))
        .message(7, Wire::new().int(7, 1));
    let of_struct = Wire::new()
        .bytes(1, "Struct")
        .message(2, field("fields", 1, 3, 11).bytes(6, ".google.protobuf.Struct.FieldsEntry"))
        .message(3, entry);
    let of_value = Wire::new()
        .bytes(1, "Value")
        .message(2, member("null_value", 1, 14).bytes(6, ".google.protobuf.NullValue"))
        .message(2, member("number_value", 2, 1))
        .message(2, member("string_value", 3, 9))
        .message(2, member("bool_value", 4, 8))
        .message(2, member("struct_value", 5, 11).bytes(6, ".google.protobuf.Struct"))
        .message(2, member("list_value", 6, 11).bytes(6, ".google.protobuf.ListValue"))
        .message(8, Wire::new().bytes(1, "kind"));
    for (elements, wire, json) in [
        (field("values", 1, 3, 5), Wire::new().int(1, 7), r#"{"values":[7]}"#),
        (field("values", 1, 3, 9), Wire::new().bytes(1, "x"), r#"{"values":["x"]}"#),
        (
            field("values", 1, 3, 11).bytes(6, ".google.protobuf.Struct"),
            Wire::new().message(1, Wire::new()),
            r#"{"values":[{}]}"#,
        ),
    ] {
        let file = Wire::new()
            .bytes(1, "own.proto")
            .bytes(2, "google.protobuf")
            .message(4, of_struct.clone())
            .message(4, of_value.clone())
            .message(4, Wire::new().bytes(1, "ListValue").message(2, elements))
            .message(
                5,
                Wire::new().bytes(1, "NullValue").message(2, Wire::new().bytes(1, "NULL_VALUE").int(2, 0)),
            )
            .bytes(12, "proto3");
        let pool = DescriptorPool::decode(&Wire::new().message(1, file).0).unwrap();
        let list = pool.message("google.protobuf.ListValue").unwrap();
        let read = DynamicMessage::decode(&list, &wire.0).unwrap();
        assert_eq!(json::to_string(&read).unwrap(), json);
        let object = pool.message("google.protobuf.Struct").unwrap();
        let text = r#"{"a":{"b":1},"c":null}"#;
        let read = json::message_from_slice(&object, text.as_bytes()).unwrap();
        assert_eq!(json::to_string(&read).unwrap(), text);
    }
}

#[test]
fn defaults_that_are_not_finite_are_those_of_the_table() {
    static T: MessageTable = MessageTable::new(
        "t.T",
        &[
            FieldTable::new("up", 1, TableKind::Double).default_value(DefaultValue::Float(f64::INFINITY)),
            FieldTable::new("down", 2, TableKind::Float)
                .default_value(DefaultValue::Float(f64::NEG_INFINITY)),
            FieldTable::new("none", 3, TableKind::Double).default_value(DefaultValue::Float(f64::NAN)),
        ],
    )
    .syntax(tablepb::table::Syntax::Proto2);
    let pool = DescriptorPool::from_tables(&[&T]).unwrap();
    let empty = DynamicMessage::new(&pool.message("t.T").unwrap());
    let default = |name| empty.get_field(name).unwrap();
    assert_eq!(default("up").as_f64(), Some(f64::INFINITY));
    assert_eq!(default("down").as_f32(), Some(f32::NEG_INFINITY));
    assert!(default("none").as_f64().unwrap().is_nan());
    let source = pool.message("t.T").unwrap().to_proto();
    for text in ["up = 1 [default = inf]", "down = 2 [default = -inf]", "none = 3 [default = nan]"] {
        assert!(source.contains(text), "{source}");
    }
}

/// A set of one file of that edition, with these parts.
fn of_edition(edition: u64, parts: &[(u32, Wire)]) -> DescriptorPool {
    let head = Wire::new().bytes(1, "f.proto").bytes(2, "p").bytes(12, "editions").int(14, edition);
    let file = parts.iter().fold(head, |file, (number, part)| file.message(*number, part.clone()));
    DescriptorPool::decode(&Wire::new().message(1, file).0).unwrap()
}

/// Features that protoc does not write to descriptor sets, so that what a source says has to allow everything, once.
#[test]
fn printed_sources_of_editions_allow_what_their_sets_hold() {
    let message = || Wire::new().bytes(1, "M");
    let source = |edition| of_edition(edition, &[(4, message())]).file("f.proto").unwrap().to_proto();
    for line in [
        "option features.enforce_naming_style = STYLE_LEGACY;",
        "option features.default_symbol_visibility = EXPORT_ALL;",
    ] {
        assert_eq!(source(1001).matches(line).count(), 1, "{}", source(1001));
        assert_eq!(source(1002).matches(line).count(), 1, "{}", source(1002));
        assert_eq!(source(1000).matches(line).count(), 0, "{}", source(1000));
    }
    let value = |number: u64| Wire::new().bytes(1, format!("V{number}")).int(2, number);
    let values =
        |count| (0..count).fold(Wire::new().bytes(1, "E"), |all, number| all.message(2, value(number)));
    let field = |number: u64| Wire::new().bytes(1, format!("f{number}")).int(3, number).int(4, 1).int(5, 5);
    let fields = |count| (1..=count).fold(message(), |all, number| all.message(2, field(number)));
    let lift = "features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS";
    for (edition, number, small, large) in [
        (1002, 5, values(1700), values(1701)),
        (1002, 4, fields(1500), fields(1501)),
        (1001, 4, fields(9), fields(1501)),
    ] {
        let count = |part| {
            of_edition(edition, &[(number, part)]).file("f.proto").unwrap().to_proto().matches(lift).count()
        };
        assert_eq!((count(small), count(large)), (0, usize::from(edition == 1002)), "{edition} {number}");
    }
}

/// The source of a record has the extensions that it has, and no other.
#[test]
fn the_source_of_a_record_has_no_extension_that_it_does_not_write() {
    let extension = |name: &str, number: u64| {
        Wire::new().bytes(1, name).bytes(2, ".M").int(3, number).int(4, 1).int(5, 5)
    };
    let field = Wire::new().bytes(1, "own").int(3, 1).int(4, 1).int(5, 5);
    // One is declared in the message, which is printed as a whole.
    let message = Wire::new()
        .bytes(1, "M")
        .message(2, field)
        .message(5, Wire::new().int(1, 5).int(2, 9))
        .message(6, extension("inner", 7));
    let file = Wire::new()
        .bytes(1, "f.proto")
        .message(4, message)
        .message(7, extension("first", 5))
        .message(7, extension("second", 6));
    let pool = DescriptorPool::decode(&Wire::new().message(1, file).0).unwrap();
    let plan = || RecordPlan::new(&pool.message("M").unwrap());
    let all = ["own = 1;", "first = 5;", "second = 6;", "inner = 7;"];
    assert!(all.iter().all(|field| plan().to_proto().contains(field)), "{}", plan().to_proto());
    for (name, field) in [("[first]", "first"), ("[M.inner]", "inner")] {
        let source = plan().disable(name).unwrap().to_proto();
        for other in all {
            assert_eq!(source.contains(other), !other.starts_with(field), "{source}");
        }
    }
}

/// What a parser left for later, `UninterpretedOption` of descriptor.proto, is no option yet.
#[test]
fn options_that_are_not_interpreted_are_not_printed() {
    let part = Wire::new().bytes(1, "later").int(2, 0);
    let options = Wire::new().bytes(1, "p.java").message(999, Wire::new().message(2, part).bytes(3, "x"));
    let file = Wire::new().bytes(1, "f.proto").message(8, options);
    let pool = DescriptorPool::decode(&Wire::new().message(1, file).0).unwrap();
    let source = pool.file("f.proto").unwrap().to_proto();
    assert_eq!(source.matches("option ").count(), 1, "{source}");
    assert!(source.contains("option java_package = \"p.java\";"), "{source}");
}

#[test]
fn a_visited_field_is_shown_with_its_name() {
    struct Shown(String);
    impl Sink<'_> for Shown {
        fn u64(&mut self, field: Field<'_>, value: u64) {
            self.0 += &format!("{field:?} {value}");
        }
    }
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let root = schema.message(file, "M");
    schema.add(root, 3, Kind::Uint64, Card::Implicit);
    let message = descriptor(&schema, &schema.pool(), root);
    let mut shown = Shown(String::new());
    Decoder::new(&message).visit(&Wire::new().int(3, 7).0, &mut shown).unwrap();
    let name = message.field("f3").unwrap();
    assert_eq!(shown.0, format!("Field({:?}) 7", name.full_name()));
}

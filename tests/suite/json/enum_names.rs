//! The names that options give to enum values in JSON: `(pb.enumvalue.json).string`, new in edition 2026. The values are
//! those of protobuf's own tests. Enum values by number, and numbers that a closed enum does not list.

use crate::common::wire::Wire;
use tablepb::ParseErrorKind as Bad;
use tablepb::json;
use tablepb::{DescriptorPool, DynamicMessage, MessageDescriptor};

const ARMOR: [(&str, u64, Option<&str>); 9] = [
    ("ARMOR_UNKNOWN", 0, None),
    ("ARMOR_GREAT_HELM", 1, Some("gr8 helm")),
    ("ARMOR_GORGET", 2, None),
    ("ARMOR_GAUNTLET", 3, Some("a\"b")),
    ("ARMOR_COIF", 4, Some("")),
    ("ARMOR_SABATON", 5, Some("sabaton")),
    ("ARMOR_SOLLERET", 5, Some("sabaton")),
    ("ARMOR_HACHI_MAI_DO", 6, Some("8")),
    ("ARMOR_GREAVES", 7, Some("ARMOR_GREAVES")),
];

fn knight() -> MessageDescriptor {
    let mut armor = Wire::new().bytes(1, "Armor").message(3, Wire::new().int(2, 1));
    for (name, number, json) in ARMOR {
        let mut value = Wire::new().bytes(1, name).int(2, number);
        if let Some(json) = json {
            value = value.message(3, Wire::new().message(998, Wire::new().bytes(1, json)));
        }
        armor = armor.message(2, value);
    }
    let field = |name, number, label| {
        Wire::new().bytes(1, name).int(3, number).int(4, label).int(5, 14).bytes(6, ".t.Armor")
    };
    let message =
        Wire::new().bytes(1, "Knight").message(2, field("armor", 1, 1)).message(2, field("armors", 2, 3));
    let file = Wire::new().bytes(1, "knight.proto").bytes(2, "t").bytes(12, "editions").int(14, 1002);
    let set = Wire::new().message(1, file.message(4, message).message(5, armor));
    DescriptorPool::decode(&set.0).unwrap().message("t.Knight").unwrap()
}

#[test]
fn options_name_enum_values() {
    let knight = knight();
    for (name, number, json) in ARMOR {
        let printed = json.unwrap_or(name);
        let text = format!("{{\"armor\":{},\"armors\":[{0}]}}", serde_json::to_string(printed).unwrap());
        let bytes = Wire::new().int(1, number).message(2, Wire::new().varint(number)).0;
        let message = DynamicMessage::decode(&knight, &bytes).unwrap();
        assert_eq!(tablepb::json::to_string(&message).unwrap(), text);
        // The name in the schema is accepted too, and so is the number.
        for text in [text, format!("{{\"armor\":\"{name}\",\"armors\":[{number}]}}")] {
            let parsed = tablepb::json::message_from_slice(&knight, text.as_bytes()).unwrap();
            assert_eq!(parsed, message, "{text}");
        }
        let mut numbers = Vec::new();
        json::Printer::new().use_enum_numbers(true).append(&mut numbers, &message).unwrap();
        assert_eq!(numbers, format!("{{\"armor\":{number},\"armors\":[{number}]}}").as_bytes());
    }
    let unlisted = DynamicMessage::decode(&knight, &Wire::new().int(1, 99).0).unwrap();
    assert_eq!(tablepb::json::to_string(&unlisted).unwrap(), r#"{"armor":99}"#);
}

#[test]
fn an_enum_number_may_be_in_quotes_as_in_other_implementations() {
    let knight = knight();
    // A JSON name that looks like a number is a name.
    for (text, number) in [("5", 5u64), ("8", 6), ("99", 99), ("-1", u64::MAX), ("0", 0)] {
        let json = format!("{{\"armors\":[\"{text}\"]}}");
        let message = tablepb::json::message_from_slice(&knight, json.as_bytes()).unwrap();
        let bytes = Wire::new().message(2, Wire::new().varint(number)).0;
        assert_eq!(message.encode_to_vec().unwrap(), bytes, "{text}");
    }
}

#[test]
fn other_names_stay_unknown() {
    let knight = knight();
    let ignore = json::Parser::new().deny_unknown_fields(false);
    for name in [
        "GR8 HELM",
        "ARMOR_great_helm",
        " 5",
        "5.0",
        "+5",
        "05",
        "-",
        "--5",
        "2147483648",
        "gr8 helm ",
        "UNKNOWN",
    ] {
        let text = format!("{{\"armors\":[\"{name}\"]}}");
        let error = tablepb::json::message_from_slice(&knight, text.as_bytes()).unwrap_err();
        assert_eq!((error.kind(), error.path().to_string().as_str()), (Bad::UnknownEnumValue, "armors[0]"));
        let message = ignore.message_from_slice(&knight, text.as_bytes()).unwrap();
        assert_eq!(message.encode_to_vec().unwrap(), b"");
    }
}

/// `message Holder { extensions 100 to 199; optional Closed one = 1; }`, the closed enum with the numbers 1 and -2, and an
/// extension `repeated Closed more = 100 [packed = true]`.
fn holder() -> MessageDescriptor {
    let closed = [("ONE", 1), ("LESS", -2i64 as u64)]
        .iter()
        .fold(Wire::new().bytes(1, "Closed"), |closed, &(name, number)| {
            closed.message(2, Wire::new().bytes(1, name).int(2, number))
        });
    let field = |name, number, label| {
        Wire::new().bytes(1, name).int(3, number).int(4, label).int(5, 14).bytes(6, ".t.Closed")
    };
    let range = Wire::new().int(1, 100).int(2, 200);
    let holder = Wire::new().bytes(1, "Holder").message(2, field("one", 1, 1)).message(5, range);
    let more = field("more", 100, 3).bytes(2, ".t.Holder").message(8, Wire::new().int(2, 1));
    let file = Wire::new().bytes(1, "holder.proto").bytes(2, "t");
    let set = Wire::new().message(1, file.message(4, holder).message(5, closed).message(7, more));
    DescriptorPool::decode(&set.0).unwrap().message("t.Holder").unwrap()
}

#[test]
fn a_closed_enum_takes_the_numbers_that_it_lists() {
    let holder = holder();
    for (text, number) in [("\"1\"", 1u64), ("\"-2\"", -2i64 as u64), ("1", 1), ("\"ONE\"", 1)] {
        let message =
            tablepb::json::message_from_slice(&holder, format!("{{\"one\":{text}}}").as_bytes()).unwrap();
        assert_eq!(message.encode_to_vec().unwrap(), Wire::new().int(1, number).0, "{text}");
    }
    for text in ["\"2\"", "2", "\"TWO\""] {
        let error =
            tablepb::json::message_from_slice(&holder, format!("{{\"one\":{text}}}").as_bytes()).unwrap_err();
        assert_eq!(error.kind(), Bad::UnknownEnumValue, "{text}");
    }
}

/// It was printed as `[]` where fields are printed that are not set, and left out where there was no run at all.
#[test]
fn an_extension_of_numbers_that_the_enum_does_not_list_is_not_set_in_json() {
    let holder = holder();
    let runs = |numbers: &[u64]| {
        let run = numbers.iter().fold(Wire::new(), |run, &number| run.varint(number));
        Wire::new().message(100, run).0
    };
    for (input, expected) in [
        (Vec::new(), "{}"),
        (runs(&[]), "{}"),
        (runs(&[7, 8]), "{}"),
        (runs(&[7, 1]), r#"{"[t.more]":["ONE"]}"#),
    ] {
        let message = DynamicMessage::decode(&holder, &input).unwrap();
        for skip in [true, false] {
            let mut json = Vec::new();
            json::Printer::new().skip_default_fields(skip).append(&mut json, &message).unwrap();
            assert_eq!(String::from_utf8(json).unwrap(), expected, "{input:02x?}");
        }
    }
}

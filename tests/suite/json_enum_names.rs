//! The names that options give to enum values in JSON: `(pb.enumvalue.json).string`, new in edition 2026. The values are
//! those of protobuf's own tests.

use crate::common::wire::Wire;
use tablepb::json::{DeserializeErrorKind as Bad, DeserializeOptions, SerializeOptions};
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
    DescriptorPool::decode(&set.0).unwrap().get_message_by_name("t.Knight").unwrap()
}

#[test]
fn options_name_enum_values() {
    let knight = knight();
    for (name, number, json) in ARMOR {
        let printed = json.unwrap_or(name);
        let text = format!("{{\"armor\":{},\"armors\":[{0}]}}", serde_json::to_string(printed).unwrap());
        let bytes = Wire::new().int(1, number).message(2, Wire::new().varint(number)).0;
        let message = DynamicMessage::decode(&knight, &bytes).unwrap();
        assert_eq!(message.to_json_string().unwrap(), text);
        // The name in the schema is accepted too, and so is the number.
        for text in [text, format!("{{\"armor\":\"{name}\",\"armors\":[{number}]}}")] {
            let parsed = DynamicMessage::from_json(&knight, text.as_bytes()).unwrap();
            assert_eq!(parsed, message, "{text}");
        }
        let mut numbers = Vec::new();
        message.to_json_with(&mut numbers, &SerializeOptions::new().use_enum_numbers(true)).unwrap();
        assert_eq!(numbers, format!("{{\"armor\":{number},\"armors\":[{number}]}}").as_bytes());
    }
    let unlisted = DynamicMessage::decode(&knight, &Wire::new().int(1, 99).0).unwrap();
    assert_eq!(unlisted.to_json_string().unwrap(), r#"{"armor":99}"#);
}

#[test]
fn other_names_stay_unknown() {
    let knight = knight();
    let ignore = DeserializeOptions::new().deny_unknown_fields(false);
    for name in ["GR8 HELM", "ARMOR_great_helm", "5", "gr8 helm ", "UNKNOWN"] {
        let text = format!("{{\"armors\":[\"{name}\"]}}");
        let error = DynamicMessage::from_json(&knight, text.as_bytes()).unwrap_err();
        assert_eq!((error.kind(), error.path().to_string().as_str()), (Bad::UnknownEnumValue, "armors[0]"));
        let message = DynamicMessage::from_json_with(&knight, text.as_bytes(), &ignore).unwrap();
        assert_eq!(message.encode_to_vec().unwrap(), b"");
    }
}

//! Messages to and from each format, by descriptor.

use crate::common::wire::Wire;
use serde::de::DeserializeSeed;
use serde_json::Value as Json;
use std::cell::RefCell;
use tablepb::json;
use tablepb::{DynamicMessage, MessageDescriptor};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Cbor,
    MessagePack,
    Yaml,
}

pub const ALL: [Format; 4] = [Format::Json, Format::Cbor, Format::MessagePack, Format::Yaml];

/// A message with its options, for serializers that are called with a value.
struct With<'a>(&'a DynamicMessage, &'a json::Printer);

impl serde::Serialize for With<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.1.serialize(&self.0.as_view(), serializer)
    }
}

thread_local! {
    /// What `FromDescriptor` is to make: ciborium takes no seed.
    static WANTED: RefCell<Option<(MessageDescriptor, json::Parser)>> = const { RefCell::new(None) };
}

struct FromDescriptor(DynamicMessage);

impl<'de> serde::Deserialize<'de> for FromDescriptor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (descriptor, options) = WANTED.with_borrow(|wanted| wanted.clone().unwrap());
        options.deserialize(&descriptor, deserializer).map(Self)
    }
}

impl Format {
    pub fn print(self, message: &DynamicMessage, options: &json::Printer) -> Vec<u8> {
        let with = With(message, options);
        match self {
            Self::Json => serde_json::to_vec(&with).unwrap(),
            Self::Yaml => serde_norway::to_string(&with).unwrap().into_bytes(),
            Self::MessagePack => rmp_serde::to_vec(&with).unwrap(),
            Self::Cbor => {
                let mut bytes = Vec::new();
                ciborium::into_writer(&with, &mut bytes).unwrap();
                bytes
            }
        }
    }

    pub fn parse(
        self,
        descriptor: &MessageDescriptor,
        bytes: &[u8],
        options: &json::Parser,
    ) -> Result<DynamicMessage, String> {
        let descriptor = descriptor.clone();
        match self {
            Self::Json => {
                let mut deserializer = serde_json::Deserializer::from_slice(bytes);
                let message = options.deserialize(&descriptor, &mut deserializer);
                let message = message.map_err(|e| e.to_string())?;
                deserializer.end().map_err(|e| e.to_string())?;
                Ok(message)
            }
            Self::Yaml => {
                let deserializer = serde_norway::Deserializer::from_slice(bytes);
                options.deserialize(&descriptor, deserializer).map_err(|e| e.to_string())
            }
            Self::MessagePack => {
                let mut deserializer = rmp_serde::Deserializer::new(bytes);
                options.deserialize(&descriptor, &mut deserializer).map_err(|e| e.to_string())
            }
            Self::Cbor => {
                WANTED.set(Some((descriptor, *options)));
                let made = ciborium::from_reader::<FromDescriptor, _>(bytes);
                made.map(|made| made.0).map_err(|e| e.to_string())
            }
        }
    }
}

/// The same JSON, where 1 and 1.0 are the same.
pub fn alike(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(x), Json::Number(y)) => {
            x == y || (x.is_f64() != y.is_f64() && x.as_f64() == y.as_f64())
        }
        (Json::Array(x), Json::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| alike(x, y)),
        (Json::Object(x), Json::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| alike(x, y)))
        }
        (x, y) => x == y,
    }
}

/// A program for prost-reflect: JSON in, JSON out, by a descriptor set.
macro_rules! program {
    ($name:ident, $krate:ident, $($names:ident)::+) => {
        fn $name(set: &[u8], json: &str) -> String {
            use $krate::{DescriptorPool, DynamicMessage, MessageDescriptor};
            use $($names)::+::*;

            let pool = DescriptorPool::decode(set).unwrap();
            let descriptor: MessageDescriptor = pool.get_message_by_name("t.A").unwrap();
            let mut deserializer = serde_json::Deserializer::from_str(json);
            let lenient = DeserializeOptions::new().deny_unknown_fields(false);
            let message =
                DynamicMessage::deserialize_with_options(descriptor.clone(), &mut deserializer, &lenient)
                    .unwrap();
            let mut deserializer = serde_json::Deserializer::from_str(json);
            assert!(DynamicMessage::deserialize(descriptor.clone(), &mut deserializer).is_err());
            let mut deserializer = serde_json::Deserializer::from_str("{}");
            let empty: DynamicMessage = descriptor.deserialize(&mut deserializer).unwrap();
            let mut serializer = serde_json::Serializer::new(Vec::new());
            let options = SerializeOptions::new()
                .stringify_64_bit_integers(false)
                .use_enum_numbers(true)
                .use_proto_field_name(true)
                .skip_default_fields(false);
            message.serialize_with_options(&mut serializer, &options).unwrap();
            empty.serialize_with_options(&mut serializer, &options).unwrap();
            let numbers = String::from_utf8(serializer.into_inner()).unwrap();
            format!("{numbers} {}", serde_json::to_string(&message).unwrap())
        }
    };
}

program!(theirs, prost_reflect, prost_reflect);
program!(ours, tablepb, tablepb::prost_reflect_names);

/// It needs another import and no other change.
#[test]
fn a_program_for_prost_reflect_changes_its_import() {
    let field = |name, number: u64, kind| Wire::new().bytes(1, name).int(3, number).int(4, 1).int(5, kind);
    let message = Wire::new()
        .bytes(1, "A")
        .message(2, field("big_one", 1, 4))
        .message(2, field("name", 2, 9))
        .message(2, field("ratio", 3, 1));
    let file = Wire::new().bytes(1, "a.proto").bytes(2, "t").message(4, message).bytes(12, "proto3");
    let set = Wire::new().message(1, file).0;
    let json = r#"{"bigOne":"18446744073709551615","name":"x","ratio":"NaN","more":[1]}"#;
    assert_eq!(ours(&set, json), theirs(&set, json));
}

#[test]
fn a_descriptor_is_a_seed_and_a_message_a_value() {
    use tablepb::Message;
    let pool = tablepb::DescriptorPool::from_tables(&[tablepb::wkt::FieldMask::TABLE]).unwrap();
    let mask = pool.message("google.protobuf.FieldMask").unwrap();
    let mut deserializer = serde_json::Deserializer::from_str("\"aB,c\"");
    let message = mask.clone().deserialize(&mut deserializer).unwrap();
    assert_eq!(serde_json::to_string(&message).unwrap(), "\"aB,c\"");
    assert_eq!(serde_json::to_string(&message.as_view()).unwrap(), "\"aB,c\"");
    // As a field of something else.
    let values = serde_json::json!({ "masks": [message, message] });
    assert_eq!(values, serde_json::json!({ "masks": ["aB,c", "aB,c"] }));
}

//! Descriptor sets that protoc has made.

use crate::schema::pool::DescriptorPool;
use crate::schema::table::{Cardinality, Kind};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// A recorded file; what they are says `tests/common/data.rs`.
fn data(name: &str) -> Vec<u8> {
    let directory = std::env::var("TABLEPB_DATA").expect("TABLEPB_DATA names the directory of recorded data");
    let path = format!("{directory}/{name}");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
#[ignore = "needs recorded data"]
fn otlp() {
    let set = data("otlp/otlp.binpb");
    let pool = DescriptorPool::decode(&set).unwrap();
    assert_eq!(pool.files().len(), 10);
    let span = pool.find_message("opentelemetry.proto.trace.v1.Span").unwrap();
    assert_eq!(span.parent_file().name(), "opentelemetry/proto/trace/v1/trace.proto");
    let attributes = span.field("attributes").unwrap();
    assert!(attributes.is_list() && attributes.number() == 9);
    let Kind::Message(key_value) = attributes.kind() else { panic!("{:?}", attributes.kind()) };
    assert_eq!(key_value.full_name(), "opentelemetry.proto.common.v1.KeyValue");
    let value = pool.find_message("opentelemetry.proto.common.v1.AnyValue").unwrap();
    let oneof = value.oneofs().next().unwrap();
    assert_eq!(oneof.name(), "value");
    assert!(oneof.fields().all(|f| f.containing_oneof() == Some(oneof.clone()) && f.supports_presence()));
    let kind = span.child_enums().next().unwrap();
    assert_eq!(kind.get_value(2).unwrap().name(), "SPAN_KIND_SERVER");
}

/// The sets of single files in a directory and below it, with their names.
fn sets_in(directory: &std::path::Path, sets: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sets_in(&path, sets);
        } else if path.extension().is_some_and(|extension| extension == "binpb") {
            sets.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
}

/// The sources of protobuf 36.0: `descriptor.proto` has edition 2026, and this crate's tables have all that it has.
#[test]
#[ignore = "needs recorded data"]
fn files_of_protobuf_36() {
    let directory = std::env::var("TABLEPB_DATA").expect("TABLEPB_DATA names the directory of recorded data");
    let mut sets = Vec::new();
    sets_in(&std::path::Path::new(&directory).join("protos"), &mut sets);
    let all = sets.iter().flat_map(|(_, set)| set.iter().copied()).collect::<Vec<u8>>();
    let pool = DescriptorPool::decode(&all).unwrap();
    assert!(!sets.is_empty() && pool.files().len() == sets.len());
    let own = DescriptorPool::descriptor_proto();
    for message in pool.find_file("google/protobuf/descriptor.proto").unwrap().messages() {
        let ours = own.find_message(message.full_name()).unwrap();
        for field in message.fields() {
            let found = ours.get_field(field.number()).unwrap();
            assert_eq!((found.name(), found.cardinality()), (field.name(), field.cardinality()));
        }
    }
    let features = own.find_message("google.protobuf.FeatureSet").unwrap();
    assert_eq!(features.get_field(9).unwrap().name(), "enforce_proto_limits");
}

#[test]
#[ignore = "needs recorded data"]
fn conformance() {
    let set = data("conformance/test_messages.binpb");
    let pool = DescriptorPool::decode(&set).unwrap();
    let message = |name: &str| pool.find_message(name).unwrap();
    let proto2 = message("protobuf_test_messages.proto2.TestAllTypesProto2");
    let editions = message("protobuf_test_messages.editions.proto2.TestAllTypesProto2");
    let facts = |m: &crate::schema::pool::MessageDescriptor| -> Vec<String> {
        let fact = |f: crate::schema::pool::FieldDescriptor| {
            format!(
                "{} {} {:?} {:?} packed {} group {} presence {} utf8 {} default {:?}",
                f.name(),
                f.number(),
                f.kind(),
                f.cardinality(),
                f.is_packed(),
                f.is_group(),
                f.supports_presence(),
                f.validates_utf8(),
                f.explicit_default()
            )
        };
        let mut facts: Vec<String> = m.fields().map(fact).collect();
        facts.sort();
        facts
    };
    assert_eq!(facts(&proto2), facts(&editions), "the same message in proto2 and in edition 2023");
    let proto3 = message("protobuf_test_messages.proto3.TestAllTypesProto3");
    assert_eq!(facts(&proto3), facts(&message("protobuf_test_messages.editions.proto3.TestAllTypesProto3")));
    let set = proto2.child_messages().find(|m| m.name() == "MessageSetCorrect").unwrap();
    assert!(set.is_message_set());
    assert_eq!(set.extensions().len(), 3);
    let extension = proto2.get_extension(120).unwrap();
    assert_eq!(extension.as_field().as_extension(), Some(extension.clone()));
    assert_eq!(extension.containing_message(), proto2);
    let unstable = message("protobuf_test_messages.edition_unstable.TestAllTypesEditionUnstable");
    assert_eq!(unstable.parent_file().edition(), crate::schema::pool::Edition::Unstable);
    let required = message("protobuf_test_messages.proto2.TestAllRequiredTypesProto2");
    assert!(required.fields().filter(|f| f.is_required()).count() > 5);
    assert!(required.get_field(1).is_some_and(|f| f.cardinality() == Cardinality::Required));
}

//! The calls under the names of prost-reflect do what ours do.

use crate::common::wire::Wire;
use tablepb::partial::Projection;
use tablepb::prost_reflect_names::*;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{DescriptorPool, DynamicMessage, Value, text};

static LOG: MessageTable = MessageTable::new(
    "names.Log",
    &[FieldTable::new("line_text", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32).optional()],
);

fn message() -> DynamicMessage {
    let log = DescriptorPool::from_tables(&[&LOG]).unwrap().get_message_by_name("names.Log").unwrap();
    DynamicMessage::new(&log)
}

#[test]
fn look_ups_return_options() {
    let pool = DescriptorPool::descriptor_proto();
    let label = pool.get_enum_by_name("google.protobuf.FieldDescriptorProto.Label").unwrap();
    assert_eq!(label.get_value_by_name("LABEL_REPEATED").unwrap().number(), 3);
    assert!(label.get_value_by_name("LABEL").is_none());
    assert!(pool.get_file_by_name("google/protobuf/descriptor.proto").is_some());
    assert!(pool.get_message_by_name("FileOptions").is_none() && pool.get_enum_by_name("Label").is_none());
    assert!(pool.get_service_by_name("S").is_none() && pool.get_extension_by_name("e").is_none());
    let log = message().descriptor().clone();
    assert_eq!(log.get_field_by_name("line_text"), log.get_field_by_json_name("lineText"));
    assert!(log.get_field_by_name("lineText").is_none() && log.get_field_by_json_name("line_text").is_none());
}

#[test]
fn extensions_are_found_by_full_and_by_json_name() {
    let extension = Wire::new().bytes(1, "e").bytes(2, ".p.M").int(3, 10).int(4, 1).int(5, 5);
    let range = Wire::new().int(1, 10).int(2, 20);
    let (m, other) = (Wire::new().bytes(1, "M").message(5, range), Wire::new().bytes(1, "Other"));
    let file =
        Wire::new().bytes(1, "a.proto").bytes(2, "p").message(4, m).message(4, other).message(7, extension);
    let pool = DescriptorPool::decode(&Wire::new().message(1, file).0).unwrap();
    let m = pool.get_message_by_name("p.M").unwrap();
    let e = pool.get_extension_by_name("p.e").unwrap();
    assert_eq!(m.get_extension_by_full_name("p.e"), Some(e.clone()));
    assert_eq!(m.get_extension_by_json_name("[p.e]"), Some(e.clone()));
    assert!(m.get_extension_by_json_name("p.e").is_none());
    assert!(pool.get_message_by_name("p.Other").unwrap().get_extension_by_full_name("p.e").is_none());
    let mut message = DynamicMessage::new(&m);
    assert!(!message.has_extension(&e));
    message.set_field(&e, 7).unwrap();
    assert!(message.has_extension(&e) && message.as_view().has_extension(&e));
    assert_eq!(message.get_extension(&e).as_i32(), Some(7));
    let error = pool.extension("p.ee").unwrap_err();
    assert_eq!(error.to_string(), "not found: p.ee (no such extension; did you mean p.e?)");
}

#[test]
fn fields_are_read_changed_and_taken_by_name_and_number() {
    let mut message = message();
    assert_eq!(message.get_field_by_name("line_text").unwrap().as_str(), Some(""));
    assert!(message.get_field_by_name("lines").is_none() && message.get_field_by_number(9).is_none());
    message.set_field_by_name("line_text", "a").unwrap();
    message.set_field_by_number(2, 5).unwrap();
    assert!(message.has_field_by_name("line_text") && message.has_field_by_number(2));
    assert_eq!(message.as_view().get_field_by_number(2).unwrap().as_i32(), Some(5));
    assert_eq!(message.take_field_by_name("line_text").unwrap(), Some(Value::from("a")));
    assert_eq!(message.take_field_by_number(1).unwrap(), None);
    message.clear_field_by_name("lines");
    message.clear_field_by_number(9);
    assert!(message.has_field_by_number(2));
    message.clear_field_by_number(2);
    message.as_mut().set_field_by_name("level", 6).unwrap();
    message.as_mut().clear_field_by_name("level");
    assert_eq!(message.encoded_len(), 0);
}

#[test]
fn what_a_projection_left_out_is_cleared_by_name_too() {
    let log = message().descriptor().clone();
    let projection = Projection::new(&log, ["level"]).unwrap().pass_through();
    let mut message = projection.decode(&Wire::new().bytes(1, "a").int(2, 5).0).unwrap();
    message.clear_field_by_name("line_text");
    assert_eq!(message.encode_to_vec().unwrap(), Wire::new().int(2, 5).0);
}

#[test]
fn text_format_has_its_names() {
    let log = message().descriptor().clone();
    let mut message = DynamicMessage::parse_text_format(log, "line_text: 'a'").unwrap();
    message.merge_text_format("level: 3").unwrap();
    assert_eq!(message.to_text_format(), text::to_string(&message).unwrap());
    let pretty = text::Printer::new().pretty(true);
    assert_eq!(message.to_text_format_with_options(&pretty), "line_text: \"a\"\nlevel: 3");
}

//! Messages as columns of their fields, by name.

use tablepb::partial::ValuePath;
use tablepb::table::Kind;
use tablepb::{FieldDescriptor, MessageDescriptor};

/// The most columns that one path becomes.
const MOST: usize = 10_000;

/// The paths of columns: those that are selected, or all fields, with the fields of messages in their place.
pub fn columns(schema: &MessageDescriptor, select: &[&str]) -> Vec<String> {
    let mut columns = Vec::new();
    if select.is_empty() {
        for field in schema.fields() {
            add(&field, field.name().to_owned(), &mut vec![schema.clone()], &mut columns);
        }
        return columns;
    }
    for &path in select {
        // What is no path, an aggregate or a mistake, is found out later.
        match ValuePath::new(schema, path) {
            Ok(found) => add(found.field(), path.to_owned(), &mut vec![schema.clone()], &mut columns),
            Err(_) => columns.push(path.to_owned()),
        }
    }
    columns
}

/// Adds the columns of a field. Lists, maps, and messages that have a form of their own in JSON are one cell, and so is a message in a message of its
/// type.
fn add(
    field: &FieldDescriptor,
    path: String,
    around: &mut Vec<MessageDescriptor>,
    columns: &mut Vec<String>,
) {
    let message = match field.kind() {
        Kind::Message(message) if !field.is_list() && !field.is_map() => message,
        _ => return columns.push(path),
    };
    let known = message.package_name() == "google.protobuf";
    let in_itself = around.iter().any(|outer| outer.full_name() == message.full_name());
    if known || in_itself || message.fields().len() == 0 || columns.len() >= MOST {
        return columns.push(path);
    }
    around.push(message.clone());
    for inner in message.fields() {
        add(&inner, format!("{path}.{}", inner.name()), around, columns);
    }
    around.pop();
}

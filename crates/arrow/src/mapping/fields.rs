//! Columns as Arrow fields.

use super::{Cell, Column, Content, Enums, Maps, MessageColumns, NONE, NUMBER, Options, Repeat, TYPE};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, UnionFields, UnionMode};
use std::collections::HashMap;
use std::sync::Arc;

/// The schema of some columns.
pub(crate) fn to_schema(columns: &MessageColumns, options: &Options) -> SchemaRef {
    let metadata = HashMap::from([(TYPE.to_owned(), columns.descriptor.full_name().to_owned())]);
    Arc::new(Schema::new_with_metadata(fields(columns, options), metadata))
}

fn fields(columns: &MessageColumns, options: &Options) -> Fields {
    columns.columns.iter().map(|column| Arc::new(field(column, options))).collect()
}

fn field(column: &Column, options: &Options) -> Field {
    let content = match &column.content {
        Content::Field(content) => content,
        Content::Unknown => return Field::new(&column.name, binary(options), column.nullable),
        Content::Member(_) => {
            let data_type = if options.enums == Enums::Dictionary { dictionary() } else { text(options) };
            return Field::new(&column.name, data_type, column.nullable);
        }
        Content::Union(union) => {
            let none = (0, Arc::new(Field::new(NONE, DataType::Null, true)));
            let members = union.members.iter().map(|(id, column)| (*id, Arc::new(field(column, options))));
            let fields: UnionFields = std::iter::once(none).chain(members).collect();
            return Field::new(&column.name, DataType::Union(fields, UnionMode::Dense), column.nullable);
        }
    };
    let cell = data_type(&content.cell, options);
    let mut metadata = HashMap::from([(NUMBER.to_owned(), content.field.number().to_string())]);
    let data_type = match &content.repeat {
        Repeat::One => cell,
        Repeat::List => DataType::List(Arc::new(Field::new("item", cell, false))),
        Repeat::Map(key) => {
            let parts = entry_fields(key, &content.cell, options);
            let entries =
                |name, parts| Arc::new(Field::new(name, DataType::Struct(Fields::from(parts)), false));
            match options.maps {
                Maps::Map => DataType::Map(entries("entries", parts), false),
                Maps::Entries => DataType::List(entries("item", parts)),
                Maps::Lists => DataType::Struct(parts.map(|part| Arc::new(list_of(&part))).into()),
            }
        }
    };
    if !matches!(content.repeat, Repeat::Map(_)) {
        metadata.extend(type_metadata(&content.cell));
    }
    Field::new(&column.name, data_type, column.nullable).with_metadata(metadata)
}

/// A part of entries as a list of all of them.
fn list_of(part: &Field) -> Field {
    let item = Field::new("item", part.data_type().clone(), false);
    Field::new(part.name(), DataType::List(Arc::new(item)), false).with_metadata(part.metadata().clone())
}

/// The fields of the entries of a map.
fn entry_fields(key: &Cell, value: &Cell, options: &Options) -> [FieldRef; 2] {
    let field = |name, cell, number: &str| {
        let metadata = [(NUMBER.to_owned(), number.to_owned())].into_iter().chain(type_metadata(cell));
        Arc::new(
            Field::new(name, data_type(cell, options), false)
                .with_metadata(metadata.collect::<HashMap<_, _>>()),
        )
    };
    [field("key", key, "1"), field("value", value, "2")]
}

/// The metadata with the message type.
fn type_metadata(cell: &Cell) -> Option<(String, String)> {
    let name = match cell {
        Cell::Message(columns) => columns.descriptor.full_name().to_owned(),
        Cell::Cut(descriptor) | Cell::Json(descriptor) => descriptor.full_name().to_owned(),
        Cell::Timestamp => "google.protobuf.Timestamp".to_owned(),
        Cell::Duration => "google.protobuf.Duration".to_owned(),
        Cell::Wrapper(field, _) => field.parent_message().full_name().to_owned(),
        _ => return None,
    };
    Some((TYPE.to_owned(), name))
}

fn text(options: &Options) -> DataType {
    if options.views { DataType::Utf8View } else { DataType::Utf8 }
}

/// Names that repeat.
fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

fn binary(options: &Options) -> DataType {
    if options.views { DataType::BinaryView } else { DataType::Binary }
}

/// The type of a column of such values.
fn data_type(cell: &Cell, options: &Options) -> DataType {
    match cell {
        Cell::Bool => DataType::Boolean,
        Cell::I32 | Cell::EnumNumber => DataType::Int32,
        Cell::I64 => DataType::Int64,
        Cell::U32 => DataType::UInt32,
        Cell::U64 => DataType::UInt64,
        Cell::F32 => DataType::Float32,
        Cell::F64 => DataType::Float64,
        Cell::Text | Cell::EnumName(_) | Cell::Json(_) => text(options),
        Cell::Bytes | Cell::Cut(_) => binary(options),
        Cell::EnumDictionary(_) => dictionary(),
        Cell::Message(columns) => DataType::Struct(fields(columns, options)),
        Cell::Timestamp => DataType::Timestamp(options.time_unit, Some("UTC".into())),
        Cell::Duration => DataType::Duration(options.time_unit),
        Cell::Wrapper(_, cell) => data_type(cell, options),
    }
}

//! The other ways to Arrow: ptars (from the wire, without messages), and JSON values that arrow-json reads.

use arrow_array::{Array, BinaryArray, RecordBatch};
use arrow_json::ReaderBuilder;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use ptars_core::{PtarsConfig, binary_array_to_record_batch_direct, record_batch_to_array};
use std::sync::Arc;
use tablepb::schema::{FieldKind, FieldRef as TableField};

/// What the contenders that build on prost-reflect need.
pub struct Rivals {
    descriptor: MessageDescriptor,
    config: PtarsConfig,
    json_schema: SchemaRef,
}

impl Rivals {
    pub fn new(descriptor: &tablepb::MessageDescriptor) -> Self {
        let set = descriptor.parent_pool().encode_to_vec().expect("a small schema");
        let pool = DescriptorPool::decode(set.as_slice()).expect("a valid schema");
        Self {
            descriptor: pool.get_message_by_name(descriptor.full_name()).expect("the same type"),
            config: PtarsConfig::default(),
            json_schema: Arc::new(Schema::new(json_fields(descriptor, 0))),
        }
    }

    /// One batch by ptars. It knows no projection.
    pub fn ptars(&self, rows: &BinaryArray) -> RecordBatch {
        binary_array_to_record_batch_direct(rows, &self.descriptor, &self.config).expect("valid rows")
    }

    /// The rows of a batch of ptars, as an array of messages; gives their number.
    pub fn ptars_back(&self, batch: &RecordBatch) -> usize {
        BinaryArray::from(record_batch_to_array(batch, &self.descriptor)).len()
    }

    /// The batch through prost-reflect's messages as values of serde_json, which arrow-json reads.
    pub fn json(&self, rows: &BinaryArray) -> RecordBatch {
        let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(false);
        let value = |row: &[u8]| {
            let message = DynamicMessage::decode(self.descriptor.clone(), row).expect("valid rows");
            message.serialize_with_options(serde_json::value::Serializer, &options).expect("JSON")
        };
        let values: Vec<_> = rows.iter().flatten().map(value).collect();
        let builder = ReaderBuilder::new(self.json_schema.clone()).with_batch_size(rows.len());
        let mut decoder = builder.build_decoder().expect("a schema that JSON has");
        decoder.serialize(&values).expect("values of the schema");
        decoder.flush().expect("a batch").expect("rows")
    }
}

/// The schema that arrow-json reads: bytes and enums are text there, and everything may be null.
fn json_fields(descriptor: &tablepb::MessageDescriptor, depth: u32) -> Vec<FieldRef> {
    let fields = descriptor.fields().filter_map(|field| {
        let data_type = json_type(field.as_ref(), depth)?;
        Some(Arc::new(Field::new(field.name(), data_type, true)))
    });
    fields.collect()
}

fn json_type(field: TableField<'_>, depth: u32) -> Option<DataType> {
    let one = match field.kind() {
        FieldKind::Bool => DataType::Boolean,
        FieldKind::Int32 | FieldKind::Sint32 | FieldKind::Sfixed32 => DataType::Int32,
        FieldKind::Int64 | FieldKind::Sint64 | FieldKind::Sfixed64 => DataType::Int64,
        FieldKind::Uint32 | FieldKind::Fixed32 => DataType::UInt32,
        FieldKind::Uint64 | FieldKind::Fixed64 => DataType::UInt64,
        FieldKind::Float => DataType::Float32,
        FieldKind::Double => DataType::Float64,
        FieldKind::String | FieldKind::Bytes | FieldKind::Enum(_) => DataType::Utf8,
        FieldKind::Message(entry) if field.is_map() => {
            let value = json_type(entry.map_entry_value_field()?.as_ref(), depth)?;
            let parts = vec![Field::new("key", DataType::Utf8, false), Field::new("value", value, true)];
            return Some(DataType::Map(
                Arc::new(Field::new("entries", DataType::Struct(parts.into()), false)),
                false,
            ));
        }
        // A type that comes up again has no end; the payloads have none of it.
        FieldKind::Message(_) if depth > 3 => return None,
        FieldKind::Message(message) => DataType::Struct(json_fields(&message, depth + 1).into()),
    };
    Some(if field.is_list() { DataType::List(Arc::new(Field::new("item", one, true))) } else { one })
}

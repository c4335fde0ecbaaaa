//! Columns that a statement declares: [`with_forms_of`].

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// The declared columns with the types of the format where they differ in what SQL cannot say: whether strings and bytes are views, and how the
/// elements of a list are called. What differs in more is left as it is, for [`ProtobufFormat::check`](super::ProtobufFormat::check) to refuse.
pub(super) fn with_forms_of(declared: &Schema, format: &Schema) -> SchemaRef {
    let with_form = |field: &Arc<Field>| match format.field_with_name(field.name()) {
        Ok(ours) if alike(field.data_type(), ours.data_type()) => {
            Arc::new(field.as_ref().clone().with_data_type(ours.data_type().clone()))
        }
        _ => field.clone(),
    };
    let fields: Vec<_> = declared.fields().iter().map(with_form).collect();
    Arc::new(Schema::new_with_metadata(fields, declared.metadata().clone()))
}

/// Whether SQL takes both types for one.
fn alike(declared: &DataType, ours: &DataType) -> bool {
    use DataType::{Binary, BinaryView, List, Struct, Utf8, Utf8View};
    match (declared, ours) {
        (Utf8 | Utf8View, Utf8 | Utf8View) | (Binary | BinaryView, Binary | BinaryView) => true,
        (List(declared), List(ours)) => alike(declared.data_type(), ours.data_type()),
        (Struct(declared), Struct(ours)) => {
            let same = |(declared, ours): (&Arc<Field>, &Arc<Field>)| {
                declared.name() == ours.name() && alike(declared.data_type(), ours.data_type())
            };
            declared.len() == ours.len() && declared.iter().zip(ours.iter()).all(same)
        }
        _ => declared == ours,
    }
}

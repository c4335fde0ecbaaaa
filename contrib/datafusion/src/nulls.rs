//! Nulls of structs, in their fields too.
//!
//! In Arrow, what is in a struct that is null means nothing. `get_field` of DataFusion returns it as it is, so `part['name']` of a row without a part would be an empty string.
//! Here the fields of a struct are null where the struct is.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, ListArray, MapArray, StructArray};
use arrow::buffer::NullBuffer;
use arrow::compute::nullif;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;
use std::sync::Arc;

/// The schema in which fields of structs that may be null may be null.
pub(crate) fn schema(schema: &Schema) -> SchemaRef {
    let fields: Vec<_> = schema.fields().iter().map(|field| nullable(field, false)).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// A struct of these fields that may be null.
pub(crate) fn of_struct(schema: &Schema) -> FieldRef {
    nullable(&Arc::new(Field::new("", DataType::Struct(schema.fields().clone()), true)), true)
}

fn nullable(field: &FieldRef, in_nullable: bool) -> FieldRef {
    let is_nullable = field.is_nullable() || in_nullable;
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| nullable(field, is_nullable)).collect())
        }
        DataType::List(item) => DataType::List(nullable(item, false)),
        DataType::Map(entries, sorted) => DataType::Map(nullable(entries, false), *sorted),
        other => other.clone(),
    };
    Arc::new(Field::clone(field).with_data_type(data_type).with_nullable(is_nullable))
}

/// An array with the type of `field`, which [`schema`] made, and null where a struct around it is. Values are not copied.
pub(crate) fn column(
    array: &ArrayRef,
    field: &Field,
    around: Option<&NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let array = match around {
        Some(valid) if valid.null_count() > 0 => nullif(array, &BooleanArray::new(!valid.inner(), None))?,
        _ => array.clone(),
    };
    Ok(match field.data_type() {
        DataType::Struct(fields) => {
            let (_, columns, nulls) = array.as_struct().clone().into_parts();
            let columns =
                columns.iter().zip(fields).map(|(child, field)| column(child, field, nulls.as_ref()));
            let columns = columns.collect::<Result<_, _>>()?;
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, array.len())?)
        }
        DataType::List(item) => {
            let (_, offsets, values, nulls) = array.as_list::<i32>().clone().into_parts();
            Arc::new(ListArray::try_new(item.clone(), offsets, column(&values, item, None)?, nulls)?)
        }
        DataType::Map(entries, sorted) => {
            let (_, offsets, inner, nulls, _) = array.as_map().clone().into_parts();
            let inner = column(&(Arc::new(inner) as ArrayRef), entries, None)?.as_struct().clone();
            Arc::new(MapArray::try_new(entries.clone(), offsets, inner, nulls, *sorted)?)
        }
        _ => array,
    })
}

//! [`Message`]: columns of messages, there and back.

use crate::options::Mapping;
use crate::wrong;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StructArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3_arrow::input::{AnyArray, AnyRecordBatch};
use pyo3_arrow::{PyChunkedArray, PySchema, PyTable};
use std::sync::Arc;
use tablepb::{Decoder, MessageDescriptor, json};
use tablepb_arrow::{ArrayDecoder, BadRows, Error, ReaderBuilder, WriterBuilder, from_json, to_json};

/// A message type.
#[pyclass(module = "tablepb", frozen)]
pub(crate) struct Message(MessageDescriptor);

impl Message {
    pub(crate) fn new(message: MessageDescriptor) -> Self {
        Self(message)
    }
}

#[pymethods]
impl Message {
    #[getter]
    fn full_name(&self) -> &str {
        self.0.full_name()
    }

    fn __repr__(&self) -> String {
        format!("<tablepb.Message {}>", self.0.full_name())
    }

    #[pyo3(signature = (**options))]
    fn schema(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<PySchema> {
        let schema = Mapping::new(options, false)?.reader(&self.0).schema().map_err(wrong)?;
        Ok(PySchema::new(nullable(&schema)))
    }

    #[pyo3(signature = (column, **options))]
    fn decode(
        &self,
        py: Python<'_>,
        column: AnyArray,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyTable> {
        let reader = Mapping::new(options, true)?.reader(&self.0);
        let (batches, schema) = py.detach(|| tables(&reader, column))?;
        PyTable::try_new(batches, schema)
    }

    fn rejected(&self, py: Python<'_>, column: AnyArray) -> PyResult<PyTable> {
        let reader = ReaderBuilder::new(&self.0).bad_rows(BadRows::Skip);
        let (batches, schema) = py.detach(|| rejected(&reader, column))?;
        PyTable::try_new(batches, schema)
    }

    fn encode(&self, py: Python<'_>, table: AnyRecordBatch) -> PyResult<PyChunkedArray> {
        let chunks = py.detach(|| -> PyResult<Vec<ArrayRef>> {
            let batches = table.into_reader()?;
            let writer = WriterBuilder::new(&self.0).build(&batches.schema());
            let mut writer = writer.map_err(wrong)?;
            batches
                .map(|batch| Ok(Arc::new(writer.to_array(&batch.map_err(wrong)?).map_err(wrong)?) as _))
                .collect()
        })?;
        chunked(chunks, DataType::Binary)
    }

    fn to_json(&self, py: Python<'_>, column: AnyArray) -> PyResult<PyChunkedArray> {
        let convert =
            |chunk: &dyn Array| to_json(&self.0, chunk, BadRows::Fail).map(|texts| Arc::new(texts) as _);
        chunked(py.detach(|| each(column, convert))?, DataType::Utf8)
    }

    #[pyo3(name = "from_json")]
    fn messages_of_json(&self, py: Python<'_>, column: AnyArray) -> PyResult<PyChunkedArray> {
        let convert =
            |chunk: &dyn Array| from_json(&self.0, chunk, BadRows::Fail).map(|bytes| Arc::new(bytes) as _);
        chunked(py.detach(|| each(column, convert))?, DataType::Binary)
    }

    fn to_dict<'py>(&self, py: Python<'py>, message: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let mut decoder = Decoder::new(&self.0);
        let text = json::to_string(&decoder.decode(message).map_err(wrong)?).map_err(wrong)?;
        py.import("json")?.call_method1("loads", (text,))
    }

    #[pyo3(name = "from_dict")]
    fn message_of_dict<'py>(
        &self,
        py: Python<'py>,
        message: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let text: String = py.import("json")?.call_method1("dumps", (message,))?.extract()?;
        Ok(PyBytes::new(py, &self.message_of(&text).map_err(wrong)?))
    }
}

impl Message {
    fn message_of(&self, text: &str) -> Result<Vec<u8>, String> {
        let message = json::message_from_str(&self.0, text).map_err(|error| error.to_string())?;
        message.encode_to_vec().map_err(|error| error.to_string())
    }
}

/// The chunks of a column, each with the number of its first row.
fn chunks(column: AnyArray) -> PyResult<impl Iterator<Item = PyResult<(usize, ArrayRef)>>> {
    let mut row = 0;
    Ok(column.into_reader()?.map(move |chunk| {
        let (chunk, first) = (chunk.map_err(wrong)?, row);
        row += chunk.len();
        Ok((first, chunk))
    }))
}

/// Converts each chunk of a column.
fn each(
    column: AnyArray,
    mut convert: impl FnMut(&dyn Array) -> Result<ArrayRef, Error>,
) -> PyResult<Vec<ArrayRef>> {
    let convert = |chunk: PyResult<(usize, ArrayRef)>| {
        let (row, chunk) = chunk?;
        convert(&chunk).map_err(|error| wrong_in(row, error))
    };
    chunks(column)?.map(convert).collect()
}

/// An error in the chunk that begins with this row.
fn wrong_in(row: usize, error: Error) -> PyErr {
    match row {
        0 => wrong(error),
        row => wrong(format!("in the chunk that begins with row {row}: {error}")),
    }
}

fn chunked(chunks: Vec<ArrayRef>, data_type: DataType) -> PyResult<PyChunkedArray> {
    PyChunkedArray::try_new(chunks, Arc::new(Field::new("", data_type, true)))
}

/// The schema with columns that may be null, for rows that are null. A union is not.
fn nullable(schema: &Schema) -> SchemaRef {
    let is_union = |field: &Field| matches!(field.data_type(), DataType::Union(..));
    let fields = schema.fields().iter().map(|field| match is_union(field) {
        true => field.clone(),
        false => Arc::new(field.as_ref().clone().with_nullable(true)),
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

/// The messages of a column as batches.
fn tables(reader: &ReaderBuilder, column: AnyArray) -> PyResult<(Vec<RecordBatch>, SchemaRef)> {
    let mut decoder = reader.build_array_decoder().map_err(wrong)?;
    let schema = nullable(reader.schema().map_err(wrong)?.as_ref());
    let mut batches = Vec::new();
    for chunk in chunks(column)? {
        let (row, chunk) = chunk?;
        for structs in decoder.decode_chunks(&chunk).map_err(|error| wrong_in(row, error))? {
            batches.push(batch(&structs, &schema).map_err(wrong)?);
        }
    }
    Ok((batches, schema))
}

/// Structs as rows, which are null where the structs are.
fn batch(structs: &StructArray, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(structs.len()));
    let absent = structs.nulls().map(|valid| BooleanArray::new(!valid.inner(), None));
    let columns = structs.columns().iter().map(|column| match &absent {
        Some(absent) if !matches!(column.data_type(), DataType::Union(..)) => {
            arrow_select::nullif::nullif(column, absent)
        }
        _ => Ok(column.clone()),
    });
    RecordBatch::try_new_with_options(schema.clone(), columns.collect::<Result<_, _>>()?, &options)
}

/// The rows of a column that are no messages.
fn rejected(reader: &ReaderBuilder, column: AnyArray) -> PyResult<(Vec<RecordBatch>, SchemaRef)> {
    let mut decoder = reader.build_array_decoder().map_err(wrong)?;
    let (mut batches, schema) = (Vec::new(), ArrayDecoder::rejected_schema());
    for chunk in chunks(column)? {
        let (row, chunk) = chunk?;
        decoder.decode_chunks(&chunk).map_err(|error| wrong_in(row, error))?;
        let Some(bad) = decoder.rejected() else { continue };
        let rows: UInt64Array = bad.column(0).as_primitive::<UInt64Type>().unary(|bad| bad + row as u64);
        let columns = vec![Arc::new(rows) as ArrayRef, bad.column(1).clone(), bad.column(2).clone()];
        batches.push(RecordBatch::try_new(schema.clone(), columns).map_err(wrong)?);
    }
    Ok((batches, schema))
}

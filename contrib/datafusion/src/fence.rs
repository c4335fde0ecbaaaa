//! The only module with `unsafe` operations: batches of the Arrow of tablepb-arrow become batches of the Arrow of DataFusion, without copying.
//!
//! With `--cfg tablepb_safe` the twin is compiled instead, which writes and reads them as a stream of Arrow's messages.
#![allow(unsafe_code)]

use crate::nulls;
use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use std::sync::Arc;
use tablepb_arrow::Decoder;

/// A decoder whose batches are those of DataFusion.
#[derive(Debug)]
pub(crate) struct BatchDecoder {
    decoder: Decoder,
    /// The schema of the decoder, in the Arrow of DataFusion.
    schema: SchemaRef,
    /// The schema of the batches.
    nullable: SchemaRef,
}

impl BatchDecoder {
    pub(crate) fn new(decoder: Decoder) -> Result<Self> {
        let schema = import_schema(&decoder.schema())?;
        let nullable = nulls::schema(&schema);
        Ok(Self { decoder, schema, nullable })
    }

    /// The decoder, for its input.
    pub(crate) fn decoder(&mut self) -> &mut Decoder {
        &mut self.decoder
    }

    /// Ends the batch; `None` if it has no rows.
    pub(crate) fn flush(&mut self) -> Result<Option<RecordBatch>> {
        let Some(batch) = self.decoder.flush().map_err(external)? else { return Ok(None) };
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let imported = self.import(batch)?;
        let columns = imported
            .iter()
            .zip(self.nullable.fields())
            .map(|(array, field)| nulls::column(array, field, None));
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Some(RecordBatch::try_new_with_options(self.nullable.clone(), columns, &options)?))
    }

    /// The columns of a batch of the decoder.
    #[cfg(not(tablepb_safe))]
    fn import(&self, batch: arrow_array::RecordBatch) -> Result<Vec<ArrayRef>> {
        use arrow::array::{Array, StructArray};
        use arrow::datatypes::DataType;
        use arrow::ffi::{FFI_ArrowArray, from_ffi_and_data_type};

        let (mut exported, _) = tablepb_arrow::ffi::export(batch).map_err(external)?;
        assert_eq!(size_of_val(&exported), size_of::<FFI_ArrowArray>());
        // SAFETY: both types are the struct `ArrowArray` of the C Data Interface, whose layout no version may change. The pointer comes
        // from a reference that nothing else uses; what it points to is moved out, and left as released.
        let imported = unsafe { FFI_ArrowArray::from_raw((&raw mut exported).cast()) };
        let data_type = DataType::Struct(self.schema.fields().clone());
        // SAFETY: the array was exported from a batch of the decoder, which Arrow had checked against the schema that `data_type` is made of.
        let data = unsafe { from_ffi_and_data_type(imported, data_type)? };
        let (_, columns, nulls) = StructArray::from(data).into_parts();
        debug_assert!(
            nulls.is_none_or(|nulls| nulls.null_count() == 0) && columns.iter().all(|c| !c.is_empty())
        );
        Ok(columns)
    }

    #[cfg(tablepb_safe)]
    fn import(&self, batch: arrow_array::RecordBatch) -> Result<Vec<ArrayRef>> {
        import_by_messages(&batch)
    }
}

/// The schema in the Arrow of DataFusion.
pub(crate) fn import_schema(schema: &arrow_schema::Schema) -> Result<SchemaRef> {
    use arrow::ffi::FFI_ArrowSchema;

    let mut exported = arrow_schema::ffi::FFI_ArrowSchema::try_from(schema).map_err(external)?;
    const { assert!(size_of::<arrow_schema::ffi::FFI_ArrowSchema>() == size_of::<FFI_ArrowSchema>()) };
    // SAFETY: as in `import`, for the struct `ArrowSchema`.
    let imported = unsafe { FFI_ArrowSchema::from_raw((&raw mut exported).cast()) };
    Ok(Arc::new(Schema::try_from(&imported)?))
}

/// The safe twin of [`BatchDecoder::import`].
#[cfg(any(test, tablepb_safe))]
fn import_by_messages(batch: &arrow_array::RecordBatch) -> Result<Vec<ArrayRef>> {
    let mut stream = Vec::new();
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(&mut stream, &batch.schema()).map_err(external)?;
    writer.write(batch).and_then(|()| writer.finish()).map_err(external)?;
    drop(writer);
    let mut reader = datafusion::arrow::ipc::reader::StreamReader::try_new(&*stream, None)?;
    reader
        .next()
        .transpose()?
        .map(|batch| batch.columns().to_vec())
        .ok_or_else(|| DataFusionError::Internal("a stream of one batch without a batch".into()))
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    use tablepb_arrow::ReaderBuilder;
    use tablepb_arrow::mapping::{Enums, Options};
    use tablepb_schema::SourceBuilder;

    const SCHEMA: &str = "syntax = 'proto3'; package example;
        import 'google/protobuf/timestamp.proto';
        enum Level { NONE = 0; LOW = 1; HIGH = 2; }
        message Part { string name = 1; optional double weight = 2; repeated sint32 sizes = 3; }
        message Log {
          string line = 1; bytes raw = 2; bool on = 3; Level level = 4; google.protobuf.Timestamp at = 5;
          repeated Part parts = 6; map<string, Part> by_name = 7; oneof which { uint64 number = 8; Part part = 9; }
        }";
    const ROWS: [&str; 3] = [
        "line: 'short' level: HIGH at { seconds: 5 nanos: 6 } parts { name: 'p' sizes: 1 sizes: -2 } number: 7",
        "",
        "line: 'a string of more than twelve bytes' raw: 'as well a string that is long' on: true level: 77
         parts { weight: 0.5 } parts {} by_name { key: 'k' value { name: 'another name that is long' } } part { weight: 1 }",
    ];

    fn batches(options: Options) -> (BatchDecoder, arrow_array::RecordBatch) {
        let pool = SourceBuilder::new().source("log.proto", SCHEMA).build().unwrap();
        let log = pool.message("example.Log").unwrap();
        let mut decoder = ReaderBuilder::new(&log).options(options).build_decoder().unwrap();
        for text in ROWS.iter().cycle().take(100) {
            let message = tablepb::text::message_from_str(&log, text).unwrap();
            assert!(decoder.push(&message.encode_to_vec().unwrap()).unwrap());
        }
        let batch = decoder.flush().unwrap().unwrap();
        (BatchDecoder::new(decoder).unwrap(), batch)
    }

    #[test]
    fn both_ways_give_the_same_columns() {
        for options in [
            Options::new(),
            Options::new().views(false).enums(Enums::Name),
            Options::new().enums(Enums::Dictionary).well_known(true),
        ] {
            let (decoder, batch) = batches(options);
            let copied = import_by_messages(&batch).unwrap();
            let imported = decoder.import(batch.clone()).unwrap();
            // The arrays outlive the batch that they come from.
            drop(batch);
            assert_eq!(imported, copied);
            for array in &imported {
                array.to_data().validate_full().unwrap();
            }
            assert_eq!(imported.len(), decoder.schema.fields().len());
        }
    }

    #[test]
    fn metadata_stays() {
        let (decoder, batch) = batches(Options::new());
        let key = tablepb_arrow::mapping::NUMBER;
        for (ours, theirs) in decoder.schema.fields().iter().zip(batch.schema().fields()) {
            assert_eq!(ours.metadata().get(key), theirs.metadata().get(key));
        }
        let key = tablepb_arrow::mapping::TYPE;
        assert_eq!(decoder.schema.metadata().get(key).map(String::as_str), Some("example.Log"));
    }
}

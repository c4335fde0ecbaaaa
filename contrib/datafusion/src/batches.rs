//! [`BatchDecoder`]: batches with nulls as DataFusion wants them.

use crate::nulls;
use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use datafusion::error::{DataFusionError, Result};
use tablepb_arrow::{Decoder, ReaderBuilder};

/// A decoder whose batches have [nulls](nulls) in structs.
#[derive(Debug)]
pub(crate) struct BatchDecoder {
    decoder: Decoder,
    schema: SchemaRef,
}

impl BatchDecoder {
    pub(crate) fn build(reader: &ReaderBuilder) -> Result<Self> {
        let decoder = reader.build_decoder().map_err(|error| DataFusionError::External(Box::new(error)))?;
        let schema = nulls::schema(&decoder.schema());
        Ok(Self { decoder, schema })
    }

    /// The columns of its batches.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The decoder, for its input.
    pub(crate) fn decoder(&mut self) -> &mut Decoder {
        &mut self.decoder
    }

    /// Ends the batch; `None` if it has no rows.
    pub(crate) fn flush(&mut self) -> Result<Option<RecordBatch>> {
        let flushed = self.decoder.flush().map_err(|error| DataFusionError::External(Box::new(error)))?;
        let Some(batch) = flushed else { return Ok(None) };
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns =
            columns.map(|(array, field)| nulls::column(array, field, None)).collect::<Result<_, _>>()?;
        Ok(Some(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?))
    }
}

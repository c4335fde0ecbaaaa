//! [`Filter`]: which messages a query wants, before the rest of their fields is decoded.

use crate::batches::BatchDecoder;
use crate::projection::paths;
use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::compute::prep_null_mask_filter;
use datafusion::arrow::datatypes::Schema;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::{ProjectionExpr, ProjectionExprs};
use datafusion::physical_expr::utils::reassign_expr_columns;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use std::sync::Arc;
use tablepb_arrow::ReaderBuilder;

/// A predicate and the columns that it needs.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    predicate: Arc<dyn PhysicalExpr>,
    reader: ReaderBuilder,
    /// The fields that it reads.
    paths: Vec<String>,
}

/// Evaluates a [`Filter`].
pub(crate) struct Decider {
    predicate: Arc<dyn PhysicalExpr>,
    decoder: BatchDecoder,
}

/// Whether a predicate is about columns of the files alone, and the same for each row that is the same.
pub(crate) fn is_of_files(predicate: &Arc<dyn PhysicalExpr>, files: &Schema) -> Result<bool> {
    let (mut has_column, mut is_of_files) = (false, true);
    predicate.apply(|expression| {
        if let Some(column) = expression.downcast_ref::<Column>() {
            has_column = true;
            // Columns after those of the file are values of the directory.
            is_of_files &= column.index() < files.fields().len();
        }
        let names_file = expression
            .downcast_ref::<ScalarFunctionExpr>()
            .is_some_and(|function| function.name() == "input_file_name");
        is_of_files &= !names_file && !expression.is_volatile_node();
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(has_column && is_of_files)
}

impl Filter {
    /// A filter that reads what the predicate needs.
    pub(crate) fn new(
        predicate: &Arc<dyn PhysicalExpr>,
        files: &Schema,
        fields: &[String],
        reader: ReaderBuilder,
    ) -> Result<Self> {
        let expression = ProjectionExpr { expr: predicate.clone(), alias: "predicate".to_owned() };
        let paths = paths(&ProjectionExprs::new([expression]), files, fields)?;
        Ok(Self { predicate: predicate.clone(), reader: reader.projection(&paths), paths })
    }

    /// Whether it reads these fields, and no more of the structs that they are in.
    pub(crate) fn has_all(&self, paths: &[String]) -> bool {
        let first = |path: &str| path.split('.').next().map(str::to_owned);
        paths.iter().all(|path| {
            let of_struct = |paths: &[String]| {
                paths.iter().filter(|other| first(other) == first(path)).cloned().collect::<Vec<_>>()
            };
            of_struct(&self.paths) == of_struct(paths)
        })
    }

    pub(crate) fn build(&self) -> Result<Decider> {
        let decoder = BatchDecoder::build(&self.reader)?;
        let predicate = reassign_expr_columns(self.predicate.clone(), decoder.schema())?;
        Ok(Decider { predicate, decoder })
    }
}

/// The messages at the start of a block that were looked at: how many bytes, and which of them are wanted.
pub(crate) struct Decided {
    pub(crate) bytes: usize,
    pub(crate) wanted: BooleanArray,
    /// The columns that the predicate needed.
    pub(crate) batch: RecordBatch,
}

impl Decider {
    /// Looks at as many messages of a block as a batch has. The inner error is that of a message.
    pub(crate) fn decide(&mut self, block: &Buffer) -> Result<Result<Decided, tablepb_arrow::Error>> {
        let bytes = match self.decoder.decoder().decode_block(block) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(error)),
        };
        let Some(batch) = self.decoder.flush()? else {
            let schema = self.decoder.schema().clone();
            let (wanted, batch) = (BooleanArray::from(Vec::<bool>::new()), RecordBatch::new_empty(schema));
            return Ok(Ok(Decided { bytes, wanted, batch }));
        };
        let values = self.predicate.evaluate(&batch)?.into_array(batch.num_rows())?;
        // Null is not wanted.
        let wanted = match values.as_boolean_opt() {
            Some(values) if values.null_count() > 0 => prep_null_mask_filter(values),
            Some(values) => values.clone(),
            None => return datafusion::common::internal_err!("a filter is {}", values.data_type()),
        };
        Ok(Ok(Decided { bytes, wanted, batch }))
    }
}

//! The rows of a part of a file: [`open`].

use crate::batches::BatchDecoder;
use crate::error::row_error;
use crate::index::FileIndex;
use crate::input::{Block, Blocks, StoredFile};
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::Schema;
use datafusion::error::{DataFusionError, Result};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use std::ops::Range;
use std::sync::Arc;
use tablepb_arrow::ReaderBuilder;

/// What a scan reads of each file.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// The columns; `None` if only rows are counted.
    pub(crate) reader: Option<ReaderBuilder>,
    /// The names of the columns in the order in which the table has them.
    pub(crate) names: Vec<String>,
    pub(crate) batch_size: usize,
}

/// The rows whose messages start in a range of a file. A compressed file belongs to the range with its first byte.
pub(crate) async fn open(
    columns: Columns,
    file: StoredFile,
    index: Arc<FileIndex>,
    range: Range<u64>,
) -> Result<BoxStream<'static, Result<RecordBatch>>> {
    let size = file.meta.size;
    if columns.reader.is_none()
        && let Some(rows) = index.rows_between(range.clone(), file.is_compressed())
    {
        file.check_unchanged().await?;
        return Ok(counted(rows, columns.batch_size));
    }
    let blocks = if file.is_compressed() {
        let end = if range.start == 0 { u64::MAX } else { 0 };
        Blocks::open(&file, 0, 0, end).await?
    } else {
        let first = index.first_from(&file, range.start).await?;
        if columns.reader.is_none() {
            let last = index.first_from(&file, range.end.min(size)).await?;
            return Ok(counted(last.row.saturating_sub(first.row), columns.batch_size));
        }
        Blocks::open(&file, first.offset, first.row, range.end).await?
    };
    let ends = range.end >= size && (range.start == 0 || !file.is_compressed());
    let scan = Scan { blocks, index: ends.then_some(index), place: None };
    match &columns.reader {
        Some(reader) => {
            let decoder =
                reader.build_decoder().map_err(|error| DataFusionError::External(Box::new(error)))?;
            let rows = Rows {
                scan,
                decoder: BatchDecoder::new(decoder),
                names: columns.names,
                max_row_len: file.max_row_len,
            };
            let next = |mut rows: Rows| async move { Ok(rows.next().await?.map(|batch| (batch, rows))) };
            Ok(stream::try_unfold(rows, next).boxed())
        }
        None => {
            let mut scan = scan;
            let mut rows = 0;
            while let Some(block) = scan.block().await? {
                rows += block.rows;
            }
            Ok(counted(rows, columns.batch_size))
        }
    }
}

/// Batches of rows without columns.
fn counted(rows: u64, batch_size: usize) -> BoxStream<'static, Result<RecordBatch>> {
    let batch_size = batch_size.max(1) as u64;
    let batches = (0..rows.div_ceil(batch_size)).map(move |batch| {
        let rows = batch_size.min(rows - batch * batch_size) as usize;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?)
    });
    stream::iter(batches).boxed()
}

/// The blocks of a range.
struct Scan {
    blocks: Blocks,
    /// Learns how many rows the file has, if the range is the last one.
    index: Option<Arc<FileIndex>>,
    /// A block that is not used up, and how much of it is.
    place: Option<(Block, usize)>,
}

impl Scan {
    async fn block(&mut self) -> Result<Option<Block>> {
        // Between blocks a query that was cancelled stops.
        tokio::task::yield_now().await;
        let block = self.blocks.next().await?;
        if block.is_none()
            && let Some(index) = self.index.take()
        {
            index.note_rows(self.blocks.row());
        }
        Ok(block)
    }
}

/// The rows of a range.
struct Rows {
    scan: Scan,
    decoder: BatchDecoder,
    names: Vec<String>,
    max_row_len: usize,
}

impl Rows {
    /// The next batch; `None` at the end.
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.decoder.decoder().is_full() {
            if self.scan.place.is_none() {
                let Some(block) = self.scan.block().await? else { break };
                self.scan.place = Some((block, 0));
            }
            self.decode()?;
        }
        let Some(batch) = self.decoder.flush()? else { return Ok(None) };
        // The reader has columns in the order of the message, the table in any.
        let order: Result<Vec<_>, _> =
            self.names.iter().map(|name| batch.schema_ref().index_of(name)).collect();
        Ok(Some(batch.project(&order?)?))
    }

    /// Decodes messages of the block, up to its end or until the batch is full.
    fn decode(&mut self) -> Result<()> {
        let Some((block, at)) = &mut self.scan.place else { return Ok(()) };
        let rest = block.bytes.slice(*at);
        match self.decoder.decoder().decode_block(&rest) {
            Ok(taken) => *at += taken,
            Err(error) => {
                let (row, offset) = block.row_before(*at + error.consumed(), self.max_row_len);
                return Err(self.scan.blocks.file().error(row, offset, row_error(&error)));
            }
        }
        if *at >= block.bytes.len() {
            self.scan.place = None;
        }
        Ok(())
    }
}

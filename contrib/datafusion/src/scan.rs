//! The rows of a part of a file: [`open`].

use crate::batches::BatchDecoder;
use crate::error::row_error;
use crate::filter::{Decided, Decider, Filter};
use crate::index::FileIndex;
use crate::input::{Block, Blocks, Prefix, StoredFile, prefix};
use datafusion::arrow::array::{BooleanArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::Schema;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::metrics::Count;
use futures::StreamExt;
use futures::stream::BoxStream;
use std::ops::Range;
use std::sync::Arc;
use tablepb::stream;
use tablepb_arrow::ReaderBuilder;

/// What a scan reads of each file.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// The columns; `None` if only rows are counted.
    pub(crate) reader: Option<ReaderBuilder>,
    /// The names of the columns in the order in which the table has them.
    pub(crate) names: Vec<String>,
    pub(crate) batch_size: usize,
    /// Which rows are wanted, if not all.
    pub(crate) filter: Option<Filter>,
    /// The filter reads all columns.
    pub(crate) filter_has_all: bool,
    pub(crate) counts: Counts,
}

/// What `EXPLAIN ANALYZE` shows of a scan.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    pub(crate) bytes: Count,
    pub(crate) refused: Count,
}

/// The rows whose messages start in a range of a file. A compressed file belongs to the range with its first byte.
pub(crate) async fn open(
    columns: Columns,
    file: StoredFile,
    index: Arc<FileIndex>,
    range: Range<u64>,
) -> Result<BoxStream<'static, Result<RecordBatch>>> {
    let size = file.meta.size;
    let counts_only = columns.reader.is_none() && columns.filter.is_none();
    if counts_only && let Some(rows) = index.rows_between(range.clone(), file.is_compressed()) {
        file.check_unchanged().await?;
        return Ok(counted(rows, columns.batch_size));
    }
    let blocks = if file.is_compressed() {
        let end = if range.start == 0 { u64::MAX } else { 0 };
        Blocks::open(&file, 0, 0, end).await?
    } else {
        let first = index.first_from(&file, range.start).await?;
        if counts_only {
            let last = index.first_from(&file, range.end.min(size)).await?;
            return Ok(counted(last.row.saturating_sub(first.row), columns.batch_size));
        }
        Blocks::open(&file, first.offset, first.row, range.end).await?
    };
    let ends = range.end >= size && (range.start == 0 || !file.is_compressed());
    let mut scan =
        Scan { blocks, index: ends.then_some(index), place: None, bytes: columns.counts.bytes.clone() };
    if counts_only {
        let mut rows = 0;
        while let Some(block) = scan.block().await? {
            rows += block.rows;
        }
        return Ok(counted(rows, columns.batch_size));
    }
    if let Some(filter) = &columns.filter {
        let rows = Wanted::new(scan, filter.build()?, columns)?;
        let next = |mut rows: Wanted| async move { Ok(rows.next().await?.map(|batch| (batch, rows))) };
        return Ok(futures::stream::try_unfold(rows, next).boxed());
    }
    let Some(reader) = &columns.reader else { return Ok(counted(0, columns.batch_size)) };
    let rows = Rows { scan, decoder: BatchDecoder::build(reader)?, names: columns.names };
    let next = |mut rows: Rows| async move { Ok(rows.next().await?.map(|batch| (batch, rows))) };
    Ok(futures::stream::try_unfold(rows, next).boxed())
}

/// Batches of rows without columns.
fn counted(rows: u64, batch_size: usize) -> BoxStream<'static, Result<RecordBatch>> {
    let batch_size = batch_size.max(1) as u64;
    let batches = (0..rows.div_ceil(batch_size))
        .map(move |batch| without_columns(batch_size.min(rows - batch * batch_size) as usize));
    futures::stream::iter(batches).boxed()
}

fn without_columns(rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?)
}

/// The columns in the order of the table. The reader has them in that of the message.
fn in_order(batch: &RecordBatch, names: &[String]) -> Result<RecordBatch> {
    let order: Result<Vec<_>, _> = names.iter().map(|name| batch.schema_ref().index_of(name)).collect();
    Ok(batch.project(&order?)?)
}

/// The blocks of a range.
struct Scan {
    blocks: Blocks,
    /// Learns how many rows the file has, if the range is the last one.
    index: Option<Arc<FileIndex>>,
    /// A block that is not used up, and how much of it is.
    place: Option<(Block, usize)>,
    /// How many bytes came.
    bytes: Count,
}

impl Scan {
    async fn block(&mut self) -> Result<Option<Block>> {
        // Between blocks a query that was cancelled stops.
        tokio::task::yield_now().await;
        let block = self.blocks.next().await?;
        self.bytes.add(block.as_ref().map_or(0, |block| block.bytes.len()));
        if block.is_none()
            && let Some(index) = self.index.take()
        {
            index.note_rows(self.blocks.row());
        }
        Ok(block)
    }

    /// What is wrong with the message of a block that ends at a place, or goes on there.
    fn error(&self, block: &Block, place: usize, error: &tablepb_arrow::Error) -> DataFusionError {
        let file = self.blocks.file();
        let (row, offset) = block.row_before(place, file.max_row_len);
        file.error(row, offset, row_error(error))
    }
}

/// The rows of a range.
struct Rows {
    scan: Scan,
    decoder: BatchDecoder,
    names: Vec<String>,
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
        let batch = self.decoder.flush()?;
        batch.map(|batch| in_order(&batch, &self.names)).transpose()
    }

    /// Decodes messages of the block, up to its end or until the batch is full.
    fn decode(&mut self) -> Result<()> {
        let Some((block, at)) = self.scan.place.take() else { return Ok(()) };
        let at = match self.decoder.decoder().decode_block(&block.bytes.slice(at)) {
            Ok(taken) => at + taken,
            Err(error) => return Err(self.scan.error(&block, at + error.consumed(), &error)),
        };
        if at < block.bytes.len() {
            self.scan.place = Some((block, at));
        }
        Ok(())
    }
}

/// The rows of a range that a filter wants.
///
/// What the filter needs of as many messages as a batch has is decoded first. Then, of the messages that are wanted, the columns: each alone if they are few, or all and then without the
/// others.
struct Wanted {
    scan: Scan,
    filter: Decider,
    /// The columns, if there are others than those that the filter needs.
    decoder: Option<BatchDecoder>,
    columns: Columns,
    /// Messages that were decided on.
    decided: Option<Messages>,
}

/// Messages, and which of them are wanted.
struct Messages {
    block: Block,
    wanted: BooleanArray,
    /// The place of the next one, in bytes and in messages.
    at: usize,
    row: usize,
    /// Those that are wanted are decoded one by one.
    each: bool,
}

impl Wanted {
    fn new(scan: Scan, filter: Decider, columns: Columns) -> Result<Self> {
        let reader = columns.reader.as_ref().filter(|_| !columns.filter_has_all);
        let decoder = reader.map(BatchDecoder::build).transpose()?;
        Ok(Self { scan, filter, decoder, columns, decided: None })
    }

    /// The next batch; `None` at the end.
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.rest()? {
                return Ok(Some(batch));
            }
            if self.scan.place.is_none() {
                match self.scan.block().await? {
                    Some(block) => self.scan.place = Some((block, 0)),
                    None => return self.flush(),
                }
            }
            if let Some(batch) = self.decide()? {
                return Ok(Some(batch));
            }
        }
    }

    /// Decides on messages of the block. Returns a batch if the filter has all of its columns.
    fn decide(&mut self) -> Result<Option<RecordBatch>> {
        let Some((block, _)) = self.scan.place.take() else { return Ok(None) };
        let Decided { bytes, wanted, batch } = match self.filter.decide(&block.bytes)? {
            Ok(decided) => decided,
            Err(error) => return Err(self.scan.error(&block, error.consumed(), &error)),
        };
        let (block, rest) = block.split(bytes, wanted.len() as u64);
        self.scan.place = rest.map(|rest| (rest, 0));
        let count = wanted.true_count();
        self.columns.counts.refused.add(wanted.len() - count);
        if count == 0 {
            return Ok(None);
        }
        if self.columns.reader.is_none() {
            return without_columns(count).map(Some);
        }
        if self.decoder.is_none() {
            return in_order(&filter_record_batch(&batch, &wanted)?, &self.columns.names).map(Some);
        }
        // Each alone is copied, so that all of them cost less from about a half on.
        let each = 2 * count < wanted.len();
        self.decided = Some(Messages { block, wanted, at: 0, row: 0, each });
        Ok(None)
    }

    /// Decodes the messages that are wanted of those that were decided on. Returns a batch that is full.
    fn rest(&mut self) -> Result<Option<RecordBatch>> {
        let (Some(decoder), Some(mut messages)) = (&mut self.decoder, self.decided.take()) else {
            return Ok(None);
        };
        if !messages.each {
            if decoder.decoder().rows() > 0 {
                self.decided = Some(messages);
                return self.flush();
            }
            return self.all(messages);
        }
        while messages.row < messages.wanted.len() {
            let bytes = &messages.block.bytes[messages.at..];
            let Prefix::Frame(len) = prefix(bytes, self.scan.blocks.file().max_row_len) else { break };
            if messages.wanted.value(messages.row) {
                let mut message = &bytes[..len];
                // It is valid, or there would be no frame.
                let _ = stream::decode_length_delimiter(&mut message);
                match decoder.decoder().push(message) {
                    Ok(true) => {}
                    Ok(false) => {
                        self.decided = Some(messages);
                        return self.flush();
                    }
                    Err(error) => return Err(self.scan.error(&messages.block, messages.at + 1, &error)),
                }
            }
            (messages.at, messages.row) = (messages.at + len, messages.row + 1);
        }
        if decoder.decoder().is_full() { self.flush() } else { Ok(None) }
    }

    /// Decodes all messages, and leaves out those that are not wanted.
    fn all(&mut self, mut messages: Messages) -> Result<Option<RecordBatch>> {
        let Some(decoder) = &mut self.decoder else { return Ok(None) };
        let Ok(taken) = decoder.decoder().decode_block(&messages.block.bytes.slice(messages.at)) else {
            // It may be one that is not wanted, which is no fault.
            decoder.flush()?;
            messages.each = true;
            self.decided = Some(messages);
            return self.rest();
        };
        let Some(batch) = decoder.flush()? else { return Ok(None) };
        let wanted = messages.wanted.slice(messages.row, batch.num_rows());
        (messages.at, messages.row) = (messages.at + taken, messages.row + batch.num_rows());
        // A batch of few but large rows is full before.
        if messages.row < messages.wanted.len() {
            self.decided = Some(messages);
        }
        in_order(&filter_record_batch(&batch, &wanted)?, &self.columns.names).map(Some)
    }

    fn flush(&mut self) -> Result<Option<RecordBatch>> {
        let Some(decoder) = &mut self.decoder else { return Ok(None) };
        let batch = decoder.flush()?;
        batch.map(|batch| in_order(&batch, &self.columns.names)).transpose()
    }
}

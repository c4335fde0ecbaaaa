//! Reads a partition into Arrow files.
//!
//! A file holds the records of a range of offsets and has it in its name, so the files say where to go on: a run that was killed loses
//! nothing and writes nothing twice. A file is written under another name first, and there is all of it or none. One consumer at a time reads a
//! partition into a directory.

use crate::schemas::{self, NEWEST};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use rskafka::client::partition::{OffsetAt, PartitionClient};
use rskafka::record::RecordAndOffset;
use std::error::Error;
use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tablepb_arrow::mapping::Options;
use tablepb_arrow::{BadRows, Decoder, ReaderBuilder, SchemaStore};

/// The most rows of a file.
pub const ROWS: usize = 8_192;

/// How many bytes a fetch may return at first and at most, and how long the broker may wait for the first one, in milliseconds.
const BYTES: i32 = 4_000_000;
const MOST_BYTES: i32 = 64_000_000;
const WAIT: i32 = 1_000;

/// What a call of [`Consumer::read`] has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Rows in new files.
    pub rows: usize,
    /// Offsets after the last file that the broker has deleted before they were read.
    pub lost: i64,
}

/// What is read and where it goes.
pub struct Consumer<'a> {
    store: SchemaStore,
    decoder: Decoder,
    directory: &'a Path,
    /// The offsets of the rows in the decoder.
    offsets: Vec<i64>,
}

impl<'a> Consumer<'a> {
    /// A consumer that writes into this directory.
    ///
    /// Records that cannot be read become rows of nulls with their error, so that none is lost and none stops the rest.
    ///
    /// # Errors
    /// A schema that does not compile, a directory that cannot be made.
    pub fn new(directory: &'a Path) -> Result<Self, Box<dyn Error>> {
        fs::create_dir_all(directory)?;
        let store = schemas::store()?;
        let (order, _) = schemas::order(&store, NEWEST)?;
        // ClickHouse reads no views.
        let reader = ReaderBuilder::new(&order).options(Options::new().views(false));
        let decoder = reader.batch_size(ROWS).bad_rows(BadRows::Null).build_decoder()?;
        Ok(Self { store, decoder, directory, offsets: Vec::new() })
    }

    /// Reads a partition up to what is its end when the call begins.
    ///
    /// # Errors
    /// As [`span`], what the broker refuses, and files that cannot be written. What was written before stays, and the next call goes on after it.
    pub async fn read(
        &mut self,
        number: i32,
        partition: &PartitionClient,
    ) -> Result<Progress, Box<dyn Error>> {
        let begin = self.begin(number)?;
        let earliest = partition.get_offset(OffsetAt::Earliest).await?;
        let end = partition.get_offset(OffsetAt::Latest).await?;
        let (offsets, lost) = span(begin, earliest, end)?;
        let mut progress = Progress { rows: 0, lost };
        let (mut next, mut bytes) = (offsets.start, BYTES);
        while next < offsets.end {
            let (records, _) = partition.fetch_records(next, 1..bytes, WAIT).await?;
            // A fetch returns whole batches of the producer, which may begin before the offset.
            for record in records.iter().filter(|record| record.offset >= next) {
                progress.rows += self.push(number, record)?;
            }
            match records.last() {
                Some(last) => (next, bytes) = (next.max(last.offset + 1), BYTES),
                // The client leaves out the marks of transactions. More of them than fit are passed by a larger fetch; the last one of a
                // partition is always fetched alone.
                None if bytes < MOST_BYTES => bytes = (4 * bytes).min(MOST_BYTES),
                None => break,
            }
        }
        progress.rows += self.flush(number)?;
        Ok(progress)
    }

    /// The offset to read a partition from. Drops rows of a run that failed, which will be read again.
    ///
    /// # Errors
    /// A directory that cannot be read.
    pub fn begin(&mut self, number: i32) -> Result<i64, Box<dyn Error>> {
        self.decoder.flush()?;
        self.offsets.clear();
        next_offset(self.directory, number)
    }

    /// Appends the next record, and writes the file that is full. Returns how many rows were written.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub fn push(&mut self, number: i32, record: &RecordAndOffset) -> Result<usize, Box<dyn Error>> {
        let mut written = 0;
        // A record without a value is a deletion, which orders do not have: a bad record.
        let value = record.record.value.as_deref().unwrap_or_default();
        while !self.decoder.push_framed(&self.store, value)? {
            written += self.flush(number)?;
        }
        self.offsets.push(record.offset);
        Ok(written)
    }

    /// Writes what there is into a file. Returns how many rows it has.
    ///
    /// # Errors
    /// A file that cannot be written. The rows are lost, so a reader begins again.
    pub fn flush(&mut self, number: i32) -> Result<usize, Box<dyn Error>> {
        let offsets = std::mem::take(&mut self.offsets);
        let (Some(batch), Some(first), Some(last)) = (self.decoder.flush()?, offsets.first(), offsets.last())
        else {
            return Ok(0);
        };
        let name = format!("orders-{number}-{first:020}-{last:020}.arrow");
        let batch = with_place(&batch, number, offsets)?;
        let unfinished = self.directory.join(format!("unfinished-{number}-{}", std::process::id()));
        let mut writer = FileWriter::try_new(File::create(&unfinished)?, &batch.schema())?;
        writer.write(&batch)?;
        writer.finish()?;
        writer.get_ref().sync_all()?;
        fs::rename(unfinished, self.directory.join(name))?;
        Ok(batch.num_rows())
    }
}

/// The offsets to read where the files end at `begin` and the partition has records from `earliest` up to `end`, and how many between them are deleted.
///
/// # Errors
/// Files that go past the end of the partition: they are of another topic, such as one of this name that was deleted or stood in another broker. All records of
/// this one would be taken for read.
pub fn span(begin: i64, earliest: i64, end: i64) -> Result<(Range<i64>, i64), Box<dyn Error>> {
    if begin > end {
        return Err(format!(
            "the files go on at offset {begin}, but the partition ends at {end}: they are of another topic or broker, so read into a new directory"
        )
        .into());
    }
    // The broker deletes what is old; what was never read before is no loss.
    let lost = if begin > 0 { (earliest - begin).max(0) } else { 0 };
    Ok((begin.max(earliest)..end, lost))
}

/// The batch with the place of each record in the topic.
fn with_place(batch: &RecordBatch, number: i32, offsets: Vec<i64>) -> Result<RecordBatch, Box<dyn Error>> {
    let mut fields = batch.schema().fields().to_vec();
    fields.push(Arc::new(Field::new("partition", DataType::Int32, false)));
    fields.push(Arc::new(Field::new("offset", DataType::Int64, false)));
    let mut columns = batch.columns().to_vec();
    columns.push(Arc::new(Int32Array::from(vec![number; offsets.len()])) as ArrayRef);
    columns.push(Arc::new(Int64Array::from(offsets)) as ArrayRef);
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

/// The offset after the last one that a file of this partition has; 0 without files.
fn next_offset(directory: &Path, number: i32) -> Result<i64, Box<dyn Error>> {
    let prefix = format!("orders-{number}-");
    let mut next = 0;
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let range = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(".arrow"));
        if let Some((_, last)) = range.and_then(|range| range.split_once('-')) {
            next = next.max(last.parse::<i64>()? + 1);
        }
    }
    Ok(next)
}

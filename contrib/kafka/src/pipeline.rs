//! [`Pipeline`]: from records to what a sink is given at once.
//!
//! Each partition has rows of its own, so that what is written is a range of its offsets, which can be known again.

use crate::dead::DeadLetter;
use crate::schemas::Schemas;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tablepb_arrow::mapping::MappingError;
use tablepb_arrow::{BadRows, Decoder, ERROR, ErrorKind, ReaderBuilder};
use tablepb_registry::RegistryError;

/// When rows go to the sink.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most rows of a partition.
    pub rows: usize,
    /// The most bytes of all partitions, as they are in memory.
    pub bytes: usize,
    /// How long the first row of a partition waits.
    pub age: Duration,
}

/// A record of a partition.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub partition: i32,
    pub offset: i64,
    /// `None` is a deletion, which columns have no place for: a bad record.
    pub value: Option<&'a [u8]>,
}

/// What became of a record.
#[derive(Debug)]
pub enum Pushed {
    /// It is a row.
    Row,
    /// It cannot be read: the error. Where bad records are rows, it is one of nulls.
    Bad(String),
    /// The sink has it already.
    Known,
    /// The registry does not answer. The record was not taken, and is to be pushed again.
    Wait(RegistryError),
}

/// Rows of a partition for the sink, and records for the topic of bad ones.
#[derive(Debug)]
pub struct Roll {
    pub partition: i32,
    /// The offsets of the first and the last record, bad ones included.
    pub first: i64,
    pub last: i64,
    pub schema: SchemaRef,
    /// Empty if all records were bad.
    pub batches: Vec<RecordBatch>,
    pub dead: Vec<DeadLetter>,
}

impl Roll {
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// How many of them are bad records.
    #[must_use]
    pub fn bad_rows(&self) -> usize {
        let errors = self.batches.iter().filter_map(|batch| batch.column_by_name(ERROR));
        errors.map(|errors| errors.len() - errors.null_count()).sum()
    }
}

/// Rows that wait.
struct Part {
    decoder: Decoder,
    /// The offsets of the rows in the decoder.
    offsets: Vec<i64>,
    batches: Vec<RecordBatch>,
    dead: Vec<DeadLetter>,
    /// Bytes of the batches and bad records, and of the records in the decoder.
    bytes: usize,
    /// The offsets of the first and the last record, and when the first one came.
    waiting: Option<(i64, i64, Instant)>,
    /// What the sink has.
    next: i64,
}

/// Records to rows, by partitions.
pub struct Pipeline {
    schemas: Schemas,
    reader: ReaderBuilder,
    /// Whether bad records go elsewhere, in place of being rows.
    buries: bool,
    schema: SchemaRef,
    limits: Limits,
    parts: BTreeMap<i32, Part>,
}

impl Pipeline {
    /// A pipeline into columns as the reader has them, beside `partition` and `offset`. Records that cannot be read become [`Pushed::Bad`], and if `buries` is false, rows of
    /// nulls with their error in `_error`.
    ///
    /// # Errors
    /// A type that cannot be columns, or has one of these names.
    pub fn new(
        schemas: Schemas,
        reader: ReaderBuilder,
        buries: bool,
        limits: Limits,
    ) -> Result<Self, Box<dyn Error>> {
        let reader = reader.bad_rows(if buries { BadRows::Fail } else { BadRows::Null });
        let mut fields = reader.schema()?.fields().to_vec();
        if let Some(field) = fields.iter().find(|field| PLACE.contains(&field.name().as_str())) {
            return Err(format!(
                "the message type has a field named {}, as the place of its record has",
                field.name()
            )
            .into());
        }
        fields.push(Arc::new(Field::new(PLACE[0], DataType::Int32, false)));
        fields.push(Arc::new(Field::new(PLACE[1], DataType::Int64, false)));
        Ok(Self {
            schemas,
            reader,
            buries,
            schema: Arc::new(Schema::new(fields)),
            limits,
            parts: BTreeMap::new(),
        })
    }

    /// The columns.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Begins a partition, of which the sink has the records before an offset.
    ///
    /// # Errors
    /// None, since [`new`](Self::new) had the same columns.
    pub fn begin(&mut self, partition: i32, next: i64) -> Result<(), MappingError> {
        let part = Part {
            decoder: self.reader.build_decoder()?,
            offsets: Vec::new(),
            batches: Vec::new(),
            dead: Vec::new(),
            bytes: 0,
            waiting: None,
            next,
        };
        self.parts.insert(partition, part);
        Ok(())
    }

    /// Whether a partition has begun.
    #[must_use]
    pub fn has(&self, partition: i32) -> bool {
        self.parts.contains_key(&partition)
    }

    /// Takes the next record of a partition that has begun. `dead` makes a letter of its error.
    ///
    /// # Errors
    /// Arrow refuses the columns, which is not to be expected, or a batch is too large for its bounds.
    pub fn push(
        &mut self,
        record: Record<'_>,
        dead: impl FnOnce(&str) -> DeadLetter,
    ) -> Result<Pushed, Box<dyn Error>> {
        let Some(part) = self.parts.get_mut(&record.partition) else { return Ok(Pushed::Known) };
        if record.offset < part.next {
            return Ok(Pushed::Known);
        }
        let value = record.value.unwrap_or_default();
        let store = match self.schemas.of(value) {
            Ok(store) => store,
            Err(error) => return Ok(Pushed::Wait(error)),
        };
        let mut bad = None;
        loop {
            match part.decoder.push_framed(store, value) {
                Ok(true) => break,
                Ok(false) => part.flush(record.partition, &self.schema)?,
                Err(error) if self.buries && !matches!(error.kind(), ErrorKind::ColumnsBudget) => {
                    bad = Some(error.to_string());
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        match &bad {
            None => part.offsets.push(record.offset),
            Some(error) => {
                let letter = dead(error);
                part.bytes += letter.size();
                part.dead.push(letter);
            }
        }
        part.bytes += value.len();
        part.next = record.offset + 1;
        let (first, since) =
            part.waiting.map_or_else(|| (record.offset, Instant::now()), |(first, _, since)| (first, since));
        part.waiting = Some((first, record.offset, since));
        Ok(bad.map_or(Pushed::Row, Pushed::Bad))
    }

    /// A partition whose rows are to go to the sink now: it has enough of them, or they have waited long enough, or all take too much memory and it has most.
    #[must_use]
    pub fn due(&self) -> Option<i32> {
        let rows =
            |part: &Part| part.offsets.len() + part.batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        let is_due = |part: &Part| match part.waiting {
            Some((.., since)) => rows(part) >= self.limits.rows || since.elapsed() >= self.limits.age,
            None => false,
        };
        let due = self.parts.iter().find(|(_, part)| is_due(part));
        let largest = || {
            let all: usize = self.parts.values().map(|part| part.bytes).sum();
            let largest = self.parts.iter().max_by_key(|(_, part)| part.bytes)?;
            (all > self.limits.bytes).then_some(largest)
        };
        due.or_else(largest).map(|(partition, _)| *partition)
    }

    /// What waits of a partition; `None` if nothing does. The partition goes on.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn take(&mut self, partition: i32) -> Result<Option<Roll>, Box<dyn Error>> {
        let Some(part) = self.parts.get_mut(&partition) else { return Ok(None) };
        let Some((first, last, _)) = part.waiting else { return Ok(None) };
        part.flush(partition, &self.schema)?;
        part.waiting = None;
        part.bytes = 0;
        let (batches, dead) = (std::mem::take(&mut part.batches), std::mem::take(&mut part.dead));
        Ok(Some(Roll { partition, first, last, schema: self.schema.clone(), batches, dead }))
    }

    /// Forgets a partition, and what waits of it.
    pub fn end(&mut self, partition: i32) {
        self.parts.remove(&partition);
    }

    /// The partitions that have begun.
    #[must_use]
    pub fn partitions(&self) -> Vec<i32> {
        self.parts.keys().copied().collect()
    }
}

/// The columns with the place of a record in its topic.
const PLACE: [&str; 2] = ["partition", "offset"];

impl Part {
    /// Makes a batch of the rows in the decoder.
    fn flush(&mut self, partition: i32, schema: &SchemaRef) -> Result<(), Box<dyn Error>> {
        let Some(batch) = self.decoder.flush()? else { return Ok(()) };
        let batch = with_place(&batch, partition, std::mem::take(&mut self.offsets), schema)?;
        self.bytes = self.dead.iter().map(DeadLetter::size).sum();
        self.batches.push(batch);
        self.bytes += self.batches.iter().map(RecordBatch::get_array_memory_size).sum::<usize>();
        Ok(())
    }
}

/// The batch with the place of each record.
fn with_place(
    batch: &RecordBatch,
    partition: i32,
    offsets: Vec<i64>,
    schema: &SchemaRef,
) -> Result<RecordBatch, ArrowError> {
    let mut columns = batch.columns().to_vec();
    columns.push(Arc::new(Int32Array::from(vec![partition; offsets.len()])) as ArrayRef);
    columns.push(Arc::new(Int64Array::from(offsets)) as ArrayRef);
    RecordBatch::try_new(schema.clone(), columns)
}

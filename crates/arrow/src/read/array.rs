//! [`ArrayDecoder`]: a column of messages as columns of their fields.

use super::columns::Source;
use super::decoder::{BadRows, Decoder};
use super::error::{Error, ErrorKind};
use super::messages::Messages;
use super::steps::SLACK;
use crate::mapping::MappingError;
use crate::read::ReaderBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, RecordBatch, StringArray, StructArray, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// Below this many rows for each thread, one more costs more than it saves.
const LEAST_ROWS: usize = 1024;

/// Turns arrays of messages into arrays of structs: made by [`ReaderBuilder`](super::ReaderBuilder).
///
/// A column is `Binary`, `LargeBinary`, `BinaryView`, `FixedSizeBinary`, or a dictionary of one of these with keys of any type. Each row holds one message
/// without its length, and has its row in the result; null stays null. With [views](crate::mapping::Options::views), strings of more than twelve bytes point
/// into the buffers of the column, unless they are less than a quarter of them.
///
/// What happens to bad rows is as [`ReaderBuilder::bad_rows`](super::ReaderBuilder::bad_rows) says, but that rows keep their places: [`BadRows::Skip`] makes them null, and
/// [`BadRows::Null`] rows whose fields are null, with their errors in a last field `_error`. [`rejected`](Self::rejected) has their bytes.
///
/// ```
/// use arrow_array::cast::AsArray;
/// use arrow_array::types::Int32Type;
/// use arrow_array::{Array, BinaryArray};
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::{BadRows, ReaderBuilder};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("level", 2, Kind::Int32)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
///
/// let column = BinaryArray::from(vec![Some(&b"\x10\x03"[..]), None, Some(b"\x10"), Some(b"")]);
/// let mut decoder = ReaderBuilder::new(&log).bad_rows(BadRows::Skip).build_array_decoder()?;
/// let logs = decoder.decode(&column)?;
/// let levels = logs.column_by_name("level").unwrap().as_primitive::<Int32Type>();
/// assert_eq!((logs.len(), levels.value(0), levels.value(3)), (4, 3, 0));
/// assert!(logs.is_null(1) && logs.is_null(2));
/// // The bad row is not lost.
/// let rejected = decoder.rejected().unwrap();
/// assert_eq!(rejected.column_by_name("message").unwrap().as_binary::<i32>().value(0), b"\x10");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ArrayDecoder {
    /// One for each thread that a column has needed so far, and how they are made.
    decoders: Vec<Decoder>,
    each: ReaderBuilder,
    threads: usize,
    fields: Fields,
    bad_rows: BadRows,
    columns_budget: usize,
    rejected: Option<RecordBatch>,
}

static REJECTED: LazyLock<SchemaRef> = LazyLock::new(|| {
    let field = |name, data_type| Field::new(name, data_type, false);
    Arc::new(Schema::new(vec![
        field("row", DataType::UInt64),
        field("message", DataType::Binary),
        field("error", DataType::Utf8),
    ]))
});

impl ArrayDecoder {
    /// `each` makes the decoder of a thread.
    pub(super) fn new(
        each: ReaderBuilder,
        threads: usize,
        bad_rows: BadRows,
        columns_budget: usize,
    ) -> Result<Self, MappingError> {
        let first = each.build_decoder()?;
        let fields = first.schema().fields().clone();
        Ok(Self { decoders: vec![first], each, threads, fields, bad_rows, columns_budget, rejected: None })
    }

    /// The type of the arrays: a `Struct`.
    #[must_use]
    pub fn data_type(&self) -> DataType {
        DataType::Struct(self.fields.clone())
    }

    /// Decodes a column: one struct for each row.
    ///
    /// Columns of more than about 64 MB of messages, and those that several threads decode, come in parts, which are put together by a
    /// copy; [`decode_chunks`](Self::decode_chunks) saves it.
    ///
    /// # Errors
    /// `NotMessages` for a column of another type; `Arrow` for bad rows of more than 2 GiB together. A bad row, with [`BadRows::Fail`], of which [`Error::row`] is the number; the first of them, whatever the
    /// number of threads. `ColumnsBudget`: all structs together take more than
    /// [`columns_budget`](super::ReaderBuilder::columns_budget) allows. The decoder can be used after an error.
    pub fn decode(&mut self, column: &dyn Array) -> Result<StructArray, Error> {
        let messages = Messages::new(column)?;
        let allowed = self.allowed(&messages);
        let mut chunks = self.chunks(&messages, allowed)?;
        if let [_] = chunks[..]
            && let Some(only) = chunks.pop()
        {
            return Ok(only);
        }
        // Columns for which nothing came take no memory until they are copied.
        let taken = chunks.iter().map(|chunk| chunk.to_data().get_slice_memory_size().unwrap_or(usize::MAX));
        if taken.fold(0, usize::saturating_add) > allowed {
            return Err(Error::new(ErrorKind::ColumnsBudget, 0));
        }
        let parts: Vec<&dyn Array> = chunks.iter().map(|chunk| chunk as &dyn Array).collect();
        let whole = arrow_select::concat::concat(&parts).map_err(|error| Error::new(error.into(), 0))?;
        Ok(whole.as_struct().clone())
    }

    /// As [`decode`](Self::decode), in parts that follow each other; one part without rows for a column without rows.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_chunks(&mut self, column: &dyn Array) -> Result<Vec<StructArray>, Error> {
        let messages = Messages::new(column)?;
        let allowed = self.allowed(&messages);
        self.chunks(&messages, allowed)
    }

    fn chunks(&mut self, messages: &Messages<'_>, allowed: usize) -> Result<Vec<StructArray>, Error> {
        self.rejected = None;
        let threads = self.threads.min(messages.len() / LEAST_ROWS).max(1);
        while self.decoders.len() < threads {
            let decoder =
                self.each.build_decoder().map_err(|error| Error::new(ArrowError::from(error).into(), 0))?;
            self.decoders.push(decoder);
        }
        let allowed = allowed / threads;
        let rows = |thread: usize| thread * messages.len() / threads..(thread + 1) * messages.len() / threads;
        let skips = self.bad_rows == BadRows::Skip;
        let decoders = self.decoders.iter_mut().take(threads).enumerate();
        let parts: Vec<Result<Part, Error>> = std::thread::scope(|scope| {
            let mut own = None;
            let mut others = Vec::new();
            for (thread, decoder) in decoders {
                let rows = rows(thread);
                let run = move || Part::decode(decoder, messages, rows, skips, allowed);
                match thread {
                    0 => own = Some(run),
                    _ => others.push(scope.spawn(run)),
                }
            }
            let own = own.map(|run| run());
            let others = others.into_iter().map(|thread| match thread.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            own.into_iter().chain(others).collect()
        });
        let (mut chunks, mut bad) = (Vec::new(), Vec::new());
        for part in parts {
            let part = part?;
            chunks.extend(part.chunks);
            bad.extend(part.bad);
        }
        if !bad.is_empty() {
            self.rejected = Some(rejected(messages, &bad).map_err(|error| Error::new(error.into(), 0))?);
        }
        if chunks.is_empty() {
            chunks.push(StructArray::new_null(self.fields.clone(), 0));
        }
        Ok(chunks)
    }

    /// The schema of [`rejected`](Self::rejected): `row`, `UInt64`; `message`, `Binary`; `error`, `Utf8`.
    #[must_use]
    pub fn rejected_schema() -> SchemaRef {
        REJECTED.clone()
    }

    /// The bad rows of the last decode, unless it failed or all rows were good: their numbers, bytes and errors.
    #[must_use]
    pub fn rejected(&self) -> Option<&RecordBatch> {
        self.rejected.as_ref()
    }

    /// How many bytes the structs of a column may take. A row costs the column some bytes itself.
    fn allowed(&self, messages: &Messages<'_>) -> usize {
        self.columns_budget.saturating_add(messages.bytes().saturating_mul(32))
    }
}

/// What one thread makes.
struct Part {
    chunks: Vec<StructArray>,
    /// Bad rows of the column, with their errors.
    bad: Vec<(usize, String)>,
}

impl Part {
    fn decode(
        decoder: &mut Decoder,
        messages: &Messages<'_>,
        rows: Range<usize>,
        skips: bool,
        allowed: usize,
    ) -> Result<Self, Error> {
        let mut part = Self { chunks: Vec::new(), bad: Vec::new() };
        let (mut row, mut start, mut taken) = (rows.start, rows.start, 0_usize);
        decoder.abandon();
        while row < rows.end {
            decoder.next_is(row as u64);
            let pushed = match messages.with_buffer(row) {
                None => decoder.push_absent(),
                Some((message, buffer)) => match decoder.push_of(message, buffer) {
                    Err(error) if skips && error.takes_row() => {
                        part.bad.push((row, error.to_string()));
                        decoder.push_absent()
                    }
                    pushed => pushed,
                },
            };
            match pushed {
                Ok(true) => row += 1,
                Ok(false) => {
                    taken = taken.saturating_add(decoder.columns_take());
                    part.flush(decoder, messages, start..row)?;
                    start = row;
                    if taken > allowed {
                        return Err(Error::new(ErrorKind::ColumnsBudget, row as u64));
                    }
                }
                Err(error) => return Err(error),
            }
        }
        part.flush(decoder, messages, start..row)?;
        Ok(part)
    }

    /// Ends a chunk: these rows of the column.
    fn flush(
        &mut self,
        decoder: &mut Decoder,
        messages: &Messages<'_>,
        rows: Range<usize>,
    ) -> Result<(), Error> {
        let Some(batch) = decoder.flush()? else { return Ok(()) };
        let mut nulls = messages.valid(rows.clone());
        if decoder.tells_errors() {
            // In the last column. A field of a message may have its name elsewhere.
            let errors = batch.columns().last().and_then(|errors| errors.as_string_opt::<i32>());
            let told = errors.into_iter().flatten().enumerate();
            let told = told.filter_map(|(at, error)| Some((rows.start + at, error?.to_owned())));
            self.bad.extend(told);
        } else if self.bad.last().is_some_and(|(row, _)| rows.contains(row)) {
            let first = self.bad.partition_point(|(row, _)| *row < rows.start);
            let mut valid = vec![true; rows.len()];
            self.bad[first..].iter().for_each(|(row, _)| valid[row - rows.start] = false);
            nulls = NullBuffer::union(nulls.as_ref(), Some(&NullBuffer::from(valid)));
        }
        let (schema, columns, len) = batch.into_parts();
        let chunk = if columns.is_empty() {
            Ok(StructArray::new_empty_fields(len, nulls))
        } else {
            StructArray::try_new(schema.fields().clone(), columns, nulls)
        };
        self.chunks.push(chunk.map_err(|error| Error::new(error.into(), rows.start as u64))?);
        Ok(())
    }
}

impl From<ArrowError> for ErrorKind {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}

/// The bad rows as a batch.
fn rejected(messages: &Messages<'_>, bad: &[(usize, String)]) -> Result<RecordBatch, ArrowError> {
    let rows = UInt64Array::from_iter_values(bad.iter().map(|(row, _)| *row as u64));
    let bytes = |row: usize| messages.get(row).unwrap_or_default();
    let all: usize = bad.iter().map(|(row, error)| bytes(*row).len().max(error.len())).sum();
    if all > i32::MAX as usize {
        return Err(ArrowError::OffsetOverflowError(all));
    }
    let message = BinaryArray::from_iter_values(bad.iter().map(|(row, _)| bytes(*row)));
    let errors = StringArray::from_iter_values(bad.iter().map(|(_, error)| error));
    RecordBatch::try_new(REJECTED.clone(), vec![Arc::new(rows), Arc::new(message), Arc::new(errors)])
}

impl Decoder {
    /// Appends a message that is in a buffer, or in none; false if the batch is full.
    fn push_of(&mut self, message: &[u8], buffer: Option<&arrow_buffer::Buffer>) -> Result<bool, Error> {
        let Some(buffer) = buffer else { return self.row(message, None, Source::Copied) };
        let start = message.as_ptr().addr() - buffer.as_ptr().addr();
        let padded = buffer.get(start..start + message.len() + SLACK);
        let source = self.source(buffer);
        self.row(message, padded, source)
    }
}

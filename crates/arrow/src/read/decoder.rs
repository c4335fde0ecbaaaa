//! [`Decoder`]: rows that are pushed.

mod rows;

use super::batch::Batch;
use super::columns::{Bits, MAX_BUFFER, Source};
use super::error::{Error, ErrorKind};
use super::frames::{Frames, Next};
use super::registry::Known;
use super::steps::{SLACK, Steps};
use super::tree::{Tree, arrays, null_where_bad};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{ArrowError, SchemaRef};
use std::sync::Arc;
use tablepb::{DecodeOptions, MessageDescriptor};

/// The name of the column with the errors of [`BadRows::Null`].
pub const ERROR: &str = "_error";

/// What happens to a row that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadRows {
    /// An error. The rows before it stay, and the row at fault is left out, so that the caller may go on.
    #[default]
    Fail,
    /// It is left out, and [counted](Decoder::skipped).
    Skip,
    /// It is a row of nulls, with the error in a last column [`_error`](ERROR) of type `Utf8`, which is null in good rows. All columns are
    /// nullable, but unions, which have no member then. A [`Writer`](crate::Writer) for such batches leaves the column out if its builder says
    /// so ([`extra_columns`](crate::WriterBuilder::extra_columns)).
    Null,
}

/// Turns messages that it is fed with into batches: made by [`ReaderBuilder`](super::ReaderBuilder).
///
/// Messages come one at a time ([`push`](Self::push)), or length-delimited in pieces of any size ([`decode`](Self::decode)), or in blocks that strings
/// may point into ([`decode_block`](Self::decode_block)). A full batch takes no more until it is [flushed](Self::flush).
///
/// Fields go from the wire into the columns. Only a message in which members of a oneof replace each other, or a map has a key twice, is
/// decoded and encoded anew before that, with the same result.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::ReaderBuilder;
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let mut decoder = ReaderBuilder::new(&log).build_decoder()?;
///
/// decoder.push(b"\x0a\x02hi")?;
/// // A bad message is left out, and the decoder goes on.
/// assert_eq!(decoder.push(b"\x0a\x02h").unwrap_err().row(), 1);
/// // Two messages with their lengths, the second one in pieces.
/// decoder.decode(b"\x04\x0a\x02ho\x04\x0a")?;
/// decoder.decode(b"\x02ha")?;
/// let batch = decoder.flush()?.unwrap();
/// assert_eq!(batch.num_rows(), 3);
/// assert!(decoder.flush()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    messages: tablepb::Decoder,
    batch: Batch,
    trees: Vec<Tree>,
    steps: Option<Steps>,
    /// For how many rows in a row steps gave up, and how many go without them.
    given_up: u32,
    without_steps: u32,
    /// How many rows they have read, for tests.
    rows_by_steps: u64,
    /// A message that is not in a block, and [`SLACK`] zeros.
    padded: Vec<u8>,
    schema: SchemaRef,
    decode: DecodeOptions,
    batch_size: usize,
    batch_bytes: usize,
    bad_rows: BadRows,
    frames: Frames,
    max_row_len: usize,
    /// The bytes of the batch, by the count of [`ReaderBuilder::batch_bytes`](super::ReaderBuilder::batch_bytes); at least what its columns take.
    bytes: usize,
    /// The bytes of the messages of the batch, and what its columns may take beside 32 times as much.
    input: usize,
    columns_budget: usize,
    /// The headers of records that the store of schemas knew.
    pub(super) known: Known,
    /// Messages so far, bad ones included, and those left out.
    messages_seen: u64,
    skipped: u64,
    /// A message that was encoded anew.
    scratch: Vec<u8>,
    /// The rows of the batch that could be read, where bad ones are kept, and the errors of the others.
    good: Bits,
    errors: Vec<(usize, String)>,
}

impl Decoder {
    #[allow(clippy::too_many_arguments, reason = "the parts of the builder")]
    pub(super) fn new(
        messages: tablepb::Decoder,
        batch: Batch,
        (trees, steps): (Vec<Tree>, Option<Steps>),
        schema: SchemaRef,
        decode: DecodeOptions,
        (batch_size, batch_bytes, max_row_len, columns_budget): (usize, usize, usize, usize),
        bad_rows: BadRows,
    ) -> Self {
        Self {
            messages,
            batch,
            trees,
            steps,
            given_up: 0,
            without_steps: 0,
            rows_by_steps: 0,
            padded: Vec::new(),
            schema,
            decode,
            batch_size,
            batch_bytes,
            bad_rows,
            frames: Frames::new(max_row_len),
            max_row_len,
            bytes: 0,
            input: 0,
            columns_budget,
            known: Known::default(),
            messages_seen: 0,
            skipped: 0,
            scratch: Vec::new(),
            good: Bits::default(),
            errors: Vec::new(),
        }
    }

    /// The schema of the batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The message type.
    #[must_use]
    pub fn descriptor(&self) -> &MessageDescriptor {
        self.messages.descriptor()
    }

    /// The number of rows in the batch so far.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.batch.rows
    }

    /// Whether the batch takes no more rows.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.batch.rows >= self.batch_size || self.bytes >= self.batch_bytes
    }

    /// How many rows [`BadRows::Skip`] has left out.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// How many rows were read in the fast way that [`without_steps`](super::ReaderBuilder::without_steps) turns off. For tests; it may
    /// change in any release.
    #[doc(hidden)]
    #[must_use]
    pub fn rows_by_steps(&self) -> u64 {
        self.rows_by_steps
    }

    /// Appends one message; false if the batch is full, and the message is to be pushed again after [`flush`](Self::flush).
    ///
    /// Strings are copied.
    ///
    /// # Errors
    /// A bad row, with [`BadRows::Fail`]. It is left out, and the decoder can be used. `ColumnsBudget`, after which the message may be pushed again.
    pub fn push(&mut self, message: &[u8]) -> Result<bool, Error> {
        self.row(message, None, Source::Copied).map_err(|error| error.after_row(message.len()))
    }

    /// Appends length-delimited messages, up to the end of the bytes or until the batch is full. Returns how many bytes were taken.
    ///
    /// A message may be split anywhere: the decoder keeps its part. Strings are copied.
    ///
    /// # Errors
    /// A bad row, with [`BadRows::Fail`]; it is left out, and [`Error::consumed`] says where to go on. A length prefix that is not valid, in
    /// any mode. `ColumnsBudget`, in any mode: the row at fault is the first of the next batch.
    pub fn decode(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let mut at = 0;
        let result = self.pieces(bytes, &mut at, false);
        result.map(|()| at).map_err(|error| error.after(at))
    }

    /// As [`decode`](Self::decode), but strings of more than twelve bytes point into the block, which the batch keeps (with
    /// [views](crate::mapping::Options::views)). Of a message that is only in part in the block, strings are copied.
    ///
    /// Where the strings of a batch are less than a quarter of its blocks, they are copied when it is flushed.
    ///
    /// ```
    /// # use tablepb::table::{FieldTable, Kind, MessageTable};
    /// # use tablepb::DescriptorPool;
    /// # use tablepb_arrow::ReaderBuilder;
    /// # static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// # let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
    /// use arrow_array::cast::AsArray;
    /// use arrow_buffer::Buffer;
    ///
    /// let mut decoder = ReaderBuilder::new(&log).build_decoder()?;
    /// let block = Buffer::from_vec(b"\x14\x0a\x12longer than a dozen".to_vec());
    /// assert_eq!(decoder.decode_block(&block)?, block.len());
    /// let batch = decoder.flush()?.unwrap();
    /// let lines = batch.column(0).as_string_view();
    /// assert_eq!(lines.value(0).as_ptr(), block[3..].as_ptr());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_block(&mut self, block: &Buffer) -> Result<usize, Error> {
        let mut at = 0;
        let result = self.block(block, &mut at);
        result.map(|()| at).map_err(|error| error.after(at))
    }

    /// Takes messages from a place of a block on, and moves it.
    pub(super) fn block(&mut self, block: &Buffer, at: &mut usize) -> Result<(), Error> {
        self.pieces(block, at, true)?;
        while !self.is_full() {
            let before = *at;
            let taken = match Frames::whole(block, at, self.max_row_len) {
                // The part of a message at the end.
                Next::None => return self.pieces(block, at, false),
                Next::Frame(frame) => {
                    let source = self.source(block);
                    let padded = block.get(*at - frame.len()..*at + SLACK);
                    self.row(frame, padded, source).inspect_err(|error| {
                        if !error.takes_row() {
                            *at = before;
                        }
                    })?
                }
                Next::TooLong => self.refused(ErrorKind::BudgetExceeded, 1)?,
                Next::Invalid(error) => return Err(Error::new(ErrorKind::Frame(error), self.messages_seen)),
            };
            if !taken {
                *at = before;
                break;
            }
        }
        Ok(())
    }

    /// Takes messages that come in pieces, up to the end of the bytes or only the one of which there is a part already.
    fn pieces(&mut self, bytes: &[u8], at: &mut usize, only_partial: bool) -> Result<(), Error> {
        let mut frames = std::mem::take(&mut self.frames);
        let mut result = Ok(true);
        while !self.is_full() && (frames.is_partial() || !only_partial) {
            let before = *at;
            result = match frames.next(bytes, at) {
                Next::None => break,
                Next::Frame(frame) => self.row(frame, None, Source::Copied),
                Next::TooLong => self.refused(ErrorKind::BudgetExceeded, 1),
                Next::Invalid(error) => Err(Error::new(ErrorKind::Frame(error), self.messages_seen)),
            };
            if matches!(&result, Ok(false)) || result.as_ref().is_err_and(|error| !error.takes_row()) {
                *at = frames.keep(before, *at);
                break;
            }
            frames.done();
            if result.is_err() {
                break;
            }
        }
        self.frames = frames;
        result.map(|_| ())
    }

    /// Whether [`decode`](Self::decode) has a part of a message, or of its length; or a whole one that came in parts and that the batch had no
    /// room for, which the next call takes, also one without bytes; or is to skip the rest of one that was refused for its length.
    #[must_use]
    pub fn has_partial_row(&self) -> bool {
        self.frames.is_partial()
    }

    /// Whether bytes of a row have come that no error, count or row of nulls has told of.
    pub(super) fn has_untold_row(&self) -> bool {
        self.frames.has_bytes()
    }

    /// Ends the batch: its rows, or `None` if there are none. A part of a message stays.
    ///
    /// The decoder keeps the memory of the last batch for the next one, and uses it if the batch has been dropped by then; if not, it is the
    /// batch's alone. Until the next row comes, arrays of the batch share their buffers with the decoder, so they can't be changed in place.
    ///
    /// # Errors
    /// `Arrow`, which is not to be expected; the rows are lost then.
    pub fn flush(&mut self) -> Result<Option<RecordBatch>, Error> {
        let rows = self.batch.rows;
        if rows == 0 {
            return Ok(None);
        }
        self.batch.detach_few();
        let errors = std::mem::take(&mut self.errors);
        let good =
            Some(NullBuffer::new(self.good.take(rows, &mut self.batch.zeros))).filter(|_| !errors.is_empty());
        let arrays = arrays(&mut self.batch, self.schema.fields(), &self.trees, rows);
        self.batch.clear();
        (self.bytes, self.input) = (0, 0);
        let batch = arrays.and_then(|arrays| self.to_batch(arrays, rows, good, &errors));
        batch.map(Some).map_err(|error| Error::new(ErrorKind::Arrow(error), self.messages_seen))
    }

    /// The batch of these columns, with the errors of bad rows beside them.
    fn to_batch(
        &self,
        mut arrays: Vec<ArrayRef>,
        rows: usize,
        good: Option<NullBuffer>,
        errors: &[(usize, String)],
    ) -> Result<RecordBatch, ArrowError> {
        if let Some(good) = good {
            arrays.iter_mut().try_for_each(|array| null_where_bad(array, &good))?;
        }
        if self.bad_rows == BadRows::Null {
            let mut texts = vec![None; rows];
            for (row, error) in errors {
                if let Some(text) = texts.get_mut(*row) {
                    *text = Some(error.as_str());
                }
            }
            arrays.push(Arc::new(StringArray::from(texts)));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
    }

    /// An error at the next row.
    pub(super) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.messages_seen)
    }

    /// The source of strings in a block.
    pub(super) fn source(&mut self, block: &Buffer) -> Source {
        if block.len() > MAX_BUFFER {
            return Source::Copied;
        }
        // Mostly the last one.
        let is_it = |kept: &Buffer| kept.as_ptr() == block.as_ptr() && kept.len() == block.len();
        let number = self.batch.blocks.iter().rposition(is_it).unwrap_or_else(|| {
            // Blocks of bad rows alone.
            if self.batch.rows == 0 {
                self.batch.blocks.clear();
            }
            self.batch.blocks.push(block.clone());
            self.batch.blocks.len() - 1
        });
        Source::Block { number: number as u32, address: block.as_ptr().addr() }
    }

    /// Whether the last column has the errors of rows.
    pub(super) fn tells_errors(&self) -> bool {
        self.bad_rows == BadRows::Null
    }

    /// Forgets the rows of the batch.
    pub(super) fn abandon(&mut self) {
        self.batch.rows = 0;
        self.take_back();
        self.batch.clear();
        self.errors.clear();
        self.good.truncate(0);
        (self.bytes, self.input) = (0, 0);
    }

    /// The next message has this number in errors.
    #[inline]
    pub(super) fn next_is(&mut self, row: u64) {
        self.messages_seen = row;
    }
}

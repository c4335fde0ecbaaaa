//! [`ReaderBuilder`].

use super::array::ArrayDecoder;
use super::decoder::{BadRows, Decoder, ERROR};
use super::layout::lay_out;
use super::reader::Reader;
use crate::mapping::{MappingError, MappingErrorKind, MessageColumns, Options, to_schema};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::sync::Arc;
use tablepb::partial::Projection;
use tablepb::{DecodeOptions, MessageDescriptor};

/// What to read, and how: makes a [`Decoder`], which is fed, an [`ArrayDecoder`] of columns, or a [`Reader`], which reads.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::ReaderBuilder;
///
/// static LOG: MessageTable = MessageTable::new(
///     "example.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32)],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
///
/// let delimited = b"\x04\x0a\x02hi\x02\x10\x03";
/// let reader = ReaderBuilder::new(&log).projection(["level"]).build(&delimited[..])?;
/// let batches = reader.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!((batches[0].num_rows(), batches[0].num_columns()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReaderBuilder {
    descriptor: MessageDescriptor,
    paths: Vec<String>,
    batch_size: usize,
    batch_bytes: usize,
    max_row_len: usize,
    columns_budget: usize,
    options: Options,
    decode: DecodeOptions,
    bad_rows: BadRows,
    with_steps: bool,
    threads: usize,
}

impl ReaderBuilder {
    /// A builder for messages of this type, with the defaults that stand at each option.
    pub fn new(descriptor: &MessageDescriptor) -> Self {
        Self {
            descriptor: descriptor.clone(),
            paths: Vec::new(),
            batch_size: 8192,
            batch_bytes: 256 << 20,
            max_row_len: 64 << 20,
            columns_budget: 64 << 20,
            options: Options::new(),
            decode: DecodeOptions::new(),
            bad_rows: BadRows::Fail,
            with_steps: true,
            threads: 1,
        }
    }

    pub(crate) fn descriptor(&self) -> &MessageDescriptor {
        &self.descriptor
    }

    /// The fields that become columns, by paths as of [`tablepb::partial::Projection`]; others are skipped. All fields by default, and without
    /// paths. Of a oneof of which a member is selected, all members are read.
    pub fn projection(mut self, paths: impl IntoIterator<Item: Into<String>>) -> Self {
        self.paths = paths.into_iter().map(Into::into).collect();
        self
    }

    /// The most rows of a batch; 8 192 by default, at least 1. Nothing is reserved for rows that have not come: room doubles, and a later batch has room
    /// for as many rows as the last one had.
    pub fn batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows.max(1);
        self
    }

    /// How large a batch may become before it ends early, in bytes; 256 MiB by default, at least 1. Counted are 16 bytes for each byte of
    /// its messages, the columns of messages in lists, and the names of enums that are copied without views, which is more than the batch takes. The last row may exceed it by the budget of one row.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.clamp(1, 1 << 30);
        self
    }

    /// The longest message, in bytes; 64 MiB by default, at most 1 GiB. A longer one is a bad row, and is not kept in memory.
    pub fn max_row_len(mut self, bytes: usize) -> Self {
        self.max_row_len = bytes.min(1 << 30);
        self
    }

    /// What the columns of a batch may take beside 32 bytes for each byte of its messages, in bytes; 64 MiB by default. More is an error before the memory is
    /// taken ([`ColumnsBudget`](super::ErrorKind::ColumnsBudget)), whatever [`bad_rows`](Self::bad_rows) says: the message type has many columns, and the messages
    /// set few of them.
    ///
    /// Columns of one batch that no message sets share their zeros, and take nothing.
    pub fn columns_budget(mut self, bytes: usize) -> Self {
        self.columns_budget = bytes;
        self
    }

    /// How fields become columns.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Depth, budget and required fields, as in [`tablepb::Decoder`]. The budget bounds what one row adds to a batch: empty messages in a list
    /// take two bytes on the wire, and a value in each of their columns; a value of an enum takes one byte, and a copy of its name without views.
    pub fn decode_options(mut self, options: DecodeOptions) -> Self {
        self.decode = options;
        self
    }

    /// How many threads an [`ArrayDecoder`] uses, the caller's included; 1 by default, at least 1. Each has columns of its own.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// What happens to rows that cannot be read; [`BadRows::Fail`] by default.
    pub fn bad_rows(mut self, bad_rows: BadRows) -> Self {
        self.bad_rows = bad_rows;
        self
    }

    /// Reads every row in the general way, also those that could be read faster: the same batches, by other code, so that tests can
    /// compare the two. For tests; it may change in any release.
    #[doc(hidden)]
    pub fn without_steps(mut self) -> Self {
        self.with_steps = false;
        self
    }

    /// The schema of the batches.
    ///
    /// # Errors
    /// As [`schema`](crate::mapping::schema).
    pub fn schema(&self) -> Result<SchemaRef, MappingError> {
        Ok(self.columns()?.1)
    }

    fn columns(&self) -> Result<(MessageColumns, SchemaRef), MappingError> {
        let paths: Vec<_> = self.paths.iter().map(String::as_str).collect();
        let columns = MessageColumns::new(&self.descriptor, &self.options, &paths)?;
        let schema = to_schema(&columns, &self.options);
        if self.bad_rows != BadRows::Null {
            return Ok((columns, schema));
        }
        if schema.fields().iter().any(|field| field.name() == ERROR) {
            return Err(MappingError::new(MappingErrorKind::DuplicateName, ERROR));
        }
        let is_union = |field: &Field| matches!(field.data_type(), DataType::Union(..));
        let fields = schema.fields().iter().map(|field| match is_union(field) {
            true => field.clone(),
            false => Arc::new(field.as_ref().clone().with_nullable(true)),
        });
        let error = Arc::new(Field::new(ERROR, DataType::Utf8, true));
        let fields: Vec<_> = fields.chain([error]).collect();
        Ok((columns, Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))))
    }

    /// A decoder that is fed with bytes.
    ///
    /// # Errors
    /// As [`schema`](crate::mapping::schema).
    pub fn build_decoder(&self) -> Result<Decoder, MappingError> {
        let (columns, schema) = self.columns()?;
        let discards = !self.options.unknown_fields || self.decode.discards_unknown();
        let decode = self.decode.discard_unknown(discards);
        let (batch, trees, paths, steps) = lay_out(&columns, &self.options, decode, self.batch_size);
        let mut messages = tablepb::Decoder::new(&self.descriptor).with_options(decode);
        if !columns.whole {
            let projection = Projection::new(&self.descriptor, paths).map_err(|error| {
                let place = error.path().to_owned();
                MappingError::new(MappingErrorKind::Projection(error), place)
            })?;
            messages = messages.with_projection(&projection);
        }
        let steps = steps.filter(|_| self.with_steps);
        let limits = (self.batch_size, self.batch_bytes, self.max_row_len, self.columns_budget);
        Ok(Decoder::new(messages, batch, (trees, steps), schema, decode, limits, self.bad_rows))
    }

    /// A decoder of whole arrays of messages, by [as many threads](Self::threads) as are set. A batch is as large as the array: [`batch_size`](Self::batch_size)
    /// does not count.
    ///
    /// # Errors
    /// As [`schema`](crate::mapping::schema).
    pub fn build_array_decoder(&self) -> Result<ArrayDecoder, MappingError> {
        let each = Self {
            batch_size: usize::MAX,
            columns_budget: self.columns_budget / self.threads,
            // The decoder of arrays makes rows of them.
            bad_rows: if self.bad_rows == BadRows::Skip { BadRows::Fail } else { self.bad_rows },
            ..self.clone()
        };
        ArrayDecoder::new(each, self.threads, self.bad_rows, self.columns_budget)
    }

    /// A reader of length-delimited messages.
    ///
    /// # Errors
    /// As [`schema`](crate::mapping::schema).
    pub fn build<R: std::io::Read>(&self, source: R) -> Result<Reader<R>, MappingError> {
        Ok(Reader::new(source, self.build_decoder()?))
    }
}

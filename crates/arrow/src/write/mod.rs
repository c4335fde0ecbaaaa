//! Record batches back to protobuf.
//!
//! A [`Writer`] is built for a message type and a schema, once: every column finds its field then, and what does not fit is an error. It writes each row from
//! the arrays straight to bytes, in the order of field numbers, as [`DynamicMessage::encode`](tablepb::DynamicMessage::encode) does.
//!
//! A column is for the field of its name, or of its JSON name; `[pkg.name]` is an extension. A column without such a field is for the one whose number is in
//! its metadata ([`NUMBER`](crate::mapping::NUMBER)), if the schema, or the column of the struct that it is in, has this message type in its own
//! ([`TYPE`]). Types are those of the [mapping](crate::mapping) with all of its options, and beside them:
//!
//! | field | columns |
//! |---|---|
//! | integers | integers of any width, if the values fit |
//! | `double` | `Float32` too |
//! | `string`, `bytes` | `Utf8`, `LargeUtf8`, `Utf8View`, `Binary`, `LargeBinary`, `BinaryView`, `FixedSizeBinary`; bytes for a `string` are checked for UTF-8 |
//! | enum | integers of any width; names as text, and unlisted numbers as decimal text |
//! | message, group | `Struct`; any binary type: the encoded message; text, if the metadata of the column names the message type: its JSON |
//! | repeated | `List`, `LargeList`, `FixedSizeList` |
//! | `Timestamp`, `Duration` | `Timestamp` and `Duration` of any unit; the time zone does not matter, values count from the epoch in UTC |
//! | wrappers | what their value takes |
//! | oneof | columns for its members, or a union, dense or sparse, named as the oneof |
//! | any value | a dictionary of it with keys of any integer type |
//!
//! Not accepted: `Date32`, `Date64`, `Time32`, `Time64`, intervals, decimals, `Float16`, list views, run-end encoded columns, and a `Null` column.
//! Cast them before, or [leave them out](WriterBuilder::extra_columns).
//!
//! Null means that the field is not set; of a list or map, that it is empty. A value in a field without presence that is its default is not written. A union member that is null
//! is not set. A null element of a list, or a null value of a map, has no form in protobuf and is an error. What is in a struct that is null means nothing.
//! A column [`_unknown`](crate::mapping::UNKNOWN) has fields as bytes, which are checked and come after the others.

mod arrays;
mod bind;
mod error;
mod plan;
mod resolve;
mod reverse;
mod rows;
mod sets;
mod wire;

pub use error::{WriteError, WriteErrorKind};

use crate::fence::cpu::{AnyBits, Bits, Task, with_best};
use crate::mapping::TYPE;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, StructArray};
use arrow_buffer::{Buffer as ArrowBuffer, NullBuffer, OffsetBuffer};
use arrow_schema::{Fields, SchemaRef};
use bind::Message;
use plan::MessagePlan;
use resolve::Resolver;
use reverse::Reverse;
use std::collections::HashMap;
use tablepb::MessageDescriptor;
use tablepb::stream::append_frame;
use tablepb::wire::Buffer;

/// Makes a [`Writer`].
#[derive(Clone, Debug)]
pub struct WriterBuilder {
    descriptor: MessageDescriptor,
    extra: bool,
    skips: bool,
}

impl WriterBuilder {
    /// For messages of this type.
    #[must_use]
    pub fn new(descriptor: &MessageDescriptor) -> Self {
        Self { descriptor: descriptor.clone(), extra: false, skips: false }
    }

    /// Whether columns without a field are left out, at every level, members of unions included. The default is `false`: they are an error.
    ///
    /// Batches with the errors of rows ([`BadRows::Null`](crate::BadRows::Null)) need it for their column [`_error`](crate::ERROR).
    #[must_use]
    pub fn extra_columns(self, extra: bool) -> Self {
        Self { extra, ..self }
    }

    /// Whether a row with a value that cannot be written, such as a time that the message type does not allow, is left out and [counted](Writer::skipped); in an
    /// [array](Writer::to_array) it is null. The default is `false`: it is an error, and the rows after it are to be written from
    /// [their place](WriteError::row) on, as `batch.slice(row + 1, ..)`.
    #[must_use]
    pub fn skip_bad_rows(self, skips: bool) -> Self {
        Self { skips, ..self }
    }

    /// A writer of batches with this schema. The cost is that of looking up each column; keep the writer.
    ///
    /// # Errors
    /// `NoSuchField`, `DuplicateField`, `TypeMismatch`, `MissingRequired`, `TooDeep`, with the path of the column.
    pub fn build(&self, schema: &SchemaRef) -> Result<Writer, WriteError> {
        let mut resolver = Resolver { extra: self.extra, depth: 0, names: HashMap::new() };
        let of_type = schema.metadata().get(TYPE).map(String::as_str);
        let plan = resolver.message(&self.descriptor, schema.fields(), of_type, "")?;
        let (schema, out) = (schema.clone(), Reverse::default());
        Ok(Writer { schema, plan, out, skips: self.skips, skipped: 0, last_skipped: None })
    }
}

/// Writes the rows of record batches as messages.
///
/// ```
/// use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
/// use std::sync::Arc;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::write::WriterBuilder;
///
/// static LOG: MessageTable = MessageTable::new(
///     "example.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32).optional()],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let lines: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
/// let levels: ArrayRef = Arc::new(Int32Array::from(vec![Some(3), None]));
/// let batch = RecordBatch::try_from_iter([("line", lines), ("level", levels)])?;
///
/// let mut writer = WriterBuilder::new(&log).build(&batch.schema())?;
/// let mut stream = Vec::new();
/// writer.write(&batch, &mut stream)?;
/// assert_eq!(stream, b"\x05\x0a\x01a\x10\x03\x03\x0a\x01b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    schema: SchemaRef,
    plan: MessagePlan,
    /// The memory for one row, kept.
    out: Reverse,
    skips: bool,
    skipped: u64,
    last_skipped: Option<WriteError>,
}

impl Writer {
    /// The schema that batches must have.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How many rows [`skip_bad_rows`](WriterBuilder::skip_bad_rows) has left out, of all batches.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Why the last one of them was left out, with its row in its batch and its column.
    #[must_use]
    pub fn last_skipped(&self) -> Option<&WriteError> {
        self.last_skipped.as_ref()
    }

    /// Appends the rows to a buffer, each with its length before it, as [`tablepb::stream`] reads them.
    ///
    /// # Errors
    /// `SchemaMismatch` before the first row; the errors of a value, with row and column. The rows before it are in the buffer, whole;
    /// nothing of it is. The writer is usable.
    pub fn write(&mut self, batch: &RecordBatch, buffer: &mut impl Buffer) -> Result<(), WriteError> {
        let rows = (batch.num_rows(), None);
        self.rows(batch.schema_ref().fields(), batch.columns(), rows, |message| match message {
            Some(message) => append_frame(message, buffer).map_err(|_| WriteErrorKind::OutOfMemory),
            None => Ok(()),
        })
    }

    /// Calls `each` with the number of each row and its message, without a length. The bytes are there during the call only.
    ///
    /// ```
    /// # use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// # use tablepb::table::{FieldTable, Kind, MessageTable};
    /// # use tablepb::DescriptorPool;
    /// # use tablepb_arrow::write::WriterBuilder;
    /// # static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("level", 2, Kind::Int32)]);
    /// # let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
    /// # let levels: ArrayRef = std::sync::Arc::new(Int32Array::from(vec![3, 4]));
    /// # let batch = RecordBatch::try_from_iter([("level", levels)])?;
    /// let mut writer = WriterBuilder::new(&log).build(&batch.schema())?;
    /// let mut rows = Vec::new();
    /// writer.for_each_message(&batch, |row, message| rows.push((row, message.to_vec())))?;
    /// assert_eq!(rows, [(0, b"\x10\x03".to_vec()), (1, b"\x10\x04".to_vec())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`write`](Self::write); `each` was called for the rows before.
    pub fn for_each_message(
        &mut self,
        batch: &RecordBatch,
        mut each: impl FnMut(usize, &[u8]),
    ) -> Result<(), WriteError> {
        let (mut row, rows) = (0, (batch.num_rows(), None));
        self.rows(batch.schema_ref().fields(), batch.columns(), rows, |message| {
            if let Some(message) = message {
                each(row, message);
            }
            row += 1;
            Ok(())
        })
    }

    /// The messages as an array of bytes, one for each row, without lengths.
    ///
    /// ```
    /// # use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// # use tablepb::table::{FieldTable, Kind, MessageTable};
    /// # use tablepb::DescriptorPool;
    /// # use tablepb_arrow::write::WriterBuilder;
    /// # static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("level", 2, Kind::Int32)]);
    /// # let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
    /// # let levels: ArrayRef = std::sync::Arc::new(Int32Array::from(vec![3, 4]));
    /// # let batch = RecordBatch::try_from_iter([("level", levels)])?;
    /// let mut writer = WriterBuilder::new(&log).build(&batch.schema())?;
    /// let messages = writer.to_array(&batch)?;
    /// assert_eq!((messages.value(0), messages.value(1)), (&b"\x10\x03"[..], &b"\x10\x04"[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`write`](Self::write); `TooLarge` if all together are above 2^31-1 bytes. There is no array then. Where the allocator
    /// has no memory this call may abort, as Arrow's buffers do.
    pub fn to_array(&mut self, batch: &RecordBatch) -> Result<BinaryArray, WriteError> {
        self.array(batch.schema_ref().fields(), batch.columns(), (batch.num_rows(), None))
    }

    /// The structs as an array of messages, of which an [`ArrayDecoder`](crate::ArrayDecoder) makes them again. A struct that is null is a null message.
    ///
    /// ```
    /// # use arrow_array::BinaryArray;
    /// # use arrow_schema::Schema;
    /// # use tablepb::table::{FieldTable, Kind, MessageTable};
    /// # use tablepb::DescriptorPool;
    /// # use tablepb_arrow::{ReaderBuilder, WriterBuilder};
    /// # static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("level", 2, Kind::Int32)]);
    /// # let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
    /// let column = BinaryArray::from(vec![Some(&b"\x10\x03"[..]), None, Some(b"")]);
    /// let logs = ReaderBuilder::new(&log).build_array_decoder()?.decode(&column)?;
    /// let mut writer = WriterBuilder::new(&log).build(&Schema::new(logs.fields().clone()).into())?;
    /// assert_eq!(writer.encode_array(&logs)?, column);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`to_array`](Self::to_array).
    pub fn encode_array(&mut self, structs: &StructArray) -> Result<BinaryArray, WriteError> {
        self.array(structs.fields(), structs.columns(), (structs.len(), structs.nulls()))
    }

    fn array(
        &mut self,
        fields: &Fields,
        columns: &[ArrayRef],
        rows: (usize, Option<&NullBuffer>),
    ) -> Result<BinaryArray, WriteError> {
        let (mut bytes, mut offsets, mut valid) = (Vec::new(), vec![0_i32], Vec::new());
        self.rows(fields, columns, rows, |message| {
            valid.push(message.is_some());
            let message = message.unwrap_or_default();
            let end = bytes.len().saturating_add(message.len());
            offsets.push(i32::try_from(end).map_err(|_| WriteErrorKind::TooLarge)?);
            bytes.try_reserve(message.len()).map_err(|_| WriteErrorKind::OutOfMemory)?;
            bytes.extend_from_slice(message);
            Ok(())
        })?;
        let offsets = OffsetBuffer::new(offsets.into());
        let nulls = Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
        let array = BinaryArray::try_new(offsets, ArrowBuffer::from_vec(bytes), nulls);
        array.map_err(|error| WriteError::new(WriteErrorKind::TooLarge, "").with_detail(error.to_string()))
    }

    /// Writes one row after the other, and hands each over when it is whole; `None` for one that is null or left out.
    fn rows(
        &mut self,
        fields: &Fields,
        columns: &[ArrayRef],
        (rows, nulls): (usize, Option<&NullBuffer>),
        done: impl FnMut(Option<&[u8]>) -> Result<(), WriteErrorKind>,
    ) -> Result<(), WriteError> {
        // Fields are shared; those of another schema are compared.
        if fields != self.schema.fields() {
            return Err(WriteError::new(WriteErrorKind::SchemaMismatch, ""));
        }
        let Self { plan, out, skips, skipped, last_skipped, .. } = self;
        let message = Message::new(plan, columns).map_err(|kind| WriteError::new(kind, ""))?;
        let bad = |error: WriteError| match *skips && error.kind() != WriteErrorKind::OutOfMemory {
            true => {
                *skipped += 1;
                *last_skipped = Some(error);
                Ok(())
            }
            false => Err(error),
        };
        with_best::<Rows, _, _, _, _>(&message, (rows, nulls), out, (bad, done))
    }
}

/// Writes rows one after the other into the buffer and hands each over when it is whole, or `None` for one that is null or left out. The first
/// of the two functions decides about a row that cannot be written.
struct Rows;

impl<'r, F, G> Task<&'r Message<'r>, (usize, Option<&'r NullBuffer>), &'r mut Reverse, (F, G)> for Rows
where
    F: FnMut(WriteError) -> Result<(), WriteError>,
    G: FnMut(Option<&[u8]>) -> Result<(), WriteErrorKind>,
{
    type Out = Result<(), WriteError>;

    #[inline(always)]
    fn run(
        bits: impl Bits,
        message: &Message<'_>,
        (rows, nulls): (usize, Option<&NullBuffer>),
        buffer: &mut Reverse,
        (mut bad, mut done): (F, G),
    ) -> Self::Out {
        let mut out = std::mem::take(buffer).with_bits(bits);
        let written = (0..rows).try_for_each(|row| {
            let mut written = None;
            if nulls.is_none_or(|nulls| nulls.is_valid(row)) {
                out.clear();
                match message.put(row, &mut out) {
                    Ok(()) => written = Some(out.written()),
                    Err(fault) => bad(WriteError::new(fault.kind, fault.path).at_row(row))?,
                }
            }
            done(written).map_err(|kind| WriteError::new(kind, "").at_row(row))
        });
        *buffer = out.with_bits(AnyBits);
        written
    }
}

//! Batches for other versions of Arrow and for other languages: the [C Data Interface](https://arrow.apache.org/docs/format/CDataInterface.html).

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::ArrowError;

/// A batch as a struct array and its schema, in the C Data Interface. Nothing is copied. The importer releases both.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::{ReaderBuilder, ffi};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let mut decoder = ReaderBuilder::new(&log).build_decoder()?;
/// decoder.push(b"\x0a\x02hi")?;
/// let (array, schema) = ffi::export(decoder.flush()?.unwrap())?;
/// assert_eq!((array.len(), schema.format()), (1, "+s"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A column type that the interface does not have; the mapping makes none.
pub fn export(batch: RecordBatch) -> Result<(FFI_ArrowArray, FFI_ArrowSchema), ArrowError> {
    let schema = FFI_ArrowSchema::try_from(batch.schema().as_ref())?;
    let (array, _) = to_ffi(&StructArray::from(batch).to_data())?;
    Ok((array, schema))
}

/// The batches of a reader as a stream in the C Stream Interface.
///
/// ```
/// use arrow_array::ffi_stream::ArrowArrayStreamReader;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::{ReaderBuilder, ffi};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let stream = ffi::export_stream(ReaderBuilder::new(&log).build(&b"\x04\x0a\x02hi"[..])?);
/// let mut batches = ArrowArrayStreamReader::try_new(stream)?;
/// assert_eq!(batches.next().unwrap()?.num_rows(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn export_stream(reader: impl RecordBatchReader + Send + 'static) -> FFI_ArrowArrayStream {
    FFI_ArrowArrayStream::new(Box::new(reader))
}

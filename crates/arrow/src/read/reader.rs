//! [`Reader`]: batches from any source of bytes.

use super::decoder::Decoder;
use super::error::{Error, ErrorKind};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_buffer::Buffer;
use arrow_schema::{ArrowError, SchemaRef};
use std::io::Read;

/// The bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// Reads length-delimited messages from a source, in blocks of 1 MiB: an iterator of batches, made by
/// [`ReaderBuilder::build`](super::ReaderBuilder::build).
///
/// After an error it may go on: a bad row was left out, and the rows before it come with the next batch. After an error of the source or of a
/// length prefix come the rows before it, then nothing.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::ReaderBuilder;
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let source = b"\x04\x0a\x02hi\x04\x0a\x02ho\x00";
/// let reader = ReaderBuilder::new(&log).batch_size(2).build(&source[..])?;
/// let rows: Vec<_> = reader.map(|batch| batch.map(|batch| batch.num_rows())).collect::<Result<_, _>>()?;
/// assert_eq!(rows, [2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    decoder: Decoder,
    block: Buffer,
    at: usize,
    ended: bool,
}

impl<R: Read> Reader<R> {
    pub(super) fn new(source: R, decoder: Decoder) -> Self {
        Self { source, decoder, block: Buffer::from_vec(Vec::<u8>::new()), at: 0, ended: false }
    }

    /// The decoder, which counts rows.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The next batch; `None` at the end.
    ///
    /// # Errors
    /// A bad row, with [`BadRows::Fail`](super::BadRows::Fail); `Frame`, `Incomplete`, `Io`. [`Error::consumed`] is 0.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        let mut try_part = self.decoder.has_partial_row();
        while !self.decoder.is_full() {
            // A message that is whole, but that the last batch had no room for, needs no more bytes.
            let try_part = std::mem::take(&mut try_part);
            if self.at >= self.block.len() && !try_part && !self.fill()? {
                break;
            }
            if let Err(error) = self.decoder.block(&self.block, &mut self.at) {
                if matches!(error.kind(), ErrorKind::Frame(_)) {
                    (self.ended, self.at) = (true, self.block.len());
                }
                return Err(error);
            }
        }
        self.decoder.flush()
    }

    /// Reads a block; false at the end.
    fn fill(&mut self) -> Result<bool, Error> {
        if self.ended {
            return Ok(false);
        }
        let mut block = Vec::with_capacity(BLOCK);
        let read = self.source.by_ref().take(BLOCK as u64).read_to_end(&mut block);
        self.ended = read.is_err() || block.is_empty();
        // What came before a failure counts: it is read by the next call.
        (self.block, self.at) = (Buffer::from_vec(block), 0);
        if let Err(error) = read {
            return Err(self.decoder.error(ErrorKind::Io(error)));
        }
        if self.ended && self.decoder.has_untold_row() {
            return Err(self.decoder.error(ErrorKind::Incomplete));
        }
        Ok(!self.ended)
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(ArrowError::from).transpose()
    }
}

impl<R: Read> RecordBatchReader for Reader<R> {
    fn schema(&self) -> SchemaRef {
        self.decoder.schema()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ReaderBuilder;
    use super::*;
    use crate::mapping::Options;
    use tablepb::DescriptorPool;
    use tablepb::stream::append_frame;
    use tablepb::table::{FieldTable, Kind, MessageTable};

    static LOG: MessageTable = MessageTable::new("r.Log", &[FieldTable::new("line", 1, Kind::String)]);

    #[test]
    fn a_row_that_a_full_buffer_refuses_is_in_the_next_batch() {
        let log = DescriptorPool::from_tables(&[&LOG]).unwrap().message("r.Log").unwrap();
        // Each buffer of a unit test holds one of these rows, and the last row begins in one block and ends in the next one.
        let row = [b"\x0a\xc0\xb8\x02", "x".repeat(40_000).as_bytes()].concat();
        let mut bytes = Vec::new();
        let mut rows = 0;
        while bytes.len() < BLOCK {
            append_frame(&row, &mut bytes).unwrap();
            rows += 1;
        }
        assert!(bytes.len() > BLOCK);
        for views in [true, false] {
            let builder = ReaderBuilder::new(&log).options(Options::new().views(views));
            let reader = builder.build(&bytes[..]).unwrap();
            let batches: Vec<_> = reader.map(|batch| batch.unwrap()).collect();
            assert!(batches.iter().all(|batch| batch.num_rows() == 1));
            assert_eq!(batches.len(), rows, "views {views}");
            // One that is too large for any buffer is bad, and the next one is read.
            let large = [b"\x0a\xf0\xa2\x04", "x".repeat(70_000).as_bytes()].concat();
            let mut decoder = builder.build_decoder().unwrap();
            for _ in 0..2 {
                assert!(decoder.push(&row).unwrap());
                assert!(!decoder.push(&large).unwrap());
                assert_eq!(decoder.flush().unwrap().unwrap().num_rows(), 1);
                assert!(matches!(decoder.push(&large).unwrap_err().kind(), ErrorKind::BudgetExceeded));
            }
        }
    }
}

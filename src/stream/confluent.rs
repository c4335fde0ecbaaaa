//! The framing of Confluent's schema registry: each message after the id of its schema and the place of its type in it.
//!
//! A record of Kafka holds one message, so there is no length: a zero byte, the id of the schema as four bytes (big endian), the
//! message indexes, then the message. The indexes lead from the file to the message type: the index of a top-level
//! message, then of a message nested in it, and so on. They are written as zigzag varints after their number, and `[0]`, the first message
//! of the file, as one zero byte.
//!
//! ```
//! use tablepb::stream::confluent;
//!
//! let mut record = Vec::new();
//! confluent::append_header(42, &[1, 0], &mut record)?;
//! record.extend(b"message");
//! assert_eq!(record, b"\0\0\0\0\x2a\x04\x02\0message");
//!
//! let read = confluent::read_record(&record)?;
//! assert_eq!((read.schema_id, read.payload), (42, &b"message"[..]));
//! assert!(read.indexes.iter().eq([1, 0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FileDescriptor::message_at`](crate::schema::FileDescriptor::message_at) finds the message type.

use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::wire::read::raw;
use crate::wire::{Buffer, Writer, unzigzag64, varint_len, zigzag64};

/// The most indexes that a record may have; protoc refuses schemas whose messages are nested deeper than 32 levels.
pub const MAX_INDEXES: usize = 32;

/// The byte that every record begins with.
const MAGIC: u8 = 0;

/// A record in Confluent's framing.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The id of the schema in the registry.
    pub schema_id: u32,
    /// Where the type of the message is in the file of the schema.
    pub indexes: Indexes<'a>,
    /// The encoded message.
    pub payload: &'a [u8],
}

/// The message indexes of a record: at least one, at most [`MAX_INDEXES`], each below 2^31.
#[derive(Clone, Copy, Debug)]
pub struct Indexes<'a> {
    /// The varints; empty for `[0]`.
    bytes: &'a [u8],
}

impl<'a> Indexes<'a> {
    /// The indexes, that of the top-level message first.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + use<'a> {
        let (bytes, mut pos) = (self.bytes, 0);
        let mut first = self.bytes.is_empty();
        core::iter::from_fn(move || {
            if core::mem::take(&mut first) {
                return Some(0);
            }
            let (index, next) = raw::varint(bytes, pos).ok()?;
            pos = next;
            Some(unzigzag64(index) as usize)
        })
    }
}

/// The parts of a record.
///
/// Takes time in the number of indexes; the payload is neither copied nor checked.
///
/// # Errors
///
/// `Incomplete` if the record ends in its header; `InvalidFrame` if it does not begin with a zero byte, has more than
/// [`MAX_INDEXES`] indexes, or a negative one or one above 2^31-1; `VarintOverflow`. The offset is that of the part at fault.
pub fn read_record(record: &[u8]) -> Result<Record<'_>, DecodeError> {
    let fault = |kind, offset| Err(DecodeError::new(kind, offset));
    let Some((&magic, rest)) = record.split_first() else { return fault(DecodeErrorKind::Incomplete, 0) };
    if magic != MAGIC {
        return Err(DecodeError::first_byte("a record in Confluent's framing begins with 0x00", magic));
    }
    let Some((&id, _)) = rest.split_first_chunk() else { return fault(DecodeErrorKind::Incomplete, 1) };
    let count = |at| match raw::varint(record, at) {
        Ok((value, next)) => Ok((unzigzag64(value), next)),
        Err(kind) => Err(DecodeError::new(kind, at)),
    };
    let (len, start) = count(5)?;
    if !(0..=MAX_INDEXES as i64).contains(&len) {
        return fault(DecodeErrorKind::InvalidFrame, 5);
    }
    let mut pos = start;
    for _ in 0..len {
        let (index, next) = count(pos)?;
        if !(0..1 << 31).contains(&index) {
            return fault(DecodeErrorKind::InvalidFrame, pos);
        }
        pos = next;
    }
    let (head, payload) = record.split_at_checked(pos).unwrap_or((record, &[]));
    let indexes = Indexes { bytes: head.get(start..).unwrap_or_default() };
    Ok(Record { schema_id: u32::from_be_bytes(id), indexes, payload })
}

/// Appends what comes before the message in a record: magic byte, schema id and message indexes. The message is to follow.
///
/// No indexes are `[0]`, the first message of the file.
///
/// # Errors
///
/// `TooLarge` for more than [`MAX_INDEXES`] indexes or one above 2^31-1, `OutOfMemory`. Nothing is appended then.
pub fn append_header(schema_id: u32, indexes: &[usize], buf: &mut impl Buffer) -> Result<(), EncodeError> {
    let indexes = if indexes == [0] { &[] } else { indexes };
    if indexes.len() > MAX_INDEXES || indexes.iter().any(|&index| index >= 1 << 31) {
        return Err(EncodeError::new(EncodeErrorKind::TooLarge));
    }
    let varints =
        || core::iter::once(indexes.len()).chain(indexes.iter().copied()).map(|n| zigzag64(n as i64));
    buf.reserve_bytes(5 + varints().map(varint_len).sum::<usize>())?;
    buf.extend(&[MAGIC]);
    buf.extend(&schema_id.to_be_bytes());
    let mut writer = Writer::new(buf);
    varints().for_each(|varint| writer.write_varint(varint));
    Ok(())
}

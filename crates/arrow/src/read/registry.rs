//! [`SchemaStore`]: message types by the ids of a schema registry.

use super::columns::Source;
use super::decoder::Decoder;
use super::error::{Error, ErrorKind};
use std::collections::HashMap;
use std::sync::Arc;
use tablepb::MessageDescriptor;
use tablepb::schema::FileDescriptor;
use tablepb::stream::confluent;

/// The first 16 bytes of a record, or zeros after its end.
#[inline]
fn start(record: &[u8]) -> u128 {
    match record.first_chunk() {
        Some(start) => u128::from_le_bytes(*start),
        None => record.iter().rev().fold(0, |start, &byte| start << 8 | u128::from(byte)),
    }
}

/// The schemas of a registry, by id, for records in Confluent's framing ([`confluent`]).
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::{ReaderBuilder, SchemaStore};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let mut store = SchemaStore::new();
/// store.insert(7, log.parent_file());
///
/// let mut decoder = ReaderBuilder::new(&log).build_decoder()?;
/// assert!(decoder.push_framed(&store, b"\0\0\0\0\x07\0\x0a\x02hi")?);
/// assert!(decoder.push_framed(&store, b"\0\0\0\0\x08\0\x0a\x02hi").is_err());
/// assert_eq!(decoder.rows(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SchemaStore {
    files: HashMap<u32, FileDescriptor>,
    /// Another one after each change.
    version: Arc<()>,
}

/// The headers of records of a decoder's message type, by a version of a store, so that a record of a known one needs no lookup.
#[derive(Debug, Default)]
pub(super) struct Known {
    version: Option<Arc<()>>,
    headers: [Header; 8],
    next: usize,
}

/// The first bytes of a record up to its message: which of 16, and how many. A header ends itself, so no message changes what it says.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    bytes: u128,
    mask: u128,
    len: usize,
}

impl Known {
    /// The message of a record, if its header is known.
    #[inline]
    fn payload<'r>(&self, store: &SchemaStore, record: &'r [u8]) -> Option<&'r [u8]> {
        if !self.version.as_ref().is_some_and(|version| Arc::ptr_eq(version, &store.version)) {
            return None;
        }
        let start = start(record);
        let header =
            self.headers.iter().find(|header| start & header.mask == header.bytes && header.len > 0)?;
        record.get(header.len..)
    }

    /// Notes the header of this length of a record.
    fn note(&mut self, store: &SchemaStore, record: &[u8], len: usize) {
        if len >= 16 {
            return;
        }
        if !self.version.as_ref().is_some_and(|version| Arc::ptr_eq(version, &store.version)) {
            *self = Self { version: Some(store.version.clone()), ..Self::default() };
        }
        let mask = (1 << (8 * len)) - 1;
        let header = Header { bytes: start(record) & mask, mask, len };
        if let Some(to) = self.headers.get_mut(self.next) {
            *to = header;
        }
        self.next = (self.next + 1) % self.headers.len();
    }
}

impl SchemaStore {
    /// A store without schemas.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the file of a schema, or replaces the one with this id, which is returned.
    pub fn insert(&mut self, id: u32, file: FileDescriptor) -> Option<FileDescriptor> {
        self.version = Arc::default();
        self.files.insert(id, file)
    }

    /// The file of a schema.
    #[must_use]
    pub fn get(&self, id: u32) -> Option<&FileDescriptor> {
        self.files.get(&id)
    }

    /// The message type of a record: of the file with its id, the message at its indexes.
    ///
    /// A program with more than one type in a topic has one [`Decoder`] for each, and chooses by this.
    #[must_use]
    pub fn message(&self, record: &confluent::Record<'_>) -> Option<MessageDescriptor> {
        self.files.get(&record.schema_id)?.message_at(record.indexes.iter())
    }
}

impl Decoder {
    /// Appends the message of a record in Confluent's framing; false if the batch is full, as [`push`](Self::push).
    ///
    /// The message may be of any version of the type of this decoder: the full name of the type that the store has for its id must be the same. It
    /// is read with the schema of the decoder, by field numbers; what that does not have is unknown.
    ///
    /// # Errors
    /// As [`push`](Self::push); a record that is not valid; `UnknownSchema`, `ForeignType`. What they do is as for other bad rows.
    pub fn push_framed(&mut self, store: &SchemaStore, record: &[u8]) -> Result<bool, Error> {
        if self.is_full() {
            return Ok(false);
        }
        if let Some(message) = self.known.payload(store, record) {
            let row = self.row(message, None, Source::Copied);
            return row.map_err(|error| error.after_row(record.len()));
        }
        let refused = match confluent::read_record(record) {
            Err(error) => ErrorKind::Decode(error),
            Ok(read) => match store.message(&read) {
                None => ErrorKind::UnknownSchema(read.schema_id),
                Some(found) if found.full_name() != self.descriptor().full_name() => {
                    ErrorKind::ForeignType(found.full_name().to_owned())
                }
                Some(_) => {
                    self.known.note(store, record, record.len() - read.payload.len());
                    let row = self.row(read.payload, None, Source::Copied);
                    return row.map_err(|error| error.after_row(record.len()));
                }
            },
        };
        self.refused(refused, record.len()).map_err(|error| error.after(record.len()))
    }
}

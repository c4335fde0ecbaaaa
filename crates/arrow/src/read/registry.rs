//! [`SchemaStore`]: message types by the ids of a schema registry.

use super::columns::Source;
use super::decoder::Decoder;
use super::error::{Error, ErrorKind};
use std::collections::HashMap;
use tablepb::stream::confluent;
use tablepb::{FileDescriptor, MessageDescriptor};

/// The schemas of a registry, by id, for records in Confluent's framing ([`confluent`]).
///
/// ```
/// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable};
/// use tablepb_arrow::{ReaderBuilder, SchemaStore};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("example.Log").unwrap();
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
}

impl SchemaStore {
    /// A store without schemas.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the file of a schema, or replaces the one with this id, which is returned.
    pub fn insert(&mut self, id: u32, file: FileDescriptor) -> Option<FileDescriptor> {
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
        let refused = match confluent::read_record(record) {
            Err(error) => ErrorKind::Decode(error),
            Ok(read) => match store.message(&read) {
                None => ErrorKind::UnknownSchema(read.schema_id),
                Some(found) if found.full_name() != self.descriptor().full_name() => {
                    ErrorKind::ForeignType(found.full_name().to_owned())
                }
                Some(_) => {
                    return self
                        .row(read.payload, None, Source::Copied)
                        .map_err(|error| error.after(record.len()));
                }
            },
        };
        self.refused(refused, record.len()).map_err(|error| error.after(record.len()))
    }
}

//! [`Registry`].

use crate::builder::RegistryBuilder;
use crate::cache::Cache;
use crate::error::{RegistryError, RegistryErrorKind};
use crate::http::Http;
use crate::model::{Answer, Compatible, Id, Place, Question, Registered, Schema, Version};
use crate::resolve::compile;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::HashMap;
use tablepb::schema::FileDescriptor;
use tablepb::stream::confluent;
use tablepb::{DynamicMessage, MessageDescriptor};

/// A schema registry, and the schemas of it that were asked for. The crate's page has an example.
#[derive(Debug)]
pub struct Registry {
    http: Http,
    cache: Cache,
    normalize: bool,
}

impl Registry {
    /// A registry at this address, with the defaults of [`RegistryBuilder`]. It is not asked for anything yet.
    ///
    /// # Errors
    /// `Configuration`: the address does not begin with `http://` or `https://`.
    pub fn new(url: impl Into<String>) -> Result<Self, RegistryError> {
        Self::builder(url).build()
    }

    /// Says more about the registry at this address.
    pub fn builder(url: impl Into<String>) -> RegistryBuilder {
        RegistryBuilder::new(url)
    }

    pub(crate) fn from_parts(http: Http, cache: Cache, normalize: bool) -> Self {
        Self { http, cache, normalize }
    }

    /// The file with this id, compiled with all that it imports. Asks the registry the first time only.
    ///
    /// # Errors
    /// `NotFound`, `Unreachable` and others of the registry; `OtherType`; `Schema`, it does not compile; `References`. But for those that
    /// [may pass](RegistryError::is_transient), the error is remembered for a [while](RegistryBuilder::absent_for).
    pub fn file(&self, id: u32) -> Result<FileDescriptor, RegistryError> {
        if let Some(known) = self.cache.get(id) {
            return known;
        }
        let path = format!("/schemas/ids/{id}");
        let file = self.http.get(&path).and_then(|answer| self.compile(id, answer, &path));
        self.cache.put(id, &file);
        file
    }

    fn compile(&self, id: u32, answer: Answer, place: &str) -> Result<FileDescriptor, RegistryError> {
        // A name that no import has.
        compile(&self.http, answer, &format!("schemas/ids/{id}.proto"), place)
    }

    /// What [`file`](Self::file) would return without waiting; `None` if it would ask the registry.
    #[must_use]
    pub fn known(&self, id: u32) -> Option<Result<FileDescriptor, RegistryError>> {
        self.cache.get(id)
    }

    /// The message type of a record in Confluent's framing, and the encoded message.
    ///
    /// # Errors
    /// `Record`; `NoSuchMessage`; as [`file`](Self::file).
    pub fn message<'r>(&self, record: &'r [u8]) -> Result<(MessageDescriptor, &'r [u8]), RegistryError> {
        let read = confluent::read_record(record)
            .map_err(|error| RegistryError::new(RegistryErrorKind::Record(error), "the record"))?;
        let message = self.file(read.schema_id)?.message_at(read.indexes.iter());
        message.map(|message| (message, read.payload)).ok_or_else(|| {
            let indexes: Vec<_> = read.indexes.iter().map(|index| index.to_string()).collect();
            let place = format!("{} of the schema {}", indexes.join("."), read.schema_id);
            RegistryError::new(RegistryErrorKind::NoSuchMessage, &place)
        })
    }

    /// Appends a record in Confluent's framing: the id, the place of the message's type in the schema with this id, and the message. The type is found by its full
    /// name, so that it may be of another version of the schema.
    ///
    /// # Errors
    /// `NoSuchMessage`, `Encode`; as [`file`](Self::file). Nothing is appended.
    pub fn append_record(
        &self,
        id: u32,
        message: &DynamicMessage,
        record: &mut Vec<u8>,
    ) -> Result<(), RegistryError> {
        let full_name = message.descriptor().full_name();
        let indexes = indexes(&self.file(id)?, full_name)
            .ok_or_else(|| RegistryError::new(RegistryErrorKind::NoSuchMessage, full_name))?;
        let start = record.len();
        let header = confluent::append_header(id, &indexes, record);
        header.and_then(|()| message.encode(record)).map_err(|error| {
            record.truncate(start);
            RegistryError::new(RegistryErrorKind::Encode(error), full_name)
        })
    }

    /// The subjects, in the order of the registry.
    ///
    /// # Errors
    /// Those of the registry.
    pub fn subjects(&self) -> Result<Vec<String>, RegistryError> {
        self.http.get("/subjects")
    }

    /// The versions of a subject.
    ///
    /// # Errors
    /// `NotFound`, if there is no such subject; others of the registry.
    pub fn versions(&self, subject: &str) -> Result<Vec<u32>, RegistryError> {
        self.http.get(&format!("/subjects/{}/versions", encoded(subject)))
    }

    /// A version of a subject, compiled. The registry is asked each time which id it has; [`file`](Self::file) knows the file then.
    ///
    /// # Errors
    /// `NotFound`, if there is no such subject or version; as [`file`](Self::file).
    pub fn version(&self, subject: &str, version: Version) -> Result<Registered, RegistryError> {
        let version = match version {
            Version::Latest => "latest".to_owned(),
            Version::Number(number) => number.to_string(),
        };
        let path = version_path(subject, &version);
        let answer: Answer = self.http.get(&path)?;
        let (subject, version, id) = (answer.subject.clone(), answer.version, answer.id);
        let file = match self.cache.get(id) {
            Some(Ok(file)) => file,
            _ => {
                let file = self.compile(id, answer, &path);
                self.cache.put(id, &file);
                file?
            }
        };
        Ok(Registered { subject, version, id, file })
    }

    /// Registers a schema as the next version of a subject, and returns its id; that of the version that has it already, if one has. Convention has the values of
    /// a topic in the subject `TOPIC-value`.
    ///
    /// # Errors
    /// `Refused`: 409, it is not compatible with an earlier version; 422, it is not valid. Others of the registry.
    pub fn register(&self, subject: &str, schema: &Schema) -> Result<u32, RegistryError> {
        let path = format!("/subjects/{}/versions{}", encoded(subject), self.query());
        let Id { id } = self.http.post(&path, &Question::from(schema))?;
        Ok(id)
    }

    /// Registers a file of a pool, as [`register`](Self::register) does with its source, and before it the files that it imports, each in the subject of its name
    /// (Confluent's *default reference subject name strategy*). Files of `google/protobuf` are not registered, since registries have them.
    ///
    /// # Errors
    /// As [`register`](Self::register). What was registered before the error stays.
    pub fn register_file(&self, subject: &str, file: &FileDescriptor) -> Result<u32, RegistryError> {
        let schema = self.register_imports(file, &mut HashMap::new())?;
        self.register(subject, &schema)
    }

    /// Registers what a file imports, and returns the schema of the file. `versions` has the imports that are registered.
    fn register_imports(
        &self,
        file: &FileDescriptor,
        versions: &mut HashMap<String, u32>,
    ) -> Result<Schema, RegistryError> {
        let mut schema = Schema::new(file.to_proto());
        for import in file.dependencies().filter(|import| !import.name().starts_with("google/protobuf/")) {
            let name = import.name();
            if !versions.contains_key(name) {
                let schema = self.register_imports(&import, versions)?;
                self.register(name, &schema)?;
                versions.insert(name.to_owned(), self.place(name, &schema)?.version);
            }
            schema = schema.reference(name, name, versions.get(name).copied().unwrap_or_default());
        }
        Ok(schema)
    }

    /// The version of a subject that has this schema, compiled; `None` if no version has it, or there is no such subject.
    ///
    /// # Errors
    /// Those of the registry; as [`file`](Self::file).
    pub fn find(&self, subject: &str, schema: &Schema) -> Result<Option<Registered>, RegistryError> {
        match self.place(subject, schema) {
            Ok(Place { subject, version, id }) => {
                Ok(Some(Registered { subject, version, id, file: self.file(id)? }))
            }
            Err(error) if matches!(error.kind(), RegistryErrorKind::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn place(&self, subject: &str, schema: &Schema) -> Result<Place, RegistryError> {
        let path = format!("/subjects/{}{}", encoded(subject), self.query());
        self.http.post(&path, &Question::from(schema))
    }

    /// Whether a schema is compatible with the latest version of a subject, by the rules that the registry has for it; true if there is no such subject, since the first
    /// version may be anything.
    ///
    /// # Errors
    /// Those of the registry; 422 if the schema is not valid.
    pub fn is_compatible(&self, subject: &str, schema: &Schema) -> Result<bool, RegistryError> {
        let path = format!("/compatibility{}{}", version_path(subject, "latest"), self.query());
        match self.http.post(&path, &Question::from(schema)) {
            Ok(Compatible { is_compatible }) => Ok(is_compatible),
            Err(error) if matches!(error.kind(), RegistryErrorKind::NotFound(_)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn query(&self) -> &'static str {
        if self.normalize { "?normalize=true" } else { "" }
    }
}

/// Where a message type is in a file.
fn indexes(file: &FileDescriptor, full_name: &str) -> Option<Vec<usize>> {
    let mut message = file.parent_pool().message(full_name).ok()?;
    if message.parent_file().name() != file.name() {
        return None;
    }
    let position = |mut siblings: Box<dyn Iterator<Item = MessageDescriptor> + '_>, name: &str| {
        siblings.position(|sibling| sibling.full_name() == name)
    };
    let mut indexes = Vec::new();
    while let Some(parent) = message.parent_message() {
        indexes.push(position(Box::new(parent.child_messages()), message.full_name())?);
        message = parent;
    }
    indexes.push(position(Box::new(file.messages()), message.full_name())?);
    indexes.reverse();
    Some(indexes)
}

/// What is escaped in a part of a path: all but what RFC 3986 calls unreserved.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A part of a path.
fn encoded(subject: &str) -> impl std::fmt::Display + '_ {
    utf8_percent_encode(subject, ESCAPED)
}

pub(crate) fn version_path(subject: &str, version: &str) -> String {
    format!("/subjects/{}/versions/{version}", encoded(subject))
}

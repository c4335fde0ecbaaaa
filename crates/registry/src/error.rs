//! [`RegistryError`].

use std::fmt;
use std::sync::Arc;
use tablepb::{DecodeError, EncodeError};
use tablepb_schema::SourceError;

/// Why a registry has no answer: the kind, and the request or schema at fault. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct RegistryError {
    kind: RegistryErrorKind,
    place: Arc<str>,
}

/// What is wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RegistryErrorKind {
    /// The address, a certificate or a header cannot be used; the text says why.
    Configuration(Arc<str>),
    /// No registry answered, however often it was asked; the text is that of the last failure.
    Unreachable(Arc<str>),
    /// The registry has no such schema, subject or version: the text of the registry.
    NotFound(Arc<str>),
    /// The registry wants other credentials (status 401 or 403).
    Unauthorized(Arc<str>),
    /// The registry refused the request with this status of HTTP; its own code, 0 if it has none, and its text. 409 is a schema that is not compatible, 422 one that
    /// is not valid.
    Refused(u16, u32, Arc<str>),
    /// The answer is not that of a registry, or is longer than it may be.
    Answer(Arc<str>),
    /// The schema is no schema of Protocol Buffers but of this type.
    OtherType(Arc<str>),
    /// The schema does not compile.
    Schema(Arc<SourceError>),
    /// Two schemas under one import path, or one that imports itself.
    References(Arc<str>),
    /// The record does not begin as Confluent's framing says.
    Record(DecodeError),
    /// The schema of a record has no message type at its indexes, or that of a message no type of this name.
    NoSuchMessage,
    /// The message cannot be encoded.
    Encode(EncodeError),
}

impl RegistryError {
    pub(crate) fn new(kind: RegistryErrorKind, place: &str) -> Self {
        Self { kind, place: place.into() }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &RegistryErrorKind {
        &self.kind
    }

    /// What was asked for: the path of a request, such as `/schemas/ids/7`, a file, or a message type.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Whether the same call may succeed later: no registry answered, or its status was 429 or at least 500.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self.kind, RegistryErrorKind::Unreachable(_))
            || matches!(self.kind, RegistryErrorKind::Refused(status, ..) if status == 429 || status >= 500)
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use RegistryErrorKind as Kind;
        match &self.kind {
            Kind::Configuration(text) => write!(f, "{}: {text}", self.place),
            Kind::Unreachable(text) => write!(f, "no registry answers: {text}, at {}", self.place),
            Kind::NotFound(text) => write!(f, "the registry has no such schema: {text}, at {}", self.place),
            Kind::Unauthorized(text) => {
                write!(f, "the registry does not accept the credentials: {text}, at {}", self.place)
            }
            Kind::Refused(status, 0, text) => {
                write!(f, "the registry refused the request: {text} ({status}), at {}", self.place)
            }
            Kind::Refused(status, code, text) => {
                write!(f, "the registry refused the request: {text} ({status}, {code}), at {}", self.place)
            }
            Kind::Answer(text) => {
                write!(f, "the answer is not that of a registry: {text}, at {}", self.place)
            }
            Kind::OtherType(found) => {
                write!(f, "the schema is {found}, not Protocol Buffers, at {}", self.place)
            }
            Kind::Schema(error) => write!(f, "{error}"),
            Kind::References(text) => {
                write!(f, "the references of a schema do not fit: {text}, at {}", self.place)
            }
            Kind::Record(error) => write!(f, "the record has no header of a registry: {error}"),
            Kind::NoSuchMessage => write!(f, "the schema has no such message type: {}", self.place),
            Kind::Encode(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for RegistryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            RegistryErrorKind::Schema(error) => Some(&**error),
            RegistryErrorKind::Record(error) => Some(error),
            RegistryErrorKind::Encode(error) => Some(error),
            _ => None,
        }
    }
}

//! Why a schema was refused.

use super::DecodeError;
use super::held::Held;
use alloc::string::String;
use core::fmt;

/// What is wrong with a descriptor set or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DescriptorErrorKind {
    /// The bytes are not a `FileDescriptorSet`; [`DescriptorError::decode_error`] says where.
    Malformed,
    /// A name is missing, or not a valid protobuf identifier.
    InvalidName,
    /// Two things have the same name.
    DuplicateName,
    /// A field or enum number is out of range or reserved.
    InvalidNumber,
    /// Two fields of a message, or two values of an enum without `allow_alias`, have the same number.
    DuplicateNumber,
    /// A type name refers to nothing, or to a thing of another sort.
    UnresolvedType,
    /// A file imports a file that is not in the set.
    MissingImport,
    /// Files import each other in a circle.
    ImportCycle,
    /// A field has no type, no label, or a combination of them that does not exist.
    InvalidField,
    /// A oneof index out of range, or a oneof without fields.
    InvalidOneof,
    /// An extension outside of the extension ranges of the message it extends.
    InvalidExtension,
    /// A default value that does not parse as the type of its field.
    InvalidDefault,
    /// A map entry message of the wrong shape.
    InvalidMapEntry,
    /// A syntax or edition that this release does not know.
    UnsupportedEdition,
    /// Messages are declared inside each other deeper than the limit.
    TooDeep,
    /// More fields, messages or names than a pool holds.
    TooMany,
    /// No message, enum or file of that name is in the pool.
    NotFound,
    /// The allocator has no memory: for the pool, or for an error that says more.
    OutOfMemory,
}

impl DescriptorErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::Malformed => "the descriptor set does not decode",
            Self::InvalidName => "invalid name",
            Self::DuplicateName => "name defined twice",
            Self::InvalidNumber => "number out of range",
            Self::DuplicateNumber => "number used twice",
            Self::UnresolvedType => "type not found",
            Self::MissingImport => "import not found",
            Self::ImportCycle => "imports form a cycle",
            Self::InvalidField => "invalid field",
            Self::InvalidOneof => "invalid oneof",
            Self::InvalidExtension => "invalid extension",
            Self::InvalidDefault => "invalid default value",
            Self::InvalidMapEntry => "invalid map entry",
            Self::UnsupportedEdition => "unsupported syntax or edition",
            Self::TooDeep => "messages are declared inside each other too deep",
            Self::TooMany => "too many definitions",
            Self::NotFound => "not found",
            Self::OutOfMemory => "the allocator has no memory",
        }
    }
}

impl fmt::Display for DescriptorErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Why a schema could not be loaded: kind, the file and the full name of the definition at fault, and a detail.
#[derive(Clone, PartialEq, Eq)]
pub struct DescriptorError(Held<DescriptorInner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct DescriptorInner {
    kind: DescriptorErrorKind,
    file: String,
    name: String,
    detail: String,
    decode: Option<DecodeError>,
}

impl DescriptorError {
    #[cold]
    pub(crate) fn new(kind: DescriptorErrorKind, name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self(Held::new(DescriptorInner {
            kind,
            file: String::new(),
            name: name.into(),
            detail: detail.into(),
            decode: None,
        }))
    }

    #[cold]
    pub(crate) fn malformed(error: DecodeError) -> Self {
        let mut this = Self::new(DescriptorErrorKind::Malformed, "", "");
        if let Some(inner) = this.0.get_mut() {
            inner.decode = Some(error);
        }
        this
    }

    /// Names the file, unless it has been named.
    #[cold]
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        if let Some(inner) = self.0.get_mut()
            && inner.file.is_empty()
            && inner.file.try_reserve_exact(file.len()).is_ok()
        {
            inner.file.push_str(file);
        }
        self
    }

    /// The kind of fault.
    pub fn kind(&self) -> DescriptorErrorKind {
        self.0.get().map_or(DescriptorErrorKind::OutOfMemory, |inner| inner.kind)
    }

    /// The file that holds the definition at fault, or `""` where there is none.
    pub fn file(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.file)
    }

    /// The full name of the definition at fault, or `""`.
    pub fn name(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.name)
    }

    /// What was found, in words; may be `""`.
    pub fn detail(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.detail)
    }

    /// Where the bytes of the set are at fault, for [`DescriptorErrorKind::Malformed`].
    pub fn decode_error(&self) -> Option<&DecodeError> {
        self.0.get()?.decode.as_ref()
    }
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind())?;
        if !self.name().is_empty() {
            write!(f, ": {}", self.name())?;
        }
        if !self.detail().is_empty() {
            write!(f, " ({})", self.detail())?;
        }
        if !self.file().is_empty() {
            write!(f, " in {}", self.file())?;
        }
        match self.decode_error() {
            Some(decode) => write!(f, ": {decode}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DescriptorError({self})")
    }
}

impl core::error::Error for DescriptorError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.decode_error().map(|e| e as _)
    }
}

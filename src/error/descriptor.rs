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
    /// An option that its file, or its definition, cannot have.
    InvalidOption,
    /// A map entry message of the wrong shape.
    InvalidMapEntry,
    /// A syntax or edition that this release does not know.
    UnsupportedEdition,
    /// Messages are declared inside each other deeper than the limit.
    TooDeep,
    /// More fields, messages or names than a pool holds.
    TooMany,
    /// Loading takes more memory than [`PoolOptions`](crate::PoolOptions) allows.
    BudgetExceeded,
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
            Self::InvalidOption => "invalid option",
            Self::InvalidMapEntry => "invalid map entry",
            Self::UnsupportedEdition => "unsupported syntax or edition",
            Self::TooDeep => "messages are declared inside each other too deep",
            Self::TooMany => "too many definitions",
            Self::BudgetExceeded => "loading takes too much memory",
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
///
/// One pointer; none where there was no memory for it, which is then what is wrong.
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

/// Most bytes of a text; names and what is wrong with them come from the input.
const MAX_TEXT: usize = 1000;

/// Text as long as there is memory for it.
struct Text(String);

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = MAX_TEXT.saturating_sub(self.0.len());
        let fits = text.len() <= left;
        let end = (0..=left.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
        let text = end.and_then(|end| text.get(..end)).unwrap_or("");
        self.0.try_reserve(text.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(text);
        if fits { Ok(()) } else { Err(fmt::Error) }
    }
}

fn text(value: impl fmt::Display) -> String {
    let mut text = Text(String::new());
    // What there is no memory for is left out.
    let _ = fmt::write(&mut text, format_args!("{value}"));
    text.0
}

impl DescriptorError {
    #[cold]
    pub(crate) fn new(kind: DescriptorErrorKind, name: &str, detail: impl fmt::Display) -> Self {
        let (name, detail) = (text(name), text(detail));
        Self(Held::new(DescriptorInner { kind, file: String::new(), name, detail, decode: None }))
    }

    /// An allocation failed.
    pub(crate) const OUT_OF_MEMORY: Self = Self(Held::NONE);

    /// Memory would be taken beyond the bound.
    #[cold]
    pub(crate) fn beyond(limit: usize) -> Self {
        Self::new(DescriptorErrorKind::BudgetExceeded, "", format_args!("more than {limit} bytes"))
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
        {
            inner.file = text(file);
        }
        self
    }

    fn inner(&self) -> Option<&DescriptorInner> {
        self.0.get()
    }

    /// The kind of fault.
    pub fn kind(&self) -> DescriptorErrorKind {
        self.inner().map_or(DescriptorErrorKind::OutOfMemory, |inner| inner.kind)
    }

    /// The file that holds the definition at fault, or `""` where there is none.
    pub fn file(&self) -> &str {
        self.inner().map_or("", |inner| &inner.file)
    }

    /// The full name of the definition at fault, or `""`.
    pub fn name(&self) -> &str {
        self.inner().map_or("", |inner| &inner.name)
    }

    /// What was found, in words; may be `""`.
    pub fn detail(&self) -> &str {
        self.inner().map_or("", |inner| &inner.detail)
    }

    /// Where the bytes of the set are at fault, for [`DescriptorErrorKind::Malformed`].
    pub fn decode_error(&self) -> Option<&DecodeError> {
        self.inner()?.decode.as_ref()
    }
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind())?;
        let Some(inner) = self.inner() else { return f.write_str(" (an allocation failed)") };
        if !inner.name.is_empty() {
            write!(f, ": {}", inner.name)?;
        }
        if !inner.detail.is_empty() {
            write!(f, " ({})", inner.detail)?;
        }
        if !inner.file.is_empty() {
            write!(f, " in {}", inner.file)?;
        }
        match &inner.decode {
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

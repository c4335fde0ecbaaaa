//! Why a schema was refused.

use super::DecodeError;
use super::report::{Opaque, error_kind, opaque_error, text};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

error_kind! {
    /// The kind of a [`DescriptorError`](crate::DescriptorError).
    pub enum DescriptorErrorKind, without memory OutOfMemory {
        /// The bytes are not a `FileDescriptorSet`; [`DescriptorError::decode_error`] says where.
        Malformed = "the descriptor set does not decode",
        /// A name is missing, or not a valid protobuf identifier.
        InvalidName = "invalid name",
        /// Two things have the same name.
        DuplicateName = "name defined twice",
        /// A field or enum number is out of range or reserved.
        InvalidNumber = "number out of range",
        /// Two fields of a message, or two values of an enum without `allow_alias`, have the same number.
        DuplicateNumber = "number used twice",
        /// A type name refers to nothing, or to a thing of another sort.
        UnresolvedType = "type not found",
        /// A file imports a file that is not in the set.
        MissingImport = "import not found",
        /// Files import each other in a circle.
        ImportCycle = "imports form a cycle",
        /// A field has no type, no label, or a combination of them that does not exist.
        InvalidField = "invalid field",
        /// A oneof index out of range, or a oneof without fields.
        InvalidOneof = "invalid oneof",
        /// An extension outside of the extension ranges of the message it extends.
        InvalidExtension = "invalid extension",
        /// A default value that does not parse as the type of its field.
        InvalidDefault = "invalid default value",
        /// An option that its file, or its definition, cannot have.
        InvalidOption = "invalid option",
        /// A map entry message of the wrong shape.
        InvalidMapEntry = "invalid map entry",
        /// A syntax or edition that this release does not know.
        UnsupportedEdition = "unsupported syntax or edition",
        /// Messages are declared inside each other deeper than the limit.
        TooDeep = "messages are declared inside each other too deep",
        /// More fields, messages or names than a pool holds.
        TooMany = "too many definitions",
        /// Loading takes more memory than [`PoolOptions`](crate::schema::PoolOptions) allows.
        BudgetExceeded = "loading takes too much memory",
        /// No message, enum or file of that name is in the pool.
        NotFound = "not found",
        /// The allocator has no memory: for the pool, or for an error that says more.
        OutOfMemory = "the allocator has no memory",
    }
}

/// Why a schema could not be loaded: kind, the file and the full name of the definition at fault, and a detail.
///
/// One pointer wide. Without memory for the error, the kind is `OutOfMemory` and nothing else is known.
#[derive(Clone, PartialEq, Eq)]
pub struct DescriptorError(Opaque<DescriptorErrorKind, DescriptorDetail>);

opaque_error!(DescriptorError, DescriptorErrorKind);

#[derive(Clone, PartialEq, Eq)]
struct DescriptorDetail {
    file: String,
    name: String,
    detail: String,
    decode: Option<DecodeError>,
    others: Vec<DescriptorError>,
}

impl DescriptorError {
    #[cold]
    pub(crate) fn new(kind: DescriptorErrorKind, name: &str, detail: impl fmt::Display) -> Self {
        let (name, detail) = (text(name), text(detail));
        Self(Opaque::new(
            kind,
            DescriptorDetail { file: String::new(), name, detail, decode: None, others: Vec::new() },
        ))
    }

    /// An allocation failed.
    pub(crate) const OUT_OF_MEMORY: Self = Self(Opaque::NO_MEMORY);

    /// More memory is needed than the bound allows.
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

    /// One file where a set is expected.
    #[cold]
    pub(crate) fn one_file() -> Self {
        let detail = "this looks like one FileDescriptorProto, not a FileDescriptorSet: PoolBuilder::add_file_descriptor_proto takes it";
        Self::new(DescriptorErrorKind::Malformed, "", detail)
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

    /// Lists the faults that were found after this one.
    #[cold]
    pub(crate) fn with_others(mut self, others: Vec<DescriptorError>) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.others = others;
        }
        self
    }

    fn inner(&self) -> Option<&DescriptorDetail> {
        self.0.get()
    }

    /// The file that holds the definition at fault, or `""` where there is none.
    #[must_use]
    pub fn file(&self) -> &str {
        self.inner().map_or("", |inner| &inner.file)
    }

    /// The full name of the definition at fault, or `""`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.inner().map_or("", |inner| &inner.name)
    }

    /// A description of the fault; may be `""`.
    #[must_use]
    pub fn detail(&self) -> &str {
        self.inner().map_or("", |inner| &inner.detail)
    }

    /// The faults after this one, if [`PoolOptions::max_faults`](crate::schema::PoolOptions::max_faults) asked for them; `Display` does not
    /// print them.
    #[must_use]
    pub fn others(&self) -> &[DescriptorError] {
        self.inner().map_or(&[], |inner| &inner.others)
    }

    /// Where the bytes of the set are at fault, for [`DescriptorErrorKind::Malformed`].
    #[must_use]
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

impl core::error::Error for DescriptorError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.decode_error().map(|e| e as _)
    }
}

/// What is wrong with the schema of a message, after the rest of an error.
pub(crate) fn show(f: &mut fmt::Formatter<'_>, error: Option<&DescriptorError>) -> fmt::Result {
    error.map_or(Ok(()), |error| write!(f, ": {error}"))
}

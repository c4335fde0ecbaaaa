//! Errors: a kind, a byte offset and a field path, one pointer wide.
//!
//! The loops return a [`DecodeErrorKind`], which is one byte and `Copy`; one cold function at the edge adds the
//! offset and the path. An error therefore costs the success path a register at most, and it allocates only
//! when it is made.

use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};
use core::fmt;

/// What is wrong with the bytes given to a decoder.
///
/// One byte, `Copy`. New kinds may be added, so a `match` needs a wildcard arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside a field; more bytes could complete it.
    Incomplete,
    /// A field reaches beyond the end of the message, group or packed run that holds it.
    Overrun,
    /// A varint has more than ten bytes or a value above 2^64-1.
    VarintOverflow,
    /// A tag has more than five bytes or a value above 2^32-1.
    InvalidTag,
    /// The field number is 0, or one that was given above 2^29-1.
    InvalidFieldNumber,
    /// The wire type is 6 or 7.
    InvalidWireType,
    /// A length prefix has more than five bytes or a value above 2^31-1.
    InvalidLength,
    /// An end-group tag that no start-group tag of the same number opened.
    UnexpectedEndGroup,
    /// A packed run of fixed-width values whose length is not a multiple of the width.
    InvalidPacked,
    /// A string that must be UTF-8 is not.
    InvalidUtf8,
    /// Messages or groups are nested deeper than the limit.
    DepthExceeded,
    /// The message would need more memory than the budget of this decode.
    BudgetExceeded,
    /// The input, or what editing would make of it, is longer than 2^31-1 bytes.
    TooLarge,
    /// A required field is not set.
    MissingRequired,
    /// A frame of a delimited stream is longer than its reader accepts.
    FrameTooLarge,
    /// A raw message was given to a decoder of another message type.
    WrongMessage,
}

impl DecodeErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::Incomplete => "the input ends inside a field",
            Self::Overrun => "a field reaches beyond the end of the message that holds it",
            Self::VarintOverflow => "a varint is longer than 10 bytes or above 2^64-1",
            Self::InvalidTag => "a tag is longer than 5 bytes or above 2^32-1",
            Self::InvalidFieldNumber => "the field number is 0 or above 2^29-1",
            Self::InvalidWireType => "wire types 6 and 7 do not exist",
            Self::InvalidLength => "a length prefix is longer than 5 bytes or above 2^31-1",
            Self::UnexpectedEndGroup => "an end-group tag has no matching start-group tag",
            Self::InvalidPacked => "a packed run is not a whole number of values long",
            Self::InvalidUtf8 => "a string is not valid UTF-8",
            Self::DepthExceeded => "messages are nested deeper than the limit",
            Self::BudgetExceeded => "the message needs more memory than the decode budget",
            Self::TooLarge => "the message is longer than 2^31-1 bytes",
            Self::MissingRequired => "a required field is not set",
            Self::FrameTooLarge => "a frame is longer than the limit of its reader",
            Self::WrongMessage => "the decoder is for another message type",
        }
    }
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// One step of a [`FieldPath`]: a field number, its name where a schema is known, and the element of a
/// repeated field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    number: u32,
    name: Option<Cow<'static, str>>,
    index: Option<u32>,
}

impl PathStep {
    pub(crate) fn new(number: u32, name: Option<Cow<'static, str>>, index: Option<u32>) -> Self {
        Self { number, name, index }
    }

    /// Gives the field a name.
    pub(crate) fn set_name(&mut self, name: impl Into<Cow<'static, str>>) {
        self.name = Some(name.into());
    }

    /// The field number, 1 to 2^29-1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The field name, or `None` where only the wire is known.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The zero-based element of a repeated field, or `None` for a singular field.
    pub fn index(&self) -> Option<u32> {
        self.index
    }
}

/// The way from the root message to the field at fault; printed as `resource.attributes[3].key`.
///
/// A field whose name is not known prints as `#7`, its number; of more than 100 steps, the first and the last 50 are
/// printed. An empty path means the root message itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath {
    steps: Vec<PathStep>,
}

impl FieldPath {
    pub(crate) const EMPTY: Self = Self { steps: Vec::new() };

    /// The steps, outermost first.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// True when the error is about the root message itself.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn steps_mut(&mut self) -> &mut [PathStep] {
        &mut self.steps
    }

    pub(crate) fn push_outer(&mut self, step: PathStep) {
        self.steps.insert(0, step);
    }

    pub(crate) fn push_inner(&mut self, step: PathStep) {
        self.steps.push(step);
    }
}

/// Steps printed at either end of a path; more than fit are left out in the middle.
const PRINTED: usize = 50;

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.steps.len().saturating_sub(PRINTED);
        for (i, step) in self.steps.iter().enumerate() {
            if (PRINTED..last).contains(&i) {
                if i == PRINTED {
                    f.write_str("...")?;
                }
                continue;
            }
            if i > 0 {
                f.write_str(".")?;
            }
            match &step.name {
                Some(name) => f.write_str(name)?,
                None => write!(f, "#{}", step.number)?,
            }
            if let Some(index) = step.index {
                write!(f, "[{index}]")?;
            }
        }
        Ok(())
    }
}

/// Why bytes could not be decoded: kind, byte offset and field path.
///
/// One pointer wide; allocated only when an error is made.
///
/// ```
/// use tablepb::{wire::Reader, DecodeErrorKind};
///
/// let error = Reader::new(&[0x08, 0xff]).skip_message().unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::Incomplete);
/// assert_eq!(error.offset(), 1);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError(Box<DecodeInner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct DecodeInner {
    kind: DecodeErrorKind,
    offset: usize,
    message: Option<Cow<'static, str>>,
    path: FieldPath,
}

impl DecodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: DecodeErrorKind, offset: usize) -> Self {
        Self(Box::new(DecodeInner { kind, offset, message: None, path: FieldPath::EMPTY }))
    }

    /// The kind of fault.
    pub fn kind(&self) -> DecodeErrorKind {
        self.0.kind
    }

    /// The byte offset, from the start of the input, of the item at fault (a tag, a length, a value).
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The fields that lead to the fault; empty for the root message or where no schema was at hand.
    pub fn path(&self) -> &FieldPath {
        &self.0.path
    }

    /// The full name of the root message type, where a schema was at hand.
    pub fn message_name(&self) -> Option<&str> {
        self.0.message.as_deref()
    }

    /// Moves the offset behind `start` bytes of the input.
    #[cold]
    pub(crate) fn moved_by(mut self, start: usize) -> Self {
        self.0.offset += start;
        self
    }

    /// Names the root message type, unless it has been named.
    #[cold]
    #[inline(never)]
    pub(crate) fn in_message(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.0.message.get_or_insert_with(|| name.into());
        self
    }

    #[cold]
    pub(crate) fn with_path(mut self, path: FieldPath) -> Self {
        self.0.path = path;
        self
    }

    pub(crate) fn path_mut(&mut self) -> &mut FieldPath {
        &mut self.0.path
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.0.kind, self.0.offset)?;
        in_place(f, self.0.message.as_deref(), &self.0.path)
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DecodeError({self})")
    }
}

impl core::error::Error for DecodeError {}

fn in_place(f: &mut fmt::Formatter<'_>, message: Option<&str>, path: &FieldPath) -> fmt::Result {
    match (message, path.is_empty()) {
        (Some(m), true) => write!(f, ", in {m}"),
        (Some(m), false) => write!(f, ", in {m}: {path}"),
        (None, false) => write!(f, ", in {path}"),
        (None, true) => Ok(()),
    }
}

/// What keeps a message from being encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodeErrorKind {
    /// A required field is not set.
    MissingRequired,
    /// The encoded message, or one nested in it, would be longer than 2^31-1 bytes.
    TooLarge,
    /// Messages are nested deeper than the limit.
    DepthExceeded,
    /// The slice given is shorter than the encoded message.
    BufferTooSmall,
    /// The message changed between the sizing and the writing pass.
    SizeMismatch,
    /// A field handle of another plan, or of another message than the one being written.
    ForeignField,
    /// A prepared message of another type than the field.
    WrongMessage,
    /// A number that a closed enum does not list.
    UnknownEnumNumber,
    /// A nested message was not written to its end.
    Interrupted,
}

impl EncodeErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::MissingRequired => "a required field is not set",
            Self::TooLarge => "the encoded message is longer than 2^31-1 bytes",
            Self::DepthExceeded => "messages are nested deeper than the limit",
            Self::BufferTooSmall => "the buffer is shorter than the encoded message",
            Self::SizeMismatch => "the message changed while it was encoded",
            Self::ForeignField => "the field handle belongs to another plan or message",
            Self::WrongMessage => "the prepared message is of another type than the field",
            Self::UnknownEnumNumber => "the closed enum does not list the number",
            Self::Interrupted => "a nested message was not written to its end",
        }
    }
}

impl fmt::Display for EncodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Why a message could not be encoded: kind and field path. The output buffer keeps the length it had.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodeError(Box<EncodeInner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct EncodeInner {
    kind: EncodeErrorKind,
    message: Option<Cow<'static, str>>,
    path: FieldPath,
}

impl EncodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: EncodeErrorKind) -> Self {
        Self(Box::new(EncodeInner { kind, message: None, path: FieldPath::EMPTY }))
    }

    /// The kind of fault.
    pub fn kind(&self) -> EncodeErrorKind {
        self.0.kind
    }

    /// The fields that lead to the fault; empty for the root message.
    pub fn path(&self) -> &FieldPath {
        &self.0.path
    }

    /// The full name of the root message type.
    pub fn message_name(&self) -> Option<&str> {
        self.0.message.as_deref()
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn in_message(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.0.message.get_or_insert_with(|| name.into());
        self
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn in_field(
        mut self,
        number: u32,
        name: Option<Cow<'static, str>>,
        index: Option<u32>,
    ) -> Self {
        self.0.path.push_outer(PathStep::new(number, name, index));
        self
    }

    #[cold]
    pub(crate) fn with_path(mut self, path: FieldPath) -> Self {
        self.0.path = path;
        self
    }

    pub(crate) fn path_mut(&mut self) -> &mut FieldPath {
        &mut self.0.path
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind)?;
        in_place(f, self.0.message.as_deref(), &self.0.path)
    }
}

impl fmt::Debug for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodeError({self})")
    }
}

impl core::error::Error for EncodeError {}

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
pub struct DescriptorError(Box<DescriptorInner>);

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
        Self(Box::new(DescriptorInner {
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
        this.0.decode = Some(error);
        this
    }

    /// Names the file, unless it has been named.
    #[cold]
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        if self.0.file.is_empty() {
            self.0.file = file.into();
        }
        self
    }

    /// The kind of fault.
    pub fn kind(&self) -> DescriptorErrorKind {
        self.0.kind
    }

    /// The file that holds the definition at fault, or `""` where there is none.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The full name of the definition at fault, or `""`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What was found, in words; may be `""`.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// Where the bytes of the set are at fault, for [`DescriptorErrorKind::Malformed`].
    pub fn decode_error(&self) -> Option<&DecodeError> {
        self.0.decode.as_ref()
    }
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind)?;
        if !self.0.name.is_empty() {
            write!(f, ": {}", self.0.name)?;
        }
        if !self.0.detail.is_empty() {
            write!(f, " ({})", self.0.detail)?;
        }
        if !self.0.file.is_empty() {
            write!(f, " in {}", self.0.file)?;
        }
        match &self.0.decode {
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
        self.0.decode.as_ref().map(|e| e as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn errors_are_one_pointer_wide() {
        assert_eq!(size_of::<DecodeError>(), size_of::<usize>());
        assert_eq!(size_of::<EncodeError>(), size_of::<usize>());
        assert_eq!(size_of::<DescriptorError>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), DecodeErrorKind>>(), 1);
    }

    #[test]
    fn long_paths_are_printed_in_part() {
        let path = |len| FieldPath { steps: (1..=len).map(|n| PathStep::new(n, None, None)).collect() };
        let whole = path(100).to_string();
        assert!(whole.starts_with("#1.#2.") && whole.ends_with(".#99.#100") && !whole.contains(".."));
        let part = path(10_000).to_string();
        assert!(part.contains(".#50....#9951.#9952.") && part.ends_with(".#10000"), "{part}");
    }

    #[test]
    fn messages_name_place_and_path() {
        let mut path = FieldPath::EMPTY;
        path.push_inner(PathStep::new(4, Some("tags".into()), Some(2)));
        path.push_inner(PathStep::new(3, None, None));
        let error =
            DecodeError::new(DecodeErrorKind::InvalidUtf8, 17).with_path(path).in_message("example.Project");
        assert_eq!(
            error.to_string(),
            "a string is not valid UTF-8 at byte 17, in example.Project: tags[2].#3"
        );
    }
}

//! [`DescriptorPool`]: the way in.

use super::build;
use super::descriptor_proto;
use super::model::{NONE, PoolData};
use super::symbols::Symbol;
use super::{
    EnumDescriptor, ExtensionDescriptor, FieldRef, FileDescriptor, MessageDescriptor, PoolOptions,
    ServiceDescriptor, read, tables, write,
};
use crate::decode::decode_raw;
use crate::error::DescriptorError;
use crate::options::DecodeOptions;
use crate::program::ProgramSet;
use crate::slab::Slab;
use crate::table::MessageTable;
use alloc::{sync::Arc, vec::Vec};
use core::fmt;
use core::hash::{Hash, Hasher};

/// A checked set of files with everything they define; immutable, and shared by all clones and descriptors.
///
/// One pointer; `Clone` counts a reference. All types are resolved, and every message is lowered to the program
/// that decodes and encodes it, when the pool is made; afterwards nothing is computed or locked. Two pools are
/// equal only if one is a clone of the other, and descriptors of different pools are never equal.
///
/// ```
/// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
///
/// let pool = DescriptorPool::from_tables(&[&LOG])?;
/// let log = pool.get_message_by_name("pkg.Log").unwrap();
/// assert_eq!(log.get_field_by_name("line").unwrap().number(), 1);
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[derive(Clone)]
pub struct DescriptorPool(Arc<PoolData>);

impl DescriptorPool {
    /// A pool without files.
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// Loads a `google.protobuf.FileDescriptorSet`, as `protoc --descriptor_set_out --include_imports` writes it.
    ///
    /// Files may come in any order. The set is not trusted: whatever it holds, the result is a pool in which all
    /// is consistent, or an error; never a panic. Time is n log n in the size of the set, memory 1 MiB and 32 bytes per
    /// byte of it at most ([`PoolOptions`]).
    ///
    /// # Errors
    /// What is wrong, in which definition of which file; `BudgetExceeded` or `OutOfMemory` where it takes more than the bound,
    /// or an allocation failed.
    ///
    /// ```
    /// use tablepb::{DescriptorErrorKind, DescriptorPool};
    ///
    /// // file { name: "log.proto" message_type { name: "Log" } }
    /// let pool = DescriptorPool::decode(b"\x0a\x12\x0a\x09log.proto\x22\x05\x0a\x03Log")?;
    /// assert!(pool.get_message_by_name("Log").is_some());
    /// assert_eq!(DescriptorPool::decode(b"\x0a\x12").unwrap_err().kind(), DescriptorErrorKind::Malformed);
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    pub fn decode(set: &[u8]) -> Result<Self, DescriptorError> {
        Self::decode_with(set, &PoolOptions::new())
    }

    /// As [`decode`](Self::decode), within other bounds.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), and `TooMany` or `TooDeep` for what is beyond a bound.
    pub fn decode_with(set: &[u8], options: &PoolOptions) -> Result<Self, DescriptorError> {
        load(core::iter::empty(), set, options)
    }

    /// A pool of these message tables and all tables that they refer to.
    ///
    /// A table's identity is its full name: the same table may come any number of times, in copies too. Each
    /// package becomes one file, and a message is nested in another one if its full name says so. Where tables of
    /// proto2 and proto3 meet in a package, the file is of edition 2023 and says the same by features.
    ///
    /// # Errors
    /// Everything that makes a descriptor set invalid, such as a bad name, a number that is used twice or packages
    /// that need each other.
    pub fn from_tables(roots: &[&'static MessageTable]) -> Result<Self, DescriptorError> {
        Self::from_protos(tables::files(roots)?)
    }

    /// The pool of descriptor.proto alone, made from this crate's own tables; complete as of protobuf v36.
    ///
    /// What descriptor sets are read with, and options where a pool does not hold descriptor.proto itself. With the
    /// feature `std` there is one such pool; without, every call makes one.
    pub fn descriptor_proto() -> Self {
        descriptor_proto::pool()
    }

    fn from_protos(files: Vec<super::proto::FileProto<'static>>) -> Result<Self, DescriptorError> {
        let mut bytes = Vec::with_capacity(files.len());
        for file in &files {
            bytes.push(write::file(file)?);
        }
        // Tables are trusted: they take what they take.
        let options = PoolOptions::new().memory(usize::MAX);
        let len = bytes.iter().map(Vec::len).sum();
        build::pool(bytes.iter().map(Vec::as_slice), len, &options).map(Self::from_data)
    }

    /// The block that all clones share: the one allocation of a load that cannot return an error.
    fn from_data(data: PoolData) -> Self {
        Self(Arc::new(data))
    }

    /// A pool of descriptor.proto alone, made from this crate's tables.
    pub(super) fn make_builtin() -> Result<Self, DescriptorError> {
        Self::from_protos(descriptor_proto::file()?)
    }

    /// A new pool: the files of this one and those of a `FileDescriptorSet`, which may extend and import them.
    ///
    /// A file that is in the pool already is skipped if it is the same, byte for byte. Everything is built anew;
    /// descriptors of this pool stay valid and stay apart from those of the new one.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), or two different files of one name.
    pub fn add_file_descriptor_set(&self, set: &[u8]) -> Result<Self, DescriptorError> {
        self.add_with(set, &PoolOptions::new())
    }

    /// As [`add_file_descriptor_set`](Self::add_file_descriptor_set), within other bounds. They are for the new pool with
    /// all its files; what this one holds does not count.
    ///
    /// # Errors
    /// As [`add_file_descriptor_set`](Self::add_file_descriptor_set).
    pub fn add_with(&self, set: &[u8], options: &PoolOptions) -> Result<Self, DescriptorError> {
        load(self.0.files.iter().map(|file| self.0.bytes(file.proto)), set, options)
    }

    /// The files, in the order they were added.
    pub fn files(&self) -> impl ExactSizeIterator<Item = FileDescriptor> + '_ {
        (0..self.0.files.len() as u32).map(|i| FileDescriptor::new(self, i))
    }

    /// All messages, nested ones and map entries included, in no order that matters.
    pub fn all_messages(&self) -> impl ExactSizeIterator<Item = MessageDescriptor> + '_ {
        (0..self.0.messages.len() as u32).map(|i| MessageDescriptor::new(self, i))
    }

    /// All enums, nested ones included.
    pub fn all_enums(&self) -> impl ExactSizeIterator<Item = EnumDescriptor> + '_ {
        (0..self.0.enums.len() as u32).map(|i| EnumDescriptor::new(self, i))
    }

    /// All extensions, those declared inside of messages included.
    pub fn all_extensions(&self) -> impl ExactSizeIterator<Item = ExtensionDescriptor> + '_ {
        (0..self.0.extensions.len() as u32).map(|i| ExtensionDescriptor::new(self, i))
    }

    /// All services.
    pub fn services(&self) -> impl ExactSizeIterator<Item = ServiceDescriptor> + '_ {
        (0..self.0.services.len() as u32).map(|i| ServiceDescriptor::new(self, i))
    }

    /// The file of this name, as other files import it.
    pub fn get_file_by_name(&self, name: &str) -> Option<FileDescriptor> {
        self.0.file_position(name).map(|i| FileDescriptor::new(self, i))
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        self.0.symbols.absolute(&self.0.names, name)
    }

    /// The message of this full name, without a leading dot. Takes a search per component of the name.
    pub fn get_message_by_name(&self, name: &str) -> Option<MessageDescriptor> {
        match self.symbol(name)? {
            Symbol::Message(index) => Some(MessageDescriptor::new(self, index)),
            _ => None,
        }
    }

    /// The enum of this full name.
    pub fn get_enum_by_name(&self, name: &str) -> Option<EnumDescriptor> {
        match self.symbol(name)? {
            Symbol::Enum(index) => Some(EnumDescriptor::new(self, index)),
            _ => None,
        }
    }

    /// The extension of this full name: the scope it is declared in and its own name.
    pub fn get_extension_by_name(&self, name: &str) -> Option<ExtensionDescriptor> {
        match self.symbol(name)? {
            Symbol::Extension(index) => Some(ExtensionDescriptor::new(self, index)),
            _ => None,
        }
    }

    /// The service of this full name.
    pub fn get_service_by_name(&self, name: &str) -> Option<ServiceDescriptor> {
        match self.symbol(name)? {
            Symbol::Service(index) => Some(ServiceDescriptor::new(self, index)),
            _ => None,
        }
    }

    /// The lowered messages; a program's index is [`MessageDescriptor::index`].
    #[inline(always)]
    pub(crate) fn programs(&self) -> &ProgramSet {
        &self.0.programs
    }

    /// The message of a program index.
    pub(crate) fn message_at(&self, index: u32) -> Option<MessageDescriptor> {
        ((index as usize) < self.0.messages.len()).then(|| MessageDescriptor::new(self, index))
    }

    /// The declared field of this name of the message of this index.
    pub(crate) fn field_by_name(&self, message: u32, name: &str) -> Option<FieldRef<'_>> {
        let scope = self.0.messages.get(message as usize)?.scope;
        match self.0.symbols.member(&self.0.names, scope, name)? {
            Symbol::Field { message: m, field } if m == message => Some(FieldRef::new(self, m, field)),
            _ => None,
        }
    }

    /// The options message of this name: this pool's if it has descriptor.proto and so the extensions of its
    /// options, otherwise that of this crate.
    pub(crate) fn options_message(&self, name: &str) -> MessageDescriptor {
        self.get_message_by_name(name).unwrap_or_else(|| {
            let pool = descriptor_proto::pool();
            pool.get_message_by_name(name).unwrap_or(MessageDescriptor::new(&pool, 0))
        })
    }

    pub(super) fn data(&self) -> &PoolData {
        &self.0
    }

    #[inline]
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Default for DescriptorPool {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for DescriptorPool {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Eq for DescriptorPool {}

impl Hash for DescriptorPool {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for DescriptorPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.files.iter().map(|file| self.0.text(file.name));
        f.write_str("DescriptorPool ")?;
        f.debug_list().entries(names).finish()
    }
}

/// A pool of these files and those of a set.
fn load<'i>(
    known: impl Iterator<Item = &'i [u8]> + Clone,
    set: &'i [u8],
    options: &PoolOptions,
) -> Result<DescriptorPool, DescriptorError> {
    let len = known.clone().map(<[u8]>::len).sum::<usize>().saturating_add(set.len());
    let files = known.chain(read::children(set, 1));
    match read::check_set(set).and_then(|()| build::pool(files, len, options)) {
        Ok(data) => Ok(DescriptorPool::from_data(data)),
        Err(error) if error.decode_error().is_some() => Err(located(set, options, error)),
        Err(error) => Err(error),
    }
}

/// Decodes a set that is not well-formed as a whole, which says where it is at fault: the error found while reading it
/// knows its part only.
#[cold]
fn located(set: &[u8], options: &PoolOptions, error: DescriptorError) -> DescriptorError {
    let pool = DescriptorPool::descriptor_proto();
    let Some(message) = pool.get_message_by_name("google.protobuf.FileDescriptorSet") else { return error };
    let options = DecodeOptions::new()
        .allow_partial(true)
        .budget(options.memory_for(set.len()) / 2)
        .discard_unknown(true);
    match decode_raw(pool.programs(), message.index(), set, &mut Slab::default(), &options) {
        Err(fault) => DescriptorError::malformed(message.name_error(fault)),
        Ok(_) => error,
    }
}

/// An index as `Option`.
pub(super) fn index(value: u32) -> Option<u32> {
    (value != NONE).then_some(value)
}

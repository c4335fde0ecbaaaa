//! [`DescriptorPool`]: loading schemas and finding definitions by name.

use super::build::FileInput;
use super::model::symbols::Symbol;
use super::model::{NONE, PoolData};
use super::nearest::not_found;
use super::{
    EnumDescriptor, ExtensionDescriptor, FieldRef, FileDescriptor, MessageDescriptor, PoolOptions,
    ServiceDescriptor, build, read, tables, write,
};
use crate::schema::program::ProgramSet;
use crate::schema::table::MessageTable;
use crate::wire::error::{DescriptorError, DescriptorErrorKind, EncodeError, EncodeErrorKind};
use crate::wire::sync::Arc;
use crate::wire::{MAX_LEN, Reader, WireType, push_varint};
use alloc::{collections::BTreeSet, vec::Vec};
use core::fmt;
use core::hash::{Hash, Hasher};

/// An immutable, checked set of .proto files and their definitions, shared by all clones and descriptors.
///
/// One pointer; `Clone` increments a reference count. Making a pool resolves all types and prepares every message for
/// decoding and encoding; after that, lookups build nothing and take no lock. Two pools are equal only if one is a clone of the
/// other, and descriptors of different pools are never equal.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
///
/// let pool = DescriptorPool::from_tables(&[&LOG])?;
/// let log = pool.message("pkg.Log")?;
/// assert_eq!(log.field("line")?.number(), 1);
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[derive(Clone)]
pub struct DescriptorPool(Arc<PoolData>);

impl DescriptorPool {
    /// A pool without files.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// Loads a `google.protobuf.FileDescriptorSet`, as `protoc --descriptor_set_out --include_imports` writes it.
    ///
    /// Files may come in any order. The set may come from an untrusted source: the result is a consistent pool or an
    /// error, never a panic. Takes n log n time in the size of the set, and at most 1 MiB of memory plus 32 bytes per
    /// byte of the set ([`PoolOptions`]).
    ///
    /// # Errors
    /// The kind of fault with the definition and the file at fault; `BudgetExceeded` if the pool needs more memory than
    /// that, `OutOfMemory` if an allocation failed.
    ///
    /// ```
    /// use tablepb::schema::DescriptorErrorKind;
    /// use tablepb::DescriptorPool;
    ///
    /// // file { name: "log.proto" message_type { name: "Log" } }
    /// let pool = DescriptorPool::decode(b"\x0a\x12\x0a\x09log.proto\x22\x05\x0a\x03Log")?;
    /// assert!(pool.message("Log").is_ok());
    /// assert_eq!(DescriptorPool::decode(b"\x0a\x12").unwrap_err().kind(), DescriptorErrorKind::Malformed);
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    pub fn decode(set: &[u8]) -> Result<Self, DescriptorError> {
        PoolOptions::new().decode(set)
    }

    /// Makes a pool of message tables and all tables that they refer to.
    ///
    /// Tables are identified by their full names, so a table may occur any number of times, also as a copy. Each package
    /// becomes one file, well-known types go into their usual files (`google/protobuf/timestamp.proto`), and a message whose full name starts with that of another message is nested in it. A package
    /// with both proto2 and proto3 tables becomes a file of edition 2023 with equivalent features. Packages that need each other become
    /// several files, `a.proto` and `a-1.proto`, since files do not import each other; types of two packages that need each other are in one file, nested in
    /// messages with the names of what their packages do not have in common. The bounds of [`PoolOptions`] do not apply.
    ///
    /// There is a pool for every [`message!`](crate::message) and [`enumeration!`](crate::enumeration) that compiles, unless two tables have one name. Tables do not
    /// know each other, so two enums of a package may have a value of the same name, and a field may be named as a type nested in its message, which
    /// files do not allow: what [`encode_to_vec`](Self::encode_to_vec) makes of such a pool is no valid set.
    ///
    /// # Errors
    /// `DuplicateName` for two different types of one name, or an enum with the name of a package. Tables that are not made by a macro have all faults
    /// that make a descriptor set invalid, such as a bad name or a duplicate number.
    pub fn from_tables(roots: &[&'static MessageTable]) -> Result<Self, DescriptorError> {
        let files = tables::files(roots)?;
        let mut bytes = Vec::with_capacity(files.len());
        for file in &files {
            bytes.push(write::file(file)?);
        }
        let len = bytes.iter().map(Vec::len).sum();
        let mut files = bytes.iter().map(|bytes| FileInput { bytes, of_tables: true });
        build::pool(&mut files, bytes.len(), len, &PoolOptions::unbounded()).map(Self::from_data)
    }

    /// A pool of descriptor.proto, complete as of protobuf v36.
    ///
    /// With it, a program can decode descriptor sets and options as messages. With the feature `std` all calls share one
    /// pool; without, every call makes one.
    #[must_use]
    pub fn descriptor_proto() -> Self {
        descriptor_proto()
    }

    /// The block that all clones share: the one allocation of a load that cannot return an error.
    fn from_data(data: PoolData) -> Self {
        Self(Arc::new(data))
    }

    /// A pool of only descriptor.proto. Its file gives way to another one of the same name, as those of tables do.
    pub(super) fn make_builtin(set: &[u8]) -> Result<Self, DescriptorError> {
        let mut files = read::children(set, 1).map(|bytes| FileInput { bytes, of_tables: true });
        build::pool(&mut files, 1, set.len(), &PoolOptions::unbounded()).map(Self::from_data)
    }

    /// Makes a new pool from the files of this one and those of a `FileDescriptorSet`, which may import and extend them.
    ///
    /// Skips files that this pool has already, byte for byte. A well-known file of protobuf that this pool has made of tables,
    /// such as `google/protobuf/timestamp.proto`, gives way to that of the set. The new pool shares nothing with this one: it takes the
    /// time and memory of loading all files, and descriptors of this pool stay valid, but are not equal to its own. To add many files, collect
    /// them in a [`PoolBuilder`](super::PoolBuilder) and load them at once.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), or two different files of one name.
    pub fn add_file_descriptor_set(&self, set: &[u8]) -> Result<Self, DescriptorError> {
        PoolOptions::new().add(self, set)
    }

    /// Encodes all files as a `google.protobuf.FileDescriptorSet`, from which [`decode`](Self::decode) makes the same pool again.
    ///
    /// Files are written as they were read, byte for byte, with their options and unknown fields, in the order they were added; files of
    /// tables as [`from_tables`](Self::from_tables) made them. Fields of a set other than its files are not kept, nor are copies of a file.
    ///
    /// # Errors
    /// `OutOfMemory`, `TooLarge` above 2^31-1 bytes.
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    ///
    /// let set = b"\x0a\x12\x0a\x09log.proto\x22\x05\x0a\x03Log";
    /// assert_eq!(DescriptorPool::decode(set)?.encode_to_vec()?, set);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        let no_memory = |_| EncodeError::new(EncodeErrorKind::OutOfMemory);
        let files = || self.0.files.iter().map(|file| self.0.bytes(file.proto));
        let len = files().map(|bytes| bytes.len() + SET_FILE).sum::<usize>();
        if len > MAX_LEN {
            return Err(EncodeError::new(EncodeErrorKind::TooLarge));
        }
        let mut set = Vec::new();
        set.try_reserve_exact(len).map_err(no_memory)?;
        files().for_each(|bytes| push_file(&mut set, bytes));
        Ok(set)
    }

    /// The files, in the order they were added.
    #[must_use]
    pub fn files(&self) -> impl ExactSizeIterator<Item = FileDescriptor> + '_ {
        (0..self.0.files.len() as u32).map(|i| FileDescriptor::new(self, i))
    }

    /// All messages, nested ones and map entries included, in unspecified order.
    #[must_use]
    pub fn all_messages(&self) -> impl ExactSizeIterator<Item = MessageDescriptor> + '_ {
        (0..self.0.messages.len() as u32).map(|i| MessageDescriptor::new(self, i))
    }

    /// All enums, nested ones included.
    #[must_use]
    pub fn all_enums(&self) -> impl ExactSizeIterator<Item = EnumDescriptor> + '_ {
        (0..self.0.enums.len() as u32).map(|i| EnumDescriptor::new(self, i))
    }

    /// All extensions, those declared inside of messages included.
    #[must_use]
    pub fn all_extensions(&self) -> impl ExactSizeIterator<Item = ExtensionDescriptor> + '_ {
        (0..self.0.extensions.len() as u32).map(|i| ExtensionDescriptor::new(self, i))
    }

    /// All services.
    #[must_use]
    pub fn services(&self) -> impl ExactSizeIterator<Item = ServiceDescriptor> + '_ {
        (0..self.0.services.len() as u32).map(|i| ServiceDescriptor::new(self, i))
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        self.0.symbols.absolute(&self.0.names, name)
    }

    /// The message of this full name, without a leading dot. Takes one binary search per component of the name.
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let pool = DescriptorPool::from_tables(&[&LOG])?;
    /// assert_eq!(pool.message("pkg.Log")?.name(), "Log");
    /// let error = pool.message("pkg.Lgo").unwrap_err();
    /// assert_eq!(error.to_string(), "not found: pkg.Lgo (no such message; did you mean pkg.Log?)");
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::schema::DescriptorErrorKind::NotFound), with the nearest name that the pool has.
    pub fn message(&self, name: &str) -> Result<MessageDescriptor, DescriptorError> {
        self.find_message(name).ok_or_else(|| {
            not_found("message", name, self.0.messages.iter().map(|known| self.0.text(known.name.full())))
        })
    }

    pub(crate) fn find_message(&self, name: &str) -> Option<MessageDescriptor> {
        match self.symbol(name)? {
            Symbol::Message(index) => Some(MessageDescriptor::new(self, index)),
            _ => None,
        }
    }

    /// The enum of this full name.
    ///
    /// # Errors
    /// [`NotFound`](crate::schema::DescriptorErrorKind::NotFound), with the nearest name that the pool has.
    pub fn enumeration(&self, name: &str) -> Result<EnumDescriptor, DescriptorError> {
        self.find_enum(name).ok_or_else(|| {
            not_found("enum", name, self.0.enums.iter().map(|known| self.0.text(known.name.full())))
        })
    }

    pub(crate) fn find_enum(&self, name: &str) -> Option<EnumDescriptor> {
        match self.symbol(name)? {
            Symbol::Enum(index) => Some(EnumDescriptor::new(self, index)),
            _ => None,
        }
    }

    /// The extension of this full name: the scope that declares it, a dot and its own name.
    ///
    /// # Errors
    /// [`NotFound`](crate::schema::DescriptorErrorKind::NotFound), with the nearest name that the pool has.
    pub fn extension(&self, name: &str) -> Result<ExtensionDescriptor, DescriptorError> {
        self.find_extension(name).ok_or_else(|| {
            let messages = &self.0.messages;
            let known = self.0.extensions.iter();
            let known = known.filter_map(|known| messages.get(known.message as usize)?.field(known.field));
            not_found("extension", name, known.map(|field| self.0.text(field.name.full())))
        })
    }

    pub(crate) fn find_extension(&self, name: &str) -> Option<ExtensionDescriptor> {
        match self.symbol(name)? {
            Symbol::Extension(index) => Some(ExtensionDescriptor::new(self, index)),
            _ => None,
        }
    }

    /// The service of this full name.
    ///
    /// # Errors
    /// [`NotFound`](crate::schema::DescriptorErrorKind::NotFound), with the nearest name that the pool has.
    pub fn service(&self, name: &str) -> Result<ServiceDescriptor, DescriptorError> {
        self.find_service(name).ok_or_else(|| {
            not_found("service", name, self.0.services.iter().map(|known| self.0.text(known.name.full())))
        })
    }

    pub(crate) fn find_service(&self, name: &str) -> Option<ServiceDescriptor> {
        match self.symbol(name)? {
            Symbol::Service(index) => Some(ServiceDescriptor::new(self, index)),
            _ => None,
        }
    }

    /// The file of this name, such as `google/protobuf/any.proto`.
    ///
    /// # Errors
    /// [`NotFound`](crate::schema::DescriptorErrorKind::NotFound), with the nearest name that the pool has.
    pub fn file(&self, name: &str) -> Result<FileDescriptor, DescriptorError> {
        self.find_file(name)
            .ok_or_else(|| not_found("file", name, self.0.files.iter().map(|known| self.0.text(known.name))))
    }

    pub(crate) fn find_file(&self, name: &str) -> Option<FileDescriptor> {
        self.0.file_position(name).map(|i| FileDescriptor::new(self, i))
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
        self.0.field_position(message, name).map(|field| FieldRef::new(self, message, field))
    }

    /// The extension of this full name, if it extends the message of this index.
    pub(crate) fn extension_by_name(&self, message: u32, name: &str) -> Option<FieldRef<'_>> {
        let Symbol::Extension(index) = self.symbol(name)? else { return None };
        let extension = self.0.extensions.get(index as usize)?;
        (extension.message == message).then(|| FieldRef::new(self, message, extension.field))
    }

    /// The options message of this name: that of this pool if it contains descriptor.proto, and with it the extensions
    /// of options; otherwise that of this crate.
    pub(crate) fn options_message(&self, name: &str) -> MessageDescriptor {
        self.find_message(name).unwrap_or_else(|| {
            let pool = descriptor_proto();
            pool.find_message(name).unwrap_or(MessageDescriptor::new(&pool, 0))
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

/// Makes a pool of known files and those of a set.
fn load<'i>(
    known: impl Iterator<Item = FileInput<'i>> + Clone,
    set: &'i [u8],
    options: &PoolOptions,
) -> Result<DescriptorPool, DescriptorError> {
    let len = known.clone().map(|file| file.bytes.len()).sum::<usize>().saturating_add(set.len());
    let count = known.clone().count() + read::children(set, 1).count();
    let added = read::children(set, 1).map(|bytes| FileInput { bytes, of_tables: false });
    let files = &mut known.chain(added);
    let made = read::check_set(set).and_then(|()| build::pool(files, count, len, options));
    made.map(DescriptorPool::from_data).map_err(|error| match read::looks_like_a_file(set) {
        true => DescriptorError::one_file(),
        false => read::located(set, error),
    })
}

/// The most bytes of the tag and the length of a file in a set.
pub(super) const SET_FILE: usize = 6;

/// Appends a file to a set that has room for it.
pub(super) fn push_file(set: &mut Vec<u8>, file: &[u8]) {
    set.push(0x0a);
    push_varint(set, file.len() as u64);
    set.extend_from_slice(file);
}

/// An index as `Option`.
pub(super) fn index(value: u32) -> Option<u32> {
    (value != NONE).then_some(value)
}

// `PoolBuilder`: files one at a time.

/// Collects the files of a pool one at a time and in any order, and makes the pool at the end.
///
/// For schemas that come file by file, as from gRPC reflection or a schema registry: [`missing_imports`](Self::missing_imports) says
/// what to ask for next. Adding a file copies its bytes and checks nothing; [`build`](Self::build) loads all of them at once.
///
/// A pool never changes, so a program that adds to a pool in use builds a new one and replaces it, for instance in an
/// `RwLock<DescriptorPool>`; messages and descriptors of the old one stay valid, and its fields mean the same ones in messages of the
/// new one ([`FieldKey`](crate::FieldKey#foreign-fields)). That costs loading all files again: 0.3 ms for the 10 KB and 35 messages
/// of descriptor.proto, say, on one core of an AMD EPYC. So collect what comes together, and build once.
///
/// ```
/// use tablepb::schema::{DescriptorErrorKind, PoolBuilder};
///
/// // file { name: "b.proto" dependency: "a.proto" message_type { name: "B" field { name: "a" number: 1 type_name: ".A" .. } } }
/// let b = b"\x0a\x07b.proto\x1a\x07a.proto\x22\x12\x0a\x01B\x12\x0d\x0a\x01a\x18\x01\x20\x01\x28\x0b\x32\x02.A";
/// let a = b"\x0a\x07a.proto\x22\x03\x0a\x01A";
///
/// let mut builder = PoolBuilder::new();
/// builder.add_file_descriptor_proto(b)?;
/// assert_eq!(builder.missing_imports(), ["a.proto"]);
/// assert_eq!(builder.build().unwrap_err().kind(), DescriptorErrorKind::MissingImport);
/// builder.add_file_descriptor_proto(a)?;
/// let pool = builder.build()?;
/// assert!(builder.missing_imports().is_empty() && pool.message("B").is_ok());
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct PoolBuilder {
    /// The pool to add to.
    base: DescriptorPool,
    /// The files as a descriptor set.
    set: Vec<u8>,
    options: PoolOptions,
}

impl Default for PoolBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl PoolBuilder {
    /// A builder without files, with the default bounds.
    pub fn new() -> Self {
        Self::from_pool(&DescriptorPool::new())
    }

    /// A builder with the files of a pool. Copies nothing.
    pub fn from_pool(pool: &DescriptorPool) -> Self {
        Self { base: pool.clone(), set: Vec::new(), options: PoolOptions::new() }
    }

    /// Sets the bounds for the new pool, with all its files.
    pub fn with_options(mut self, options: PoolOptions) -> Self {
        self.options = options;
        self
    }

    /// Adds one file: an encoded `google.protobuf.FileDescriptorProto`.
    ///
    /// Files may come in any order, before or after those they import. A file that is added twice counts once, if both are
    /// the same. Copies the bytes and does not look at them: [`build`](Self::build) reports what is wrong with a file.
    ///
    /// # Errors
    /// `OutOfMemory`; the builder does not change then.
    pub fn add_file_descriptor_proto(&mut self, file: &[u8]) -> Result<(), DescriptorError> {
        self.reserve(file.len().saturating_add(SET_FILE))?;
        push_file(&mut self.set, file);
        Ok(())
    }

    /// Adds the files of a `google.protobuf.FileDescriptorSet`.
    ///
    /// # Errors
    /// As [`DescriptorPool::decode`], if the set is not a message; `OutOfMemory`. The builder does not change.
    pub fn add_file_descriptor_set(&mut self, set: &[u8]) -> Result<(), DescriptorError> {
        read::check_set(set).map_err(|error| read::located(set, error))?;
        self.reserve(set.len())?;
        self.set.extend_from_slice(set);
        Ok(())
    }

    fn reserve(&mut self, more: usize) -> Result<(), DescriptorError> {
        let no_memory = |_| DescriptorError::new(DescriptorErrorKind::OutOfMemory, "", "");
        self.set.try_reserve(more).map_err(no_memory)
    }

    /// The names of files that others import and that have not been added, sorted. Reads all added files; ignores what is malformed, and
    /// imports that may be missing.
    ///
    /// # Panics
    /// Aborts if the allocator fails.
    #[must_use]
    pub fn missing_imports(&self) -> Vec<&str> {
        let (mut names, mut imports) = (BTreeSet::new(), BTreeSet::new());
        let known = self.base.data().files.iter();
        names.extend(known.map(|file| self.base.data().text(file.name)));
        for file in read::children(&self.set, 1) {
            let name = Outline::read(file, &mut imports);
            names.insert(name);
        }
        imports.into_iter().filter(|import| !names.contains(import)).collect()
    }

    /// Makes the pool. The builder keeps its files, so that more can be added.
    ///
    /// # Errors
    /// As [`PoolOptions::decode`].
    pub fn build(&self) -> Result<DescriptorPool, DescriptorError> {
        self.options.add(&self.base, &self.set)
    }
}

/// The verbs of pools, with these bounds.
impl PoolOptions {
    /// Loads a set as [`DescriptorPool::decode`] does, with these bounds.
    ///
    /// # Errors
    /// As [`DescriptorPool::decode`]; `TooMany` or `TooDeep` if the set exceeds a bound.
    pub fn decode(&self, set: &[u8]) -> Result<DescriptorPool, DescriptorError> {
        load(core::iter::empty(), set, self)
    }

    /// Adds a set as [`DescriptorPool::add_file_descriptor_set`] does, with these bounds. They apply to the
    /// new pool with all its files; the memory of the pool that is given does not count.
    ///
    /// # Errors
    /// As [`DescriptorPool::add_file_descriptor_set`].
    pub fn add(&self, pool: &DescriptorPool, set: &[u8]) -> Result<DescriptorPool, DescriptorError> {
        let known = pool.0.files.iter();
        let known = known.map(|f| FileInput { bytes: pool.0.bytes(f.proto), of_tables: f.of_tables });
        load(known, set, self)
    }
}

/// Names in an encoded file.
struct Outline;

impl Outline {
    /// The name of a file; adds its imports, without weak ones.
    fn read<'f>(file: &'f [u8], imports: &mut BTreeSet<&'f str>) -> &'f str {
        let (mut name, mut found, mut weak) = ("", Vec::new(), Vec::new());
        let mut reader = Reader::new(file);
        while let Ok(Some(tag)) = reader.next_tag() {
            let read = match (tag.number(), tag.wire_type()) {
                (1, WireType::LengthDelimited) => reader.read_str().map(|text| name = text),
                (3, WireType::LengthDelimited) => reader.read_str().map(|text| found.push(text)),
                (11, WireType::Varint) => reader.read_varint().map(|index| weak.push(index)),
                (11, WireType::LengthDelimited) => {
                    reader.read_packed_varints().map(|indexes| weak.extend(indexes.map_while(Result::ok)))
                }
                _ => reader.skip_field(tag),
            };
            if read.is_err() {
                break;
            }
        }
        weak.sort_unstable();
        let strong = (0u64..).zip(found).filter(|(index, _)| weak.binary_search(index).is_err());
        imports.extend(strong.map(|(_, import)| import));
        name
    }
}

/// How many bytes of files were added, and to what.
impl fmt::Debug for PoolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PoolBuilder({:?} and {} bytes)", self.base, self.set.len())
    }
}

// descriptor.proto, complete as of protobuf v36, as a descriptor set.
//
// `descriptor.binpb` is what `tablepb compile` makes of the source in `crates/schema`; a test there compares the two byte for byte, and with
// `WRITE_DESCRIPTOR` in the environment writes the file anew.

const SET: &[u8] = include_bytes!("descriptor.binpb");

/// The pool of descriptor.proto. With `std` it is made once; without, for every call.
fn descriptor_proto() -> DescriptorPool {
    let make = || DescriptorPool::make_builtin(SET).unwrap_or_default();
    #[cfg(feature = "std")]
    {
        static POOL: std::sync::OnceLock<DescriptorPool> = std::sync::OnceLock::new();
        POOL.get_or_init(make).clone()
    }
    #[cfg(not(feature = "std"))]
    make()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_set_makes_a_pool() {
        let pool = DescriptorPool::make_builtin(SET).unwrap();
        let names: Vec<_> = pool.files().map(|f| alloc::string::String::from(f.name())).collect();
        assert_eq!(names, ["google/protobuf/descriptor.proto"]);
        let file = pool.find_file("google/protobuf/descriptor.proto").unwrap();
        assert_eq!(file.edition(), super::super::Edition::Proto2);
        let field = pool.find_message("google.protobuf.FieldDescriptorProto").unwrap();
        assert_eq!(field.fields().len(), 11);
        assert!(pool.find_enum("google.protobuf.FieldDescriptorProto.Type").unwrap().is_closed());
    }
}

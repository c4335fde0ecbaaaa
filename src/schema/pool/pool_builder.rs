//! [`PoolBuilder`]: files one at a time.

use super::descriptor_pool::{SET_FILE, push_file};
use super::{DescriptorPool, PoolOptions, read};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use crate::wire::{Reader, WireType};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

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
/// use tablepb::{DescriptorErrorKind, PoolBuilder};
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
/// assert!(builder.missing_imports().is_empty() && pool.get_message_by_name("B").is_some());
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
    /// As [`DescriptorPool::decode_with`].
    pub fn build(&self) -> Result<DescriptorPool, DescriptorError> {
        self.base.add_with(&self.set, &self.options)
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

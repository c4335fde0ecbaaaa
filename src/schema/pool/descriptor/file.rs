//! [`FileDescriptor`], and the services of a file: [`ServiceDescriptor`], [`MethodDescriptor`].

use crate::schema::pool::model::{Container, FileData, Import, IndexRange, MethodData, ServiceData};
use crate::schema::pool::print;
use crate::schema::pool::{DescriptorPool, Edition, EnumDescriptor, ExtensionDescriptor, MessageDescriptor};
use alloc::string::String;
use core::fmt;

/// A .proto file of a pool.
///
/// A handle, `Send + Sync`; `Clone` increments a reference count.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FileDescriptor {
    pool: DescriptorPool,
    index: u32,
}

impl FileDescriptor {
    pub(in crate::schema::pool) fn new(pool: &DescriptorPool, index: u32) -> Self {
        Self { pool: pool.clone(), index }
    }

    pub(in crate::schema::pool) fn data(&self) -> &FileData {
        &self.pool.data().files[self.index as usize]
    }

    /// The pool the file belongs to.
    #[must_use]
    pub fn parent_pool(&self) -> &DescriptorPool {
        &self.pool
    }

    /// The name that other files import, such as `google/protobuf/any.proto`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.pool.data().text(self.data().name)
    }

    /// The package, or `""`.
    #[must_use]
    pub fn package_name(&self) -> &str {
        self.pool.data().text(self.data().package)
    }

    /// The language version.
    #[must_use]
    pub fn edition(&self) -> Edition {
        self.data().edition
    }

    /// The imported files, in the order of the file, without option imports and missing weak imports.
    pub fn dependencies(&self) -> impl Iterator<Item = FileDescriptor> + '_ {
        self.imports(|import| import != Import::Option)
    }

    /// The files imported with `import public`: importers of this file see their definitions too.
    pub fn public_dependencies(&self) -> impl Iterator<Item = FileDescriptor> + '_ {
        self.imports(|import| import == Import::Public)
    }

    fn imports(&self, wanted: fn(Import) -> bool) -> impl Iterator<Item = FileDescriptor> + '_ {
        let files = self.pool.data().files.len();
        let dependencies = self.data().dependencies.of(&self.pool.data().dependencies).iter();
        dependencies
            .filter(move |d| wanted(d.import) && (d.file as usize) < files)
            .map(|d| FileDescriptor::new(&self.pool, d.file))
    }

    /// The message type that a record in Confluent's framing names by indexes: that of a top-level message, then of a message nested in
    /// it, and so on, map entries counted. `None` if there is no such message.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, stream::confluent};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "example.Log",
    ///     &[FieldTable::new("line", 1, Kind::String), FieldTable::map("labels", 2, Kind::String, Kind::String)],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
    ///
    /// let record = confluent::read_record(b"\0\0\0\0\x07\0\x0a\x02hi")?;
    /// let file = log.parent_file();
    /// assert_eq!(file.message_at(record.indexes.iter()), Some(log));
    /// assert!(file.message_at([0, 0]).unwrap().is_map_entry());
    /// assert!(file.message_at([0, 1]).is_none() && file.message_at([1]).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn message_at(&self, indexes: impl IntoIterator<Item = usize>) -> Option<MessageDescriptor> {
        let mut at = None;
        for index in indexes {
            // Not the nth of the descriptors: each one before it would be made, at 10 ns, which is what a record of Kafka costs.
            let inside = at.map_or(Container::File(self.index), Container::Message);
            at = Some(*self.pool.data().messages_in(inside).get(index)?);
        }
        at.map(|message| MessageDescriptor::new(&self.pool, message))
    }

    /// The top-level messages, in the order of the file.
    #[must_use]
    pub fn messages(&self) -> impl ExactSizeIterator<Item = MessageDescriptor> + '_ {
        self.pool
            .data()
            .messages_in(Container::File(self.index))
            .iter()
            .map(|&i| MessageDescriptor::new(&self.pool, i))
    }

    /// The top-level enums, in the order of the file.
    #[must_use]
    pub fn enums(&self) -> impl ExactSizeIterator<Item = EnumDescriptor> + '_ {
        self.pool
            .data()
            .enums_in(Container::File(self.index))
            .iter()
            .map(|&i| EnumDescriptor::new(&self.pool, i))
    }

    /// The extensions declared at the top level, in the order of the file.
    #[must_use]
    pub fn extensions(&self) -> impl ExactSizeIterator<Item = ExtensionDescriptor> + '_ {
        self.pool
            .data()
            .extensions_in(Container::File(self.index))
            .iter()
            .map(|&i| ExtensionDescriptor::new(&self.pool, i))
    }

    /// The services, in the order of the file.
    #[must_use]
    pub fn services(&self) -> impl ExactSizeIterator<Item = ServiceDescriptor> + '_ {
        let IndexRange { start, end } = self.data().services;
        (start..end).map(|i| ServiceDescriptor::new(&self.pool, i))
    }

    /// Whether the file is marked `deprecated`.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.data().deprecated
    }

    /// The file's `google.protobuf.FileDescriptorProto`, encoded, as it was in the set.
    #[must_use]
    pub fn file_descriptor_proto_bytes(&self) -> &[u8] {
        self.pool.data().bytes(self.data().proto)
    }

    /// The file's `google.protobuf.FileOptions`, encoded, custom options included.
    #[must_use]
    pub fn options_bytes(&self) -> &[u8] {
        self.pool.data().bytes(self.data().options)
    }

    /// The file as .proto source, which compiles to the same descriptors.
    ///
    /// Prints the comments of definitions, statements and options if the file has `source_code_info`, those of blocks as line comments; leaves
    /// out comments in other places, and custom options whose extensions are not in the pool.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static LOG: MessageTable =
    ///     MessageTable::new("pkg.Log", &[FieldTable::new("lines", 1, Kind::String).repeated()]);
    /// let pool = DescriptorPool::from_tables(&[&LOG])?;
    /// assert_eq!(
    ///     pool.files().next().unwrap().to_proto(),
    ///     "syntax = \"proto3\";\n\npackage pkg;\n\nmessage Log {\n  repeated string lines = 1;\n}\n"
    /// );
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    #[must_use]
    pub fn to_proto(&self) -> String {
        print::file(&self.pool, self.index)
    }
}

impl fmt::Debug for FileDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileDescriptor({})", self.name())
    }
}

/// A service of a pool: a named list of methods. This crate does not call them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ServiceDescriptor {
    pool: DescriptorPool,
    index: u32,
}

described!(ServiceDescriptor, "service", "`package.Name`", "ServiceOptions", self => (&self.pool, self.data().file), package);

impl ServiceDescriptor {
    pub(in crate::schema::pool) fn new(pool: &DescriptorPool, index: u32) -> Self {
        Self { pool: pool.clone(), index }
    }

    fn data(&self) -> &ServiceData {
        &self.pool.data().services[self.index as usize]
    }

    /// The methods, in the order of the file.
    #[must_use]
    pub fn methods(&self) -> impl ExactSizeIterator<Item = MethodDescriptor> + '_ {
        let IndexRange { start, end } = self.data().methods;
        (0..end - start).map(|i| MethodDescriptor { service: self.clone(), index: i })
    }

    /// Whether the service is marked `deprecated`.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.data().deprecated
    }
}

/// A method of a service.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MethodDescriptor {
    service: ServiceDescriptor,
    index: u32,
}

described!(MethodDescriptor, "method", "that of the service, a dot and the name", "MethodOptions", self => (&self.service.pool, self.service.data().file));

impl MethodDescriptor {
    fn data(&self) -> &MethodData {
        &self.service.data().methods.of(&self.service.pool.data().methods)[self.index as usize]
    }

    /// The service.
    #[must_use]
    pub fn parent_service(&self) -> &ServiceDescriptor {
        &self.service
    }

    /// The message type of requests.
    #[must_use]
    pub fn input(&self) -> MessageDescriptor {
        MessageDescriptor::new(&self.service.pool, self.data().input)
    }

    /// The message type of responses.
    #[must_use]
    pub fn output(&self) -> MessageDescriptor {
        MessageDescriptor::new(&self.service.pool, self.data().output)
    }

    /// Whether the client sends a stream of messages.
    #[must_use]
    pub fn is_client_streaming(&self) -> bool {
        self.data().client_streaming
    }

    /// Whether the server sends a stream of messages.
    #[must_use]
    pub fn is_server_streaming(&self) -> bool {
        self.data().server_streaming
    }

    /// Whether the method is marked `deprecated`.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.data().deprecated
    }
}

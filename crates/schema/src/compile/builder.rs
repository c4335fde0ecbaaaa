//! [`SourceBuilder`]: pools out of sources.

use crate::compile::error::{SourceDiagnostic, SourceError};
use crate::compile::load::request::{Place, Request};
use crate::compile::load::resolver::FileResolver;
use crate::compile::pipeline;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use tablepb::DescriptorPool;
use tablepb::schema::PoolOptions;

/// Compiles `.proto` sources to a [`DescriptorPool`], without protoc.
///
/// Takes proto2, proto3 and the editions 2023, 2024 and 2026, with custom options. The descriptors are those that `protoc`
/// 36 makes, byte for byte; [`DescriptorPool::encode_to_vec`] gives them as a set. Imports are looked for among the sources, then
/// in the resolvers and directories in the order they were added, and last among the well-known files of protobuf, which are
/// built in: those with the well-known types, `descriptor.proto`, `compiler/plugin.proto`, and the features of C++, Go and Java.
///
/// ```
/// use tablepb_schema::SourceBuilder;
///
/// let pool = SourceBuilder::new()
///     .source("user.proto", r#"
///         syntax = "proto3";
///         package app;
///         import "google/protobuf/timestamp.proto";
///         message User {
///             string name = 1;
///             google.protobuf.Timestamp created = 2;
///         }
///     "#)
///     .build()?;
/// let user = pool.message("app.User")?;
/// assert_eq!(user.field("name")?.number(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct SourceBuilder<'r>(Request<'r>);

impl<'r> SourceBuilder<'r> {
    /// A builder without files, with the default bounds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file: the name under which others import it, and its source. Of two files of one name the first counts.
    pub fn source(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.0.sources.push((name.into(), text.into()));
        self
    }

    /// Adds a file that a resolver, a directory or protobuf itself has.
    ///
    /// ```
    /// use tablepb_schema::SourceBuilder;
    ///
    /// let pool = SourceBuilder::new().file("google/protobuf/any.proto").build()?;
    /// assert!(pool.message("google.protobuf.Any").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn file(mut self, name: impl Into<String>) -> Self {
        self.0.files.push(name.into());
        self
    }

    /// Adds a place where imported files are looked for.
    pub fn resolver(mut self, resolver: impl FileResolver + 'r) -> Self {
        self.0.places.push(Place::Resolver(Box::new(resolver)));
        self
    }

    /// Adds a directory in which imported files are looked for, as `protoc -I` does.
    ///
    /// No more of a file is read than the bound on memory ([`PoolOptions::memory`]). By default that follows the length of the file,
    /// which for devices and pipes is unknown: of them at most 1 MiB. Bytes of comments that are not UTF-8 become `?`.
    #[cfg(feature = "std")]
    pub fn include(mut self, directory: impl Into<std::path::PathBuf>) -> Self {
        self.0.places.push(Place::Directory(directory.into()));
        self
    }

    /// Sets the bounds. They count twice: for the sources while they are compiled, and for the pool.
    ///
    /// [`PoolOptions::memory`] raises or lowers the bound on memory, that on the length of what is read from directories included.
    ///
    /// ```
    /// use tablepb::schema::PoolOptions;
    /// use tablepb_schema::{SourceBuilder, SourceErrorKind};
    ///
    /// let source = "syntax = \"proto3\"; message Log { string line = 1; }";
    /// let build = |bytes| {
    ///     let options = PoolOptions::new().memory(bytes);
    ///     SourceBuilder::new().source("log.proto", source).with_options(options).build()
    /// };
    /// assert_eq!(build(1000).unwrap_err().kind(), SourceErrorKind::BudgetExceeded);
    /// assert!(build(64 << 20).is_ok());
    /// ```
    pub fn with_options(mut self, options: PoolOptions) -> Self {
        self.0.options = options;
        self
    }

    /// Sets how many faults an error lists; 100 by default, and at least 1.
    ///
    /// ```
    /// use tablepb_schema::SourceBuilder;
    ///
    /// let source = "message A { optional B b = 1; }\nmessage C { optional D d = 1; }";
    /// let build = |most| SourceBuilder::new().source("a.proto", source).max_faults(most).build();
    /// assert_eq!(build(100).unwrap_err().diagnostics().len(), 2);
    /// assert_eq!(build(1).unwrap_err().diagnostics().len(), 1);
    /// ```
    pub fn max_faults(mut self, most: usize) -> Self {
        self.0.max_faults = Some(most);
        self
    }

    /// Keeps the places and comments of definitions, as `FileDescriptorProto.source_code_info`; off at first.
    ///
    /// The locations are those of `protoc --include_source_info`, in its order. They take two to three times as much memory as the rest of
    /// a file's descriptor. [`FileDescriptor::to_proto`](tablepb::schema::FileDescriptor::to_proto) prints the comments.
    ///
    /// ```
    /// use tablepb_schema::SourceBuilder;
    ///
    /// let source = "syntax = \"proto3\";\n\n// A line of a log.\nmessage Line {}\n";
    /// let pool = SourceBuilder::new().source("line.proto", source).include_source_info(true).build()?;
    /// assert_eq!(pool.file("line.proto")?.to_proto(), source);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn include_source_info(mut self, include: bool) -> Self {
        self.0.source_info = include;
        self
    }

    /// Keeps options that are for the source alone (`retention = RETENTION_SOURCE`), as `protoc --retain_options` does, which writes the parts of one
    /// option as so many messages, and not as one; off at first.
    ///
    /// ```
    /// use tablepb_schema::SourceBuilder;
    ///
    /// let source = "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\";
    ///     extend google.protobuf.MessageOptions { optional int32 note = 50000 [retention = RETENTION_SOURCE]; }
    ///     message M { option (note) = 1; }";
    /// let build = |retain| SourceBuilder::new().source("m.proto", source).retain_options(retain).build();
    /// assert!(build(false)?.message("M")?.options_bytes().is_empty());
    /// assert_eq!(build(true)?.message("M")?.options().to_string(), "[note]:1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retain_options(mut self, retain: bool) -> Self {
        self.0.retain_options = retain;
        self
    }

    /// Compiles the files with all that they import.
    ///
    /// The sources may come from an untrusted author: the result is a checked pool or an error, never a panic. Takes n log n time in
    /// the length of the sources, and at most 1 MiB of memory plus 32 bytes per byte of them, and as much again for the
    /// pool ([`PoolOptions`]).
    ///
    /// # Errors
    /// All faults of the sources, each with its line: those of syntax, of names, of options, and of definitions. What a fault is likely
    /// to have caused is not listed: a name that stands in a statement that was not understood, a fault in the statement of another one.
    pub fn build(self) -> Result<DescriptorPool, SourceError> {
        pipeline::pool(&self.0, false).map(|(pool, _)| pool)
    }

    /// As [`build`](Self::build), with what is worth a warning in the files that were named, as protoc reports it: imports that nothing refers
    /// to, options that the edition deprecates, JSON names of proto2 that conflict, and reserved names that are no identifiers. Costs a
    /// walk over all descriptors.
    ///
    /// ```
    /// use tablepb_schema::{SourceBuilder, SourceErrorKind};
    ///
    /// let source = "syntax = \"proto3\";\nimport \"google/protobuf/any.proto\";\nmessage A { int32 a = 1; }";
    /// let (pool, warnings) = SourceBuilder::new().source("a.proto", source).build_with_warnings()?;
    /// assert!(pool.message("A").is_ok());
    /// assert_eq!((warnings[0].kind(), warnings[0].line()), (SourceErrorKind::UnusedImport, 2));
    /// # Ok::<(), tablepb_schema::SourceError>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build). The process aborts if the allocator fails while warnings are looked for.
    pub fn build_with_warnings(self) -> Result<(DescriptorPool, Vec<SourceDiagnostic>), SourceError> {
        pipeline::pool(&self.0, true)
    }
}

impl fmt::Debug for SourceBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SourceBuilder ")?;
        f.debug_list().entries(self.0.roots()).finish()
    }
}

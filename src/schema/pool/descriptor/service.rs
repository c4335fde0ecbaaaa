//! [`ServiceDescriptor`] and [`MethodDescriptor`].

use crate::schema::pool::model::{IndexRange, MethodData, ServiceData};
use crate::schema::pool::{DescriptorPool, FileDescriptor, MessageDescriptor};
use core::fmt;

/// A service of a pool: a named list of methods. This crate does not call them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ServiceDescriptor {
    pool: DescriptorPool,
    index: u32,
}

impl ServiceDescriptor {
    pub(in crate::schema::pool) fn new(pool: &DescriptorPool, index: u32) -> Self {
        Self { pool: pool.clone(), index }
    }

    fn data(&self) -> &ServiceData {
        &self.pool.data().services[self.index as usize]
    }

    /// The pool the service belongs to.
    #[must_use]
    pub fn parent_pool(&self) -> &DescriptorPool {
        &self.pool
    }

    /// The file that defines the service.
    #[must_use]
    pub fn parent_file(&self) -> FileDescriptor {
        FileDescriptor::new(&self.pool, self.data().file)
    }

    /// The name without the package.
    #[must_use]
    pub fn name(&self) -> &str {
        self.pool.data().text(self.data().name.local())
    }

    /// The full name, `package.Name`.
    #[must_use]
    pub fn full_name(&self) -> &str {
        self.pool.data().text(self.data().name.full())
    }

    /// The package of the file that declares it, or `""`.
    #[must_use]
    pub fn package_name(&self) -> &str {
        let data = self.pool.data();
        data.files.get(self.data().file as usize).map_or("", |file| data.text(file.package))
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

    /// The service's `google.protobuf.ServiceOptions`, encoded, custom options included.
    #[must_use]
    pub fn options_bytes(&self) -> &[u8] {
        self.pool.data().bytes(self.data().options)
    }
}

impl fmt::Debug for ServiceDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServiceDescriptor({})", self.full_name())
    }
}

/// A method of a service.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MethodDescriptor {
    service: ServiceDescriptor,
    index: u32,
}

impl MethodDescriptor {
    fn data(&self) -> &MethodData {
        &self.service.data().methods.of(&self.service.pool.data().methods)[self.index as usize]
    }

    /// The pool that the method belongs to.
    #[must_use]
    pub fn parent_pool(&self) -> &DescriptorPool {
        self.parent_service().parent_pool()
    }

    /// The file that declares the method.
    #[must_use]
    pub fn parent_file(&self) -> FileDescriptor {
        self.parent_service().parent_file()
    }

    /// The service.
    #[must_use]
    pub fn parent_service(&self) -> &ServiceDescriptor {
        &self.service
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.service.pool.data().text(self.data().name.local())
    }

    /// The full name: that of the service, a dot and the name.
    #[must_use]
    pub fn full_name(&self) -> &str {
        self.service.pool.data().text(self.data().name.full())
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

    /// The method's `google.protobuf.MethodOptions`, encoded, custom options included.
    #[must_use]
    pub fn options_bytes(&self) -> &[u8] {
        self.service.pool.data().bytes(self.data().options)
    }
}

impl fmt::Debug for MethodDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MethodDescriptor({})", self.full_name())
    }
}

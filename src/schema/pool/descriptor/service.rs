//! [`ServiceDescriptor`] and [`MethodDescriptor`].

use crate::schema::pool::model::{IndexRange, MethodData, ServiceData};
use crate::schema::pool::{DescriptorPool, FileDescriptor, MessageDescriptor};

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

//! Services whose schema is known at run time: [`DynamicClient`] calls any method, [`DynamicServer`] serves any.

mod client;
mod server;

pub use client::DynamicClient;
pub use server::{BoxStream, DynamicServer};

use tablepb::DescriptorPool;
use tablepb::prost_reflect_names::PoolNames;
use tablepb::schema::MethodDescriptor;
use tonic::Status;

/// The method of a name: `pkg.Service/Method`, with or without a slash before it, or `pkg.Service.Method`.
fn find(pool: &DescriptorPool, name: &str) -> Result<MethodDescriptor, Status> {
    let name = name.strip_prefix('/').unwrap_or(name);
    let (service, method) = name
        .rsplit_once('/')
        .or_else(|| name.rsplit_once('.'))
        .ok_or_else(|| Status::unimplemented(format!("{name} is no name of a method: pkg.Service/Method")))?;
    let service = pool.service(service).map_err(|error| Status::unimplemented(error.to_string()))?;
    let found = service.methods().find(|found| found.name() == method);
    found.ok_or_else(|| Status::unimplemented(format!("{} has no method {method}", service.full_name())))
}

/// The method of a path, without a search for the nearest name, which a client could make a server do.
fn find_known(pool: &DescriptorPool, path: &str) -> Option<MethodDescriptor> {
    let (service, method) = path.strip_prefix('/')?.split_once('/')?;
    pool.get_service_by_name(service)?.methods().find(|found| found.name() == method)
}

/// The path of a method in a request.
fn path(method: &MethodDescriptor) -> String {
    format!("/{}/{}", method.parent_service().full_name(), method.name())
}

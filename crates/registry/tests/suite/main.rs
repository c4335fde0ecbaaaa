//! A registry in memory, over HTTP and TLS; and a real one, which `apicurio` starts.

mod failures;
mod real;
mod schemas;
mod server;
mod tls;

use server::{Server, schema};
use std::time::Duration;
use tablepb_registry::{Registry, RegistryBuilder, RegistryError, RegistryErrorKind};

/// A client that waits a millisecond.
fn quick(server: &Server) -> RegistryBuilder {
    Registry::builder(&server.url).attempts(3, Duration::from_millis(1))
}

fn registry(server: &Server) -> Registry {
    quick(server).build().unwrap()
}

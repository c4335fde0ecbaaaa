//! Server reflection, v1 and v1alpha: a server tells its schema, and a client loads it.
//!
//! | | |
//! |---|---|
//! | [`ReflectionServer`] | the services for a server, out of pools |
//! | [`ReflectionClient`] | a pool out of a running server, within bounds |
//!
//! ```no_run
//! # async fn serve(pool: tablepb::DescriptorPool) -> Result<(), Box<dyn std::error::Error>> {
//! use tablepb_tonic::reflection::ReflectionServer;
//!
//! let reflection = ReflectionServer::new([pool]);
//! tonic::transport::Server::builder()
//!     .add_service(reflection.v1())
//!     .add_service(reflection.v1alpha())
//!     .serve("127.0.0.1:50051".parse()?)
//!     .await?;
//! # Ok(())
//! # }
//! ```

mod client;
mod index;
mod server;

pub use client::ReflectionClient;
pub use server::{ReflectionServer, Responses};

/// The messages and stubs of `grpc.reflection.v1`.
pub mod v1 {
    pub use crate::pb::reflection_v1::*;
}

/// The stubs of `grpc.reflection.v1alpha`; its messages are those of [`v1`].
pub mod v1alpha {
    pub use crate::pb::reflection_v1alpha::*;
}

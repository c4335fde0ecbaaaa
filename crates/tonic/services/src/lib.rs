//! Services that the build script writes, and their servers.

#![deny(missing_docs, warnings)]

include!(concat!(env!("OUT_DIR"), "/services.rs"));

mod greeter;
mod guide;

pub use greeter::MyGreeter;
pub use guide::Guide;

use tablepb::{DescriptorError, DescriptorPool};

/// The schema of the services, with comments: what the build script wrote beside the code.
///
/// # Errors
/// None: the build script checked it.
pub fn pool() -> Result<DescriptorPool, DescriptorError> {
    DescriptorPool::decode(include_bytes!(concat!(env!("OUT_DIR"), "/services.binpb")))
}

#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "runtime")]
mod codec;
#[cfg(feature = "runtime")]
pub mod dynamic;
#[cfg(feature = "build")]
mod generator;
#[cfg(feature = "health")]
pub mod health;
#[cfg(feature = "runtime")]
mod pb;
#[cfg(feature = "reflection")]
pub mod reflection;
#[cfg(feature = "runtime")]
pub mod status;
#[cfg(feature = "transcode")]
pub mod transcode;

#[cfg(feature = "runtime")]
pub use codec::{BoundedCodec, Codec, CodecOptions, DefaultOptions, DynamicCodec, SHARE_FROM};
#[cfg(feature = "runtime")]
pub use dynamic::{DynamicClient, DynamicServer};
#[cfg(feature = "build")]
pub use generator::Generator;
#[cfg(feature = "transcode")]
pub use transcode::Transcoder;

/// A generator of clients and servers for tonic: for `tablepb_build::Config::service_generator`.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), tablepb_build::BuildError> {
///     tablepb_build::Config::new()
///         .service_generator(tablepb_tonic::generator())
///         .compile(&["proto/helloworld.proto"], &["proto"])
/// }
/// ```
#[cfg(feature = "build")]
pub fn generator() -> Generator {
    Generator::new()
}

/// Compiles `.proto` files to structs, clients and servers in `OUT_DIR`, with all defaults.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), tablepb_build::BuildError> {
///     tablepb_tonic::compile(&["proto/helloworld.proto"], &["proto"])
/// }
/// ```
///
/// # Errors
/// As `tablepb_build::Config::compile`.
#[cfg(feature = "build")]
pub fn compile(
    protos: &[impl AsRef<std::path::Path>],
    includes: &[impl AsRef<std::path::Path>],
) -> Result<(), tablepb_build::BuildError> {
    tablepb_build::Config::new().service_generator(generator()).compile(protos, includes)
}

#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod error;
mod output;
mod parameter;
pub mod plugin;
mod service;
mod sources;

pub use config::Config;
pub use error::BuildError;
pub use output::File;
pub use service::{Method, Service, ServiceGenerator};
pub use tablepb_schema::{MapType, OpenEnumType, TextType};

use std::path::Path;

/// Compiles `.proto` files to structs in `OUT_DIR`, one file for each package, with the defaults of [`Config`].
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), tablepb_build::BuildError> {
///     tablepb_build::compile(&["proto/shop.proto"], &["proto"])
/// }
/// ```
///
/// and in the crate `tablepb::include_proto!("shop");`.
///
/// # Errors
/// As [`Config::compile`].
pub fn compile(protos: &[impl AsRef<Path>], includes: &[impl AsRef<Path>]) -> Result<(), BuildError> {
    Config::new().compile(protos, includes)
}

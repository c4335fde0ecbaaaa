//! What a builder collects.

use super::resolver::FileResolver;
use crate::schema::PoolOptions;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// What is to be compiled.
#[derive(Default)]
pub(super) struct Request<'r> {
    pub(super) sources: Vec<(String, String)>,
    pub(super) resolvers: Vec<Box<dyn FileResolver + 'r>>,
    /// Names of files that the resolvers have.
    pub(super) files: Vec<String>,
    pub(super) options: PoolOptions,
    /// Keep places and comments.
    pub(super) source_info: bool,
}

impl Request<'_> {
    /// The names of the files that are asked for.
    pub(super) fn roots(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|(name, _)| name.as_str()).chain(self.files.iter().map(String::as_str))
    }
}

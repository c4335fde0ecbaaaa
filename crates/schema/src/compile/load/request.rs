//! What a builder collects.

use super::resolver::FileResolver;
use crate::schema::pool::PoolOptions;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Where files are looked for.
pub(super) enum Place<'r> {
    Resolver(Box<dyn FileResolver + 'r>),
    #[cfg(feature = "std")]
    Directory(std::path::PathBuf),
}

/// What is to be compiled.
#[derive(Default)]
pub(super) struct Request<'r> {
    pub(super) sources: Vec<(String, String)>,
    pub(super) places: Vec<Place<'r>>,
    /// Names of files that are in one of the places.
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

/// The directories of a request: for a file that is in none of them.
pub(super) struct Searched<'s, 'r>(pub(super) &'s Request<'r>);

impl fmt::Display for Searched<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.places.is_empty() {
            return f.write_str("");
        }
        #[cfg(feature = "std")]
        {
            let mut before = "; searched in ";
            for place in &self.0.places {
                let Place::Directory(directory) = place else { continue };
                write!(f, "{before}{}", directory.display())?;
                if !directory.is_dir() {
                    f.write_str(" (no such directory)")?;
                }
                before = ", ";
            }
        }
        Ok(())
    }
}

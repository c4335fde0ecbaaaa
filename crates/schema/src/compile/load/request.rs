//! What a builder collects.

use crate::compile::load::resolver::FileResolver;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use tablepb::schema::PoolOptions;

/// Where files are looked for.
pub(crate) enum Place<'r> {
    Resolver(Box<dyn FileResolver + 'r>),
    #[cfg(feature = "std")]
    Directory(std::path::PathBuf),
}

/// What is to be compiled.
#[derive(Default)]
pub(crate) struct Request<'r> {
    pub(crate) sources: Vec<(String, String)>,
    pub(crate) places: Vec<Place<'r>>,
    /// Names of files that are in one of the places.
    pub(crate) files: Vec<String>,
    pub(crate) options: PoolOptions,
    /// Keep places and comments.
    pub(crate) source_info: bool,
    /// Keep options that are for the source alone.
    pub(crate) retain_options: bool,
    /// How many faults are listed, if another number than by default.
    pub(crate) max_faults: Option<usize>,
}

impl Request<'_> {
    /// The names of the files that are asked for.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|(name, _)| name.as_str()).chain(self.files.iter().map(String::as_str))
    }
}

/// The directories of a request: for a file that is in none of them.
pub(crate) struct Searched<'s, 'r>(pub(crate) &'s Request<'r>);

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

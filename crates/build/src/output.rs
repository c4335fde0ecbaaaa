//! [`File`]: what is generated, and how it is written.

use crate::BuildError;
use std::path::Path;

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    name: String,
    content: String,
    package: Option<String>,
}

impl File {
    pub(crate) fn new(name: String, content: String, package: Option<String>) -> Self {
        Self { name, content, package }
    }

    /// Its name in the directory: `a.b.rs` for the package `a.b`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The package that it is for; `None` for the file with all modules.
    pub fn package(&self) -> Option<&str> {
        self.package.as_deref()
    }

    /// Writes the file into a directory, unless it is there and the same: cargo then builds nothing again.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), BuildError> {
        let path = directory.join(&self.name);
        if self.is_written(directory) {
            return Ok(());
        }
        let fail = |error| BuildError::caused(format_args!("{} cannot be written: ", path.display()), error);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(fail)?;
        }
        std::fs::write(&path, &self.content).map_err(fail)
    }

    /// Whether the directory has the file with this text.
    pub fn is_written(&self, directory: &Path) -> bool {
        std::fs::read(directory.join(&self.name)).is_ok_and(|found| found == self.content.as_bytes())
    }
}

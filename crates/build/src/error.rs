//! [`BuildError`].

use std::fmt;

/// Why nothing was generated: a fault of a schema with its place and its line, a file that cannot be read or written, a parameter.
///
/// `Debug` is the text of `Display`, for that is what a `build.rs` shows that returns it.
pub struct BuildError(Box<Inner>);

struct Inner {
    text: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl BuildError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(Box::new(Inner { text: text.into(), source: None }))
    }

    /// An error with its cause, whose text follows.
    pub(crate) fn caused(
        what: impl fmt::Display,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        let text = format!("{what}{source}");
        Self(Box::new(Inner { text, source: Some(Box::new(source)) }))
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| &**source as _)
    }
}

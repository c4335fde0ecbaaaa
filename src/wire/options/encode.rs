//! The limits and choices of encoding.

use crate::wire::DEFAULT_DEPTH;

/// Limits and choices for encoding. [`new`](Self::new) has the defaults.
///
/// ```
/// use tablepb::EncodeOptions;
///
/// const STABLE: EncodeOptions = EncodeOptions::new().deterministic(true);
/// assert!(STABLE.is_deterministic());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct EncodeOptions {
    max_depth: u32,
    deterministic: bool,
    allow_partial: bool,
}

impl Default for EncodeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl EncodeOptions {
    /// The defaults: a depth of 100, maps are written in their own order, and required fields are checked.
    pub const fn new() -> Self {
        Self { max_depth: DEFAULT_DEPTH, deterministic: false, allow_partial: false }
    }

    /// Sets how deep messages may nest; 100 by default. The root message is at depth 0.
    ///
    /// The value of a map entry is always written, and so is a level, even if the entry was decoded without it.
    pub const fn max_depth(mut self, levels: u32) -> Self {
        self.max_depth = levels;
        self
    }

    /// Sets whether maps are written in key order, so that equal messages become equal bytes however they were built;
    /// off by default. Fields are in number order either way, and unknown fields come after them. Allocates four
    /// bytes per entry of a map while it is written.
    pub const fn deterministic(mut self, deterministic: bool) -> Self {
        self.deterministic = deterministic;
        self
    }

    /// Sets whether required fields may be missing; by default that is an error.
    pub const fn allow_partial(mut self, allow: bool) -> Self {
        self.allow_partial = allow;
        self
    }

    /// The limit set by [`max_depth`](Self::max_depth).
    #[must_use]
    pub const fn depth_limit(&self) -> u32 {
        self.max_depth
    }

    /// Whether maps are written in key order.
    #[must_use]
    pub const fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    /// Whether required fields may be missing.
    #[must_use]
    pub const fn allows_partial(&self) -> bool {
        self.allow_partial
    }
}

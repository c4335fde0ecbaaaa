//! What an encode checks, and in which order it writes.

use crate::wire::DEFAULT_DEPTH;

/// Choices of an encode, with the defaults of [`new`](Self::new).
///
/// ```
/// use tablepb::EncodeOptions;
///
/// const STABLE: EncodeOptions = EncodeOptions::new().deterministic(true);
/// assert!(STABLE.is_deterministic());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Depth 100, maps in the order they have, required fields checked.
    pub const fn new() -> Self {
        Self { max_depth: DEFAULT_DEPTH, deterministic: false, allow_partial: false }
    }

    /// Sets how deep messages may be nested; the root message is at depth 0.
    pub const fn max_depth(mut self, levels: u32) -> Self {
        self.max_depth = levels;
        self
    }

    /// Sets whether maps are written in key order: the same message gives the same bytes, however it was built.
    /// Fields are in number order either way, unknown fields behind them. Allocates four bytes per entry of a
    /// map while it is written.
    pub const fn deterministic(mut self, deterministic: bool) -> Self {
        self.deterministic = deterministic;
        self
    }

    /// Sets whether required fields may be missing.
    pub const fn allow_partial(mut self, allow: bool) -> Self {
        self.allow_partial = allow;
        self
    }

    /// The depth limit.
    pub const fn depth_limit(&self) -> u32 {
        self.max_depth
    }

    /// Whether maps are written in key order.
    pub const fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    /// Whether required fields may be missing.
    pub const fn allows_partial(&self) -> bool {
        self.allow_partial
    }
}

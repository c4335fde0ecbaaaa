//! The options of decoding and encoding, for structs and dynamic messages alike.

use super::error::DecodeErrorKind;
use super::{DEFAULT_DEPTH, MAX_LEN};

/// Setters of options: each takes the value of the field of its name.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident($value:ident: $type:ty);)*) => {$(
        $(#[$doc])*
        pub const fn $field(mut self, $value: $type) -> Self {
            self.$field = $value;
            self
        }
    )*};
}
#[cfg(feature = "reflect")]
pub(crate) use setters;

/// The memory that a call may take for an input of `len` bytes, in bytes: by default 1 MiB and 32 bytes per byte of input.
pub(crate) const fn budget_for(budget: Option<usize>, len: usize) -> usize {
    match budget {
        Some(bytes) => bytes,
        None => (1usize << 20).saturating_add(len.saturating_mul(32)),
    }
}

// The limits and choices of decoding.

/// Limits and choices for decoding. [`new`](Self::new) has the defaults.
///
/// ```
/// use tablepb::DecodeOptions;
///
/// const STRICT: DecodeOptions = DecodeOptions::new().max_depth(20).discard_unknown(true);
/// assert_eq!(STRICT.depth_limit(), 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct DecodeOptions {
    max_depth: u32,
    budget: Option<usize>,
    discard_unknown: bool,
    allow_partial: bool,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl DecodeOptions {
    /// The defaults: a depth of 100, a memory budget of 1 MiB plus 32 bytes per byte of input, unknown fields are
    /// kept, and required fields are checked.
    pub const fn new() -> Self {
        Self { max_depth: DEFAULT_DEPTH, budget: None, discard_unknown: false, allow_partial: false }
    }

    setters! {
        /// Sets how deep messages and groups may nest, unknown groups and map entries included; 100 by default. The root
        /// message is at depth 0. The value of a map entry is a level only if the input has it. Decoding into dynamic messages needs 48 bytes of heap per level and no stack.
        max_depth(levels: u32);
    }

    /// Sets how much memory one decode may allocate, in bytes; by default 1 MiB plus 32 bytes per byte of input. Where the input is
    /// copied, the copy counts: an input that does not fit is an error before anything is copied. A merge
    /// into a message that holds fields already may take more, in proportion to what the message holds.
    ///
    /// The default is enough for what programs usually write. It may be too little for thousands of messages of a type of many fields of which next to
    /// none are set: each takes up to 400 bytes.
    pub const fn budget(mut self, bytes: usize) -> Self {
        self.budget = Some(bytes);
        self
    }

    setters! {
        /// Sets whether unknown fields are dropped; by default they are kept. They are checked either way.
        discard_unknown(discard: bool);
        /// Sets whether required fields may be missing; by default that is an error.
        allow_partial(allow: bool);
    }

    /// The limit set by [`max_depth`](Self::max_depth).
    #[must_use]
    pub const fn depth_limit(&self) -> u32 {
        self.max_depth
    }

    /// The memory budget for an input of `len` bytes, in bytes.
    #[must_use]
    pub const fn budget_for(&self, len: usize) -> usize {
        budget_for(self.budget, len)
    }

    /// These options for a copy of an input of `len` bytes, which counts against the budget. Call it before the input is copied.
    ///
    /// # Errors
    /// `TooLarge` for an input above 2^31-1 bytes, and `BudgetExceeded` if the copy takes more than the budget.
    #[inline]
    pub(crate) fn for_copy(&self, len: usize) -> Result<Self, DecodeErrorKind> {
        if len > MAX_LEN {
            return Err(DecodeErrorKind::TooLarge);
        }
        match self.budget_for(len).checked_sub(len) {
            Some(left) => Ok(self.budget(left)),
            None => Err(DecodeErrorKind::BudgetExceeded),
        }
    }

    /// Whether unknown fields are dropped.
    #[must_use]
    pub const fn discards_unknown(&self) -> bool {
        self.discard_unknown
    }

    /// Whether required fields may be missing.
    #[must_use]
    pub const fn allows_partial(&self) -> bool {
        self.allow_partial
    }
}

// The limits and choices of encoding.

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

    setters! {
        /// Sets how deep messages may nest; 100 by default. The root message is at depth 0.
        ///
        /// The value of a map entry is always written, and so is a level, even if the entry was decoded without it.
        max_depth(levels: u32);
        /// Sets whether maps are written in key order, so that equal messages become equal bytes however they were built;
        /// off by default. Fields are in number order either way, and unknown fields come after them. Allocates four
        /// bytes per entry of a map while it is written.
        deterministic(deterministic: bool);
        /// Sets whether required fields may be missing; by default that is an error.
        allow_partial(allow: bool);
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

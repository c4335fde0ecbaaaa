//! Bounds for loading a descriptor set.

use crate::wire::options::budget_for;

/// Bounds for loading a descriptor set, with the defaults of [`new`](Self::new).
///
/// ```
/// use tablepb::schema::{DescriptorErrorKind, PoolOptions};
///
/// const SMALL: PoolOptions = PoolOptions::new().max_messages(1).memory(16 << 10);
/// let one = b"\x0a\x0a\x0a\x01f\x22\x05\x0a\x03Log";
/// assert!(SMALL.decode(one).is_ok());
/// let error = SMALL.max_messages(0).decode(one).unwrap_err();
/// assert_eq!(error.kind(), DescriptorErrorKind::TooMany);
/// let error = SMALL.memory(100).decode(one).unwrap_err();
/// assert_eq!(error.kind(), DescriptorErrorKind::BudgetExceeded);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct PoolOptions {
    memory: Option<usize>,
    messages: usize,
    fields: usize,
    depth: usize,
    faults: usize,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl PoolOptions {
    /// The defaults: 1 MiB of memory plus 32 bytes per byte of the set, messages nested at most 32 deep, as in C++,
    /// and as many messages and fields as memory allows.
    ///
    /// Real schemas take about 10 bytes per byte of the set. A message takes at least 1.1 KiB, and each definition keeps
    /// its full name, so a set of hundreds of tiny messages with one-letter names needs a larger bound: see
    /// [`memory`](Self::memory).
    pub const fn new() -> Self {
        Self { memory: None, messages: usize::MAX, fields: usize::MAX, depth: 32, faults: 1 }
    }

    /// No bounds, for tables: they are part of the program.
    pub(in crate::schema::pool) const fn unbounded() -> Self {
        Self {
            memory: Some(usize::MAX),
            messages: usize::MAX,
            fields: usize::MAX,
            depth: usize::MAX,
            faults: 1,
        }
    }

    /// Sets the most memory that loading may hold at any moment, in bytes, the finished pool included.
    pub const fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Sets the largest number of messages, nested ones and map entries included.
    pub const fn max_messages(mut self, messages: usize) -> Self {
        self.messages = messages;
        self
    }

    /// Sets the largest number of fields and extensions in all messages together. One message has at most 65 534.
    pub const fn max_fields(mut self, fields: usize) -> Self {
        self.fields = fields;
        self
    }

    /// Sets how deep messages may be nested in the schema, at most 32; a top-level message has depth 1.
    pub const fn max_depth(mut self, levels: usize) -> Self {
        self.depth = if levels < 32 { levels } else { 32 };
        self
    }

    /// Sets how many faults of definitions an error has, the first one and [`DescriptorError::others`](crate::DescriptorError::others);
    /// 1 by default. A set that is no descriptor set, or is beyond a bound, has one.
    ///
    /// ```
    /// use tablepb::schema::PoolOptions;
    ///
    /// // Two messages, each with a oneof that has no members.
    /// let set = b"\x0a\x1d\x0a\x01f\x22\x0b\x0a\x04\x4f\x6e\x65\x31\x42\x03\x0a\x01o\x22\x0b\x0a\x04\x4f\x6e\x65\x32\x42\x03\x0a\x01o";
    /// assert!(PoolOptions::new().decode(set).unwrap_err().others().is_empty());
    /// let error = PoolOptions::new().max_faults(10).decode(set).unwrap_err();
    /// assert_eq!((error.name(), error.others()[0].name()), ("One1.o", "One2.o"));
    /// ```
    pub const fn max_faults(mut self, faults: usize) -> Self {
        self.faults = faults;
        self
    }

    /// How many faults an error has.
    #[must_use]
    pub const fn fault_limit(&self) -> usize {
        self.faults
    }

    /// The bound for memory when a set of `len` bytes is loaded.
    #[must_use]
    pub const fn memory_for(&self, len: usize) -> usize {
        budget_for(self.memory, len)
    }

    /// The largest number of messages.
    #[must_use]
    pub const fn message_limit(&self) -> usize {
        self.messages
    }

    /// The largest number of fields and extensions.
    #[must_use]
    pub const fn field_limit(&self) -> usize {
        self.fields
    }

    /// How deep messages may be nested in the schema.
    #[must_use]
    pub const fn depth_limit(&self) -> usize {
        self.depth
    }
}

// Dotted names.

/// The components of a dotted name. Dots inside brackets belong to the name of an extension and do not separate.
pub(crate) fn components(name: &str) -> impl Iterator<Item = &str> {
    let mut in_brackets = false;
    name.split(move |c| {
        in_brackets = match c {
            '[' => true,
            ']' => false,
            _ => in_brackets,
        };
        c == '.' && !in_brackets
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn dots_separate_outside_of_brackets() {
        let parts = |name| components(name).collect::<Vec<_>>();
        assert_eq!(parts("a.b.c"), ["a", "b", "c"]);
        assert_eq!(parts("a.[x.y.z].b"), ["a", "[x.y.z]", "b"]);
        assert_eq!(
            (parts(""), parts("a..b"), parts("[a.b")),
            ([""].into(), ["a", "", "b"].into(), ["[a.b"].into())
        );
    }
}

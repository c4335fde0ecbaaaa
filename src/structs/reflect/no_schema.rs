//! What expansions of `message!` name where there are no schemas at run time.

/// The place for the message type of a struct, which nothing makes.
pub struct SchemaCell;

impl SchemaCell {
    /// An empty place.
    #[allow(clippy::new_without_default, reason = "made by a macro, in a const")]
    pub const fn new() -> Self {
        Self
    }
}

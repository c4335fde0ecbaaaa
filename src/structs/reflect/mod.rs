//! The schema of a struct at run time, and the formats that need it.

#[cfg(feature = "reflect")]
pub(super) mod by_schema;
#[cfg(feature = "reflect")]
mod from_message;
#[cfg(feature = "reflect")]
pub(super) mod schema;
#[cfg(feature = "reflect")]
pub(super) mod transcode;

/// What expansions of `message!` name where there are no schemas at run time.
#[cfg(not(feature = "reflect"))]
pub(super) mod schema {
    /// The place for the message type of a struct, which nothing makes.
    pub struct SchemaCell;

    impl SchemaCell {
        /// An empty place.
        #[allow(clippy::new_without_default, reason = "made by a macro, in a const")]
        pub const fn new() -> Self {
            Self
        }
    }
}

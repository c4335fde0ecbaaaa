//! The run-time schema of a struct, made on first use and kept for its type.

use crate::schema::pool::{DescriptorPool, MessageDescriptor};
use crate::structs::Message;
use crate::structs::lazy::once::OnceBox;
use crate::wire::error::DescriptorError;

/// A place for the message type of a struct, one for each listing.
pub struct SchemaCell(OnceBox<MessageDescriptor>);

impl SchemaCell {
    /// An empty place.
    #[allow(clippy::new_without_default, reason = "made by a macro, in a const")]
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }
}

/// The message type of a struct, in a pool of its table and those that it refers to.
///
/// # Errors
/// What is wrong with the table, or no memory for a pool.
pub(in crate::structs) fn schema<M: Message>() -> Result<MessageDescriptor, DescriptorError> {
    let cell: Option<&SchemaCell> = M::__schema();
    if let Some(known) = cell.and_then(|cell| cell.0.get()) {
        return Ok(known.clone());
    }
    let pool = DescriptorPool::from_tables(&[M::TABLE])?;
    let made = pool.get_message_by_name(M::TABLE.full_name()).unwrap_or(MessageDescriptor::new(&pool, 0));
    // Without memory to keep it, it is made again the next time.
    let kept = cell.and_then(|cell| cell.0.get_or_init(|| made.clone())).cloned();
    Ok(kept.unwrap_or(made))
}

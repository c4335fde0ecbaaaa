//! Hashes of messages.

use crate::engine::encode::RawEncoder;
use crate::message::{DynamicMessage, MessageView};
use crate::wire::error::EncodeErrorKind;
use crate::wire::options::EncodeOptions;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Map entries in the order of their keys, so that equal messages are equal bytes.
const ALL: EncodeOptions = EncodeOptions::new().deterministic(true).allow_partial(true).max_depth(u32::MAX);

/// Equal messages have equal hashes. Costs an encode with maps in key order, and memory for it.
///
/// # Panics
/// If the allocator fails.
impl Hash for MessageView<'_, '_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.descriptor().hash(state);
        let mut bytes = Vec::new();
        match RawEncoder::new(self.raw(), ALL).append(&mut bytes, false) {
            Ok(_) => bytes.hash(state),
            Err(error) if error.kind() == EncodeErrorKind::OutOfMemory => panic!("{error}"),
            // Above 2 GiB. Equal messages are of equal length.
            Err(_) => self.encoded_len().hash(state),
        }
    }
}

/// As for a [`MessageView`].
impl Hash for DynamicMessage {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_view().hash(state);
    }
}

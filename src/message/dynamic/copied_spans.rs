//! [`CopiedSpans`]: where a copy has put the bytes of a verbatim message.

use crate::engine::slab::Full;
use alloc::vec::Vec;

/// The copied spans of the outermost verbatim message. The bytes of its sub-messages lie inside them and are not copied
/// again.
#[derive(Default)]
pub(in crate::message) struct CopiedSpans {
    /// Sorted by their offset in the source.
    pub(in crate::message) spans: Vec<CopiedSpan>,
}

#[derive(Clone, Copy)]
pub(in crate::message) struct CopiedSpan {
    pub(in crate::message) from: u32,
    pub(in crate::message) len: u32,
    pub(in crate::message) to: u32,
}

impl CopiedSpans {
    /// Adds a span.
    pub(in crate::message) fn add(&mut self, span: CopiedSpan) -> Result<(), Full> {
        self.spans.try_reserve(1).map_err(|_| Full::NoMemory)?;
        // Occurrences come in wire order, so this is usually the end.
        let at = self.spans.partition_point(|copied| copied.from <= span.from);
        self.spans.insert(at, span);
        Ok(())
    }

    /// The offset in the copy of bytes of the source, if they were copied.
    pub(in crate::message) fn find(&self, offset: u32, len: u32) -> Option<u32> {
        let at = self.spans.partition_point(|copied| copied.from <= offset).checked_sub(1)?;
        let copied = self.spans.get(at)?;
        let inside = u64::from(offset) + u64::from(len) <= u64::from(copied.from) + u64::from(copied.len);
        inside.then(|| copied.to + (offset - copied.from))
    }
}

//! What a copy has copied already.

use crate::slab::Full;
use alloc::vec::Vec;

/// The bytes of a verbatim message that have been copied. Those of all messages in it are among them, and are not copied
/// again.
#[derive(Default)]
pub(super) struct CopiedSpans {
    /// In the order of the source's store.
    pub(super) spans: Vec<CopiedSpan>,
}

#[derive(Clone, Copy)]
pub(super) struct CopiedSpan {
    pub(super) from: u32,
    pub(super) len: u32,
    pub(super) to: u32,
}

impl CopiedSpans {
    /// Notes bytes that come next in the copy.
    pub(super) fn add(&mut self, span: CopiedSpan) -> Result<(), Full> {
        self.spans.try_reserve(1).map_err(|_| Full)?;
        // Occurrences come in the order of the wire, so this is the end as a rule.
        let at = self.spans.partition_point(|copied| copied.from <= span.from);
        self.spans.insert(at, span);
        Ok(())
    }

    /// Where bytes of the source are in the copy, if they are.
    pub(super) fn find(&self, offset: u32, len: u32) -> Option<u32> {
        let at = self.spans.partition_point(|copied| copied.from <= offset).checked_sub(1)?;
        let copied = self.spans.get(at)?;
        let inside = u64::from(offset) + u64::from(len) <= u64::from(copied.from) + u64::from(copied.len);
        inside.then(|| copied.to + (offset - copied.from))
    }
}

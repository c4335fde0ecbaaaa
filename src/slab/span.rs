//! Spans of the byte store, as slots hold them.

/// The mark, in the high word of a pair.
pub(super) const MARK: u32 = 1 << 31;
/// The length in the high word of a pair.
const LEN: u64 = MARK as u64 - 1;

/// The length of an (offset, length), marked or not.
#[inline(always)]
pub(crate) const fn span_len(span: u64) -> u64 {
    span >> 32 & LEN
}

/// The bytes of an (offset, length), the offset in the low half, if they are all there.
#[inline(always)]
pub(crate) fn bytes_at(store: &[u8], span: u64) -> Option<&[u8]> {
    let start = span as u32 as usize;
    store.get(start..start.wrapping_add(span_len(span) as usize))
}

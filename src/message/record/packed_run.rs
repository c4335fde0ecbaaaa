//! [`PackedRun`]: the packed run that the next value may join.

/// The packed run at the end of what has been written, if it was started by single values and is shorter than 128
/// bytes, so that its length prefix is one byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedRun {
    /// The bit of the field.
    pub(super) bit: u32,
    /// The offset of the length prefix.
    pub(super) prefix: usize,
    /// The offset of the end: the run is the last thing written as long as the writer is there.
    pub(super) end: usize,
}

impl PackedRun {
    /// No run: a record never reaches this offset. Not 0: a record without a length prefix starts there.
    pub(super) const NONE: Self = Self { bit: 0, prefix: 0, end: usize::MAX };
}

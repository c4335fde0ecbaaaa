//! Lists whose memory is charged to a budget, and how they are sorted.

pub(super) mod room;
pub(super) mod sort;

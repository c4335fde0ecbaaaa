//! Messages to bytes: the nested lengths once, then one forward pass.

pub(crate) mod output;
pub(crate) mod sizes;

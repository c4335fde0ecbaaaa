//! Messages to bytes: the nested lengths once, then one forward pass.

pub(crate) mod sizes;

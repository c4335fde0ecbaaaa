//! What concerns sources only; a pool checks everything else.

pub(crate) mod declarations;
pub(crate) mod prefixes;
pub(crate) mod style;
pub(crate) mod support;
mod unused;
pub(crate) mod warnings;

//! One way through the members of a struct for everything but the wire: `show.rs` out of it, `fill.rs` into it. JSON and dynamic messages are
//! sinks and sources.

pub(super) mod fill;
pub(super) mod show;

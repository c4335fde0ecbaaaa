//! The tests of structs that need nothing but structs, for builds without the feature `reflect`:
//! `cargo test --no-default-features --features std --test structs`. They are a part of `suite`, so that `cargo test` leaves
//! this binary out.

mod common {
    #[allow(dead_code, reason = "the tests use a part of it")]
    pub mod heap;
    pub mod proportion;
}
#[path = "suite/structs/errors.rs"]
mod typed_errors;
#[path = "suite/structs/kinds.rs"]
mod typed_kinds;
#[path = "suite/structs/merges.rs"]
mod typed_merges;
#[path = "suite/structs/prost.rs"]
mod typed_prost;
#[path = "suite/structs/semantics.rs"]
mod typed_semantics;

#[global_allocator]
static HEAP: common::heap::Counting = common::heap::Counting;

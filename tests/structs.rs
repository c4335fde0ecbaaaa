//! The tests of structs that need nothing but structs, for builds without the feature `reflect`:
//! `cargo test --no-default-features --features std --test structs`. They are a part of `suite`, so that `cargo test` leaves
//! this binary out.

mod common {
    #[allow(dead_code, reason = "the tests use a part of it")]
    pub mod heap;
    pub mod proportion;
}
#[path = "suite/typed_errors.rs"]
mod typed_errors;
#[path = "suite/typed_kinds.rs"]
mod typed_kinds;
#[path = "suite/typed_merges.rs"]
mod typed_merges;
#[path = "suite/typed_prost.rs"]
mod typed_prost;
#[path = "suite/typed_semantics.rs"]
mod typed_semantics;

#[global_allocator]
static HEAP: common::heap::Counting = common::heap::Counting;

//! The macros of a listing: the grammar, the table, and a compile error for each mistake.

pub mod accessor;
pub(super) mod checks;
pub mod kinds;
pub(super) mod listing;
pub(super) mod macros;
pub mod names;
pub mod not_in_grammar;
pub(super) mod tokens;

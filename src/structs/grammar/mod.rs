//! The macros of a listing: the grammar, the table, and a compile error for each mistake.

pub mod accessor;
pub(super) mod checks;
pub mod field_names;
pub mod kinds;
pub(super) mod listing;
pub(super) mod macros;
pub mod mistakes;
pub(super) mod names;
pub(super) mod not_in_grammar;
pub(super) mod tokens;

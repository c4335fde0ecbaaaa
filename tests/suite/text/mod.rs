//! The text format.

mod hostile;
mod print;
mod prost;
mod rules;
mod structs;

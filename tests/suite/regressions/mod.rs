//! Bugs that were there once, each by the name of what it broke.

mod formats;
mod message;
mod structs;

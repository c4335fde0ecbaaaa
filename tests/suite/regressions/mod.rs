//! Bugs that were there once, each by the name of what it broke, and what no test had noticed.

mod formats;
mod message;
mod structs;
mod unnoticed;

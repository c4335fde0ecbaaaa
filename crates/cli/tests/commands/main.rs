//! The commands of `tablepb` as a program: output, exit codes, and what they say about bad input.

mod check;
mod columns;
mod compile;
mod conf;
mod convert;
mod differ;
#[cfg(unix)]
mod docs;
mod edits;
mod formatting;
mod look;
mod query;
mod roots;
#[cfg(unix)]
mod signals;
mod stream;
mod support;

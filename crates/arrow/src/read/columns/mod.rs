//! The columns of a batch while it is being filled: vectors that are appended to, one kind of column in each file.
//!
//! Every column has its own length. A row in which nothing comes for a column costs nothing: the column is filled up when a later row
//! is set, or when the batch is finished.

mod bits;
mod enums;
mod gathered;
mod numbers;
mod texts;

pub(crate) use bits::Bits;
pub(crate) use enums::{Dictionary, Names};
pub(crate) use gathered::Gathered;
pub(crate) use numbers::{Bools, Numbers, Times};
pub(crate) use texts::{Key, MAX_BUFFER, Source, Texts};

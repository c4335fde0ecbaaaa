//! The columns of a batch while it is being filled: vectors that are appended to, one kind of column in each file.
//!
//! A row in which nothing comes for a column costs nothing: columns make some rows at once, which hold the default, and what is left is
//! filled up when the batch is finished. A column for which nothing comes in a batch is made of zeros that all such columns share. Columns that are appended to, which are elements of lists, know their length.

mod bits;
mod enums;
mod gathered;
mod numbers;
mod texts;
mod views;
mod zeros;

pub(crate) use bits::Bits;
pub(crate) use enums::{Dictionary, Listed, Names};
pub(crate) use gathered::Gathered;
pub(crate) use numbers::{Bools, Growth, Numbers, Spare, Times, size_of};
pub(crate) use texts::{TextSet, Texts};
pub(crate) use views::{Key, MAX_BUFFER, Source};
pub(crate) use zeros::Zeros;

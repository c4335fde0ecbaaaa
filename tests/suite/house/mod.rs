//! The rules of the house: documentation, programs of the guide, unsafe code.

mod doc_names;
mod interface;
mod programs;
mod unsafe_inventory;
mod uses;
